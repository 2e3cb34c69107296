"""Recording the deals of a paper sheet: all of them or none, as if each had been recorded by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy.orm import Session

from scorekeeper.rules import Facts, IllegalDeal, MalformedDeal
from scorekeeper.services.check import differences
from scorekeeper.services.deals import DeclareDeal, RecordDeals, declare_deal, record_deals
from scorekeeper.services.transaction import SessionClosed, StaleSession
from tests.factories import CLUB_TURNED, FIVE_IN_SPADES_MADE, HALF_MADE, make_deal, make_session
from tests.sittings import Sitting, dump

SWEEP: Facts = {"turn_up": "clubs", "tricks": [5, 0, 0, 0]}


def a_sitting(db: Session, **options: Any) -> Sitting:
    return Sitting(db, make_session(db, **options))


def several(sitting: Sitting, *deals: Facts) -> RecordDeals:
    return RecordDeals(**sitting.made.command(sitting.db), deals=deals)


def test_deals_follow_one_another_as_if_each_had_been_recorded_by_itself(db: Session) -> None:
    together, apart = a_sitting(db), a_sitting(db)
    deals = HALF_MADE, FIVE_IN_SPADES_MADE, HALF_MADE
    record_deals(db, several(together, *deals))
    for facts in deals:
        make_deal(db, apart.made, facts)
    assert [(deal.number, deal.recorded, deal.facts, deal.totals, deal.before) for deal in together.deals()] == [
        (deal.number, deal.recorded, deal.facts, deal.totals, deal.before) for deal in apart.deals()
    ]
    assert (together.row.version, together.row.table) == (apart.row.version, apart.row.table)
    assert list(differences(db)) == []


def test_what_follows_from_the_facts_is_stored_with_them(db: Session) -> None:
    sitting = a_sitting(db)
    record_deals(db, several(sitting, {"contract": "half", "declarer": 0, "partner": 2, "tricks": 5}))
    assert sitting.deals()[0].facts == HALF_MADE


def test_who_dealt_is_kept_only_where_it_was_not_the_next_in_turn(db: Session) -> None:
    sitting = a_sitting(db)
    record_deals(db, several(sitting, {"dealer": 3, **HALF_MADE}, {"dealer": 2, **HALF_MADE}, HALF_MADE))
    assert [deal.facts.get("dealer") for deal in sitting.deals()] == [None, 2, None]
    assert [deal.before["dealer"] for deal in sitting.deals()] == [3, 2, 3]


def test_the_first_deal_after_the_end_of_a_game_begins_the_next(db: Session) -> None:
    sitting = a_sitting(db, card_game="dirty-clubs", house_rules={"stake_loser": 1})
    record_deals(db, several(sitting, CLUB_TURNED, SWEEP, CLUB_TURNED, SWEEP))
    assert [(deal.before["game"], deal.starts_game) for deal in sitting.deals()] == [
        (1, False),
        (1, False),
        (2, True),
        (2, False),
    ]
    record_deals(db, several(sitting, CLUB_TURNED))
    assert (sitting.deals()[4].before["game"], sitting.deals()[4].totals) == (3, [23, 24, 24, 24])
    assert list(differences(db)) == []


def test_one_that_cannot_have_happened_leaves_no_trace_of_any(db: Session) -> None:
    sitting = a_sitting(db)
    stored = dump(db)
    with pytest.raises(IllegalDeal, match="PARTNER_SELF"):
        record_deals(db, several(sitting, HALF_MADE, {**HALF_MADE, "partner": 0}, HALF_MADE))
    with pytest.raises(MalformedDeal):
        record_deals(db, several(sitting, HALF_MADE, {"contract": "half"}))
    assert dump(db) == stored


def test_the_same_form_sent_twice_records_its_deals_once(db: Session) -> None:
    sitting = a_sitting(db)
    command = several(sitting, HALF_MADE, FIVE_IN_SPADES_MADE)
    record_deals(db, command)
    stored = dump(db)
    record_deals(db, command)
    record_deals(db, replace(command, expected_version=sitting.row.version))
    assert dump(db) == stored
    with pytest.raises(StaleSession):
        record_deals(db, replace(command, deals=(HALF_MADE, HALF_MADE)))
    assert dump(db) == stored


def test_a_stale_form_records_nothing(db: Session) -> None:
    sitting = a_sitting(db)
    command = several(sitting, HALF_MADE, HALF_MADE)
    make_deal(db, sitting.made)
    stored = dump(db)
    with pytest.raises(StaleSession):
        record_deals(db, command)
    assert dump(db) == stored


def test_nothing_is_recorded_in_a_session_that_has_ended(db: Session) -> None:
    sitting = a_sitting(db)
    sitting.close()
    stored = dump(db)
    with pytest.raises(SessionClosed):
        record_deals(db, several(sitting, HALF_MADE))
    assert dump(db) == stored


def test_what_had_been_declared_is_over_with_the_first(db: Session) -> None:
    sitting = a_sitting(db)
    declare_deal(db, DeclareDeal(**sitting.made.command(db), facts={"contract": "half", "declarer": 0}))
    record_deals(db, several(sitting, HALF_MADE, HALF_MADE))
    assert sitting.row.declared is None

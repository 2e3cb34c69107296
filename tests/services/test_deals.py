"""Recording, correcting and voiding deals: once each, whole or not at all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from scorekeeper import queries, sessionfile
from scorekeeper.models import Deal, DealVersion, LedgerEntry, SessionChange
from scorekeeper.rules import Facts, IllegalDeal, MalformedDeal
from scorekeeper.rules.mensch import PASSED_OUT
from scorekeeper.services.check import differences
from scorekeeper.services.deals import CorrectDeal, RecordDeal, VoidDeal, correct_deal, record_deal, void_deal
from scorekeeper.services.settlement import SettlementInForce
from scorekeeper.services.transaction import SessionClosed, StaleSession
from tests.factories import FIVE_IN_SPADES_MADE, HALF_MADE, make_deal, make_group, make_session, submission_id
from tests.sittings import Sitting, dump


def a_sitting(db: Session, **options: Any) -> Sitting:
    return Sitting(db, make_session(db, **options))


def record(sitting: Sitting, **changes: Any) -> RecordDeal:
    return RecordDeal(**{**sitting.made.command(sitting.db), "facts": HALF_MADE, **changes})


def test_a_deal_keeps_its_facts_what_it_brought_and_the_totals_after_it(db: Session) -> None:
    sitting = a_sitting(db)
    make_deal(db, sitting.made, HALF_MADE)
    assert make_deal(db, sitting.made, FIVE_IN_SPADES_MADE) == 2
    deal = sitting.deals()[1]
    assert (deal.facts, deal.chips, deal.totals) == (FIVE_IN_SPADES_MADE, [-1, 3, -1, -1], [0, 2, 0, -2])
    assert (deal.status, deal.result, deal.before["dealer"]) == ("scored", "made", 0)
    assert [seat.chips for seat in sitting.seats()] == [0, 2, 0, -2]
    assert sitting.row.table["dealer"] == 1


def half(declarer: int, partner: int) -> Facts:
    return {"contract": "half", "declarer": declarer, "partner": partner, "trump": "clubs", "tricks": 5}


@pytest.mark.parametrize("change", ["void", "thrown in", "dealt by another"])
def test_who_sat_out_of_a_deal_stays_out_of_it_when_the_turn_to_deal_moves(db: Session, change: str) -> None:
    group = make_group(db, players=("Ann", "Ben", "Cleo", "Dan", "Eve"))
    sitting = a_sitting(db, group=group, seats=5, dealer=4, house_rules={"passed_out": "same-dealer"})
    # Eve, Ann and Ben deal, one after the other, and have no cards.
    for facts in (half(0, 2), half(1, 4), half(2, 3)):
        sitting.record(facts)
    later = [(deal.before["dealer"], deal.chips) for deal in sitting.deals()[1:]]

    if change == "void":
        sitting.void(1)
    elif change == "thrown in":
        sitting.correct(1, {"contract": PASSED_OUT})
    else:
        sitting.correct(1, {**half(0, 2), "dealer": 3})

    assert [(deal.before["dealer"], deal.chips) for deal in sitting.deals()[1:]] == later
    assert sessionfile.score(queries.session_file(db, sitting.row)).table.state() == sitting.row.table
    assert [deal.status for deal in sitting.deals()[1:]] == ["scored", "scored"]
    assert sitting.row.table["dealer"] == 2
    assert list(differences(db)) == []


def test_the_same_form_sent_twice_records_one_deal(db: Session) -> None:
    sitting = a_sitting(db)
    command = record(sitting)
    assert record_deal(db, command) == 1
    stored = dump(db)
    assert record_deal(db, command) == 1
    assert dump(db) == stored


def test_the_same_form_brought_up_to_date_and_sent_again_records_one_deal(db: Session) -> None:
    sitting = a_sitting(db)
    command = record(sitting)
    record_deal(db, command)
    stored = dump(db)
    assert record_deal(db, replace(command, expected_version=sitting.row.version)) == 1
    assert dump(db) == stored


@pytest.mark.parametrize("up_to_date", [False, True])
def test_the_same_form_with_other_content_is_stale(db: Session, up_to_date: bool) -> None:
    sitting = a_sitting(db)
    command = record(sitting)
    record_deal(db, command)
    stored = dump(db)
    version = sitting.row.version if up_to_date else command.expected_version
    with pytest.raises(StaleSession):
        record_deal(db, replace(command, facts=FIVE_IN_SPADES_MADE, expected_version=version))
    assert dump(db) == stored


def test_a_form_that_did_one_thing_does_not_pass_for_another(db: Session) -> None:
    sitting = a_sitting(db)
    make_deal(db, sitting.made)
    command = VoidDeal(**sitting.made.command(db), number=1)
    void_deal(db, command)
    stored = dump(db)
    fields = {**sitting.made.command(db), "submission_id": command.submission_id}
    with pytest.raises(StaleSession):
        correct_deal(db, CorrectDeal(**fields, number=1, facts=HALF_MADE))
    assert dump(db) == stored


def test_a_stale_form_changes_nothing(db: Session) -> None:
    sitting = a_sitting(db)
    stale = record(sitting)
    make_deal(db, sitting.made)
    stored = dump(db)
    with pytest.raises(StaleSession):
        record_deal(db, stale)
    assert dump(db) == stored


def test_nothing_is_recorded_in_a_session_that_has_ended(db: Session) -> None:
    sitting = a_sitting(db)
    sitting.close()
    stored = dump(db)
    with pytest.raises(SessionClosed):
        record_deal(db, record(sitting))
    assert dump(db) == stored


@pytest.mark.parametrize(
    ("facts", "error", "code"),
    [
        ({**HALF_MADE, "tricks": 9}, IllegalDeal, "TRICKS_RANGE"),
        ({**HALF_MADE, "partner": 0}, IllegalDeal, "PARTNER_SELF"),
        ({"contract": "half"}, MalformedDeal, "MALFORMED"),
        ({**HALF_MADE, "tricks": "5"}, MalformedDeal, "TRICKS_RANGE"),
    ],
)
def test_a_deal_that_cannot_have_happened_leaves_no_trace(
    db: Session, facts: dict[str, object], error: type[Exception], code: str
) -> None:
    sitting = a_sitting(db)
    make_deal(db, sitting.made)
    stored = dump(db)
    with pytest.raises(error, match=code):
        record_deal(db, record(sitting, facts=facts))
    with pytest.raises(error, match=code):
        correct_deal(db, CorrectDeal(**sitting.made.command(db), number=1, facts=facts))
    assert dump(db) == stored


def test_a_correction_moves_what_the_deal_brought_and_keeps_what_it_said(db: Session) -> None:
    sitting = a_sitting(db)
    make_deal(db, sitting.made, HALF_MADE)
    make_deal(db, sitting.made, HALF_MADE)
    sitting.correct(1, FIVE_IN_SPADES_MADE)
    first, second = sitting.deals()
    assert (first.chips, first.totals) == ([-1, 3, -1, -1], [-1, 3, -1, -1])
    assert (second.chips, second.totals) == ([1, -1, 1, -1], [0, 2, 0, -2])
    assert [seat.chips for seat in sitting.seats()] == [0, 2, 0, -2]
    kept = db.execute(select(DealVersion.version, DealVersion.replaced, DealVersion.facts)).one()
    assert tuple(kept) == (2, 4, HALF_MADE)
    entries = select(func.count()).select_from(LedgerEntry).where(LedgerEntry.deal_number == 1)
    assert db.scalar(entries) == 12  # recorded, reversed, replaced


def test_correcting_a_deal_to_itself_moves_no_chips(db: Session) -> None:
    sitting = a_sitting(db)
    make_deal(db, sitting.made)
    entries = dump(db)["ledger_entry"]
    sitting.correct(1, HALF_MADE)
    assert dump(db)["ledger_entry"] == entries


def test_a_void_deal_counts_for_nothing_and_can_be_restored(db: Session) -> None:
    sitting = a_sitting(db)
    make_deal(db, sitting.made, HALF_MADE)
    make_deal(db, sitting.made, FIVE_IN_SPADES_MADE)
    before = sitting.row.table
    sitting.void(1)
    assert [deal.status for deal in sitting.deals()] == ["void", "scored"]
    assert sitting.deals()[1].before["dealer"] == 3
    assert [seat.chips for seat in sitting.seats()] == [-1, 3, -1, -1]
    sitting.restore(1)
    assert sitting.row.table == before
    assert [seat.chips for seat in sitting.seats()] == [0, 2, 0, -2]


def test_the_last_deal_can_be_voided_and_another_recorded(db: Session) -> None:
    sitting = a_sitting(db)
    make_deal(db, sitting.made, HALF_MADE)
    sitting.void(1)
    assert make_deal(db, sitting.made, FIVE_IN_SPADES_MADE) == 2
    assert sitting.deals()[1].before["dealer"] == 3
    assert list(differences(db)) == []


def test_a_correction_after_the_end_asks_and_then_discards_the_settlement(db: Session) -> None:
    sitting = a_sitting(db)
    make_deal(db, sitting.made, HALF_MADE)
    sitting.close()
    stored = dump(db)
    with pytest.raises(SettlementInForce):
        correct_deal(db, CorrectDeal(**sitting.made.command(db), number=1, facts=FIVE_IN_SPADES_MADE))
    assert dump(db) == stored
    sitting.correct(1, FIVE_IN_SPADES_MADE)
    assert sitting.row.state == "open"
    assert sitting.transfers() == []
    sitting.close()
    assert sitting.is_settled()
    assert list(differences(db)) == []


def test_a_deal_that_is_not_there_cannot_be_changed(db: Session) -> None:
    sitting = a_sitting(db)
    stored = dump(db)
    with pytest.raises(StaleSession):
        void_deal(db, VoidDeal(**sitting.made.command(db), number=1))
    assert dump(db) == stored


def test_what_a_later_deal_could_not_have_been_after_all_is_kept_and_not_scored(db: Session) -> None:
    # Nobody but the dealer's left bids first: with another dealer, the auction of the second deal is out of turn.
    sitting = a_sitting(db, ruleset="mensch-russian", dealer=3)
    auction = [[0, "half"], [1, "pass"], [2, "pass"], [3, "pass"]]
    make_deal(db, sitting.made, HALF_MADE)
    make_deal(db, sitting.made, {**HALF_MADE, "auction": auction})
    sitting.correct(1, {"contract": "passed-out"})
    second = sitting.deals()[1]
    assert (second.status, second.reason, second.chips) == ("unscored", "BID_OUT_OF_TURN", [])
    assert [seat.chips for seat in sitting.seats()] == [0, 0, 0, 0]
    assert list(differences(db)) == []


def test_every_change_is_logged_with_the_link_it_came_by(db: Session) -> None:
    sitting = a_sitting(db)
    make_deal(db, sitting.made)
    sitting.void(1)
    changes = db.execute(select(SessionChange.version, SessionChange.kind, SessionChange.link_id)).all()
    link = sitting.made.group.link_id
    assert [tuple(change) for change in changes] == [(1, "open", link), (2, "record", link), (3, "void", link)]


def test_a_change_of_an_unknown_session_is_stale(db: Session) -> None:
    sitting = a_sitting(db)
    command = replace(record(sitting), session_id=sitting.made.id + 1, submission_id=submission_id())
    with pytest.raises(StaleSession):
        record_deal(db, command)
    assert db.scalar(select(func.count()).select_from(Deal)) == 0

"""The settlement of a session: whatever is paid, taken back, reopened or discarded, what is open is right."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from scorekeeper.models import LedgerEntry, MoneyEntry
from scorekeeper.rules import Refused, Table
from scorekeeper.services.carrying import Carry, HandBack, hand_back
from scorekeeper.services.check import differences
from scorekeeper.services.history import game_of
from scorekeeper.services.ledger import chip_of
from scorekeeper.sessionfile import Chip
from tests.factories import make_session
from tests.property.test_settlement import choices_among
from tests.sittings import (
    DIRTY_CLUBS,
    MENSCH,
    Act,
    Rules,
    Sitting,
    cash_outs,
    changes,
    chip_acts,
    costs,
    recordings,
    stakes,
    table_acts,
)

# Each example makes a group and a session of its own in the test's one database.
few = settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
RULES = [pytest.param(rules, id=rules.ruleset) for rules in (MENSCH[0], DIRTY_CLUBS[0])]

settlement_acts: st.SearchStrategy[Act] = st.one_of(
    st.builds(lambda choices: lambda sitting: sitting.close(choices), choices_among(4)),
    st.just(Sitting.reopen),
    st.builds(
        lambda place, amount: lambda sitting: sitting.pay(place, amount),
        st.integers(0, 5),
        st.none() | st.integers(1, 9),
    ),
    st.builds(lambda place: lambda sitting: sitting.pay(place), st.integers(0, 5)),
    st.builds(lambda place: lambda sitting: sitting.take_back(place), st.integers(0, 5)),
)
CHIPS = st.sampled_from(
    [None, Chip(25, "EUR", 2), Chip(100, "EUR", 2, 3), Chip(100, "JPY", 0, 7), Chip(125, "BHD", 3, 2)]
)


def evenings(rules: Rules) -> st.SearchStrategy[list[Act]]:
    """Some deals, then the settlement, with second thoughts."""
    played = st.lists(recordings(rules) | chip_acts | cash_outs | costs, min_size=3, max_size=8)
    settled = st.lists(
        st.one_of(settlement_acts, settlement_acts, recordings(rules), changes(rules), costs), max_size=14
    )
    return st.builds(lambda first, then: [*first, Sitting.close, *then], played, settled)


def begun(db: Session, rules: Rules, data: st.DataObject, **more: int) -> Sitting:
    return Sitting.begin(db, rules, chip=data.draw(CHIPS), **more)


@pytest.mark.parametrize("rules", RULES)
@few
@given(data=st.data())
def test_open_transfers_clear_what_is_open(db: Session, rules: Rules, data: st.DataObject) -> None:
    sitting = begun(db, rules, data)
    for act in data.draw(evenings(rules)):
        sitting.do([act])
        if sitting.row.state == "closed":
            assert sitting.is_settled()
    sitting.do([Sitting.close])
    assert sitting.row.state == "closed"
    assert sitting.is_settled()
    assert list(differences(db)) == []


@pytest.mark.parametrize("rules", RULES)
@few
@given(data=st.data())
def test_once_all_is_paid_nothing_is_left_to_pay(db: Session, rules: Rules, data: st.DataObject) -> None:
    sitting = begun(db, rules, data)
    sitting.do(data.draw(evenings(rules)))
    sitting.do([Sitting.reopen, Sitting.close])
    sitting.do([lambda sitting: sitting.pay(0)] * len(sitting.transfers()))
    assert not any(sitting.open())
    sitting.do([Sitting.reopen, Sitting.close])
    assert sitting.transfers() == []


@pytest.mark.parametrize("rules", RULES)
@few
@given(data=st.data())
def test_the_kitty_holds_the_stakes_of_every_deal_that_counts(db: Session, rules: Rules, data: st.DataObject) -> None:
    sitting = begun(db, rules, data)
    acts = st.lists(recordings(rules) | changes(rules) | stakes | table_acts, min_size=4, max_size=14)
    sitting.do([lambda sitting: sitting.stake(7), *data.draw(acts)])
    put_in = Counter[int]()
    for deal in sitting.deals():
        if deal.status == "scored" and deal.result not in ("passed-out", "misdeal"):
            put_in.update(dict.fromkeys(Table.restored(game_of(sitting.row)[1], deal.before).seats, deal.stake))
    assert [-seat.costs for seat in sitting.seats()] == [put_in[seat.seat] for seat in sitting.seats()]
    assert list(differences(db)) == []


@pytest.mark.parametrize("rules", RULES)
@few
@given(data=st.data(), unpaid=st.booleans())
def test_what_is_carried_over_and_taken_back_leaves_the_earlier_session_as_it_was(
    db: Session, rules: Rules, data: st.DataObject, unpaid: bool
) -> None:
    sitting = begun(db, rules, data)
    sitting.do([*data.draw(evenings(rules)), Sitting.reopen])
    sitting.close(data.draw(choices_among(4)))
    before = sitting.seats(), sitting.open()
    table = data.draw(st.permutations(sitting.people()[:6]))[: len(sitting.row.opening)]
    for _again in range(2):
        carry = Carry(sitting.made.id, sitting.row.version, unpaid)
        try:
            after = Sitting(
                db,
                make_session(
                    db,
                    group=sitting.made.group,
                    card_game=rules.card_game,
                    ruleset=rules.ruleset,
                    players=tuple(table),
                    chip=chip_of(sitting.row),
                    carry=(carry,),
                ),
            )
        except Refused:
            # Nothing is open between them.
            return
        taken = {seat.player_id: seat.carried for seat in after.seats() if seat.carried}
        assert taken.keys() <= {seat.player_id for seat in before[0]}
        assert [seat.carried for seat in sitting.seats()] == [
            earlier.carried - taken.get(earlier.player_id, 0) for earlier in before[0]
        ]
        assert list(differences(db)) == []
        after.do(data.draw(st.lists(recordings(rules) | costs, max_size=2)))
        hand_back(db, HandBack(**after.made.command(db), source_id=sitting.made.id))
        assert (sitting.seats(), sitting.open()) == before
        assert not any(seat.carried for seat in after.seats())
        assert list(differences(db)) == []


@pytest.mark.parametrize("rules", RULES)
@few
@given(data=st.data())
def test_every_posting_sums_to_zero(db: Session, rules: Rules, data: st.DataObject) -> None:
    sitting = begun(db, rules, data, buy_in=10)
    sitting.do(data.draw(evenings(rules)))
    for entries, amount in ((LedgerEntry, LedgerEntry.chips), (MoneyEntry, MoneyEntry.amount)):
        sums = select(func.sum(amount)).where(entries.session_id == sitting.made.id)
        assert set(db.scalars(sums.group_by(entries.version))) <= {0}

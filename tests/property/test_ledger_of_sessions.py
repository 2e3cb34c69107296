"""The settlement of a session: whatever is paid, taken back, reopened or drawn up again, what is open is right."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from scorekeeper.models import LedgerEntry
from scorekeeper.services.check import differences
from tests.sittings import DIRTY_CLUBS, MENSCH, Act, Rules, Sitting, cash_outs, changes, chip_acts, recordings

# Each example makes a group and a session of its own in the test's one database.
few = settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
RULES = [pytest.param(rules, id=rules.ruleset) for rules in (MENSCH[0], DIRTY_CLUBS[0])]

settlement_acts: st.SearchStrategy[Act] = st.one_of(
    st.just(Sitting.close),
    st.just(Sitting.reopen),
    st.just(Sitting.redraw),
    st.builds(lambda place, paid: lambda sitting: sitting.mark(place, paid=paid), st.integers(0, 5), st.booleans()),
    st.builds(lambda place: lambda sitting: sitting.mark(place, paid=True), st.integers(0, 5)),
)


def evenings(rules: Rules) -> st.SearchStrategy[list[Act]]:
    """Some deals, then the settlement, with second thoughts."""
    played = st.lists(recordings(rules) | chip_acts | cash_outs, min_size=3, max_size=8)
    settled = st.lists(st.one_of(settlement_acts, settlement_acts, recordings(rules), changes(rules)), max_size=14)
    return st.builds(lambda first, then: [*first, Sitting.close, *then], played, settled)


@pytest.mark.parametrize("rules", RULES)
@few
@given(data=st.data())
def test_open_transfers_clear_what_is_open(db: Session, rules: Rules, data: st.DataObject) -> None:
    sitting = Sitting.begin(db, rules)
    for act in data.draw(evenings(rules)):
        sitting.do([act])
        if sitting.settles:
            assert sitting.is_settled()
    sitting.do([Sitting.close, Sitting.redraw])
    assert sitting.row.state == "closed"
    assert sitting.is_settled()
    assert list(differences(db)) == []


@pytest.mark.parametrize("rules", RULES)
@few
@given(data=st.data())
def test_once_all_is_paid_nothing_is_left_to_pay(db: Session, rules: Rules, data: st.DataObject) -> None:
    sitting = Sitting.begin(db, rules)
    sitting.do(data.draw(evenings(rules)))
    sitting.do([Sitting.close, Sitting.redraw])
    unpaid = [transfer for transfer in sitting.transfers() if transfer.paid is None]
    sitting.do([lambda sitting: sitting.mark(0, paid=True)] * len(unpaid))
    assert all(transfer.paid is not None for transfer in sitting.transfers())
    sitting.redraw()
    assert all(transfer.paid is not None for transfer in sitting.transfers())


@pytest.mark.parametrize("rules", RULES)
@few
@given(data=st.data())
def test_every_posting_sums_to_zero(db: Session, rules: Rules, data: st.DataObject) -> None:
    sitting = Sitting.begin(db, rules, buy_in=10)
    sitting.do(data.draw(evenings(rules)))
    sums = select(func.sum(LedgerEntry.chips)).where(LedgerEntry.session_id == sitting.made.id)
    assert set(db.scalars(sums.group_by(LedgerEntry.version))) <= {0}

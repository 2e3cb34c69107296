"""Whatever people record, correct, void and decide: it comes out as if it had been entered right at first."""

from __future__ import annotations

import json
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.orm import Session

from scorekeeper import queries, sessionfile
from scorekeeper.services.check import differences
from scorekeeper.services.history import first_table, game_of
from scorekeeper.services.imports import ImportSession, import_session
from tests.factories import MadeSession, make_group, submission_id
from tests.sittings import (
    DIRTY_CLUBS,
    MENSCH,
    Act,
    Rules,
    Sitting,
    changes,
    chip_acts,
    entered_right_at_first,
    recordings,
    table_acts,
)

# Each example makes a group and a session of its own in the test's one database.
few = settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
EVERY_RULES = [pytest.param(rules, id=f"{rules.ruleset}-{place}") for place, rules in enumerate(MENSCH + DIRTY_CLUBS)]
DIRTY_CLUBS_RULES = EVERY_RULES[len(MENSCH) :]


def acts(rules: Rules, *, size: int = 14) -> st.SearchStrategy[list[Act]]:
    """An evening: deals first, then more deals, chips and corrections in any order."""
    started = st.lists(recordings(rules) | table_acts, min_size=3, max_size=8)
    later = st.lists(st.one_of(recordings(rules), changes(rules), changes(rules), chip_acts, table_acts), max_size=size)
    return st.builds(lambda first, then: first + then, started, later)


@pytest.mark.parametrize("rules", EVERY_RULES)
@few
@given(data=st.data())
def test_corrections_leave_what_entering_it_right_at_first_would_have(
    db: Session, rules: Rules, data: st.DataObject
) -> None:
    sitting = Sitting.begin(db, rules)
    for act in data.draw(acts(rules)):
        sitting.do([act])
        assert sum(seat.chips for seat in sitting.seats()) == 0
    assert all(sum(deal.chips) == 0 for deal in sitting.deals())
    entered_right_at_first(sitting)
    assert list(differences(db)) == []


@pytest.mark.parametrize("rules", DIRTY_CLUBS_RULES)
@few
@given(data=st.data())
def test_an_undecided_session_can_always_be_decided(db: Session, rules: Rules, data: st.DataObject) -> None:
    sitting = Sitting.begin(db, rules)
    sitting.do(data.draw(acts(rules)))
    waiting = [deal.number for deal in sitting.deals() if deal.reason == "GAME_NOT_OVER"]
    assert bool(waiting) == sitting.row.undecided
    for number in waiting:
        if sitting.row.undecided:
            sitting.decide(number, starts_game=False)
    assert not sitting.row.undecided
    entered_right_at_first(sitting)


@pytest.mark.parametrize("rules", EVERY_RULES)
@few
@given(data=st.data())
def test_a_replay_equals_recording_step_by_step(db: Session, rules: Rules, data: st.DataObject) -> None:
    sitting = Sitting.begin(db, rules)
    sitting.do(data.draw(st.lists(recordings(rules).filter(lambda act: act is not Sitting.next_game), max_size=12)))
    game, _ = game_of(sitting.row)
    deals = sitting.deals()
    scores = game.replay([deal.facts for deal in deals], first_table(sitting.row))
    assert [score.before.state() for score in scores] == [deal.before for deal in deals]
    assert [score.table.totals for score in scores] == [tuple(deal.totals) for deal in deals]
    assert [score.chips for score in scores] == [tuple(deal.chips) for deal in deals]
    if scores:
        assert scores[-1].table.state() == sitting.row.table


@pytest.mark.parametrize("rules", EVERY_RULES)
@few
@given(data=st.data())
def test_an_exported_session_comes_back_the_same(db: Session, rules: Rules, data: st.DataObject) -> None:
    sitting = Sitting.begin(db, rules)
    sitting.do(data.draw(acts(rules)))
    file = queries.session_file(db, sitting.row)
    text = json.dumps(sessionfile.write_document(file))
    read = sessionfile.read_document(sessionfile.parse(text))
    assert read == file

    group = make_group(db)
    command = ImportSession(
        group_id=group.group_id,
        link_id=group.link_id,
        submission_id=submission_id(),
        name="Brought along",
        started_on=date(2026, 11, 27),
        file=read,
    )
    imported = Sitting(db, MadeSession(import_session(db, command), group))
    assert queries.session_file(db, imported.row) == file
    assert imported.row.table == sitting.row.table or sitting.row.undecided
    for name in ("chips", "bought", "cashed", "settled", "wins"):
        assert [getattr(seat, name) for seat in imported.seats()] == [getattr(seat, name) for seat in sitting.seats()]
    assert imported.totals() == sitting.totals()
    scored = [deal for deal in sitting.deals() if deal.status == "scored"]
    assert [deal.before for deal in imported.deals()] == [deal.before for deal in scored]
    assert [imported.named(deal.seating) for deal in imported.deals()] == [
        sitting.named(deal.seating) for deal in scored
    ]
    assert imported.named(imported.row.seating) == sitting.named(sitting.row.seating)
    sheet = sessionfile.score(read)
    assert sheet.chips == tuple(seat.chips for seat in sitting.seats())
    assert sheet.table.state() == imported.row.table
    assert list(differences(db)) == []

"""A session file becomes a session: whole, once, and the same as if it had been entered."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper import queries, sessionfile
from scorekeeper.models import Group, Player
from scorekeeper.rules import Refused
from scorekeeper.rules.mensch import Mensch
from scorekeeper.services.check import differences
from scorekeeper.services.groups import NewLink
from scorekeeper.services.imports import ImportSession, import_session
from tests.factories import NAMES, MadeSession, make_group, submission_id
from tests.sittings import Sitting, dump

HALF = {"type": "deal", "contract": "half", "declarer": "Ann", "partner": "Cleo", "trump": "clubs", "tricks": 5}
SWEEP = {"type": "deal", "turn_up": "clubs", "tricks": {"Ann": 5, "Ben": 0, "Cleo": 0, "Dan": 0}}
ONE_EACH = {"type": "deal", "turn_up": "clubs", "tricks": {"Ann": 2, "Ben": 1, "Cleo": 1, "Dan": 1}}


def importing(group: NewLink, *events: dict[str, Any], **head: Any) -> ImportSession:
    document = {"format": "scorekeeper/session", "version": 1, "rules": "mensch", "players": list(NAMES), **head}
    return ImportSession(
        group_id=group.group_id,
        link_id=group.link_id,
        submission_id=submission_id(),
        name="Brought along",
        started_on=date(2026, 11, 27),
        file=sessionfile.read_document({**document, "events": list(events)}),
    )


def imported(db: Session, command: ImportSession, group: NewLink) -> Sitting:
    return Sitting(db, MadeSession(import_session(db, command), group))


def test_everything_in_a_file_is_stored_and_can_be_exported_again(db: Session) -> None:
    group = make_group(db)
    command = importing(
        group,
        {"type": "buy-in", "player": "Ann", "chips": 20},
        HALF,
        {"type": "misdeal"},
        {"type": "adjustment", "chips": {"Ann": -2, "Dan": 2}, "note": "for the drinks"},
        HALF,
        {"type": "cash-out", "player": "Ann", "chips": 20},
        opening={"Ann": 3, "Ben": -3, "Cleo": 0, "Dan": 0},
        chip={"value": "0.25", "currency": "EUR"},
        dealer="Dan",
        house_rules={"half.clubs_set": 1},
    )
    sitting = imported(db, command, group)
    assert [seat.chips for seat in sitting.seats()] == [3, -5, 2, 0]
    assert sitting.row.table["dealer"] == 1
    assert queries.session_file(db, sitting.row) == command.file
    assert list(differences(db)) == []


def test_seats_that_change_and_dealers_out_of_turn_are_stored_and_exported_again(db: Session) -> None:
    group = make_group(db)
    command = importing(
        group,
        {"type": "dealer", "player": "Cleo"},
        HALF,
        {"type": "seats", "players": ["Eve", "Fay"]},
        {"type": "seats", "players": ["Ann", "Fay", "Cleo", "Dan"], "stand_ins": {"Dan": "Gus"}},
        {"type": "buy-in", "player": "Eve", "chips": 7},
        {"type": "adjustment", "chips": {"Fay": -2, "Ann": 2}, "note": "for the drinks"},
        HALF | {"declarer": "Fay"},
        {"type": "dealer", "player": "Fay"},
        {"type": "misdeal"},
        {"type": "dealer", "player": "Ann"},
    )
    sitting = imported(db, command, group)
    seatings = [sitting.named(deal.seating) for deal in sitting.deals()]
    assert seatings[0] == list(enumerate(NAMES))
    assert seatings[1] == seatings[2] == [(0, "Ann"), (5, "Fay"), (2, "Cleo"), (3, "Gus")]
    assert [deal.before["dealer"] for deal in sitting.deals()] == [2, 3, 5]
    assert sitting.deals()[2].facts == {"misdeal": True, "dealer": 5}
    assert sitting.row.declared == {"dealer": 0}
    assert [seat.bought for seat in sitting.seats()] == [0, 0, 0, 0, 7, 0]
    assert queries.session_file(db, sitting.row) == command.file
    assert list(differences(db)) == []


def test_a_session_of_five_is_stored_and_exported_again(db: Session) -> None:
    group = make_group(db)
    deal = HALF | {"declarer": "Ben"}
    command = importing(group, deal, players=[*NAMES, "Eve"], rotation=True)
    sitting = imported(db, command, group)
    assert [seat.chips for seat in sitting.seats()] == [0, 1, 1, -1, -1]
    assert queries.session_file(db, sitting.row) == command.file
    assert list(differences(db)) == []


def test_what_is_declared_stays_behind_but_for_who_deals(db: Session) -> None:
    group = make_group(db)
    sitting = imported(db, importing(group, HALF), group)
    for facts, events in (
        ({"contract": "half", "declarer": 0, "trump": "clubs", "called_card": "AS"}, []),
        ({"contract": "half", "declarer": 0, "trump": "clubs", "dealer": 3}, [{"type": "dealer", "player": "Dan"}]),
    ):
        sitting.declare(facts)
        document = sessionfile.write_document(queries.session_file(db, sitting.row))
        assert document["events"] == [HALF, *events]


def test_an_imported_session_goes_on_like_any_other(db: Session) -> None:
    group = make_group(db)
    sitting = imported(db, importing(group, HALF, HALF), group)
    sitting.correct(1, {"contract": "five", "declarer": 1, "trump": "spades", "tricks": 5})
    sitting.record({"contract": "five", "declarer": 1, "trump": "spades", "tricks": 5})
    assert [seat.chips for seat in sitting.seats()] == [-1, 5, -1, -3]
    assert list(differences(db)) == []


def test_the_same_form_imports_one_session(db: Session) -> None:
    group = make_group(db)
    command = importing(group, HALF)
    session_id = import_session(db, command)
    sessions = dump(db)["game_session"]
    assert import_session(db, command) == session_id
    assert dump(db)["game_session"] == sessions


def test_a_form_sent_again_after_a_restart_is_still_the_same(db: Session) -> None:
    group = make_group(db)
    command = importing(group, HALF)
    session_id = import_session(db, command)
    restarted = replace(command, file=replace(command.file, game=Mensch()))
    assert import_session(db, restarted) == session_id


def test_a_session_is_imported_as_it_is_when_a_correction_took_away_chips_cashed_out(db: Session) -> None:
    group = make_group(db)
    sitting = imported(db, importing(group, HALF, {"type": "cash-out", "player": "Ann", "chips": 1}), group)
    sitting.void(1)
    again = importing(group)
    document = sessionfile.write_document(queries.session_file(db, sitting.row))
    copy = imported(db, replace(again, file=sessionfile.read_document(document)), group)
    for seat, copied in zip(sitting.seats(), copy.seats(), strict=True):
        assert (copied.chips, copied.bought, copied.cashed) == (seat.chips, seat.bought, seat.cashed)
    assert list(differences(db)) == []


def test_who_is_not_in_the_group_joins_it_and_who_is_there_is_known(db: Session) -> None:
    group = make_group(db, players=("ann", "Ben"))
    version = db.scalar(select(Group.version))
    import_session(db, importing(group, HALF))
    assert db.scalars(select(Player.name).order_by(Player.id)).all() == ["ann", "Ben", "Cleo", "Dan"]
    assert db.scalar(select(Group.version)) != version


def test_a_group_that_would_grow_too_large_stays_as_it_is(db: Session) -> None:
    group = make_group(db, players=tuple(f"Guest {number}" for number in range(57)))
    stored = dump(db)
    with pytest.raises(Refused, match="PLAYERS_TOO_MANY"):
        import_session(db, importing(group, HALF))
    assert dump(db) == stored


@pytest.mark.parametrize("later", [(), ({"type": "buy-in", "player": "Ann", "chips": 5},)])
def test_a_next_game_without_a_deal_yet_is_imported(db: Session, later: tuple[dict[str, Any], ...]) -> None:
    group = make_group(db)
    command = importing(group, SWEEP, {"type": "new-game"}, *later, rules="dirty-clubs")
    sitting = imported(db, command, group)
    assert (sitting.row.table["game"], sitting.row.table["winners"]) == (2, [])
    sitting.record({"turn_up": "clubs", "tricks": [2, 1, 1, 1]})
    assert [deal.starts_game for deal in sitting.deals()] == [False, True]
    assert list(differences(db)) == []


def test_games_one_after_another_count_in_the_standings_of_the_group(db: Session) -> None:
    group = make_group(db)
    events = (ONE_EACH, SWEEP, {"type": "new-game"}, {"type": "misdeal"}, ONE_EACH, SWEEP)
    sitting = imported(db, importing(group, *events, rules="dirty-clubs", house_rules={"stake_loser": 2}), group)
    assert sitting.totals() == [(1, 2, 2, 12), (1, 2, 0, -4), (1, 2, 0, -4), (1, 2, 0, -4)]
    assert sitting.row.table["winners"] == [0]


def test_a_file_without_events_is_a_session_that_has_just_begun(db: Session) -> None:
    group = make_group(db)
    command = importing(group)
    sitting = imported(db, command, group)
    assert (sitting.row.version, sitting.row.deals) == (1, 0)
    document = sessionfile.write_document(queries.session_file(db, sitting.row))
    assert json.loads(json.dumps(document)) == sessionfile.write_document(command.file)

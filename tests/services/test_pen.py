"""Which device writes in a session: the first that does, until another one takes the pen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.models import GameSession, SessionChange
from scorekeeper.services.deals import RecordDeal, record_deal
from scorekeeper.services.sessions import close_session, open_session
from scorekeeper.services.transaction import PenElsewhere, StaleSession, take_pen
from tests.factories import HALF_MADE, MadeSession, make_deal, make_group, make_session
from tests.services.test_sessions import opening
from tests.sittings import dump

ANN: dict[str, Any] = {"device": "1", "device_name": "Ann"}
BEN: dict[str, Any] = {"device": "2", "device_name": "Ben"}


def pen(db: Session, session: MadeSession) -> tuple[str | None, str, int]:
    """The device that has the pen, what it is called, and since which version it has it."""
    db.rollback()
    found = select(GameSession.pen, GameSession.pen_name, GameSession.pen_since).where(GameSession.id == session.id)
    device, name, since = db.execute(found).one()
    return device, name, since


def recording(db: Session, session: MadeSession, device: dict[str, Any], **more: Any) -> RecordDeal:
    return RecordDeal(**(session.command(db) | device | more), facts=HALF_MADE)


def test_the_first_that_writes_has_the_pen_and_keeps_it(db: Session) -> None:
    session = make_session(db)
    make_deal(db, session)
    assert pen(db, session) == (None, "", 0)

    record_deal(db, recording(db, session, ANN))
    assert pen(db, session) == ("1", "Ann", 3)

    record_deal(db, recording(db, session, {"device": "1", "device_name": "Anna"}))
    assert pen(db, session) == ("1", "Anna", 3)


def test_whoever_opens_a_session_has_the_pen_from_its_first_version(db: Session) -> None:
    group = make_group(db)
    session = MadeSession(open_session(db, replace(opening(db, group), **ANN)), group)

    assert pen(db, session) == ("1", "Ann", 1)


def test_a_device_without_the_pen_writes_nothing_and_is_told_who_has_it(db: Session) -> None:
    session = make_session(db)
    record_deal(db, recording(db, session, ANN))
    before = dump(db)

    nobody: dict[str, Any] = {"device": None}
    for device in (BEN, nobody):
        with pytest.raises(PenElsewhere) as refused:
            close_session(db, replace(session.plain_command(db), **device))
        assert refused.value.name == "Ann"

    assert dump(db) == before


def test_who_is_late_is_told_that_first(db: Session) -> None:
    session = make_session(db)
    late = recording(db, session, BEN)
    record_deal(db, recording(db, session, ANN))

    with pytest.raises(StaleSession) as refused:
        record_deal(db, late)

    assert not isinstance(refused.value, PenElsewhere)


def test_the_pen_is_taken_in_a_change_of_its_own_or_with_another(db: Session) -> None:
    session = make_session(db)
    record_deal(db, recording(db, session, ANN))

    take_pen(db, replace(session.plain_command(db), **BEN))
    assert pen(db, session) == ("2", "Ben", 3)
    record_deal(db, recording(db, session, ANN, takes_pen=True))
    assert pen(db, session) == ("1", "Ann", 4)

    log = db.execute(select(SessionChange.kind, SessionChange.note).order_by(SessionChange.version)).all()
    assert [tuple(change) for change in log] == [("open", ""), ("record", ""), ("pen", "Ben"), ("record", "")]


def test_what_a_device_did_before_it_lost_the_pen_stays_done(db: Session) -> None:
    session = make_session(db)
    command = recording(db, session, ANN)
    record_deal(db, command)
    take_pen(db, replace(session.plain_command(db), **BEN))
    before = dump(db)

    assert record_deal(db, command) == 1
    # Whichever phone sends it: a browser may have lost what it is known by.
    assert record_deal(db, replace(command, device="3", device_name="", takes_pen=True)) == 1

    assert dump(db) == before

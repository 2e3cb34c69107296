"""On PostgreSQL a session's row is the lock: who comes second waits, and then sees what the first one did."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from scorekeeper.services.deals import RecordDeal, record_deal
from scorekeeper.services.transaction import StaleSession, change_session, transaction
from tests.factories import HALF_MADE, MadeSession, make_deal, make_group, make_session

WAITING = text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")


def until_somebody_waits(db: Session, second: Future[Any]) -> None:
    deadline = time.monotonic() + 30
    while not db.execute(WAITING).scalar_one():
        db.rollback()
        assert not second.done(), "nobody had to wait"
        assert time.monotonic() < deadline
    db.rollback()


def recording(engine: Engine, command: RecordDeal) -> int:
    with Session(engine) as db:
        return record_deal(db, command)


def test_who_comes_second_waits_and_is_then_too_late(db: Session) -> None:
    made = make_session(db)
    engine = db.get_bind()
    assert isinstance(engine, Engine)
    command = RecordDeal(**made.command(db), facts=HALF_MADE)
    with Session(engine) as first, ThreadPoolExecutor(1) as pool:
        with transaction(first):
            change_session(first, made.plain_command(db), "close")
            second = pool.submit(recording, engine, command)
            until_somebody_waits(db, second)
        with pytest.raises(StaleSession):
            second.result(timeout=30)


def test_who_comes_second_goes_on_when_the_first_gives_up(db: Session) -> None:
    made = make_session(db)
    engine = db.get_bind()
    assert isinstance(engine, Engine)
    command = RecordDeal(**made.command(db), facts=HALF_MADE)
    with Session(engine) as first, ThreadPoolExecutor(1) as pool:
        change_session(first, made.plain_command(db), "close")
        second = pool.submit(recording, engine, command)
        until_somebody_waits(db, second)
        first.rollback()
        assert second.result(timeout=30) == 1


def test_another_session_of_the_group_does_not_wait(db: Session) -> None:
    group = make_group(db)
    busy, other = make_session(db, group=group), make_session(db, group=group)
    engine = db.get_bind()
    assert isinstance(engine, Engine)
    with Session(engine) as first:
        change_session(first, busy.plain_command(db), "close")
        assert make_deal(db, MadeSession(other.id, group)) == 1

"""On PostgreSQL a session's row is the lock: who comes second waits, and then sees what the first one did."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import Engine, event, text
from sqlalchemy.orm import Session

from scorekeeper.services.deals import RecordDeal, record_deal
from scorekeeper.services.deletion import delete_group
from scorekeeper.services.transaction import StaleSession, change_session, transaction
from tests.factories import HALF_MADE, MadeSession, make_deal, make_group, make_session
from tests.sittings import dump

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


def test_a_session_begun_while_its_group_is_being_deleted_goes_with_it(db: Session) -> None:
    """It is begun when the others are locked already, and something is under way in it when the group goes."""
    made = make_session(db)
    engine = db.get_bind()
    assert isinstance(engine, Engine)
    with Session(engine) as deleting, Session(engine) as own, ThreadPoolExecutor(1) as pool:
        waiting: list[Future[None]] = []

        def begin_another(context: Any) -> None:
            if waiting or "player_group" not in str(context.statement):
                return
            begun = make_session(db, group=made.group)
            own.begin()
            change_session(own, begun.plain_command(db), "pen")
            waiting.append(pool.submit(commit_late))

        def commit_late() -> None:
            until_somebody_waits(db, Future())
            own.commit()

        event.listen(deleting, "do_orm_execute", begin_another)
        delete_group(deleting, made.group.group_id, "Thursdays")
        waiting[0].result(timeout=30)

    assert all(not rows for rows in dump(db).values())


def test_another_session_of_the_group_does_not_wait(db: Session) -> None:
    group = make_group(db)
    busy, other = make_session(db, group=group), make_session(db, group=group)
    engine = db.get_bind()
    assert isinstance(engine, Engine)
    with Session(engine) as first:
        change_session(first, busy.plain_command(db), "close")
        assert make_deal(db, MadeSession(other.id, group)) == 1

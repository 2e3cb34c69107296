"""Guessing at join codes from several phones, and in several processes' databases, at the same moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.models import JoinCode
from scorekeeper.services.attempts import LONGEST_WAIT, TooSoon, wait_after
from scorekeeper.services.groups import Role
from scorekeeper.services.joining import FREE, WrongCode, join, make_code
from tests.factories import make_session, seen_by
from tests.services.test_races import at_once

NOW = datetime(2026, 11, 26, 20, 0, tzinfo=UTC)
MANY = 12


def guessing(code: str, address: str) -> Callable[[Session], object]:
    def guess(db: Session) -> object:
        try:
            return join(db, code, address, NOW)
        except (WrongCode, TooSoon) as error:
            return type(error)

    return guess


def test_guesses_at_the_same_moment_are_all_counted(db: Session) -> None:
    outcomes = Counter(at_once(db, *(guessing("ABCDEF", "192.0.2.1") for _ in range(MANY))))

    assert outcomes == {WrongCode: FREE, TooSoon: MANY - FREE}


def test_from_many_addresses_at_one_group_too(db: Session) -> None:
    outcomes = Counter(at_once(db, *(guessing("ABCDEF", f"192.0.2.{number}") for number in range(MANY))))

    assert outcomes == {WrongCode: FREE, TooSoon: MANY - FREE}


def test_two_hosts_who_make_a_code_at_once_leave_one(db: Session) -> None:
    made = make_session(db)
    session = seen_by(db, made.id, made.group.link_id)

    at_once(db, *[lambda own: make_code(own, session, Role.VIEWER)] * 3)

    (code,) = db.scalars(select(JoinCode.code))
    assert join(db, code, "192.0.2.1", NOW).session_id == made.id


def test_the_wait_doubles_up_to_five_minutes() -> None:
    waits = [wait_after(failures, FREE) for failures in range(200)]

    assert waits[:FREE] == [timedelta()] * FREE
    assert waits[FREE : FREE + 4] == [timedelta(seconds=seconds) for seconds in (1, 2, 4, 8)]
    assert waits[-1] == LONGEST_WAIT
    assert waits == sorted(waits)

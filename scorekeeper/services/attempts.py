"""What is slowed down when it is done too often: guessing at codes, and making groups.

Nobody is locked out: who has done it too often waits, each time twice as long as before, and is forgotten later on.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import case, delete, or_, select, update
from sqlalchemy.orm import Session

from scorekeeper.models import AnyRow, JoinAttempt
from scorekeeper.services.transaction import insert_or_update, transaction

FREE_GROUPS: Final = 30
"""Groups that cost nothing: everybody at a club may come from one address."""
LONGEST_WAIT: Final = timedelta(minutes=5)
FORGOTTEN_AFTER: Final = timedelta(hours=1)


class TooSoon(Exception):
    """It was done too often; it can be done again after so many ``seconds``."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"wait {seconds} s")
        self.seconds = seconds


@contextmanager
def making_a_group(db: Session, address: str, now: datetime | None = None) -> Iterator[None]:
    """Have a group made within it, and count it for the *address* it is made from. What fails does not count.

    :raises TooSoon: if from there were made too many.
    """
    now = now or datetime.now(UTC)
    key = f"made {counted_as(address)}"
    check_wait(db.execute(select(*JoinAttempt.__table__.columns).where(JoinAttempt.key == key)).all(), now)
    yield
    with transaction(db):
        count(db, locked_attempts(db, (key,), now), now, free=FREE_GROUPS)
        forget(db, now)


def count_group(db: Session, address: str, now: datetime | None = None) -> None:
    """Count a group that is about to be made from *address*, whatever becomes of it.

    :raises TooSoon: if from there were made too many.
    """
    now = now or datetime.now(UTC)
    with transaction(db):
        attempts = locked_attempts(db, (f"made {counted_as(address)}",), now)
        check_wait(attempts, now)
        count(db, attempts, now, free=FREE_GROUPS)
        forget(db, now)


def locked_attempts(db: Session, keys: Sequence[str], now: datetime) -> Sequence[AnyRow]:
    """How often it was done by each of *keys*, in their order; who comes by one of them as well has to wait.

    They wait even where it was never done before: who goes on must know of everybody they came together with.
    """
    rows = insert_or_update(db, JoinAttempt).values([{"key": key, "failures": 0, "until": now} for key in keys])
    forgotten = JoinAttempt.until <= now - FORGOTTEN_AFTER
    failures = case((forgotten, 0), else_=JoinAttempt.failures)
    locked = rows.on_conflict_do_update(index_elements=["key"], set_={"failures": failures})
    return db.execute(locked.returning(*JoinAttempt.__table__.columns)).all()


def check_wait(attempts: Sequence[AnyRow], now: datetime) -> None:
    """:raises TooSoon: if one of *attempts* says that it is too early."""
    wait = max((attempt.until for attempt in attempts), default=now) - now
    if wait > timedelta():
        raise TooSoon(-(-wait // timedelta(seconds=1)))


def count(db: Session, attempts: Sequence[AnyRow], now: datetime, *, free: int) -> None:
    """Count once more for each of *attempts*, which are locked."""
    for attempt in attempts:
        times = attempt.failures + 1
        counted = update(JoinAttempt).where(JoinAttempt.key == attempt.key)
        db.execute(counted.values(failures=times, until=now + wait_after(times, free)))


def forget(db: Session, now: datetime) -> None:
    """Delete what no longer counts, but for what somebody else has locked."""
    idle = or_(JoinAttempt.failures == 0, JoinAttempt.until <= now - FORGOTTEN_AFTER)
    keys = select(JoinAttempt.key).where(idle).with_for_update(skip_locked=True)
    db.execute(delete(JoinAttempt).where(JoinAttempt.key.in_(keys)))


def wait_after(times: int, free: int) -> timedelta:
    """How long to wait after so many times, of which some are *free*."""
    # More doublings than these are longer than the longest anyway.
    return timedelta() if times < free else min(LONGEST_WAIT, timedelta(seconds=2 ** min(times - free, 20)))


def counted_as(address: str) -> str:
    """An address as what comes from it is counted: whoever has one of IPv6 has all of a network."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return "elsewhere"
    if isinstance(ip, ipaddress.IPv6Address):
        # A server that listens on both sees addresses of IPv4 so.
        return str(ip.ipv4_mapped or ipaddress.ip_network((ip, 64), strict=False))
    return str(ip)

"""Join codes: six letters to be spoken, which let whoever hears them into one session while it is being played.

There are few enough of them to be guessed, so guessing is slowed down: for the address it comes from, and for each
group. Whom a wrong guess was aimed at is unknown, but a code can only be found by guesses that begin like it, so all
that share their first letters count together. Nobody who is in is asked for a code again.
"""

from __future__ import annotations

import ipaddress
import re
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from sqlalchemy import case, delete, insert, or_, select, update
from sqlalchemy.orm import Session

from scorekeeper.models import AnyRow, GameSession, GroupLink, JoinAttempt, JoinCode
from scorekeeper.services.groups import Role, change_group
from scorekeeper.services.transaction import SessionClosed, insert_or_update, transaction

LETTERS: Final = "ABCDEFGHJKMNPRSTWXYZ"
"""Without those that look like another one on a screen or on paper: I, L, O, Q, U, V."""
LENGTH: Final = 6
BEGINNING: Final = 3
"""Letters by which guesses at a group are counted together."""
FREE: Final = 5
"""Wrong guesses that cost nothing."""
LONGEST_WAIT: Final = timedelta(minutes=5)
FORGOTTEN_AFTER: Final = timedelta(hours=1)


class Joined(NamedTuple):
    """Where a code leads, and the link that those who come in by it have."""

    session_id: int
    link_id: int


class WrongCode(Exception):
    """No session is joined by this code, or not any more."""


class TooSoon(Exception):
    """Too many wrong guesses; the next one can be made after so many ``seconds``."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"wait {seconds} s")
        self.seconds = seconds


def make_code(db: Session, session: AnyRow, role: Role) -> None:
    """Give a session a new code by which others join it as *role*; the one before holds no longer.

    Those who have joined stay in: every code of a session and role leads to the same link.

    :raises SessionClosed: if the session has ended.
    """
    with transaction(db):
        # First the session, as everybody does who locks both.
        state = select(GameSession.state).where(GameSession.id == session.id).with_for_update()
        if db.scalar(state) != "open":
            raise SessionClosed
        change_group(db, session.group_id)
        end_codes(db, session.id, role)
        db.execute(
            insert(JoinCode).values(
                session_id=session.id,
                role=role,
                group_id=session.group_id,
                link_id=_link(db, session, role),
                code=_unused_code(db),
            )
        )


def end_code(db: Session, session: AnyRow, role: Role) -> None:
    """From now on nobody joins by the code of a session and role."""
    with transaction(db):
        end_codes(db, session.id, role)


def end_codes(db: Session, session_id: int, *roles: Role) -> None:
    """End the codes of a session, or those of *roles*, within a transaction that is under way."""
    of_roles = (JoinCode.role.in_(roles),) if roles else ()
    db.execute(delete(JoinCode).where(JoinCode.session_id == session_id, *of_roles))


def join(db: Session, typed: str, address: str, now: datetime | None = None) -> Joined:
    """Find the session that the *typed* code leads into; spaces and hyphens in it, and small letters, do not matter.

    :raises WrongCode: if there is none.
    :raises TooSoon: if from this *address*, or at codes like this one, was guessed wrongly too often.
    """
    code = re.sub(r"[\s-]", "", typed).upper()
    if len(code) != LENGTH or set(code) - set(LETTERS):
        # No code is like that, so nothing has been guessed.
        raise WrongCode
    now = now or datetime.now(UTC)
    with transaction(db):
        attempts = _locked_attempts(db, (f"code {code[:BEGINNING]}", f"from {_counted_as(address)}"), now)
        wait = max(attempt.until for attempt in attempts) - now
        if wait > timedelta():
            raise TooSoon(-(-wait // timedelta(seconds=1)))
        found = db.execute(
            select(JoinCode.session_id, JoinCode.link_id)
            .join(GroupLink, GroupLink.id == JoinCode.link_id)
            .where(JoinCode.code == code, GroupLink.withdrawn_at.is_(None))
        ).one_or_none()
        if found is None:
            for attempt in attempts:
                times = attempt.failures + 1
                counted = update(JoinAttempt).where(JoinAttempt.key == attempt.key)
                db.execute(counted.values(failures=times, until=now + wait_after(times)))
        _forget(db, now)
    if found is None:
        raise WrongCode
    return Joined(*found)


def _locked_attempts(db: Session, keys: Sequence[str], now: datetime) -> Sequence[AnyRow]:
    """What was guessed wrongly by each of *keys*, in their order; who guesses by one of them as well has to wait.

    They wait even where nothing was guessed before: a right guess must know of every wrong one it came together with.
    """
    rows = insert_or_update(db, JoinAttempt).values([{"key": key, "failures": 0, "until": now} for key in keys])
    forgotten = JoinAttempt.until <= now - FORGOTTEN_AFTER
    failures = case((forgotten, 0), else_=JoinAttempt.failures)
    locked = rows.on_conflict_do_update(index_elements=["key"], set_={"failures": failures})
    return db.execute(locked.returning(*JoinAttempt.__table__.columns)).all()


def _forget(db: Session, now: datetime) -> None:
    """Delete what no longer counts, but for what somebody else has locked."""
    idle = or_(JoinAttempt.failures == 0, JoinAttempt.until <= now - FORGOTTEN_AFTER)
    keys = select(JoinAttempt.key).where(idle).with_for_update(skip_locked=True)
    db.execute(delete(JoinAttempt).where(JoinAttempt.key.in_(keys)))


def wait_after(failures: int) -> timedelta:
    """How long to wait after so many wrong guesses."""
    # More doublings than these are longer than the longest anyway.
    return timedelta() if failures < FREE else min(LONGEST_WAIT, timedelta(seconds=2 ** min(failures - FREE, 20)))


def _counted_as(address: str) -> str:
    """An address as guesses from it are counted: whoever has one of IPv6 has all of a network."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return "elsewhere"
    return str(ipaddress.ip_network((ip, 64), strict=False)) if ip.version == 6 else str(ip)


def _unused_code(db: Session) -> str:
    while True:
        code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
        if db.scalar(select(JoinCode.code).where(JoinCode.code == code)) is None:
            return code


def _link(db: Session, session: AnyRow, role: Role) -> int:
    """The link of those who join a session as *role*."""
    there = select(GroupLink.id).where(
        GroupLink.session_id == session.id, GroupLink.role == role, GroupLink.withdrawn_at.is_(None)
    )
    if (link_id := db.scalar(there)) is not None:
        return link_id
    made = insert(GroupLink).values(
        group_id=session.group_id,
        session_id=session.id,
        role=role,
        name=session.name,
        created_at=datetime.now(UTC),
    )
    return int(db.execute(made.returning(GroupLink.id)).scalar_one())

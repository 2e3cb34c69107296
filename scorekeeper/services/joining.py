"""Join codes: six letters to be spoken, which let whoever hears them into one session while it is being played.

There are few enough of them to be guessed, so guessing is slowed down: for the address it comes from, and for each
group. Whom a wrong guess was aimed at is unknown, but a code can only be found by guesses that begin like it, so all
that share their first letters count together. Nobody who is in is asked for a code again.
"""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime
from typing import Final, NamedTuple

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from scorekeeper.models import AnyRow, GameSession, GroupLink, JoinCode
from scorekeeper.services.attempts import check_wait, count, counted_as, forget, locked_attempts
from scorekeeper.services.groups import Role, change_group
from scorekeeper.services.transaction import SessionClosed, transaction

LETTERS: Final = "ABCDEFGHJKMNPRSTWXYZ"
"""Without those that look like another one on a screen or on paper: I, L, O, Q, U, V."""
LENGTH: Final = 6
BEGINNING: Final = 3
"""Letters by which guesses at a group are counted together."""
FREE: Final = 5
"""Wrong guesses that cost nothing."""


class Joined(NamedTuple):
    """Where a code leads, and the link that those who come in by it have."""

    session_id: int
    link_id: int


class WrongCode(Exception):
    """No session is joined by this code, or not any more."""


def make_code(db: Session, session: AnyRow, role: Role, *, instead_of: str = "") -> None:
    """Give a session a new code by which others join it as *role*; the one before holds no longer.

    Those who have joined stay in: every code of a session and role leads to the same link. Where the code is not the
    one *instead_of* which this was asked for (empty if there was none), somebody has made another or ended it already,
    be it this very form: nothing is done.

    :raises SessionClosed: if the session has ended.
    """
    with transaction(db):
        # First the session, as everybody does who locks both.
        state = select(GameSession.state).where(GameSession.id == session.id).with_for_update()
        if db.scalar(state) != "open":
            raise SessionClosed
        if _code(db, session.id, role) != instead_of:
            return
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


def end_code(db: Session, session: AnyRow, role: Role, code: str) -> None:
    """From now on nobody joins by the *code* of a session and role. Where there is another by now, that one stays."""
    with transaction(db):
        if _code(db, session.id, role) == code:
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
        attempts = locked_attempts(db, (f"code {code[:BEGINNING]}", f"from {counted_as(address)}"), now)
        check_wait(attempts, now)
        held = select(JoinCode.session_id, JoinCode.link_id).where(JoinCode.code == code)
        found = db.execute(held).one_or_none()
        if found is None:
            count(db, attempts, now, free=FREE)
        forget(db, now)
    if found is None:
        raise WrongCode
    return Joined(*found)


def _code(db: Session, session_id: int, role: Role) -> str:
    held = select(JoinCode.code).where(JoinCode.session_id == session_id, JoinCode.role == role)
    return db.scalar(held) or ""


def _unused_code(db: Session) -> str:
    while True:
        code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
        if db.scalar(select(JoinCode.code).where(JoinCode.code == code)) is None:
            return code


def _link(db: Session, session: AnyRow, role: Role) -> int:
    """The link of those who join a session as *role*."""
    there = select(GroupLink.id).where(
        GroupLink.session_id == session.id,
        GroupLink.role == role,
        GroupLink.withdrawn_at.is_(None),
        # Not one that came with the pen.
        GroupLink.token_hash.is_(None),
    )
    if (link_id := db.scalar(there)) is not None:
        return link_id
    made = insert(GroupLink).values(
        group_id=session.group_id,
        session_id=session.id,
        role=role,
        name="",
        created_at=datetime.now(UTC),
    )
    return int(db.execute(made.returning(GroupLink.id)).scalar_one())

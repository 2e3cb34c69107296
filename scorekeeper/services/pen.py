"""The pen of a session handed over: another phone scans a code and takes the pen, once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from scorekeeper import queries
from scorekeeper.models import AnyRow, GameSession, GroupLink, SessionChange
from scorekeeper.services.groups import Role, token_hash
from scorekeeper.services.transaction import SessionCommand, change_session, transaction


@dataclass(frozen=True, slots=True)
class PenCode:
    """What a code says: which link had the pen of a session, since which version; ``text`` is the code itself."""

    session_id: int
    link_id: int
    since: int
    text: str


class CodeUsed(Exception):
    """Somebody has taken the pen since the code was shown, or the link that showed it opens nothing any more."""


def offered(db: Session, code: PenCode) -> AnyRow:
    """The session whose pen *code* hands over, as whoever showed it sees it.

    :raises CodeUsed: if it hands over nothing any more.
    """
    shown_by = queries.opened_link(db, code.link_id)
    session = shown_by and queries.session_of(db, code.session_id, [shown_by])
    if session is None or session.pen_since != code.since:
        raise CodeUsed
    return session


def receive_pen(db: Session, command: SessionCommand, code: PenCode) -> int:
    """Have a device write that was shown *code*, at whatever version the session is, and return the link it does so by.

    That is ``link_id`` of *command*, a link that lets it score; where it has none (0), that to this session alone which
    comes with its pen.

    :raises CodeUsed: if the code hands over nothing any more; nothing is written.
    """
    with transaction(db):
        # Nobody moves the session on meanwhile.
        db.execute(select(GameSession.id).where(GameSession.id == code.session_id).with_for_update())
        if (done := _received_before(db, command)) is not None:
            return done
        session = offered(db, code)
        link_id = command.link_id or _handed_over(db, session, code)
        taken = replace(command, link_id=link_id, expected_version=session.version, takes_pen=True)
        change_session(db, taken, "pen", note=command.device_name)
    return link_id


def _received_before(db: Session, command: SessionCommand) -> int | None:
    """The link by which the very same form took the pen before, if it is still in force."""
    return db.scalar(
        select(GroupLink.id)
        .join(SessionChange, SessionChange.link_id == GroupLink.id)
        .where(
            SessionChange.session_id == command.session_id,
            SessionChange.submission_id == command.submission_id,
            SessionChange.kind == "pen",
            GroupLink.withdrawn_at.is_(None),
        )
    )


def _handed_over(db: Session, session: AnyRow, code: PenCode) -> int:
    """The link of those to whom the pen of a session was handed over."""
    there = select(GroupLink.id).where(
        GroupLink.session_id == session.id,
        GroupLink.withdrawn_at.is_(None),
        # Not one of those who joined by a code.
        GroupLink.token_hash.is_not(None),
    )
    if (link_id := db.scalars(there).first()) is not None:
        return int(link_id)
    made = insert(GroupLink).values(
        group_id=session.group_id,
        session_id=session.id,
        role=Role.SCORER,
        name="",
        token_hash=token_hash(code.text),
        created_at=datetime.now(UTC),
    )
    return int(db.execute(made.returning(GroupLink.id)).scalar_one())

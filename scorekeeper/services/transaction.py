"""Transactions, and the one way a session changes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Boolean, String, bindparam, case, insert, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from scorekeeper.models import AnyRow, Base, GameSession, SessionChange

_sessions = Base.metadata.tables["game_session"]
# Every change begins with these: they are built once, which takes longer than running them.
_NEXT_VERSION = (
    update(_sessions)
    .where(
        _sessions.c.id == bindparam("of_session"),
        _sessions.c.version == bindparam("expected"),
        or_(
            _sessions.c.pen.is_(None),
            _sessions.c.pen == bindparam("device", type_=String),
            bindparam("takes", type_=Boolean),
        ),
    )
    .values(
        version=_sessions.c.version + 1,
        pen=bindparam("device", type_=String),
        pen_name=bindparam("device_name"),
        pen_since=case(
            (_sessions.c.pen.is_not_distinct_from(bindparam("device", type_=String)), _sessions.c.pen_since),
            else_=_sessions.c.version + 1,
        ),
    )
    .returning(*_sessions.columns)
)
_LOG = insert(Base.metadata.tables["session_change"])

NOTIFIED = "session_moved_on"
"""The channel of PostgreSQL on which processes tell each other that a session, or its group, has changed."""


class StaleSession(Exception):
    """The session has moved on since the form was shown."""


class PenElsewhere(StaleSession):
    """Another device writes in the session: the one that people call ``name``, if they call it anything."""

    def __init__(self, name: str) -> None:
        super().__init__("another device has the pen")
        self.name = name


class SessionClosed(Exception):
    """The session has ended; it can be reopened."""


class ChangedForm(Exception):
    """A form that began a group or a session before came again with other content."""


class AlreadyDone(Exception):
    """The same form was sent before and did its work in ``version``."""

    def __init__(self, version: int) -> None:
        super().__init__(f"already done in version {version}")
        self.version = version


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCommand:
    """What every change of a session carries: where, at which version it aims, and the form and link it came from.

    ``device`` is the one that writes, which people call ``device_name``; where nobody has the pen, None leaves it so.
    ``takes_pen`` says that it is meant to have the pen even if another one has.
    """

    session_id: int
    expected_version: int
    submission_id: str
    link_id: int
    device: str | None = None
    device_name: str = ""
    takes_pen: bool = False

    def content(self) -> SessionCommand:
        """The same for every device and link, whenever it is sent: what makes a form that is sent again the same."""
        return replace(self, expected_version=0, link_id=0, device=None, device_name="", takes_pen=False)


@contextmanager
def transaction(db: Session) -> Iterator[None]:
    """Commit on success, roll back on any error.

    Whatever was read before is let go first: SQLite cannot turn a read transaction into one that writes once somebody
    else has written.
    """
    db.rollback()
    db.connection(execution_options={"writes": True})
    try:
        yield
        db.commit()
    except BaseException:
        db.rollback()
        raise


def insert_or_update(db: Session, model: type[Base]) -> Any:
    """An INSERT into *model*'s table that can say what to do with a row that is there: ``on_conflict_do_update``."""
    # Where SQLite keeps the scores, the other dialect would be 2.5 MiB of every process for nothing.
    if db.get_bind().dialect.name == "sqlite":
        from sqlalchemy.dialects.sqlite import insert as dialect_insert
    else:
        from sqlalchemy.dialects.postgresql import insert as dialect_insert  # type: ignore[assignment]
    return dialect_insert(model)


def fingerprint_of(*content: object) -> str:
    """What tells the content of one form from that of another."""
    return hashlib.sha256(repr(content).encode()).hexdigest()


def change_session(db: Session, command: SessionCommand, kind: str, *, note: str = "") -> AnyRow:
    """Move the session on by one version, log the change, and return the session's row as it now stands.

    The row stays locked until the transaction ends, so what is read after it is current. Its device has the pen then.

    :raises AlreadyDone: if this very form did its work before.
    :raises StaleSession: if the session is past ``expected_version``.
    :raises PenElsewhere: if another device has the pen, and this one does not take it.
    """
    fingerprint = fingerprint_of(kind, command.content())
    aim = {
        "of_session": command.session_id,
        "expected": command.expected_version,
        "device": command.device,
        "device_name": command.device_name,
        "takes": command.takes_pen,
    }
    row = db.connection().execute(_NEXT_VERSION, aim).one_or_none()
    if row is None:
        raise _already_done(db, command, fingerprint) or _too_late(db, command)
    try:
        db.connection().execute(
            _LOG,
            {
                "session_id": row.id,
                "version": row.version,
                "group_id": row.group_id,
                "kind": kind,
                "link_id": command.link_id,
                "submission_id": command.submission_id,
                "fingerprint": fingerprint,
                "note": note,
                "created_at": datetime.now(UTC),
            },
        )
    except IntegrityError as used_before:
        # A failed statement ends a transaction of PostgreSQL.
        db.rollback()
        raise _already_done(db, command, fingerprint) or StaleSession() from used_before
    tell_others(db)
    return row


def while_open(session: AnyRow) -> AnyRow:
    """The row of a session, for what can be done only until it ends.

    :raises SessionClosed: if it has ended.
    """
    if session.state == "closed":
        raise SessionClosed
    return session


def tell_others(db: Session) -> None:
    """Have what is being changed told to other processes once it is committed."""
    if db.connection().dialect.name == "postgresql":
        db.connection().exec_driver_sql(f"NOTIFY {NOTIFIED}")


def take_pen(db: Session, command: SessionCommand) -> None:
    """Have a device write from now on, whichever did before.

    :raises StaleSession: if the session is past ``expected_version``.
    """
    try:
        with transaction(db):
            change_session(db, replace(command, takes_pen=True), "pen", note=command.device_name)
    except AlreadyDone:
        return


def _too_late(db: Session, command: SessionCommand) -> StaleSession:
    """Why a session could not be moved on."""
    found = select(GameSession.version, GameSession.pen_name).where(GameSession.id == command.session_id)
    session = db.execute(found).one_or_none()
    if session is None or session.version != command.expected_version:
        return StaleSession()
    return PenElsewhere(session.pen_name)


def _already_done(db: Session, command: SessionCommand, fingerprint: str) -> AlreadyDone | None:
    done = db.execute(
        select(SessionChange.version, SessionChange.fingerprint).where(
            SessionChange.session_id == command.session_id, SessionChange.submission_id == command.submission_id
        )
    ).one_or_none()
    return AlreadyDone(done.version) if done is not None and done.fingerprint == fingerprint else None

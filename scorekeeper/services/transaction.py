"""Transactions, and the one way a session changes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from scorekeeper.models import AnyRow, Base, SessionChange

_sessions = Base.metadata.tables["game_session"]
# Every change begins with these: they are built once, which takes longer than running them.
_NEXT_VERSION = (
    update(_sessions)
    .where(_sessions.c.id == bindparam("of_session"), _sessions.c.version == bindparam("expected"))
    .values(version=_sessions.c.version + 1)
    .returning(*_sessions.columns)
)
_LOG = insert(Base.metadata.tables["session_change"])

NOTIFIED = "session_moved_on"
"""The channel on which PostgreSQL tells other processes of a change, once it is committed."""


class StaleSession(Exception):
    """The session has moved on since the form was shown."""


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
    """What every change of a session carries: where, at which version it aims, and the form and link it came from."""

    session_id: int
    expected_version: int
    submission_id: str
    link_id: int


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


def fingerprint_of(*content: object) -> str:
    """What tells the content of one form from that of another."""
    return hashlib.sha256(repr(content).encode()).hexdigest()


def change_session(db: Session, command: SessionCommand, kind: str, *, note: str = "") -> AnyRow:
    """Move the session on by one version, log the change, and return the session's row as it now stands.

    The row stays locked until the transaction ends, so what is read after it is current.

    :raises AlreadyDone: if this very form did its work before.
    :raises StaleSession: if the session is past ``expected_version``.
    """
    fingerprint = fingerprint_of(kind, replace(command, expected_version=0))
    aim = {"of_session": command.session_id, "expected": command.expected_version}
    row = db.connection().execute(_NEXT_VERSION, aim).one_or_none()
    if row is None:
        raise _already_done(db, command, fingerprint) or StaleSession()
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
    if db.connection().dialect.name == "postgresql":
        db.connection().exec_driver_sql(f"NOTIFY {NOTIFIED}")
    return row


def _already_done(db: Session, command: SessionCommand, fingerprint: str) -> AlreadyDone | None:
    done = db.execute(
        select(SessionChange.version, SessionChange.fingerprint).where(
            SessionChange.session_id == command.session_id, SessionChange.submission_id == command.submission_id
        )
    ).one_or_none()
    return AlreadyDone(done.version) if done is not None and done.fingerprint == fingerprint else None

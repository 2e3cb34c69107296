"""The count-in: everybody's chips are counted and held against what the score says."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.limits import MAX_CHIPS
from scorekeeper.models import SessionSeat
from scorekeeper.rules import Problem, Refused
from scorekeeper.services.transaction import AlreadyDone, SessionClosed, SessionCommand, change_session, transaction

IN_HAND = SessionSeat.bought + SessionSeat.chips - SessionSeat.cashed + SessionSeat.settled
"""The chips a seat should have in front of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountIn(SessionCommand):
    """``counted`` are the chips of each seat as they lie on the table."""

    counted: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Count:
    """The chips of each seat as they were ``counted``, and as they were ``due`` by the score then."""

    counted: tuple[int, ...]
    due: tuple[int, ...]

    @property
    def off(self) -> tuple[int, ...]:
        """How many too many each seat has."""
        return tuple(counted - due for counted, due in zip(self.counted, self.due, strict=True))

    @classmethod
    def noted(cls, note: str) -> Count:
        """The count that :meth:`note` wrote down."""
        counted, due = (tuple(map(int, numbers.split(","))) for numbers in note.split("/"))
        return cls(counted, due)

    def note(self) -> str:
        return "/".join(",".join(map(str, numbers)) for numbers in (self.counted, self.due))


def count_in(db: Session, command: CountIn) -> None:
    """Keep a count, with what the score says at that moment. It changes nothing else.

    :raises Refused: if there is not one number for each seat, or one is out of bounds.
    :raises StaleSession: if the session is past ``expected_version``.
    :raises SessionClosed: if the session has ended.
    """
    try:
        with transaction(db):
            held = select(IN_HAND).where(SessionSeat.session_id == command.session_id).order_by(SessionSeat.seat)
            count = Count(command.counted, tuple(db.scalars(held)))
            session = change_session(db, command, "count", note=count.note())
            if session.state != "open":
                raise SessionClosed
            if len(count.counted) != len(count.due) or not all(0 <= chips <= MAX_CHIPS for chips in count.counted):
                raise Refused(Problem("CHIPS_RANGE", "counted", {"low": 0, "high": MAX_CHIPS}))
    except AlreadyDone:
        return

"""The count-in: everybody's chips are counted and held against what the score says."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy.orm import Session

from scorekeeper.ledger.chipset import Colour, counter, worth
from scorekeeper.limits import MAX_CHIPS
from scorekeeper.rules import Problem, Refused
from scorekeeper.services.ledger import held
from scorekeeper.services.transaction import AlreadyDone, SessionCommand, change_session, transaction, while_open


@dataclass(frozen=True, slots=True, kw_only=True)
class CountIn(SessionCommand):
    """``counted`` are the chips of each seat as they lie on the table, ``pieces`` their colours where they are said."""

    counted: tuple[int, ...]
    pieces: tuple[tuple[Colour, ...] | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Count:
    """The chips of each seat as they were ``counted``, and as they were ``due`` by the score then.

    ``pieces`` are the chips of each seat by colour, where they were counted so; empty if nobody's were.
    """

    counted: tuple[int, ...]
    due: tuple[int, ...]
    pieces: tuple[tuple[Colour, ...] | None, ...] = ()

    @property
    def off(self) -> tuple[int, ...]:
        """How many too many each seat has."""
        return tuple(counted - due for counted, due in zip(self.counted, self.due, strict=True))

    @property
    def on_table(self) -> Counter[int] | None:
        """How many pieces of each value lie on the table; None if somebody's were not counted by colour."""
        if not self.pieces or None in self.pieces:
            return None
        out: Counter[int] = Counter()
        for pieces in self.pieces:
            out.update(counter(pieces or ()))
        return out

    @classmethod
    def noted(cls, note: str) -> Count:
        """The count that :meth:`note` wrote down."""
        counted, due, *colours = note.split("/", 2)
        pieces = json.loads(colours[0]) if colours else ()
        return cls(
            _numbers(counted),
            _numbers(due),
            tuple(stack if stack is None else tuple(Colour(*colour) for colour in stack) for stack in pieces),
        )

    def note(self) -> str:
        numbers = [",".join(map(str, numbers)) for numbers in (self.counted, self.due)]
        return "/".join([*numbers, json.dumps(self.pieces, ensure_ascii=False)] if self.pieces else numbers)


def count_in(db: Session, command: CountIn) -> None:
    """Keep a count, with what the score says at that moment. It changes nothing else.

    :raises Refused: if there is not one number for each seat, one is out of bounds, or is not what its colours come to.
    :raises StaleSession: if the session is past ``expected_version``.
    :raises SessionClosed: if the session has ended.
    """
    try:
        with transaction(db):
            by_colour = command.pieces if any(command.pieces) else ()
            count = Count(command.counted, held(db, command.session_id), by_colour)
            while_open(change_session(db, command, "count", note=count.note()))
            seats = len(count.due)
            if (
                len(count.pieces) not in (0, seats)
                or len(count.counted) != seats
                or not all(0 <= chips <= MAX_CHIPS for chips in count.counted)
            ):
                raise Refused(Problem("CHIPS_RANGE", "counted", {"low": 0, "high": MAX_CHIPS}))
            if problems := list(_wrong_sums(count)):
                raise Refused(*problems)
    except AlreadyDone:
        return


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def _wrong_sums(count: Count) -> Iterator[Problem]:
    for seat, pieces in enumerate(count.pieces):
        if pieces is not None and worth(pieces) != count.counted[seat]:
            yield Problem("COLOURS_SUM", f"chips-{seat}", {"sum": worth(pieces)})

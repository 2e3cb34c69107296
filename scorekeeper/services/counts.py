"""The count-in: everybody's chips are counted and held against what the score says."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from scorekeeper import queries
from scorekeeper.ledger import EntryKind
from scorekeeper.ledger.chipset import Colour, counter, worth
from scorekeeper.limits import MAX_CHIPS
from scorekeeper.models import AnyRow
from scorekeeper.rules import Problem, Refused
from scorekeeper.services.ledger import held
from scorekeeper.services.transaction import AlreadyDone, SessionCommand, change_session, transaction, while_open


@dataclass(frozen=True, slots=True, kw_only=True)
class CountIn(SessionCommand):
    """``counted`` are the chips of each seat as they lie on the table, ``pieces`` their colours where they are said.

    ``began`` are the chips that each began with beside those that were bought here.
    """

    counted: tuple[int, ...]
    pieces: tuple[tuple[Colour, ...] | None, ...] = ()
    began: int = 0


@dataclass(frozen=True, slots=True)
class Count:
    """The chips of each seat as they were ``counted``, and as they were ``due`` by the score then.

    ``pieces`` are the chips of each seat by colour, where they were counted so; empty if nobody's were. ``began`` are
    those of the ``due`` that each began with, and that were not bought here.
    """

    counted: tuple[int, ...]
    due: tuple[int, ...]
    pieces: tuple[tuple[Colour, ...] | None, ...] = ()
    began: int = 0

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
        if note.startswith("{"):
            kept = json.loads(note)
        else:
            # As it was written once: "43,37/40,40", and the colours after another stroke.
            counted, due, *colours = note.split("/", 2)
            pieces = json.loads(colours[0]) if colours else ()
            kept = {"counted": counted.split(","), "due": due.split(","), "pieces": pieces, "began": 0}
        return cls(
            _numbers(kept["counted"]),
            _numbers(kept["due"]),
            tuple(stack if stack is None else tuple(Colour(*colour) for colour in stack) for stack in kept["pieces"]),
            int(kept["began"]),
        )

    def note(self) -> str:
        kept = {"counted": self.counted, "due": self.due, "pieces": self.pieces, "began": self.began}
        return json.dumps(kept, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class KeptCount:
    """A count of the history. ``accepted`` says that chips were moved to just what had been counted.

    ``changed`` says that chips were moved by hand or deals changed since, other than by that.
    """

    version: int
    created_at: datetime
    count: Count
    changed: bool
    accepted: bool

    @property
    def stands(self) -> bool:
        """Whether the score is still what was counted against."""
        return not (self.accepted or self.changed)

    @property
    def known(self) -> bool:
        """Whether the score says of everybody what lies on the table."""
        return self.accepted or not any(self.count.off)


def counts(db: Session, session_id: int) -> list[KeptCount]:
    """The latest counts of a session, latest first."""
    kept = queries.counts(db, session_id)
    moved: defaultdict[int, dict[int, int]] = defaultdict(dict)
    changes = [row.changed for row in kept if row.changed is not None]
    for entry in queries.entries(db, session_id, changes) if changes else ():
        if entry.kind == EntryKind.ADJUSTMENT:
            moved[entry.version][entry.seat] = entry.chips
    return [_kept(row, moved[row.changed]) for row in kept]


def _kept(row: AnyRow, moved: Mapping[int, int]) -> KeptCount:
    """The count of *row*, where the first change since has *moved* so many chips by hand."""
    count = Count.noted(row.note)
    accepted = any(count.off) and moved == {seat: off for seat, off in enumerate(count.off) if off}
    changed = row.changed_last != row.changed if accepted else row.changed is not None
    return KeptCount(row.version, row.created_at, count, changed=changed, accepted=accepted)


def count_in(db: Session, command: CountIn) -> None:
    """Keep a count, with what the score says at that moment. It changes nothing else.

    :raises Refused: if there is not one number for each seat, one is out of bounds, or is not what its colours come to.
    :raises StaleSession: if the session is past ``expected_version``.
    :raises SessionClosed: if the session has ended.
    """
    try:
        with transaction(db):
            by_colour = command.pieces if any(command.pieces) else ()
            due = tuple(command.began + chips for chips in held(db, command.session_id))
            count = Count(command.counted, due, by_colour, command.began)
            while_open(change_session(db, command, "count", note=count.note()))
            if problems := list(_problems(count)):
                raise Refused(*problems)
    except AlreadyDone:
        return


def _numbers(values: Iterable[int | str]) -> tuple[int, ...]:
    return tuple(map(int, values))


def _problems(count: Count) -> Iterator[Problem]:
    bounds = {"low": 0, "high": MAX_CHIPS}
    seats = len(count.due)
    if not 0 <= count.began <= MAX_CHIPS:
        yield Problem("CHIPS_RANGE", "began", bounds)
    if (
        len(count.pieces) not in (0, seats)
        or len(count.counted) != seats
        or not all(0 <= chips <= MAX_CHIPS for chips in count.counted)
    ):
        yield Problem("CHIPS_RANGE", "counted", bounds)
        return
    for seat, pieces in enumerate(count.pieces):
        if pieces is not None and worth(pieces) != count.counted[seat]:
            yield Problem("COLOURS_SUM", f"chips-{seat}", {"sum": worth(pieces)})

"""What a session file says, as values. The file names people; in here they are seats."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from scorekeeper.ledger import Price
from scorekeeper.names import name_key
from scorekeeper.rules import CardGame, Facts, FieldKind, Problem, Refused, Ruleset, Seat, Table

FORMAT: Final = "scorekeeper/session"
VERSION: Final = 1
MAX_PROBLEMS: Final = 100
"""Told of one event: no person reads more."""


@dataclass(frozen=True, slots=True)
class Chip:
    """The price of so many ``chips``: whole minor units of a currency that has ``exponent`` decimals."""

    value_minor: int
    currency: str
    exponent: int
    chips: int = 1

    @property
    def price(self) -> Price:
        return Price(self.value_minor, self.chips)


@dataclass(frozen=True, slots=True)
class DealEvent:
    """A deal, scored or passed out; people in its facts are seats."""

    facts: Facts


@dataclass(frozen=True, slots=True)
class MisdealEvent:
    """A misdeal: nothing is scored, the same dealer deals again, and it has no number."""


@dataclass(frozen=True, slots=True)
class BuyIn:
    """Chips bought from the bank."""

    player: Seat
    chips: int


@dataclass(frozen=True, slots=True)
class CashOut:
    """Chips given back to the bank."""

    player: Seat
    chips: int


@dataclass(frozen=True, slots=True)
class Adjustment:
    """Chips that changed hands outside the deals: one number per seat there is so far, summing to zero."""

    chips: tuple[int, ...]
    note: str


@dataclass(frozen=True, slots=True)
class NewGame:
    """The next game of the same sitting begins."""


@dataclass(frozen=True, slots=True)
class Seating:
    """Who is at the table from the next deal on, clockwise: the seats that are taken, new ones in order.

    ``stand_ins`` are the names of those who play on another's account, by seat.
    """

    seats: tuple[Seat, ...]
    stand_ins: Mapping[Seat, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DealtBy:
    """The next deal is dealt by ``player``, though it is another's turn."""

    player: Seat


Event = DealEvent | MisdealEvent | BuyIn | CashOut | Adjustment | NewGame | Seating | DealtBy


@dataclass(frozen=True, slots=True, eq=False)
class SessionFile:
    """Everything needed to score a sitting. ``opening`` holds chips (Mensch) or points (Dirty Clubs), if given.

    ``players`` are all who have an account, by seat: the first ``began`` sat down clockwise at the beginning.
    """

    game: CardGame[Any]
    ruleset: Ruleset
    players: tuple[str, ...]
    began: int
    dealer: Seat = field(default=Seat(0))
    opening: tuple[int, ...] | None = None
    chip: Chip | None = None
    events: tuple[Event, ...] = ()

    @property
    def people(self) -> tuple[str, ...]:
        """Everybody's name: those with an account, and those who only stood in for one."""
        seatings = (event for event in self.events if isinstance(event, Seating))
        found: dict[str, str] = {}
        for name in (*self.players, *(name for seating in seatings for name in seating.stand_ins.values())):
            found.setdefault(name_key(name), name)
        return tuple(found.values())

    def __eq__(self, other: object) -> bool:
        """Whether both say the same: a ruleset is what it holds, whichever object holds it."""
        return isinstance(other, SessionFile) and self._content() == other._content()

    def _content(self) -> tuple[object, ...]:
        ruleset = (self.ruleset.id, dict(self.ruleset.options))
        return (*ruleset, self.players, self.began, self.dealer, self.opening, self.chip, self.events)


class BadFile(Refused):
    """A file that cannot be scored: every problem of its first bad ``event``, from 1; 0 is the head of the document.

    ``players`` are the names the problems' seats stand for, where they are known.
    """

    def __init__(self, event: int, problems: tuple[Problem, ...], players: tuple[str, ...] = ()) -> None:
        super().__init__(*problems[:MAX_PROBLEMS])
        self.event = event
        self.players = players


def malformed(reason: str, key: str = "", **values: object) -> Problem:
    """The problem of a file that does not say what it should; *key* is where."""
    return Problem("MALFORMED", key, {"reason": reason, **values})


def fault(reason: str, key: str = "", **values: object) -> Refused:
    """A refusal for one :func:`malformed` key."""
    return Refused(malformed(reason, key, **values))


def explained(problem: Problem, key: str) -> Problem:
    """*problem*, whose code has no place in the answer to a file, as the reason why *key* is malformed."""
    return malformed(problem.code, key, **problem.values)


@functools.cache
def kinds_of(game: CardGame[Any]) -> Mapping[str, FieldKind]:
    """The kind of every fact any ruleset of *game* knows: one out of place is for the rules to refuse, by its code."""
    return {fact.name: fact.kind for ruleset in game.rulesets for fact in game.fields(game.open_table(ruleset))}


_BLANKS: Final = {FieldKind.NUMBERS: 0, FieldKind.SUITS: None}


def fitted(facts: Facts, game: CardGame[Any], table: Table) -> dict[str, object]:
    """*facts* of a deal at *table* with lists as long as the seats that are taken ask for.

    Other seats come and go with other deals. Who does not play has taken no tricks.
    """
    kinds = kinds_of(game)
    return {name: _fitted(value, kinds.get(name), table) for name, value in facts.items()}


def _fitted(value: object, kind: FieldKind | None, table: Table) -> object:
    if kind not in _BLANKS or not isinstance(value, list):
        return value
    blank, seats, length = _BLANKS[kind], table.seats, max(table.ring) + 1
    filled = [blank if one is None and seat not in seats else one for seat, one in enumerate(value)]
    return filled[:length] if all(one == blank for one in filled[length:]) else filled

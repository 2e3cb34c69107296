"""What a session file says, as values. The file names people; in here they are seats."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from scorekeeper.rules import CardGame, Facts, FieldKind, Problem, Refused, Ruleset, Seat

FORMAT: Final = "scorekeeper/session"
VERSION: Final = 1
MAX_PROBLEMS: Final = 100
"""Told of one event: no person reads more."""


@dataclass(frozen=True, slots=True)
class Chip:
    """The price of one chip: whole minor units of a currency that has ``exponent`` decimals."""

    value_minor: int
    currency: str
    exponent: int


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
    """Chips that changed hands outside the deals: one number per seat, summing to zero."""

    chips: tuple[int, ...]
    note: str


@dataclass(frozen=True, slots=True)
class NewGame:
    """The next game of the same sitting begins."""


Event = DealEvent | MisdealEvent | BuyIn | CashOut | Adjustment | NewGame


@dataclass(frozen=True, slots=True, eq=False)
class SessionFile:
    """Everything needed to score a sitting. ``opening`` holds chips (Mensch) or points (Dirty Clubs), if given."""

    game: CardGame[Any]
    ruleset: Ruleset
    players: tuple[str, ...]
    dealer: Seat = field(default=Seat(0))
    opening: tuple[int, ...] | None = None
    chip: Chip | None = None
    events: tuple[Event, ...] = ()

    def __eq__(self, other: object) -> bool:
        """Whether both say the same: a ruleset is what it holds, whichever object holds it."""
        return isinstance(other, SessionFile) and self._content() == other._content()

    def _content(self) -> tuple[object, ...]:
        ruleset = (self.ruleset.id, dict(self.ruleset.options))
        return (*ruleset, self.players, self.dealer, self.opening, self.chip, self.events)


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

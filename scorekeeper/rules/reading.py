"""Reading facts: what was entered may be any JSON at all, and every fault in it is named at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from typing import TypeVar

from scorekeeper.rules.base import Facts, Problem, Seat, Suit, Table

T = TypeVar("T")

_CARD = re.compile(r"(10|[2-9TJQKA])([CSHD])")
_SUITS = {suit[0].upper(): suit for suit in Suit}
_SUITS_BY_NAME = {suit.value: suit for suit in Suit}
_RANKS = ("A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2")


class Reader:
    """Takes facts one by one and keeps every problem met on the way.

    Facts not among *names* are problems too, so that a misspelt one cannot be lost.
    """

    def __init__(self, facts: Facts, names: Collection[str]) -> None:
        self.facts = {name: value for name, value in facts.items() if name in names}
        self.problems = [malformed(name[:40], "unknown") for name in facts if name not in names]

    def take(
        self, name: str, read: Callable[[object], T | None], *, required: bool = False, otherwise: Problem | None = None
    ) -> T | None:
        """The fact *name* as *read* understands it, or None.

        If it is there and not understood, *otherwise* is kept as the problem.
        """
        if name not in self.facts:
            if required:
                self.problems.append(malformed(name, "missing"))
            return None
        value = read(self.facts[name])
        if value is None:
            self.problems.append(otherwise or malformed(name, "type"))
        return value

    def numbers(
        self, name: str, table: Table, otherwise: str, most: int, *, required: bool = False
    ) -> tuple[int, ...] | None:
        """A whole number for each seat; a place that holds none is a problem of the code *otherwise*."""
        entered = self.take(name, partial(table.places, blank=0), required=required)
        if entered is None:
            return None
        found = tuple(number for number in map(whole, entered) if number is not None)
        if len(found) == len(entered):
            return found
        self.problems += [
            Problem(otherwise, name, {"max": most, "player": Seat(seat)})
            for seat, entry in enumerate(entered)
            if whole(entry) is None
        ]
        return None

    def and_also(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Every problem met, and those of *problems* that concern other fields."""
        at_fault = {problem.field for problem in self.problems}
        return (*self.problems, *(problem for problem in problems if problem.field not in at_fault))


def malformed(field: str, reason: str) -> Problem:
    """*reason* is "missing", "unknown" or "type"."""
    return Problem("MALFORMED", field, {"reason": reason})


def not_playing(seats: Collection[Seat], field: str, by_seat: Iterable[object]) -> Iterator[Problem]:
    """A problem for everybody who has something in *by_seat*, and is none of the *seats* that play."""
    for number, something in enumerate(by_seat):
        if something and number not in seats:
            yield Problem("NOT_PLAYING", field, {"player": Seat(number)})


def whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def text(value: object) -> str | None:
    return value if isinstance(value, str) and len(value) <= 40 else None


def yes(value: object) -> bool | None:
    return True if value is True else None


def suit(value: object) -> Suit | None:
    return _SUITS_BY_NAME.get(value) if isinstance(value, str) else None


def one_of(*words: str) -> Callable[[object], str | None]:
    return lambda value: value if isinstance(value, str) and value in words else None


def seat_of(players: int) -> Callable[[object], Seat | None]:
    def seat(value: object) -> Seat | None:
        number = whole(value)
        return Seat(number) if number is not None and 0 <= number < players else None

    return seat


def list_of(read: Callable[[object], T | None], *, longest: int) -> Callable[[object], tuple[T, ...] | None]:
    """A list of at most *longest* values, each as *read* understands it."""

    def read_all(value: object) -> tuple[T, ...] | None:
        if not isinstance(value, (list, tuple)) or len(value) > longest:
            return None
        found = tuple(entry for entry in map(read, value) if entry is not None)
        return found if len(found) == len(value) else None

    return read_all


def seats_of(players: int) -> Callable[[object], tuple[Seat, ...] | None]:
    """Some of the seats, in seat order, none of them twice."""
    read = list_of(seat_of(players), longest=players)

    def seats(value: object) -> tuple[Seat, ...] | None:
        found = read(value)
        return tuple(sorted(found)) if found is not None and len(set(found)) == len(found) else None

    return seats


def card(value: object) -> tuple[str, Suit] | None:
    """Rank and suit; the ten may be written T.

    >>> card("10H") == card("TH")
    True
    """
    match = _CARD.fullmatch(value) if isinstance(value, str) else None
    return (match[1].replace("T", "10"), _SUITS[match[2]]) if match else None


def ranks_in(cards: int) -> tuple[str, ...]:
    """The ranks of a deck of *cards*, high to low: the low ones are taken out.

    >>> ranks_in(32)
    ('A', 'K', 'Q', 'J', '10', '9', '8', '7')
    """
    return _RANKS[: cards // len(Suit)]

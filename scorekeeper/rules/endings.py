"""Every way a deal can end at one table, worked out beforehand and looked up answer by answer.

A phone finds in it what a deal would bring without knowing a rule: :attr:`Endings.nodes` is nothing but a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations
from typing import Any, Final

from scorekeeper.rules.base import NOBODY, CardGame, DealScore, Facts, Field, FieldKind, Refused, Result, Table

MOST_CELLS: Final = 6_000
"""Deals scored for one table; a house game with more of them is left to be asked for one by one."""

Node = tuple[int | None, ...] | tuple[tuple[str, int], ...]
"""What follows each answer: by its number, or by its word."""


@dataclass(frozen=True, slots=True)
class Endings:
    """The endings of a deal. Answers lead from node to node, from ``root`` on, and the last one to one of ``scores``.

    The answers are those to the fields in order that are asked for, do not follow and are no details; a field of
    several seats is one answer, the seats with commas between them; numbers that add up are an answer for each of the
    seats but the last.
    """

    nodes: tuple[Node, ...]
    root: int
    scores: tuple[DealScore[Any], ...]


@lru_cache(maxsize=4)
def endings(game: CardGame[Any], table: Table) -> Endings | None:
    """Every ending there is at *table*.

    None if there are more than ``MOST_CELLS``, if they cannot be counted out, or if too few are there to play.
    """
    if len(table.seats) < game.players(table.ruleset):
        return None
    try:
        return _Work(game, table).done()
    except _TooMany:
        return None


class _TooMany(Exception):
    """There are more ways for a deal to end than a table should hold."""


class _Work:
    """The enumeration. Nodes and scores that are equal are kept once."""

    def __init__(self, game: CardGame[Any], table: Table) -> None:
        self.game, self.table = game, table
        fields = [field for field in game.fields(table) if field.asked and not field.detail]
        # That nobody has a seat is an answer to the question who has it.
        elsewhere = {(field.nobody[0], FieldKind.FLAG) for field in fields if field.nobody is not None}
        self.fields = [field for field in fields if (field.name, field.kind) not in elsewhere]
        self.cells = 0
        self.nodes: dict[Node, int] = {}
        self.scores: dict[object, tuple[int, DealScore[Any]]] = {}

    def done(self) -> Endings:
        root = self.after({}, 0)
        return Endings(tuple(self.nodes), root or 0, tuple(score for _, score in self.scores.values()))

    def after(self, facts: Facts, place: int) -> int | None:
        """The node at which the fields from *place* on are answered, *facts* being known; None if nothing can be."""
        if place == len(self.fields):
            return self.score(facts)
        name = self.fields[place].name
        field = next((one for one in self.game.asked(facts, self.table) if one.name == name), None)
        if field is None:
            return self.after(facts, place + 1)
        if field.follows:
            return self.after({name: field.options[0], **facts}, place + 1)
        if field.kind is FieldKind.NUMBERS and field.sums:
            return self.numbers(facts, field, place, ())
        return self.node(_answers(field), lambda more: self.after({**facts, **more}, place + 1))

    def numbers(self, facts: Facts, field: Field, place: int, taken: tuple[int, ...]) -> int | None:
        left = field.high - sum(taken)
        if len(taken) == len(field.seats) - 1:
            numbers: list[object] = [0] * len(self.table.totals)
            for seat, number in zip(field.seats, (*taken, left), strict=True):
                numbers[seat] = number
            return self.after({**facts, field.name: numbers}, place + 1)
        return self.keep(tuple(self.numbers(facts, field, place, (*taken, number)) for number in range(left + 1)))

    def node(self, answers: Iterator[tuple[str, Facts]], after: Callable[[Facts], int | None]) -> int | None:
        found: dict[str, int] = {}
        seen: dict[str, int | None] = {}
        for word, facts in answers:
            # Facts that are alike are followed once.
            key = repr(facts)
            if key not in seen:
                seen[key] = after(facts)
            if (next_one := seen[key]) is not None:
                found[word] = next_one
        return self.keep(tuple(found.items()))

    def keep(self, node: Node) -> int | None:
        return self.nodes.setdefault(node, len(self.nodes)) if any(one is not None for one in node) else None

    def score(self, facts: Facts) -> int | None:
        self.cells += 1
        if self.cells > MOST_CELLS:
            raise _TooMany
        try:
            # Answered in order, they are complete.
            score = self.game.score(self.game.understood(facts, self.table), self.table)
        except Refused:
            return None
        # What is said of a deal without a contract begins with how it came about.
        told = score.lines[0].code if score.result in (Result.PLAYED, Result.PASSED_OUT) else None
        kind = score.points, score.chips, score.result, score.outcome, score.payments, told
        return self.scores.setdefault(kind, (len(self.scores), score))[0]


def _answers(field: Field) -> Iterator[tuple[str, Facts]]:
    """Every answer to *field* as a word, and the facts it gives; of choices that are alike, those of the first."""
    name = field.name
    match field.kind:
        case FieldKind.CHOICE:
            first = next((choice for choice in field.choices if choice in field.alike), None)
            for choice in field.choices:
                yield choice, {name: first if choice in field.alike else choice}
        case FieldKind.SEAT:
            for seat in field.seats:
                yield str(seat), {name: seat}
            if field.nobody is not None:
                yield NOBODY, {field.nobody[0]: field.nobody[1]}
        case FieldKind.NUMBER:
            for number in range(field.low, field.high + 1):
                yield str(number), {name: number}
        case FieldKind.SEATS:
            for seats in chain.from_iterable(combinations(field.seats, many) for many in range(len(field.seats) + 1)):
                yield ",".join(map(str, seats)), {name: list(seats)} if seats else {}
        case _:
            raise _TooMany

"""Deals of any card game, filled in from what it offers, as a person would."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, combinations
from typing import Any, TypeVar

from scorekeeper.rules import Bidding, CardGame, Facts, Field, FieldKind, Seat, Table

T = TypeVar("T")
Choose = Callable[[Sequence[Any]], Any]


def fill_in(game: CardGame[Any], table: Table, choose: Choose) -> Facts:
    """Facts chosen field by field from what is offered; details are left out, and so is half of what may be."""
    facts: dict[str, object] = {}
    offered: dict[str, Field] = {}
    for name in [field.name for field in game.fields(table)]:
        offered = offered or {field.name: field for field in game.offered(facts, table)}
        field = offered.get(name)
        if field is not None and not field.detail and (field.required or choose((True, False))):
            facts[name] = a_value(field, table, choose)
            offered = {}
    return game.complete(facts, table)


def a_value(field: Field, table: Table, choose: Choose) -> object:
    match field.kind:
        case FieldKind.CHOICE:
            return str(choose(field.choices))
        case FieldKind.SEAT:
            return choose(field.seats)
        case FieldKind.SEATS:
            return [seat for seat in field.seats if choose((True, False))]
        case FieldKind.NUMBER:
            return choose(range(field.low, field.high + 1))
        case FieldKind.NUMBERS:
            takers = [choose(field.seats) for _ in range(field.high)]
            return [takers.count(seat) for seat in range(len(table.totals))]
        case FieldKind.SUITS:
            return [
                choose((*field.choices, None)) if seat in field.seats else None for seat in range(len(table.totals))
            ]
        case FieldKind.FLAG:
            return True
        case _:
            raise TypeError(field.kind)


def bidding(game: CardGame[Any], table: Table, words: Iterable[str]) -> Bidding:
    """The bidding after *words*, of a game of which is known how it is bid."""
    now = game.bidding(table, words)
    assert now is not None
    return now


def every_deal(game: CardGame[Any], table: Table, known: Facts | None = None, place: int = 0) -> Iterator[Facts]:
    """Everything that can be entered at *table*, details aside, of which a little is still refused."""
    facts, fields = known or {}, game.fields(table)
    if place == len(fields):
        yield game.complete(facts, table)
        return
    field = {field.name: field for field in game.offered(facts, table)}.get(fields[place].name)
    if field is None or field.detail or not field.required:
        yield from every_deal(game, table, facts, place + 1)
    if field is not None and not field.detail:
        for value in every_value(field, table):
            yield from every_deal(game, table, {**facts, field.name: value}, place + 1)


def every_value(field: Field, table: Table) -> Iterator[object]:
    match field.kind:
        case FieldKind.CHOICE:
            yield from field.choices
        case FieldKind.SEAT:
            yield from field.seats
        case FieldKind.SEATS:
            yield from map(list, chain(*(combinations(field.seats, many) for many in range(1, len(field.seats) + 1))))
        case FieldKind.NUMBER:
            yield from range(field.low, field.high + 1)
        case FieldKind.NUMBERS:
            for numbers in _sums(field.high, len(field.seats)):
                taken = dict(zip(field.seats, numbers, strict=True))
                yield [taken.get(Seat(seat), 0) for seat in range(len(table.totals))]
        case FieldKind.FLAG:
            yield True
        case _:
            raise TypeError(field.kind)


def _sums(total: int, places: int) -> Iterator[tuple[int, ...]]:
    """Every way to spread *total* over so many *places*."""
    if places == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _sums(total - first, places - 1):
            yield first, *rest

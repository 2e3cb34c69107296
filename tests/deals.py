"""Deals of any card game, filled in from what it offers, as a person would."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from scorekeeper.rules import CardGame, Facts, Field, FieldKind, Table

T = TypeVar("T")
Choose = Callable[[Sequence[Any]], Any]


def fill_in(game: CardGame[Any], table: Table, choose: Choose) -> Facts:
    """Facts chosen field by field from what is offered; details are left out, and so is half of what may be."""
    facts: dict[str, object] = {}
    for name in [field.name for field in game.fields(table)]:
        field = {field.name: field for field in game.offered(facts, table)}.get(name)
        if field is not None and not field.detail and (field.required or choose((True, False))):
            facts[name] = a_value(field, table, choose)
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
            return [takers.count(seat) if seat in field.seats else 0 for seat in table.seats]
        case FieldKind.SUITS:
            return [choose((*field.choices, None)) for _ in table.seats]
        case FieldKind.FLAG:
            return True
        case _:
            raise TypeError(field.kind)

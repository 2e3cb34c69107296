"""Cells of a sheet as people fill them in: the beginning of a word or a name will do, and a suit may be drawn."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from babel.lists import format_list
from flask_babel import gettext as _

from scorekeeper.ledger import MalformedAmount, parse_whole
from scorekeeper.names import ROOM, ROOM_OF_MANY, fitting, name_key
from scorekeeper.rules.base import NO_TRUMP, NOBODY, Facts, Field, FieldKind, Seat, Suit
from scorekeeper.words.numbers import locale
from scorekeeper.words.said import isolated, name_of
from scorekeeper.words.terms import contract_name, quotable, suit_name

_DRAWN: Final[Mapping[str, str]] = {
    Suit.CLUBS: "♣♧",
    Suit.SPADES: "♠♤",
    Suit.HEARTS: "♥♡",
    Suit.DIAMONDS: "♦♢",
}
_SHORTHANDS: Final[Mapping[str, Callable[[], str]]] = {
    "five": lambda: _("5"),
    "five-after": lambda: _("5A"),
    "six": lambda: _("6"),
    "six-after": lambda: _("6A"),
    "seven": lambda: _("7"),
    "seven-after": lambda: _("7A"),
}
"""Contracts that are written otherwise than they begin."""
_DASHES: Final = frozenset(("-", "\N{HYPHEN}", "–", "—", "\N{MINUS SIGN}"))
_BETWEEN: Final = re.compile(r"[,;/+&،、]")


class Unreadable(Exception):
    """What stands in a cell cannot be read; the text says why, in a sentence."""


def is_empty(text: str) -> bool:
    """Whether nothing is written in a cell, or a dash, which says the same."""
    key = name_key(text)
    return not key or key in _DASHES


def read_number(text: str) -> int:
    """The whole number in a cell, with or without its sign.

    :raises Unreadable: if it is none.
    """
    try:
        # An apostrophe before it says that it is no formula.
        return parse_whole(text.strip().removeprefix("'"))
    except MalformedAmount:
        raise Unreadable(_("“%(text)s” is not a whole number.", text=quotable(text))) from None


def read_answer(field: Field, text: str, names: Sequence[str]) -> list[str]:
    """What a cell says about *field* (of one seat, where it is about each), as the form of a deal sends it.

    Nothing where the cell is empty. *names* are the players', by seat.

    :raises Unreadable: if it says none of what it could say, or more than one thing.
    """
    if is_empty(text):
        return [NOBODY] if field.nobody is not None and name_key(text) else []
    match field.kind:
        case FieldKind.NUMBER | FieldKind.NUMBERS:
            return [str(read_number(text))]
        case FieldKind.SEATS:
            one_name = name_key(text) in (name_key(names[seat]) for seat in field.seats)
            parts = [text] if one_name else _BETWEEN.split(text)
            return [_which(part, field, names) for part in parts if not is_empty(part)]
    return [_which(text, field, names)]


def write_answer(field: Field, facts: Facts, names: Sequence[str], seat: Seat | None = None) -> str | int | None:
    """What a cell says about *field* of a deal (of *seat*, where it is about each), for :func:`read_answer` to read."""
    value = facts.get(field.name)
    if seat is not None:
        value = value[seat] if isinstance(value, list) and seat < len(value) else None
    if value is None and field.nobody is not None and facts.get(field.nobody[0]) == field.nobody[1]:
        return _("Nobody")
    match field.kind, value:
        case ((FieldKind.NUMBER | FieldKind.NUMBERS), int()):
            return value
        case FieldKind.SEAT, int():
            return name_of(value, names)
        case FieldKind.SEATS, list():
            return ", ".join(name_of(one, names) for one in value)
        case _, str():
            return _written(value)[0]
    return None


def shorthands(field: Field) -> list[str]:
    """What may be written for some choices of *field* though they begin otherwise: "5A for Five After"."""
    return [
        _("%(short)s for %(contract)s", short=_SHORTHANDS[choice](), contract=contract_name(choice))
        for choice in field.choices
        if choice in _SHORTHANDS
    ]


def _which(text: str, field: Field, names: Sequence[str]) -> str:
    key, can_be = name_key(text), _can_be(field, names)
    keys = {answer: [name_key(form) for form in forms] for answer, forms in can_be.items()}
    meant = (
        [answer for answer, forms in keys.items() if key == forms[0]]
        or [answer for answer, forms in keys.items() if key in forms]
        or [answer for answer, forms in keys.items() if any(_shortens(key, form) for form in forms)]
    )
    if len(meant) == 1:
        return meant[0]
    said = [can_be[answer][0] for answer in meant or can_be]
    values = {"text": quotable(text), "choices": format_list(said, style="or", locale=locale())}
    if meant:
        raise Unreadable(_("“%(text)s” could be %(choices)s.", **values))
    raise Unreadable(_("“%(text)s” is not one of these: %(choices)s.", **values))


def _shortens(key: str, form: str) -> bool:
    """Whether *key* is the beginning of *form*, cut off by a full stop or not, or has its middle left out."""
    beginning, _left_out, rest = key.rstrip(".").partition("...")
    return bool(beginning) and form.startswith(beginning) and rest in form[len(beginning) :]


def _can_be(field: Field, names: Sequence[str]) -> dict[str, list[str]]:
    """All that can be meant, and how each may be written, first in full."""
    if field.kind in (FieldKind.SEAT, FieldKind.SEATS):
        # Short as well, as the sheet is printed.
        forms = [fitting(tuple(names), room) for room in (ROOM, ROOM_OF_MANY)]
        seats = {str(seat): [isolated(names[seat]), *(form[seat] for form in forms)] for seat in field.seats}
        return seats | ({NOBODY: [_("Nobody")]} if field.nobody is not None else {})
    return {choice: list(_written(choice)) for choice in field.choices}


def _written(choice: str) -> tuple[str, ...]:
    if choice in (*Suit, NO_TRUMP):
        return suit_name(choice), *_DRAWN.get(choice, "")
    return (contract_name(choice), *([_SHORTHANDS[choice]()] if choice in _SHORTHANDS else ()))

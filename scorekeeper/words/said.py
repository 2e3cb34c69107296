"""The values of a code, ready to stand in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from unicodedata import bidirectional

from babel.lists import format_list
from flask_babel import gettext as _

from scorekeeper.words.numbers import locale, number, signed
from scorekeeper.words.terms import contract_name, quotable, suit_name

_PEOPLE: Final = frozenset({"player", "partner", "payer", "payee", "speaker"})
_CONTRACTS: Final = frozenset({"contract", "bid", "highest", "base"})
_SUITS: Final = frozenset({"suit", "trump"})


class Said(dict[str, str]):
    """Every value as it is said: people by name, contracts and suits by their words, numbers as the locale writes them.

    ``values`` are what they were made of.
    """

    def __init__(self, values: Mapping[str, object], names: Sequence[str], **more: str) -> None:
        super().__init__({key: _said(key, value, names) for key, value in values.items()})
        self.update(more)
        self.values_of = values

    def count(self, key: str) -> int:
        """A whole number, for the form of the words around it."""
        value = self.values_of[key]
        if not isinstance(value, int):
            raise TypeError(key)
        return value


def name_of(seat: object, names: Sequence[str]) -> str:
    """The name of the player at *seat*, as far as names are known."""
    if not isinstance(seat, int):
        return _("Nobody")
    return isolated(names[seat]) if seat < len(names) else _("Player %(number)s", number=number(seat + 1))


def isolated(name: str) -> str:
    """*name* for a sentence: one that runs from right to left takes no number beside it along."""
    if not any(bidirectional(character) in ("R", "AL") for character in name):
        return name
    return f"\N{FIRST STRONG ISOLATE}{name}\N{POP DIRECTIONAL ISOLATE}"


def beside(name: str, amount: str) -> str:
    """*amount* after whose it is, where no line ends between them: "Cleo −6"."""
    return f"{name}\N{NO-BREAK SPACE}{amount}"


def has_pen(name: str) -> str:
    """Who writes in a session, by what people call that phone, if they call it anything."""
    return _("%(name)s has the pen.", name=isolated(name)) if name else _("Another phone has the pen.")


def _said(key: str, value: object, names: Sequence[str]) -> str:
    if key in _PEOPLE:
        return name_of(value, names)
    if key == "players" and isinstance(value, tuple):
        return format_list([name_of(seat, names) for seat in value], locale=locale())
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return signed(value) if key == "change" else number(value)
    if key in _CONTRACTS:
        return contract_name(str(value))
    if key in _SUITS:
        return suit_name(str(value))
    return quotable(value)

"""Chips by colour in forms and in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from babel.lists import format_list
from flask_babel import gettext as _
from wtforms import Field, ValidationError

from scorekeeper import words
from scorekeeper.ledger.chipset import Colour, worth
from scorekeeper.limits import MAX_PIECES
from scorekeeper.rules import Problem, Refused
from scorekeeper.services.chipset import check_sum
from scorekeeper.words.numbers import locale


class OneColour(NamedTuple):
    """The control for the pieces of one colour."""

    id: str
    name: str
    label: str
    value: str


class PiecesField(Field):  # type: ignore[misc]
    """How many pieces of each of ``colours``: one control for each, all of one name. Left empty it is None."""

    colours: tuple[Colour, ...] = ()
    data: Any

    def process_formdata(self, values: list[str]) -> None:
        """Keep what was typed: which colours there are is known only once the form is made."""
        self.raw_data = values

    def pre_validate(self, form: object) -> None:
        self.data = None
        typed = [text.strip() for text in self.raw_data or []]
        if not any(typed) or not self.colours:
            return
        bounds = {"low": 0, "high": MAX_PIECES}
        # Ten thousand has five digits: a longer text is never read as a number.
        pieces = [int(text or 0) if len(text) <= 5 and (text or "0").isdecimal() else -1 for text in typed]
        if len(pieces) != len(self.colours) or not all(0 <= number <= MAX_PIECES for number in pieces):
            raise ValidationError(words.problem_message(Problem("PIECES_RANGE", self.name, bounds)))
        self.data = tuple(colour._replace(pieces=number) for colour, number in zip(self.colours, pieces, strict=True))

    @property
    def controls(self) -> Iterator[OneColour]:
        typed = [*(self.raw_data or []), *[""] * len(self.colours)]
        for place, (colour, text) in enumerate(zip(self.colours, typed, strict=False)):
            yield OneColour(f"{self.id}-{place}", self.name, colour_name(colour), text)


def add_up(chips: Field, pieces: PiecesField) -> None:
    """Take the *chips* from the colours where only those were typed; refuse it where neither was, or they differ."""
    if chips.errors or pieces.errors:
        return
    if chips.data is None and pieces.data is not None:
        chips.data = worth(pieces.data)
    if chips.data is None or not chips.low <= chips.data <= chips.high:
        chips.errors = [chips.out_of_bounds()]
    elif pieces.data is not None:
        try:
            check_sum(pieces.data, chips.data, "chips")
        except Refused as refused:
            chips.errors = [words.problem_message(problem) for problem in refused.problems]


def colour_name(colour: Colour) -> str:
    """A colour and what it is worth: "red (5)"."""
    return _("%(colour)s (%(chips)s)", colour=words.isolated(colour.name), chips=words.number(colour.value))


def said(colours: Iterable[Colour]) -> str:
    """Pieces in words: "12 white, 4 red"; empty if there are none."""
    each = [
        _("%(pieces)s %(colour)s", pieces=words.number(colour.pieces), colour=words.isolated(colour.name))
        for colour in colours
        if colour.pieces
    ]
    return format_list(each, locale=locale(), style="unit") if each else ""

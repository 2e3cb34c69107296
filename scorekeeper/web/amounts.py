"""Numbers as pages show them, ready for the ``amount`` macro."""

from __future__ import annotations

from typing import NamedTuple

from flask_babel import gettext as _
from flask_babel import ngettext

from scorekeeper.ledger import AmbiguousAmount, MalformedAmount, parse_minor
from scorekeeper.rules import Unit
from scorekeeper.sessionfile import Chip
from scorekeeper.words import amount_message, isolated, money, number, signed, signed_money


class Amount(NamedTuple):
    """A number in words; ``debt`` draws it red."""

    text: str
    debt: bool = False


def change(value: int, unit: Unit) -> Amount:
    """What a deal brought. In points, fewer are better, so nothing is a debt."""
    return Amount(signed(value), unit is Unit.CHIPS and value < 0)


def total(value: int, unit: Unit) -> Amount:
    """What stands on the sheet: chips with their sign, points without."""
    return change(value, unit) if unit is Unit.CHIPS else Amount(number(value))


def unit_name(unit: Unit) -> str:
    """What the sheet counts, as the head of a column."""
    return _("Chips") if unit is Unit.CHIPS else _("Points")


def counted(chips: int) -> str:
    """So many chips, in words: "12 chips"."""
    return ngettext("%(chips)s chip", "%(chips)s chips", abs(chips), chips=number(chips))


def settled(amount: int, chip: Chip | None) -> Amount:
    """What somebody pays or gets in a settlement, with its sign: in money where chips have a price, else in chips."""
    if chip is None:
        return change(amount, Unit.CHIPS)
    return Amount(signed_money(amount, chip.currency, chip.exponent), amount < 0)


def worth(amount: int, chip: Chip | None) -> str:
    """An amount of a settlement in words, and in chips too where they come to just as much: "12 chips, €3.00"."""
    if chip is None:
        return counted(amount)
    in_money = money(amount, chip.currency, chip.exponent)
    chips = chip.price.whole_chips(amount)
    return in_money if chips is None else _("%(chips)s, %(money)s", chips=counted(chips), money=in_money)


def exactly(amount: int, chip: Chip | None) -> str:
    """An amount of a settlement in words, in its own unit alone."""
    return money(amount, chip.currency, chip.exponent) if chip else counted(amount)


def bare(amount: int, chip: Chip | None) -> str:
    """An amount of a settlement as a number, or as money."""
    return money(amount, chip.currency, chip.exponent) if chip else number(amount)


def payment(payer: str, payee: str, amount: int, chip: Chip | None) -> str:
    """One transfer of a settlement, in a sentence."""
    people = {"payer": isolated(payer), "payee": isolated(payee)}
    return _("%(payer)s pays %(payee)s %(chips)s.", **people, chips=worth(amount, chip))


def in_kitty(held: int, chip: Chip | None) -> str:
    """What is in the kitty, or what it lacks, in a sentence."""
    if held < 0:
        return _("The kitty lacks %(amount)s.", amount=exactly(-held, chip))
    return _("In the kitty: %(amount)s.", amount=exactly(held, chip))


class MalformedTyped(ValueError):
    """What was typed is no amount: the sentence says why."""


def typed(text: str, chip: Chip | None) -> int:
    """The amount of a settlement that was typed, in its unit.

    :raises MalformedTyped: if it is none.
    """
    try:
        return parse_minor(text, chip.exponent if chip else 0)
    except (AmbiguousAmount, MalformedAmount) as error:
        if chip is None:
            raise MalformedTyped(_("Enter a whole number of chips.")) from None
        raise MalformedTyped(amount_message(error, chip.currency, chip.exponent)) from None

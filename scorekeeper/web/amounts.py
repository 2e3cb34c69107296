"""Numbers as pages show them, ready for the ``amount`` macro."""

from __future__ import annotations

from typing import NamedTuple

from flask_babel import gettext as _
from flask_babel import ngettext

from scorekeeper.models import AnyRow
from scorekeeper.rules import Unit
from scorekeeper.sessionfile import Chip
from scorekeeper.words import isolated, money, number, signed


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
    return _("chips") if unit is Unit.CHIPS else _("points")


def chip_of(session: AnyRow) -> Chip | None:
    """The price of a chip in a session's row."""
    return Chip(session.chip_value_minor, session.currency, session.exponent) if session.currency else None


def price(chips: int, chip: Chip | None) -> Amount | None:
    """What *chips* come to in money, where one *chip* has a price."""
    return Amount(money(chips * chip.value_minor, chip.currency, chip.exponent), chips < 0) if chip else None


def counted(chips: int) -> str:
    """So many chips, in words: "12 chips"."""
    return ngettext("%(chips)s chip", "%(chips)s chips", chips, chips=number(chips))


def worth(chips: int, chip: Chip | None) -> str:
    """So many chips, and where one *chip* has a price what they come to: "12 chips, €3.00"."""
    in_money = price(chips, chip)
    return _("%(chips)s, %(money)s", chips=counted(chips), money=in_money.text) if in_money else counted(chips)


def payment(payer: str, payee: str, chips: int, chip: Chip | None) -> str:
    """One transfer of a settlement, in a sentence."""
    people = {"payer": isolated(payer), "payee": isolated(payee)}
    return _("%(payer)s pays %(payee)s %(chips)s.", **people, chips=worth(chips, chip))

"""Numbers as pages show them, ready for the ``amount`` macro."""

from __future__ import annotations

from typing import NamedTuple

from flask_babel import gettext as _
from flask_babel import ngettext

from scorekeeper.models import AnyRow
from scorekeeper.rules import Unit
from scorekeeper.words import money, number, signed


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


def price(session: AnyRow, chips: int) -> Amount | None:
    """What *chips* come to in money, where the session gives them a price."""
    if session.currency is None:
        return None
    return Amount(money(chips * session.chip_value_minor, session.currency, session.exponent), chips < 0)


def counted(chips: int) -> str:
    """So many chips, in words: "12 chips"."""
    return ngettext("%(chips)s chip", "%(chips)s chips", chips, chips=number(chips))


def worth(session: AnyRow, chips: int) -> str:
    """So many chips, and with a price what they come to: "12 chips, €3.00"."""
    in_money = price(session, chips)
    return _("%(chips)s, %(money)s", chips=counted(chips), money=in_money.text) if in_money else counted(chips)

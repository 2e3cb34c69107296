"""What was entered about a deal, and who pays for it, in a few words."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence

from babel.lists import format_list
from flask_babel import gettext as _
from flask_babel import ngettext

from scorekeeper.rules.base import Payment, Seat
from scorekeeper.rules.reading import card
from scorekeeper.words.lines import line_sentence
from scorekeeper.words.numbers import locale, number
from scorekeeper.words.said import name_of
from scorekeeper.words.terms import card_name, contract_name, option_value_label, quotable, result_name, suit_name


def fact_words(name: str, value: object, names: Sequence[str], seats: Collection[int] | None = None) -> str:
    """The fact *name* as it is said, of those *seats* alone that play, where that is known.

    Facts of a shape nobody writes any more are repeated as they stand.
    """
    try:
        return _fact_words(name, value, names, seats)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return quotable(json.dumps(value))


def payments_sentence(payments: Sequence[Payment], names: Sequence[str]) -> str:
    """Who pays whom: "Ben and Dan pay 1 each." Empty where nobody pays."""
    payers = [payment.payer for payment in payments]
    chips = {payment.chips for payment in payments}
    if len(chips) == 1 and len(payments) > 1:
        each = chips.pop()
        if len(set(payers)) == len(payers):
            return _("%(payers)s pay %(chips)s each.", payers=names_of(payers, names), chips=number(each))
        if len(set(payers)) == 1:
            payees = names_of([payment.payee for payment in payments], names)
            return ngettext(
                "%(payer)s pays %(num)s chip to each of %(payees)s.",
                "%(payer)s pays %(num)s chips to each of %(payees)s.",
                each,
                payer=name_of(payers[0], names),
                payees=payees,
            )
    return " ".join(line_sentence(payment.line, names) for payment in payments)


def names_of(seats: Iterable[int], names: Sequence[str]) -> str:
    """The players at *seats*, as a list in a sentence."""
    return format_list([name_of(Seat(seat), names) for seat in seats], locale=locale())


def _fact_words(name: str, value: object, names: Sequence[str], seats: Collection[int] | None) -> str:
    match name, value:
        case "contract", str():
            return contract_name(value)
        case "trump" | "turn_up", str():
            return suit_name(value)
        case "result", str():
            return result_name(value)
        case "dealer" | "declarer" | "partner" | "maker", int():
            return name_of(value, names)
        case "called_card", str() if known := card(value):
            return card_name(*known)
        case "dropped", list():
            return names_of(value, names)
        case "opened", list():
            return format_list([suit_name(suit) for suit in value], style="unit", locale=locale())
        case "auction", list():
            bids = (_said(name_of(seat, names), contract_name(bid)) for seat, bid in value)
            return format_list(list(bids), style="unit", locale=locale())
        case "named", list():
            named = (_said(name_of(seat, names), suit_name(suit)) for seat, suit in enumerate(value) if suit)
            return format_list(list(named), style="unit", locale=locale())
        case _, list():
            taken = [
                _said(name_of(seat, names), number(tricks))
                for seat, tricks in enumerate(value)
                if tricks or seats is None or seat in seats
            ]
            return format_list(taken, style="unit", locale=locale())
        case _, bool() | int():
            return option_value_label(value)
    return quotable(value if isinstance(value, str) else json.dumps(value))


def _said(player: str, what: str) -> str:
    return _("%(player)s %(what)s", player=player, what=what)

"""Numbers, money and moments as the reader's locale writes them."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Final

from babel import Locale
from babel.dates import format_skeleton
from babel.numbers import format_decimal, get_plus_sign_symbol, parse_pattern
from flask_babel import format_date, format_time, get_locale
from flask_babel import gettext as _

MINUS: Final = "\N{MINUS SIGN}"


def number(value: int) -> str:
    """*value* with the locale's thousands and a real minus sign."""
    return _number(value, locale())


@lru_cache(maxsize=4096)
def _number(value: int, here: Locale) -> str:
    return format_decimal(value, locale=here).replace("-", MINUS)


def signed(value: int) -> str:
    """*value* with its sign, as a change is written; zero has none."""
    return _signed(value, locale())


@lru_cache(maxsize=4096)
def _signed(value: int, here: Locale) -> str:
    return f"{get_plus_sign_symbol(here)}{_number(value, here)}" if value > 0 else _number(value, here)


def money(amount_minor: int, currency: str, exponent: int) -> str:
    """*amount_minor* as an amount of *currency*, with all its *exponent* decimals."""
    here = locale()
    pattern = parse_pattern(here.currency_formats["standard"].pattern)
    # The stored exponent counts, not what Babel thinks of the currency today.
    pattern.frac_prec = (exponent, exponent)
    amount = Decimal(amount_minor).scaleb(-exponent)
    text = str(pattern.apply(amount, here, currency=currency, currency_digits=False))
    # A currency that is written in letters keeps its distance: CHF 5.00.
    return re.sub(r"(?<=[^\W\d_])(?=\d)", "\N{NO-BREAK SPACE}", text).replace("-", MINUS)


def signed_money(amount_minor: int, currency: str, exponent: int) -> str:
    """*amount_minor* with its sign, as a change is written; zero has none."""
    plus = get_plus_sign_symbol(locale()) if amount_minor > 0 else ""
    return plus + money(amount_minor, currency, exponent)


def day(on: date) -> str:
    """The day *on*, as people call it: without its year."""
    return format_skeleton("MMMMEEEEd", on, locale=locale())


def moment(when: datetime) -> str:
    """*when* to the minute, with its month in letters: 12/3 is another day in another country."""
    return _("%(date)s, %(time)s", date=format_date(when), time=format_time(when, "short"))


def locale() -> Locale:
    """The reader's; English outside of a request."""
    return get_locale() or Locale("en")

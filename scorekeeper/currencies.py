"""Currencies: which exist, and how many decimals each has."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from babel.core import get_global
from babel.numbers import get_territory_currencies, list_currencies

# ISO 4217, not Babel: Babel counts the decimals in daily use, gives none to HUF and IQD, and changes with each release.
_EXPONENTS: Final = (
    dict.fromkeys("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split(), 0)
    | dict.fromkeys("BHD IQD JOD KWD LYD OMR TND".split(), 3)
    | dict.fromkeys("CLF UYW".split(), 4)
)
# "No currency" and "for testing".
_NO_MONEY: Final = frozenset({"XXX", "XTS"})


class UnknownCurrency(ValueError):
    """A code that is no currency's."""


def exponent_of(currency: str) -> int:
    """The decimals of *currency*, an ISO 4217 code: 0 for yen, 2 for euro, 3 for Bahraini dinar.

    :raises UnknownCurrency: if there is no such currency.
    """
    if currency in _NO_MONEY or currency not in list_currencies():
        raise UnknownCurrency(currency)
    return _EXPONENTS.get(currency, 2)


@lru_cache(maxsize=1)
def in_use() -> tuple[str, ...]:
    """The codes of the currencies that are legal tender somewhere today."""
    territories = get_global("territory_currencies")
    somewhere = {code for territory in territories for code in get_territory_currencies(territory)}
    return tuple(sorted(somewhere - _NO_MONEY))

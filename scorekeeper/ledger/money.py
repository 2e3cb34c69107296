"""Money as whole minor units: splitting it, reading what people type, writing the session file's decimals.

An *exponent* is the number of decimals of a currency: 0 for yen, 2 for euro, 3 for Bahraini dinar.
"""

import re
import unicodedata
from collections.abc import Sequence
from enum import StrEnum
from typing import Final, NamedTuple

MAX_MINOR: Final = 10**9
"""The largest amount that can be entered, in minor units: ten million euro, a million dinar."""

# What only ever groups thousands becomes an apostrophe; full-width forms become the plain ones.
_PLAIN_FORMS: Final = str.maketrans(
    dict.fromkeys(" '\N{RIGHT SINGLE QUOTATION MARK}\N{ARABIC THOUSANDS SEPARATOR}", "'")
    | dict.fromkeys("\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}", "'")
    | dict.fromkeys("\N{MINUS SIGN}\N{EN DASH}\N{HYPHEN}\N{NON-BREAKING HYPHEN}", "-")
    | {"\N{FULLWIDTH HYPHEN-MINUS}": "-", "\N{SMALL HYPHEN-MINUS}": "-", "\N{FULLWIDTH PLUS SIGN}": "+"}
    | {"\N{FULLWIDTH COMMA}": ",", "\N{FULLWIDTH FULL STOP}": "."}
)
_MARK: Final = "[.,\N{ARABIC DECIMAL SEPARATOR}]"
_UNGROUPED: Final = re.compile(rf"(?P<whole>[0-9]+)|(?P<before>[0-9]*){_MARK}(?P<fraction>[0-9]+)")
_GROUPED: Final = re.compile(
    rf"(?P<whole>[1-9][0-9]{{0,2}}(?P<group>[.,'])[0-9]{{3}}(?:(?P=group)[0-9]{{3}})*)"
    rf"(?:(?!(?P=group)){_MARK}(?P<fraction>[0-9]+))?"
)


class AmountFault(StrEnum):
    """Why a text is no amount."""

    NOT_A_NUMBER = "not-a-number"
    NEGATIVE = "negative"
    TOO_MANY_DECIMALS = "too-many-decimals"
    TOO_LARGE = "too-large"


class MalformedAmount(ValueError):
    """A text that is no amount: ``fault`` says why, ``decimals`` how many are allowed."""

    def __init__(self, fault: AmountFault, decimals: int) -> None:
        super().__init__(fault, decimals)
        self.fault = fault
        self.decimals = decimals


class AmbiguousAmount(ValueError):
    """A text with two meanings: ``readings`` in minor units, its mark taken as decimal, then as thousands.

    Both can be entered: the first is cut to the currency's decimals, which may be fewer than were typed.
    """

    def __init__(self, readings: tuple[int, int]) -> None:
        super().__init__(readings)
        self.readings = readings


def apportion(total: int, shares: int, *, start: int = 0) -> tuple[int, ...]:
    """Split *total* minor units into *shares* whole parts that add up to it.

    Parts differ by at most one unit; spare units go round from *start*. A negative total splits into the opposite
    of what the positive one does, so a reversal undoes a split exactly.

    >>> apportion(100, 3, start=1)
    (33, 34, 33)
    >>> apportion(-100, 3, start=1)
    (-33, -34, -33)

    :raises ValueError: if *shares* is not positive.
    """
    if shares < 1:
        raise ValueError(shares)
    sign = -1 if total < 0 else 1
    each, spare = divmod(abs(total), shares)
    return tuple(sign * (each + ((share - start) % shares < spare)) for share in range(shares))


class Spread(NamedTuple):
    """Whole ``shares``, and the places of those that were rounded up, in the order in which they were."""

    shares: tuple[int, ...]
    spare: tuple[int, ...]


def spread(amounts: Sequence[int], multiply: int = 1, divide: int = 1) -> Spread:
    """Each of *amounts* times *multiply* / *divide* as whole numbers that add up: by the largest remainder.

    All are rounded down, and what is then left of their sum goes to those who come closest to the next whole, one unit
    each; of those who come equally close, to the first. Whatever sums to zero still does.

    >>> spread((4, -1, -1, -2), 100, 3)
    Spread(shares=(133, -33, -33, -67), spare=(1, 2))

    :raises ValueError: if *divide* is not positive.
    """
    if divide < 1:
        raise ValueError(divide)
    parts = [divmod(amount * multiply, divide) for amount in amounts]
    left = sum(amounts) * multiply // divide - sum(whole for whole, _ in parts)
    spare = tuple(sorted(range(len(parts)), key=lambda place: -parts[place][1])[:left])
    return Spread(tuple(whole + (place in spare) for place, (whole, _) in enumerate(parts)), spare)


def nearest(amount: int, multiply: int, divide: int) -> int:
    """*amount* times *multiply* / *divide* as the nearest whole number; halves go away from zero.

    >>> nearest(5, 100, 3), nearest(-1, 1, 2)
    (167, -1)
    """
    size = (2 * abs(amount) * multiply + divide) // (2 * divide)
    return -size if amount < 0 else size


def parse_minor(text: str, exponent: int) -> int:
    """Read an amount a person typed, in any script's digits, as minor units; with exponent 0, any whole number.

    Point and comma both serve as decimal mark; thousands may be grouped by point, comma, space or apostrophe. Zeros
    behind the last decimal that counts say nothing.

    >>> parse_minor("0,25", 2), parse_minor("1,523.98", 2), parse_minor("1 523,98", 2)
    (25, 152398, 152398)

    One mark before exactly three digits could mean either. A group never starts with 0, so ``0,125`` is clear; so is
    ``1,523`` without decimals in the currency; and with three of them ``1.523`` is what :func:`plain` writes, so the
    point is decimal. Anything else is refused with both readings:

    >>> try: parse_minor("1,523", 2)
    ... except AmbiguousAmount as error: print(error.readings)
    (152, 152300)

    :raises AmbiguousAmount: if it can be read in two ways.
    :raises MalformedAmount: if it is no number, negative, has too many decimals or is above :data:`MAX_MINOR`.
    """
    typed = "".join(_plain_form(character) for character in text.strip())
    unsigned = typed.removeprefix("-")
    ungrouped, grouped = _UNGROUPED.fullmatch(unsigned), _GROUPED.fullmatch(unsigned)
    match = ungrouped or grouped
    if match is None:
        raise MalformedAmount(AmountFault.NOT_A_NUMBER, exponent)
    if typed != unsigned:
        raise MalformedAmount(AmountFault.NEGATIVE, exponent)
    if ungrouped and grouped:
        decimal, thousands = _parts(ungrouped), _parts(grouped)
        if exponent == 0:
            match = grouped
        elif not (exponent == 3 and "." in typed):
            raise AmbiguousAmount((_minor(decimal[0], decimal[1][:exponent], exponent), _minor(*thousands, exponent)))
    return _minor(*_parts(match), exponent)


def parse_whole(text: str) -> int:
    """Read a whole number, with or without its sign, as people, spreadsheets and our own pages write it.

    >>> parse_whole("+1"), parse_whole("\\N{MINUS SIGN}1,199"), parse_whole("1.0")
    (1, -1199, 1)

    :raises MalformedAmount: if it is none, or above :data:`MAX_MINOR` without its sign.
    """
    typed = text.strip()
    sign = _plain_form(typed[:1])
    size = parse_minor(typed[1:] if sign in ("+", "-") else typed, 0)
    return -size if sign == "-" else size


def plain(amount_minor: int, exponent: int) -> str:
    """*amount_minor* as the session file's decimal string, with all its decimals.

    >>> plain(300, 2), plain(300, 0), plain(125, 3), plain(-5, 2)
    ('3.00', '300', '0.125', '-0.05')
    """
    sign = "-" if amount_minor < 0 else ""
    whole, part = divmod(abs(amount_minor), 10**exponent)
    return f"{sign}{whole}.{part:0{exponent}d}" if exponent else f"{sign}{whole}"


def _plain_form(character: str) -> str:
    digit = unicodedata.decimal(character, None)
    return character.translate(_PLAIN_FORMS) if digit is None else str(digit)


def _parts(match: re.Match[str]) -> tuple[str, str]:
    """The digits before and after the decimal mark."""
    found = match.groupdict(default="")
    return re.sub("[^0-9]", "", found["whole"] or found["before"]), found["fraction"]


def _minor(whole: str, fraction: str, exponent: int) -> int:
    if fraction[exponent:].strip("0"):
        raise MalformedAmount(AmountFault.TOO_MANY_DECIMALS, exponent)
    digits = (whole + fraction[:exponent].ljust(exponent, "0")).lstrip("0") or "0"
    # The length first: Python refuses to read thousands of digits.
    if len(digits) > len(str(MAX_MINOR)) or int(digits) > MAX_MINOR:
        raise MalformedAmount(AmountFault.TOO_LARGE, exponent)
    return int(digits)

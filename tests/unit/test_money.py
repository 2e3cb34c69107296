"""Splitting, reading and writing whole minor units."""

from decimal import Decimal

import pytest
from babel.numbers import format_decimal

from scorekeeper.ledger import MAX_MINOR, AmbiguousAmount, AmountFault, MalformedAmount, apportion, parse_minor, plain

NO_BREAK_SPACE, NARROW_SPACE, THIN_SPACE = "\u00a0", "\u202f", "\u2009"


def test_spare_units_go_round_from_the_start() -> None:
    assert apportion(11, 4, start=2) == (3, 2, 3, 3)


def test_the_start_may_be_any_whole_number() -> None:
    assert apportion(10, 4, start=7) == apportion(10, 4, start=3) == (3, 2, 2, 3)


def test_one_in_three_parts_loses_no_cent_and_thirty_in_seven_makes_none() -> None:
    assert apportion(100, 3) == (34, 33, 33)
    assert apportion(3000, 7) == (429, 429, 429, 429, 428, 428, 428)


def test_fewer_units_than_shares_leave_some_with_nothing() -> None:
    assert apportion(2, 5) == (1, 1, 0, 0, 0)
    assert apportion(0, 3) == (0, 0, 0)


@pytest.mark.parametrize("shares", [0, -1])
def test_it_refuses_to_split_among_nobody(shares: int) -> None:
    with pytest.raises(ValueError, match=str(shares)):
        apportion(100, shares)


@pytest.mark.parametrize(
    ("text", "exponent", "minor"),
    [
        ("0.25", 2, 25),
        ("0,25", 2, 25),
        (".5", 2, 50),
        (",5", 2, 50),
        ("3", 2, 300),
        ("0", 2, 0),
        ("007", 2, 700),
        ("  12,5 ", 2, 1250),
        ("1,523.98", 2, 152398),
        ("1.523,98", 2, 152398),
        ("1 523,98", 2, 152398),
        ("1'523.98", 2, 152398),
        ("1\u2019523.98", 2, 152398),
        (f"1{NO_BREAK_SPACE}523,98", 2, 152398),
        (f"1{NARROW_SPACE}523,98", 2, 152398),
        (f"1{THIN_SPACE}523", 2, 152300),
        ("1,000,000", 2, 100_000_000),
        ("1.000.000,5", 2, 100_000_050),
        ("\uff11\uff12\uff0e\uff15", 2, 1250),  # full-width
        ("\u0661\u066c\u0665\u0662\u0663\u066b\u0669\u0668", 2, 152398),  # Arabic, with its own marks
        ("\u0967\u0968.\u096b", 2, 1250),  # Devanagari
        ("1,523", 0, 1523),
        ("1.523", 0, 1523),
        ("0,125", 3, 125),
        ("0.125", 3, 125),
        ("1.523", 3, 1523),
        ("01,523", 3, 1523),
        ("1,523.980", 3, 1523980),
        ("1234.567", 3, 1234567),
        ("\u0661\u066b\u0665\u0662\u0663", 3, 1523),
        ("0.0001", 4, 1),
        ("10000000", 2, MAX_MINOR),
        ("1523.980", 2, 152398),
        ("1,523.980", 2, 152398),
        ("5.00", 0, 5),
        ("0" * 5000 + "1", 0, 1),
    ],
)
def test_it_reads_what_has_one_meaning(text: str, exponent: int, minor: int) -> None:
    assert parse_minor(text, exponent) == minor


@pytest.mark.parametrize(
    ("text", "exponent", "readings"),
    [
        ("1,523", 2, (152, 152300)),
        ("1.523", 2, (152, 152300)),
        ("12,999", 2, (1299, 1299900)),
        ("1,523", 3, (1523, 1523000)),
        ("999.523", 1, (9995, 9995230)),
    ],
)
def test_it_refuses_what_has_two_meanings_and_says_both(text: str, exponent: int, readings: tuple[int, int]) -> None:
    with pytest.raises(AmbiguousAmount) as refused:
        parse_minor(text, exponent)
    assert refused.value.readings == readings


@pytest.mark.parametrize(
    ("text", "exponent", "fault"),
    [
        ("", 2, AmountFault.NOT_A_NUMBER),
        ("   ", 2, AmountFault.NOT_A_NUMBER),
        ("ten", 2, AmountFault.NOT_A_NUMBER),
        (".", 2, AmountFault.NOT_A_NUMBER),
        ("5.", 2, AmountFault.NOT_A_NUMBER),
        ("1e3", 2, AmountFault.NOT_A_NUMBER),
        ("5\u00b2", 2, AmountFault.NOT_A_NUMBER),  # a superscript two is no digit
        ("NaN", 2, AmountFault.NOT_A_NUMBER),
        ("\u20ac5", 2, AmountFault.NOT_A_NUMBER),
        ("+5", 2, AmountFault.NOT_A_NUMBER),
        ("--5", 2, AmountFault.NOT_A_NUMBER),
        ("1 2", 2, AmountFault.NOT_A_NUMBER),
        ("1,52,300", 2, AmountFault.NOT_A_NUMBER),
        ("1,523,98", 2, AmountFault.NOT_A_NUMBER),
        ("1,523.000,5", 2, AmountFault.NOT_A_NUMBER),
        ("0,523,000", 2, AmountFault.NOT_A_NUMBER),
        ("1.5\n2", 2, AmountFault.NOT_A_NUMBER),
        ("-5", 2, AmountFault.NEGATIVE),
        ("\u22125,00", 2, AmountFault.NEGATIVE),
        ("-1,523", 2, AmountFault.NEGATIVE),
        ("1.5", 0, AmountFault.TOO_MANY_DECIMALS),
        ("0,523", 2, AmountFault.TOO_MANY_DECIMALS),
        ("1523.985", 2, AmountFault.TOO_MANY_DECIMALS),
        ("1,523.985", 2, AmountFault.TOO_MANY_DECIMALS),
        ("\u0661\u066b\u0665\u0662\u0663", 2, AmountFault.TOO_MANY_DECIMALS),
        ("0.0001", 3, AmountFault.TOO_MANY_DECIMALS),
        ("10000000.01", 2, AmountFault.TOO_LARGE),
        ("9347242149381274732472348728748723473278472843", 2, AmountFault.TOO_LARGE),
        ("9" * 5000, 2, AmountFault.TOO_LARGE),
    ],
)
def test_it_refuses_what_is_no_amount_and_says_why(text: str, exponent: int, fault: AmountFault) -> None:
    with pytest.raises(MalformedAmount) as refused:
        parse_minor(text, exponent)
    assert (refused.value.fault, refused.value.decimals) == (fault, exponent)


@pytest.mark.parametrize("locale", ["en", "de", "de_CH", "fr", "ru", "sv", "pt_BR", "ja", "ar_EG", "fa"])
def test_it_reads_what_each_language_writes(locale: str) -> None:
    written = format_decimal(Decimal("1523.98"), "#,##0.00", locale=locale, numbering_system="default")
    assert parse_minor(written, 2) == 152398


@pytest.mark.parametrize(
    ("amount_minor", "exponent", "text"),
    [
        (300, 2, "3.00"),
        (300, 0, "300"),
        (125, 3, "0.125"),
        (-300, 2, "-3.00"),
        (-5, 2, "-0.05"),
        (0, 2, "0.00"),
        (0, 0, "0"),
        (-7, 0, "-7"),
    ],
)
def test_it_writes_every_decimal_of_the_currency(amount_minor: int, exponent: int, text: str) -> None:
    assert plain(amount_minor, exponent) == text

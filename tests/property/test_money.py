"""Whole minor units: nothing is lost or made by splitting, writing and reading."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.ledger import (
    MAX_MINOR,
    AmbiguousAmount,
    MalformedAmount,
    apportion,
    nearest,
    parse_minor,
    plain,
    spread,
)

AMOUNTS = st.integers(0, MAX_MINOR)
EXPONENTS = st.sampled_from([0, 2, 3, 4])


@given(st.integers(-MAX_MINOR, MAX_MINOR), st.integers(1, 40), st.integers())
def test_shares_add_up_and_differ_by_at_most_one(total: int, shares: int, start: int) -> None:
    parts = apportion(total, shares, start=start)
    assert len(parts) == shares
    assert sum(parts) == total
    assert max(parts) - min(parts) <= 1


@given(AMOUNTS, st.integers(1, 40), st.integers())
def test_splitting_the_opposite_undoes_a_split(total: int, shares: int, start: int) -> None:
    back = apportion(-total, shares, start=start)
    assert [part + other for part, other in zip(apportion(total, shares, start=start), back, strict=True)] == [
        0
    ] * shares


@given(AMOUNTS, st.integers(1, 40), st.integers(0, 39))
def test_the_first_spare_unit_goes_to_the_start(total: int, shares: int, start: int) -> None:
    parts = apportion(total, shares, start=start)
    assert parts[start % shares] == max(parts)


@given(AMOUNTS, EXPONENTS)
def test_what_is_written_is_read_back(amount_minor: int, exponent: int) -> None:
    assert parse_minor(plain(amount_minor, exponent), exponent) == amount_minor


@given(AMOUNTS, EXPONENTS)
def test_a_negative_amount_is_the_same_with_a_sign(amount_minor: int, exponent: int) -> None:
    assert plain(-amount_minor, exponent) == ("-" if amount_minor else "") + plain(amount_minor, exponent)


@given(AMOUNTS, st.sampled_from([(",", "."), (".", ","), ("'", "."), (" ", ",")]))
def test_grouped_thousands_are_read_by_any_habit(amount_minor: int, marks: tuple[str, str]) -> None:
    group, decimal = marks
    written = f"{amount_minor // 100:,}".replace(",", group) + f"{decimal}{amount_minor % 100:02}"
    assert parse_minor(written, 2) == amount_minor


@given(st.integers(1, 999), st.integers(0, 999), st.sampled_from(".,"))
def test_a_lone_mark_before_three_digits_is_never_guessed(before: int, after: int, mark: str) -> None:
    with pytest.raises(AmbiguousAmount) as refused:
        parse_minor(f"{before}{mark}{after:03}", 2)
    assert refused.value.readings == (before * 100 + after // 10, (before * 1000 + after) * 100)


@given(st.one_of(st.text(), st.text("0123456789.,' -\u00a0\u0663\u066b\uff0c", max_size=12)), EXPONENTS)
def test_any_text_is_read_within_bounds_or_refused(text: str, exponent: int) -> None:
    with suppress(AmbiguousAmount, MalformedAmount):
        assert 0 <= parse_minor(text, exponent) <= MAX_MINOR


WON = st.lists(st.integers(-10_000, 10_000), max_size=12).map(lambda others: [*others, -sum(others)])


@given(WON, st.integers(1, 1000), st.integers(1, 50))
def test_what_sums_to_zero_still_does_at_any_price(won: list[int], value: int, chips: int) -> None:
    shares, spare = spread(won, value, chips)
    assert sum(shares) == 0
    assert all(abs(share * chips - one * value) < chips for share, one in zip(shares, won, strict=True))
    # Who got more came closer to it than who did not.
    short = [one * value % chips for one in won]
    others = [part for place, part in enumerate(short) if place not in spare]
    assert [short[place] for place in spare] == sorted((short[place] for place in spare), reverse=True)
    assert min((short[place] for place in spare), default=chips) >= max(others, default=0)


@given(WON, st.integers(1, 1000))
def test_a_price_of_one_chip_multiplies_and_spreads_nothing(won: list[int], value: int) -> None:
    assert spread(won, value) == (tuple(one * value for one in won), ())


@given(st.integers(-10_000, 10_000), st.integers(1, 1000), st.integers(1, 50))
def test_the_nearest_is_at_most_half_away_and_the_same_both_ways(chips: int, value: int, divide: int) -> None:
    near = nearest(chips, value, divide)
    assert 2 * abs(near * divide - chips * value) <= divide
    assert nearest(-chips, value, divide) == -near

"""Whole minor units: nothing is lost or made by splitting, writing and reading."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.ledger import MAX_MINOR, AmbiguousAmount, MalformedAmount, apportion, parse_minor, plain

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

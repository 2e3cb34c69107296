"""A mix of pieces: worth what was asked, never more than there is, and found whenever there is one."""

from itertools import accumulate, product
from math import prod

from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.ledger.chipset import SMALL_CHANGE, Bank, Colour, Pieces, mix, smallest_first, worth

SETS = st.lists(
    st.tuples(st.integers(1, 12), st.integers(0, 5)), min_size=1, max_size=4, unique_by=lambda pair: pair[0]
)
LARGE_SETS = st.lists(
    st.tuples(st.integers(1, 10_000), st.integers(0, 10_000)), min_size=1, max_size=8, unique_by=lambda pair: pair[0]
)
DIVIDING_SETS = st.lists(st.tuples(st.integers(2, 5), st.integers(0, 5)), min_size=1, max_size=4).map(
    lambda pairs: list(zip(accumulate((by for by, _ in pairs), lambda a, b: a * b), (n for _, n in pairs), strict=True))
)
"""Each value divides the next one, as in every set that is sold."""


def split(pairs: list[tuple[int, int]]) -> tuple[Pieces, Pieces]:
    pairs = sorted(pairs)
    return tuple(value for value, _ in pairs), tuple(pieces for _, pieces in pairs)


def come_to(pieces: Pieces, values: Pieces) -> int:
    return sum(map(prod, zip(pieces, values, strict=True)))


def all_mixes(amount: int, values: Pieces, stock: Pieces) -> list[Pieces]:
    return [pieces for pieces in product(*(range(most + 1) for most in stock)) if come_to(pieces, values) == amount]


@given(st.integers(1, 120), SETS)
def test_a_mix_is_found_if_and_only_if_there_is_one(amount: int, pairs: list[tuple[int, int]]) -> None:
    values, stock = split(pairs)
    possible = all_mixes(amount, values, stock)
    found = mix(amount, values, stock)
    assert found in possible if possible else found is None


@given(st.integers(1, 1_000_000), LARGE_SETS)
def test_a_mix_comes_to_the_amount_and_is_there_to_be_handed_out(amount: int, pairs: list[tuple[int, int]]) -> None:
    values, stock = split(pairs)
    found = mix(amount, values, stock)
    if found is not None:
        assert come_to(found, values) == amount
        assert all(0 <= pieces <= most for pieces, most in zip(found, stock, strict=True))


@given(st.integers(1, 300), DIVIDING_SETS)
def test_there_are_some_of_each_colour_and_of_the_smallest_what_paying_asks_for(
    amount: int, pairs: list[tuple[int, int]]
) -> None:
    values, stock = split(pairs)
    found = mix(amount, values, stock)
    if found is not None:
        possible = all_mixes(amount, values, stock)
        for place, value in enumerate(values):
            # As many as can be, up to a handful that is worth half of what is left to make; of the smallest not fewer.
            handful = min(SMALL_CHANGE, amount // 2 // value)
            numbers = {pieces[place] for pieces in possible}
            fewer = [number for number in numbers if number <= handful]
            if place == 0:
                assert found[0] == min(number for number in numbers if number >= min(handful, max(numbers)))
            else:
                assert found[place] == max(fewer, default=min(numbers))
            possible = [pieces for pieces in possible if pieces[place] == found[place]]
            amount -= found[place] * value


@given(st.integers(1, 120), SETS)
def test_the_smallest_pieces_are_taken_first(amount: int, pairs: list[tuple[int, int]]) -> None:
    values, stock = split(pairs)
    assert smallest_first(amount, values, stock) == max(all_mixes(amount, values, stock), default=None)


@given(st.integers(1, 60), st.integers(1, 6), SETS)
def test_small_change_stays_in_the_bank_where_that_can_be(
    chips: int, players: int, pairs: list[tuple[int, int]]
) -> None:
    values, stock = split(pairs)
    each = Bank.with_out(tuple(Colour("", *pair) for pair in sorted(pairs)), {}).hand_out(chips, players)
    for_each = all_mixes(chips, values, tuple(pieces // players for pieces in stock))
    if any(pieces[0] * players < stock[0] for pieces in for_each):
        assert each[0].pieces * players < stock[0]


@given(st.integers(1, 60), st.integers(1, 6), SETS)
def test_what_the_bank_hands_to_everybody_it_has_for_everybody(
    chips: int, players: int, pairs: list[tuple[int, int]]
) -> None:
    bank = Bank.with_out(tuple(Colour("", *pair) for pair in sorted(pairs)), {})
    each = bank.hand_out(chips, players)
    assert worth(each) in (0, chips)
    assert all(colour.pieces * players <= owned.pieces for colour, owned in zip(each, bank.colours, strict=False))

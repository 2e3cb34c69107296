"""The arrows across the table."""

import re
from itertools import combinations, permutations

import pytest

from scorekeeper.rules import Payment, Seat
from scorekeeper.web.picture import HEIGHT, WIDTH, Arrow, arrows, seen_from

MOST_AT_TABLE = 8


def ends(arrow: Arrow) -> tuple[complex, complex]:
    """Where the path of an arrow begins and ends."""
    x, y, *_bend, to_x, to_y = map(int, re.findall(r"-?\d+", arrow.path))
    return complex(x, y), complex(to_x, to_y)


def pay(payer: int, payee: int, chips: int = 1) -> Payment:
    return Payment(Seat(payer), Seat(payee), chips)


@pytest.mark.parametrize("number", range(2, MOST_AT_TABLE + 1))
def test_there_and_back_are_the_same_places(number: int) -> None:
    for one, other in permutations(range(number), 2):
        (there,), (back,) = arrows([pay(one, other)], range(number)), arrows([pay(other, one)], range(number))

        assert ends(there) == ends(back)[::-1]


@pytest.mark.parametrize("number", range(2, MOST_AT_TABLE + 1))
def test_everybody_has_a_place_of_their_own_at_the_edge(number: int) -> None:
    places = [ends(arrows([pay(seat, (seat + 1) % number)], range(number))[0])[0] for seat in range(number)]

    assert len(set(places)) == number
    for place in places:
        assert {place.real, place.imag} & {6, WIDTH - 6, HEIGHT - 6}
        assert 0 < place.real < WIDTH
        assert 0 < place.imag < HEIGHT


def test_four_sit_clockwise_from_below() -> None:
    below, left, above, right = (ends(arrows([pay(seat, (seat + 2) % 4)], range(4))[0])[0] for seat in range(4))

    assert left.real < below.real == above.real < right.real
    assert above.imag < left.imag == right.imag < below.imag


@pytest.mark.parametrize("number", range(2, 7))
@pytest.mark.parametrize("everybody_pays", [True, False])
def test_no_number_lies_on_another(number: int, everybody_pays: bool) -> None:
    for one in range(number):
        others = [other for other in range(number) if other != one]
        drawn = arrows([pay(other, one) if everybody_pays else pay(one, other) for other in others], range(number))

        assert len(drawn) == number - 1
        for arrow, other_arrow in combinations(drawn, 2):
            assert abs(complex(arrow.x - other_arrow.x, arrow.y - other_arrow.y)) >= arrow.width


def test_numbers_on_arrows_that_cross_lie_apart() -> None:
    first, second = arrows([pay(0, 2), pay(1, 3)], range(4))

    assert abs(complex(first.x - second.x, first.y - second.y)) >= first.width


def test_a_large_number_has_a_wide_field() -> None:
    small, large = (arrows([pay(0, 1, chips)], range(4))[0] for chips in (1, 12_345))

    assert (small.chips, large.chips) == ("1", "12,345")
    assert large.width > 2 * small.width
    assert large.left == -large.width / 2


def test_whoever_has_left_the_table_is_paid_in_words_only() -> None:
    assert arrows([pay(0, 1), pay(0, 3)], [0, 2, 3]) == arrows([pay(0, 3)], [0, 2, 3])


@pytest.mark.parametrize(
    ("side", "seats"), [(None, [0, 2, 3, 5]), (0, [0, 2, 3, 5]), (3, [3, 5, 0, 2]), (1, [0, 2, 3, 5])]
)
def test_the_table_is_seen_from_ones_own_side_as_long_as_one_sits_there(side: int | None, seats: list[int]) -> None:
    assert list(seen_from(side, (0, 2, 3, 5))) == seats


@pytest.mark.parametrize("number", [4, 5, 6])
def test_no_number_lies_on_another_where_two_play_together(number: int) -> None:
    for playing in combinations(range(number), 4):
        for declarer, partner in permutations(playing, 2):
            others = [seat for seat in playing if seat not in (declarer, partner)]
            for payments in (
                [pay(others[0], declarer), pay(others[1], partner)],
                [pay(declarer, others[0]), pay(partner, others[1])],
            ):
                first, second = arrows(payments, range(number))
                assert abs(complex(first.x - second.x, first.y - second.y)) >= first.width

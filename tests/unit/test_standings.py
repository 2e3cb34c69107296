"""Standings: who stands where, and who shares a place."""

import pytest

from scorekeeper.ledger import Standing, standings


def test_equal_totals_share_a_place_and_the_next_is_skipped() -> None:
    assert standings({"Ann": 0, "Ben": 5, "Cleo": 0, "Dan": -5}) == (
        Standing(1, "Ben", 5),
        Standing(2, "Ann", 0),
        Standing(2, "Cleo", 0),
        Standing(4, "Dan", -5),
    )


def test_the_lowest_total_wins_where_points_count_down() -> None:
    ranked = standings({"Ann": 3, "Ben": -2, "Cleo": 3, "Dan": 0}, lowest_wins=True)
    assert [(standing.place, standing.player) for standing in ranked] == [
        (1, "Ben"),
        (2, "Dan"),
        (3, "Ann"),
        (3, "Cleo"),
    ]


@pytest.mark.parametrize("lowest_wins", [False, True])
def test_ties_keep_the_order_given(lowest_wins: bool) -> None:
    ranked = standings({"Dan": 1, "Ann": 1, "Cleo": 1}, lowest_wins=lowest_wins)
    assert [(standing.place, standing.player) for standing in ranked] == [(1, "Dan"), (1, "Ann"), (1, "Cleo")]


def test_nobody_has_no_standings() -> None:
    assert standings({}) == ()

"""What it takes to win with the next deal."""

from dataclasses import replace

import pytest

from scorekeeper.rules import Line, Seat, ruleset


def needed(rules: str, *totals: int, **changes: object) -> tuple[Line, ...]:
    game, options = ruleset(rules)
    options = game.with_house_rules(options, changes)
    return game.needed(replace(game.open_table(options), totals=totals))


def tricks(lines: tuple[Line, ...]) -> dict[object, tuple[object, object]]:
    """By seat: the tricks it needs, and as maker."""
    return {
        line.values["player"]: (line.values["tricks"], line.values["as_maker"])
        for line in lines
        if line.code == "needs"
    }


def test_from_five_points_down_it_is_said_what_each_needs() -> None:
    assert tricks(needed("dirty-clubs", 6, 5, 3, 1)) == {1: (5, 5), 2: (3, 3), 3: (1, 3)}


def test_far_from_the_end_nothing_is_said() -> None:
    assert needed("dirty-clubs", 25, 6, 12, 25) == ()


def test_alone_so_near_there_is_nothing_to_share() -> None:
    assert [line.code for line in needed("dirty-clubs", 25, 5, 12, 25)] == ["needs"]


def test_of_several_the_lowest_is_ahead() -> None:
    lines = needed("dirty-clubs", 25, 5, 2, 4)
    assert [line.code for line in lines] == ["needs", "needs", "needs", "ahead", "level"]
    assert lines[3].values == {"player": 2}
    assert lines[4].values == {"players": (1, 2, 3), "extra_deal": False}


def test_nobody_is_ahead_of_somebody_level() -> None:
    assert [line.code for line in needed("dirty-clubs", 2, 2, 25, 25)] == ["needs", "needs", "level"]


def test_level_players_play_on_where_the_rules_say_so() -> None:
    assert needed("buck-euchre-bid", 2, 3, 15, 15)[-1].values["extra_deal"] is True


def test_a_bidder_may_owe_less_than_a_maker() -> None:
    assert tricks(needed("buck-euchre-bid", 1, 15, 15, 15)) == {0: (1, 2)}


def test_points_and_targets_of_the_house_count() -> None:
    assert tricks(needed("dirty-clubs", 11, 7, 25, 25, target=5, per_trick=2)) == {0: (3, 3), 1: (1, 3)}


def test_a_game_that_is_over_needs_nothing() -> None:
    game, options = ruleset("dirty-clubs")
    over = replace(game.open_table(options), totals=(0, 3, 4, 5), winners=(Seat(0),))
    assert game.needed(over) == ()


@pytest.mark.parametrize("rules", ["mensch", "mensch-russian"])
def test_in_mensch_nobody_needs_anything(rules: str) -> None:
    assert needed(rules, -3, 3, 0, 0) == ()

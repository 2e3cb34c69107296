"""What it takes to win with the next deal."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from scorekeeper.rules import RULESETS, DealScore, Facts, Line, Refused, Seat, Table, ruleset
from tests.deals import every_value


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


# --- against every deal there can be


def tables(ruleset_id: str) -> list[Table]:
    """Tables at which several are near the end: above the target, level at or below it, with four, five and six."""
    game, published = ruleset(ruleset_id)
    players = game.players(published)
    found = []
    houses: list[dict[str, object]] = [{}, {"floor": "target"}, {"others_need": 2, "club_dealer_needs": 0}, MILD]
    for place, house in enumerate(houses):
        rules = game.with_house_rules(published, house)
        for more, totals in enumerate(((3, 1, 7, 5, 4, 2), (6, 2, 12, 2, 1, 5), (-1, 3, -1, 1, 5, 0))):
            if min(totals) > 0 or rules.options["level"] == "extra-deal":
                seats = players + (more + place) % 3
                opened = game.open_table(rules, seats=seats, dealer=Seat(place % players))
                found.append(replace(opened, totals=totals[:seats]))
    return found


MILD: dict[str, object] = {"short_penalty": 1, "none_penalty": 0, "per_trick": 2}
"""With penalties so small that one can fall short and still be there."""


def deals(table: Table) -> Iterator[Facts]:
    """Every number of tricks for everybody, in every role."""
    options: Any = table.ruleset.options
    bids = range(options["bid_low"], options["bid_high"] + 1) if options["maker_by"] == "bid" else (None,)
    (tricks,) = (field for field in RULESETS[table.ruleset.id].fields(table) if field.name == "tricks")
    for taken in every_value(tricks, table):
        yield {"turn_up": "clubs", "tricks": taken}
        yield {"turn_up": "hearts", "trump": "none", "tricks": taken}
        for maker in table.seats:
            others = [seat for seat in table.seats if seat != maker]
            for bid, dropped in product(bids, ([], others[:1], others)):
                made = {"turn_up": "hearts", "maker": maker, "trump": "spades", "tricks": taken, "dropped": dropped}
                yield made if bid is None else {**made, "bid": bid}


def scores(table: Table) -> Iterator[DealScore[Any]]:
    for facts in deals(table):
        with suppress(Refused):
            yield RULESETS[table.ruleset.id].play(facts, table)


NEAR = [
    pytest.param(table, id=f"{ruleset_id}-{place}")
    for ruleset_id, game in RULESETS.items()
    if game.several_games
    for place, table in enumerate(tables(ruleset_id))
]


@pytest.mark.parametrize("table", NEAR)
def test_what_is_needed_is_enough_and_nothing_less_is(table: Table) -> None:
    lines = RULESETS[table.ruleset.id].needed(table)
    needs = {line.values["player"]: line.values for line in lines if line.code == "needs"}
    ahead = next((line.values["player"] for line in lines if line.code == "ahead"), None)
    target: Any = table.ruleset.options["target"]
    met = set()
    for score in scores(table):
        deal: Any = score.deal
        there = {seat for seat in table.ring if score.table.totals[seat] <= target}
        for line in score.lines:
            role, seat, taken = (line.values.get(name) for name in ("role", "player", "tricks"))
            if role in (None, "dropped"):
                continue
            if seat not in needs:
                assert seat not in there or line.code == "sweep"
                continue
            assert (taken >= needed_as(role, needs[seat])) == (seat in there), (deal, seat)
            met.add(role)
        taken_there = {deal.tricks[seat] for seat in there}
        if ahead in there and len(taken_there) == 1:
            assert score.table.winners == (ahead,)
    roles = {row.case for row in RULESETS[table.ruleset.id].payoffs(table.ruleset)} - {"dropped"}
    assert roles - met <= ({"dealer"} if table.dealer not in needs else set())


def needed_as(role: Any, values: Any) -> Any:
    match role:
        case "player":
            return values["tricks"]
        case "dealer":
            return values["as_dealer"]
        case "maker" | "alone":
            return values["as_maker"]
    bid = int(role.removeprefix("bid-"))
    return max(bid, values["as_maker"]) if values["or_bid"] else values["as_maker"]

"""What holds for every card game and each of its rulesets; a new game is covered by joining ``CARD_GAMES``."""

import dataclasses
import json
import random
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from scorekeeper.rules import (
    CARD_GAMES,
    MISDEAL,
    MOST_SITTING_OUT,
    RULESETS,
    CardGame,
    DealScore,
    Refused,
    Result,
    Table,
)
from tests.deals import fill_in


def scores(game: CardGame[Any], table: Table, count: int = 200) -> list[DealScore[Any]]:
    """Deals one after another, game after game, filled in at random, always the same ones."""
    chance = random.Random(1)
    scored: list[DealScore[Any]] = []
    while len(scored) < count:
        if table.over:
            table = game.new_game(table)
        try:
            score = game.play(fill_in(game, table, chance.choice), table)
        except Refused:
            continue
        scored.append(score)
        table = score.table
    return scored


CLAMPED = {"floor": "target", "ceiling": "start"}
"""Nobody can fall below the target or rise above the start, but by an opening."""


def tables() -> Iterator[Any]:
    """A table of every ruleset with nobody, one and two sitting out, with what everybody begins with and with more."""
    for ruleset_id, game in RULESETS.items():
        rules = game.ruleset(ruleset_id)
        houses: list[dict[str, object]] = [{}]
        if game.several_games:
            stake: dict[str, object] = {"stake_loser": 7, "stake_penalty": 2, "stake_point": 1}
            houses = [stake, {**stake, **CLAMPED}]
        for house, more in product(houses, range(MOST_SITTING_OUT + 1)):
            table = game.open_table(game.with_house_rules(rules, house), seats=game.players(rules) + more)
            name = "-".join((ruleset_id, str(len(table.totals)), *sorted(house.keys() & CLAMPED)))
            yield pytest.param(table, id=name)
            opening = tuple(total + 9 * seat for seat, total in enumerate(table.totals))
            if not game.several_games:
                opening = (-sum(opening[1:]), *opening[1:])
            yield pytest.param(game.open_table(table.ruleset, opening=opening), id=f"{name}-high")


@pytest.fixture(params=tables(), scope="module")
def played(request: pytest.FixtureRequest) -> tuple[CardGame[Any], Table, list[DealScore[Any]]]:
    game = RULESETS[request.param.ruleset.id]
    return game, request.param, scores(game, request.param)


Played = tuple[CardGame[Any], Table, list[DealScore[Any]]]


def test_chips_sum_to_zero_and_the_payments_carry_them(played: Played) -> None:
    game, table, all_scores = played
    assert game.plays_for_chips(table.ruleset)
    assert any(any(score.chips) for score in all_scores)
    for score in all_scores:
        assert sum(score.chips) == 0
        paid = [0] * len(score.chips)
        for payment in score.payments:
            assert payment.chips > 0
            paid[payment.payer] -= payment.chips
            paid[payment.payee] += payment.chips
        assert tuple(paid) == score.chips


def test_totals_grow_by_the_points(played: Played) -> None:
    for score in played[2]:
        assert score.table.totals == tuple(map(sum, zip(score.before.totals, score.points, strict=True)))


def test_who_does_not_play_gets_nothing_and_stays_where_they_are(played: Played) -> None:
    for score in played[2]:
        out = {*range(len(score.points))} - {*score.before.seats}
        assert not any(score.points[seat] for seat in out)
        assert {line.values["player"] for line in score.lines if "change" in line.values}.isdisjoint(out)


def test_the_lines_add_up_to_the_change(played: Played) -> None:
    for score in played[2]:
        changes, chips = [0] * len(score.points), [0] * len(score.points)
        for line in score.lines:
            values: Any = line.values
            if "change" in values:
                changes[values["player"]] += values["change"]
            if line.code == "payment":
                chips[values["payer"]] -= values["chips"]
                chips[values["payee"]] += values["chips"]
        assert tuple(chips) == score.chips
        assert tuple(changes) == (score.points if played[0].several_games else (0,) * len(changes))


def test_the_deal_passes_left_after_every_scored_deal(played: Played) -> None:
    for score in played[2]:
        if score.result is not Result.PASSED_OUT:
            assert score.table.dealer == (score.before.dealer + 1) % len(score.points)
            assert score.table.deals == score.before.deals + 1


def test_a_table_survives_storage(played: Played) -> None:
    for score in played[2]:
        state = json.loads(json.dumps(score.table.state()))
        assert Table.restored(score.table.ruleset, state) == score.table


def test_facts_survive_json(played: Played) -> None:
    game, table, _ = played
    chance = random.Random(2)
    for _ in range(100):
        facts = fill_in(game, table, chance.choice)
        again = json.loads(json.dumps(facts))
        assert again == facts
        assert game.read(again, table) == game.read(facts, table)


def test_what_is_offered_can_be_recorded(played: Played) -> None:
    game, table, _ = played
    chance = random.Random(3)
    for _ in range(300):
        problems = game.check(game.read(fill_in(game, table, chance.choice), table), table)
        # A maker may be left out until the trump suit tells that there was one.
        assert {problem.code for problem in problems} <= {"MAKER_MISSING"}


@pytest.mark.parametrize("game", CARD_GAMES.values(), ids=lambda game: game.id)
def test_a_game_is_bid_as_its_course_goes_or_not_at_all(game: CardGame[Any]) -> None:
    table = game.open_table(game.rulesets[0])
    assert type(game)().bidding(table, ()) is None
    if game.course is not None:
        now = game.bidding(table, ())
        assert now is not None
        assert now == game.course(game, table, ())
        assert now.choices


@pytest.mark.parametrize("game", CARD_GAMES.values(), ids=lambda game: game.id)
def test_fields_are_named_as_the_deal_names_them(game: CardGame[Any]) -> None:
    tables = [game.open_table(rules) for rules in game.rulesets]
    deal: Any = scores(game, tables[0], 1)[0].deal
    names = {field.name for field in dataclasses.fields(deal)}
    assert {field.name for table in tables for field in game.fields(table)} == names


def test_a_misdeal_changes_nothing(played: Played) -> None:
    game, table, _ = played
    score = game.play(MISDEAL, table)
    assert (score.result, score.table) == (Result.MISDEAL, table)
    assert not any((*score.points, *score.chips, *score.payments))
    assert [line.code for line in score.lines] == ["misdeal"]


def test_a_misdeal_is_exactly_that(played: Played) -> None:
    game, table, _ = played
    for facts in ({"misdeal": 1}, {"misdeal": False}, {"misdeal": True, "tricks": 5}):
        with pytest.raises(Refused) as refused:
            game.play(facts, table)
        assert ("MALFORMED", "misdeal") in [(problem.code, problem.field) for problem in refused.value.problems]


def test_every_role_and_number_of_tricks_has_one_payoff(played: Played) -> None:
    game, table, _ = played
    covered = [
        (row.case, trump, tricks)
        for row in game.payoffs(table.ruleset)
        for trump in (("clubs", "other") if row.trump == "any" else (row.trump,))
        for tricks in range(row.low, row.high + 1)
    ]
    assert len(covered) == len(set(covered)) > 0


@pytest.mark.parametrize("table", list(tables()))
def test_between_the_steady_totals_a_deal_brings_the_same_wherever_they_stand(table: Table) -> None:
    game = RULESETS[table.ruleset.id]
    low, high = game.steady(table.ruleset)
    chance = random.Random(2)
    lowest, highest = (-30 if low is None else low + 1), (60 if high is None else high - 1)

    def steady(score: DealScore[Any]) -> bool:
        return all(lowest <= total <= highest for total in score.table.totals)

    compared = 0
    for _ in range(600):
        here, there = (
            dataclasses.replace(table, totals=tuple(chance.randint(lowest, highest) for _ in table.totals))
            for _ in range(2)
        )
        facts = fill_in(game, here, chance.choice)
        try:
            score = game.play(facts, here)
        except Refused:
            continue
        after = [total + points for total, points in zip(there.totals, score.points, strict=True)]
        if score.outcome or not steady(score) or not all(lowest <= total <= highest for total in after):
            continue
        other = game.play(facts, there)
        compared += 1
        assert other.outcome is None
        assert (other.points, other.chips, other.result, other.table.dealer) == (
            score.points,
            score.chips,
            score.result,
            score.table.dealer,
        )
    assert compared > 20

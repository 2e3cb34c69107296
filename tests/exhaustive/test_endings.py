"""The endings a page carries are those the rules give: looked up answer by answer, they say what scoring says."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from scorekeeper.rules import (
    MOST_SITTING_OUT,
    NOBODY,
    RULESETS,
    CardGame,
    DealScore,
    Facts,
    FieldKind,
    Refused,
    Result,
    Seat,
    Table,
    ruleset,
)
from scorekeeper.rules.base import word_of
from scorekeeper.rules.endings import Endings, endings
from tests.deals import every_deal

STAKES = {"stake_loser": 7, "stake_penalty": 2, "stake_point": 1}


def tables(ruleset_id: str) -> list[Table]:
    """A table at which a game may end, where everybody stands differently, and the first of a session."""
    game, rules = ruleset(ruleset_id)
    if not game.several_games:
        return [game.open_table(rules)]
    rules = game.with_house_rules(rules, STAKES)
    totals = tuple(random.Random(ruleset_id).sample(range(1, 9), game.players(rules)))
    last = Seat(len(totals) - 1)
    return [replace(game.open_table(rules, dealer=last, opening=totals), penalties=totals), game.open_table(rules)]


def answers(game: CardGame[Any], table: Table, facts: Facts) -> list[str]:
    """*facts* as a form has them, one word after the other."""
    said = dict(facts)
    words = []
    for field in game.fields(table):
        if field.nobody is not None and field.name not in facts and facts.get(field.nobody[0]) == field.nobody[1]:
            said[field.name] = NOBODY
            del said[field.nobody[0]]
    for field in game.asked(said, table):
        value: Any = said.get(field.name)
        if field.detail or field.follows or field.kind is FieldKind.FLAG:
            continue
        if field.kind is FieldKind.NUMBERS:
            words += [str(value[seat]) for seat in field.seats[:-1]]
        else:
            words.append(",".join(map(str, value)) if isinstance(value, list) else word_of(value))
    return words


def look_up(found: Endings, words: list[str]) -> DealScore[Any] | None:
    at: int | None = found.root
    for word in words:
        node: Any = found.nodes[at or 0]
        at = dict(node).get(word) if node and isinstance(node[0], tuple) else node[int(word)]
        if at is None:
            return None
    return found.scores[at or 0]


def told(score: DealScore[Any]) -> tuple[object, ...]:
    """What a preview shows of a deal."""
    opening = score.lines[0] if score.result in (Result.PLAYED, Result.PASSED_OUT) else None
    return score.points, score.chips, score.result, score.outcome, score.payments, score.table.totals, opening


@pytest.mark.parametrize("ruleset_id", RULESETS)
def test_every_deal_that_can_be_entered_is_found_as_it_is_scored(ruleset_id: str) -> None:
    game = RULESETS[ruleset_id]
    for table, step in zip(tables(ruleset_id), (1, 9), strict=False):
        found = endings(game, table)
        assert found is not None
        met: set[int] = set()
        for facts in islice(every_deal(game, table), None, None, step):
            words = answers(game, table, facts)
            try:
                score = game.play(facts, table)
            except Refused:
                assert "" in words or look_up(found, words) is None
                continue
            ending = look_up(found, words)
            assert ending is not None, facts
            assert told(ending) == told(score), facts
            met.add(id(ending))
        assert step > 1 or len(met) == len(found.scores)


def test_with_one_too_many_the_others_endings_are_counted_out() -> None:
    game, rules = ruleset("dirty-clubs")
    table = game.open_table(rules, seats=5, dealer=Seat(2))
    found = endings(game, table)
    assert found is not None
    assert {score.points[2] for score in found.scores} == {0}
    facts = {"turn_up": "spades", "maker": 3, "trump": "hearts", "tricks": [0, 1, 0, 3, 1]}
    ending = look_up(found, answers(game, table, facts))
    assert ending is not None
    assert ending.points == game.play(facts, table).points == (5, -1, 0, -3, -1)


@pytest.mark.parametrize("more", range(MOST_SITTING_OUT + 1))
@pytest.mark.parametrize("ruleset_id", RULESETS)
def test_every_published_ruleset_is_counted_out_whoever_sits_out(ruleset_id: str, more: int) -> None:
    game, rules = ruleset(ruleset_id)
    found = endings(game, game.open_table(rules, seats=game.players(rules) + more))
    assert found is not None
    assert found.scores


def test_a_game_with_too_many_endings_is_left_to_be_asked_for() -> None:
    game, rules = ruleset("buck-euchre-bid")

    def found(hand: int) -> Endings | None:
        return endings(game, game.open_table(game.with_house_rules(rules, {"hand": hand, "cards": 52})))

    # 5,414 deals and 6,877.
    assert found(8) is not None
    assert found(9) is None


def test_where_too_few_are_there_to_play_there_are_no_endings() -> None:
    game, rules = ruleset("mensch")
    assert endings(game, game.open_table(rules).seated((Seat(0), Seat(1), Seat(2)), 0)) is None


def test_who_named_which_suit_cannot_be_counted_out() -> None:
    game, rules = ruleset("dirty-clubs")
    assert endings(game, game.open_table(game.with_house_rules(rules, {"all_guessers": True}))) is None


def test_a_suit_turned_down_is_no_answer() -> None:
    game, rules = ruleset("dirty-clubs")
    table = game.open_table(game.with_house_rules(rules, {"turned_suit": "not-named"}))
    found = endings(game, table)
    assert found is not None
    assert look_up(found, ["hearts", "1", "spades", "2", "2", "1"]) is not None
    assert look_up(found, ["spades", "1", "spades", "2", "2", "1"]) is None

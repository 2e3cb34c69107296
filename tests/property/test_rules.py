"""The rules of every card game under any input, and the invariants of Rules §5.1 over any course of play."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.rules import (
    MOST_SITTING_OUT,
    RULESETS,
    CardGame,
    DealScore,
    Facts,
    FieldKind,
    Problem,
    Refused,
    Seat,
    Suit,
    Table,
    ruleset,
)
from tests.deals import fill_in

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
NEAR_MISSES = st.sampled_from(
    ["half", "five-after", "forced", "passed-out", "clubs", "none", "pass", "AS", 0, 3, 5, -1, 10**40, True, None]
)
SMALL_LISTS = st.lists(NEAR_MISSES | st.lists(NEAR_MISSES, max_size=3), max_size=5)


def play(data: st.DataObject, ruleset_id: str, most: int = 12, **house_rules: object) -> list[DealScore[Any]]:
    """A course of legal deals, until a game ends."""
    game, rules = ruleset(ruleset_id)
    rules = game.with_house_rules(rules, house_rules)
    dealer = Seat(data.draw(st.integers(0, game.players(rules) - 1)))
    table = game.open_table(rules, dealer=dealer)
    scores = []
    for _ in range(data.draw(st.integers(1, most))):
        facts = fill_in(game, table, lambda options: data.draw(st.sampled_from(options)))
        deal = game.read(facts, table)
        if not game.check(deal, table):
            scores.append(game.score(deal, table))
            table = scores[-1].table
        if table.over:
            break
    return scores


HOUSES: list[tuple[str, dict[str, object]]] = [
    *((ruleset_id, {}) for ruleset_id in RULESETS),
    ("mensch", {"partnership": "fixed", "bids_each": 3}),
    ("mensch-russian", {"partnership": "agreed", "first_bidder": "left-of-dealer"}),
    ("dirty-clubs", {"one_card_each": True, "all_guessers": True, "floor": "target"}),
    ("buck-euchre-bid", {"call_no_trump": True, "passed_out": "no-trump", "ceiling": "start"}),
]


def a_table(data: st.DataObject, game: CardGame[Any], start: Table) -> Table:
    """One with empty chairs, at which people sit in any order: two at least, and at most as many as can sit out."""
    players = game.players(start.ruleset)
    chairs = players if game.pairs(start.ruleset) else players + MOST_SITTING_OUT
    there = data.draw(st.permutations(range(chairs)))[: data.draw(st.sampled_from((players, *range(2, chairs + 1))))]
    if game.pairs(start.ruleset):
        # Partners stay opposite each other.
        there.sort()
    totals = tuple(data.draw(st.integers(-6, 30)) for _ in range(chairs))
    dealer = Seat(data.draw(st.sampled_from(there)))
    return replace(start, dealer=dealer, totals=totals, penalties=(0,) * chairs, present=tuple(map(Seat, there)))


def some_facts(data: st.DataObject, game: CardGame[Any], table: Table) -> Facts:
    """A deal with anything at all in place of some facts, or with anybody who has a chair in them."""
    fields = game.fields(table)
    filled = fill_in(game, table, lambda options: data.draw(st.sampled_from(options)))
    if data.draw(st.booleans()):
        anything = st.fixed_dictionaries(
            {}, optional={field.name: JSON | NEAR_MISSES | SMALL_LISTS for field in fields}
        )
        more = data.draw(st.dictionaries(st.text(max_size=6), JSON, max_size=1))
        return {**(filled if data.draw(st.booleans()) else {}), **data.draw(anything), **more}
    chair = st.sampled_from(range(len(table.totals)))
    by_kind: dict[FieldKind, st.SearchStrategy[object]] = {
        FieldKind.SEAT: chair,
        FieldKind.SEATS: st.lists(chair, max_size=3),
        FieldKind.SUITS: st.lists(st.sampled_from([*Suit, None]), min_size=len(table.totals), max_size=8),
    }
    anybody = {field.name: by_kind[field.kind] for field in fields if field.kind in by_kind}
    auctions = {
        field.name: st.lists(st.tuples(chair, st.sampled_from(field.choices)).map(list), min_size=1, max_size=6)
        for field in fields
        if field.kind is FieldKind.AUCTION
    }
    return {**filled, **data.draw(st.fixed_dictionaries(auctions, optional={**anybody, "dealer": chair}))}


@pytest.mark.parametrize(("ruleset_id", "house"), HOUSES)
@given(data=st.data())
def test_any_facts_are_scored_or_refused_at_any_table(
    ruleset_id: str, house: dict[str, object], data: st.DataObject
) -> None:
    game, rules = ruleset(ruleset_id)
    table = game.open_table(game.with_house_rules(rules, house))
    if data.draw(st.booleans()):
        table = a_table(data, game, table)
    facts = some_facts(data, game, table)

    names = {field.name for field in game.fields(table)}
    assert {field.name for field in game.offered(facts, table)} <= {field.name for field in game.asked(facts, table)}
    assert {field.name for field in game.asked(facts, table)} <= names
    assert facts.keys() <= game.complete(facts, table).keys()
    assert {line.values["player"] for line in game.needed(table) if line.code == "needs"} <= set(table.seats)
    assert all(row in game.payoffs(table.ruleset) for row in game.outlook(facts, table))
    problems: tuple[Problem, ...] = ()
    try:
        declared = game.declare(facts, table)
    except Refused as refused:
        problems = refused.problems
    else:
        assert game.declare(declared, table) == declared
    try:
        score = game.play(facts, table)
    except Refused as refused:
        problems += refused.problems
    else:
        assert score.lines
        assert sum(score.chips) == 0
        assert {seat for seat, points in enumerate(score.points) if points} <= set(score.before.seats)
    assert all(problem.code for problem in problems)


@pytest.mark.parametrize("ruleset_id", RULESETS)
@given(data=st.data())
def test_replaying_equals_scoring_step_by_step(ruleset_id: str, data: st.DataObject) -> None:
    game, rules = ruleset(ruleset_id)
    table = game.open_table(rules)
    choose = data.draw(st.randoms(use_true_random=False)).choice
    deals: list[Facts] = []
    now = table
    while len(deals) < 6 and not now.over:
        facts = fill_in(game, now, choose)
        if not game.check(game.read(facts, now), now):
            deals.append(facts)
            now = game.play(facts, now).table
    assert game.replay(deals, table)[-1].table == now


MENSCH_CHANGES = {sign * chips for sign in (-1, 1) for chips in (0, 1, 2, 3, 4, 6, 8, 12, 24)}


@pytest.mark.parametrize("ruleset_id", ["mensch", "mensch-russian", "mensch-russian-printed"])
@given(data=st.data())
def test_mensch_keeps_to_its_invariants(ruleset_id: str, data: st.DataObject) -> None:
    for score in play(data, ruleset_id):
        assert sum(score.points) == sum(score.table.totals) == 0
        assert set(score.points) <= MENSCH_CHANGES
        deal: Any = score.deal
        side = {deal.declarer, deal.partner} - {None}
        assert len({score.points[seat] for seat in side}) <= 1
        assert len({score.points[seat] for seat in score.before.seats if seat not in side}) == 1


@pytest.mark.parametrize("contract", ["five", "six", "seven"])
@pytest.mark.parametrize("ruleset_id", ["mensch", "mensch-russian"])
@given(tricks=st.integers(0, 8), declarer=st.integers(0, 3))
def test_a_contract_chosen_in_clubs_pays_what_its_after_pays(
    ruleset_id: str, contract: str, tricks: int, declarer: int
) -> None:
    game, rules = ruleset(ruleset_id)
    table = game.open_table(rules)
    facts = {"contract": contract, "declarer": declarer, "trump": "clubs", "tricks": tricks}
    assert game.play(facts, table).points == game.play({**facts, "contract": f"{contract}-after"}, table).points


LOWEST = {
    "dirty-clubs": -3,
    "buck-euchre-no-drop": -3,
    "buck-euchre": -4,
    "buck-euchre-bid": -4,
    "buck-euchre-three": -4,
}


@pytest.mark.parametrize("ruleset_id", LOWEST)
@given(data=st.data())
def test_dirty_clubs_keeps_to_its_invariants(ruleset_id: str, data: st.DataObject) -> None:
    for score in play(data, ruleset_id, start=6):
        before, after = score.before.totals, score.table.totals
        deal: Any = score.deal
        assert all(total >= 1 for total in before) or before.count(min(before)) > 1
        if score.outcome and score.outcome.rule == "sweep":
            assert [total for total in after if total <= 0] == [0]
            assert score.outcome.winners == (after.index(0),)
        else:
            assert set(score.points) <= {5, 0, -1, -2, -3, -4, -5}
        if min(before) >= 1:
            assert min(after) >= LOWEST[ruleset_id]
        if deal.turn_up == "clubs" or deal.trump == "none":
            assert deal.maker is None
            assert deal.dropped == ()
        if deal.tricks is not None:
            assert sum(deal.tricks) == 5
            assert all(deal.tricks[seat] == 0 and score.points[seat] == 0 for seat in deal.dropped)
        assert score.table.over is (score.outcome is not None)
        if score.outcome:
            assert {after[winner] for winner in score.outcome.winners} == {min(after)}


@pytest.mark.parametrize("ruleset_id", LOWEST)
@given(data=st.data())
def test_a_table_turned_round_scores_the_same(ruleset_id: str, data: st.DataObject) -> None:
    game, rules = ruleset(ruleset_id)
    players = game.players(rules)
    facts = dict(fill_in(game, game.open_table(rules), data.draw(st.randoms(use_true_random=False)).choice))
    table = game.open_table(rules)
    if game.check(game.read(facts, table), table):
        return
    turned: dict[str, Any] = dict(facts)
    if "maker" in turned:
        turned["maker"] = (turned["maker"] + 1) % players
    if "dropped" in turned:
        turned["dropped"] = [(seat + 1) % players for seat in turned["dropped"]]
    if "tricks" in turned:
        turned["tricks"] = [turned["tricks"][seat - 1] for seat in range(players)]
    if "named" in turned:
        turned["named"] = [turned["named"][seat - 1] for seat in range(players)]
    there = game.play(turned, game.open_table(rules, dealer=Seat(1))).points
    here = game.play(facts, table).points
    assert [there[(seat + 1) % players] for seat in range(players)] == list(here)

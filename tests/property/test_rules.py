"""The rules of every card game under any input, and the invariants of Rules §5.1 over any course of play."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.rules import RULESETS, DealScore, Facts, Refused, Seat, ruleset
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


@pytest.mark.parametrize("ruleset_id", RULESETS)
@given(data=st.data())
def test_any_facts_are_scored_or_refused(ruleset_id: str, data: st.DataObject) -> None:
    game, rules = ruleset(ruleset_id)
    table = game.open_table(rules)
    names = st.sampled_from([field.name for field in game.fields(table)])
    facts: dict[str, object] = data.draw(st.dictionaries(names | st.text(max_size=6), JSON | NEAR_MISSES | SMALL_LISTS))
    if data.draw(st.booleans()):
        facts = {**fill_in(game, table, lambda options: data.draw(st.sampled_from(options))), **facts}

    assert {field.name for field in game.offered(facts, table)} <= {field.name for field in game.fields(table)}
    try:
        score = game.play(facts, table)
    except Refused as refused:
        problems = refused.problems
    else:
        assert score.lines
        assert sum(score.chips) == 0
        return
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

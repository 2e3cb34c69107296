"""House rules: each changes what it says, none can be set to nonsense, and a session keeps its own copy."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from scorekeeper.rules import CARD_GAMES, RULESETS, CardGame, Facts, IllegalRules, OptionValue, Refused, Ruleset

MENSCH, DIRTY_CLUBS = CARD_GAMES["mensch"], CARD_GAMES["dirty-clubs"]
CONTRACTS = ("half", "after", "five", "five-after", "six", "six-after", "seven", "seven-after", "solo", "forced")

# Shown to people, and not for the app to check: how cards are dealt, who bids on or leads, what players remind one
# another of; and Mensch is for four, as its payments are.
SHOWN_ONLY = {"mensch": {"players", "dealing", "reminder", "first_lead"}, "dirty-clubs": {"bidding"}}


def house(ruleset_id: str, changes: Mapping[str, object]) -> tuple[CardGame[Any], Ruleset]:
    game = RULESETS[ruleset_id]
    return game, game.with_house_rules(game.ruleset(ruleset_id), changes)


def came_of_it(
    ruleset_id: str, changes: Mapping[str, object], deals: Sequence[Facts], opening: tuple[int, ...] | None
) -> object:
    """Scores of *deals*, or the refusal they meet: everything a person would notice."""
    game, ruleset = house(ruleset_id, changes)
    table = game.open_table(ruleset, opening=opening)
    noticed: list[object] = []
    for facts in deals:
        try:
            score = game.play(facts, table)
        except Refused as refused:
            return [*noticed, [(problem.code, problem.field) for problem in refused.problems]]
        table = score.table
        noticed.append((score.result, score.points, score.chips, table.dealer, table.winners))
    return noticed


HALF: Facts = {"contract": "half", "declarer": 1, "partner": 3, "trump": "clubs", "tricks": 5}
SPADES: Facts = {**HALF, "contract": "five", "trump": "spades"}
MADE: Facts = {"turn_up": "spades", "maker": 1, "trump": "hearts", "tricks": [1, 3, 1, 0]}
BID: Facts = {**MADE, "bid": 3}
CLUB: Facts = {"turn_up": "clubs", "tricks": [1, 2, 2, 0]}
SWEPT: Facts = {**MADE, "tricks": [0, 5, 0, 0]}
NO_TRUMP: Facts = {"turn_up": "spades", "trump": "none", "tricks": [1, 2, 2, 0]}
THROWN_IN: Facts = {"turn_up": "spades", "passed_out": True}
NAMED: Facts = {**MADE, "named": ["clubs", "hearts", "hearts", "spades"], "opened": ["diamonds", "hearts"]}


def without(facts: Facts, *names: str) -> Facts:
    return {name: value for name, value in facts.items() if name not in names}


def bidding(*bids: str) -> Facts:
    """The deal with this auction in which the highest bidder has the contract."""
    turns = [((1 + number) % 4, bid) for number, bid in enumerate(bids)]
    declarer, contract = [(seat, bid) for seat, bid in turns if bid != "pass"][-1]
    return {**SPADES, "contract": contract, "declarer": declarer, "auction": [list(turn) for turn in turns]}


# Option, its other value, and the ruleset, further house rules, deals and opening under which it shows.
Case = tuple[str, OptionValue, str, dict[str, object], list[Facts], tuple[int, ...] | None]
CASES: list[Case] = [
    ("cards", 28, "mensch", {}, [], None),
    ("first_bidder", "dealer", "mensch", {}, [{**HALF, "auction": [[1, "half"]]}], None),
    ("bids_each", 2, "mensch", {}, [without(bidding("pass", "pass", "pass", "pass", "five"), "partner")], None),
    ("ladder", "three-rungs", "mensch", {}, [without(bidding("six", "five"), "partner")], None),
    (
        "after_bids",
        "unchecked",
        "mensch",
        {},
        [without({**bidding("pass", "five-after"), "trump": "clubs"}, "partner")],
        None,
    ),
    ("passed_out", "same-dealer", "mensch", {}, [{"contract": "passed-out"}], None),
    ("passed_out", "next-dealer", "mensch-russian", {}, [{"contract": "passed-out"}], None),
    ("partnership", "agreed", "mensch", {}, [{**HALF, "called_card": "AS"}], None),
    ("partnership", "fixed", "mensch", {}, [{**HALF, "partner": 2}], None),
    ("call_trump", True, "mensch", {}, [{**HALF, "called_card": "AC"}], None),
    ("players", 3, "dirty-clubs", {}, [], None),
    ("cards", 22, "dirty-clubs", {}, [NAMED], None),
    ("hand", 4, "dirty-clubs", {"bid_high": 4}, [CLUB], None),
    ("start", 20, "dirty-clubs", {}, [], None),
    ("target", 5, "dirty-clubs", {}, [CLUB], (20, 7, 9, 9)),
    ("per_trick", 2, "dirty-clubs", {}, [CLUB], None),
    ("maker_by", "order-up", "dirty-clubs", {}, [NAMED], None),
    ("maker_by", "bid", "dirty-clubs", {}, [MADE], None),
    ("needs", 4, "dirty-clubs", {}, [MADE], None),
    ("bid_low", 4, "buck-euchre-bid", {}, [BID], None),
    ("bid_high", 2, "buck-euchre-bid", {}, [BID], None),
    ("short_penalty", 3, "dirty-clubs", {}, [{**MADE, "tricks": [2, 2, 1, 0]}], None),
    ("others_need", 2, "dirty-clubs", {}, [MADE], None),
    ("none_penalty", 3, "dirty-clubs", {}, [MADE], None),
    ("drop", "all-but-maker", "dirty-clubs", {}, [{**MADE, "dropped": [3]}], None),
    (
        "drop_without_trump",
        True,
        "buck-euchre",
        {"call_no_trump": True},
        [{**MADE, "trump": "none", "dropped": [3]}],
        None,
    ),
    ("dropped_penalty", 1, "buck-euchre", {}, [{**MADE, "dropped": [3]}], None),
    ("club_dealer_needs", 2, "dirty-clubs", {}, [CLUB], None),
    ("passed_out", "next-dealer", "dirty-clubs", {}, [NO_TRUMP], None),
    ("passed_out", "same-dealer", "buck-euchre-bid", {}, [THROWN_IN], None),
    ("turned_suit", "not-named", "dirty-clubs", {}, [{**MADE, "trump": "spades"}], None),
    ("call_no_trump", True, "buck-euchre", {}, [{**MADE, "trump": "none"}], None),
    ("sweep", "counts", "dirty-clubs", {}, [SWEPT], None),
    ("level", "extra-deal", "dirty-clubs", {}, [CLUB], (9, 2, 2, 9)),
    ("floor", "target", "dirty-clubs", {}, [CLUB], (9, 1, 9, 9)),
    ("ceiling", "start", "dirty-clubs", {}, [CLUB], None),
    ("one_card_each", True, "dirty-clubs", {}, [NAMED], None),
    ("all_guessers", True, "dirty-clubs", {}, [NAMED], None),
    ("stake_loser", 10, "dirty-clubs", {}, [CLUB], (9, 1, 9, 9)),
    ("stake_penalty", 10, "dirty-clubs", {}, [CLUB], (9, 1, 9, 9)),
    ("stake_point", 10, "dirty-clubs", {}, [CLUB], (9, 1, 9, 9)),
]


def contract_cases() -> list[Case]:
    cases: list[Case] = []
    for name in CONTRACTS:
        published = MENSCH.ruleset("mensch").options
        deal: dict[str, object] = {**SPADES, "contract": name, "declarer": 1}
        if published[f"{name}.declarers"] == 1:
            deal = {key: value for key, value in deal.items() if key != "partner"}
        needs = published[f"{name}.needs"]
        assert isinstance(needs, int)
        # As in a table where trump is always chosen and seven tricks make a Solo, so that every price is in use.
        open_to_all: dict[str, object] = {f"{name}.trump": "chosen", f"{name}.needs": min(needs, 7), f"{name}.made": 1}
        for kind, trump in (("", "spades"), ("clubs_", "clubs")):
            for rate, tricks in (("made", 7), ("set", 4), ("all", 8)):
                taken = {**deal, "trump": trump, "tricks": tricks}
                cases.append((f"{name}.{kind}{rate}", 99, "mensch", open_to_all, [taken], None))
        cases.append((f"{name}.needs", 4, "mensch", open_to_all, [{**deal, "tricks": 4}], None))
        declarers = 3 - int(published[f"{name}.declarers"])
        cases.append((f"{name}.declarers", declarers, "mensch", open_to_all, [{**deal, "tricks": 7}], None))
        clubs_only: dict[str, object] = {f"{name}.trump": "clubs", f"{name}.needs": min(needs, 7)}
        clubs_only |= {f"{name}.{rate}": 0 for rate in ("made", "set", "all")}
        cases.append((f"{name}.trump", "chosen", "mensch", clubs_only, [{**deal, "tricks": 7}], None))
        if name != "forced":
            cases.append((f"{name}.offered", False, "mensch", {}, [{**deal, "trump": "clubs", "tricks": 8}], None))
    return cases


# What must change together with an option, to be a rule at all.
TOGETHER: dict[str, dict[str, object]] = {
    "cards": {"hand": 7, "solo.needs": 7, "seven.needs": 6, "seven-after.needs": 6},
    "hand": {"cards": 24},
    "trump": {"made": 1},
}


@pytest.mark.parametrize("case", [*CASES, *contract_cases()], ids=lambda case: f"{case[2]}-{case[0]}-{case[1]}")
def test_an_option_changes_what_comes_of_a_deal(case: Case) -> None:
    option, value, ruleset_id, base, deals, opening = case
    changes = {**base, option: value}
    if ruleset_id == "mensch":
        contract, _, short = option.rpartition(".")
        prefix = f"{contract}." if contract else ""
        changes |= {f"{prefix}{name}": other for name, other in TOGETHER.get(short, {}).items()}
    before, after = (house(ruleset_id, rules)[1].options[option] for rules in (base, changes))
    assert before != after == value
    if deals:
        assert came_of_it(ruleset_id, base, deals, opening) != came_of_it(ruleset_id, changes, deals, opening)
    else:
        game, ruleset = house(ruleset_id, changes)
        published = game.ruleset(ruleset_id)
        openings = [(game.players(rules), game.start(rules)) for rules in (ruleset, published)]
        payoffs = [game.payoffs(rules) for rules in (ruleset, published)]
        assert openings[0] != openings[1] or payoffs[0] != payoffs[1]


@pytest.mark.parametrize("game", CARD_GAMES.values(), ids=lambda game: game.id)
def test_every_option_is_shown_to_change_something(game: CardGame[Any]) -> None:
    shown = {case[0] for case in [*CASES, *contract_cases()] if RULESETS[case[2]] is game}
    # One cannot change without the other: the whole deck is dealt.
    shown |= {"hand"} if game is MENSCH else set()
    assert {option.name for option in game.options} == shown | SHOWN_ONLY[game.id]


def refusal(ruleset_id: str, changes: Mapping[str, object]) -> list[tuple[str, str]]:
    with pytest.raises(IllegalRules) as refused:
        house(ruleset_id, changes)
    return [(problem.code, problem.field) for problem in refused.value.problems]


@pytest.mark.parametrize(
    ("ruleset_id", "changes", "field"),
    [
        ("mensch", {"hand": 7}, "cards"),
        ("mensch", {"hand": 9, "cards": 32}, "cards"),
        (
            "mensch",
            {"hand": 5, "cards": 20, "six.needs": 5, "six-after.needs": 5, "seven.needs": 5},
            "seven-after.needs",
        ),
        ("mensch", {"half.made": 3}, "half.made"),
        ("mensch", {"half.trump": "chosen"}, "half.made"),
        ("mensch", {"five.trump": "clubs"}, "five.made"),
        ("mensch", {"solo.made": 5}, "solo.made"),
        ("mensch", {"solo.clubs_made": 5}, "solo.clubs_made"),
        ("mensch-russian", {f"{name}.offered": False for name in CONTRACTS if name != "forced"}, "half.offered"),
        ("dirty-clubs", {"players": 5}, "cards"),
        ("dirty-clubs", {"target": 25}, "target"),
        ("dirty-clubs", {"start": 1, "target": 1}, "target"),
        ("dirty-clubs", {"needs": 6}, "needs"),
        ("dirty-clubs", {"others_need": 6}, "others_need"),
        ("dirty-clubs", {"club_dealer_needs": 6}, "club_dealer_needs"),
        ("buck-euchre-bid", {"bid_high": 6}, "bid_high"),
        ("buck-euchre-bid", {"bid_low": 5, "bid_high": 4}, "bid_low"),
        ("buck-euchre", {"one_card_each": True}, "one_card_each"),
        ("buck-euchre", {"all_guessers": True}, "all_guessers"),
        ("dirty-clubs", {"call_no_trump": True}, "call_no_trump"),
    ],
)
def test_options_that_contradict_one_another_are_refused(
    ruleset_id: str, changes: Mapping[str, object], field: str
) -> None:
    assert ("HOUSE_RULE_CONFLICT", field) in refusal(ruleset_id, changes)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"star": 1}, "HOUSE_RULE_UNKNOWN"),
        ({"start": 0}, "HOUSE_RULE_VALUE"),
        ({"start": 10**30}, "HOUSE_RULE_VALUE"),
        ({"start": True}, "HOUSE_RULE_VALUE"),
        ({"start": 20.0}, "HOUSE_RULE_VALUE"),
        ({"start": None}, "HOUSE_RULE_VALUE"),
        ({"sweep": "counts!"}, "HOUSE_RULE_VALUE"),
        ({"sweep": ["counts"]}, "HOUSE_RULE_VALUE"),
        ({"one_card_each": 1}, "HOUSE_RULE_VALUE"),
        ({"stake_loser": -1}, "HOUSE_RULE_VALUE"),
    ],
)
def test_an_option_is_not_set_to_nonsense(changes: Mapping[str, object], code: str) -> None:
    assert refusal("dirty-clubs", changes) == [(code, next(iter(changes)))]


@pytest.mark.parametrize("ruleset_id", RULESETS)
def test_a_published_ruleset_is_without_contradiction_and_within_its_bounds(ruleset_id: str) -> None:
    game = RULESETS[ruleset_id]
    ruleset = game.ruleset(ruleset_id)
    assert house(ruleset_id, ruleset.options)[1].options == ruleset.options
    assert list(ruleset.options) == [option.name for option in game.options]
    assert game.house_rules(ruleset) == {}


def test_a_session_restores_its_copy_of_the_rules() -> None:
    game, ruleset = house("dirty-clubs", {"start": 15, "level": "extra-deal"})
    restored = game.restored("dirty-clubs", dict(ruleset.options))
    assert restored.options == ruleset.options
    assert game.house_rules(restored) == {"start": 15, "level": "extra-deal"}


def test_seven_cards_each_leave_out_the_sevens() -> None:
    game, ruleset = house("mensch", {"cards": 28, **TOGETHER["cards"]})
    table = game.open_table(ruleset)
    assert game.play(without({**SPADES, "contract": "solo", "tricks": 7}, "partner"), table).points == (-4, 12, -4, -4)
    with pytest.raises(Refused) as refused:
        game.play({**HALF, "tricks": 8, "called_card": "7S"}, table)
    assert [problem.code for problem in refused.value.problems] == ["CARD_NOT_IN_DECK", "TRICKS_RANGE"]

"""The bidding: what may be said is what the rules accept, and the deal that falls out of it can be played."""

import json
import random
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest

from scorekeeper import words
from scorekeeper.rules import RULESETS, Bidding, CardGame, Facts, Refused, Seat, Step, Table, ruleset
from scorekeeper.rules.mensch import PASS
from tests.deals import bidding

NAMES = ("Ann", "Ben", "Cleo", "Dan", "Eve", "Fay")
HOUSES: dict[str, tuple[Mapping[str, object], ...]] = {
    "mensch": (
        {"bids_each": 2},
        {"bids_each": 8, "passed_out": "next-dealer"},
        {"ladder": "three-rungs", "after_bids": "unchecked", "bids_each": 3},
        {"after_bids": "unchecked", "partnership": "agreed"},
        {"first_bidder": "dealer", "partnership": "fixed", "half.offered": False},
        {"passed_out": "same-dealer", "first_lead": "alone-leads", "solo.offered": False},
    ),
    "dirty-clubs": (
        {"one_card_each": True},
        {"all_guessers": True},
        {"turned_suit": "not-named", "passed_out": "same-dealer"},
        {"cards": 52, "one_card_each": True, "players": 6},
        {"cards": 21},
    ),
    "buck-euchre": ({"call_no_trump": True}, {"turned_suit": "may-be-named", "passed_out": "next-dealer"}),
    "buck-euchre-bid": (
        {"bidding": "one-turn"},
        {"passed_out": "no-trump", "call_no_trump": True, "drop_without_trump": False},
        {"turned_suit": "not-named", "bid_high": 3, "players": 3},
    ),
}


def tables() -> Iterator[Any]:
    """A table of every ruleset with every dealer, and with one and two too many at it; and one of some house rules."""
    for ruleset_id in RULESETS:
        for house in ({}, *HOUSES.get(ruleset_id, ())):
            game, published = ruleset(ruleset_id)
            rules = game.with_house_rules(published, house)
            players = game.players(rules)
            for seats in (players,) if house else range(players, players + 3):
                if game.admits(rules, seats):
                    for dealer in (1,) if house else range(seats):
                        table = game.open_table(rules, seats=seats, dealer=Seat(dealer))
                        name = "-".join((ruleset_id, *map(str, house), str(seats), str(dealer)))
                        yield pytest.param(game, table, id=name)


TABLES = list(tables())
everywhere = pytest.mark.parametrize(("game", "table"), TABLES)


@cache
def courses(game: CardGame[Any], table: Table) -> list[list[Bidding]]:
    """Whole biddings, each step by step, said at random: some with a great many passes."""
    return [course(game, table, random.Random(seed), passes) for seed, passes in enumerate((0, 0.5, 0.7, 0.95) * 2)]


def course(game: CardGame[Any], table: Table, chance: random.Random, passes: float) -> list[Bidding]:
    so_far = [bidding(game, table, ())]
    while so_far[-1].turn is not None:
        now = so_far[-1]
        passed = PASS in now.choices and chance.random() < passes
        word = PASS if passed else chance.choice(now.choices)
        so_far.append(bidding(game, table, [*(saying.word for saying in now.said), word]))
    return so_far


def at(ruleset_id: str, *said: str, dealer: int = 3, seats: int | None = None, **house: object) -> Bidding:
    """The bidding after *said*; as Dan deals, Ann speaks first."""
    game, rules = ruleset(ruleset_id)
    table = game.open_table(game.with_house_rules(rules, house), seats=seats, dealer=Seat(dealer))
    now = bidding(game, table, said)
    assert [saying.word for saying in now.said] == list(said)
    return now


def reminders(now: Bidding) -> list[str]:
    return [words.line_sentence(line, NAMES) for line in now.reminders]


def outcome(now: Bidding) -> str:
    assert now.facts is not None
    return words.line_sentence(now.line, NAMES)


def played(table: Table, entered: Facts) -> Facts:
    """What was *entered* with all that a bidding leaves open, down to the tricks."""
    if entered.get("passed_out") or entered.get("contract") == "passed-out":
        return entered
    first = table.seats[0]
    if "contract" not in entered:
        hand = table.ruleset.options["hand"]
        return {**entered, "tricks": [hand if seat == first else 0 for seat in range(len(table.totals))]}
    facts: dict[str, Any] = {"declarer": first, "trump": "clubs", "tricks": 4, **entered}
    if table.ruleset.options[f"{facts['contract']}.declarers"] == 2:
        facts = {"partner": table.left_of(facts["declarer"], 2), **facts}
    return facts


@everywhere
def test_what_the_bidding_comes_to_can_be_played(game: CardGame[Any], table: Table) -> None:
    for *_, over in courses(game, table):
        assert over.facts is not None
        assert json.loads(json.dumps(over.facts)) == over.facts
        score = game.play(played(table, over.facts), table)
        assert outcome(over)
        if over.line.code == "thrown-in":
            assert score.lines == (over.line,)


@everywhere
def test_what_is_not_offered_is_refused(game: CardGame[Any], table: Table) -> None:
    for *going_on, _over in courses(game, table):
        for now in going_on:
            assert now.turn is not None
            assert set(now.choices) <= set(now.ladder)
            for word in set(now.ladder) - set(now.choices):
                assert bidding(game, table, [*(said.word for said in now.said), word]) == now
                if now.step is Step.BID and game.id == "mensch":
                    auction = [[said.seat, said.word] for said in now.said] + [[now.turn, word]]
                    facts: Facts = {"contract": word, "declarer": now.turn, "auction": auction}
                    field = "auction"
                elif now.step is Step.NAME:
                    named = [word if seat == now.turn else None for seat in range(len(table.totals))]
                    facts = {"turn_up": now.said[0].word, "maker": now.turn, "trump": word, "named": named}
                    field = "named"
                else:
                    continue
                with pytest.raises(Refused) as refused:
                    game.play(played(table, facts), table)
                assert field in [problem.field for problem in refused.value.problems]


@everywhere
def test_the_highest_bid_is_the_contract(game: CardGame[Any], table: Table) -> None:
    for *_, over in courses(game, table):
        assert over.facts is not None
        bids = [said for said in over.said if said.step is Step.BID and said.word != PASS]
        if bids:
            highest = bids[-1]
            who = over.facts.get("declarer", over.facts.get("maker"))
            assert (str(over.facts.get("contract", over.facts.get("bid"))), who) == (highest.word, highest.seat)
        else:
            assert "declarer" not in over.facts
            assert "bid" not in over.facts


@everywhere
def test_only_those_who_play_speak_and_the_dealer_shows_the_cards(game: CardGame[Any], table: Table) -> None:
    for *_, over in courses(game, table):
        for said in over.said:
            if said.step in (Step.TURN_UP, Step.OPEN):
                assert said.seat == table.dealer
            else:
                assert said.seat in table.seats


@pytest.mark.parametrize("ruleset_id", RULESETS)
def test_what_cannot_be_said_ends_what_is_heard(ruleset_id: str) -> None:
    game, rules = ruleset(ruleset_id)
    table = game.open_table(rules)
    first = bidding(game, table, ()).choices[0]
    for nonsense in ("", "nonsense", "Pass", "six-of-clubs", "order-up", "none", "1", "9" * 400):
        now = bidding(game, table, [first, nonsense, PASS, PASS, PASS, PASS, PASS, PASS, PASS, PASS])
        assert [said.word for said in now.said] == [first]


def test_each_bids_once_from_the_dealers_left_and_the_highest_plays() -> None:
    now = at("mensch")
    assert (now.step, now.turn) == (Step.BID, 0)
    ladder = "half after five five-after six six-after seven seven-after solo pass"
    assert now.ladder == tuple(ladder.split())
    assert now.choices == ("half", "five", "six", "seven", "solo", "pass")
    now = at("mensch", "pass", "half")
    assert (now.turn, now.choices) == (2, ("after", "five", "six", "seven", "solo", "pass"))
    now = at("mensch", "pass", "half", "five")
    assert (now.turn, now.choices) == (3, ("five-after", "six", "seven", "solo", "pass"))
    over = at("mensch", "pass", "half", "five", "pass")
    assert over.facts == {
        "contract": "five",
        "declarer": 2,
        "auction": [[0, "pass"], [1, "half"], [2, "five"], [3, "pass"]],
    }
    assert outcome(over) == "Cleo plays Five."
    assert reminders(over) == ["Cleo names the trump suit.", "Ann leads."]


def test_trump_follows_where_it_is_clubs_by_rule() -> None:
    over = at("mensch", "half", "after", "pass", "pass")
    assert over.facts is not None
    assert (over.facts["contract"], over.facts["declarer"], over.facts["trump"]) == ("after", 1, "clubs")
    assert outcome(over) == "Ben plays After: Clubs."
    assert reminders(over) == [
        "A card of another suit than trump is called: whoever holds it is the partner, and says nothing until it is"
        " played.",
        "Ann leads.",
    ]


def test_nothing_is_higher_than_a_solo() -> None:
    over = at("mensch", "solo", dealer=1)
    assert over.facts == {"contract": "solo", "declarer": 2, "auction": [[2, "solo"]]}
    assert reminders(over) == ["Cleo names the trump suit.", "Cleo leads."]


def test_a_holder_of_three_clubs_is_reminded_but_not_held_to_it() -> None:
    assert reminders(at("mensch")) == ["With three clubs or more, Ann must bid Half at least."]
    assert reminders(at("mensch", "half")) == ["With three clubs or more, Ben must bid After at least."]
    for said in (("half", "after"), ("five",), ("six",)):
        assert reminders(at("mensch", *said)) == []
    assert "pass" in at("mensch", "half").choices
    assert reminders(at("mensch-russian")) == []
    assert reminders(at("mensch", **{"half.offered": False})) == []


def test_the_holder_of_the_queen_of_hearts_plays_when_all_pass() -> None:
    last = at("mensch", "pass", "pass", "pass")
    assert reminders(last)[1:] == ["If Dan passes too, whoever holds the queen of hearts must play."]
    over = at("mensch", *["pass"] * 4)
    assert over.facts == {"contract": "forced", "auction": [[seat, "pass"] for seat in range(4)]}
    assert outcome(over) == "Nobody bid: whoever holds the queen of hearts must play."
    assert reminders(over)[0] == "The holder of the queen of hearts names the trump suit."
    assert reminders(over)[-1] == "Ann leads."


def test_four_passes_are_thrown_in_where_the_rules_say_so() -> None:
    assert reminders(at("mensch-russian", *["pass"] * 3)) == ["If Cleo passes too, the cards are thrown in."]
    over = at("mensch-russian", *["pass"] * 4)
    assert over.facts == {"contract": "passed-out"}
    assert outcome(over) == "Nobody bid, and the cards were thrown in. Dan deals again."


def test_the_dealer_bids_first_in_the_russian_rules_and_the_last_bid_stands_where_rungs_have_no_order() -> None:
    now = at("mensch-russian-printed")
    assert (now.turn, now.choices[0], now.choices[-1]) == (3, "half", "pass")
    now = at("mensch-russian-printed", "seven")
    assert now.choices == at("mensch-russian-printed").choices
    assert reminders(now) == ["The last bid stands: by these rules the bids of a rung have no order."]
    over = at("mensch-russian-printed", "seven", "five", "pass", "pass")
    assert (outcome(over), reminders(over)) == ("Ann plays Five.", ["Ann names the trump suit.", "Ann leads."])


def test_the_partner_is_known_where_partners_sit_opposite() -> None:
    over = at("mensch", "pass", "half", "pass", "pass", partnership="fixed")
    assert over.facts is not None
    assert over.facts["partner"] == 3
    assert outcome(over) == "Ben and Dan play Half: Clubs."
    assert reminders(over) == ["Ann leads."]


def test_with_several_turns_it_goes_on_until_the_others_have_passed() -> None:
    now = at("mensch", "half", "pass", "five", "pass", bids_each=2)
    assert (now.turn, now.choices) == (0, ("five-after", "six", "seven", "solo", "pass"))
    over = at("mensch", "half", "pass", "five", "pass", "pass", "pass", bids_each=2)
    assert outcome(over) == "Cleo plays Five."
    assert at("mensch", *["pass"] * 4, bids_each=2).turn is None


def test_a_fifth_who_deals_does_not_bid() -> None:
    now = at("mensch", dealer=1, seats=5)
    assert now.turn == 2
    over = at("mensch", "pass", "half", "pass", "pass", dealer=1, seats=5)
    assert over.facts is not None
    assert over.facts["auction"] == [[2, "pass"], [3, "half"], [4, "pass"], [0, "pass"]]
    assert at("mensch-russian", dealer=1, seats=5).turn == 2


@pytest.mark.parametrize("ruleset_id", ["dirty-clubs", "buck-euchre", "buck-euchre-no-drop", "buck-euchre-bid"])
def test_a_club_turned_up_leaves_nothing_to_bid(ruleset_id: str) -> None:
    over = at(ruleset_id, "clubs")
    assert over.facts == {"turn_up": "clubs"}
    assert outcome(over) == "A club was turned up: clubs are trumps, and nobody is the maker."
    assert reminders(over) == ["Everybody owes 1 trick."]


def test_the_dealer_takes_the_club_where_three_play() -> None:
    assert reminders(at("buck-euchre-three", "clubs", dealer=2)) == [
        "Everybody owes 1 trick.",
        "Cleo takes the club and owes 2 tricks.",
    ]


def test_the_first_in_turn_whose_suit_is_opened_is_the_guesser() -> None:
    # Case D03.
    named = ("hearts", "spades", "diamonds", "hearts", "clubs")
    assert at("dirty-clubs", *named[:1], dealer=0).turn == 1
    now = at("dirty-clubs", *named, dealer=0)
    assert (now.step, now.turn) == (Step.OPEN, 0)
    over = at("dirty-clubs", *named, "diamonds", dealer=0)
    assert over.facts == {
        "turn_up": "hearts",
        "maker": 2,
        "trump": "diamonds",
        "named": ["clubs", "spades", "diamonds", "hearts"],
        "opened": ["diamonds"],
    }
    assert outcome(over) == "Cleo is the maker and owes 3 tricks: Diamonds."


def test_no_trump_is_played_when_no_suit_is_opened_that_was_named() -> None:
    over = at("dirty-clubs", "spades", *["hearts"] * 4, "clubs", "spades", "diamonds")
    assert over.facts is not None
    assert (over.facts["trump"], "maker" in over.facts) == ("none", False)
    assert outcome(over) == "Nobody chose trump: the deal is played without trumps, and nobody is the maker."


def test_by_house_rule_each_card_is_for_one_player_and_none_for_the_dealer() -> None:
    named = ("hearts", "spades", "diamonds", "hearts")
    now = at("dirty-clubs", *named, "diamonds", one_card_each=True)
    assert reminders(now) == ["This card is for Ben alone."]
    over = at("dirty-clubs", *named, "diamonds", "diamonds", one_card_each=True)
    assert over.facts is not None
    assert (over.facts["maker"], over.facts["named"]) == (1, ["spades", "diamonds", "hearts", None])


def test_by_house_rule_everybody_who_named_the_suit_owes_the_same() -> None:
    named = ("hearts", "spades", "spades", "spades", "clubs")
    assert reminders(at("dirty-clubs", *named[:1])) == ["The guesser is the first in turn whose suit is opened."]
    assert reminders(at("dirty-clubs", *named[:1], all_guessers=True)) == [
        "Everybody whose suit is opened is a guesser."
    ]
    assert reminders(at("dirty-clubs", *named, "spades", all_guessers=True)) == [
        "The same is owed by Ben and Cleo, who named it too."
    ]
    assert reminders(at("dirty-clubs", *named, "spades")) == []


def test_the_turned_suit_is_ordered_up_or_another_named_in_the_second_round() -> None:
    ordered = at("buck-euchre", "spades", "pass", "order-up")
    assert ordered.facts == {"turn_up": "spades", "maker": 1, "trump": "spades"}
    assert reminders(ordered) == ["The others may drop out."]
    second = at("buck-euchre", "spades", *["pass"] * 4)
    assert (second.step, second.turn) == (Step.NAME, 0)
    assert second.choices == ("clubs", "hearts", "diamonds", "pass")
    assert reminders(second) == ["Spades was turned down and cannot be named."]
    over = at("buck-euchre-no-drop", "spades", *["pass"] * 5, "hearts")
    assert over.facts == {"turn_up": "spades", "maker": 1, "trump": "hearts"}
    assert reminders(over) == []
    assert "spades" in at("buck-euchre", "spades", *["pass"] * 4, turned_suit="may-be-named").choices


def test_no_trump_is_called_only_by_house_rule() -> None:
    assert "none" not in at("buck-euchre", "spades", *["pass"] * 4).choices
    over = at("buck-euchre", "spades", *["pass"] * 4, "none", call_no_trump=True)
    assert over.facts == {"turn_up": "spades", "maker": 0, "trump": "none"}
    assert outcome(over) == "Ann called no trump and owes 3 tricks."
    assert reminders(over) == []


def test_two_rounds_of_passes_are_played_without_trumps_or_thrown_in() -> None:
    assert reminders(at("buck-euchre", "spades", *["pass"] * 7))[1:] == [
        "If Dan passes too, the deal is played without trumps."
    ]
    over = at("buck-euchre", "spades", *["pass"] * 8)
    assert over.facts == {"turn_up": "spades", "trump": "none"}
    assert reminders(over) == ["Everybody owes 1 trick."]
    thrown_in = at("buck-euchre-three", "spades", *["pass"] * 6, dealer=2)
    assert thrown_in.facts == {"turn_up": "spades", "passed_out": True}
    assert outcome(thrown_in) == "Nobody bid, and the cards were thrown in. The deal passes to Ann."


def test_bids_go_round_until_the_others_have_passed_and_the_highest_names_trump() -> None:
    now = at("buck-euchre-bid", "spades", "pass", "2", "3", "pass")
    assert (now.turn, now.ladder, now.choices) == (1, ("2", "3", "4", "5", "pass"), ("4", "5", "pass"))
    now = at("buck-euchre-bid", "spades", "pass", "2", "3", "pass", "pass")
    assert (now.step, now.turn) == (Step.NAME, 2)
    over = at("buck-euchre-bid", "spades", "pass", "2", "3", "pass", "pass", "spades")
    assert over.facts == {"turn_up": "spades", "maker": 2, "trump": "spades", "bid": 3}
    assert outcome(over) == "Cleo bid 3 and is the maker: Spades."


def test_the_last_may_still_bid_when_all_others_have_passed() -> None:
    now = at("buck-euchre-bid", "spades", "pass", "pass", "pass")
    assert (now.turn, now.choices) == (3, ("2", "3", "4", "5", "pass"))
    assert reminders(now) == ["If Dan passes too, the cards are thrown in."]
    assert at("buck-euchre-bid", "spades", "pass", "pass", "pass", "2").step is Step.NAME


def test_the_highest_bid_ends_the_bidding() -> None:
    assert at("buck-euchre-bid", "spades", "5").step is Step.NAME


def test_each_bids_once_by_house_rule() -> None:
    now = at("buck-euchre-bid", "spades", "2", "pass", "3", "pass", bidding="one-turn")
    assert (now.step, now.turn) == (Step.NAME, 2)

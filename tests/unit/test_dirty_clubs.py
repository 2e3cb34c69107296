"""Dirty Clubs and Buck Euchre: what tricks bring in each role, how a game ends, and what is refused."""

import itertools
from collections.abc import Mapping

import pytest

from scorekeeper.rules import CARD_GAMES, Facts, IllegalRules, Line, Outcome, Payment, Refused, Result, Seat, Table

DIRTY_CLUBS = CARD_GAMES["dirty-clubs"]
CLUB: Facts = {"turn_up": "clubs", "tricks": [2, 1, 1, 1]}
NO_TRUMP: Facts = {"turn_up": "spades", "trump": "none", "tricks": [2, 1, 1, 1]}
MADE: Facts = {"turn_up": "spades", "maker": 0, "trump": "hearts", "tricks": [3, 1, 1, 0]}
BID: Facts = {**MADE, "bid": 3}
SWEPT: Facts = {**MADE, "tricks": [5, 0, 0, 0]}


def table(
    ruleset: str = "dirty-clubs",
    house_rules: Mapping[str, object] | None = None,
    *,
    dealer: int = 3,
    opening: tuple[int, ...] | None = None,
) -> Table:
    rules = DIRTY_CLUBS.with_house_rules(DIRTY_CLUBS.ruleset(ruleset), house_rules or {})
    return DIRTY_CLUBS.open_table(rules, dealer=Seat(dealer), opening=opening)


def refusal(facts: Mapping[str, object], at: Table | None = None) -> list[tuple[str, str]]:
    with pytest.raises(Refused) as refused:
        DIRTY_CLUBS.play(facts, at or table())
    return [(problem.code, problem.field) for problem in refused.value.problems]


def values(facts: Mapping[str, object], at: Table | None = None) -> Mapping[str, object]:
    with pytest.raises(Refused) as refused:
        DIRTY_CLUBS.play(facts, at or table())
    (problem,) = refused.value.problems
    return problem.values


def total_after(before: int, tricks: int, needs: int, *, dropped: bool, sweeps: bool) -> int:
    """Rules §3.4, the second table."""
    if dropped:
        return before
    if sweeps and tricks == 5:
        return 0
    return before + 5 if tricks < needs else before - tricks


@pytest.mark.parametrize("ruleset", [ruleset.id for ruleset in DIRTY_CLUBS.rulesets])
def test_every_split_of_the_tricks_brings_what_the_table_says(ruleset: str) -> None:
    at = table(ruleset, dealer=1)
    players = len(at.totals)
    may_drop = ruleset in ("buck-euchre", "buck-euchre-bid", "buck-euchre-three")
    sweep_ruleset = ruleset in ("dirty-clubs", "buck-euchre", "buck-euchre-no-drop")
    splits = [split for split in itertools.product(range(6), repeat=players) if sum(split) == 5]
    bids = (2, 3, 4, 5) if ruleset == "buck-euchre-bid" else (3,)
    cases: list[tuple[dict[str, object], int | None, int]] = [({"turn_up": "clubs"}, None, 0)]
    if sweep_ruleset:
        cases.append(({"turn_up": "spades", "trump": "none"}, None, 0))
    for seat, need in itertools.product(range(players), bids):
        named: dict[str, object] = {"turn_up": "spades", "maker": seat, "trump": "clubs"}
        cases.append((named | ({"bid": need} if ruleset == "buck-euchre-bid" else {}), seat, need))
    for (facts, maker, bid), split in itertools.product(cases, splits):
        idle = [seat for seat in range(players) if split[seat] == 0 and seat != maker]
        drops = [[], idle[:1], idle] if may_drop and maker is not None else [[]]
        for dropped in drops:
            needs = [1] * players
            if maker is not None:
                needs[maker] = bid
            elif facts["turn_up"] == "clubs" and ruleset == "buck-euchre-three":
                needs[at.dealer] = 2
            expected = [
                total_after(
                    before,
                    split[seat],
                    needs[seat],
                    dropped=seat in dropped,
                    sweeps=sweep_ruleset and len(dropped) < players - 1,
                )
                for seat, before in enumerate(at.totals)
            ]

            score = DIRTY_CLUBS.play({**facts, "tricks": list(split), "dropped": dropped}, at)

            assert list(score.table.totals) == expected
            made = Result.PLAYED if maker is None else Result.MADE if split[maker] >= bid else Result.SET
            assert score.result is made
            assert score.table.over is (0 in expected)


def test_everybody_else_out_is_no_sweep() -> None:
    score = DIRTY_CLUBS.play({**SWEPT, "dropped": [1, 2, 3]}, table("buck-euchre"))
    assert score.points == (-5, 0, 0, 0)
    assert score.outcome is None
    assert [line.code for line in score.lines] == ["maker", "alone", "dropped", "dropped", "dropped"]


def test_a_sweep_wins_at_once_from_wherever_it_stands() -> None:
    score = DIRTY_CLUBS.play(SWEPT, table(opening=(30, 1, 1, 1)))
    assert score.table.totals == (0, 6, 6, 6)
    assert score.outcome == Outcome((Seat(0),), "sweep")


def test_equal_lowest_draw() -> None:
    score = DIRTY_CLUBS.play(CLUB, table(opening=(2, 1, 9, 9)))
    assert score.table.totals == (0, 0, 8, 8)
    assert score.outcome == Outcome((Seat(0), Seat(1)), "draw")
    assert score.table.winners == (0, 1)


def test_level_players_play_on_where_the_ruleset_says_so() -> None:
    at = table("buck-euchre-bid", opening=(2, 1, 9, 9))
    level = DIRTY_CLUBS.play(CLUB, at)
    assert level.outcome is None
    assert level.lines[-1] == Line("extra-deal", {"players": (0, 1), "total": 0})
    decided = DIRTY_CLUBS.play({**CLUB, "tricks": [1, 2, 1, 1]}, level.table)
    assert decided.outcome == Outcome((Seat(1),), "lowest")


def test_a_game_that_has_ended_takes_no_more_deals_and_the_next_one_starts_afresh() -> None:
    ended = DIRTY_CLUBS.play(SWEPT, table()).table
    assert refusal(CLUB, ended) == [("GAME_OVER", "deal")]
    assert refusal({"misdeal": True}, ended) == [("GAME_OVER", "deal")]
    again = DIRTY_CLUBS.new_game(ended)
    assert (again.totals, again.penalties, again.game, again.deals) == ((25,) * 4, (0,) * 4, 2, 0)
    assert (again.dealer, again.over) == (0, False)


def test_a_running_game_is_not_replaced_by_a_new_one() -> None:
    with pytest.raises(Refused) as refused:
        DIRTY_CLUBS.new_game(table())
    assert [problem.code for problem in refused.value.problems] == ["GAME_NOT_OVER"]


@pytest.mark.parametrize(("passed_out", "dealer"), [("next-dealer", 0), ("same-dealer", 3)])
def test_a_deal_thrown_in_scores_nothing(passed_out: str, dealer: int) -> None:
    score = DIRTY_CLUBS.play({"turn_up": "hearts", "passed_out": True}, table(house_rules={"passed_out": passed_out}))
    assert (score.result, score.points, score.table.dealer) == (Result.PASSED_OUT, (0, 0, 0, 0), dealer)
    assert score.lines == (Line("thrown-in", {"player": dealer, "same": dealer == 3}),)


def test_a_lost_game_costs_its_stake_its_penalties_and_the_points_left() -> None:
    stakes = {"stake_loser": 10, "stake_penalty": 3, "stake_point": 2}
    at = table(house_rules=stakes, opening=(1, 20, 5, 6))
    scores = DIRTY_CLUBS.replay([{**CLUB, "tricks": [0, 2, 2, 1]}, MADE], at)
    assert scores[0].chips == (0, 0, 0, 0)
    end = DIRTY_CLUBS.play({**CLUB, "tricks": [4, 1, 0, 0]}, scores[1].table)
    assert end.table.totals == (-1, 16, 7, 15)
    # Ann's own penalty costs her nothing; Cleo took one, Dan two.
    assert end.payments == (
        Payment(Seat(2), Seat(0), 10 + 3 + 2 * 7),
        Payment(Seat(3), Seat(0), 10 + 6 + 2 * 15),
        Payment(Seat(1), Seat(0), 10 + 2 * 16),
    )
    assert end.chips == (42 + 27 + 46, -42, -27, -46)
    assert [line.values["chips"] for line in end.lines if line.code == "stake"] == [42, 27, 46]


def test_winners_share_a_stake_in_whole_chips_and_the_spare_ones_go_round() -> None:
    score = DIRTY_CLUBS.play(CLUB, table(house_rules={"stake_loser": 5}, opening=(2, 1, 9, 9)))
    assert score.payments == (
        Payment(Seat(2), Seat(0), 3),
        Payment(Seat(2), Seat(1), 2),
        Payment(Seat(3), Seat(0), 2),
        Payment(Seat(3), Seat(1), 3),
    )
    assert score.chips == (5, 5, -5, -5)


def test_a_floor_and_a_ceiling_hold_the_scores() -> None:
    at = table(house_rules={"floor": "target", "ceiling": "start"}, opening=(1, 24, 24, 24))
    score = DIRTY_CLUBS.play({**MADE, "tricks": [4, 1, 0, 0]}, at)
    assert score.table.totals == (0, 23, 25, 25)
    assert sum(line.values["change"] for line in score.lines if "change" in line.values) == sum(score.points)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("ruleset", "facts", "expected"),
    [
        ("dirty-clubs", {**MADE, "tricks": [2, 2, 2, 0]}, [("TRICKS_SUM", "tricks")]),
        ("dirty-clubs", {**MADE, "tricks": [6, -1, 0, 0]}, [("TRICKS_RANGE", "tricks")] * 2),
        ("dirty-clubs", {**MADE, "tricks": [6, 0, 0, 0]}, [("TRICKS_RANGE", "tricks"), ("TRICKS_SUM", "tricks")]),
        ("dirty-clubs", {**MADE, "tricks": [3, 1, "1", 0]}, [("TRICKS_RANGE", "tricks")]),
        ("dirty-clubs", {**MADE, "tricks": [3, 1, True, 0]}, [("TRICKS_RANGE", "tricks")]),
        ("dirty-clubs", {**MADE, "tricks": [3, 1, None, None]}, [("TRICKS_RANGE", "tricks")] * 2),
        ("dirty-clubs", {**MADE, "tricks": [3, 1, 1]}, [("MALFORMED", "tricks")]),
        ("dirty-clubs", {**MADE, "tricks": 5}, [("MALFORMED", "tricks")]),
        ("dirty-clubs", {"turn_up": "clubs"}, [("MALFORMED", "tricks")]),
        ("dirty-clubs", {"tricks": [2, 1, 1, 1]}, [("MALFORMED", "turn_up")]),
        ("dirty-clubs", {**CLUB, "turn_up": "none"}, [("MALFORMED", "turn_up")]),
        ("dirty-clubs", {**CLUB, "maker": 1}, [("MAKER_NOT_ALLOWED", "maker")]),
        ("dirty-clubs", {**CLUB, "trump": "hearts"}, [("TRUMP_FIXED", "trump")]),
        ("dirty-clubs", {**CLUB, "named": ["hearts", None, None, None]}, [("MAKER_NOT_ALLOWED", "named")]),
        ("dirty-clubs", {**CLUB, "opened": ["hearts"]}, [("MAKER_NOT_ALLOWED", "opened")]),
        ("buck-euchre", {**CLUB, "dropped": [3], "tricks": [3, 1, 1, 0]}, [("DROP_NOT_ALLOWED", "dropped")]),
        ("dirty-clubs", {**NO_TRUMP, "maker": 1}, [("MAKER_NOT_ALLOWED", "maker")]),
        ("buck-euchre", {**NO_TRUMP, "dropped": [3], "tricks": [3, 1, 1, 0]}, [("DROP_NOT_ALLOWED", "dropped")]),
        ("buck-euchre-bid", NO_TRUMP, [("MAKER_MISSING", "maker")]),
        ("dirty-clubs", {**MADE, "dropped": [3]}, [("DROP_NOT_ALLOWED", "dropped")]),
        ("buck-euchre", {**MADE, "dropped": [0], "tricks": [0, 3, 1, 1]}, [("MAKER_DROPPED", "dropped")]),
        ("buck-euchre", {**MADE, "dropped": [1]}, [("DROPPED_WITH_TRICKS", "tricks")]),
        ("buck-euchre", {**MADE, "dropped": [3, 3]}, [("MALFORMED", "dropped")]),
        ("buck-euchre", {**MADE, "dropped": [4]}, [("MALFORMED", "dropped")]),
        ("buck-euchre", {**MADE, "dropped": [1, 2, 3], "tricks": [4, 0, 0, 0]}, [("TRICKS_SUM", "tricks")]),
        ("dirty-clubs", {"turn_up": "spades", "trump": "hearts", "tricks": [3, 1, 1, 0]}, [("MAKER_MISSING", "maker")]),
        ("dirty-clubs", {"turn_up": "spades", "maker": 0, "tricks": [3, 1, 1, 0]}, [("TRUMP_MISSING", "trump")]),
        ("dirty-clubs", {"turn_up": "spades", "tricks": [3, 1, 1, 0]}, [("TRUMP_MISSING", "trump")]),
        ("buck-euchre-bid", {**MADE, "bid": 1}, [("BID_RANGE", "bid")]),
        ("buck-euchre-bid", {**MADE, "bid": 6}, [("BID_RANGE", "bid")]),
        ("buck-euchre-bid", {**MADE, "bid": "3"}, [("BID_RANGE", "bid")]),
        ("buck-euchre-bid", MADE, [("MALFORMED", "bid")]),
        ("buck-euchre-bid", {**CLUB, "bid": 3}, [("MAKER_NOT_ALLOWED", "bid")]),
        ("buck-euchre", {**MADE, "bid": "3"}, [("MALFORMED", "bid")]),
        ("buck-euchre-bid", {**BID, "named": ["spades", None, None, None]}, [("MALFORMED", "named")]),
        ("buck-euchre", {**MADE, "opened": ["hearts"]}, [("MALFORMED", "opened")]),
        ("dirty-clubs", {**MADE, "opened": ["hearts"] * 4}, [("MALFORMED", "opened")]),
        ("dirty-clubs", {**MADE, "named": ["none", None, None, None]}, [("MALFORMED", "named")]),
        ("dirty-clubs", {"turn_up": "hearts", "passed_out": True}, [("NO_THROW_IN", "passed_out")]),
        ("buck-euchre-bid", {"turn_up": "clubs", "passed_out": True}, [("NO_THROW_IN", "passed_out")]),
        (
            "buck-euchre-bid",
            {"turn_up": "hearts", "passed_out": True, "tricks": [9, 0, 0, 0]},
            [("MALFORMED", "tricks")],
        ),
        ("buck-euchre-bid", {**BID, "passed_out": False}, [("MALFORMED", "passed_out")]),
        (
            "buck-euchre",
            {**MADE, "trump": "spades", "named": ["spades", None, None, None]},
            [("SUIT_TURNED_DOWN", "named")],
        ),
    ],
)
def test_it_refuses(ruleset: str, facts: Facts, expected: list[tuple[str, str]]) -> None:
    assert refusal(facts, table(ruleset)) == expected


def test_it_names_all_problems_of_a_deal_at_once() -> None:
    facts = {"turn_up": "spades", "maker": 0, "dropped": [3], "tricks": [3, 3, 0, 0], "colour": 1}
    assert refusal(facts) == [
        ("MALFORMED", "colour"),
        ("TRUMP_MISSING", "trump"),
        ("DROP_NOT_ALLOWED", "dropped"),
        ("TRICKS_SUM", "tricks"),
    ]


def test_the_turned_suit_may_be_ordered_up_or_guessed_but_not_named_after_it_was_turned_down() -> None:
    ordered_up = {**MADE, "trump": "spades"}
    assert DIRTY_CLUBS.play(ordered_up, table("buck-euchre")).result is Result.MADE
    assert DIRTY_CLUBS.play(ordered_up, table("dirty-clubs")).result is Result.MADE
    assert DIRTY_CLUBS.play({**BID, "trump": "spades"}, table("buck-euchre-bid")).result is Result.MADE
    strict = table("buck-euchre-bid", {"turned_suit": "not-named"})
    assert refusal({**BID, "trump": "spades"}, strict) == [("SUIT_TURNED_DOWN", "trump")]


NAMED = ["hearts", "hearts", "clubs", "spades"]


@pytest.mark.parametrize(
    ("entered", "expected"),
    [
        ({"named": NAMED, "opened": ["hearts"]}, None),
        ({"named": NAMED, "opened": ["diamonds", "hearts"]}, None),
        ({"named": NAMED}, None),
        ({"opened": ["hearts"]}, None),
        ({"named": [None] * 4}, None),
        # Rules R12: Ann spoke before Ben.
        ({"named": NAMED, "opened": ["hearts"], "maker": 1}, ("named", "hearts", 0)),
        ({"named": NAMED, "maker": 1}, ("not-named", "hearts", 0)),
        ({"named": ["spades", None, None, None]}, ("not-named", "hearts", None)),
        # Rules R13: the first opened card that somebody named decides.
        ({"named": NAMED, "opened": ["clubs", "hearts"]}, ("named", "clubs", 2)),
        ({"named": NAMED, "opened": ["diamonds"]}, ("not-opened", "hearts", None)),
        ({"opened": ["diamonds"]}, ("not-opened", "hearts", None)),
    ],
)
def test_the_guesser_is_the_first_to_have_named_an_opened_suit(
    entered: Facts, expected: tuple[str, str, int | None] | None
) -> None:
    facts = {**MADE, **entered}
    if expected is None:
        assert DIRTY_CLUBS.play(facts, table()).result is Result.MADE
        return
    reason, suit, player = expected
    assert values(facts) == {"reason": reason, "suit": suit, "player": player}


def test_without_trump_no_opened_card_was_named() -> None:
    facts = {**NO_TRUMP, "named": NAMED}
    assert DIRTY_CLUBS.play({**facts, "opened": ["diamonds"] * 3}, table()).result is Result.PLAYED
    assert refusal({**facts, "opened": ["diamonds", "clubs"]}) == [("GUESS_MISMATCH", "maker")]


def test_by_one_card_each_the_dealer_is_never_the_guesser() -> None:
    at = table(house_rules={"one_card_each": True})
    assert refusal({**MADE, "maker": 3, "tricks": [0, 1, 1, 3]}, at) == [("MAKER_NOT_ALLOWED", "maker")]
    second = {**MADE, "maker": 1, "tricks": [1, 3, 1, 0], "named": NAMED}
    assert DIRTY_CLUBS.play({**second, "opened": ["diamonds", "hearts"]}, at).result is Result.MADE
    assert DIRTY_CLUBS.play(second, at).result is Result.MADE
    assert values({**second, "opened": ["hearts"]}, at) == {"reason": "named", "suit": "hearts", "player": 0}


def test_everyone_who_named_the_suit_owes_three_by_house_rule() -> None:
    score = DIRTY_CLUBS.play(
        {**MADE, "named": NAMED, "tricks": [3, 2, 0, 0]}, table(house_rules={"all_guessers": True})
    )
    assert score.points == (-3, 5, 5, 5)
    assert Line("short", {"player": 1, "role": "maker", "tricks": 2, "needs": 3, "change": 5}) in score.lines


def test_a_called_no_trump_has_a_maker_who_owes_three() -> None:
    called = {**NO_TRUMP, "maker": 0}
    assert DIRTY_CLUBS.play(called, table("buck-euchre", {"call_no_trump": True})).points == (5, -1, -1, -1)
    dropped = {**called, "tricks": [3, 1, 1, 0], "dropped": [3]}
    assert refusal(dropped, table("buck-euchre", {"call_no_trump": True})) == [("DROP_NOT_ALLOWED", "dropped")]
    allowed = table("buck-euchre", {"call_no_trump": True, "drop_without_trump": True})
    assert DIRTY_CLUBS.play(dropped, allowed).points == (-3, -1, -1, 0)


@pytest.mark.parametrize("dealer", range(4))
def test_the_dealer_may_be_anyone(dealer: int) -> None:
    score = DIRTY_CLUBS.play(MADE, table(dealer=dealer))
    assert score.points == (-3, -1, -1, 5)
    assert score.table.dealer == (dealer + 1) % 4
    assert [line.values["player"] for line in score.lines[1:]] == [(dealer + step) % 4 for step in (1, 2, 3, 4)]


def test_the_tricks_of_the_last_player_are_filled_in() -> None:
    at = table("buck-euchre")
    assert DIRTY_CLUBS.complete({**MADE, "tricks": [3, None, 1, 0]}, at)["tricks"] == [3, 1, 1, 0]
    out = {**MADE, "dropped": [2, 3], "tricks": [3, None, None, None]}
    assert DIRTY_CLUBS.complete(out, at)["tricks"] == [3, 2, 0, 0]
    alone = {name: value for name, value in MADE.items() if name != "tricks"} | {"dropped": [1, 2, 3]}
    assert DIRTY_CLUBS.complete(alone, at)["tricks"] == [5, 0, 0, 0]
    all_given = {**MADE, "tricks": [3, None, 2, None]}
    assert DIRTY_CLUBS.complete(all_given, at)["tricks"] == [3, 0, 2, 0]
    some_left = {**MADE, "tricks": [3, None, 1, None]}
    assert DIRTY_CLUBS.complete(some_left, at)["tricks"] == [3, None, 1, None]
    too_many = {**MADE, "tricks": [3, 3, None, 0]}
    assert DIRTY_CLUBS.complete(too_many, at)["tricks"] == [3, 3, None, 0]
    assert DIRTY_CLUBS.complete(CLUB, at)["trump"] == "clubs"


def test_only_what_can_be_chosen_is_offered() -> None:
    def offered(facts: Facts, ruleset: str = "dirty-clubs") -> list[str]:
        return [field.name for field in DIRTY_CLUBS.offered(facts, table(ruleset))]

    assert offered({"turn_up": "clubs"}, "buck-euchre") == ["turn_up", "tricks"]
    assert offered({"turn_up": "spades"}) == ["turn_up", "maker", "trump", "tricks", "named", "opened"]
    before = ["turn_up", "passed_out", "maker", "trump", "bid", "tricks"]
    assert offered({"turn_up": "spades"}, "buck-euchre-bid") == before
    after = ["turn_up", "maker", "trump", "bid", "dropped", "tricks"]
    assert offered({"turn_up": "spades", "maker": 1}, "buck-euchre-bid") == after
    assert offered({"turn_up": "spades", "passed_out": True}, "buck-euchre-bid") == ["turn_up", "passed_out"]
    assert "dropped" not in offered({"turn_up": "spades", "maker": 1, "trump": "none"}, "buck-euchre")


def test_choices_follow_what_is_known() -> None:
    def fields(facts: Facts, ruleset: str, house_rules: Mapping[str, object] | None = None) -> dict[str, object]:
        return {
            field.name: (field.choices, field.seats, field.line)
            for field in DIRTY_CLUBS.offered(facts, table(ruleset, house_rules))
        }

    suits = ("clubs", "spades", "hearts", "diamonds")
    made = {"turn_up": "spades", "maker": 1, "dropped": [2], "bid": 4}
    assert fields(made, "buck-euchre")["tricks"] == ((), (0, 1, 3), 3)
    assert fields(made, "buck-euchre-bid")["tricks"] == ((), (0, 1, 3), 4)
    assert fields(made, "buck-euchre")["dropped"] == ((), (0, 2, 3), None)
    assert fields(made, "buck-euchre")["trump"] == (suits, (), None)
    assert fields({"turn_up": "spades"}, "buck-euchre")["trump"] == ((*suits, "none"), (), None)
    assert fields(made, "buck-euchre", {"call_no_trump": True})["trump"] == ((*suits, "none"), (), None)
    assert fields({"turn_up": "spades"}, "dirty-clubs", {"one_card_each": True})["maker"] == ((), (0, 1, 2), None)


@pytest.mark.parametrize("facts", [{}, {"turn_up": 3}, {"turn_up": ["clubs"], "dropped": 1, "tricks": {}, "maker": {}}])
def test_a_half_filled_form_is_offered_all_but_dropping_out_which_waits_for_the_maker(facts: Facts) -> None:
    names = [field.name for field in DIRTY_CLUBS.offered(facts, table("buck-euchre"))]
    assert names == ["turn_up", "maker", "trump", "tricks", "named"]


@pytest.mark.parametrize(
    ("ruleset", "opening", "code"),
    [
        ("dirty-clubs", (0, 9, 9, 9), "OPENING_OVER"),
        ("dirty-clubs", (0, 0, 9, 9), "OPENING_OVER"),
        ("buck-euchre-bid", (-1, 0, 9, 9), "OPENING_OVER"),
        ("dirty-clubs", (25, 25, 25), "PLAYERS_COUNT"),
        ("dirty-clubs", (25, 25, 25, 10**9), "OPENING_RANGE"),
    ],
)
def test_a_sheet_that_cannot_be_carried_on_is_refused(ruleset: str, opening: tuple[int, ...], code: str) -> None:
    with pytest.raises(IllegalRules) as refused:
        table(ruleset, opening=opening)
    assert [problem.code for problem in refused.value.problems] == [code]


def test_level_players_carry_on_where_an_extra_deal_is_due() -> None:
    assert table("buck-euchre-bid", opening=(0, 0, 9, 9)).over is False

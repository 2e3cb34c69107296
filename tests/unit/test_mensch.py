"""Mensch: what each contract brings whom, and what is refused."""

import itertools
from collections.abc import Mapping

import pytest

from scorekeeper.rules import (
    CARD_GAMES,
    MISDEAL,
    Facts,
    IllegalRules,
    Line,
    MalformedDeal,
    Payment,
    Refused,
    Result,
    Seat,
    Table,
)

MENSCH = CARD_GAMES["mensch"]
HALF: Facts = {"contract": "half", "declarer": 0, "partner": 2, "trump": "clubs", "tricks": 5}
SIX: Facts = {"contract": "six", "declarer": 0, "trump": "spades", "tricks": 6}
FORCED: Facts = {"contract": "forced", "declarer": 2, "partner": 0, "trump": "hearts", "tricks": 5}

# Rules §3.2, column by column: what declarer and partner get, and each opponent, when made, with all eight, and failed.
IN_CLUBS, OUTSIDE_CLUBS, ANY = ("clubs",), ("spades", "hearts", "diamonds"), ("clubs", "spades", "hearts", "diamonds")
TABLE_3_2 = [
    ("half", 2, 5, IN_CLUBS, (1, 2, -2), (-1, -2, 2)),
    ("after", 2, 5, IN_CLUBS, (1, 2, -2), (-1, -2, 2)),
    ("five", 1, 5, OUTSIDE_CLUBS, (3, 6, -3), (-1, -2, 1)),
    ("six", 1, 6, OUTSIDE_CLUBS, (3, 6, -3), (-1, -2, 1)),
    ("seven", 1, 7, OUTSIDE_CLUBS, (3, 6, -3), (-1, -2, 1)),
    ("five", 1, 5, IN_CLUBS, (6, 12, -6), (-2, -4, 2)),
    ("six", 1, 6, IN_CLUBS, (6, 12, -6), (-2, -4, 2)),
    ("seven", 1, 7, IN_CLUBS, (6, 12, -6), (-2, -4, 2)),
    ("five-after", 1, 5, IN_CLUBS, (6, 12, -6), (-2, -4, 2)),
    ("six-after", 1, 6, IN_CLUBS, (6, 12, -6), (-2, -4, 2)),
    ("seven-after", 1, 7, IN_CLUBS, (6, 12, -6), (-2, -4, 2)),
    ("solo", 1, 8, OUTSIDE_CLUBS, (12, 12, -12), (-4, -4, 4)),
    ("solo", 1, 8, IN_CLUBS, (24, 24, -24), (-8, -8, 8)),
]
FORCED_ROW = ("forced", 2, 5, ANY, (1, 2, -1), (-1, -2, 1))
# Rules §3.3.
TABLE_3_3 = [
    ("half", 2, 5, IN_CLUBS, (1, 2, -2), (-1, -2, 2)),
    *(
        (name, 1, needs, OUTSIDE_CLUBS, (6, 12, -6), (-2, -4, 2))
        for name, needs in (("five", 5), ("six", 6), ("seven", 7))
    ),
    *((name, 1, needs, IN_CLUBS, (3, 24, -3), (-1, -8, 1)) for name, needs in (("five", 5), ("six", 6), ("seven", 7))),
    *(
        (name, 1, needs, IN_CLUBS, (3, 24, -3), (-1, -8, 1))
        for name, needs in (("five-after", 5), ("six-after", 6), ("seven-after", 7))
    ),
]
TABLES = {
    "mensch": [*TABLE_3_2, FORCED_ROW],
    "mensch-russian": TABLE_3_2,
    "mensch-russian-printed": TABLE_3_3,
}


def table(ruleset: str = "mensch", *, dealer: int = 3, **house_rules: object) -> Table:
    return MENSCH.open_table(MENSCH.with_house_rules(MENSCH.ruleset(ruleset), house_rules), dealer=Seat(dealer))


def refusal(facts: Mapping[str, object], at: Table | None = None) -> list[tuple[str, str]]:
    with pytest.raises(Refused) as refused:
        MENSCH.play(facts, at or table())
    return [(problem.code, problem.field) for problem in refused.value.problems]


def values(facts: Mapping[str, object], at: Table | None = None) -> Mapping[str, object]:
    with pytest.raises(Refused) as refused:
        MENSCH.play(facts, at or table())
    (problem,) = refused.value.problems
    return problem.values


@pytest.mark.parametrize("ruleset", TABLES)
def test_every_cell_of_the_payment_tables_pays_what_the_table_says(ruleset: str) -> None:
    at = table(ruleset)
    for name, declarers, needs, trumps, declarer_gets, opponent_gets in TABLES[ruleset]:
        for trump, tricks, declarer, partner in itertools.product(trumps, range(9), range(4), range(4)):
            if partner == declarer or (declarers == 1 and partner != (declarer + 1) % 4):
                continue
            facts = {"contract": name, "declarer": declarer, "trump": trump, "tricks": tricks}
            side = [declarer]
            if declarers == 2:
                facts["partner"] = partner
                side.append(partner)
            outcome = 2 if tricks < needs else 1 if tricks == 8 else 0

            score = MENSCH.play(facts, at)

            expected = [declarer_gets[outcome] if seat in side else opponent_gets[outcome] for seat in range(4)]
            assert list(score.points) == expected
            assert score.result is (Result.SET if outcome == 2 else Result.MADE)


@pytest.mark.parametrize("ruleset", TABLES)
def test_a_ruleset_has_the_contracts_of_its_table_and_no_others(ruleset: str) -> None:
    assert {row.case for row in MENSCH.payoffs(MENSCH.ruleset(ruleset))} == {row[0] for row in TABLES[ruleset]}


@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize("facts", [HALF, SIX, FORCED])
def test_it_scores_the_same_whoever_deals(facts: Facts, dealer: int) -> None:
    score = MENSCH.play(facts, table(dealer=dealer))
    assert score.points == MENSCH.play(facts, table()).points
    assert score.table.dealer == (dealer + 1) % 4


def test_the_opponent_after_the_declarer_settles_with_the_declarer() -> None:
    score = MENSCH.play({**HALF, "declarer": 1, "partner": 2, "tricks": 4}, table())
    assert score.payments == (Payment(Seat(1), Seat(3), 2), Payment(Seat(2), Seat(0), 2))


def test_a_lone_declarer_is_paid_by_each_opponent() -> None:
    assert MENSCH.play(SIX, table()).payments == tuple(Payment(Seat(seat), Seat(0), 1) for seat in (1, 2, 3))


def test_fixed_partners_sit_out_each_others_lone_contracts() -> None:
    score = MENSCH.play({**SIX, "trump": "clubs", "tricks": 5}, table(partnership="fixed"))
    assert score.points == (-4, 2, 0, 2)
    assert score.payments == (Payment(Seat(0), Seat(1), 2), Payment(Seat(0), Seat(3), 2))
    assert Line("stands-aside", {"player": 2}) in score.lines


def test_a_fixed_partner_is_filled_in_and_no_other_is_taken() -> None:
    at = table(partnership="fixed")
    without = {name: value for name, value in HALF.items() if name != "partner"}
    assert MENSCH.complete(without, at)["partner"] == 2
    assert MENSCH.play(without, at).points == (1, -1, 1, -1)
    assert refusal({**HALF, "partner": 1}, at) == [("PARTNER_NOT_ALLOWED", "partner")]


def test_the_trump_of_a_clubs_contract_is_filled_in() -> None:
    without = {name: value for name, value in HALF.items() if name != "trump"}
    assert MENSCH.play(without, table()).points == (1, -1, 1, -1)


def test_a_deal_thrown_in_moves_no_chips_and_the_same_dealer_deals() -> None:
    score = MENSCH.play({"contract": "passed-out"}, table("mensch-russian"))
    assert (score.result, score.points, score.table.dealer) == (Result.PASSED_OUT, (0, 0, 0, 0), 3)
    assert score.payments == ()
    assert score.lines == (Line("thrown-in", {"player": 3, "same": True}),)


def test_all_eight_tricks_are_explained_by_the_ordinary_price_beside() -> None:
    lines = MENSCH.play({**SIX, "tricks": 8}, table()).lines
    assert [line.code for line in lines] == ["contract", "tricks", "rate-all", "payment", "payment", "payment"]
    assert lines[2] == Line("rate-all", {"chips": 2, "ordinary": 1, "trump": "other"})


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({**HALF, "contract": "quarter"}, [("CONTRACT_NOT_IN_RULESET", "contract")]),
        ({"contract": "six", "declarer": 0, "tricks": 6}, [("TRUMP_MISSING", "trump")]),
        ({**HALF, "trump": "hearts"}, [("TRUMP_FIXED", "trump")]),
        ({"contract": "half", "declarer": 0, "trump": "clubs", "tricks": 5}, [("PARTNER_MISSING", "partner")]),
        ({**HALF, "partner": 0}, [("PARTNER_SELF", "partner")]),
        ({**SIX, "partner": 2}, [("PARTNER_NOT_ALLOWED", "partner")]),
        ({**SIX, "called_card": "AH"}, [("PARTNER_NOT_ALLOWED", "called_card")]),
        ({**FORCED, "called_card": "KH"}, [("CALLED_TRUMP", "called_card")]),
        ({**FORCED, "called_card": "QC"}, [("CALLED_TRUMP", "called_card")]),
        ({**HALF, "called_card": "6S"}, [("CARD_NOT_IN_DECK", "called_card")]),
        ({**HALF, "tricks": 9}, [("TRICKS_RANGE", "tricks")]),
        ({**HALF, "tricks": -1}, [("TRICKS_RANGE", "tricks")]),
        ({**HALF, "tricks": 5.0}, [("TRICKS_RANGE", "tricks")]),
        ({**HALF, "tricks": True}, [("TRICKS_RANGE", "tricks")]),
        ({**HALF, "tricks": "5"}, [("TRICKS_RANGE", "tricks")]),
        ({**HALF, "tricks": 10**400}, [("TRICKS_RANGE", "tricks")]),
        ({**HALF, "tricks_by_player": [3, 2, 2, 2]}, [("TRICKS_SUM", "tricks_by_player")]),
        ({**HALF, "tricks_by_player": [3, 2, 1, 2]}, [("TRICKS_SIDE", "tricks_by_player")]),
        (
            {**HALF, "tricks_by_player": [9, 0, -4, 1]},
            [
                ("TRICKS_RANGE", "tricks_by_player"),
                ("TRICKS_RANGE", "tricks_by_player"),
                ("TRICKS_SUM", "tricks_by_player"),
            ],
        ),
        ({**HALF, "partner": 0, "tricks_by_player": [4, 2, 1, 1]}, [("PARTNER_SELF", "partner")]),
        (
            {**SIX, "declarer": None, "partner": 1, "tricks_by_player": [6, 2, 0, 0]},
            [("MALFORMED", "declarer"), ("PARTNER_NOT_ALLOWED", "partner")],
        ),
        ({**HALF, "tricks_by_player": [3, 2, 2, None]}, [("TRICKS_RANGE", "tricks_by_player")]),
        ({**HALF, "tricks_by_player": [3, 2, 3]}, [("MALFORMED", "tricks_by_player")]),
        ({**HALF, "result": "set"}, [("RESULT_MISMATCH", "result")]),
        ({**HALF, "result": "won"}, [("MALFORMED", "result")]),
        ({"contract": "passed-out"}, [("ALL_PASS_IS_PLAYED", "contract")]),
        ({"contract": "passed-out", "tricks": 9}, [("MALFORMED", "tricks"), ("ALL_PASS_IS_PLAYED", "contract")]),
        ({**HALF, "declarer": 4}, [("MALFORMED", "declarer")]),
        ({**HALF, "declarer": None}, [("MALFORMED", "declarer")]),
        ({**HALF, "contract": ["half"]}, [("MALFORMED", "contract")]),
        ({**HALF, "trump": "none"}, [("MALFORMED", "trump")]),
        ({**HALF, "trick": 5}, [("MALFORMED", "trick")]),
        ({**HALF, "called_card": "1S"}, [("MALFORMED", "called_card")]),
        ({**HALF, "auction": [[0, "half", 1]]}, [("MALFORMED", "auction")]),
        ({**HALF, "auction": [[4, "half"]]}, [("MALFORMED", "auction")]),
    ],
)
def test_it_refuses(facts: Facts, expected: list[tuple[str, str]]) -> None:
    assert refusal(facts) == expected


def test_it_names_all_problems_of_a_deal_at_once() -> None:
    assert refusal({"contract": "six", "declarer": 0, "partner": 0, "tricks": "many", "wrong": 1}) == [
        ("MALFORMED", "wrong"),
        ("TRICKS_RANGE", "tricks"),
        ("TRUMP_MISSING", "trump"),
        ("PARTNER_NOT_ALLOWED", "partner"),
    ]
    assert refusal({}) == [("MALFORMED", "contract"), ("MALFORMED", "declarer"), ("MALFORMED", "tricks")]


def test_a_missing_fact_is_malformed_not_illegal() -> None:
    with pytest.raises(MalformedDeal):
        MENSCH.read({"contract": "half"}, table())


@pytest.mark.parametrize("contract", ["after", "solo", "forced"])
def test_the_printed_russian_text_lacks_contracts(contract: str) -> None:
    facts = {**HALF, "contract": contract}
    assert ("CONTRACT_NOT_IN_RULESET", "contract") in refusal(facts, table("mensch-russian-printed"))


def test_refusals_carry_what_their_sentence_needs() -> None:
    assert values({**HALF, "tricks_by_player": [3, 2, 2, 2]}) == {"sum": 9, "max": 8}
    assert values({**HALF, "tricks_by_player": [3, 2, 1, 2]}) == {"sum": 4, "entered": 5}
    assert values({**HALF, "tricks": 4, "result": "made"}) == {"contract": "half", "tricks": 4, "result": "set"}
    assert values({**HALF, "called_card": "6S"}) == {"lowest": "7"}


@pytest.mark.parametrize(
    ("bids", "facts", "expected"),
    [
        ("half pass pass pass", HALF, None),
        ("half pass", HALF, None),
        ("pass pass half after", {**HALF, "contract": "after", "declarer": 3, "partner": 1}, None),
        ("pass pass pass pass", FORCED, None),
        ("half six after pass", HALF, "BID_TOO_LOW"),
        ("half half pass pass", HALF, "BID_TOO_LOW"),
        ("pass five-after pass pass", HALF, "AFTER_WITHOUT_BASE"),
        ("half five-after pass pass", HALF, "AFTER_WITHOUT_BASE"),
        ("half pass pass solo", HALF, "DECLARER_NOT_HIGHEST"),
        ("pass pass pass pass", HALF, "DECLARER_NOT_HIGHEST"),
        ("half pass pass pass", FORCED, "DECLARER_NOT_HIGHEST"),
        ("forced pass pass pass", HALF, "CONTRACT_NOT_IN_RULESET"),
        ("half pass pass pass six", HALF, "BID_TWICE"),
        ("half pass pass pass half", HALF, "BID_TWICE BID_TOO_LOW"),
    ],
)
def test_an_auction_is_checked(bids: str, facts: Facts, expected: str | None) -> None:
    auction = [[number % 4, bid] for number, bid in enumerate(bids.split())]
    if expected:
        assert [code for code, _ in refusal({**facts, "auction": auction})] == expected.split()
    else:
        assert MENSCH.play({**facts, "auction": auction}, table()).points


def test_a_bid_out_of_turn_is_a_bid_all_the_same() -> None:
    half_and_after = {**HALF, "contract": "after", "declarer": 2, "partner": 0, "auction": [[1, "half"], [2, "after"]]}
    assert refusal(half_and_after) == [("BID_OUT_OF_TURN", "auction")]


def test_bidding_begins_on_the_dealers_left_or_with_the_dealer() -> None:
    facts = {**HALF, "auction": [[1, "pass"], [2, "pass"]], "declarer": 0}
    assert refusal(facts) == [("BID_OUT_OF_TURN", "auction")]
    assert values(facts) == {"player": 0, "speaker": 1}
    by_the_dealer = {**HALF, "auction": [[3, "pass"], [0, "half"]]}
    assert MENSCH.play(by_the_dealer, table("mensch-russian")).result is Result.MADE


def offered(facts: Facts, at: Table | None = None) -> dict[str, object]:
    return {field.name: field for field in MENSCH.offered(facts, at or table())}


def test_only_what_can_be_chosen_is_offered() -> None:
    half = {field.name: field for field in MENSCH.offered({"contract": "half", "declarer": 1}, table())}
    assert list(half) == ["contract", "declarer", "partner", "tricks", "tricks_by_player", "called_card", "auction"]
    assert half["partner"].seats == (0, 2, 3)
    assert half["tricks"].line == 5
    assert "passed-out" not in half["contract"].choices
    assert list(offered({"contract": "solo"})) == [
        "contract",
        "declarer",
        "trump",
        "tricks",
        "tricks_by_player",
        "auction",
    ]
    assert "partner" not in offered({"contract": "half"}, table(partnership="fixed"))
    assert "called_card" not in offered({"contract": "half"}, table(partnership="agreed"))
    assert list(offered({"contract": "passed-out"}, table("mensch-russian"))) == ["contract"]


@pytest.mark.parametrize("contract", [None, 7, "quarter", ["half"], {"half": 1}])
def test_a_half_filled_form_is_offered_everything(contract: object) -> None:
    assert "partner" in offered({"contract": contract, "declarer": "x"})


def test_a_sheet_carried_on_sums_to_zero() -> None:
    ruleset = MENSCH.ruleset("mensch")
    assert MENSCH.open_table(ruleset, opening=(3, -1, -1, -1)).totals == (3, -1, -1, -1)
    for opening, code in [
        ((1, 0, 0, 0), "OPENING_SUM"),
        ((0, 0, 0), "PLAYERS_COUNT"),
        ((10**7, -(10**7), 0, 0), "OPENING_RANGE"),
    ]:
        with pytest.raises(IllegalRules) as refused:
            MENSCH.open_table(ruleset, opening=opening)
        assert [problem.code for problem in refused.value.problems] == [code]


def test_a_session_is_one_game_as_a_whole() -> None:
    with pytest.raises(Refused) as refused:
        MENSCH.new_game(table())
    assert [problem.code for problem in refused.value.problems] == ["GAME_NOT_OVER"]


def other_rates(ruleset: str, facts: Facts) -> list[tuple[str | None, tuple[Result, int, int] | None, int]]:
    """Each other rate: its trump and ending where the deal had another, and what it brings the declarer."""
    game = CARD_GAMES["mensch"]
    score = game.play(facts, game.open_table(game.ruleset(ruleset), seats=4))
    return [
        (
            rate.trump,
            (rate.ending.result, rate.ending.low, rate.ending.high) if rate.ending else None,
            sum(
                payment.chips * ((payment.payee == facts["declarer"]) - (payment.payer == facts["declarer"]))
                for payment in rate.payments
            ),
        )
        for rate in game.other_rates(score)
    ]


def test_the_other_rates_of_a_deal_are_those_of_its_contract_with_another_trump_or_ending() -> None:
    five = {"contract": "five", "declarer": 1, "trump": "spades", "tricks": 5}

    assert other_rates("mensch", five) == [
        ("clubs", None, 6),
        (None, (Result.SET, 0, 4), -3),
        (None, (Result.MADE, 8, 8), 6),
        ("clubs", (Result.SET, 0, 4), -6),
        ("clubs", (Result.MADE, 8, 8), 12),
    ]


def test_a_contract_that_is_always_in_clubs_has_the_rates_of_its_other_endings() -> None:
    half = {"contract": "half", "declarer": 0, "partner": 2, "trump": "clubs", "tricks": 4}

    assert other_rates("mensch", half) == [(None, (Result.MADE, 5, 7), 1), (None, (Result.MADE, 8, 8), 2)]


@pytest.mark.parametrize("partnership", ["called", "fixed"])
def test_another_rate_is_what_the_deal_would_have_cost_had_it_been_played_so(partnership: str) -> None:
    ruleset = MENSCH.with_house_rules(MENSCH.ruleset("mensch"), {"partnership": partnership})
    table = MENSCH.open_table(ruleset, seats=4)

    for facts in (HALF, SIX, FORCED):
        for rate in MENSCH.other_rates(MENSCH.play(facts, table)):
            played = {
                "trump": rate.trump or facts["trump"],
                "tricks": rate.ending.low if rate.ending else facts["tricks"],
            }
            assert MENSCH.play({**facts, **played}, table).payments == rate.payments


def test_what_brings_the_same_is_no_other_rate() -> None:
    forced = {"contract": "forced", "declarer": 0, "partner": 2, "trump": "spades", "tricks": 5}

    assert [chips for _, _, chips in other_rates("mensch", forced)] == [-1, 2]


def test_a_deal_that_brings_nothing_has_no_other_rates() -> None:
    game = CARD_GAMES["mensch"]

    assert game.other_rates(game.play(MISDEAL, game.open_table(game.ruleset("mensch"), seats=4))) == ()

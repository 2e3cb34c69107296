"""The table: who is there, who plays, who deals; as people leave, come and come back."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest

from scorekeeper.rules import CARD_GAMES, MISDEAL, Facts, IllegalDeal, MalformedDeal, Refused, Result, Seat, Table
from scorekeeper.rules.base import MAX_ACCOUNTS, clockwise

MENSCH, DIRTY_CLUBS = CARD_GAMES["mensch"], CARD_GAMES["dirty-clubs"]
HALF: Facts = {"contract": "half", "declarer": 0, "partner": 2, "trump": "clubs", "tricks": 5}
ANN, BEN, CLEO, DAN, EVE, FAY = (Seat(number) for number in range(6))
EVERYBODY = (ANN, BEN, CLEO, DAN)


def table(game: str = "mensch", *, seats: int = 4, dealer: int = 0, **house_rules: object) -> Table:
    rules = CARD_GAMES[game]
    ruleset = rules.with_house_rules(rules.ruleset(game), house_rules)
    return rules.open_table(ruleset, seats=seats, dealer=Seat(dealer))


def codes(refused: pytest.ExceptionInfo[Refused]) -> set[tuple[str, str]]:
    return {(problem.code, problem.field) for problem in refused.value.problems}


# --- who plays, who sits out


@pytest.mark.parametrize("dealer", range(4))
def test_with_four_everybody_plays(dealer: int) -> None:
    assert table(dealer=dealer).seats == EVERYBODY


@pytest.mark.parametrize("dealer", range(5))
def test_of_five_the_dealer_sits_out(dealer: int) -> None:
    five = table(seats=5, dealer=dealer)
    assert set(range(5)) - set(five.seats) == {dealer}
    assert five.turns == tuple((dealer + steps) % 5 for steps in range(1, 5))
    assert five.next_dealer == (dealer + 1) % 5


@pytest.mark.parametrize("dealer", range(6))
def test_of_six_the_dealer_and_the_player_opposite_sit_out(dealer: int) -> None:
    six = table(seats=6, dealer=dealer)
    assert set(range(6)) - set(six.seats) == {dealer, (dealer + 3) % 6}
    assert six.turns == tuple((dealer + steps) % 6 for steps in (1, 2, 4, 5))
    assert six.next_dealer == (dealer + 1) % 6


def test_opposite_is_as_people_sit_and_not_as_they_are_numbered() -> None:
    six = table(seats=6).seated((ANN, EVE, BEN, FAY, CLEO, DAN), 0)
    assert six.seats == (EVE, BEN, CLEO, DAN)
    assert six.left_of(BEN) == CLEO
    assert six.left_of(FAY) == CLEO


def test_too_few_sit_and_wait() -> None:
    three = table().seated((ANN, BEN, DAN), 0)
    assert three.seats == (ANN, BEN, DAN)
    for facts in (HALF, MISDEAL):
        with pytest.raises(IllegalDeal) as refused:
            MENSCH.play(facts, three)
        assert codes(refused) == {("SEATS_FEW", "deal")}


# --- leaving, coming, coming back


@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize("leaver", range(4))
def test_when_somebody_leaves_the_deal_is_with_the_dealer_or_the_next_who_is_still_there(
    leaver: int, dealer: int
) -> None:
    left = table(dealer=dealer).seated(tuple(seat for seat in EVERYBODY if seat != leaver), 0)
    assert left.dealer == (dealer if dealer != leaver else (dealer + 1) % 4)


@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize("leaver", range(4))
def test_whoever_takes_the_place_of_another_deals_in_turn(leaver: int, dealer: int) -> None:
    ring = tuple(EVE if seat == leaver else seat for seat in EVERYBODY)
    now = table(dealer=dealer).seated(ring, 0)
    dealers = [now.dealer]
    for _ in range(3):
        now = replace(now, dealer=now.next_dealer)
        dealers.append(now.dealer)
    assert sorted(dealers) == sorted(ring)
    assert all(ring[(ring.index(one) + 1) % 4] == other for one, other in itertools.pairwise(dealers))


def test_if_nobody_who_was_there_is_left_the_first_who_came_deals() -> None:
    assert table(dealer=2).seated((EVE, FAY), 0).dealer == EVE


def test_who_comes_begins_with_the_start_of_a_game_and_who_left_keeps_what_they_have() -> None:
    began = replace(table("dirty-clubs"), totals=(20, 9, 14, 3))
    with_eve = began.seated((ANN, BEN, CLEO, EVE), 25)
    assert with_eve.totals == (20, 9, 14, 3, 25)
    assert with_eve.seated(EVERYBODY, 25).totals == (20, 9, 14, 3, 25)


def test_only_those_at_the_table_can_win_a_game() -> None:
    began = replace(table("dirty-clubs"), totals=(2, 9, 14, 1))
    # Dan left with one point; Ann, with two, takes two tricks and has none.
    now = began.seated((ANN, BEN, CLEO, EVE), 25)
    score = DIRTY_CLUBS.play({"turn_up": "clubs", "tricks": [2, 1, 1, 0, 1]}, now)
    assert score.table.winners == (ANN,)
    assert (score.points[DAN], score.table.totals[DAN]) == (0, 1)


def test_a_next_game_begins_afresh_for_those_who_are_away_too() -> None:
    over = replace(table("dirty-clubs"), totals=(0, 9, 14, 1), winners=(ANN,)).seated((ANN, BEN, CLEO, EVE), 25)
    again = DIRTY_CLUBS.new_game(over)
    assert (again.totals, again.ring) == ((25,) * 5, (ANN, BEN, CLEO, EVE))


def test_a_table_is_kept_and_restored_with_those_at_it() -> None:
    for now in (table(), table(seats=5), table().seated((ANN, EVE, CLEO, DAN), 0)):
        assert Table.restored(now.ruleset, now.state()) == now
    assert "present" not in table(seats=5).state()


def test_seats_are_named_from_the_lowest() -> None:
    assert clockwise((DAN, EVE, BEN, CLEO)) == (BEN, CLEO, DAN, EVE)


# --- roles and seats


def roles(five: Table) -> list[Facts]:
    """Every half, and every lone five, that anybody at the table may or may not have played."""
    halves = [
        {**HALF, "declarer": one, "partner": other} for one, other in itertools.permutations(range(len(five.totals)), 2)
    ]
    fives = [{"contract": "five", "declarer": one, "trump": "spades", "tricks": 5} for one in range(len(five.totals))]
    return [*halves, *fives]


@pytest.mark.parametrize("seats", [5, 6])
@pytest.mark.parametrize("dealer", range(5))
def test_only_who_plays_can_be_declarer_or_partner_and_who_sits_out_wins_nothing(seats: int, dealer: int) -> None:
    now = table(seats=seats, dealer=dealer)
    out = set(now.ring) - set(now.seats)
    for facts in roles(now):
        named = {facts["declarer"], facts.get("partner", facts["declarer"])}
        if named & out:
            with pytest.raises(IllegalDeal) as refused:
                MENSCH.play(facts, now)
            assert {code for code, _ in codes(refused)} == {"NOT_PLAYING"}
        else:
            score = MENSCH.play(facts, now)
            assert sum(score.points) == 0
            assert {seat for seat, points in enumerate(score.points) if not points} == out
            assert score.table.dealer == (dealer + 1) % seats


@pytest.mark.parametrize("dealer", range(5))
def test_in_dirty_clubs_only_who_plays_can_name_trump_or_take_tricks(dealer: int) -> None:
    now = table("dirty-clubs", seats=5, dealer=dealer)
    for seat in range(5):
        tricks = [0] * 5
        tricks[seat] = 2
        for other in [one for one in range(5) if one not in (seat, dealer)][:3]:
            tricks[other] = 1
        maker: Facts = {"turn_up": "spades", "maker": seat, "trump": "hearts", "tricks": tricks}
        if seat == dealer:
            with pytest.raises(IllegalDeal) as refused:
                DIRTY_CLUBS.play(maker, now)
            assert codes(refused) == {("NOT_PLAYING", "maker"), ("NOT_PLAYING", "tricks")}
        else:
            assert DIRTY_CLUBS.play(maker, now).points[dealer] == 0


def test_who_sits_out_does_not_bid() -> None:
    now = table(seats=5, dealer=1)
    auction = [[2, "pass"], [3, "half"], [4, "pass"], [0, "pass"]]
    deal = {**HALF, "declarer": 3, "partner": 0, "auction": auction}
    assert MENSCH.play(deal, now).result is Result.MADE
    with pytest.raises(IllegalDeal) as refused:
        MENSCH.play({**deal, "auction": [[1, "pass"], *auction]}, now)
    assert codes(refused) == {("NOT_PLAYING", "auction")}


def test_who_has_left_does_not_bid_and_takes_no_turn() -> None:
    now = table().seated((ANN, BEN, CLEO, EVE), 0)
    deal = {**HALF, "declarer": 1, "partner": 0, "auction": [[1, "half"], [3, "pass"], [2, "pass"]]}
    with pytest.raises(IllegalDeal) as refused:
        MENSCH.play(deal, now)
    assert codes(refused) == {("NOT_PLAYING", "auction")}


# --- the dealer, by hand


@pytest.mark.parametrize("by_hand", range(5))
def test_a_dealer_by_hand_deals_this_time_and_the_deal_passes_on_from_there(by_hand: int) -> None:
    now = table(seats=5)
    declarer, partner = replace(now, dealer=Seat(by_hand)).seats[:2]
    score = MENSCH.play({**HALF, "declarer": declarer, "partner": partner, "dealer": by_hand}, now)
    assert (score.before.dealer, score.table.dealer) == (by_hand, (by_hand + 1) % 5)
    assert score.points[by_hand] == 0


def test_a_misdeal_of_a_dealer_by_hand_is_dealt_again_by_the_same() -> None:
    score = MENSCH.play({**MISDEAL, "dealer": 2}, table())
    assert (score.result, score.table.dealer) == (Result.MISDEAL, CLEO)


@pytest.mark.parametrize("dealer", [4, -1, True, "0", None, 1.0])
def test_only_who_is_at_the_table_can_deal(dealer: object) -> None:
    with pytest.raises(IllegalDeal) as refused:
        MENSCH.play({**HALF, "dealer": dealer}, table().widened(5, 0))
    assert codes(refused) == {("NOT_AT_TABLE", "dealer")}


# --- lists with a place per seat


@pytest.mark.parametrize("tricks", [[2, 1, 1, 1], [2, 1, 1, 1, 0], [2, 1, 1, 1, 0, 0]])
@pytest.mark.parametrize("seats", [4, 5, 6])
def test_seats_that_came_or_went_with_other_deals_do_not_matter(seats: int, tricks: list[int]) -> None:
    score = DIRTY_CLUBS.play({"turn_up": "clubs", "tricks": tricks}, table("dirty-clubs").widened(seats, 25))
    assert score.points == (-2, -1, -1, -1, 0, 0)[:seats]


@pytest.mark.parametrize(
    ("seats", "tricks"),
    [(4, [2, 1, 2]), (4, [2, 1, 1, 0, 1]), (4, [2, 1, 1, 1, None]), (4, [2, 1, 1, 1] + [0] * MAX_ACCOUNTS)],
)
def test_a_place_for_each_who_plays_is_needed_and_nothing_in_those_of_others(seats: int, tricks: list[Any]) -> None:
    with pytest.raises(MalformedDeal) as refused:
        DIRTY_CLUBS.play({"turn_up": "clubs", "tricks": tricks}, table("dirty-clubs", seats=seats))
    assert codes(refused) == {("MALFORMED", "tricks")}


def test_who_has_left_can_have_taken_no_tricks() -> None:
    now = table("dirty-clubs").seated((ANN, BEN, CLEO, EVE), 25)
    with pytest.raises(IllegalDeal) as refused:
        DIRTY_CLUBS.play({"turn_up": "clubs", "tricks": [2, 1, 1, 1, 0]}, now)
    assert codes(refused) == {("NOT_PLAYING", "tricks")}


# --- who may be seated


@pytest.mark.parametrize(
    ("seats", "code"),
    [
        ((ANN, BEN, CLEO, ANN), "SEAT_TAKEN"),
        ((ANN,), "SEATS_FEW"),
        ((), "SEATS_FEW"),
        (tuple(map(Seat, range(7))), "SEATS_MANY"),
        ((ANN, BEN, CLEO, Seat(MAX_ACCOUNTS)), "ACCOUNTS_TOO_MANY"),
    ],
)
def test_what_cannot_be_seated(seats: tuple[Seat, ...], code: str) -> None:
    problems = MENSCH.check_seats(table().ruleset, seats, MAX_ACCOUNTS)
    assert [(problem.code, problem.field) for problem in problems] == [(code, "seats")]


@pytest.mark.parametrize("seats", [EVERYBODY, (ANN, BEN), (CLEO, ANN, BEN), tuple(map(Seat, range(6)))])
def test_who_can_be_seated(seats: tuple[Seat, ...]) -> None:
    assert MENSCH.check_seats(table().ruleset, seats, 4) == ()


@pytest.mark.parametrize(
    ("seats", "fixed"),
    [
        (EVERYBODY, True),
        ((CLEO, DAN, ANN, BEN), True),
        ((ANN, BEN, CLEO), True),
        ((BEN, ANN, CLEO, DAN), False),
        ((ANN, BEN, CLEO, EVE), False),
    ],
)
def test_fixed_partners_stay_opposite_each_other(seats: tuple[Seat, ...], fixed: bool) -> None:
    ruleset = table(partnership="fixed").ruleset
    assert [problem.code for problem in MENSCH.check_seats(ruleset, seats, 4)] == ([] if fixed else ["PARTNERS_FIXED"])
    assert not MENSCH.admits(ruleset, 5)

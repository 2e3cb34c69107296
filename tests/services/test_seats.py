"""Seats that change: whoever comes, goes or stands in, every deal keeps who played it and what it brought them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy.orm import Session

from scorekeeper import queries
from scorekeeper.rules import Facts, IllegalDeal, Refused, Seat
from scorekeeper.rules.base import MAX_ACCOUNTS
from scorekeeper.services.check import differences
from scorekeeper.services.seats import SeatPlayers, Sitter, seat_players
from scorekeeper.services.transaction import SessionClosed, StaleSession
from scorekeeper.sessionfile import Adjustment
from tests.factories import CLUB_TURNED, HALF_MADE, NAMES, make_group, make_session, submission_id
from tests.sittings import PEOPLE, Rules, Sitting, dump, entered_right_at_first

MENSCH, DIRTY_CLUBS = Rules("mensch", "mensch"), Rules("dirty-clubs", "dirty-clubs", {"stake_loser": 2})
EVE, FAY = "Eve", "Fay"
SWEEP: Facts = {"turn_up": "clubs", "tricks": [5, 0, 0, 0]}


def half(declarer: int, partner: int) -> Facts:
    return {**HALF_MADE, "declarer": declarer, "partner": partner}


@pytest.fixture
def sitting(db: Session) -> Sitting:
    """Ann, Ben, Cleo and Dan, who deals first."""
    return Sitting.begin(db, MENSCH)


def without(name: str, *, instead: Sequence[str] = ()) -> list[str]:
    """The four, with somebody in the place of one of them, or nobody."""
    place = NAMES.index(name)
    return [*NAMES[:place], *instead, *NAMES[place + 1 :]]


def seated(sitting: Sitting) -> list[tuple[str, str]]:
    """Who is at the table, clockwise, and on whose account they play."""
    owners = dict(sitting.named([(seat.seat, seat.player_id) for seat in sitting.seats()]))
    return [(name, owners[seat]) for seat, name in sitting.named(sitting.row.seating)]


def dealer(sitting: Sitting) -> str:
    return dict(sitting.named(sitting.row.seating))[sitting.row.table["dealer"]]


def code_of(refused: pytest.ExceptionInfo[Refused]) -> list[str]:
    return [problem.code for problem in refused.value.problems]


# --- coming and going


@pytest.mark.parametrize("deals", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("name", NAMES)
def test_leaving_and_coming_back_before_the_next_deal_changes_nothing(sitting: Sitting, name: str, deals: int) -> None:
    for _ in range(deals):
        sitting.record(HALF_MADE)
    before = sitting.row
    sitting.sit(*without(name))
    assert name not in {somebody for somebody, _ in seated(sitting)}
    sitting.sit(*without(name, instead=[EVE, FAY]))
    sitting.sit(*NAMES)
    assert (sitting.row.table, sitting.row.seating) == (before.table, before.seating)
    assert list(differences(sitting.db)) == []


@pytest.mark.parametrize("deals", [0, 1, 2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_the_deal_goes_round_those_who_are_there(sitting: Sitting, name: str, deals: int) -> None:
    for _ in range(deals):
        sitting.record(HALF_MADE)
    was_next = dealer(sitting)
    sitting.sit(*without(name, instead=[EVE]))
    there = [somebody for somebody, _ in seated(sitting)]
    order = without(name, instead=[EVE])
    # If the next dealer has left, the deal passes on clockwise.
    first = was_next if was_next in there else NAMES[(NAMES.index(was_next) + 1) % 4]
    turns = []
    for _ in range(4):
        turns.append(dealer(sitting))
        present = [seat for seat, _ in sitting.row.seating]
        sitting.record(half(present[0], present[2]))
    start = order.index(first)
    assert turns == order[start:] + order[:start]
    sitting.sit(*NAMES)
    sitting.record(HALF_MADE)
    entered_right_at_first(sitting)
    assert list(differences(sitting.db)) == []


def test_who_comes_late_has_an_account_from_then_on_and_every_deal_keeps_its_own_seating(sitting: Sitting) -> None:
    sitting.record(HALF_MADE)
    sitting.sit(*without("Dan", instead=[EVE]))
    sitting.record(half(4, 0))
    first, second = sitting.deals()
    assert [seat for seat, _ in first.seating] == [0, 1, 2, 3]
    assert [seat for seat, _ in second.seating] == [0, 1, 2, 4]
    assert (first.points, first.totals) == ([1, -1, 1, -1], [1, -1, 1, -1])
    assert (second.points, second.totals) == ([1, -1, -1, 0, 1], [2, -2, 0, -1, 1])
    assert [seat.chips for seat in sitting.seats()] == [2, -2, 0, -1, 1]


def test_the_table_waits_while_too_few_are_there(sitting: Sitting) -> None:
    sitting.sit("Ann", "Ben", "Cleo")
    stored = dump(sitting.db)
    with pytest.raises(IllegalDeal, match="SEATS_FEW"):
        sitting.record(HALF_MADE)
    assert dump(sitting.db) == stored


@pytest.mark.parametrize("there", [(*NAMES, EVE), (*NAMES, EVE, FAY)])
def test_everybody_sits_out_in_turn(sitting: Sitting, there: tuple[str, ...]) -> None:
    sitting.sit(*there)
    sat_out = []
    for _ in there:
        table = sitting.row.table
        out = [table["dealer"], (table["dealer"] + 3) % 6][: len(there) - 4]
        playing = [seat for seat in range(len(there)) if seat not in out]
        for seat in out:
            with pytest.raises(IllegalDeal, match="NOT_PLAYING"):
                sitting.record(half(seat, playing[0]))
        sitting.record(half(playing[0], playing[1]))
        assert [seat for seat, points in enumerate(sitting.deals()[-1].points) if not points] == sorted(out)
        sat_out += out
    assert sorted(sat_out) == sorted(list(range(len(there))) * (len(there) - 4))
    assert list(differences(sitting.db)) == []


def test_a_session_can_begin_with_five(db: Session) -> None:
    sitting = Sitting(db, make_session(db, group=make_group(db, players=PEOPLE), seats=5, dealer=4))
    sitting.record(HALF_MADE)
    assert sitting.deals()[0].points == [1, -1, 1, -1, 0]
    with pytest.raises(IllegalDeal, match="NOT_PLAYING"):
        sitting.record(HALF_MADE)


# --- standing in


def test_who_stands_in_plays_on_the_account_of_another_and_has_none(sitting: Sitting) -> None:
    sitting.record(HALF_MADE)
    sitting.sit(*NAMES, Ben=EVE)
    sitting.record(half(1, 3))
    assert seated(sitting) == [("Ann", "Ann"), (EVE, "Ben"), ("Cleo", "Cleo"), ("Dan", "Dan")]
    assert [seat.chips for seat in sitting.seats()] == [0, 0, 0, 0]
    eve = sitting.people()[PEOPLE.index(EVE)]
    assert [[1, eve] in deal.seating for deal in sitting.deals()] == [False, True]
    sitting.sit(*NAMES)
    assert seated(sitting)[1] == ("Ben", "Ben")
    assert list(differences(sitting.db)) == []


def test_somebody_with_an_account_can_stand_in_for_another(sitting: Sitting) -> None:
    sitting.sit(*without("Dan", instead=[EVE]))
    sitting.record(half(0, 4))
    sitting.sit(*NAMES, Dan=EVE)
    sitting.record(half(0, 3))
    assert [seat.chips for seat in sitting.seats()] == [2, -2, -2, 1, 1]
    assert len(sitting.seats()) == 5


def test_fixed_partners_can_be_stood_in_for_and_nobody_else_comes(db: Session) -> None:
    sitting = Sitting.begin(db, Rules("mensch", "mensch", {"partnership": "fixed"}))
    sitting.sit(*NAMES, Cleo=EVE)
    stored = dump(db)
    for there in (without("Cleo", instead=[EVE]), ["Ben", "Ann", "Cleo", "Dan"], [*NAMES, EVE]):
        with pytest.raises(Refused) as refused:
            sitting.sit(*there)
        assert "PARTNERS_FIXED" in code_of(refused)
    assert dump(db) == stored


# --- what cannot be


def command(sitting: Sitting, *sitters: Sitter, **changes: Any) -> SeatPlayers:
    return SeatPlayers(**{**sitting.made.command(sitting.db), **changes}, sitters=sitters)


def test_it_refuses_who_cannot_sit_so_and_leaves_no_trace(sitting: Sitting) -> None:
    people = sitting.people()
    ann, ben, cleo, dan, eve = (Sitter(player) for player in people[:5])
    stranger = Sitter(Sitting.begin(sitting.db, MENSCH).people()[0])
    cases = [
        ((ann,), "SEATS_FEW"),
        ((), "SEATS_FEW"),
        (tuple(map(Sitter, people)), "SEATS_MANY"),
        ((ann, ben, cleo, Sitter(eve.player, Seat(0))), "SEAT_TAKEN"),
        ((ann, ben, cleo, ann), "SEATED_TWICE"),
        ((ann, ben, cleo, eve, eve), "SEATED_TWICE"),
        ((ann, ben, cleo, stranger), "MALFORMED"),
        ((ann, ben, cleo, Sitter(0)), "MALFORMED"),
        ((ann, ben, cleo, Sitter(dan.player, Seat(4))), "MALFORMED"),
        ((ann, ben, cleo, Sitter(dan.player, Seat(-1))), "MALFORMED"),
    ]
    stored = dump(sitting.db)
    for sitters, code in cases:
        with pytest.raises(Refused) as refused:
            seat_players(sitting.db, command(sitting, *sitters))
        assert code_of(refused) == [code]
    assert dump(sitting.db) == stored


def test_only_so_many_can_come_and_go(db: Session) -> None:
    names = tuple(f"Guest {number}" for number in range(MAX_ACCOUNTS + 1))
    sitting = Sitting(db, make_session(db, group=make_group(db, players=names)))
    people = sitting.people()
    for guest in people[4:MAX_ACCOUNTS]:
        sitting.seat([Sitter(people[0]), Sitter(guest)])
    with pytest.raises(Refused) as refused:
        sitting.seat([Sitter(people[0]), Sitter(people[MAX_ACCOUNTS])])
    assert code_of(refused) == ["ACCOUNTS_TOO_MANY"]
    assert len(sitting.seats()) == MAX_ACCOUNTS


def test_seats_do_not_change_while_a_deal_is_being_played(sitting: Sitting) -> None:
    sitting.declare({"contract": "half", "declarer": 0, "trump": "clubs"})
    with pytest.raises(Refused) as refused:
        sitting.sit(*without("Dan", instead=[EVE]))
    assert code_of(refused) == ["DECLARED"]
    sitting.drop()
    sitting.sit(*without("Dan", instead=[EVE]))


def test_who_was_to_deal_out_of_turn_is_asked_again_when_seats_change(sitting: Sitting) -> None:
    sitting.declare({"dealer": 1})
    assert sitting.row.declared == {"dealer": 1}
    sitting.sit(*without("Ben", instead=[EVE]))
    assert sitting.row.declared is None


def test_nobody_who_is_away_can_be_the_dealer(sitting: Sitting) -> None:
    sitting.sit(*without("Dan", instead=[EVE]))
    for act in (sitting.record, sitting.declare):
        with pytest.raises(IllegalDeal, match="NOT_AT_TABLE"):
            act({**HALF_MADE, "dealer": 3})


def test_it_seats_nobody_by_a_stale_form_or_in_a_session_that_has_ended(sitting: Sitting) -> None:
    sitters = [Sitter(player) for player in sitting.people()[:5]]
    stale = command(sitting, *sitters)
    sitting.record(HALF_MADE)
    with pytest.raises(StaleSession):
        seat_players(sitting.db, stale)
    sitting.close()
    with pytest.raises(SessionClosed):
        sitting.seat(sitters)
    assert len(sitting.seats()) == 4


def test_the_same_form_sent_twice_seats_people_once(sitting: Sitting) -> None:
    once = command(sitting, *(Sitter(player) for player in sitting.people()[:5]), submission_id=submission_id())
    seat_players(sitting.db, once)
    stored = dump(sitting.db)
    seat_players(sitting.db, once)
    assert dump(sitting.db) == stored


# --- the dealer, by hand


def test_a_dealer_by_hand_stays_with_the_deal_and_the_order_goes_on_from_there(sitting: Sitting) -> None:
    sitting.record({**HALF_MADE, "dealer": 1})
    sitting.record(HALF_MADE)
    assert [deal.before["dealer"] for deal in sitting.deals()] == [1, 2]
    sitting.correct(1, HALF_MADE)
    assert [deal.before["dealer"] for deal in sitting.deals()] == [3, 0]
    entered_right_at_first(sitting)


def test_a_declared_deal_says_who_deals_only_if_it_is_not_the_next_in_turn(sitting: Sitting) -> None:
    sitting.declare({"contract": "half", "declarer": 0, "dealer": 3})
    assert sitting.row.declared == {"contract": "half", "declarer": 0}
    with pytest.raises(IllegalDeal, match="contract: MALFORMED"):
        sitting.declare({"dealer": 3})


# --- corrections on either side of a change of seats


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_corrected_or_void_deal_keeps_its_own_seating(sitting: Sitting, number: int) -> None:
    sitting.record(HALF_MADE)
    sitting.sit(*without("Dan", instead=[EVE]))
    sitting.record(half(4, 0))
    sitting.sit(*NAMES)
    sitting.record(half(3, 0))
    sitting.sit("Ann", FAY, "Cleo", "Dan")
    sitting.record(half(5, 0))
    seatings = [deal.seating for deal in sitting.deals()]
    sitting.correct(number, half(0, 2))
    sitting.void(number)
    entered_right_at_first(sitting)
    sitting.restore(number)
    entered_right_at_first(sitting)
    assert [deal.seating for deal in sitting.deals()] == seatings
    assert list(differences(sitting.db)) == []


def test_a_void_deal_takes_its_seats_with_it_and_not_what_later_deals_say(db: Session) -> None:
    sitting = Sitting.begin(db, DIRTY_CLUBS)
    sitting.sit(*without("Dan", instead=[EVE]))
    sitting.record({"turn_up": "clubs", "tricks": [2, 1, 1, 0, 1]})
    sitting.sit(*NAMES)
    sitting.record({"turn_up": "clubs", "tricks": [2, 1, 1, 1, 0]})
    sitting.void(1)
    assert [deal.status for deal in sitting.deals()] == ["void", "scored"]
    assert sitting.deals()[1].points == [-2, -1, -1, -1]
    sitting.record(CLUB_TURNED)
    sitting.restore(1)
    assert [deal.status for deal in sitting.deals()] == ["scored", "scored", "scored"]
    assert [deal.points for deal in sitting.deals()] == [[-2, -1, -1, 0, -1], *[[-2, -1, -1, -1, 0]] * 2]
    entered_right_at_first(sitting)
    assert list(differences(db)) == []


def test_who_is_not_there_cannot_be_put_into_a_deal_by_a_correction(sitting: Sitting) -> None:
    sitting.record(HALF_MADE)
    sitting.sit(*without("Dan", instead=[EVE]))
    sitting.record(half(4, 0))
    with pytest.raises(Refused):
        sitting.correct(1, half(4, 0))
    with pytest.raises(Refused):
        sitting.correct(2, half(3, 0))


# --- sums of the group, and chips


def test_a_session_counts_for_everybody_who_ever_came_and_a_game_for_those_who_were_there_at_its_end(
    db: Session,
) -> None:
    sitting = Sitting.begin(db, DIRTY_CLUBS)
    sitting.sit(*without("Dan", instead=[EVE]))
    sitting.record({"turn_up": "clubs", "tricks": [5, 0, 0, 0, 0]})
    # Sessions, games, wins and chips.
    expected = [(1, 1, 1, 6), (1, 1, 0, -2), (1, 1, 0, -2), (1, 0, 0, 0), (1, 1, 0, -2)]
    assert sitting.totals() == expected
    sitting.next_game()
    sitting.sit(*NAMES)
    sitting.sit(*without("Dan", instead=[FAY]))
    sitting.sit(*NAMES)
    sitting.record(SWEEP)
    assert sitting.totals() == [(1, 2, 2, 12), (1, 2, 0, -4), (1, 2, 0, -4), (1, 1, 0, -2), (1, 1, 0, -2), (1, 0, 0, 0)]
    sitting.void(1)
    entered_right_at_first(sitting)
    assert list(differences(db)) == []


def test_who_has_left_can_still_buy_cash_in_and_settle(sitting: Sitting) -> None:
    sitting.sit(*without("Dan", instead=[EVE]))
    sitting.buy(3, 20)
    sitting.buy(4, 10)
    sitting.record(half(4, 0))
    sitting.sit(*NAMES)
    sitting.cash(4, 11)
    sitting.move(3, 4, 2)
    eve = sitting.seats()[4]
    assert (eve.chips, eve.bought, eve.cashed) == (3, 10, 11)
    sitting.close()
    assert sitting.is_settled()
    assert {transfer.payee for transfer in sitting.transfers()} <= {0, 4}
    assert list(differences(sitting.db)) == []


def test_chips_moved_by_hand_to_somebody_who_came_and_went_stay_on_the_sheet(sitting: Sitting) -> None:
    sitting.sit(*without("Dan", instead=[EVE]))
    sitting.move(0, 4, 3)
    sitting.sit(*NAMES)
    assert sitting.row.table["totals"] == [-3, 0, 0, 0, 3]
    sitting.record(HALF_MADE)
    assert sitting.deals()[0].totals == [-2, -1, 1, -1, 3]
    sitting.void(1)
    entered_right_at_first(sitting)
    assert list(differences(sitting.db)) == []


def test_chips_moved_by_hand_are_exported_for_everybody_who_had_come_by_then(sitting: Sitting) -> None:
    sitting.move(0, 1, 1)
    sitting.sit(*without("Dan", instead=[EVE]))
    sitting.move(0, 4, 2)
    sitting.sit(*without("Cleo", instead=[FAY]))
    sitting.sit(*NAMES)
    sitting.move(5, 2, 3)
    sitting.move(1, 0, 4)
    events = queries.session_file(sitting.db, sitting.row).events
    moved = [event.chips for event in events if isinstance(event, Adjustment)]
    assert moved == [(-1, 1, 0, 0), (-2, 0, 0, 0, 2), (0, 0, 3, 0, 0, -3), (4, -4, 0, 0, 0, 0)]

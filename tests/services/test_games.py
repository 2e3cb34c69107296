"""One game after another in a session of Dirty Clubs, and corrections that move where one ends."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from scorekeeper.rules import MISDEAL, Facts, IllegalDeal
from scorekeeper.services.check import differences
from scorekeeper.services.transaction import StaleSession
from tests.factories import CLUB_TURNED, make_session
from tests.sittings import Sitting, dump, entered_right_at_first

SWEEP: Facts = {"turn_up": "clubs", "tricks": [5, 0, 0, 0]}
"""Ann takes every trick and wins the game at once."""


@pytest.fixture
def sitting(db: Session) -> Sitting:
    """Two deals and a game Ann won with the third; two deals of the next game."""
    sitting = Sitting(db, make_session(db, card_game="dirty-clubs", house_rules={"stake_loser": 1}))
    for facts in (CLUB_TURNED, CLUB_TURNED, SWEEP):
        sitting.record(facts)
    sitting.next_game()
    for facts in (CLUB_TURNED, CLUB_TURNED):
        sitting.record(facts)
    return sitting


def statuses(sitting: Sitting) -> list[str]:
    return [deal.reason or deal.status for deal in sitting.deals()]


def games(sitting: Sitting) -> list[int]:
    return [deal.before["game"] for deal in sitting.deals()]


def test_a_game_that_ends_pays_its_winner_and_counts_for_everybody(sitting: Sitting) -> None:
    assert games(sitting) == [1, 1, 1, 2, 2]
    assert [deal.winners for deal in sitting.deals()] == [[], [], [0], [], []]
    assert sitting.totals() == [(1, 1, 1, 3), (1, 1, 0, -1), (1, 1, 0, -1), (1, 1, 0, -1)]


def test_nothing_can_be_recorded_after_the_end_of_a_game_until_the_next_begins(sitting: Sitting) -> None:
    sitting.record(SWEEP)
    stored = dump(sitting.db)
    with pytest.raises(IllegalDeal, match="GAME_OVER"):
        sitting.record(CLUB_TURNED)
    assert dump(sitting.db) == stored
    sitting.next_game()
    sitting.record(CLUB_TURNED)
    assert games(sitting)[-1] == 3


def test_a_game_cannot_begin_before_the_last_has_ended(sitting: Sitting) -> None:
    stored = dump(sitting.db)
    with pytest.raises(IllegalDeal, match="GAME_NOT_OVER"):
        sitting.next_game()
    assert dump(sitting.db) == stored


def test_deals_after_an_earlier_end_are_kept_and_not_scored(sitting: Sitting) -> None:
    sitting.correct(2, SWEEP)
    assert statuses(sitting) == ["scored", "scored", "GAME_OVER", "scored", "scored"]
    assert games(sitting) == [1, 1, 1, 2, 2]
    entered_right_at_first(sitting)


def test_a_new_game_can_begin_with_a_deal_after_an_earlier_end(sitting: Sitting) -> None:
    sitting.correct(1, SWEEP)
    assert statuses(sitting) == ["scored", "GAME_OVER", "GAME_OVER", "scored", "scored"]
    sitting.decide(2, starts_game=True)
    assert statuses(sitting) == ["scored"] * 5
    assert games(sitting) == [1, 2, 2, 3, 3]
    assert sitting.totals()[0] == (1, 2, 2, 6)
    entered_right_at_first(sitting)


def test_deals_of_a_game_whose_start_went_away_wait_for_a_decision(sitting: Sitting) -> None:
    sitting.correct(3, CLUB_TURNED)
    assert statuses(sitting) == ["scored"] * 3 + ["GAME_NOT_OVER"] * 2
    assert sitting.row.undecided
    stored = dump(sitting.db)
    with pytest.raises(IllegalDeal, match="UNDECIDED"):
        sitting.record(CLUB_TURNED)
    with pytest.raises(IllegalDeal, match="GAME_NOT_OVER"):
        sitting.decide(4, starts_game=True)
    assert dump(sitting.db) == stored
    assert sitting.totals()[0] == (1, 0, 0, 0)


def test_waiting_deals_can_count_in_the_game_before(sitting: Sitting) -> None:
    sitting.correct(3, CLUB_TURNED)
    sitting.decide(4, starts_game=False)
    assert statuses(sitting) == ["scored"] * 5
    assert games(sitting) == [1] * 5
    sitting.record(CLUB_TURNED)
    entered_right_at_first(sitting)


def test_putting_the_end_back_puts_the_game_after_it_back(sitting: Sitting) -> None:
    before = sitting.row.table
    sitting.correct(3, CLUB_TURNED)
    sitting.correct(3, SWEEP)
    assert (sitting.row.table, sitting.row.undecided) == (before, False)
    assert statuses(sitting) == ["scored"] * 5


def test_without_its_first_deal_a_game_begins_with_its_second(sitting: Sitting) -> None:
    sitting.void(4)
    assert games(sitting)[4] == 2
    assert sitting.deals()[4].before["deals"] == 0
    sitting.correct(3, CLUB_TURNED)
    assert statuses(sitting) == ["scored", "scored", "scored", "void", "GAME_NOT_OVER"]
    sitting.decide(5, starts_game=False)
    assert statuses(sitting) == ["scored", "scored", "scored", "void", "scored"]
    entered_right_at_first(sitting)


def test_a_first_deal_that_is_restored_begins_the_game_again(sitting: Sitting) -> None:
    before = sitting.row.table
    sitting.void(4)
    sitting.void(5)
    sitting.record(CLUB_TURNED)
    sitting.void(6)
    for number in (4, 5):
        sitting.restore(number)
    assert sitting.row.table == before
    assert [deal.starts_game for deal in sitting.deals()] == [False, False, False, True, False, False]
    assert list(differences(sitting.db)) == []


def test_a_deal_recorded_in_place_of_a_void_one_begins_the_game(sitting: Sitting) -> None:
    sitting.void(5)
    sitting.void(4)
    sitting.record(CLUB_TURNED)
    sitting.correct(3, CLUB_TURNED)
    assert statuses(sitting)[-1] == "GAME_NOT_OVER"


def test_a_game_of_one_deal_that_is_voided_and_restored_leaves_the_next_game_its_start(sitting: Sitting) -> None:
    sitting.record(SWEEP)
    sitting.next_game()
    sitting.record(SWEEP)
    sitting.next_game()
    for facts in (CLUB_TURNED, CLUB_TURNED):
        sitting.record(facts)
    before = sitting.row.table
    for numbers in ((7,), (7, 8), (8, 7), (6, 7, 8)):
        for number in numbers:
            sitting.void(number)
        for number in numbers:
            sitting.restore(number)
        assert sitting.row.table == before
        assert statuses(sitting) == ["scored"] * 9
    assert list(differences(sitting.db)) == []


def test_a_deal_can_be_counted_in_the_game_before_only_while_it_waits(sitting: Sitting) -> None:
    stored = dump(sitting.db)
    with pytest.raises(StaleSession):
        sitting.decide(4, starts_game=False)
    assert dump(sitting.db) == stored


def test_void_deals_alone_leave_nothing_to_decide(sitting: Sitting) -> None:
    sitting.void(5)
    sitting.void(4)
    sitting.correct(3, CLUB_TURNED)
    assert not sitting.row.undecided
    sitting.record(CLUB_TURNED)
    assert games(sitting)[-1] == 1
    entered_right_at_first(sitting)


def test_a_next_game_without_a_deal_yet_survives_a_correction_before_it(sitting: Sitting) -> None:
    sitting.record(SWEEP)
    sitting.next_game()
    sitting.correct(1, {"turn_up": "clubs", "tricks": [1, 2, 1, 1]})
    assert (sitting.row.table["game"], sitting.row.table["deals"]) == (3, 0)
    sitting.correct(6, CLUB_TURNED)
    assert sitting.row.table["game"] == 2
    assert list(differences(sitting.db)) == []


def test_a_misdeal_can_be_the_first_deal_of_a_game(sitting: Sitting) -> None:
    sitting.record(SWEEP)
    sitting.next_game()
    sitting.record(MISDEAL)
    sitting.record(CLUB_TURNED)
    assert games(sitting)[-2:] == [3, 3]
    sitting.correct(6, CLUB_TURNED)
    assert statuses(sitting)[-2:] == ["GAME_NOT_OVER"] * 2
    sitting.decide(7, starts_game=False)
    assert statuses(sitting)[-2:] == ["scored"] * 2
    entered_right_at_first(sitting)


def test_in_a_session_of_one_game_nothing_begins_anew(db: Session) -> None:
    sitting = Sitting(db, make_session(db))
    sitting.record({"contract": "five", "declarer": 0, "trump": "spades", "tricks": 5})
    stored = dump(db)
    with pytest.raises(IllegalDeal, match="GAME_NOT_OVER"):
        sitting.decide(1, starts_game=True)
    with pytest.raises(IllegalDeal, match="GAME_NOT_OVER"):
        sitting.next_game()
    assert dump(db) == stored

"""A declared deal stays as long as it can be played at the table as that is now, whatever is changed before it."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from scorekeeper.rules import Facts, IllegalDeal
from scorekeeper.services.check import differences
from tests.factories import CLUB_TURNED, HALF_MADE, make_group, make_session
from tests.sittings import PEOPLE, Act, Rules, Sitting, dump, entered_right_at_first

HALF: Facts = {"contract": "half", "declarer": 0, "trump": "clubs"}
SWEEP: Facts = {"turn_up": "clubs", "tricks": [5, 0, 0, 0]}
THROWN_IN: Facts = {"contract": "passed-out"}


@pytest.fixture
def sitting(db: Session) -> Sitting:
    """Mensch; Dan deals first."""
    return Sitting.begin(db, Rules("mensch", "mensch"))


@pytest.fixture
def clubs(db: Session) -> Sitting:
    """Dirty Clubs; Dan deals first."""
    return Sitting.begin(db, Rules("dirty-clubs", "dirty-clubs"))


def unchanged(sitting: Sitting) -> None:
    entered_right_at_first(sitting)
    assert list(differences(sitting.db)) == []


def test_a_declared_deal_that_still_fits_stays_when_earlier_deals_change(sitting: Sitting) -> None:
    sitting.record(HALF_MADE)
    sitting.record(HALF_MADE)
    sitting.declare(HALF)
    acts: list[Act] = [
        lambda sitting: sitting.void(1),
        lambda sitting: sitting.restore(1),
        lambda sitting: sitting.correct(2, HALF_MADE),
    ]
    for act in acts:
        act(sitting)
        assert sitting.row.declared == HALF
        unchanged(sitting)


def test_who_bid_first_where_another_deals_now_is_no_bidding(sitting: Sitting) -> None:
    sitting.record(HALF_MADE)
    # Ann deals, so Ben bids first.
    sitting.declare({**HALF, "auction": [[1, "pass"], [2, "pass"], [3, "pass"], [0, "half"]]})
    sitting.void(1)
    assert sitting.row.declared is None
    unchanged(sitting)


def test_a_declarer_who_sits_out_now_declared_nothing(db: Session) -> None:
    sitting = Sitting(db, make_session(db, group=make_group(db, players=PEOPLE), seats=5, dealer=4))
    sitting.record(HALF_MADE)
    sitting.declare({**HALF, "declarer": 4})
    sitting.void(1)
    assert sitting.row.declared is None
    unchanged(sitting)


@pytest.mark.parametrize("declared", [{}, HALF])
def test_a_dealer_by_hand_who_is_the_next_in_turn_now_is_by_hand_no_more(sitting: Sitting, declared: Facts) -> None:
    sitting.record(HALF_MADE)
    sitting.declare({**declared, "dealer": 3})
    sitting.void(1)
    assert sitting.row.declared == (declared or None)
    unchanged(sitting)


def test_nothing_stays_declared_in_a_game_that_has_ended(clubs: Sitting) -> None:
    clubs.record(CLUB_TURNED)
    clubs.declare({"turn_up": "clubs"})
    clubs.correct(1, SWEEP)
    assert clubs.row.declared is None
    unchanged(clubs)
    clubs.next_game()
    clubs.declare({"turn_up": "clubs", "dealer": 2})
    assert clubs.row.declared == {"turn_up": "clubs", "dealer": 2}


def test_to_declare_nothing_is_refused_and_leaves_no_trace(sitting: Sitting, clubs: Sitting) -> None:
    for one, field in ((sitting, "contract"), (clubs, "turn_up")):
        stored = dump(one.db)
        for facts in ({}, {"tricks": 5}, {"dealer": 3}, {"misdeal": True}):
            with pytest.raises(IllegalDeal, match=f"{field}: MALFORMED"):
                one.declare(facts)
        assert dump(one.db) == stored
    with pytest.raises(IllegalDeal, match="MALFORMED"):
        Sitting.begin(sitting.db, Rules("mensch", "mensch-russian")).declare(THROWN_IN)


def test_changing_the_table_otherwise_leaves_a_dealer_by_hand(sitting: Sitting) -> None:
    sitting.record(HALF_MADE)
    sitting.declare({"dealer": 2})
    sitting.move(0, 1, 3)
    sitting.correct(1, {**HALF_MADE, "tricks": 4})
    assert sitting.row.declared == {"dealer": 2}
    unchanged(sitting)

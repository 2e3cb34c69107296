"""Opening a session, chips that move besides deals, ending it and going on."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.models import Player
from scorekeeper.rules import IllegalRules, Refused, Seat, ruleset
from scorekeeper.services.check import differences
from scorekeeper.services.groups import (
    CreateGroup,
    LinkGone,
    NewLink,
    Role,
    create_group,
    create_link,
    renew_link,
    withdraw_link,
)
from scorekeeper.services.sessions import (
    MoveChips,
    OpenSession,
    buy_in,
    cash_out,
    close_session,
    open_session,
    reopen_session,
)
from scorekeeper.services.transaction import ChangedForm, SessionClosed, StaleSession
from tests.factories import make_deal, make_group, make_link, make_session, submission_id
from tests.sittings import Sitting, dump


def opening(db: Session, group: NewLink) -> OpenSession:
    players = db.scalars(select(Player.id).where(Player.group_id == group.group_id).order_by(Player.id)).all()
    return OpenSession(
        group_id=group.group_id,
        link_id=group.link_id,
        submission_id=submission_id(),
        name="Thursday",
        card_game="mensch",
        ruleset=ruleset("mensch")[1],
        players=tuple(players),
        dealer=Seat(0),
        started_on=date(2026, 11, 26),
    )


def test_the_same_form_opens_one_session(db: Session) -> None:
    command = opening(db, make_group(db))
    session_id = open_session(db, command)
    sessions = dump(db)["game_session"]
    assert open_session(db, command) == session_id
    assert dump(db)["game_session"] == sessions


def test_the_same_form_makes_one_group_and_one_way_in(db: Session) -> None:
    command = CreateGroup("Thursdays", ("Ann", "Ben"), submission_id())
    assert create_group(db, command, "key") == create_group(db, command, "key")
    assert len(dump(db)["player"]) == 2
    assert len(dump(db)["group_link"]) == 1


def test_a_form_whose_link_another_release_made_gives_no_other(db: Session) -> None:
    command = CreateGroup("Thursdays", ("Ann", "Ben"), submission_id())
    create_group(db, command, "at random")
    with pytest.raises(LinkGone):
        create_group(db, command, "key")
    assert len(dump(db)["group_link"]) == 1


def test_a_token_makes_one_link_and_none_once_that_is_withdrawn(db: Session) -> None:
    group = make_group(db)
    made = create_link(db, group.group_id, Role.SCORER, "Ben", "key")
    assert create_link(db, group.group_id, Role.SCORER, "Ben", "key") == made
    renewed = renew_link(db, group.group_id, made.link_id, "other key")
    assert renew_link(db, group.group_id, made.link_id, "other key") == renewed
    withdraw_link(db, group.group_id, renewed.link_id)
    with pytest.raises(LinkGone):
        create_link(db, group.group_id, Role.SCORER, "Ben", "key")
    for key in ("other key", "third key"):
        with pytest.raises(LinkGone):
            renew_link(db, group.group_id, made.link_id, key)
    assert len(dump(db)["group_link"]) == 3


def test_a_link_is_changed_through_its_own_group_alone(db: Session) -> None:
    group, other = make_group(db), make_group(db, name="Others")
    theirs = make_link(db, other.group_id, Role.HOST)
    before = dump(db)["group_link"]
    withdraw_link(db, group.group_id, theirs.link_id)
    with pytest.raises(LinkGone):
        renew_link(db, group.group_id, theirs.link_id, "key")
    assert dump(db)["group_link"] == before


def test_a_sheet_of_paper_is_carried_on(db: Session) -> None:
    command = opening(db, make_group(db))
    sitting = Sitting(db, make_session(db, opening=(4, -1, 0, -3)))
    assert [seat.chips for seat in sitting.seats()] == [4, -1, 0, -3]
    assert [total[3] for total in sitting.totals()] == [4, -1, 0, -3]
    stored = dump(db)
    with pytest.raises(IllegalRules, match="OPENING_SUM"):
        open_session(db, replace(command, opening=(1, 0, 0, 0)))
    assert dump(db) == stored


def test_only_players_of_the_group_sit_down_each_once(db: Session) -> None:
    group, others = make_group(db), make_group(db)
    command, foreign = opening(db, group), opening(db, others)
    stored = dump(db)
    for players in (command.players[:3], (*command.players[:3], command.players[0]), foreign.players):
        with pytest.raises(Refused, match="PLAYERS_COUNT"):
            open_session(db, replace(command, players=players))
    assert dump(db) == stored


@pytest.mark.parametrize("chips", [0, -1, 1_000_001])
def test_chips_bought_and_cashed_in_have_bounds(db: Session, chips: int) -> None:
    sitting = Sitting(db, make_session(db, buy_in=10))
    stored = dump(db)
    for act in (sitting.buy, sitting.cash):
        with pytest.raises(Refused, match="CHIPS_RANGE"):
            act(0, chips)
    assert dump(db) == stored


def test_nobody_cashes_in_more_chips_than_they_have(db: Session) -> None:
    sitting = Sitting(db, make_session(db, buy_in=10))
    make_deal(db, sitting.made)
    stored = dump(db)
    with pytest.raises(Refused, match="CHIPS_SHORT"):
        sitting.cash(1, 10)
    assert dump(db) == stored
    sitting.cash(1, 9)
    assert sitting.seats()[1].cashed == 9


def test_a_form_that_bought_chips_does_not_pass_for_one_that_cashes_them_in(db: Session) -> None:
    sitting = Sitting(db, make_session(db, buy_in=10))
    command = MoveChips(**sitting.made.command(db), seat=Seat(0), chips=5)
    buy_in(db, command)
    stored = dump(db)
    buy_in(db, command)
    with pytest.raises(StaleSession):
        cash_out(db, command)
    assert dump(db) == stored


def test_an_adjustment_moves_the_sheet_and_needs_a_note(db: Session) -> None:
    sitting = Sitting(db, make_session(db))
    make_deal(db, sitting.made)
    sitting.move(0, 1, 3)
    assert sitting.row.table["totals"] == [-2, 2, 1, -1]
    make_deal(db, sitting.made)
    sitting.void(1)
    assert sitting.row.table["totals"] == [-2, 2, 1, -1]
    assert list(differences(db)) == []


def test_a_session_ends_once_and_goes_on_once(db: Session) -> None:
    sitting = Sitting(db, make_session(db))
    make_deal(db, sitting.made)
    with pytest.raises(StaleSession):
        sitting.reopen()
    close = sitting.made.plain_command(db)
    close_session(db, close)
    stored = dump(db)
    close_session(db, close)
    with pytest.raises(StaleSession):
        reopen_session(db, close)
    with pytest.raises(SessionClosed):
        sitting.close()
    assert dump(db) == stored
    sitting.reopen()
    assert sitting.transfers() == []
    make_deal(db, sitting.made)


def test_what_was_paid_stays_paid_when_a_session_goes_on(db: Session) -> None:
    sitting = Sitting(db, make_session(db))
    make_deal(db, sitting.made)
    sitting.close()
    sitting.pay(0)
    sitting.reopen()
    sitting.close()
    assert (len(sitting.payments()), len(sitting.transfers())) == (1, 1)
    # A settlement rests on what was paid before it: that can be taken back once it is discarded.
    with pytest.raises(StaleSession):
        sitting.take_back(0)
    sitting.reopen()
    sitting.take_back(0)
    assert [seat.settled for seat in sitting.seats()] == [0, 0, 0, 0]
    sitting.close()
    assert sitting.is_settled()
    assert list(differences(db)) == []


def test_a_form_sent_again_with_other_content_is_told_from_a_repeat(db: Session) -> None:
    group = make_group(db)
    command = replace(opening(db, group), dealer=None)
    begun = open_session(db, command)

    # Past midnight it is still the same form, and the lot is not drawn again.
    assert open_session(db, replace(command, started_on=date(2026, 11, 27))) == begun
    with pytest.raises(ChangedForm):
        open_session(db, replace(command, name="Friday"))
    made = CreateGroup("Thursdays", ("Ann", "Ben"), submission_id())
    create_group(db, made, "key")
    with pytest.raises(ChangedForm):
        create_group(db, replace(made, players=("Ann", "Bea")), "key")

"""Cashing out."""

import pytest
from sqlalchemy.orm import Session

from scorekeeper.services.check import differences
from tests.factories import FIVE_IN_SPADES_MADE, make_deal, make_session
from tests.http.conftest import Host
from tests.http.evidence import chips_of, dump
from tests.http.visitor import Form


def cash_out(host: Host, session_id: int, player: int, chips: str | int) -> Form:
    form = host.get(f"/sessions/{session_id}/chips").form("/chips/cash-out")
    return form.fill(**{"cash-player": player, "cash-chips": chips})


def test_whoever_leaves_gives_their_chips_back(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, buy_in=40)
    make_deal(db, session, FIVE_IN_SPADES_MADE)

    page = cash_out(host, session.id, player=1, chips=43).submit()

    assert "Ben cashed out 43 chips." in page.text
    assert chips_of(page, "Ben") == ["40", "+3", "43", "0"]
    assert list(differences(db)) == []


def test_nobody_gives_back_more_than_they_have(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, buy_in=40)
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    before = dump(db)

    page = cash_out(host, session.id, player=0, chips=40).submit()

    assert page.status == 422
    assert page.errors() == {"cash-chips": "Ann has only 39 chips."}
    assert page.form("/chips/cash-out").data["cash-chips"] == "40"
    assert dump(db) == before


@pytest.mark.parametrize("typed", ["", "0", "-1", "x", "9" * 30])
def test_it_refuses_what_is_no_number_of_chips(host: Host, db: Session, typed: str) -> None:
    session = make_session(db, group=host.group, buy_in=40)
    before = dump(db)

    page = cash_out(host, session.id, player=0, chips=typed).submit()

    assert page.status == 422
    assert page.errors() == {"cash-chips": "Chips must be a whole number from 1 to 1,000,000."}
    assert dump(db) == before


def test_a_form_sent_twice_cashes_out_once(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, buy_in=40)
    form = cash_out(host, session.id, player=0, chips=10)

    form.submit()
    page = form.submit()

    assert chips_of(page, "Ann") == ["40", "0", "10", "30"]


def test_a_stale_form_comes_back_filled_in(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, buy_in=40)
    form = cash_out(host, session.id, player=0, chips=10)
    make_deal(db, session)

    page = form.submit()

    assert page.status == 409
    assert chips_of(page, "Ann") == ["40", "+1", "0", "41"]
    assert chips_of(page.form("/chips/cash-out").submit(), "Ann") == ["40", "+1", "10", "31"]


def test_a_stranger_cashes_nothing_out(host: Host, stranger: Host, db: Session) -> None:
    session = make_session(db, group=host.group, buy_in=40)
    own = make_session(db, group=stranger.group, buy_in=40)
    form = cash_out(stranger, own.id, player=0, chips=10)
    before = dump(db)

    page = stranger.post(f"/sessions/{session.id}/chips/cash-out", data=form.data)

    assert page.status == 404
    assert dump(db) == before


def test_winnings_that_were_paid_in_a_settlement_are_not_in_hand_any_more(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, buy_in=40)
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    page = host.get(f"/sessions/{session.id}/settlement").form("/close").submit("End")
    for _ in range(3):
        page = next(form for form in page.forms() if "/transfers/" in form.action and form.element.select_one(
            "[aria-pressed=false]"
        )).submit()  # fmt: skip
    page.form("/reopen").submit()

    page = host.get(f"/sessions/{session.id}/chips")
    assert chips_of(page, "Ben got 3 chips") == ["40", "+3", "0", "40"]
    assert chips_of(page, "Ann paid 1 chip") == ["40", "−1", "0", "40"]
    assert cash_out(host, session.id, player=1, chips=43).submit().errors() == {"cash-chips": "Ben has only 40 chips."}


def test_what_does_not_fit_is_said_at_the_top_and_leads_to_its_field(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, buy_in=40)
    page = cash_out(host, session.id, player=0, chips=41).submit()
    assert [(link["href"], link.get_text()) for link in page.soup.select("#problems a")] == [
        ("#cash-chips", "Chips: Ann has only 40 chips.")
    ]

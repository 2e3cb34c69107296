"""Buying chips."""

import pytest
from sqlalchemy.orm import Session

from scorekeeper.rules import Seat
from scorekeeper.services.check import differences
from scorekeeper.services.sessions import MoveChips, buy_in
from tests.factories import make_session
from tests.http.conftest import Host
from tests.http.evidence import chips_of, dump
from tests.http.visitor import Form, Page


def chips_page(host: Host, session_id: int) -> Page:
    return host.get(f"/sessions/{session_id}/chips")


def buy(host: Host, session_id: int, **values: str | int) -> Form:
    filled = {f"buy-{name}": value for name, value in values.items()}
    return chips_page(host, session_id).form("/chips/buy-in").fill(**filled)


def test_chips_are_bought_and_bought_again(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    buy(host, session.id, player=1, chips="40").submit()
    page = buy(host, session.id, player=1, chips="20").submit()

    assert page.path == f"/sessions/{session.id}/chips"
    assert "Ben bought 20 chips." in page.text
    assert chips_of(page, "Ben") == ["60", "0", "0", "60"]
    assert chips_of(page, "Ann") == ["0", "0", "0", "0"]
    assert list(differences(db)) == []


@pytest.mark.parametrize("typed", ["４０", "٤٠", " 40 "])
def test_the_digits_of_any_script_are_read(host: Host, db: Session, typed: str) -> None:
    session = make_session(db, group=host.group)

    assert chips_of(buy(host, session.id, player=0, chips=typed).submit(), "Ann")[0] == "40"


@pytest.mark.parametrize(
    "typed", ["", "0", "-1", "−5", "1.5", "4,0", "1e3", "forty", "1000001", "9" * 40, "9" * 5000, "40\x00", "²"]
)
def test_it_refuses_what_is_no_number_of_chips_and_keeps_what_was_typed(host: Host, db: Session, typed: str) -> None:
    session = make_session(db, group=host.group)
    before = dump(db)

    page = buy(host, session.id, player=2, chips=typed).submit()

    assert page.status == 422
    assert page.errors() == {"buy-chips": "Chips must be a whole number from 1 to 1,000,000."}
    assert page.form("/chips/buy-in").data["buy-player"] == "2"
    assert page.form("/chips/buy-in").data["buy-chips"] == typed
    assert dump(db) == before


def test_it_refuses_to_sell_to_nobody(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    before = dump(db)

    page = chips_page(host, session.id).form("/chips/buy-in").fill(**{"buy-chips": 40}).submit()

    assert page.status == 422
    assert page.errors() == {"buy-player": "Choose a player."}
    assert page.form("/chips/buy-in").data["buy-chips"] == "40"
    assert dump(db) == before


def test_a_form_sent_twice_buys_once(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = buy(host, session.id, player=1, chips="40")

    form.submit()
    page = form.submit()

    assert page.status == 200
    assert chips_of(page, "Ben")[0] == "40"


def test_a_stale_form_comes_back_filled_in_and_can_be_sent_again(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = buy(host, session.id, player=1, chips="40")
    buy(host, session.id, player=0, chips="7").submit()

    page = form.submit()

    assert page.status == 409
    assert "Somebody changed the session meanwhile" in page.text
    assert chips_of(page, "Ann")[0] == "7"
    assert chips_of(page, "Ben")[0] == "0"

    page = page.form("/chips/buy-in").submit()

    assert page.status == 200
    assert chips_of(page, "Ben")[0] == "40"


def test_nobody_buys_in_a_session_that_has_ended(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = buy(host, session.id, player=1, chips="40")
    host.get(f"/sessions/{session.id}/settlement").form("/close").submit("End")
    before = dump(db)

    page = form.submit()

    assert page.status == 409
    assert "The session has ended" in page.text
    assert not [form for form in page.forms() if "/chips/" in form.action]
    assert dump(db) == before


def test_a_stranger_sees_no_chips(host: Host, stranger: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    assert chips_page(stranger, session.id).status == 404


def test_a_game_without_chips_has_none_to_buy(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")

    page = chips_page(host, session.id)

    assert "not played for chips" in page.text
    assert not page.forms()


def test_the_log_says_what_happened_latest_first(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, buy_in=40)
    buy(host, session.id, player=1, chips="20").submit()

    page = chips_page(host, session.id).follow("What happened")

    assert page.text.index("Ben bought 20 chips.") < page.text.index("The session began. Everybody bought 40 chips.")


def test_older_changes_are_a_page_away(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    for chips in range(1, 41):
        buy_in(db, MoveChips(**session.command(db), seat=Seat(0), chips=chips))

    page = chips_page(host, session.id).follow("What happened")
    assert "Ann bought 40 chips." in page.text
    assert "Ann bought 10 chips." not in page.text

    older = page.follow("Older")
    assert "Ann bought 10 chips." in older.text
    assert "The session began." in older.text


@pytest.mark.parametrize("before", ["0", "-1", "x", "9" * 40, ""])
def test_an_odd_place_in_the_log_is_the_latest(host: Host, db: Session, before: str) -> None:
    session = make_session(db, group=host.group)

    assert host.get(f"/sessions/{session.id}/history?before={before}").status == 200

"""Ending a session and reopening it."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.models import GameSession
from scorekeeper.services.check import differences
from tests.factories import CLUB_TURNED, FIVE_IN_SPADES_MADE, make_deal, make_session
from tests.http.conftest import Host
from tests.http.evidence import dump, payments_of, standings_of
from tests.http.visitor import Page


def settlement(host: Host, session_id: int) -> Page:
    return host.get(f"/sessions/{session_id}/settlement")


def state_of(db: Session, session_id: int) -> str | None:
    db.rollback()
    return db.scalar(select(GameSession.state).where(GameSession.id == session_id))


def test_before_the_end_the_page_shows_how_it_would_be(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    before = dump(db)

    page = settlement(host, session.id)

    assert "how it would be if you stopped now" in page.text
    assert payments_of(page) == [
        ("Ann pays Ben 1 chip.", False),
        ("Cleo pays Ben 1 chip.", False),
        ("Dan pays Ben 1 chip.", False),
    ]
    assert dump(db) == before


def test_the_end_draws_up_the_settlement(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session, FIVE_IN_SPADES_MADE)

    page = settlement(host, session.id).form("/close").submit("End the session")

    assert page.path == f"/sessions/{session.id}/settlement"
    assert "The session has ended." in page.text
    assert "if you stopped now" not in page.text
    assert standings_of(page) == [["1", "Ben", "+3"], ["2", "Ann", "−1"], ["2", "Cleo", "−1"], ["2", "Dan", "−1"]]
    assert len(payments_of(page)) == 3
    assert state_of(db, session.id) == "closed"
    assert list(differences(db)) == []


def test_when_nothing_is_owed_it_says_so(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    page = settlement(host, session.id).form("/close").submit("End")

    assert "Nobody owes anybody anything." in page.text
    assert payments_of(page) == []


def test_a_game_for_points_has_standings_and_nothing_to_pay(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")
    make_deal(db, session, CLUB_TURNED)

    page = settlement(host, session.id).form("/close").submit("End")

    assert [" ".join(row) for row in standings_of(page, "Game 1")] == ["1 Ann 23", "2 Ben 24", "2 Cleo 24", "2 Dan 24"]
    assert "there is nothing to pay" in page.text


def test_games_won_are_counted_over_the_whole_session(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")
    page = settlement(host, session.id)
    assert not page.soup.find(string="Games won")
    sweep = {"turn_up": "clubs", "tricks": [0, 5, 0, 0]}
    make_deal(db, session, sweep)

    page = settlement(host, session.id)

    assert [" ".join(row) for row in standings_of(page, "Games won")] == ["1 Ben 1", "2 Ann 0", "2 Cleo 0", "2 Dan 0"]


def test_a_form_sent_twice_ends_it_once(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    form = settlement(host, session.id).form("/close")

    form.submit("End")
    before = dump(db)
    page = form.submit("End")

    assert page.status == 200
    assert dump(db) == before


def test_a_stale_form_ends_nothing(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = settlement(host, session.id).form("/close")
    make_deal(db, session)
    before = dump(db)

    page = form.submit("End")

    assert page.status == 409
    assert "Somebody was quicker" in page.text
    assert dump(db) == before


def test_reopening_keeps_what_was_paid_and_withdraws_the_rest(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    page = settlement(host, session.id).form("/close").submit("End")
    page = page.forms()[0].submit("Paid")

    page = page.form("/reopen").submit("Reopen")

    assert page.path == f"/sessions/{session.id}"
    assert "The session is open again, and the payments not yet made are withdrawn." in page.text
    assert "One payment made stays made." in page.text
    assert state_of(db, session.id) == "open"
    page = settlement(host, session.id)
    assert payments_of(page) == [
        ("Ann pays Ben 1 chip.", True),
        ("Cleo pays Ben 1 chip.", False),
        ("Dan pays Ben 1 chip.", False),
    ]
    assert not [form for form in page.forms() if "/transfers/" in form.action]
    assert list(differences(db)) == []


def test_what_was_paid_before_counts_at_the_next_end(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    page = settlement(host, session.id).form("/close").submit("End")
    page = page.forms()[0].submit("Paid")
    page.form("/reopen").submit("Reopen")
    make_deal(db, session, FIVE_IN_SPADES_MADE)

    page = settlement(host, session.id).form("/close").submit("End")

    assert payments_of(page) == [
        ("Ann pays Ben 1 chip.", True),
        ("Ann pays Ben 1 chip.", False),
        ("Cleo pays Ben 2 chips.", False),
        ("Dan pays Ben 2 chips.", False),
    ]


def test_a_session_that_is_open_cannot_be_reopened(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = settlement(host, session.id)
    before = dump(db)

    page = host.post(f"/sessions/{session.id}/reopen", data=page.form("/close").data)

    assert page.status == 409
    assert dump(db) == before


def test_a_stranger_neither_sees_nor_ends_it(host: Host, stranger: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    own = make_session(db, group=stranger.group)
    form = settlement(stranger, own.id).form("/close")
    before = dump(db)

    assert settlement(stranger, session.id).status == 404
    for action in ("close", "reopen", "settle"):
        assert stranger.post(f"/sessions/{session.id}/{action}", data=form.data).status == 404
    assert dump(db) == before

"""Voiding a deal, and taking that back."""

from sqlalchemy.orm import Session

from scorekeeper.services.check import differences
from scorekeeper.services.sessions import close_session
from tests.factories import FIVE_IN_SPADES_MADE, make_deal, make_session
from tests.http.conftest import Host
from tests.http.deals import deals_of, seated
from tests.http.visitor import Page


def press(page: Page, button: str) -> Page:
    return page.forms()[0].submit(button)


def test_the_latest_deal_is_undone_and_restored_from_the_page_of_the_session(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    make_deal(db, session, FIVE_IN_SPADES_MADE)

    undone = press(host.get(f"/sessions/{session.id}"), "Undo deal 2")
    assert undone.path == f"/sessions/{session.id}"
    assert seated(undone) == {"Ann": "+1", "Ben": "−1", "Cleo": "+1", "Dan": "−1"}
    assert "Ann deals" in undone.text
    assert "It is void." in undone.text

    restored = press(undone, "Restore deal 2")
    assert restored.path == f"/sessions/{session.id}"
    assert seated(restored) == {"Ann": "0", "Ben": "+2", "Cleo": "0", "Dan": "−2"}
    assert list(differences(db)) == []


def test_an_older_deal_is_voided_on_its_own_page(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    make_deal(db, session, FIVE_IN_SPADES_MADE)

    page = press(host.get(f"/sessions/{session.id}/deals/1"), "Void this deal")

    assert page.path == f"/sessions/{session.id}/deals/1"
    assert "This deal is void" in page.text
    assert [(deal.status, deal.totals) for deal in deals_of(db, session.id)] == [
        ("void", [0, 0, 0, 0]),
        ("scored", [-1, 3, -1, -1]),
    ]
    assert press(page, "Restore").path == f"/sessions/{session.id}/deals/1"
    assert [deal.totals for deal in deals_of(db, session.id)] == [[1, -1, 1, -1], [0, 2, 0, -2]]


def test_a_void_deal_stays_on_the_sheet_struck_out(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    press(host.get(f"/sessions/{session.id}"), "Undo deal 1")

    row = host.get(f"/sessions/{session.id}").soup.select(".sheet tbody.void")[0]

    assert " ".join(row.get_text(" ").split()) == "Deal 1 Half Clubs Ann + Cleo void Tricks 5/8"


def test_deals_of_an_ended_session_can_be_voided(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    close_session(db, session.plain_command(db))

    asked = press(host.get(f"/sessions/{session.id}/deals/1"), "Void this deal")
    assert asked.status == 409
    assert [deal.status for deal in deals_of(db, session.id)] == ["scored"]
    asked.form("/void").submit("Discard it and go on")

    assert [deal.status for deal in deals_of(db, session.id)] == ["void"]


def test_pressing_twice_voids_once(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    page = host.get(f"/sessions/{session.id}")

    first, second = press(page, "Undo deal 1"), press(page, "Undo deal 1")

    assert (first.status, second.status) == (200, 200)
    assert session.command(db)["expected_version"] == 3


def test_a_page_from_before_the_latest_deal_voids_nothing(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    page = host.get(f"/sessions/{session.id}")
    make_deal(db, session)

    assert press(page, "Undo deal 1").status == 409
    assert [deal.status for deal in deals_of(db, session.id)] == ["scored", "scored"]


def test_strangers_and_numbers_that_do_not_exist_void_nothing(host: Host, stranger: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    data = host.get(f"/sessions/{session.id}").forms()[0].data
    theirs = make_session(db, group=stranger.group)
    key = stranger.get(f"/sessions/{theirs.id}").forms()[0].data["csrf_token"]
    stranger_data = data.copy()
    stranger_data["csrf_token"] = key

    for action in ("void", "restore"):
        assert stranger.post(f"/sessions/{session.id}/deals/1/{action}", data=stranger_data).status == 404
        assert host.post(f"/sessions/{session.id}/deals/2/{action}", data=data).status == 404
    assert [deal.status for deal in deals_of(db, session.id)] == ["scored"]

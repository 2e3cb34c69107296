"""Voiding a deal, and taking that back."""

from sqlalchemy.orm import Session

from scorekeeper.rules import MISDEAL, Facts
from scorekeeper.services.check import differences
from scorekeeper.services.deals import start_next_game
from scorekeeper.services.sessions import close_session
from tests.factories import CLUB_TURNED, FIVE_IN_SPADES_MADE, HALF_MADE, MadeSession, make_deal, make_session
from tests.http.conftest import Host
from tests.http.deals import deals_of, seated
from tests.http.visitor import Page

SWEEP: Facts = {"turn_up": "spades", "maker": 1, "trump": "hearts", "tricks": [0, 5, 0, 0]}


def press(page: Page, button: str) -> Page:
    return page.forms()[0].submit(button)


def ask(host: Host, session: MadeSession, number: int) -> Page:
    """What voiding a deal would change, before it is done."""
    return host.get(f"/sessions/{session.id}/deals/{number}").follow("Void this deal")


def totals(page: Page) -> dict[str, list[str]]:
    """Each player whose total would change: what it is, and would be."""
    return {
        row.select("th")[0].get_text(strip=True): [cell.get_text(strip=True) for cell in row.select("td")]
        for row in page.soup.select(".lines tbody tr")
    }


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

    page = press(ask(host, session, 1), "Void this deal")

    assert page.path == f"/sessions/{session.id}/deals/1"
    assert "This deal is void" in page.text
    assert [(deal.status, deal.totals) for deal in deals_of(db, session.id)] == [
        ("void", [0, 0, 0, 0]),
        ("scored", [-1, 3, -1, -1]),
    ]
    assert press(page, "Restore").path == f"/sessions/{session.id}/deals/1"
    assert [deal.totals for deal in deals_of(db, session.id)] == [[1, -1, 1, -1], [0, 2, 0, -2]]


def test_before_an_older_deal_is_voided_it_says_what_moves(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    for facts in (FIVE_IN_SPADES_MADE, HALF_MADE, HALF_MADE):
        make_deal(db, session, facts)

    page = ask(host, session, 1)

    assert page.status == 200
    assert deals_of(db, session.id)[0].status == "scored"
    assert totals(page) == {"Ann": ["+1", "+2"], "Ben": ["+1", "−2"], "Cleo": ["+1", "+2"], "Dan": ["−3", "−2"]}
    assert "Ben deals next instead of Cleo." in page.text
    assert "2 deals after it stand as dealt by somebody else" in page.text
    assert seated(host.get(f"/sessions/{session.id}")) == {"Ann": "+1", "Ben": "+1", "Cleo": "+1", "Dan": "−3"}
    press(page, "Void this deal")
    assert seated(host.get(f"/sessions/{session.id}")) == {"Ann": "+2", "Ben": "−2", "Cleo": "+2", "Dan": "−2"}
    assert "Ben deals" in host.get(f"/sessions/{session.id}").text


def test_voiding_a_misdeal_moves_nobody(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    for facts in (MISDEAL, HALF_MADE):
        make_deal(db, session, facts)

    page = ask(host, session, 1)

    assert totals(page) == {}
    assert "All totals stay as they are." in page.text
    assert "Ann deals next, as now." in page.text
    assert "somebody else" not in page.text


def test_before_the_deal_that_ended_a_game_is_voided_it_says_what_becomes_of_the_game(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")
    for facts in (CLUB_TURNED, SWEEP):
        make_deal(db, session, facts)

    assert "The game would go on: Ann deals next." in ask(host, session, 2).text
    start_next_game(db, session.plain_command(db))
    make_deal(db, session, CLUB_TURNED)
    assert "A game would then end elsewhere, and you decide what follows." in ask(host, session, 2).text
    assert "One deal after it would not count." in ask(host, session, 2).text


def test_a_void_deal_is_not_asked_about_again(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    press(ask(host, session, 1), "Void this deal")

    assert host.get(f"/sessions/{session.id}/deals/1/void").path == f"/sessions/{session.id}/deals/1"


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

    page = ask(host, session, 1)
    assert "discards its settlement" in page.text
    asked = press(page, "Void this deal")
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

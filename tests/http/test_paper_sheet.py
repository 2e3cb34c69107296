"""A sheet for tonight, to be printed and filled in by hand."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from scorekeeper.services.deals import DeclareDeal, declare_deal
from scorekeeper.services.groups import Role
from scorekeeper.services.sessions import close_session
from tests.factories import HALF_MADE, make_deal, make_group, make_link, make_session
from tests.http.conftest import Host
from tests.http.deals import seat
from tests.http.visitor import Page, Visitor
from tests.http.world import SWEEP


def head(page: Page) -> list[str]:
    """The heads of the columns of the sheet, players aside, and below each player's."""
    return [cell.get_text(strip=True) for cell in page.soup.select(".by-hand thead th")]


def dealers(page: Page) -> list[tuple[str, str]]:
    """Number and dealer of each row to be filled in."""
    return [
        (row.select("th")[0].get_text(strip=True), row.select("td")[0].get_text(strip=True))
        for row in page.soup.select(".by-hand tbody tr:not(.so-far)")
    ]


def test_it_has_the_seats_the_totals_so_far_and_the_dealers_in_turn(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session, HALF_MADE)
    page = host.get(f"/sessions/{session.id}/paper")

    assert "Clockwise: Ann , Ben , Cleo , Dan ." in page.text
    assert [cell.get_text(strip=True) for cell in page.soup.select(".so-far td")] == ["+1", "−1", "+1", "−1"]
    assert dealers(page)[:5] == [("2", "Ann"), ("3", "Ben"), ("4", "Cleo"), ("5", "Dan"), ("6", "Ann")]
    assert len(dealers(page)) == 20
    assert head(page)[:7] == ["Deal", "Dealer", "Contract", "Declarer", "Partner", "Trump", "Tricks"]
    assert head(page)[11:] == ["+/−", "Total"] * 4


def test_what_takes_no_row_is_not_to_take_a_number_in_the_app(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    page = host.get(f"/sessions/{session.id}/paper")

    assert "A misdeal takes no row: the same dealer deals again. Do not record that in the app either" in page.text
    assert "Misdeals are not keyed in" in page.follow("Key in from paper").text


def test_it_has_the_payments_of_these_house_rules(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, house_rules={"half.clubs_made": 7, "half.clubs_all": 9})
    page, rules = (host.get(f"/sessions/{session.id}/{path}") for path in ("paper", "rules"))

    def payments(page: Page) -> list[str]:
        return [row.get_text(" ", strip=True) for row in page.soup.select(".payoffs tr")]

    assert payments(page) == payments(rules)
    assert any("+7" in row for row in payments(page))
    assert "Half: made in clubs: 7" in page.text


@pytest.mark.parametrize(("asked", "rows"), [("40", 40), ("60", 60), ("7", 20), ("x", 20)])
def test_it_is_as_long_as_one_chooses(host: Host, db: Session, asked: str, rows: int) -> None:
    session = make_session(db, group=host.group)
    assert len(dealers(host.get(f"/sessions/{session.id}/paper?rows={asked}"))) == rows


def test_it_says_who_sits_out_and_who_has_left_with_what(host: Host, db: Session) -> None:
    group = make_group(db, players=("Ann", "Ben", "Cleo", "Dan", "Eve", "Fay"))
    guest, session = Host(host.app, group), make_session(db, group=group, seats=5, dealer=0)
    make_deal(db, session, {"contract": "half", "declarer": 1, "partner": 2, "trump": "clubs", "tricks": 5})
    seat(db, session, "Ann", "Ben", "Cleo", "Eve", "Fay")
    page = guest.get(f"/sessions/{session.id}/paper")

    assert "Not at the table: Dan −1 ." in page.text
    first = page.soup.select(".by-hand tbody tr:not(.so-far)")[0]
    cells = [cell.get_text(strip=True) for cell in first.select("td")]
    assert cells == ["Ben", "", "", "", "", "", "", "", "–", "–", "", "", "", "", "", ""]


@pytest.mark.parametrize("card_game", ["mensch", "dirty-clubs"])
@pytest.mark.parametrize("deals", [0, 1])
def test_a_seat_given_and_taken_back_before_a_deal_is_not_on_it(
    db: Session, host: Host, card_game: str, deals: int
) -> None:
    group = make_group(db, players=("Ann", "Ben", "Cleo", "Dan", "Eve"))
    guest, session = Host(host.app, group), make_session(db, group=group, seats=4, card_game=card_game)
    for _ in range(deals):
        make_deal(db, session, SWEEP if card_game == "dirty-clubs" else HALF_MADE)
    seat(db, session, "Ann", "Ben", "Cleo", "Eve")
    seat(db, session, "Ann", "Ben", "Cleo", "Dan")

    page = guest.get(f"/sessions/{session.id}/paper")

    assert page.status == 200
    assert "Not at the table" not in page.text


def test_who_deals_out_of_turn_deals_first(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    declare_deal(db, DeclareDeal(**session.command(db), facts={"dealer": 1}))
    page = host.get(f"/sessions/{session.id}/paper")

    assert dealers(page)[:3] == [("1", "Ben"), ("2", "Cleo"), ("3", "Dan")]


def test_dirty_clubs_has_tricks_for_each_player_and_after_the_end_the_next_game(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")
    make_deal(db, session, SWEEP)
    page = host.get(f"/sessions/{session.id}/paper")

    assert head(page)[:5] == ["Deal", "Dealer", "Turned up", "Maker", "Trump"]
    assert head(page)[9:] == ["Tricks", "+/−", "Total"] * 4
    assert "Game 2" in page.text
    assert [cell.get_text(strip=True) for cell in page.soup.select(".so-far td")] == ["25"] * 4


def test_there_is_none_once_the_session_has_ended(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    close_session(db, session.plain_command(db))
    page = host.get(f"/sessions/{session.id}/paper")

    assert "nothing to write down" in page.text
    assert not page.soup.select(".by-hand")


@pytest.mark.parametrize(
    ("card_game", "rules"), [("mensch", {}), ("mensch", {"partnership": "fixed"}), ("dirty-clubs", {})]
)
def test_there_is_none_while_too_few_are_at_the_table(
    host: Host, db: Session, card_game: str, rules: dict[str, object]
) -> None:
    session = make_session(db, group=host.group, card_game=card_game, house_rules=rules)
    seat(db, session, "Ann", "Ben")

    assert "nothing to write down" in host.get(f"/sessions/{session.id}/paper").text
    assert host.get(f"/sessions/{session.id}/paper/keying").path == f"/sessions/{session.id}"


def test_whoever_only_watches_can_print_it_and_is_offered_no_grid(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    viewer = Visitor(host.app)
    viewer.get(f"/open/{make_link(db, host.group.group_id, Role.VIEWER, 'sofa').token}")
    page = viewer.get(f"/sessions/{session.id}/deals").follow("On paper")

    assert page.soup.select("[data-print]")
    assert "Key in from paper" not in page.text

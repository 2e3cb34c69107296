"""The players of a group: adding and renaming them, and letting them go."""

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.limits import MAX_PLAYERS
from scorekeeper.models import Player
from scorekeeper.rules import Seat
from scorekeeper.services.groups import add_player, retire_player
from scorekeeper.services.seats import SeatPlayers, Sitter, seat_players
from tests.factories import CLUB_TURNED, make_deal, make_session
from tests.http.conftest import Host
from tests.http.visitor import Form, Page


def adding(host: Host, name: str) -> Form:
    return host.get(host.group_path).form("/players").fill(name=name)


def renaming(host: Host, player: str, name: str) -> Form:
    page = host.get(host.group_path).follow(player)
    return page.form(page.path).fill(name=name)


def names(db: Session, host: Host) -> list[str]:
    db.rollback()
    return list(db.scalars(select(Player.name).where(Player.group_id == host.group.group_id).order_by(Player.id)))


def test_a_player_can_be_added(host: Host, db: Session) -> None:
    page = adding(host, "Eve").submit()
    assert page.path == host.group_path
    assert names(db, host) == ["Ann", "Ben", "Cleo", "Dan", "Eve"]


def test_the_same_form_sent_twice_adds_one_player(host: Host, db: Session) -> None:
    form = adding(host, "Eve")
    form.submit()
    page = form.submit()
    assert (page.status, page.path) == (200, host.group_path)
    assert "Eve is in the group already." in page.text
    assert names(db, host).count("Eve") == 1


def test_somebody_who_has_retired_is_not_added_again(host: Host, db: Session) -> None:
    retire_player(db, host.group.group_id, add_player(db, host.group.group_id, "Eve"), retired=True)
    page = adding(host, "Eve").submit()
    assert page.errors() == {"name": "There is already somebody called Eve."}
    assert names(db, host).count("Eve") == 1


@pytest.mark.parametrize(
    "name", ["", " \N{NO-BREAK SPACE}", "x" * 41, "ann", "\N{FULLWIDTH LATIN CAPITAL LETTER B}en", "a\0"]
)
def test_a_name_that_cannot_be_used_is_refused_beside_its_field(host: Host, db: Session, name: str) -> None:
    page = adding(host, name).submit()
    assert page.status == 422
    assert list(page.errors()) == ["name"]
    assert page.form("/players").data["name"] == name
    assert names(db, host) == ["Ann", "Ben", "Cleo", "Dan"]


def test_a_group_has_an_end(host: Host, db: Session) -> None:
    for number in range(5, MAX_PLAYERS + 1):
        add_player(db, host.group.group_id, f"Player {number}")
    page = adding(host, "One more").submit()
    assert page.errors() == {"name": "A group has at most 60 players."}
    assert len(names(db, host)) == MAX_PLAYERS


def test_a_new_name_stands_in_every_session(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = renaming(host, "Ben", "Benjamin").submit()
    assert page.path == host.group_path
    assert names(db, host) == ["Ann", "Benjamin", "Cleo", "Dan"]
    assert "Benjamin" in host.get(f"/sessions/{session.id}").text


def test_a_player_may_change_the_case_of_their_name(host: Host, db: Session) -> None:
    renaming(host, "Ben", "BEN").submit()
    assert names(db, host) == ["Ann", "BEN", "Cleo", "Dan"]


def test_renaming_to_the_name_of_another_player_is_refused(host: Host, db: Session) -> None:
    page = renaming(host, "Ben", "CLEO").submit()
    assert page.status == 422
    assert page.errors() == {"name": "There is already somebody called CLEO."}
    assert page.form(page.path).data["name"] == "CLEO"
    assert names(db, host) == ["Ann", "Ben", "Cleo", "Dan"]


def test_a_stranger_can_neither_add_nor_rename(host: Host, stranger: Host, db: Session) -> None:
    form = adding(stranger, "Mallory")
    ann = db.scalar(select(Player.id).where(Player.group_id == host.group.group_id))
    assert stranger.post(f"{host.group_path}/players", data=form.data).status == 404
    assert stranger.post(f"{host.group_path}/players/{ann}", data=form.data).status == 404
    assert stranger.post(f"{stranger.group_path}/players/{ann}", data=form.data).status == 404
    assert stranger.get(f"{stranger.group_path}/players/{ann}").status == 404
    assert names(db, host) == ["Ann", "Ben", "Cleo", "Dan"]


def page_of(host: Host, player: str) -> Page:
    return host.get(host.group_path).follow(player)


def offered(host: Host, path: str) -> set[str]:
    """Everybody who can be chosen on a page."""
    return {name for option in host.get(path).soup.select("option") for name in option.get_text().split()}


def test_a_player_who_has_played_retires_and_comes_back(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")
    make_deal(db, session, CLUB_TURNED)
    add_player(db, host.group.group_id, "Eve")
    new, seats = (
        f"{host.group_path}/sessions/new?rules=mensch",
        f"/sessions/{make_session(db, group=host.group).id}/seats",
    )
    make_session(db, group=host.group)
    before = page_of(host, "Ann").text

    page = page_of(host, "Ben").form("/retire").submit()

    assert "Ben has retired." in page.text
    assert [one.get_text(strip=True) for one in page.soup.select("h3 + ul li")] == ["Ben"]
    assert "Ben" not in offered(host, new)
    assert offered(host, new) >= {"Ann", "Cleo", "Dan", "Eve"}
    # Where he sits he stays, and what he has won and lost stays too.
    assert "Ben" in offered(host, seats)
    assert "Ben" in host.get(f"/sessions/{session.id}").text
    assert page_of(host, "Ann").text == before
    page = page_of(host, "Ben").form("/return").submit()
    assert "Ben is back." in page.text
    assert "Ben" in offered(host, new)


def test_a_retired_player_is_not_offered_a_seat(host: Host, db: Session) -> None:
    seats = f"/sessions/{make_session(db, group=host.group).id}/seats"
    eve = add_player(db, host.group.group_id, "Eve")
    assert "Eve" in offered(host, seats)
    retire_player(db, host.group.group_id, eve, retired=True)
    assert "Eve" not in offered(host, seats)


def test_a_player_who_never_sat_down_is_removed(host: Host, db: Session) -> None:
    dans = page_of(host, "Dan")
    page = dans.form("/remove").submit()
    assert page.path == host.group_path
    assert "Dan has been removed." in page.text
    assert names(db, host) == ["Ann", "Ben", "Cleo"]
    # The name is free again, and what was his page is nobody's.
    adding(host, "Dan").submit()
    assert names(db, host) == ["Ann", "Ben", "Cleo", "Dan"]
    assert host.get(dans.path).status == 404


def test_a_player_who_has_sat_down_meanwhile_is_not_removed(host: Host, db: Session) -> None:
    form = page_of(host, "Dan").form("/remove")
    make_session(db, group=host.group)
    page = form.submit()
    assert page.status == 422
    assert page.errors() == {"remove": "Whoever has played cannot be removed, but can retire."}
    assert "/retire" in page.forms()[-1].action
    assert names(db, host) == ["Ann", "Ben", "Cleo", "Dan"]


def test_whoever_only_stood_in_for_somebody_has_played_too(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    own = list(db.scalars(select(Player.id).where(Player.group_id == host.group.group_id).order_by(Player.id)))
    eve = add_player(db, host.group.group_id, "Eve")
    form = page_of(host, "Eve").form("/remove")
    sitters = Sitter(own[0]), Sitter(eve, Seat(1)), Sitter(own[2]), Sitter(own[3])
    seat_players(db, SeatPlayers(**session.command(db), sitters=sitters))
    assert form.submit().status == 422
    assert "/retire" in page_of(host, "Eve").forms()[-1].action


def test_a_player_who_is_gone_has_no_page(host: Host) -> None:
    form = page_of(host, "Dan").form("/remove")
    form.submit()
    assert form.submit().status == 404

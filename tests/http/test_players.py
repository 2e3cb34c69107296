"""The players of a group: adding and renaming them."""

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.limits import MAX_PLAYERS
from scorekeeper.models import Player
from scorekeeper.services.groups import add_player
from tests.factories import make_session
from tests.http.conftest import Host
from tests.http.visitor import Form


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
    assert form.submit().errors() == {"name": "There is already somebody called Eve."}
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

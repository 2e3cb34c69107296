"""The start page: naming the players of a new group."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from scorekeeper.models import Group, GroupLink, Player
from scorekeeper.services.sessions import close_session
from scorekeeper.web.groups import PLAYING
from tests.factories import make_group, make_session
from tests.http.conftest import Host
from tests.http.visitor import Form, Visitor


def filled(visitor: Visitor, *players: str, name: str = "Thursdays") -> Form:
    places = {f"players-{place}": player for place, player in enumerate(players)}
    return visitor.get("/").form("/groups").fill(name=name, **places)


def counts(db: Session) -> tuple[int, ...]:
    db.rollback()
    return tuple(db.scalar(select(func.count()).select_from(table)) or 0 for table in (Group, Player, GroupLink))


def test_it_makes_the_group_and_leads_to_it(visitor: Visitor, db: Session) -> None:
    page = filled(visitor, "Ann", "Ben", "Cleo", "Dan").submit()
    assert page.status == 200
    assert page.path == f"/groups/{db.scalar(select(Group.id))}"
    assert page.soup.h1 is not None
    assert page.soup.h1.get_text(strip=True) == "Thursdays"
    assert db.scalars(select(Player.name).order_by(Player.id)).all() == ["Ann", "Ben", "Cleo", "Dan"]


def test_places_left_free_do_not_count(visitor: Visitor, db: Session) -> None:
    filled(visitor, "", "Ann", "  ", "Ben").submit()
    assert db.scalars(select(Player.name).order_by(Player.id)).all() == ["Ann", "Ben"]


def test_names_are_kept_trimmed_and_tidied(visitor: Visitor, db: Session) -> None:
    filled(visitor, " Ann \N{NO-BREAK SPACE} Lee ", "Jose\N{COMBINING ACUTE ACCENT}", name="  Thursdays  ").submit()
    assert db.scalar(select(Group.name)) == "Thursdays"
    assert db.scalars(select(Player.name).order_by(Player.id)).all() == ["Ann Lee", "José"]


def test_the_group_is_found_again_on_the_start_page_of_this_phone(visitor: Visitor) -> None:
    group = filled(visitor, "Ann", "Ben").submit().path
    assert visitor.get("/").link("Thursdays") == group


def test_groups_are_in_the_order_of_their_names(visitor: Visitor) -> None:
    names = ["Zebra", "apple", "Zoo", "Banana", "zander"]
    for name in names:
        filled(visitor, "Ann", "Ben", name=name).submit()

    shown = [link.get_text(strip=True) for link in visitor.get("/").soup.select("a[href^='/groups/']")]

    assert shown == ["apple", "Banana", "zander", "Zebra", "Zoo"]


def test_another_phone_does_not_see_the_group(visitor: Visitor) -> None:
    filled(visitor, "Ann", "Ben").submit()
    assert "Thursdays" not in Visitor(visitor.app).get("/").text


def test_a_group_needs_two_players(visitor: Visitor, db: Session) -> None:
    page = filled(visitor, "Ann").submit()
    assert page.status == 422
    assert page.errors() == {"players-1": "Name at least two players."}
    assert counts(db) == (0, 0, 0)


@pytest.mark.parametrize(
    ("players", "place", "message"),
    [
        (("Ann", "", "ann "), 2, "There is already somebody called ann."),
        (("Ann", "B" * 41), 1, "A name has at most 40 characters."),
        (("Ann", "Ben\N{RIGHT-TO-LEFT OVERRIDE}"), 1, "The character U+202E cannot be used."),
        (("Ann", "Ben\0"), 1, "The character U+0000 cannot be used."),
    ],
)
def test_it_refuses_a_name_beside_its_place_and_keeps_the_others(
    visitor: Visitor, db: Session, players: tuple[str, ...], place: int, message: str
) -> None:
    page = filled(visitor, *players, name="My group").submit()
    assert page.status == 422
    assert page.errors() == {f"players-{place}": message}
    assert page.form("/groups").data["players-0"] == "Ann"
    assert page.form("/groups").data["name"] == "My group"
    assert counts(db) == (0, 0, 0)


def test_it_refuses_a_group_without_a_name(visitor: Visitor, db: Session) -> None:
    page = filled(visitor, "Ann", "Ben", name=" ").submit()
    assert page.status == 422
    assert page.errors() == {"name": "Enter a name."}
    assert counts(db) == (0, 0, 0)


def test_the_same_form_sent_twice_makes_one_group(visitor: Visitor, db: Session) -> None:
    form = filled(visitor, "Ann", "Ben")
    first, second = form.submit(), form.submit()
    assert first.path == second.path
    assert first.link("/open/") == second.link("/open/")
    assert counts(db) == (1, 2, 1)


def test_a_form_sent_again_is_no_way_in_once_its_link_is_withdrawn(visitor: Visitor, db: Session) -> None:
    form = filled(visitor, "Ann", "Ben")
    group = form.submit().path
    visitor.get(f"{group}/links").form("/links").fill(role="host").submit()
    db.rollback()
    first = db.scalar(select(func.min(GroupLink.id)))
    visitor.get(f"{group}/links").form(f"/{first}/withdraw").submit()
    made = counts(db)

    page = form.submit()

    assert page.status == 404
    assert "This link has been withdrawn" in page.text
    assert visitor.get(group).status == 404
    assert counts(db) == made


def test_the_form_that_made_a_group_gives_its_link_to_nobody_else(visitor: Visitor) -> None:
    form = filled(visitor, "Ann", "Ben")
    group = form.submit().path
    other = Visitor(visitor.app)
    copied = filled(other, "Ann", "Ben").fill(submission_id=str(form.data["submission_id"]))

    assert copied.submit().status == 404

    assert other.get(group).status == 404
    assert form.submit().path == group


def test_a_hostile_name_is_shown_as_text(visitor: Visitor) -> None:
    page = filled(visitor, "<img src=x onerror=alert(1)>", "Ben", name="<script>alert(1)</script>").submit()
    assert page.soup.select("img, main script") == []
    assert "<script>alert(1)</script>" in page.text
    assert "<img src=x onerror=alert(1)>" in page.text


def test_a_form_sent_again_with_other_names_is_told_and_makes_a_group_when_it_is_meant(
    visitor: Visitor, db: Session
) -> None:
    form = filled(visitor, "Ann", "Ben")
    form.submit()
    page = form.fill(name="Fridays").submit()
    assert page.status == 409
    assert "Send it again to make another" in page.text
    assert db.scalars(select(Group.name)).all() == ["Thursdays"]
    db.rollback()

    page.form("/groups").submit()
    assert db.scalars(select(Group.name).order_by(Group.id)).all() == ["Thursdays", "Fridays"]


def test_it_leads_straight_to_a_session_that_is_being_played(host: Host, db: Session) -> None:
    make_session(db, group=host.group, name="First")
    ended = make_session(db, group=host.group, name="Second")
    close_session(db, ended.plain_command(db))

    page = host.get("/")

    playing = page.soup.select("#playing ~ ul a")
    assert [" ".join(link.get_text(" ").split()) for link in playing] == ["First Thursdays · Mensch · 26 Nov 2026"]
    assert page.follow("First").path == str(playing[0]["href"])


def test_groups_of_one_name_are_told_apart(host: Host, db: Session) -> None:
    assert "link made on" not in host.get("/").text
    other = make_group(db, name="Thursdays")
    noon = {"created_at": datetime(2026, 11, 1, 12, tzinfo=UTC)}
    db.execute(update(GroupLink).where(GroupLink.group_id == other.group_id).values(noon))
    db.commit()
    host.get(f"/open/{other.token}")
    make_session(db, group=other, name="First")

    page = host.get("/")

    ours, theirs = (link.get_text(" ", strip=True) for link in page.soup.select("#groups ~ ul a"))
    assert ours.startswith("Thursdays (link made on ")
    assert ours != theirs
    said = theirs.removeprefix("Thursdays ")
    assert f"Thursdays {said} · Mensch" in " ".join(page.soup.select("#playing ~ ul a")[0].get_text().split())


def test_of_many_sessions_being_played_the_latest_are_there_and_where_the_others_are(host: Host, db: Session) -> None:
    for number in range(PLAYING):
        make_session(db, group=host.group, name=f"Evening {number}")
    assert "Others that are being played" not in host.get("/").text
    make_session(db, group=host.group, name="Latest")

    page = host.get("/")

    assert "Others that are being played are on the pages of their groups." in page.text
    shown = [name.get_text() for name in page.soup.select("#playing ~ ul strong")]
    assert shown == ["Latest", "Evening 2", "Evening 1"]


def test_a_new_session_is_called_by_its_game_and_day(host: Host) -> None:
    form = host.get(f"{host.group_path}/sessions/new?rules=mensch").forms()[0]

    assert str(form.data["name"]).startswith("Mensch, ")


@pytest.mark.parametrize(
    ("languages", "written"),
    [
        ("en-GB,en;q=0.9", "26 Nov 2026"),
        ("en-US,en;q=0.9", "Nov 26, 2026"),
        ("en", "26 Nov 2026"),
        ("de-DE,de;q=0.9", "26 Nov 2026"),
        ("en-XX-x, *;q=0.5", "26 Nov 2026"),
    ],
)
def test_dates_are_written_as_in_the_region_of_the_phone(host: Host, db: Session, languages: str, written: str) -> None:
    make_session(db, group=host.group)

    page = host.get(host.group_path, headers={"Accept-Language": languages})

    assert written in page.text

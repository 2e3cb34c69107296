"""A group goes for good: everything of it, and nothing else."""

from __future__ import annotations

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.models import Base, Group, GroupLink, JoinAttempt
from scorekeeper.services.check import differences
from scorekeeper.services.deletion import delete_group
from scorekeeper.services.groups import Role, add_player
from tests.factories import make_group, make_link, make_session
from tests.http.conftest import Host
from tests.http.evidence import Dump, dump
from tests.http.visitor import Form, Visitor
from tests.http.world import make_world

GROUPS = Group.__tablename__


def deleting(host: Host, name: str) -> Form:
    page = host.get(host.group_path).follow("Delete the group")
    return page.form("/delete").fill(name=name)


def rows_of(db: Session, group_id: int) -> Dump:
    """Every row of a group, by table."""
    db.rollback()
    return {
        name: sorted(
            (
                tuple(row)
                for row in db.execute(
                    select(table).where((table.c.id if name == GROUPS else table.c.group_id) == group_id)
                )
            ),
            key=repr,
        )
        for name, table in Base.metadata.tables.items()
        if name != JoinAttempt.__tablename__
    }


def test_every_table_says_whose_its_rows_are() -> None:
    """Where wrong codes were tried is of no group, and is forgotten soon."""
    without = {name for name, table in Base.metadata.tables.items() if "group_id" not in table.c}
    assert without == {GROUPS, JoinAttempt.__tablename__}


@pytest.mark.parametrize("name", ["Thursdays", " thursdays ", "ＴＨＵＲＳＤＡＹＳ"])
def test_a_group_goes_with_everything_in_it_and_leaves_the_others_alone(
    host: Host, stranger: Host, db: Session, name: str
) -> None:
    for group in (host.group, stranger.group):
        make_world(db, group)
    others = rows_of(db, stranger.group.group_id)
    assert all(others[table] for table in ("deal", "deal_version", "ledger_entry", "transfer", "group_total"))

    page = deleting(host, name).submit()

    assert page.path == "/"
    assert "The group and everything in it has been deleted." in page.text
    assert "Thursdays" not in page.text
    assert not any(rows_of(db, host.group.group_id).values())
    assert rows_of(db, stranger.group.group_id) == others
    assert list(differences(db)) == []


def test_the_page_says_what_goes_and_leads_to_what_can_be_kept(host: Host, db: Session) -> None:
    world = make_world(db, host.group)
    make_link(db, host.group.group_id, Role.VIEWER, "Dan")

    page = host.get(f"{host.group_path}/delete")

    links = len(host.get(f"{host.group_path}/links").soup.select("#links ~ ul > li"))
    assert links > 2
    sessions, deals = (len(rows_of(db, host.group.group_id)[name]) for name in ("game_session", "deal"))
    assert sessions >= len(world.sessions)
    assert deals > 10
    goes = [one.get_text(strip=True) for one in page.soup.select("section li")]
    assert goes == [f"{sessions} sessions", f"{deals} deals", "4 players", f"{links} links"]
    assert page.follow("Archive of the group").response.headers["Content-Type"] == "application/zip"


@pytest.mark.parametrize("name", ["", "Thursday", "Thursdays!", "x" * 1000, "a\0"])
def test_another_name_deletes_nothing(host: Host, db: Session, name: str) -> None:
    make_session(db, group=host.group)
    before = dump(db)

    page = deleting(host, name).submit()

    assert page.status == 422
    assert page.errors() == {"name": "This is not the name of the group, so nothing was deleted."}
    assert dump(db) == before


def test_a_repeat_finds_nothing_any_more(host: Host, db: Session) -> None:
    form = deleting(host, "Thursdays")
    form.submit()
    before = dump(db)

    assert form.submit().status == 404
    assert dump(db) == before


def test_what_is_done_at_the_very_moment_finds_nothing_any_more(
    host: Host, db: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = host.get(host.group_path).form("/players").fill(name="Eve")

    def add_too_late(db: Session, group_id: int, name: str) -> None:
        delete_group(db, group_id, "Thursdays")
        add_player(db, group_id, name)

    monkeypatch.setattr("scorekeeper.web.groups.add_player", add_too_late)
    page = form.submit()

    assert page.status == 404
    assert "There is no such page" in page.text
    assert not any(rows_of(db, host.group.group_id).values())


def test_every_phone_is_out_at_once_and_no_later_group_lets_it_in(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    viewer = Visitor(host.app)
    link = make_link(db, host.group.group_id, Role.VIEWER, "")
    viewer.get(f"/open/{link.token}")
    deleting(host, "Thursdays").submit()

    later = make_group(db, name="Fridays")
    its_session = make_session(db, group=later)

    for phone in (host, viewer):
        for path in (
            host.group_path,
            f"/groups/{later.group_id}",
            f"/sessions/{session.id}",
            f"/sessions/{its_session.id}",
        ):
            assert phone.get(path).status == 404, path
    assert later.group_id > host.group.group_id
    assert its_session.id > session.id
    assert db.scalar(select(GroupLink.id).where(GroupLink.group_id == later.group_id)) == later.link_id > link.link_id


@pytest.mark.parametrize("role", [Role.VIEWER, Role.SCORER])
def test_only_a_host_deletes(host: Host, db: Session, role: Role) -> None:
    visitor = Visitor(host.app)
    visitor.get(f"/open/{make_link(db, host.group.group_id, role, '').token}")
    form = deleting(host, "Thursdays")
    before = dump(db)

    assert visitor.get(form.page.path).status == 403
    assert "Delete the group" not in visitor.get(host.group_path).text
    assert dump(db) == before

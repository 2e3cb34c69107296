"""A whole group taken out as an archive, and brought in as a group of its own that has the same pages."""

import copy
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import pytest
from flask import Flask
from sqlalchemy import func, select
from sqlalchemy.orm import Session
from werkzeug.datastructures import FileStorage
from werkzeug.test import encode_multipart

from scorekeeper.limits import MAX_ARCHIVE, MAX_FILES, MAX_LINE
from scorekeeper.models import GameSession, Group, GroupLink, Player
from scorekeeper.rules import Seat
from scorekeeper.services import archive as archives
from scorekeeper.services.check import differences
from scorekeeper.services.counts import CountIn, count_in
from scorekeeper.services.groups import retire_player
from scorekeeper.services.sessions import MoveChips, buy_in, close_session
from tests.exports import FOLDER, numbers_of
from tests.factories import make_deal, make_session
from tests.http.conftest import Host
from tests.http.evidence import dump
from tests.http.test_import import upload
from tests.http.visitor import Page, Visitor
from tests.http.world import OPEN_TO_ALL, address, make_world, routes

EXPORTED = sorted(FOLDER.glob("*.zip"))
RELEASED = sorted((Path(__file__).parents[1] / "migrations" / "released").glob("*.json"))
ELSEWHERE = {"links.index", "join.codes", "pen.pen", "live.live", "files.archive", "groups.deletion"}
"""What differs: a link, a code and the pen stay where they are."""

Document = dict[str, Any]


def archived(host: Host) -> bytes:
    return host.get(f"{host.group_path}/export").response.get_data()


def document_in(archive: bytes) -> Document:
    """What stands in an archive, as the first ones had it: each table with its columns and its rows."""
    with ZipFile(io.BytesIO(archive)) as files:
        head, *lines = map(json.loads, files.read("group.jsonl").splitlines())
    tables: dict[str, Any] = {}
    for line in lines:
        if isinstance(line, dict):
            rows: list[object] = []
            tables[line["table"]] = {"columns": line["columns"], "rows": rows}
        else:
            rows.append(line)
    return {**head, "tables": tables}


def zipped(document: Document) -> bytes:
    """A document as an archive."""
    document = dict(document)
    lines: list[object] = [document]
    for name, table in document.pop("tables").items():
        lines += [{"table": name, "columns": table["columns"]}, *table["rows"]]
    return zip_of("\n".join(map(json.dumps, lines)))


def zip_of(text: str | bytes, name: str = "group.jsonl", method: int = ZIP_STORED) -> bytes:
    content = io.BytesIO()
    with ZipFile(content, "w", method) as files:
        files.writestr(name, text)
    return content.getvalue()


def send(visitor: Visitor, archive: bytes, page: Page | None = None) -> Page:
    form = (page or visitor.get("/").follow("Bring a group in")).form("/import")
    boundary, body = encode_multipart({**form.data.to_dict(), "file": FileStorage(io.BytesIO(archive), "group.zip")})
    return visitor.post(form.action, data=body, content_type=f"multipart/form-data; boundary={boundary}")


def shown(visitor: Visitor, app: Flask, values: Mapping[str, str | int]) -> dict[str, str]:
    """What every page and file of a session of a group says, by its endpoint."""
    found = {}
    for rule in routes(app, "GET"):
        if rule.endpoint in OPEN_TO_ALL | ELSEWHERE:
            continue
        page = visitor.get(address(app, rule, dict(values)))
        html = page.response.mimetype == "text/html"
        found[rule.endpoint] = page.text if html else page.response.get_data(as_text=True)
    return found


def test_a_group_that_is_brought_in_has_the_same_pages(app: Flask, host: Host, db: Session) -> None:
    world = make_world(db, host.group)
    retire_player(db, host.group.group_id, int(world.sessions["open"]["player_id"]), retired=True)
    visitor = Visitor(app)

    page = send(visitor, archived(host))

    assert page.status == 200
    assert "The group is here, with everything in it." in page.text
    group_id = int(page.path.rsplit("/", 1)[1])
    assert group_id != host.group.group_id
    assert list(differences(db)) == []
    brought_in = db.scalars(select(GameSession.id).where(GameSession.group_id == group_id).order_by(GameSession.id))
    there: dict[str, Any] = {
        "group_id": group_id,
        "link_id": db.scalar(select(func.min(GroupLink.id)).where(GroupLink.group_id == group_id)),
        "player_id": db.scalar(select(func.min(Player.id)).where(Player.group_id == group_id)),
    }
    for values, session_id in zip(world.sessions.values(), brought_in, strict=True):
        assert shown(visitor, app, values | there | {"session_id": session_id}) == shown(host, app, values)


@pytest.mark.parametrize("path", RELEASED, ids=lambda path: path.stem)
def test_an_archive_of_every_version_is_brought_in(app: Flask, host: Host, db: Session, path: Path) -> None:
    rows = {
        name: {"columns": list(found[0]), "rows": [list(row.values()) for row in found]}
        for name, found in json.loads(path.read_text()).items()
        if found
    }
    document = {"format": "scorekeeper/group", "schema": path.stem, "tables": rows}

    page = send(host, zip_of(json.dumps(document), "group.json"))

    assert "The group is here, with everything in it." in page.text
    assert list(differences(db)) == []
    assert page.follow("Thursday at Ann's").status == 200


@pytest.mark.parametrize("path", EXPORTED, ids=lambda path: path.stem)
def test_an_archive_that_was_ever_written_comes_in_with_its_numbers(app: Flask, db: Session, path: Path) -> None:
    visitor = Visitor(app)

    page = send(visitor, path.read_bytes())

    assert "The group is here, with everything in it." in page.text
    assert list(differences(db)) == []
    brought_in = db.scalars(select(GameSession.id).order_by(GameSession.id))
    numbers = [numbers_of(visitor, session_id) for session_id in brought_in]
    assert numbers == json.loads(path.with_suffix(".json").read_text("utf-8"))


@pytest.mark.parametrize("path", EXPORTED, ids=lambda path: path.stem)
def test_a_session_file_that_was_ever_written_comes_in_with_its_standings(host: Host, path: Path) -> None:
    for written in json.loads(path.with_suffix(".json").read_text("utf-8")):
        page = upload(host, json.dumps(written["file"]).encode(), "file.json").form("/import/confirm").submit()
        numbers = numbers_of(host, page.path.rsplit("/", 1)[1])
        assert [numbers[name] for name in ("file", "standings")] == [written[name] for name in ("file", "standings")]


def test_there_is_an_archive_of_the_schema_as_it_is(db: Session) -> None:
    # ``python -m tests.exports`` writes it.
    assert EXPORTED[-1].stem == archives.schema_of(db)


def test_nothing_that_opens_a_group_leaves_with_it(app: Flask, host: Host, db: Session) -> None:
    make_deal(db, make_session(db, group=host.group))
    document = document_in(archive := archived(host))

    links = document["tables"]["group_link"]
    assert [row[links["columns"].index("token_hash")] for row in links["rows"]] == [None]
    sessions = document["tables"]["game_session"]
    assert [row[sessions["columns"].index("pen")] for row in sessions["rows"]] == [None]
    groups = document["tables"]["player_group"]
    assert [row[groups["columns"].index("submission_id")] for row in groups["rows"]] == [""]
    assert [row[groups["columns"].index("fingerprint")] for row in groups["rows"]] == [""]

    visitor = Visitor(app)
    page = send(visitor, archive)

    old = Visitor(app)
    old.get(f"/open/{host.group.token}")
    assert old.get(page.path).status == 404
    in_force = select(func.count()).select_from(GroupLink).where(GroupLink.withdrawn_at.is_(None))
    assert db.scalar(in_force) == 2


def test_an_archive_sent_twice_makes_one_group(host: Host, db: Session) -> None:
    page = host.get("/import")
    archive = archived(host)

    first, second = send(host, archive, page), send(host, archive, page)

    assert first.path == second.path
    assert first.link("/open/") == second.link("/open/")
    make_session(db, group=host.group)
    changed = send(host, archived(host), page)
    assert changed.status == 409
    assert "Another archive was sent from this page before." in changed.text
    assert db.scalar(select(func.count()).select_from(Group)) == 2


def test_an_archive_sent_again_is_no_way_in_once_its_link_is_withdrawn(host: Host, db: Session) -> None:
    page, archive = host.get("/import"), archived(host)
    group = send(host, archive, page).path
    host.get(f"{group}/links").form("/links").fill(role="host").submit()
    links = host.get(f"{group}/links")
    links.form(next(form.action for form in links.forms() if form.action.endswith("/withdraw"))).submit()

    assert send(host, archive, page).status == 404
    assert host.get(group).status == 404


def test_the_form_that_brought_a_group_in_gives_its_link_to_nobody_else(host: Host, db: Session) -> None:
    page, archive = host.get("/import"), archived(host)
    group = send(host, archive, page).path
    other = Visitor(host.app)
    theirs = other.get("/import")
    field = theirs.soup.select_one("[name=submission_id]")
    sent = page.soup.select_one("[name=submission_id]")
    assert field is not None
    assert sent is not None
    field["value"] = str(sent["value"])

    assert send(other, archive, theirs).status == 404

    assert other.get(group).status == 404


def changed(table: str, **values: object) -> Callable[[Document], None]:
    """A change of the first row of a table."""

    def change(document: Document) -> None:
        found = document["tables"][table]
        for name, value in values.items():
            found["rows"][0][found["columns"].index(name)] = value

    return change


def more_columns(document: Document) -> None:
    document["tables"]["player"]["columns"].append("password")
    for row in document["tables"]["player"]["rows"]:
        row.append("x")


def two_groups(document: Document) -> None:
    (row,) = document["tables"]["player_group"]["rows"]
    other = copy.copy(row)
    other[0], other[3] = 99, "0" * 32
    document["tables"]["player_group"]["rows"].append(other)


def noted(kind: str, note: str) -> Callable[[Document], None]:
    """Another note of the changes of a kind."""

    def change(document: Document) -> None:
        found = document["tables"]["session_change"]
        kinds, notes = found["columns"].index("kind"), found["columns"].index("note")
        rows = [row for row in found["rows"] if row[kinds] == kind]
        assert rows
        for row in rows:
            row[notes] = note

    return change


BROKEN: dict[str, Callable[[Document], object]] = {
    "another format": lambda document: document.update(format="scorekeeper/session"),
    "no schema": lambda document: document.pop("schema"),
    "a row too short": lambda document: document["tables"]["deal"]["rows"][0].pop(),
    "no columns": lambda document: document["tables"]["deal"]["columns"].clear(),
    "no names of columns": lambda document: document["tables"]["deal"].update(columns="id"),
    "a column that is a number": lambda document: document["tables"]["deal"].update(columns=[1]),
    "a table too many": lambda document: document["tables"].update(secret={"columns": [], "rows": []}),
    "a column too many": more_columns,
    "a missing player": lambda document: document["tables"]["player"]["rows"].pop(0),
    "no group": lambda document: document["tables"]["player_group"]["rows"].clear(),
    "two groups": two_groups,
    "a deal that did not bring that": changed("deal", chips=[9, -9, 0, 0]),
    "a deal no rule knows": changed("deal", facts={"contract": "grand"}),
    "facts of no kind": changed("deal", facts=[]),
    "a number too large": changed("deal", recorded=2**31),
    "a number far too large": changed("session_seat", chips=2**70),
    "a truth for a number": changed("session_seat", bought=True),
    "a text for a number": changed("session_seat", bought="1"),
    "nothing for a number": changed("session_seat", bought=None),
    "somebody who is not there": changed("session_seat", player_id=77),
    "a name turned round": changed("player", name="a\N{RIGHT-TO-LEFT OVERRIDE}b"),
    "no name": changed("game_session", name=""),
    "a name too long": changed("player_group", name="x" * 41),
    "NUL in a text": changed("session_change", fingerprint="\0"),
    "no day": changed("game_session", started_on="yesterday"),
    "no time": changed("player", created_at=5),
    "no such currency": changed("game_session", chip_value_minor=1, currency="ABC", exponent=2),
    "decimals the currency has not": changed("game_session", chip_value_minor=1, currency="EUR", exponent=7),
    "rules that are none": changed("game_session", options='{"x": 1}'),
    "a game that is none": changed("game_session", card_game="poker"),
    "a seating of others": changed("game_session", seating=[[0, 77]]),
    "no such schema": lambda document: document.update(schema=""),
    "a schema that is a range": lambda document: document.update(schema="0003:0005"),
    "a history without its beginning": lambda document: document["tables"]["session_change"]["rows"].pop(0),
    "pieces that are none": noted("buy-in", "[[5, 1, 20]]"),
    "pieces below nothing": noted("buy-in", '[["white", 1, 30], ["red", 5, -2]]'),
    "a count of too many": noted("count", "1,2,3,4,5,6/1,2,3,4,5,6"),
    "a count of what was never due": noted("count", "20,20,20,20/21,19,20,20"),
    "a banker who is not there": changed("settlement", choices={"banker": 9}),
    "two who are not there": changed("settlement", choices={"apart": [[0, 9]]}),
    "less than nothing at least": changed("settlement", choices={"least": -5}),
    "a state that is none": changed("game_session", state="paused"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_no_version_wrote_is_refused_whole(host: Host, db: Session, what: str) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    buy_in(db, MoveChips(**session.command(db), seat=Seat(0), chips=20))
    count_in(db, CountIn(**session.command(db), counted=(20, 0, 0, 0)))
    close_session(db, session.plain_command(db))
    document = document_in(archived(host))
    BROKEN[what](document)
    before = dump(db)

    page = send(host, zipped(document))

    assert page.status == 422
    assert "This is no archive of a group, or not as it was written. Nothing was saved." in page.text
    # That somebody tried is counted.
    assert dump(db) | {"join_attempt": []} == before


def test_an_archive_of_a_later_version_says_so(host: Host, db: Session) -> None:
    document = document_in(archived(host)) | {"schema": "9999"}
    page = send(host, zipped(document))
    assert page.status == 422
    assert "A later version of Scorekeeper wrote this archive." in page.text


HEAD = '{"format":"scorekeeper/group","schema":"0010"}'
NO_ARCHIVES = {
    "nothing": b"",
    "no archive": b"PK\x03\x04 no archive",
    "no such file in it": zip_of("{}", "other.jsonl"),
    "no line": zip_of(""),
    "no JSON": zip_of("{["),
    "no text": zip_of(HEAD.encode("utf-16")),
    "cut off": zip_of(HEAD)[:60],
    "a line too long": zip_of(f'{HEAD}\n"{"x" * MAX_LINE}"', method=ZIP_DEFLATED),
    "a first one that is no group": zip_of("[]", "group.json"),
    "a first one with a table that is none": zip_of(json.dumps(json.loads(HEAD) | {"tables": {"a": 1}}), "group.json"),
    "a first one that swells": zip_of(" " * 17 * 1024 * 1024, "group.json", ZIP_DEFLATED),
    "too many files": zip_of("{}") + b"PK\x01\x02" * (MAX_FILES + 1),
}


@pytest.mark.parametrize("what", NO_ARCHIVES)
def test_what_is_no_archive_is_refused(host: Host, what: str) -> None:
    page = send(host, NO_ARCHIVES[what])
    assert page.status == 422
    assert "This is no archive of a group" in page.text


def test_what_swells_is_refused(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_ROWS", 1_000_000)
    lines = [HEAD, '{"table":"session_change","columns":["note"]}', *[json.dumps(["x" * 300_000])] * 4]
    page = send(host, zip_of("\n".join(lines), method=ZIP_DEFLATED))
    assert page.status == 422
    assert "This archive is too large" in page.text


def test_an_archive_may_be_larger_than_what_other_forms_send(host: Host) -> None:
    content = io.BytesIO(archived(host))
    with ZipFile(content, "a") as files:
        files.writestr("photo.jpeg", bytes(2 * 1024 * 1024))
    assert "The group is here, with everything in it." in send(host, content.getvalue()).text


def test_one_larger_than_any_is_not_even_looked_at(host: Host, db: Session) -> None:
    page = host.get("/import")
    before = dump(db)

    refused = send(host, b"x" * MAX_ARCHIVE, page)

    assert refused.status == 413
    assert "At most 16 MB can be sent at once. Nothing was saved." in refused.text
    assert dump(db) == before


def test_a_page_without_a_file_says_what_is_missing(host: Host) -> None:
    page = host.get("/import").form("/import").submit()
    assert page.status == 422
    assert "This is no archive of a group" in page.text

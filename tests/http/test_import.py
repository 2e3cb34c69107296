"""Bringing a session file in: a dry run that writes nothing, then everything or nothing."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session
from werkzeug.datastructures import FileStorage
from werkzeug.test import encode_multipart

from scorekeeper.models import GameSession, Player
from scorekeeper.services.check import differences
from scorekeeper.sessionfile import answer, read_document, score
from tests.http.conftest import Host
from tests.http.evidence import dump, standings_of
from tests.http.visitor import Page

CASES = {
    path.stem: json.loads(path.read_text("utf-8"))
    for path in sorted((Path(__file__).parent.parent / "golden" / "cases").glob("*.json"))
}
ACCEPTED = [name for name, case in CASES.items() if "error" not in case["expect"]]
REFUSED = [name for name, case in CASES.items() if "error" in case["expect"]]
S1: dict[str, Any] = CASES["S1"]["session"]


def paste(host: Host, text: str) -> Page:
    return host.get(f"{host.group_path}/import").form("/import").fill(text=text).submit()


def upload(host: Host, contents: bytes, name: str) -> Page:
    form = host.get(f"{host.group_path}/import").form("/import")
    file = FileStorage(io.BytesIO(contents), filename=name)
    boundary, body = encode_multipart({**form.data.to_dict(), "file": file})
    return host.post(form.action, data=body, content_type=f"multipart/form-data; boundary={boundary}")


def problems_of(page: Page) -> list[str]:
    return [item.get_text(strip=True) for item in page.soup.select(".problems li")]


def exported(host: Host, page: Page) -> dict[str, Any]:
    """What the session whose page this is is exported as."""
    assert page.path.startswith("/sessions/")
    document: dict[str, Any] = json.loads(host.get(f"{page.path}/export").response.get_data())
    return document


def scored(document: object) -> dict[str, Any]:
    return answer(score(read_document(document)))


def test_the_dry_run_shows_what_the_file_brings_and_writes_nothing(host: Host, db: Session) -> None:
    before = dump(db)

    page = paste(host, json.dumps({**S1, "players": ["ann ", "Ben", "Cleo", "Zoe"], "dealer": "Zoe", "events": []}))

    assert page.status == 200
    assert "Nothing has been saved yet." in page.text
    players = [item.get_text(" ", strip=True) for item in page.soup.select("section li:has(bdi)")]
    assert players == ["Ann", "Ben", "Cleo", "Zoe joins the group"]

    page = paste(host, json.dumps(S1 | {"house_rules": {"partnership": "called", "reminder": False}}))

    assert "Mensch" in page.text
    assert "Deals: 5" in page.text
    assert "Remind whoever holds three clubs to bid: No" in page.text
    assert standings_of(page) == [["1", "Ben", "+16"], ["2", "Ann", "0"], ["3", "Dan", "−4"], ["4", "Cleo", "−12"]]
    assert "Cleo pays Ben 12 chips, €3.00." in page.text
    assert "Dan pays Ben 4 chips, €1.00." in page.text
    assert dump(db) == before


def test_the_import_leads_to_the_session(host: Host, db: Session) -> None:
    page = paste(host, json.dumps(S1))

    page = page.form("/import/confirm").fill(name="Typed from paper", started_on="2026-10-01").submit()

    assert page.path.startswith("/sessions/")
    assert "The session was imported." in page.text
    row = db.execute(select(GameSession.name, GameSession.started_on, GameSession.deals)).one()
    assert (row.name, row.started_on.isoformat(), row.deals) == ("Typed from paper", "2026-10-01", 5)
    assert db.scalar(select(func.count()).select_from(Player)) == 4
    assert list(differences(db)) == []


def test_a_file_of_its_own_name_needs_no_typing(host: Host, db: Session) -> None:
    page = upload(host, json.dumps(S1).encode(), "Männerrunde 2026-11-26.json")

    form = page.form("/import/confirm")
    assert (form.data["name"], form.data["started_on"]) == ("Männerrunde", "2026-11-26")
    assert form.submit().path.startswith("/sessions/")


@pytest.mark.parametrize("name", ["2026-13-45.json", "\u202e.json", "x" * 300 + ".json", ".json", "a\x00b"])
def test_an_odd_file_name_is_no_obstacle(host: Host, db: Session, name: str) -> None:
    page = upload(host, json.dumps(S1).encode(), name)

    assert page.form("/import/confirm").submit().path.startswith("/sessions/")


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_was_imported_is_exported_the_same(host: Host, db: Session, name: str) -> None:
    document = CASES[name]["session"]

    first = exported(host, paste(host, json.dumps(document)).form("/import/confirm").submit())
    assert scored(first) == scored(document)

    second = exported(host, paste(host, json.dumps(first)).form("/import/confirm").submit())
    assert second == first
    assert list(differences(db)) == []


@pytest.mark.parametrize("name", REFUSED)
def test_it_names_the_event_and_what_is_wrong_with_it(host: Host, db: Session, name: str) -> None:
    before = dump(db)
    event = CASES[name]["expect"]["error"]["event"]

    page = paste(host, json.dumps(CASES[name]["session"]))

    assert page.status == 422
    assert problems_of(page)
    assert all(problem.startswith(f"Event {event}: ") for problem in problems_of(page) if event)
    assert json.loads(str(page.form("/import").data["text"])) == CASES[name]["session"]
    assert dump(db) == before


def test_the_sentence_is_that_of_the_rules(host: Host) -> None:
    events = [*S1["events"][:2], {**S1["events"][0], "trump": "hearts"}]

    assert problems_of(paste(host, json.dumps({**S1, "events": events}))) == [
        "Event 3: Half is always played with clubs."
    ]


HOSTILE = {
    "nothing": b"",
    "blank": b" \n",
    "no JSON": b"Ann;Ben;Cleo",
    "cut off": json.dumps(S1).encode()[:-20],
    "a number": b"3",
    "null": b"null",
    "a list": b"[]",
    "HTML": b"<img src=x onerror=alert(1)>",
    "deep": b"[" * 100_000 + b"]" * 100_000,
    "deep objects": b'{"a":' * 20_000 + b"1" + b"}" * 20_000,
    "UTF-16": json.dumps(S1).encode("utf-16"),
    "Latin-1": json.dumps({**S1, "players": ["Jürg", "Ben", "Cleo", "Dan"]}, ensure_ascii=False).encode("latin-1"),
    "NUL bytes": b"\x00" * 100,
    "NUL in a name": json.dumps({**S1, "players": ["A\x00nn", "Ben", "Cleo", "Dan"], "events": []}).encode(),
    "half a surrogate": json.dumps({**S1, "players": ["\ud800", "Ben", "Cleo", "Dan"]}).encode(),
    "duplicate keys": b'{"format": "scorekeeper/session", "format": "scorekeeper/session"}',
    "huge number": json.dumps(S1).replace('"tricks": 5', '"tricks": ' + "9" * 5000).encode(),
    "infinite number": json.dumps(S1).replace('"tricks": 5', '"tricks": Infinity').encode(),
    "other format": json.dumps({**S1, "format": "x"}).encode(),
    "newer version": json.dumps({**S1, "version": 2}).encode(),
    "version as text": json.dumps({**S1, "version": "1"}).encode(),
    "unknown key": json.dumps({**S1, "typo": 1}).encode(),
    "unknown rules": json.dumps({**S1, "rules": "<script>"}).encode(),
    "players as text": json.dumps({**S1, "players": "Ann"}).encode(),
    "players as numbers": json.dumps({**S1, "players": [1, 2, 3, 4]}).encode(),
    "events as object": json.dumps({**S1, "events": {}}).encode(),
    "event as text": json.dumps({**S1, "events": ["deal"]}).encode(),
    "event without type": json.dumps({**S1, "events": [{}]}).encode(),
    "chips as text": json.dumps({**S1, "events": [{"type": "buy-in", "player": "Ann", "chips": "4"}]}).encode(),
    "chips as fraction": json.dumps({**S1, "events": [{"type": "buy-in", "player": "Ann", "chips": 4.5}]}).encode(),
    "chips as yes": json.dumps({**S1, "events": [{"type": "buy-in", "player": "Ann", "chips": True}]}).encode(),
    "an unknown player": json.dumps({**S1, "events": [{"type": "buy-in", "player": "Eve", "chips": 4}]}).encode(),
    "a price of nothing": json.dumps({**S1, "chip": {"value": "0", "currency": "EUR"}}).encode(),
    "a price of half a yen": json.dumps({**S1, "chip": {"value": "0.5", "currency": "JPY"}}).encode(),
}


@pytest.mark.parametrize("by_upload", [True, False])
@pytest.mark.parametrize("what", HOSTILE)
def test_a_file_that_is_none_is_refused_with_a_sentence(host: Host, db: Session, what: str, by_upload: bool) -> None:
    before = dump(db)

    page = (
        upload(host, HOSTILE[what], "file.json")
        if by_upload
        else paste(host, HOSTILE[what].decode("utf-8", errors="replace"))
    )

    assert page.status == 422
    assert problems_of(page) or page.errors()
    assert not page.soup.select("img, script:not([src^='/static/'])")
    assert dump(db) == before


def test_a_byte_order_mark_is_no_fault(host: Host) -> None:
    assert upload(host, json.dumps(S1).encode("utf-8-sig"), "file.json").status == 200
    assert paste(host, "\ufeff" + json.dumps(S1)).status == 200


def test_more_than_a_megabyte_is_too_large(host: Host, db: Session) -> None:
    before = dump(db)

    page = upload(host, b" " * 1_100_000, "file.json")

    assert page.status == 413
    assert "At most 1 MB" in page.text
    assert dump(db) == before


def test_a_large_file_can_be_confirmed(host: Host, db: Session) -> None:
    document = {**S1, "events": S1["events"] * 1000}
    contents = json.dumps(document, indent=1).encode()
    assert 500_000 < len(contents) < 1_000_000

    page = upload(host, contents, "file.json")
    page = page.form("/import/confirm").submit()

    assert exported(host, page)["events"] == document["events"]


def test_sending_the_confirmation_twice_imports_once(host: Host, db: Session) -> None:
    form = paste(host, json.dumps(S1)).form("/import/confirm")

    first, second = form.submit(), form.submit()

    assert first.path == second.path
    assert db.scalar(select(func.count()).select_from(GameSession)) == 1


@pytest.mark.parametrize(
    ("field", "typed", "sentence"),
    [
        ("name", "", "Enter a name."),
        ("name", "x" * 41, "A name has at most 40 characters."),
        ("name", "a\x00", "The character U+0000 cannot be used."),
        ("started_on", "", "Enter a date, such as 2026-11-26."),
        ("started_on", "yesterday", "Enter a date, such as 2026-11-26."),
        ("started_on", "2026-02-30", "Enter a date, such as 2026-11-26."),
    ],
)
def test_the_name_and_the_day_are_checked_beside_their_fields(
    host: Host, db: Session, field: str, typed: str, sentence: str
) -> None:
    before = dump(db)

    page = paste(host, json.dumps(S1)).form("/import/confirm").fill(**{field: typed}).submit()

    assert page.status == 422
    assert page.errors() == {field: sentence}
    assert page.form("/import/confirm").data[field] == typed
    assert "Deals: 5" in page.text
    assert dump(db) == before


@pytest.mark.parametrize("document", ["", "x", "e30.x", "\x00", json.dumps(S1)])
def test_only_what_the_dry_run_showed_is_imported(host: Host, db: Session, document: str) -> None:
    form = paste(host, json.dumps(S1)).form("/import/confirm").fill(document=document)
    before = dump(db)

    assert form.submit().status == 400
    assert dump(db) == before


def test_a_group_that_is_full_takes_no_more_players(host: Host, db: Session) -> None:
    for number in range(14):
        names = [f"Player {number} {place}" for place in range(4)]
        page = paste(host, json.dumps({**S1, "players": names, "dealer": names[0], "events": []}))
        assert page.form("/import/confirm").submit().path.startswith("/sessions/")
    before = dump(db)

    page = paste(host, json.dumps({**S1, "players": ["Eve", "Fay", "Gus", "Hal"], "dealer": "Eve", "events": []}))
    page = page.form("/import/confirm").submit()

    assert page.status == 422
    assert problems_of(page) == ["A group has at most 60 players."]
    assert dump(db) == before


def test_a_stranger_imports_nothing(host: Host, stranger: Host, db: Session) -> None:
    form = paste(stranger, json.dumps(S1)).form("/import/confirm")
    before = dump(db)

    assert stranger.get(f"{host.group_path}/import").status == 404
    assert stranger.post(f"{host.group_path}/import", data=form.data).status == 404
    assert stranger.post(f"{host.group_path}/import/confirm", data=form.data).status == 404
    assert dump(db) == before

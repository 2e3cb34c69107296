"""The stream that tells an open page that its session has moved on."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from queue import SimpleQueue
from typing import Any

import pytest
from flask import Flask
from sqlalchemy.orm import Session

from scorekeeper.extensions import db as database
from scorekeeper.services.groups import Role, create_link, withdraw_link
from scorekeeper.watcher import Watcher
from scorekeeper.web import live
from tests.factories import make_deal, make_session
from tests.http.conftest import Host
from tests.http.visitor import Visitor

Event = tuple[str, str]
"""Its name and its data."""
END: Event = ("end", "")
BUSY: Event = ("busy", "")
THREADED = {"wsgi.multithread": True}
PATIENCE = 30
"""Seconds after which a test gives up."""


class Stream:
    """A stream as one browser hears it, in a thread of its own as a server would have it."""

    def __init__(self, host: Host, path: str, **options: Any) -> None:
        self._heard: SimpleQueue[Event] = SimpleQueue()
        self._let_go = threading.Event()
        browser = Host(host.app, host.group)
        self._thread = threading.Thread(target=self._listen, args=(browser, path, options))
        self._thread.start()

    def next(self) -> Event:
        return self._heard.get(timeout=PATIENCE)

    def next_but(self, *passed: Event) -> Event:
        while (event := self.next()) in passed:
            pass
        return event

    def let_go(self) -> None:
        """Close it at the next event, as a browser that has gone."""
        self._let_go.set()

    def _listen(self, browser: Visitor, path: str, options: dict[str, Any]) -> None:
        with browser.client.get(path, environ_overrides=THREADED, **options) as reply:
            assert reply.status_code == 200
            assert reply.mimetype == "text/event-stream"
            for part in reply.iter_encoded():
                lines = dict(line.split(": ", 1) for line in f"{part.decode()}data: ".splitlines() if ": " in line)
                if "event" in lines:
                    self._heard.put((lines["event"], lines.get("id", "")))
                if self._let_go.is_set():
                    break
        self._heard.put(END)


@pytest.fixture(autouse=True)
def ending(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Streams beat fast, and whatever is open at the end of the test ends."""
    monkeypatch.setattr(live, "BEAT", 0.05)
    yield
    app.extensions["watcher"].stopping = lambda: True
    until(lambda: watchers() == 0)


def watchers() -> int:
    return [thread.name for thread in threading.enumerate()].count("watcher")


def until(holds: Any) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline


def path(session_id: int, version: int | str | None = None) -> str:
    return f"/sessions/{session_id}/live" + (f"?version={version}" if version is not None else "")


def test_who_is_behind_is_told_at_once(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)

    assert Stream(host, path(session.id, 1)).next() == ("version", "2")


def test_who_has_the_newest_hears_that_the_stream_lives_and_nothing_new(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    stream = Stream(host, path(session.id, 1))

    assert [stream.next() for _ in range(3)] == [("beat", "1")] * 3


@pytest.mark.parametrize("version", [None, "x", "9" * 5000])
def test_who_does_not_say_what_they_have_is_told_what_there_is(host: Host, db: Session, version: str | None) -> None:
    session = make_session(db, group=host.group)

    assert Stream(host, path(session.id, version)).next() == ("version", "1")


def test_a_stream_that_is_taken_up_again_goes_on_where_it_was(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)

    stream = Stream(host, path(session.id, 1), headers={"Last-Event-ID": "2"})

    assert stream.next() == ("beat", "2")


def test_a_deal_is_told_to_all_who_follow_its_session_and_to_nobody_else(host: Host, db: Session) -> None:
    session, other = (make_session(db, group=host.group) for _ in range(2))
    streams = [Stream(host, path(session.id, 1)) for _ in range(3)]
    elsewhere = Stream(host, path(other.id, 1))
    assert {stream.next() for stream in (*streams, elsewhere)} == {("beat", "1")}

    make_deal(db, session)

    assert {stream.next_but(("beat", "1")) for stream in streams} == {("version", "2")}
    assert [elsewhere.next() for _ in range(3)] == [("beat", "1")] * 3


def test_what_is_sent_through_the_pages_is_told_without_waiting_for_a_beat(
    host: Host, db: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "BEAT", 2 * PATIENCE)
    session = make_session(db, group=host.group)
    stream = Stream(host, path(session.id, 1))
    assert stream.next() == ("beat", "1")

    host.get(f"/sessions/{session.id}").form("/misdeal").submit()

    assert stream.next() == ("version", "2")


def test_what_another_process_records_is_told_without_waiting_for_a_beat(
    host: Host, db: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "BEAT", 2 * PATIENCE)
    session = make_session(db, group=host.group)
    stream = Stream(host, path(session.id, 1))
    assert stream.next() == ("beat", "1")

    make_deal(db, session)

    assert stream.next() == ("version", "2")


def test_a_look_in_the_background_leaves_messages_and_cookies_to_the_page(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    with host.client.session_transaction() as cookie:
        cookie["_flashes"] = [("done", "It has been done.")]

    behind = host.get(f"/sessions/{session.id}", headers={"X-Fragment": "1"})
    page = host.get(f"/sessions/{session.id}")

    assert "It has been done." not in behind.text
    assert "Set-Cookie" not in behind.response.headers
    assert "It has been done." in page.text


def test_a_stranger_is_told_that_nothing_is_there(stranger: Host, host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    assert stranger.get(path(session.id)).status == 404


def test_a_stream_ends_when_its_link_is_withdrawn(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    create_link(db, host.group.group_id, Role.HOST, "")
    stream = Stream(host, path(session.id, 1))
    assert stream.next() == ("beat", "1")

    withdraw_link(db, host.group.group_id, host.group.link_id)

    assert stream.next_but(("beat", "1")) == END


def test_one_stream_too_many_is_told_so_until_another_ends(app: Flask, host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    app.extensions["watcher"] = Watcher(1)
    first = Stream(host, path(session.id, 1))
    assert first.next() == ("beat", "1")

    second = Stream(host, path(session.id, 1))
    assert [second.next(), second.next()] == [BUSY, END]

    first.let_go()
    assert first.next_but(("beat", "1")) == END
    assert Stream(host, path(session.id, 1)).next() == ("beat", "1")


def test_as_many_streams_as_there_are_threads_to_spare(app: Flask) -> None:
    assert app.config["THREADS"] == 64
    assert live.SPARE == 8


def test_a_server_without_threads_gives_none_away(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    page = host.get(path(session.id))

    assert page.response.get_data(as_text=True).startswith("event: busy")


def test_a_stream_ends_after_a_while_and_says_when_to_come_back(
    host: Host, db: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "LASTS", 0)
    session = make_session(db, group=host.group)

    page = host.get(path(session.id, 1), environ_overrides=THREADED)

    assert page.response.get_data(as_text=True) == "retry: 1000\n\nevent: beat\nid: 1\ndata: 1\n\n"


def test_streams_are_let_go_when_the_server_stops(
    app: Flask, host: Host, db: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "BEAT", 2 * PATIENCE)
    session = make_session(db, group=host.group)
    streams = [Stream(host, path(session.id, 1)) for _ in range(2)]
    assert {stream.next() for stream in streams} == {("beat", "1")}

    app.extensions["watcher"].stopping = lambda: True

    assert {stream.next() for stream in streams} == {END}


def test_a_stream_keeps_no_connection_to_the_database(app: Flask, host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    db.rollback()
    streams = [Stream(host, path(session.id, 1)) for _ in range(3)]
    assert {stream.next() for stream in streams} == {("beat", "1")}

    with app.app_context():
        pool: Any = database.engine.pool
    until(lambda: pool.checkedout() == 0)


def test_nobody_watches_when_nobody_follows(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    stream = Stream(host, path(session.id, 1))
    assert stream.next() == ("beat", "1")
    assert watchers() == 1

    stream.let_go()

    until(lambda: watchers() == 0)


def test_it_is_no_answer_to_keep(host: Host, db: Session) -> None:
    reply = host.get(path(make_session(db, group=host.group).id)).response

    assert reply.cache_control.no_store
    assert reply.headers["X-Accel-Buffering"] == "no"

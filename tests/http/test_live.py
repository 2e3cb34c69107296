"""The stream that tells an open page that its session has moved on."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import Engine, exc, select
from sqlalchemy.orm import Session

from benchmarks.servers import Browser, under_gunicorn
from scorekeeper import watcher
from scorekeeper.extensions import db as database
from scorekeeper.models import Player
from scorekeeper.services.groups import Role, rename_player, withdraw_link
from scorekeeper.watcher import PER_DEVICE, Watcher
from scorekeeper.web import live
from tests.factories import MadeSession, make_deal, make_link, make_session, seen_by
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

    def __init__(self, host: Host, path: str, *, browser: Visitor | None = None, **options: Any) -> None:
        self._heard: SimpleQueue[Event] = SimpleQueue()
        self._let_go = threading.Event()
        browser = browser or Host(host.app, host.group)
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


def shown(db: Session, session: MadeSession) -> int:
    """What pages of the session show now."""
    db.rollback()
    found = seen_by(db, session.id, session.group.link_id)
    return int(found.page_version)


def path(session_id: int, version: int | str | None = None) -> str:
    return f"/sessions/{session_id}/live" + (f"?version={version}" if version is not None else "")


def beat(version: int) -> Event:
    return "beat", str(version)


def moved_on(version: int) -> Event:
    return "version", str(version)


def test_who_is_behind_is_told_at_once(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    at = shown(db, session)
    make_deal(db, session)

    assert Stream(host, path(session.id, at)).next() == moved_on(at + 1)


def test_who_has_the_newest_hears_that_the_stream_lives_and_nothing_new(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    at = shown(db, session)

    stream = Stream(host, path(session.id, at))

    assert [stream.next() for _ in range(3)] == [beat(at)] * 3


@pytest.mark.parametrize("version", [None, "x", "9" * 5000])
def test_who_does_not_say_what_they_have_is_told_what_there_is(host: Host, db: Session, version: str | None) -> None:
    session = make_session(db, group=host.group)
    at = shown(db, session)

    assert Stream(host, path(session.id, version)).next() == moved_on(at)


def test_a_stream_that_is_taken_up_again_goes_on_where_it_was(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    at = shown(db, session)
    make_deal(db, session)

    stream = Stream(host, path(session.id, at), headers={"Last-Event-ID": str(at + 1)})

    assert stream.next() == beat(at + 1)


def test_a_page_of_an_older_release_which_knows_its_session_alone_is_told(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    stream = Stream(host, path(session.id, 1), headers={"Last-Event-ID": "1"})

    assert stream.next() == moved_on(shown(db, session))


def test_a_page_takes_up_its_stream_where_it_is(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    (live_,) = host.get(f"/sessions/{session.id}").soup.select("[data-live]")

    assert Stream(host, f"{live_['data-live']}?version={live_['data-version']}").next() == beat(shown(db, session))


def test_a_deal_is_told_to_all_who_follow_its_session_and_to_nobody_else(host: Host, db: Session) -> None:
    session, other = (make_session(db, group=host.group) for _ in range(2))
    at = shown(db, session)
    streams = [Stream(host, path(session.id, at)) for _ in range(3)]
    elsewhere = Stream(host, path(other.id, at))
    assert {stream.next() for stream in (*streams, elsewhere)} == {beat(at)}

    make_deal(db, session)

    assert {stream.next_but(beat(at)) for stream in streams} == {moved_on(at + 1)}
    assert [elsewhere.next() for _ in range(3)] == [beat(at)] * 3


def test_what_is_sent_through_the_pages_is_told_without_waiting_for_a_beat(
    host: Host, db: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "BEAT", 2 * PATIENCE)
    session = make_session(db, group=host.group)
    at = shown(db, session)
    stream = Stream(host, path(session.id, at))
    assert stream.next() == beat(at)

    host.get(f"/sessions/{session.id}").form("/misdeal").submit()

    assert stream.next() == moved_on(at + 1)


def test_what_another_process_records_is_told_without_waiting_for_a_beat(
    host: Host, db: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "BEAT", 2 * PATIENCE)
    session = make_session(db, group=host.group)
    at = shown(db, session)
    stream = Stream(host, path(session.id, at))
    assert stream.next() == beat(at)

    make_deal(db, session)

    assert stream.next() == moved_on(at + 1)


def test_a_new_name_is_told_without_waiting_for_a_beat(
    host: Host, db: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "BEAT", 2 * PATIENCE)
    session = make_session(db, group=host.group)
    at = shown(db, session)
    stream = Stream(host, path(session.id, at))
    assert stream.next() == beat(at)
    player = db.scalars(select(Player.id).where(Player.name == "Ann")).one()

    rename_player(db, host.group.group_id, player, "Annabel")

    assert stream.next() == moved_on(at + 1)


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
    make_link(db, host.group.group_id, Role.HOST, "")
    session = make_session(db, group=host.group)
    at = shown(db, session)
    stream = Stream(host, path(session.id, at))
    assert stream.next() == beat(at)

    withdraw_link(db, host.group.group_id, host.group.link_id)

    assert stream.next_but(beat(at)) == END


def test_one_stream_too_many_is_told_so_until_another_ends(app: Flask, host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    at = shown(db, session)
    app.extensions["watcher"] = Watcher(1)
    first = Stream(host, path(session.id, at))
    assert first.next() == beat(at)

    second = Stream(host, path(session.id, at))
    assert [second.next(), second.next()] == [BUSY, END]

    first.let_go()
    assert first.next_but(beat(at)) == END
    assert Stream(host, path(session.id, at)).next() == beat(at)


def test_pages_have_threads_of_their_own_however_many_streams_there_are(app: Flask, host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    at = shown(db, session)
    assert app.config["THREADS"] == 64
    app.config["THREADS"] = live.SPARE + 1
    live.init_app(app)

    assert Stream(host, path(session.id, at)).next() == beat(at)
    assert Stream(host, path(session.id, at)).next() == BUSY


def test_the_more_pages_have_no_stream_the_less_often_each_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    refusing = Watcher(0)
    told = [refusing.refuse() for _ in range(1000)]
    assert (told[0], told[199], told[-1]) == (watcher.SOON, 200 * watcher.A_SHARE, watcher.LATE)
    assert told == sorted(told)

    monkeypatch.setattr(watcher, "TRIES_AGAIN", 0)
    forgetting = Watcher(0)
    assert {forgetting.refuse() for _ in range(1000)} == {watcher.SOON}


def test_of_more_streams_of_one_device_than_four_the_first_gives_way(
    app: Flask, host: Host, db: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "BEAT", 2 * PATIENCE)
    session = make_session(db, group=host.group)
    at = shown(db, session)
    app.extensions["watcher"] = Watcher(2 * PER_DEVICE)
    another = Stream(host, path(session.id, at))
    assert another.next() == beat(at)

    streams = []
    for place in range(3 * PER_DEVICE):
        streams.append(Stream(host, path(session.id, at), browser=host))
        assert streams[place].next() == beat(at)
        if place >= PER_DEVICE:
            gone = streams[place - PER_DEVICE]
            assert [gone.next(), gone.next()] == [BUSY, END]

    make_deal(db, session)
    for stream in (another, *streams[-PER_DEVICE:]):
        assert stream.next() == moved_on(at + 1)


def failing_once(listen: Any, error: Exception) -> Any:
    errors = [error]

    def fails_first(watcher: Watcher, engine: Engine) -> None:
        if errors:
            raise errors.pop()
        listen(watcher, engine)

    return fails_first


@pytest.mark.parametrize("lost", [exc.TimeoutError("no connection is free"), exc.DisconnectionError("gone")])
def test_whatever_becomes_of_the_database_it_is_watched_again(
    host: Host, db: Session, monkeypatch: pytest.MonkeyPatch, lost: Exception
) -> None:
    monkeypatch.setattr(live, "BEAT", 2 * PATIENCE)
    monkeypatch.setattr(watcher, "RECONNECT_AFTER", 0)
    monkeypatch.setattr(Watcher, "_listen", failing_once(Watcher._listen, lost))
    session = make_session(db, group=host.group)
    at = shown(db, session)
    stream = Stream(host, path(session.id, at))
    assert stream.next() == beat(at)

    make_deal(db, session)

    assert stream.next() == moved_on(at + 1)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_watcher_that_has_failed_is_followed_by_another(
    host: Host, db: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Watcher, "_listen", failing_once(Watcher._listen, ZeroDivisionError()))
    session = make_session(db, group=host.group)
    at = shown(db, session)
    assert Stream(host, path(session.id, at)).next() == beat(at)
    until(lambda: watchers() == 0)

    assert Stream(host, path(session.id, at)).next() == beat(at)

    assert watchers() == 1


def test_a_server_without_threads_gives_none_away(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    page = host.get(path(session.id))

    assert page.response.get_data(as_text=True) == f"event: busy\ndata: {watcher.SOON}\n\n"


def test_a_stream_ends_after_a_while_and_says_when_to_come_back(
    host: Host, db: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "LASTS", 0)
    session = make_session(db, group=host.group)
    at = shown(db, session)

    page = host.get(path(session.id, at), environ_overrides=THREADED)

    assert page.response.get_data(as_text=True) == f"retry: 1000\n\nevent: beat\nid: {at}\ndata: {at}\n\n"


def test_streams_are_let_go_when_the_server_stops(
    app: Flask, host: Host, db: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "BEAT", 2 * PATIENCE)
    session = make_session(db, group=host.group)
    at = shown(db, session)
    streams = [Stream(host, path(session.id, at)) for _ in range(2)]
    assert {stream.next() for stream in streams} == {beat(at)}

    app.extensions["watcher"].stopping = lambda: True

    assert {stream.next() for stream in streams} == {END}


def test_gunicorn_with_our_settings_lets_its_streams_end(database_url: str, db: Session, tmp_path: Path) -> None:
    session = make_session(db)
    with under_gunicorn(database_url, tmp_path) as server:
        with closing(Browser(server.port)) as browser:
            browser.get(f"/open/{session.group.token}")
            connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
            connection.request("GET", path(session.id), headers={"Cookie": browser.cookie})
        stream = connection.getresponse()
        assert stream.readline().startswith(b"retry")
    # Cut off it would be incomplete, which is an error to read.
    assert b"event: version" in stream.read()
    connection.close()


@pytest.mark.parametrize(
    ("path", "action", "typed"), [("/chips", "/buy-in", {"buy-chips": "some"}), ("/paper/keying", "/check", {})]
)
def test_a_page_that_answers_a_form_asks_elsewhere_whether_the_session_has_moved_on(
    host: Host, db: Session, path: str, action: str, typed: dict[str, str]
) -> None:
    session = make_session(db, group=host.group)
    page = host.get(f"/sessions/{session.id}{path}").form(action).fill(**typed).submit()
    assert page.path == f"/sessions/{session.id}{path}{action}".replace("/keying", "")
    (asked,) = (line["data-page"] for line in page.soup.select("[data-live]"))
    since = "The session has changed since this was opened."

    assert since not in host.get(str(asked)).text
    make_deal(db, session)

    assert since in host.get(str(asked)).text


@pytest.mark.parametrize("threads", [1, live.SPARE + 1])
def test_under_gunicorn_streams_leave_pages_threads_however_few_there_are(
    database_url: str, db: Session, tmp_path: Path, threads: int
) -> None:
    session = make_session(db)
    with under_gunicorn(database_url, tmp_path, threads=threads) as server, ExitStack() as open_:
        browser = open_.enter_context(closing(Browser(server.port)))
        browser.get(f"/open/{session.group.token}")
        for place in range(threads):
            connection = open_.enter_context(closing(HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)))
            connection.request("GET", path(session.id), headers={"Cookie": browser.cookie})
            says = b"retry" if place < threads - live.SPARE else b"event: busy"
            assert connection.getresponse().readline().startswith(says)
        assert browser.get(f"/sessions/{session.id}").status == 200


def test_a_stream_keeps_no_connection_to_the_database(app: Flask, host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    at = shown(db, session)
    db.rollback()
    streams = [Stream(host, path(session.id, at)) for _ in range(3)]
    assert {stream.next() for stream in streams} == {beat(at)}

    with app.app_context():
        pool: Any = database.engine.pool
    until(lambda: pool.checkedout() == 0)


def test_nobody_watches_when_nobody_follows(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    at = shown(db, session)
    stream = Stream(host, path(session.id, at))
    assert stream.next() == beat(at)
    assert watchers() == 1

    stream.let_go()

    until(lambda: watchers() == 0)


def test_it_is_no_answer_to_keep(host: Host, db: Session) -> None:
    reply = host.get(path(make_session(db, group=host.group).id)).response

    assert reply.cache_control.no_store
    assert reply.headers["X-Accel-Buffering"] == "no"

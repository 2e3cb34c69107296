"""Server processes on one PostgreSQL tell each other's deals."""

from __future__ import annotations

import time
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import text
from sqlalchemy.orm import Session

from benchmarks.servers import Browser, ours
from scorekeeper.services.groups import add_player
from scorekeeper.web import live
from tests.factories import make_deal, make_session
from tests.http.conftest import Host
from tests.http.test_live import PATIENCE, Stream, beat, ending, moved_on, path, shown

__all__ = ["ending"]

LISTENING = text("SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'")
END_IT = text("SELECT pg_terminate_backend(:pid)")


def until_another_listens(db: Session, *known: int) -> int:
    deadline = time.monotonic() + PATIENCE
    while not (pids := set(db.scalars(LISTENING)) - {*known}):
        db.rollback()
        assert time.monotonic() < deadline
    db.rollback()
    return int(pids.pop())


def test_who_has_lost_the_database_listens_again_and_has_missed_nothing(
    app: Flask, db: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "BEAT", 2 * PATIENCE)
    session = make_session(db)
    at = shown(db, session)
    stream = Stream(Host(app, session.group), path(session.id, at))
    assert stream.next() == beat(at)

    db.execute(END_IT, {"pid": until_another_listens(db)})
    make_deal(db, session)
    assert stream.next() == moved_on(at + 1)
    make_deal(db, session)
    assert stream.next() == moved_on(at + 2)


def test_a_new_player_is_told_as_a_deal_is(app: Flask, db: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "BEAT", 2 * PATIENCE)
    session = make_session(db)
    at = shown(db, session)
    stream = Stream(Host(app, session.group), path(session.id, at))
    assert stream.next() == beat(at)
    until_another_listens(db)

    add_player(db, session.group.group_id, "Eve")

    assert stream.next() == moved_on(at + 1)


def test_a_deal_recorded_at_one_server_is_told_by_another(database_url: str, db: Session, tmp_path: Path) -> None:
    session = make_session(db)
    page, at = f"/sessions/{session.id}", shown(db, session)
    with ours(database_url, tmp_path) as one, ours(database_url, tmp_path) as other, ExitStack() as open_:
        browsers = [open_.enter_context(closing(Browser(server.port))) for server in (one, other)]
        for browser in browsers:
            browser.get(f"/open/{session.group.token}")
        listening = open_.enter_context(closing(HTTPConnection("127.0.0.1", other.port, timeout=PATIENCE)))
        listening.request("GET", f"{page}/live?version={at}", headers={"Cookie": browsers[1].cookie})
        stream = open_.enter_context(listening.getresponse())
        while stream.readline() != f"id: {at}\n".encode():
            pass

        form = browsers[0].form(page, f"{page}/misdeal")
        assert browsers[0].post(f"{page}/misdeal", form).status == 303

        while stream.readline() != f"id: {at + 1}\n".encode():
            pass

"""Anybody may make groups, at their leisure."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from scorekeeper.models import Group, JoinAttempt
from scorekeeper.services.attempts import FREE_GROUPS, TooSoon, making_a_group
from tests.http.conftest import Host
from tests.http.evidence import dump
from tests.http.test_archive import archived, send
from tests.http.test_join import stopped_clock
from tests.http.test_start import filled
from tests.http.visitor import Page, Visitor

HERE = "127.0.0.1"
MANY = "Many groups were made from here lately. Try again in "


def naming(visitor: Visitor, host: Host) -> Page:
    return filled(visitor, "Ann", "Ben").submit()


def bringing_in(visitor: Visitor, host: Host) -> Page:
    return send(visitor, archived(host))


def made(db: Session, times: int, address: str = HERE) -> None:
    """Have groups made so many times, all at one moment."""
    for _ in range(times):
        with making_a_group(db, address):
            pass


@pytest.mark.parametrize("make", [naming, bringing_in])
def test_more_than_a_club_needs_are_slowed_down_more_and_more_but_only_from_there(
    app: Flask, host: Host, db: Session, make: Callable[[Visitor, Host], Page]
) -> None:
    with stopped_clock() as clock:
        made(db, FREE_GROUPS - 1)
        assert make(Visitor(app), host).status == 200
        before = dump(db)
        for wait in (1, 2, 4):
            page = make(Visitor(app), host)
            assert page.status == 429
            assert int(page.response.headers["Retry-After"]) == wait
            assert [error.startswith(MANY) for error in page.errors().values()] == [True]
            assert dump(db) == before
            clock.shift(wait)
            assert make(Visitor(app), host).status == 200
            before = dump(db)

        made(db, 1, "192.0.2.1")
        with pytest.raises(TooSoon, match="wait 8 s"):
            made(db, 1)


def test_what_was_typed_is_still_there(visitor: Visitor, db: Session) -> None:
    made(db, FREE_GROUPS)

    page = filled(visitor, "Ann", "Ben", name="Fridays").submit()

    assert page.status == 429
    form = page.form("/groups").data
    assert (form["name"], form["players-0"], form["players-1"]) == ("Fridays", "Ann", "Ben")


def test_what_could_not_be_made_does_not_count(visitor: Visitor, db: Session) -> None:
    for _ in range(2):
        assert filled(visitor, "Ann", "ann").submit().status == 422

    assert db.scalars(select(JoinAttempt.key)).all() == []


def test_an_archive_that_is_refused_counts_all_the_same(host: Host, db: Session) -> None:
    with stopped_clock():
        made(db, FREE_GROUPS - 1)
        assert send(host, b"no archive").status == 422
        before = dump(db)

        page = send(host, b"no archive")

        assert page.status == 429
        assert [error.startswith(MANY) for error in page.errors().values()] == [True]
        assert dump(db) == before


def test_it_is_forgotten(visitor: Visitor, db: Session) -> None:
    with stopped_clock() as clock:
        made(db, FREE_GROUPS)
        clock.shift(timedelta(hours=2))
        filled(visitor, "Ann", "Ben").submit()
        clock.shift(timedelta(hours=2))
        made(db, 1, "192.0.2.1")

    db.rollback()
    assert db.scalars(select(JoinAttempt.key)).all() == ["made 192.0.2.1"]
    assert db.scalar(select(func.count()).select_from(Group)) == 1

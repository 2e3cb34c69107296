"""Databases to measure on: groups with sessions of many deals, stored as an import stores them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import flask_migrate
from sqlalchemy.orm import Session

from scorekeeper import schema
from scorekeeper.app import create_app
from scorekeeper.extensions import db as database
from scorekeeper.rules import Facts, Seat, ruleset
from scorekeeper.services.groups import CreateGroup, NewLink, create_group
from scorekeeper.services.imports import ImportSession, import_session
from scorekeeper.sessionfile import DealEvent, SessionFile

PLAYERS = ("Ann", "Ben", "Cleo", "Dan")
DEALS: tuple[Facts, ...] = (
    {"contract": "half", "declarer": 0, "partner": 2, "trump": "clubs", "tricks": 5},
    {"contract": "five", "declarer": 1, "trump": "spades", "tricks": 6},
    {"contract": "half", "declarer": 3, "partner": 0, "trump": "clubs", "tricks": 3},
    {"contract": "solo", "declarer": 2, "trump": "hearts", "tricks": 7},
)

_ids = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Evening:
    """A group, the way into it, and its latest session."""

    link: NewLink
    session_id: int

    @property
    def page(self) -> str:
        return f"/sessions/{self.session_id}"


@contextmanager
def seeding(path: Path) -> Iterator[Session]:
    """A new database at *path*, to be filled."""
    app = create_app({"SQLALCHEMY_DATABASE_URI": f"sqlite:///{path}", "SECRET_KEY": "for measuring"})
    schema.init_app(app)
    with app.app_context():
        flask_migrate.upgrade()
        with Session(database.engine) as db:
            yield db
        database.engine.dispose()


def evening(db: Session, *, deals: int, sessions: int = 1) -> Evening:
    """A group that has played *sessions* sessions of Mensch, each of *deals* deals."""
    link = create_group(db, CreateGroup("Thursdays", PLAYERS, f"{next(_ids):032x}"), f"{next(_ids):022}")
    game, rules = ruleset("mensch")
    events = tuple(DealEvent(facts) for facts in itertools.islice(itertools.cycle(DEALS), deals))
    file = SessionFile(game, rules, PLAYERS, len(PLAYERS), Seat(0), events=events)
    session_id = 0
    for _ in range(sessions):
        session_id = import_session(
            db,
            ImportSession(
                group_id=link.group_id,
                link_id=link.link_id,
                submission_id=f"{next(_ids):032x}",
                name="Thursday",
                started_on=date(2026, 11, 26),
                file=file,
            ),
        )
    return Evening(link, session_id)

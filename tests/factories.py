"""Groups and sessions with sensible defaults, made by the services that pages use."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper import queries
from scorekeeper.models import AnyRow, GameSession, Player
from scorekeeper.rules import CARD_GAMES, Facts, Seat
from scorekeeper.services.deals import RecordDeal, record_deal
from scorekeeper.services.groups import CreateGroup, NewLink, Role, create_group, create_link
from scorekeeper.services.sessions import OpenSession, open_session
from scorekeeper.services.transaction import SessionCommand

NAMES = ("Ann", "Ben", "Cleo", "Dan")

HALF_MADE: Facts = {"contract": "half", "declarer": 0, "partner": 2, "trump": "clubs", "tricks": 5}
"""Ann and Cleo make five: +1, −1, +1, −1."""
FIVE_IN_SPADES_MADE: Facts = {"contract": "five", "declarer": 1, "trump": "spades", "tricks": 5}
"""Ben makes five alone: −1, +3, −1, −1."""
CLUB_TURNED: Facts = {"turn_up": "clubs", "tricks": [2, 1, 1, 1]}
"""Dirty Clubs, everybody takes a trick: −2, −1, −1, −1."""

_ids = itertools.count(1)


def submission_id() -> str:
    return f"{next(_ids):032x}"


def opened(db: Session, *link_ids: int) -> list[queries.OpenedLink]:
    """Links as a browser keeps them that has opened them."""
    return [link for link_id in link_ids if (link := queries.opened_link(db, link_id))]


def seen_by(db: Session, session_id: int, link_id: int) -> AnyRow:
    """A session as whoever has opened a link sees it."""
    session = queries.session_of(db, session_id, opened(db, link_id))
    assert session is not None
    return session


@dataclass(frozen=True, slots=True)
class MadeSession:
    """A session somebody opened, and the link of its group."""

    id: int
    group: NewLink

    def command(self, db: Session) -> dict[str, Any]:
        """What every command on the session carries, as the session stands now, from whoever has the pen."""
        found = select(GameSession.version, GameSession.pen, GameSession.pen_name).where(GameSession.id == self.id)
        session = db.execute(found).one()
        db.rollback()
        return {
            "session_id": self.id,
            "expected_version": session.version,
            "submission_id": submission_id(),
            "link_id": self.group.link_id,
            "device": session.pen,
            "device_name": session.pen_name,
        }

    def plain_command(self, db: Session) -> SessionCommand:
        return SessionCommand(**self.command(db))


def token() -> str:
    """One for a link: as long as the app makes them."""
    return f"{next(_ids):022}"


def make_group(db: Session, *, name: str = "Thursdays", players: tuple[str, ...] = NAMES) -> NewLink:
    return create_group(db, CreateGroup(name, players, submission_id()), token())


def make_link(db: Session, group_id: int, role: Role, name: str = "") -> NewLink:
    """Another link to a group."""
    return create_link(db, group_id, role, name, token())


def make_session(
    db: Session,
    *,
    group: NewLink | None = None,
    card_game: str = "mensch",
    ruleset: str | None = None,
    house_rules: Mapping[str, object] | None = None,
    dealer: int = 3,
    seats: int | None = None,
    **more: Any,
) -> MadeSession:
    """A session of the first of the group (as many as the game wants, or *seats*), in the order they joined in.

    Others can be named, as all else that :class:`OpenSession` takes.
    """
    group = group or make_group(db)
    game = CARD_GAMES[card_game]
    rules = game.with_house_rules(game.ruleset(ruleset or card_game), house_rules or {})
    players = db.scalars(select(Player.id).where(Player.group_id == group.group_id).order_by(Player.id)).all()
    session_id = open_session(
        db,
        OpenSession(
            group_id=group.group_id,
            link_id=group.link_id,
            submission_id=submission_id(),
            name=more.pop("name", "Thursday at Ann's"),
            card_game=card_game,
            ruleset=rules,
            players=more.pop("players", tuple(players[: seats or game.players(rules)])),
            dealer=Seat(dealer),
            started_on=date(2026, 11, 26),
            **more,
        ),
    )
    return MadeSession(session_id, group)


def make_deal(db: Session, session: MadeSession, facts: Facts = HALF_MADE) -> int:
    """Record a deal and return its number."""
    return record_deal(db, RecordDeal(**session.command(db), facts=facts))

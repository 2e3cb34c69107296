"""Everything a group can hold, and the address of every route into it: for tests over all pages.

Routes come from the application's own map, so a new one is tested from the day it is there. One with an argument that
:class:`World` has no value for fails these tests until it is given one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flask import Flask
from sqlalchemy import select
from sqlalchemy.orm import Session
from werkzeug.routing import Rule

from scorekeeper.ledger import Choices
from scorekeeper.ledger.chipset import Colour
from scorekeeper.models import Player, Transfer
from scorekeeper.rules import MISDEAL, Facts, Seat
from scorekeeper.services.carrying import Carry
from scorekeeper.services.chipset import set_chips
from scorekeeper.services.costs import KITTY, AddCost, SetStake, add_cost, set_stake
from scorekeeper.services.deals import CorrectDeal, VoidDeal, correct_deal, start_next_game, void_deal
from scorekeeper.services.groups import NewLink, Role
from scorekeeper.services.joining import make_code
from scorekeeper.services.sessions import Adjust, MoveChips, adjust, buy_in, cash_out, close_session
from scorekeeper.services.settlement import Pay, pay
from scorekeeper.sessionfile import Chip
from tests.factories import CLUB_TURNED, FIVE_IN_SPADES_MADE, HALF_MADE, MadeSession, make_deal, make_session, seen_by

SESSIONS = ("fresh", "open", "closed", "over", "next game", "undecided", "discarded", "left open", "carried")

OPEN_TO_ALL = frozenset(
    {
        "static",
        "groups.start",
        "groups.create",
        "links.open_link",
        "join.come_in",
        "join.enter",
        "files.archive_form",
        "files.bring_in",
        "offline.no_network",
        "offline.words",
        "offline.worker",
        "pen.offer",
        "pen.receive",
        "rules.index",
        "rules.page",
    }
)
"""The endpoints that need no link to a group."""

FILES = frozenset(
    {
        "static",
        "offline.worker",
        "files.archive",
        "files.export",
        "csvfiles.deals",
        "csvfiles.places",
        "csvfiles.settlement",
    }
)
"""The endpoints that answer with a file and not with a page."""

SWEEP: Facts = {"turn_up": "clubs", "tricks": [0, 5, 0, 0]}
"""Dirty Clubs: Ben takes every trick and wins the game at once."""

CHIPS = (Colour("white", 1, 60), Colour("red", 5, 40), Colour("blue", 20, 4))

Values = dict[str, str | int]


@dataclass(frozen=True, slots=True)
class World:
    """The values of the arguments of routes that lead into a group: one set for each of its sessions, by name."""

    group: NewLink
    sessions: dict[str, Values]


def make_world(db: Session, group: NewLink) -> World:
    """A group with a chip set, and sessions in every state."""
    set_chips(db, group.group_id, CHIPS)
    made = {
        "fresh": make_session(db, group=group, name="Nothing yet"),
        "open": _open(db, group),
        "closed": _closed(db, group),
        "over": _dirty_clubs(db, group, SWEEP),
        "next game": _dirty_clubs(db, group, SWEEP, CLUB_TURNED),
        "undecided": _undecided(db, group),
        "discarded": _discarded(db, group),
        "left open": (left_open := _left_open(db, group)),
        "carried": _carried(db, left_open),
    }
    opened = seen_by(db, made["open"].id, group.link_id)
    make_code(db, opened, Role.SCORER)
    player_id = db.scalars(select(Player.id).where(Player.group_id == group.group_id).order_by(Player.id)).first()
    assert player_id is not None
    plan = db.scalar(select(Transfer.version).where(Transfer.session_id == made["closed"].id))
    assert plan is not None
    common: Values = {
        "group_id": group.group_id,
        "link_id": group.link_id,
        "player_id": player_id,
        "number": 1,
        "seat": 1,
        "what": "chips",
        "plan": plan,
        "line": 0,
        "payment": plan + 1,
        "cost": made["open"].command(db)["expected_version"],
        "source": left_open.id,
        "ruleset_id": "mensch",
        "token": "no-link-has-this-token",
        "filename": "app.css",
    }
    db.rollback()
    sessions = {name: {**common, "session_id": session.id} for name, session in made.items()}
    # The deal that waits for a decision.
    sessions["undecided"]["number"] = 2
    return World(group, sessions)


def routes(app: Flask, method: str) -> Iterator[Rule]:
    for rule in app.url_map.iter_rules():
        if method in (rule.methods or ()):
            yield rule


def address(app: Flask, rule: Rule, values: Values) -> str:
    """The path of a route with *values* for its arguments."""
    arguments = {name: values[name] for name in rule.arguments}
    return app.url_map.bind("localhost").build(rule.endpoint, arguments)


def _open(db: Session, group: NewLink) -> MadeSession:
    session = make_session(db, group=group, name="Thursday", chip=Chip(25, "EUR", 2), buy_in=40)
    set_stake(db, SetStake(**session.command(db), amount=50))
    for facts in (HALF_MADE, FIVE_IN_SPADES_MADE, MISDEAL, {**HALF_MADE, "declarer": 1, "partner": 3}, HALF_MADE):
        make_deal(db, session, facts)
    correct_deal(db, CorrectDeal(**session.command(db), number=1, facts={**HALF_MADE, "tricks": 3}))
    void_deal(db, VoidDeal(**session.command(db), number=5))
    buy_in(db, MoveChips(**session.command(db), seat=Seat(0), chips=20))
    cash_out(db, MoveChips(**session.command(db), seat=Seat(1), chips=10))
    adjust(db, Adjust(**session.command(db), chips=(1, -1, 0, 0), note="paid twice"))
    add_cost(db, AddCost(**session.command(db), payer=KITTY, amount=400, seats=(0, 1, 2, 3)))
    add_cost(db, AddCost(**session.command(db), payer=1, amount=100, seats=()))
    add_cost(db, AddCost(**session.command(db), payer=2, amount=1000, seats=(0, 1, 2), note="Pizza"))
    return session


def _closed(db: Session, group: NewLink) -> MadeSession:
    session = make_session(db, group=group, name="Last week", chip=Chip(100, "JPY", 0))
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    close_session(db, session.plain_command(db))
    plan = db.scalar(select(Transfer.version).where(Transfer.session_id == session.id))
    assert plan is not None
    pay(db, Pay(**session.command(db), plan=plan, line=1))
    pay(db, Pay(**session.command(db), plan=plan, line=2, amount=30))
    return session


def _dirty_clubs(db: Session, group: NewLink, *games: Facts) -> MadeSession:
    session = make_session(db, group=group, name="Clubs", card_game="dirty-clubs", house_rules={"stake_loser": 2})
    for number, facts in enumerate(games):
        if number:
            start_next_game(db, session.plain_command(db))
        make_deal(db, session, facts)
    return session


def _undecided(db: Session, group: NewLink) -> MadeSession:
    """A correction took away the end of the first game, after a deal of the second."""
    session = _dirty_clubs(db, group, SWEEP, CLUB_TURNED)
    correct_deal(db, CorrectDeal(**session.command(db), number=1, facts=CLUB_TURNED))
    return session


def _discarded(db: Session, group: NewLink) -> MadeSession:
    """A correction after the end: the settlement was discarded, and a payment of it counts."""
    session = make_session(db, group=group, name="Last year", chip=Chip(100, "EUR", 2, 3))
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    close_session(db, session.plain_command(db), Choices(step=5))
    plan = session.command(db)["expected_version"]
    pay(db, Pay(**session.command(db), plan=plan, line=0))
    facts = {**FIVE_IN_SPADES_MADE, "declarer": 2}
    correct_deal(db, CorrectDeal(**session.command(db), number=1, facts=facts, discard=True))
    return session


def _left_open(db: Session, group: NewLink) -> MadeSession:
    """A session that has ended, with a payment to come."""
    session = make_session(db, group=group, name="Last month", chip=Chip(25, "EUR", 2))
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    close_session(db, session.plain_command(db), Choices(step=20))
    return session


def _carried(db: Session, before: MadeSession) -> MadeSession:
    """A session that settles what an earlier one left open, and had not yet paid."""
    take_along = Carry(before.id, before.command(db)["expected_version"], unpaid=True)
    session = make_session(db, group=before.group, name="Thursday", chip=Chip(25, "EUR", 2), carry=(take_along,))
    make_deal(db, session)
    return session

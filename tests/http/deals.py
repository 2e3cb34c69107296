"""Entering deals as people do, and looking at what is stored of them."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.models import Deal, Player
from scorekeeper.services.seats import SeatPlayers, Sitter, seat_players
from tests.factories import MadeSession
from tests.http.visitor import Form, FormValue, Page, Visitor

HALF_BY_ANN: dict[str, FormValue] = {"declarer": 0, "partner": 2, "tricks": 5}
"""What is tapped for Ann and Cleo's Half, which the form suggests."""


def tricks(*taken: int) -> dict[str, FormValue]:
    """What each player took, from the first."""
    return {f"tricks-{seat}": number for seat, number in enumerate(taken)}


def deal_form(page: Page) -> Form:
    """The form in which a deal is entered."""
    (form,) = page.forms()
    return form


def fill_in(visitor: Visitor, path: str, **entered: FormValue) -> Page:
    """The form of *path* with *entered*, one control at a time as it is offered, and what that would bring."""
    page = visitor.get(path)
    for name, value in entered.items():
        for one in [value] if isinstance(value, str | int) else value:
            assert f"{name}-{one}" not in barred(page), f"{name} cannot be {one}"
        page = deal_form(page).fill(**{name: value}).submit("Show the payments")
    return page


def record(visitor: Visitor, session_id: int, **entered: FormValue) -> Page:
    """Where one is after *entered* was looked at and recorded."""
    return deal_form(fill_in(visitor, f"/sessions/{session_id}/deals/new", **entered)).submit("Record")


def deals_of(db: Session, session_id: int) -> list[Any]:
    """The deals as they are stored now."""
    db.rollback()
    return list(db.execute(select(*Deal.__table__.columns).where(Deal.session_id == session_id).order_by(Deal.number)))


def seat(db: Session, session: MadeSession, *names: str) -> None:
    """Have the players of the group with these names sit at the table, clockwise."""
    players = db.execute(select(Player.name, Player.id).where(Player.group_id == session.group.group_id)).all()
    ids = {player.name: player.id for player in players}
    seat_players(db, SeatPlayers(**session.command(db), sitters=tuple(Sitter(ids[name]) for name in names)))


def brought(page: Page) -> dict[str, str]:
    """What a preview says that each player gets: beside the tricks of those who count them, otherwise below."""
    numbers = {}
    for row in page.soup.select(".amounts > div, .number-rows .choices"):
        if shown := row.select("[data-brings] .num"):
            numbers[row.select("bdi")[0].get_text()] = shown[0].get_text(strip=True)
    return numbers


def seated(page: Page) -> dict[str, str]:
    """The totals at the table as seated."""
    return {seat.select("bdi")[0].get_text(): seat.select(".num")[0].get_text() for seat in page.soup.select(".seat")}


def checked(page: Page, name: str) -> list[str]:
    """What is chosen of the keys *name*."""
    return [str(key["value"]) for key in page.soup.select(f'[name="{name}"][checked]')]


def offered(page: Page, name: str) -> list[str]:
    """What can be chosen of the keys *name*."""
    keys = page.soup.select(f'[name="{name}"]:is([type=radio], [type=checkbox])')
    return [str(key["value"]) for key in keys if key["id"] not in barred(page)]


def barred(page: Page) -> set[str]:
    """The keys that stand in their places and cannot be chosen."""
    keys = page.soup.select(":is([hidden], fieldset[disabled]) input[id], input[id][disabled]")
    return {str(key["id"]) for key in keys}

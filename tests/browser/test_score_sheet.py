"""The score sheet on a small phone: names and deal numbers stay in sight."""

from __future__ import annotations

from playwright.sync_api import Browser, Page, ViewportSize, expect
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.models import Player
from scorekeeper.services.seats import SeatPlayers, Sitter, seat_players
from tests.browser.conftest import Server
from tests.factories import MadeSession, make_deal, make_group, make_session

NARROW: ViewportSize = {"width": 320, "height": 640}


def opened(browser: Browser, server: Server, session: MadeSession) -> Page:
    page = browser.new_page(viewport=NARROW, reduced_motion="reduce")
    page.goto(f"{server.url}/open/{session.group.token}")
    page.goto(f"{server.url}/sessions/{session.id}/deals")
    return page


def top(page: Page, selector: str) -> float:
    box = page.locator(selector).first.bounding_box()
    assert box
    return box["y"]


def test_the_names_stay_above_a_deal_one_jumps_to(browser: Browser, server: Server, db: Session) -> None:
    session = make_session(db, group=make_group(db, players=("Ann", "Bartholomew", "Christopher", "Christian")))
    for _ in range(30):
        make_deal(db, session)
    page = opened(browser, server, session)

    page.get_by_label("Deal", exact=True).fill("17")
    page.get_by_role("button", name="Go").click()

    expect(page).to_have_url(f"{server.url}/sessions/{session.id}/deals?before=51#deal-17")
    page.wait_for_load_state()
    page.wait_for_function("scrollY > 0")
    head = page.locator(".sheet thead th").first.bounding_box()
    assert head
    assert head["y"] == 0
    assert head["height"] <= top(page, "#deal-17") < head["height"] + 44
    assert page.locator(".sheet .short").all_inner_texts() == ["Barthol.", "Christo.", "Christi."]
    page.context.close()


def test_the_deals_stay_in_sight_while_many_columns_go_sideways(browser: Browser, server: Server, db: Session) -> None:
    names = ("Ann", "Ben", "Cleo", "Dan", "Eve", "Fay", "Gus", "Hal")
    session = make_session(db, group=make_group(db, players=names))
    players = db.scalars(select(Player.id).where(Player.group_id == session.group.group_id).order_by(Player.id)).all()
    make_deal(db, session)
    seat_players(db, SeatPlayers(**session.command(db), sitters=tuple(Sitter(player) for player in players[4:])))
    page = opened(browser, server, session)

    page.locator(".sheet .scroll").evaluate("scrolled => scrolled.scrollTo(scrolled.scrollWidth, 0)")

    expect(page.get_by_role("columnheader", name="Hal")).to_be_in_viewport(ratio=1)
    expect(page.locator("#deal-1 .no")).to_be_in_viewport(ratio=1)
    expect(page.locator("#deal-1 .tricks")).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.scrollingElement.scrollWidth") == NARROW["width"]
    page.context.close()

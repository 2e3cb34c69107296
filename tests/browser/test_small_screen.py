"""What stands on the screen of a small phone can be read there, and nothing touches anything."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page
from sqlalchemy.orm import Session

from scorekeeper.rules.mensch import BIDS, FORCED, PASSED_OUT
from scorekeeper.words import contract_name
from tests.browser.conftest import Server
from tests.browser.places import Places, open_group
from tests.factories import make_deal, make_session

CUT_OFF = """() => {
    const pen = document.createElement("canvas").getContext("2d");
    const arrow = 24;
    return [...document.querySelectorAll(".pairs select")].flatMap((select) => {
        const style = getComputedStyle(select);
        pen.font = style.font;
        const room = select.clientWidth - parseFloat(style.paddingLeft) - arrow;
        return [...select.options].map(({ text }) => text).filter((text) => pen.measureText(text).width > room);
    });
}"""
"""JavaScript: the choices that are wider than the select that shows them."""

EDGES = """() => {
    const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(document.activeElement);
    if (outlineStyle === "none") throw new Error("There is no outline.");
    const box = document.activeElement.getBoundingClientRect();
    const out = parseFloat(outlineOffset) + parseFloat(outlineWidth);
    const words = document.createRange();
    words.selectNodeContents(document.activeElement);
    const above = document.querySelector(".small .button").getBoundingClientRect().bottom;
    return [box.top - out - above, words.getBoundingClientRect().left - box.left - parseFloat(outlineOffset)];
}"""
"""JavaScript: from the buttons above to the outline of what has the focus, and from its edge to what it says, in px."""


@pytest.mark.parametrize("rules", ["mensch", "dirty-clubs"])
def test_the_choices_of_the_house_rules_can_be_read(phone: Page, server: Server, places: Places, rules: str) -> None:
    open_group(phone, server.url, places)
    phone.goto(f"{server.url}/groups/{places.group.group_id}/sessions/new?rules={rules}")
    phone.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")

    # These are longer than a line of the phone, which says so: the list that opens has room for them.
    assert all(len(text) > 28 for text in phone.evaluate(CUT_OFF))


def test_every_contract_can_be_read_in_the_grid(phone: Page, server: Server, places: Places) -> None:
    open_group(phone, server.url, places)
    phone.goto(f"{server.url}/sessions/{places.sessions['running']}/paper/keying")
    cell = phone.locator("[name=r1-contract]")

    for contract in (*BIDS, FORCED, PASSED_OUT):
        cell.fill(contract_name(contract))
        assert cell.evaluate("cell => cell.scrollWidth <= cell.clientWidth"), contract
    cell.fill("")


def test_the_line_that_is_read_back_touches_nothing_when_it_has_the_focus(
    phone: Page, server: Server, db: Session
) -> None:
    session = make_session(db)
    make_deal(db, session)
    phone.goto(f"{server.url}/open/{session.group.token}")
    phone.goto(f"{server.url}/sessions/{session.id}")

    phone.locator("#read-back").focus()

    assert min(phone.evaluate(EDGES)) >= 4


def test_no_arrow_has_a_head_before_it_has_been_drawn(phone: Page, server: Server, db: Session) -> None:
    session = make_session(db)
    make_deal(db, session)
    phone.goto(f"{server.url}/open/{session.group.token}")
    phone.goto(f"{server.url}/sessions/{session.id}")
    at = """(path, half) => {
        path.style.animation = "none";
        path.getAnimations();
        path.style.animation = "";
        const [drawing] = path.getAnimations();
        drawing.pause();
        if (half) drawing.currentTime = 300;
        else drawing.finish();
        return getComputedStyle(path).markerEnd;
    }"""

    arrow = phone.locator(".arrow").first
    assert arrow.evaluate(at, True) == "none"
    assert "arrow-head" in arrow.evaluate(at, False)

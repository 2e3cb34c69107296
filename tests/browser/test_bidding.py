"""The bidding tapped on a phone, by thumb or by keyboard only, and the deal recorded that comes of it."""

from __future__ import annotations

from playwright.sync_api import Page, expect
from sqlalchemy.orm import Session

from tests.browser.conftest import Server
from tests.browser.deals import choose, expect_on_sheet
from tests.factories import MadeSession, make_session

TOO_SMALL_OR_CLOSE = """() => {
    const boxes = [...document.querySelectorAll("main a")].map(link => link.getBoundingClientRect());
    const apart = (one, other) => Math.max(
        one.left - other.right, other.left - one.right, one.top - other.bottom, other.top - one.bottom);
    return boxes.flatMap((one, place) => [
        ...(one.height < 43.9 || one.width < 43.9 ? [`${place} is ${one.width} × ${one.height}`] : []),
        ...boxes.slice(place + 1).filter(other => apart(one, other) < 7.9).map(() => `${place} is too close`),
    ]);
}"""
"""JavaScript: the targets under 44 px, and those that are less than 8 px from another."""


def begin(page: Page, server: Server, session: MadeSession) -> None:
    page.goto(f"{server.url}/open/{session.group.token}")
    page.goto(f"{server.url}/sessions/{session.id}/bidding")


def heading(page: Page) -> str:
    return page.locator("#turn").inner_text()


def test_a_bidding_is_tapped_without_scrolling_and_its_deal_recorded(phone: Page, server: Server, db: Session) -> None:
    page = phone
    begin(page, server, make_session(db))

    for speaker, bid in (("Ann", "Pass"), ("Ben", "Half"), ("Cleo", "Five"), ("Dan", "Pass")):
        expect(page.locator("#turn")).to_have_text(f"What does {speaker} bid?")
        page.wait_for_load_state()
        expect(page.locator("[aria-current]")).to_contain_text(speaker)
        assert page.evaluate(TOO_SMALL_OR_CLOSE) == []
        key = page.get_by_role("link", name=bid, exact=True)
        expect(key).to_be_in_viewport(ratio=1)
        key.tap()
    expect(page.locator("#turn")).to_have_text("Cleo plays Five.")
    assert page.evaluate("scrollY") == 0
    page.get_by_role("link", name="Record this deal").tap()
    for known in ("contract-five", "declarer-2"):
        expect(page.locator(f"#{known}")).to_be_checked()
    choose(page, "trump-spades", "tricks-6")
    page.locator("#record").tap()
    expect(page.locator("#deal-1")).to_be_visible()

    expect_on_sheet(page, 1, {"Ann": ("−1", "−1"), "Ben": ("−1", "−1"), "Cleo": ("+3", "+3"), "Dan": ("−1", "−1")})


def test_a_bidding_is_tapped_by_keyboard_only(phone: Page, server: Server, db: Session) -> None:
    page = phone
    begin(page, server, make_session(db, card_game="dirty-clubs", ruleset="buck-euchre"))

    for question, tabs in (
        ("Which suit does Dan turn up?", 3),
        ("Does Ann order up Hearts?", 2),
        ("Does Ben order up Hearts?", 1),
    ):
        assert heading(page) == question
        page.locator("#turn").focus()
        for _ in range(tabs):
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator("#turn")).not_to_have_text(question)
        # Whatever has come of it is the next thing that is read.
        expect(page.locator("#turn")).to_be_focused()
    assert heading(page) == "Ben is the maker and owes 3 tricks: Hearts."

"""A whole deal by keyboard only, as the focus moves through the form in sight."""

from __future__ import annotations

from playwright.sync_api import Page, expect
from sqlalchemy.orm import Session

from tests.browser.conftest import Server
from tests.browser.deals import choose, expect_on_sheet, previewed
from tests.factories import MadeSession, make_deal, make_session

MOST_TABS = 40

IN_SIGHT = """() => {
    const focused = document.activeElement, style = getComputedStyle(focused);
    const box = focused.getBoundingClientRect();
    const there = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return focused.matches(":focus-visible") && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2
        && (focused.contains(there) || focused.closest("label")?.contains(there) === true);
}"""
"""JavaScript: whether what has the focus shows that, and nothing lies over it."""


def sit_down(page: Page, server: Server, session: MadeSession) -> None:
    page.goto(f"{server.url}/open/{session.group.token}")
    page.goto(f"{server.url}/sessions/{session.id}")


def focused(page: Page) -> str:
    found: str = page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()")
    return found


def tab_to(page: Page, target: str) -> None:
    """Press Tab until *target* has the focus, which is in sight at every step."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        assert page.evaluate(IN_SIGHT), focused(page)
        if focused(page) == target:
            return
    raise AssertionError(f"Tab does not lead to {target}")


def press(page: Page, key: str, arrives: str) -> None:
    """Press a key that chooses something; the focus is on it when the preview has taken the form's place."""
    with previewed(page):
        page.keyboard.press(key)
    assert focused(page) == arrives
    assert page.evaluate(IN_SIGHT)
    expect(page.locator(f"#{arrives}")).to_be_checked()


def test_a_deal_of_mensch(phone: Page, server: Server, db: Session) -> None:
    sit_down(phone, server, make_session(db))
    tab_to(phone, "next")
    phone.keyboard.press("Enter")
    expect(phone.locator("#record")).to_be_visible()
    phone.wait_for_load_state()
    tab_to(phone, "contract-half")
    press(phone, "ArrowRight", "contract-after")
    press(phone, "ArrowRight", "contract-five")
    tab_to(phone, "declarer-0")
    press(phone, "ArrowRight", "declarer-1")
    tab_to(phone, "trump-clubs")
    press(phone, "ArrowRight", "trump-spades")
    tab_to(phone, "tricks-0")
    press(phone, "Space", "tricks-0")
    for number in range(1, 6):
        press(phone, "ArrowRight", f"tricks-{number}")
    tab_to(phone, "why-so")
    phone.keyboard.press("Enter")
    expect(phone.locator("#why")).to_have_attribute("open", "")
    expect(phone.locator("#why li")).not_to_have_count(0)
    tab_to(phone, "record")
    phone.keyboard.press("Enter")

    expect(phone.get_by_role("link", name="Record deal 2")).to_be_visible()
    expect(phone.locator("#read-back")).to_be_focused()
    assert phone.evaluate("scrollY") == 0
    expect_on_sheet(phone, 1, {"Ann": ("−1", "−1"), "Ben": ("+3", "+3"), "Cleo": ("−1", "−1"), "Dan": ("−1", "−1")})


def test_a_deal_of_dirty_clubs(phone: Page, server: Server, db: Session) -> None:
    sit_down(phone, server, make_session(db, card_game="dirty-clubs", ruleset="buck-euchre"))
    tab_to(phone, "next")
    phone.keyboard.press("Enter")
    expect(phone.locator("#record")).to_be_visible()
    phone.wait_for_load_state()
    tab_to(phone, "turn_up-clubs")
    press(phone, "ArrowRight", "turn_up-spades")
    tab_to(phone, "maker-0")
    press(phone, "Space", "maker-0")
    tab_to(phone, "trump-clubs")
    press(phone, "Space", "trump-clubs")
    tab_to(phone, "dropped-1")
    press(phone, "Space", "dropped-1")
    tab_to(phone, "tricks-0-0")
    for number in range(1, 4):
        press(phone, "ArrowRight", f"tricks-0-{number}")
    tab_to(phone, "tricks-2-0")
    press(phone, "Space", "tricks-2-0")
    tab_to(phone, "record")
    phone.keyboard.press("Space")

    expect(phone.get_by_role("link", name="Record deal 2")).to_be_visible()
    expect_on_sheet(phone, 1, {"Ann": ("−3", "22"), "Ben": ("0", "25"), "Cleo": ("+5", "30"), "Dan": ("−2", "23")})


def test_what_was_opened_stays_open_when_the_preview_changes(phone: Page, server: Server, db: Session) -> None:
    sit_down(phone, server, make_session(db))
    phone.get_by_role("link", name="Record deal 1").tap()
    phone.locator("#more-note").tap()

    with previewed(phone):
        phone.locator("#declarer-0").tap(force=True)

    expect(phone.locator("#more")).to_have_attribute("open", "")


def test_the_focus_goes_to_what_came_of_each_act(phone: Page, server: Server, db: Session) -> None:
    session = make_session(db)
    make_deal(db, session)
    sit_down(phone, server, session)
    phone.get_by_role("button", name="Undo deal 1").press("Enter")
    expect(phone.get_by_text("It is void.")).to_be_visible()
    expect(phone.locator("#read-back")).to_be_focused()
    phone.get_by_role("link", name="Declare first").press("Enter")
    choose(phone, "declarer-0")
    phone.locator("#record").press("Enter")
    expect(phone.locator("#declared")).to_be_focused()
    phone.get_by_role("button", name="Drop").press("Enter")
    expect(phone.get_by_role("link", name="Record deal 2")).to_be_focused()
    assert phone.evaluate("scrollY") == 0

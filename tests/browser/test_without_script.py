"""Everything works without JavaScript: the same pages, one more to look at what a deal would bring."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy.orm import Session

from tests.browser.conftest import Server
from tests.browser.deals import brought, expect_on_sheet, expect_seated
from tests.factories import make_session


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(java_script_enabled=False, viewport={"width": 360, "height": 640})
    yield page
    page.context.close()


def enter(page: Page, *controls: str) -> None:
    for control in controls:
        page.locator(f"#{control}").check(force=True)
    page.get_by_role("button", name="Show the payments").click()


def test_an_evening(page: Page, server: Server, db: Session) -> None:
    session = make_session(db)
    page.goto(f"{server.url}/open/{session.group.token}")
    page.goto(f"{server.url}/sessions/{session.id}")

    page.get_by_role("link", name="Record deal 1").click()
    expect(page.locator("#record")).to_be_disabled()
    enter(page, "declarer-0", "partner-2", "tricks-5")
    expect(page.locator("[data-brings]")).to_have_count(4)
    assert brought(page) == {"Ann": ("+1", "+1"), "Ben": ("−1", "−1"), "Cleo": ("+1", "+1"), "Dan": ("−1", "−1")}
    page.get_by_role("button", name="Record").click()
    expect_seated(page, {"Ann": "+1", "Ben": "−1", "Cleo": "+1", "Dan": "−1"})

    # A Five has a trump suit and no partner: that is known once it has been looked at.
    page.get_by_role("link", name="Record deal 2").click()
    enter(page, "contract-five", "declarer-1", "tricks-4")
    expect(page.locator("#partner")).to_be_hidden()
    enter(page, "trump-spades")
    expect(page.locator("[data-brings]")).to_have_count(4)
    assert brought(page)["Ben"] == ("−3", "−4")
    page.get_by_role("button", name="Record").click()
    expect_seated(page, {"Ann": "+2", "Ben": "−4", "Cleo": "+2", "Dan": "0"})

    # What is changed after the payments were shown is shown again before it is saved.
    page.get_by_role("link", name="Deal 2", exact=True).click()
    page.get_by_role("link", name="Correct").click()
    page.locator("#tricks-8").check(force=True)
    page.get_by_role("button", name="Save the correction").click()
    expect(page.get_by_text("Nothing is saved yet.")).to_be_visible()
    expect(page.locator("[data-brings]")).to_have_count(4)
    assert brought(page)["Ben"] == ("−3 → +6", "+5")
    page.get_by_role("button", name="Save the correction").click()
    expect(page.get_by_text("Deal 2 is corrected")).to_be_visible()

    page.get_by_role("link", name="Void this deal").click()
    page.get_by_role("button", name="Void this deal").click()
    expect_seated(page, {"Ann": "+1", "Ben": "−1", "Cleo": "+1", "Dan": "−1"})
    page.get_by_role("button", name="Restore deal 2").click()
    expect_on_sheet(page, 2, {"Ben": ("+6", "+5")})

    page.locator(".menu summary").click()
    page.get_by_role("link", name="End the session").click()
    page.get_by_role("button", name="End the session").click()
    expect(page.get_by_text("The session has ended.")).to_be_visible()
    expect(page.locator(".transfers").get_by_text("Dan pays Ben 3 chips.").first).to_be_visible()
    expect(page.locator(".transfers").get_by_text("Ann pays Ben 1 chip.").first).to_be_visible()

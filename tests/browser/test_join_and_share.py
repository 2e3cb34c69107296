"""Coming in by a spoken code, and passing on a link and a result."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect
from sqlalchemy.orm import Session

from scorekeeper.sessionfile import Chip
from tests.browser.conftest import Server
from tests.factories import FIVE_IN_SPADES_MADE, MadeSession, make_deal, make_session

SHARE = "navigator.share = async ({ text }) => { window.shared = text; };"
NO_SHARE = "Object.defineProperty(navigator, 'share', { value: undefined });"
NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
RESULT = "Dan: −1 (−€0.25)"


def opened(page: Page, server: Server, session: MadeSession, path: str = "") -> None:
    page.goto(f"{server.url}/open/{session.group.token}")
    page.goto(f"{server.url}/sessions/{session.id}{path}")


def test_a_phone_joins_by_a_code_and_follows(phone: Page, browser: Browser, server: Server, db: Session) -> None:
    session = make_session(db)
    opened(phone, server, session)
    phone.get_by_text("More", exact=True).click()
    phone.get_by_role("link", name="Let others join").click()
    phone.get_by_role("button", name="Make a code").first.click()
    code = phone.locator(".spoken").inner_text()

    guest = browser.new_page(viewport={"width": 320, "height": 640})
    guest.goto(server.url)
    guest.get_by_role("link", name="Join with a code").click()
    guest.get_by_label("Code").fill(code.lower().replace(" ", ""))
    guest.get_by_role("button", name="Join").click()
    expect(guest.locator("[data-live]")).to_contain_text("Live")
    make_deal(db, session)

    expect(guest.locator(".read-back")).to_contain_text("Half")
    assert guest.get_by_role("link", name="Record deal").count() == 0
    guest.context.close()


def settled(page: Page, server: Server, db: Session) -> None:
    session = make_session(db, chip=Chip(25, "EUR", 2))
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    opened(page, server, session, "/settlement")
    page.get_by_text("The result as a text, to send").click()


def test_the_result_is_shared_as_a_text(phone: Page, server: Server, db: Session) -> None:
    phone.add_init_script(SHARE)
    settled(phone, server, db)

    phone.get_by_role("button", name="Share").click()

    assert RESULT in phone.evaluate("window.shared")


def test_the_result_is_copied(phone: Page, server: Server, db: Session) -> None:
    phone.context.grant_permissions(["clipboard-read", "clipboard-write"])
    phone.add_init_script(NO_SHARE)
    settled(phone, server, db)

    phone.get_by_role("button", name="Copy").click()

    expect(phone.get_by_text("Copied.")).to_be_visible()
    assert RESULT in phone.evaluate("navigator.clipboard.readText()")
    expect(phone.get_by_role("button", name="Share")).to_be_hidden()


def test_without_a_clipboard_the_selection_is_copied(phone: Page, server: Server, db: Session) -> None:
    # As over plain HTTP, from another phone.
    phone.add_init_script(NO_CLIPBOARD)
    settled(phone, server, db)

    phone.get_by_role("button", name="Copy").click()

    expect(phone.get_by_text("Copied.")).to_be_visible()
    assert RESULT in phone.evaluate("getSelection().toString() || document.activeElement.value")


def test_what_cannot_be_shared_is_copied(phone: Page, server: Server, db: Session) -> None:
    phone.add_init_script("navigator.share = async () => { throw new DOMException('refused', 'NotAllowedError') }")
    phone.add_init_script(NO_CLIPBOARD)
    settled(phone, server, db)

    phone.get_by_role("button", name="Share").click()

    expect(phone.get_by_text("Copied.")).to_be_visible()


def test_what_is_shared_follows_the_session(phone: Page, server: Server, db: Session) -> None:
    phone.add_init_script(SHARE)
    session = make_session(db)
    opened(phone, server, session, "/settlement")
    phone.get_by_text("The result as a text, to send").click()
    expect(phone.locator("[data-live]")).to_contain_text("Live")

    make_deal(db, session, FIVE_IN_SPADES_MADE)
    expect(phone.locator("textarea")).to_have_text(re.compile("Ben: [+]3"))
    phone.get_by_role("button", name="Share").click()

    assert "Dan: −1" in phone.evaluate("window.shared")
    expect(phone.get_by_role("button", name="Copy")).to_be_visible()


def test_without_script_the_text_is_there_to_be_selected(browser: Browser, server: Server, db: Session) -> None:
    page = browser.new_page(java_script_enabled=False)
    settled(page, server, db)

    assert RESULT in page.locator("textarea").input_value()
    for name in ("Share", "Copy"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    page.context.close()


def test_a_new_link_is_shared(phone: Page, server: Server, db: Session) -> None:
    session = make_session(db)
    phone.add_init_script(SHARE)
    opened(phone, server, session)
    phone.goto(f"{server.url}/groups/{session.group.group_id}/links")
    phone.get_by_role("button", name="Make another link").click()

    phone.get_by_role("button", name="Share").click()

    assert phone.evaluate("window.shared") == phone.locator("a.key").inner_text()

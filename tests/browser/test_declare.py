"""A deal is declared, the phone is put away, and the deal is recorded when the tricks are counted."""

from __future__ import annotations

from playwright.sync_api import Browser, Page, expect
from sqlalchemy.orm import Session

from tests.browser.conftest import PHONE, Server, watch
from tests.browser.deals import choose, expect_on_sheet
from tests.factories import make_session


def test_a_declared_deal_survives_a_closed_browser(browser: Browser, server: Server, db: Session) -> None:
    session = make_session(db)
    context = browser.new_context(**PHONE, is_mobile=True)
    page = context.new_page()
    troubles = watch(page)
    page.goto(f"{server.url}/open/{session.group.token}")
    page.goto(f"{server.url}/sessions/{session.id}")

    page.get_by_role("link", name="Declare first").tap()
    choose(page, "contract-five", "declarer-1", "trump-spades")
    expect(page.get_by_role("heading", name="What each ending would bring")).to_be_visible()
    expect(page.locator(".payoffs tbody tr")).to_have_count(4)
    page.get_by_role("button", name="Declare", exact=True).tap()
    expect(page.get_by_text("Five, Spades: Ben")).to_be_visible()
    cookies = context.storage_state()
    context.close()

    context = browser.new_context(**PHONE, is_mobile=True, storage_state=cookies)
    page = context.new_page()
    troubles += watch(page)
    page.goto(f"{server.url}/sessions/{session.id}")
    expect(page.get_by_text("Five, Spades: Ben")).to_be_visible()
    page.get_by_role("link", name="Record deal 1").tap()
    choose(page, "tricks-5")
    page.locator("#record").tap()
    expect(page.get_by_role("link", name="Record deal 2")).to_be_visible()
    expect_on_sheet(page, 1, {"Ben": ("+3", "+3")})
    context.close()
    assert not troubles


def test_a_called_partner_is_on_no_page_before_the_deal_is_recorded(phone: Page, server: Server, db: Session) -> None:
    session = make_session(db)
    phone.goto(f"{server.url}/open/{session.group.token}")
    phone.goto(f"{server.url}/sessions/{session.id}/deals/declare")
    choose(phone, "declarer-0")
    expect(phone.locator("#partner")).to_have_count(0)
    phone.locator("#more summary").tap()
    phone.locator("#called_card").select_option("AS")
    expect(phone.locator("#record")).to_be_enabled()
    phone.locator("#record").tap()
    expect(phone.get_by_text("Called: the ace of spades")).to_be_visible()
    phone.get_by_role("link", name="Record deal 1").tap()
    expect(phone.locator("[name=partner]:checked")).to_have_count(0)
    expect(phone.locator("#record")).to_have_text("Who is the partner?")


def test_it_asks_again_when_the_network_returns(browser: Browser, server: Server, db: Session) -> None:
    session = make_session(db)
    phone = browser.new_page(viewport={"width": 360, "height": 640}, has_touch=True)
    phone.goto(f"{server.url}/open/{session.group.token}")
    phone.goto(f"{server.url}/sessions/{session.id}/deals/declare")
    phone.context.set_offline(True)
    choose(phone, "contract-five", "declarer-1", "trump-spades")
    expect(phone.locator("[data-offline]")).to_be_visible()
    expect(phone.locator("#outlook")).not_to_contain_text("Five")

    phone.context.set_offline(False)

    expect(phone.locator("#outlook")).to_contain_text("Five")
    expect(phone.locator("[data-offline]")).to_be_hidden()
    expect(phone.locator("#record")).to_be_enabled()
    phone.context.close()

"""Forms where the server does not answer, or answers late, and browsers that refuse to remember anything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.models import Player
from tests.browser.conftest import PHONE, Server, running_server
from tests.browser.deals import choose
from tests.factories import MadeSession, make_deal, make_session

HALF_BY_ANN = "declarer-0", "partner-2", "tricks-5"
REFUSED = """for (const name of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, name, { get() { throw new DOMException("no", "SecurityError"); } });"""
NO_ANSWER = "No connection. What you entered stays here; try again when it is back."
HERE = "() => location.pathname + location.search"

Cut = Callable[[BrowserContext, bool], None]
"""Takes the network away, or brings it back."""


def unplug(context: BrowserContext, gone: bool) -> None:
    context.set_offline(gone)


def stop_answering(context: BrowserContext, gone: bool) -> None:
    """The phone has its network, and nothing comes over it."""
    if gone:
        context.route("**", lambda route: route.abort())
    else:
        context.unroute("**")


def fulfil_elsewhere(context: BrowserContext, gone: bool) -> None:
    """Something in between answers in the place of the server."""
    if gone:
        context.route("**", lambda route: route.fulfill(body="Log in to this network"))
    else:
        context.unroute("**")


def names(db: Session, session: MadeSession) -> list[str]:
    db.rollback()
    return list(db.scalars(select(Player.name).where(Player.group_id == session.group.group_id).order_by(Player.id)))


def sit_down(context: BrowserContext, server: Server, session: MadeSession, path: str) -> Page:
    page = context.new_page()
    page.goto(f"{server.url}/open/{session.group.token}")
    page.goto(f"{server.url}{path.format(session=session.id, group=session.group.group_id)}", wait_until="networkidle")
    return page


@pytest.mark.parametrize("cut", [unplug, stop_answering, fulfil_elsewhere])
def test_what_was_typed_stays_until_the_server_answers(browser: Browser, server: Server, db: Session, cut: Cut) -> None:
    session = make_session(db)
    context = browser.new_context(**PHONE)
    page = sit_down(context, server, session, "/groups/{group}")
    page.get_by_label("Another player").fill("Eva")
    cut(context, True)
    page.get_by_role("button", name="Add a player").tap()
    expect(page.get_by_role("alert").get_by_text(NO_ANSWER)).to_be_in_viewport()
    assert names(db, session) == ["Ann", "Ben", "Cleo", "Dan"]
    cut(context, False)
    expect(page.get_by_label("Another player")).to_have_value("Eva")

    page.get_by_role("button", name="Add a player").tap()

    expect(page.get_by_role("link", name="Eva")).to_be_visible()
    expect(page.get_by_text(NO_ANSWER)).to_have_count(0)
    assert names(db, session) == ["Ann", "Ben", "Cleo", "Dan", "Eva"]
    context.close()


@pytest.mark.parametrize(
    ("path", "button"),
    [
        ("/sessions/{session}/chips", "Cash out"),
        ("/sessions/{session}/seats", "Let them deal"),
        ("/sessions/{session}/deals/1/void", "Void this deal"),
        ("/sessions/{session}/deals/1/correct", "Save the correction"),
        ("/sessions/{session}/paper/keying", "Check"),
        ("/join", "Join"),
        ("/groups/{group}/links", "Make another link"),
    ],
)
def test_without_the_network_a_form_leads_nowhere(
    browser: Browser, server: Server, db: Session, path: str, button: str
) -> None:
    session = make_session(db)
    make_deal(db, session)
    context = browser.new_context(**PHONE)
    page = sit_down(context, server, session, path)
    before = page.evaluate(HERE)
    context.set_offline(True)

    page.get_by_role("button", name=button).first.tap()

    expect(page.get_by_text(NO_ANSWER)).to_be_in_viewport()
    expect(page.get_by_text(NO_ANSWER)).to_have_count(1)
    assert page.evaluate(HERE) == before
    context.close()


def test_two_taps_while_the_server_is_asked_send_a_form_once(browser: Browser, server: Server, db: Session) -> None:
    session = make_session(db)
    context = browser.new_context(**PHONE)
    page = sit_down(context, server, session, "/groups/{group}")
    held: list[Route] = []
    page.route("**/words", lambda route: held.append(route), times=1)
    page.get_by_label("Another player").fill("Eva")
    with page.expect_request("**/words"):
        page.get_by_role("button", name="Add a player").tap()
    page.get_by_role("button", name="Add a player").tap()
    sent = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)

    held[0].continue_()

    expect(page.get_by_role("link", name="Eva")).to_be_visible()
    assert len(sent) == 1
    assert names(db, session) == ["Ann", "Ben", "Cleo", "Dan", "Eva"]
    context.close()


def test_a_file_that_was_chosen_stays_until_the_server_answers(
    browser: Browser, server: Server, db: Session, tmp_path: Path
) -> None:
    session = make_session(db)
    context = browser.new_context(**PHONE)
    page = sit_down(context, server, session, "/groups/{group}/import")
    chosen = tmp_path / "session.json"
    chosen.write_text('{"format": "scorekeeper/session", "version": 1}')
    page.locator("input[type=file]").set_input_files(chosen)
    button = page.locator("form button[type=submit]")
    context.set_offline(True)
    button.tap()
    expect(page.get_by_text(NO_ANSWER)).to_be_visible()
    context.set_offline(False)

    button.tap()

    expect(page.locator(".problems, .error").first).to_be_visible()
    context.close()


def test_a_server_that_was_stopped_takes_the_form_once_it_is_back(browser: Browser, tmp_path: Path) -> None:
    context = browser.new_context(**PHONE)
    with running_server(tmp_path) as server:
        with server.database() as db:
            session = make_session(db)
        page = sit_down(context, server, session, "/sessions/{session}/chips")
        page.locator("#buy-chips").fill("30")
        server.kill()
    page.get_by_role("button", name="Buy").tap()
    expect(page.get_by_text(NO_ANSWER)).to_be_visible()

    with running_server(tmp_path, port=int(server.url.rsplit(":", 1)[1])):
        page.locator("#buy-player-0").check(force=True)
        page.get_by_role("button", name="Buy").tap()

        expect(page.locator(".notice.done")).to_be_visible()
    context.close()


def test_a_browser_that_remembers_nothing_records_all_the_same(browser: Browser, server: Server, db: Session) -> None:
    session = make_session(db)
    context = browser.new_context(**PHONE)
    context.add_init_script(REFUSED)
    troubles: list[str] = []
    context.on("weberror", lambda error: troubles.append(str(error.error)))
    page = sit_down(context, server, session, "/sessions/{session}")
    page.locator("#next").tap()
    choose(page, *HALF_BY_ANN)
    page.locator("#record").tap()
    expect(page.locator("#next")).to_have_text("Record deal 2")
    page.goto(f"{server.url}/sessions/{session.id}/table?turn=1")
    expect(page.locator("#turns")).to_have_attribute("data-turn", "1")
    page.get_by_role("link", name="Turn").tap()
    expect(page.locator("#turns")).to_have_attribute("data-turn", "2")
    expect(page.locator("[data-awake]")).not_to_be_empty()
    context.close()
    assert not troubles

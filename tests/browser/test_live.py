"""Every open page of a session follows what is recorded, and says whether it does."""

from __future__ import annotations

import http.client
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.models import Player
from scorekeeper.services.deals import VoidDeal, void_deal
from scorekeeper.services.groups import rename_player, renew_link
from tests.browser.conftest import PHONE, Server, running_server
from tests.browser.deals import choose, expect_on_sheet, expect_seated
from tests.factories import FIVE_IN_SPADES_MADE, HALF_MADE, MadeSession, make_deal, make_group, make_session, token

PAGES = ("", "/table")
FOLLOWING = ("/deals", "/deals/1", "/deals/1/why/0", "/seats/0/why", "/chart", "/chips", "/settlement")
AFTER_HALF = {"Ann": "+1", "Ben": "−1", "Cleo": "+1", "Dan": "−1"}
HIDE = """hidden => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""
NO_LOCKS = "Object.defineProperty(navigator, 'locks', { value: undefined });"
NO_STREAMS = "delete window.EventSource;"


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """Another phone."""
    context = browser.new_context(**PHONE, reduced_motion="reduce")
    yield context
    context.close()


def opened(context: BrowserContext, server: Server, session: MadeSession, path: str = "") -> Page:
    page = context.new_page()
    page.goto(f"{server.url}/open/{session.group.token}")
    page.goto(f"{server.url}/sessions/{session.id}{path}")
    return page


def says(page: Page, words: str) -> None:
    expect(page.locator("[data-live]")).to_contain_text(words, timeout=30_000)


def requests_of(page: Page, end: str) -> list[str]:
    """The addresses *page* asks for from now on whose path ends so."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if urlsplit(request.url).path.endswith(end) else None)
    return asked


def shows_deal(page: Page, number: int) -> None:
    expect(page.locator("#read-back a")).to_have_text(f"Deal {number}", timeout=15_000)


def test_a_deal_recorded_on_one_phone_shows_on_another(
    phone: Page, context: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db)
    other = opened(context, server, session)
    across = opened(context, server, session, "/table")
    for page in (other, across):
        says(page, "Live")

    phone.goto(f"{server.url}/open/{session.group.token}")
    phone.goto(f"{server.url}/sessions/{session.id}/deals/new")
    choose(phone, "declarer-0", "partner-2", "tricks-5")
    phone.locator("#record").tap()

    shows_deal(other, 1)
    expect(across.locator(".dealing")).to_have_text("Deal 2 · Ann deals")
    for page in (phone, other, across):
        expect_seated(page, AFTER_HALF)
    expect_on_sheet(other, 1, {name: (total, total) for name, total in AFTER_HALF.items()})


def test_every_page_of_a_session_follows_it(context: BrowserContext, server: Server, db: Session) -> None:
    session = make_session(db)
    make_deal(db, session)
    pages = [opened(context, server, session, path) for path in FOLLOWING]
    shown = [page.locator("#shown").inner_text() for page in pages]
    for page in pages:
        says(page, "Live")

    void_deal(db, VoidDeal(**session.command(db), number=1))

    for page, before in zip(pages, shown, strict=True):
        expect(page.locator("#shown")).not_to_have_text(before, use_inner_text=True)
        says(page, "Live")


def test_a_new_name_shows_on_every_phone(context: BrowserContext, server: Server, db: Session) -> None:
    session = make_session(db)
    pages = [opened(context, server, session, path) for path in PAGES]
    for page in pages:
        says(page, "Live")
    of_group = Player.group_id == session.group.group_id
    player = db.scalars(select(Player.id).where(of_group, Player.name == "Ann")).one()

    rename_player(db, session.group.group_id, player, "Annabel")

    for page in pages:
        expect(page.locator(".seat").get_by_text("Annabel")).to_be_visible(timeout=15_000)
        says(page, "Live")


def test_what_is_being_typed_stays_while_its_page_follows(context: BrowserContext, server: Server, db: Session) -> None:
    session = make_session(db)
    page = opened(context, server, session, "/chips")
    says(page, "Live")
    form = page.locator("form[action$=buy-in]")
    form.get_by_label("Chips").fill("50")
    form.get_by_label("Cleo").check()

    make_deal(db, session)

    expect(page.locator("#shown").get_by_text("−1").first).to_be_visible()
    expect(form.get_by_label("Chips")).to_have_value("50")
    expect(form.get_by_label("Cleo")).to_be_checked()


def test_two_servers_on_one_file_show_each_others_deals(context: BrowserContext, tmp_path: Path) -> None:
    with running_server(tmp_path) as one, running_server(tmp_path) as two:
        with one.database() as db:
            session = make_session(db)
        pages = [opened(context, one, session), opened(context, two, session)]
        for page in pages:
            says(page, "Live")

        pages[0].get_by_role("button", name="Misdeal").click()
        expect(pages[1].locator(".sheet tbody")).to_be_visible(timeout=15_000)
        pages[1].get_by_role("button", name="Undo").click()
        expect(pages[0].get_by_text("It is void.")).to_be_visible()


def test_a_page_follows_again_when_its_server_is_back(context: BrowserContext, tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        with server.database() as db:
            session = make_session(db)
        page = opened(context, server, session)
        says(page, "Live")
    # It has ended, with the stream open.
    says(page, "No connection, as of")

    with running_server(tmp_path, urlsplit(server.url).port or 0) as server, server.database() as db:
        make_deal(db, session)
        shows_deal(page, 1)
        says(page, "Live")


def test_a_server_that_is_told_to_stop_lets_its_streams_end(tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        with server.database() as db:
            session = make_session(db)
        connection = http.client.HTTPConnection(urlsplit(server.url).netloc)
        connection.request("GET", f"/open/{session.group.token}")
        opening = connection.getresponse()
        opening.read()
        cookie = opening.headers["Set-Cookie"].split(";")[0]
        connection.request("GET", f"/sessions/{session.id}/live", headers={"Cookie": cookie})
        stream = connection.getresponse()
        assert stream.readline().startswith(b"retry")
    # Cut off it would be incomplete, which is an error to read.
    assert b"event: version" in stream.read()
    connection.close()


def test_what_is_recorded_between_the_page_and_its_stream_is_not_missed(
    context: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db)

    def late(route: Route) -> None:
        make_deal(db, session)
        route.continue_()

    context.route("**/live?*", late, times=1)
    page = opened(context, server, session)

    shows_deal(page, 1)


def test_the_tabs_of_a_browser_share_one_stream(context: BrowserContext, server: Server, db: Session) -> None:
    session = make_session(db)
    pages = [context.new_page() for _ in range(3)]
    streams = [requests_of(page, "/live") for page in pages]
    pages[0].goto(f"{server.url}/open/{session.group.token}")
    for page in pages:
        page.goto(f"{server.url}/sessions/{session.id}")
        says(page, "Live")
    assert [len(stream) for stream in streams] == [1, 0, 0]

    make_deal(db, session)
    for page in pages:
        shows_deal(page, 1)
    assert [len(stream) for stream in streams] == [1, 0, 0]

    # The tab that has it is closed: another takes over.
    pages[0].close()
    make_deal(db, session)
    for page in pages[1:]:
        shows_deal(page, 2)
    assert sorted(len(stream) for stream in streams[1:]) == [0, 1]


@pytest.mark.parametrize("locks", [True, False], ids=["with locks", "without"])
@pytest.mark.parametrize("path", PAGES)
def test_a_tab_that_nobody_sees_has_no_stream_and_catches_up(
    context: BrowserContext, server: Server, db: Session, path: str, locks: bool
) -> None:
    if not locks:
        context.add_init_script(NO_LOCKS)
    session = make_session(db)
    page = opened(context, server, session, path)
    says(page, "Live")
    asked = requests_of(page, f"/sessions/{session.id}{path}")

    page.evaluate(HIDE, True)
    other = opened(context, server, session)
    says(other, "Live")
    make_deal(db, session)
    make_deal(db, session)
    shows_deal(other, 2)
    assert asked == []

    page.evaluate(HIDE, False)
    expect(page.locator(".dealing")).to_contain_text("Deal 3")


@pytest.mark.parametrize("why", ["no room", "no streams"])
def test_without_a_stream_the_page_asks_and_says_as_of_when(
    context: BrowserContext, server: Server, db: Session, why: str
) -> None:
    if why == "no streams":
        context.add_init_script(NO_STREAMS)
    else:
        answer = {"content_type": "text/event-stream", "body": "event: busy\ndata: 800\n\n"}
        context.route("**/live?*", lambda route: route.fulfill(**answer))
    session = make_session(db)
    page = opened(context, server, session)
    says(page, "As of")

    make_deal(db, session)

    shows_deal(page, 1)
    says(page, "As of")


@pytest.mark.parametrize("path", PAGES)
def test_it_says_so_when_the_network_goes_and_comes(
    context: BrowserContext, server: Server, db: Session, path: str
) -> None:
    page = opened(context, server, make_session(db), path)
    says(page, "Live")

    context.set_offline(True)
    says(page, "No connection, as of")
    context.set_offline(False)

    says(page, "Live")


def test_of_another_day_it_says_which(context: BrowserContext, server: Server, db: Session) -> None:
    page = opened(context, server, make_session(db))
    says(page, "Live")
    context.set_offline(True)
    expect(page.locator("[data-live]")).to_have_text(re.compile(r"No connection, as of \d{1,2}:\d\d"), timeout=30_000)

    page.clock.set_fixed_time(page.evaluate("Date.now() + 2 * 86_400_000"))
    page.evaluate("dispatchEvent(new Event('offline'))")

    expect(page.locator("[data-live]")).to_have_text(re.compile(r"No connection, as of [A-Z][a-z]{2},? \w"))


def test_a_clock_that_is_set_back_keeps_no_page_live(context: BrowserContext, tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        with server.database() as db:
            page = opened(context, server, make_session(db))
        says(page, "Live")
        page.evaluate("{ const real = Date.now; Date.now = () => real() - 3_600_000 }")
        os.killpg(server.process, signal.SIGSTOP)
        try:
            says(page, "No connection, as of")
        finally:
            os.killpg(server.process, signal.SIGCONT)


def test_a_page_that_cannot_reach_what_its_stream_says_asks_now_and_then(
    context: BrowserContext, server: Server, db: Session
) -> None:
    ahead = "retry: 60000\n\nevent: version\ndata: 9999\n\n"
    context.route("**/live?*", lambda route: route.fulfill(content_type="text/event-stream", body=ahead))
    session = make_session(db)
    page = opened(context, server, session)
    says(page, "Live")
    asked = requests_of(page, f"/sessions/{session.id}")

    for _ in range(3):
        with page.expect_request(f"{server.url}/sessions/{session.id}"):
            pass

    assert 3 <= len(asked) <= 10


@pytest.mark.parametrize("path", PAGES)
def test_a_server_in_trouble_is_not_called_no_connection(
    context: BrowserContext, server: Server, db: Session, path: str
) -> None:
    session = make_session(db)
    page = opened(context, server, session, path)
    says(page, "Live")
    failed = {"status": 500, "headers": {"X-Release": "any"}, "body": "Something went wrong here"}
    page.route(f"**/sessions/{session.id}{path}", lambda route: route.fulfill(**failed))

    make_deal(db, session)

    says(page, "Server trouble, as of")


def test_a_deal_that_is_not_sent_shows_at_once_that_there_is_no_connection(
    context: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db)
    page = opened(context, server, session, "/deals/new")
    says(page, "Live")
    choose(page, "declarer-0", "partner-2", "tricks-5")
    # The stream stays, as with a network that lets nothing new through.
    page.route("**/sessions/**", lambda route: route.abort())

    page.locator("#record").tap()

    says(page, "No connection, as of")


@pytest.mark.parametrize("path", PAGES)
def test_an_open_page_is_told_of_a_newer_version_and_can_use_it(
    context: BrowserContext, server: Server, db: Session, path: str
) -> None:
    session = make_session(db)
    page = opened(context, server, session, path)
    says(page, "Live")
    address = f"**/sessions/{session.id}{path}"

    def of_another_release(route: Route) -> None:
        reply = route.fetch()
        route.fulfill(response=reply, headers={**reply.headers, "x-release": "another"})

    page.route(address, of_another_release, times=1)
    make_deal(db, session)

    use = page.get_by_role("button", name="Use it")
    expect(use).to_be_visible(timeout=15_000)
    with page.expect_navigation():
        use.tap()
    expect(use).to_be_hidden()


@pytest.mark.parametrize(
    "path", ["/deals/new", "/deals/1/correct", "/deals/declare", "/seats", "/bidding?say=", "/paper/keying"]
)
def test_what_is_open_and_stays_as_it_is_says_when_the_session_has_moved_on(
    context: BrowserContext, server: Server, db: Session, path: str
) -> None:
    session = make_session(db)
    make_deal(db, session)
    page = opened(context, server, session, path)
    says(page, "Live")
    expect(page.locator("#since")).to_have_text("")

    make_deal(db, session)

    expect(page.locator("#since")).to_contain_text("has changed since this was opened", timeout=15_000)


def test_a_form_that_came_back_refused_says_when_the_session_has_moved_on(
    context: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db)
    page = opened(context, server, session, "/chips")
    form = page.locator("form[action$=buy-in]")
    form.get_by_label("Chips").fill("some")
    form.get_by_role("button", name="Buy", exact=True).tap()
    says(page, "Live")
    expect(page.locator("#since")).to_have_text("")

    make_deal(db, session)

    expect(page.locator("#since")).to_contain_text("has changed since this was opened", timeout=15_000)
    expect(form.get_by_label("Chips")).to_have_value("some")
    says(page, "Live")


@pytest.mark.parametrize("path", PAGES)
def test_a_page_whose_link_is_withdrawn_is_no_longer_shown(
    context: BrowserContext, server: Server, db: Session, path: str
) -> None:
    group = make_group(db)
    page = opened(context, server, make_session(db, group=group), path)
    says(page, "Live")

    renew_link(db, group.group_id, group.link_id, token())

    expect(page.get_by_role("heading", name="There is no such page")).to_be_visible(timeout=30_000)


def test_what_one_was_about_survives_the_others_deals(context: BrowserContext, server: Server, db: Session) -> None:
    session = make_session(db)
    for _ in range(8):
        make_deal(db, session)
    page = opened(context, server, session)
    says(page, "Live")
    page.locator(".turn").click()
    page.locator("details.dealing summary").click()
    page.locator(".menu summary").click()
    page.locator("#deal-5 .deal").focus()
    page.evaluate("window.scrollTo(0, 300)")

    make_deal(db, session, FIVE_IN_SPADES_MADE)
    shows_deal(page, 9)

    expect(page.locator(".seats-grid")).to_have_attribute("data-turn", "1")
    expect(page.locator(".menu")).to_have_attribute("open", "")
    expect(page.locator("details.dealing")).to_have_attribute("open", "")
    expect(page.locator("#deal-5 .deal")).to_be_focused()
    assert page.evaluate("scrollY") == 300


def test_the_focus_stays_on_undo_though_it_is_about_another_deal_now(
    context: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db)
    make_deal(db, session)
    page = opened(context, server, session)
    says(page, "Live")
    before = page.locator(".undo").element_handle()
    page.locator(".undo").focus()

    make_deal(db, session, HALF_MADE)

    shows_deal(page, 2)
    expect(page.locator(".undo")).to_be_focused()
    # A finger that was on it presses nothing.
    assert not before.evaluate("button => button.isConnected")


def test_a_button_pressed_twice_does_its_work_once_though_the_page_could_follow_in_between(
    context: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db)
    make_deal(db, session)
    page, other = (opened(context, server, session) for _ in range(2))
    for one in (page, other):
        says(one, "Live")

    def lose_the_answer(route: Route) -> None:
        route.fetch(max_redirects=0)
        route.fulfill(status=204)

    page.route("**/void", lose_the_answer, times=1)

    page.get_by_role("button", name="Undo deal 1").click()
    expect(other.get_by_text("It is void.")).to_be_visible()
    says(other, "Live")
    page.get_by_role("button", name="Undo deal 1").click()

    for one in (page, other):
        expect(one.get_by_text("It is void.")).to_be_visible()


def test_a_form_on_another_page_is_left_alone(context: BrowserContext, server: Server, db: Session) -> None:
    session = make_session(db)
    other = opened(context, server, session)
    says(other, "Live")
    page = opened(context, server, session, "/deals/new")
    choose(page, "contract-five", "declarer-1")

    make_deal(db, session)

    shows_deal(other, 1)
    for control in ("contract-five", "declarer-1"):
        expect(page.locator(f"#{control}")).to_be_checked()

"""Recording goes on where there is no network: what was entered waits on the phone, and arrives in order and once."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, BrowserType, Error, Page, expect
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.models import Deal, JoinCode, Player
from scorekeeper.services.deals import DeclareDeal, declare_deal
from scorekeeper.services.deletion import delete_group
from scorekeeper.services.groups import Role, rename_player, withdraw_link
from scorekeeper.services.joining import make_code
from scorekeeper.services.sessions import close_session
from tests.browser import conftest
from tests.browser.conftest import Server, running_server
from tests.browser.deals import brought, choose, expect_seated
from tests.browser.places import SOLO_SET
from tests.factories import MadeSession, make_deal, make_group, make_link, make_session, seen_by

PHONE: dict[str, Any] = {**conftest.PHONE, "reduced_motion": "reduce"}
HALF_BY_ANN = "declarer-0", "partner-2", "tricks-5"
ROOT = Path(__file__).parents[2]
FIVE_BY_BEN = "contract-five", "declarer-1", "trump-spades", "tricks-5"
READY = """async ([session, version]) => {
    const kept = async (path) => {
        const page = await caches.match(path, { ignoreVary: true });
        const read = new DOMParser().parseFromString((await page?.text()) ?? "", "text/html");
        return read.querySelector("[name=expected_version]")?.value === String(version);
    };
    const served = async () =>
        window.alone ||
        (navigator.serviceWorker.controller &&
            (await caches.match("/", { ignoreVary: true })) &&
            (await kept(`/sessions/${session}`)) &&
            (await kept(`/sessions/${session}/deals/new`)));
    while ((await queue.formsOf(session))?.version !== version || !(await served()))
        await new Promise((resolve) => setTimeout(resolve, 50));
}"""
"""JavaScript: waits until everything is on the phone that it needs to go on from a version of the session."""


LOSE_TWO_REPLIES = """() => {
    const [ask, lost] = [window.fetch, []];
    window.fetch = async (address, options) => {
        const reply = await ask(address, options);
        if (options?.method !== "POST" || lost.length === 2) return reply;
        lost.push(reply.status);
        if (reply.status !== 201) return reply;
        throw new TypeError("The reply was lost.");
    };
}"""
"""JavaScript: the server saves what is sent, and nobody hears of it, twice."""

DIE_MEANWHILE = """() => {
    const ask = window.fetch;
    window.fetch = async (address, options) => {
        const reply = ask(address, options);
        if (options?.method !== "POST") return reply;
        await window.die();
        window.fetch = ask;
        // An answer that came all the same is lost.
        await reply.catch(() => {});
        throw new TypeError("The server is gone.");
    };
}"""
"""JavaScript: the server is killed while it has a deal to save."""

ARRIVED = """async () => {
    while ((await queue.all()).some(({ state }) => state !== "saved"))
        await new Promise((resolve) => setTimeout(resolve, 50));
}"""
"""JavaScript: waits until nothing waits any more."""

FORMS = """async (session) => {
    const served = async () => window.alone || (await caches.match(`/sessions/${session}`, { ignoreVary: true }));
    while (!(await queue.formsOf(session)) || !(await served()))
        await new Promise((resolve) => setTimeout(resolve, 50));
}"""
"""JavaScript: waits until the forms of this release are there, and the page of the session."""

FORGOTTEN = """async (session) => {
    while (await queue.formsOf(session)) await new Promise((resolve) => setTimeout(resolve, 50));
}"""
"""JavaScript: waits until the forms of a session are not there any more."""

NAMED = """async ([session, name]) => {
    while (!(await queue.formsOf(session)).pages.next.includes(name))
        await new Promise((resolve) => setTimeout(resolve, 50));
}"""
"""JavaScript: waits until a name stands in the form that was fetched ahead."""

PRUNED = """async ([ours, theirs]) => {
    const kept = (path) => caches.match(path, { ignoreVary: true });
    while ((await queue.formsOf(theirs)) || (await kept(`/sessions/${theirs}`)))
        await new Promise((resolve) => setTimeout(resolve, 50));
    if (!(await queue.formsOf(ours))) throw new Error("Ours is gone as well.");
}"""
"""JavaScript: waits until nothing of a session is there any more, while that of another one is."""

REMEMBERED = """async (gone) => {
    const keys = () => [...Object.keys(sessionStorage), ...Object.keys(localStorage)];
    while (keys().some((key) => key.startsWith(`group ${gone} `)))
        await new Promise((resolve) => setTimeout(resolve, 50));
    return keys().map((key) => key.split(" ")[1]);
}"""
"""JavaScript: waits until this tab remembers nothing of a session any more, and says of which sessions it does."""

RELEASE = "document.querySelector('script[data-words]').dataset.words"
KEPT = """async () => {
    const names = (await caches.keys()).filter((name) => name.startsWith("pages"));
    const kept = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return kept.flat().map((request) => new URL(request.url).pathname);
}"""
"""JavaScript: the paths of the pages that the service worker has kept."""

GONE = """async () => {
    while ((await navigator.serviceWorker.getRegistrations()).length || (await caches.keys()).length)
        await new Promise((resolve) => setTimeout(resolve, 50));
}"""
"""JavaScript: waits until there is no worker any more, and nothing it has kept."""


@pytest.fixture
def worker(browser_type: BrowserType, browser_type_launch_args: dict[str, Any]) -> Iterator[BrowserContext]:
    """A phone with a service worker, in a Chromium of its own.

    Chromium now and then never finishes closing a context that has a service worker, or that was cut off from the
    network, so the whole browser is closed.
    """
    browser = browser_type.launch(**browser_type_launch_args)
    yield browser.new_context(**PHONE)
    browser.close()


@pytest.fixture
def alone(browser_type: BrowserType, browser_type_launch_args: dict[str, Any]) -> Iterator[BrowserContext]:
    """A phone at an address that allows no service worker, in a Chromium of its own too."""
    browser = browser_type.launch(**browser_type_launch_args)
    context = browser.new_context(**PHONE, service_workers="block")
    context.add_init_script("window.alone = true")
    yield context
    browser.close()


@pytest.fixture(params=["worker", "alone"])
def context(request: pytest.FixtureRequest) -> BrowserContext:
    """A phone, at an address that allows a service worker or at one that does not."""
    found: BrowserContext = request.getfixturevalue(request.param)
    return found


def sit_down(context: BrowserContext, server: Server, session: MadeSession, version: int = 1) -> Page:
    """The page of the session, ready to be cut off."""
    page = context.new_page()
    page.goto(f"{server.url}/open/{session.group.token}")
    page.goto(f"{server.url}/sessions/{session.id}")
    ready(page, session, version)
    return page


def ready(page: Page, session: MadeSession, version: int) -> None:
    """Wait for what is fetched while there is a network."""
    page.wait_for_load_state()
    page.evaluate(READY, [session.id, version])


def waiting(page: Page, deals: int) -> None:
    expect(page.locator("#waiting")).to_be_visible()
    expect(page.locator("#waiting-count")).to_contain_text(f"Deals waiting on this phone: {deals}")


def arrived(page: Page) -> None:
    """Wait until everything that waited has been saved, through whatever pages that leads."""
    while True:
        with suppress(Error):
            page.evaluate(ARRIVED)
            return


def facts(db: Session, session: MadeSession) -> list[object]:
    """The contracts and declarers of what is recorded, in order."""
    db.rollback()
    rows = db.scalars(select(Deal).where(Deal.session_id == session.id).order_by(Deal.number))
    return [(row.facts["contract"], row.facts["declarer"]) for row in rows]


def record(page: Page, *controls: str) -> None:
    choose(page, *controls)
    page.locator("#record").tap()


def test_three_deals_wait_with_their_totals_and_arrive_in_order_and_once(
    context: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db)
    page = sit_down(context, server, session)
    context.set_offline(True)

    page.locator("#next").tap()
    expect(page.locator("h1")).to_have_text("Deal 1 · Dan deals")
    record(page, *HALF_BY_ANN)
    waiting(page, 1)
    expect(page.locator("h1")).to_have_text("Deal 2 · Ann deals")
    choose(page, *FIVE_BY_BEN)
    assert brought(page) == {"Ann": ("−1", "0"), "Ben": ("+3", "+2"), "Cleo": ("−1", "0"), "Dan": ("−1", "−2")}
    page.locator("#record").tap()
    waiting(page, 2)
    expect(page.locator("h1")).to_have_text("Deal 3 · Ben deals")
    record(page, *HALF_BY_ANN)
    waiting(page, 3)
    page.locator("#waiting summary").tap()
    expect(page.locator("#waiting li").nth(1)).to_contain_text("Deal 2 · Ann deals")
    expect(page.locator("#waiting li").nth(1)).to_contain_text("Ben +3 (+2)")

    context.set_offline(False)

    arrived(page)
    assert facts(db, session) == [("half", 0), ("five", 1), ("half", 0)]
    page.goto(f"{server.url}/sessions/{session.id}")
    expect_seated(page, {"Ann": "+1", "Ben": "+1", "Cleo": "+1", "Dan": "−3"})


def test_that_there_is_no_network_is_said_in_two_lines_beside_the_title(
    alone: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db)
    page = sit_down(alone, server, session)
    page.clock.set_fixed_time("2026-11-30T15:05:00")
    page.goto(f"{server.url}/sessions/{session.id}/deals/new")
    said = page.locator("[data-live]")
    expect(said).to_have_text("Live", timeout=30_000)
    alone.set_offline(True)

    expect(said).to_have_text(re.compile(r"^No connection, as of 3:05\sPM$"))
    box = said.bounding_box()
    assert box
    assert box["height"] < 3 * 14 * 1.15


def test_what_waits_survives_a_reload_and_a_closed_browser(
    browser_type: BrowserType, browser_type_launch_args: dict[str, Any], server: Server, db: Session, tmp_path: Path
) -> None:
    session = make_session(db)
    opened = partial(browser_type.launch_persistent_context, tmp_path, **browser_type_launch_args, **PHONE)
    with opened() as context:
        page = sit_down(context, server, session)
        context.set_offline(True)
        page.reload()
        page.locator("#next").tap()
        record(page, *HALF_BY_ANN)
        waiting(page, 1)
        page.reload()
        waiting(page, 1)
        page.locator("#next").tap()
        expect(page.locator("h1")).to_have_text("Deal 2 · Ann deals")
        record(page, *FIVE_BY_BEN)
        waiting(page, 2)
        page.goto(f"{server.url}/sessions/{session.id}")
        waiting(page, 2)
        expect(page.locator("#waiting")).to_contain_text("Ben +3 (+2)")
        expect(page.locator("#waiting-below")).to_contain_text("as the server has them, without these deals")
        expect(page.locator("#next")).to_have_text("Record the next deal")
        expect(page.locator("[data-live]")).to_contain_text("No connection, as of")
        # It stands on the start page too, from where the app on a home screen begins.
        page.goto(server.url)
        waiting(page, 2)
    assert facts(db, session) == []

    with opened() as context:
        page = context.new_page()
        page.goto(server.url)
        arrived(page)

    assert facts(db, session) == [("half", 0), ("five", 1)]


def test_a_deal_whose_reply_is_lost_is_recorded_once(context: BrowserContext, server: Server, db: Session) -> None:
    session = make_session(db)
    page = sit_down(context, server, session)
    page.locator("#next").tap()
    choose(page, *HALF_BY_ANN)
    page.evaluate(LOSE_TWO_REPLIES)

    page.locator("#record").tap()
    waiting(page, 1)
    record(page, *FIVE_BY_BEN)
    arrived(page)

    assert facts(db, session) == [("half", 0), ("five", 1)]


def test_a_network_that_comes_and_goes_loses_and_doubles_nothing(
    context: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db)
    page = sit_down(context, server, session)
    page.locator("#next").tap()
    expect(page.locator("h1")).to_contain_text("Deal 1 ·")
    expected = []
    for number in range(1, 7):
        context.set_offline(number % 3 != 0)
        expect(page.locator("h1")).to_contain_text(f"Deal {number} ·")
        deal = HALF_BY_ANN if number % 2 else FIVE_BY_BEN
        expected.append(("half", 0) if number % 2 else ("five", 1))
        record(page, *deal)
        if number % 3:
            waiting(page, number % 3)
        else:
            arrived(page)
            # Fast enough it leads back to the session, otherwise on to the next form.
            next_form = page.locator("h1", has_text=f"Deal {number + 1} ·")
            expect(page.locator("#next").or_(next_form)).to_be_visible()
            page.goto(f"{server.url}/sessions/{session.id}")
            ready(page, session, number + 1)
            page.locator("#next").tap()
        expect(page.locator("h1")).to_contain_text(f"Deal {number + 1} ·")

    assert facts(db, session) == expected


def test_a_server_killed_while_it_saves_has_saved_a_deal_or_has_not(context: BrowserContext, tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        with server.database() as db:
            session = make_session(db)
        page = sit_down(context, server, session)
        page.locator("#next").tap()
        choose(page, *HALF_BY_ANN)

        page.expose_function("die", lambda: server.kill())
        page.evaluate(DIE_MEANWHILE)
        page.locator("#record").tap()
        waiting(page, 1)
        record(page, *FIVE_BY_BEN)
        waiting(page, 2)

    with running_server(tmp_path, urlsplit(server.url).port or 0) as server, server.database() as db:
        arrived(page)
        assert facts(db, session) == [("half", 0), ("five", 1)]
        assert server.command("check").stdout == "0 differences\n"


def conflicting(context: BrowserContext, server: Server, db: Session) -> tuple[MadeSession, Page]:
    """Two deals wait on a phone, and another has recorded one meanwhile."""
    session = make_session(db)
    page = sit_down(context, server, session)
    page.locator("#next").tap()
    expect(page.locator("h1")).to_have_text("Deal 1 · Dan deals")
    context.set_offline(True)
    record(page, *HALF_BY_ANN)
    waiting(page, 1)
    record(page, *FIVE_BY_BEN)
    waiting(page, 2)
    make_deal(db, session, SOLO_SET)
    context.set_offline(False)
    expect(page.locator("#waiting")).to_contain_text("Needs you: The session has changed meanwhile", timeout=30_000)
    page.locator("#waiting summary").tap()
    return session, page


def decide(page: Page, *, leave: bool = False) -> None:
    for button in ("#record", "#leave"):
        expect(page.locator(button)).to_be_in_viewport(ratio=1)
    page.locator("#leave" if leave else "#record").tap()


def test_where_somebody_else_recorded_meanwhile_the_person_decides_about_each_deal(
    context: BrowserContext, server: Server, db: Session
) -> None:
    session, page = conflicting(context, server, db)
    assert facts(db, session) == [("solo", 2)]
    expect(page.locator("#waiting li").nth(1)).to_contain_text("Waits for the deal above, which needs you.")
    expect(page.locator("#waiting li").nth(1)).not_to_contain_text("network")
    page.get_by_role("link", name="Look at it").tap()

    # Both are shown: what was recorded there, and what waits here.
    expect(page.locator(".sheet")).to_contain_text("Solo")
    expect(page.locator("#declarer-0")).to_be_checked()
    decide(page, leave=True)
    expect(page.locator("#waiting")).to_contain_text("Deal 2 · Ann deals")
    assert facts(db, session) == [("solo", 2)]
    # The second is not what it was when it was entered: it asks as well.
    expect(page.locator("#waiting")).to_contain_text("Needs you", timeout=30_000)
    page.get_by_role("link", name="Look at it").tap()
    expect(page.locator("#declarer-1")).to_be_checked()
    decide(page)

    arrived(page)
    expect(page.locator("#next")).to_have_text("Record deal 3")
    assert facts(db, session) == [("solo", 2), ("five", 1)]


def test_a_person_can_record_both_deals_or_look_again_later(
    context: BrowserContext, server: Server, db: Session
) -> None:
    session, page = conflicting(context, server, db)
    page.get_by_role("link", name="Look at it").tap()
    expect(page.locator("#decide")).to_be_visible()
    page.get_by_role("link", name="Back").tap()
    expect(page.locator("#waiting")).to_contain_text("Needs you: The session has changed meanwhile")
    page.get_by_role("link", name="Look at it").tap()
    decide(page)
    # The second is not what it was when it was entered: it asks as well.
    expect(page.locator("#declarer-1")).to_be_checked()
    decide(page)

    arrived(page)
    assert facts(db, session) == [("solo", 2), ("half", 0), ("five", 1)]


def test_what_waits_last_can_be_left_out_without_the_network(
    context: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db)
    page = sit_down(context, server, session)
    context.set_offline(True)
    page.locator("#next").tap()
    record(page, *HALF_BY_ANN)
    waiting(page, 1)
    record(page, *FIVE_BY_BEN)
    waiting(page, 2)
    page.locator("#waiting summary").tap()

    page.get_by_role("button", name="Leave it out").tap()

    waiting(page, 1)
    context.set_offline(False)
    arrived(page)
    assert facts(db, session) == [("half", 0)]


def test_what_is_recorded_next_is_named_again_once_nothing_waits(
    alone: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db)
    page = sit_down(alone, server, session)
    alone.set_offline(True)
    page.locator("#next").tap()
    record(page, *HALF_BY_ANN)
    waiting(page, 1)
    page.go_back()
    expect(page.locator("#next")).to_have_text("Record the next deal")

    page.get_by_role("button", name="Leave it out").tap()

    expect(page.locator("#next")).to_have_text("Record deal 1")


def test_a_form_in_another_tab_counts_on_what_has_come_to_wait_since_it_was_opened(
    context: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db)
    page, tab = sit_down(context, server, session), context.new_page()
    tab.goto(f"{server.url}/sessions/{session.id}")
    ready(tab, session, 1)
    context.set_offline(True)
    for opened in (page, tab):
        opened.bring_to_front()
        opened.locator("#next").tap()
        expect(opened.locator("h1")).to_have_text("Deal 1 · Dan deals")
    choose(tab, "contract-five", "declarer-1", "trump-spades")
    page.bring_to_front()
    record(page, *HALF_BY_ANN)
    waiting(page, 1)

    tab.bring_to_front()
    expect(tab.locator("h1")).to_have_text("Deal 2 · Ann deals")
    choose(tab, "tricks-5")
    assert brought(tab) == {"Ann": ("−1", "0"), "Ben": ("+3", "+2"), "Cleo": ("−1", "0"), "Dan": ("−1", "−2")}
    tab.locator("#record").tap()
    for opened in (page, tab):
        waiting(opened, 2)
        expect(opened.locator("h1")).to_have_text("Deal 3 · Ben deals")
    context.set_offline(False)

    arrived(tab)
    assert facts(db, session) == [("half", 0), ("five", 1)]


def test_near_the_end_of_dirty_clubs_a_deal_is_noted_without_amounts(
    context: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db, card_game="dirty-clubs", house_rules={"start": 6})
    page = sit_down(context, server, session)
    context.set_offline(True)
    page.locator("#next").tap()
    record(page, "turn_up-clubs", "tricks-0-2", "tricks-1-1", "tricks-2-1", "tricks-3-1")
    waiting(page, 1)
    # Ann stands at four: with two tricks more she is at two, with four she has won.
    choose(page, "turn_up-clubs", "tricks-0-2", "tricks-1-1", "tricks-2-1", "tricks-3-1")
    assert brought(page)["Ann"] == ("−2", "2")
    choose(page, "tricks-1-0", "tricks-2-0", "tricks-3-1", "tricks-0-4")
    assert brought(page) == {}
    expect(page.locator("#outcome")).to_contain_text("What it brings is worked out once it has arrived.")
    page.locator("#record").tap()
    waiting(page, 2)
    context.set_offline(False)

    expect(page.locator("#waiting")).to_contain_text("Needs you: Nothing is saved yet.", timeout=30_000)
    page.locator("#waiting summary").tap()
    page.get_by_role("link", name="Look at it").tap()
    expect(page.locator("#outcome")).to_contain_text("Ann has come down to 0")
    decide(page)
    arrived(page)
    db.rollback()
    assert [deal.winners for deal in db.scalars(select(Deal).where(Deal.session_id == session.id))] == [[], [0]]


def test_after_the_end_of_a_game_it_goes_on_with_the_network(
    context: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db, card_game="dirty-clubs")
    page = sit_down(context, server, session)
    context.set_offline(True)
    page.locator("#next").tap()
    record(page, "turn_up-clubs", "tricks-0-5")

    waiting(page, 1)
    expect(page.get_by_text("From here it goes on only with the network.")).to_be_visible()
    expect(page.locator("#waiting")).to_contain_text("Ann took every trick and wins")
    expect(page.locator("form[data-session]")).to_be_hidden()
    context.set_offline(False)
    expect(page.get_by_role("button", name="Start game 2")).to_be_visible(timeout=15_000)


def test_while_deals_wait_nothing_else_changes_the_session(
    context: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db)
    make_deal(db, session, SOLO_SET)
    page = sit_down(context, server, session, 2)
    context.set_offline(True)
    page.locator("#next").tap()
    record(page, *HALF_BY_ANN)
    waiting(page, 1)
    page.go_back()
    waiting(page, 1)

    page.get_by_role("button", name="Undo deal 1").tap()

    expect(page.get_by_text("The deals that wait on this phone come first.")).to_be_visible()
    context.set_offline(False)
    arrived(page)
    assert facts(db, session) == [("solo", 2), ("half", 0)]


def test_a_misdeal_waits_in_its_place_among_the_deals(context: BrowserContext, server: Server, db: Session) -> None:
    session = make_session(db)
    page = sit_down(context, server, session)
    context.set_offline(True)
    page.locator("#next").tap()
    record(page, *HALF_BY_ANN)
    waiting(page, 1)
    page.go_back()
    waiting(page, 1)

    page.get_by_role("button", name="Misdeal").tap()
    waiting(page, 2)
    expect(page.locator("h1")).to_have_text("Deal 3 · Ann deals")
    choose(page, *FIVE_BY_BEN)
    assert brought(page) == {"Ann": ("−1", "0"), "Ben": ("+3", "+2"), "Cleo": ("−1", "0"), "Dan": ("−1", "−2")}
    page.locator("#record").tap()
    waiting(page, 3)
    page.locator("#waiting summary").tap()
    expect(page.locator("#waiting li").nth(1)).to_contain_text("Deal 2 · Ann deals Misdeal")
    expect(page.locator("#waiting li").nth(1)).not_to_contain_text("What it brings")
    context.set_offline(False)

    arrived(page)
    db.rollback()
    rows = db.execute(select(Deal.result, Deal.before).where(Deal.session_id == session.id).order_by(Deal.number)).all()
    assert [(row.result, row.before["dealer"]) for row in rows] == [("made", 3), ("misdeal", 0), ("made", 0)]


def test_a_misdeal_need_not_wait_for_what_a_person_is_to_decide(
    alone: BrowserContext, server: Server, db: Session
) -> None:
    session, page = conflicting(alone, server, db)
    page.goto(f"{server.url}/sessions/{session.id}")
    expect(page.locator("#waiting li")).to_have_count(2)

    page.get_by_role("button", name="Misdeal").tap()

    expect(page.locator("#read-back")).to_contain_text("Misdeal")
    page.wait_for_load_state()
    assert len(page.evaluate("queue.all()")) == 2


def test_two_taps_on_misdeal_are_one_misdeal(alone: BrowserContext, server: Server, db: Session) -> None:
    session = make_session(db)
    page = sit_down(alone, server, session)
    alone.set_offline(True)

    page.get_by_role("button", name="Misdeal").evaluate("(button) => [button.click(), button.click()]")
    waiting(page, 1)
    expect(page.locator("h1")).to_have_text("Deal 2 · Dan deals")
    alone.set_offline(False)

    arrived(page)
    db.rollback()
    assert db.scalars(select(Deal.result).where(Deal.session_id == session.id)).all() == ["misdeal"]


def test_a_misdeal_of_somebody_who_deals_out_of_turn_is_theirs_to_deal_again(
    alone: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db)
    declare_deal(db, DeclareDeal(**session.command(db), facts={"dealer": 1}))
    page = sit_down(alone, server, session, 2)
    alone.set_offline(True)

    page.get_by_role("button", name="Misdeal").tap()

    waiting(page, 1)
    expect(page.locator("h1")).to_have_text("Deal 2 · Ben deals")
    alone.set_offline(False)
    arrived(page)
    page.goto(f"{server.url}/sessions/{session.id}")
    expect(page.locator(".dealing").first).to_contain_text("Deal 2 · Ben deals")


def test_a_misdeal_is_left_out_where_somebody_else_recorded_meanwhile(
    context: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db)
    page = sit_down(context, server, session)
    context.set_offline(True)
    page.get_by_role("button", name="Misdeal").tap()
    waiting(page, 1)
    make_deal(db, session, SOLO_SET)
    context.set_offline(False)
    expect(page.locator("#waiting-count")).to_contain_text("One needs you.", timeout=15_000)

    page.goto(f"{server.url}/sessions/{session.id}")
    expect(page.locator("#waiting li")).to_contain_text("Needs you: Somebody was quicker. Leave the misdeal out")
    expect(page.get_by_role("link", name="Look at it")).to_be_hidden()
    page.locator("#next").tap()
    # The deal after it cannot be entered before that is decided.
    expect(page.locator("#record")).to_be_hidden()
    page.get_by_role("button", name="Leave it out").tap()

    expect(page.locator("#next")).to_have_text("Record deal 2")
    assert facts(db, session) == [("solo", 2)]


def test_when_a_link_is_withdrawn_nothing_of_its_group_stays_but_what_was_entered_here(
    worker: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db)
    scorer = make_link(db, session.group.group_id, Role.SCORER, "Ann's phone")
    page = sit_down(worker, server, MadeSession(session.id, scorer))
    page.locator("#next").tap()
    worker.set_offline(True)
    record(page, *HALF_BY_ANN)
    waiting(page, 1)
    withdraw_link(db, session.group.group_id, scorer.link_id)
    worker.set_offline(False)
    expect(page.get_by_text("There is no such page")).to_be_visible(timeout=30_000)
    page.goto(server.url)
    waiting(page, 1)
    expect(page.locator("#waiting")).to_contain_text("Needs you: Your link does not let you", timeout=15_000)
    expect(page.locator("#waiting")).to_contain_text("Declarer: Ann")
    worker.set_offline(True)
    page.goto(server.url)
    assert page.evaluate(KEPT) == ["/"]
    page.get_by_role("button", name="Leave it out").tap()
    expect(page.locator("#waiting")).to_be_hidden()
    assert page.evaluate("queue.formsOf", session.id) is None
    page.goto(f"{server.url}/sessions/{session.id}")
    expect(page.locator("h1")).to_have_text("No network")


def test_a_viewer_sees_nothing_of_what_waits(worker: BrowserContext, server: Server, db: Session) -> None:
    session = make_session(db)
    viewer = make_link(db, session.group.group_id, Role.VIEWER, "Ann's aunt")
    page = worker.new_page()
    page.goto(f"{server.url}/open/{viewer.token}")
    page.goto(f"{server.url}/sessions/{session.id}")

    expect(page.locator("[data-live]")).to_have_text("Live")
    expect(page.locator("#waiting")).to_have_count(0)


def other_release(folder: Path) -> str:
    """A copy of the app in which something has changed, for Python to find first."""
    for name in ("scorekeeper", "templates", "migrations"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    with (folder / "scorekeeper" / "static" / "app.css").open("a") as styles:
        styles.write("/* Changed. */\n")
    return str(folder)


def test_a_new_release_is_told_and_waits_until_it_is_used(worker: BrowserContext, tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        with server.database() as db:
            session = make_session(db)
        page = sit_down(worker, server, session)
        old = page.evaluate(RELEASE)
        expect(page.get_by_text("A new version is ready.")).to_be_hidden()
    with running_server(tmp_path, urlsplit(server.url).port or 0, PYTHONPATH=other_release(tmp_path / "new")):
        page.goto(f"{server.url}/sessions/{session.id}")
        # Every page is the server's own, whichever worker stands between.
        assert page.evaluate(RELEASE) != old
        expect(page.get_by_text("A new version is ready.")).to_be_visible(timeout=30_000)
        # Between its arrival and its use one records without the network as well.
        page.evaluate(FORMS, session.id)
        worker.set_offline(True)
        page.reload()
        page.locator("#next").tap()
        expect(page.locator("h1")).to_have_text("Deal 1 · Dan deals")
        worker.set_offline(False)
        page.goto(f"{server.url}/sessions/{session.id}")
        with page.expect_navigation():
            page.get_by_role("button", name="Use it").tap()
        expect(page.get_by_text("A new version is ready.")).to_be_hidden()
        ready(page, session, 1)
    expect(page.locator("[data-live]")).to_contain_text("No connection")
    page.reload()
    assert page.evaluate(RELEASE) != old


def test_the_worker_and_all_it_kept_go_where_they_are_switched_off(worker: BrowserContext, tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        with server.database() as db:
            session = make_session(db)
        page = sit_down(worker, server, session)
    with running_server(tmp_path, urlsplit(server.url).port or 0, SCOREKEEPER_OFFLINE="0"):
        page.goto(server.url)
        page.evaluate(GONE)
        page.goto(server.url)
        assert page.evaluate("navigator.serviceWorker.controller") is None


def test_where_another_phone_has_taken_the_pen_meanwhile_the_person_is_asked(
    context: BrowserContext, phone: Page, server: Server, db: Session
) -> None:
    session = make_session(db)
    page = sit_down(context, server, session)
    context.set_offline(True)
    page.locator("#next").tap()
    record(page, *HALF_BY_ANN)
    waiting(page, 1)
    phone.goto(f"{server.url}/open/{session.group.token}")
    phone.goto(f"{server.url}/sessions/{session.id}/deals/new")
    record(phone, *FIVE_BY_BEN)
    expect(phone.get_by_role("link", name="Record deal 2")).to_be_visible()
    context.set_offline(False)

    expect(page.locator("#waiting-count")).to_contain_text("One needs you.", timeout=30_000)
    page.locator("#waiting summary").tap()
    page.get_by_role("link", name="Look at it").tap()
    decide(page)

    arrived(page)
    assert facts(db, session) == [("five", 1), ("half", 0)]
    expect(phone.get_by_role("button", name="Take it over")).to_be_visible(timeout=15_000)


def clashing(context: BrowserContext, server: Server, db: Session) -> tuple[MadeSession, Page]:
    """A deal waits on a phone where another has recorded one meanwhile, and the form of the deal after it is open."""
    session = make_session(db)
    page = sit_down(context, server, session)
    context.set_offline(True)
    page.locator("#next").tap()
    record(page, *HALF_BY_ANN)
    waiting(page, 1)
    expect(page.locator("h1")).to_have_text("Deal 2 · Ann deals")
    choose(page, *FIVE_BY_BEN)
    make_deal(db, session, SOLO_SET)
    context.set_offline(False)
    expect(page.locator("#waiting")).to_contain_text("Needs you", timeout=15_000)
    return session, page


def test_a_form_that_was_open_before_a_clash_is_never_saved_unasked(
    worker: BrowserContext, server: Server, db: Session
) -> None:
    session, page = clashing(worker, server, db)
    tab = worker.new_page()
    tab.goto(f"{server.url}/sessions/{session.id}")
    tab.get_by_role("button", name="Leave it out").tap()
    expect(tab.locator("#waiting li")).to_have_count(0)

    page.bring_to_front()
    page.locator("#record").tap()

    expect(page.get_by_role("alert")).to_contain_text("The session is not what this deal was entered on")
    expect(page.locator("main .sheet")).to_contain_text("Solo")
    assert facts(db, session) == [("solo", 2)]
    decide(page)
    arrived(page)
    assert facts(db, session) == [("solo", 2), ("five", 1)]


def test_a_form_above_which_the_deal_before_it_is_left_out_begins_anew_with_what_was_entered(
    alone: BrowserContext, server: Server, db: Session
) -> None:
    session, page = clashing(alone, server, db)
    page.locator("#waiting summary").tap()
    page.get_by_role("button", name="Leave it out").tap()

    expect(page.locator("h1")).to_have_text("Deal 1 · Dan deals")
    assert brought(page)["Ben"] == ("+3", "+3")
    page.locator("#record").tap()
    expect(page.locator("main .sheet")).to_contain_text("Solo")
    decide(page)
    arrived(page)
    assert facts(db, session) == [("solo", 2), ("five", 1)]


def test_where_the_game_has_ended_meanwhile_the_next_can_be_started_and_the_deal_looked_at(
    alone: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db, card_game="dirty-clubs")
    page = sit_down(alone, server, session)
    alone.set_offline(True)
    page.locator("#next").tap()
    record(page, "turn_up-clubs", "tricks-0-2", "tricks-1-1", "tricks-2-1", "tricks-3-1")
    waiting(page, 1)
    make_deal(db, session, {"turn_up": "clubs", "tricks": [5, 0, 0, 0]})
    alone.set_offline(False)
    expect(page.locator("#waiting")).to_contain_text("Needs you", timeout=15_000)
    page.goto(f"{server.url}/sessions/{session.id}")

    page.get_by_role("button", name="Start game 2").tap()
    expect(page.locator("#next")).to_have_text("Record the next deal")
    page.get_by_role("link", name="Look at it").tap()
    decide(page)

    arrived(page)
    db.rollback()
    assert len(db.scalars(select(Deal).where(Deal.session_id == session.id)).all()) == 2


@pytest.mark.parametrize("gone", ["the link was withdrawn", "the cookies were deleted"])
def test_whoever_is_let_in_again_goes_on_where_it_stopped(
    alone: BrowserContext, server: Server, db: Session, gone: str
) -> None:
    session = make_session(db)
    scorer = make_link(db, session.group.group_id, Role.SCORER, "Kitchen")
    page = sit_down(alone, server, MadeSession(session.id, scorer))
    alone.set_offline(True)
    page.locator("#next").tap()
    record(page, *HALF_BY_ANN)
    waiting(page, 1)
    record(page, *FIVE_BY_BEN)
    waiting(page, 2)
    if gone == "the link was withdrawn":
        withdraw_link(db, session.group.group_id, scorer.link_id)
    else:
        alone.clear_cookies()
    alone.set_offline(False)
    expect(page.get_by_text("There is no such page")).to_be_visible(timeout=15_000)
    page.goto(server.url)
    expect(page.locator("#waiting")).to_contain_text("Your link does not let you", timeout=15_000)
    expect(page.locator("#waiting li").nth(1)).to_contain_text("Ben +3 (+2)")

    page.goto(f"{server.url}/open/{session.group.token}")
    page.goto(f"{server.url}/sessions/{session.id}")

    arrived(page)
    assert facts(db, session) == [("half", 0), ("five", 1)]


def test_of_a_session_that_has_ended_no_forms_stay(context: BrowserContext, server: Server, db: Session) -> None:
    session = make_session(db)
    page = sit_down(context, server, session)

    close_session(db, session.plain_command(db))

    expect(page.locator(".dealing")).to_have_text("Ended", timeout=15_000)
    page.evaluate(FORGOTTEN, session.id)


class InBetween(BaseHTTPRequestHandler):
    """Something between the phone and the server that gives an answer of its own."""

    def do_GET(self) -> None:
        self.send_response(404)
        self.end_headers()
        self.wfile.write(b"404 page not found")

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *args: object) -> None:
        """Say nothing."""


def test_the_answer_of_something_in_between_takes_nothing_from_the_phone(
    worker: BrowserContext, tmp_path: Path
) -> None:
    with running_server(tmp_path) as server:
        with server.database() as db:
            session = make_session(db)
        page = sit_down(worker, server, session)
        # Nor does a page that this browser may not see.
        page.goto(f"{server.url}/nowhere")
        page.goto(f"{server.url}/sessions/{session.id}")
    with ThreadingHTTPServer(("127.0.0.1", urlsplit(server.url).port or 0), InBetween) as between:
        Thread(target=between.serve_forever, daemon=True).start()
        page.goto(f"{server.url}/sessions/{session.id}")
        page.locator("#next").tap()
        record(page, *HALF_BY_ANN)
        waiting(page, 1)
        expect(page.locator("h1")).to_have_text("Deal 2 · Ann deals")
        between.shutdown()


def test_without_the_network_what_needs_it_says_so_and_what_is_thrown_in_is_entered(
    context: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db, ruleset="mensch-russian")
    make_deal(db, session)
    page = sit_down(context, server, session, 2)
    context.set_offline(True)

    page.get_by_role("button", name="Undo deal 1").tap()
    expect(page.get_by_text("This needs the network. Nothing has been changed.")).to_be_visible()
    page.get_by_role("button", name="Thrown in").tap()
    expect(page.locator("#contract-passed-out")).to_be_checked()
    page.locator("#record").tap()
    waiting(page, 1)
    expect(page.locator("h1")).to_have_text("Deal 3 · Ann deals")
    context.set_offline(False)

    arrived(page)
    db.rollback()
    deal = db.scalars(select(Deal).where(Deal.session_id == session.id, Deal.number == 2)).one()
    assert deal.facts["contract"] == "passed-out"


def test_a_server_in_trouble_is_waited_for_like_the_network(alone: BrowserContext, server: Server, db: Session) -> None:
    session = make_session(db)
    page = sit_down(alone, server, session)
    release = page.evaluate("fetch('/').then((reply) => reply.headers.get('X-Release'))")
    alone.set_offline(True)
    page.locator("#next").tap()
    record(page, *HALF_BY_ANN)
    waiting(page, 1)
    record(page, *FIVE_BY_BEN)
    waiting(page, 2)
    failed = {"status": 500, "headers": {"X-Release": release}, "body": "<h1>Something went wrong here</h1>"}
    page.route("**/deals", lambda route: route.fulfill(**failed))
    page.locator("#waiting summary").tap()
    alone.set_offline(False)

    expect(page.locator("#waiting")).to_contain_text("Waits for the server")
    page.unroute("**/deals")
    arrived(page)
    assert facts(db, session) == [("half", 0), ("five", 1)]


def test_what_the_server_cannot_save_of_one_session_holds_up_no_other(
    alone: BrowserContext, server: Server, db: Session
) -> None:
    group = make_group(db)
    troubled, other = make_session(db, group=group), make_session(db, group=group)
    page = sit_down(alone, server, troubled)
    release = page.evaluate("fetch('/').then((reply) => reply.headers.get('X-Release'))")
    alone.set_offline(True)
    page.locator("#next").tap()
    record(page, *HALF_BY_ANN)
    waiting(page, 1)
    failed = {"status": 500, "headers": {"X-Release": release}, "body": "<h1>Something went wrong here</h1>"}
    alone.route(f"**/sessions/{troubled.id}/deals", lambda route: route.fulfill(**failed))
    alone.set_offline(False)
    page.goto(f"{server.url}/sessions/{other.id}")
    ready(page, other, 1)

    page.locator("#next").tap()
    record(page, *FIVE_BY_BEN)

    expect(page.locator("#read-back")).to_contain_text("Deal 1")
    assert facts(db, other) == [("five", 1)]
    assert facts(db, troubled) == []
    alone.unroute(f"**/sessions/{troubled.id}/deals")
    arrived(page)
    assert facts(db, troubled) == [("half", 0)]


def test_a_network_that_is_gone_unnoticed_takes_nobody_away_from_recording(
    alone: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db)
    page = sit_down(alone, server, session)
    expect(page.locator("[data-live]")).to_have_text("Live")
    page.route("**", lambda route: None)

    page.locator("#next").tap()
    expect(page.locator("h1")).to_have_text("Deal 1 · Dan deals")
    page.locator(".deal-title a").tap()
    expect(page.locator("#next")).to_be_visible()
    page.locator("#next").tap()
    choose(page, *HALF_BY_ANN)
    assert brought(page)["Ann"] == ("+1", "+1")


def test_a_page_that_takes_the_place_of_another_is_asked_for_at_once(
    alone: BrowserContext, server: Server, db: Session
) -> None:
    alone.add_init_script("delete window.EventSource")
    alone.clock.install()
    session = make_session(db)
    page = sit_down(alone, server, session)
    # From here on nothing is asked for because some time has passed.
    alone.clock.pause_at(datetime.now(UTC) + timedelta(hours=1))

    page.locator("#next").tap()
    expect(page.locator(".deal-title [data-live]")).to_contain_text("As of")
    make_deal(db, session)
    page.locator(".deal-title a").tap()

    expect(page.locator("#next")).to_have_text("Record deal 2")


@pytest.mark.parametrize("button", ["Misdeal", "Thrown in"])
def test_what_can_wait_does_where_the_network_is_gone_unnoticed(
    alone: BrowserContext, server: Server, db: Session, button: str
) -> None:
    session = make_session(db, ruleset="mensch-russian")
    page = sit_down(alone, server, session)
    expect(page.locator("[data-live]")).to_have_text("Live")
    page.route("**", lambda route: route.abort())

    page.get_by_role("button", name=button).tap()

    waiting(page, 1)
    expect(page.locator("h1")).to_contain_text("Deal 2 ·")
    page.unroute("**")
    arrived(page)
    assert len(db.scalars(select(Deal.number).where(Deal.session_id == session.id)).all()) == 1


@pytest.mark.parametrize("button", ["Misdeal", "Thrown in"])
def test_with_the_network_one_tap_records_what_can_wait(
    alone: BrowserContext, server: Server, db: Session, button: str
) -> None:
    session = make_session(db, ruleset="mensch-russian")
    page = sit_down(alone, server, session)

    page.get_by_role("button", name=button).tap()

    expect(page.locator("#read-back")).to_contain_text(button, ignore_case=True)
    page.wait_for_load_state()
    page.wait_for_function("async () => !(await queue.all()).length")


def test_a_new_name_stands_in_the_form_that_was_fetched_ahead(
    alone: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db)
    page = sit_down(alone, server, session)
    of_group = Player.group_id == session.group.group_id
    player = db.scalars(select(Player.id).where(of_group, Player.name == "Ann")).one()

    rename_player(db, session.group.group_id, player, "Hannelore")

    page.evaluate(NAMED, [session.id, "Hannelore"])
    alone.set_offline(True)
    page.locator("#next").tap()
    expect(page.locator("form[data-session]")).to_contain_text("Hannelore")


def test_a_network_that_only_hangs_puts_a_deal_in_the_queue_once(
    alone: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db)
    page = sit_down(alone, server, session)
    page.goto(f"{server.url}/sessions/{session.id}/deals/new")
    choose(page, *HALF_BY_ANN)
    page.clock.install()
    page.route("**/sessions/**", lambda route: None)
    with page.expect_request(lambda request: request.method == "POST"):
        page.locator("#record").tap()
    expect(page.locator("#record")).to_have_text("Sending…")
    page.clock.fast_forward(7_000)
    page.locator("#record").tap()
    page.clock.fast_forward(4_000)

    waiting(page, 1)
    expect(page.locator("h1")).to_have_text("Deal 2 · Ann deals")
    assert len(page.evaluate("queue.all()")) == 1


def test_a_deal_that_was_sent_without_an_answer_is_not_said_to_be_nowhere(
    alone: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db)
    page = sit_down(alone, server, session)
    page.locator("#next").tap()
    choose(page, *HALF_BY_ANN)
    page.evaluate(LOSE_TWO_REPLIES)
    page.locator("#record").tap()
    waiting(page, 1)

    page.locator("#waiting summary").tap()
    expect(page.locator("#waiting li")).to_contain_text("It may have arrived already")


def test_what_is_to_be_decided_waits_for_the_network_and_leads_to_no_other_form(
    context: BrowserContext, server: Server, db: Session
) -> None:
    _, page = conflicting(context, server, db)
    context.set_offline(True)

    page.get_by_role("link", name="Look at it").tap()
    expect(page.get_by_text("From here it goes on only with the network.")).to_be_visible()
    expect(page.locator("#decide")).to_be_hidden()


def test_a_database_that_never_opens_leaves_the_form_as_it_is(
    alone: BrowserContext, server: Server, db: Session
) -> None:
    alone.add_init_script("indexedDB.open = () => ({})")
    session = make_session(db)
    page = alone.new_page()
    page.goto(f"{server.url}/open/{session.group.token}")
    page.goto(f"{server.url}/sessions/{session.id}/deals/new")
    choose(page, *HALF_BY_ANN)
    alone.set_offline(True)

    page.locator("#record").tap()
    expect(page.get_by_text("This browser keeps no deals here")).to_be_visible()
    expect(page.locator("#declarer-0")).to_be_checked()
    expect(page.locator("#record")).to_have_text("Record")
    alone.set_offline(False)
    page.locator("#record").tap()

    expect(page.locator("#next")).to_have_text("Record deal 2")
    assert facts(db, session) == [("half", 0)]


@pytest.mark.parametrize("opens", ["({})", "null.open"])
def test_without_a_database_a_misdeal_needs_the_network_and_says_so(
    alone: BrowserContext, server: Server, db: Session, opens: str
) -> None:
    alone.add_init_script(f"indexedDB.open = () => {opens}")
    session = make_session(db)
    page = alone.new_page()
    page.goto(f"{server.url}/open/{session.group.token}")
    page.goto(f"{server.url}/sessions/{session.id}")
    expect(page.locator("#waiting details")).to_be_attached()
    alone.set_offline(True)
    page.get_by_role("button", name="Misdeal").tap()
    expect(page.get_by_text("This needs the network. Nothing has been changed.")).to_be_visible()
    alone.set_offline(False)
    expect(page.locator("[data-live]")).to_have_text("Live", timeout=30_000)

    page.get_by_role("button", name="Misdeal").tap()

    expect(page.locator("#read-back")).to_contain_text("Misdeal")


def test_a_misdeal_for_which_there_is_no_place_is_sent_at_once(
    alone: BrowserContext, server: Server, db: Session
) -> None:
    alone.add_init_script("IDBObjectStore.prototype.add = null")
    session = make_session(db)
    page = sit_down(alone, server, session)

    page.get_by_role("button", name="Misdeal").tap()

    expect(page.locator("#read-back")).to_contain_text("Misdeal")


def test_without_the_network_a_page_that_was_not_kept_leads_to_the_session(
    worker: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db, card_game="dirty-clubs")
    page = sit_down(worker, server, session)
    worker.set_offline(True)

    page.goto(f"{server.url}/sessions/{session.id}/chart")
    expect(page.locator("h1")).to_have_text("No network")
    page.get_by_role("link", name="Go on without it").tap()

    # What is turned up is chosen, as from a page that was kept.
    page.locator("#turned-spades").tap()
    expect(page.locator("#turn_up-spades")).to_be_checked()
    page.goto(f"{server.url}/sessions/{session.id}/deals/new?turn_up=hearts")
    expect(page.locator("#turn_up-hearts")).to_be_checked()


def test_while_one_works_in_another_group_nothing_stays_of_one_whose_link_was_withdrawn(
    worker: BrowserContext, server: Server, db: Session
) -> None:
    ours, theirs = make_session(db), make_session(db)
    scorer = make_link(db, theirs.group.group_id, Role.SCORER, "Kitchen")
    page = sit_down(worker, server, MadeSession(theirs.id, scorer))
    page.goto(f"{server.url}/open/{ours.group.token}")
    page.goto(f"{server.url}/groups/{ours.group.group_id}/links")
    page.goto(f"{server.url}/groups/{ours.group.group_id}/nothing")
    page.goto(f"{server.url}/sessions/{ours.id}")
    page.evaluate(FORMS, ours.id)
    # Neither a page that is not there nor another group takes anything.
    assert f"/sessions/{theirs.id}" in page.evaluate(KEPT)
    assert page.evaluate("queue.formsOf", theirs.id)

    withdraw_link(db, theirs.group.group_id, scorer.link_id)
    page.goto(f"{server.url}/groups/{ours.group.group_id}")

    page.evaluate(PRUNED, [ours.id, theirs.id])
    assert f"/sessions/{ours.id}" in page.evaluate(KEPT)


def test_where_one_session_alone_is_open_any_more_nothing_else_of_its_group_stays(
    worker: BrowserContext, server: Server, db: Session
) -> None:
    other = make_session(db)
    scorer = make_link(db, other.group.group_id, Role.SCORER, "Kitchen")
    joined = make_session(db, group=other.group, name="Joined")
    make_code(db, seen_by(db, joined.id, other.group.link_id), Role.SCORER)
    code = db.scalars(select(JoinCode.code).where(JoinCode.session_id == joined.id)).one()
    db.rollback()
    page = sit_down(worker, server, MadeSession(other.id, scorer))
    page.goto(f"{server.url}/groups/{other.group.group_id}")
    page.goto(f"{server.url}/join")
    page.get_by_label("Code").fill(code)
    with page.expect_navigation():
        page.get_by_role("button", name="Join").click()
    ready(page, joined, 1)
    for session in (other, joined):
        page.goto(f"{server.url}/sessions/{session.id}/deals/new")
        choose(page, "declarer-1")
    assert {f"/groups/{other.group.group_id}", f"/sessions/{other.id}"} <= set(page.evaluate(KEPT))

    withdraw_link(db, other.group.group_id, scorer.link_id)
    page.goto(f"{server.url}/sessions/{joined.id}")

    page.evaluate(PRUNED, [joined.id, other.id])
    page.wait_for_function(
        "async (path) => !(await caches.match(path, { ignoreVary: true }))", arg=f"/groups/{other.group.group_id}"
    )
    of_joined = f"{other.group.group_id}/{joined.id}"
    assert page.evaluate(REMEMBERED, f"{other.group.group_id}/{other.id}") == [of_joined]
    kept = page.evaluate(KEPT)
    assert f"/groups/{other.group.group_id}" not in kept
    assert f"/sessions/{joined.id}" in kept


def test_a_page_that_answers_a_form_gives_up_what_was_kept_and_sends_nothing_when_its_link_is_withdrawn(
    alone: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db)
    host = make_link(db, session.group.group_id, Role.HOST, "Kitchen")
    page = sit_down(alone, server, MadeSession(session.id, host))
    page.goto(f"{server.url}/sessions/{session.id}/deals/new")
    choose(page, "declarer-1")
    page.goto(f"{server.url}/sessions/{session.id}/chips")
    form = page.locator("form[action$=buy-in]")
    form.get_by_label("Chips").fill("some")
    with page.expect_navigation():
        form.get_by_role("button", name="Buy", exact=True).tap()
    expect(page.locator(".problems")).to_be_visible()
    expect(page.locator("[data-live]")).to_have_text("Live")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)

    withdraw_link(db, session.group.group_id, host.link_id)

    expect(page.get_by_role("heading", name="There is no such page")).to_be_visible(timeout=15_000)
    assert page.evaluate(REMEMBERED, f"{session.group.group_id}/{session.id}") == []
    assert sent == []


@pytest.mark.parametrize("look", ["/", "/sessions/{theirs}", "/sessions/{ours}"])
def test_what_was_not_entered_to_the_end_and_how_a_table_was_turned_go_with_a_withdrawn_link(
    alone: BrowserContext, server: Server, db: Session, look: str
) -> None:
    ours, theirs = make_session(db), make_session(db)
    scorer = make_link(db, theirs.group.group_id, Role.SCORER, "Kitchen")
    page = alone.new_page()
    for session, token in ((ours, ours.group.token), (theirs, scorer.token)):
        page.goto(f"{server.url}/open/{token}")
        page.goto(f"{server.url}/sessions/{session.id}/table?turn=1")
        page.goto(f"{server.url}/sessions/{session.id}/deals/new")
        choose(page, "declarer-1")
    of_ours, of_theirs = (f"{session.group.group_id}/{session.id}" for session in (ours, theirs))
    page.goto(f"{server.url}/rules")
    assert sorted(page.evaluate(REMEMBERED, 0)) == sorted([of_ours, of_theirs] * 2)

    withdraw_link(db, theirs.group.group_id, scorer.link_id)
    page.goto(server.url + look.format(ours=ours.id, theirs=theirs.id))

    assert page.evaluate(REMEMBERED, of_theirs) == [of_ours, of_ours]


def test_the_way_back_shows_nothing_of_a_group_whose_link_was_withdrawn(
    context: BrowserContext, server: Server, db: Session
) -> None:
    session = make_session(db)
    scorer = make_link(db, session.group.group_id, Role.SCORER, "Kitchen")
    page = sit_down(context, server, MadeSession(session.id, scorer))
    page.goto(f"{server.url}/groups/{session.group.group_id}")
    page.goto(f"{server.url}/rules")
    withdraw_link(db, session.group.group_id, scorer.link_id)
    page.goto(server.url)

    page.go_back()
    page.go_back()

    expect(page.locator("h1")).to_have_text("There is no such page")
    assert set(page.evaluate(KEPT)) <= {"/"}


def test_the_way_back_leads_to_pages_of_the_newest_release_and_takes_nothing_of_it(
    context: BrowserContext, tmp_path: Path
) -> None:
    with running_server(tmp_path) as server:
        with server.database() as db:
            session = make_session(db)
        page = sit_down(context, server, session)
        page.goto(f"{server.url}/groups/{session.group.group_id}")
        page.goto(f"{server.url}/rules")
        old = page.evaluate(RELEASE)
    with running_server(tmp_path, urlsplit(server.url).port or 0, PYTHONPATH=other_release(tmp_path / "new")):
        page.goto(f"{server.url}/sessions/{session.id}")
        assert page.evaluate(RELEASE) != old
        page.evaluate(FORMS, session.id)
        kept = set(page.evaluate(KEPT))

        for heading in ("Rules and payments", "Thursdays"):
            page.go_back()
            expect(page.locator("h1")).to_have_text(heading)
            expect(page.locator("script[data-words]")).not_to_have_attribute("data-words", old)
        assert kept <= set(page.evaluate(KEPT))


class Older(BaseHTTPRequestHandler):
    """What a server of an earlier release said a day ago and comes only now."""

    def do_GET(self) -> None:
        self.send_response(200)
        for name, value in (("X-Release", "older"), ("X-Open", ""), ("X-Keep", "")):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(b"<h1>An older page</h1>")

    def date_time_string(self, timestamp: float | None = None) -> str:
        return format_datetime(datetime.now(UTC) - timedelta(days=1), usegmt=True)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


def test_an_answer_from_before_the_newest_release_takes_nothing_of_that(worker: BrowserContext, tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        with server.database() as db:
            session = make_session(db)
        page = sit_down(worker, server, session)
    with ThreadingHTTPServer(("127.0.0.1", urlsplit(server.url).port or 0), Older) as older:
        Thread(target=older.serve_forever, daemon=True).start()
        for path in ("/rules", f"/sessions/{session.id}", "/rules"):
            page.goto(server.url + path)
            expect(page.locator("h1")).to_have_text("An older page")
        older.shutdown()

    page.goto(f"{server.url}/sessions/{session.id}")
    expect(page.locator("#next")).to_have_text("Record deal 1")


@pytest.mark.parametrize("gone", ["its link is withdrawn", "it is deleted"])
def test_where_a_group_is_not_open_any_more_the_page_still_shows_what_waits(
    alone: BrowserContext, server: Server, db: Session, gone: str
) -> None:
    session = make_session(db, name="Friday")
    scorer = make_link(db, session.group.group_id, Role.SCORER, "Kitchen")
    page = sit_down(alone, server, MadeSession(session.id, scorer))
    alone.set_offline(True)
    page.locator("#next").tap()
    for number, deal in enumerate((HALF_BY_ANN, FIVE_BY_BEN), 1):
        expect(page.locator("h1")).to_contain_text(f"Deal {number} ·")
        record(page, *deal)
        waiting(page, number)
    if gone == "it is deleted":
        delete_group(db, session.group.group_id, "Thursdays")
    else:
        withdraw_link(db, session.group.group_id, scorer.link_id)
    alone.set_offline(False)

    expect(page.locator("h1")).to_have_text("There is no such page", timeout=15_000)
    waiting(page, 2)
    expect(page.locator("#waiting li").first).to_contain_text("Friday Deal 1 · Dan deals")
    expect(page.locator("#waiting li").first).to_contain_text("Your link does not let you record there any more.")


@pytest.mark.parametrize("page_of", ["group", "start"])
def test_a_page_that_follows_nothing_says_of_when_it_is_where_it_comes_from_the_phone(
    worker: BrowserContext, server: Server, db: Session, page_of: str
) -> None:
    session = make_session(db)
    page = sit_down(worker, server, session)
    page.goto(server.url + (f"/groups/{session.group.group_id}" if page_of == "group" else "/"))
    expect(page.locator("[data-live]")).to_be_empty()
    worker.set_offline(True)

    page.reload()

    expect(page.locator("[data-live]")).to_contain_text(re.compile(r"^No connection, as of \d+:\d\d"))
    worker.set_offline(False)
    expect(page.locator("[data-live]")).to_contain_text(re.compile(r"^As of \d+:\d\d"))

"""Two phones on one session, an impatient thumb, and a way back that leads to an old form."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, Request, expect
from sqlalchemy.orm import Session

from scorekeeper import queries
from tests.browser.conftest import PHONE, Server
from tests.browser.deals import choose, expect_seated
from tests.factories import MadeSession, make_deal, make_session

HALF_BY_ANN = "declarer-0", "partner-2", "tricks-5"
FIVE_BY_BEN = "contract-five", "declarer-1", "trump-spades", "tricks-5"
STILL_HERE = "What you entered before is still here."


@pytest.fixture
def other_phone(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(**PHONE)
    yield page
    page.context.close()


third_phone = other_phone


def sit_down(page: Page, server: Server, session: MadeSession) -> None:
    page.goto(f"{server.url}/open/{session.group.token}")
    page.goto(f"{server.url}/sessions/{session.id}")


def start_deal(page: Page, number: int) -> None:
    page.get_by_role("link", name=f"Record deal {number}").tap()


def told(page: Page) -> Locator:
    """What says that somebody else was quicker."""
    return page.get_by_role("alert").get_by_text("The session has changed meanwhile")


def recorded(db: Session, session: MadeSession) -> int:
    db.rollback()
    return len(queries.deals(db, session.id))


def test_a_stale_form_keeps_what_was_entered_and_shows_the_other_phones_deal(
    phone: Page, other_phone: Page, server: Server, db: Session
) -> None:
    session = make_session(db)
    for page in (other_phone, phone):
        sit_down(page, server, session)
        start_deal(page, 1)
    choose(other_phone, *HALF_BY_ANN)
    choose(phone, *FIVE_BY_BEN)
    phone.locator("#record").tap()
    expect(phone.get_by_role("link", name="Record deal 2")).to_be_visible()

    other_phone.locator("#record").tap()

    expect(told(other_phone)).to_be_visible()
    expect(other_phone.locator(".sheet tbody")).to_contain_text("Five")
    for control in HALF_BY_ANN:
        expect(other_phone.locator(f"#{control}")).to_be_checked()
    assert recorded(db, session) == 1
    # It was missing after all: one more tap records it as the next deal.
    other_phone.locator("#record").tap()
    expect(other_phone.get_by_role("link", name="Record deal 3")).to_be_visible()
    expect_seated(other_phone, {"Ann": "0", "Ben": "+2", "Cleo": "0", "Dan": "−2"})


def test_who_takes_the_pen_over_is_seen_at_once_by_who_had_it(
    phone: Page, other_phone: Page, server: Server, db: Session
) -> None:
    session = make_session(db)
    sit_down(phone, server, session)
    sit_down(other_phone, server, session)
    phone.get_by_role("button", name="Misdeal").tap()
    expect(other_phone.get_by_text("Another phone has the pen.")).to_be_visible()
    expect(other_phone.get_by_role("link", name="Record deal 2")).to_be_hidden()
    # Both say that they follow; nobody reloads.
    expect(phone.locator("[data-live]")).to_have_text("Live")

    other_phone.get_by_role("button", name="Take it over").tap()

    expect(other_phone.get_by_role("link", name="Record deal 2")).to_be_visible()
    expect(phone.get_by_text("Another phone has the pen.")).to_be_visible()
    expect(phone.get_by_role("link", name="Record deal 2")).to_be_hidden()


def test_an_open_form_is_told_that_the_pen_has_gone_and_saving_asks_one_thing(
    phone: Page, other_phone: Page, server: Server, db: Session
) -> None:
    session = make_session(db)
    for page in (phone, other_phone):
        sit_down(page, server, session)
    other_phone.get_by_role("button", name="Misdeal").tap()
    start_deal(other_phone, 2)
    choose(other_phone, *FIVE_BY_BEN)
    expect(other_phone.locator("[data-live]")).to_have_text("Live")

    phone.get_by_role("button", name="Take it over").tap()

    since = other_phone.locator("#since")
    expect(since).to_have_text("Another phone has the pen. Saving asks you first.")
    for control in FIVE_BY_BEN:
        expect(other_phone.locator(f"#{control}")).to_be_checked()
    other_phone.locator("#record").tap()
    expect(since).to_have_text("Another phone has the pen. Nothing has been saved yet; saving now takes it over.")
    expect(other_phone.locator("main .notice:visible")).to_have_count(1)
    for control in FIVE_BY_BEN:
        expect(other_phone.locator(f"#{control}")).to_be_checked()
    other_phone.get_by_role("button", name="Take the pen and save").tap()
    expect(other_phone.get_by_role("link", name="Record deal 3")).to_be_visible()
    expect(phone.get_by_text("Another phone has the pen.")).to_be_visible()
    assert recorded(db, session) == 2


def test_an_open_form_is_told_that_the_session_has_ended_and_its_deal_waits_until_it_is_reopened(
    phone: Page, other_phone: Page, server: Server, db: Session
) -> None:
    session = make_session(db)
    sit_down(other_phone, server, session)
    start_deal(other_phone, 1)
    choose(other_phone, *FIVE_BY_BEN)
    expect(other_phone.locator("[data-live]")).to_have_text("Live")
    phone.goto(f"{server.url}/open/{session.group.token}")
    phone.goto(f"{server.url}/sessions/{session.id}/settlement")
    phone.get_by_role("button", name="End the session").tap()
    since = other_phone.locator("#since")
    expect(since).to_contain_text("This session has ended. Reopen it to go on.")

    other_phone.locator("#record").tap()

    expect(since).to_contain_text("so nothing was saved. Reopen it to record this deal.")
    expect(since.get_by_role("link", name="Settlement")).to_be_in_viewport()
    expect(other_phone.locator("main .notice:visible")).to_have_count(1)
    expect(other_phone.locator("#record")).to_be_hidden()
    expect(other_phone.locator("#leave")).to_be_in_viewport(ratio=1)
    phone.get_by_role("button", name="Reopen the session").tap()
    expect(since).to_have_text("Another phone has the pen. Saving asks you first.")
    # It says first what has happened meanwhile.
    other_phone.locator("#record").tap()
    expect(told(other_phone)).to_be_visible()
    for control in FIVE_BY_BEN:
        expect(other_phone.locator(f"#{control}")).to_be_checked()
    other_phone.locator("#record").tap()
    expect(other_phone.get_by_role("link", name="Record deal 2")).to_be_visible()
    assert recorded(db, session) == 1


def test_of_one_thumb_on_each_phone_one_writes_a_row(
    third_phone: Page, other_phone: Page, server: Server, db: Session
) -> None:
    session = make_session(db)
    # Whoever is refused has that on the console, which the other phone's tests do not look at.
    phones = (third_phone, other_phone)
    for page in phones:
        sit_down(page, server, session)
        start_deal(page, 1)
        choose(page, *HALF_BY_ANN)

    for page in phones:
        page.locator("#record").dispatch_event("click")

    for page in phones:
        expect(page.get_by_role("link", name="Record deal 2").or_(told(page))).to_be_visible()
    assert [told(page).count() for page in phones].count(1) == 1
    assert recorded(db, session) == 1


def test_the_pen_is_handed_over_by_a_code(phone: Page, other_phone: Page, server: Server, db: Session) -> None:
    session = make_session(db)
    sit_down(phone, server, session)
    phone.get_by_role("button", name="Misdeal").tap()
    expect(phone.get_by_role("link", name="Record deal 2")).to_be_visible()
    phone.get_by_text("More", exact=True).tap()
    phone.get_by_role("link", name="Hand over the pen").tap()
    expect(phone.locator("svg.qr")).to_be_visible()

    # What a camera reads.
    other_phone.goto(phone.locator(".key").inner_text())
    other_phone.get_by_role("button", name="Take over the pen").tap()

    expect(other_phone.get_by_role("link", name="Record deal 2")).to_be_visible()
    expect(phone.get_by_text("Another phone has the pen.")).to_be_visible()
    expect(phone.locator("svg.qr")).to_be_hidden()


@pytest.mark.parametrize("scripted", [True, False], ids=["with script", "without script"])
def test_two_quick_taps_record_one_deal(browser: Browser, server: Server, db: Session, scripted: bool) -> None:
    session = make_session(db)
    page = browser.new_page(java_script_enabled=scripted, has_touch=True)
    sit_down(page, server, session)
    start_deal(page, 1)
    expect(page.locator("#record")).to_be_visible()
    page.wait_for_load_state()
    for control in HALF_BY_ANN:
        page.locator(f"#{control}").check(force=True)
    if not scripted:
        page.get_by_role("button", name="Show the payments").click()
    expect(page.locator("#record")).to_be_enabled()

    page.locator("#record").dblclick()

    expect(page.get_by_role("link", name="Record deal 2")).to_be_visible()
    assert recorded(db, session) == 1
    page.context.close()


def test_a_reload_after_saving_sends_nothing(phone: Page, server: Server, db: Session) -> None:
    session = make_session(db)
    sit_down(phone, server, session)
    start_deal(phone, 1)
    choose(phone, *HALF_BY_ANN)
    phone.locator("#record").tap()
    expect(phone.get_by_role("link", name="Record deal 2")).to_be_visible()
    sent: list[Request] = []
    phone.on("request", lambda request: sent.append(request) if request.method == "POST" else None)

    phone.reload()

    expect(phone.get_by_role("link", name="Record deal 2")).to_be_visible()
    assert sent == []
    assert recorded(db, session) == 1


def test_a_form_sent_again_with_other_content_is_told_that_its_deal_is_recorded(
    browser: Browser, server: Server, db: Session
) -> None:
    session = make_session(db)
    # Answers open beside the form, which stays as it was sent: as when a browser goes back to a page it has kept.
    form = browser.new_page(java_script_enabled=False)
    sit_down(form, server, session)
    form.get_by_role("link", name="Record deal 1").click()
    for control in HALF_BY_ANN:
        form.locator(f"#{control}").check(force=True)
    form.get_by_role("button", name="Show the payments").click()
    form.locator("main form").evaluate("form => form.target = '_blank'")
    with form.expect_popup() as opened:
        form.locator("#record").click()
    expect(opened.value.get_by_role("link", name="Record deal 2")).to_be_visible()

    form.locator("#tricks-6").check(force=True)
    with form.expect_popup() as opened:
        form.locator("#record").click()
    answer = opened.value
    expect(told(answer)).to_be_visible()
    expect(answer.locator(".sheet tbody")).to_contain_text("5/8")
    expect(answer.locator("#tricks-6")).to_be_checked()
    assert recorded(db, session) == 1
    form.context.close()


def test_what_was_entered_and_not_saved_is_there_on_return(phone: Page, server: Server, db: Session) -> None:
    session = make_session(db)
    sit_down(phone, server, session)
    start_deal(phone, 1)
    expect(phone.get_by_text(STILL_HERE)).to_be_hidden()
    choose(phone, *FIVE_BY_BEN)

    phone.get_by_role("link", name="Back").tap()
    start_deal(phone, 1)

    expect(phone.get_by_text(STILL_HERE)).to_be_visible()
    for control in FIVE_BY_BEN:
        expect(phone.locator(f"#{control}")).to_be_checked()
    phone.locator("#record").tap()
    # The next deal begins empty.
    start_deal(phone, 2)
    expect(phone.locator("#record")).to_be_disabled()
    expect(phone.get_by_text(STILL_HERE)).to_be_hidden()
    expect(phone.locator("#contract-half")).to_be_checked()
    expect(phone.locator("#declarer-1")).not_to_be_checked()


def test_what_was_entered_before_can_be_given_up(phone: Page, server: Server, db: Session) -> None:
    session = make_session(db)
    make_deal(db, session)
    sit_down(phone, server, session)
    for path, fresh, entered in (("deals/new", None, "declarer-1"), ("deals/1/correct", "tricks-5", "tricks-8")):
        address = f"{server.url}/sessions/{session.id}/{path}"
        phone.goto(address)
        choose(phone, entered)
        phone.goto(address)
        expect(phone.locator(f"#{entered}")).to_be_checked()

        phone.get_by_role("button", name="Start again").tap()

        expect(phone.get_by_text(STILL_HERE)).to_be_hidden()
        expect(phone.locator(f"#{entered}")).not_to_be_checked()
        if fresh:
            expect(phone.locator(f"#{fresh}")).to_be_checked()


def test_what_is_entered_again_as_it_stands_is_no_draft(phone: Page, server: Server, db: Session) -> None:
    session = make_session(db)
    make_deal(db, session)
    sit_down(phone, server, session)
    address = f"{server.url}/sessions/{session.id}/deals/1/correct"
    phone.goto(address)
    choose(phone, "tricks-8", "tricks-5")

    phone.goto(address)

    expect(phone.locator("#tricks-5")).to_be_checked()
    expect(phone.get_by_text(STILL_HERE)).to_be_hidden()

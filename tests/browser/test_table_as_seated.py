"""The table as seated, on the phone that lies on it and on the tablet across the room."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy.orm import Session

from scorekeeper.services.deals import DeclareDeal, declare_deal
from tests.browser.conftest import Server
from tests.browser.deals import expect_seated
from tests.browser.places import CALLING
from tests.factories import CLUB_TURNED, FIVE_IN_SPADES_MADE, MadeSession, make_deal, make_group, make_session

BOTTOM = "element => element.getBoundingClientRect().bottom"
CENTRES = """() => Object.fromEntries([...document.querySelectorAll(".seat")].map(seat => {
    const box = seat.getBoundingClientRect();
    return [seat.querySelector("bdi").innerText, [box.left + box.width / 2, box.top + box.height / 2]];
}))"""
ENDS = """() => [...document.querySelectorAll(".arrow")].map(arrow => {
    const onScreen = point => point.matrixTransform(arrow.getScreenCTM());
    return [0, arrow.getTotalLength()].map(at => onScreen(arrow.getPointAtLength(at))).map(({ x, y }) => [x, y]);
})"""
FAKE_LOCK = """
    window.asked = 0;
    const lock = new EventTarget();
    const request = async () => { window.asked += 1; return lock; };
    Object.defineProperty(navigator, "wakeLock", { value: { request } });
"""
INSECURE = "Object.defineProperty(window, 'isSecureContext', { value: false });"
NO_LOCK = "Object.defineProperty(navigator, 'wakeLock', { value: undefined });"
HIDE = """hidden => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""

READING = """element => {
    const style = getComputedStyle(element);
    const turned = element.closest(".seat, .now");
    const around = new DOMMatrix(getComputedStyle(turned).transform).a < 0 ? 2 : 0;
    return ((style.writingMode === "vertical-rl" ? 1 : 0) + around) % 4;
}"""
"""JavaScript: by how many right angles, clockwise, the writing of an element is turned."""
SIDE = """element => {
    const box = element.getBoundingClientRect(), table = document.querySelector(".fits").getBoundingClientRect();
    const beyond = { bottom: box.top - table.bottom, left: table.left - box.right, top: table.top - box.bottom,
        right: box.left - table.right };
    return Object.keys(beyond).find(side => beyond[side] > -1);
}"""
"""JavaScript: on which side of the picture an element stands."""

Point = tuple[float, float]


def go(page: Page, server: Server, session: MadeSession, path: str = "") -> None:
    page.goto(f"{server.url}/open/{session.group.token}")
    page.goto(f"{server.url}/sessions/{session.id}{path}")


def players(db: Session, number: int) -> MadeSession:
    """A session of Dirty Clubs in which Ben has just won, and everybody pays him."""
    group = make_group(db, players=("Ann", "Ben", "Cleo", "Dan", "Eve", "Fay")[:number])
    rules = {"players": number, "cards": 36, "stake_loser": 2}
    session = make_session(db, group=group, card_game="dirty-clubs", house_rules=rules, dealer=0)
    make_deal(db, session, {"turn_up": "clubs", "tricks": [0, 5, *[0] * (number - 2)]})
    return session


def nearest(point: Point, centres: dict[str, Point]) -> str:
    """Who sits nearest to *point*."""
    return min(centres, key=lambda name: abs(complex(*centres[name]) - complex(*point)))


def test_the_first_screen_of_a_phone_has_all_that_is_needed(phone: Page, server: Server, db: Session) -> None:
    for card_game, facts in (("mensch", FIVE_IN_SPADES_MADE), ("dirty-clubs", CLUB_TURNED)):
        session = make_session(db, card_game=card_game)
        make_deal(db, session, facts)
        go(phone, server, session)

        for needed in ("h1", ".menu", ".seats-grid", ".dealing", "a.go", ".small", ".undo", ".turn", ".read-back"):
            assert phone.locator(needed).evaluate(BOTTOM) <= 640, needed


def test_the_focus_goes_to_what_was_just_saved_and_the_page_stays_where_it_is(
    phone: Page, server: Server, db: Session
) -> None:
    session = make_session(db)
    make_deal(db, session)
    declare_deal(db, DeclareDeal(**session.command(db), facts=CALLING))

    for named in ("read-back", "declared", "next"):
        go(phone, server, session, f"#{named}")
        expect(phone.locator(f"#{named}")).to_be_focused()
        assert phone.evaluate("scrollY") == 0


@pytest.mark.parametrize("number", [3, 4, 5, 6])
def test_every_payment_runs_from_the_one_who_pays_to_the_one_who_is_paid(
    phone: Page, server: Server, db: Session, number: int
) -> None:
    go(phone, server, players(db, number))

    centres, ends = phone.evaluate(CENTRES), phone.evaluate(ENDS)

    assert sorted(nearest(start, centres) for start, _ in ends) == [name for name in sorted(centres) if name != "Ben"]
    assert {nearest(end, centres) for _, end in ends} == {"Ben"}
    assert phone.locator("a.go, button.go").evaluate(BOTTOM) <= 640


def test_one_tap_turns_the_writing_and_nobody_changes_seats(phone: Page, server: Server, db: Session) -> None:
    session = make_session(db)
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    go(phone, server, session)
    totals = {"Ann": "−1", "Ben": "+3", "Cleo": "−1", "Dan": "−1"}
    address, across = phone.url, phone.locator(".seat >> nth=0")
    box = across.bounding_box()
    assert box

    for turn in ("1", "2", "3", "0"):
        phone.locator(".turn").tap()
        expect(phone.locator(".seats-grid")).to_have_attribute("data-turn", turn)
        turned, centres = across.bounding_box(), phone.evaluate(CENTRES)
        assert turned
        assert (turned["width"] > turned["height"]) == ((box["width"] > box["height"]) == (turn in "02"))
        assert centres["Ben"][0] < centres["Ann"][0] < centres["Dan"][0]
        assert centres["Cleo"][1] < centres["Dan"][1] < centres["Ann"][1]
        expect_seated(phone, totals)
    assert phone.url == address


def test_the_table_view_stays_turned_on_this_device(phone: Page, server: Server, db: Session) -> None:
    session, other = make_session(db), make_session(db)
    go(phone, server, session, "/table")
    phone.locator(".turn").tap()
    phone.locator(".turn").tap()
    expect(phone.locator(".seats-grid")).to_have_attribute("data-turn", "2")

    phone.reload()
    expect(phone.locator(".seats-grid")).to_have_attribute("data-turn", "2")
    go(phone, server, other, "/table")
    expect(phone.locator("[role=status]").first).not_to_be_empty()
    expect(phone.locator(".seats-grid")).to_have_attribute("data-turn", "0")


def test_the_screen_is_kept_on_and_kept_on_again(phone: Page, server: Server, db: Session) -> None:
    phone.add_init_script(FAKE_LOCK)
    go(phone, server, make_session(db), "/table")
    expect(phone.get_by_text("The screen stays on.")).to_be_visible()

    phone.evaluate(HIDE, True)
    phone.evaluate(HIDE, False)

    phone.wait_for_function("window.asked === 2")


def test_it_says_so_where_the_screen_cannot_be_kept_on(phone: Page, server: Server, db: Session) -> None:
    phone.add_init_script(NO_LOCK)
    go(phone, server, make_session(db), "/table")

    expect(phone.get_by_text("This browser cannot keep the screen on")).to_be_visible()


def test_it_says_so_where_the_screen_is_kept_on_over_https_only(phone: Page, server: Server, db: Session) -> None:
    phone.add_init_script(NO_LOCK + INSECURE)
    go(phone, server, make_session(db), "/table")

    expect(phone.get_by_text("Browsers keep the screen on only over HTTPS")).to_be_visible()


@pytest.mark.parametrize("size", [(360, 640), (640, 360), (768, 1024), (1280, 800)])
def test_the_table_view_fills_the_screen_whichever_way_it_is_turned(
    browser: Browser, server: Server, db: Session, size: tuple[int, int]
) -> None:
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    session = make_session(db)
    make_deal(db, session, FIVE_IN_SPADES_MADE)

    for turn in range(4):
        go(page, server, session, f"/table?turn={turn}")
        expect(page.locator(".seats-grid")).to_have_attribute("data-turn", str(turn))
        assert page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]") == [*size]
        total = page.locator(".total .num").first.evaluate("number => parseFloat(getComputedStyle(number).fontSize)")
        assert total >= min(size) / 11
    page.context.close()


@pytest.mark.parametrize("size", [(360, 640), (1280, 800)])
def test_everything_on_the_table_view_is_turned_to_the_same_side(
    browser: Browser, server: Server, db: Session, size: tuple[int, int]
) -> None:
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    session = make_session(db)
    declare_deal(db, DeclareDeal(**session.command(db), facts=CALLING))

    for turn, bottom in enumerate(("bottom", "left", "top", "right")):
        go(page, server, session, f"/table?turn={turn}")
        expect(page.locator(".turns")).to_have_attribute("data-turn", str(turn))
        for words in ("Deal 1 · Dan deals", "Half: Ann · Called: the ace of spades", "Cleo"):
            text = page.locator(".turns p").filter(has_text=words)
            assert text.evaluate(READING) == turn, words
            expect(text).to_be_in_viewport(ratio=1)
        assert page.locator(".now").evaluate(SIDE) == bottom
    page.context.close()


def test_without_script_the_table_view_can_be_loaded_again_and_turned(
    browser: Browser, server: Server, db: Session
) -> None:
    page = browser.new_page(java_script_enabled=False)
    go(page, server, make_session(db), "/table")

    expect(page.get_by_role("link", name="Look again")).to_be_visible()
    page.get_by_role("link", name="Turn").click()

    expect(page.locator(".seats-grid")).to_have_attribute("data-turn", "1")
    page.context.close()

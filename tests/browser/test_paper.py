"""What comes out of the printer, and keying it in again without a mouse."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Dialog, Page, ViewportSize, expect
from sqlalchemy.orm import Session

from scorekeeper.models import GameSession
from scorekeeper.services.counts import CountIn, count_in
from scorekeeper.services.sessions import close_session, reopen_session
from scorekeeper.services.transaction import take_pen
from tests.browser.conftest import Server
from tests.factories import HALF_MADE, MadeSession, make_deal, make_group, make_session
from tests.http.deals import seat

PRINTABLE = {"A4": (1046, 718), "Letter": (980, 740)}
"""Between the margins of the sheet, which lies on its side: CSS pixels."""
UPRIGHT = {"A4": (703, 1032), "Letter": (725, 965)}
LONG = tuple(letter * 40 for letter in "ABCDEFGH")

OFF_THE_PAPER = """() => [...document.querySelectorAll("body *")]
    .filter(element => element.checkVisibility() && !element.closest(".vh"))
    .map(element => [element, element.getBoundingClientRect()])
    .filter(([element, box]) => box.left < -0.5 || box.right > innerWidth + 0.5)
    .map(([element]) => element.outerHTML.slice(0, 120))"""
"""JavaScript: what lies outside the margins."""
CUT_OFF = """() => [...document.querySelectorAll("main :is(th, td, h1, h2, p, bdi)")]
    .filter(element => !element.closest(".vh") && element.clientWidth && element.scrollWidth > element.clientWidth + 1)
    .map(element => element.outerHTML.slice(0, 120))"""
"""JavaScript: what does not fit its own box."""
TWELVE = (
    *("Maximilian", "Ann", "Bartholomew", "Cleo", "Dominique", "Eve"),
    *("Friederike", "Guillaume", "Henriette", "Ida", "Jeanne", "Konstantin"),
)
LINES_OF = """selector => [...document.querySelectorAll(selector)].filter(element => element.checkVisibility())
    .map(element => {
        const range = document.createRange();
        range.selectNodeContents(element);
        return range.getClientRects().length;
    })"""
"""JavaScript: on how many lines each of them stands."""
SEEN = """selector => [...document.querySelectorAll(selector)]
    .filter(element => element.checkVisibility()).map(element => element.outerHTML.slice(0, 80))"""


def opened(browser: Browser, server: Server, session: MadeSession, path: str, **options: object) -> Page:
    page = browser.new_page(reduced_motion="reduce", **options)  # type: ignore[arg-type]
    page.goto(f"{server.url}/open/{session.group.token}")
    page.goto(f"{server.url}/sessions/{session.id}/{path}")
    return page


def printed(page: Page, paper: str) -> int:
    """How many pages come out."""
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper, prefer_css_page_size=True)))


def put_on(page: Page, size: tuple[int, int]) -> None:
    """Lay the page out as for paper of this size."""
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size(ViewportSize(width=size[0], height=size[1]))


@pytest.mark.parametrize("paper", PRINTABLE)
def test_the_sheet_fits_a_page_and_the_payments_another(
    browser: Browser, server: Server, db: Session, paper: str
) -> None:
    session = make_session(db)
    page = opened(browser, server, session, "paper")

    assert printed(page, paper) == 2
    page.goto(f"{server.url}/sessions/{session.id}/paper?rows=60")
    assert printed(page, paper) == 4
    put_on(page, PRINTABLE[paper])
    assert page.evaluate("getComputedStyle(document.querySelector('.by-hand thead')).display") == "table-header-group"
    page.context.close()


@pytest.mark.parametrize("paper", PRINTABLE)
@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_long_names_of_many_fit_the_paper(
    browser: Browser, server: Server, db: Session, paper: str, direction: str
) -> None:
    rules = {"players": 6, "cards": 36, "others_need": 0, "start": 1000, "drop": "all-but-maker"}
    session = make_session(db, group=make_group(db, players=LONG), card_game="dirty-clubs", house_rules=rules, seats=8)
    page = opened(browser, server, session, "paper")
    put_on(page, PRINTABLE[paper])
    page.evaluate("direction => document.documentElement.dir = direction", direction)

    assert page.locator(".by-hand thead th").count() == 6 + 8 + 24
    assert page.evaluate(OFF_THE_PAPER) == []
    assert page.evaluate(CUT_OFF) == []
    page.context.close()


def test_a_sheet_without_rows_says_on_paper_too_that_no_deal_can_be_played(
    browser: Browser, server: Server, db: Session
) -> None:
    ended = make_session(db)
    close_session(db, ended.plain_command(db))
    too_few = make_session(db)
    seat(db, too_few, "Ann", "Ben", "Cleo")
    for session in (ended, too_few):
        page = opened(browser, server, session, "paper")
        said = page.get_by_text("No deal can be played in this session now, so there is nothing to write down.")
        expect(said).to_be_visible()

        put_on(page, PRINTABLE["A4"])

        expect(said).to_be_visible()
        page.context.close()


PAGES = ("paper", "deals", "deals/1", "deals/1/why/0", "seats/0/why", "settlement", "count", "chips", "costs", "rules")


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("ended", [False, True])
def test_nothing_to_press_and_nothing_said_in_passing_is_printed_and_all_of_it_is_dark_on_white(
    browser: Browser, server: Server, db: Session, path: str, *, ended: bool
) -> None:
    session = make_session(db, buy_in=40)
    for _ in range(3):
        make_deal(db, session)
    count_in(db, CountIn(**session.command(db), counted=(41, 39, 40, 40)))
    if ended:
        close_session(db, session.plain_command(db))
    page = opened(browser, server, session, path, color_scheme="dark")
    for has_pen in (True, False):
        if not has_pen:
            take_pen(db, replace(session.plain_command(db), device="another", device_name="The other phone"))
            page.emulate_media(media="screen")
            page.reload()
        put_on(page, UPRIGHT["A4"])

        controls = "button, input, select, textarea, nav a.button, .foot, .live, .skip, [role=status]"
        assert page.evaluate(SEEN, controls) == []
        shown = page.locator("main").inner_text()
        assert "the pen" not in shown
        assert "Reopen the session" not in shown
        for summary in page.locator("summary:visible").all():
            assert summary.evaluate("element => getComputedStyle(element).display") != "list-item"
            expect(summary.locator("xpath=following-sibling::*").first).to_be_visible()
    colours = page.evaluate(
        "() => ['backgroundColor', 'color'].map(name => getComputedStyle(document.documentElement)[name])"
    )
    assert colours == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]
    page.context.close()


@pytest.mark.parametrize("paper", UPRIGHT)
def test_the_score_sheet_and_the_settlement_fit_the_paper(
    browser: Browser, server: Server, db: Session, paper: str
) -> None:
    session = make_session(db, group=make_group(db, players=LONG[:6]), seats=6, dealer=0)
    facts = {"contract": "half", "declarer": 1, "partner": 2, "trump": "clubs", "tricks": 5}
    make_deal(db, session, facts)
    page = opened(browser, server, session, "deals")
    for path in ("deals", "settlement", "rules"):
        page.goto(f"{server.url}/sessions/{session.id}/{path}")
        assert printed(page, paper) >= 1
        put_on(page, UPRIGHT[paper])
        assert page.evaluate(OFF_THE_PAPER) == [], path
        page.emulate_media(media="screen")
    page.context.close()


@pytest.mark.parametrize("paper", UPRIGHT)
@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_names_are_not_broken_however_many_play(
    browser: Browser, server: Server, db: Session, paper: str, direction: str
) -> None:
    session = make_session(db, group=make_group(db, players=TWELVE))
    for first in (0, 4, 8):
        seat(db, session, *TWELVE[first : first + 4])
        make_deal(db, session, {**HALF_MADE, "declarer": first, "partner": first + 2})
    page = opened(browser, server, session, "deals")
    put_on(page, UPRIGHT[paper])
    page.evaluate("direction => document.documentElement.dir = direction", direction)

    assert page.locator(".sheet thead th").count() == len(TWELVE)
    assert page.locator(".sheet thead bdi:visible").all_inner_texts() == list(TWELVE)
    assert page.evaluate(LINES_OF, ".sheet thead bdi") == [1] * len(TWELVE)
    assert page.evaluate(CUT_OFF) == []
    assert page.evaluate(OFF_THE_PAPER) == []
    page.context.close()


def test_what_is_below_a_heading_stays_with_it(browser: Browser, server: Server, db: Session) -> None:
    session = make_session(db, buy_in=40)
    make_deal(db, session)
    close_session(db, session.plain_command(db))
    reopen_session(db, session.plain_command(db))
    page = opened(browser, server, session, "settlement")
    put_on(page, UPRIGHT["A4"])
    said = page.get_by_text("They were discarded as the game went on.")

    expect(said).to_have_css("break-after", "avoid")
    expect(page.get_by_role("heading", name="Earlier plans")).to_have_css("break-after", "avoid")
    page.context.close()


def test_how_the_settlement_adds_up_is_unfolded_on_paper(browser: Browser, server: Server, db: Session) -> None:
    session = make_session(db, buy_in=40)
    make_deal(db, session)
    page = opened(browser, server, session, "settlement")
    line = page.locator("details table.lines td").first
    expect(line).to_be_hidden()

    put_on(page, UPRIGHT["A4"])

    expect(line).to_be_visible()
    page.context.close()


def test_the_button_prints(phone: Page, server: Server, db: Session) -> None:
    session = make_session(db)
    phone.add_init_script("window.print = () => document.documentElement.dataset.printed = 'yes'")
    phone.goto(f"{server.url}/open/{session.group.token}")
    phone.goto(f"{server.url}/sessions/{session.id}/paper")

    phone.get_by_role("button", name="Print").tap()

    expect(phone.locator("html")).to_have_attribute("data-printed", "yes")


@pytest.fixture
def grid(browser: Browser, server: Server, db: Session) -> Page:
    """An empty grid of Mensch, without a mouse."""
    page = opened(browser, server, make_session(db), "paper/keying", viewport={"width": 1280, "height": 800})
    page.locator("[name=r1-contract]").focus()
    return page


def focused(page: Page) -> str:
    name: str = page.evaluate("document.activeElement.name")
    return name


def press(page: Page, *keys: str) -> str:
    """Press *keys* one after another; the cell where one is then."""
    for key in keys:
        page.keyboard.press(key)
    return focused(page)


def paste(page: Page, text: str) -> None:
    """Paste into the cell that has the focus."""
    page.evaluate(
        """text => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", text);
            const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
            if (document.activeElement.dispatchEvent(event)) document.execCommand("insertText", false, text);
        }""",
        text,
    )


def test_arrow_keys_go_from_cell_to_cell(grid: Page) -> None:
    assert press(grid, "ArrowRight") == "r1-declarer"
    assert press(grid, "ArrowDown", "ArrowDown") == "r3-declarer"
    assert press(grid, "ArrowUp") == "r2-declarer"
    assert press(grid, "ArrowLeft", "ArrowLeft") == "r2-dealer"
    assert press(grid, "ArrowLeft") == "r2-dealer"
    assert press(grid, "ArrowUp", "ArrowUp") == "r1-dealer"
    # Within a word they go from letter to letter.
    grid.keyboard.type("Ann")
    assert press(grid, "ArrowLeft") == "r1-dealer"
    assert press(grid, "ArrowRight", "ArrowRight") == "r1-contract"
    grid.context.close()


def test_enter_goes_down_and_makes_room_below_the_last_row(grid: Page) -> None:
    rows = grid.locator(".grid tbody").count()
    assert press(grid, "Enter") == "r2-contract"
    assert press(grid, "Shift+Enter") == "r1-contract"
    assert press(grid, *["Enter"] * rows) == f"r{rows + 1}-contract"
    assert grid.locator(".grid tbody").count() == rows + 1
    new = grid.locator(f"[name=r{rows + 1}-contract]")
    expect(new).to_have_accessible_name(f"{rows + 1} Contract")
    expect(grid.locator(".grid tbody th").last).to_have_text(str(rows + 1))
    grid.context.close()


def test_rows_pasted_from_a_spreadsheet_are_checked_and_recorded(grid: Page, server: Server, db: Session) -> None:
    rows = grid.locator(".grid tbody").count() + 3
    line = "Half\tAnn\tCleo\t♣\t5\t1\t{}\t-1\t{}\t+1\t{}\t−1\t{}"
    paste(grid, "\r\n".join(line.format(n, -n, n, -n) for n in range(1, rows + 1)) + "\r\n")
    assert grid.locator(".grid tbody").count() == rows
    expect(grid.locator(f"[name=r{rows}-total-3]")).to_have_value(str(-rows))

    grid.get_by_role("button", name="Check").press("Enter")
    expect(grid.get_by_text(f"{rows} rows agree.")).to_be_visible()
    grid.get_by_role("button", name=f"Record {rows} deals").press("Enter")

    expect(grid.get_by_text(f"{rows} deals are recorded.")).to_be_visible()
    session = int(grid.url.rsplit("/", 1)[1])
    found = db.get(GameSession, session)
    assert found is not None
    assert found.table["totals"] == [rows, -rows, rows, -rows]
    grid.context.close()


@pytest.mark.parametrize("text", ["\n".join(["half"] * 61), "half" + "\t" * 40 + "more"])
def test_what_is_pasted_and_does_not_fit_is_said_to_be_left_out(grid: Page, text: str) -> None:
    cut = grid.get_by_text("What was pasted has more rows or columns than fit here: the rest was left out.")
    paste(grid, "half\n\t\t")
    expect(cut).to_be_hidden()

    paste(grid, text)

    expect(cut).to_be_visible()
    grid.context.close()


def test_one_word_is_pasted_like_any_other(grid: Page) -> None:
    paste(grid, "Half")
    expect(grid.locator("[name=r1-contract]")).to_have_value("Half")
    grid.context.close()


def test_the_row_that_disagrees_is_in_focus_and_its_cell_a_step_away(grid: Page) -> None:
    paste(grid, "half\tAnn\tCleo\t\t5\t+1\t\t-2")
    grid.get_by_role("button", name="Check").press("Enter")
    expect(grid.locator("#problems")).to_be_focused()

    grid.get_by_role("link", name="Deal 1: Ben has −2 on paper, the deal brings −1: 1 too few.").press("Enter")

    expect(grid.locator("[name=r1-change-1]")).to_have_accessible_description(
        "Ben has −2 on paper, the deal brings −1: 1 too few."
    )
    grid.context.close()


def test_without_a_network_the_rows_stay_and_it_says_so(grid: Page) -> None:
    grid.keyboard.type("half")
    grid.context.set_offline(True)
    grid.get_by_role("button", name="Check").press("Enter")
    expect(grid.get_by_text("No connection. What you entered stays here")).to_be_visible()
    expect(grid.locator("[name=r1-contract]")).to_have_value("half")

    grid.context.set_offline(False)
    grid.get_by_role("button", name="Check").press("Enter")

    expect(grid.get_by_role("link", name="Deal 1: Missing: “Declarer”.")).to_be_visible()
    grid.context.close()


def test_leaving_with_rows_that_are_not_saved_asks(grid: Page) -> None:
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    grid.on("dialog", stay)
    paste(grid, "half\tAnn\tCleo\t\t5")
    grid.get_by_role("link", name="Scorekeeper").click()
    expect(grid.locator("[name=r1-contract]")).to_have_value("half")
    assert asked == ["beforeunload"]

    grid.get_by_role("button", name="Check").click()
    expect(grid.get_by_text("1 row agrees.")).to_be_visible()
    grid.get_by_role("link", name="Scorekeeper").click()
    expect(grid.locator("[name=r1-contract]")).to_have_value("half")
    assert asked == ["beforeunload"] * 2

    grid.get_by_role("button", name="Record 1 deal").click()
    expect(grid.get_by_text("1 deal is recorded.")).to_be_visible()
    assert asked == ["beforeunload"] * 2
    grid.context.close()

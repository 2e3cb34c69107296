"""Names that would break a page which trusts them, or which has never seen them."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Dialog, Page, ViewportSize, expect
from sqlalchemy.orm import Session

from tests.browser.conftest import Server
from tests.browser.places import STICKING_OUT, everywhere, make_places
from tests.factories import make_group, make_session

HOSTILE = ("<img src=x onerror=alert(1)>", "W" * 40, "🂡 x̌ýx̌", "أحمد بن محمد")
GROUP = "<svg onload=alert(2)>" + "M" * 19
NARROW: ViewportSize = {"width": 320, "height": 640}

RUN = """() =>
    [...document.querySelectorAll("img, [onerror], [onload], svg:not([class])")].map(element => element.outerHTML)
"""
"""JavaScript: what a name has become that is no text."""


def test_no_name_runs_or_breaks_a_page(browser: Browser, server: Server, db: Session) -> None:
    places = make_places(db, HOSTILE, GROUP)
    page = browser.new_page(viewport=NARROW)
    alerts: list[str] = []

    def told(dialog: Dialog) -> None:
        # Whether to leave what is keyed in is our own question.
        if dialog.type == "beforeunload":
            dialog.accept()
            return
        alerts.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", told)
    page.on("request", lambda request: alerts.append(request.url) if request.url.endswith("/x") else None)
    faults: dict[str, list[str]] = {}

    for name in everywhere(page, server.url, places):
        faults[name] = page.evaluate(RUN) + page.evaluate(STICKING_OUT)
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        faults[name] += page.evaluate(STICKING_OUT)

    assert {name: found for name, found in faults.items() if found} == {}
    assert alerts == []
    page.goto(f"{server.url}/sessions/{places.sessions['running']}")
    assert page.locator(".seat bdi").all_inner_texts() == list(HOSTILE)
    page.context.close()


CRAMPED = """() => {
    const words = document.createRange();
    const written = element => (words.selectNodeContents(element), words.getBoundingClientRect());
    const within = (inner, outer) => inner.left >= outer.left + 1 && inner.right <= outer.right - 1;
    const broken = element => (written(element), new Set([...words.getClientRects()].map(line => line.top)).size > 1);
    const cramped = [...document.querySelectorAll(":is(.seats, .suits, .ladder) .choice")].flatMap(key => {
        key.querySelector("input").checked = true;
        return [...key.querySelectorAll("bdi:not(.full), span:not(:has(bdi), .vh)")].filter(name =>
            !within(written(name), key.getBoundingClientRect()) || (name.localName === "bdi" && broken(name)));
    });
    const title = document.querySelector("h1");
    return [...cramped, ...(written(title).top < 3 ? [title] : [])].map(element => element.textContent.trim());
}"""
"""JavaScript: words that stand out of their key as that is pressed, names broken in two, and a title cut off above."""


@pytest.mark.parametrize("width", [320, 360])
@pytest.mark.parametrize(
    "names", [("Anna", "Ben", "Cleo", "Dirk"), ("Maximilian", "Konstantin", "Anna-Katharina", "Jo")]
)
@pytest.mark.parametrize("rules", [("mensch", "mensch"), ("dirty-clubs", "buck-euchre")])
def test_names_stand_on_their_keys_in_one_piece_pressed_or_not(
    phone: Page, server: Server, db: Session, rules: tuple[str, str], names: tuple[str, ...], width: int
) -> None:
    group = make_group(db, players=names)
    session = make_session(db, group=group, card_game=rules[0], ruleset=rules[1], dealer=1)
    phone.set_viewport_size({"width": width, "height": 640})
    phone.goto(f"{server.url}/open/{group.token}")
    phone.goto(f"{server.url}/sessions/{session.id}/deals/new")

    assert phone.evaluate(CRAMPED) == []


@pytest.mark.parametrize("width", [320, 360])
def test_a_long_group_name_leaves_the_top_line_to_the_others(
    phone: Page, server: Server, db: Session, width: int
) -> None:
    group = make_group(db, name="Donnerstagsrunde im Gasthaus zur Post")
    session = make_session(db, group=group)
    phone.set_viewport_size({"width": width, "height": 640})
    phone.goto(f"{server.url}/open/{group.token}")
    phone.goto(f"{server.url}/sessions/{session.id}")
    expect(phone.locator(".live")).to_have_text("Live")

    boxes = [phone.locator(part).bounding_box() for part in (".masthead", ".live", "#menu > summary")]

    masthead, live, more = (box["height"] if box else 0 for box in boxes)
    assert masthead < 2 * more
    assert live < 24

"""Names that would break a page which trusts them, or which has never seen them."""

from __future__ import annotations

from playwright.sync_api import Browser, Dialog, ViewportSize
from sqlalchemy.orm import Session

from tests.browser.conftest import Server
from tests.browser.places import STICKING_OUT, everywhere, make_places

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

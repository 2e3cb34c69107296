"""Every page, in every state, for those who see little, use a small phone or large type, or none of these."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, ViewportSize

from scorekeeper.app import create_app
from tests.browser.conftest import Server, watch
from tests.browser.places import STICKING_OUT, Places, everywhere
from tests.http.world import FILES

# Whichever test comes first walks through every page in every colour and size.
pytestmark = pytest.mark.timeout(900)

PHONE: ViewportSize = {"width": 360, "height": 640}
NARROW: ViewportSize = {"width": 320, "height": 640}

NO_PAGES = FILES | {"board.board", "live.live", "live.since", "links.open_link", "offline.words", "pen.offer"}
"""What is fetched, but is no page to look at: a part of one, a file, and a redirect."""

SMALL_TARGETS = """() => {
    // A link in a sentence is as high as the sentence, but for the page on which one taps in a hurry.
    const inSentence = target => getComputedStyle(target).display === "inline" && !target.closest(".at-table") &&
        target.textContent.trim() !== target.parentElement.textContent.trim();
    return [...document.querySelectorAll("a, button, input:not([type=hidden]), select, textarea, summary")]
        .filter(target => target.checkVisibility() && !inSentence(target))
        .map(target => [target, (target.closest("label") ?? target).getBoundingClientRect()])
        .filter(([target, box]) => box.bottom > 0 && (box.height < 43.9 || box.width < 43.9))
        .map(([target, box]) => `${target.outerHTML.slice(0, 120)} is ${box.width} × ${box.height}`);
}"""
CLOSE_TARGETS = """() => {
    const targets = [...document.querySelectorAll(".masthead :is(a, summary), #acts :is(a, button, summary)")]
        .filter(target => target.checkVisibility() && !target.closest(".menu-list"))
        .map(target => [target, target.getBoundingClientRect()]);
    const apart = (one, other) => Math.max(
        one.left - other.right, other.left - one.right, one.top - other.bottom, other.top - one.bottom);
    return targets.flatMap(([one, box], place) => targets.slice(place + 1)
        .filter(([_, other]) => apart(box, other) < 7.9)
        .map(([other]) => `${one.outerHTML.slice(0, 80)} is too close to ${other.outerHTML.slice(0, 80)}`));
}"""
"""JavaScript: the targets of a session's first screen that are less than 8 px from another."""


@dataclass
class Findings:
    """What is wrong with each page, where anything is."""

    axe: dict[str, list[str]] = field(default_factory=dict)
    targets: dict[str, list[str]] = field(default_factory=dict)
    close: dict[str, list[str]] = field(default_factory=dict)
    sideways: dict[str, list[str]] = field(default_factory=dict)
    troubles: dict[str, list[str]] = field(default_factory=dict)


@pytest.fixture(scope="module")
def findings(browser: Browser, server: Server, places: Places) -> Findings:
    """A walk through every page."""
    # Without motion: colours on their way from light to dark would be measured half-way.
    page = browser.new_page(reduced_motion="reduce")
    axe, findings, troubles = Axe(), Findings(), watch(page)
    for name in everywhere(page, server.url, places):
        # That a page answers 404 or 422 is an error for the console, but not for us.
        findings.troubles[name] = [trouble for trouble in troubles if "responded with a status of 4" not in trouble]
        troubles.clear()
        page.set_viewport_size(PHONE)
        faults = violations(axe, page)
        findings.targets[name] = page.evaluate(SMALL_TARGETS)
        findings.close[name] = page.evaluate(CLOSE_TARGETS)
        page.emulate_media(color_scheme="dark")
        faults += violations(axe, page, "color-contrast")
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(NARROW)
        findings.sideways[name] = page.evaluate(STICKING_OUT)
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        findings.axe[name] = faults + violations(axe, page)
        findings.sideways[name] += page.evaluate(STICKING_OUT)
    page.context.close()
    return findings


def test_the_walk_leads_to_every_page(places: Places) -> None:
    app = create_app({"SECRET_KEY": "for tests"})
    routes = app.url_map.bind("")
    visited = {routes.match(path.partition("?")[0])[0] for path in places.pages().values() if path != "/nowhere"}

    shown = {rule.endpoint for rule in app.url_map.iter_rules() if "GET" in (rule.methods or ())}

    assert shown - visited == NO_PAGES


def test_axe_finds_nothing_in_the_light_in_the_dark_and_in_large_type(findings: Findings) -> None:
    assert found(findings.axe) == {}


def test_every_target_is_large_enough(findings: Findings) -> None:
    assert found(findings.targets) == {}


def test_no_two_targets_on_the_first_screen_of_a_session_are_close(findings: Findings) -> None:
    assert found(findings.close) == {}


def test_no_page_scrolls_sideways_at_320_px_nor_with_text_at_200_per_cent(findings: Findings) -> None:
    assert found(findings.sideways) == {}


def test_no_page_has_an_error_on_its_console_or_asks_another_host(findings: Findings) -> None:
    assert found(findings.troubles) == {}


def found(by_page: dict[str, list[str]]) -> dict[str, list[str]]:
    return {name: faults for name, faults in by_page.items() if faults}


def violations(axe: Axe, page: Page, *rules: str) -> list[str]:
    options: dict[str, object] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = list(rules)
    found = axe.run(page, options=options).response["violations"]
    return [f"{rule['id']}: {node['html'][:200]}" for rule in found for node in rule["nodes"]]

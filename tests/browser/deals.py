"""Entering deals by taps, and reading what the screens say of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

CASES = Path(__file__).parent.parent / "golden" / "cases"

Numbers = dict[str, tuple[str, str]]
"""What each player got and the total after it, as a screen shows them."""


def case(name: str) -> dict[str, Any]:
    """One of the published cases: a session, and what must come of it."""
    found: dict[str, Any] = json.loads((CASES / f"{name}.json").read_text("utf-8"))
    return found


def signed(number: int) -> str:
    return f"{number:+}".replace("-", "−") if number else "0"


def choose(page: Page, *controls: str) -> None:
    """Tap keys of the deal form, one after the other, as what each brings is shown."""
    expect(page.locator("#record")).to_be_visible()
    page.wait_for_load_state()
    # A form that is being sent gives way to the next one.
    with previewed(page):
        pass
    for control in controls:
        with previewed(page):
            page.locator(f"label:has(#{control})").tap()
        expect(page.locator(f"#{control}")).to_be_checked()


@contextmanager
def previewed(page: Page) -> Iterator[None]:
    """Do something that changes the deal form, and wait where the server is asked about it."""
    yield
    expect(page.locator("form[data-preview]")).not_to_have_attribute("aria-busy", "true")


def expect_seated(page: Page, totals: dict[str, str]) -> None:
    """These totals come to stand at the table as seated, and no others."""
    expect(page.locator(".seat")).to_have_count(len(totals))
    for name, total in totals.items():
        seat = page.locator(".seat", has=page.get_by_text(name, exact=True))
        expect(seat.locator(".total .num")).to_have_text(total)


def brought(page: Page) -> Numbers:
    """What the preview says: beside the tricks of those who count them, otherwise below."""
    numbers = {}
    for row in page.locator("[data-brings]:not([hidden])").all():
        name = row.locator("xpath=ancestor::*[self::fieldset or self::div][1]").locator("bdi").first
        change, total = row.locator(".num").all_text_contents()
        numbers[name.text_content() or ""] = change, total
    return numbers


def expect_on_sheet(page: Page, number: int, numbers: Numbers) -> None:
    """The score sheet comes to say this of a deal."""
    body = page.locator("tbody", has=page.locator(".no").get_by_text(f"Deal {number}", exact=True))
    expect(body).to_be_visible()
    names = page.locator(".sheet thead th").all_inner_texts()
    for name, (change, total) in numbers.items():
        cell = body.locator("td").nth(names.index(name))
        expect(cell.locator("b")).to_have_text(change)
        expect(cell.locator("small")).to_have_text(re.compile(rf"^\s*(total\s*)?{re.escape(total)}\s*$"))

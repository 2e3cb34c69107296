"""Entering deals by taps, and reading what the screens say of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Locator, Page, expect

Totals = dict[str, str]


def choose(page: Page, control: str) -> None:
    """Tap one key of the deal form, and wait for what it brings to be shown."""
    with previewed(page):
        page.locator(f"#{control}").tap(force=True)
    expect(page.locator(f"#{control}")).to_be_checked()


@contextmanager
def previewed(page: Page) -> Iterator[None]:
    """Do something that changes the deal form, and wait for its preview to be shown."""
    with page.expect_response(lambda response: response.url.endswith("/preview")):
        yield
    expect(page.locator("form[data-preview]")).not_to_have_attribute("aria-busy", "true")


def signed(number: int) -> str:
    return f"{number:+}".replace("-", "−") if number else "0"


def plain(number: int) -> str:
    return str(number).replace("-", "−")


def seated(page: Page) -> Totals:
    """The totals at the table as seated."""
    return {
        seat.locator("bdi").inner_text(): seat.locator(".total .num").inner_text()
        for seat in page.locator(".seat").all()
    }


def preview(page: Page) -> dict[str, tuple[str, str]]:
    """What the preview says: each player's change and the total after it."""
    return {
        row.locator("dt").inner_text(): (
            row.locator("dd .num").nth(0).inner_text(),
            row.locator("dd .num").nth(1).inner_text(),
        )
        for row in page.locator(".preview .amount").all()
    }


def sheet_row(page: Page, number: int) -> Locator:
    """A deal on the score sheet."""
    return page.locator("tbody", has=page.locator(f".no:text-is('Deal {number}')"))

"""A whole game of Dirty Clubs by taps: case G1, which a player ends by taking every trick."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from playwright.sync_api import Page, expect
from sqlalchemy.orm import Session

from tests.browser.conftest import Server
from tests.browser.deals import Numbers, brought, case, choose, expect_on_sheet, expect_seated, signed
from tests.factories import make_session

CASE = case("G1")
NAMES: list[str] = CASE["session"]["players"]
START = dict.fromkeys(NAMES, 25)


def controls(deal: dict[str, Any]) -> list[str]:
    """The keys that enter a deal; the last player's tricks follow from the others'."""
    keys = [f"turn_up-{deal['turn_up']}"]
    if "maker" in deal:
        keys += [f"maker-{NAMES.index(deal['maker'])}", f"trump-{deal['trump']}"]
    elif deal.get("trump") == "none":
        keys.append("maker-nobody")
    return keys + [f"tricks-{seat}-{deal['tricks'][name]}" for seat, name in enumerate(NAMES[:-1])]


def expected() -> list[Numbers]:
    """Each player's change and total in each deal of the case."""
    totals = [START, *(deal["total"] for deal in CASE["expect"]["deals"])]
    return [
        {name: (signed(after[name] - before[name]), str(after[name])) for name in NAMES}
        for before, after in pairwise(totals)
    ]


def record(page: Page, number: int, deal: dict[str, Any], numbers: Numbers) -> None:
    page.get_by_role("link", name=f"Record deal {number}").tap()
    choose(page, *controls(deal))
    assert brought(page) == numbers
    page.locator("#record").tap()
    expect(page.get_by_role("button", name=f"Undo deal {number}")).to_be_visible()
    expect_on_sheet(page, number, numbers)
    expect_seated(page, {name: total for name, (_, total) in numbers.items()})


def test_a_game_to_its_end_and_back_and_the_next_one(phone: Page, server: Server, db: Session) -> None:
    page, deals, numbers = phone, CASE["session"]["events"], expected()
    session = make_session(db, card_game="dirty-clubs", dealer=NAMES.index(CASE["session"]["dealer"]))
    page.goto(f"{server.url}/open/{session.group.token}")
    page.goto(f"{server.url}/sessions/{session.id}")

    for number, deal in enumerate(deals, 1):
        expect(page.locator(".dealing")).to_contain_text(f"{CASE['expect']['deals'][number - 1]['dealer']} deals")
        record(page, number, deal, numbers[number - 1])

    ended = "Ben took every trick and wins the game at once."
    expect(page.locator(".dealing")).to_contain_text("Game over")
    expect(page.get_by_text(ended)).to_be_visible()
    expect(page.locator(".sheet").get_by_text("Ben wins game 1")).to_be_visible()
    expect(page.get_by_role("link", name="Record deal")).to_have_count(0)

    page.get_by_role("button", name="Undo deal 6").tap()
    expect(page.locator(".dealing")).to_contain_text("Ben deals")
    expect(page.get_by_text(ended)).to_have_count(0)
    expect_seated(page, {name: total for name, (_, total) in numbers[4].items()})
    record(page, 7, deals[5], numbers[5])
    expect(page.get_by_text(ended)).to_be_visible()

    page.get_by_role("button", name="Start game 2").tap()
    expect(page.locator(".dealing")).to_contain_text("Game 2")
    expect(page.locator(".dealing")).to_contain_text("Cleo deals")
    expect_seated(page, dict.fromkeys(NAMES, "25"))
    done = server.command("check")
    assert (done.returncode, done.stdout) == (0, "0 differences\n")

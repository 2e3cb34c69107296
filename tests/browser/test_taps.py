"""A deal takes few taps, on keys that a thumb hits, and no scrolling between them."""

from __future__ import annotations

from itertools import combinations

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy.orm import Session

from tests.browser.conftest import Server
from tests.browser.deals import choose, previewed
from tests.factories import MadeSession, make_session

HALF_MADE = ("declarer-0", "partner-2", "tricks-5")
MENSCH = {
    "half": HALF_MADE,
    "half set": ("declarer-0", "partner-2", "tricks-4"),
    "after": ("contract-after", *HALF_MADE),
    "forced": ("contract-forced", "declarer-3", "partner-1", "trump-hearts", "tricks-8"),
    "five": ("contract-five", "declarer-1", "trump-diamonds", "tricks-8"),
    "five after": ("contract-five-after", "declarer-1", "tricks-5"),
    "six": ("contract-six", "declarer-2", "trump-spades", "tricks-6"),
    "six after": ("contract-six-after", "declarer-2", "tricks-0"),
    "seven": ("contract-seven", "declarer-3", "trump-clubs", "tricks-7"),
    "seven after": ("contract-seven-after", "declarer-3", "tricks-7"),
    "solo": ("contract-solo", "declarer-0", "trump-hearts", "tricks-8"),
}
THREE_TRICKS = ("tricks-0-3", "tricks-1-1", "tricks-2-1")
DIRTY_CLUBS = {
    "with a maker": ("turn_up-spades", "maker-0", "trump-hearts", *THREE_TRICKS),
    "without trump": ("turn_up-diamonds", "maker-nobody", *THREE_TRICKS),
    "with a club turned": ("turn_up-clubs", *THREE_TRICKS),
}
BUCK_EUCHRE = {
    "with all in": ("turn_up-spades", "maker-0", "trump-hearts", *THREE_TRICKS),
    "with one dropped": ("turn_up-spades", "maker-0", "trump-hearts", "dropped-1", "tricks-0-3", "tricks-2-0"),
}


def sit_down(page: Page, server: Server, session: MadeSession) -> None:
    page.goto(f"{server.url}/open/{session.group.token}")
    page.goto(f"{server.url}/sessions/{session.id}")


def tap(page: Page, target: str) -> None:
    """Tap what is in sight; a target that would have to be scrolled to fails."""
    locator = page.locator(target)
    box = locator.bounding_box()
    assert box, target
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    assert locator.evaluate(
        "(target, [x, y]) => target === document.elementFromPoint(x, y)?.closest('a, button, input')", [x, y]
    ), f"{target} is out of sight"
    page.touchscreen.tap(x, y)


def record(page: Page, controls: tuple[str, ...]) -> int:
    """Record a deal from the page of its session; how many taps that took."""
    tap(page, "a.go")
    expect(page.locator("#record")).to_be_visible()
    for control in controls:
        with previewed(page):
            tap(page, f"#{control}")
        expect(page.locator(f"#{control}")).to_be_checked()
    expect(page.locator("#record")).to_be_enabled()
    tap(page, "#record")
    expect(page.locator("a.go")).to_be_visible()
    assert page.evaluate("scrollY") == 0
    return len(controls) + 2


def test_a_half_made_takes_five_taps(phone: Page, server: Server, db: Session) -> None:
    sit_down(phone, server, make_session(db))

    assert record(phone, HALF_MADE) == 5


def test_no_contract_of_mensch_takes_more_than_seven_taps(phone: Page, server: Server, db: Session) -> None:
    sit_down(phone, server, make_session(db))

    taps = {contract: record(phone, controls) for contract, controls in MENSCH.items()}

    assert max(taps.values()) <= 7
    assert phone.locator("a.go").inner_text() == f"Record deal {len(MENSCH) + 1}"


def test_a_deal_of_dirty_clubs_takes_no_more_than_eight_taps(phone: Page, server: Server, db: Session) -> None:
    sit_down(phone, server, make_session(db, card_game="dirty-clubs"))
    taps = [record(phone, controls) for controls in DIRTY_CLUBS.values()]
    sit_down(phone, server, make_session(db, card_game="dirty-clubs", ruleset="buck-euchre"))
    taps += [record(phone, controls) for controls in BUCK_EUCHRE.values()]

    assert max(taps) <= 8


@pytest.mark.parametrize(
    ("card_game", "rules", "controls"),
    [("mensch", "mensch", MENSCH["five"]), ("dirty-clubs", "buck-euchre", BUCK_EUCHRE["with all in"])],
)
def test_every_key_is_large_enough_and_apart_from_the_next(
    phone: Page, server: Server, db: Session, card_game: str, rules: str, controls: tuple[str, ...]
) -> None:
    sit_down(phone, server, make_session(db, card_game=card_game, ruleset=rules))
    phone.goto(f"{phone.url}/deals/new")
    _measure_keys(phone)
    choose(phone, *controls)
    _measure_keys(phone)


def _measure_keys(page: Page) -> None:
    for width in (360, 320):
        page.set_viewport_size({"width": width, "height": 640})
        # The bar with the last button lies over whatever is scrolled beneath it.
        boxes: list[tuple[float, float, float, float]] = page.locator(
            ".choice input, summary, .deal-title a"
        ).evaluate_all(
            "keys => keys.map(key => key.getBoundingClientRect())"
            "            .map(box => [box.left, box.right, box.top, box.bottom])"
        )
        assert min(right - left for left, right, _, _ in boxes) >= 44
        assert min(bottom - top for _, _, top, bottom in boxes) >= 44
        for one, other in combinations(boxes, 2):
            across = max(one[0], other[0]) - min(one[1], other[1])
            down = max(one[2], other[2]) - min(one[3], other[3])
            assert max(across, down) >= 7.9, (one, other)
        record = page.locator("#record").bounding_box()
        assert record
        assert record["height"] >= 44

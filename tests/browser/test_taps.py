"""A deal takes few taps, on keys that a thumb hits, and no scrolling between them."""

from __future__ import annotations

from itertools import combinations

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy.orm import Session

from scorekeeper.rules import RULESETS, ruleset
from tests.browser.conftest import Server
from tests.browser.deals import choose, previewed
from tests.factories import NAMES, MadeSession, make_group, make_session

HALF_MADE = ("declarer-0", "partner-2", "tricks-5")
MENSCH = {
    "half": (5, HALF_MADE),
    "half set": (5, ("declarer-0", "partner-2", "tricks-4")),
    "after": (6, ("contract-after", *HALF_MADE)),
    "five": (6, ("contract-five", "declarer-1", "trump-diamonds", "tricks-8")),
    "five after": (5, ("contract-five-after", "declarer-1", "tricks-5")),
    "six": (6, ("contract-six", "declarer-2", "trump-spades", "tricks-6")),
    "six after": (5, ("contract-six-after", "declarer-2", "tricks-0")),
    "seven": (6, ("contract-seven", "declarer-3", "trump-clubs", "tricks-7")),
    "seven after": (5, ("contract-seven-after", "declarer-3", "tricks-7")),
    "solo": (6, ("contract-solo", "declarer-0", "trump-hearts", "tricks-8")),
}
FORCED = {"forced": (7, ("contract-forced", "declarer-3", "partner-1", "trump-hearts", "tricks-8"))}
THROWN_IN = {"thrown in": (3, ("contract-passed-out",))}

ONE, TWO = ("tricks-0-5",), ("tricks-0-3", "tricks-2-2")
THREE, FOUR = ("tricks-0-2", "tricks-1-2", "tricks-2-1"), ("tricks-0-2", "tricks-1-1", "tricks-2-1")
CLUB, MADE = ("turn_up-clubs",), ("turn_up-spades", "maker-0", "trump-hearts")
CLUB_TURNED = {
    "club turned, one took tricks": (3, (*CLUB, *ONE)),
    "club turned, two took tricks": (4, (*CLUB, *TWO)),
    "club turned, three took tricks": (5, (*CLUB, *THREE)),
    "club turned, four took tricks": (5, (*CLUB, *FOUR)),
}
WITH_MAKER = {
    "one took tricks": (5, (*MADE, *ONE)),
    "two took tricks": (6, (*MADE, *TWO)),
    "three took tricks": (7, (*MADE, *THREE)),
    "four took tricks": (7, (*MADE, *FOUR)),
}
WITHOUT_TRUMP = {"without trump": (6, ("turn_up-diamonds", "maker-nobody", *FOUR))}
NOT_BID = {"thrown in": (3, ("turn_up-diamonds", "maker-nobody"))}
DROPPED = {
    "one dropped": (7, (*MADE, "dropped-1", "tricks-0-3", "tricks-2-1")),
    "two dropped": (7, (*MADE, "dropped-1", "dropped-3", "tricks-0-3")),
    "three dropped": (7, (*MADE, "dropped-1", "dropped-2", "dropped-3")),
}
# Naming the bid is one tap more.
BID = {way: (taps + 1, (*MADE, "bid-3", *controls[3:])) for way, (taps, controls) in (WITH_MAKER | DROPPED).items()}
THREE_PLAY = {
    "club turned": (4, (*CLUB, "tricks-0-2", "tricks-1-1")),
    "all in": (6, (*MADE, "tricks-0-3", "tricks-1-1")),
    "one dropped": (6, (*MADE, "dropped-1", "tricks-0-3")),
    "two dropped": (6, (*MADE, "dropped-1", "dropped-2")),
}
Ways = dict[str, tuple[int, tuple[str, ...]]]
WAYS: dict[str, Ways] = {
    "mensch": MENSCH | FORCED,
    "mensch-russian": MENSCH | THROWN_IN,
    "mensch-russian-printed": {way: MENSCH[way] for way in MENSCH if way not in ("after", "solo")} | THROWN_IN,
    "dirty-clubs": CLUB_TURNED | WITH_MAKER | WITHOUT_TRUMP,
    "buck-euchre": CLUB_TURNED | WITH_MAKER | WITHOUT_TRUMP | DROPPED,
    "buck-euchre-no-drop": CLUB_TURNED | WITH_MAKER | WITHOUT_TRUMP,
    "buck-euchre-bid": CLUB_TURNED | BID | NOT_BID,
    "buck-euchre-three": THREE_PLAY | NOT_BID,
}
"""For each ruleset, every way to play a deal: how many taps it takes, from the session's page and back, and on what."""


LONG_NAMES = ("Christopher", "Bartholomew", "Konstantin M.", "Maximiliane", "Wilhelmina")
AT_SEATS = ("declarer", "partner", "maker", "dropped", "tricks")


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


def at_seat(control: str, seats: list[str]) -> str:
    """A key as it is called where those who play sit on *seats*: their numbers go from 0 in what is written down."""
    field, value, *more = control.split("-")
    if field not in AT_SEATS or not value.isdigit() or (field == "tricks" and not more):
        return control
    return "-".join((field, seats[int(value)], *more))


def record(page: Page, written: tuple[str, ...]) -> int:
    """Record a deal from the page of its session; how many taps that took."""
    # The card turned up is the first tap where a deal begins with one.
    turned_up = [control for control in written if control.startswith("turn_up-")]
    page.wait_for_load_state()
    tap(page, f"#{turned_up[0].replace('turn_up', 'turned')}" if turned_up else "a.go")
    expect(page.locator("#record")).to_be_visible()
    page.wait_for_load_state()
    seats = page.locator("[name=declarer], [name=maker]").evaluate_all("keys => keys.map(key => key.value)")
    controls = [at_seat(control, seats) for control in written]
    taps = [control for control in controls if control not in turned_up]
    bar = page.locator(".bar").bounding_box()
    for control in taps:
        with previewed(page):
            tap(page, f"#{control}")
        # It covers nothing that it did not cover before.
        assert page.locator(".bar").bounding_box() == bar, control
    for control in controls:
        expect(page.locator(f"#{control}")).to_be_checked()
    expect(page.locator("#record")).to_be_enabled()
    tap(page, "#record")
    expect(page.locator("a.go")).to_be_visible()
    assert page.evaluate("scrollY") == 0
    return len(taps) + 2


def house_rules_of(rules: str) -> dict[str, object]:
    """A game that does not end while every way to play a deal is tried."""
    return {"start": 1000, "sweep": "counts"} if RULESETS[rules].several_games else {}


@pytest.mark.parametrize("rules", RULESETS)
def test_every_way_to_play_a_deal_takes_the_taps_written_down(
    phone: Page, server: Server, db: Session, rules: str
) -> None:
    card_game = RULESETS[rules].id
    session = make_session(db, card_game=card_game, ruleset=rules, house_rules=house_rules_of(rules), dealer=0)
    sit_down(phone, server, session)

    taps = {way: record(phone, controls) for way, (_, controls) in WAYS[rules].items()}

    assert taps == {way: written for way, (written, _) in WAYS[rules].items()}
    assert max(taps.values()) <= (7 if card_game == "mensch" else 8)
    assert taps.get("half", 0) <= 5


@pytest.mark.parametrize("rules", ["mensch", "dirty-clubs", "buck-euchre-bid"])
def test_long_names_and_a_dealer_who_sits_out_take_no_more(
    phone: Page, server: Server, db: Session, rules: str
) -> None:
    session = make_session(
        db,
        group=make_group(db, players=LONG_NAMES),
        card_game=RULESETS[rules].id,
        ruleset=rules,
        house_rules=house_rules_of(rules),
        dealer=0,
        seats=5,
    )
    sit_down(phone, server, session)

    taps = {way: record(phone, controls) for way, (_, controls) in WAYS[rules].items()}

    assert taps == {way: written for way, (written, _) in WAYS[rules].items()}


def test_every_contract_has_its_taps_written_down() -> None:
    for rules in ("mensch", "mensch-russian", "mensch-russian-printed"):
        game, published = ruleset(rules)
        (contract,) = (field for field in game.fields(game.open_table(published)) if field.name == "contract")
        pressed = {key for _, controls in WAYS[rules].values() for key in controls}
        # The first is chosen already.
        assert {f"contract-{choice}" for choice in contract.choices[1:]} <= pressed


@pytest.mark.parametrize(
    ("rules", "controls"),
    [
        ("mensch", HALF_MADE),
        ("mensch", MENSCH["five"][1]),
        ("dirty-clubs", WITHOUT_TRUMP["without trump"][1]),
        ("buck-euchre", DROPPED["one dropped"][1]),
        ("buck-euchre", CLUB_TURNED["club turned, four took tricks"][1]),
        ("buck-euchre-bid", BID["four took tricks"][1]),
    ],
)
@pytest.mark.parametrize("names", [NAMES, LONG_NAMES], ids=["short names", "long names"])
def test_every_key_is_large_enough_and_apart_from_the_next(
    phone: Page, server: Server, db: Session, names: tuple[str, ...], rules: str, controls: tuple[str, ...]
) -> None:
    group = make_group(db, players=names)
    sit_down(phone, server, make_session(db, group=group, card_game=RULESETS[rules].id, ruleset=rules))
    phone.goto(f"{phone.url}/deals/new")
    _measure_keys(phone)
    for control in controls:
        choose(phone, control)
        _measure_keys(phone)


def _measure_keys(page: Page) -> None:
    for width in (360, 320):
        page.set_viewport_size({"width": width, "height": 640})
        # Scrolled to the end, the bar with the last button lies over nothing.
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        boxes: list[tuple[float, float, float, float]] = page.locator(
            ".choice input, summary, .deal-title a, #record"
        ).evaluate_all(
            "keys => keys.filter(key => key.checkVisibility()).map(key => key.getBoundingClientRect())"
            "            .map(box => [box.left, box.right, box.top, box.bottom])"
        )
        assert min(right - left for left, right, _, _ in boxes) >= 44
        assert min(bottom - top for _, _, top, bottom in boxes) >= 44
        for one, other in combinations(boxes, 2):
            across = max(one[0], other[0]) - min(one[1], other[1])
            down = max(one[2], other[2]) - min(one[3], other[3])
            assert max(across, down) >= 7.9, (one, other)
    page.evaluate("scrollTo(0, 0)")


def test_on_a_phone_on_its_side_the_next_step_is_in_sight(phone: Page, server: Server, db: Session) -> None:
    session = make_session(db)
    phone.set_viewport_size({"width": 640, "height": 360})
    sit_down(phone, server, session)

    expect(phone.locator("#next")).to_be_in_viewport(ratio=1)
    phone.goto(f"{server.url}/sessions/{session.id}/deals/new")
    expect(phone.locator("#record")).to_be_in_viewport(ratio=1)
    expect(phone.locator("#contract-forced")).to_be_in_viewport(ratio=1)

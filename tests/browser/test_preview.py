"""The preview a phone makes by itself, from the data the page carries: always what the services would save."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import cycle, product
from typing import Any

import pytest
import sqlalchemy
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import select, update
from sqlalchemy.orm import Session
from sqlalchemy.pool import StaticPool

from scorekeeper.models import AnyRow, Deal, GameSession
from scorekeeper.queries import Rows
from scorekeeper.rules import NO_TRUMP, RULESETS, CardGame, DealScore, Facts, Refused, Table, ruleset
from scorekeeper.services.deals import RecordDeal, record_deal
from scorekeeper.web import amounts, sheet
from scorekeeper.web.entry import shown
from tests.browser.conftest import Server
from tests.browser.deals import brought, choose, expect_on_sheet, previewed
from tests.deals import every_deal
from tests.factories import NAMES, MadeSession, make_deal, make_group, make_session, submission_id

SUITS = ("clubs", "spades", "hearts", "diamonds")
IN_CLUBS = ("half", "after", "five-after", "six-after", "seven-after")
STAKES = {"stake_loser": 7, "stake_penalty": 2, "stake_point": 1}

ENTER = """cells => {
    const form = document.querySelector("form[data-preview]"), record = document.getElementById("record");
    const inputs = [...form.querySelectorAll("[data-field] input")].filter(input => !input.closest("#more"));
    const isTricks = input => input.closest(".number-rows") !== null;
    const text = element => element.textContent.trim();
    const wrong = [];
    for (const { keys, shown, said, numbers } of cells) {
        for (const input of inputs) if (isTricks(input)) input.checked = false;
        for (const key of keys.filter(key => !isTricks(document.getElementById(key)))) {
            const input = document.getElementById(key);
            if (!input.checked) input.click();
        }
        for (const input of inputs)
            if (input.type === "checkbox" && input.checked && !keys.includes(input.id)) input.click();
        for (const key of keys.filter(key => isTricks(document.getElementById(key))))
            document.getElementById(key).checked = true;
        form.dispatchEvent(new Event("change"));
        const found = [...form.querySelectorAll("[data-brings] .num")].map(text);
        const sees = [record.disabled, form.elements.previewed.value, text(document.getElementById("outcome")), found];
        if (JSON.stringify(sees) !== JSON.stringify([false, shown, said, numbers])) wrong.push([keys, sees]);
    }
    return wrong;
}"""
"""JavaScript: enters deals key by key, and returns those of which the page says anything else than it should."""


def sit_down(page: Page, server: Server, session: MadeSession) -> None:
    page.goto(f"{server.url}/open/{session.group.token}")
    page.goto(f"{server.url}/sessions/{session.id}/deals/new")


def cells(game: CardGame[Any], table: Table) -> Iterator[tuple[Facts, DealScore[Any]]]:
    """Every deal there can be; the suits of which any will do (with a maker in Dirty Clubs) take turns."""
    suits = cycle(product(SUITS[1:], SUITS))
    for facts in every_deal(game, table):
        if facts.get("turn_up") in SUITS[2:] or ("maker" in facts and facts["trump"] != SUITS[1]):
            continue
        turned, trump = next(suits) if "maker" in facts else ("", "")
        facts = {**facts, "turn_up": turned, "trump": trump} if turned else facts
        try:
            yield facts, game.play(facts, table)
        except Refused:
            continue


def keys(facts: Facts) -> list[str]:
    """The keys that enter a deal, without those that follow."""
    pressed = []
    for name, value in facts.items():
        if name == "passed_out" or (name == "trump" and value == NO_TRUMP):
            pressed.append("maker-nobody")
        elif name == "trump" and (facts.get("turn_up") == "clubs" or str(facts.get("contract")) in IN_CLUBS):
            continue
        elif name == "tricks" and isinstance(value, list):
            out: Any = facts.get("dropped", [])
            pressed += [f"tricks-{seat}-{taken}" for seat, taken in enumerate(value) if seat not in out]
        else:
            pressed += [f"{name}-{one}" for one in (value if isinstance(value, list) else [value])]
    return pressed


@contextmanager
def copy_of(server: Server) -> Iterator[Session]:
    """What the server stores, in memory: to try things that leave no trace."""
    engine = sqlalchemy.create_engine("sqlite://", poolclass=StaticPool)
    with closing(sqlite3.connect(server.stored)) as stored:
        stored.backup(engine.raw_connection().driver_connection)  # type: ignore[arg-type]
    with Session(engine) as db:
        yield db
    engine.dispose()


def saved(db: Session, session: MadeSession, deals: Iterable[Facts]) -> Rows:
    """Save each of *deals* at the table the session has now. Returns their rows."""
    this, command = GameSession.id == session.id, session.command(db)
    table, version = db.execute(select(GameSession.table, GameSession.version).where(this)).one()
    for done, facts in enumerate(deals):
        now = command | {"expected_version": version + done, "submission_id": submission_id()}
        record_deal(db, RecordDeal(**now, facts=facts))
        db.execute(update(GameSession).where(this).values(table=table))
        db.commit()
    rows = select(*Deal.__table__.columns).where(Deal.session_id == session.id).order_by(Deal.number)
    return db.execute(rows).all()


def numbers(game: CardGame[Any], deal: AnyRow) -> list[str]:
    """What stands beside the names: each player's change and the total after it."""
    shown = [
        (amounts.change(change, game.unit).text, amounts.total(total, game.unit).text)
        for change, total in zip(deal.points, deal.totals, strict=True)
    ]
    return [text for pair in shown for text in pair]


@pytest.mark.parametrize("ruleset_id", RULESETS)
def test_every_deal_that_can_be_entered_is_previewed_as_it_is_saved(
    phone: Page, server: Server, db: Session, ruleset_id: str
) -> None:
    game, rules = ruleset(ruleset_id)
    house_rules = {"start": 6, **STAKES} if game.several_games else {}
    session = make_session(db, card_game=game.id, ruleset=ruleset_id, house_rules=house_rules, dealer=0)
    table = game.open_table(game.with_house_rules(rules, house_rules))
    sit_down(phone, server, session)
    asked: list[str] = []
    phone.on("request", lambda request: asked.append(request.url) if request.method == "POST" else None)

    with copy_of(server) as copy:
        every = list(cells(game, table))
        deals = saved(copy, session, (facts for facts, _ in every))

    expected = [
        {
            "keys": keys(facts),
            "shown": shown(deal.points, deal.chips, deal.winners),
            "said": " ".join(sheet.read_back(score, NAMES)),
            "numbers": numbers(game, deal),
        }
        for (facts, score), deal in zip(every, deals, strict=True)
    ]
    assert len(expected) > 100
    assert phone.evaluate(ENTER, expected) == []
    assert asked == []


SAVED = {
    "mensch": (("declarer-0", "partner-2", "tricks-8"), ("contract-solo", "declarer-3", "trump-clubs", "tricks-7")),
    "mensch-russian": (("contract-seven-after", "declarer-1", "tricks-7"),),
    "mensch-russian-printed": (("contract-five", "declarer-2", "trump-clubs", "tricks-8"),),
    "dirty-clubs": (
        ("turn_up-clubs", "tricks-0-2", "tricks-1-2", "tricks-2-1"),
        ("turn_up-hearts", "maker-nobody", "tricks-3-4", "tricks-0-1"),
        ("turn_up-hearts", "maker-1", "trump-spades", "tricks-1-5"),
    ),
    "buck-euchre": (
        ("turn_up-hearts", "maker-3", "trump-hearts", "dropped-0", "dropped-1", "dropped-2"),
        ("turn_up-hearts", "maker-3", "trump-hearts", "dropped-0", "tricks-1-3", "tricks-3-2"),
    ),
    "buck-euchre-no-drop": (("turn_up-spades", "maker-0", "trump-clubs", "tricks-0-2", "tricks-1-3"),),
    "buck-euchre-bid": (
        ("turn_up-spades", "maker-2", "trump-diamonds", "bid-4", "dropped-0", "tricks-2-4", "tricks-1-1"),
        ("turn_up-spades", "maker-nobody"),
    ),
    "buck-euchre-three": (("turn_up-clubs", "tricks-0-1", "tricks-1-4"),),
}


@pytest.mark.parametrize("ruleset_id", RULESETS)
def test_what_is_saved_stands_on_the_sheet_as_it_was_previewed(
    phone: Page, server: Server, db: Session, ruleset_id: str
) -> None:
    session = make_session(db, card_game=RULESETS[ruleset_id].id, ruleset=ruleset_id, dealer=0)
    sit_down(phone, server, session)

    for number, controls in enumerate(SAVED[ruleset_id], 1):
        phone.goto(f"{server.url}/sessions/{session.id}/deals/new")
        choose(phone, *controls)
        shown = brought(phone)
        assert shown
        phone.locator("#record").tap()
        expect(phone.get_by_role("button", name=f"Undo deal {number}")).to_be_visible()
        expect_on_sheet(phone, number, shown)


def test_a_correction_is_previewed_beside_what_it_replaces(phone: Page, server: Server, db: Session) -> None:
    session = make_session(db)
    make_deal(db, session)
    sit_down(phone, server, session)
    phone.goto(f"{server.url}/sessions/{session.id}/deals/1/correct")

    choose(phone, "tricks-4")

    assert brought(phone)["Ann"] == ("+1 → −2", "−2")
    phone.locator("#record").tap()
    expect(phone.get_by_text("Deal 1 is corrected")).to_be_visible()


@pytest.mark.parametrize("seats", [4, 5, 6])
def test_what_a_correction_replaces_is_legible_for_each_at_320_px(
    phone: Page, server: Server, db: Session, seats: int
) -> None:
    session = make_session(db, group=make_group(db, players=(*NAMES, "Eve", "Fay")), seats=seats, dealer=3)
    made = {"contract": "solo", "declarer": 1, "trump": "clubs", "tricks": 8}
    make_deal(db, session, made)
    sit_down(phone, server, session)
    phone.set_viewport_size({"width": 320, "height": 640})
    phone.goto(f"{server.url}/sessions/{session.id}/deals/1/correct")

    choose(phone, "tricks-7")

    assert brought(phone)["Ben"] == ("+24 → −24", "−24")
    assert phone.evaluate("document.documentElement.scrollWidth") == 320
    edges = phone.locator(".amounts .brings > .num").evaluate_all(
        """numbers => numbers.map(number => {
            const drawn = document.createRange();
            drawn.selectNodeContents(number);
            const column = number.closest(".amounts > div");
            return [drawn.getBoundingClientRect().right, column.getBoundingClientRect().right];
        })"""
    )
    assert len(edges) == seats
    assert [text - column for text, column in edges if text > column] == []


def test_the_form_follows_without_a_network(browser: Browser, server: Server, db: Session) -> None:
    phone = browser.new_page(has_touch=True, viewport={"width": 360, "height": 640})
    sit_down(phone, server, make_session(db))
    phone.context.set_offline(True)

    choose(phone, "contract-five", "declarer-1", "trump-spades", "tricks-8")
    assert brought(phone)["Ben"] == ("+6", "+6")
    choose(phone, "contract-half", "partner-3", "tricks-4")
    assert brought(phone) == {"Ann": ("+2", "+2"), "Ben": ("−2", "−2"), "Cleo": ("+2", "+2"), "Dan": ("−2", "−2")}

    expect(phone.locator("#record")).to_be_enabled()
    expect(phone.locator("[data-offline]")).to_be_hidden()
    phone.locator("#why-so").tap()
    expect(phone.locator("[data-offline]")).to_be_visible()
    phone.context.set_offline(False)
    # It asks again by itself; the answer takes the place of what is shown.
    expect(phone.locator("[data-offline]")).to_be_hidden()
    expect(phone.locator("#why li")).not_to_have_count(0)
    choose(phone, "tricks-5")
    expect(phone.locator("#why li").nth(1)).to_have_text("5 of 8 tricks were taken, and 5 needed: made.")
    phone.context.close()


def test_keys_keep_their_places_and_say_what_cannot_be_chosen(phone: Page, server: Server, db: Session) -> None:
    sit_down(phone, server, make_session(db))
    places = phone.locator("[name=partner]")
    before = [box.bounding_box() for box in places.all()]

    choose(phone, "declarer-1")

    assert [box.bounding_box() for box in places.all()] == before
    assert [box.is_disabled() for box in places.all()] == [False, True, False, False]
    choose(phone, "partner-3", "declarer-3")
    expect(phone.locator("#partner-3")).not_to_be_checked()
    expect(phone.locator("#record")).to_have_text("Who is the partner?")
    expect(phone.locator("#trump-clubs")).to_be_checked()
    assert phone.locator("#trump-hearts").is_disabled()
    choose(phone, "contract-five")
    expect(phone.locator("#partner")).to_be_hidden()
    expect(phone.locator("#trump-clubs")).not_to_be_checked()
    assert phone.locator("#trump-hearts").is_enabled()


def test_no_more_tricks_can_be_given_than_are_left(phone: Page, server: Server, db: Session) -> None:
    sit_down(phone, server, make_session(db, card_game="dirty-clubs", ruleset="buck-euchre"))
    choose(phone, "turn_up-spades", "maker-0", "trump-hearts", "tricks-0-2")

    assert [key.is_disabled() for key in phone.locator("[name=tricks-1]").all()] == [False] * 4 + [True] * 2
    expect(phone.locator("#tricks-0 legend")).to_have_text("Ann owes 3")
    choose(phone, "tricks-2-3")
    expect(phone.locator("#tricks-1 legend")).to_have_text("Ben 0: what is left")
    assert brought(phone)["Dan"] == ("+5", "30")
    choose(phone, "dropped-3")
    expect(phone.locator("#tricks-3-0")).to_be_disabled()
    expect(phone.locator("#tricks-3 legend")).to_have_text("Dan Dropped out")
    assert brought(phone)["Dan"] == ("0", "25")
    choose(phone, "tricks-2-1", "tricks-1-1")
    expect(phone.locator("#record")).to_have_text("This does not fit yet")
    expect(phone.locator("#outcome strong")).to_have_text(
        "The tricks add up to 4; they must add up to 5: one is missing."
    )


def test_what_is_noted_beside_a_deal_is_looked_at_by_the_server(phone: Page, server: Server, db: Session) -> None:
    sit_down(phone, server, make_session(db))
    choose(phone, "declarer-0", "partner-2", "tricks-5")
    phone.locator("#more-note").tap()

    with previewed(phone):
        phone.locator("#called_card").select_option("QC")

    expect(phone.locator("#called_card-error")).to_be_visible()
    expect(phone.locator("#record")).to_be_disabled()
    with previewed(phone):
        phone.locator("#called_card").select_option("AS")
    expect(phone.locator("#called_card-error")).to_have_count(0)
    phone.locator("#record").tap()
    expect(phone.get_by_role("button", name="Undo deal 1")).to_be_visible()


def test_where_too_much_can_happen_the_server_is_asked(phone: Page, server: Server, db: Session) -> None:
    house_rules = {"all_guessers": True}
    sit_down(phone, server, make_session(db, card_game="dirty-clubs", house_rules=house_rules))
    choose(phone, "turn_up-spades", "maker-0", "trump-hearts", "tricks-0-2", "tricks-2-3")
    with previewed(phone):
        phone.locator("#named-1").select_option("hearts")

    assert brought(phone)["Ben"] == ("+5", "30")
    phone.locator("#record").tap()
    expect(phone.get_by_role("button", name="Undo deal 1")).to_be_visible()


TOO_NEW = """
    delete AbortSignal.any; delete AbortSignal.timeout;
    delete HTMLFormElement.prototype.requestSubmit; delete SubmitEvent.prototype.submitter;
    for (const name of ["ariaBusy", "checkVisibility"]) delete Element.prototype[name];
"""
"""JavaScript: takes away what browsers of the last years do not all have."""


HOLD = """() => {
    const ask = window.fetch;
    window.held = [];
    window.fetch = (address, options) => {
        if (!String(address).endsWith("/preview")) return ask(address, options);
        return new Promise((answer, fail) => {
            options.signal.addEventListener("abort", () => fail(new Error("aborted")));
            window.held.push(() => void answer(ask(address, options)));
        });
    };
}"""
"""JavaScript: keeps what the server is asked about a preview until it is let go."""
LET_GO = "held.shift()()"


@pytest.fixture
def made(phone: Page, server: Server, db: Session) -> MadeSession:
    """A session on whose form a Half that was made is entered."""
    session = make_session(db)
    sit_down(phone, server, session)
    choose(phone, "declarer-0", "partner-2", "tricks-5")
    phone.locator("#more-note").tap()
    return session


def test_open_reasons_are_asked_for_once_and_only_where_there_are_any(phone: Page, server: Server, db: Session) -> None:
    sit_down(phone, server, make_session(db))
    asked: list[str] = []
    phone.on("request", lambda request: asked.append(request.url) if request.method == "POST" else None)
    choose(phone, "declarer-0", "partner-2", "tricks-5")
    phone.locator("#why-so").tap()
    expect(phone.locator("#why li").nth(1)).to_be_visible()
    assert len(asked) == 1

    choose(phone, "contract-five")
    expect(phone.locator("#why")).to_be_hidden()
    choose(phone, "contract-six", "trump-spades")
    expect(phone.locator("#why")).not_to_have_attribute("open", "")
    phone.locator("#why-so").tap()
    expect(phone.locator("#why li").nth(1)).to_be_visible()
    choose(phone, "tricks-6")
    expect(phone.locator("#why li").nth(1)).to_contain_text("6")

    assert len(asked) == 3


@pytest.mark.parametrize("without", ["", TOO_NEW], ids=["all", "without the newest"])
def test_a_tap_waits_for_the_server_and_is_not_lost(phone: Page, server: Server, db: Session, without: str) -> None:
    phone.add_init_script(without)
    sit_down(phone, server, make_session(db))
    choose(phone, "declarer-0", "partner-2", "tricks-5")
    phone.locator("#more-note").tap()
    phone.evaluate(HOLD)
    phone.locator("#called_card").select_option("AS")

    phone.locator("#record").tap()
    phone.locator("#record").tap()
    expect(phone.locator("form[data-preview]")).to_have_attribute("aria-busy", "true")
    assert phone.evaluate("held.length") == 1
    phone.evaluate(LET_GO)

    expect(phone.get_by_role("button", name="Undo deal 1")).to_be_visible()


def test_a_tap_is_not_lost_with_the_question_it_waits_for(phone: Page, made: MadeSession) -> None:
    phone.evaluate(HOLD)
    phone.locator("#called_card").select_option("AS")
    phone.locator("#record").tap()

    assert phone.evaluate("held.length") == 1
    phone.locator("#called_card").select_option("")

    expect(phone.get_by_role("button", name="Undo deal 1")).to_be_visible()


def test_a_tap_on_what_the_server_refuses_saves_nothing(phone: Page, made: MadeSession) -> None:
    phone.evaluate(HOLD)
    phone.locator("#called_card").select_option("QC")
    phone.locator("#record").tap()
    phone.evaluate(LET_GO)

    expect(phone.locator("#called_card-error")).to_be_visible()
    expect(phone.locator("#record")).to_be_disabled()
    phone.locator("#called_card").select_option("AS")
    phone.evaluate(LET_GO)
    expect(phone.locator("#record")).to_be_enabled()
    phone.locator("#record").tap()
    expect(phone.get_by_role("button", name="Undo deal 1")).to_be_visible()


@pytest.mark.parametrize("without", ["", TOO_NEW], ids=["all", "without the newest"])
def test_a_server_that_does_not_answer_in_time_leaves_the_form_usable(
    phone: Page, server: Server, db: Session, without: str
) -> None:
    phone.add_init_script(without)
    phone.clock.install()
    sit_down(phone, server, make_session(db))
    choose(phone, "declarer-0", "partner-2", "tricks-5")
    phone.locator("#more-note").tap()
    phone.evaluate(HOLD)
    phone.locator("#called_card").select_option("AS")
    expect(phone.locator("form[data-preview]")).to_have_attribute("aria-busy", "true")

    phone.clock.fast_forward(9000)

    expect(phone.locator("[data-offline]")).to_be_visible()
    expect(phone.locator("form[data-preview]")).not_to_have_attribute("aria-busy", "true")
    phone.locator("#record").tap()
    expect(phone.get_by_role("button", name="Undo deal 1")).to_be_visible()


def test_what_the_server_says_stands_where_changes_are_announced(phone: Page, made: MadeSession) -> None:
    announced = phone.locator("#outcome[role=status]")
    element = announced.element_handle()

    with previewed(phone):
        phone.locator("#called_card").select_option("QC")

    expect(announced).to_contain_text("The called card may not be a trump")
    assert announced.evaluate("(now, before) => now === before", element)


def test_what_is_wanting_is_announced(phone: Page, server: Server, db: Session) -> None:
    sit_down(phone, server, make_session(db))
    choose(phone, "declarer-0")

    expect(phone.get_by_role("status").filter(has_text="Who is the partner?")).to_have_count(1)


def test_a_refusal_has_the_focus(browser: Browser, server: Server, db: Session) -> None:
    phone = browser.new_page(has_touch=True, viewport={"width": 360, "height": 640})
    sit_down(phone, server, make_session(db))
    choose(phone, "declarer-0", "partner-2", "tricks-5")
    phone.locator("#more-note").tap()
    with previewed(phone):
        phone.locator("#called_card").select_option("QC")

    with phone.expect_navigation():
        phone.locator("form[data-preview]").evaluate("form => form.submit()")

    expect(phone.locator("#problems")).to_be_focused()
    phone.locator("#problems a").tap()
    expect(phone.locator("#called_card")).to_be_in_viewport()
    phone.context.close()

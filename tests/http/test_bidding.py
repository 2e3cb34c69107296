"""The bidding, tapped as it is said: every key is a link, and the deal that comes of it can be recorded."""

import random
from datetime import date

import pytest
from flask import Flask
from sqlalchemy import select
from sqlalchemy.orm import Session
from werkzeug.datastructures import MultiDict

from scorekeeper.models import Player
from scorekeeper.rules import CARD_GAMES, RULESETS, Seat, ruleset
from scorekeeper.services.deals import DeclareDeal, declare_deal
from scorekeeper.services.sessions import OpenSession, close_session, open_session
from scorekeeper.web import tags
from scorekeeper.web.bidding import answers_of
from scorekeeper.web.entry import facts_from
from tests.deals import bidding
from tests.factories import MadeSession, make_group, make_session, submission_id
from tests.http.conftest import Host
from tests.http.deals import deal_form, deals_of
from tests.http.visitor import Page


@pytest.fixture
def session(db: Session, host: Host) -> MadeSession:
    """Mensch; Dan deals."""
    return make_session(db, group=host.group)


@pytest.fixture
def clubs(db: Session, host: Host) -> MadeSession:
    """Dirty Clubs; Dan deals."""
    return make_session(db, group=host.group, card_game="dirty-clubs")


def start(host: Host, session: MadeSession, say: str = "") -> Page:
    return host.get(f"/sessions/{session.id}/bidding", query_string={"say": say} if say else {})


def tap(page: Page, *keys: str) -> Page:
    for key in keys:
        (link,) = [link for link in page.soup.select(".bids a") if link.get_text(" ", strip=True) == key]
        page = page.visitor.get(str(link["href"]))
        assert page.status == 200
    return page


def offered(page: Page) -> list[str]:
    return [link.get_text(" ", strip=True) for link in page.soup.select(".bids a")]


def asked(page: Page) -> str:
    """What is asked, or what the bidding has come to."""
    heading = page.soup.select_one("h2")
    assert heading is not None
    assert str(page.soup.title).startswith(f"<title>{heading.get_text()} – ")
    return heading.get_text()


def said(page: Page) -> dict[str, str]:
    """What everybody said, at their seats."""
    return {
        seat.select("bdi")[0].get_text(): seat.select(".said")[0].get_text(" ", strip=True)
        for seat in page.soup.select(".seat")
    }


def test_a_game_of_which_nobody_wrote_down_how_it_is_bid_has_no_bidding(
    host: Host, session: MadeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/sessions/{session.id}"
    link = f'a[href="{path}/bidding"]'
    assert host.get(path).soup.select(link)
    monkeypatch.setattr(CARD_GAMES["mensch"], "course", None)
    tags.init_app(host.app)
    assert not host.get(path).soup.select(link)
    assert host.get(f"{path}/bidding").status == 404


def test_each_tap_is_a_bid_and_the_next_player_is_asked(host: Host, session: MadeSession) -> None:
    page = start(host, session)

    assert asked(page) == "What does Ann bid?"
    assert offered(page) == ["Half", "Five", "Six", "Seven", "Solo", "Pass"]
    assert "With three clubs or more, Ann must bid Half at least." in page.text
    page = tap(page, "Pass", "Half")
    assert asked(page) == "What does Cleo bid?"
    assert offered(page) == ["After", "Five", "Six", "Seven", "Solo", "Pass"]
    assert said(page) == {"Ann": "Pass", "Ben": "Half", "Cleo": "", "Dan": ""}
    assert [seat.select("bdi")[0].get_text() for seat in page.soup.select("[aria-current]")] == ["Cleo"]


def test_the_last_bid_can_be_taken_back(host: Host, session: MadeSession) -> None:
    page = tap(start(host, session), "Pass", "Half").follow("Take back")

    assert asked(page) == "What does Ben bid?"
    page = page.follow("Take back")
    assert asked(page) == "What does Ann bid?"
    assert "Take back" not in page.text


def test_the_deal_that_was_bid_is_recorded_with_its_bidding(host: Host, db: Session, session: MadeSession) -> None:
    page = tap(start(host, session), "Pass", "Half", "Five", "Pass")

    assert asked(page) == "Cleo plays Five."
    assert offered(page) == []
    assert "Cleo names the trump suit." in page.text
    form = deal_form(page.follow("Record this deal"))
    assert (form.data["contract"], form.data["declarer"]) == ("five", "2")
    page = form.fill(trump="spades", tricks=6).submit("Show the payments")
    deal_form(page).submit("Record")
    (deal,) = deals_of(db, session.id)
    assert deal.facts == {
        "contract": "five",
        "declarer": 2,
        "trump": "spades",
        "tricks": 6,
        "auction": [[0, "pass"], [1, "half"], [2, "five"], [3, "pass"]],
    }


def test_a_guessed_suit_is_recorded_with_what_everybody_named(host: Host, db: Session, clubs: MadeSession) -> None:
    page = start(host, clubs)

    assert asked(page) == "Which suit does Dan turn up?"
    page = tap(page, "Hearts")
    assert asked(page) == "Which suit does Ann name?"
    page = tap(page, "Spades", "Spades", "Clubs", "Diamonds")
    assert asked(page) == "Which suit does Dan open?"
    page = tap(page, "Hearts", "Spades")
    assert asked(page) == "Ann is the maker and owes 3 tricks: Spades."
    assert said(page) == {"Ann": "Spades", "Ben": "Spades", "Cleo": "Clubs", "Dan": "Diamonds"}
    form = deal_form(page.follow("Record this deal"))
    page = form.fill(**{f"tricks-{seat}": taken for seat, taken in enumerate((3, 1, 1, 0))}).submit("Show the payments")
    deal_form(page).submit("Record")
    (deal,) = deals_of(db, clubs.id)
    assert deal.facts == {
        "turn_up": "hearts",
        "maker": 0,
        "trump": "spades",
        "named": ["spades", "spades", "clubs", "diamonds"],
        "opened": ["hearts", "spades"],
        "tricks": [3, 1, 1, 0],
    }


@pytest.mark.parametrize("rules", RULESETS)
def test_the_deal_form_understands_whatever_a_bidding_comes_to(rules: str) -> None:
    game, published = ruleset(rules)
    table = game.open_table(published)
    for seed in range(30):
        chance = random.Random(seed)
        now = bidding(game, table, ())
        while now.facts is None:
            word = now.choices[-1] if chance.random() < 0.6 else chance.choice(now.choices)
            now = bidding(game, table, [*(saying.word for saying in now.said), word])
        sent = MultiDict({name: str(answer) for name, answer in answers_of(now.facts).items()})
        assert facts_from(sent, game, table) == now.facts


@pytest.mark.parametrize(
    ("say", "question"),
    [
        ("nonsense", "What does Ann bid?"),
        ("half.half.six", "What does Ben bid?"),
        ("half..six", "What does Ben bid?"),
        ("half.pass\x00", "What does Ben bid?"),
        ("half." * 2000, "What does Ben bid?"),
        ("<img src=x onerror=alert(1)>", "What does Ann bid?"),
        ("pass.half.five.pass.solo", "Cleo plays Five."),
    ],
)
def test_an_address_with_something_nobody_can_say_shows_what_was_said_before(
    host: Host, session: MadeSession, say: str, question: str
) -> None:
    page = start(host, session, say)

    assert page.status == 200
    assert asked(page) == question


def test_whoever_deals_by_hand_is_the_dealer_of_the_bidding(host: Host, db: Session, session: MadeSession) -> None:
    declare_deal(db, DeclareDeal(**session.command(db), facts={"dealer": 0}))

    page = start(host, session)

    assert asked(page) == "What does Ben bid?"
    assert "Ann deals" in page.text


def test_a_player_too_many_sits_out(app: Flask, db: Session) -> None:
    group = make_group(db, players=("Ann", "Ben", "Cleo", "Dan", "Eve"))
    game, rules = ruleset("mensch")
    players = db.scalars(select(Player.id).where(Player.group_id == group.group_id).order_by(Player.id)).all()
    db.rollback()
    command = OpenSession(
        group_id=group.group_id,
        link_id=group.link_id,
        submission_id=submission_id(),
        name="Five of us",
        card_game=game.id,
        ruleset=rules,
        players=tuple(players),
        dealer=Seat(3),
        started_on=date(2026, 11, 26),
    )

    page = start(Host(app, group), MadeSession(open_session(db, command), group))

    assert asked(page) == "What does Eve bid?"
    assert said(page) == {"Ann": "", "Ben": "", "Cleo": "", "Dan": "sits out", "Eve": ""}
    assert "Dan deals" in page.text


def test_there_is_nothing_to_bid_in_a_session_that_has_ended(host: Host, db: Session, session: MadeSession) -> None:
    close_session(db, session.plain_command(db))

    page = start(host, session)

    assert page.path == f"/sessions/{session.id}"

"""A deal is declared when the bidding ends, and recorded when the tricks are counted."""

import json
from collections.abc import Callable

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.models import GameSession
from scorekeeper.services.check import differences
from scorekeeper.services.sessions import close_session
from tests.factories import HALF_MADE, MadeSession, make_deal, make_session
from tests.http.conftest import Host
from tests.http.evidence import dump
from tests.http.visitor import Form, Page

CALLING: dict[str, str | int] = {"contract": "half", "declarer": 0, "called_card": "AS"}


def declare_form(host: Host, session: MadeSession) -> Form:
    return host.get(f"/sessions/{session.id}/deals/declare").form("/deals/declare")


def declare(host: Host, session: MadeSession, **facts: str | int) -> Page:
    form = declare_form(host, session)
    for name, value in facts.items():
        form.data.setlist(name, [str(value)])
    return form.submit()


def declared(db: Session, session: MadeSession) -> object:
    db.rollback()
    return db.scalar(select(GameSession.declared).where(GameSession.id == session.id))


def test_it_stands_on_the_page_of_the_session_until_it_is_recorded(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = declare(host, session, contract="five", declarer=1, trump="spades")

    assert page.path == f"/sessions/{session.id}"
    assert "Five, Spades: Ben" in page.text
    assert declared(db, session) == {"contract": "five", "declarer": 1, "trump": "spades"}
    assert page.follow("Record deal 1").form("/deals").data["contract"] == "five"

    make_deal(db, session, {"contract": "five", "declarer": 1, "trump": "spades", "tricks": 5})
    assert declared(db, session) is None
    assert "Five, Spades: Ben" in host.get(f"/sessions/{session.id}").text
    assert list(differences(db)) == []


def test_the_form_to_record_it_is_filled_in_already(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    declare(host, session, contract="five", declarer=1, trump="spades")
    form = host.get(f"/sessions/{session.id}/deals/new").form("/deals")
    assert {name: form.data.get(name) for name in ("contract", "declarer", "trump")} == {
        "contract": "five",
        "declarer": "1",
        "trump": "spades",
    }


def test_it_says_what_each_ending_would_bring(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = declare(host, session, contract="five", declarer=1, trump="clubs").follow("What would it pay?")
    table = page.soup.select_one(".payoffs")
    assert table is not None
    rows = [[cell.get_text(" ", strip=True) for cell in row.select("th, td")] for row in table.select("tbody tr")]
    assert rows == [
        ["Five in clubs"],
        ["0–4 Set", "−6", "+2"],
        ["5–7 Made", "+6", "−2"],
        ["8 Made", "+12", "−4"],
    ]


def test_a_called_partner_stays_sealed_until_the_deal_is_recorded(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    declare(host, session, **CALLING, partner=2, tricks=5)

    assert declared(db, session) == CALLING
    pages = ["", "/board", "/table", "/chart", "/deals", "/deals/declare", "/export", "/seats/0/why"]
    for path in pages:
        page = host.get(f"/sessions/{session.id}{path}")
        assert page.status == 200
        if path == "/export":
            assert "AS" not in page.response.get_data(as_text=True)
            assert len(json.loads(page.response.data)["events"]) == 1
        for form in page.forms():
            assert not form.data.get("partner")
    assert "Called: the ace of spades" in host.get(f"/sessions/{session.id}").text
    assert "Called: the ace of spades" in host.get(f"/sessions/{session.id}/table").text
    assert not host.get(f"/sessions/{session.id}/deals/new").form("/deals").data.get("partner")


def test_where_the_table_agrees_on_partners_everybody_knows_them(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, ruleset="mensch-russian-printed")
    declare(host, session, contract="half", declarer=0, partner=2)
    assert declared(db, session) == {"contract": "half", "declarer": 0, "partner": 2}


def test_it_can_be_changed_and_dropped(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    declare(host, session, contract="five", declarer=1, trump="spades")
    page = declare(host, session, contract="six", declarer=2)
    assert declared(db, session) == {"contract": "six", "declarer": 2, "trump": "spades"}

    page.form("/misdeal").submit("Drop")

    assert declared(db, session) is None
    assert list(differences(db)) == []


def test_what_was_declared_can_be_corrected_while_it_is_recorded(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    declare(host, session, contract="five", declarer=1, trump="spades")
    make_deal(db, session, HALF_MADE)
    assert declared(db, session) is None


@pytest.mark.parametrize(
    ("facts", "fields"),
    [
        ({}, {"declarer"}),
        ({"contract": "five", "declarer": 1}, {"trump"}),
        ({"contract": "half", "declarer": 0, "called_card": "QC"}, {"called_card"}),
        ({"contract": "half", "declarer": 9}, {"declarer"}),
    ],
)
def test_it_refuses_what_cannot_have_been_bid_and_writes_nothing(
    host: Host, db: Session, facts: dict[str, str | int], fields: set[str]
) -> None:
    session = make_session(db, group=host.group)
    before = dump(db)
    page = declare(host, session, **facts)
    assert page.status == 422
    assert page.errors().keys() == fields
    assert dump(db) == before


def test_cards_that_are_thrown_in_are_no_deal_to_be_played(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, ruleset="mensch-russian")
    page = declare(host, session, contract="passed-out")
    assert page.status == 422
    assert declared(db, session) is None


@pytest.mark.parametrize(
    ("ruleset", "facts", "says"),
    [
        ("dirty-clubs", {"turn_up": "clubs"}, "Clubs turned up"),
        ("dirty-clubs", {"turn_up": "spades", "maker": 2, "trump": "hearts"}, "Hearts: Cleo"),
        ("buck-euchre-bid", {"turn_up": "spades", "maker": 2, "trump": "hearts", "bid": 4}, "Hearts: Cleo bid 4"),
    ],
)
def test_dirty_clubs_is_declared_too(
    host: Host, db: Session, ruleset: str, facts: dict[str, str | int], says: str
) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs", ruleset=ruleset)
    page = declare(host, session, **facts)
    assert says in page.text
    assert declared(db, session) == facts


def test_it_refuses_a_stale_form_and_keeps_what_was_entered(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = declare_form(host, session)
    form.data.setlist("contract", ["solo"])
    make_deal(db, session)
    before = dump(db)
    page = form.submit()
    assert page.status == 409
    assert "The session has changed meanwhile" in page.text
    assert page.form("/deals/declare").data.get("contract") == "solo"
    assert dump(db) == before


def test_sent_twice_it_acts_once(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = declare_form(host, session)
    for name, value in {"contract": "five", "declarer": "1", "trump": "spades"}.items():
        form.data.setlist(name, [value])
    form.submit()
    before = dump(db)
    assert form.submit().status == 200
    assert dump(db) == before


def test_a_misdeal_ends_it_and_whoever_dealt_out_of_turn_deals_again(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    host.get(f"/sessions/{session.id}/seats").form("/dealer").fill(dealer=1).submit().form("/dealer").submit("Keep it")
    declare(host, session, contract="five", declarer=1, trump="spades")
    assert declared(db, session) == {"dealer": 1, "contract": "five", "declarer": 1, "trump": "spades"}

    page = host.get(f"/sessions/{session.id}").form("/misdeal").submit("Misdeal")

    assert declared(db, session) is None
    assert "Ben deals" in page.text
    assert list(differences(db)) == []


def end_session(db: Session, session: MadeSession) -> None:
    close_session(db, session.plain_command(db))


def end_game(db: Session, session: MadeSession) -> None:
    make_deal(db, session, {"turn_up": "clubs", "tricks": [5, 0, 0, 0]})


@pytest.mark.parametrize("end", [end_session, end_game])
def test_an_ended_session_and_an_ended_game_declare_nothing(
    host: Host, db: Session, end: Callable[[Session, MadeSession], None]
) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")
    form = declare_form(host, session)
    form.data.setlist("turn_up", ["clubs"])
    end(db, session)
    before = dump(db)

    answers = [host.get(f"/sessions/{session.id}/deals/declare"), form.submit("Show the"), form.submit()]

    assert [page.path for page in answers] == [f"/sessions/{session.id}"] * 3
    assert [page.status for page in answers] == [200] * 3
    assert dump(db) == before


@pytest.mark.parametrize(("act", "target"), [("Declare", "declared"), ("Drop", "next")])
def test_whoever_declares_or_drops_is_led_to_what_is_next(host: Host, db: Session, act: str, target: str) -> None:
    session = make_session(db, group=host.group)
    page = declare(host, session, contract="five", declarer=1, trump="spades")
    if act == "Drop":
        page = page.form("/misdeal").submit("Drop")

    assert page.response.history[-1].location == f"/sessions/{session.id}#{target}"
    assert page.soup.select(f"#{target}:is(a, [tabindex='-1'])")


def test_strangers_see_nothing(stranger: Host, db: Session) -> None:
    session = make_session(db)
    assert stranger.get(f"/sessions/{session.id}/deals/declare").status == 404

"""The page of a session."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from threading import Barrier

import pytest
from flask import Flask, template_rendered
from jinja2 import Template
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from scorekeeper import queries
from scorekeeper.models import GameSession
from scorekeeper.rules import MISDEAL, Facts
from scorekeeper.services.deals import DeclareDeal, declare_deal
from scorekeeper.services.groups import Role
from scorekeeper.services.sessions import close_session
from scorekeeper.services.transaction import take_pen
from scorekeeper.web import tags
from tests.factories import CLUB_TURNED, HALF_MADE, NAMES, make_deal, make_link, make_session
from tests.http.conftest import Host
from tests.http.deals import seat, seated
from tests.http.visitor import Page

THROWN_IN: Facts = {"contract": "passed-out"}


def numbers(page: Page) -> list[int]:
    """The deals on the sheet, in order."""
    return [int(row.select(".no")[0].find_all(string=True)[-1]) for row in page.soup.select(".sheet tbody")]


def test_a_new_session_shows_the_table_and_the_first_step(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    page = host.get(f"/sessions/{session.id}")

    assert seated(page) == {"Ann": "0", "Ben": "0", "Cleo": "0", "Dan": "0"}
    assert "Deal 1 · Dan deals" in page.text
    assert "Dan deals first." in page.text
    assert page.link("Record deal 1") == f"/sessions/{session.id}/deals/new"
    assert "No deal has been recorded yet." in page.text


@pytest.mark.parametrize(
    ("deals", "reason"),
    [
        ([HALF_MADE], "Dan dealt deal 1; Ann sits next, clockwise."),
        ([HALF_MADE, THROWN_IN], "Deal 2 was thrown in, so Ann deals again."),
        ([HALF_MADE, MISDEAL], "Deal 2 was a misdeal, so Ann deals again."),
        ([MISDEAL, HALF_MADE], "Dan dealt deal 2; Ann sits next, clockwise."),
    ],
)
def test_it_says_whose_deal_it_is_and_why(host: Host, db: Session, deals: list[Facts], reason: str) -> None:
    session = make_session(db, group=host.group, ruleset="mensch-russian")
    for facts in deals:
        make_deal(db, session, facts)

    assert reason in host.get(f"/sessions/{session.id}").text


def test_a_thrown_in_deal_may_pass_the_deal_on(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, house_rules={"passed_out": "next-dealer"})
    make_deal(db, session, THROWN_IN)

    assert "Deal 1 was thrown in, and the deal passes to Ann." in host.get(f"/sessions/{session.id}").text


def test_the_latest_deals_come_first_and_lead_to_the_older_ones(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    last = queries.DEALS_SHOWN + 2
    for _ in range(last):
        make_deal(db, session)

    page = host.get(f"/sessions/{session.id}")

    assert numbers(page) + numbers(page.follow("Older")) == list(range(last, 0, -1))


def test_points_are_shown_without_signs_and_chips_with_them(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")

    page = host.get(f"/sessions/{session.id}")

    assert seated(page) == {"Ann": "25", "Ben": "25", "Cleo": "25", "Dan": "25"}
    assert "Game 1" in page.text


def test_an_ended_session_shows_the_standings_and_leads_to_the_settlement(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    close_session(db, session.plain_command(db))

    page = host.get(f"/sessions/{session.id}")

    rows = [[cell.get_text(strip=True) for cell in row.select("td, th")] for row in page.soup.select(".lines tbody tr")]
    assert rows == [["1", "Ann", "+1"], ["1", "Cleo", "+1"], ["3", "Ben", "−1"], ["3", "Dan", "−1"]]
    assert page.link("Settlement") == f"/sessions/{session.id}/settlement"
    for words in ("Record deal", "Misdeal"):
        assert words not in page.text


def test_the_latest_deal_can_be_undone_after_the_settlement_has_begun(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    close_session(db, session.plain_command(db))

    asked = host.get(f"/sessions/{session.id}").form("/misdeal").submit("Undo deal 1")
    page = asked.form("/void").submit("Discard it and go on")

    assert page.path == f"/sessions/{session.id}"
    assert seated(page) == dict.fromkeys(NAMES, "0")
    assert page.form("/misdeal").submit("Restore deal 1").soup.select(".read-back")[0].get_text(" ", strip=True) == (
        "Deal 1 Half, Clubs: Ann with Cleo. Made. Ben and Dan pay 1 each."
    )


@pytest.mark.parametrize("path", ["/deals/new", "/deals/declare", "/bidding"])
def test_where_too_few_are_at_the_table_the_page_says_who_is_missing(host: Host, db: Session, path: str) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    seat(db, session, "Ann", "Dan")

    page = host.get(f"/sessions/{session.id}{path}")

    assert page.path == f"/sessions/{session.id}"
    assert (
        "The table waits: 2 more players must come before the next deal. Away: Ben and Cleo. Who sits at the table"
        in page.text
    )
    for words in ("Record deal", "Declare first", "Misdeal", "Bidding"):
        assert words not in page.text
    assert page.follow("Who sits at the table").path == f"/sessions/{session.id}/seats"


def test_what_was_just_saved_can_be_jumped_to(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    assert not host.get(f"/sessions/{session.id}").soup.select("#read-back")
    make_deal(db, session)

    (read_back,) = host.get(f"/sessions/{session.id}").soup.select("#read-back")

    assert read_back["tabindex"] == "-1"
    assert "Made. Ben and Dan pay 1 each." in read_back.get_text()


def test_points_that_stand_at_the_seats_are_said_too(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")
    make_deal(db, session, CLUB_TURNED)

    (said,) = host.get(f"/sessions/{session.id}").soup.select("#read-back .vh")

    assert said.get_text(strip=True) == "Ann −2, Ben −1, Cleo −1, Dan −1."


def test_the_suits_of_a_declared_deal_are_drawn(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    facts: Facts = {"contract": "half", "declarer": 0, "called_card": "10H"}
    declare_deal(db, DeclareDeal(**session.command(db), facts=facts))

    for path, words in (("", "Half: Ann Called: the 10 of hearts"), ("/table", "Half: Ann · Called: the 10 of hearts")):
        (declared,) = host.get(f"/sessions/{session.id}{path}").soup.select(".declared")
        assert " ".join(declared.get_text(" ").split()) == words
        assert [str(use["href"]).rpartition("#")[2] for use in declared.select("use")] == ["hearts"]


def test_the_lowest_score_stands_first_in_dirty_clubs(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs", opening=(9, 3, 9, 12))
    close_session(db, session.plain_command(db))

    page = host.get(f"/sessions/{session.id}")

    assert [row.select("td")[0].get_text() for row in page.soup.select(".lines tbody tr")] == ["1", "2", "2", "4"]
    assert page.soup.select(".lines tbody th")[0].get_text() == "Ben"


def test_pairs_are_added_up_where_partners_are_fixed(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, house_rules={"partnership": "fixed"})
    make_deal(db, session, {"contract": "five", "declarer": 1, "trump": "hearts", "tricks": 5})

    assert "Ann + Cleo −2 Ben + Dan +2" in host.get(f"/sessions/{session.id}").text


def test_everything_else_is_one_tap_away(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    page = host.get(f"/sessions/{session.id}")

    for words in ("Chips", "End the session", "Rules and payments", "Export", "Thursdays"):
        assert page.follow(words).status == 200


def test_strangers_find_no_session(host: Host, stranger: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    for path in ("", "/board", "/deals?before=2"):
        assert stranger.get(f"/sessions/{session.id}{path}").status == 404


def test_the_board_alone_is_small_and_says_the_same(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)

    board = host.get(f"/sessions/{session.id}/board")

    assert board.soup.select("html, form") == []
    assert seated(board) == seated(host.get(f"/sessions/{session.id}"))
    assert board.text in host.get(f"/sessions/{session.id}").text
    assert len(board.response.data) <= 4 * 1024


def test_a_page_that_has_not_changed_is_not_sent_again(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    for path in ("", "/board", "/table", "/chart", "/chips", "/count", "/deals", "/deals/1", "/settlement"):
        path = f"/sessions/{session.id}{path}"
        host.get(f"/sessions/{session.id}")
        tag = host.get(path).response.headers["ETag"]

        unchanged = host.get(path, headers={"If-None-Match": tag})
        assert (unchanged.status, unchanged.response.data) == (304, b"")
        assert unchanged.response.headers["ETag"] == tag
        make_deal(db, session)
        changed = host.get(path, headers={"If-None-Match": tag})
        assert changed.status == 200
        assert changed.response.headers["ETag"] != tag


@pytest.mark.parametrize(("first", "then"), [(Role.VIEWER, Role.SCORER), (Role.SCORER, Role.HOST)])
def test_another_right_is_another_page_of_the_same_version(app: Flask, db: Session, first: Role, then: Role) -> None:
    session = make_session(db)
    make_deal(db, session)
    links = [make_link(db, session.group.group_id, role) for role in (first, then)]
    for path in ("", "/deals/1", "/settlement"):
        path = f"/sessions/{session.id}{path}"
        phone = Host(app, links[0])
        phone.get(path)
        before = phone.get(path)

        phone.get(f"/open/{links[1].token}")
        after = phone.get(path, headers={"If-None-Match": before.response.headers["ETag"]})

        assert after.status == 200
        assert phone.get(path, headers={"If-None-Match": after.response.headers["ETag"]}).status == 304


def test_after_a_backup_was_put_back_the_same_version_is_another_page(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    paths = [f"/sessions/{session.id}{path}" for path in ("", "/table", "/deals")]
    etags = [[host.get(path).response.headers.get("ETag") for path in paths] for _ in range(2)][1]
    this = GameSession.id == session.id
    table = db.scalars(select(GameSession.table).where(this)).one()
    db.execute(update(GameSession).where(this).values(table={**table, "totals": [9, -3, -3, -3]}))
    db.commit()

    for path, etag in zip(paths, etags, strict=True):
        assert etag is not None
        assert host.get(path, headers={"If-None-Match": etag}).status == 200


def test_a_renamed_player_is_a_change_of_the_page(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    host.get(f"/sessions/{session.id}")
    tag = host.get(f"/sessions/{session.id}").response.headers["ETag"]
    (ann, *_) = host.get(host.group_path).soup.select("a[href*='/players/']:not([href*='/why'])")
    host.get(str(ann["href"])).forms()[0].fill(name="Anna").submit()

    page = host.get(f"/sessions/{session.id}", headers={"If-None-Match": tag})

    assert page.status == 200
    assert "Anna" in page.text


def test_the_pages_of_two_browsers_are_not_taken_for_each_other(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    host.get(f"/sessions/{session.id}")
    tag = host.get(f"/sessions/{session.id}").response.headers["ETag"]
    other = Host(host.app, host.group)
    other.get(f"/sessions/{session.id}")

    # The other browser's forms carry a key of its own.
    assert other.get(f"/sessions/{session.id}", headers={"If-None-Match": tag}).status == 200


def test_a_message_that_is_shown_once_is_neither_withheld_nor_kept(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    host.get(f"/sessions/{session.id}")
    tag = host.get(f"/sessions/{session.id}").response.headers["ETag"]
    with host.client.session_transaction() as cookie:
        cookie["_flashes"] = [("done", "Drawn by lot.")]

    page = host.get(f"/sessions/{session.id}", headers={"If-None-Match": tag})

    assert (page.status, page.response.headers.get("ETag")) == (200, None)
    assert "Drawn by lot." in page.text
    assert "Drawn by lot." not in host.get(f"/sessions/{session.id}").text


@contextmanager
def drawings(app: Flask) -> Iterator[list[str | None]]:
    """The templates that *app* draws, as they come."""
    drawn: list[str | None] = []

    def note(_app: Flask, template: Template, **_: object) -> None:
        drawn.append(template.name)

    with template_rendered.connected_to(note, app):
        yield drawn


def without_its_own(page: Page) -> str:
    """A page but for what the forms of each browser carry."""
    return re.sub(r'(name="(?:csrf_token|submission_id)" value=)"[^"]*"', r"\1", page.html)


@pytest.mark.parametrize("path", ["", "/board"])
def test_what_many_see_is_drawn_once_and_each_has_forms_of_its_own(
    app: Flask, host: Host, db: Session, path: str
) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    others = [Host(app, host.group) for _ in range(3)]

    with drawings(app) as drawn:
        pages = [phone.get(f"/sessions/{session.id}{path}") for phone in (host, *others)]

    assert len(drawn) == 1
    assert len({without_its_own(page) for page in pages}) == 1
    for name in ("csrf_token", "submission_id")[path == "/board" :]:
        assert len({str(page.soup.select(f"[name={name}]")[0]["value"]) for page in pages}) == len(pages)
    assert [tags.TOKEN in page.html or tags.SUBMISSION in page.html for page in pages] == [False] * len(pages)


def test_sessions_that_are_alike_are_not_taken_for_each_other(app: Flask, host: Host, db: Session) -> None:
    sessions = [make_session(db, group=host.group) for _ in range(2)]

    for session in sessions * 2:
        page = host.get(f"/sessions/{session.id}")
        addresses = [form.action for form in page.forms()] + [str(link["href"]) for link in page.soup.select("a[href]")]
        assert {found[1] for at in addresses if (found := re.match(r"/sessions/(\d+)", at))} == {str(session.id)}
        etags = [page.response.headers["ETag"] for page in map(host.get, (f"/sessions/{one.id}" for one in sessions))]
        assert etags[0] != etags[1]


def test_a_table_that_is_turned_is_turned_for_who_turned_it(app: Flask, host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    turns = [
        phone.get(f"/sessions/{session.id}{query}").soup.select("[data-turn]")[0]["data-turn"]
        for phone in (host, Host(app, host.group))
        for query in ("?turn=2", "", "?turn=1")
    ]

    assert turns == ["2", "0", "1"] * 2


def test_each_of_those_forms_is_an_act_of_its_own(app: Flask, host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    pages = [phone.get(f"/sessions/{session.id}") for phone in (host, Host(app, host.group))]

    first, second = (page.form("/misdeal").submit("Misdeal") for page in pages)

    assert first.status == 200
    assert (second.status, "Somebody was quicker" in second.text) == (409, True)


def test_those_who_ask_at_once_wait_for_one_drawing(app: Flask, host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    phones = [Host(app, host.group) for _ in range(8)]
    together = Barrier(len(phones))

    def look(phone: Host) -> str:
        together.wait()
        return without_its_own(phone.get(f"/sessions/{session.id}"))

    with drawings(app) as drawn, ThreadPoolExecutor(len(phones)) as threads:
        pages = set(threads.map(look, phones))

    assert (len(drawn), len(pages)) == (1, 1)


def test_a_page_that_cannot_be_drawn_keeps_nobody_waiting(
    app: Flask, host: Host, db: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = make_session(db, group=host.group)
    app.config["PROPAGATE_EXCEPTIONS"] = False
    with monkeypatch.context() as broken:
        broken.setattr(queries, "seats", None)
        assert host.get(f"/sessions/{session.id}").status == 500

    assert host.get(f"/sessions/{session.id}").status == 200


def test_who_sees_something_else_has_it_drawn_for_them(app: Flask, host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    roles = Role.VIEWER, Role.SCORER, Role.SCORER, Role.HOST
    links = [make_link(db, host.group.group_id, role, f"Link {number}") for number, role in enumerate(roles)]
    phones = turned, american, *_ = [Host(app, link) for link in (host.group, host.group, *links)]
    american.client.environ_base["HTTP_ACCEPT_LANGUAGE"] = "en-US"
    form = turned.get(f"/sessions/{session.id}").form("/misdeal")
    turned.post(f"/sessions/{session.id}/side", data=form.data | {"side": 2})

    def shown(*, afresh: bool) -> Iterator[str]:
        for phone in phones:
            if afresh:
                tags.init_app(app)
            yield without_its_own(phone.get(f"/sessions/{session.id}"))

    assert list(shown(afresh=False)) == list(shown(afresh=True))
    take_pen(db, replace(session.plain_command(db), device="another"))
    assert list(shown(afresh=False)) == list(shown(afresh=True))
    make_deal(db, session)
    pages = list(shown(afresh=False))
    assert pages == list(shown(afresh=True))
    # The two scorers see the same.
    assert len(set(pages)) == len(phones) - 1

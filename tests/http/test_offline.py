"""What a phone is given to go on without the network, and what it may keep."""

import json
import re
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper import queries
from scorekeeper.models import JoinCode
from scorekeeper.services.deals import DeclareDeal, declare_deal
from scorekeeper.services.groups import Role, withdraw_link
from scorekeeper.services.joining import make_code
from tests.factories import NAMES, MadeSession, make_deal, make_group, make_link, make_session, seen_by
from tests.http.conftest import Host
from tests.http.deals import HALF_BY_ANN, deal_form, fill_in, seat, tricks
from tests.http.evidence import dump
from tests.http.test_gates import MOST_TO_RECORD, statements
from tests.http.visitor import Page, Visitor


def ahead_of(page: Page) -> tuple[str, list[str]]:
    """The version at which the page has a phone fetch forms, and whose."""
    (found,) = page.soup.select("[data-ahead]")
    version = found.get("data-version") or page.soup.select("#acts [name=expected_version]")[0]["value"]
    return str(version), str(found["data-ahead"]).split()


def lookup_of(page: Page) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(str(page.soup.select("script#lookup")[0].string))
    return data


def test_the_worker_belongs_to_one_release_and_brings_what_its_pages_need(host: Host) -> None:
    worker = host.client.get("/sw.js")
    script = worker.get_data(as_text=True)

    assert worker.mimetype == "text/javascript"
    assert "no-cache" in worker.headers["Cache-Control"]
    assert f'const RELEASE = "{worker.headers["X-Release"]}";' in script
    files = json.loads(re.findall(r"const FILES = (.*);", script)[0])
    page = host.get("/")
    used = [element["src"] for element in page.soup.select("script[src]")]
    used += [element["href"] for element in page.soup.select("link[rel=stylesheet]")]
    used.append(page.soup.select("script[data-words]")[0]["data-words"])
    assert len(used) > 3
    assert set(used) <= set(files)
    for address in files:
        with host.client.get(address) as file:
            assert file.status_code == 200


def test_where_it_is_switched_off_the_worker_leaves_and_no_page_asks_for_one(app: Flask, visitor: Visitor) -> None:
    assert visitor.get("/").soup.select("script[data-words]:not([data-off])")
    app.config["OFFLINE"] = False

    script = visitor.client.get("/sw.js").get_data(as_text=True)

    assert "unregister()" in script
    assert "caches.delete" in script
    assert "fetch" not in script
    assert not visitor.get("/").soup.select("script[data-words]:not([data-off])")


def test_a_browser_may_keep_the_pages_from_which_one_records(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    of_group = str(host.group.group_id)
    host.get(f"/sessions/{session.id}")

    assert host.get(host.group_path).response.headers["X-Keep"] == of_group
    for path in (f"/sessions/{session.id}", f"/sessions/{session.id}/deals/new"):
        assert host.get(path).response.headers["X-Keep"] == f"{of_group}/{session.id}"
    other = make_group(db, name="Strangers")
    host.get(f"/open/{other.token}")
    assert sorted(host.get("/").response.headers["X-Keep"].split()) == sorted([of_group, str(other.group_id)])
    for path in (f"/sessions/{session.id}/chips", f"/sessions/{session.id}/settlement", f"/groups/{of_group}/links"):
        assert "X-Keep" not in host.get(path).response.headers


def test_a_browser_keeps_no_page_that_shows_what_comes_once(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    made = host.get("/").form("/groups").fill(name="New", **{"players-0": "Eve", "players-1": "Fay"}).submit()
    assert "/open/" in made.text
    assert "X-Keep" not in made.response.headers
    correction = host.get(f"/sessions/{session.id}/deals/1/correct").form("/correct").fill(tricks=4)
    # Its answer says that it is done; until a person sees that, it stands on no page that is kept.
    saved = host.client.post(correction.action, data={**correction.data, "previewed": "-2,2,-2,2"})
    assert saved.status_code == 303
    fetched = host.get(f"/sessions/{session.id}", headers={"X-Fragment": "1"})
    assert "is corrected" not in fetched.text
    assert "X-Keep" in fetched.response.headers
    shown = host.get(f"/sessions/{session.id}")
    assert "is corrected" in shown.text
    assert "X-Keep" not in shown.response.headers


def test_refusals_and_errors_are_not_kept_and_name_the_release_all_the_same(host: Host, stranger: Host) -> None:
    for visitor, path in ((stranger, host.group_path), (host, "/nowhere")):
        page = visitor.get(path)
        assert page.status == 404
        assert "X-Keep" not in page.response.headers
        assert page.response.headers["X-Release"] == host.get("/").response.headers["X-Release"]


def test_a_form_ahead_is_the_next_form_of_whoever_deals_then(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, dealer=3)
    for page in (host.get(f"/sessions/{session.id}"), host.get(f"/sessions/{session.id}/deals/new")):
        assert ahead_of(page) == ("1", ["0", "1", "2"])
    page = host.get(f"/sessions/{session.id}/deals/ahead/1")
    assert page.soup.h1 is not None
    assert page.soup.h1.get_text() == "Deal 1 · Ben deals"

    make_deal(db, session)
    make_deal(db, session)

    now = host.get(f"/sessions/{session.id}/deals/new")
    assert now.soup.h1 is not None
    assert now.soup.h1.get_text() == "Deal 3 · Ben deals"
    then, at_once = lookup_of(page), lookup_of(now)
    assert then["next"] == at_once["next"] == 2
    assert then["totals"] == [0, 0, 0, 0]
    assert at_once["totals"] == [2, -2, 2, -2]
    assert [result[0] for result in then["results"]] == [result[0] for result in at_once["results"]]


def test_what_is_declared_belongs_to_the_next_deal_and_to_none_after_it(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, dealer=3)
    facts = {"contract": "five", "declarer": 1, "trump": "spades"}
    declare_deal(db, DeclareDeal(**session.command(db), facts=facts))

    at = f"/sessions/{session.id}/deals"
    assert ahead_of(host.get(f"/sessions/{session.id}")) == ("2", ["0", "1", "2", "3"])
    assert host.get(f"{at}/new").soup.select("#declarer-1[checked]")
    assert not host.get(f"{at}/ahead/3").soup.select("#declarer-1[checked]")


def test_a_result_says_who_deals_after_it(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs", house_rules={"passed_out": "same-dealer"})
    data = lookup_of(host.get(f"/sessions/{session.id}/deals/new"))

    assert data["next"] == 0
    assert {dealer for *_, dealer in data["results"]} == {0, 3}
    assert data["steady"] == [0, None]
    assert data["names"] == {"0": "Ann", "1": "Ben", "2": "Cleo", "3": "Dan"}


def test_no_form_is_fetched_where_no_deal_is_due(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    correction = host.get(f"/sessions/{session.id}/deals/1/correct")
    assert not correction.soup.select("[data-ahead], #waiting, form[data-session]")
    assert host.get(f"/sessions/{session.id}/deals/ahead/9").status == 404
    host.get(f"/sessions/{session.id}/settlement").form("/close").submit("End")

    assert not host.get(f"/sessions/{session.id}").soup.select("[data-ahead]")
    assert host.get(f"/sessions/{session.id}/deals/ahead/1").path == f"/sessions/{session.id}"


def test_a_watcher_is_given_nothing_to_record_with(app: Flask, host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    watcher = Host(app, make_link(db, host.group.group_id, Role.VIEWER, "Ann's aunt"))

    page = watcher.get(f"/sessions/{session.id}")

    assert not page.soup.select("[data-ahead], #waiting, script[src*='waiting']")
    assert watcher.get(f"/sessions/{session.id}/deals/ahead/1").status == 403


def queued(host: Host, session: MadeSession) -> dict[str, object]:
    form = deal_form(fill_in(host, f"/sessions/{session.id}/deals/new", **HALF_BY_ANN))
    return {"path": form.action, "data": form.data, "headers": {"X-Queued": "1"}}


def test_the_queue_is_told_of_a_saved_deal_without_a_page_each_time(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    sent = queued(host, session)

    first = host.client.post(**sent)
    before = dump(db)
    # Its answer was lost.
    second = host.client.post(**sent)

    for reply in (first, second):
        assert (reply.status_code, reply.data) == (201, b"")
        assert reply.headers["X-Release"]
    assert dump(db) == before


@pytest.mark.parametrize("then", [(*NAMES, "Eve"), ("Ann", "Ben", "Dan", "Eve")])
def test_a_deal_whose_answer_was_lost_is_the_same_whoever_has_sat_down_since(
    app: Flask, db: Session, then: tuple[str, ...]
) -> None:
    group = make_group(db, players=(*NAMES, "Eve"))
    session = make_session(db, group=group, card_game="dirty-clubs", seats=4)
    host = Host(app, group)
    entered = {"turn_up": "clubs", **tricks(2, 1, 1, 1)}
    form = deal_form(fill_in(host, f"/sessions/{session.id}/deals/new", **entered))
    sent: Any = {"path": form.action, "data": form.data, "headers": {"X-Queued": "1"}}
    assert host.client.post(**sent).status_code == 201
    seat(db, session, *then)
    before = dump(db)

    with statements() as seen:
        assert host.client.post(**sent).status_code == 201

    assert len(seen) <= MOST_TO_RECORD
    assert dump(db) == before
    # Of another deal under its name a person is asked.
    sent["data"]["tricks-0"], sent["data"]["tricks-1"] = "1", "2"
    assert host.client.post(**sent).status_code == 409


def test_a_deal_whose_answer_was_lost_is_the_same_by_another_link(app: Flask, host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    scorer = Host(app, make_link(db, host.group.group_id, Role.SCORER, "Kitchen"))
    sent: Any = queued(scorer, session)
    assert scorer.client.post(**sent).status_code == 201
    scorer.get(f"/open/{make_link(db, host.group.group_id, Role.HOST, '').token}")
    before = dump(db)

    assert scorer.client.post(**sent).status_code == 201

    assert dump(db) == before


@pytest.mark.parametrize(
    ("change", "status", "says"),
    [
        ({"previewed": ""}, 200, "Nothing is saved yet."),
        ({"expected_version": "7"}, 409, "The session has changed meanwhile"),
        ({"tricks": "9"}, 422, "do"),
        ({"csrf_token": "x"}, 400, "This form is too old"),
    ],
)
def test_the_queue_is_shown_the_page_a_person_decides_on(
    host: Host, db: Session, change: dict[str, str], status: int, says: str
) -> None:
    session = make_session(db, group=host.group)
    sent: Any = queued(host, session)
    for name, value in change.items():
        sent["data"][name] = value
    before = dump(db)

    reply = host.client.post(**sent)

    assert reply.status_code == status
    assert says in reply.get_data(as_text=True)
    assert dump(db) == before
    if status != 400:
        form = Page(host, reply).form("/deals").element
        assert form["data-session"] == str(session.id)
        # It is no fresh form: the server says which it is.
        assert not form.has_attr("data-fresh")


def test_deals_that_waited_one_after_another_arrive_in_order_and_once(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    first: Any = queued(host, session)
    after = {"submission_id": "b" * 32, "expected_version": "2", "after": first["data"]["submission_id"]}
    second = {**first, "data": {**first["data"], **after}}

    for sent in (first, second, first, second):
        with statements() as seen:
            assert host.client.post(**sent).status_code == 201
        assert len(seen) <= MOST_TO_RECORD

    assert [deal.number for deal in queries.deals(db, session.id)] == [2, 1]


def queued_misdeal(host: Host, session: MadeSession, **more: str) -> Any:
    form = host.get(f"/sessions/{session.id}").form("/misdeal")
    return {"path": form.action, "data": {**form.data, **more}, "headers": {"X-Queued": "1"}}


def test_a_misdeal_that_waited_after_a_deal_arrives_in_its_place_and_once(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    first: Any = queued(host, session)
    second = queued_misdeal(host, session, expected_version="2", after=first["data"]["submission_id"])

    for sent in (first, second, first, second):
        with statements() as seen:
            assert host.client.post(**sent).status_code == 201
        assert len(seen) <= MOST_TO_RECORD

    assert [deal.result for deal in queries.deals(db, session.id)] == ["misdeal", "made"]


def test_a_misdeal_of_somebody_who_dealt_out_of_turn_arrives_once(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    declare_deal(db, DeclareDeal(**session.command(db), facts={"dealer": 1}))
    sent = queued_misdeal(host, session)

    assert host.client.post(**sent).status_code == 201
    make_deal(db, session)
    before = dump(db)
    assert host.client.post(**sent).status_code == 201

    assert dump(db) == before


@pytest.mark.parametrize("meanwhile", ["another deal", "the end", "a deal in the place of the one before"])
def test_a_misdeal_that_waited_is_refused_where_it_is_not_known_to_belong(
    host: Host, db: Session, meanwhile: str
) -> None:
    session = make_session(db, group=host.group)
    sent = queued_misdeal(host, session)
    if meanwhile == "the end":
        host.get(f"/sessions/{session.id}/settlement").form("/close").submit("End")
        sent["data"]["expected_version"] = "2"
    else:
        make_deal(db, session)
    if meanwhile == "a deal in the place of the one before":
        sent["data"] |= {"expected_version": "2", "after": "a" * 32}
    before = dump(db)

    reply = host.client.post(**sent)

    assert reply.status_code == 409
    said = "This session has ended" if meanwhile == "the end" else "Somebody was quicker"
    assert said in reply.get_data(as_text=True)
    assert dump(db) == before


@pytest.mark.parametrize("meanwhile", ["another deal", "nothing"])
def test_a_deal_that_waited_after_one_that_never_came_is_asked_about(host: Host, db: Session, meanwhile: str) -> None:
    session = make_session(db, group=host.group)
    sent: Any = queued(host, session)
    sent["data"] |= {"expected_version": "2", "after": "a" * 32}
    if meanwhile == "another deal":
        make_deal(db, session)
    before = dump(db)

    reply = host.client.post(**sent)

    assert reply.status_code == 409
    page = Page(host, reply)
    assert "The session is not what this deal was entered on" in page.text
    assert len(page.soup.select(".sheet")) == (meanwhile == "another deal")
    assert dump(db) == before
    # What comes back has seen it.
    form = page.form("/deals")
    assert "after" not in form.data
    assert form.submit().path == f"/sessions/{session.id}"


def test_every_page_names_what_is_open_to_this_browser(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    this = str(host.group.group_id)
    assert host.get(f"/sessions/{session.id}").response.headers["X-Open"] == this
    assert host.get("/nowhere").response.headers["X-Open"] == this
    other = make_group(db, name="Strangers")
    host.get(f"/open/{other.token}")
    both = {this, str(other.group_id)}
    seen = host.get(f"/sessions/{session.id}").response
    assert set(seen.headers["X-Open"].split()) == both
    make_link(db, other.group_id, Role.HOST)
    withdraw_link(db, other.group_id, other.link_id)

    unchanged = host.get(f"/sessions/{session.id}", headers={"If-None-Match": seen.headers["ETag"]}).response
    assert unchanged.status_code == 304
    for reply in (unchanged, host.get("/rules").response, host.get(f"/groups/{other.group_id}").response):
        assert reply.headers["X-Open"] == this


def test_of_a_group_of_which_one_session_alone_is_open_a_page_names_that_session(host: Host, db: Session) -> None:
    make_session(db, group=host.group)
    joined = make_session(db, group=host.group)
    make_code(db, seen_by(db, joined.id, host.group.link_id), Role.VIEWER)
    code = db.scalars(select(JoinCode.code)).one()
    db.rollback()
    guest = Visitor(host.app)
    of_joined = f"{host.group.group_id}/{joined.id}"

    page = guest.get("/join").form("/join").fill(code=code).submit()

    assert page.response.headers["X-Open"] == page.response.headers["X-Keep"] == of_joined
    assert guest.get("/").response.headers["X-Open"] == guest.get("/").response.headers["X-Keep"] == of_joined
    guest.get(f"/open/{make_link(db, host.group.group_id, Role.SCORER).token}")
    page = guest.get(f"/sessions/{joined.id}")
    assert set(page.response.headers["X-Open"].split()) == {str(host.group.group_id), of_joined}

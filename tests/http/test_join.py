"""Joining a session by a spoken code."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from flask import Flask
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.extensions import db as database
from scorekeeper.models import GroupLink, JoinAttempt, JoinCode
from scorekeeper.services.groups import Role
from scorekeeper.services.joining import FREE, LETTERS
from tests.conftest import make_app
from tests.factories import MadeSession, make_deal, make_link, make_session
from tests.http.conftest import Host
from tests.http.evidence import dump
from tests.http.test_every_route import pages, sound_form, with_ids
from tests.http.test_pen import code_of, receive
from tests.http.test_roles import NEEDED
from tests.http.visitor import Page, Visitor
from tests.http.world import OPEN_TO_ALL, address, make_world

SOON = timedelta(minutes=1)
LINKED_TO_NOBODY = "ZZZZZZ"


@pytest.fixture
def session(host: Host, db: Session) -> MadeSession:
    return make_session(db, group=host.group, name="Thursday at Ann's")


def code_for(host: Host, session: MadeSession, role: Role = Role.VIEWER) -> str:
    """A new code, as the host reads it off the page."""
    page = host.get(f"/sessions/{session.id}/codes")
    form = next(form for form in page.forms() if form.data.get("role") == role and form.action.endswith("/codes"))
    shown = form.submit().soup.select_one(f"[aria-labelledby=code-{role}] .spoken")
    assert shown is not None
    return shown.get_text()


def enter(visitor: Visitor, code: str, **options: object) -> Page:
    form = visitor.get("/join").form("/join").fill(code=code)
    return visitor.post("/join", data=form.data, **options)


WAYS = [Role.VIEWER, Role.SCORER, "handed over"]
"""Into one session: by a code of a role, or by one that hands over the pen."""


def let_in(host: Host, session: MadeSession, way: str) -> Visitor:
    guest = Visitor(host.app)
    if way == "handed over":
        receive(guest, code_of(host, session))
    else:
        enter(guest, code_for(host, session, Role(way)))
    return guest


def says(page: Page) -> str:
    return page.errors()["code"]


def stopped_clock() -> time_machine.travel:
    """A little later than whatever has been signed already."""
    return time_machine.travel(datetime.now(UTC) + SOON, tick=False)


def another_code(code: str) -> str:
    """One that begins like it and is wrong."""
    letters = code.replace(" ", "")
    return letters[:5] + next(letter for letter in LETTERS if letter != letters[5])


def test_whoever_hears_the_code_sees_the_session(app: Flask, host: Host, db: Session, session: MadeSession) -> None:
    make_deal(db, session)
    code = code_for(host, session)
    guest = Visitor(app)

    page = enter(guest, code)

    assert page.path == f"/sessions/{session.id}"
    assert "Half" in page.text
    assert "Record deal" not in page.text
    assert "Thursday at Ann's" in guest.get("/").text


@pytest.mark.parametrize(
    "change", [str.lower, lambda code: code.replace(" ", ""), lambda code: f" {code[:2]}-{code[2:]} "]
)
def test_it_does_not_matter_how_it_is_written(app: Flask, host: Host, session: MadeSession, change: object) -> None:
    code = code_for(host, session)

    assert enter(Visitor(app), change(code)).path == f"/sessions/{session.id}"  # type: ignore[operator]


def test_a_code_for_scorers_lets_one_score(app: Flask, host: Host, db: Session, session: MadeSession) -> None:
    guest = Visitor(app)
    enter(guest, code_for(host, session, Role.SCORER))

    guest.get(f"/sessions/{session.id}").form("/misdeal").submit()

    assert "Misdeal" in host.get(f"/sessions/{session.id}").text


@pytest.mark.parametrize("way", WAYS)
def test_it_opens_that_session_and_nothing_else(app: Flask, host: Host, db: Session, way: str) -> None:
    world = make_world(db, host.group)
    there = world.sessions["open"]
    guest = let_in(host, MadeSession(int(there["session_id"]), host.group), way)
    role = Role.VIEWER if way == Role.VIEWER else Role.SCORER

    for rule in with_ids(app, "GET"):
        status = guest.get(address(app, rule, there)).status
        if rule.endpoint in OPEN_TO_ALL:
            continue
        if "session_id" not in rule.arguments:
            assert status == 404, rule
        elif role.includes(NEEDED["GET", rule.endpoint]):
            assert status == 200, rule
        else:
            assert status == 403, rule
        if "session_id" in rule.arguments:
            assert guest.get(address(app, rule, world.sessions["closed"])).status == 404, rule


@pytest.mark.parametrize("way", WAYS)
def test_nothing_else_can_be_changed_by_it(app: Flask, host: Host, db: Session, way: str) -> None:
    world = make_world(db, host.group)
    there, elsewhere = world.sessions["open"], world.sessions["closed"]
    guest = let_in(host, MadeSession(int(there["session_id"]), host.group), way)
    role = Role.VIEWER if way == Role.VIEWER else Role.SCORER
    data = {"there": sound_form(guest, db, there), "elsewhere": sound_form(guest, db, elsewhere)}
    before = dump(db)

    for rule in with_ids(app, "POST"):
        assert guest.post(address(app, rule, elsewhere), data=data["elsewhere"]).status == 404, rule
        if not role.includes(NEEDED["POST", rule.endpoint]):
            page = guest.post(address(app, rule, there), data=data["there"])
            assert page.status == (403 if "session_id" in rule.arguments else 404), rule

    assert dump(db) == before


@pytest.mark.parametrize("way", WAYS)
def test_no_page_leads_a_guest_where_they_may_not_go(app: Flask, host: Host, db: Session, way: str) -> None:
    there = make_world(db, host.group).sessions["open"]
    guest = let_in(host, MadeSession(int(there["session_id"]), host.group), way)
    role = Role.VIEWER if way == Role.VIEWER else Role.SCORER

    for rule in with_ids(app, "GET"):
        if "session_id" not in rule.arguments or not role.includes(NEEDED["GET", rule.endpoint]):
            continue
        page = guest.get(address(app, rule, there))
        for link in page.soup.select("a[href^='/']"):
            assert guest.get(str(link["href"])).status == 200, (rule, link)


def test_it_ends_with_the_session_and_those_who_are_in_stay(app: Flask, host: Host, session: MadeSession) -> None:
    code = code_for(host, session)
    guest = Visitor(app)
    enter(guest, code)

    host.get(f"/sessions/{session.id}/settlement").form("/close").submit("End")

    assert guest.get(f"/sessions/{session.id}/settlement").status == 200
    assert enter(Visitor(app), code).status == 422
    assert "Reopen it" in host.get(f"/sessions/{session.id}/codes").text


def test_another_code_takes_the_place_of_the_first(app: Flask, host: Host, session: MadeSession) -> None:
    first = code_for(host, session)
    second = code_for(host, session)

    assert enter(Visitor(app), first).status == 422
    assert enter(Visitor(app), second).status == 200


@pytest.mark.parametrize("button", ["Make a code", "Another code"])
def test_the_same_form_sent_twice_makes_one_code(app: Flask, host: Host, session: MadeSession, button: str) -> None:
    if button == "Another code":
        code_for(host, session)
    page = host.get(f"/sessions/{session.id}/codes")
    form = next(form for form in page.forms() if form.data.get("role") == Role.VIEWER)

    first, again = (form.submit(button).soup.select_one("[aria-labelledby=code-viewer] .spoken") for _ in range(2))

    assert first is not None
    assert first == again
    assert enter(Visitor(app), first.get_text()).status == 200


def test_a_form_that_shows_an_older_code_does_not_end_the_new_one(app: Flask, host: Host, session: MadeSession) -> None:
    code_for(host, session)
    page = host.get(f"/sessions/{session.id}/codes")
    code = code_for(host, session)

    next(form for form in page.forms() if form.data.get("role") == Role.VIEWER).submit("End it")

    assert enter(Visitor(app), code).status == 200


def test_the_host_ends_a_code(app: Flask, host: Host, db: Session, session: MadeSession) -> None:
    code = code_for(host, session)
    page = host.get(f"/sessions/{session.id}/codes")
    next(form for form in page.forms() if form.data.get("role") == Role.VIEWER).submit("End it")

    assert enter(Visitor(app), code).status == 422
    assert db.scalars(select(JoinCode.code)).all() == []


def test_withdrawing_its_link_puts_out_those_who_joined(app: Flask, host: Host, session: MadeSession) -> None:
    code = code_for(host, session)
    guest = Visitor(app)
    enter(guest, code)
    links = host.get(f"{host.group_path}/links")
    assert "For all who join by code: " in links.text

    item = next(item for item in links.soup.select("li") if "join by code" in item.get_text())
    assert "Renew" not in item.get_text()
    next(form for form in links.forms() if form.element in item.select("form")).submit()

    assert guest.get(f"/sessions/{session.id}").status == 404
    assert "Thursday at Ann's" not in guest.get("/").text
    assert enter(Visitor(app), code).status == 422


@pytest.mark.parametrize("way", [Role.HOST, Role.SCORER, Role.VIEWER, "by code", "handed over"])
def test_no_page_says_anything_of_another_link(app: Flask, host: Host, stranger: Host, db: Session, way: str) -> None:
    world = make_world(db, host.group)
    there = world.sessions["open"]
    secrets = [host.group.token, stranger.group.token]
    for role, name in ((Role.SCORER, "Bob’s lover"), (Role.VIEWER, "Kitchen shelf")):
        made = host.get(f"{host.group_path}/links").form("/links").fill(role=role, name=name).submit()
        secrets.append(str(made.soup.select_one("a.key")["href"]).rsplit("/", 1)[1])  # type: ignore[index]
    if way in list(Role):
        visitor = Visitor(app)
        visitor.get(f"/open/{make_link(db, host.group.group_id, Role(way)).token}")
    else:
        session = MadeSession(int(there["session_id"]), host.group)
        visitor = let_in(host, session, Role.SCORER if way == "by code" else way)
    secrets += [link for link in db.scalars(select(GroupLink.token_hash)) if link is not None]
    db.rollback()
    names = [] if way == Role.HOST else ["Bob’s lover", "Kitchen shelf"]

    for values in world.sessions.values():
        for page in [*pages(app, visitor, values), visitor.get("/")]:
            html = page.response.get_data(as_text=True)
            for secret in (*secrets, *names):
                assert secret not in html, page.path


def test_a_code_is_no_link(app: Flask, host: Host, session: MadeSession) -> None:
    code = code_for(host, session).replace(" ", "")

    assert Visitor(app).get(f"/open/{code}").status == 404


@pytest.mark.parametrize("typed", ["", "ABC", "ABCDEFG", "ABCDE1", "OOOOOO", "x" * 5000, "🂡" * 6, "A\x00BCDE"])
def test_what_is_no_code_is_no_guess(app: Flask, db: Session, typed: str) -> None:
    page = enter(Visitor(app), typed)

    assert page.status == 422
    assert says(page) == "No session is joined by this code. It has six letters, and ends with its session."
    assert db.scalars(select(JoinAttempt.key)).all() == []


def test_guessing_from_one_address_is_slowed_down_more_and_more(app: Flask, host: Host, session: MadeSession) -> None:
    code = code_for(host, session)
    guest = Visitor(app)
    waits = []
    with stopped_clock() as clock:
        for first in LETTERS[: FREE + 3]:
            page = enter(guest, f"{first}WWWWW")
            while page.status == 429:
                # Even the right one is of no use while one has to wait: else it would be worth trying them all.
                assert enter(guest, code).status == 429
                waits.append(int(page.response.headers["Retry-After"]))
                assert says(page).startswith("There were too many wrong codes. Try again in ")
                clock.shift(waits[-1])
                page = enter(guest, f"{first}WWWWW")
            assert page.status == 422
    assert waits == [1, 2, 4]


def test_guessing_at_one_group_is_slowed_down_from_wherever_it_comes(
    app: Flask, host: Host, session: MadeSession
) -> None:
    already_in = Visitor(app)
    with stopped_clock():
        code = code_for(host, session)
        wrong = another_code(code)
        enter(already_in, code)
        for number in range(FREE):
            assert enter(Visitor(app), wrong, environ_overrides={"REMOTE_ADDR": f"192.0.2.{number}"}).status == 422

        assert enter(Visitor(app), wrong, environ_overrides={"REMOTE_ADDR": "192.0.2.99"}).status == 429
        # Another group is not held up, and nobody who is in is.
        other = "A" * 6 if wrong[0] != "A" else "B" * 6
        assert enter(Visitor(app), other, environ_overrides={"REMOTE_ADDR": "192.0.2.99"}).status == 422
        assert already_in.get(f"/sessions/{session.id}").status == 200


def test_wrong_guesses_are_forgotten(app: Flask, db: Session) -> None:
    guest = Visitor(app)
    with stopped_clock() as clock:
        for _ in range(FREE):
            enter(guest, LINKED_TO_NOBODY)
        assert enter(guest, LINKED_TO_NOBODY).status == 429
        clock.shift(timedelta(hours=2))
        for _ in range(FREE):
            assert enter(guest, LINKED_TO_NOBODY).status == 422
        assert enter(guest, LINKED_TO_NOBODY).status == 429


def test_nothing_is_kept_of_who_guessed_once_it_no_longer_counts(app: Flask, host: Host, db: Session) -> None:
    def kept() -> list[str]:
        db.rollback()
        return sorted(db.scalars(select(JoinAttempt.key)))

    code = code_for(host, make_session(db, group=host.group))
    with stopped_clock() as clock:
        enter(Visitor(app), "AAAAAA", environ_overrides={"REMOTE_ADDR": "192.0.2.1"})
        assert kept() == ["code AAA", "from 192.0.2.1"]
        clock.shift(timedelta(minutes=59))
        enter(Visitor(app), "BBBBBB", environ_overrides={"REMOTE_ADDR": "192.0.2.2"})
        assert len(kept()) == 4
        clock.shift(timedelta(minutes=1))
        # A right code leaves nothing behind, either.
        enter(Visitor(app), code, environ_overrides={"REMOTE_ADDR": "192.0.2.3"})
        assert kept() == ["code BBB", "from 192.0.2.2"]


def test_one_network_of_many_addresses_counts_as_one(app: Flask) -> None:
    with stopped_clock():
        for number, first in enumerate(LETTERS[:FREE]):
            enter(Visitor(app), f"{first}WWWWW", environ_overrides={"REMOTE_ADDR": f"2001:db8::{number:x}"})

        assert enter(Visitor(app), "WWWWWW", environ_overrides={"REMOTE_ADDR": "2001:db8::ffff"}).status == 429
        assert enter(Visitor(app), "WWWWWW", environ_overrides={"REMOTE_ADDR": "2001:db8:1::1"}).status == 422


def test_who_comes_by_the_old_addresses_to_a_server_that_listens_on_both_is_not_all_who_do(app: Flask) -> None:
    with stopped_clock():
        for first in LETTERS[:FREE]:
            enter(Visitor(app), f"{first}WWWWW", environ_overrides={"REMOTE_ADDR": "::ffff:192.0.2.1"})

        for address in ("::ffff:192.0.2.1", "192.0.2.1"):
            assert enter(Visitor(app), "WWWWWW", environ_overrides={"REMOTE_ADDR": address}).status == 429
        assert enter(Visitor(app), "WWWWWW", environ_overrides={"REMOTE_ADDR": "::ffff:192.0.2.2"}).status == 422


def test_nobody_makes_up_an_address(app: Flask) -> None:
    with stopped_clock():
        for number, first in enumerate(LETTERS[:FREE]):
            enter(Visitor(app), f"{first}WWWWW", headers={"X-Forwarded-For": f"192.0.2.{number}"})

        assert enter(Visitor(app), "WWWWWW", headers={"X-Forwarded-For": "192.0.2.99"}).status == 429


def test_behind_a_proxy_each_address_counts_that_the_proxy_has_seen(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCOREKEEPER_PROXIES", "1")
    app = make_app(database_url)
    with stopped_clock():
        for first in LETTERS[:FREE]:
            # What the visitor says comes first, what the proxy has seen last.
            enter(Visitor(app), f"{first}WWWWW", headers={"X-Forwarded-For": f"198.51.100.{ord(first)}, 192.0.2.1"})

        assert enter(Visitor(app), "WWWWWW", headers={"X-Forwarded-For": "192.0.2.2"}).status == 422
        assert enter(Visitor(app), "WWWWWW", headers={"X-Forwarded-For": "192.0.2.1"}).status == 429
    with app.app_context():
        database.engine.dispose()

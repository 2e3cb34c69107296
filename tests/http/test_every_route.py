"""What holds for every route there is."""

import re
from urllib.parse import quote, urlsplit

import pytest
from flask import Flask
from sqlalchemy import select
from sqlalchemy.orm import Session
from werkzeug.routing import Rule

from scorekeeper.models import GameSession
from tests.factories import submission_id
from tests.http.conftest import Host
from tests.http.evidence import dump
from tests.http.visitor import Page, Visitor
from tests.http.world import FILES, OPEN_TO_ALL, SESSIONS, Values, World, address, make_world, routes


@pytest.fixture
def world(db: Session, host: Host) -> World:
    """Everything in the group of *host*."""
    return make_world(db, host.group)


def csrf_token(visitor: Visitor) -> str:
    field = visitor.get("/").soup.select_one("[name=csrf_token]")
    assert field is not None
    return str(field["value"])


def sound_form(visitor: Visitor, db: Session, values: Values) -> dict[str, str]:
    """What a form of any page about the session could send, and nothing wrong with it."""
    db.rollback()
    version = db.scalar(select(GameSession.version).where(GameSession.id == values["session_id"]))
    token, submission = csrf_token(visitor), submission_id()
    return {
        f"{prefix}{name}": value
        for prefix in ("", "buy-", "cash-", "adjust-")
        for name, value in {
            "csrf_token": token,
            "submission_id": submission,
            "expected_version": str(version),
            "player": "0",
            "chips": "1",
            "name": "Zoe",
            "paid": "1",
            "starts_game": "1",
        }.items()
    }


def pages(app: Flask, visitor: Visitor, *of_sessions: Values) -> list[Page]:
    """Every page there is about the sessions, each once."""
    rules = [rule for rule in routes(app, "GET") if rule.endpoint not in FILES | {"live.live"}]
    paths = dict.fromkeys(address(app, rule, values) for values in of_sessions for rule in rules)
    return [visitor.get(path) for path in paths]


def with_ids(app: Flask, method: str) -> list[Rule]:
    return [rule for rule in routes(app, method) if rule.endpoint not in OPEN_TO_ALL]


def test_there_are_routes_to_test(app: Flask) -> None:
    assert len(with_ids(app, "GET")) > 10
    assert len(with_ids(app, "POST")) > 15


@pytest.mark.parametrize("session", SESSIONS)
def test_looking_changes_nothing(app: Flask, host: Host, db: Session, world: World, session: str) -> None:
    before = dump(db)

    for rule in routes(app, "GET"):
        for method in ("GET", "HEAD", "OPTIONS"):
            reply = host.client.open(address(app, rule, world.sessions[session]), method=method)
            expected = {404} if "token" in rule.arguments else {200, 302, 303}
            # Older deals begin at a deal that the address names.
            expected |= {404} if rule.endpoint == "deals.index" or session == "fresh" else set()
            assert reply.status_code in (expected if method != "OPTIONS" else {200}), (rule, method)
            reply.close()

    assert dump(db) == before


@pytest.mark.parametrize("session", SESSIONS)
def test_every_page_is_sound_and_each_control_has_a_name(app: Flask, host: Host, world: World, session: str) -> None:
    for page in pages(app, host, world.sessions[session]):
        where = page.response.request.path
        for button in page.soup.select("button"):
            assert button.get("type") in ("submit", "button"), f"{where}: {button}"
        for form in page.soup.select("form[method=post]"):
            assert form.select_one("[name$=csrf_token]"), f"{where}: {form}"
        for script in page.soup.select("script"):
            # Data is no script: nothing runs it.
            assert script.get("src") or script.get("type") == "application/json", where
            assert not (script.get("src") and script.get_text(strip=True)), where
        assert not page.soup.select("style, [style], iframe, object, embed, base"), where
        for element in page.soup.find_all(True):
            assert not [name for name in element.attrs if name.startswith("on")], f"{where}: {element}"
            for name in ("src", "href", "action", "formaction"):
                target = urlsplit(str(element.get(name, "")))
                assert not target.netloc, f"{where}: {element}"
                assert target.scheme == "", f"{where}: {element}"
        ids = [str(element["id"]) for element in page.soup.select("[id]")]
        assert sorted(set(ids)) == sorted(ids), where
        data = sum(len(script.get_text()) for script in page.soup.select("script[type='application/json']"))
        assert len(page.response.get_data()) - data <= 20_000, where
        # Those who cannot see a control hear its name.
        for control in page.soup.select("input:not([type=hidden]), select, textarea"):
            named = control.get("aria-label") or control.find_parent("label")
            labelled = page.soup.select_one(f"label[for='{control.get('id')}']")
            assert named or labelled, f"{where}: {control}"
        for control in page.soup.select("a[href], button, summary"):
            assert control.get_text(strip=True) or control.get("aria-label"), f"{where}: {control}"


@pytest.mark.parametrize("session", ["open", "closed"])
def test_a_stranger_is_told_that_nothing_is_there(
    app: Flask, host: Host, stranger: Host, db: Session, world: World, session: str
) -> None:
    nobody = Visitor(app)
    values = world.sessions[session]
    before = dump(db)

    for visitor in (stranger, nobody):
        for rule in with_ids(app, "GET"):
            assert visitor.get(address(app, rule, values)).status == 404, rule
        data = sound_form(visitor, db, values)
        for rule in with_ids(app, "POST"):
            assert visitor.post(address(app, rule, values), data=data).status == 404, rule

    assert dump(db) == before


PAYMENTS = (
    *("settlement.pay_all", "settlement.pay_part", "settlement.unpay"),
    *("settlement.hand_back_carried", "costs.take_back"),
)


def test_ids_of_another_group_lead_nowhere_from_ones_own(
    app: Flask, host: Host, stranger: Host, db: Session, world: World
) -> None:
    other = make_world(db, stranger.group)
    before = dump(db)

    for method in ("GET", "POST"):
        for rule in with_ids(app, method):
            for kept in rule.arguments & {"group_id", "session_id"}:
                # A seat is one of the session's own, whatever its number.
                if not rule.arguments - {kept, "seat"}:
                    continue
                # "fresh" has no deal, no payment: each that is named belongs to another session.
                values = {**other.sessions["closed"], kept: world.sessions["fresh"][kept]}
                path = address(app, rule, values)
                data = sound_form(host, db, world.sessions["fresh"])
                page = host.get(path) if method == "GET" else host.post(path, data=data)
                # A payment that is not there may also have been withdrawn meanwhile, and a part is nothing typed.
                assert page.status in ({404, 409, 422} if rule.endpoint in PAYMENTS else {404}), path

    assert dump(db) == before


@pytest.mark.parametrize("session", ["open", "closed"])
def test_nothing_is_done_for_a_form_of_another_site(
    app: Flask, host: Host, stranger: Host, db: Session, world: World, session: str
) -> None:
    values = world.sessions[session]
    forged = {"none": None, "empty": "", "made up": "x" * 40, "of another browser": csrf_token(stranger)}
    before = dump(db)

    for rule in routes(app, "POST"):
        for kind, token in forged.items():
            data = sound_form(host, db, values)
            data = {name: value for name, value in data.items() if not name.endswith("csrf_token")}
            if token is not None:
                data["csrf_token"] = token
            page = host.post(address(app, rule, values), data=data)
            assert page.status == 400, (rule, kind)
            assert "This form is too old, or comes from elsewhere" in page.text

    assert dump(db) == before


ODD_IDS = ["0", "-1", "2147483648", "9" * 30, "x", "1.5", "0x1", "1e3", "%00", "１", "1 or 1=1", "../1", " "]


def test_an_address_with_an_odd_id_is_no_page(app: Flask, host: Host, db: Session, world: World) -> None:
    values = world.sessions["open"]
    token = csrf_token(host)
    before = dump(db)

    for method in ("GET", "POST"):
        for rule in with_ids(app, method):
            for argument in rule.arguments:
                for odd in ODD_IDS:
                    if argument in ("line", "seat") and odd in ("0", "１"):
                        continue
                    path = re.sub(
                        r"<(?:[^:<>]+:)?(\w+)>",
                        lambda match, argument=argument, odd=odd: (  # type: ignore[misc]
                            quote(odd, safe="%/.") if match[1] == argument else str(values[match[1]])
                        ),
                        rule.rule,
                    )
                    page = host.get(path) if method == "GET" else host.post(path, data={"csrf_token": token})
                    # 405 where the address is of the form of one that takes the other method.
                    assert page.status in (404, 405), path

    assert dump(db) == before


def test_a_method_that_a_route_does_not_know_is_refused(app: Flask, host: Host, db: Session, world: World) -> None:
    values = world.sessions["open"]
    allowed: dict[str, set[str]] = {}
    for rule in app.url_map.iter_rules():
        allowed.setdefault(address(app, rule, values), set()).update(rule.methods or ())
    before = dump(db)

    for path, methods in allowed.items():
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - methods:
            reply = host.client.open(path, method=method)
            if method == "GET" and path != "/groups":
                # What a form was sent to, loaded again, is the page the form is on.
                assert reply.status_code == 303, path
                assert host.get(reply.headers["Location"]).status == 200, path
                continue
            assert reply.status_code == 405, (method, path)
            assert set(reply.headers["Allow"].split(", ")) == methods, path
            assert "Scorekeeper" in reply.get_data(as_text=True)

    assert dump(db) == before

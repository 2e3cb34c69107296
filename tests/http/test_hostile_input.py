"""Every field of every form takes anything: a sentence and nothing written, or what was meant, never a failure."""

import copy
import json
from collections.abc import Iterator

import pytest
from flask import Flask
from sqlalchemy.orm import Session

from tests.http.conftest import Host
from tests.http.evidence import dump
from tests.http.test_every_route import csrf_token, pages
from tests.http.visitor import Form, Page
from tests.http.world import SESSIONS, World, address, make_world, routes

FILE = {"format": "scorekeeper/session", "version": 1, "rules": "mensch", "players": ["A", "B", "C", "D"], "events": []}

NASTY: dict[str, str | list[str] | None] = {
    "missing": None,
    "empty": "",
    "blank": " \N{NO-BREAK SPACE}\t",
    "zero": "0",
    "negative": "-1",
    "fraction": "1.5",
    "exponent": "1e9",
    "other digits": "９",
    "superscript": "²",
    "huge number": "9" * 40,
    "number too long to read": "9" * 5000,
    "not a number": "nan",
    "NUL": "a\x00b",
    "line breaks": "a\r\nb",
    "turned round": "a\N{RIGHT-TO-LEFT OVERRIDE}b",
    "emoji": "🂡👩‍👩‍👧",
    "Arabic": "أحمد عبد الرحمن",
    "half a surrogate": "\\ud800",
    "markup": '<img src=x onerror="alert(1)">',
    "template": "{{ 7*7 }}%(x)s{0}",
    "SQL": "'; DROP TABLE deal; --",
    "very long": "x" * 100_000,
    "two of it": ["1", "2"],
}


AREAS = (
    "groups",
    "links",
    "sessions",
    "board",
    "seats",
    "declaring",
    "deals",
    "chips",
    "chipset",
    "costs",
    "counts",
    "join",
    "paper",
    "settlement",
    "files",
)

BUTTONS = frozenset(
    {
        "groups.retire",
        "groups.bring_back",
        "groups.remove",
        "links.renew",
        "links.withdraw",
        "pen.receive",
        "pen.take",
        "deals.take_back_game",
        "declaring.drop",
        "deals.order",
    }
)
"""What the press of a button does, with nothing else in the form."""
PREVIEWS = frozenset(
    {"deals.preview", "deals.preview_correction", "declaring.preview", "paper.check", "settlement.choose"}
)
"""What answers with the form as it is so far."""


def forms_of(app: Flask, host: Host, world: World) -> Iterator[tuple[Form, str]]:
    """Every kind of form there is, once, with the endpoint it is for."""
    shown = [page for session in SESSIONS for page in pages(app, host, world.sessions[session])]
    shown += [host.get(f"{host.group_path}/sessions/new?rules={rules}") for rules in ("mensch", "dirty-clubs")]
    shown.append(host.get(f"{host.group_path}/import").form("/import").fill(text=json.dumps(FILE)).submit())
    grid = host.get(f"/sessions/{world.sessions['open']['session_id']}/paper/keying").form("/check")
    row = {"r1-contract": "half", "r1-declarer": "Ann", "r1-partner": "Ben", "r1-tricks": "5"}
    shown.append(grid.fill(**row).submit("Check"))
    seen: set[tuple[object, ...]] = set()
    for page in shown:
        for form in forms_on(page):
            endpoint = str(app.url_map.bind("localhost").match(form.action, method=method_of(form))[0])
            if (endpoint, fields_of(form)) not in seen:
                seen.add((endpoint, fields_of(form)))
                yield form, endpoint


def forms_on(page: Page) -> Iterator[Form]:
    """The forms of a page, once for each address that one of their buttons sends them to."""
    for form in page.forms():
        outside = page.soup.select(f"button[form={form.element['id']}]") if form.element.get("id") else []
        buttons = (*form.element.select("button"), *outside)
        actions = {button.get("formaction") or form.action for button in buttons}
        for action in sorted(map(str, actions)):
            element = copy.copy(form.element)
            element["action"] = action
            for button in element.select("[formaction]"):
                del button["formaction"]
            yield Form(element, page)


def method_of(form: Form) -> str:
    return str(form.element.get("method", "get")).upper()


def fields_of(form: Form) -> tuple[str, ...]:
    names = {str(control["name"]) for control in form.element.select("input, select, textarea")}
    return tuple(sorted(name for name in names if not name.endswith("csrf_token")))


def trials(fields: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Which fields to fill with what: all of them at once with each, and each alone with one."""
    kinds = list(NASTY)
    # Where these are wrong, nothing else is looked at.
    if typed := tuple(name for name in fields if not name.endswith(("submission_id", "expected_version"))):
        for kind in kinds:
            yield typed, kind
    for place, name in enumerate(fields):
        yield (name,), kinds[place % len(kinds)]


def filled(form: Form, fields: tuple[str, ...], value: str | list[str] | None) -> Form:
    fresh = Form(form.element, form.page)
    for name in fields:
        fresh.data.poplist(name)
        for one in [value] if isinstance(value, str) else value or []:
            fresh.data.add(name, one)
    return fresh


def shown_again(form: Form) -> Form | None:
    """The same form as its page shows it now, if it still does."""
    if form.page.response.request.method != "GET":
        return None
    page = form.page.visitor.get(form.page.response.request.full_path)
    return next((one for one in forms_on(page) if (one.action, fields_of(one)) == (form.action, fields_of(form))), None)


@pytest.fixture
def world(db: Session, host: Host) -> World:
    return make_world(db, host.group)


def test_there_are_forms_to_test(app: Flask, host: Host, world: World) -> None:
    endpoints = {endpoint for form, endpoint in forms_of(app, host, world) if fields_of(form)}

    assert {endpoint.split(".")[0] for endpoint in endpoints} == set(AREAS)
    posts = {rule.endpoint for rule in routes(app, "POST")}
    assert posts - endpoints <= BUTTONS | PREVIEWS


@pytest.mark.parametrize("area", AREAS)
def test_any_field_takes_anything(app: Flask, host: Host, db: Session, world: World, area: str) -> None:
    for first, endpoint in list(forms_of(app, host, world)):
        if endpoint.split(".")[0] != area:
            continue
        form, before = shown_again(first) or first, dump(db)
        for fields, kind in trials(fields_of(first)):
            page = filled(form, fields, NASTY[kind]).submit()

            assert page.status < 500, (endpoint, fields, kind)
            assert not page.soup.select("img, [onerror]"), (endpoint, fields, kind)
            after = dump(db)
            if page.status >= 400 or method_of(form) == "GET":
                assert after == before, (endpoint, fields, kind)
            elif after != before:
                # What was done makes every form that is older stale, or has taken it away.
                form, before = shown_again(form) or form, after

    for session in SESSIONS:
        for page in pages(app, host, world.sessions[session]):
            assert page.status < 500
            assert not page.soup.select("img, [onerror]")


def test_a_body_that_no_form_sends_is_refused(app: Flask, host: Host, db: Session, world: World) -> None:
    token = csrf_token(host)
    forms = [form for form, endpoint in forms_of(app, host, world) if endpoint not in BUTTONS | PREVIEWS]
    before = dump(db)

    for form in forms:
        if method_of(form) == "POST":
            for body in ("[1, 2]", "{}", '"x"', "null", "{", ""):
                page = host.post(
                    form.action, data=body, content_type="application/json", headers={"X-CSRFToken": token}
                )
                assert 400 <= page.status < 500, (form.action, body)

    assert dump(db) == before


def test_any_query_is_harmless(app: Flask, host: Host, db: Session, world: World) -> None:
    before = dump(db)

    for rule in (rule for rule in routes(app, "GET") if rule.endpoint != "static"):
        for kind in sorted(NASTY.keys() - {"missing", "very long"}):
            names = ("before", "rules", "players", "say", "contract", "declarer", "auction-0-seat", "auction-0")
            query = dict.fromkeys(names, NASTY[kind])
            page = host.get(address(app, rule, world.sessions["open"]), query_string=query)
            assert page.status < 500, (rule, kind)
            assert not page.soup.select("img, [onerror]"), (rule, kind)

    assert dump(db) == before

"""Every field of every form takes anything: a sentence and nothing written, or what was meant, never a failure."""

import copy
import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import pytest
from bs4 import Tag
from flask import Flask
from sqlalchemy.orm import Session

from tests.http.conftest import Host
from tests.http.evidence import dump
from tests.http.test_every_route import csrf_token, pages
from tests.http.visitor import Form, Page
from tests.http.world import World, address, make_world, routes

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
        "links.withdraw_ended",
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


class Kind(NamedTuple):
    """A form, the endpoint it is for, and how to come to the page it is on."""

    endpoint: str
    fields: tuple[str, ...]
    action: str
    method: str
    come: Callable[[Host], Page]

    def form(self, host: Host) -> Form | None:
        """The form as its page shows it now, if it still does."""
        shown = forms_on(self.come(host))
        return next((one for one in shown if (one.action, fields_of(one)) == (self.action, self.fields)), None)


_kinds: list[Kind] = []


def kinds(app: Flask, host: Host, world: World) -> list[Kind]:
    """Every kind of form there is. All tests find the same world, so the first one looks for all of them."""
    if not _kinds:
        found: dict[tuple[str, tuple[str, ...]], Kind] = {}
        for come in ways(app, host, world):
            for form in forms_on(come(host)):
                endpoint = str(app.url_map.bind("localhost").match(form.action, method=method_of(form))[0])
                kind = Kind(endpoint, fields_of(form), form.action, method_of(form), come)
                found.setdefault((kind.endpoint, kind.fields), kind)
        _kinds.extend(found.values())
    return _kinds


def ways(app: Flask, host: Host, world: World) -> Iterator[Callable[[Host], Page]]:
    """How to come to every page."""
    paths = [page.response.request.full_path for page in pages(app, host, *world.sessions.values())]
    paths += [f"{host.group_path}/sessions/new?rules={rules}" for rules in ("mensch", "dirty-clubs")]
    for path in dict.fromkeys(paths):
        yield partial(Host.get, path=path)
    yield lambda host: host.get(f"{host.group_path}/import").form("/import").fill(text=json.dumps(FILE)).submit()
    grid = f"/sessions/{world.sessions['open']['session_id']}/paper/keying"
    row = {"r1-contract": "half", "r1-declarer": "Ann", "r1-partner": "Ben", "r1-tricks": "5"}
    yield lambda host: host.get(grid).form("/check").fill(**row).submit("Check")


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


def markup_let_through(page: Page) -> list[Tag]:
    """What of :data:`NASTY` would be run. To parse every page takes longer than to make it."""
    return page.soup.select("img, [onerror]") if "<img" in page.html or "onerror" in page.html else []


@pytest.fixture
def world(db: Session, host: Host) -> World:
    return make_world(db, host.group)


def test_there_are_forms_to_test(app: Flask, host: Host, world: World) -> None:
    endpoints = {kind.endpoint for kind in kinds(app, host, world) if kind.fields}

    assert {endpoint.split(".")[0] for endpoint in endpoints} == set(AREAS)
    posts = {rule.endpoint for rule in routes(app, "POST")}
    assert posts - endpoints <= BUTTONS | PREVIEWS


@pytest.mark.parametrize("area", AREAS)
def test_any_field_takes_anything(app: Flask, host: Host, db: Session, world: World, area: str) -> None:
    of_area = [kind for kind in kinds(app, host, world) if kind.endpoint.split(".")[0] == area]
    for kind, first in [(kind, kind.form(host)) for kind in of_area]:
        assert first is not None, kind
        form, before = kind.form(host) or first, dump(db)
        for fields, nasty in trials(kind.fields):
            page = filled(form, fields, NASTY[nasty]).submit()

            assert page.status < 500, (kind, fields, nasty)
            assert not markup_let_through(page), (kind, fields, nasty)
            after = dump(db)
            if page.status >= 400 or kind.method == "GET":
                assert after == before, (kind, fields, nasty)
            elif after != before:
                # What was done makes every form that is older stale, or has taken it away.
                form, before = kind.form(host) or form, after

    for page in pages(app, host, *world.sessions.values()):
        assert page.status < 500
        assert not markup_let_through(page)


def test_a_body_that_no_form_sends_is_refused(app: Flask, host: Host, db: Session, world: World) -> None:
    token = csrf_token(host)
    posted = [kind for kind in kinds(app, host, world) if kind.method == "POST"]
    before = dump(db)

    for kind in posted:
        if kind.endpoint not in BUTTONS | PREVIEWS:
            for body in ("[1, 2]", "{}", '"x"', "null", "{", ""):
                page = host.post(
                    kind.action, data=body, content_type="application/json", headers={"X-CSRFToken": token}
                )
                assert 400 <= page.status < 500, (kind, body)

    assert dump(db) == before


def test_any_query_is_harmless(app: Flask, host: Host, db: Session, world: World) -> None:
    before = dump(db)

    for rule in (rule for rule in routes(app, "GET") if rule.endpoint != "static"):
        for kind in sorted(NASTY.keys() - {"missing", "very long"}):
            names = ("before", "rules", "players", "say", "contract", "declarer", "auction-0-seat", "auction-0")
            query = dict.fromkeys(names, NASTY[kind])
            page = host.get(address(app, rule, world.sessions["open"]), query_string=query)
            assert page.status < 500, (rule, kind)
            assert not markup_let_through(page), (rule, kind)

    assert dump(db) == before

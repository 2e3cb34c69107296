"""Headers, cookies, and pages for what went wrong."""

import pytest
from flask import Flask
from sqlalchemy.orm import Session

from scorekeeper.config import settings
from scorekeeper.web import settlement
from tests.factories import make_session
from tests.http.conftest import Host
from tests.http.evidence import dump
from tests.http.visitor import Visitor
from tests.http.world import address, make_world, routes


def directives(policy: str) -> dict[str, str]:
    return dict(part.strip().split(" ", 1) for part in policy.split(";") if part.strip())


def test_every_answer_forbids_what_no_page_needs(app: Flask, host: Host, db: Session) -> None:
    values = make_world(db, host.group).sessions["open"]
    paths = [address(app, rule, values) for rule in routes(app, "GET")]

    for path in [*paths, "/no-such-page", "/static/no-such-file"]:
        reply = host.client.get(path)
        headers = reply.headers
        policy = directives(headers["Content-Security-Policy"])
        assert policy.pop("default-src") == policy.pop("frame-ancestors") == policy.pop("base-uri") == "'none'", path
        assert set(policy.values()) == {"'self'"}, path
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"].lower() == "deny"
        assert headers["Referrer-Policy"] == "same-origin"
        assert len(headers.getlist("Content-Security-Policy")) == 1
        reply.close()


def test_what_belongs_to_a_browser_is_kept_by_no_other(app: Flask, host: Host, db: Session) -> None:
    values = make_world(db, host.group).sessions["open"]

    for rule in routes(app, "GET"):
        if rule.endpoint == "static":
            continue
        reply = host.client.get(address(app, rule, values))
        assert "private" in reply.headers["Cache-Control"], rule
        assert "public" not in reply.headers["Cache-Control"], rule
        if not rule.endpoint.startswith(("rules.", "offline.")):
            assert "Cookie" in reply.headers["Vary"], rule


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(host: Host) -> None:
    header = host.client.get(f"/open/{host.group.token}").headers["Set-Cookie"]

    assert "HttpOnly" in header
    assert "SameSite=Lax" in header
    assert "Secure" not in header


def test_behind_https_the_cookie_goes_nowhere_else(app: Flask, host: Host) -> None:
    app.config.update(settings({"SCOREKEEPER_HTTPS": "1"}), SECRET_KEY="for tests")

    header = host.client.get(f"/open/{host.group.token}", base_url="https://localhost").headers["Set-Cookie"]

    assert "Secure" in header


@pytest.mark.parametrize("cookie", ["", "x", "a.b.c", "eyJsaW5rcyI6WzFdfQ.aaaaaa.forged", "é", "x" * 4000])
def test_a_cookie_that_is_none_makes_a_stranger(app: Flask, host: Host, cookie: str) -> None:
    visitor = Visitor(app)
    visitor.client.set_cookie("session", cookie)

    assert visitor.get(host.group_path).status == 404
    page = visitor.get("/")
    assert page.status == 200
    assert page.response.history == ()


def test_a_server_with_another_key_takes_no_cookie_away(app: Flask, host: Host) -> None:
    before = host.client.get_cookie("session")
    key, app.config["SECRET_KEY"] = app.config["SECRET_KEY"], "another one"
    assert host.get(host.group_path).status == 404
    app.config["SECRET_KEY"] = key

    assert host.client.get_cookie("session") == before
    assert host.get(host.group_path).status == 200


def test_a_cookie_of_ours_stays_as_it_is(host: Host) -> None:
    before = host.client.get_cookie("session")

    assert "Set-Cookie" not in host.get("/rules").response.headers

    assert host.client.get_cookie("session") == before


def test_a_cookie_of_another_key_makes_a_stranger(app: Flask, host: Host) -> None:
    assert host.get(host.group_path).status == 200
    app.config["SECRET_KEY"] = "another one"

    assert host.get(host.group_path).status == 404
    assert host.get("/").status == 200


def test_a_link_opens_no_group_but_its_own(host: Host, stranger: Host) -> None:
    assert host.get(stranger.group_path).status == 404

    host.get(f"/open/{stranger.group.token}")

    assert host.get(stranger.group_path).status == 200
    assert host.get(host.group_path).status == 200


@pytest.mark.parametrize("path", ["/no-such-page", "/groups/999999", "/sessions/999999", "/open/x", "/groups/1/"])
def test_nothing_there_looks_the_same_wherever_it_is(host: Host, stranger: Host, path: str) -> None:
    page, other = stranger.get(path), stranger.get(host.group_path)

    assert page.status == other.status == 404
    assert page.response.get_data() == other.response.get_data()


def test_every_error_has_a_page_with_a_way_back(app: Flask, host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    stale = host.get(f"/sessions/{session.id}/settlement").form("/close")
    other = host.get(f"/sessions/{session.id}/settlement").form("/close").data
    form = host.get(host.group_path + "/import").form("/import").data
    stale.submit("End")
    answers = {
        400: host.post(f"/sessions/{session.id}/close"),
        404: host.get("/no-such-page"),
        405: host.post("/rules", data=form),
        409: host.post(f"/sessions/{session.id}/close", data=other),
        413: host.post("/groups", data={"name": "x" * 1_100_000}),
        422: host.post(f"{host.group_path}/import", data=form),
    }

    for status, page in answers.items():
        assert page.status == status
        assert page.soup.h1 is not None
        assert page.soup.select_one("header .brand[href='/']"), status
        assert page.response.headers["Content-Type"] == "text/html; charset=utf-8"


@pytest.fixture
def broken(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that fails, in an application that answers as it would for people."""

    def fail(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(settlement, "accounts", fail)
    app.config.update(TESTING=False, PROPAGATE_EXCEPTIONS=False)


@pytest.mark.usefixtures("broken")
def test_a_fault_of_ours_is_owned_up_to_and_its_detail_goes_to_the_log(
    host: Host, db: Session, caplog: pytest.LogCaptureFixture
) -> None:
    session = make_session(db, group=host.group)
    before = dump(db)

    page = host.get(f"/sessions/{session.id}/settlement")

    assert page.status == 500
    assert "Something went wrong here" in page.text
    assert "secret detail" not in page.response.get_data(as_text=True)
    assert "secret detail" in caplog.text
    assert page.response.headers["X-Content-Type-Options"] == "nosniff"
    assert dump(db) == before

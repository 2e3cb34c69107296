"""What each role may do: every route that leads into a group, tried with a link of every role."""

import pytest
from flask import Flask
from sqlalchemy.orm import Session

from scorekeeper.services.groups import Role
from tests.factories import make_link
from tests.http.conftest import Host
from tests.http.evidence import dump
from tests.http.test_every_route import pages, sound_form, with_ids
from tests.http.visitor import Visitor
from tests.http.world import SESSIONS, address, make_world

VIEWER, SCORER, HOST = Role.VIEWER, Role.SCORER, Role.HOST

NEEDED: dict[tuple[str, str], Role] = {
    ("GET", "bidding.bidding"): SCORER,
    ("GET", "board.board"): VIEWER,
    ("GET", "board.session"): VIEWER,
    ("POST", "board.sit"): VIEWER,
    ("GET", "chart.chart"): VIEWER,
    ("GET", "chips.chips"): VIEWER,
    ("POST", "chips.buy"): SCORER,
    ("POST", "chips.cash"): SCORER,
    ("POST", "chips.change"): SCORER,
    ("GET", "chipset.chips"): HOST,
    ("POST", "chipset.save"): HOST,
    ("GET", "counts.count"): VIEWER,
    ("POST", "counts.keep"): SCORER,
    ("GET", "costs.costs"): VIEWER,
    ("POST", "costs.put_in"): SCORER,
    ("POST", "costs.share"): SCORER,
    ("POST", "costs.stake"): SCORER,
    ("POST", "costs.take_back"): SCORER,
    ("GET", "deals.correction"): SCORER,
    ("GET", "deals.deal"): VIEWER,
    ("GET", "deals.index"): VIEWER,
    ("GET", "deals.ahead"): SCORER,
    ("GET", "deals.new"): SCORER,
    ("POST", "deals.correct"): SCORER,
    ("POST", "deals.decide"): SCORER,
    ("POST", "deals.misdeal"): SCORER,
    ("POST", "deals.order"): VIEWER,
    ("POST", "deals.dispute"): SCORER,
    ("POST", "deals.preview"): SCORER,
    ("POST", "deals.preview_correction"): SCORER,
    ("POST", "deals.record"): SCORER,
    ("POST", "deals.restore"): SCORER,
    ("POST", "deals.start_game"): SCORER,
    ("POST", "deals.take_back_game"): SCORER,
    ("POST", "deals.void"): SCORER,
    ("GET", "voiding.ask"): SCORER,
    ("GET", "csvfiles.deals"): VIEWER,
    ("GET", "csvfiles.places"): VIEWER,
    ("GET", "csvfiles.settlement"): VIEWER,
    ("GET", "declaring.declare"): SCORER,
    ("POST", "declaring.drop"): SCORER,
    ("POST", "declaring.preview"): SCORER,
    ("POST", "declaring.save"): SCORER,
    ("GET", "files.archive"): HOST,
    ("GET", "files.downloads"): VIEWER,
    ("GET", "files.export"): VIEWER,
    ("GET", "files.import_form"): HOST,
    ("POST", "files.check"): HOST,
    ("POST", "files.confirm"): HOST,
    ("POST", "groups.add"): HOST,
    ("POST", "groups.bring_back"): HOST,
    ("POST", "groups.delete"): HOST,
    ("GET", "groups.deletion"): HOST,
    ("GET", "groups.group"): VIEWER,
    ("GET", "groups.player"): HOST,
    ("POST", "groups.remove"): HOST,
    ("POST", "groups.rename"): HOST,
    ("POST", "groups.retire"): HOST,
    ("GET", "history.history"): VIEWER,
    ("GET", "join.codes"): HOST,
    ("POST", "join.make"): HOST,
    ("POST", "join.end"): HOST,
    ("GET", "links.index"): HOST,
    ("GET", "live.live"): VIEWER,
    ("GET", "live.since"): VIEWER,
    ("POST", "links.make"): HOST,
    ("POST", "links.renew"): HOST,
    ("POST", "links.withdraw"): HOST,
    ("POST", "links.withdraw_ended"): HOST,
    ("GET", "paper.keying"): SCORER,
    ("GET", "paper.sheet"): VIEWER,
    ("POST", "paper.check"): SCORER,
    ("POST", "paper.fill"): SCORER,
    ("POST", "paper.record"): SCORER,
    ("GET", "pen.pen"): SCORER,
    ("POST", "pen.take"): SCORER,
    ("GET", "rules.of_session"): VIEWER,
    ("GET", "seats.seats"): SCORER,
    ("POST", "seats.dealer"): SCORER,
    ("POST", "seats.seat"): SCORER,
    ("POST", "sessions.create"): HOST,
    ("GET", "sessions.new"): HOST,
    ("POST", "settlement.hand_back_carried"): SCORER,
    ("GET", "settlement.settlement"): VIEWER,
    ("POST", "settlement.choose"): SCORER,
    ("POST", "settlement.close"): SCORER,
    ("POST", "settlement.pay_all"): SCORER,
    ("POST", "settlement.pay_part"): SCORER,
    ("POST", "settlement.unpay"): SCORER,
    ("POST", "settlement.reopen"): SCORER,
    ("GET", "tableview.table"): VIEWER,
    ("GET", "why.change"): VIEWER,
    ("GET", "why.standing"): VIEWER,
    ("GET", "why.total"): VIEWER,
}
"""For every route that leads into a group: what a link must let one do."""


def visitor_of(host: Host, db: Session, role: Role) -> Visitor:
    """Somebody who has come in by a link of this role."""
    visitor = Visitor(host.app)
    visitor.get(f"/open/{make_link(db, host.group.group_id, role, role).token}")
    return visitor


def test_every_route_has_a_role(app: Flask) -> None:
    found = {(method, rule.endpoint) for method in ("GET", "POST") for rule in with_ids(app, method)}
    assert found == set(NEEDED)


@pytest.mark.parametrize("role", [VIEWER, SCORER])
@pytest.mark.parametrize("session", ["open", "closed"])
def test_a_role_is_refused_what_it_may_not_do(app: Flask, host: Host, db: Session, session: str, role: Role) -> None:
    values = make_world(db, host.group).sessions[session]
    visitor = visitor_of(host, db, role)
    data = sound_form(visitor, db, values)
    before = dump(db)

    for method in ("GET", "POST"):
        for rule in with_ids(app, method):
            if role.includes(NEEDED[method, rule.endpoint]):
                continue
            path = address(app, rule, values)
            page = visitor.get(path) if method == "GET" else visitor.post(path, data=data)
            assert page.status == 403, rule
            assert "Your link does not let you do this" in page.text

    assert dump(db) == before


@pytest.mark.parametrize("role", list(Role))
def test_a_role_sees_what_it_may_see(app: Flask, host: Host, db: Session, role: Role) -> None:
    values = make_world(db, host.group).sessions["open"]
    visitor = visitor_of(host, db, role)

    for rule in with_ids(app, "GET"):
        if role.includes(NEEDED["GET", rule.endpoint]):
            assert visitor.get(address(app, rule, values)).status == 200, rule


@pytest.mark.parametrize("role", [VIEWER, SCORER])
@pytest.mark.parametrize("session", SESSIONS)
def test_no_page_offers_what_it_would_refuse(app: Flask, host: Host, db: Session, session: str, role: Role) -> None:
    values = make_world(db, host.group).sessions[session]
    visitor = visitor_of(host, db, role)
    adapter = app.url_map.bind("localhost")

    for page in pages(app, visitor, values):
        if page.status == 403:
            continue
        links = [(str(link["href"]), "GET") for link in page.soup.select("a[href^='/']")]
        forms = [(form.action, str(form.element.get("method", "get")).upper()) for form in page.forms()]
        buttons = [(str(button["formaction"]), "POST") for button in page.soup.select("[formaction]")]
        for target, method in (*links, *forms, *buttons):
            endpoint, _arguments = adapter.match(target.split("?")[0].split("#")[0], method=method)
            needed = NEEDED.get((method, endpoint), VIEWER)
            assert role.includes(needed), (page.path, target)

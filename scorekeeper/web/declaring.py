"""The deal that is being played: declared when the bidding ends, changed, dropped. Recording it is deals' business."""

from __future__ import annotations

from flask import Blueprint, redirect, url_for
from flask.typing import ResponseReturnValue

from scorekeeper.extensions import db
from scorekeeper.rules import Refused
from scorekeeper.services.deals import DeclareDeal, declare_deal, drop_declared
from scorekeeper.services.history import deal_is_due
from scorekeeper.services.transaction import SessionClosed, SessionCommand, StaleSession
from scorekeeper.web import access
from scorekeeper.web.dealform import first_page, form_page, next_deal, preview_page, stale_page
from scorekeeper.web.forms import SessionForm, checked, command_fields

blueprint = Blueprint("declaring", __name__)


@blueprint.get("/sessions/<id:session_id>/deals/declare")
def declare(session_id: int) -> ResponseReturnValue:
    return first_page(next_deal(session_id, declares=True))


@blueprint.post("/sessions/<id:session_id>/deals/declare/preview")
def preview(session_id: int) -> ResponseReturnValue:
    return preview_page(next_deal(session_id, declares=True))


@blueprint.post("/sessions/<id:session_id>/deals/declare")
def save(session_id: int) -> ResponseReturnValue:
    deal_form, form = next_deal(session_id, declares=True), SessionForm()
    form.validate()
    if not deal_is_due(deal_form.session):
        return redirect(deal_form.back, 303)
    entry = deal_form.entered()
    try:
        declare_deal(db.session(), DeclareDeal(**command_fields(deal_form.session, form), facts=entry.facts))
    except Refused as refused:
        return form_page(deal_form, entry.facts, form, status=422, problems=refused.problems)
    except (StaleSession, SessionClosed):
        return stale_page(next_deal(session_id, declares=True), form)
    return redirect(deal_form.saved, 303)


@blueprint.post("/sessions/<id:session_id>/deals/declare/drop")
def drop(session_id: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    drop_declared(db.session(), SessionCommand(**command_fields(session, checked(SessionForm()))))
    return redirect(url_for("board.session", session_id=session.id, _anchor="next"), 303)

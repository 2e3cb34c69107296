"""The deal that is being played: declared when the bidding ends, changed, dropped. Recording it is deals' business."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from flask import Blueprint, redirect, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from scorekeeper import words
from scorekeeper.extensions import db
from scorekeeper.models import AnyRow
from scorekeeper.rules import Facts, Refused
from scorekeeper.services.deals import DeclareDeal, declare_deal, drop_declared
from scorekeeper.services.transaction import SessionClosed, SessionCommand, StaleSession
from scorekeeper.web import access
from scorekeeper.web.deals import first_page, form_page, next_deal, preview_page, stale_page
from scorekeeper.web.forms import SessionForm, checked, command_fields

blueprint = Blueprint("declaring", __name__)


class Declared(NamedTuple):
    """A declared deal as pages show it: what was undertaken by whom, and the card called."""

    title: str
    called: str


def declared(session: AnyRow, names: Sequence[str]) -> Declared | None:
    """The deal being played, if one has been declared: that somebody deals out of turn is no declaration."""
    facts: Facts = {name: value for name, value in (session.declared or {}).items() if name != "dealer"}
    if not facts:
        return None
    card = facts.get("called_card")
    called = _("Called: %(card)s", card=words.fact_words("called_card", card, names)) if card else ""
    return Declared(words.deal_title(facts, names), called)


@blueprint.get("/sessions/<id:session_id>/deals/declare")
def declare(session_id: int) -> ResponseReturnValue:
    return first_page(next_deal(session_id, declares=True))


@blueprint.post("/sessions/<id:session_id>/deals/declare/preview")
def preview(session_id: int) -> ResponseReturnValue:
    return preview_page(next_deal(session_id, declares=True))


@blueprint.post("/sessions/<id:session_id>/deals/declare")
def save(session_id: int) -> ResponseReturnValue:
    place = next_deal(session_id, declares=True)
    form, entry = SessionForm(), place.entered()
    form.validate()
    try:
        declare_deal(db.session(), DeclareDeal(**command_fields(place.session, form), facts=entry.facts))
    except Refused as refused:
        return form_page(place, entry.facts, form, status=422, problems=refused.problems)
    except (StaleSession, SessionClosed):
        return stale_page(next_deal(session_id, declares=True), form)
    return redirect(place.back, 303)


@blueprint.post("/sessions/<id:session_id>/deals/declare/drop")
def drop(session_id: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    drop_declared(db.session(), SessionCommand(**command_fields(session, checked(SessionForm()))))
    return redirect(url_for("board.session", session_id=session.id), 303)

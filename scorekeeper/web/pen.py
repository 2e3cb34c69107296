"""The pen: of all phones that may write in a session one does. Looking who has it, taking it, and handing it over.

It is handed over by a code that the other phone scans. Opened there, it lends that phone the link of the one that has
the pen, unless it may score already; a button takes the pen then.
"""

from __future__ import annotations

from typing import Final

from flask import Blueprint, Response, current_app, make_response, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from itsdangerous import BadSignature, URLSafeTimedSerializer

from scorekeeper import queries
from scorekeeper.extensions import db
from scorekeeper.models import AnyRow
from scorekeeper.services.groups import Role
from scorekeeper.services.transaction import SessionCommand, take_pen
from scorekeeper.web import access
from scorekeeper.web.errors import error_page
from scorekeeper.web.forms import SessionForm, checked, command_fields
from scorekeeper.web.links import shown_code

blueprint = Blueprint("pen", __name__)

CODE_HOLDS: Final = 10 * 60
"""Seconds in which a code hands the pen over, if it is still with the phone that showed it."""


@blueprint.get("/sessions/<id:session_id>/pen")
def pen(session_id: int) -> Response:
    """Who has the pen, and the way to take it; on the phone that has it, the code that hands it over."""
    session = access.game_session(session_id, Role.SCORER)
    code = shown_code(_address(session), _("The pen as a QR code")) if session.writes else None
    form = SessionForm(expected_version=session.version)
    response = make_response(render_template("pen/pen.html", session=session, code=code, form=form))
    response.cache_control.private = response.cache_control.no_store = True
    return response


@blueprint.post("/sessions/<id:session_id>/pen")
def take(session_id: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    take_pen(db.session(), SessionCommand(**command_fields(session, checked(SessionForm()))))
    return redirect(url_for("board.session", session_id=session.id), 303)


@blueprint.get("/pen/<token>")
def receive(token: str) -> ResponseReturnValue:
    """Come in with a code that was scanned: nothing is written before a person takes the pen."""
    try:
        session_id, link_id, since = _signer().loads(token, max_age=CODE_HOLDS)
    except BadSignature:
        return _void()
    offered = queries.session_of(db.session(), session_id, [link_id])
    if offered is None or offered.pen_since != since:
        return _void()
    if not access.may_score(session_id):
        access.remember_link(link_id, lent=True)
    return redirect(url_for(".pen", session_id=session_id), 303)


def _address(session: AnyRow) -> str:
    token = _signer().dumps([session.id, session.link_id, session.pen_since])
    return url_for(".receive", token=token, _external=True)


def _signer() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(current_app.secret_key or "", salt="the pen of a session")


def _void() -> ResponseReturnValue:
    return error_page(
        404,
        _("This code does not hand over the pen any more"),
        _("A code works for ten minutes, and only until somebody has taken the pen."),
        _("Have the phone with the pen show a new one."),
    )

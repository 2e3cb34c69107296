"""The pen: of all phones that may write in a session one does. Looking who has it, taking it, and handing it over.

It is handed over by a code that the other phone scans, where a button takes the pen then. A phone that may not score
yet gets a link of its own with it, to this session alone.
"""

from __future__ import annotations

from typing import Final

from flask import Blueprint, Response, current_app, make_response, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from itsdangerous import BadSignature, URLSafeTimedSerializer

from scorekeeper.extensions import db
from scorekeeper.models import AnyRow
from scorekeeper.services.groups import Role
from scorekeeper.services.pen import CodeUsed, PenCode, offered, receive_pen
from scorekeeper.services.transaction import SessionCommand, take_pen
from scorekeeper.web import access
from scorekeeper.web.errors import error_page
from scorekeeper.web.forms import SessionForm, SubmissionForm, checked, command_fields
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
def offer(token: str) -> ResponseReturnValue:
    """The page of a code that was scanned: nobody may do more than before until a person takes the pen there."""
    try:
        session = offered(db.session(), _read(token))
    except (BadSignature, CodeUsed) as void:
        return _void(void)
    # What takes the pen is this browser, even if the reply is lost.
    access.device()
    response = make_response(render_template("pen/offer.html", session=session, token=token, form=SubmissionForm()))
    response.cache_control.private = response.cache_control.no_store = True
    return response


@blueprint.post("/pen/<token>")
def receive(token: str) -> ResponseReturnValue:
    try:
        code = _read(token)
        known = access.session_if_open(code.session_id)
        scores = known is not None and Role(known.role).includes(Role.SCORER)
        command = SessionCommand(
            session_id=code.session_id,
            expected_version=0,
            submission_id=checked(SubmissionForm()).submission_id.data,
            link_id=known.link_id if known is not None and scores else 0,
            device=access.device(),
            device_name=known.device_name if known is not None else "",
        )
        link_id = receive_pen(db.session(), command, code)
    except (BadSignature, CodeUsed) as void:
        return _void(void)
    if not scores:
        access.remember_link(link_id)
    return redirect(url_for("board.session", session_id=code.session_id), 303)


def _address(session: AnyRow) -> str:
    token = _signer().dumps([session.id, session.link_id, session.pen_since])
    return url_for(".offer", token=token, _external=True)


def _read(token: str) -> PenCode:
    """:raises BadSignature: if it is no code of ours, or too old."""
    session_id, link_id, since = _signer().loads(token, max_age=CODE_HOLDS)
    return PenCode(session_id, link_id, since, token)


def _signer() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(current_app.secret_key or "", salt="the pen of a session")


def _void(why: Exception) -> ResponseReturnValue:
    if isinstance(why, CodeUsed):
        reason = _("It has been used, or somebody has taken the pen over since.")
    else:
        reason = _("A code works for ten minutes, once.")
    return error_page(
        404,
        _("This code does not hand over the pen any more"),
        reason,
        _("Have the phone with the pen show a new one."),
    )

"""Joining a session by a spoken code, and the page on which a host finds the codes."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext as later
from flask_babel import ngettext
from wtforms import HiddenField, StringField
from wtforms.validators import AnyOf

from scorekeeper import queries
from scorekeeper.extensions import db
from scorekeeper.services.attempts import TooSoon
from scorekeeper.services.groups import Role
from scorekeeper.services.joining import WrongCode, end_code, join, make_code
from scorekeeper.web import access
from scorekeeper.web.forms import PlainForm, checked
from scorekeeper.web.links import is_here_only, role_name

blueprint = Blueprint("join", __name__)

ROLES = (Role.VIEWER, Role.SCORER)
MAX_TYPED = 40
"""Characters read of what somebody enters as a code."""


class JoinForm(PlainForm):
    code = StringField(later("Code"))


class CodeForm(PlainForm):
    """What becomes of the ``code`` that was shown, if there was one."""

    role = HiddenField(validators=[AnyOf(ROLES)])
    code = HiddenField()


@blueprint.get("/join")
def enter() -> ResponseReturnValue:
    return _page(JoinForm())


@blueprint.post("/join")
def come_in() -> ResponseReturnValue:
    form = JoinForm()
    form.validate()
    try:
        joined = join(db.session(), (form.code.data or "")[:MAX_TYPED], request.remote_addr or "")
    except WrongCode:
        form.code.errors = [_("No session is joined by this code. It has six letters, and ends with its session.")]
        return _page(form, 422)
    except TooSoon as soon:
        form.code.errors = [
            ngettext(
                "There were too many wrong codes. Try again in %(num)s second.",
                "There were too many wrong codes. Try again in %(num)s seconds.",
                soon.seconds,
            )
        ]
        return *_page(form, 429), {"Retry-After": str(soon.seconds)}
    access.remember_link(joined.link_id)
    return redirect(url_for("board.session", session_id=joined.session_id), 303)


@blueprint.get("/sessions/<id:session_id>/codes")
def codes(session_id: int) -> str:
    session = access.game_session(session_id, Role.HOST)
    held = {row.role: row.code for row in queries.join_codes(db.session(), session.id)}
    return render_template(
        "join/codes.html",
        session=session,
        codes=[(role, role_name(role), held.get(role, ""), _spoken(held.get(role))) for role in ROLES],
        address=url_for(".enter", _external=True),
        here_only=is_here_only(),
        form=CodeForm(),
    )


@blueprint.post("/sessions/<id:session_id>/codes")
def make(session_id: int) -> ResponseReturnValue:
    session = access.game_session(session_id, Role.HOST)
    form = checked(CodeForm())
    make_code(db.session(), session, Role(form.role.data), instead_of=form.code.data or "")
    return redirect(url_for(".codes", session_id=session.id), 303)


@blueprint.post("/sessions/<id:session_id>/codes/end")
def end(session_id: int) -> ResponseReturnValue:
    session = access.game_session(session_id, Role.HOST)
    form = checked(CodeForm())
    end_code(db.session(), session, Role(form.role.data), form.code.data or "")
    flash(_("Nobody joins by this code any more. Whoever has joined stays in."), "done")
    return redirect(url_for(".codes", session_id=session.id), 303)


def _page(form: JoinForm, status: int = 200) -> tuple[str, int]:
    return render_template("join/enter.html", form=form), status


def _spoken(code: str | None) -> str | None:
    """A code as it is said: in two halves."""
    return f"{code[:3]} {code[3:]}" if code else None

"""The table across the room: totals, dealer and the declared deal on a screen of their own, as large as they can be."""

from __future__ import annotations

from flask import Blueprint, Response, render_template

from scorekeeper import queries
from scorekeeper.extensions import db
from scorekeeper.models import AnyRow
from scorekeeper.web import access, picture
from scorekeeper.web.tags import answer, tag_of

blueprint = Blueprint("tableview", __name__)


@blueprint.get("/sessions/<id:session_id>/table")
def table(session_id: int) -> Response:
    session = access.game_session(session_id)
    # It shows no form and no message, so nothing else makes it another page.
    return answer(tag_of(session), lambda: _page(session))


def _page(session: AnyRow) -> str:
    seats = queries.seats(db.session(), session.id)
    latest = next(iter(queries.deals(db.session(), session.id, shown=0)), None)
    score = picture.score_of(session, latest)
    return render_template("tableview/table.html", **picture.table_values(session, seats, latest, score))

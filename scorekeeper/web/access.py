"""The only way to load a row by its id: may this browser see it?

A group is opened by a link, whose token is traded for an entry in the signed cookie. A browser without one, or whose
link has been withdrawn, is told what a stranger is told: there is no such page.
"""

from __future__ import annotations

from flask import abort, session

from scorekeeper import queries
from scorekeeper.extensions import db
from scorekeeper.models import AnyRow

MAX_LINKS = 50
"""How many groups one browser keeps open: the latest."""


def opened_links() -> list[int]:
    """The links this browser has opened, latest last."""
    return list(session.get("links", []))


def remember_link(link_id: int) -> None:
    """Keep a link that was opened in this browser's cookie."""
    links = [known for known in opened_links() if known != link_id]
    session["links"] = [*links, link_id][-MAX_LINKS:]
    session.permanent = True


def group(group_id: int) -> AnyRow:
    """The group, with the link that opens it; 404 for strangers."""
    return queries.group_of(db.session(), group_id, opened_links()) or abort(404)


def game_session(session_id: int) -> AnyRow:
    """The session, with the link that opens its group; 404 for strangers."""
    return queries.session_of(db.session(), session_id, opened_links()) or abort(404)

"""The only way to load a row by its id: may this browser see it, and do what it is about to?

A group is opened by a link, whose token is traded for an entry in the signed cookie. A browser without one, or whose
link has been withdrawn, is told what a stranger is told: there is no such page.
"""

from __future__ import annotations

from flask import abort, request, session

from scorekeeper import queries
from scorekeeper.extensions import db
from scorekeeper.models import AnyRow
from scorekeeper.services.groups import Role

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


def group(group_id: int, may: Role | None = None) -> AnyRow:
    """The group, with the link that opens it; 404 for strangers, 403 for those whose link does not let them.

    Who looks needs to be able to watch and who changes something to score, unless *may* says otherwise.
    """
    return _let_in(queries.group_of(db.session(), group_id, opened_links()), may)


def game_session(session_id: int, may: Role | None = None) -> AnyRow:
    """The session, with the link that opens its group; 404 and 403 as in :func:`group`."""
    return _let_in(queries.session_of(db.session(), session_id, opened_links()), may)


def _let_in(row: AnyRow | None, may: Role | None) -> AnyRow:
    if row is None:
        abort(404)
    needed = may or (Role.VIEWER if request.method in ("GET", "HEAD", "OPTIONS") else Role.SCORER)
    if not Role(row.role).includes(needed):
        abort(403)
    return row

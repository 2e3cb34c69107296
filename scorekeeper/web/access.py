"""The only way to load a row by its id: may this browser see it, and do what it is about to?

A group is opened by a link, whose token is traded for an entry in the signed cookie. A browser without one, or whose
link has been withdrawn, is told what a stranger is told: there is no such page.
"""

from __future__ import annotations

import secrets

from flask import abort, request, session

from scorekeeper import queries
from scorekeeper.extensions import db
from scorekeeper.models import AnyRow
from scorekeeper.services.groups import Role
from scorekeeper.web import picture

MAX_LINKS = 50
"""How many groups one browser keeps open: the latest."""


def opened_links() -> list[int]:
    """The links this browser has opened, latest last."""
    return list(session.get("links", []))


def lent_links() -> list[int]:
    """The links another phone lent this browser with the pen, as far as it has not opened them itself."""
    return [link for link in session.get("lent", []) if link not in opened_links()]


def usable_links() -> list[int]:
    """Every link this browser may use, its own and those that were lent to it."""
    return [*opened_links(), *lent_links()]


def remember_link(link_id: int, *, lent: bool = False) -> None:
    """Keep a link that was opened, or is *lent*, in this browser's cookie."""
    kept = "lent" if lent else "links"
    links = [known for known in session.get(kept, []) if known != link_id]
    session[kept] = [*links, link_id][-MAX_LINKS:]
    session.permanent = True
    device()


def device() -> str:
    """What this browser is known by among those that write in a session; nobody else is told."""
    return str(session.setdefault("device", secrets.token_hex(8)))


def group(group_id: int, may: Role | None = None) -> AnyRow:
    """The group, with the link that opens it; 404 for strangers, 403 for those whose link does not let them.

    Who looks needs to be able to watch and who changes something to score, unless *may* says otherwise.
    """
    return _let_in(queries.group_of(db.session(), group_id, usable_links(), lent=lent_links()), may)


def game_session(session_id: int, may: Role | None = None) -> AnyRow:
    """The session, with the link that opens its group; 404 and 403 as in :func:`group`.

    Whoever may score may take the pen as well: whether this browser has it is the ``writes`` of the row.
    """
    return _let_in(_session_of(session_id), may)


def may_score(session_id: int) -> bool:
    """Whether this browser may write in the session, whoever has the pen now."""
    row = _session_of(session_id)
    return row is not None and Role(row.role).includes(Role.SCORER)


def _session_of(session_id: int) -> AnyRow | None:
    return queries.session_of(
        db.session(),
        session_id,
        usable_links(),
        lent=lent_links(),
        device=session.get("device"),
        side=picture.side_of(session_id),
    )


def _let_in(row: AnyRow | None, may: Role | None) -> AnyRow:
    if row is None:
        abort(404)
    needed = may or (Role.VIEWER if request.method in ("GET", "HEAD", "OPTIONS") else Role.SCORER)
    if not Role(row.role).includes(needed):
        abort(403)
    return row

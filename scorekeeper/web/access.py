"""The only way to load a row by its id: may this browser see it, and do what it is about to?

A group is opened by a link, whose token is traded for an entry in the signed cookie. A browser without one, or whose
link has been withdrawn, is told what a stranger is told: there is no such page.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

from flask import Response, abort, g, request, session

from scorekeeper import queries
from scorekeeper.extensions import db
from scorekeeper.models import AnyRow
from scorekeeper.queries import OpenedLink
from scorekeeper.services.groups import Role
from scorekeeper.web import picture

LINKS_KEPT: Final = 50
"""How many links one browser keeps."""
DAYS_KEPT: Final = 30
"""How old the cookie becomes before a page renews it."""


def opened_links() -> list[OpenedLink]:
    """The links this browser has opened, that used last at the end."""
    if numbers := session.pop("links", None):
        # A cookie of an earlier release holds numbers alone, of links that were there when it was written.
        written_on = datetime.fromordinal(session.get("written_on", 1)).replace(tzinfo=UTC)
        _keep(queries.links_made_before(db.session(), numbers, written_on + timedelta(days=1)))
    return [(link_id, datetime.fromtimestamp(made_at, UTC)) for link_id, made_at in session.get("opened", [])]


def _keep(links: Iterable[OpenedLink]) -> None:
    session["opened"] = [[link_id, made_at.timestamp()] for link_id, made_at in links]


def remember_link(link_id: int) -> None:
    """Keep a link in this browser's cookie.

    Where that is full it forgets what opens nothing any more, else a session that has ended, else what was used least
    lately.
    """
    links = [known for known in opened_links() if known[0] != link_id]
    if (excess := len(links) + 1 - LINKS_KEPT) > 0:
        in_use = queries.links_in_use(db.session(), links)
        forgotten = sorted(links, key=lambda known: (known in in_use) + in_use.get(known, False))[:excess]
        links = [known for known in links if known not in forgotten]
    opened = queries.opened_link(db.session(), link_id)
    _keep([*links, opened] if opened else links)
    _renew()
    device()


def keep_links(page: Response) -> None:
    """Have a browser that a person looks at *page* with keep for another year what it opens, the link just used last.

    The cookie is only written where it has become old, or the link is in danger of being forgotten: what is written
    may undo what another tab has written at the same time.
    """
    shown = request.method == "GET" and page.status_code == 200 and page.mimetype == "text/html"
    if not shown or "X-Fragment" in request.headers or not (links := opened_links()):
        return
    used = [known for known in links[: max(0, len(links) - LINKS_KEPT // 2)] if known[0] == g.get("used_link")]
    if used:
        _keep([*(known for known in links if known not in used), *used])
    if _today() - session.get("written_on", 0) > DAYS_KEPT:
        _renew()


def _renew() -> None:
    session["written_on"] = _today()
    session.permanent = True


def _today() -> int:
    return datetime.now(UTC).toordinal()


def device() -> str:
    """What this browser is known by among those that write in a session; nobody else is told."""
    return str(session.setdefault("device", secrets.token_hex(8)))


def named(group_id: int, session_id: int | None = None) -> str:
    """A group, or a session of it, as phones know what is open to them and what they keep shows: ``5``, or ``5/12``."""
    return str(group_id) if session_id is None else f"{group_id}/{session_id}"


def open_here() -> list[str]:
    """What this browser may see now, see :func:`named`; where it has one link only, that was found already."""
    links = opened_links()
    if len(links) == 1 and "let_into" in g:
        return [g.let_into]
    return [named(*opened) for opened in queries.open_to(db.session(), links)] if links else []


def group(group_id: int, may: Role | None = None) -> AnyRow:
    """The group, with the link that opens it; 404 for strangers, 403 for those whose link does not let them.

    Who looks needs to be able to watch and who changes something to score, unless *may* says otherwise.
    """
    return _let_in(queries.group_of(db.session(), group_id, opened_links()), may)


def game_session(session_id: int, may: Role | None = None) -> AnyRow:
    """The session, with the link that opens its group; 404 and 403 as in :func:`group`.

    Whoever may score may take the pen as well: whether this browser has it is the ``writes`` of the row.
    """
    return _let_in(session_if_open(session_id), may)


def session_if_open(session_id: int) -> AnyRow | None:
    """The session as in :func:`game_session`, or None for strangers."""
    return queries.session_of(
        db.session(),
        session_id,
        opened_links(),
        device=session.get("device"),
        side=picture.side_of(session_id),
    )


def _let_in(row: AnyRow | None, may: Role | None) -> AnyRow:
    if row is None:
        abort(404)
    to_group = getattr(row, "to_group", True)
    g.let_into = named(getattr(row, "group_id", row.id), None if to_group else row.id)
    g.used_link = row.link_id
    needed = may or (Role.VIEWER if request.method in ("GET", "HEAD", "OPTIONS") else Role.SCORER)
    if not Role(row.role).includes(needed):
        abort(403)
    return row

"""Pages of a session by their ETags: a browser that has the newest one is told so, and nothing is drawn."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import flask
from flask import Response, make_response, request
from flask.typing import ResponseReturnValue
from flask_babel import get_locale

from scorekeeper.models import AnyRow
from scorekeeper.web import picture
from scorekeeper.web.offline import release


def form_tag(game_session: AnyRow, *more: object) -> str | None:
    """What a page with forms about a session depends on, as its ETag; None where it shows something that comes once."""
    forms_key = flask.session.get("csrf_token")
    return None if forms_key is None else page_tag(game_session, forms_key, *more)


def page_tag(game_session: AnyRow, *more: object) -> str | None:
    """What a page of a session depends on, as its ETag; None where it shows a message, which comes once."""
    return None if "_flashes" in flask.session else tag_of(game_session, *more)


def tag_of(game_session: AnyRow, *more: object) -> str:
    """The same of what shows no messages."""
    at = game_session.version, game_session.group_version
    by = game_session.link_id, game_session.writes, picture.side_of(game_session.id), get_locale()
    return hashlib.sha256(repr((*at, *by, release(), *more)).encode()).hexdigest()[:32]


def answer(tag: str | None, page: Callable[[], ResponseReturnValue]) -> Response:
    """*page*, unless the browser has the one that *tag* names."""
    unchanged = tag is not None and request.if_none_match.contains_weak(tag)
    response = Response(status=304) if unchanged else make_response(page())
    if tag is not None:
        response.set_etag(tag)
    return response

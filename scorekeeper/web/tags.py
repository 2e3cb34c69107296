"""Pages of a session by their ETags: a browser that has the newest one is told so, and nothing is drawn.

What many look at is drawn once for all who would see the same: after a deal every phone at the table asks for it.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from threading import Condition
from typing import Final

import flask
from cachetools import LRUCache, cached
from flask import Flask, Response, current_app, make_response, request
from flask.typing import ResponseReturnValue
from flask_babel import get_locale
from flask_wtf.csrf import generate_csrf

from scorekeeper.models import AnyRow
from scorekeeper.web import picture
from scorekeeper.web.forms import new_submission_id
from scorekeeper.web.offline import release

KEPT: Final = 1024 * 1024
"""Bytes of drawn pages that a process keeps: those of some twenty tables."""
TOKEN, SUBMISSION = secrets.token_hex(16), secrets.token_hex(16)
"""What stands in a drawn page for the token and the submission id of its forms; nobody can have typed it in."""


def init_app(app: Flask) -> None:
    """Give *app* the pages that it has drawn. Whoever asks for one that is being drawn waits for it."""
    by_tag = cached(LRUCache(KEPT, len), key=lambda tag, page: tag, condition=Condition())
    # As bytes, of which a page has half as many.
    app.extensions["drawn"] = by_tag(lambda tag, page: page().encode())


def form_tag(game_session: AnyRow, *more: object) -> str | None:
    """What a page with forms about a session depends on, as its ETag; None where it shows something that comes once."""
    forms_key = flask.session.get("csrf_token")
    return None if forms_key is None else page_tag(game_session, forms_key, *more)


def page_tag(game_session: AnyRow, *more: object) -> str | None:
    """What a page of a session depends on, as its ETag; None where it shows a message, which comes once."""
    return None if "_flashes" in flask.session else tag_of(game_session, *more)


def tag_of(game_session: AnyRow, *more: object) -> str:
    """The same of what shows no messages.

    The whole row, not its versions alone: where a backup is put back, they count up to the same numbers once more.
    """
    by = picture.side_of(game_session.id), get_locale()
    return hashlib.sha256(repr((*game_session, *by, release(), *more)).encode()).hexdigest()[:32]


def drawn(game_session: AnyRow, page: Callable[[AnyRow], str]) -> str:
    """*page*, drawn for whoever asked first of those who see the same, with a token and a submission id of its own.

    It has :data:`TOKEN` and :data:`SUBMISSION` in their places, and shows nothing else that :func:`page_tag` does not
    know of, and the address it was asked for by.
    """
    tag = page_tag(game_session, request.full_path)
    if tag is None:
        found = page(game_session)
    else:
        kept: bytes = current_app.extensions["drawn"](tag, lambda: page(game_session))
        found = kept.decode()
    if TOKEN in found:
        found = found.replace(TOKEN, generate_csrf())
    return found.replace(SUBMISSION, new_submission_id())


def answer(tag: str | None, page: Callable[[], ResponseReturnValue]) -> Response:
    """*page*, unless the browser has the one that *tag* names."""
    unchanged = tag is not None and request.if_none_match.contains_weak(tag)
    response = Response(status=304) if unchanged else make_response(page())
    if tag is not None:
        response.set_etag(tag)
    return response

"""The stream that tells an open page when its session has moved on: server-sent events, only ever a page version.

A page that is told so asks for what it shows as anybody would, through the one door to every row. Where no stream can
be had it is told ``busy``, and how often to ask instead.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

import flask
from flask import (
    Blueprint,
    Flask,
    Response,
    current_app,
    has_app_context,
    render_template,
    request,
    stream_with_context,
)
from sqlalchemy import event
from werkzeug.exceptions import Forbidden, NotFound

from scorekeeper.extensions import db
from scorekeeper.watcher import Watcher
from scorekeeper.web import access
from scorekeeper.web.tags import answer, tag_of

blueprint = Blueprint("live", __name__)

BEAT: Final = 5.0
"""Seconds between two signs of life. A phone that is gone is noticed, and its thread free, when one cannot be sent."""
LASTS: Final = 60.0
"""Seconds of a stream; the browser asks for the next one by itself."""
RETRY: Final = 1000
"""Milliseconds after which it does."""
SPARE: Final = 8
"""Threads of a process that no stream takes: pages always have one."""


def init_app(app: Flask) -> None:
    """Give *app* the watcher of its streams."""
    app.extensions["watcher"] = Watcher(app.config["THREADS"] - SPARE)


@event.listens_for(db.session, "after_commit")
def wake(_session: object) -> None:
    """What this process has committed is told at once."""
    if has_app_context():
        current_app.extensions["watcher"].woken.set()


@blueprint.get("/sessions/<id:session_id>/live")
def live(session_id: int) -> Response:
    """Page versions of the session after the one that the browser shows: it says which, so that none is missed."""
    access.game_session(session_id)
    seen = request.headers.get("Last-Event-ID", request.args.get("version", type=int), type=int)
    response = Response(stream_with_context(_events(session_id, seen)), mimetype="text/event-stream")
    response.cache_control.private = response.cache_control.no_store = True
    # A proxy must not hold back what there is of an answer.
    response.headers["X-Accel-Buffering"] = "no"
    return response


@blueprint.get("/sessions/<id:session_id>/since")
def since(session_id: int) -> Response:
    """What is said beside a form, or before one, that was shown at a ``version`` of the session and stays as it is."""
    session = access.game_session(session_id)
    version = request.args.get("version", session.version, int)
    said = {name: name in request.args for name in ("saves", "refused", "corrects")}
    return answer(
        tag_of(session, version, said),
        lambda: render_template("live/since.html", session=session, version=version, **said),
    )


def _events(session_id: int, seen: int | None) -> Iterator[str]:
    watcher: Watcher = current_app.extensions["watcher"]
    # Cookies of before devices had names tell browsers apart no further than this.
    device = flask.session.get("device") or request.remote_addr or ""
    with watcher.following(db.engine, session_id, device) as stream:
        # Without threads a stream would keep the whole process to itself.
        if stream is None or not request.is_multithread:
            yield _busy(watcher)
            return
        yield f"retry: {RETRY}\n\n"
        ends = time.monotonic() + LASTS
        while (version := _version(session_id)) is not None:
            yield f"event: {'beat' if version == seen else 'version'}\nid: {version}\ndata: {version}\n\n"
            seen = version
            if time.monotonic() >= ends or not stream.wait(version, BEAT):
                break
        if stream.gives_way:
            yield _busy(watcher)


def _busy(watcher: Watcher) -> str:
    return f"event: busy\ndata: {watcher.refuse()}\n\n"


def _version(session_id: int) -> int | None:
    """What pages of the session show, for those who may still see it. Keeps no connection to the database."""
    try:
        version: int = access.game_session(session_id).page_version
    except (Forbidden, NotFound):
        return None
    finally:
        db.session.remove()
    return version

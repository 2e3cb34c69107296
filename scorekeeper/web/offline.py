"""What makes the app work where there is no network: the service worker, and which pages a browser may keep for it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Final

from flask import Blueprint, Response, current_app, make_response, render_template, request, session, url_for
from flask.typing import ResponseReturnValue
from flask_babel import get_locale

from scorekeeper.paths import shipped

blueprint = Blueprint("offline", __name__)

_PACKAGE: Final = Path(__file__).resolve().parent.parent
_STATIC: Final = _PACKAGE / "static"

_KILLED: Final = """\
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => {
  const gone = async () => {
    for (const name of await caches.keys()) await caches.delete(name);
    await self.registration.unregister();
  };
  event.waitUntil(gone());
});
"""
"""The worker of an app that is to have none: it takes the place of the one there was, and leaves."""


@cache
def release() -> str:
    """A name for what is installed: templates, static files and code."""
    content = hashlib.sha256()
    for folder in (_PACKAGE, shipped("templates")):
        for path in sorted(folder.rglob("*.*")):
            if path.suffix in {".py", ".html", ".css", ".js", ".svg", ".mo"}:
                content.update(path.read_bytes())
    return content.hexdigest()[:12]


@cache
def content_hash(filename: str) -> str:
    """What a static file holds, in a few letters."""
    return hashlib.sha256((_STATIC / filename).read_bytes()).hexdigest()[:12]


def static_url(filename: str) -> str:
    """The address of a shipped file, which changes with its content and can be kept for good."""
    return url_for("static", filename=filename, v=content_hash(filename))


@blueprint.get("/sw.js")
def worker() -> Response:
    """The service worker of this release, at the root: it has a say in the pages below its own address only."""
    script = _KILLED
    if current_app.config["OFFLINE"]:
        names = sorted(path.name for path in _STATIC.iterdir() if path.suffix in {".css", ".js", ".svg"})
        nowhere = url_for(".no_network", v=f"{release()}-{get_locale()}")
        files = [words_url(), nowhere, *(static_url(name) for name in names if name != "worker.js")]
        named = f'const RELEASE = "{release()}";\nconst FILES = {json.dumps(files)};\nconst NOWHERE = "{nowhere}";\n'
        script = named + (_STATIC / "worker.js").read_text("utf-8")
    return Response(script, mimetype="text/javascript")


@blueprint.get("/words")
def words() -> Response:
    """What scripts say to people: the same for everybody, and to be kept for good."""
    response = make_response(render_template("words.html"))
    response.cache_control.private = response.cache_control.immutable = True
    response.cache_control.max_age = 365 * 24 * 60 * 60
    return response


@blueprint.get("/no-network")
def no_network() -> str:
    """What the service worker shows in place of a page that it has not kept."""
    return render_template("no_network.html")


def words_url() -> str:
    """The address of those words, which changes with the release and the language."""
    return url_for("offline.words", v=f"{release()}-{get_locale()}")


def kept(page: Callable[[], ResponseReturnValue], shows: Iterable[str]) -> Response:
    """*page*, which a browser may keep for when there is no network while all that it *shows* is open to it.

    Not where it shows what comes once, such as a new link or that something has been done.
    """
    once = "_flashes" in session and "X-Fragment" not in request.headers
    response = make_response(page())
    if response.status_code == 200 and not once and not response.cache_control.no_store:
        response.headers["X-Keep"] = " ".join(shows)
    return response

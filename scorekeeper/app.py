"""The application: configuration, extensions, web."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from scorekeeper import web
from scorekeeper.config import BadSetting, kept_secret_key, settings
from scorekeeper.extensions import babel, csrf, db
from scorekeeper.paths import shipped

MAX_BODY = 1024 * 1024
"""Bytes of a request."""


def create_app(config: Mapping[str, object] | None = None) -> Flask:
    """The application as the environment configures it, with *config* over it.

    :raises BadSetting: if a setting cannot be used, or there is no secret key.
    """
    app = Flask("scorekeeper", template_folder=str(shipped("templates")))
    app.config.update(
        settings(),
        MAX_CONTENT_LENGTH=MAX_BODY,
        MAX_FORM_MEMORY_SIZE=MAX_BODY,
        PERMANENT_SESSION_LIFETIME=365 * 24 * 60 * 60,
        SESSION_COOKIE_SAMESITE="Lax",
        # A page that is asked for in the background must not bring back what another tab has changed in the cookie.
        SESSION_REFRESH_EACH_REQUEST=False,
        # A form may lie open for a whole evening; its token stays bound to the cookie.
        WTF_CSRF_TIME_LIMIT=None,
    )
    app.config.update(config or {})
    if not app.config["SECRET_KEY"]:
        raise BadSetting("SCOREKEEPER_SECRET_KEY must be set: a long random text that signs the cookies.")
    if proxies := app.config["PROXIES"]:
        # What more of them say, anybody can have made up.
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=proxies, x_proto=proxies, x_host=proxies)  # type: ignore[method-assign]
    if not app.config["SQLALCHEMY_DATABASE_URI"].startswith("sqlite"):
        # A connection that a server has ended, as when it was restarted, is replaced before a page is asked of it.
        app.config.setdefault("SQLALCHEMY_ENGINE_OPTIONS", {"pool_pre_ping": True})
    db.init_app(app)
    csrf.init_app(app)
    web.init_app(app, babel)
    return app


def app_of_this_machine() -> Flask:
    """The application as the command runs it: with a secret key and a data folder of its own where none is set.

    :raises BadSetting: if a setting cannot be used.
    :raises OSError: if the data folder or the key cannot be made.
    """
    config = settings()
    data = Path(str(config["DATA"]))
    data.mkdir(parents=True, exist_ok=True)
    return create_app({"SECRET_KEY": config["SECRET_KEY"] or kept_secret_key(data)})

"""The pages: blueprints, what templates can call, headers and error handlers."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from babel import Locale
from flask import Flask, Response, has_request_context, request, url_for
from flask_babel import Babel, format_date, format_datetime, format_time, get_locale
from secure import ContentSecurityPolicy, ReferrerPolicy, Secure, XContentTypeOptions, XFrameOptions

from scorekeeper import words
from scorekeeper.web import (
    bidding,
    board,
    chart,
    chips,
    deals,
    declaring,
    errors,
    files,
    groups,
    links,
    live,
    rules,
    seats,
    sessions,
    settlement,
    tableview,
    why,
)
from scorekeeper.web.ids import IdConverter

LOCALES = ("en",)

_HEADERS = Secure(
    csp=ContentSecurityPolicy()
    .default_src("'none'")
    .script_src("'self'")
    .style_src("'self'")
    .img_src("'self'")
    .connect_src("'self'")
    .manifest_src("'self'")
    .form_action("'self'")
    .base_uri("'none'")
    .frame_ancestors("'none'"),
    referrer=ReferrerPolicy().same_origin(),
    xcto=XContentTypeOptions().nosniff(),
    xfo=XFrameOptions().deny(),
).headers


def init_app(app: Flask, babel: Babel) -> None:
    """Give *app* its pages."""
    babel.init_app(app, locale_selector=preferred_locale)
    app.url_map.converters["id"] = IdConverter
    at_table = board, tableview, bidding, declaring, deals, seats, why, chart
    for module in (groups, links, sessions, *at_table, live, chips, settlement, files, rules):
        app.register_blueprint(module.blueprint)
    live.init_app(app)
    errors.init_app(app)
    app.jinja_env.globals.update(static_url=static_url)
    app.jinja_env.filters.update(
        signed=words.signed,
        number=words.number,
        suit_name=words.suit_name,
        contract_name=words.contract_name,
        date=format_date,
        time=format_time,
        datetime=format_datetime,
    )
    app.context_processor(_page_context)
    app.after_request(_finish)


def preferred_locale() -> str:
    """The language of ours that the browser likes best; on the command line, the first."""
    return (has_request_context() and request.accept_languages.best_match(LOCALES)) or LOCALES[0]


def static_url(filename: str) -> str:
    """The address of a shipped file, which changes with its content and can be kept for good."""
    return url_for("static", filename=filename, v=_content_hash(filename))


@lru_cache(maxsize=64)
def _content_hash(filename: str) -> str:
    path = Path(__file__).resolve().parent.parent / "static" / filename
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def _page_context() -> dict[str, object]:
    locale = get_locale() or Locale("en")
    values: dict[str, object] = {"locale_code": str(locale).replace("_", "-"), "text_direction": locale.text_direction}
    # What a script asks for in the background shows no messages: they wait for the page that a person opens.
    return values | ({"get_flashed_messages": lambda **_: []} if "X-Fragment" in request.headers else {})


def _finish(response: Response) -> Response:
    response.headers.extend(_HEADERS)
    if request.endpoint == "static" and "v" in request.args:
        response.cache_control.no_cache = None
        response.cache_control.public = True
        response.cache_control.max_age = 365 * 24 * 60 * 60
        response.cache_control.immutable = True
    elif request.endpoint != "static" and "Cache-Control" not in response.headers:
        response.cache_control.private = True
        response.cache_control.no_cache = True
    return response

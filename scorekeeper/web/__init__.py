"""The pages: blueprints, what templates can call, headers and error handlers."""

from __future__ import annotations

from babel import Locale
from flask import Flask, Response, has_request_context, request
from flask_babel import Babel, format_date, get_locale
from secure import ContentSecurityPolicy, ReferrerPolicy, Secure, XContentTypeOptions, XFrameOptions

from scorekeeper import words
from scorekeeper.web import (
    access,
    bidding,
    board,
    chart,
    chips,
    chipset,
    costs,
    counts,
    csvfiles,
    deals,
    declaring,
    errors,
    files,
    groups,
    history,
    join,
    links,
    live,
    offline,
    paper,
    pen,
    rules,
    seats,
    sessions,
    settlement,
    tableview,
    tags,
    voiding,
    why,
)
from scorekeeper.web.ids import IdConverter

LOCALES = ("en-GB", "en-US")
"""The languages of the pages, as a region writes dates and times: everybody else's like the first."""

_HEADERS = Secure(
    csp=ContentSecurityPolicy()
    .default_src("'none'")
    .script_src("'self'")
    .style_src("'self'")
    .img_src("'self'")
    .connect_src("'self'")
    .worker_src("'self'")
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
    at_table = board, tableview, pen, bidding, declaring, deals, voiding, seats, why, chart
    for module in (
        groups,
        history,
        join,
        links,
        sessions,
        *at_table,
        live,
        chips,
        chipset,
        costs,
        counts,
        paper,
        settlement,
        files,
        csvfiles,
        rules,
        offline,
    ):
        app.register_blueprint(module.blueprint)
    live.init_app(app)
    tags.init_app(app)
    errors.init_app(app)
    app.jinja_env.globals.update(static_url=offline.static_url, words_url=offline.words_url)
    app.jinja_env.filters.update(
        signed=words.signed,
        number=words.number,
        has_pen=words.has_pen,
        suit_name=words.suit_name,
        contract_name=words.contract_name,
        date=format_date,
        moment=words.moment,
        ruleset_title=words.ruleset_title,
    )
    app.context_processor(_page_context)
    app.after_request(_finish)


def preferred_locale() -> str:
    """The language of ours that the browser likes best; on the command line, the first."""
    best = request.accept_languages.best_match(LOCALES) if has_request_context() else None
    return (best or LOCALES[0]).replace("-", "_")


def _page_context() -> dict[str, object]:
    locale = get_locale() or Locale("en")
    values: dict[str, object] = {"locale_code": str(locale).replace("_", "-"), "text_direction": locale.text_direction}
    # What a script asks for in the background shows no messages: they wait for the page that a person opens.
    return values | ({"get_flashed_messages": lambda **_: []} if "X-Fragment" in request.headers else {})


def _finish(response: Response) -> Response:
    response.headers.extend(_HEADERS)
    # By this a phone tells our answers from those of whatever stands between, and one release from another.
    response.headers["X-Release"] = offline.release()
    if response.mimetype == "text/html" and response.status_code in (200, 304, 403, 404):
        # By this it gives up what it has kept of anything else.
        response.headers["X-Open"] = " ".join(access.open_here())
    access.keep_links(response)
    if request.endpoint == "static" and "v" in request.args:
        response.cache_control.no_cache = None
        response.cache_control.public = True
        response.cache_control.max_age = 365 * 24 * 60 * 60
        response.cache_control.immutable = True
    elif request.endpoint != "static" and "Cache-Control" not in response.headers:
        response.cache_control.private = True
        response.cache_control.no_cache = True
    return response

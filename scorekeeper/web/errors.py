"""What went wrong, as a status and a page: once for the whole application."""

from __future__ import annotations

from flask import Flask, current_app, redirect, render_template, request
from flask_babel import gettext as _
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from scorekeeper.rules import Refused
from scorekeeper.services.groups import GroupGone, LinkGone
from scorekeeper.services.settlement import SettlementInForce
from scorekeeper.services.transaction import ChangedForm, PenElsewhere, SessionClosed, StaleSession
from scorekeeper.web import access
from scorekeeper.words import has_pen, number, problem_message

Page = tuple[str, int]


def init_app(app: Flask) -> None:
    app.register_error_handler(StaleSession, _stale)
    app.register_error_handler(PenElsewhere, _pen_elsewhere)
    app.register_error_handler(ChangedForm, _changed)
    app.register_error_handler(SessionClosed, _closed)
    app.register_error_handler(SettlementInForce, _settling)
    app.register_error_handler(Refused, _refused)
    app.register_error_handler(GroupGone, _gone)
    app.register_error_handler(LinkGone, _link_gone)
    app.register_error_handler(CSRFError, _forged)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(500, _failed)


def error_page(status: int, title: str, *sentences: str) -> Page:
    """A page that says what happened and what to do."""
    # Only who may see a session is told that something in it is stale or cannot be.
    session_id = (request.view_args or {}).get("session_id") if status in (409, 422) else None
    gone = status in (403, 404)
    return render_template("error.html", title=title, sentences=sentences, session_id=session_id, gone=gone), status


def _stale(error: StaleSession) -> Page:
    return error_page(
        409,
        _("Somebody was quicker"),
        _("The session has changed since this page was shown, so nothing was saved."),
        _("Go back, reload the page, and look whether what you meant to do has been done."),
    )


def _pen_elsewhere(error: PenElsewhere) -> Page:
    # The error knows how the link is called, which is not for everybody.
    session = access.session_if_open((request.view_args or {})["session_id"])
    return error_page(
        409,
        has_pen(session.pen_name if session is not None else ""),
        _("One phone writes at a time, so nothing was saved."),
        _("Take the pen over on the page of the session, and do it again."),
    )


def _changed(error: ChangedForm) -> Page:
    return error_page(
        409,
        _("This form has been sent before"),
        _("It did its work then, and what has been changed in it since was not saved."),
        _("Go back, reload the page and fill it in again."),
    )


def _closed(error: SessionClosed) -> Page:
    return error_page(
        409,
        _("This session has ended"),
        _("Nothing was saved. Reopen the session to go on playing."),
    )


def _settling(error: SettlementInForce) -> Page:
    """Asks, with all that was sent once more: the answer does what was meant."""
    sent = [(name, value) for name, value in request.form.items(multi=True) if name not in ("csrf_token", "discard")]
    session_id = (request.view_args or {})["session_id"]
    return render_template("settlement/ask.html", action=request.path, fields=sent, session_id=session_id), 409


def _refused(error: Refused) -> Page:
    return error_page(422, _("This cannot be saved"), *(problem_message(problem) for problem in error.problems))


def _gone(error: GroupGone) -> Page:
    return error_page(404, *_http_sentences(404))


def _link_gone(error: LinkGone) -> Page:
    return error_page(
        404,
        _("This link has been withdrawn"),
        _("It opens nothing any more, and no other has been made."),
        _("Go back, and reload the page to make one."),
    )


def _forged(error: CSRFError) -> Page:
    return error_page(
        400,
        _("This form is too old, or comes from elsewhere"),
        _("Nothing was saved. Go back, reload the page and send it again."),
    )


def _http(error: HTTPException) -> Response:
    response = error.get_response()
    # A phone that loads the answer to a form again, once its tab comes back, comes to the nearest page above.
    if response.status_code == 405 and request.method == "GET" and (page := _page_above(request.path)):
        return redirect(request.script_root + page, 303)
    if response.status_code >= 400:
        title, *sentences = _http_sentences(response.status_code)
        page, _status = error_page(response.status_code, title, *sentences)
        # What goes with the status, such as the methods that a 405 allows, stays.
        response.data = page
        response.content_type = "text/html; charset=utf-8"
    return response


def _page_above(path: str) -> str:
    """The nearest page above an address that only takes what a form sends; empty if there is none."""
    routes = current_app.create_url_adapter(request)
    if routes and routes.test(path, "POST"):
        while path := path.rpartition("/")[0]:
            if routes.test(path, "GET"):
                return path
    return ""


def _http_sentences(status: int) -> tuple[str, ...]:
    match status:
        case 403:
            return (
                _("Your link does not let you do this"),
                _("Ask whoever gave it to you for another one. Nothing was saved."),
            )
        case 404:
            return (
                _("There is no such page"),
                _("If it belongs to a group, open your link to the group: without one, nobody can see it."),
                _("If that does not help, the link has been withdrawn. Ask for another one."),
            )
        case 405:
            return (
                _("This address is not a page to open"),
                _("It only takes what a form sends. Nothing was saved."),
            )
        case 413:
            most = number((request.max_content_length or 0) // 1024**2)
            return _("This is too large"), _("At most %(most)s MB can be sent at once. Nothing was saved.", most=most)
        case _:
            return _("This could not be understood"), _("Nothing was saved. Go back, reload the page and try again.")


def _failed(error: Exception) -> Page:
    """Flask has logged the error with its traceback; a person gets a page and their way back."""
    return error_page(
        500,
        _("Something went wrong here"),
        _("What was recorded is safe. Go back and look whether what you sent has arrived before you send it again."),
    )

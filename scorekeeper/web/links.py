"""The links of a group: opening one; making another, renewing and withdrawing one, which a host may."""

from __future__ import annotations

import hmac
import ipaddress
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import segno
from flask import (
    Blueprint,
    Response,
    abort,
    current_app,
    flash,
    make_response,
    redirect,
    render_template,
    request,
    session,
    url_for,
)
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext as later
from markupsafe import Markup
from wtforms import RadioField, StringField
from wtforms.fields.choices import SelectChoice

from scorekeeper import queries
from scorekeeper.extensions import db
from scorekeeper.models import AnyRow
from scorekeeper.rules import Refused
from scorekeeper.services.groups import (
    Role,
    create_link,
    link_made,
    renew_link,
    token_hash,
    withdraw_link,
    withdraw_links_to_ended,
)
from scorekeeper.web import access
from scorekeeper.web.errors import error_page
from scorekeeper.web.forms import SubmissionForm, checked
from scorekeeper.words import isolated, problem_message

blueprint = Blueprint("links", __name__)

WAITING: Final = 5
"""How many groups a browser has a new link to be shown of: the latest."""


class LinkForm(SubmissionForm):
    name = StringField(later("Whose it is, or what for"))
    role = RadioField(
        later("What it lets them do"),
        choices=[SelectChoice(role) for role in (Role.SCORER, Role.VIEWER, Role.HOST)],
        default=Role.SCORER,
    )


def role_name(role: str) -> str:
    """What a link of this role lets one do."""
    return {
        Role.SCORER: _("Keep the score: record, correct and settle"),
        Role.VIEWER: _("Watch"),
        Role.HOST: _("Everything: players, rules and links too"),
    }[Role(role)]


@dataclass(frozen=True, slots=True)
class ShownLink:
    """An address for other phones as a page shows it: itself, and as a QR code in SVG."""

    address: str
    qr: Markup
    here_only: bool
    """Whether the address leads other phones nowhere: this machine has been opened by its name for itself."""


@blueprint.get("/open/<token>")
def open_link(token: str) -> ResponseReturnValue:
    link = queries.link_for(db.session(), token_hash(token)) or abort(404)
    if link.withdrawn_at is not None:
        return error_page(
            404,
            _("This link has been withdrawn"),
            _("It opens nothing any more. Ask whoever gave it to you for another one."),
        )
    access.remember_link(link.id)
    return redirect(url_for("groups.group", group_id=link.group_id), 303)


@blueprint.get("/groups/<id:group_id>/links")
def index(group_id: int) -> ResponseReturnValue:
    return _page(access.group(group_id, Role.HOST), LinkForm())


@blueprint.post("/groups/<id:group_id>/links")
def make(group_id: int) -> ResponseReturnValue:
    group = access.group(group_id, Role.HOST)
    form = LinkForm()
    if not form.validate():
        return _refused(group, form)
    try:
        made_by = group.id, form.submission_id.data
        create_link(db.session(), group.id, Role(form.role.data), form.name.data or "", token_of(*made_by))
    except Refused as refused:
        form.add_problems(refused.problems)
        return _refused(group, form)
    show_once(group.id, *made_by)
    return redirect(url_for("links.index", group_id=group.id), 303)


@blueprint.post("/groups/<id:group_id>/links/<id:link_id>/renew")
def renew(group_id: int, link_id: int) -> ResponseReturnValue:
    form = SubmissionForm()
    made_by = group_id, link_id, form.submission_id.data or ""
    here = queries.opened_link(db.session(), link_id) in access.opened_links()
    # A phone that renewed its own link and has had no reply comes back with the old one, which opens nothing any more.
    link = link_made(db.session(), group_id, token_of(*made_by)) if here else None
    if link is None:
        group = access.group(group_id, Role.HOST)
        checked(form)
        link = renew_link(db.session(), group.id, link_id, token_of(*made_by))
    if here:
        # This phone keeps what it came in by.
        access.remember_link(link.link_id)
    show_once(group_id, *made_by)
    return redirect(url_for("links.index", group_id=group_id), 303)


@blueprint.post("/groups/<id:group_id>/links/<id:link_id>/withdraw")
def withdraw(group_id: int, link_id: int) -> ResponseReturnValue:
    group = access.group(group_id, Role.HOST)
    if not queries.has_link(db.session(), group.id, link_id):
        abort(404)
    try:
        withdraw_link(db.session(), group.id, link_id)
    except Refused as refused:
        return _refused(group, LinkForm(formdata=None), link_id, *map(problem_message, refused.problems))
    flash(_("The link has been withdrawn: it opens nothing any more."), "done")
    left = queries.group_of(db.session(), group.id, access.opened_links())
    if left is None:
        return redirect(url_for("groups.start"), 303)
    page = "links.index" if left.role == Role.HOST else "groups.group"
    return redirect(url_for(page, group_id=group.id), 303)


@blueprint.post("/groups/<id:group_id>/links/withdraw-ended")
def withdraw_ended(group_id: int) -> ResponseReturnValue:
    group = access.group(group_id, Role.HOST)
    withdraw_links_to_ended(db.session(), group.id)
    flash(_("The links to sessions that have ended have been withdrawn."), "done")
    return redirect(url_for("links.index", group_id=group.id), 303)


def token_of(*made_by: int | str) -> str:
    """The token of the link that a form makes: a form sent again makes the same one, and nobody else can tell which.

    *made_by* says which form: the group and link it is about, as far as it is about one, and its ``submission_id``, or
    what :func:`sent_from_here` says.
    """
    key = str(current_app.secret_key).encode()
    mac = hmac.digest(key, f"the token of a link: {made_by}".encode(), "sha256")
    # 128 bits.
    return urlsafe_b64encode(mac[:16]).decode().rstrip("=")


def sent_from_here(form: SubmissionForm) -> tuple[str, str]:
    """Which form makes a group here, for :func:`token_of`: sent again it gives the link to this browser alone.

    It is the key of this browser's forms that tells: none is taken without it.
    """
    return form.submission_id.data, session["csrf_token"]


def show_once(group_id: int, *made_by: int | str) -> None:
    """Have the next page of the group show the link that a form made, see :func:`token_of`.

    Until then the signed cookie holds by which form: anybody can read in it.
    """
    waiting = [[known, *form] for known, *form in session.get("new_links", []) if known != group_id]
    session["new_links"] = [*waiting, [group_id, *made_by]][-WAITING:]


def page_with_new_link(template: str, *, group: AnyRow, **values: object) -> Response:
    """A page of *group*, with the link just made for it, if there is one: this once, and in no cache."""
    new_link = link = None
    waiting = {known: form for known, *form in session.get("new_links", [])}
    if made_by := waiting.pop(group.id, None):
        session["new_links"] = [[known, *form] for known, form in waiting.items()]
        token = token_of(*made_by)
        link = queries.link_for(db.session(), token_hash(token))
        new_link = shown_code(url_for("links.open_link", token=token, _external=True), _("The link as a QR code"))
    values |= {
        "group": group,
        "new_link": new_link,
        "link_name": link and link.name and isolated(link.name),
        "lets": link and role_name(link.role),
    }
    response = make_response(render_template(template, **values))
    if new_link:
        response.cache_control.no_store = True
    return response


def shown_code(address: str, title: str) -> ShownLink:
    """*address* to be opened by other phones; *title* says what its code is."""
    code = segno.make(address, micro=False)
    # segno escapes the title; everything else it writes is its own.
    svg = Markup(code.svg_inline(omitsize=True, svgclass="qr", title=title))
    return ShownLink(address, svg, is_here_only())


def is_here_only() -> bool:
    """Whether this page's address means "this machine", and leads other phones nowhere."""
    return is_loopback(urlsplit(f"//{request.host}").hostname or "")


def is_loopback(host: str) -> bool:
    """Whether a host's name or address means the machine itself."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _refused(group: AnyRow, form: LinkForm, link_id: int | None = None, *errors: str) -> Response:
    page = _page(group, form, link_id, *errors)
    page.status_code = 422
    return page


def _page(group: AnyRow, form: LinkForm, refused: int | None = None, *errors: str) -> Response:
    opened = access.opened_links()
    links = [
        {
            "id": link.id,
            "name": link.name,
            "role": role_name(link.role),
            "session": link.session_name,
            "handed_over": link.handed_over,
            "made": link.created_at,
            "here": (link.id, link.created_at) in opened,
            "errors": errors if link.id == refused else (),
        }
        for link in queries.links(db.session(), group.id)
    ]
    roles = [(choice.value, role_name(choice.value)) for choice in form.role.choices]
    to_ended = queries.links_to_ended(db.session(), group.id)
    return page_with_new_link("links/index.html", group=group, links=links, to_ended=to_ended, form=form, roles=roles)

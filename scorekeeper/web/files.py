"""Session files: a session taken out as one, and one brought in as a session, after a dry run that writes nothing.

And the archive of a group: everything in it, to be brought in as a group of its own, here or elsewhere.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from datetime import date
from pathlib import PurePath
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from babel.lists import format_list
from flask import Blueprint, abort, current_app, flash, redirect, render_template, request, send_file, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext as later
from itsdangerous import BadSignature, URLSafeSerializer
from werkzeug.datastructures import FileStorage
from werkzeug.wrappers import Response
from wtforms import Field, FileField, HiddenField, StringField, TextAreaField
from wtforms.widgets import DateInput

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.limits import MAX_ARCHIVE, MAX_ROWS
from scorekeeper.models import AnyRow
from scorekeeper.names import BadName, clean_name, name_key
from scorekeeper.paths import shipped
from scorekeeper.rules import Refused
from scorekeeper.services.archive import BadArchive, LargeArchive, NewerArchive, pack, unpack
from scorekeeper.services.attempts import TooSoon, count_group
from scorekeeper.services.groups import Role
from scorekeeper.services.imports import ImportSession, import_session
from scorekeeper.services.transaction import ChangedForm
from scorekeeper.sessionfile import BadFile, SessionFile, Sheet, parse, read_document, score, write_document
from scorekeeper.web import access, amounts
from scorekeeper.web.forms import SubmissionForm, too_many_groups
from scorekeeper.web.links import sent_from_here, show_once, token_of
from scorekeeper.web.sessions import today
from scorekeeper.web.tags import answer, form_tag
from scorekeeper.words.numbers import locale

blueprint = Blueprint("files", __name__)

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
# What some system does not take in a file's name.
_NO_FILE_NAME = re.compile(r'[/\\:*?"<>|]')


class DayField(Field):  # type: ignore[misc]
    """A plain date."""

    widget = DateInput()
    data: Any

    def process_formdata(self, values: list[str]) -> None:
        try:
            self.data = date.fromisoformat(values[0].strip())
        except (IndexError, ValueError):
            self.data = None
            raise ValueError(_("Enter a date, such as 2026-11-26.")) from None

    def _value(self) -> str:
        return self.raw_data[0] if self.raw_data else self.data.isoformat() if self.data else ""


class UploadForm(SubmissionForm):
    file = FileField(later("Session file"))
    text = TextAreaField(later("Or paste what is in it"))


class ImportForm(SubmissionForm):
    """What to import as. ``document`` is the file as the dry run read it, signed: it is scored again all the same."""

    document = HiddenField()
    name = StringField(later("Name of the session"))
    started_on = DayField(later("Played on"))


class ArchiveForm(SubmissionForm):
    file = FileField(later("Archive of a group"))


@blueprint.get("/sessions/<id:session_id>/export")
def export(session_id: int) -> Response:
    session = access.game_session(session_id)
    return attachment(_session_file(session), named(session, ".json"), "application/json")


@blueprint.get("/groups/<id:group_id>/export")
def archive(group_id: int) -> Response:
    """Everything of a group, and the file of each session, oldest first, in a folder: several may have one name."""
    group = access.group(group_id, Role.HOST)
    content = io.BytesIO()
    with ZipFile(content, "w", ZIP_DEFLATED) as archive:
        pack(db.session(), group.id, archive)
        for place, session in enumerate(queries.every_session(db.session(), group.id), start=1):
            archive.writestr(f"{place}/{named(session, '.json')}", _session_file(session))
    return attachment(content.getvalue(), file_name(f"{group.name} {today().isoformat()}.zip"), "application/zip")


@blueprint.url_value_preprocessor
def make_room(endpoint: str | None, values: object) -> None:
    """Let an archive be larger than what other forms send: before the token is looked for, which reads the form."""
    if endpoint == "files.bring_in":
        request.max_content_length = MAX_ARCHIVE


@blueprint.get("/import")
def archive_form() -> str:
    return render_template("files/archive.html", form=ArchiveForm())


@blueprint.post("/import")
def bring_in() -> ResponseReturnValue:
    """Make a group of what an archive holds."""
    form = ArchiveForm()
    form.validate()
    made_by = sent_from_here(form)
    try:
        if not isinstance(form.file.data, FileStorage):
            raise BadArchive("no file")
        # One that is refused has been looked through all the same.
        count_group(db.session(), request.remote_addr or "")
        content = form.file.data.read()
        link = unpack(db.session(), content, form.submission_id.data, token_of(*made_by), shipped("migrations"))
    except TooSoon as soon:
        form.file.errors = [too_many_groups(soon)]
        return render_template("files/archive.html", form=form), 429, {"Retry-After": str(soon.seconds)}
    except NewerArchive:
        form.file.errors = [_("A later version of Scorekeeper wrote this archive. Nothing was saved.")]
    except LargeArchive:
        most = words.number(MAX_ROWS // 1024**2)
        form.file.errors = [_("This archive is too large: at most %(most)s MB come in. Nothing was saved.", most=most)]
    except BadArchive:
        form.file.errors = [_("This is no archive of a group, or not as it was written. Nothing was saved.")]
    except ChangedForm:
        form.renew_submission()
        form.file.errors = [_("Another archive was sent from this page before. Choose yours again.")]
        return render_template("files/archive.html", form=form), 409
    else:
        access.remember_link(link.link_id)
        show_once(link.group_id, *made_by)
        flash(_("The group is here, with everything in it. Links to it from before do not open it here."), "done")
        return redirect(url_for("groups.group", group_id=link.group_id), 303)
    return render_template("files/archive.html", form=form), 422


@blueprint.get("/sessions/<id:session_id>/files")
def downloads(session_id: int) -> Response:
    """Everything that can be taken out of a session."""
    session = access.game_session(session_id)
    return answer(form_tag(session), lambda: render_template("files/export.html", session=session))


def named(session: AnyRow, ending: str) -> str:
    """The name of a file of *session*: its name, its day and *ending*."""
    return file_name(f"{session.name} {session.started_on.isoformat()}{ending}")


def file_name(name: str) -> str:
    """*name* as every system takes it for that of a file."""
    return _NO_FILE_NAME.sub("-", name)


def attachment(content: bytes, name: str, mimetype: str) -> Response:
    """*content* as a file to be kept under *name*."""
    response = send_file(io.BytesIO(content), mimetype=mimetype, as_attachment=True, download_name=name)
    response.cache_control.private = True
    return response


@blueprint.get("/groups/<id:group_id>/import")
def import_form(group_id: int) -> str:
    return render_template("files/upload.html", group=access.group(group_id, Role.HOST), form=UploadForm(), problems=[])


@blueprint.post("/groups/<id:group_id>/import")
def check(group_id: int) -> ResponseReturnValue:
    """The dry run: what the file would bring, or everything that is wrong with it."""
    group = access.group(group_id, Role.HOST)
    form = UploadForm()
    form.validate()
    upload = form.file.data if isinstance(form.file.data, FileStorage) and form.file.data.filename else None
    contents = upload.read() if upload else (form.text.data or "").strip()
    if not contents:
        form.file.errors = [_("Choose a file, or paste its text.")]
        return render_template("files/upload.html", group=group, form=form, problems=[]), 422
    try:
        document = parse(contents)
        file = read_document(document)
    except BadFile as bad:
        return render_template("files/upload.html", group=group, form=form, problems=_said(bad)), 422
    name, started_on = _from_file_name(PurePath(upload.filename or "").stem if upload else "")
    confirm = ImportForm(
        formdata=None,
        document=_signer().dumps(document),
        name=name or words.ruleset_title(file.ruleset.id),
        started_on=started_on or today(),
    )
    return _dry_run(group, file, confirm)


@blueprint.post("/groups/<id:group_id>/import/confirm")
def confirm(group_id: int) -> ResponseReturnValue:
    """Import what the dry run showed, all or nothing."""
    group = access.group(group_id, Role.HOST)
    form = ImportForm()
    valid = form.validate()
    try:
        file = read_document(_signer().loads(form.document.data or ""))
    except (BadSignature, BadFile):
        abort(400)
    try:
        name = clean_name(form.name.data or "")
    except BadName as bad:
        form.add_problems(bad.problems)
        valid = False
    if not valid:
        return _dry_run(group, file, form, 422)
    command = ImportSession(
        group_id=group.id,
        link_id=group.link_id,
        submission_id=form.submission_id.data,
        name=name,
        started_on=form.started_on.data,
        file=file,
        device=access.device(),
        device_name=group.link_name,
    )
    try:
        session_id = import_session(db.session(), command)
    except Refused as refused:
        problems = [words.problem_message(problem, file.players) for problem in refused.problems]
        return _dry_run(group, file, form, 422, problems)
    flash(_("The session was imported."), "done")
    return redirect(url_for("board.session", session_id=session_id), 303)


def _session_file(session: AnyRow) -> bytes:
    return _pretty(write_document(queries.session_file(db.session(), session))).encode()


def _signer() -> URLSafeSerializer:
    return URLSafeSerializer(current_app.secret_key or "", salt="session file")


def _pretty(document: Mapping[str, Any]) -> str:
    """*document* as people like to read it: every event on a line of its own."""
    head = {key: value for key, value in document.items() if key != "events"}
    # Ten thousand deals come back in one request, so there is no space between their words.
    events = (json.dumps(event, ensure_ascii=False, separators=(",", ":")) for event in document["events"])
    lines = ",".join(f"\n{event}" for event in events)
    opened = json.dumps(head, ensure_ascii=False, indent=2).removesuffix("\n}")
    return f'{opened},\n  "events": [{lines}\n]\n}}\n'


def _from_file_name(stem: str) -> tuple[str | None, date | None]:
    """The name and day of a session, as far as the name of its file gives them, as :func:`export` writes it."""
    day = _DAY.search(stem)
    try:
        started_on = date.fromisoformat(day[0]) if day else None
    except ValueError:
        day = started_on = None
    try:
        return clean_name(stem.replace(day[0], "") if day else stem), started_on
    except BadName:
        return None, started_on


def _said(bad: BadFile) -> list[str]:
    """What is wrong with a file, a sentence for each problem."""
    problems = [words.problem_message(problem, bad.players) for problem in bad.problems]
    if not bad.event:
        return problems
    number = words.number(bad.event)
    return [_("Event %(number)s: %(problem)s", number=number, problem=problem) for problem in problems]


def _dry_run(
    group: AnyRow, file: SessionFile, form: ImportForm, status: int = 200, problems: list[str] | None = None
) -> ResponseReturnValue:
    sheet = score(file)
    known = {name_key(player.name): player.name for player in queries.players(db.session(), group.id)}
    page = render_template(
        "files/dry_run.html",
        group=group,
        form=form,
        problems=problems or [],
        rules=words.ruleset_title(file.ruleset.id),
        house_rules=[
            _("%(rule)s: %(value)s", rule=words.option_label(name), value=words.option_value_label(value))
            for name, value in file.game.house_rules(file.ruleset).items()
        ],
        players=[{"name": known.get(name_key(name), name), "new": name_key(name) not in known} for name in file.people],
        deals=words.number(len(sheet.deals)),
        games=words.number(sheet.table.game) if file.game.several_games else None,
        **_result(sheet),
    )
    return page, status


def _result(sheet: Sheet) -> dict[str, object]:
    """Where the file's session stands at its end."""
    players, chip = sheet.file.players, sheet.file.chip
    return {
        "unit": amounts.unit_name(sheet.file.game.unit),
        "places": [
            {
                "place": words.number(row.place),
                "name": players[row.player],
                "total": amounts.total(row.total, sheet.file.game.unit),
            }
            for row in sheet.standings
        ],
        "winners": format_list([players[seat] for seat in sheet.table.winners], locale=locale()),
        "transfers": [
            amounts.payment(players[row.payer], players[row.payee], row.amount, chip) for row in sheet.transfers or ()
        ],
    }

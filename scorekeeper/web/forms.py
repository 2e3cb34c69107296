"""What every form of a page carries, and how refusals come to stand beside their fields."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict, TypeVar

from flask import abort, request
from flask_babel import ngettext
from flask_wtf import FlaskForm
from wtforms import HiddenField, IntegerField, StringField, ValidationError
from wtforms.validators import InputRequired, NumberRange, Regexp
from wtforms.widgets import HiddenInput

from scorekeeper.models import AnyRow
from scorekeeper.names import BadNote, clean_note
from scorekeeper.rules import Problem
from scorekeeper.services.attempts import TooSoon
from scorekeeper.web import access
from scorekeeper.words import problem_message

AnyForm = TypeVar("AnyForm", bound=FlaskForm)


class NoteField(StringField):  # type: ignore[misc]
    """Why something was done, as notes are kept."""

    data: Any

    def pre_validate(self, form: FlaskForm) -> None:
        try:
            self.data = clean_note(self.data or "")
        except BadNote as bad:
            raise ValidationError(problem_message(bad.problems[0])) from None


def new_submission_id() -> str:
    """A name for one form as it was shown once: whatever comes back under it is the same act."""
    return secrets.token_hex(16)


class PlainForm(FlaskForm):  # type: ignore[misc]
    """What every form is: a token of its browser, and fields."""

    class Meta(FlaskForm.Meta):  # type: ignore[misc]
        def wrap_formdata(self, form: FlaskForm, formdata: Any) -> Any:
            """Only what a form sends: FlaskForm would take any JSON too, and stumble over most of it."""
            return None if request.is_json else super().wrap_formdata(form, formdata)

    def add_problems(self, problems: Iterable[Problem], names: Sequence[str] = ()) -> list[Problem]:
        """Put each problem beside its field, and return those that belong to no field of this form."""
        homeless = []
        for problem in problems:
            field = self._fields.get(problem.field)
            if field is None:
                homeless.append(problem)
            else:
                field.errors = [*field.errors, problem_message(problem, names)]
        return homeless


class SubmissionForm(PlainForm):
    """A form that does its work once, however often it is sent."""

    # A field without a label is given its name for one, for which WTForms looks for translations on the disk.
    submission_id = HiddenField("", default=new_submission_id, validators=[InputRequired(), Regexp(r"[0-9a-f]{32}\Z")])

    def validate(self, extra_validators: Mapping[str, Any] | None = None) -> bool:
        """Whether everything typed is of its kind. If what nobody types is not, the answer is 400."""
        valid = super().validate(extra_validators)
        if any(self[name].errors for name in ("submission_id", "expected_version") if name in self):
            abort(400)
        return bool(valid)

    def renew_submission(self) -> None:
        """Make this another form, which does its own work when it is sent; what was typed stays."""
        self.submission_id.data = new_submission_id()


class SessionForm(SubmissionForm):
    """A form that changes a session, as it stood in the version that was shown."""

    expected_version = IntegerField("", widget=HiddenInput(), validators=[InputRequired(), NumberRange(1, 2**31 - 1)])

    def renew(self, version: int) -> None:
        """Make this a new form on the session as it stands in *version*; what was typed stays."""
        self.renew_submission()
        self.expected_version.data, self.expected_version.raw_data = version, None


def checked(form: AnyForm) -> AnyForm:
    """A form that is only a button: whatever is wrong with it, nobody typed it."""
    if not form.validate():
        abort(400)
    return form


def too_many_groups(soon: TooSoon) -> str:
    return ngettext(
        "Many groups were made from here lately. Try again in %(num)s second.",
        "Many groups were made from here lately. Try again in %(num)s seconds.",
        soon.seconds,
    )


class CommandFields(TypedDict):
    """What every :class:`~scorekeeper.services.transaction.SessionCommand` carries."""

    session_id: int
    expected_version: int
    submission_id: str
    link_id: int
    device: str
    device_name: str
    takes_pen: bool


def discards() -> bool:
    """Whether it was answered that a settlement in force may be discarded."""
    return request.form.get("discard") == "1"


def command_fields(session: AnyRow, form: SessionForm) -> CommandFields:
    """What *form*, the session it belongs to and this browser give every command."""
    return {
        "session_id": session.id,
        "expected_version": form.expected_version.data,
        "submission_id": form.submission_id.data,
        "link_id": session.link_id,
        "device": access.device(),
        "device_name": session.device_name,
        # What every form carries that a page shows to a phone without the pen.
        "takes_pen": request.form.get("takes_pen") == "1",
    }

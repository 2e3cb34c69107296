"""The chips a group owns: their colours, what each is worth, and how many there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from flask import Blueprint, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext as later
from wtforms import Field, StringField

from scorekeeper.extensions import db
from scorekeeper.ledger.chipset import Colour, worth
from scorekeeper.limits import MAX_COLOURS, MAX_PIECES
from scorekeeper.models import AnyRow
from scorekeeper.rules import Problem, Refused
from scorekeeper.services.chipset import colours_of, set_chips
from scorekeeper.services.groups import Role
from scorekeeper.web import access, amounts
from scorekeeper.web.chips import ChipsField
from scorekeeper.web.forms import SubmissionForm

blueprint = Blueprint("chipset", __name__)

FREE_ROWS: Final = 3
"""For colours that are added."""


class Line(NamedTuple):
    """The fields of one colour."""

    name: Field
    value: Field
    pieces: Field


class SetForm(SubmissionForm):
    """A chip set: ``name-0``, ``value-0``, ``pieces-0`` and so on; a line left free does not count."""

    @property
    def lines(self) -> list[Line]:
        return [Line(*(self[f"{what}-{place}"] for what in Line._fields)) for place in range(MAX_COLOURS)]

    @property
    def taken(self) -> list[Line]:
        return [line for line in self.lines if any(str(field._value() or "").strip() for field in line)]

    @property
    def colours(self) -> tuple[Colour, ...]:
        return tuple(Colour(line.name.data or "", line.value.data, line.pieces.data) for line in self.taken)

    def validate(self, extra_validators: Mapping[str, Any] | None = None) -> bool:
        super().validate(extra_validators)
        for line in self.taken:
            for field in (line.value, line.pieces):
                if field.data is None and not field.errors:
                    field.errors = [field.out_of_bounds()]
        return not self.errors

    def add_problems(self, problems: Iterable[Problem], names: Sequence[str] = ()) -> list[Problem]:
        """The service counts only the lines that are taken."""
        fields = {
            f"{what}-{position}": field.name
            for position, line in enumerate(self.taken)
            for what, field in zip(Line._fields, line, strict=True)
        }
        problems = [replace(problem, field=fields.get(problem.field, problem.field)) for problem in problems]
        return super().add_problems(problems, names)


for _place in range(MAX_COLOURS):
    setattr(SetForm, f"name-{_place}", StringField(later("Colour")))
    setattr(SetForm, f"value-{_place}", ChipsField(later("Worth"), optional=True))
    setattr(
        SetForm,
        f"pieces-{_place}",
        ChipsField(later("Pieces"), low=0, high=MAX_PIECES, optional=True, code="PIECES_RANGE"),
    )


@blueprint.get("/groups/<id:group_id>/chips")
def chips(group_id: int) -> ResponseReturnValue:
    group = access.group(group_id, Role.HOST)
    kept = {
        f"{what}-{place}": value
        for place, colour in enumerate(colours_of(group.chip_set))
        for what, value in zip(Line._fields, colour, strict=True)
    }
    return _page(group, SetForm(formdata=None, data=kept))


@blueprint.post("/groups/<id:group_id>/chips")
def save(group_id: int) -> ResponseReturnValue:
    group = access.group(group_id, Role.HOST)
    form = SetForm()
    if not form.validate():
        return _page(group, form), 422
    try:
        set_chips(db.session(), group.id, form.colours)
    except Refused as refused:
        form.add_problems(refused.problems)
        return _page(group, form), 422
    flash(_("The chip set is kept.") if form.taken else _("There is no chip set any more."), "done")
    return redirect(url_for(".chips", group_id=group.id), 303)


def _page(group: AnyRow, form: SetForm) -> str:
    colours = colours_of(group.chip_set)
    return render_template(
        "chipset/chips.html",
        group=group,
        form=form,
        lines=form.lines[: max(len(form.taken) + FREE_ROWS, MAX_COLOURS // 2)],
        all_of_it=amounts.counted(worth(colours)) if colours else "",
    )

"""Asks before an older deal is voided, and says what that would change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flask import Blueprint, abort, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import ngettext

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.models import AnyRow
from scorekeeper.rules import Table
from scorekeeper.services.deals import Without, without
from scorekeeper.services.groups import Role
from scorekeeper.services.history import game_of, next_table
from scorekeeper.web import access, amounts, sheet
from scorekeeper.web.dealform import seat_names
from scorekeeper.web.forms import SessionForm

blueprint = Blueprint("voiding", __name__)


@blueprint.get("/sessions/<id:session_id>/deals/<id:number>/void")
def ask(session_id: int, number: int) -> ResponseReturnValue:
    session = access.game_session(session_id, Role.SCORER)
    deal = queries.deal(db.session(), session.id, number) or abort(404)
    if deal.status == "void":
        return redirect(url_for("deals.deal", session_id=session.id, number=number))
    names, unit = seat_names(session), game_of(session)[0].unit
    now, then = next_table(session), without(db.session(), session, number)
    totals = zip(names, now.totals, then.table.totals, strict=True)
    return render_template(
        "deals/void.html",
        session=session,
        deal=deal,
        number=words.number(number),
        title=sheet.title_of(deal.facts, names),
        moves=list(_moves(session, now, then, names)),
        totals=[(name, amounts.total(old, unit), amounts.total(new, unit)) for name, old, new in totals if old != new],
        form=SessionForm(expected_version=session.version),
    )


def _moves(session: AnyRow, now: Table, then: Without, names: Sequence[str]) -> Iterator[str]:
    """What would be otherwise if the deal were void, its dealers and games."""
    if session.state == "closed":
        yield _("This session has ended. Voiding a deal discards its settlement; you are asked first.")
    if then.undecided:
        yield _("A game would then end elsewhere, and you decide what follows.")
    elif then.table.over and not now.over:
        yield _("The game would be over.")
    elif then.table.over or session.state == "closed":
        pass
    elif now.over:
        yield _("The game would go on: %(dealer)s deals next.", dealer=words.name_of(then.table.dealer, names))
    elif now.dealer != then.table.dealer:
        people = {"dealer": words.name_of(then.table.dealer, names), "other": words.name_of(now.dealer, names)}
        yield _("%(dealer)s deals next instead of %(other)s.", **people)
    else:
        yield _("%(dealer)s deals next, as now.", dealer=words.name_of(now.dealer, names))
    if count := len(then.dealt_by_others):
        yield ngettext(
            "One deal after it stands as dealt by somebody else, because the turn to deal moves.",
            "%(num)s deals after it stand as dealt by somebody else, because the turn to deal moves.",
            count,
        )
    if count := len(then.uncounted):
        yield ngettext("One deal after it would not count.", "%(num)s deals after it would not count.", count)

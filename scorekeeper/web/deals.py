"""Deals: enter one and see what it would bring, record, correct, void and restore it, and why it brought what it did.

A deal is saved once the person has seen what it brings: a form carries the facts whose preview it shows, and whatever
else is sent with it comes back as a new preview, with JavaScript or without.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple, TypeGuard

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from wtforms import HiddenField
from wtforms.validators import AnyOf

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.models import AnyRow
from scorekeeper.queries import Rows
from scorekeeper.rules import MISDEAL, CardGame, DealScore, Facts, Problem, Refused, Table
from scorekeeper.services.deals import (
    CorrectDeal,
    DecideGame,
    RecordDeal,
    RestoreDeal,
    VoidDeal,
    correct_deal,
    decide_game,
    record_deal,
    restore_deal,
    start_next_game,
    void_deal,
)
from scorekeeper.services.history import game_of
from scorekeeper.services.transaction import SessionClosed, SessionCommand, StaleSession
from scorekeeper.web import access, amounts, sheet
from scorekeeper.web.amounts import Amount
from scorekeeper.web.entry import Entry, canonical, controls, entry_of, facts_from, question
from scorekeeper.web.forms import SessionForm, command_fields

blueprint = Blueprint("deals", __name__)

MAX_MEANWHILE = 5
"""Deals shown that were recorded while a form lay open."""


class DecideForm(SessionForm):
    starts_game = HiddenField(validators=[AnyOf(("0", "1"))])


@dataclass(frozen=True, slots=True)
class Place:
    """Where a deal is entered: its number, the table it is dealt at, and the deal it corrects, if it does."""

    session: AnyRow
    names: tuple[str, ...]
    game: CardGame[Any]
    table: Table
    number: int
    corrects: AnyRow | None = None

    @property
    def action(self) -> str:
        if self.corrects is None:
            return url_for("deals.record", session_id=self.session.id)
        return url_for("deals.correct", session_id=self.session.id, number=self.number)

    @property
    def preview(self) -> str:
        if self.corrects is None:
            return url_for("deals.preview", session_id=self.session.id)
        return url_for("deals.preview_correction", session_id=self.session.id, number=self.number)

    @property
    def back(self) -> str:
        if self.corrects is None:
            return url_for("board.session", session_id=self.session.id)
        return url_for("deals.deal", session_id=self.session.id, number=self.number)

    def first_facts(self) -> Facts:
        """What is chosen before anybody chooses: the lowest contract, the commonest, or the deal as it stands."""
        if self.corrects is not None:
            return dict(self.corrects.facts) if self.corrects.facts != MISDEAL else {}
        return {field.name: field.choices[0] for field in self.game.fields(self.table) if field.name == "contract"}

    def entered_facts(self) -> Facts:
        return facts_from(request.form, self.game.fields(self.table))


@blueprint.get("/sessions/<id:session_id>/deals")
def index(session_id: int) -> str:
    """Older deals of the score sheet, a page at a time."""
    session = access.game_session(session_id)
    before = request.args.get("before", type=int)
    if before is None or not 1 < before <= session.deals + 1:
        abort(404)
    names = _names(session)
    deals = queries.deals(db.session(), session.id, before=before)
    shown = deals[: queries.DEALS_SHOWN]
    newer = before + queries.DEALS_SHOWN
    page = url_for("board.session", session_id=session.id)
    return render_template(
        "deals/index.html",
        session=session,
        names=names,
        deals=sheet.sheet_rows(session, names, shown),
        newer=page if newer > session.deals else url_for(".index", session_id=session.id, before=newer),
        older=url_for(".index", session_id=session.id, before=shown[-1].number) if len(deals) > len(shown) else None,
    )


@blueprint.get("/sessions/<id:session_id>/deals/new")
def new(session_id: int) -> ResponseReturnValue:
    place = _next_deal(session_id)
    if place.session.state == "closed" or place.session.undecided or place.table.over:
        return redirect(place.back)
    return _form_page(place, place.first_facts(), SessionForm(expected_version=place.session.version))


@blueprint.post("/sessions/<id:session_id>/deals/preview")
def preview(session_id: int) -> ResponseReturnValue:
    return _preview(_next_deal(session_id))


@blueprint.post("/sessions/<id:session_id>/deals")
def record(session_id: int) -> ResponseReturnValue:
    place = _next_deal(session_id)
    form = SessionForm()
    facts = place.game.complete(place.entered_facts(), place.table)
    if not form.validate() or not _was_previewed(facts):
        return _ask(place, form)
    try:
        record_deal(db.session(), RecordDeal(**command_fields(place.session, form), facts=facts))
    except Refused as refused:
        return _refuse(place, form, refused)
    except (StaleSession, SessionClosed):
        return _stale(_next_deal(session_id), form)
    return redirect(place.back, 303)


@blueprint.post("/sessions/<id:session_id>/misdeal")
def misdeal(session_id: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    form = _checked(SessionForm())
    record_deal(db.session(), RecordDeal(**command_fields(session, form), facts=MISDEAL))
    return redirect(url_for("board.session", session_id=session.id), 303)


@blueprint.post("/sessions/<id:session_id>/new-game")
def start_game(session_id: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    form = _checked(SessionForm())
    start_next_game(db.session(), SessionCommand(**command_fields(session, form)))
    return redirect(url_for("board.session", session_id=session.id), 303)


@blueprint.get("/sessions/<id:session_id>/deals/<id:number>")
def deal(session_id: int, number: int) -> str:
    """Why a deal brought what it did, and what it said before each change."""
    session = access.game_session(session_id)
    row = _deal(session, number)
    names = _names(session)
    score = sheet.score_of(session, row)
    scored = row.status == "scored"
    return render_template(
        "deals/deal.html",
        session=session,
        deal=row,
        title=sheet.title_of(row.facts, names),
        number=words.number(number),
        dealer=words.name_of(row.before["dealer"], names),
        word=sheet.word_of(row, names),
        lines=[words.line_sentence(line, names) for line in score.lines] if scored and _explains(score, row) else [],
        reasons=_why_not(row, score, names),
        sums=_sums(session, names, row) if scored else [],
        history=_history(row, queries.deal_versions(db.session(), session.id, number), names),
        waiting=queries.undecided_deal(db.session(), session.id) if session.undecided else None,
        form=SessionForm(expected_version=session.version),
    )


@blueprint.get("/sessions/<id:session_id>/deals/<id:number>/correct")
def correction(session_id: int, number: int) -> ResponseReturnValue:
    place = _earlier_deal(session_id, number)
    return _form_page(place, place.first_facts(), SessionForm(expected_version=place.session.version))


@blueprint.post("/sessions/<id:session_id>/deals/<id:number>/preview")
def preview_correction(session_id: int, number: int) -> ResponseReturnValue:
    return _preview(_earlier_deal(session_id, number))


@blueprint.post("/sessions/<id:session_id>/deals/<id:number>/correct")
def correct(session_id: int, number: int) -> ResponseReturnValue:
    place = _earlier_deal(session_id, number)
    form = SessionForm()
    facts = place.game.complete(place.entered_facts(), place.table)
    if not form.validate() or not _was_previewed(facts):
        return _ask(place, form)
    try:
        correct_deal(db.session(), CorrectDeal(**command_fields(place.session, form), number=number, facts=facts))
    except Refused as refused:
        return _refuse(place, form, refused)
    except StaleSession:
        return _stale(_earlier_deal(session_id, number), form)
    flash(_("Deal %(number)s is corrected, and everything after it follows.", number=words.number(number)), "done")
    return redirect(place.back, 303)


@blueprint.post("/sessions/<id:session_id>/deals/<id:number>/void")
def void(session_id: int, number: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    _deal(session, number)
    form = _checked(SessionForm())
    void_deal(db.session(), VoidDeal(**command_fields(session, form), number=number))
    return _after_change(session, number)


@blueprint.post("/sessions/<id:session_id>/deals/<id:number>/restore")
def restore(session_id: int, number: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    _deal(session, number)
    form = _checked(SessionForm())
    restore_deal(db.session(), RestoreDeal(**command_fields(session, form), number=number))
    return _after_change(session, number)


@blueprint.post("/sessions/<id:session_id>/deals/<id:number>/game")
def decide(session_id: int, number: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    _deal(session, number)
    form = _checked(DecideForm())
    starts_game = form.starts_game.data == "1"
    decide_game(db.session(), DecideGame(**command_fields(session, form), number=number, starts_game=starts_game))
    return redirect(url_for(".deal", session_id=session.id, number=number), 303)


def _next_deal(session_id: int) -> Place:
    session = access.game_session(session_id)
    game, ruleset = game_of(session)
    return Place(session, _names(session), game, Table.restored(ruleset, session.table), session.deals + 1)


def _earlier_deal(session_id: int, number: int) -> Place:
    session = access.game_session(session_id)
    game, ruleset = game_of(session)
    row = _deal(session, number)
    # A deal after the end of its game can be corrected like any other.
    table = replace(Table.restored(ruleset, row.before), winners=())
    return Place(session, _names(session), game, table, number, row)


def _names(session: AnyRow) -> tuple[str, ...]:
    return tuple(seat.name for seat in queries.seats(db.session(), session.id))


def _deal(session: AnyRow, number: int) -> AnyRow:
    return queries.deal(db.session(), session.id, number) or abort(404)


def _checked(form: SessionForm) -> SessionForm:
    """A form that is only a button: whatever is wrong with it, nobody typed it."""
    if not form.validate():
        abort(400)
    return form


def _was_previewed(facts: Facts) -> bool:
    return request.form.get("previewed") == canonical(facts)


def _after_change(session: AnyRow, number: int) -> ResponseReturnValue:
    """The latest deal is undone on the session's page, an older one on its own."""
    if number == session.deals:
        return redirect(url_for("board.session", session_id=session.id), 303)
    return redirect(url_for(".deal", session_id=session.id, number=number), 303)


def _preview(place: Place) -> ResponseReturnValue:
    entry = entry_of(place.game, place.table, place.entered_facts())
    if "X-Fragment" in request.headers:
        # That something does not fit is an answer like any other; browsers would call it an error.
        return render_template("deals/_entry.html", **_entry_values(place, entry, entry.problems))
    return _form_page(place, entry.facts, SessionForm(), status=422 if entry.problems else 200)


def _ask(place: Place, form: SessionForm) -> ResponseReturnValue:
    """Show what was entered with what it would bring, or what is wrong with it; nothing is saved yet."""
    entry = entry_of(place.game, place.table, place.entered_facts())
    if entry.score is None:
        return _form_page(place, entry.facts, form, status=422, problems=(*entry.missing, *entry.problems))
    notice = _("Nothing is saved yet. Look at what it brings, then save it.")
    return _form_page(place, entry.facts, form, notices=[notice])


def _refuse(place: Place, form: SessionForm, refused: Refused) -> ResponseReturnValue:
    return _form_page(place, place.entered_facts(), form, status=422, problems=refused.problems)


def _stale(place: Place, form: SessionForm) -> ResponseReturnValue:
    """The form as it was sent, on the session as it is now, with what happened meanwhile."""
    seen = form.expected_version.data
    form.renew(place.session.version)
    deals = queries.deals(db.session(), place.session.id)
    meanwhile = [deal for deal in deals if deal.version > seen][:MAX_MEANWHILE]
    if place.session.state == "closed" and place.corrects is None:
        notices = [_("This session has been ended meanwhile, so nothing was saved. Reopen it to record this deal.")]
    elif place.corrects is not None:
        notices = [_("The session has changed meanwhile, so nothing was saved. Is this correction still needed?")]
    else:
        notices = [_("The session has changed meanwhile, so nothing was saved. Is this deal still missing?")]
    return _form_page(place, place.entered_facts(), form, status=409, notices=notices, meanwhile=meanwhile)


def _form_page(
    place: Place,
    facts: Facts,
    form: SessionForm,
    *,
    status: int = 200,
    problems: Sequence[Problem] | None = None,
    notices: Sequence[str] = (),
    meanwhile: Rows = (),
) -> tuple[str, int]:
    entry = entry_of(place.game, place.table, facts)
    shown = entry.problems if problems is None else problems
    fields = {field.name for field in entry.offered}
    elsewhere = [words.problem_message(problem, place.names) for problem in shown if problem.field not in fields]
    page = render_template(
        "deals/form.html",
        session=place.session,
        dealer=words.name_of(place.table.dealer, place.names),
        form=form,
        notices=[*notices, *elsewhere],
        meanwhile=sheet.sheet_rows(place.session, place.names, meanwhile),
        **_entry_values(place, entry, shown),
    )
    return page, status


class PreviewRow(NamedTuple):
    name: str
    change: Amount
    total: Amount


def _entry_values(place: Place, entry: Entry, problems: Iterable[Problem]) -> dict[str, object]:
    """What the controls and the preview of a deal show."""
    asked = controls(entry, place.names, problems)
    values: dict[str, object] = {
        "controls": [control for control in asked if not control.detail],
        "details": [control for control in asked if control.detail],
        "place": place,
        "correcting": place.corrects is not None,
    }
    if entry.score is None:
        wanting = [question(problem, place.names) for problem in entry.missing]
        wrong = [words.problem_message(problem, place.names) for problem in entry.problems]
        return values | {
            "sentences": wrong,
            "wanting": wanting[0] if wanting else _("This does not fit yet"),
            "rows": [],
            "previewed": "",
            "lines": [],
        }
    return values | {
        "sentences": sheet.read_back(entry.score, place.names),
        "wanting": "",
        "rows": list(_preview_rows(place, entry.score)),
        "previewed": canonical(entry.complete),
        "lines": [words.line_sentence(line, place.names) for line in entry.score.lines],
    }


def _preview_rows(place: Place, score: DealScore[Any]) -> Iterable[PreviewRow]:
    unit = place.game.unit
    old = place.corrects.points if place.corrects is not None and place.corrects.status == "scored" else ()
    for seat, name in enumerate(place.names):
        change = amounts.change(score.points[seat], unit)
        if old and old[seat] != score.points[seat]:
            change = Amount(f"{words.signed(old[seat])} → {change.text}", change.debt)
        yield PreviewRow(name, change, amounts.total(score.table.totals[seat], unit))


class Sum(NamedTuple):
    """What stood on the sheet for one player, what the deal brought, and what stood there then."""

    name: str
    before: Amount
    change: Amount
    after: Amount


def _explains(score: DealScore[Any] | Refused, deal: AnyRow) -> TypeGuard[DealScore[Any]]:
    """Whether what the rules say today is what was stored: an explanation of other numbers would be none."""
    return isinstance(score, DealScore) and list(score.points) == deal.points


def _sums(session: AnyRow, names: Sequence[str], deal: AnyRow) -> list[Sum]:
    unit = game_of(session)[0].unit
    return [
        Sum(name, amounts.total(before, unit), amounts.change(change, unit), amounts.total(after, unit))
        for name, before, change, after in zip(names, deal.before["totals"], deal.points, deal.totals, strict=True)
    ]


def _why_not(deal: AnyRow, score: DealScore[Any] | Refused, names: Sequence[str]) -> list[str]:
    """Why an unscored deal does not count."""
    if deal.status != "unscored":
        return []
    if isinstance(score, Refused) and score.problems:
        return [words.problem_message(problem, names) for problem in score.problems]
    return [words.problem_message(Problem(deal.reason, "deal"), names)]


class Change(NamedTuple):
    """One line of a deal's history: what became of it, when, and how its facts changed."""

    what: str
    when: Any
    details: list[str]


def _history(deal: AnyRow, versions: Rows, names: Sequence[str]) -> list[Change]:
    """Every change of a deal, latest first, down to how it was first entered."""
    states = [deal, *versions]
    changes = [
        Change(_what(old, new), old.replaced_at, list(_differences(old.facts, new.facts, names)))
        for new, old in pairwise(states)
    ]
    first = states[-1]
    entered = [_fact(name, value, names) for name, value in first.facts.items()] if first.facts != MISDEAL else []
    what = _("Recorded: %(deal)s", deal=sheet.title_of(first.facts, names))
    return [*changes, Change(what, deal.recorded_at, entered)]


def _what(old: AnyRow, new: AnyRow) -> str:
    if old.kind == "void":
        return _("Voided")
    if old.kind == "decide":
        return _("Decided which game it belongs to")
    return _("Restored") if old.kind == "restore" else _("Corrected")


def _differences(old: Facts, new: Facts, names: Sequence[str]) -> Iterable[str]:
    for name in dict.fromkeys((*old, *new)):
        if old.get(name) != new.get(name):
            yield _(
                "%(fact)s: %(old)s → %(new)s",
                fact=words.field_label(name),
                old=words.fact_words(name, old[name], names) if name in old else "–",
                new=words.fact_words(name, new[name], names) if name in new else "–",
            )


def _fact(name: str, value: object, names: Sequence[str]) -> str:
    return _("%(fact)s: %(value)s", fact=words.field_label(name), value=words.fact_words(name, value, names))

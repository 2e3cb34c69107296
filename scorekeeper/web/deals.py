"""Deals: enter one and see what it would bring, record, correct, void and restore it, and why it brought what it did.

A deal is saved once the person has seen what it brings: a form carries what its preview shows, and where what is sent
with it brings something else it comes back with a new preview, with JavaScript or without.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from wtforms import HiddenField
from wtforms.validators import AnyOf

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.models import AnyRow
from scorekeeper.queries import Rows
from scorekeeper.rules import MISDEAL, CardGame, DealScore, Facts, Problem, Refused, Seat, Table
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
from scorekeeper.web import access, amounts, sheet, why
from scorekeeper.web.amounts import Amount
from scorekeeper.web.entry import Entry, controls, declaration, entry_of, facts_from, shown_of, wanting
from scorekeeper.web.forms import SessionForm, checked, command_fields
from scorekeeper.web.lookup import lookup
from scorekeeper.web.rules import payoff_table

blueprint = Blueprint("deals", __name__)

MAX_MEANWHILE = 5
"""Deals shown that were recorded while a form lay open."""


class DecideForm(SessionForm):
    starts_game = HiddenField(validators=[AnyOf(("0", "1"))])


@dataclass(frozen=True, slots=True)
class Place:
    """Where a deal is entered: its number, the table it is dealt at, and the deal it corrects, if it does.

    Where a deal is only declared, no more is asked than what is known when the bidding ends.
    """

    session: AnyRow
    names: tuple[str, ...]
    game: CardGame[Any]
    table: Table
    number: int
    corrects: AnyRow | None = None
    declares: bool = False

    @property
    def open(self) -> bool:
        """Whether a deal can be entered at all."""
        return self.session.state == "open" and not self.session.undecided and not self.table.over

    @property
    def action(self) -> str:
        if self.declares:
            return url_for("declaring.save", session_id=self.session.id)
        if self.corrects is None:
            return url_for("deals.record", session_id=self.session.id)
        return url_for("deals.correct", session_id=self.session.id, number=self.number)

    @property
    def preview(self) -> str:
        if self.declares:
            return url_for("declaring.preview", session_id=self.session.id)
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
            return {name: value for name, value in self.corrects.facts.items() if name not in MISDEAL}
        lowest = {field.name: field.choices[0] for field in self.game.fields(self.table) if field.name == "contract"}
        return {**lowest, **(self.session.declared or {})}

    def entered(self) -> Entry:
        """What was sent."""
        return self.entry(facts_from(request.form, self.game, self.table))

    def entry(self, facts: Facts) -> Entry:
        entry = entry_of(self.game, self.table, facts)
        return declaration(entry) if self.declares else entry

    def may_save(self, form: SessionForm, entry: Entry) -> bool:
        """Whether *entry* brings what was shown. On a session that has moved on it is the service's to say."""
        if form.expected_version.data != self.session.version:
            return True
        return entry.score is not None and request.form.get("previewed") == shown_of(entry.score)


@blueprint.get("/sessions/<id:session_id>/deals")
def index(session_id: int) -> ResponseReturnValue:
    """The score sheet, a page at a time: the one with deal ``deal``, or the one that ends before deal ``before``."""
    session = access.game_session(session_id)
    if "deal" not in request.args:
        return _sheet_page(session)
    number = request.args.get("deal", type=int)
    if number is None or not 1 <= number <= session.deals:
        return _sheet_page(session, no_deal=True), 404
    page_end = number - number % -queries.DEALS_ON_SHEET + 1
    return redirect(url_for(".index", session_id=session.id, before=page_end, _anchor=f"deal-{number}"))


@blueprint.post("/sessions/<id:session_id>/deals/order")
def order(session_id: int) -> ResponseReturnValue:
    """Remember whether this browser's score sheet of the session begins with the oldest deal or the newest."""
    session = access.game_session(session_id)
    order = request.form.get("order")
    if order not in ("oldest", "newest"):
        abort(400)
    sheet.remember_order(session.id, oldest_first=order == "oldest")
    return redirect(url_for(".index", session_id=session.id), 303)


def _sheet_page(session: AnyRow, *, no_deal: bool = False) -> str:
    size, newest = queries.DEALS_ON_SHEET, session.deals
    oldest_first = sheet.oldest_first(session.id)
    before = min(size, newest) + 1 if oldest_first else newest + 1
    if "before" in request.args and not no_deal:
        before = request.args.get("before", 0, type=int)
    # Deals are numbered without gaps.
    first, last = max(1, before - size), min(before - 1, newest)
    if first > last and "before" in request.args:
        abort(404)
    deals = queries.deals(db.session(), session.id, before=last + 1, shown=last + 1 - first)
    return render_template(
        "deals/index.html",
        session=session,
        sheet=sheet.score_sheet(session, _names(session), deals, shown=last + 1 - first, oldest_first=oldest_first),
        oldest_first=oldest_first,
        no_deal=no_deal,
        first=words.number(first),
        last=words.number(last),
        newer=url_for(".index", session_id=session.id, before=before + size) if last < newest else None,
        older=url_for(".index", session_id=session.id, before=first) if first > 1 else None,
    )


@blueprint.get("/sessions/<id:session_id>/deals/new")
def new(session_id: int) -> ResponseReturnValue:
    return first_page(next_deal(session_id))


@blueprint.post("/sessions/<id:session_id>/deals/preview")
def preview(session_id: int) -> ResponseReturnValue:
    return preview_page(next_deal(session_id))


@blueprint.post("/sessions/<id:session_id>/deals")
def record(session_id: int) -> ResponseReturnValue:
    place = next_deal(session_id)
    form = SessionForm()
    entry = place.entered()
    if not form.validate() or not place.may_save(form, entry):
        return _ask(place, entry, form)
    try:
        record_deal(db.session(), RecordDeal(**command_fields(place.session, form), facts=entry.complete))
    except Refused as refused:
        return form_page(place, entry.facts, form, status=422, problems=refused.problems)
    except (StaleSession, SessionClosed):
        return stale_page(next_deal(session_id), form)
    return redirect(place.back, 303)


@blueprint.post("/sessions/<id:session_id>/misdeal")
def misdeal(session_id: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    form = checked(SessionForm())
    # Somebody who dealt out of turn deals again.
    dealer = {name: value for name, value in (session.declared or {}).items() if name == "dealer"}
    record_deal(db.session(), RecordDeal(**command_fields(session, form), facts={**dealer, **MISDEAL}))
    return redirect(url_for("board.session", session_id=session.id), 303)


@blueprint.post("/sessions/<id:session_id>/new-game")
def start_game(session_id: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    form = checked(SessionForm())
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
        dealer_reason=sheet.reason_of_dealer(
            session,
            names,
            row.before,
            queries.scored_deal_before(db.session(), session.id, number),
            by_hand="dealer" in row.facts,
        ),
        word=sheet.word_of(row, names),
        lines=[words.line_sentence(line, names) for line in score.lines] if scored and why.explains(score, row) else [],
        reasons=_why_not(row, score, names),
        sums=_sums(session, names, row) if scored else [],
        history=_history(row, queries.deal_versions(db.session(), session.id, number), names),
        waiting=queries.undecided_deal(db.session(), session.id) if session.undecided else None,
        form=SessionForm(expected_version=session.version),
    )


@blueprint.get("/sessions/<id:session_id>/deals/<id:number>/correct")
def correction(session_id: int, number: int) -> ResponseReturnValue:
    place = _earlier_deal(session_id, number)
    return form_page(place, place.first_facts(), SessionForm(expected_version=place.session.version))


@blueprint.post("/sessions/<id:session_id>/deals/<id:number>/preview")
def preview_correction(session_id: int, number: int) -> ResponseReturnValue:
    return preview_page(_earlier_deal(session_id, number))


@blueprint.post("/sessions/<id:session_id>/deals/<id:number>/correct")
def correct(session_id: int, number: int) -> ResponseReturnValue:
    place = _earlier_deal(session_id, number)
    form = SessionForm()
    entry = place.entered()
    if not form.validate() or not place.may_save(form, entry):
        return _ask(place, entry, form)
    try:
        command = CorrectDeal(**command_fields(place.session, form), number=number, facts=entry.complete)
        correct_deal(db.session(), command)
    except Refused as refused:
        return form_page(place, entry.facts, form, status=422, problems=refused.problems)
    except StaleSession:
        return stale_page(_earlier_deal(session_id, number), form)
    flash(_("Deal %(number)s is corrected, and everything after it follows.", number=words.number(number)), "done")
    return redirect(place.back, 303)


@blueprint.post("/sessions/<id:session_id>/deals/<id:number>/void")
def void(session_id: int, number: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    _deal(session, number)
    form = checked(SessionForm())
    void_deal(db.session(), VoidDeal(**command_fields(session, form), number=number))
    return _after_change(session, number)


@blueprint.post("/sessions/<id:session_id>/deals/<id:number>/restore")
def restore(session_id: int, number: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    _deal(session, number)
    form = checked(SessionForm())
    restore_deal(db.session(), RestoreDeal(**command_fields(session, form), number=number))
    return _after_change(session, number)


@blueprint.post("/sessions/<id:session_id>/deals/<id:number>/game")
def decide(session_id: int, number: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    _deal(session, number)
    form = checked(DecideForm())
    starts_game = form.starts_game.data == "1"
    decide_game(db.session(), DecideGame(**command_fields(session, form), number=number, starts_game=starts_game))
    return redirect(url_for(".deal", session_id=session.id, number=number), 303)


def next_deal(session_id: int, *, declares: bool = False) -> Place:
    session = access.game_session(session_id)
    game, ruleset = game_of(session)
    table = Table.restored(ruleset, session.table)
    return Place(session, _names(session), game, table, session.deals + 1, declares=declares)


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


def _after_change(session: AnyRow, number: int) -> ResponseReturnValue:
    """The latest deal is undone on the session's page, an older one on its own."""
    if number == session.deals:
        return redirect(url_for("board.session", session_id=session.id), 303)
    return redirect(url_for(".deal", session_id=session.id, number=number), 303)


def first_page(place: Place) -> ResponseReturnValue:
    """The form before anybody has chosen, with what is known from the bidding; the session's page if none is due."""
    if not place.open:
        return redirect(place.back)
    known = facts_from(request.args, place.game, place.table)
    return form_page(place, {**place.first_facts(), **known}, SessionForm(expected_version=place.session.version))


def preview_page(place: Place) -> ResponseReturnValue:
    entry = place.entered()
    if "X-Fragment" in request.headers:
        # That something does not fit is an answer like any other; browsers would call it an error.
        return render_template("deals/_entry.html", **_entry_values(place, entry, entry.problems))
    return form_page(place, entry.facts, SessionForm(), status=422 if entry.problems else 200)


def _ask(place: Place, entry: Entry, form: SessionForm) -> ResponseReturnValue:
    """Show what was entered with what it would bring, or what is wrong with it; nothing is saved yet."""
    if entry.score is None:
        return form_page(place, entry.facts, form, status=422, problems=(*entry.missing, *entry.problems))
    notice = _("Nothing is saved yet. Look at what it brings, then save it.")
    return form_page(place, entry.facts, form, notices=[notice])


def stale_page(place: Place, form: SessionForm) -> ResponseReturnValue:
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
    return form_page(place, place.entered().facts, form, status=409, notices=notices, meanwhile=meanwhile)


def form_page(
    place: Place,
    facts: Facts,
    form: SessionForm,
    *,
    status: int = 200,
    problems: Sequence[Problem] | None = None,
    notices: Sequence[str] = (),
    meanwhile: Rows = (),
) -> tuple[str, int]:
    entry = place.entry(facts)
    shown = entry.problems if problems is None else problems
    fields = {field.name for field in entry.offered}
    elsewhere = [words.problem_message(problem, place.names) for problem in shown if problem.field not in fields]
    page = render_template(
        "deals/form.html",
        session=place.session,
        dealer=words.name_of(entry.table.dealer, place.names),
        dealt_by=entry.facts.get("dealer"),
        form=form,
        notices=[*notices, *elsewhere],
        meanwhile=sheet.score_sheet(place.session, place.names, meanwhile) if meanwhile else None,
        lookup=lookup(
            place.game,
            entry.table,
            place.names,
            partial(_cell, place),
            partial(sheet.read_back, names=place.names),
            declares=place.declares,
        ),
        **_entry_values(place, entry, shown),
    )
    return page, status


class PreviewRow(NamedTuple):
    name: str
    change: Amount
    total: Amount


def _entry_values(place: Place, entry: Entry, problems: Iterable[Problem]) -> dict[str, object]:
    """What the controls and the preview of a deal show."""
    asked = controls(entry, place.names, problems, declares=place.declares)
    score = entry.score
    values: dict[str, object] = {
        "controls": [control for control in asked if not control.detail],
        "details": [control for control in asked if control.detail],
        "place": place,
        "correcting": place.corrects is not None,
        "wanting": wanting(entry, place.names),
        "outlook": place.declares and payoff_table(place.game, place.game.outlook(entry.complete, entry.table)),
        "rows": [
            PreviewRow(place.names[seat], *_cell(place, seat, score.points[seat], score.table.totals[seat]))
            if score
            else PreviewRow(place.names[seat], Amount(""), Amount(""))
            for seat in entry.table.ring
        ],
        "previewed": shown_of(score) if score else "",
        "lines": [words.line_sentence(line, place.names) for line in score.lines] if score else [],
    }
    if score is not None:
        return values | {"sentences": sheet.read_back(score, place.names)}
    return values | {"sentences": [words.problem_message(problem, place.names) for problem in entry.problems]}


def _cell(place: Place, seat: Seat, points: int, total: int) -> tuple[Amount, Amount]:
    """What a seat gets, beside what it got before a correction, and its total then."""
    unit, old = place.game.unit, 0
    change = amounts.change(points, unit)
    if place.corrects is not None and place.corrects.status == "scored":
        # Who sat down later got nothing.
        old = dict(enumerate(place.corrects.points)).get(seat, 0)
        if old != points:
            change = Amount(f"{words.signed(old)} → {change.text}", change.debt)
    return change, amounts.total(total, unit)


class Sum(NamedTuple):
    """What stood on the sheet for one player, what the deal brought, and what stood there then.

    ``why`` leads to what made the change, ``why_after`` to what made the total.
    """

    name: str
    before: Amount
    change: Amount
    after: Amount
    why: str
    why_after: str


def _sums(session: AnyRow, names: Sequence[str], deal: AnyRow) -> list[Sum]:
    unit = game_of(session)[0].unit
    return [
        Sum(
            names[seat],
            amounts.total(before, unit),
            amounts.change(change, unit),
            amounts.total(after, unit),
            url_for("why.change", session_id=session.id, number=deal.number, seat=seat),
            url_for("why.total", session_id=session.id, seat=seat, deal=deal.number),
        )
        for seat, (before, change, after) in enumerate(
            zip(deal.before["totals"], deal.points, deal.totals, strict=True)
        )
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
    entered = [_fact(name, value, names) for name, value in first.facts.items() if name not in MISDEAL]
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

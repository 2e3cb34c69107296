"""The form in which a deal is entered, to be recorded, declared or corrected, and what it shows before it is saved.

A deal is saved once the person has seen what it brings: a form carries what its preview shows, and where what is sent
with it brings something else it comes back with a new preview, with JavaScript or without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from flask import abort, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from werkzeug.datastructures import MultiDict

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.models import AnyRow
from scorekeeper.queries import Rows
from scorekeeper.rules import MISDEAL, CardGame, DealScore, Facts, Problem, Seat, Table
from scorekeeper.services.groups import Role
from scorekeeper.services.history import deal_is_due, first_table, game_of
from scorekeeper.web import access, amounts, sheet
from scorekeeper.web.amounts import Amount
from scorekeeper.web.entry import (
    Entry,
    controls,
    declaration,
    entry_of,
    facts_from,
    short_names,
    shown_of,
    wanting,
)
from scorekeeper.web.forms import SessionForm
from scorekeeper.web.lookup import lookup
from scorekeeper.web.rules import payoff_table

MAX_MEANWHILE = 5
"""Deals shown that were recorded while a form lay open."""


@dataclass(frozen=True, slots=True)
class DealForm:
    """The form of one deal: its number, the table it is dealt at by whoever is next, and the deal it corrects, if any.

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
    def action(self) -> str:
        return self._address("declaring.save", "deals.record", "deals.correct")

    @property
    def preview(self) -> str:
        return self._address("declaring.preview", "deals.preview", "deals.preview_correction")

    @property
    def since(self) -> str:
        """What is said beside the form while it is open; what is asked must be told the version it aims at."""
        corrects = 1 if self.corrects is not None else None
        session = self.session
        return url_for("live.since", session_id=session.id, version=session.version, saves=1, corrects=corrects)

    @property
    def back(self) -> str:
        return self._address("board.session", "board.session", "deals.deal")

    @property
    def saved(self) -> str:
        """Where one is after it was saved: at what is new there."""
        if self.corrects is not None:
            return self.back
        return f"{self.back}#{'declared' if self.declares else 'read-back'}"

    def _address(self, declaring: str, recording: str, correcting: str) -> str:
        if self.corrects is not None:
            return url_for(correcting, session_id=self.session.id, number=self.number)
        return url_for(declaring if self.declares else recording, session_id=self.session.id)

    @property
    def queues(self) -> bool:
        """Whether a phone keeps what is sent here until it has arrived."""
        return self.corrects is None and not self.declares

    @property
    def dealt_by(self) -> Seat | None:
        """Who dealt the deal that is corrected though it was another's turn as the deals before it stand now."""
        dealer = self.table.dealer if self.corrects is None else Seat(self.corrects.before["dealer"])
        return None if dealer == self.table.dealer else dealer

    def first_facts(self) -> Facts:
        """What is chosen before anybody chooses: the lowest contract, the commonest, or the deal as it stands."""
        if self.corrects is not None:
            facts = {name: value for name, value in self.corrects.facts.items() if name not in MISDEAL}
            return facts if self.dealt_by is None else {**facts, "dealer": self.dealt_by}
        return {**self.lowest(), **(self.session.declared or {})}

    def lowest(self) -> Facts:
        return {field.name: field.choices[0] for field in self.game.fields(self.table) if field.name == "contract"}

    def entered(self) -> Entry:
        """What was sent. In a correction, that somebody dealt whose turn it was goes without saying."""
        facts = facts_from(request.form, self.game, self.table)
        if self.corrects is not None and facts.get("dealer") == self.table.dealer:
            del facts["dealer"]
        return self.entry(facts)

    def entry(self, facts: Facts) -> Entry:
        entry = entry_of(self.game, self.table, facts)
        return declaration(entry) if self.declares else entry

    def follows(self, form: SessionForm) -> bool:
        """Whether the deal that it names as waiting before it on a phone, if any, led to the expected version."""
        after = request.form.get("after")
        return not after or after == queries.submission_of(db.session(), self.session.id, form.expected_version.data)

    def may_save(self, form: SessionForm, entry: Entry) -> bool:
        """Whether *entry* is what was shown. On a session that has moved on it is the service's to say."""
        if form.expected_version.data != self.session.version:
            return True
        if self.corrects is not None and request.form.get("dealt") != str(entry.table.dealer):
            return False
        return entry.score is not None and request.form.get("previewed") == shown_of(entry.score)


def next_deal(session_id: int, *, declares: bool = False) -> DealForm:
    session = access.game_session(session_id, Role.SCORER)
    game, ruleset = game_of(session)
    table = Table.restored(ruleset, session.table)
    return DealForm(session, seat_names(session), game, table, session.deals + 1, declares=declares)


def earlier_deal(session_id: int, number: int) -> DealForm:
    session = access.game_session(session_id, Role.SCORER)
    game, ruleset = game_of(session)
    row = queries.deal(db.session(), session.id, number) or abort(404)
    # A deal after the end of its game can be corrected like any other.
    table = replace(Table.restored(ruleset, row.before), winners=())
    if "dealer" in row.facts or table.somebody_sits_out:
        table = replace(table, dealer=_next_in_turn(session, row, table.ring))
    return DealForm(session, seat_names(session), game, table, number, row)


def _next_in_turn(session: AnyRow, deal: AnyRow, ring: tuple[Seat, ...]) -> Seat:
    """Whose turn it was to deal a recorded *deal*, of those who sat in the *ring* then."""
    previous = queries.scored_deal_before(db.session(), session.id, deal.number)
    score = sheet.score_of(session, previous) if previous is not None else None
    left = score.table if isinstance(score, DealScore) else first_table(session)
    return left.seated(ring, 0).dealer


def seat_names(session: AnyRow) -> tuple[str, ...]:
    """The names on the accounts of a session, by seat."""
    return tuple(seat.name for seat in queries.seats(db.session(), session.id))


def first_page(form: DealForm) -> ResponseReturnValue:
    """The form before anybody has chosen, with what is known from the bidding; the session's page if none is due."""
    if not deal_is_due(form.session):
        return none_due(form.session)
    first = form.first_facts()
    # Who deals out of turn is said on the page of the seats, by no address.
    answers = MultiDict(request.args)
    answers.setlist("dealer", [str(first["dealer"])] if "dealer" in first else [])
    known = facts_from(answers, form.game, form.table)
    return form_page(form, {**first, **known}, SessionForm(expected_version=form.session.version))


def none_due(session: AnyRow) -> ResponseReturnValue:
    """The page of a session in which no deal can be dealt now: it says itself why, unless the session has ended."""
    if session.state == "closed" and "X-Fragment" not in request.headers:
        flash(_("This session has ended. Reopen it to deal on."), "warning")
    return redirect(url_for("board.session", session_id=session.id))


def page_ahead(form: DealForm, dealer: Seat) -> ResponseReturnValue:
    """The form as it will be when *dealer* deals in turn, at the table as it stands now."""
    if not deal_is_due(form.session):
        return redirect(form.back)
    if dealer not in form.table.ring:
        abort(404)
    ahead = replace(form, table=replace(form.table, dealer=dealer))
    return form_page(ahead, ahead.lowest(), SessionForm(expected_version=form.session.version))


def seats_ahead(session: AnyRow, table: Table) -> list[Seat]:
    """Whose forms a phone fetches while it can, beside the next one, to go on recording where there is no network.

    Whoever deals next has another form for later only if something of the next deal is known.
    """
    return [seat for seat in table.ring if session.declared or seat != table.dealer]


def preview_page(form: DealForm) -> ResponseReturnValue:
    """What was entered and what it would bring; the session's page if no deal is due."""
    if form.corrects is None and not deal_is_due(form.session):
        return redirect(form.back, 303)
    entry = form.entered()
    if "X-Fragment" in request.headers:
        # That something does not fit is an answer like any other; browsers would call it an error.
        return render_template("deals/_entry.html", **_entry_values(form, entry, entry.problems))
    return form_page(form, entry.facts, SessionForm(), status=422 if entry.problems else 200)


def review_page(form: DealForm, entry: Entry, session_form: SessionForm) -> ResponseReturnValue:
    """What was entered with what it would bring, or what is wrong with it; nothing is saved yet."""
    if entry.score is None:
        return form_page(form, entry.facts, session_form, status=422, problems=(*entry.missing, *entry.problems))
    notice = _("Nothing is saved yet. Look at what it brings, then save it.")
    return form_page(form, entry.facts, session_form, notices=[notice])


def stale_page(form: DealForm, session_form: SessionForm) -> ResponseReturnValue:
    """The form as it was sent, on the session as it is now, with what happened meanwhile."""
    seen, follows = session_form.expected_version.data, form.follows(session_form)
    session_form.renew(form.session.version)
    deals = queries.deals(db.session(), form.session.id)
    meanwhile = [deal for deal in deals if deal.version > (seen if follows else seen - 1)][:MAX_MEANWHILE]
    ended = form.session.state == "closed" and form.corrects is None
    pen_moved = follows and not form.session.writes and queries.only_pen_moved(db.session(), form.session.id, seen)
    if ended or pen_moved:
        notices = []
    elif not follows:
        notices = [_("The session is not what this deal was entered on, so nothing was saved. Is it still missing?")]
    elif form.corrects is not None:
        notices = [_("The session has changed meanwhile, so nothing was saved. Is this correction still needed?")]
    else:
        notices = [_("The session has changed meanwhile, so nothing was saved. Is this deal still missing?")]
    return form_page(
        form,
        form.entered().facts,
        session_form,
        status=409,
        notices=notices,
        meanwhile=meanwhile,
        refused=ended or pen_moved,
    )


def form_page(
    form: DealForm,
    facts: Facts,
    session_form: SessionForm,
    *,
    status: int = 200,
    problems: Sequence[Problem] | None = None,
    notices: Sequence[str] = (),
    meanwhile: Rows = (),
    refused: bool = False,
) -> tuple[str, int]:
    entry = form.entry(facts)
    values = _entry_values(form, entry, entry.problems if problems is None else problems)
    page = render_template(
        "deals/form.html",
        session=form.session,
        dealer=words.name_of(entry.table.dealer, form.names),
        dealt_by=entry.facts.get("dealer"),
        form=session_form,
        status=status,
        notices=[*notices, *_would_discard(form), *_out_of_turn(form, entry)],
        ahead=seats_ahead(form.session, form.table) if form.queues and request.method == "GET" else None,
        refused=refused,
        version=session_form.expected_version.data or form.session.version,
        meanwhile=sheet.score_sheet(form.session, form.names, meanwhile) if meanwhile else None,
        lookup=lookup(
            form.game,
            entry.table,
            form.names,
            partial(_cell, form),
            partial(sheet.read_back, names=form.names),
            declares=form.declares,
        ),
        **values,
    )
    return page, status


class PreviewRow(NamedTuple):
    """What a seat gets: ``short`` is the name where there is little room."""

    seat: Seat
    name: str
    short: str
    change: Amount
    total: Amount


class Wrong(NamedTuple):
    """What does not fit, and the id of the control it is about."""

    id: str
    text: str


def _entry_values(form: DealForm, entry: Entry, problems: Sequence[Problem]) -> dict[str, object]:
    """What the controls and the preview of a deal show."""
    asked = controls(entry, form.names, problems, declares=form.declares)
    score, short = entry.score, short_names(form.names, len(entry.table.ring))
    ids = {control.name for control in asked if not control.hidden}
    values: dict[str, object] = {
        "controls": [control for control in asked if not control.detail],
        "details": [control for control in asked if control.detail],
        "deal_form": form,
        "correcting": form.corrects is not None,
        "problems": [
            Wrong(problem.field if problem.field in ids else "main", words.problem_message(problem, form.names))
            for problem in problems
        ],
        "wanting": wanting(entry, form.names),
        "outlook": form.declares and payoff_table(form.game, form.game.outlook(entry.complete, entry.table)),
        "rows": {
            seat: PreviewRow(
                seat,
                form.names[seat],
                short[seat],
                *(_cell(form, seat, score.points[seat], score.table.totals[seat]) if score else (Amount(""),) * 2),
            )
            for seat in entry.table.ring
        },
        "previewed": shown_of(score) if score else "",
        "lines": [words.line_sentence(line, form.names) for line in score.lines] if score else [],
        "dealers": _dealers(form, entry) if form.corrects is not None else [],
        "dealt": entry.table.dealer,
    }
    if score is not None:
        return values | {"sentences": sheet.read_back(score, form.names)}
    return values | {"sentences": [words.problem_message(problem, form.names) for problem in entry.problems]}


def _dealers(form: DealForm, entry: Entry) -> list[tuple[Seat, str]]:
    """Everybody who can have dealt, and whose turn it was."""
    return [
        (seat, _("%(player)s (in turn)", player=form.names[seat]) if seat == form.table.dealer else form.names[seat])
        for seat in entry.table.ring
    ]


def _would_discard(form: DealForm) -> Iterator[str]:
    """Says so where a correction changes what a settlement in force rests on."""
    if form.corrects is not None and form.session.state == "closed":
        yield _("This session has ended. Saving a correction discards its settlement; you are asked first.")


def _out_of_turn(form: DealForm, entry: Entry) -> Iterator[str]:
    """Says so where a correction has another seat deal than the next in turn, for the first time."""
    dealer, turn = entry.table.dealer, form.table.dealer
    if form.corrects is not None and dealer not in (turn, form.first_facts().get("dealer")):
        yield words.problem_message(Problem("DEALER_ORDER", "dealer", {"player": turn}), form.names)


def _cell(form: DealForm, seat: Seat, points: int, total: int) -> tuple[Amount, Amount]:
    """What a seat gets, beside what it got before a correction, and its total then."""
    unit, old = form.game.unit, 0
    change = amounts.change(points, unit)
    if form.corrects is not None and form.corrects.status == "scored":
        # Who sat down later got nothing.
        old = dict(enumerate(form.corrects.points)).get(seat, 0)
        if old != points:
            change = Amount(f"{words.signed(old)} → {change.text}", change.debt)
    return change, amounts.total(total, unit)

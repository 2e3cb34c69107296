"""Deals: record, correct, void and restore them, look one up in the score sheet, and why it brought what it did."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from flask import Blueprint, Response, abort, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from wtforms import HiddenField
from wtforms.validators import AnyOf

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.models import AnyRow
from scorekeeper.queries import Rows
from scorekeeper.rules import MISDEAL, Facts, Refused, Result, Seat, Table
from scorekeeper.services.deals import (
    CorrectDeal,
    DecideGame,
    DisputeDeal,
    RecordDeal,
    RestoreDeal,
    VoidDeal,
    correct_deal,
    decide_game,
    dispute_deal,
    record_deal,
    restore_deal,
    start_next_game,
    take_back_next_game,
    void_deal,
)
from scorekeeper.services.groups import Role
from scorekeeper.services.history import dealer_by_hand, game_of
from scorekeeper.services.settlement import SettlementInForce
from scorekeeper.services.transaction import SessionClosed, SessionCommand, StaleSession
from scorekeeper.web import access, amounts, sheet
from scorekeeper.web.amounts import Amount
from scorekeeper.web.dealform import (
    DealForm,
    earlier_deal,
    first_page,
    form_page,
    next_deal,
    page_ahead,
    preview_page,
    review_page,
    stale_page,
)
from scorekeeper.web.dispute import dispute_of
from scorekeeper.web.forms import SessionForm, checked, command_fields, discards
from scorekeeper.web.ids import MAX_SEAT
from scorekeeper.web.offline import kept
from scorekeeper.web.tags import answer, form_tag

blueprint = Blueprint("deals", __name__)


class DisputeForm(SessionForm):
    disputed = HiddenField(validators=[AnyOf(("0", "1"))])


class DecideForm(SessionForm):
    starts_game = HiddenField(validators=[AnyOf(("0", "1"))])


@blueprint.get("/sessions/<id:session_id>/deals")
def index(session_id: int) -> ResponseReturnValue:
    """The score sheet, a page at a time: the one with deal ``deal``, or the one that ends before deal ``before``.

    With ``all`` it comes in one piece, to be printed.
    """
    session = access.game_session(session_id)
    if "deal" not in request.args:
        tag = form_tag(session, sheet.oldest_first(session.id))
        return answer(tag, lambda: _sheet_page(session))
    number = request.args.get("deal", type=int)
    if number is None or not 1 <= number <= session.deals:
        return _sheet_page(session, no_deal=True), 404
    page_end = number - number % -queries.DEALS_ON_SHEET + 1
    return redirect(url_for(".index", session_id=session.id, before=page_end, _anchor=f"deal-{number}"))


@blueprint.post("/sessions/<id:session_id>/deals/order")
def order(session_id: int) -> ResponseReturnValue:
    """Remember whether this browser's score sheet of the session begins with the oldest deal or the newest."""
    session = access.game_session(session_id, Role.VIEWER)
    order = request.form.get("order")
    if order not in ("oldest", "newest"):
        abort(400)
    sheet.remember_order(session.id, oldest_first=order == "oldest")
    return redirect(url_for(".index", session_id=session.id), 303)


def _sheet_page(session: AnyRow, *, no_deal: bool = False) -> str:
    whole = 1 if "all" in request.args else None
    size, newest = queries.DEALS_PRINTED if whole else queries.DEALS_ON_SHEET, session.deals
    oldest_first = sheet.oldest_first(session.id)
    before = min(size, newest) + 1 if oldest_first else newest + 1
    if "before" in request.args and not no_deal:
        before = request.args.get("before", 0, type=int)
    # Deals are numbered without gaps.
    first, last = max(1, before - size), min(before - 1, newest)
    if first > last and "before" in request.args:
        abort(404)
    deals = queries.deals(db.session(), session.id, before=last + 1, shown=last + 1 - first)
    accounts = queries.seats(db.session(), session.id)
    names = [account.name for account in accounts]
    return render_template(
        "deals/index.html",
        session=session,
        sheet=sheet.score_sheet(session, names, deals, shown=last + 1 - first, oldest_first=oldest_first),
        dispute=dispute_of(session, accounts),
        oldest_first=oldest_first,
        no_deal=no_deal,
        first=words.number(first),
        last=words.number(last),
        whole=whole,
        newer=url_for(".index", session_id=session.id, before=before + size, all=whole) if last < newest else None,
        older=url_for(".index", session_id=session.id, before=first, all=whole) if first > 1 else None,
    )


@blueprint.get("/sessions/<id:session_id>/deals/new")
def new(session_id: int) -> ResponseReturnValue:
    deal_form = next_deal(session_id)
    return kept(lambda: first_page(deal_form), [access.named(deal_form.session.group_id, session_id)])


@blueprint.get(f"/sessions/<id:session_id>/deals/ahead/<int(max={MAX_SEAT}):seat>")
def ahead(session_id: int, seat: int) -> ResponseReturnValue:
    """The form of a deal that is dealt from *seat* after others that wait on a phone; recorded like any other."""
    return page_ahead(next_deal(session_id), Seat(seat))


@blueprint.post("/sessions/<id:session_id>/deals/preview")
def preview(session_id: int) -> ResponseReturnValue:
    return preview_page(next_deal(session_id))


@blueprint.post("/sessions/<id:session_id>/deals")
def record(session_id: int) -> ResponseReturnValue:
    deal_form, form = next_deal(session_id), checked(SessionForm())
    recorded = _recorded_before(deal_form.session, form)
    if recorded is not None:
        # Sent again: who sits there now would make another deal of it.
        deal_form = replace(deal_form, table=Table.restored(deal_form.table.ruleset, recorded.before))
    entry = deal_form.entered()
    if not deal_form.follows(form):
        return stale_page(deal_form, form)
    if not deal_form.may_save(form, entry):
        return review_page(deal_form, entry, form)
    command = RecordDeal(**command_fields(deal_form.session, form), facts=entry.complete, discard=discards())
    try:
        record_deal(db.session(), command)
    except SettlementInForce:
        # A deal that waited on a phone is decided there.
        if "X-Queued" not in request.headers:
            raise
        return stale_page(next_deal(session_id), form)
    except Refused as refused:
        return form_page(deal_form, entry.facts, form, status=422, problems=refused.problems)
    except StaleSession:
        return stale_page(next_deal(session_id), form)
    return _recorded(deal_form)


@blueprint.post("/sessions/<id:session_id>/misdeal")
def misdeal(session_id: int) -> ResponseReturnValue:
    deal_form, form = next_deal(session_id), checked(SessionForm())
    session = deal_form.session
    recorded = _recorded_before(session, form)
    if recorded is not None and recorded.result == Result.MISDEAL:
        return _recorded(deal_form)
    if not deal_form.follows(form):
        raise StaleSession
    if session.state == "closed" and "X-Queued" in request.headers:
        # What waited on a phone cannot be asked what is to become of the settlement.
        raise SessionClosed
    # Somebody who dealt out of turn deals again.
    dealer = dealer_by_hand(session)
    facts = MISDEAL if dealer is None else {"dealer": dealer, **MISDEAL}
    record_deal(db.session(), RecordDeal(**command_fields(session, form), facts=facts, discard=discards()))
    return _recorded(deal_form)


@blueprint.post("/sessions/<id:session_id>/new-game")
def start_game(session_id: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    form = checked(SessionForm())
    start_next_game(db.session(), SessionCommand(**command_fields(session, form)))
    return redirect(url_for("board.session", session_id=session.id, _anchor="next"), 303)


@blueprint.post("/sessions/<id:session_id>/new-game/take-back")
def take_back_game(session_id: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    form = checked(SessionForm())
    take_back_next_game(db.session(), SessionCommand(**command_fields(session, form)))
    return redirect(url_for("board.session", session_id=session.id), 303)


@blueprint.get("/sessions/<id:session_id>/deals/<id:number>")
def deal(session_id: int, number: int) -> Response:
    """Why a deal brought what it did, and what it said before each change."""
    session = access.game_session(session_id)
    return answer(form_tag(session), lambda: _deal_page(session, number))


def _deal_page(session: AnyRow, number: int) -> str:
    row = _deal(session, number)
    accounts = queries.seats(db.session(), session.id)
    names = [account.name for account in accounts]
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
        stand_ins=list(_stand_ins(session, row, accounts)),
        lines=[words.line_sentence(line, names) for line in sheet.explanation(score, row)],
        reasons=sheet.why_not(row, score, names),
        sums=_sums(session, names, row) if scored else [],
        in_dispute=dispute_of(session, accounts) if scored and row.disputed else None,
        history=_history(session, row, queries.deal_versions(db.session(), session.id, number), names),
        waiting=queries.undecided_deal(db.session(), session.id) if session.undecided else None,
        form=SessionForm(expected_version=session.version),
    )


@blueprint.get("/sessions/<id:session_id>/deals/<id:number>/correct")
def correction(session_id: int, number: int) -> ResponseReturnValue:
    deal_form = earlier_deal(session_id, number)
    form = SessionForm(expected_version=deal_form.session.version)
    return form_page(deal_form, deal_form.first_facts(), form)


@blueprint.post("/sessions/<id:session_id>/deals/<id:number>/preview")
def preview_correction(session_id: int, number: int) -> ResponseReturnValue:
    return preview_page(earlier_deal(session_id, number))


@blueprint.post("/sessions/<id:session_id>/deals/<id:number>/correct")
def correct(session_id: int, number: int) -> ResponseReturnValue:
    deal_form, form = earlier_deal(session_id, number), SessionForm()
    entry = deal_form.entered()
    if not form.validate() or not deal_form.may_save(form, entry):
        return review_page(deal_form, entry, form)
    try:
        command = CorrectDeal(
            **command_fields(deal_form.session, form), number=number, facts=entry.complete, discard=discards()
        )
        correct_deal(db.session(), command)
    except Refused as refused:
        return form_page(deal_form, entry.facts, form, status=422, problems=refused.problems)
    except StaleSession:
        return stale_page(earlier_deal(session_id, number), form)
    if access.game_session(session_id).undecided:
        said = _(
            "Deal %(number)s is corrected. A game now ends elsewhere: decide what follows.", number=words.number(number)
        )
        flash(said, "warning")
    else:
        flash(_("Deal %(number)s is corrected, and everything after it follows.", number=words.number(number)), "done")
    return redirect(deal_form.saved, 303)


@blueprint.post("/sessions/<id:session_id>/deals/<id:number>/void")
def void(session_id: int, number: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    _deal(session, number)
    form = checked(SessionForm())
    void_deal(db.session(), VoidDeal(**command_fields(session, form), number=number, discard=discards()))
    return _after_change(session, number)


@blueprint.post("/sessions/<id:session_id>/deals/<id:number>/restore")
def restore(session_id: int, number: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    _deal(session, number)
    form = checked(SessionForm())
    restore_deal(db.session(), RestoreDeal(**command_fields(session, form), number=number, discard=discards()))
    return _after_change(session, number)


@blueprint.post("/sessions/<id:session_id>/deals/<id:number>/game")
def decide(session_id: int, number: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    _deal(session, number)
    form = checked(DecideForm())
    starts_game = form.starts_game.data == "1"
    command = DecideGame(**command_fields(session, form), number=number, starts_game=starts_game, discard=discards())
    decide_game(db.session(), command)
    return redirect(url_for(".deal", session_id=session.id, number=number), 303)


@blueprint.post("/sessions/<id:session_id>/deals/<id:number>/dispute")
def dispute(session_id: int, number: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    _deal(session, number)
    form = checked(DisputeForm())
    disputed = form.disputed.data == "1"
    dispute_deal(db.session(), DisputeDeal(**command_fields(session, form), number=number, disputed=disputed))
    return redirect(url_for(".deal", session_id=session.id, number=number), 303)


def _recorded_before(session: AnyRow, form: SessionForm) -> AnyRow | None:
    """The deal that *form* has recorded already, which has moved the session on."""
    if form.expected_version.data == session.version:
        return None
    return queries.deal_of_form(db.session(), session.id, form.submission_id.data)


def _recorded(form: DealForm) -> ResponseReturnValue:
    # A phone that keeps a deal until it has arrived must not take just any answer for ours.
    return Response(status=201) if "X-Queued" in request.headers else redirect(form.saved, 303)


def _deal(session: AnyRow, number: int) -> AnyRow:
    return queries.deal(db.session(), session.id, number) or abort(404)


def _after_change(session: AnyRow, number: int) -> ResponseReturnValue:
    """The latest deal is undone on the session's page, an older one on its own."""
    if number == session.deals:
        return redirect(url_for("board.session", session_id=session.id, _anchor="read-back"), 303)
    return redirect(url_for(".deal", session_id=session.id, number=number), 303)


def _stand_ins(session: AnyRow, deal: AnyRow, accounts: Rows) -> Iterable[str]:
    """Who played on whose account."""
    playing = [(accounts[seat], player) for seat, player in deal.seating if accounts[seat].player_id != player]
    if playing:
        names = {player.id: player.name for player in queries.players(db.session(), session.group_id)}
        for account, player in playing:
            people = {"player": words.isolated(names[player]), "account": words.isolated(account.name)}
            yield _("%(player)s played for %(account)s.", **people)


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


class Change(NamedTuple):
    """One line of a deal's history: what became of it, when, and how its facts changed."""

    what: str
    when: Any
    details: list[str]


def _history(session: AnyRow, deal: AnyRow, versions: Rows, names: Sequence[str]) -> list[Change]:
    """Every change of a deal, latest first, down to how it was first entered."""
    playing = Table.restored(game_of(session)[1], deal.before).seats
    said = partial(words.fact_words, names=names, seats=playing)
    states = [deal, *versions]
    changes = [
        Change(_what(old, new), old.replaced_at, list(_differences(old.facts, new.facts, said)))
        for new, old in pairwise(states)
    ]
    first = states[-1]
    entered = [
        _("%(fact)s: %(value)s", fact=words.field_label(name), value=said(name, value))
        for name, value in first.facts.items()
        if name not in MISDEAL
    ]
    what = _("Recorded: %(deal)s", deal=sheet.title_of(first.facts, names))
    return [*changes, Change(what, deal.recorded_at, entered)]


def _what(old: AnyRow, new: AnyRow) -> str:
    if old.kind == "void":
        return _("Voided")
    if old.kind == "decide":
        return _("Decided which game it belongs to")
    return _("Restored") if old.kind == "restore" else _("Corrected")


def _differences(old: Facts, new: Facts, said: Callable[[str, object], str]) -> Iterable[str]:
    for name in dict.fromkeys((*old, *new)):
        if old.get(name) != new.get(name):
            yield _(
                "%(fact)s: %(old)s → %(new)s",
                fact=words.field_label(name),
                old=said(name, old[name]) if name in old else "–",
                new=said(name, new[name]) if name in new else "–",
            )

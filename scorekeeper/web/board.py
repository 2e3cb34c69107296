"""The page of a session: the table as seated, whose deal it is and why, the next step, and the score sheet."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.ledger import standings
from scorekeeper.models import AnyRow
from scorekeeper.queries import Rows
from scorekeeper.rules import CardGame, DealScore, Facts, Result, Ruleset, Table, Unit
from scorekeeper.services.groups import Role
from scorekeeper.services.history import deal_is_due, dealer_by_hand, game_of, next_table, present_at
from scorekeeper.web import access, amounts, picture, seats, sheet
from scorekeeper.web.amounts import Amount
from scorekeeper.web.dealform import seats_ahead
from scorekeeper.web.dispute import disputed_title
from scorekeeper.web.entry import shown as shown_text
from scorekeeper.web.offline import kept
from scorekeeper.web.tags import SUBMISSION, TOKEN, answer, drawn, form_tag

blueprint = Blueprint("board", __name__)

THROWN_IN: Final[Facts] = {"contract": "passed-out"}
"""A deal that is thrown in where nothing more need be known about it."""


class StandingRow(NamedTuple):
    place: int
    name: str
    total: Amount
    href: str


@blueprint.get("/sessions/<id:session_id>")
def session(session_id: int) -> Response:
    game_session = access.game_session(session_id)
    shows = access.named(game_session.group_id, game_session.id)
    return kept(lambda: answer(form_tag(game_session), lambda: drawn(game_session, _page)), [shows])


@blueprint.get("/sessions/<id:session_id>/board")
def board(session_id: int) -> Response:
    """The part of the page that changes with every deal, to be put in place of the one shown."""
    game_session = access.game_session(session_id)
    return answer(form_tag(game_session), lambda: drawn(game_session, _board))


@blueprint.post("/sessions/<id:session_id>/side")
def sit(session_id: int) -> ResponseReturnValue:
    """From now on this browser shows the table as the person at one seat sees it."""
    game_session = access.game_session(session_id, Role.VIEWER)
    seat = request.form.get("side", type=int)
    if seat is None or seat not in present_at(game_session.seating):
        abort(400)
    picture.remember_side(session_id, seat)
    return redirect(url_for(".session", session_id=session_id), 303)


def _page(game_session: AnyRow) -> str:
    accounts, deals = _accounts_and_deals(game_session)
    names = [account.name for account in accounts]
    shown, older = deals[: queries.DEALS_SHOWN], len(deals) > queries.DEALS_SHOWN
    unit = game_of(game_session)[0].unit
    disputed = queries.disputed_deals(db.session(), game_session.id)
    return render_template(
        "board/session.html",
        csrf_token=lambda: TOKEN,
        **_board_values(game_session, accounts, deals),
        game_name=words.ruleset_title(game_session.ruleset_id),
        menu=_menu(game_session),
        side=picture.side_of(game_session.id),
        score_sheet=sheet.score_sheet(game_session, names, deals, shown=len(shown)),
        disputed=disputed_title(disputed) if disputed else "",
        older=url_for("deals.index", session_id=game_session.id, before=shown[-1].number) if older else None,
        standings=_standings(game_session, names) if game_session.state == "closed" else [],
        unit=amounts.unit_name(unit),
    )


def _board(game_session: AnyRow) -> str:
    return render_template("board/_board.html", **_board_values(game_session, *_accounts_and_deals(game_session)))


def _accounts_and_deals(game_session: AnyRow) -> tuple[Rows, Rows]:
    return queries.seats(db.session(), game_session.id), queries.deals(db.session(), game_session.id)


def _board_values(game_session: AnyRow, accounts: Rows, deals: Rows) -> dict[str, object]:
    """What the part of the page shows that changes with every deal; *deals* are one more than the sheet shows."""
    game, ruleset = game_of(game_session)
    table, names = next_table(game_session), [account.name for account in accounts]
    latest, shown = (deals[0] if deals else None), deals[: queries.DEALS_SHOWN]
    score = picture.score_of(game_session, latest)
    by_hand = dealer_by_hand(game_session)
    return {
        **picture.table_values(game_session, accounts, latest, score),
        "due": deal_is_due(game_session),
        "ahead": seats_ahead(game_session, Table.restored(ruleset, game_session.table)),
        "won": next((sheet.word_of(deal, names) for deal in shown if deal.winners), ""),
        # Nothing has been dealt in the game that was begun last.
        "begun": latest is not None and latest.status == "scored" and table.game > latest.before["game"],
        "waits": seats.waits(table, game.players(ruleset), names),
        "reason": sheet.dealer_reason(game_session, names, deals, older=len(deals) > len(shown)),
        "needed": [words.line_sentence(line, names) for line in game.needed(table)],
        "latest": latest,
        "latest_number": words.number(latest.number) if latest is not None else "",
        "read_back": sheet.read_back(score, names) if score else [],
        "changes": _changes(score, names, game.unit) if score else "",
        "title": _title(latest, names) if latest is not None else "",
        "waiting": queries.undecided_deal(db.session(), game_session.id) if game_session.undecided else None,
        # The deal that ended the game says so itself while it is the latest.
        "ended": _ended(game_session, names, shown) if table.over and not shown[0].winners else [],
        "next_game": words.number(table.game + 1),
        "turn_ups": _turn_ups(game, ruleset),
        "thrown_in": shown_text((0,) * len(table.totals)) if _may_throw_in(game, ruleset) else None,
        "hidden": {"submission_id": SUBMISSION, "expected_version": game_session.version}
        | ({} if by_hand is None else {"dealer": by_hand}),
    }


def _changes(score: DealScore[Any], names: Sequence[str], unit: Unit) -> str:
    """What the latest deal brought each player, as the seats show it; where chips count, who pays whom says it."""
    if unit is Unit.CHIPS or not any(score.points):
        return ""
    each = (f"{words.name_of(seat, names)} {words.signed(score.points[seat])}" for seat in score.before.seats)
    return _("%(changes)s.", changes=", ".join(each))


def _title(latest: AnyRow, names: Sequence[str]) -> str:
    """What the latest deal was, unless it is all there is to say of it."""
    said_in_full = latest.status == "scored" and latest.result not in (Result.MADE, Result.SET)
    return "" if said_in_full else _("%(deal)s.", deal=sheet.title_of(latest.facts, names))


def _menu(game_session: AnyRow) -> list[tuple[str, str]]:
    """Everything else there is about a session: what it is called, and its address."""
    game, ruleset = game_of(game_session)
    for_chips, is_open = game.plays_for_chips(ruleset), game_session.state == "open"
    scores = game_session.writes
    chips = [("chips.chips", _("Chips"))]
    pages = [
        *(chips if for_chips else []),
        *([("seats.seats", _("Seats"))] if is_open and scores else []),
        *([("bidding.bidding", _("Bidding"))] if deal_is_due(game_session) and game.course and scores else []),
        ("tableview.table", _("Table view")),
        ("chart.chart", _("Chart")),
        ("deals.index", _("Score sheet")),
        ("rules.of_session", _("Rules and payments")),
        *([] if for_chips else chips),
        ("files.downloads", _("Export")),
        *([("pen.pen", _("Hand over the pen"))] if scores else []),
        *([("join.codes", _("Let others join"))] if is_open and game_session.role == Role.HOST else []),
        ("settlement.settlement", _("End the session") if is_open and scores else _("Settlement")),
    ]
    return [(label, url_for(page, session_id=game_session.id)) for page, label in pages]


def _standings(game_session: AnyRow, names: Sequence[str]) -> list[StandingRow]:
    game = game_of(game_session)[0]
    ranked = standings(dict(enumerate(game_session.table["totals"])), lowest_wins=game.lowest_wins)
    return [
        StandingRow(
            row.place,
            names[row.player],
            amounts.total(row.total, game.unit),
            url_for("why.total", session_id=game_session.id, seat=row.player),
        )
        for row in ranked
    ]


def _ended(game_session: AnyRow, names: Sequence[str], deals: Rows) -> list[str]:
    """How the game at the table ended, and by which rule."""
    last = next((deal for deal in deals if deal.winners), None)
    score = sheet.score_of(game_session, last) if last is not None else None
    return sheet.outcome_sentences(score, names) if isinstance(score, DealScore) else []


@lru_cache(maxsize=256)
def _turn_ups(game: CardGame[Any], ruleset: Ruleset) -> tuple[str, ...]:
    """The suits one of which is turned up before anything else happens, where a deal begins so."""
    first = game.fields(game.open_table(ruleset))[0]
    return first.choices if first.name == "turn_up" else ()


@lru_cache(maxsize=256)
def _may_throw_in(game: CardGame[Any], ruleset: Ruleset) -> bool:
    fields = game.fields(game.open_table(ruleset))
    return any(THROWN_IN.get(field.name) in field.choices for field in fields)

"""The page of a session: the table as seated, whose deal it is and why, the next step, and the score sheet."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import flask
from flask import Blueprint, Response, make_response, render_template, request, url_for
from flask_babel import get_locale
from flask_babel import gettext as _

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.ledger import standings
from scorekeeper.models import AnyRow
from scorekeeper.paths import shipped
from scorekeeper.queries import Rows
from scorekeeper.rules import CardGame, DealScore, Facts, Result, Ruleset, Table, Unit
from scorekeeper.services.history import game_of
from scorekeeper.web import access, amounts, sheet
from scorekeeper.web.amounts import Amount
from scorekeeper.web.entry import canonical
from scorekeeper.web.forms import new_submission_id

blueprint = Blueprint("board", __name__)

THROWN_IN: Final[Facts] = {"contract": "passed-out"}
"""A deal that is thrown in where nothing more need be known about it."""


class SeatPlace(NamedTuple):
    """One seat as the ``seats`` macro draws it; ``href`` leads to the deal that made its total."""

    name: str
    total: Amount
    dealer: bool
    href: str | None


class StandingRow(NamedTuple):
    place: int
    name: str
    total: Amount
    href: str | None


@blueprint.get("/sessions/<id:session_id>")
def session(session_id: int) -> Response:
    game_session = access.game_session(session_id)
    tag = _tag(game_session)
    return _not_changed(tag) or _tagged(tag, _page(game_session))


@blueprint.get("/sessions/<id:session_id>/board")
def board(session_id: int) -> Response:
    """The part of the page that changes with every deal, to be put in place of the one shown."""
    game_session = access.game_session(session_id)
    tag = _tag(game_session)
    return _not_changed(tag) or _tagged(tag, _board(game_session))


def _page(game_session: AnyRow) -> str:
    seats = queries.seats(db.session(), game_session.id)
    deals = queries.deals(db.session(), game_session.id)
    names = [seat.name for seat in seats]
    shown, older = deals[: queries.DEALS_SHOWN], len(deals) > queries.DEALS_SHOWN
    game, ruleset = game_of(game_session)
    table = Table.restored(ruleset, game_session.table)
    return render_template(
        "board/session.html",
        **_board_values(game_session, names, deals, older=older),
        game_name=words.ruleset_title(game_session.ruleset_id),
        deals=sheet.sheet_rows(game_session, names, shown),
        older=url_for("deals.index", session_id=game_session.id, before=shown[-1].number) if older else None,
        standings=_standings(game_session, names) if game_session.state == "closed" else [],
        unit=_("Chips") if game.unit is Unit.CHIPS else _("Points"),
        waiting=queries.undecided_deal(db.session(), game_session.id) if game_session.undecided else None,
        # The deal that ended the game says so itself while it is the latest.
        ended=_ended(game_session, names, shown) if table.over and not shown[0].winners else [],
        next_game=words.number(table.game + 1),
        thrown_in=canonical(THROWN_IN) if _may_throw_in(game, ruleset) else None,
        hidden={"submission_id": new_submission_id(), "expected_version": game_session.version},
    )


def _board(game_session: AnyRow) -> str:
    names = [seat.name for seat in queries.seats(db.session(), game_session.id)]
    deals = queries.deals(db.session(), game_session.id)
    older = len(deals) > queries.DEALS_SHOWN
    return render_template("board/_board.html", **_board_values(game_session, names, deals, older=older))


def _board_values(game_session: AnyRow, names: Sequence[str], deals: Rows, *, older: bool) -> dict[str, object]:
    """What the table as seated shows, and the deal last recorded."""
    game, ruleset = game_of(game_session)
    table = Table.restored(ruleset, game_session.table)
    why = url_for("deals.deal", session_id=game_session.id, number=deals[0].number) if deals else None
    latest = deals[0] if deals else None
    score = sheet.score_of(game_session, latest) if latest is not None and latest.status == "scored" else None
    return {
        "session": game_session,
        "names": names,
        "places": [
            SeatPlace(name, amounts.total(table.totals[seat], game.unit), seat == table.dealer, why)
            for seat, name in enumerate(names)
        ],
        "pairs": _pairs(game, ruleset, names, table.totals),
        "game": words.number(table.game) if game.several_games else None,
        "over": table.over,
        "number": words.number(game_session.deals + 1),
        "dealer": words.name_of(table.dealer, names),
        "reason": sheet.dealer_reason(game_session, names, deals, older=older),
        "latest": latest,
        "latest_number": words.number(latest.number) if latest is not None else "",
        "read_back": _read_back(score, names, game.unit) if isinstance(score, DealScore) else [],
        "title": _title(latest, names) if latest is not None else "",
    }


def _read_back(score: DealScore[Any], names: Sequence[str], unit: Unit) -> list[str]:
    """What the latest deal brought; who pays whom says it all where chips are counted."""
    said = sheet.read_back(score, names)
    if unit is Unit.POINTS and any(score.points):
        changes = zip(names, map(words.signed, score.points), strict=True)
        said.append(_("%(changes)s.", changes=", ".join(f"{name} {change}" for name, change in changes)))
    return said


def _title(latest: AnyRow, names: Sequence[str]) -> str:
    """What the latest deal was, unless it is all there is to say of it."""
    said_in_full = latest.status == "scored" and latest.result not in (Result.MADE, Result.SET)
    return "" if said_in_full else _("%(deal)s.", deal=sheet.title_of(latest.facts, names))


def _pairs(
    game: CardGame[Any], ruleset: Ruleset, names: Sequence[str], totals: Sequence[int]
) -> list[tuple[str, Amount]]:
    """What each pair has come to, where partners sit opposite each other all session."""
    return [
        (f"{names[one]} + {names[other]}", amounts.total(totals[one] + totals[other], game.unit))
        for one, other in game.pairs(ruleset)
    ]


def _standings(game_session: AnyRow, names: Sequence[str]) -> list[StandingRow]:
    game = game_of(game_session)[0]
    ranked = standings(dict(enumerate(game_session.table["totals"])), lowest_wins=game.lowest_wins)
    return [StandingRow(row.place, names[row.player], amounts.total(row.total, game.unit), None) for row in ranked]


def _ended(game_session: AnyRow, names: Sequence[str], deals: Rows) -> list[str]:
    """How the game at the table ended, and by which rule."""
    last = next((deal for deal in deals if deal.winners), None)
    score = sheet.score_of(game_session, last) if last is not None else None
    return sheet.outcome_sentences(score, names) if isinstance(score, DealScore) else []


@lru_cache(maxsize=256)
def _may_throw_in(game: CardGame[Any], ruleset: Ruleset) -> bool:
    fields = game.fields(game.open_table(ruleset))
    return any(THROWN_IN.get(field.name) in field.choices for field in fields)


def _tag(game_session: AnyRow) -> str | None:
    """What the page depends on, as its ETag; None where it also shows something that comes once."""
    forms_key = flask.session.get("csrf_token")
    if forms_key is None or "_flashes" in flask.session:
        return None
    parts = game_session.version, game_session.group_version, game_session.link_id, get_locale(), forms_key, _release()
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


@cache
def _release() -> str:
    """A name for what is installed: templates, static files and code."""
    content = hashlib.sha256()
    for folder in (Path(__file__).resolve().parent.parent, shipped("templates")):
        for path in sorted(folder.rglob("*.*")):
            if path.suffix in {".py", ".html", ".css", ".js", ".svg", ".mo"}:
                content.update(path.read_bytes())
    return content.hexdigest()


def _not_changed(tag: str | None) -> Response | None:
    if tag is None or not request.if_none_match.contains_weak(tag):
        return None
    response = Response(status=304)
    response.set_etag(tag)
    return response


def _tagged(tag: str | None, page: str) -> Response:
    response = make_response(page)
    if tag is not None:
        response.set_etag(tag)
    return response

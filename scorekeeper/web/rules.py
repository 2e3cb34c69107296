"""The rules and payments of a ruleset, from the same data that the scoring reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from flask import Blueprint, Response, abort, render_template
from flask_babel import gettext as _

from scorekeeper.rules import RULESETS, CardGame, Option, Payoff, Payoffs, Result, Ruleset, Unit
from scorekeeper.rules import ruleset as published_ruleset
from scorekeeper.services.history import game_of
from scorekeeper.web import access, amounts
from scorekeeper.web.amounts import Amount
from scorekeeper.web.sessions import rulesets_by_game
from scorekeeper.web.tags import answer, page_tag
from scorekeeper.words import (
    case_name,
    number,
    option_label,
    option_value_label,
    result_name,
    role_name,
    ruleset_notice,
    ruleset_summary,
    ruleset_title,
    trump_kind_name,
)

blueprint = Blueprint("rules", __name__)


@dataclass(frozen=True, slots=True)
class PayoffRow:
    """One line of the payments: with so many tricks, each role gets its amount."""

    tricks: str
    result: str
    amounts: tuple[Amount, ...]


@dataclass(frozen=True, slots=True)
class PayoffBlock:
    """The payments of one contract with one kind of trump, or of one role."""

    title: str
    trump: str | None
    rows: tuple[PayoffRow, ...]


@dataclass(frozen=True, slots=True)
class PayoffTable:
    """Payments in blocks, with a column for each role."""

    roles: tuple[str, ...]
    blocks: tuple[PayoffBlock, ...]


@blueprint.get("/rules")
def index() -> str:
    return render_template("rules/index.html", games=list(rulesets_by_game()))


@blueprint.get("/rules/<ruleset_id>")
def page(ruleset_id: str) -> str:
    if ruleset_id not in RULESETS:
        abort(404)
    return _page(*published_ruleset(ruleset_id))


@blueprint.get("/sessions/<id:session_id>/rules")
def of_session(session_id: int) -> Response:
    session = access.game_session(session_id)
    return answer(page_tag(session), lambda: _page(*game_of(session), session=session, of_session=True))


def _page(game: CardGame[Any], ruleset: Ruleset, **values: object) -> str:
    return render_template(
        "rules/page.html",
        **payments(game, ruleset),
        summary=ruleset_summary(ruleset.id),
        notice=ruleset_notice(ruleset.id),
        table=[(option_label(option.name), _said(ruleset, option)) for option in _that_count(game, ruleset, "table")],
        several_games=game.several_games,
        **values,
    )


def payments(game: CardGame[Any], ruleset: Ruleset) -> dict[str, object]:
    """What everything costs under *ruleset*, and which house rules are in force: for the page, and for paper."""
    return {
        "title": ruleset_title(ruleset.id),
        "house_rules": [
            (option_label(name), option_value_label(value), option_value_label(game.ruleset(ruleset.id).options[name]))
            for name, value in game.house_rules(ruleset).items()
        ],
        "payoffs": payoff_table(game, game.payoffs(ruleset)),
        "stake": [
            (option_label(option.name), _said(ruleset, option)) for option in _that_count(game, ruleset, "stake")
        ],
        "in_chips": game.unit is Unit.CHIPS,
        "staked": game.plays_for_chips(ruleset),
    }


def _said(ruleset: Ruleset, option: Option) -> str:
    return option_value_label(ruleset.options[option.name])


def _that_count(game: CardGame[Any], ruleset: Ruleset, group: str) -> Iterator[Option]:
    return (option for option in game.options if option.group == group and option.counts(ruleset.options))


def payoff_table(game: CardGame[Any], payoffs: Payoffs) -> PayoffTable:
    """*payoffs* as the ``payoffs`` macro draws them."""
    roles = tuple(dict.fromkeys(role for row in payoffs for role in row.change))
    return PayoffTable(tuple(role_name(role) for role in roles), tuple(_blocks(game, payoffs, roles)))


def _blocks(game: CardGame[Any], payoffs: Payoffs, roles: tuple[str, ...]) -> Iterator[PayoffBlock]:
    for (case, trump), rows in groupby(payoffs, key=lambda row: (row.case, row.trump)):
        shown = tuple(
            PayoffRow(
                tricks_of(row),
                "" if row.result is Result.PLAYED else result_name(row.result),
                tuple(_amount(game, row, role) for role in roles),
            )
            for row in rows
        )
        # In points nothing is cheaper or dearer by its suit.
        yield PayoffBlock(case_name(case), trump_kind_name(trump) if game.unit is Unit.CHIPS else None, shown)


def tricks_of(row: Payoff) -> str:
    """For how many tricks a payoff holds."""
    if row.low == row.high:
        return number(row.low)
    return _("%(low)s–%(high)s", low=number(row.low), high=number(row.high))


def _amount(game: CardGame[Any], row: Payoff, role: str) -> Amount:
    if row.wins:
        return Amount(_("wins at once"))
    return amounts.change(row.change[role], game.unit) if role in row.change else Amount("–")

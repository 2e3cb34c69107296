"""The score sheet of a session, and what is said about its deals."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from flask import url_for
from flask_babel import gettext as _

from scorekeeper import words
from scorekeeper.models import AnyRow
from scorekeeper.queries import Rows
from scorekeeper.rules import MISDEAL, DealScore, Facts, MalformedDeal, Refused, Result, Suit, Table
from scorekeeper.services.history import game_of
from scorekeeper.web import amounts
from scorekeeper.web.amounts import Amount
from scorekeeper.words.said import name_of


class Cell(NamedTuple):
    """What a deal brought one player, and the total after it."""

    change: Amount
    total: Amount


class SheetRow(NamedTuple):
    """One deal as the ``sheet`` macro draws it. ``word`` says what is special about it."""

    number: int
    contract: str
    suit: str | None
    declarer: str
    tricks: str
    href: str
    cells: tuple[Cell, ...]
    void: bool
    word: str


def sheet_rows(session: AnyRow, names: Sequence[str], deals: Rows) -> list[SheetRow]:
    """*deals* in the order given."""
    game, ruleset = game_of(session)
    # One address is worked out for all rows, each of which is a page below it.
    sheet_url = url_for("deals.index", session_id=session.id)
    # The same few numbers fill a sheet.
    change = cache(lambda value: amounts.change(value, game.unit))
    total = cache(lambda value: amounts.total(value, game.unit))
    return [
        SheetRow(
            number=deal.number,
            contract=_contract(deal.facts, names),
            suit=_suit(deal.facts),
            declarer=_side(deal.facts, names),
            tricks=_tricks(deal.facts, ruleset.options["hand"]),
            href=f"{sheet_url}/{deal.number}",
            cells=tuple(Cell(change(one), total(after)) for one, after in zip(deal.points, deal.totals, strict=False)),
            void=deal.status != "scored",
            word=word_of(deal, names),
        )
        for deal in deals
    ]


def score_of(session: AnyRow, deal: AnyRow) -> DealScore[Any] | Refused:
    """A deal scored again at the table it was dealt at, with all that explains it, or why it cannot be."""
    game, ruleset = game_of(session)
    try:
        return game.play(deal.facts, Table.restored(ruleset, deal.before))
    except Refused as refused:
        return refused
    except (KeyError, TypeError, ValueError):
        # What was stored long ago is shown as it stands, whatever the rules make of it today.
        return MalformedDeal()


def title_of(facts: Facts, names: Sequence[str]) -> str:
    """What was played, by whom."""
    return words.result_name(Result.MISDEAL) if facts == MISDEAL else words.deal_title(facts, names)


def outcome_sentences(score: DealScore[Any], names: Sequence[str]) -> list[str]:
    """How a deal ended its game, and by which rule, or why the game goes on all the same."""
    codes = ("game-won", "game-drawn", "extra-deal")
    return [words.line_sentence(line, names) for line in score.lines if line.code in codes]


def read_back(score: DealScore[Any], names: Sequence[str]) -> list[str]:
    """What a deal brought, in the sentences one says when it is written down."""
    if score.result in (Result.MISDEAL, Result.PASSED_OUT, Result.PLAYED):
        first = words.line_sentence(score.lines[0], names)
    else:
        first = _("Made.") if score.result is Result.MADE else _("Set.")
    paid = words.payments_sentence(score.payments, names)
    return [first, *outcome_sentences(score, names), *([paid] if paid else [])]


def dealer_reason(session: AnyRow, names: Sequence[str], deals: Rows, *, older: bool) -> str:
    """Why it is this dealer's deal; *deals* are the latest, newest first, and *older* says that there are more."""
    dealer = name_of(session.table["dealer"], names)
    last = next((deal for deal in deals if deal.status == "scored"), None)
    if last is None:
        return "" if older else _("%(dealer)s deals first.", dealer=dealer)
    number = words.number(last.number)
    if last.result == Result.MISDEAL:
        return _("Deal %(number)s was a misdeal, so %(dealer)s deals again.", number=number, dealer=dealer)
    if last.result == Result.PASSED_OUT:
        if last.before["dealer"] == session.table["dealer"]:
            return _("Deal %(number)s was thrown in, so %(dealer)s deals again.", number=number, dealer=dealer)
        return _("Deal %(number)s was thrown in, and the deal passes to %(dealer)s.", number=number, dealer=dealer)
    return _(
        "%(before)s dealt deal %(number)s; %(dealer)s sits next, clockwise.",
        before=name_of(last.before["dealer"], names),
        number=number,
        dealer=dealer,
    )


def _suit(facts: Facts) -> str | None:
    """The trump suit, where somebody chose it."""
    trump = facts.get("trump")
    return trump if isinstance(trump, str) and trump in tuple(Suit) and _leader(facts) is not None else None


def _leader(facts: Facts) -> object:
    """The declarer, or the maker."""
    return facts.get("declarer", facts.get("maker"))


def _side(facts: Facts, names: Sequence[str]) -> str:
    return " + ".join(name_of(seat, names) for seat in (_leader(facts), facts.get("partner")) if isinstance(seat, int))


def _contract(facts: Facts, names: Sequence[str]) -> str:
    """What was undertaken; a maker undertakes nothing but the trump suit, which is drawn."""
    if "contract" in facts:
        return words.contract_name(str(facts["contract"]))
    if "maker" not in facts:
        return title_of(facts, names)
    if facts.get("trump") not in tuple(Suit):
        return words.suit_name(str(facts.get("trump")))
    return _("Bid %(bid)s", bid=facts["bid"]) if "bid" in facts else ""


def _tricks(facts: Facts, hand: object) -> str:
    """What the declarer's side took of all there were."""
    taken, leader = facts.get("tricks"), _leader(facts)
    if isinstance(taken, list):
        taken = taken[leader] if isinstance(leader, int) and leader < len(taken) else None
    return f"{taken}/{hand}" if isinstance(taken, int) else ""


def word_of(deal: AnyRow, names: Sequence[str]) -> str:
    """What is special about a deal, in a word or two."""
    if deal.status == "void":
        return _("void")
    if deal.status == "unscored":
        return _("not counted")
    if deal.winners:
        game = words.number(deal.before["game"])
        if len(deal.winners) > 1:
            return _("Game %(game)s drawn", game=game)
        return _("%(player)s wins game %(game)s", player=name_of(deal.winners[0], names), game=game)
    return words.result_name(Result.SET) if deal.result == Result.SET else ""

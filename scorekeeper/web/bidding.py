"""The bidding, tapped as it is said: whose turn it is, what may be said, and the deal that comes of it.

Nothing is stored. What was said stands in the address, so that a tap is a link and going back takes a bid back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from flask import Blueprint, abort, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.models import AnyRow
from scorekeeper.rules import Bidding, Facts, Step, Suit, Table
from scorekeeper.rules.mensch import PASS
from scorekeeper.services.groups import Role
from scorekeeper.services.history import deal_is_due, game_of, next_table
from scorekeeper.web import access
from scorekeeper.web.dealform import none_due
from scorekeeper.web.picture import seen_from, side_of

blueprint = Blueprint("bidding", __name__)

CARDS: Final = (Step.TURN_UP, Step.OPEN)
"""Where the dealer shows a card."""
MAX_SAID: Final = 1_000
"""Characters read of what was said."""


class Word(NamedTuple):
    """One word of the bidding; a ``suit`` is drawn. ``href`` leads on, to where it has been said; a pass is quieter."""

    label: str
    suit: str | None
    passes: bool
    href: str | None = None


class SeatWords(NamedTuple):
    """What a player at the table has said."""

    name: str
    dealer: bool
    plays: bool
    turn: bool
    said: list[Word]


class Shown(NamedTuple):
    """What lies on the table."""

    label: str
    words: list[Word]


@blueprint.get("/sessions/<id:session_id>/bidding")
def bidding(session_id: int) -> ResponseReturnValue:
    session = access.game_session(session_id, Role.SCORER)
    if not deal_is_due(session):
        return none_due(session)
    table = next_table(session)
    now = game_of(session)[0].bidding(table, request.args.get("say", "")[:MAX_SAID].split(".")) or abort(404)
    names = [seat.name for seat in queries.seats(db.session(), session.id)]
    return render_template(
        "bidding/bidding.html",
        session=session,
        back=url_for("board.session", session_id=session.id),
        number=words.number(session.deals + 1),
        dealer=words.name_of(table.dealer, names),
        seats=_seats(table, now, names, side_of(session.id)),
        shown=_shown(now),
        line=words.line_sentence(now.line, names),
        keys=[_word(word, _href(session, now, word) if word in now.choices else None) for word in now.ladder],
        reminders=[words.line_sentence(line, names) for line in now.reminders],
        taken_back=_href(session, now, None) if now.said else None,
        facts=answers_of(now.facts) if now.facts else None,
        declarable=now.line.code != "thrown-in",
    )


def _seats(table: Table, now: Bidding, names: Sequence[str], side: int | None) -> list[SeatWords]:
    return [
        SeatWords(
            names[seat],
            seat == table.dealer,
            seat in table.seats,
            seat == now.turn,
            [_word(word) for step, speaker, word in now.said if speaker == seat and step not in CARDS],
        )
        for seat in seen_from(side, table.ring)
    ]


def _shown(now: Bidding) -> list[Shown]:
    """The cards that were turned up and opened, and the highest bid."""
    turned, opened = ([_word(word) for step, _seat, word in now.said if step is card] for card in CARDS)
    bids = [_word(word) for step, _seat, word in now.said if step is Step.BID and word != PASS]
    shown = [Shown(_("Turned up"), turned), Shown(_("Opened"), opened), Shown(_("Highest bid"), bids[-1:])]
    none_yet = [Shown(_("No bid yet"), [])] if now.step is Step.BID and not bids else []
    return [*(one for one in shown if one.words), *none_yet]


def _word(word: str, href: str | None = None) -> Word:
    return Word(words.word_said(word), word if word in tuple(Suit) else None, word == PASS, href)


def _href(session: AnyRow, now: Bidding, word: str | None) -> str:
    """Where *word* has been said too; with none, where the last one has not."""
    said = [saying.word for saying in now.said]
    said = [*said, word] if word is not None else said[:-1]
    return url_for(".bidding", session_id=session.id, say=".".join(said) or None, _anchor="turn")


def answers_of(facts: Facts) -> dict[str, object]:
    """*facts* as the deal form names its answers."""
    answers: dict[str, object] = {}
    for name, value in facts.items():
        match value:
            case True:
                answers[name] = 1
            case list():
                for place, entry in enumerate(value):
                    if isinstance(entry, list):
                        answers[f"{name}-{place}-seat"], entry = entry
                    if entry is not None:
                        answers[f"{name}-{place}"] = entry
            case _:
                answers[name] = value
    return answers

"""The deals, the standings and the settlement of a session as CSV: for a spreadsheet, with the numbers of the pages.

The grid reads the file of the deals again, and any with the same heads (``web.spreadsheet``).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from flask import Blueprint
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.ledger import plain, standings
from scorekeeper.models import AnyRow
from scorekeeper.rules import Result, Seat, Table, Unit
from scorekeeper.services.history import game_of
from scorekeeper.services.ledger import chip_of, price_of
from scorekeeper.sessionfile import Chip
from scorekeeper.web import access, sheet
from scorekeeper.web.files import attachment, named
from scorekeeper.web.keying import facts_of, head_of
from scorekeeper.web.settlement import settled
from scorekeeper.web.spreadsheet import BETWEEN, Cell, moved_by_hand, safe
from scorekeeper.words.cells import write_answer

blueprint = Blueprint("csvfiles", __name__)


@blueprint.get("/sessions/<id:session_id>/export/deals.csv")
def deals(session_id: int) -> Response:
    session = access.game_session(session_id)
    return _file(session, _("deals"), _deals(session))


@blueprint.get("/sessions/<id:session_id>/export/standings.csv")
def places(session_id: int) -> Response:
    session = access.game_session(session_id)
    return _file(session, _("standings"), _places(session))


@blueprint.get("/sessions/<id:session_id>/export/settlement.csv")
def settlement(session_id: int) -> Response:
    session = access.game_session(session_id)
    return _file(session, _("settlement"), _settlement(session))


def _file(session: AnyRow, what: str, rows: Iterable[Sequence[Cell]]) -> Response:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(map(safe, row) for row in rows)
    # By the mark at the beginning spreadsheets know that it is UTF-8.
    return attachment(text.getvalue().encode("utf-8-sig"), named(session, f" {what}.csv"), "text/csv")


def _deals(session: AnyRow) -> Iterator[Sequence[Cell]]:
    """A row for each deal, the first one first, and for chips moved by hand between two.

    Behind what was played stands what it brought each player, and the totals after it.
    """
    game, ruleset = game_of(session)
    facts, by_seat = facts_of(game, Table.restored(ruleset, session.table))
    names = [seat.name for seat in queries.seats(db.session(), session.id)]
    found = queries.deals(db.session(), session.id, shown=session.deals)
    moved = sheet.moved_by_hand(session, found, notes=session.version)
    stakes = game.unit is Unit.POINTS and any(any(deal.chips) for deal in found)
    yield [
        *(_("Deal"), _("Game"), *(words.field_label(fact.name) for fact in facts), _("Remark")),
        *(head_of(name, key) for key in ("change", "total", *(fact.name for fact in by_seat)) for name in names),
        *(_("%(player)s, chips", player=name) for name in names if stakes),
    ]

    def numbers(changes: Sequence[int], totals: Sequence[int], playing: Iterable[int]) -> Iterator[Cell]:
        for values in (changes, totals):
            yield from (values[seat] if seat in playing else None for seat in range(len(names)))

    def by_hand(before: int) -> Iterator[Sequence[Cell]]:
        if (move := moved.get(before)) is not None:
            yield [
                *[None] * (2 + len(facts)),
                BETWEEN.join((moved_by_hand(), *move.notes)),
                *numbers(move.chips, move.totals, range(len(move.totals))),
            ]

    for deal in reversed(found):
        yield from by_hand(deal.number)
        table = Table.restored(ruleset, deal.before)
        playing = table.seats if deal.status == "scored" else ()
        said = {**deal.facts, "dealer": table.dealer}
        yield [
            *(deal.number, table.game, *(write_answer(fact, said, names) for fact in facts)),
            _remark(deal, names),
            *numbers(deal.points, deal.totals, playing),
            *(
                write_answer(fact, said, names, Seat(seat)) if seat in playing else None
                for fact in by_seat
                for seat in range(len(names))
            ),
            *(deal.chips[seat] if seat in playing else None for seat in range(len(names)) if stakes),
        ]
    yield from by_hand(session.deals + 1)


def _remark(deal: AnyRow, names: Sequence[str]) -> str:
    """What is special about a deal; of one that counts and brought nothing, why."""
    if deal.status == "scored" and "misdeal" in deal.facts:
        return words.result_name(Result.MISDEAL)
    return sheet.word_of(deal, names)


def _places(session: AnyRow) -> Iterator[Sequence[Cell]]:
    game, ruleset = game_of(session)
    seats, chip = queries.seats(db.session(), session.id), chip_of(session)
    won = price_of(session).of_everybody([seat.chips for seat in seats]).shares
    for_chips = game.plays_for_chips(ruleset) or any(seat.chips for seat in seats)
    in_chips, in_money = for_chips and game.unit is Unit.POINTS, chip if for_chips else None
    yield [
        *(_("Place"), _("Player"), _("Chips") if game.unit is Unit.CHIPS else _("Points")),
        *([_("Games won")] if game.several_games else []),
        *([_("Chips")] if in_chips else []),
        *_money_head(in_money),
    ]
    totals = dict(enumerate(Table.restored(ruleset, session.table).totals))
    for row in standings(totals, lowest_wins=game.lowest_wins):
        seat = seats[row.player]
        yield [
            *(row.place, seat.name, row.total),
            *([seat.wins] if game.several_games else []),
            *([seat.chips] if in_chips else []),
            *([_in_money(won[row.player], in_money)] if in_money else []),
        ]


def _settlement(session: AnyRow) -> Iterator[Sequence[Cell]]:
    """Who pays whom, in the order of the page, what is left open, and what the bank pays out after that, or gets."""
    seats, chip = queries.seats_to_settle(db.session(), session.id), chip_of(session)
    shown = settled(session, seats)
    names = [seat.name for seat in seats]
    unit = chip.currency if chip else _("chips")
    yield [
        *(_("Who pays"), _("Whom"), _("Chips"), *_money_head(chip), _("Paid")),
        *(_("Paid in %(unit)s", unit=unit), _("Still open in %(unit)s", unit=unit)),
    ]

    def line(payer: str, payee: str, amount: int, paid: str | None, *parts: int | None) -> Sequence[Cell]:
        chips = chip.price.whole_chips(amount) if chip else amount
        cells: list[Cell] = [payer, payee, chips, *([_in_money(amount, chip)] if chip else []), paid]
        return [*cells, *(part if part is None or not chip else _in_money(part, chip) for part in parts)]

    for row in shown.before:
        yield line(names[row.payer], names[row.payee], row.amount, _("yes"), row.amount, 0)
    for one in shown.lines:
        paid = _("no") if one.open == one.amount else _("in part") if one.open else _("yes")
        paid = _("carried over") if one.over else paid
        yield line(names[one.payer], names[one.payee], one.amount, paid, one.paid, one.open)
    others = [(seat, amount, _("Left open")) for seat, amount in sorted(shown.left.items())]
    others += [(seat, -amount, _("The kitty")) for seat, amount in sorted(shown.rest.items())]
    others += [(account.seat, account.from_bank, _("The bank")) for account in shown.accounts if account.from_bank]
    for seat, amount, other in others:
        payer, payee = (other, names[seat]) if amount > 0 else (names[seat], other)
        yield line(payer, payee, abs(amount), None, None, None)


def _money_head(chip: Chip | None) -> list[Cell]:
    return [_("Amount in %(currency)s", currency=chip.currency)] if chip else []


def _in_money(amount: int, chip: Chip) -> Decimal:
    return Decimal(plain(amount, chip.exponent))

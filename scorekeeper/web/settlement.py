"""The settlement of a session: who pays whom, how it adds up, and what has been paid. Ending and reopening."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from flask import Blueprint, abort, flash, redirect, render_template, url_for
from flask_babel import format_date, ngettext
from flask_babel import gettext as _
from werkzeug.wrappers import Response
from wtforms import HiddenField
from wtforms.validators import AnyOf

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.ledger import Transfer, standings
from scorekeeper.models import AnyRow
from scorekeeper.rules import Table, Unit
from scorekeeper.services.history import game_of
from scorekeeper.services.sessions import close_session, reopen_session
from scorekeeper.services.settlement import (
    Account,
    MarkTransfer,
    accounts,
    is_settled_by,
    mark_transfer,
    plan,
    redraw_settlement,
    unpaid,
)
from scorekeeper.services.transaction import SessionCommand
from scorekeeper.sessionfile import Chip
from scorekeeper.web import access, amounts
from scorekeeper.web.board import answer, form_tag
from scorekeeper.web.forms import CommandFields, SessionForm, command_fields

blueprint = Blueprint("settlement", __name__)

MAX_LINE = 2**31 - 1

_Row = Mapping[str, object]


class MarkForm(SessionForm):
    paid = HiddenField(validators=[AnyOf(("0", "1"))])


@blueprint.get("/sessions/<id:session_id>/settlement")
def settlement(session_id: int) -> Response:
    """The standings, and the settlement as drawn up, or as it would be if the session ended now."""
    session = access.game_session(session_id)
    return answer(form_tag(session), lambda: _page(session))


def _page(session: AnyRow) -> str:
    game, ruleset = game_of(session)
    closed = session.state == "closed"
    seats = queries.seats(db.session(), session.id)
    transfers = queries.transfers(db.session(), session.id)
    still = unpaid(transfers) if closed else plan(seats)
    for_chips = game.plays_for_chips(ruleset) or any(seat.chips for seat in seats)
    form = SessionForm(expected_version=session.version)
    places = _places(session, seats)
    payments = _stored(session, seats, transfers) + ([] if closed else _planned(session, seats, still))
    result = _as_text(session, seats, places, payments, for_chips=for_chips)
    return render_template(
        "settlement/settlement.html",
        session=session,
        form=form,
        closed=closed,
        outdated=closed and not is_settled_by(seats, transfers),
        unit=amounts.unit_name(game.unit),
        game_number=session.table["game"] if game.several_games else None,
        places=places,
        result="\n".join(result),
        result_lines=len(result),
        games=_games(session, seats) if game.several_games else [],
        for_chips=for_chips,
        transfers=payments,
        hidden={"expected_version": session.version, "submission_id": form.submission_id.data},
        **(_sums(session, seats, accounts(seats, still)) if for_chips else {}),
    )


@blueprint.post("/sessions/<id:session_id>/close")
def close(session_id: int) -> Response:
    session = access.game_session(session_id)
    close_session(db.session(), SessionCommand(**_command(session, SessionForm())))
    flash(_("The session has ended."), "done")
    return redirect(url_for(".settlement", session_id=session_id), 303)


@blueprint.post("/sessions/<id:session_id>/reopen")
def reopen(session_id: int) -> Response:
    session = access.game_session(session_id)
    paid = sum(transfer.paid is not None for transfer in queries.transfers(db.session(), session_id))
    reopen_session(db.session(), SessionCommand(**_command(session, SessionForm())))
    flash(_("The session is open again, and the payments not yet made are withdrawn."), "done")
    if paid:
        flash(ngettext("One payment made stays made.", "%(num)s payments made stay made.", paid), "info")
    return redirect(url_for("board.session", session_id=session_id), 303)


@blueprint.post("/sessions/<id:session_id>/settle")
def settle(session_id: int) -> Response:
    session = access.game_session(session_id)
    redraw_settlement(db.session(), SessionCommand(**_command(session, SessionForm())))
    flash(_("The settlement was worked out again. What was paid stays paid."), "done")
    return redirect(url_for(".settlement", session_id=session_id), 303)


@blueprint.post(f"/sessions/<id:session_id>/transfers/<id:plan>/<int(max={MAX_LINE}):line>")
def mark(session_id: int, plan: int, line: int) -> Response:
    session = access.game_session(session_id)
    form = MarkForm()
    fields = _command(session, form)
    mark_transfer(db.session(), MarkTransfer(**fields, plan=plan, line=line, paid=form.paid.data == "1"))
    return redirect(url_for(".settlement", session_id=session_id), 303)


def _command(session: AnyRow, form: SessionForm) -> CommandFields:
    """Nothing can be typed in a form of buttons: one that is not sound was not sent by a page of ours."""
    if not form.validate():
        abort(400)
    return command_fields(session, form)


def _places(session: AnyRow, seats: Sequence[AnyRow]) -> list[_Row]:
    game, ruleset = game_of(session)
    totals = dict(enumerate(Table.restored(ruleset, session.table).totals))
    return [
        {
            "place": words.number(row.place),
            "name": seats[row.player].name,
            "total": amounts.total(row.total, game.unit),
            "href": url_for("why.total", session_id=session.id, seat=row.player),
        }
        for row in standings(totals, lowest_wins=game.lowest_wins)
    ]


def _games(session: AnyRow, seats: Sequence[AnyRow]) -> list[_Row]:
    if not any(seat.wins for seat in seats):
        return []
    return [
        {"place": words.number(row.place), "name": seats[row.player].name, "total": words.number(row.total)}
        for row in standings({seat.seat: seat.wins for seat in seats})
    ]


def _as_text(
    session: AnyRow, seats: Sequence[AnyRow], places: Sequence[_Row], payments: Sequence[_Row], *, for_chips: bool
) -> list[str]:
    """The result in lines that can be sent: what each player has won or lost, or their points, and who pays whom."""
    chip = amounts.chip_of(session)
    lines = [f"{session.name}, {format_date(session.started_on)}"]
    if not for_chips:
        return lines + [f"{row['place']}. {row['name']}: {cast(amounts.Amount, row['total']).text}" for row in places]
    for seat in seats:
        money = amounts.price(seat.chips, chip)
        won = words.signed(seat.chips)
        lines.append(f"{seat.name}: {won} ({money.text})" if money else f"{seat.name}: {won}")
    paid = _("(paid)")
    return lines + [f"{row['sentence']} {paid}" if row.get("paid") else str(row["sentence"]) for row in payments]


def _stored(session: AnyRow, seats: Sequence[AnyRow], transfers: Sequence[AnyRow]) -> list[_Row]:
    chip = amounts.chip_of(session)
    return [
        {
            "sentence": amounts.payment(seats[row.payer].name, seats[row.payee].name, row.chips, chip),
            "action": url_for(".mark", session_id=session.id, plan=row.version, line=row.line),
            "paid": row.paid is not None,
            "editable": session.state == "closed" and session.writes,
        }
        for row in transfers
    ]


def _planned(session: AnyRow, seats: Sequence[AnyRow], transfers: Sequence[Transfer[int]]) -> list[_Row]:
    chip = amounts.chip_of(session)
    return [
        {"sentence": amounts.payment(seats[row.payer].name, seats[row.payee].name, row.amount, chip)}
        for row in transfers
    ]


def _sums(session: AnyRow, seats: Sequence[AnyRow], rows: Sequence[Account]) -> dict[str, object]:
    """How everybody comes to what they pay or get, what the bank pays out, and the line that proves it."""
    chip = amounts.chip_of(session)
    share = rows[0].from_bank
    if share > 0 and all(row.from_bank == share for row in rows):
        bank = [_("The bank pays everybody %(chips)s.", chips=amounts.worth(share, chip))]
    else:
        bank = [_from_bank(seats[row.seat].name, row.from_bank, chip) for row in rows if row.from_bank]
    return {
        "accounts": [_account(seats[row.seat].name, row, chip) for row in rows],
        "bank": bank,
        "proof": _proof(seats, rows),
    }


def _account(name: str, account: Account, chip: Chip | None) -> _Row:
    """The lines of one player's sum, and what they come to."""
    lines = [
        (_("Won or lost"), account.won),
        (_("Paid already") if account.paid > 0 else _("Got already"), account.paid),
        (_("Through the bank"), account.through_bank),
    ]
    worth = amounts.worth(abs(account.open), chip)
    if account.open < 0:
        total = _("Still to pay: %(chips)s", chips=worth)
    elif account.open > 0:
        total = _("Still to get: %(chips)s", chips=worth)
    else:
        total = _("Nothing left to pay")
    return {
        "name": name,
        "lines": [{"text": text, "amount": amounts.change(chips, Unit.CHIPS)} for text, chips in lines if chips],
        "total": {"text": total, "amount": amounts.change(account.open, Unit.CHIPS)},
    }


def _from_bank(name: str, chips: int, chip: Chip | None) -> str:
    name = words.isolated(name)
    if chips < 0:
        return _("%(player)s pays the bank %(chips)s.", player=name, chips=amounts.worth(-chips, chip))
    return _("The bank pays %(player)s %(chips)s.", player=name, chips=amounts.worth(chips, chip))


def _proof(seats: Sequence[AnyRow], rows: Sequence[Account]) -> str:
    bought, cashed = sum(seat.bought for seat in seats), sum(seat.cashed for seat in seats)
    in_hand = sum(seat.bought + seat.chips - seat.cashed for seat in seats)
    said = {
        "bought": words.number(bought),
        "cashed": words.number(cashed),
        "table": words.number(in_hand),
        "paid": words.number(cashed + sum(row.from_bank for row in rows)),
        "won": words.number(sum(row.won for row in rows if row.won > 0)),
        "lost": words.number(-sum(row.won for row in rows if row.won < 0)),
    }
    if cashed:
        return _("Bought %(bought)s; cashed out %(cashed)s, on the table %(table)s; paid out %(paid)s.", **said)
    if bought:
        return _("Bought %(bought)s, on the table %(table)s, paid out %(paid)s.", **said)
    return _("Won %(won)s, lost %(lost)s: it adds up.", **said)

"""The paper bridge: a sheet for tonight, to be printed and filled in by hand, and the grid it is keyed into later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from flask import Blueprint, Response, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext as later
from flask_babel import ngettext
from werkzeug.datastructures import FileStorage
from wtforms import FileField

from scorekeeper import words
from scorekeeper.extensions import db
from scorekeeper.models import AnyRow
from scorekeeper.rules import CardGame, Refused, Seat, Table, Unit
from scorekeeper.services.deals import RecordDeals, next_game_begun, record_deals
from scorekeeper.services.groups import Role
from scorekeeper.services.history import dealer_by_hand, game_of, next_table
from scorekeeper.services.transaction import SessionClosed, StaleSession
from scorekeeper.web import access, amounts
from scorekeeper.web.amounts import Amount
from scorekeeper.web.dealform import seat_names
from scorekeeper.web.entry import short_names
from scorekeeper.web.forms import PlainForm, SessionForm, command_fields
from scorekeeper.web.keying import MAX_ROWS, Cells, Column, Columns, Keyed, cells_of, columns_of, key_in
from scorekeeper.web.rules import payments
from scorekeeper.web.spreadsheet import deals_in
from scorekeeper.web.tags import answer, form_tag
from scorekeeper.words.cells import Unreadable, shorthands
from scorekeeper.words.terms import quotable

blueprint = Blueprint("paper", __name__)

ROWS_PRINTED: Final = (20, 40, 60)
"""Rows there can be on a sheet; the first if nobody chose."""
ROWS_OFFERED: Final = 6
"""Empty rows of the grid, and how many more one gets at a time."""
HEADS_NAMED: Final = 6
"""Columns of a file that are left out and named, at most."""


@dataclass(frozen=True, slots=True)
class PaperSheet:
    """The sheet of a session: its columns, for the game and the table they are filled in at."""

    session: AnyRow
    names: tuple[str, ...]
    game: CardGame[Any]
    table: Table
    columns: Columns

    @property
    def full(self) -> bool:
        """Whether enough are there to play."""
        return len(self.table.seats) == self.game.players(self.table.ruleset)

    @property
    def open(self) -> bool:
        """Whether deals can be recorded now: after the end of a game, those of the next."""
        begun = not self.table.over or self.game.several_games
        return self.full and begun and self.session.state == "open" and not self.session.undecided


class Line(NamedTuple):
    """An empty row to be filled in by hand: who deals, and who does not play it."""

    number: str
    dealer: str
    out: frozenset[Seat]


class Player(NamedTuple):
    """Who has columns of the sheet: the name, the columns, and the total so far."""

    seat: Seat
    name: str
    columns: tuple[Column, ...]
    total: Amount


class FileForm(PlainForm):
    file = FileField(later("From a spreadsheet’s file (CSV)"))


@blueprint.get("/sessions/<id:session_id>/paper")
def sheet(session_id: int) -> Response:
    """A sheet to be printed for what is still to be played tonight."""
    session = access.game_session(session_id)
    return answer(form_tag(session), lambda: _sheet_page(_paper_of(session, next_table(session))))


@blueprint.get("/sessions/<id:session_id>/paper/keying")
def keying(session_id: int) -> ResponseReturnValue:
    """The empty grid."""
    session = access.game_session(session_id, Role.SCORER)
    paper = _paper(session)
    if not paper.open:
        flash(_("No deal can be played in this session now, so there is nothing to key in."), "warning")
        return redirect(url_for("board.session", session_id=session.id))
    by_hand = dealer_by_hand(session)
    first: list[Cells] = [] if by_hand is None else [{"dealer": paper.names[by_hand]}]
    return _grid_page(paper, _keyed(paper, first), SessionForm(expected_version=session.version), fresh=True)


@blueprint.post("/sessions/<id:session_id>/paper/check")
def check(session_id: int) -> ResponseReturnValue:
    """What was keyed in with what it brings, up to the first row that disagrees; nothing is saved."""
    session = access.game_session(session_id)
    paper = _paper(session)
    if not paper.full:
        return redirect(url_for("board.session", session_id=session.id), 303)
    form, more = SessionForm(), "more" in request.form
    keyed = _keyed(paper, cells_of(request.form, paper.columns))
    wrong = keyed.stopped or keyed.too_many
    return _grid_page(paper, keyed, form, status=422 if wrong and not more else 200, fresh=more)


@blueprint.post("/sessions/<id:session_id>/paper/file")
def fill(session_id: int) -> ResponseReturnValue:
    """The grid with the deals of a spreadsheet's file, checked as if they had been keyed in; nothing is saved."""
    session = access.game_session(session_id)
    paper, upload = _paper(session), FileForm()
    if not paper.full:
        return redirect(url_for("board.session", session_id=session.id), 303)
    form = SessionForm(formdata=None, expected_version=session.version)
    try:
        if not isinstance(upload.file.data, FileStorage) or not upload.file.data.filename:
            raise Unreadable(_("Choose a file."))
        deals = deals_in(upload.file.data.read(), paper.columns)
    except Unreadable as unreadable:
        upload.file.errors = [str(unreadable)]
        return _grid_page(paper, _keyed(paper, []), form, status=422, fresh=True, upload=upload)
    said = []
    if deals.passed_over:
        passed_over = ngettext(
            "%(num)s row of the file was passed over.", "%(num)s rows of the file were passed over.", deals.passed_over
        )
        said += [passed_over, _("Misdeals, deals that do not count and chips moved by hand are not keyed in.")]
    if deals.moved:
        said.append(_("Totals after chips were moved by hand are left out. Enter those chips under “Chips”."))
    if deals.left_out:
        heads = [quotable(head) for head in deals.left_out[:HEADS_NAMED]]
        named = ", ".join([*heads, "…"] if len(deals.left_out) > HEADS_NAMED else heads)
        said.append(_("Left out, as no player or column here is called so: %(heads)s.", heads=named))
    if deals.disputed:
        said.append(
            ngettext(
                "%(num)s deal of the file is disputed: say so again once it is recorded.",
                "%(num)s deals of the file are disputed: say so again once they are recorded.",
                deals.disputed,
            )
        )
    keyed = _keyed(paper, deals.cells)
    return _grid_page(
        paper, keyed, form, status=422 if keyed.stopped else 200, notices=[" ".join(said)] if said else []
    )


@blueprint.post("/sessions/<id:session_id>/paper/keying")
def record(session_id: int) -> ResponseReturnValue:
    """Record every row, once the person has seen what all of them bring."""
    session = access.game_session(session_id)
    paper, form = _paper(session), SessionForm()
    if not paper.full:
        return redirect(url_for("board.session", session_id=session.id), 303)
    keyed = _keyed(paper, cells_of(request.form, paper.columns))
    seen = keyed.agrees and request.form.get("brings") == keyed.brings
    some = form.validate() and bool(keyed.deals)
    # Whether a session that has moved on has these deals already is the service's to say.
    if not some or not (seen or form.expected_version.data != session.version):
        wrong = not some or keyed.stopped or keyed.too_many
        return _grid_page(paper, keyed, form, status=422 if wrong else 200)
    try:
        record_deals(db.session(), RecordDeals(**command_fields(session, form), deals=keyed.deals))
    except Refused as refused:
        why = [words.problem_message(problem, paper.names) for problem in refused.problems]
        return _grid_page(paper, keyed, form, status=422, notices=why)
    except (StaleSession, SessionClosed):
        return _stale_page(access.game_session(session_id), form)
    flash(ngettext("%(num)s deal is recorded.", "%(num)s deals are recorded.", len(keyed.deals)), "done")
    return redirect(url_for("board.session", session_id=session.id), 303)


def _stale_page(session: AnyRow, form: SessionForm) -> ResponseReturnValue:
    """What was keyed in, on the session as it is now."""
    paper, seen = _paper(session), form.expected_version.data
    form.renew(session.version)
    if session.state == "closed":
        said = _("This session has been ended meanwhile, so nothing was saved. Reopen it to record these deals.")
    elif seen == session.version and not session.writes:
        said = _("Another phone has the pen, so nothing was saved.")
    else:
        said = _("The session has changed meanwhile, so nothing was saved. Are these deals still missing?")
    keyed = _keyed(paper, cells_of(request.form, paper.columns))
    return _grid_page(paper, keyed, form, status=409, notices=[said])


def _paper(session: AnyRow) -> PaperSheet:
    """The sheet as it is keyed in: who dealt out of turn is written in its first row."""
    return _paper_of(session, Table.restored(game_of(session)[1], session.table))


def _paper_of(session: AnyRow, table: Table) -> PaperSheet:
    game, names = game_of(session)[0], seat_names(session)
    return PaperSheet(session, names, game, table, columns_of(game, table, names))


def _keyed(paper: PaperSheet, cells: Sequence[Cells]) -> Keyed:
    return key_in(paper.game, paper.table, paper.names, paper.columns, cells)


def _sheet_page(paper: PaperSheet) -> str:
    session, game = paper.session, paper.game
    rows = request.args.get("rows", type=int)
    table = next_game_begun(game, paper.table) if paper.open else paper.table
    # Who was given a seat and left it before a deal has no total.
    away = [seat for seat in range(len(table.totals)) if seat not in table.ring]
    return render_template(
        "paper/sheet.html",
        session=session,
        open=paper.open,
        columns=paper.columns,
        players=[_player(paper, table, seat, own) for seat, own in paper.columns.players],
        away=[(paper.names[seat], amounts.total(table.totals[seat], game.unit)) for seat in away],
        lines=list(_lines(paper, table, rows if rows in ROWS_PRINTED else ROWS_PRINTED[0])) if paper.open else [],
        game=words.number(table.game) if game.several_games else "",
        choices=[(rows, url_for(".sheet", session_id=session.id, rows=rows)) for rows in ROWS_PRINTED],
        rows=rows if rows in ROWS_PRINTED else ROWS_PRINTED[0],
        throw_in=table.ruleset.options["passed_out"] == "same-dealer",
        start=words.number(game.start(table.ruleset)) if game.several_games else "",
        shorthands=_shorthands(paper),
        chips=game.unit is Unit.CHIPS,
        **payments(game, table.ruleset),
    )


def _shorthands(paper: PaperSheet) -> str:
    """What may be written short, in a row."""
    return ", ".join(short for column in paper.columns.deal if column.field for short in shorthands(column.field))


def _player(paper: PaperSheet, table: Table, seat: Seat, columns: tuple[Column, ...]) -> Player:
    return Player(seat, paper.names[seat], columns, amounts.total(table.totals[seat], paper.game.unit))


def _lines(paper: PaperSheet, table: Table, rows: int) -> Iterator[Line]:
    """So many rows, as the deal goes round."""
    short = short_names(paper.names, len(table.ring))
    for number in range(paper.session.deals + 1, paper.session.deals + 1 + rows):
        out = frozenset(table.ring) - frozenset(table.seats)
        yield Line(words.number(number), short[table.dealer], out)
        table = replace(table, dealer=table.next_dealer)


class GridCell(NamedTuple):
    """A cell to be keyed in: the name of its control, how it is called, what stands in it, and what is wrong there."""

    name: str
    said: str
    text: str
    errors: Sequence[str]


class GridRow(NamedTuple):
    """A row of the grid: the number of its deal, what it brings, and what is wrong with it, in sentences.

    ``number`` is its own, ``state`` "agrees", "stopped" or neither.
    """

    number: int
    deal: int
    cells: tuple[GridCell, ...]
    outcome: tuple[str, ...]
    errors: tuple[str, ...]
    state: str


class Wrong(NamedTuple):
    """What does not fit, and the id of the control it is about."""

    id: str
    text: str


def _grid_page(
    paper: PaperSheet,
    keyed: Keyed,
    form: SessionForm,
    *,
    status: int = 200,
    fresh: bool = False,
    notices: Sequence[str] = (),
    upload: FileForm | None = None,
) -> ResponseReturnValue:
    """The grid with what has been keyed in. A *fresh* one has been looked at by nobody and says nothing about it."""
    rows = list(_grid_rows(paper, keyed, fresh=fresh))
    deals = len(keyed.deals)
    upload = upload or FileForm(formdata=None)
    if keyed.too_many and keyed.stopped is None:
        only = _("At most %(rows)s rows go in at once: what came below them is not here.", rows=words.number(MAX_ROWS))
        notices = [*notices, only, _("Check these and record them, then key in the rest.")]
    page = render_template(
        "paper/keying.html",
        session=paper.session,
        form=form,
        version=form.expected_version.data or paper.session.version,
        upload=upload,
        columns=paper.columns,
        players=[(paper.names[seat], own) for seat, own in paper.columns.players],
        rows=rows,
        most=MAX_ROWS,
        shorthands=_shorthands(paper),
        problems=[
            Wrong(
                next((cell.name for cell in row.cells if error in cell.errors), f"row-{row.number}"), _said(row, error)
            )
            for row in rows
            for error in row.errors
        ]
        + [Wrong(upload.file.id, error) for error in upload.file.errors],
        nothing=not fresh and not deals and keyed.stopped is None,
        agrees=ngettext("%(num)s row agrees.", "%(num)s rows agree.", deals) if keyed.agrees and not fresh else "",
        saves=ngettext("Record %(num)s deal", "Record %(num)s deals", deals),
        brings=keyed.brings,
        notices=notices,
        status=status,
        several_games=paper.game.several_games,
    )
    return page, status


def _grid_rows(paper: PaperSheet, keyed: Keyed, *, fresh: bool) -> Iterator[GridRow]:
    """The rows keyed in, and empty ones below: some at first, later one at least, and more where they are asked for."""
    filled = len(keyed.rows)
    shown = min(MAX_ROWS, max(ROWS_OFFERED, filled + (ROWS_OFFERED if fresh and filled > 1 else 1)))
    for number in range(1, shown + 1):
        row = keyed.rows[number - 1] if number <= filled else None
        stopped = not fresh and keyed.stopped == number
        faults = row.faults if row and stopped else {}
        yield GridRow(
            number,
            paper.session.deals + number,
            tuple(
                GridCell(
                    f"r{number}-{column.key}",
                    column.said,
                    row.cells.get(column.key, "") if row else "",
                    faults.get(column.key, ()),
                )
                for column in paper.columns.all
            ),
            row.outcome if row and not fresh else (),
            tuple(sentence for about in faults.values() for sentence in about),
            "stopped" if stopped else "agrees" if row and row.outcome and not fresh else "",
        )


def _said(row: GridRow, error: str) -> str:
    return _("Deal %(number)s: %(problem)s", number=words.number(row.deal), problem=error)

"""The rows of a paper sheet as they are keyed in: what each says, what its deal brings, and where the two disagree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from flask_babel import gettext as _
from werkzeug.datastructures import MultiDict

from scorekeeper import words
from scorekeeper.rules import CardGame, DealScore, Facts, Field, FieldKind, Problem, Refused, Result, Seat, Table, Unit
from scorekeeper.services.deals import next_game_begun
from scorekeeper.services.transaction import fingerprint_of
from scorekeeper.web import amounts, sheet
from scorekeeper.web.entry import Answers, facts_from, fields_drawn, short_names
from scorekeeper.words.cells import Unreadable, is_empty, read_answer, read_number

MAX_ROWS: Final = 60
MAX_CELL: Final = 300
"""Characters of a cell: more than the longest names of all who can drop out."""

Cells = Mapping[str, str]
"""What is written in a row, by the key of the column."""
Faults = dict[str, list[str]]
"""What is wrong with a row, in sentences, by the key of the column; by "" what is no column's."""


class Column(NamedTuple):
    """A column: its key, its head below a player's or alone, how a cell of it is called, and its head in a file.

    Without a ``field`` it is a number to compare.
    """

    key: str
    label: str
    said: str
    head: str
    field: Field | None = None


class Columns(NamedTuple):
    """The columns about the deal as a whole, and those of each player, clockwise."""

    deal: tuple[Column, ...]
    players: tuple[tuple[Seat, tuple[Column, ...]], ...]

    @property
    def all(self) -> tuple[Column, ...]:
        """In the order of the sheet."""
        return (*self.deal, *(column for _seat, own in self.players for column in own))


def columns_of(game: CardGame[Any], table: Table, names: Sequence[str]) -> Columns:
    """What a sheet for *table* has room for: all that is needed to score a deal, and what it brought each player."""
    of_deal, by_seat = facts_of(game, table)
    whole = [(fact.name, words.field_label(fact.name), fact) for fact in of_deal]
    own = [
        *((fact.name, words.field_label(fact.name), words.field_label(fact.name), fact) for fact in by_seat),
        ("change", _("+/−"), _("Change"), None),
        ("total", _("Total"), _("Total"), None),
    ]
    short = short_names(names, len(names))
    return Columns(
        tuple(Column(key, label, label, label, fact) for key, label, fact in whole),
        tuple(
            (
                seat,
                tuple(
                    Column(
                        f"{key}-{seat}",
                        label,
                        _("%(player)s: %(what)s", player=short[seat], what=said),
                        head_of(names[seat], key),
                        fact,
                    )
                    for key, label, said, fact in own
                ),
            )
            for seat in table.ring
        ),
    )


def facts_of(game: CardGame[Any], table: Table) -> tuple[list[Field], list[Field]]:
    """The facts that are needed to score a deal at *table*: those of the deal as a whole, and those of each player."""
    drawn = {fact.name for fact in fields_drawn(game, table) if not fact.detail}
    # Who sits out changes from deal to deal: the rules say so of the deal.
    facts = [replace(fact, seats=table.ring if fact.seats else ()) for fact in game.fields(table) if fact.name in drawn]
    by_seat = [fact for fact in facts if fact.kind in (FieldKind.NUMBERS, FieldKind.SUITS)]
    dealer = Field("dealer", FieldKind.SEAT, seats=table.ring, required=False)
    return [dealer, *(fact for fact in facts if fact not in by_seat)], by_seat


def head_of(player: str, key: str) -> str:
    """How a column about a player is called in a file: what a deal brought has the name alone."""
    if key == "change":
        return player
    if key == "total":
        return _("%(player)s, total", player=player)
    return _("%(player)s, %(what)s", player=player, what=words.field_label(key))


@dataclass(frozen=True, slots=True)
class Row:
    """A row as it stands: what was keyed in, what is wrong with it, and what its deal brings where nothing is.

    ``facts`` are what was written about the deal; None where nothing was, or nothing that can be read.
    """

    cells: Cells
    facts: Facts | None = None
    faults: Faults = field(default_factory=dict)
    outcome: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Keyed:
    """A whole sheet. ``stopped`` is the number of the first row that disagrees: those after it were not looked at.

    ``brings`` names what the rows bring, once all of them agree; with ``too_many`` there were more, which nobody read.
    """

    rows: tuple[Row, ...]
    stopped: int | None
    brings: str
    too_many: bool = False

    @property
    def deals(self) -> tuple[Facts, ...]:
        """What was written about each deal, whether it agrees or not, if all can be read."""
        return () if any(row.faults and row.facts is None for row in self.rows) else self._facts

    @property
    def agrees(self) -> bool:
        return self.stopped is None and not self.too_many and bool(self._facts)

    @property
    def _facts(self) -> tuple[Facts, ...]:
        return tuple(row.facts for row in self.rows if row.facts is not None)


def cells_of(form: Answers, columns: Columns) -> list[Cells]:
    """The rows of *form*, the empty ones at its end included; what stands below the last there can be is one more."""
    keys = {column.key for column in columns.all}
    rows: dict[int, dict[str, str]] = {}
    for name, text in form.items():
        if (found := re.fullmatch(r"r([1-9][0-9]{0,5})-(.+)", name)) and found[2] in keys:
            number = min(int(found[1]), MAX_ROWS + 1)
            if number <= MAX_ROWS or not is_empty(text):
                rows.setdefault(number, {})[found[2]] = text[:MAX_CELL]
    return [rows.get(number, {}) for number in range(1, max(rows, default=0) + 1)]


def key_in(game: CardGame[Any], table: Table, names: Sequence[str], columns: Columns, cells: Sequence[Cells]) -> Keyed:
    """Read every row there can be, and score one after another from *table* on, up to the first that disagrees."""
    rows: list[Row] = []
    brought: list[object] = []
    stopped = None
    for number, written in enumerate(cells[:MAX_ROWS], start=1):
        checked = row = _read(game, table, names, columns, written)
        if stopped is None and row.facts is not None:
            begins, table = table.over, next_game_begun(game, table)
            try:
                facts = game.entered(row.facts, table)
                score = game.play(facts, table)
            except Refused as refused:
                checked = replace(row, faults=_refusals(refused.problems, columns, names))
            else:
                faults = _disagreements(score, row.cells, names)
                title = words.deal_title(facts, names)
                outcome = () if faults else tuple(_outcome(score, title, names, begins=begins))
                checked = replace(row, faults=faults, outcome=outcome)
                brought.append((row.facts, score.points, score.table.totals))
                table = score.table
        if stopped is None and checked.faults:
            stopped = number
        rows.append(checked)
    return Keyed(tuple(rows), stopped, fingerprint_of(brought), too_many=len(cells) > MAX_ROWS)


def _read(game: CardGame[Any], table: Table, names: Sequence[str], columns: Columns, cells: Cells) -> Row:
    """What is written in a row, and which of its cells cannot be read."""
    faults: Faults = {}
    answers: Answers = MultiDict()
    for column in columns.all:
        text = cells.get(column.key, "")
        try:
            if column.field is not None:
                answers.setlist(column.key, read_answer(column.field, text, names))
            elif not is_empty(text):
                read_number(text)
        except Unreadable as unreadable:
            faults[column.key] = [str(unreadable)]
    if faults or all(is_empty(text) for text in cells.values()):
        return Row(cells, faults=faults)
    facts = facts_from(answers, game, table)
    if not facts.keys() - {"dealer"}:
        return Row(cells, faults={"": [_("What was played is missing: what it brought does not say it.")]})
    return Row(cells, facts)


def _refusals(problems: Iterable[Problem], columns: Columns, names: Sequence[str]) -> Faults:
    """Why the deal of a row cannot have been, beside the cells it is about."""
    keys = {column.key for column in columns.all}
    faults: Faults = {}
    for problem in problems:
        own = f"{problem.field}-{problem.values.get('player')}"
        key = next((key for key in (own, problem.field) if key in keys), "")
        faults.setdefault(key, []).append(words.problem_message(problem, names))
    return faults


def _disagreements(score: DealScore[Any], cells: Cells, names: Sequence[str]) -> Faults:
    """Where what is written by hand is not what the deal brings: by how much, and for whom."""
    unit, faults = score.game.unit, Faults()
    on_paper = {key: read_number(text) for key, text in cells.items() if _is_figure(key) and not is_empty(text)}
    changes = [on_paper.get(f"change-{seat}") for seat in score.before.seats]
    added = sum(change for change in changes if change is not None)
    if unit is Unit.CHIPS and added and None not in changes:
        faults[""] = [_("The changes of this row add up to %(sum)s instead of 0.", sum=words.signed(added))]
    for seat in score.before.ring:
        written, due = on_paper.get(f"change-{seat}"), score.points[seat]
        if written and seat not in score.before.seats:
            faults[f"change-{seat}"] = [_sits_out(seat, score.before, names, amounts.change(written, unit).text)]
            continue
        if written is not None and written != due:
            said = amounts.change(written, unit).text, amounts.change(due, unit).text
            faults[f"change-{seat}"] = [_off(seat, names, *said, written - due)]
            continue
        written, due = on_paper.get(f"total-{seat}"), score.table.totals[seat]
        if written is not None and written != due:
            said = amounts.total(written, unit).text, amounts.total(due, unit).text
            faults[f"total-{seat}"] = [_off(seat, names, *said, written - due, total=True)]
    return faults


def _is_figure(key: str) -> bool:
    return key.startswith(("change-", "total-"))


def _sits_out(seat: Seat, table: Table, names: Sequence[str], paper: str) -> str:
    values = {"player": words.name_of(seat, names), "paper": paper}
    if seat == table.dealer:
        return _("%(player)s deals and sits out, and has %(paper)s on paper.", **values)
    return _("%(player)s sits out, and has %(paper)s on paper.", **values)


def _off(seat: Seat, names: Sequence[str], paper: str, due: str, by: int, *, total: bool = False) -> str:
    values = {"player": words.name_of(seat, names), "paper": paper, "due": due, "by": words.number(abs(by))}
    if total and by > 0:
        return _("%(player)s stands at %(paper)s on paper, and should stand at %(due)s: %(by)s too many.", **values)
    if total:
        return _("%(player)s stands at %(paper)s on paper, and should stand at %(due)s: %(by)s too few.", **values)
    if by > 0:
        return _("%(player)s has %(paper)s on paper, the deal brings %(due)s: %(by)s too many.", **values)
    return _("%(player)s has %(paper)s on paper, the deal brings %(due)s: %(by)s too few.", **values)


def _outcome(score: DealScore[Any], title: str, names: Sequence[str], *, begins: bool) -> Iterator[str]:
    """What a deal was, what it brought, and how everybody stands after it."""
    if begins:
        yield _("Game %(number)s begins.", number=words.number(score.before.game))
    if score.result in (Result.MADE, Result.SET):
        yield _("%(deal)s.", deal=title)
    yield from sheet.read_back(score, names)
    totals = (
        f"{words.name_of(seat, names)} {amounts.total(score.table.totals[seat], score.game.unit).text}"
        for seat in score.before.ring
    )
    yield _("Then: %(totals)s.", totals=", ".join(totals))

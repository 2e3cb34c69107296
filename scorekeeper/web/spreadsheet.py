"""Files of a spreadsheet (CSV): cells that none of them runs, and the deals of one as rows of the grid."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Final, NamedTuple

from babel.lists import format_list
from flask_babel import gettext as _

from scorekeeper import words
from scorekeeper.names import name_key
from scorekeeper.rules import Result
from scorekeeper.web.keying import MAX_CELL, MAX_ROWS, Cells, Columns
from scorekeeper.words.cells import Unreadable, is_empty
from scorekeeper.words.numbers import locale

Cell = str | int | Decimal | None

_FORMULA: Final = re.compile(r"(^|[;,\t\r\n])(?='*[=+\-@＝＋－＠\t\r\n])")
"""Where a spreadsheet would take what comes for a formula: also behind whatever separates cells in its region. What
looks as if it had been made safe is made so again, to come back as it is."""
_NO_FORMULA: Final = re.compile(_FORMULA.pattern.replace("(?=", "'(?="))
"""The same, made safe."""
_ISOLATES: Final = dict.fromkeys(map(ord, "\N{FIRST STRONG ISOLATE}\N{POP DIRECTIONAL ISOLATE}"))
"""They keep names of two directions apart within a sentence; in a cell nothing stands beside a name."""
_SEPARATORS: Final = ",;\t"
"""What stands between cells, by the region of whoever saved the file."""
_NO_HEADS: Final = re.compile(r"\s*(sep=.?\s*)?", re.IGNORECASE)
"""A row that may stand above the heads: an empty one, or what a spreadsheet is told to separate cells by."""
BETWEEN: Final = " / "
"""What stands between two remarks."""
_REMARK: Final = "remark"


class Deals(NamedTuple):
    """The rows of a file that are deals, and how many are none, or do not count.

    ``moved`` is whether chips were moved by hand between them: the totals after that are not in ``cells``. Nor is what
    stands below the heads ``left_out``, and that so many of the deals are ``disputed``.
    """

    cells: tuple[Cells, ...]
    passed_over: int
    moved: bool
    left_out: tuple[str, ...]
    disputed: int


def safe(cell: Cell) -> Cell:
    """*cell* as no spreadsheet runs it: before what could be a formula stands an apostrophe. Numbers stay."""
    return _FORMULA.sub(r"\1'", cell.translate(_ISOLATES)) if isinstance(cell, str) else cell


def moved_by_hand() -> str:
    """The remark of a row that is no deal."""
    return _("Chips moved by hand")


def deals_in(content: bytes, columns: Columns) -> Deals:
    """The deals of a file, by the heads of its columns; those that the grid does not have are passed over.

    :raises Unreadable: if it is no such file, or has more deals than the grid has rows.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable(_("This file is not in UTF-8. Save it as “CSV UTF-8”.")) from None
    try:
        return _deals(text, columns)
    except csv.Error:
        raise Unreadable(_("This is no CSV file, or not as a spreadsheet writes one.")) from None


def _deals(text: str, columns: Columns) -> Deals:
    known = _known(columns)
    read = [(list(_keys(heads, known)), heads, rows) for heads, rows in _readings(text)]
    if not read:
        raise csv.Error
    keys, heads, rows = max(read, key=lambda one: sum(map(bool, one[0])))
    if not {*keys} - {"", _REMARK}:
        said = format_list([column.head for column in columns.all[:3]], style="or", locale=locale())
        raise Unreadable(
            _("None of its columns belongs to this sheet. The first row names them, such as %(heads)s.", heads=said)
        )
    if twice := [column.head for column in columns.all if keys.count(column.key) > 1]:
        raise Unreadable(_("More than one column is called “%(head)s”.", head=twice[0]))
    no_deals = {name_key(word) for word in (_("void"), _("not counted"), words.result_name(Result.MISDEAL))}
    foreign = [place for place, head in enumerate(heads) if not is_empty(head) and name_key(head) not in known]
    found: list[Cells] = []
    left_out = set[int]()
    passed_over, moved, disputed = 0, False, 0
    for row in rows:
        cells = {key: _NO_FORMULA.sub(r"\1", text)[:MAX_CELL] for key, text in zip(keys, row, strict=False) if key}
        remark = name_key(cells.pop(_REMARK, "").split(BETWEEN)[0])
        if remark == name_key(moved_by_hand()):
            passed_over, moved = passed_over + 1, True
        elif remark in no_deals:
            passed_over += 1
        elif not all(is_empty(text) for text in cells.values()):
            if moved:
                cells = {key: text for key, text in cells.items() if not key.startswith("total-")}
            found.append(cells)
            disputed += remark == name_key(_("disputed"))
            left_out.update(place for place in foreign if place < len(row) and not is_empty(row[place]))
    if not found:
        raise Unreadable(_("There is no deal in this file."))
    if len(found) > MAX_ROWS:
        most, rows_there = words.number(MAX_ROWS), words.number(len(found))
        raise Unreadable(
            _("It has %(rows)s deals, and at most %(most)s go in at once: split it.", rows=rows_there, most=most)
        )
    return Deals(tuple(found), passed_over, moved, tuple(heads[place] for place in sorted(left_out)), disputed)


def _readings(text: str) -> Iterator[tuple[list[str], Iterator[list[str]]]]:
    """The heads of a file and the rows below, by each of what may separate its cells: by some it cannot be read."""
    for separator in _SEPARATORS:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        with suppress(csv.Error):
            yield next((row for row in rows if not _NO_HEADS.fullmatch("".join(row))), []), rows


def _known(columns: Columns) -> Mapping[str, Sequence[str]]:
    """The keys of the columns of each head, in the order of an exported sheet: a player may be called like another."""
    by_kind = zip(*(own for _seat, own in columns.players), strict=True)
    of_players = sorted((column for kind in by_kind for column in kind), key=lambda column: column.field is not None)
    known = defaultdict[str, list[str]](list)
    for key, heads in (
        *(("", {head}) for head in (_("Deal"), _("Game"), *_chips_of(columns))),
        *((column.key, {column.said, column.head}) for column in columns.deal),
        (_REMARK, {_("Remark")}),
        *((column.key, {column.said, column.head}) for column in of_players),
    ):
        for head in heads:
            known[name_key(str(safe(head)))].append(key)
    return known


def _chips_of(columns: Columns) -> Iterator[str]:
    """The heads of what an exported sheet says of stakes, which follows from the deals."""
    for _seat, own in columns.players:
        yield from (_("%(player)s, chips", player=column.head) for column in own if column.key.startswith("change-"))


def _keys(heads: Iterable[str], known: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The key of the column below each of *heads*, "" where the grid has none."""
    seen = Counter[str]()
    for head in map(name_key, heads):
        keys = known.get(head, ("",))
        yield keys[min(seen[head], len(keys) - 1)]
        seen[head] += 1

"""The chart of a session: each player's total over the deals, with the numbers it is drawn from.

All spots are in percent of the plot, from its upper left corner, so that lines stretch with the page and words do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

from flask import Blueprint, Response, abort, render_template, request, url_for
from flask_babel import gettext as _

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.models import AnyRow
from scorekeeper.names import short_forms
from scorekeeper.queries import Rows
from scorekeeper.rules import Unit
from scorekeeper.services.history import game_of
from scorekeeper.web import access, amounts
from scorekeeper.web.amounts import Amount
from scorekeeper.web.ids import row_key
from scorekeeper.web.tags import answer, page_tag

blueprint = Blueprint("chart", __name__)

POINTS: Final = 50
"""Deals drawn at most: all of a session at even distances, or the latest where the totals begin anew with each game."""
MARKS: Final = 12
"""Marks on a line at least, where it has the points, by which it is told from the others."""
TICKS: Final = 5
LETTERS: Final = 4
"""Of a name beside its line, if they tell it from the others."""
LABEL_HEIGHT: Final = 8.0
ROOM_FOR_WORDS: Final = 30.0
ROOM_FOR_A_NUMBER: Final = 6.0
STYLES: Final = 8
"""Dashes and marks by which lines are told apart."""


class Stand(NamedTuple):
    """What stood on the sheet before and after a deal, by seat, in which game."""

    number: int
    game: int
    before: Sequence[int]
    after: Sequence[int]


class Spot(NamedTuple):
    x: float
    y: float


class Mark(NamedTuple):
    """Words at a place on one axis."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Curve:
    """One player's line: the spots of each game that it joins."""

    name: str
    short: str
    total: Amount
    href: str
    style: int
    pieces: list[list[Spot]]

    @property
    def end(self) -> Spot:
        return self.pieces[-1][-1]

    @property
    def marks(self) -> list[Spot]:
        """From the end backwards, so that the end has one."""
        spots = [spot for piece in self.pieces for spot in piece]
        return spots[:: -max(1, len(spots) // MARKS)]


class Axis(NamedTuple):
    """The numbers at the beginning and the end of an axis: left and right, or top and bottom."""

    first: int
    last: int

    def at(self, value: int) -> float:
        return round(100 * (value - self.first) / (self.last - self.first), 1)

    def ticks(self) -> list[int]:
        """Round numbers, :data:`TICKS` or one more at most."""
        low, high = sorted(self)
        steps = (digit * 10**power for power in range(12) for digit in (1, 2, 5))
        step = next(step for step in steps if (high - low) / step <= TICKS)
        return list(range(-(-low // step) * step, high + 1, step))


@blueprint.get("/sessions/<id:session_id>/chart")
def chart(session_id: int) -> Response:
    """All deals, or those up to the one that ``?deal=`` names."""
    session = access.game_session(session_id)
    return answer(page_tag(session), lambda: _page(session))


def _page(session: AnyRow) -> str:
    names = tuple(seat.name for seat in queries.seats(db.session(), session.id))
    last = request.args.get("deal", type=row_key) or session.deals
    if last > session.deals:
        abort(404)
    game = game_of(session)[0]
    first = last - POINTS + 1 if game.several_games else 1
    # As many numbers for every session: the question is the same, and the database knows how to answer it.
    numbers = [first + (last - first) * place // (POINTS - 1) for place in range(POINTS)]
    stands = _stands(session, queries.deals_numbered(db.session(), session.id, numbers), last)
    some = not game.several_games and last > POINTS
    return render_template(
        "chart/chart.html",
        session=session,
        **(_picture(session, names, stands) if stands else {}),
        drawn=_("%(shown)s of %(deals)s deals.", shown=words.number(POINTS), deals=words.number(last)) if some else "",
        older=url_for(".chart", session_id=session.id, deal=first - 1) if game.several_games and first > 1 else None,
        newer=url_for(".chart", session_id=session.id, deal=min(last + POINTS, session.deals))
        if last < session.deals
        else None,
    )


def _stands(session: AnyRow, deals: Rows, last: int) -> list[Stand]:
    """What each deal left on the sheet, and what stands there now if something else has changed it since."""
    stands = [Stand(deal.number, deal.before["game"], deal.before["totals"], deal.totals) for deal in deals]
    game, totals = session.table["game"], session.table["totals"]
    if stands and last == session.deals and game == stands[-1].game and totals != stands[-1].after:
        stands.append(Stand(last, game, totals, totals))
    return stands


def _picture(session: AnyRow, names: tuple[str, ...], stands: Sequence[Stand]) -> dict[str, object]:
    """What the template draws: the lines, what is written along the axes, and the table of the same numbers."""
    game, ruleset = game_of(session)
    base = int(ruleset.options["target"]) if game.unit is Unit.POINTS else 0
    all_totals = [total for stand in stands for total in (*stand.before, *stand.after)]
    across = Axis(stands[0].number - 1, stands[-1].number)
    down = Axis(max(base + 1, *all_totals), min(base, *all_totals))
    games = [list(of_game) for _game, of_game in groupby(stands, key=lambda stand: stand.game)]
    starts = [across.at(of_game[0].number - 1) for of_game in games]
    number = stands[-1].number
    asked = None if number == session.deals else number
    # Seats are numbered as people came: those who came later than all this are the last.
    lines = [
        Curve(
            name=names[seat],
            short=words.isolated(short_forms(names, LETTERS)[seat]),
            total=amounts.total(total, game.unit),
            href=url_for("why.total", session_id=session.id, seat=seat, deal=asked),
            style=seat % STYLES,
            pieces=[[Spot(across.at(x), down.at(y)) for x, y in walk] for walk in _walks(games, seat)],
        )
        for seat, total in enumerate(stands[-1].after)
    ]
    said = ", ".join(f"{words.isolated(line.name)} {line.total.text}" for line in lines)
    return {
        "lines": list(zip(lines, _labels(lines), strict=True)),
        "table": [
            (
                words.number(stand.number),
                [amounts.total(total, game.unit).text for total in stand.after]
                + ["–"] * (len(lines) - len(stand.after)),
            )
            for stand in stands
        ],
        "said": _("After deal %(number)s: %(totals)s.", number=words.number(number), totals=said),
        "heights": [Mark(down.at(tick), words.number(tick)) for tick in down.ticks()],
        "deals": [Mark(across.at(tick), words.number(tick)) for tick in across.ticks()],
        "base": Mark(down.at(base), _("Target") if game.unit is Unit.POINTS else ""),
        "games": [
            Mark(start, _game_name(of_game[0].game, end - start))
            for of_game, start, end in zip(games, starts, [*starts[1:], 100.0], strict=True)
            if game.several_games
        ],
    }


def _game_name(number: int, room: float) -> str:
    if room > ROOM_FOR_WORDS:
        return _("Game %(number)s", number=words.number(number))
    return words.number(number) if room > ROOM_FOR_A_NUMBER else ""


def _walks(games: Sequence[Sequence[Stand]], seat: int) -> Iterator[list[tuple[int, int]]]:
    """After which deals of each game a seat had which total; none before it came to the table."""
    for stands in games:
        known = [stand for stand in stands if seat < len(stand.before)]
        if known:
            yield [(known[0].number - 1, known[0].before[seat]), *((one.number, one.after[seat]) for one in known)]


def _labels(lines: Sequence[Curve]) -> list[float]:
    """How far down the name of each line stands: where it ends, or as near as the other names let it."""
    order = sorted(range(len(lines)), key=lambda seat: lines[seat].end.y)
    labels = [0.0] * len(lines)
    lowest = -LABEL_HEIGHT
    for seat in order:
        lowest = max(lines[seat].end.y, lowest + LABEL_HEIGHT)
        labels[seat] = lowest
    for rank, seat in enumerate(reversed(order)):
        labels[seat] = round(min(labels[seat], 100 - rank * LABEL_HEIGHT), 1)
    return labels

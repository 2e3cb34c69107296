"""The table as seated, drawn: who sits where, what stands on the sheet, and the chips of the latest deal as arrows.

The picture is turned to the side on which the person with the phone sits; each browser remembers that per session.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import flask
from flask import request, url_for
from flask_babel import gettext as _

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.models import AnyRow
from scorekeeper.queries import Rows
from scorekeeper.rules import DealScore, Payment, Table, Unit
from scorekeeper.services.history import game_of, next_table
from scorekeeper.web import amounts, sheet
from scorekeeper.web.amounts import Amount

WIDTH, HEIGHT = 150, 100
"""The table top, in the units it is drawn in."""

MAX_SIDES: Final = 20
"""Sessions for which a browser remembers where its person sits: the latest."""

_INSET: Final = 6
"""From the edge of the table to the end of an arrow."""
_BETWEEN: Final = 12
"""From one end of an arrow to the next one's, before the same player."""
_ALONG: Final = (0.28, 0.2, 0.36, 0.44, 0.56, 0.64, 0.8, 0.72)
"""How far along an arrow its number may stand: best near the end from which the chips come."""
_CLEAR: Final = 32
"""From one number to the next, so that neither lies on the other."""
# How many sit at each of the long sides, left and right, and at the top, by how many sit there in all.
_SIDES: Final = {2: (0, 1), 3: (1, 0), 4: (1, 1), 5: (1, 2), 6: (2, 1), 7: (2, 2), 8: (3, 1)}


class SeatDrawn(NamedTuple):
    """One seat at the table; ``href`` says why its total is what it is.

    ``change`` is what the latest deal brought, where the sheet counts points: no arrow shows that. ``notes`` are what
    else there is to know: that somebody sits out, or who plays on this account.
    """

    seat: int
    name: str
    total: Amount
    change: Amount | None
    dealer: bool
    notes: list[str]
    href: str


class Arrow(NamedTuple):
    """Chips from one player to another: a ``path`` across the table, and ``chips`` in a field around the point x, y."""

    path: str
    x: float
    y: float
    left: int
    width: int
    chips: str


class Picture(NamedTuple):
    """``seats`` clockwise from the one who sits below, and ``centre``, which lies on the table where no arrow does.

    ``turn`` is how often the writing is turned by a right angle, so that the next side can read it.
    """

    seats: tuple[SeatDrawn, ...]
    arrows: tuple[Arrow, ...]
    centre: str
    turn: int
    next_turn: int


class _Edge(NamedTuple):
    """Where a player's chips leave and reach the table: a point, the direction of the edge, and the room there."""

    point: complex
    along: complex
    room: float


def score_of(session: AnyRow, latest: AnyRow | None) -> DealScore[Any] | None:
    """What the *latest* deal of a session brought, if there is one that counts."""
    score = sheet.score_of(session, latest) if latest is not None and latest.status == "scored" else None
    return score if isinstance(score, DealScore) else None


def table_values(
    session: AnyRow, seats: Rows, latest: AnyRow | None, score: DealScore[Any] | None
) -> dict[str, object]:
    """What every page about the table now shows: the picture with the *latest* deal's *score*, and what is next."""
    game, ruleset = game_of(session)
    table, names = next_table(session), [seat.name for seat in seats]
    # Once a new game has begun, what ended the one before is no longer on the table.
    if score is not None and score.before.game != table.game:
        score = None
    return {
        "session": session,
        "picture": _picture(
            session, seats, table, score, sheet.title_of(latest.facts, names) if latest and score else ""
        ),
        "pairs": [
            (f"{names[one]} + {names[other]}", amounts.total(table.totals[one] + table.totals[other], game.unit))
            for one, other in game.pairs(ruleset)
        ],
        "away": [
            (names[seat], amounts.total(total, game.unit), url_for("why.total", session_id=session.id, seat=seat))
            for seat, total in enumerate(table.totals)
            if seat not in table.ring
        ],
        "game": words.number(table.game) if game.several_games else None,
        "over": table.over,
        "number": words.number(session.deals + 1),
        "dealer": words.name_of(table.dealer, names),
        "declared": sheet.declared(session, names),
    }


def side_of(session_id: int) -> int | None:
    """The seat at which the person with this browser sits in a session, if they have said so."""
    side: int | None = flask.session.get("sides", {}).get(str(session_id))
    return side


def remember_side(session_id: int, seat: int) -> None:
    """Keep in this browser's cookie that its person sits at *seat* of a session."""
    sides = {known: side for known, side in flask.session.get("sides", {}).items() if known != str(session_id)}
    # A cookie comes back with its keys sorted: ids grow, so these are the latest sessions.
    latest = sorted((*sides.items(), (str(session_id), seat)), key=lambda item: int(item[0]))[-MAX_SIDES:]
    flask.session["sides"] = dict(latest)


def turn() -> int:
    """To which side the address turns the picture: 1 is the left one, 2 the one opposite."""
    asked = request.args.get("turn", type=int)
    return asked if asked in (1, 2, 3) else 0


def arrows(payments: Iterable[Payment], ring: Sequence[int]) -> tuple[Arrow, ...]:
    """*payments* across the table around which the seats *ring* sit, clockwise from below.

    Payments of people who have left the table are not drawn.
    """
    edges = dict(zip(ring, _edges(len(ring)), strict=True))
    drawn = [payment for payment in payments if payment.payer in edges and payment.payee in edges]
    ends = {seat: _ends(seat, drawn, edges) for seat in edges}
    placed: list[Arrow] = []
    for payment in drawn:
        start, end = ends[payment.payer][payment.payee], ends[payment.payee][payment.payer]
        # The number stands away from the end at which more arrows meet, and wherever it lies farthest from the others.
        ways = reversed(_ALONG) if len(ends[payment.payer]) > len(ends[payment.payee]) else _ALONG
        tried = [_arrow(start, end, words.number(payment.chips), at) for at in ways]
        placed.append(max(tried, key=lambda arrow: min((_apart(arrow, other) for other in placed), default=0)))
    return tuple(placed)


def _apart(one: Arrow, other: Arrow) -> float:
    """How far the numbers of two arrows lie from each other, as far as it matters."""
    return min(abs(complex(one.x - other.x, one.y - other.y)), _CLEAR)


def seen_from(side: int | None, ring: Sequence[int]) -> Sequence[int]:
    """*ring* from the seat *side* on, if that is taken."""
    first = ring.index(side) if side in ring else 0
    return [*ring[first:], *ring[:first]]


def _picture(session: AnyRow, seats: Rows, table: Table, latest: DealScore[Any] | None, title: str) -> Picture:
    """The table now, with what the *latest* deal brought, whose *title* says what it was."""
    unit = game_of(session)[0].unit
    notes = _notes(session, seats, table)
    changed = latest.before.seats if latest and unit is Unit.POINTS else ()
    ring = seen_from(side_of(session.id), table.ring)
    drawn = arrows(latest.payments, ring) if latest else ()
    seats_drawn = tuple(
        SeatDrawn(
            seat=seat,
            name=seats[seat].name,
            total=amounts.total(table.totals[seat], unit),
            change=amounts.change(latest.points[seat], unit) if latest and seat in changed else None,
            dealer=seat == table.dealer,
            notes=notes[seat],
            href=url_for("why.total", session_id=session.id, seat=seat),
        )
        for seat in ring
    )
    return Picture(seats_drawn, drawn, "" if drawn else title, turn(), (turn() + 1) % 4)


def _notes(session: AnyRow, seats: Rows, table: Table) -> dict[int, list[str]]:
    """What there is to know about each player at the table besides the total."""
    notes: dict[int, list[str]] = {seat: [] for seat in table.ring}
    standing_in = {seat: player for seat, player in session.seating if seats[seat].player_id != player}
    if standing_in:
        names = {player.id: player.name for player in queries.players(db.session(), session.group_id)}
        for seat, player in standing_in.items():
            notes[seat].append(_("%(player)s plays", player=words.isolated(names[player])))
    for seat in {*table.ring} - {*table.seats}:
        notes[seat].append(_("sits out"))
    return notes


def _edges(seats: int) -> list[_Edge]:
    """For each of *seats*, clockwise from the one below."""
    long, top = _SIDES[seats]
    heights = [HEIGHT * (place + 0.5) / long for place in range(long)]
    left = [_Edge(complex(_INSET, height), 1j, HEIGHT / long) for height in reversed(heights)]
    above = [_Edge(complex(WIDTH * (place + 0.5) / top, _INSET), 1, WIDTH / top) for place in range(top)]
    right = [_Edge(complex(WIDTH - _INSET, height), 1j, HEIGHT / long) for height in heights]
    return [_Edge(complex(WIDTH / 2, HEIGHT - _INSET), 1, WIDTH), *left, *above, *right]


def _ends(seat: int, payments: Sequence[Payment], edges: dict[int, _Edge]) -> dict[int, complex]:
    """Where the arrows between *seat* and each of the others end: side by side, so that they do not cross there."""
    point, along, room = edges[seat]
    others = {payment.payee for payment in payments if payment.payer == seat}
    others |= {payment.payer for payment in payments if payment.payee == seat}
    in_order = sorted(others, key=lambda other: (edges[other].point * along.conjugate()).real)
    gap = min(_BETWEEN, 0.8 * room / max(len(in_order), 1))
    return {other: point + along * gap * (rank - (len(in_order) - 1) / 2) for rank, other in enumerate(in_order)}


def _arrow(start: complex, end: complex, chips: str, at: float) -> Arrow:
    """An arc that bends towards the middle of the table, with its number *at* some part of the way."""
    straight = (start + end) / 2
    bend = straight + (complex(WIDTH, HEIGHT) / 2 - straight) * 0.6
    number = (1 - at) ** 2 * start + 2 * at * (1 - at) * bend + at**2 * end
    path = f"M{start.real:.0f} {start.imag:.0f}Q{bend.real:.0f} {bend.imag:.0f} {end.real:.0f} {end.imag:.0f}"
    half = 6 * len(chips) + 8
    return Arrow(path, round(number.real, 1), round(number.imag, 1), -half, 2 * half, chips)

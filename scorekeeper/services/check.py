"""Work everything out again from what people entered, and report every difference from what is stored."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.ledger import EntryKind, LedgerEntry as Entry, PlayerId, UnbalancedLedger, balances
from scorekeeper.models import AnyRow, Deal, GameSession, GroupTotal, LedgerEntry, SessionChange, SessionSeat, Transfer
from scorekeeper.rules import Unit
from scorekeeper.services.deals import brought, entered
from scorekeeper.services.history import first_table, game_of, pending_game, replay
from scorekeeper.services.ledger import SEAT_SUMS, adjustments


@dataclass(frozen=True, slots=True)
class Difference:
    """``what`` of a group's session (0 for the group itself) is ``stored``, but follows as ``expected``."""

    group_id: int
    session_id: int
    what: str
    stored: object
    expected: object


def differences(db: Session) -> Iterator[Difference]:
    """Every stored result that does not follow from the recorded facts; writes nothing."""
    won: defaultdict[tuple[int, str], Counter[str]] = defaultdict(Counter)
    for session_id in db.scalars(select(GameSession.id).order_by(GameSession.id)).all():
        session = db.execute(select(*GameSession.__table__.columns).where(GameSession.id == session_id)).one()
        yield from _in_session(db, session, won)
    stored = {(row.player_id, row.card_game): row for row in db.execute(select(*GroupTotal.__table__.columns))}
    for key in stored.keys() | won.keys():
        row = stored.get(key)
        for name in ("sessions", "games", "wins", "chips"):
            kept = getattr(row, name, 0)
            if kept != won[key][name]:
                group_id = row.group_id if row else 0
                yield Difference(group_id, 0, f"{name} of player {key[0]} in {key[1]}", kept, won[key][name])


def _in_session(
    db: Session, session: AnyRow, won: defaultdict[tuple[int, str], Counter[str]]
) -> Iterator[Difference]:
    def compare(what: str, stored: object, expected: object) -> Iterator[Difference]:
        if stored != expected:
            yield Difference(session.group_id, session.id, what, stored, expected)

    rows = db.execute(
        select(*Deal.__table__.columns).where(Deal.session_id == session.id).order_by(Deal.number)
    ).all()
    game, _ = game_of(session)
    replayed = replay(game, first_table(session), map(entered, rows), adjustments(db, session, after=0))
    for row, expected in zip(rows, replayed.deals, strict=True):
        yield from compare(f"deal {row.number}", brought(row), expected)
    table = pending_game(game, session, replayed.table)
    yield from compare("table", session.table, table.state())
    yield from compare("undecided", session.undecided, replayed.undecided)
    yield from compare("number of deals", session.deals, len(rows))
    yield from compare("deal numbers", [row.number for row in rows], list(range(1, len(rows) + 1)))

    versions = select(SessionChange.version).where(SessionChange.session_id == session.id)
    changes = db.scalars(versions.order_by(SessionChange.version)).all()
    yield from compare("versions", list(changes), list(range(1, session.version + 1)))

    entries = db.execute(select(*LedgerEntry.__table__.columns).where(LedgerEntry.session_id == session.id)).all()
    try:
        balances(
            Entry(None if row.seat is None else PlayerId(row.seat), EntryKind(row.kind), row.chips, row.version)
            for row in entries
        )
    except UnbalancedLedger as unbalanced:
        yield from compare(f"sum of posting {unbalanced.posting}", unbalanced.difference, 0)
    posted: defaultdict[int, Counter[int]] = defaultdict(Counter)
    sums: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for entry in entries:
        if entry.deal_number is not None:
            posted[entry.deal_number][entry.seat] += entry.chips
        sums[SEAT_SUMS[EntryKind(entry.kind)].key][entry.seat] += entry.chips
    for row, expected in zip(rows, replayed.deals, strict=True):
        chips = expected.chips or (0,) * len(session.opening)
        entered_chips = tuple(posted[row.number][seat] for seat in range(len(session.opening)))
        yield from compare(f"ledger of deal {row.number}", entered_chips, chips)

    transfers = select(*Transfer.__table__.columns).where(Transfer.session_id == session.id, Transfer.paid.is_not(None))
    paid: Counter[int] = Counter()
    for transfer in db.execute(transfers):
        paid[transfer.payer] += transfer.chips
        paid[transfer.payee] -= transfer.chips

    ended = [deal for deal in replayed.deals if deal.winners]
    for seat in db.execute(select(*SessionSeat.__table__.columns).where(SessionSeat.session_id == session.id)).all():
        opening = session.opening[seat.seat] if game.unit is Unit.CHIPS else 0
        yield from compare(f"chips of seat {seat.seat}", seat.chips, opening + sums["chips"][seat.seat])
        yield from compare(f"bought by seat {seat.seat}", seat.bought, sums["bought"][seat.seat])
        yield from compare(f"cashed in by seat {seat.seat}", seat.cashed, -sums["cashed"][seat.seat])
        yield from compare(f"settled with seat {seat.seat}", seat.settled, sums["settled"][seat.seat])
        yield from compare(f"transfers of seat {seat.seat}", seat.settled, paid[seat.seat])
        if game.unit is Unit.CHIPS:
            yield from compare(f"total of seat {seat.seat}", seat.chips, table.totals[seat.seat])
        won[seat.player_id, session.card_game] += Counter(
            {
                "sessions": 1,
                "games": len(ended),
                "wins": sum(seat.seat in deal.winners for deal in ended),
            }
        )
        won[seat.player_id, session.card_game]["chips"] += opening + sums["chips"][seat.seat]

"""Who sits at the table: somebody leaves, comes, comes back, or plays on another's account."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import count

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from scorekeeper.models import AnyRow, GameSession, Player, SessionChange, SessionSeat
from scorekeeper.rules import Problem, Refused, Seat
from scorekeeper.rules.base import clockwise
from scorekeeper.services.deals import table_for
from scorekeeper.services.history import declared_deal, game_of
from scorekeeper.services.sessions import add_accounts
from scorekeeper.services.transaction import (
    AlreadyDone,
    SessionCommand,
    change_session,
    transaction,
    while_open,
)


@dataclass(frozen=True, slots=True)
class Sitter:
    """A player at the table, and the seat on whose account they play: without one their own, perhaps a new one."""

    player: int
    seat: Seat | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatPlayers(SessionCommand):
    """Everybody at the table from the next deal on, clockwise."""

    sitters: tuple[Sitter, ...]


def seat_players(db: Session, command: SeatPlayers) -> None:
    """Seat everybody anew from the next deal on. Whoever is new begins with what everybody begins a game with.

    Deals keep the seating they were played with. If the next dealer has left, the deal passes on clockwise.

    :raises Refused: if they cannot sit so, or a deal has been declared; nothing is written.
    :raises StaleSession: if the session is past ``expected_version``.
    :raises SessionClosed: if the session has ended.
    """
    try:
        with transaction(db):
            session = while_open(change_session(db, command, "seats"))
            own = _accounts(db, session)
            seats = _seats(command.sitters, own)
            if problems := _problems(db, session, command, own, seats):
                raise Refused(*problems)
            players = {seat: sitter.player for seat, sitter in zip(seats, command.sitters, strict=True)}
            new: dict[int, int] = {seat: players[seat] for seat in seats if seat >= len(own)}
            if new:
                add_accounts(db, session, new, (0,) * len(new))
            this = SessionChange.session_id == session.id, SessionChange.version == session.version
            db.execute(update(SessionChange).where(*this).values(note=seating_note(players)))
            table = table_for(db, session, clockwise(seats))
            # No deal is declared, and who was to deal out of turn is asked again.
            values = {"seating": seating_of(players), "table": table.state(), "declared": None}
            db.execute(update(GameSession).where(GameSession.id == session.id).values(values))
    except AlreadyDone:
        return


def seating_of(players: Mapping[Seat, int]) -> list[list[int]]:
    """*players* by seat, clockwise, as a seating is stored."""
    return [[seat, players[seat]] for seat in clockwise(tuple(players))]


def seating_note(players: Mapping[Seat, int]) -> str:
    """*players* by seat, clockwise, as the log keeps it: in the order in which they were named."""
    return json.dumps(list(players.items()))


def _accounts(db: Session, session: AnyRow) -> dict[int, Seat]:
    """The seat of each player who has an account."""
    rows = db.execute(select(SessionSeat.player_id, SessionSeat.seat).where(SessionSeat.session_id == session.id))
    return {player_id: Seat(seat) for player_id, seat in rows}


def _seats(sitters: Iterable[Sitter], own: Mapping[int, Seat]) -> tuple[Seat, ...]:
    """The seat of each sitter; whoever has none yet gets the next number."""
    new = count(len(own))
    seats = (own.get(sitter.player) if sitter.seat is None else sitter.seat for sitter in sitters)
    return tuple(Seat(next(new)) if seat is None else seat for seat in seats)


def _problems(
    db: Session, session: AnyRow, command: SeatPlayers, own: Mapping[int, Seat], seats: tuple[Seat, ...]
) -> list[Problem]:
    game, ruleset = game_of(session)
    players = [sitter.player for sitter in command.sitters]
    in_group = select(Player.id).where(Player.group_id == session.group_id, Player.id.in_(players))
    # Nobody can be removed while they are seated.
    known = db.scalars(in_group.with_for_update(read=True, key_share=True)).all()
    if len(set(players)) < len(players):
        return [Problem("SEATED_TWICE", "seats")]
    if len(known) != len(players) or not {sitter.seat for sitter in command.sitters} <= {None, *own.values()}:
        return [Problem("MALFORMED", "seats", {"reason": "type"})]
    problems = list(game.check_seats(ruleset, seats, len(own)))
    if declared_deal(session):
        problems.append(Problem("DECLARED", "seats"))
    return problems

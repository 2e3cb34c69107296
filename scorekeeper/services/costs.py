"""What one pays for others, and the kitty: entries between people beside what the game brings.

The kitty is kept on paper: what goes into it is owed until the settlement collects it, and it pays nobody before that.
So it can come to stand below zero: where a deal is voided whose stakes it has paid with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from scorekeeper.ledger import MAX_MINOR, MoneyKind, apportion
from scorekeeper.models import AnyRow, Cost, GameSession, SessionSeat
from scorekeeper.rules import Problem, Refused
from scorekeeper.services.ledger import in_kitty, post_money
from scorekeeper.services.transaction import (
    AlreadyDone,
    SessionCommand,
    StaleSession,
    change_session,
    transaction,
    while_open,
)

KITTY: Final = None
"""Where a seat could stand: the kitty pays, or bears a cost."""

Entries = tuple[tuple[int | None, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddCost(SessionCommand):
    """What ``payer`` paid for all of ``seats`` alike, in the unit of the settlement.

    The payer may be the kitty: then the seats put that much into it together. Without seats the kitty pays it back.
    """

    payer: int | None
    amount: int
    seats: tuple[int, ...]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeBackCost(SessionCommand):
    """A cost, by the version that noted it, was none."""

    cost: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SetStake(SessionCommand):
    """From the next deal on, everybody who plays one puts ``amount`` into the kitty; 0 is nothing."""

    amount: int


def set_stake(db: Session, command: SetStake) -> None:
    """Say what every deal brings the kitty from now on.

    :raises Refused: if it cannot be, or is that already.
    :raises StaleSession: if the session is past ``expected_version``.
    :raises SessionClosed: if the session has ended.
    """
    try:
        with transaction(db):
            session = while_open(change_session(db, command, "stake", note=str(command.amount)))
            if not 0 <= command.amount <= MAX_MINOR:
                raise Refused(Problem("MALFORMED", "amount", {"reason": "type"}))
            if command.amount == session.stake:
                raise Refused(Problem("STAKE_THE_SAME", "amount"))
            db.execute(update(GameSession).where(GameSession.id == session.id).values(stake=command.amount))
    except AlreadyDone:
        return


def add_cost(db: Session, command: AddCost) -> None:
    """Note a cost.

    :raises Refused: if it is nothing, for nobody else, or more than the kitty has.
    :raises StaleSession: if the session is past ``expected_version``.
    :raises SessionClosed: if the session has ended.
    """
    try:
        with transaction(db):
            session = while_open(change_session(db, command, "cost"))
            entries = entries_of(command.payer, command.amount, command.seats)
            seats = _seats(db, session)
            if problems := _problems(command, entries, seats):
                raise Refused(*problems)
            db.execute(
                insert(Cost).values(
                    session_id=session.id,
                    version=session.version,
                    group_id=session.group_id,
                    payer=command.payer,
                    amount=command.amount,
                    seats=sorted(command.seats),
                    note=command.note,
                )
            )
            post_money(db, session, MoneyKind.COST, entries)
    except AlreadyDone:
        return


def take_back_cost(db: Session, command: TakeBackCost) -> None:
    """Note that a cost was none after all.

    :raises Refused: if the kitty has paid with it.
    :raises StaleSession: if the session is past ``expected_version``, or has no such cost that counts.
    :raises SessionClosed: if the session has ended.
    """
    try:
        with transaction(db):
            session = while_open(change_session(db, command, "no-cost"))
            this = Cost.session_id == session.id, Cost.version == command.cost
            cost = db.execute(select(Cost.payer, Cost.amount, Cost.seats).where(*this, Cost.taken_back.is_(None)))
            row = cost.one_or_none()
            if row is None:
                raise StaleSession
            entries = reversed_of(entries_of(row.payer, row.amount, row.seats))
            if _asks_too_much(entries, _seats(db, session)):
                raise Refused(Problem("KITTY_SHORT", "amount"))
            db.execute(update(Cost).where(*this).values(taken_back=session.version))
            post_money(db, session, MoneyKind.COST, entries)
    except AlreadyDone:
        return


def entries_of(payer: int | None, amount: int, seats: Sequence[int]) -> Entries:
    """What a cost enters in the ledger, by seat and for the kitty; spare units go to the first of *seats*."""
    bearers: list[int | None] = [*sorted(seats)] or [KITTY]
    shares = zip(bearers, apportion(amount, len(bearers)), strict=True)
    return ((payer, amount), *((bearer, -share) for bearer, share in shares if share))


def reversed_of(entries: Entries) -> Entries:
    return tuple((who, -amount) for who, amount in entries)


def _problems(command: AddCost, entries: Entries, seats: Sequence[AnyRow]) -> list[Problem]:
    there = range(len(seats))
    if any(seat not in there for seat in command.seats) or command.payer not in (KITTY, *there):
        return [Problem("MALFORMED", "payer", {"reason": "type"})]
    if command.amount <= 0:
        return [Problem("COST_NONE", "amount")]
    if len(set(command.seats)) < len(command.seats) or (command.seats or (KITTY,)) == (command.payer,):
        return [Problem("COST_FOR_NOBODY", "seats")]
    if _asks_too_much(entries, seats):
        return [Problem("KITTY_SHORT", "amount")]
    return []


def _asks_too_much(entries: Entries, seats: Sequence[AnyRow]) -> bool:
    """Whether *entries* take more out of the kitty than is in it."""
    taken = -sum(amount for who, amount in entries if who is KITTY)
    return taken > max(0, in_kitty(seats))


def _seats(db: Session, session: AnyRow) -> Sequence[AnyRow]:
    return db.execute(select(SessionSeat.seat, SessionSeat.costs).where(SessionSeat.session_id == session.id)).all()

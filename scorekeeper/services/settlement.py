"""The settlement of a session: who pays whom, in the fewest transfers, and what has been paid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from scorekeeper.ledger import EntryKind, UnbalancedLedger, plan_beside_bank, plan_settlement
from scorekeeper.ledger import Transfer as PlannedTransfer
from scorekeeper.models import AnyRow, SessionSeat, Transfer
from scorekeeper.services.ledger import Amount, Posting, post
from scorekeeper.services.transaction import (
    AlreadyDone,
    SessionCommand,
    StaleSession,
    change_session,
    transaction,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkTransfer(SessionCommand):
    """A transfer, by the version that drew it up and its line there, and whether it has been paid."""

    plan: int
    line: int
    paid: bool


def mark_transfer(db: Session, command: MarkTransfer) -> None:
    """Note that a transfer has been paid, or has not been paid after all. The others stay as they are.

    :raises StaleSession: if the session is past ``expected_version``, or has no such transfer in force.
    """
    try:
        with transaction(db):
            session = change_session(db, command, "paid" if command.paid else "unpaid")
            this = (Transfer.session_id == session.id, Transfer.version == command.plan, Transfer.line == command.line)
            transfer = db.execute(
                select(Transfer.payer, Transfer.payee, Transfer.chips, Transfer.paid).where(
                    *this, Transfer.withdrawn.is_(None)
                )
            ).one_or_none()
            if session.state != "closed" or transfer is None or (transfer.paid is not None) == command.paid:
                raise StaleSession
            db.execute(update(Transfer).where(*this).values(paid=session.version if command.paid else None))
            chips = transfer.chips if command.paid else -transfer.chips
            amounts = Amount(transfer.payer, chips), Amount(transfer.payee, -chips)
            post(db, session, Posting(session.version, EntryKind.TRANSFER, amounts))
    except AlreadyDone:
        return


def redraw_settlement(db: Session, command: SessionCommand) -> None:
    """Draw up the settlement anew after a correction. What was paid stays paid, and counts.

    :raises StaleSession: if the session is past ``expected_version``, or has not ended.
    """
    try:
        with transaction(db):
            session = change_session(db, command, "settle")
            if session.state != "closed":
                raise StaleSession
            withdraw_unpaid(db, session)
            draw_up(db, session)
    except AlreadyDone:
        return


def draw_up(db: Session, session: AnyRow) -> None:
    """Store the fewest transfers that settle what is won and lost and not yet paid."""
    seats = select(*SessionSeat.__table__.columns).where(SessionSeat.session_id == session.id)
    transfers = plan(db.execute(seats).all())
    if transfers:
        db.execute(
            insert(Transfer),
            [
                {
                    "session_id": session.id,
                    "version": session.version,
                    "line": line,
                    "group_id": session.group_id,
                    "payer": transfer.payer,
                    "payee": transfer.payee,
                    "chips": transfer.amount,
                }
                for line, transfer in enumerate(transfers)
            ],
        )


def withdraw_unpaid(db: Session, session: AnyRow) -> None:
    """Take back the transfers of a session that have not been paid."""
    db.execute(
        update(Transfer)
        .where(Transfer.session_id == session.id, Transfer.paid.is_(None), Transfer.withdrawn.is_(None))
        .values(withdrawn=session.version)
    )


def plan(seats: Sequence[AnyRow]) -> tuple[PlannedTransfer[int], ...]:
    """The fewest transfers between *seats* that settle what is won and lost and not yet paid.

    Whoever cashed in more chips than they had bought has been paid by the bank, with money of others. The losers owe
    that to the bank, and it is kept from what the bank gives back to them: no transfer pays it a second time.
    """
    claims = _claims(seats)
    owed_to_bank = sum(map(_paid_by_bank, seats))
    if difference := sum(claims.values()) + owed_to_bank:
        raise UnbalancedLedger(difference)
    return plan_beside_bank(claims) if owed_to_bank else plan_settlement(claims)


@dataclass(frozen=True, slots=True)
class Account:
    """How a seat comes to what it still pays or gets, in chips: ``won + paid + through_bank == open``.

    ``won`` is what it won or lost, ``paid`` what it paid in transfers (below zero: got), and ``open`` what it still
    gets in transfers (below zero: pays). ``through_bank`` is settled with the bank instead. Once the transfers are
    paid, the bank gives the seat ``from_bank`` (below zero: gets it).
    """

    seat: int
    won: int
    paid: int
    through_bank: int
    open: int
    from_bank: int


def accounts(seats: Sequence[AnyRow], transfers: Iterable[PlannedTransfer[int]]) -> tuple[Account, ...]:
    """The account of every seat, where *transfers* are those not yet paid."""
    to_come = Counter[int]()
    for transfer in transfers:
        to_come[transfer.payer] -= transfer.amount
        to_come[transfer.payee] += transfer.amount
    return tuple(
        Account(
            seat=row.seat,
            won=row.chips,
            paid=row.settled,
            through_bank=to_come[row.seat] - row.chips - row.settled,
            open=to_come[row.seat],
            from_bank=row.bought + row.chips - row.cashed + row.settled - to_come[row.seat],
        )
        for row in seats
    )


def unpaid(transfers: Iterable[AnyRow]) -> tuple[PlannedTransfer[int], ...]:
    """Those of a session's *transfers* that have not been paid."""
    return tuple(PlannedTransfer(row.payer, row.payee, row.chips) for row in transfers if row.paid is None)


def is_settled_by(seats: Sequence[AnyRow], transfers: Iterable[AnyRow]) -> bool:
    """Whether the unpaid ones of *transfers* bring everybody what is theirs: at most the bank has yet to get some."""
    claims = _claims(seats)
    for transfer in unpaid(transfers):
        claims[transfer.payer] += transfer.amount
        claims[transfer.payee] -= transfer.amount
    return all(claim <= 0 for claim in claims.values())


def _claims(seats: Sequence[AnyRow]) -> dict[int, int]:
    """What each seat has yet to get for what it won (below zero: to pay)."""
    return {row.seat: row.chips + row.settled - _paid_by_bank(row) for row in seats}


def _paid_by_bank(seat: AnyRow) -> int:
    """What a seat got for chips it had not bought."""
    return max(0, int(seat.cashed - seat.bought))

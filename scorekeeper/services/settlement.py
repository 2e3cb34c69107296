"""The settlement of a session: who pays whom, in the fewest transfers, and what has been paid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from scorekeeper.ledger import EntryKind, plan_settlement
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
    balances = {
        seat: balance
        for seat, balance in db.execute(
            select(SessionSeat.seat, SessionSeat.chips + SessionSeat.settled).where(
                SessionSeat.session_id == session.id
            )
        )
    }
    plan = plan_settlement(balances)
    if plan:
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
                for line, transfer in enumerate(plan)
            ],
        )


def withdraw_unpaid(db: Session, session: AnyRow) -> None:
    """Take back the transfers of a session that have not been paid."""
    db.execute(
        update(Transfer)
        .where(Transfer.session_id == session.id, Transfer.paid.is_(None), Transfer.withdrawn.is_(None))
        .values(withdrawn=session.version)
    )


def is_settled_by(balances: Sequence[int], transfers: Sequence[AnyRow]) -> bool:
    """Whether the unpaid *transfers* bring every seat's balance (won and lost, less what was paid) to zero."""
    left = list(balances)
    for transfer in transfers:
        if transfer.paid is None:
            left[transfer.payer] += transfer.chips
            left[transfer.payee] -= transfer.chips
    return not any(left)

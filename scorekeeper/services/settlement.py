"""The settlement of a session: who pays whom, what has been paid, and what is left open.

A plan is drawn up when a session ends, and stays as it is until it is discarded. What it settles, and every payment, is
in money where chips have a price, and else in chips.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sqlalchemy import func, insert, select, update
from sqlalchemy.orm import Session

from scorekeeper.ledger import Choices, MoneyKind, Plan, Price, UnbalancedLedger, apportion, plan_with
from scorekeeper.ledger import Transfer as PlannedTransfer
from scorekeeper.models import AnyRow, CarriedOver, GameSession, Payment, SessionSeat, Settlement, Transfer
from scorekeeper.rules import Problem, Refused
from scorekeeper.services.ledger import in_kitty, post_money, price_of
from scorekeeper.services.transaction import (
    AlreadyDone,
    SessionClosed,
    SessionCommand,
    StaleSession,
    change_session,
    transaction,
)


class SettlementInForce(SessionClosed):
    """A change would discard the settlement in force, and nobody has said that it may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pay(SessionCommand):
    """So much of a transfer, by the version that drew it up and its line there, has been paid; None is all of it."""

    plan: int
    line: int
    amount: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeBack(SessionCommand):
    """A payment, by the version that noted it, has not been made after all."""

    payment: int


def pay(db: Session, command: Pay) -> None:
    """Note a payment. The other transfers stay as they are.

    :raises Refused: if the amount is more than is open of the transfer, or nothing.
    :raises StaleSession: if the session is past ``expected_version``, or has no such transfer in force that is open.
    """
    try:
        with transaction(db):
            session = change_session(db, command, "paid")
            transfer = db.execute(
                select(Transfer.payer, Transfer.payee, Transfer.amount)
                .join(Settlement, (Settlement.session_id == Transfer.session_id) & _drawn_up_together)
                .where(
                    Transfer.session_id == session.id,
                    Transfer.version == command.plan,
                    Transfer.line == command.line,
                    Settlement.withdrawn.is_(None),
                )
            ).one_or_none()
            still_open = transfer.amount - _paid(db, command) if transfer else 0
            if transfer is None or not still_open or _taken_over(db, session, command.plan):
                raise StaleSession
            amount = still_open if command.amount is None else command.amount
            if not 0 < amount <= still_open:
                raise Refused(Problem("PAYMENT_MORE" if amount > 0 else "PAYMENT_NONE", "amount"))
            db.execute(
                insert(Payment).values(
                    session_id=session.id,
                    version=session.version,
                    group_id=session.group_id,
                    plan=command.plan,
                    line=command.line,
                    amount=amount,
                )
            )
            post_money(db, session, MoneyKind.PAYMENT, ((transfer.payer, amount), (transfer.payee, -amount)))
    except AlreadyDone:
        return


def take_back(db: Session, command: TakeBack) -> None:
    """Note that a payment has not been made after all. Of an earlier settlement, only while none is in force.

    :raises StaleSession: if the session is past ``expected_version``, or has no such payment that counts.
    """
    try:
        with transaction(db):
            session = change_session(db, command, "unpaid")
            this = Payment.session_id == session.id, Payment.version == command.payment
            payment = db.execute(
                select(Payment.amount, Payment.plan, Transfer.payer, Transfer.payee, Settlement.withdrawn)
                .join(Transfer, (Transfer.session_id == Payment.session_id) & _of_line)
                .join(Settlement, (Settlement.session_id == Transfer.session_id) & _drawn_up_together)
                .where(*this, Payment.taken_back.is_(None))
            ).one_or_none()
            if payment is None or (payment.withdrawn is not None and session.state == "closed"):
                raise StaleSession
            if payment.withdrawn is None and _taken_over(db, session, payment.plan):
                raise StaleSession
            db.execute(update(Payment).where(*this).values(taken_back=session.version))
            amounts = (payment.payer, -payment.amount), (payment.payee, payment.amount)
            post_money(db, session, MoneyKind.PAYMENT, amounts)
    except AlreadyDone:
        return


_drawn_up_together = Settlement.version == Transfer.version
_of_line = (Transfer.version == Payment.plan) & (Transfer.line == Payment.line)


def _taken_over(db: Session, session: AnyRow, plan: int) -> bool:
    """Whether a later session settles what was not yet paid."""
    of_plan = CarriedOver.source_id == session.id, CarriedOver.plan == plan, CarriedOver.taken_back.is_(None)
    over = select(CarriedOver.plan).where(*of_plan, CarriedOver.unpaid)
    return db.scalar(over) is not None


def _paid(db: Session, command: Pay) -> int:
    """How much of a transfer has been paid so far."""
    payments = select(func.coalesce(func.sum(Payment.amount), 0)).where(
        Payment.session_id == command.session_id,
        Payment.plan == command.plan,
        Payment.line == command.line,
        Payment.taken_back.is_(None),
    )
    return int(db.scalars(payments).one())


def draw_up(db: Session, session: AnyRow, choices: Choices[int]) -> None:
    """Store the plan that settles, as *choices* say, what is won and lost and not yet paid."""
    seats = select(*SessionSeat.__table__.columns).where(SessionSeat.session_id == session.id)
    drawn = plan(price_of(session), db.execute(seats.order_by(SessionSeat.seat)).all(), choices)
    common = {"session_id": session.id, "version": session.version, "group_id": session.group_id}
    left_open = {str(seat): amount for seat, amount in drawn.left.items() if amount}
    db.execute(insert(Settlement).values(**common, choices=choices_said(choices), left_open=left_open))
    lines = [
        {**common, "line": line, "payer": transfer.payer, "payee": transfer.payee, "amount": transfer.amount}
        for line, transfer in enumerate(drawn.transfers)
    ]
    if lines:
        db.execute(insert(Transfer), lines)


def discard(db: Session, session: AnyRow) -> None:
    """Take back the plan in force: the session is being played again. What was paid stays paid, and counts."""
    in_force = Settlement.session_id == session.id, Settlement.withdrawn.is_(None)
    db.execute(update(Settlement).where(*in_force).values(withdrawn=session.version))
    db.execute(update(GameSession).where(GameSession.id == session.id).values(state="open"))


def choices_said(choices: Choices[int]) -> dict[str, Any]:
    """*choices* as they are stored: what differs from those that nobody made."""
    said = {
        "banker": choices.banker,
        "least": choices.least,
        "step": choices.step,
        "apart": [list(pair) for pair in choices.apart],
        "keeper": choices.keeper,
    }
    usual: dict[str, Any] = {"banker": None, "least": 1, "step": 1, "apart": [], "keeper": None}
    return {name: value for name, value in said.items() if value != usual[name]}


def choices_made(said: Mapping[str, Any]) -> Choices[int]:
    """The choices that :func:`choices_said` stored."""
    return Choices(**{**said, "apart": tuple((one, other) for one, other in said.get("apart", ()))})


def plan(
    price: Price,
    seats: Sequence[AnyRow],
    choices: Choices[int] | None = None,
    *,
    more: Mapping[int, int] = MappingProxyType({}),
    costs: Mapping[int, int] = MappingProxyType({}),
) -> Plan[int]:
    """The fewest transfers between *seats* that settle, as *choices* say, all that is between them and not yet paid.

    See :func:`claims`.

    :raises UnbalancedLedger: if what is won and lost does not sum to zero.
    """
    choices = choices or Choices()
    return plan_with(claims(price, seats, choices.keeper, more=more, costs=costs), choices)


def claims(
    price: Price,
    seats: Sequence[AnyRow],
    keeper: int | None = None,
    *,
    more: Mapping[int, int] = MappingProxyType({}),
    costs: Mapping[int, int] = MappingProxyType({}),
) -> dict[int, int]:
    """What every seat still gets from the others, below zero pays them.

    That is what is won and lost, what one paid for others, what is in the kitty, and what was carried over.
    *more* are the chips that some would have won beside those they have, and *costs* what they would have in costs.

    Whoever cashed in more chips than they had bought has been paid by the bank, with money of others. The losers owe
    that to the bank, and it is kept from what the bank gives back to them: no transfer pays it a second time.

    :raises UnbalancedLedger: if what is won and lost does not sum to zero.
    """
    won = price.of_everybody([row.chips + more.get(row.seat, 0) for row in seats]).shares
    by_bank = [max(0, -_at_bank(price, row)) for row in seats]
    shared = [row.costs + costs.get(row.seat, 0) for row in seats]
    kitty = _of_kitty(seats, -sum(shared), keeper)
    found = {
        row.seat: won[place] + row.settled + shared[place] + kitty[place] + row.carried - by_bank[place]
        for place, row in enumerate(seats)
    }
    if difference := sum(found.values()) + sum(by_bank):
        raise UnbalancedLedger(difference)
    return found


@dataclass(frozen=True, slots=True)
class Account:
    """How a seat comes to what it still gets.

    ``won + bought - cashed + paid + costs + kitty + carried - from_bank - left == open``, where ``won`` is what it won
    or lost, ``bought`` what it paid the bank for chips and ``cashed`` what it got there, and ``paid`` what it paid
    others (below zero: got). ``costs`` is what it paid for others, less what is its part or went into the kitty,
    ``kitty`` what it gets of that, and ``carried`` what earlier sessions owe it, less what a later one settles.
    ``from_bank`` is what the bank gives it in the end (below zero: gets), ``left`` what the plan leaves open, and
    ``open`` what is still to come in transfers (below zero: to pay).
    """

    seat: int
    won: int
    bought: int
    cashed: int
    paid: int
    costs: int
    kitty: int
    carried: int
    from_bank: int
    left: int
    open: int

    @property
    def in_hand(self) -> int:
        """What the chips it has are worth."""
        return self.won + self.bought - self.cashed + self.paid


def accounts(
    price: Price,
    seats: Sequence[AnyRow],
    transfers: Iterable[PlannedTransfer[int]] = (),
    left: Mapping[int, int] | None = None,
    keeper: int | None = None,
) -> tuple[Account, ...]:
    """The account of every seat, where *transfers* are still to be paid and *left* is left open.

    *keeper* has what is in the kitty; without one it is shared out. What the kitty lacks, everybody bears alike.
    """
    to_come = Counter[int]()
    for transfer in transfers:
        to_come[transfer.payer] -= transfer.amount
        to_come[transfer.payee] += transfer.amount
    won = price.of_everybody([row.chips for row in seats]).shares
    found = []
    for row, result, kitty in zip(seats, won, _of_kitty(seats, in_kitty(seats), keeper), strict=True):
        bought, at_bank, left_open = price.of(row.bought), _at_bank(price, row), (left or {}).get(row.seat, 0)
        between = row.settled + row.costs + kitty + row.carried
        found.append(
            Account(
                seat=row.seat,
                won=result,
                bought=bought,
                cashed=bought - at_bank,
                paid=row.settled,
                costs=row.costs,
                kitty=kitty,
                carried=row.carried,
                from_bank=result + at_bank + between - left_open - to_come[row.seat],
                left=left_open,
                open=to_come[row.seat],
            )
        )
    return tuple(found)


def still_open(transfers: Iterable[AnyRow], payments: Iterable[AnyRow]) -> tuple[PlannedTransfer[int], ...]:
    """What is still to be paid of each of *transfers*, nothing perhaps, where *payments* are those that count."""
    paid = Counter[tuple[int, int]]()
    for payment in payments:
        paid[payment.plan, payment.line] += payment.amount
    return tuple(PlannedTransfer(row.payer, row.payee, row.amount - paid[row.version, row.line]) for row in transfers)


def _of_kitty(seats: Sequence[AnyRow], held: int, keeper: int | None) -> tuple[int, ...]:
    """What each of *seats* has of what is *held* in the kitty: the *keeper* all of it, or everybody a share.

    Below zero everybody bears a share: it has paid out stakes of deals that then did not count.
    """
    if keeper is None or held < 0:
        return apportion(held, len(seats))
    return tuple(held if row.seat == keeper else 0 for row in seats)


def _at_bank(price: Price, seat: AnyRow) -> int:
    """What a seat has paid the bank for chips, less what it got there: rounded once, whenever it is asked."""
    return price.of(seat.bought - seat.cashed)

"""The settlement of a session: who pays whom, what has been paid, and what is left open.

A plan is drawn up when a session ends, and stays as it is until it is discarded. What it settles, and every payment, is
in money where chips have a price, and else in chips.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from sqlalchemy import func, insert, select, update
from sqlalchemy.orm import Session

from scorekeeper import queries
from scorekeeper.ledger import Choices, MoneyKind, Plan, Price, Spread, UnbalancedLedger, plan_with, spread
from scorekeeper.ledger import Transfer as PlannedTransfer
from scorekeeper.models import AnyRow, GameSession, Payment, Settlement, Transfer
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
                select(Transfer.payer, Transfer.payee, Transfer.amount, Transfer.over)
                .join(Settlement, (Settlement.session_id == Transfer.session_id) & _drawn_up_together)
                .where(
                    Transfer.session_id == session.id,
                    Transfer.version == command.plan,
                    Transfer.line == command.line,
                    Settlement.withdrawn.is_(None),
                )
            ).one_or_none()
            still_open = transfer.amount - _paid(db, command) if transfer else 0
            if transfer is None or not still_open or transfer.over is not None:
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
                select(Payment.amount, Transfer.payer, Transfer.payee, Transfer.over, Settlement.withdrawn)
                .join(Transfer, (Transfer.session_id == Payment.session_id) & _of_line)
                .join(Settlement, (Settlement.session_id == Transfer.session_id) & _drawn_up_together)
                .where(*this, Payment.taken_back.is_(None))
            ).one_or_none()
            if payment is None or (payment.withdrawn is not None and session.state == "closed"):
                raise StaleSession
            if payment.withdrawn is None and payment.over is not None:
                raise StaleSession
            db.execute(update(Payment).where(*this).values(taken_back=session.version))
            amounts = (payment.payer, -payment.amount), (payment.payee, payment.amount)
            post_money(db, session, MoneyKind.PAYMENT, amounts)
    except AlreadyDone:
        return


_drawn_up_together = Settlement.version == Transfer.version
_of_line = (Transfer.version == Payment.plan) & (Transfer.line == Payment.line)


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
    seats = queries.seats_to_settle(db, session.id)
    if in_kitty(seats) <= 0:
        # There is nothing to keep, so nobody is said to keep it.
        choices = replace(choices, keeper=None)
    drawn = plan(price_of(session), seats, choices)
    common = {"session_id": session.id, "version": session.version, "group_id": session.group_id}
    left_open = {str(seat): amount for seat, amount in drawn.left.items() if amount}
    rest = {str(seat): amount for seat, amount in drawn.rest.items()}
    left = {"left_open": left_open, "remaining": left_open, "rest": rest}
    db.execute(insert(Settlement).values(**common, choices=choices_said(choices), **left))
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
        "alike": choices.alike,
        "to_kitty": choices.to_kitty,
    }
    usual = dict.fromkeys(said) | {"least": 1, "step": 1, "apart": [], "alike": False, "to_kitty": False}
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
    return plan_with(claims(price, seats, choices, more=more, costs=costs), choices)


def claims(
    price: Price,
    seats: Sequence[AnyRow],
    choices: Choices[int],
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
    kitty = of_kitty(seats, choices, costs).shares
    between = [row.settled + row.costs + costs.get(row.seat, 0) + row.carried for row in seats]
    found = {row.seat: won[place] + between[place] + kitty[place] - by_bank[place] for place, row in enumerate(seats)}
    if difference := sum(found.values()) + sum(by_bank):
        raise UnbalancedLedger(difference)
    return found


@dataclass(frozen=True, slots=True)
class Account:
    """How a seat comes to what it still gets.

    ``won + bought - cashed + paid + costs + kitty + carried - from_bank - left - rest == open``, where ``won`` is what
    it won or lost, ``bought`` what it paid the bank for chips and ``cashed`` what it got there, and ``paid`` what it
    paid others (below zero: got). ``costs`` is what it paid for others, less what is its part or went into the kitty,
    ``kitty`` what it gets of that, and ``carried`` what earlier sessions owe it, less what a later one settles.
    ``from_bank`` is what the bank gives it in the end (below zero: gets), ``left`` what the plan leaves open, ``rest``
    what it leaves to the kitty, and ``open`` what is still to come in transfers (below zero: to pay). No line is worked
    out from the others: a plan that does not settle does not add up.
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
    rest: int
    open: int


def worth_in_hand(price: Price, seats: Sequence[AnyRow]) -> list[int]:
    """What the chips that every seat has are worth."""
    won = price.of_everybody([row.chips for row in seats]).shares
    return [result + _at_bank(price, row) + row.settled for result, row in zip(won, seats, strict=True)]


def accounts(price: Price, seats: Sequence[AnyRow], choices: Choices[int], to_come: Plan[int]) -> tuple[Account, ...]:
    """The account of every seat, where the transfers *to_come* are still to be paid."""
    won = price.of_everybody([row.chips for row in seats]).shares
    kitty = of_kitty(seats, choices).shares
    kept = _kept(price, seats, choices, to_come)
    still = Counter[int]()
    for transfer in to_come.transfers:
        still[transfer.payer] -= transfer.amount
        still[transfer.payee] += transfer.amount
    found = []
    for row, result, share in zip(seats, won, kitty, strict=True):
        bought, at_bank = price.of(row.bought), _at_bank(price, row)
        found.append(
            Account(
                seat=row.seat,
                won=result,
                bought=bought,
                cashed=bought - at_bank,
                paid=row.settled,
                costs=row.costs,
                kitty=share,
                carried=row.carried,
                from_bank=max(0, at_bank) - kept[row.seat],
                left=to_come.left.get(row.seat, 0),
                rest=to_come.rest.get(row.seat, 0),
                open=still[row.seat],
            )
        )
    return tuple(found)


def _kept(price: Price, seats: Sequence[AnyRow], choices: Choices[int], to_come: Plan[int]) -> Counter[int]:
    """What the bank keeps from every seat for winnings that it has paid out: what it owes, and owes to nobody else."""
    kept = Counter[int]()
    if any(_at_bank(price, row) < 0 for row in seats):
        kept.subtract(claims(price, seats, choices))
        kept.update(to_come.left)
        kept.update(to_come.rest)
        for transfer in to_come.transfers:
            kept[transfer.payer] -= transfer.amount
            kept[transfer.payee] += transfer.amount
    return +kept


def still_open(transfers: Iterable[AnyRow], payments: Iterable[AnyRow]) -> tuple[PlannedTransfer[int], ...]:
    """What is still to be paid of each of *transfers*, nothing perhaps, where *payments* are those that count."""
    paid = Counter[tuple[int, int]]()
    for payment in payments:
        paid[payment.plan, payment.line] += payment.amount
    return tuple(PlannedTransfer(row.payer, row.payee, row.amount - paid[row.version, row.line]) for row in transfers)


def of_kitty(seats: Sequence[AnyRow], choices: Choices[int], costs: Mapping[int, int] = MappingProxyType({})) -> Spread:
    """What each of *seats* has of the kitty, by what each put in, or bears where it lacks something.

    It lacks something where it has paid out stakes of deals that then did not count. If nobody has put in anything,
    or that is chosen, all have and bear alike. *costs* are as for :func:`claims`, from stakes.
    """
    held = in_kitty(seats) - sum(costs.values())
    parts = [max(0, row.put_in - costs.get(row.seat, 0)) for row in seats]
    if choices.keeper is not None and held > 0:
        parts = [int(row.seat == choices.keeper) for row in seats]
    if not any(parts) or (choices.alike and choices.keeper is None):
        parts = [1] * len(parts)
    shares, spare = spread(parts, abs(held), sum(parts))
    return Spread(shares if held > 0 else tuple(-share for share in shares), spare)


def _at_bank(price: Price, seat: AnyRow) -> int:
    """What a seat has paid the bank for chips, less what it got there: rounded once, whenever it is asked."""
    return price.of(seat.bought - seat.cashed)

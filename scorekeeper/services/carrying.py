"""Carry what a settlement left open into a session that is begun: both ledgers enter it, with opposite signs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import exists, insert, select, update
from sqlalchemy.orm import Session

from scorekeeper import queries
from scorekeeper.ledger import MoneyKind
from scorekeeper.models import (
    AnyRow,
    CarriedOver,
    GameSession,
    MoneyEntry,
    Payment,
    Player,
    SessionSeat,
    Settlement,
    Transfer,
)
from scorekeeper.rules import Problem, Refused
from scorekeeper.services.ledger import chip_of, post_money
from scorekeeper.services.settlement import still_open
from scorekeeper.services.transaction import (
    AlreadyDone,
    SessionCommand,
    StaleSession,
    change_session,
    transaction,
    while_open,
)

LOOKED_AT = 10
"""How many of a group's latest settlements may leave something open for the next session."""


@dataclass(frozen=True, slots=True)
class Carry:
    """What is left open of an earlier session as it stands in ``version``, and what is not yet paid if ``unpaid``."""

    session_id: int
    version: int
    unpaid: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HandBack(SessionCommand):
    """What was carried over from the session ``source_id`` is not settled in this one after all."""

    source_id: int


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """What can be carried over of a session's settlement in force, by player: above zero to get.

    ``left`` is what the plan settles of nobody, and ``everything`` that and what is not yet paid.
    """

    session: AnyRow
    plan: int
    left: Mapping[int, int]
    everything: Mapping[int, int]


def left_open(db: Session, group_id: int) -> list[LeftOpen]:
    """What the latest settlements of a group leave open, the latest first."""
    found = db.execute(
        select(*GameSession.__table__.columns, Settlement.version.label("plan"), Settlement.left_open)
        .join(Settlement, Settlement.session_id == GameSession.id)
        .where(
            GameSession.group_id == group_id,
            Settlement.withdrawn.is_(None),
            ~exists().where(
                CarriedOver.source_id == GameSession.id,
                CarriedOver.plan == Settlement.version,
                CarriedOver.taken_back.is_(None),
            ),
        )
        .order_by(GameSession.id.desc())
        .limit(LOOKED_AT)
    ).all()
    return [left for left in _left_of(db, found) if any(left.everything.values())]


def lock(db: Session, sessions: Sequence[int]) -> None:
    """Lock sessions by their ids, and only then their group: the order of everybody who locks more than one row."""
    if sessions:
        these = select(GameSession.id).where(GameSession.id.in_(sessions))
        db.execute(these.order_by(GameSession.id).with_for_update())


def carry_over(db: Session, session: AnyRow, carries: Sequence[Carry], *, link_id: int, submission_id: str) -> None:
    """Have *session*, which is just being begun, settle what earlier ones leave open.

    :raises Refused: if one has changed since, is settled in another unit, or concerns somebody who does not sit there.
    """
    if not carries:
        return
    of_session = select(SessionSeat.player_id, SessionSeat.seat).where(SessionSeat.session_id == session.id)
    seats = {row.player_id: row.seat for row in db.execute(of_session)}
    total = Counter[int]()
    open_now = {one.session.id: one for one in left_open(db, session.group_id)}
    for carry in sorted(carries, key=lambda carry: carry.session_id):
        field = f"carry-{carry.session_id}"
        one = open_now.get(carry.session_id)
        amounts = (one.everything if carry.unpaid else one.left) if one else {}
        if one is None or one.session.version != carry.version or not any(amounts.values()):
            raise Refused(Problem("CARRY_CHANGED", field))
        if _unit(one.session) != _unit(session):
            raise Refused(Problem("CARRY_UNIT", field))
        if missing := [player for player in amounts if player not in seats]:
            names = db.scalars(select(Player.name).where(Player.id.in_(missing)).order_by(Player.id)).all()
            raise Refused(Problem("CARRY_MISSING", field, {"names": tuple(names)}))
        try:
            source = _note(db, one.session, "carry", session.name, link_id=link_id, submission_id=submission_id)
        except StaleSession:
            raise Refused(Problem("CARRY_CHANGED", field)) from None
        db.execute(
            insert(CarriedOver).values(
                session_id=session.id,
                source_id=source.id,
                group_id=session.group_id,
                plan=one.plan,
                source_version=source.version,
                unpaid=carry.unpaid,
            )
        )
        theirs = select(SessionSeat.player_id, SessionSeat.seat).where(SessionSeat.session_id == source.id)
        gives = {row.seat: -amounts.get(row.player_id, 0) for row in db.execute(theirs)}
        post_money(db, source, MoneyKind.CARRIED, _by_seat(gives))
        total.update({seats[player]: amount for player, amount in amounts.items()})
    post_money(db, session, MoneyKind.CARRIED, _by_seat(total))


def hand_back(db: Session, command: HandBack) -> None:
    """Have an earlier session settle again what was carried over from it.

    :raises Refused: if that has been settled anew meanwhile, without it.
    :raises StaleSession: if the session is past ``expected_version``, or settles nothing of that one.
    :raises SessionClosed: if the session has ended.
    """
    try:
        with transaction(db):
            lock(db, (command.source_id, command.session_id))
            this = CarriedOver.session_id == command.session_id, CarriedOver.source_id == command.source_id
            source = db.execute(
                select(*GameSession.__table__.columns, CarriedOver.source_version, Settlement.withdrawn)
                .join(CarriedOver, CarriedOver.source_id == GameSession.id)
                .join(Settlement, (Settlement.session_id == GameSession.id) & (Settlement.version == CarriedOver.plan))
                .where(*this, CarriedOver.taken_back.is_(None))
            ).one_or_none()
            session = while_open(change_session(db, command, "hand-back", note=source.name if source else ""))
            if source is None:
                raise StaleSession
            if source.state == "closed" and source.withdrawn is not None:
                raise Refused(Problem("CARRY_SETTLED", "carry"))
            brought = [row for row in queries.carried_from(db, session.id) if row.source_id == source.id]
            gave = select(MoneyEntry.seat, MoneyEntry.amount).where(
                MoneyEntry.session_id == source.id, MoneyEntry.version == source.source_version
            )
            given = db.execute(gave.order_by(MoneyEntry.line)).all()
            link, form = command.link_id, command.submission_id
            source = _note(db, source, "no-carry", session.name, link_id=link, submission_id=form)
            versions = {"taken_back": session.version, "source_taken_back": source.version}
            db.execute(update(CarriedOver).where(*this).values(versions))
            post_money(db, session, MoneyKind.CARRIED, [(row.seat, -row.amount) for row in brought])
            post_money(db, source, MoneyKind.CARRIED, [(row.seat, -row.amount) for row in given])
    except AlreadyDone:
        return


def _note(db: Session, source: AnyRow, kind: str, name: str, *, link_id: int, submission_id: str) -> AnyRow:
    """Move the earlier session on, with the *name* of the other one; whoever has its pen keeps it.

    :raises StaleSession: if somebody was quicker.
    """
    command = SessionCommand(
        session_id=source.id,
        expected_version=source.version,
        submission_id=submission_id,
        link_id=link_id,
        device=source.pen,
        device_name=source.pen_name,
    )
    return change_session(db, command, kind, note=name)


def open_at(left: Mapping[str, int], lines: Iterable[AnyRow], payments: Iterable[AnyRow]) -> dict[int, int]:
    """What is open by seat: what the plan leaves so, and of its *lines* what *payments* have not paid."""
    found = Counter({int(seat): amount for seat, amount in left.items()})
    for transfer in still_open(lines, payments):
        found[transfer.payer] -= transfer.amount
        found[transfer.payee] += transfer.amount
    return {seat: amount for seat, amount in found.items() if amount}


def _left_of(db: Session, drawn: Sequence[AnyRow]) -> Iterable[LeftOpen]:
    ids = [row.id for row in drawn]
    lines = db.execute(select(*Transfer.__table__.columns).where(Transfer.session_id.in_(ids))).all()
    counts = Payment.session_id.in_(ids), Payment.taken_back.is_(None)
    payments = db.execute(select(*Payment.__table__.columns).where(*counts)).all()
    accounts = select(SessionSeat.session_id, SessionSeat.seat, SessionSeat.player_id)
    players = {
        (row.session_id, row.seat): row.player_id
        for row in db.execute(accounts.where(SessionSeat.session_id.in_(ids)).order_by(SessionSeat.seat))
    }
    for row in drawn:
        of_plan = [line for line in lines if (line.session_id, line.version) == (row.id, row.plan)]
        paid = [payment for payment in payments if (payment.session_id, payment.plan) == (row.id, row.plan)]
        yield LeftOpen(
            row,
            row.plan,
            {players[row.id, seat]: amount for seat, amount in open_at(row.left_open, (), ()).items()},
            {players[row.id, seat]: amount for seat, amount in open_at(row.left_open, of_plan, paid).items()},
        )


def _by_seat(amounts: Mapping[int, int]) -> list[tuple[int | None, int]]:
    return [(seat, amount) for seat, amount in sorted(amounts.items()) if amount]


def _unit(session: AnyRow) -> tuple[str, int] | None:
    chip = chip_of(session)
    return (chip.currency, chip.exponent) if chip else None

"""Carry what a settlement left open into a session that is begun: both ledgers enter it, with opposite signs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from scorekeeper import queries
from scorekeeper.ledger import MoneyKind, plan_settlement
from scorekeeper.ledger import Transfer as Due
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
from scorekeeper.sessionfile import Chip

OFFERED = 10
"""Of so many sessions at most what is open can be taken along at a time."""


@dataclass(frozen=True, slots=True)
class Carry:
    """What is left open of an earlier session as it stands in ``version``, and what is not yet paid if ``unpaid``.

    That is as far as those can settle it between them who sit down; the rest stays open.
    """

    session_id: int
    version: int
    unpaid: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HandBack(SessionCommand):
    """What was carried over from the session ``source_id`` is not settled in this one after all."""

    source_id: int


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """What is open of a session's settlement in force, and no later session settles.

    ``left`` is what the plan settles of nobody, by player: above zero to get. ``unpaid`` are the payments between
    players that are not made yet, by their lines.
    """

    session: AnyRow
    plan: int
    left: Mapping[int, int]
    unpaid: Mapping[int, Due[int]]

    def concerned(self, *, unpaid: bool) -> dict[int, int]:
        """What everybody is still to get, with the payments not yet made if *unpaid*."""
        return _sums(self.left, self.unpaid.values() if unpaid else ())

    def lines_among(self, players: Collection[int]) -> list[int]:
        """The payments not yet made of which both sides are among *players*."""
        return [line for line, due in self.unpaid.items() if due.payer in players and due.payee in players]

    def left_among(self, players: Collection[int]) -> dict[int, int]:
        """What *players* can settle between them of what is left: it sums to zero."""
        dues = [due for due in plan_settlement(self.left) if due.payer in players and due.payee in players]
        return _sums({}, dues)

    def among(self, players: Collection[int], *, unpaid: bool) -> dict[int, int]:
        """What *players* can take along, with the payments not yet made if *unpaid*."""
        lines = self.lines_among(players) if unpaid else ()
        return _sums(self.left_among(players), [self.unpaid[line] for line in lines])


def left_open(db: Session, group_id: int) -> list[LeftOpen]:
    """What is open of a group's sessions, the latest first: of so many as are offered, and one if there are more."""
    found = db.execute(
        select(*GameSession.__table__.columns, Settlement.version.label("plan"), Settlement.remaining)
        .join(Settlement, Settlement.session_id == GameSession.id)
        .where(
            GameSession.group_id == group_id,
            queries.LEAVES_OPEN,
        )
        .order_by(GameSession.id.desc())
        .limit(OFFERED + 1)
    ).all()
    return list(_left_of(db, found))


def in_other_unit(source: AnyRow, chip: Chip | None, field: str) -> list[Problem]:
    """Why nothing can be carried over from the session *source* where chips have the price *chip*, if so."""
    settled = chip_of(source)
    if _unit(settled) == _unit(chip):
        return []
    if settled is None:
        return [Problem("CARRY_CHIPS", field)]
    price = {"price": settled.value_minor, "exponent": settled.exponent, "chips": settled.chips}
    return [Problem("CARRY_UNIT", field, {"currency": settled.currency, **price})]


def lock(db: Session, sessions: Sequence[int]) -> None:
    """Lock sessions by their ids, and only then their group: the order of everybody who locks more than one row."""
    if sessions:
        these = select(GameSession.id).where(GameSession.id.in_(sessions))
        db.execute(these.order_by(GameSession.id).with_for_update())


def carry_over(db: Session, session: AnyRow, carries: Sequence[Carry], *, link_id: int, submission_id: str) -> None:
    """Have *session*, which is just being begun, settle what earlier ones leave open.

    :raises Refused: if one has changed since, is settled in another unit, or leaves nothing that those who sit there
        could settle between them.
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
        concerned = one.concerned(unpaid=carry.unpaid) if one else {}
        if one is None or one.session.version != carry.version or not concerned:
            raise Refused(Problem("CARRY_CHANGED", field))
        if refused := in_other_unit(one.session, chip_of(session), field):
            raise Refused(*refused)
        amounts = one.among(seats, unpaid=carry.unpaid)
        if not amounts:
            missing = [player for player in concerned if player not in seats]
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
            )
        )
        accounts = select(SessionSeat.player_id, SessionSeat.seat).where(SessionSeat.session_id == source.id)
        theirs = {row.player_id: row.seat for row in db.execute(accounts)}
        if carry.unpaid:
            of_plan = Transfer.session_id == source.id, Transfer.version == one.plan
            lines = Transfer.line.in_(one.lines_among(seats))
            db.execute(update(Transfer).where(*of_plan, lines).values(over=session.id))
        taken = Counter({theirs[player]: -amount for player, amount in one.left_among(seats).items()})
        _add_to_remaining(db, source, one.plan, taken)
        post_money(db, source, MoneyKind.CARRIED, _by_seat({theirs[player]: -amounts[player] for player in amounts}))
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
                select(
                    *(*GameSession.__table__.columns, CarriedOver.source_version),
                    *(CarriedOver.plan, Settlement.withdrawn),
                )
                .join(CarriedOver, CarriedOver.source_id == GameSession.id)
                .join(Settlement, (Settlement.session_id == GameSession.id) & (Settlement.version == CarriedOver.plan))
                .where(*this, CarriedOver.taken_back.is_(None))
            ).one_or_none()
            session = while_open(change_session(db, command, "hand-back", note=source.name if source else ""))
            if source is None:
                raise StaleSession
            if source.state == "closed" and source.withdrawn is not None:
                raise Refused(Problem("CARRY_SETTLED", "carry"))
            carried = queries.carried(db, session.id)
            brought = [row for row in carried if row.settled_here and row.id == source.id]
            gave = select(MoneyEntry.seat, MoneyEntry.amount).where(
                MoneyEntry.session_id == source.id, MoneyEntry.version == source.source_version
            )
            given = db.execute(gave.order_by(MoneyEntry.line)).all()
            link, form = command.link_id, command.submission_id
            moved = _note(db, source, "no-carry", session.name, link_id=link, submission_id=form)
            versions = {"taken_back": session.version, "source_taken_back": moved.version}
            db.execute(update(CarriedOver).where(*this).values(versions))
            post_money(db, session, MoneyKind.CARRIED, [(row.seat, -row.amount) for row in brought])
            post_money(db, moved, MoneyKind.CARRIED, [(row.seat, -row.amount) for row in given])
            of_plan = Transfer.session_id == source.id, Transfer.version == source.plan, Transfer.over == session.id
            lines = db.execute(select(*Transfer.__table__.columns).where(*of_plan)).all()
            paid = select(*Payment.__table__.columns).where(
                Payment.session_id == source.id, Payment.plan == source.plan
            )
            payments = paid_by(db.execute(paid).all(), source.source_version)
            left = left_of({row.seat: -row.amount for row in given}, still_open(lines, payments))
            _add_to_remaining(db, source, source.plan, left)
            db.execute(update(Transfer).where(*of_plan).values(over=None))
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


def paid_by(payments: Iterable[AnyRow], version: int) -> list[AnyRow]:
    """Those of *payments* that counted before *version* of the session."""
    return [row for row in payments if row.version < version and (row.taken_back is None or row.taken_back > version)]


def left_of(open_by: Mapping[int, int], dues: Iterable[Due[int]]) -> dict[int, int]:
    """What is open beside *dues*, where *open_by* is all that is open."""
    return _sums(open_by, [Due(due.payee, due.payer, due.amount) for due in dues])


def _sums(left: Mapping[int, int], dues: Iterable[Due[int]]) -> dict[int, int]:
    """What is *left* and what is due, by who is to get it, where that is anything."""
    found = Counter(left)
    for due in dues:
        found[due.payer] -= due.amount
        found[due.payee] += due.amount
    return {who: amount for who, amount in found.items() if amount}


def _add_to_remaining(db: Session, source: AnyRow, plan: int, more: Mapping[int, int]) -> None:
    """Have a plan leave so much *more* open by seat, below zero less, that no later session settles."""
    this = Settlement.session_id == source.id, Settlement.version == plan
    remaining = Counter(
        {int(seat): amount for seat, amount in db.scalars(select(Settlement.remaining).where(*this)).one().items()}
    )
    remaining.update(more)
    values = {str(seat): amount for seat, amount in sorted(remaining.items()) if amount}
    db.execute(update(Settlement).where(*this).values(remaining=values))


def _left_of(db: Session, drawn: Sequence[AnyRow]) -> Iterable[LeftOpen]:
    ids = [row.id for row in drawn]
    of_sessions = Transfer.session_id.in_(ids), Transfer.over.is_(None)
    lines = db.execute(select(*Transfer.__table__.columns).where(*of_sessions).order_by(Transfer.line)).all()
    counts = Payment.session_id.in_(ids), Payment.taken_back.is_(None)
    payments = db.execute(select(*Payment.__table__.columns).where(*counts)).all()
    accounts = select(SessionSeat.session_id, SessionSeat.seat, SessionSeat.player_id)
    players = {
        (row.session_id, row.seat): row.player_id
        for row in db.execute(accounts.where(SessionSeat.session_id.in_(ids)).order_by(SessionSeat.seat))
    }
    for row in drawn:
        of_plan = [line for line in lines if (line.session_id, line.version) == (row.id, row.plan)]
        paid = [payment for payment in payments if payment.session_id == row.id]
        yield LeftOpen(
            row,
            row.plan,
            {players[row.id, int(seat)]: amount for seat, amount in row.remaining.items()},
            {
                line.line: Due(players[row.id, due.payer], players[row.id, due.payee], due.amount)
                for line, due in zip(of_plan, still_open(of_plan, paid), strict=True)
                if due.amount
            },
        )


def _by_seat(amounts: Mapping[int, int]) -> list[tuple[int | None, int]]:
    return [(seat, amount) for seat, amount in sorted(amounts.items()) if amount]


def _unit(chip: Chip | None) -> tuple[str, int] | None:
    return (chip.currency, chip.exponent) if chip else None

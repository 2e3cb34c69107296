"""Declare, record, correct and void deals; start the next game of a session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from sqlalchemy import ScalarSelect, bindparam, case, func, insert, literal, select, update
from sqlalchemy.orm import Session

from scorekeeper.limits import MAX_DEALS
from scorekeeper.models import AnyRow, Base, Deal, DealVersion, GameSession
from scorekeeper.rules import CardGame, Facts, IllegalDeal, Problem, Ruleset, Seat, Table
from scorekeeper.services.history import (
    Brought,
    Entered,
    Replayed,
    dealt_at,
    first_table,
    game_of,
    pending_game,
    present_at,
    replay,
    scored_deal,
    still_declared,
    who_played,
)
from scorekeeper.services.ledger import adjustments, post_deals, post_stakes
from scorekeeper.services.settlement import SettlementInForce, discard
from scorekeeper.services.transaction import (
    AlreadyDone,
    SessionCommand,
    StaleSession,
    change_session,
    transaction,
    while_open,
)

_sessions = Base.metadata.tables["game_session"]
# Every deal needs these: they are built once, which takes longer than running them.
_ENTER = insert(Base.metadata.tables["deal"])
_MOVES = ("table", "undecided", "deals", "declared")
_MOVE_ON = (
    update(_sessions)
    .where(_sessions.c.id == bindparam("of_session"))
    .values({name: bindparam(f"new_{name}", type_=_sessions.c[name].type) for name in _MOVES})
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeDeals(SessionCommand):
    """``discard`` says that a settlement in force may be discarded for it."""

    discard: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordDeal(ChangeDeals):
    facts: Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordDeals(SessionCommand):
    """``deals`` are what was written down about each, in the order they were dealt."""

    deals: tuple[Facts, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclareDeal(SessionCommand):
    """``facts`` are what is known when the bidding ends, or only who deals out of turn."""

    facts: Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectDeal(ChangeDeals):
    """``facts`` are the whole deal as it should have been entered. Correcting a void deal makes it count again."""

    number: int
    facts: Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class VoidDeal(ChangeDeals):
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreDeal(ChangeDeals):
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputeDeal(SessionCommand):
    """``disputed`` is whether people disagree about the deal, or agree again."""

    number: int
    disputed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideGame(ChangeDeals):
    """Whether a new game begins with a deal: how a person decides about deals that no longer count."""

    number: int
    starts_game: bool


def record_deal(db: Session, command: RecordDeal) -> int:
    """Score a deal and enter it in its session's ledger, in one transaction. Returns its number.

    Sending the same form again returns the number of the deal already recorded.

    :raises MalformedDeal: if its facts are not a deal; nothing is written.
    :raises IllegalDeal: if it cannot have happened; nothing is written.
    :raises StaleSession: if the session is past ``expected_version``.
    :raises SettlementInForce: if the session has ended, and ``discard`` is not said.
    """
    try:
        with transaction(db):
            session = _make_way(db, command, change_session(db, command, "record"))
            game, ruleset = _recordable(session)
            return _enter(db, session, game, Table.restored(ruleset, session.table), command.facts)
    except AlreadyDone as done:
        recorded = select(Deal.number).where(Deal.session_id == command.session_id, Deal.recorded == done.version)
        return db.scalars(recorded).one()


def record_deals(db: Session, command: RecordDeals) -> None:
    """Record deals one after another, each in a version of its own: all of them in one transaction, or none.

    The first after the end of a game begins the next. Sending the same form again does nothing more.

    :raises MalformedDeal: if the facts of one are not a deal; nothing is written.
    :raises IllegalDeal: if one cannot have happened; nothing is written.
    :raises StaleSession: if the session is past ``expected_version``.
    :raises SessionClosed: if the session has ended.
    """
    try:
        with transaction(db):
            one = command
            for place, facts in enumerate(command.deals, start=1):
                session = change_session(db, one, "record")
                game, ruleset = _recordable(session)
                table = next_game_begun(game, Table.restored(ruleset, session.table))
                _enter(db, session, game, table, game.entered(facts, table))
                submission = f"{command.submission_id}-{place}"
                one = replace(command, submission_id=submission, expected_version=session.version)
    except AlreadyDone:
        return


def next_game_begun(game: CardGame[Any], table: Table) -> Table:
    """*table*, or that of the next game where the one at *table* has ended."""
    return game.new_game(table) if table.over else table


def declare_deal(db: Session, command: DeclareDeal) -> None:
    """Keep what is known of the next deal until it is recorded; it scores nothing. What had been declared is replaced.

    :raises IllegalDeal: if it cannot have been bid so, or something needed is missing; nothing is written.
    :raises StaleSession: if the session is past ``expected_version``.
    :raises SessionClosed: if the session has ended.
    """
    try:
        with transaction(db):
            session = change_session(db, command, "declare")
            game, ruleset = _recordable(session)
            table = Table.restored(ruleset, session.table)
            _move_on(db, session, table, declared=game.declare(command.facts, table))
    except AlreadyDone:
        return


def drop_declared(db: Session, command: SessionCommand) -> None:
    """Forget the declared deal.

    :raises StaleSession: if the session is past ``expected_version``.
    """
    try:
        with transaction(db):
            session = change_session(db, command, "drop")
            _move_on(db, session, Table.restored(game_of(session)[1], session.table), declared=None)
    except AlreadyDone:
        return


def correct_deal(db: Session, command: CorrectDeal) -> None:
    """Replace what was entered about a deal and score every deal after it again.

    The ledger only grows: reversing and replacement entries keep who and when. If the game now ends earlier, later
    deals are kept, marked unscored and shown, until a person starts a new game from them or voids them.

    :raises MalformedDeal: if the facts are not a deal; nothing is written.
    :raises IllegalDeal: if this deal cannot have happened; nothing is written.
    :raises StaleSession: if the session is past ``expected_version``.
    :raises SettlementInForce: if the session has ended, and ``discard`` is not said.
    """
    _change_deal(db, command, "correct", facts=command.facts, void=False)


def void_deal(db: Session, command: VoidDeal) -> None:
    """Cancel a deal: everything is as if it had never been dealt, and the history keeps it.

    :raises StaleSession: if the session is past ``expected_version``.
    :raises SettlementInForce: if the session has ended, and ``discard`` is not said.
    """
    _change_deal(db, command, "void", void=True)


def restore_deal(db: Session, command: RestoreDeal) -> None:
    """Have a void deal count again, as it was.

    :raises StaleSession: if the session is past ``expected_version``.
    :raises SettlementInForce: if the session has ended, and ``discard`` is not said.
    """
    _change_deal(db, command, "restore", void=False)


def decide_game(db: Session, command: DecideGame) -> None:
    """Begin a new game with a deal, or count it in the game before, and score every deal from it on again.

    :raises IllegalDeal: if a new game cannot begin there, because the one before has not ended.
    :raises StaleSession: if the session is past ``expected_version``.
    :raises SettlementInForce: if the session has ended, and ``discard`` is not said.
    """
    _change_deal(db, command, "decide", starts_game=command.starts_game)


def dispute_deal(db: Session, command: DisputeDeal) -> None:
    """Say that people do not agree about a deal, or that they do now. It counts as it was recorded either way.

    :raises StaleSession: if that has been said, or the session is past ``expected_version``.
    """
    try:
        with transaction(db):
            session = change_session(db, command, "dispute" if command.disputed else "agree", note=str(command.number))
            changed = (
                update(Deal)
                .where(Deal.session_id == session.id, Deal.number == command.number, Deal.disputed != command.disputed)
                .values(disputed=command.disputed)
                .returning(Deal.number)
            )
            if db.execute(changed).one_or_none() is None:
                raise StaleSession
    except AlreadyDone:
        return


def start_next_game(db: Session, command: SessionCommand) -> None:
    """Begin the next game of a session whose game has ended.

    :raises IllegalDeal: if it has not ended.
    :raises StaleSession: if the session is past ``expected_version``.
    :raises SessionClosed: if the session has ended.
    """
    try:
        with transaction(db):
            session = while_open(change_session(db, command, "new-game"))
            game, ruleset = game_of(session)
            _change_table(db, session, game.new_game(Table.restored(ruleset, session.table)))
    except AlreadyDone:
        return


def take_back_next_game(db: Session, command: SessionCommand) -> None:
    """Undo the start of a game in which nothing has been dealt: the one before is over again.

    :raises StaleSession: if something has been dealt, or the session is past ``expected_version``.
    :raises SessionClosed: if the session has ended.
    """
    try:
        with transaction(db):
            session = while_open(change_session(db, command, "no-game"))
            table = _table_left(db, session, present_at(session.seating))
            if session.table["game"] == table.game:
                raise StaleSession
            _change_table(db, session, table)
    except AlreadyDone:
        return


def _enter(db: Session, session: AnyRow, game: CardGame[Any], table: Table, facts: Facts) -> int:
    """Score the deal that follows at *table*, enter it in the session and its ledger, and return its number."""
    score = game.play(facts, table)
    number: int = session.deals + 1
    scored = scored_deal(score)
    db.connection().execute(
        _ENTER,
        {
            "session_id": session.id,
            "number": number,
            "group_id": session.group_id,
            "recorded": session.version,
            "version": session.version,
            "starts_game": _starts_game(db, session, table),
            "stake": session.stake,
            "facts": dict(facts),
            "seating": session.seating,
            **columns_of(scored),
        },
    )
    post_deals(db, session, [(number, None, scored)])
    post_stakes(db, session, [(session.stake, None, scored)])
    _move_on(db, session, score.table, deals=number, declared=None)
    return number


def _make_way(db: Session, command: ChangeDeals, session: AnyRow) -> AnyRow:
    """The session's row with no settlement in force, which what comes would change.

    :raises SettlementInForce: if there is one, and it is not to be discarded.
    """
    if session.state != "closed":
        return session
    if not command.discard:
        raise SettlementInForce
    discard(db, session)
    return db.execute(select(*GameSession.__table__.columns).where(GameSession.id == session.id)).one()


def _recordable(session: AnyRow) -> tuple[CardGame[Any], Ruleset]:
    """The game of a session in which a deal can be recorded.

    :raises IllegalDeal: if a person must decide about earlier deals first, or there are too many.
    :raises SessionClosed: if the session has ended.
    """
    if while_open(session).undecided:
        raise IllegalDeal(Problem("UNDECIDED", "deal"))
    if session.deals >= MAX_DEALS:
        raise IllegalDeal(Problem("DEALS_TOO_MANY", "deal", {"max": MAX_DEALS}))
    return game_of(session)


def _change_deal(
    db: Session,
    command: CorrectDeal | VoidDeal | RestoreDeal | DecideGame,
    kind: str,
    *,
    facts: Facts | None = None,
    void: bool | None = None,
    starts_game: bool | None = None,
) -> None:
    """Change what is given about a deal, keep what it said before, and score from it on again."""
    try:
        with transaction(db):
            session = _make_way(db, command, change_session(db, command, kind, note=str(command.number)))
            rows = _deals_from(db, session, command.number)
            place = next((place for place, row in enumerate(rows) if row.number == command.number), None)
            if place is None:
                raise StaleSession
            target = rows[place]
            game, _ = game_of(session)
            changed = entered(target)
            table, moved = _before(db, session, rows)
            if facts is not None:
                # They say who dealt, unless it was in turn.
                changed = replace(changed, facts=facts, dealer=None)
                # An unscored deal stands after the end of a game: it must be a deal all the same.
                left = replay(game, table, map(entered, rows[:place]), moved, changed.present).table
                game.play(facts, replace(dealt_at(game, left, changed), winners=()))
            if void is not None:
                changed = replace(changed, void=void)
            if starts_game is False and target.reason != "GAME_NOT_OVER":
                raise StaleSession
            if starts_game is not None:
                changed = replace(changed, starts_game=starts_game)
            now = {row.number: entered(row) for row in rows} | {command.number: changed}
            if starts_game is False:
                # The start may have come from void deals just before.
                for row in takewhile(lambda row: row.status == "void", reversed(rows[:place])):
                    now[row.number] = replace(now[row.number], starts_game=False)
            replayed = replay(game, table, now.values(), moved, present_at(session.seating))
            if starts_game and replayed.deals[place].reason == "GAME_NOT_OVER":
                raise IllegalDeal(Problem("GAME_NOT_OVER", "deal"))
            _keep_version(db, session, target)
            db.execute(
                update(Deal)
                .where(Deal.session_id == session.id, Deal.number == target.number)
                .values(version=session.version, facts=dict(changed.facts))
            )
            for row in rows:
                starts = now[row.number].starts_game and row.number not in replayed.idle
                if starts != row.starts_game:
                    this = Deal.session_id == session.id, Deal.number == row.number
                    db.execute(update(Deal).where(*this).values(starts_game=starts))
            _store(db, session, rows, replayed)
            _change_table(db, session, pending_game(game, session, replayed.table), undecided=replayed.undecided)
    except AlreadyDone:
        return


def entered(row: AnyRow) -> Entered:
    """A deal's row as people left it."""
    present, dealer = present_at(row.seating), Seat(row.before["dealer"])
    return Entered(row.number, row.recorded, row.facts, present, row.starts_game, row.status == "void", dealer)


def brought(row: AnyRow) -> Brought:
    """What came of a deal, as its row keeps it."""
    return Brought(
        row.before,
        tuple(row.totals),
        row.status,
        row.reason,
        row.result,
        tuple(row.points),
        tuple(row.chips),
        tuple(row.winners),
    )


def columns_of(deal: Brought) -> dict[str, Any]:
    """What came of a deal, as the columns of its row."""
    return {
        "before": deal.before,
        "totals": list(deal.totals),
        "status": deal.status,
        "reason": deal.reason,
        "result": str(deal.result),
        "points": list(deal.points),
        "chips": list(deal.chips),
        "winners": list(deal.winners),
    }


def table_for(db: Session, session: AnyRow, present: tuple[Seat, ...]) -> Table:
    """The table for the next deal, played by those *present*, clockwise."""
    return pending_game(game_of(session)[0], session, _table_left(db, session, present))


@dataclass(frozen=True, slots=True)
class Without:
    """What would be if some deals were void: the ``table`` for the next one, and the later deals that would change.

    ``undecided`` says that a person would have to decide about some of them first, ``more`` how many chips more than
    now each seat would have won, and ``costs`` how much more it would have in costs: what it put into the kitty.
    """

    table: Table
    undecided: bool
    dealt_by_others: tuple[int, ...]
    uncounted: tuple[int, ...]
    more: Mapping[int, int]
    costs: Mapping[int, int]


def without(db: Session, session: AnyRow, number: int) -> Without:
    """What would be if the deal of this *number* were void. Nothing is written."""
    return _without(db, session, _deals_from(db, session, number), [number])


def without_disputed(db: Session, session: AnyRow) -> tuple[Sequence[int], Without] | None:
    """The numbers of the deals that count and are in dispute, if any are, and what would be if they were void."""
    in_dispute = Deal.session_id == session.id, Deal.disputed, Deal.status == "scored"
    rows = _deals_from(db, session, select(func.min(Deal.number)).where(*in_dispute).scalar_subquery())
    numbers = [row.number for row in rows if row.disputed and row.status == "scored"]
    return (numbers, _without(db, session, rows, numbers)) if numbers else None


def _without(db: Session, session: AnyRow, rows: Sequence[AnyRow], numbers: Sequence[int]) -> Without:
    game = game_of(session)[0]
    table, moved = _before(db, session, rows)
    deals = [replace(entered(row), void=row.status == "void" or row.number in numbers) for row in rows]
    then = replay(game, table, deals, moved, present_at(session.seating))
    others = [
        (row, deal)
        for row, deal in zip(rows, then.deals, strict=True)
        if row.number > min(numbers) and row.number not in numbers and row.status != "void"
    ]
    more, costs = Counter[int](), Counter[int]()
    for row, deal in zip(rows, then.deals, strict=True):
        more.update(dict(enumerate(deal.chips)))
        more.subtract(dict(enumerate(row.chips)))
        if row.stake:
            costs.update(dict.fromkeys(who_played(session, brought(row)), row.stake))
            costs.subtract(dict.fromkeys(who_played(session, deal), row.stake))
    return Without(
        pending_game(game, session, then.table),
        then.undecided,
        tuple(row.number for row, deal in others if deal.before["dealer"] != row.before["dealer"]),
        tuple(row.number for row, deal in others if row.status == "scored" and deal.status != "scored"),
        more,
        costs,
    )


def _table_left(db: Session, session: AnyRow, present: tuple[Seat, ...]) -> Table:
    """The table as the deals leave it: a game that a person has begun since is not in it."""
    rows = _deals_from(db, session, session.deals + 1)
    table, moved = _before(db, session, rows)
    return replay(game_of(session)[0], table, map(entered, rows), moved, present).table


def _starts_game(db: Session, session: AnyRow, table: Table) -> bool:
    """Whether the next deal is the first of the game a person began at *table*.

    It is not where a misdeal came before it, or a void deal that leaves it the start.
    """
    if table.game == 1 or table.deals:
        return False
    latest = db.execute(
        select(Deal.number, Deal.before)
        .where(Deal.session_id == session.id, Deal.status != "void")
        .order_by(Deal.number.desc())
        .limit(1)
    ).one()
    if latest.before["game"] == table.game:
        return False
    void_starts = select(Deal.number).where(
        Deal.session_id == session.id, Deal.number > latest.number, Deal.starts_game
    )
    return db.scalar(void_starts.limit(1)) is None


def _deals_from(db: Session, session: AnyRow, number: int | ScalarSelect[int]) -> Sequence[AnyRow]:
    """The deals to score again when *number* changes, if there is one: those from the last before it that is not void.

    That one left the table, and the void ones since may leave the start of a game. Where later deals wait for a
    decision it is everything: which of them wait depends on the first.
    """
    counts = select(func.max(Deal.number)).where(
        Deal.session_id == session.id, Deal.number < number, Deal.status != "void"
    )
    given = literal(number) if isinstance(number, int) else number
    all_or_none = case((given.is_(None), MAX_DEALS + 1), else_=1)
    first = all_or_none if session.undecided else func.coalesce(counts.scalar_subquery(), all_or_none)
    deals = select(*Deal.__table__.columns).where(Deal.session_id == session.id, Deal.number >= first)
    return db.execute(deals.order_by(Deal.number)).all()


def _before(db: Session, session: AnyRow, rows: Sequence[AnyRow]) -> tuple[Table, dict[int, dict[int, int]]]:
    """The table from which *rows* can be scored again, and the adjustments that are not in it yet."""
    if not rows or rows[0].number == 1:
        return first_table(session), adjustments(db, session, after=0)
    ruleset = game_of(session)[1]
    return Table.restored(ruleset, rows[0].before), adjustments(db, session, after=rows[0].recorded)


def _keep_version(db: Session, session: AnyRow, deal: AnyRow) -> None:
    db.execute(
        insert(DealVersion).values(
            session_id=session.id,
            number=deal.number,
            replaced=session.version,
            group_id=session.group_id,
            version=deal.version,
            status=deal.status,
            facts=deal.facts,
        )
    )


def _store(db: Session, session: AnyRow, rows: Sequence[AnyRow], replayed: Replayed) -> None:
    """Write what *replayed* changes in the *rows* it was replayed from, and in the ledger."""
    differences = [
        (row.number, old, new) for row, new in zip(rows, replayed.deals, strict=True) if (old := brought(row)) != new
    ]
    if differences:
        db.connection().execute(
            update(Deal.__table__)  # type: ignore[arg-type]
            .where(Deal.__table__.c.session_id == session.id, Deal.__table__.c.number == bindparam("deal_number"))
            .values({name: bindparam(f"new_{name}") for name in columns_of(differences[0][2])}),
            [
                {"deal_number": number} | {f"new_{name}": value for name, value in columns_of(new).items()}
                for number, _, new in differences
            ],
        )
    post_deals(db, session, differences)
    stakes = {row.number: row.stake for row in rows}
    post_stakes(db, session, [(stakes[number], old, new) for number, old, new in differences])


def _change_table(db: Session, session: AnyRow, table: Table, **changed: object) -> None:
    """Write another table for the next deal, and what else has *changed*; what was declared stays if it still fits."""
    declared = still_declared(game_of(session)[0], session.declared, table)
    _move_on(db, session, table, declared=declared, **changed)


def _move_on(db: Session, session: AnyRow, table: Table, **changed: object) -> None:
    """Write the table for the next deal, and what else has *changed*."""
    now = {name: getattr(session, name) for name in _MOVES} | {"table": table.state(), **changed}
    db.connection().execute(_MOVE_ON, {"of_session": session.id} | {f"new_{name}": now[name] for name in _MOVES})

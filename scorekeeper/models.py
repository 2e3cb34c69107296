"""Mapped classes and their constraints. No rule of a card game, no Flask.

A session's version counts its changes and orders everything that happened in it: no two things share one, and no clock
decides. What a deal brought, and every running total, is stored beside the facts it follows from; ``scorekeeper check``
works it all out again and reports any difference.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any, Final

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Date,
    DateTime,
    Dialect,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    MetaData,
    Row,
    String,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, registry

AnyRow = Row[*tuple[Any, ...]]
"""A row read by its columns' names."""


NEVER_REUSED: Final = {"sqlite_autoincrement": True}
"""What cookies, addresses and phones keep of a row that has gone must not open the next one."""


class UtcDateTime(TypeDecorator[datetime]):
    """An instant, kept in UTC on databases that know no time zones."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.replace(tzinfo=UTC)


class Base(DeclarativeBase):
    registry = registry(
        metadata=MetaData(
            naming_convention={
                "ix": "ix_%(table_name)s_%(column_0_N_name)s",
                "uq": "uq_%(table_name)s_%(column_0_N_name)s",
                "ck": "ck_%(table_name)s_%(constraint_name)s",
                "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
                "pk": "pk_%(table_name)s",
            }
        ),
        type_annotation_map={
            datetime: UtcDateTime,
            date: Date,
            dict[str, Any]: JSON,
            list[int]: JSON,
            list[list[int]]: JSON,
        },
    )


class Group(Base):
    """People who play together. ``version`` counts the changes of its name, players, links and chip set.

    ``chip_set`` are the colours of the chips it owns: for each its name, value in chips and pieces, the smallest first.
    """

    __tablename__ = "player_group"
    __table_args__ = NEVER_REUSED

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    version: Mapped[int] = mapped_column(default=1)
    submission_id: Mapped[str] = mapped_column(String(32), unique=True)
    fingerprint: Mapped[str] = mapped_column(String(64))
    """Of the form that made it."""
    chip_set: Mapped[list[Any] | None] = mapped_column(JSON(none_as_null=True))
    created_at: Mapped[datetime]


class GroupLink(Base):
    """A key to a group: a random token, of which only the hash is kept. Withdrawing it ends every cookie it gave.

    ``role`` is what it lets one do, ``name`` what people call it. One with a ``session_id`` opens that session and
    nothing else of the group. It has no token: whoever joins by a code of the session gets it, or whoever was handed
    the pen; then the hash is that of the first code which did it.
    """

    __tablename__ = "group_link"
    __table_args__ = NEVER_REUSED

    id: Mapped[int] = mapped_column(primary_key=True)
    group_id: Mapped[int] = mapped_column(ForeignKey("player_group.id"), index=True)
    role: Mapped[str] = mapped_column(String(8))
    name: Mapped[str] = mapped_column(String(40))
    token_hash: Mapped[str | None] = mapped_column(String(64), unique=True)
    session_id: Mapped[int | None] = mapped_column(ForeignKey("game_session.id"), index=True)
    created_at: Mapped[datetime]
    withdrawn_at: Mapped[datetime | None]


class JoinCode(Base):
    """The letters that let anybody who hears them join a session, as long as they hold: then the row goes."""

    __tablename__ = "join_code"

    session_id: Mapped[int] = mapped_column(ForeignKey("game_session.id"), primary_key=True)
    role: Mapped[str] = mapped_column(String(8), primary_key=True)
    group_id: Mapped[int]
    link_id: Mapped[int] = mapped_column(ForeignKey("group_link.id"), index=True)
    """What those who join come in by."""
    code: Mapped[str] = mapped_column(String(6), unique=True)


class JoinAttempt(Base):
    """How often a code was guessed wrongly from one address, or with the same beginning, or a group was made from one.

    ``until`` says how long to wait with the next.
    """

    __tablename__ = "join_attempt"

    key: Mapped[str] = mapped_column(String(50), primary_key=True)
    failures: Mapped[int]
    until: Mapped[datetime] = mapped_column(index=True)


class Player(Base):
    """Somebody who plays in a group. ``name_key`` is the name as compared: no two alike in a group.

    Who has retired keeps every account, and is not offered a seat any more.
    """

    __tablename__ = "player"
    __table_args__ = (UniqueConstraint("group_id", "name_key"), NEVER_REUSED)

    id: Mapped[int] = mapped_column(primary_key=True)
    group_id: Mapped[int] = mapped_column(ForeignKey("player_group.id"))
    name: Mapped[str] = mapped_column(String(40))
    name_key: Mapped[str] = mapped_column(String(160))
    created_at: Mapped[datetime]
    retired_at: Mapped[datetime | None]


class GameSession(Base):
    """One sitting of one card game.

    Where chips have a price, ``chip_value_minor`` is that of ``chips_priced`` of them. ``state`` is ``closed`` as long
    as a settlement is in force.

    ``options`` is its own copy of its ruleset, as JSON text. ``table`` is the table for the next deal. ``seating`` says
    who is at the table now, clockwise: pairs of a seat and the id of the player in it, who may play on another's
    account. ``declared`` are the facts of the deal being played, as far as they are known when the bidding ends.
    ``undecided`` says that later deals were recorded as a new game of which a correction took the start away; nothing
    more can be recorded until a person decides about them. ``pen`` is the device that writes, or None where whoever
    writes first will be it; ``pen_name`` is what people call it, as far as is known, and ``pen_since`` the version in
    which it came to it.
    """

    __tablename__ = "game_session"
    __table_args__ = (
        UniqueConstraint("group_id", "submission_id"),
        Index("ix_game_session_group_id_id", "group_id", "id"),
        CheckConstraint("state IN ('open', 'closed')", name="state"),
        NEVER_REUSED,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    group_id: Mapped[int] = mapped_column(ForeignKey("player_group.id"))
    name: Mapped[str] = mapped_column(String(40))
    card_game: Mapped[str] = mapped_column(String(40))
    ruleset_id: Mapped[str] = mapped_column(String(40))
    options: Mapped[str] = mapped_column(Text)
    first_dealer: Mapped[int]
    opening: Mapped[list[int]]
    chip_value_minor: Mapped[int | None]
    chips_priced: Mapped[int | None]
    currency: Mapped[str | None] = mapped_column(String(3))
    exponent: Mapped[int | None]
    version: Mapped[int] = mapped_column(default=1)
    state: Mapped[str] = mapped_column(String(8), default="open")
    table: Mapped[dict[str, Any]]
    seating: Mapped[list[list[int]]]
    declared: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    undecided: Mapped[bool] = mapped_column(default=False)
    deals: Mapped[int] = mapped_column(default=0)
    """The number of the latest deal."""
    stake: Mapped[int] = mapped_column(default=0, server_default="0")
    """What everybody who plays a deal puts into the kitty from the next one on, in the unit of the settlement."""
    pen: Mapped[str | None] = mapped_column(String(32))
    pen_name: Mapped[str] = mapped_column(String(40), default="")
    pen_since: Mapped[int] = mapped_column(default=0)
    submission_id: Mapped[str] = mapped_column(String(32))
    started_on: Mapped[date]
    """The local date on which it began."""
    created_at: Mapped[datetime]


class SessionSeat(Base):
    """The account of a player who ever sat at the table: games won, and chips won or lost, bought and cashed.

    The others are in the unit of the settlement. ``settled`` is what they have paid others, below zero what they have
    got. ``costs`` is what they have paid for others, less what was paid for them or put into the kitty, and ``carried``
    what they still were to get from earlier sessions, less what a later one has taken over.

    Seats are numbered from 0 as people came: at first clockwise. Who is at the table now is the session's ``seating``.
    """

    __tablename__ = "session_seat"
    __table_args__ = (UniqueConstraint("session_id", "player_id"),)

    session_id: Mapped[int] = mapped_column(ForeignKey("game_session.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    group_id: Mapped[int]
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), index=True)
    chips: Mapped[int] = mapped_column(BigInteger, default=0)
    bought: Mapped[int] = mapped_column(BigInteger, default=0)
    cashed: Mapped[int] = mapped_column(BigInteger, default=0)
    settled: Mapped[int] = mapped_column(BigInteger, default=0)
    costs: Mapped[int] = mapped_column(BigInteger, default=0)
    carried: Mapped[int] = mapped_column(BigInteger, default=0)
    wins: Mapped[int] = mapped_column(default=0)


class SessionChange(Base):
    """The log of a session: what was done in which version, by which link.

    ``note`` is why chips were moved by hand, the number of the deal that was changed, or who was seated: pairs of a
    seat and a player's id as in ``seating``, those who are new in the order of their numbers. It is the new stake, what
    was counted, or which pieces were handed out or taken back, as in a ``chip_set``. ``submission_id`` names the form
    that did it, and ``fingerprint`` its content, so that a form sent twice does one thing, and one sent again with
    other content is seen to be another.
    """

    __tablename__ = "session_change"
    __table_args__ = (UniqueConstraint("session_id", "submission_id"),)

    session_id: Mapped[int] = mapped_column(ForeignKey("game_session.id"), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    group_id: Mapped[int]
    kind: Mapped[str] = mapped_column(String(16))
    link_id: Mapped[int] = mapped_column(ForeignKey("group_link.id"), index=True)
    submission_id: Mapped[str] = mapped_column(String(40))
    fingerprint: Mapped[str] = mapped_column(String(64))
    note: Mapped[str] = mapped_column(Text, default="")
    created_at: Mapped[datetime]


class Deal(Base):
    """One deal: its facts, and what came of them.

    ``recorded`` is the session's version in which it was first recorded, ``version`` the one that gave it its present
    facts. ``starts_game`` says that a person began a new game with it; ``disputed`` that people do not agree about it,
    while it counts all the same. ``before`` is the table it was dealt at and ``totals`` what stood on the sheet after
    it. ``seating`` says who was at the table, as in the session, and ``stake`` what each of them puts into the kitty as
    long as it counts. An unscored deal carries in ``reason`` the code that says why.
    """

    __tablename__ = "deal"
    __table_args__ = (CheckConstraint("status IN ('scored', 'void', 'unscored')", name="status"),)

    session_id: Mapped[int] = mapped_column(ForeignKey("game_session.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    group_id: Mapped[int]
    recorded: Mapped[int]
    version: Mapped[int]
    starts_game: Mapped[bool] = mapped_column(default=False)
    stake: Mapped[int] = mapped_column(default=0, server_default="0")
    disputed: Mapped[bool] = mapped_column(default=False)
    status: Mapped[str] = mapped_column(String(8))
    reason: Mapped[str] = mapped_column(String(40), default="")
    facts: Mapped[dict[str, Any]]
    seating: Mapped[list[list[int]]]
    before: Mapped[dict[str, Any]]
    result: Mapped[str] = mapped_column(String(12), default="")
    points: Mapped[list[int]]
    chips: Mapped[list[int]]
    totals: Mapped[list[int]]
    winners: Mapped[list[int]]


class DealVersion(Base):
    """What a deal said before the change of the session's ``replaced`` version."""

    __tablename__ = "deal_version"
    __table_args__ = (ForeignKeyConstraint(["session_id", "number"], ["deal.session_id", "deal.number"]),)

    session_id: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    replaced: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    group_id: Mapped[int]
    version: Mapped[int]
    status: Mapped[str] = mapped_column(String(8))
    facts: Mapped[dict[str, Any]]


class LedgerEntry(Base):
    """One signed number of chips on one account: a seat's, or the bank's (no seat). Never changed.

    The entries of one ``version`` are one posting and sum to zero.
    """

    __tablename__ = "ledger_entry"
    __table_args__ = (
        ForeignKeyConstraint(["session_id", "seat"], ["session_seat.session_id", "session_seat.seat"]),
        ForeignKeyConstraint(["session_id", "deal_number"], ["deal.session_id", "deal.number"]),
        Index("ix_ledger_entry_session_id_seat", "session_id", "seat"),
        Index("ix_ledger_entry_session_id_deal_number", "session_id", "deal_number"),
    )

    session_id: Mapped[int] = mapped_column(ForeignKey("game_session.id"), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    line: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    group_id: Mapped[int]
    kind: Mapped[str] = mapped_column(String(12))
    seat: Mapped[int | None]
    deal_number: Mapped[int | None]
    chips: Mapped[int] = mapped_column(BigInteger)


class MoneyEntry(Base):
    """One signed amount between people on the account of a seat, or of the kitty, which has none. Never changed.

    It is in the unit of the settlement: minor units of money where chips have a price, and else chips. The entries of
    one ``version`` sum to zero.
    """

    __tablename__ = "money_entry"
    __table_args__ = (
        ForeignKeyConstraint(["session_id", "seat"], ["session_seat.session_id", "session_seat.seat"]),
        Index("ix_money_entry_session_id_seat", "session_id", "seat"),
    )

    session_id: Mapped[int] = mapped_column(ForeignKey("game_session.id"), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    line: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    group_id: Mapped[int]
    kind: Mapped[str] = mapped_column(String(12))
    seat: Mapped[int | None]
    amount: Mapped[int] = mapped_column(BigInteger)


class Cost(Base):
    """What ``payer`` paid in ``version`` for all of ``seats`` alike, unless it was ``taken_back``.

    Without a payer it is what those put into the kitty; without seats, what the kitty pays back. The amount is in the
    unit of the session's settlement.
    """

    __tablename__ = "cost"
    __table_args__ = (
        ForeignKeyConstraint(["session_id", "payer"], ["session_seat.session_id", "session_seat.seat"]),
        Index("ix_cost_session_id_payer", "session_id", "payer"),
        CheckConstraint("amount > 0", name="amount"),
    )

    session_id: Mapped[int] = mapped_column(ForeignKey("game_session.id"), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    group_id: Mapped[int]
    payer: Mapped[int | None]
    amount: Mapped[int] = mapped_column(BigInteger)
    seats: Mapped[list[int]]
    note: Mapped[str] = mapped_column(String(200))
    taken_back: Mapped[int | None]


class CarriedOver(Base):
    """What a settlement left open, or a part, which the session settles that was begun after it: its opening line.

    It is of the settlement ``plan`` of the session ``source_id``, whose ledger has it in ``source_version``. That of
    this session has the opposite in its first version. Where it was ``taken_back`` both have entered the opposite
    again: this session in that version, and the source in ``source_taken_back``.
    """

    __tablename__ = "carried_over"
    __table_args__ = (
        ForeignKeyConstraint(["source_id", "plan"], ["settlement.session_id", "settlement.version"]),
        Index("ix_carried_over_source_id_plan", "source_id", "plan"),
    )

    session_id: Mapped[int] = mapped_column(ForeignKey("game_session.id"), primary_key=True)
    source_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    group_id: Mapped[int]
    plan: Mapped[int]
    source_version: Mapped[int]
    taken_back: Mapped[int | None]
    source_taken_back: Mapped[int | None]


class Settlement(Base):
    """A plan who pays whom, drawn up in ``version`` and in force until it is ``withdrawn`` in a later one.

    ``choices`` say how it was to be settled, as far as that was said. ``left_open`` is what the plan settles of nobody:
    by seat, where there is anything, above zero to get. Amounts are in the unit of the session's settlement.
    """

    __tablename__ = "settlement"

    session_id: Mapped[int] = mapped_column(ForeignKey("game_session.id"), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    group_id: Mapped[int]
    choices: Mapped[dict[str, Any]]
    left_open: Mapped[dict[str, Any]]
    remaining: Mapped[dict[str, Any]]
    """What of that no later session settles."""
    rest: Mapped[dict[str, Any]]
    """What a cash step leaves to the kitty, likewise: above zero it goes in."""
    withdrawn: Mapped[int | None]


class Transfer(Base):
    """One line of the settlement drawn up in ``version``: what ``payer`` is to pay ``payee``.

    What was not paid of it when the session ``over`` was begun, that one settles.
    """

    __tablename__ = "transfer"
    __table_args__ = (
        ForeignKeyConstraint(["session_id", "version"], ["settlement.session_id", "settlement.version"]),
        ForeignKeyConstraint(["session_id", "payer"], ["session_seat.session_id", "session_seat.seat"]),
        ForeignKeyConstraint(["session_id", "payee"], ["session_seat.session_id", "session_seat.seat"]),
        Index("ix_transfer_session_id_payer", "session_id", "payer"),
        Index("ix_transfer_session_id_payee", "session_id", "payee"),
        CheckConstraint("amount > 0", name="amount"),
    )

    session_id: Mapped[int] = mapped_column(primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    line: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    group_id: Mapped[int]
    payer: Mapped[int]
    payee: Mapped[int]
    amount: Mapped[int] = mapped_column(BigInteger)
    over: Mapped[int | None] = mapped_column(ForeignKey("game_session.id"), index=True)


class Payment(Base):
    """What was paid in ``version`` of a line of the settlement ``plan``, all of it or a part, unless ``taken_back``."""

    __tablename__ = "payment"
    __table_args__ = (
        ForeignKeyConstraint(
            ["session_id", "plan", "line"], ["transfer.session_id", "transfer.version", "transfer.line"]
        ),
        Index("ix_payment_session_id_plan_line", "session_id", "plan", "line"),
        CheckConstraint("amount > 0", name="amount"),
    )

    session_id: Mapped[int] = mapped_column(primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    group_id: Mapped[int]
    plan: Mapped[int]
    line: Mapped[int]
    amount: Mapped[int] = mapped_column(BigInteger)
    taken_back: Mapped[int | None]


class GroupTotal(Base):
    """What a player has come to in all sessions of one card game in the group."""

    __tablename__ = "group_total"

    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    card_game: Mapped[str] = mapped_column(String(40), primary_key=True)
    group_id: Mapped[int] = mapped_column(ForeignKey("player_group.id"), index=True)
    sessions: Mapped[int] = mapped_column(default=0)
    games: Mapped[int] = mapped_column(default=0)
    """Games that ended with a winner or a draw."""
    wins: Mapped[int] = mapped_column(default=0)
    chips: Mapped[int] = mapped_column(BigInteger, default=0)

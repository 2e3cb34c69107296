"""What pages read: plain rows, found by key, a bounded number of them. Nothing here writes or knows a rule."""

from __future__ import annotations

import json
from bisect import bisect
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import accumulate
from operator import itemgetter
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    String,
    Text,
    and_,
    bindparam,
    case,
    cast,
    exists,
    false,
    func,
    null,
    or_,
    select,
    true,
    union_all,
)
from sqlalchemy.orm import Session, aliased

from scorekeeper.ledger import EntryKind, MoneyKind
from scorekeeper.limits import MAX_DEALS
from scorekeeper.models import (
    AnyRow,
    CarriedOver,
    Cost,
    Deal,
    DealVersion,
    GameSession,
    Group,
    GroupLink,
    GroupTotal,
    JoinCode,
    LedgerEntry,
    MoneyEntry,
    Payment,
    Player,
    SessionChange,
    SessionSeat,
    Settlement,
    Transfer,
)
from scorekeeper.names import name_key
from scorekeeper.rules import MISDEAL, Seat, Table
from scorekeeper.services.history import dealer_by_hand, first_table, game_of
from scorekeeper.services.ledger import chip_of
from scorekeeper.sessionfile import (
    Adjustment,
    BuyIn,
    CashOut,
    Chip,
    DealEvent,
    DealtBy,
    Event,
    MisdealEvent,
    NewGame,
    Seating,
    SessionFile,
    fitted,
)

DEALS_SHOWN = 10
DEALS_ON_SHEET = 50
"""Deals on a page of the whole score sheet."""
DEALS_PRINTED = 500
"""Deals on a page of it that is to be printed: more than an evening has, and no more than a phone can lay out."""
APART_SHOWN = 5
"""Earlier sessions, settled apart, that a settlement names."""
SESSIONS_SHOWN = 10
CHANGES_SHOWN = 30
SETTLEMENTS_SHOWN = 10
COUNTS_LOOKED_AT = 30
"""Counts of the chips among which one is looked for that agreed."""
COSTS_SHOWN = 30
NOTES_SHOWN = 30
"""Notes of chips moved by hand on a page of the score sheet."""

Rows = Sequence[AnyRow]

OpenedLink = tuple[int, datetime]
"""A link that a browser has opened: its number, and when it was made.

No two are made at one instant, but where a backup is put back the numbers given out since are given again.
"""

PAGE_VERSION = GameSession.version + Group.version
"""Whatever pages of a session show moves this on: what happens in it, or to the names in its group."""

_TO_GROUP = GroupLink.session_id.is_(None)
_OPENED = (
    GroupLink.id.in_(bindparam("link_ids", expanding=True))
    & GroupLink.created_at.in_(bindparam("made_at", expanding=True))
    & GroupLink.withdrawn_at.is_(None)
)
# Others are told of players, and never how a link is called.
_KNOWS_LINKS = and_(_TO_GROUP, GroupLink.role != "viewer")
_SITS_THERE = (
    select(Player.name)
    .join(SessionSeat, SessionSeat.player_id == Player.id)
    .where(SessionSeat.session_id == GameSession.id, SessionSeat.seat == bindparam("side"))
    .scalar_subquery()
)
_IS_PLAYER = (
    exists()
    .where(Player.id == SessionSeat.player_id, Player.name == GameSession.pen_name)
    .where(SessionSeat.session_id == GameSession.id)
    .correlate(GameSession)
)
# Of several links of one browser the one counts that lets it do most: the alphabet puts a host before a scorer.
# What every page of a session asks is built once: building a statement takes longer than running it.
_SESSION = (
    select(
        *(column for column in GameSession.__table__.columns if column.name != "pen_name"),
        case((or_(_KNOWS_LINKS, _IS_PLAYER), GameSession.pen_name), else_="").label("pen_name"),
        Group.name.label("group_name"),
        Group.version.label("group_version"),
        PAGE_VERSION.label("page_version"),
        Group.chip_set,
        GroupLink.id.label("link_id"),
        GroupLink.role,
        _TO_GROUP.label("to_group"),
        _KNOWS_LINKS.label("knows_links"),
        and_(
            GroupLink.role != "viewer",
            or_(GameSession.pen.is_(None), GameSession.pen == bindparam("device", type_=String)),
        ).label("writes"),
        func.coalesce(_SITS_THERE, case((_TO_GROUP, GroupLink.name), else_="")).label("device_name"),
    )
    .join_from(GameSession, Group, Group.id == GameSession.group_id)
    .join(GroupLink, GroupLink.group_id == GameSession.group_id)
    .where(
        GameSession.id == bindparam("session_id"),
        _OPENED,
        or_(_TO_GROUP, GroupLink.session_id == GameSession.id),
    )
    .order_by(GroupLink.role, _TO_GROUP.desc(), GroupLink.id)
    .limit(1)
)
_SEATS = (
    select(*SessionSeat.__table__.columns, Player.name)
    .join_from(SessionSeat, Player, Player.id == SessionSeat.player_id)
    .where(SessionSeat.session_id == bindparam("session_id"))
    .order_by(SessionSeat.seat)
)
_PUT_IN = (
    # Some databases say sums of whole numbers as decimals.
    select(cast(-func.sum(MoneyEntry.amount), BigInteger))
    .where(
        MoneyEntry.session_id == SessionSeat.session_id,
        MoneyEntry.seat == SessionSeat.seat,
        or_(
            MoneyEntry.kind == MoneyKind.STAKE,
            exists()
            .where(Cost.session_id == MoneyEntry.session_id, Cost.payer.is_(None))
            .where(or_(Cost.version == MoneyEntry.version, Cost.taken_back == MoneyEntry.version)),
        ),
    )
    .scalar_subquery()
)
_SEATS_TO_SETTLE = _SEATS.add_columns(func.coalesce(_PUT_IN, 0).label("put_in"))
_CARRIED = (MoneyEntry.session_id == CarriedOver.source_id) & (MoneyEntry.version == CarriedOver.source_version)
_MOVED_CHIPS = cast(Deal.chips, Text).regexp_match("[1-9]")
_DEALS = (
    select(*Deal.__table__.columns)
    .where(Deal.session_id == bindparam("session_id"), Deal.number < bindparam("before"))
    .order_by(Deal.number.desc())
    .limit(bindparam("most"))
)


def _these(links: Sequence[OpenedLink]) -> dict[str, object]:
    """What :data:`_OPENED` asks for."""
    return {"link_ids": [number for number, _ in links], "made_at": [made_at for _, made_at in links]}


def opened_link(db: Session, link_id: int) -> OpenedLink | None:
    """A link as a browser keeps it."""
    made_at = db.scalar(select(GroupLink.created_at).where(GroupLink.id == link_id))
    return None if made_at is None else (link_id, made_at)


def links_made_before(db: Session, link_ids: Sequence[int], moment: datetime) -> list[OpenedLink]:
    """Those of *link_ids* that were made before a *moment*, in their order."""
    found = select(GroupLink.id, GroupLink.created_at).where(GroupLink.id.in_(link_ids), GroupLink.created_at < moment)
    made_at = {link.id: link.created_at for link in db.execute(found)}
    return [(link_id, made_at[link_id]) for link_id in link_ids if link_id in made_at]


def group_of(db: Session, group_id: int, links: Sequence[OpenedLink]) -> AnyRow | None:
    """A group and the link that opens it (``link_id``, ``link_name``, ``role``), if one of *links* does."""
    return db.execute(
        select(
            *Group.__table__.columns,
            GroupLink.id.label("link_id"),
            GroupLink.name.label("link_name"),
            GroupLink.role,
        )
        .join(GroupLink, GroupLink.group_id == Group.id)
        .where(Group.id == group_id, _OPENED, _TO_GROUP)
        .order_by(GroupLink.role, GroupLink.id)
        .limit(1),
        _these(links),
    ).one_or_none()


def session_of(
    db: Session,
    session_id: int,
    links: Sequence[OpenedLink],
    *,
    device: str | None = None,
    side: int | None = None,
) -> AnyRow | None:
    """A session, and the link that opens it, if one of *links* does.

    With it come the ``group_name``, ``group_version`` and ``chip_set`` of its group, and the ``page_version``.

    ``to_group`` says that the link opens the whole group, and not this session alone. ``writes`` says whether *device*
    may change the session now, and ``device_name`` what people call it: by who sits at the seat *side*, or else as its
    link is called. ``pen_name`` is what the device with the pen is called: how its link is called only if this one
    ``knows_links``.
    """
    values = {"session_id": session_id, "device": device, "side": side} | _these(links)
    return db.connection().execute(_SESSION, values).one_or_none()


def link_for(db: Session, token_hash: str) -> AnyRow | None:
    """The link to a group whose token has this hash, withdrawn or not."""
    return db.execute(
        select(GroupLink.id, GroupLink.group_id, GroupLink.role, GroupLink.name, GroupLink.withdrawn_at).where(
            GroupLink.token_hash == token_hash, _TO_GROUP
        )
    ).one_or_none()


_LISTED = (
    GameSession.id,
    GameSession.group_id,
    GameSession.name,
    GameSession.ruleset_id,
    GameSession.started_on,
    GameSession.state,
)


def groups_of(db: Session, links: Sequence[OpenedLink]) -> Rows:
    """The groups that *links* open: their id and name, by name, and when the first of those links was ``made``."""
    groups = db.execute(
        select(Group.id, Group.name, func.min(GroupLink.created_at).label("made"))
        .join(GroupLink, GroupLink.group_id == Group.id)
        .where(_OPENED, _TO_GROUP)
        .group_by(Group.id, Group.name),
        _these(links),
    )
    # Each database has an order of its own for letters.
    return sorted(groups, key=lambda group: (name_key(group.name), group.id))


def links_in_use(db: Session, links: Sequence[OpenedLink]) -> dict[OpenedLink, bool]:
    """Which of *links* open something, and whether more than a session that has ended."""
    in_use = (
        select(GroupLink.id, GroupLink.created_at, GameSession.state)
        .outerjoin(GameSession, GameSession.id == GroupLink.session_id)
        .where(_OPENED)
    )
    return {(link.id, link.created_at): link.state != "closed" for link in db.execute(in_use, _these(links))}


def open_to(db: Session, links: Sequence[OpenedLink]) -> Rows:
    """What *links* open: the ``group_id`` of each, with a ``session_id`` where that is all it opens of the group."""
    return db.execute(select(GroupLink.group_id, GroupLink.session_id).distinct().where(_OPENED), _these(links)).all()


def joined_sessions(db: Session, links: Sequence[OpenedLink]) -> Rows:
    """The sessions that *links* open alone, without their group, the latest first."""
    return db.execute(
        select(*_LISTED)
        .distinct()
        .join(GroupLink, GroupLink.session_id == GameSession.id)
        .where(_OPENED)
        .order_by(GameSession.id.desc()),
        _these(links),
    ).all()


def open_sessions(db: Session, group_ids: Sequence[int], *, most: int) -> Rows:
    """The latest sessions of some groups that have not ended, with the ``group_name``."""
    return db.execute(
        select(*_LISTED, Group.name.label("group_name"))
        .join(Group, Group.id == GameSession.group_id)
        .where(GameSession.group_id.in_(group_ids), GameSession.state == "open")
        .order_by(GameSession.id.desc())
        .limit(most)
    ).all()


def join_codes(db: Session, session_id: int) -> Rows:
    """The codes by which a session is joined: ``role`` and ``code``."""
    return db.execute(select(JoinCode.role, JoinCode.code).where(JoinCode.session_id == session_id)).all()


def links(db: Session, group_id: int) -> Rows:
    """The links of a group in force, oldest first, but for those to sessions that have ended.

    One that opens a session alone has its name as ``session_name``; ``handed_over`` says that it came with the pen.
    """
    return db.execute(
        select(
            GroupLink.id,
            GroupLink.role,
            GroupLink.name,
            GroupLink.created_at,
            GameSession.name.label("session_name"),
            and_(GroupLink.session_id.is_not(None), GroupLink.token_hash.is_not(None)).label("handed_over"),
        )
        .outerjoin(GameSession, GameSession.id == GroupLink.session_id)
        .where(GroupLink.group_id == group_id, GroupLink.withdrawn_at.is_(None))
        .where(or_(_TO_GROUP, GameSession.state == "open"))
        .order_by(GroupLink.id)
    ).all()


def links_to_ended(db: Session, group_id: int) -> int:
    """How many links of a group are in force that open a session alone which has ended."""
    of_group = GroupLink.group_id == group_id, GroupLink.withdrawn_at.is_(None), GameSession.state == "closed"
    counted = select(func.count()).select_from(GroupLink).join(GameSession, GameSession.id == GroupLink.session_id)
    return db.scalars(counted.where(*of_group)).one()


def has_link(db: Session, group_id: int, link_id: int) -> bool:
    """Whether a link is one of the group's, withdrawn or not."""
    of_group = select(GroupLink.id).where(GroupLink.group_id == group_id, GroupLink.id == link_id)
    return db.scalar(of_group) is not None


def players(db: Session, group_id: int) -> Rows:
    """The players of a group in the order in which they joined, those who have retired included (``retired_at``)."""
    return db.execute(
        select(Player.id, Player.name, Player.retired_at).where(Player.group_id == group_id).order_by(Player.id)
    ).all()


def has_sat(db: Session, group_id: int, player_id: int) -> bool:
    """Whether a player has ever sat in a session of the group, be it on somebody else's account."""
    own = exists().where(SessionSeat.player_id == player_id)
    seated_anew = exists().where(
        GameSession.group_id == group_id,
        SessionChange.session_id == GameSession.id,
        SessionChange.kind == "seats",
        # The note is a list of pairs: a seat, and who sits in it.
        SessionChange.note.like(f"%, {player_id}]%"),
    )
    return bool(db.scalar(select(or_(own, seated_anew))))


def size_of_group(db: Session, group_id: int) -> AnyRow:
    """How much there is of a group: ``sessions``, ``deals``, ``players``, and ``links`` in force."""
    of_group = GameSession.group_id == group_id
    players = select(func.count()).where(Player.group_id == group_id)
    links = select(func.count()).where(GroupLink.group_id == group_id, GroupLink.withdrawn_at.is_(None))
    return db.execute(
        select(
            func.count().label("sessions"),
            # Deals are numbered without gaps.
            func.coalesce(func.sum(GameSession.deals), 0).label("deals"),
            players.scalar_subquery().label("players"),
            links.scalar_subquery().label("links"),
        ).where(of_group)
    ).one()


def group_totals(db: Session, group_id: int) -> Rows:
    """What each player has come to in each card game, with their name."""
    return db.execute(
        select(*GroupTotal.__table__.columns, Player.name)
        .join(Player, Player.id == GroupTotal.player_id)
        .where(GroupTotal.group_id == group_id)
        .order_by(Player.id)
    ).all()


_A_LINE_IS_OPEN = (
    select(Transfer.line)
    .where(
        Transfer.session_id == Settlement.session_id,
        Transfer.version == Settlement.version,
        Transfer.over.is_(None),
        Transfer.amount
        > select(func.coalesce(func.sum(Payment.amount), 0))
        .where(
            and_(
                Payment.session_id == Transfer.session_id,
                Payment.plan == Transfer.version,
                Payment.line == Transfer.line,
                Payment.taken_back.is_(None),
            )
        )
        .scalar_subquery(),
    )
    .exists()
)
LEAVES_OPEN = and_(Settlement.withdrawn.is_(None), or_(cast(Settlement.remaining, Text) != "{}", _A_LINE_IS_OPEN))
"""Of a settlement: it is in force, and something of it is neither paid nor settled by a later session."""


def sessions(db: Session, group_id: int, *, before: int | None = None) -> Rows:
    """The latest sessions of a group, or those older than *before*; one more than are shown says there are older.

    ``leaves_open`` is whether something is still to be paid or carried over.
    """
    older = () if before is None else (GameSession.id < before,)
    leaves_open = select(Settlement.version).where(Settlement.session_id == GameSession.id, LEAVES_OPEN).exists()
    return db.execute(
        select(*GameSession.__table__.columns, leaves_open.label("leaves_open"))
        .where(GameSession.group_id == group_id, *older)
        .order_by(GameSession.id.desc())
        .limit(SESSIONS_SHOWN + 1)
    ).all()


def every_session(db: Session, group_id: int) -> Rows:
    """All sessions of a group, oldest first."""
    return db.execute(
        select(*GameSession.__table__.columns).where(GameSession.group_id == group_id).order_by(GameSession.id)
    ).all()


def last_seated(db: Session, group_id: int) -> list[tuple[int, int]]:
    """Who sat in the latest session of a group: each seat, and its player."""
    latest = select(GameSession.seating).where(GameSession.group_id == group_id).order_by(GameSession.id.desc())
    return db.scalar(latest.limit(1)) or []


def last_price(db: Session, group_id: int, card_game: str) -> Chip | None:
    """The price of chips in a group's latest session of a card game, if they had one."""
    of_game = GameSession.group_id == group_id, GameSession.card_game == card_game
    latest = select(*GameSession.__table__.columns).where(*of_game).order_by(GameSession.id.desc()).limit(1)
    row = db.execute(latest).one_or_none()
    return chip_of(row) if row else None


def seats_of_sessions(db: Session, session_ids: Sequence[int]) -> Rows:
    """Every account of several sessions, by number: ``session_id``, ``name`` of its owner, ``wins``."""
    return db.execute(
        select(SessionSeat.session_id, SessionSeat.wins, Player.name)
        .join(Player, Player.id == SessionSeat.player_id)
        .where(SessionSeat.session_id.in_(session_ids))
        .order_by(SessionSeat.session_id, SessionSeat.seat)
    ).all()


def seats(db: Session, session_id: int) -> Rows:
    """Every account there ever was in a session, by number, with the name of its owner.

    Who sits at the table now, and how, says the session's ``seating``.
    """
    return db.connection().execute(_SEATS, {"session_id": session_id}).all()


def seats_to_settle(db: Session, session_id: int) -> Rows:
    """As :func:`seats`, with what each has ``put_in`` to the kitty."""
    return db.connection().execute(_SEATS_TO_SETTLE, {"session_id": session_id}).all()


def deals(db: Session, session_id: int, *, before: int = MAX_DEALS + 1, shown: int = DEALS_SHOWN) -> Rows:
    """The latest deals of a session, or those before deal *before*; one more than are *shown* says there are older."""
    return db.connection().execute(_DEALS, {"session_id": session_id, "before": before, "most": shown + 1}).all()


def scored_deal_before(db: Session, session_id: int, number: int) -> AnyRow | None:
    """The latest scored deal before deal *number*."""
    return db.execute(
        select(*Deal.__table__.columns)
        .where(Deal.session_id == session_id, Deal.number < number, Deal.status == "scored")
        .order_by(Deal.number.desc())
        .limit(1)
    ).one_or_none()


def adjustment_notes(db: Session, session_id: int, *, after: int, before: int, most: int) -> Rows:
    """Why chips were moved by hand between two versions of a session: the latest, in order, with their ``version``."""
    latest = db.execute(
        select(SessionChange.version, SessionChange.note)
        .where(
            SessionChange.session_id == session_id,
            SessionChange.version > after,
            SessionChange.version < before,
            SessionChange.kind == "adjustment",
        )
        .order_by(SessionChange.version.desc())
        .limit(most)
    ).all()
    return latest[::-1]


def deal(db: Session, session_id: int, number: int) -> AnyRow | None:
    """One deal, with when it was first recorded (``recorded_at``)."""
    return db.execute(
        select(*Deal.__table__.columns, SessionChange.created_at.label("recorded_at"))
        .join(
            SessionChange,
            (SessionChange.session_id == Deal.session_id) & (SessionChange.version == Deal.recorded),
        )
        .where(Deal.session_id == session_id, Deal.number == number)
    ).one_or_none()


def submission_of(db: Session, session_id: int, version: int) -> str | None:
    """The form that brought a session to *version*."""
    this = SessionChange.session_id == session_id, SessionChange.version == version
    return db.scalar(select(SessionChange.submission_id).where(*this))


def deal_of_form(db: Session, session_id: int, submission_id: str | None) -> AnyRow | None:
    """What a form has recorded: the ``result`` of the deal, and the table ``before`` it."""
    return db.execute(
        select(Deal.result, Deal.before)
        .join(SessionChange, (SessionChange.session_id == Deal.session_id) & (SessionChange.version == Deal.recorded))
        .where(SessionChange.session_id == session_id, SessionChange.submission_id == submission_id)
    ).one_or_none()


def only_pen_moved(db: Session, session_id: int, version: int) -> bool:
    """Whether nothing has changed in a session since *version* but who has its pen."""
    more = SessionChange.session_id == session_id, SessionChange.version > version, SessionChange.kind != "pen"
    return not db.scalar(select(exists().where(*more)))


def disputed_deals(db: Session, session_id: int) -> Sequence[int]:
    """The numbers of the deals that count and are in dispute."""
    these = Deal.session_id == session_id, Deal.disputed, Deal.status == "scored"
    return db.scalars(select(Deal.number).where(*these).order_by(Deal.number)).all()


def undecided_deal(db: Session, session_id: int) -> int | None:
    """The number of the deal a person must decide about: the first that was to start a game where none can start."""
    return db.scalar(
        select(Deal.number)
        .where(Deal.session_id == session_id, Deal.status == "unscored", Deal.reason == "GAME_NOT_OVER")
        .order_by(Deal.number)
        .limit(1)
    )


def deal_versions(db: Session, session_id: int, number: int) -> Rows:
    """What a deal said before each change of it, latest first, with when it had been entered and what replaced it."""
    return db.execute(
        select(
            *DealVersion.__table__.columns,
            SessionChange.created_at.label("replaced_at"),
            SessionChange.kind,
            SessionChange.link_id,
        )
        .join(
            SessionChange,
            (SessionChange.session_id == DealVersion.session_id) & (SessionChange.version == DealVersion.replaced),
        )
        .where(DealVersion.session_id == session_id, DealVersion.number == number)
        .order_by(DealVersion.replaced.desc())
        .limit(CHANGES_SHOWN)
    ).all()


def settlements(db: Session, session_id: int) -> Rows:
    """The latest settlements of a session, the latest first: a row for each transfer, or one without a ``line``.

    With them comes when they were drawn up, ``drawn_at``, and discarded, ``discarded_at``.
    """
    end = aliased(SessionChange)
    latest = select(Settlement.version).where(Settlement.session_id == session_id).order_by(Settlement.version.desc())
    return db.execute(
        select(
            *Settlement.__table__.columns,
            *(Transfer.line, Transfer.payer, Transfer.payee, Transfer.amount, Transfer.over),
            SessionChange.created_at.label("drawn_at"),
            end.created_at.label("discarded_at"),
        )
        .join(
            SessionChange,
            (SessionChange.session_id == Settlement.session_id) & (SessionChange.version == Settlement.version),
        )
        .outerjoin(end, (end.session_id == Settlement.session_id) & (end.version == Settlement.withdrawn))
        .outerjoin(Transfer, (Transfer.session_id == Settlement.session_id) & (Transfer.version == Settlement.version))
        .where(Settlement.session_id == session_id, Settlement.version.in_(latest.limit(SETTLEMENTS_SHOWN)))
        .order_by(Settlement.version.desc(), Transfer.line)
    ).all()


def payments(db: Session, session_id: int) -> Rows:
    """The payments of a session that count, with their ``payer`` and ``payee``, in the order they were made."""
    return db.execute(
        select(*Payment.__table__.columns, Transfer.payer, Transfer.payee)
        .join(
            Transfer,
            (Transfer.session_id == Payment.session_id)
            & (Transfer.version == Payment.plan)
            & (Transfer.line == Payment.line),
        )
        .where(Payment.session_id == session_id, Payment.taken_back.is_(None))
        .order_by(Payment.plan, Payment.line, Payment.version)
    ).all()


def costs(db: Session, session_id: int, *, before: int | None = None) -> Rows:
    """The latest costs of a session that count, or those before version *before*, the latest first.

    One more than are shown says there are older.
    """
    older = () if before is None else (Cost.version < before,)
    return db.execute(
        select(*Cost.__table__.columns)
        .where(Cost.session_id == session_id, Cost.taken_back.is_(None), *older)
        .order_by(Cost.version.desc())
        .limit(COSTS_SHOWN + 1)
    ).all()


def stakes_put_in(db: Session, session_id: int) -> Rows:
    """What every ``seat`` that has put stakes of deals into the kitty has put in: the ``amount``."""
    amount = -func.sum(MoneyEntry.amount)
    return db.execute(
        select(MoneyEntry.seat, amount.label("amount"))
        .where(MoneyEntry.session_id == session_id, MoneyEntry.kind == MoneyKind.STAKE, MoneyEntry.seat.is_not(None))
        .group_by(MoneyEntry.seat)
        .having(amount != 0)
        .order_by(MoneyEntry.seat)
    ).all()


def carried(db: Session, session_id: int, *, apart_from: int | None = None) -> Rows:
    """What was carried over between a session and others: their ``id`` and ``name``, and the ``amount`` of a ``seat``.

    What it settles of earlier ones is ``settled_here``; the rest is what later ones settle of it. With it comes the
    version of the later one in which it was ``taken_back``, if it was. The latest earlier sessions of the group
    *apart_from* which are settled apart, and leave something open, come without a seat.
    """
    theirs, own = aliased(SessionSeat), aliased(SessionSeat)
    named = GameSession.id, GameSession.name, CarriedOver.taken_back
    of_earlier = (
        select(*named, own.seat, (-MoneyEntry.amount).label("amount"), true().label("settled_here"))
        .select_from(CarriedOver)
        .join(GameSession, GameSession.id == CarriedOver.source_id)
        .join(MoneyEntry, _CARRIED)
        .join(theirs, (theirs.session_id == MoneyEntry.session_id) & (theirs.seat == MoneyEntry.seat))
        .join(own, (own.session_id == CarriedOver.session_id) & (own.player_id == theirs.player_id))
        .where(CarriedOver.session_id == session_id)
    )
    of_later = (
        select(*named, MoneyEntry.seat, MoneyEntry.amount, false())
        .select_from(CarriedOver)
        .join(GameSession, GameSession.id == CarriedOver.session_id)
        .join(MoneyEntry, _CARRIED)
        .where(CarriedOver.source_id == session_id)
    )
    open_before = (
        select(GameSession.id)
        .join(Settlement, Settlement.session_id == GameSession.id)
        .where(GameSession.group_id == apart_from, GameSession.id < session_id, LEAVES_OPEN)
        .order_by(GameSession.id.desc())
        .limit(APART_SHOWN)
    )
    apart = select(GameSession.id, GameSession.name, null(), null(), null(), false()).where(
        GameSession.id.in_(open_before)
    )
    parts = [of_earlier, of_later] if apart_from is None else [of_earlier, of_later, apart]
    return db.execute(union_all(*parts).order_by("settled_here", "id", "seat")).all()


def changes(db: Session, session_id: int, *, before: int | None = None) -> Rows:
    """The latest changes of a session, or those before *before*; one more than are shown says there are older.

    ``cost_note`` is what the cost was for that a change noted, or took back.
    """
    older = () if before is None else (SessionChange.version < before,)
    of_cost = or_(Cost.version == SessionChange.version, Cost.taken_back == SessionChange.version)
    return db.execute(
        select(
            SessionChange.version,
            SessionChange.kind,
            SessionChange.note,
            SessionChange.created_at,
            GroupLink.name.label("link_name"),
            GroupLink.role,
            GroupLink.session_id.is_not(None).label("by_code"),
            Cost.note.label("cost_note"),
        )
        .join(GroupLink, GroupLink.id == SessionChange.link_id)
        .outerjoin(Cost, (Cost.session_id == SessionChange.session_id) & of_cost)
        .where(SessionChange.session_id == session_id, *older)
        .order_by(SessionChange.version.desc())
        .limit(CHANGES_SHOWN + 1)
    ).all()


def settled_in(db: Session, session_id: int, versions: Sequence[int]) -> Rows:
    """The settlements that some versions of a session drew up or discarded, with their ``choices``."""
    either = or_(Settlement.version.in_(versions), Settlement.withdrawn.in_(versions))
    settled = select(Settlement.version, Settlement.withdrawn, Settlement.choices)
    return db.execute(settled.where(Settlement.session_id == session_id, either)).all()


def recorded_in(db: Session, session_id: int, versions: Sequence[int]) -> dict[int, int]:
    """The number of the deal that each of some versions of a session recorded."""
    recorded = select(Deal.recorded, Deal.number).where(Deal.session_id == session_id, Deal.recorded.in_(versions))
    return {row.recorded: row.number for row in db.execute(recorded)}


def entries(db: Session, session_id: int, versions: Sequence[int]) -> Rows:
    """The entries of seats in the ledger that some versions of a session made, except those of deals."""
    return db.execute(
        select(LedgerEntry.version, LedgerEntry.kind, LedgerEntry.seat, LedgerEntry.chips)
        .where(
            LedgerEntry.session_id == session_id,
            LedgerEntry.version.in_(versions),
            LedgerEntry.kind != EntryKind.DEAL,
            LedgerEntry.seat.is_not(None),
        )
        .order_by(LedgerEntry.version, LedgerEntry.line)
    ).all()


def money_entries(db: Session, session_id: int, versions: Sequence[int]) -> Rows:
    """What passed between people in some versions of a session."""
    return db.execute(
        select(MoneyEntry.version, MoneyEntry.kind, MoneyEntry.seat, MoneyEntry.amount)
        .where(MoneyEntry.session_id == session_id, MoneyEntry.version.in_(versions))
        .order_by(MoneyEntry.version, MoneyEntry.line)
    ).all()


def session_file(db: Session, session: AnyRow) -> SessionFile:
    """Everything that counts in a session, as its file: void and unscored deals and the history stay behind.

    So does what was declared of a deal that is still being played, but for who deals it.
    """
    game, ruleset = game_of(session)
    return SessionFile(
        game=game,
        ruleset=ruleset,
        players=tuple(row.name for row in seats(db, session.id)),
        began=len(session.opening),
        dealer=Seat(session.first_dealer),
        opening=tuple(session.opening) if set(session.opening) != {game.start(ruleset)} else None,
        chip=chip_of(session),
        events=tuple(_events(db, session)),
    )


def _events(db: Session, session: AnyRow) -> Iterator[Event]:
    scored = (
        select(Deal.recorded, Deal.facts, Deal.before)
        .where(Deal.session_id == session.id, Deal.status == "scored")
        .order_by(Deal.number)
    )
    game, ruleset = game_of(session)
    seated = list(_seatings(db, session))
    left = first_table(session)
    games = left.game
    events: list[tuple[int, tuple[Event, ...]]] = [(version, (seating,)) for version, seating in seated]
    for row in db.execute(scored):
        before = Table.restored(ruleset, row.before)
        facts = fitted(row.facts, game, before)
        dealer: Any = facts.pop("dealer", None)
        if dealer is None and before.somebody_sits_out:
            # Who sat out is not told by the turn to deal where an earlier deal does not count any more.
            in_turn = left.seated(before.ring, game.start(ruleset)).dealer
            dealer = None if in_turn == before.dealer else before.dealer
        left = game.play(row.facts, before).table
        dealt_by = () if dealer is None else (DealtBy(Seat(dealer)),)
        deal = MisdealEvent() if facts == MISDEAL else DealEvent(facts)
        new_game = (NewGame(),) * (row.before["game"] - games)
        events.append((row.recorded, (*new_game, *dealt_by, deal)))
        games = row.before["game"]
    events += _chip_events(db, session, seated)
    events.sort(key=itemgetter(0))
    for _, together in events:
        yield from together
    if Table.restored(ruleset, session.table).game > games:
        yield NewGame()
    if (by_hand := dealer_by_hand(session)) is not None:
        yield DealtBy(by_hand)


def _seatings(db: Session, session: AnyRow) -> Iterator[tuple[int, Seating]]:
    """Who was seated in which version."""
    changes = db.execute(
        select(SessionChange.version, SessionChange.note)
        .where(SessionChange.session_id == session.id, SessionChange.kind == "seats")
        .order_by(SessionChange.version)
    ).all()
    if changes:
        owners = [row.player_id for row in seats(db, session.id)]
        names = {row.id: row.name for row in players(db, session.group_id)}
    for change in changes:
        seating = [(Seat(seat), player) for seat, player in json.loads(change.note)]
        stand_ins = {seat: names[player] for seat, player in seating if player != owners[seat]}
        yield change.version, Seating(tuple(seat for seat, _ in seating), stand_ins)


def _chip_events(
    db: Session, session: AnyRow, seated: Sequence[tuple[int, Seating]]
) -> Iterator[tuple[int, tuple[Event, ...]]]:
    noted = select(SessionChange.version, SessionChange.note).where(
        SessionChange.session_id == session.id, SessionChange.kind == "adjustment"
    )
    notes = {row.version: row.note for row in db.execute(noted)}
    moved: dict[int, dict[int, int]] = {}
    kinds = (EntryKind.BUY_IN, EntryKind.CASH_OUT, EntryKind.ADJUSTMENT)
    for row in db.execute(
        select(LedgerEntry.version, LedgerEntry.kind, LedgerEntry.seat, LedgerEntry.chips)
        .where(LedgerEntry.session_id == session.id, LedgerEntry.kind.in_(kinds), LedgerEntry.seat.is_not(None))
        .order_by(LedgerEntry.version, LedgerEntry.line)
    ):
        if row.kind == EntryKind.BUY_IN:
            yield row.version, (BuyIn(Seat(row.seat), row.chips),)
        elif row.kind == EntryKind.CASH_OUT:
            yield row.version, (CashOut(Seat(row.seat), -row.chips),)
        else:
            moved.setdefault(row.version, {})[row.seat] = row.chips
    came = [0, *(version for version, _ in seated)]
    accounts = list(accumulate((len(session.opening), *(max(seating.seats) + 1 for _, seating in seated)), max))
    for version, chips in moved.items():
        there = range(accounts[bisect(came, version) - 1])
        yield version, (Adjustment(tuple(chips.get(seat, 0) for seat in there), notes[version]),)


def pieces_moved(db: Session, session_id: int) -> Rows:
    """The changes of a session that may say which pieces went where, in order, with its ``opening`` sheet.

    ``seat`` is that which bought chips or gave them back.
    """
    entered = LedgerEntry.session_id == SessionChange.session_id, LedgerEntry.version == SessionChange.version
    seat = select(func.max(LedgerEntry.seat)).where(*entered).scalar_subquery()
    return db.execute(
        select(SessionChange.kind, SessionChange.note, GameSession.opening, seat.label("seat"))
        .join(GameSession, GameSession.id == SessionChange.session_id)
        .where(
            SessionChange.session_id == session_id,
            SessionChange.kind.in_(("open", "buy-in", "cash-out", "count")),
            SessionChange.note != "",
        )
        .order_by(SessionChange.version)
    ).all()


def counts(db: Session, session_id: int, *, most: int = COUNTS_LOOKED_AT) -> Rows:
    """The latest counts of the chips, latest first: their ``version``, ``note`` and ``created_at``.

    ``changed`` is the first version since in which chips were moved by hand or deals changed, and ``changed_last`` the
    last; None if there is none.
    """
    later = aliased(SessionChange)
    changed = select(later.version).where(
        later.session_id == SessionChange.session_id,
        later.version > SessionChange.version,
        later.kind.in_(("adjustment", "correct", "void", "restore", "decide")),
    )
    return db.execute(
        select(
            SessionChange.version,
            SessionChange.note,
            SessionChange.created_at,
            changed.order_by(later.version).limit(1).scalar_subquery().label("changed"),
            changed.order_by(later.version.desc()).limit(1).scalar_subquery().label("changed_last"),
        )
        .where(SessionChange.session_id == session_id, SessionChange.kind == "count")
        .order_by(SessionChange.version.desc())
        .limit(most)
    ).all()


def deals_counted(db: Session, session_id: int, after: int, before: int, limit: int) -> Rows:
    """The latest deals that were recorded or changed between two versions of a session, latest first.

    Of those that were recorded then only such as moved chips, and any that were changed.
    """
    changed = select(DealVersion.number).where(
        DealVersion.session_id == session_id, DealVersion.replaced > after, DealVersion.replaced < before
    )
    return db.execute(
        select(*Deal.__table__.columns)
        .where(
            Deal.session_id == session_id,
            Deal.recorded < before,
            or_(and_(Deal.recorded > after, _MOVED_CHIPS), Deal.number.in_(changed)),
        )
        .order_by(Deal.number.desc())
        .limit(limit)
    ).all()


def deals_before_change(db: Session, session_id: int, after: int, before: int, numbers: Sequence[int]) -> Rows:
    """What some deals said before each change of them between two versions of a session, the latest change first.

    Each with its ``number``, ``status`` and ``facts`` then, and the table ``before`` it and when it was ``recorded``.
    """
    return db.execute(
        select(DealVersion.number, DealVersion.status, DealVersion.facts, Deal.before, Deal.recorded)
        .join(Deal, (Deal.session_id == DealVersion.session_id) & (Deal.number == DealVersion.number))
        .where(
            DealVersion.session_id == session_id,
            DealVersion.number.in_(numbers),
            DealVersion.replaced > after,
            DealVersion.replaced < before,
        )
        .order_by(DealVersion.replaced.desc())
        .limit(CHANGES_SHOWN)
    ).all()


def deals_up_to(db: Session, session_id: int, number: int, limit: int) -> Rows:
    """Deal *number* and those before it, latest first."""
    return db.execute(
        select(*Deal.__table__.columns)
        .where(Deal.session_id == session_id, Deal.number <= number)
        .order_by(Deal.number.desc())
        .limit(limit)
    ).all()


def deals_numbered(db: Session, session_id: int, numbers: Sequence[int]) -> Rows:
    """What some deals of a session left on the sheet, in order: ``number``, ``before`` and ``totals``."""
    return db.execute(
        select(Deal.number, Deal.before, Deal.totals)
        .where(Deal.session_id == session_id, Deal.number.in_(numbers))
        .order_by(Deal.number)
    ).all()


def adjustments_of(db: Session, session_id: int, seat: int, *, after: int, until: int, limit: int) -> Rows:
    """The latest adjustments of a seat between two versions of a session, *until* included, latest first.

    Each with its ``version``, ``note`` and ``chips``.
    """
    return db.execute(
        select(SessionChange.version, SessionChange.note, LedgerEntry.chips)
        .join(
            LedgerEntry,
            (LedgerEntry.session_id == SessionChange.session_id) & (LedgerEntry.version == SessionChange.version),
        )
        .where(
            SessionChange.session_id == session_id,
            SessionChange.kind == "adjustment",
            SessionChange.version > after,
            SessionChange.version <= until,
            LedgerEntry.seat == seat,
        )
        .order_by(SessionChange.version.desc())
        .limit(limit)
    ).all()


def sessions_of_player(
    db: Session, player_id: int, card_games: Sequence[str], *, before: int | None, limit: int
) -> Rows:
    """The latest sessions of some card games with an account of a player, or those before *before*, latest first.

    Each with its ``id``, ``name`` and ``started_on``, and the ``chips`` and ``wins`` of the account.
    """
    return db.execute(
        select(GameSession.id, GameSession.name, GameSession.started_on, SessionSeat.chips, SessionSeat.wins)
        .join(SessionSeat, SessionSeat.session_id == GameSession.id)
        .where(*_accounts(player_id, card_games, before))
        .order_by(SessionSeat.session_id.desc())
        .limit(limit)
    ).all()


def sums_of_player(db: Session, player_id: int, card_games: Sequence[str], *, before: int) -> AnyRow:
    """What a player's sessions of some card games before the session *before* brought: ``chips`` and ``wins``."""
    sums = (func.coalesce(func.sum(column), 0).label(column.key) for column in (SessionSeat.chips, SessionSeat.wins))
    return db.execute(
        select(*sums)
        .join(GameSession, GameSession.id == SessionSeat.session_id)
        .where(*_accounts(player_id, card_games, before))
    ).one()


def _accounts(player_id: int, card_games: Sequence[str], before: int | None) -> tuple[ColumnElement[bool], ...]:
    older = () if before is None else (SessionSeat.session_id < before,)
    return SessionSeat.player_id == player_id, GameSession.card_game.in_(card_games), *older

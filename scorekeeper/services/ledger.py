"""The ledger of a session: postings that only grow, and the sums kept beside them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, cast

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.orm import Session

from scorekeeper.ledger import EntryKind, MoneyKind, Price
from scorekeeper.models import AnyRow, Base, GameSession, LedgerEntry, SessionSeat
from scorekeeper.services.history import Brought, who_played
from scorekeeper.sessionfile import Chip

SEAT_SUMS = {
    EntryKind.DEAL: SessionSeat.chips,
    EntryKind.ADJUSTMENT: SessionSeat.chips,
    EntryKind.BUY_IN: SessionSeat.bought,
    EntryKind.CASH_OUT: SessionSeat.cashed,
}
"""The sum of a seat's entries of each kind, as its row keeps it."""
MONEY_SUMS = {
    MoneyKind.PAYMENT: SessionSeat.settled,
    MoneyKind.COST: SessionSeat.costs,
    MoneyKind.STAKE: SessionSeat.costs,
    MoneyKind.CARRIED: SessionSeat.carried,
}
"""The same of what passes between people."""


_GROUP_SUMS = ("games", "wins", "chips")

# Every deal needs these: they are built once, which takes longer than running them.
_seats, _totals = (Base.metadata.tables[name] for name in ("session_seat", "group_total"))
_ENTER, _ENTER_MONEY = (insert(Base.metadata.tables[name]) for name in ("ledger_entry", "money_entry"))
_ADD_TO_SEATS = {
    column.key: update(_seats)
    .where(_seats.c.session_id == bindparam("of_session"), _seats.c.seat == bindparam("of_seat"))
    .values({column.key: _seats.c[column.key] + bindparam("more")})
    for column in (*SEAT_SUMS.values(), *MONEY_SUMS.values(), SessionSeat.wins)
}
_ADD_TO_GROUP = (
    update(_totals)
    .where(_totals.c.player_id == bindparam("of_player"), _totals.c.card_game == bindparam("of_game"))
    .values({name: _totals.c[name] + bindparam(f"more_{name}") for name in _GROUP_SUMS})
)
_PLAYERS = (
    select(_seats.c.seat, _seats.c.player_id)
    .where(_seats.c.session_id == bindparam("of_session"))
    .order_by(_seats.c.player_id)
)


class Amount(NamedTuple):
    """Signed chips on the account of a seat, or of the bank, which has none; ``deal`` is the number of their deal."""

    seat: int | None
    chips: int
    deal: int | None = None


class Posting(NamedTuple):
    """What one version of a session enters in its ledger. The amounts sum to zero."""

    version: int
    kind: EntryKind
    amounts: tuple[Amount, ...]


Difference = tuple[int, Brought | None, Brought]
"""The number of a deal, what it had brought before (None for a new one), and what it brings now."""


def post(db: Session, session: AnyRow, *postings: Posting) -> None:
    """Enter postings in the ledger, and add them to the sums of the seats and of the group."""
    entries = [
        {
            "session_id": session.id,
            "version": posting.version,
            "line": line,
            "group_id": session.group_id,
            "kind": posting.kind,
            "seat": amount.seat,
            "deal_number": amount.deal,
            "chips": amount.chips,
        }
        for posting in postings
        for line, amount in enumerate(amount for amount in posting.amounts if amount.chips)
    ]
    if not entries:
        return
    db.connection().execute(_ENTER, entries)
    sums: defaultdict[str, Counter[int]] = defaultdict(Counter)
    won: Counter[int] = Counter()
    for posting in postings:
        for seat, chips, _ in posting.amounts:
            if seat is not None:
                # Chips cashed in are kept as a positive number.
                sums[SEAT_SUMS[posting.kind].key][seat] += -chips if posting.kind is EntryKind.CASH_OUT else chips
                won[seat] += chips if posting.kind.is_result else 0
    for column, amounts in sums.items():
        if changed := {seat: chips for seat, chips in amounts.items() if chips}:
            _add_to_seats(db, session, column, changed)
    if any(won.values()):
        add_to_group(db, session, {seat: {"chips": chips} for seat, chips in won.items()})


def post_money(db: Session, session: AnyRow, kind: MoneyKind, amounts: Sequence[tuple[int | None, int]]) -> None:
    """Enter what passes between seats, or with the kitty, in the session's present version: it sums to zero."""
    common = {"session_id": session.id, "version": session.version, "group_id": session.group_id, "kind": kind}
    entries = [{**common, "line": line, "seat": seat, "amount": amount} for line, (seat, amount) in enumerate(amounts)]
    if not entries:
        return
    db.connection().execute(_ENTER_MONEY, entries)
    of_seats = Counter[int]()
    for seat, amount in amounts:
        if seat is not None:
            of_seats[seat] += amount
    _add_to_seats(db, session, MONEY_SUMS[kind].key, of_seats)


def in_kitty(seats: Iterable[AnyRow]) -> int:
    """What is in the kitty, in the unit of the settlement: the counterpart of what the *seats* have in costs."""
    return -sum(int(seat.costs) for seat in seats)


def post_stakes(db: Session, session: AnyRow, stakes: Iterable[tuple[int, Brought | None, Brought]]) -> None:
    """Enter what players of deals put into the kitty, from the stake of each, what came of it before, and comes now."""
    moved = Counter[int | None]()
    for stake, old, new in stakes:
        # What was put in before is given back, and what is due now put in.
        for into_kitty, deal in ((-stake, old), (stake, new)):
            players = who_played(session, deal) if stake and deal else ()
            moved.update({None: into_kitty * len(players)} | dict.fromkeys(players, -into_kitty))
    post_money(db, session, MoneyKind.STAKE, [(seat, amount) for seat, amount in moved.items() if amount])


def chip_of(session: AnyRow) -> Chip | None:
    """The price of chips in a session's row."""
    if not session.currency:
        return None
    return Chip(session.chip_value_minor, session.currency, session.exponent, session.chips_priced)


def price_of(session: AnyRow) -> Price:
    """What the chips of a session's row are worth in the unit of its settlement."""
    chip = chip_of(session)
    return chip.price if chip else Price()


def held(db: Session, session_id: int) -> tuple[int, ...]:
    """The chips that every seat of a session should have in front of it, as it stands now."""
    session = select(*GameSession.__table__.columns).where(GameSession.id == session_id)
    seats = select(*SessionSeat.__table__.columns).where(SessionSeat.session_id == session_id)
    row = db.execute(session).one_or_none()
    return in_hand(row, db.execute(seats.order_by(SessionSeat.seat)).all()) if row else ()


def in_hand(session: AnyRow, seats: Sequence[AnyRow]) -> tuple[int, ...]:
    """The chips that every one of a session's *seats* should have in front of it.

    What people have paid each other stands for chips that have gone the other way.
    """
    settled = price_of(session).chips_for([seat.settled for seat in seats])
    return tuple(seat.bought + seat.chips - seat.cashed + chips for seat, chips in zip(seats, settled, strict=True))


def post_deals(db: Session, session: AnyRow, differences: Sequence[Difference]) -> None:
    """Enter what deals brought, in one posting. What one had brought before is reversed, never taken out."""
    amounts = []
    for number, old, new in differences:
        if old is None or old.chips != new.chips:
            amounts += [Amount(seat, -chips, number) for seat, chips in enumerate(old.chips if old else ())]
            amounts += [Amount(seat, chips, number) for seat, chips in enumerate(new.chips)]
    post(db, session, Posting(session.version, EntryKind.DEAL, tuple(amounts)))
    count_games(db, session, differences)


def count_games(db: Session, session: AnyRow, differences: Iterable[Difference]) -> None:
    """Count the games that deals ended, and for whom, in the sums of the seats and of the group."""
    counts: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for _, old, new in differences:
        for deal, sign in ((old, -1), (new, 1)):
            if deal is not None and deal.winners:
                for seat in deal.present:
                    counts[seat]["games"] += sign
                    counts[seat]["wins"] += sign * (seat in deal.winners)
    if any(any(count.values()) for count in counts.values()):
        _add_to_seats(db, session, "wins", {seat: count["wins"] for seat, count in counts.items()})
        add_to_group(db, session, counts)


def adjustments(db: Session, session: AnyRow, *, after: int) -> dict[int, dict[int, int]]:
    """The adjustments since the session's version *after*: the chips of some seats, by version."""
    found: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for version, seat, chips in db.execute(
        select(LedgerEntry.version, LedgerEntry.seat, LedgerEntry.chips).where(
            LedgerEntry.session_id == session.id,
            LedgerEntry.version > after,
            LedgerEntry.kind == EntryKind.ADJUSTMENT,
            LedgerEntry.seat.is_not(None),
        )
    ):
        found[version][cast(int, seat)] = chips
    return dict(found)


def add_to_group(db: Session, session: AnyRow, amounts: Mapping[int, Mapping[str, int]]) -> None:
    """Add the amounts of each seat (``chips``, ``games``, ``wins``) to what its player has come to in the group."""
    # Always in the order of the players: two sessions that wait for each other's rows would wait for ever.
    seats = db.connection().execute(_PLAYERS, {"of_session": session.id}).all()
    db.connection().execute(
        _ADD_TO_GROUP,
        [
            {"of_player": player_id, "of_game": session.card_game}
            | {f"more_{name}": amounts[seat].get(name, 0) for name in _GROUP_SUMS}
            for seat, player_id in seats
            if seat in amounts
        ],
    )


def _add_to_seats(db: Session, session: AnyRow, column: str, amounts: Mapping[int, int]) -> None:
    db.connection().execute(
        _ADD_TO_SEATS[column],
        [{"of_session": session.id, "of_seat": seat, "more": chips} for seat, chips in amounts.items()],
    )

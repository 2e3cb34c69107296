"""Open a session, and what happens in it besides deals: buy in, cash out, adjust, close, reopen."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy import func, insert, select, update
from sqlalchemy.orm import Session

from scorekeeper.ledger import Choices, EntryKind
from scorekeeper.ledger.chipset import Bank, Colour
from scorekeeper.limits import MAX_CHIPS
from scorekeeper.models import AnyRow, GameSession, GroupTotal, Player, SessionChange, SessionSeat
from scorekeeper.rules import CARD_GAMES, CardGame, Problem, Refused, Ruleset, Seat, Table, Unit
from scorekeeper.services.carrying import Carry, carry_over, lock
from scorekeeper.services.chipset import bank, check_sum, moved_in, note_of, set_of_group, set_of_session
from scorekeeper.services.groups import change_group
from scorekeeper.services.history import game_of
from scorekeeper.services.joining import end_codes
from scorekeeper.services.ledger import Amount, Posting, held, post
from scorekeeper.services.settlement import discard, draw_up
from scorekeeper.services.transaction import (
    AlreadyDone,
    ChangedForm,
    SessionCommand,
    StaleSession,
    change_session,
    fingerprint_of,
    insert_or_update,
    transaction,
    while_open,
)
from scorekeeper.sessionfile import Chip


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSession:
    """``players`` sit clockwise; without a ``dealer`` the first is drawn by lot; everybody buys ``buy_in`` chips.

    What ``carry`` names of earlier sessions is settled together with this one.

    ``device`` has the pen from the beginning; people call it ``device_name``.
    """

    group_id: int
    link_id: int
    submission_id: str
    name: str
    card_game: str
    ruleset: Ruleset
    players: tuple[int, ...]
    dealer: Seat | None
    started_on: date
    opening: tuple[int, ...] | None = None
    chip: Chip | None = None
    buy_in: int = 0
    device: str | None = None
    device_name: str = ""
    carry: tuple[Carry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveChips(SessionCommand):
    """Chips a seat buys or gives back for money.

    ``pieces`` are their colours where those were said; otherwise the bank proposes a mix of the group's chip set.
    """

    seat: Seat
    chips: int
    pieces: tuple[Colour, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjust(SessionCommand):
    """Chips moved between seats for a reason no rule knows; one number per seat, summing to zero."""

    chips: tuple[int, ...]
    note: str


def open_session(db: Session, command: OpenSession) -> int:
    """Begin a session and return its id. Sending the same form again returns the id of the session already begun.

    :raises Refused: if the players, the opening or the buy-in do not fit the ruleset, or what an earlier session left
        open cannot be carried over; nothing is written.
    :raises ChangedForm: if it comes with other content; nothing is written.
    """
    # Sent again after midnight, or by another link, it is the same form.
    fingerprint = fingerprint_of(replace(command, link_id=0, started_on=date.min, device=None, device_name=""))
    with transaction(db):
        lock(db, [carry.session_id for carry in command.carry])
        change_group(db, command.group_id)
        begun = session_begun(db, command.group_id, command.submission_id, fingerprint)
        return begin_session(db, command, fingerprint) if begun is None else begun


def session_begun(db: Session, group_id: int, submission_id: str, fingerprint: str) -> int | None:
    """The id of the session that a form began when it was sent before.

    :raises ChangedForm: if its content was another then.
    """
    begun = db.execute(
        select(GameSession.id, SessionChange.fingerprint)
        .join(SessionChange, (SessionChange.session_id == GameSession.id) & (SessionChange.version == 1))
        .where(GameSession.group_id == group_id, GameSession.submission_id == submission_id)
    ).one_or_none()
    if begun is None:
        return None
    if begun.fingerprint != fingerprint:
        raise ChangedForm
    return int(begun.id)


def begin_session(db: Session, command: OpenSession, fingerprint: str) -> int:
    """Begin a session within a transaction that is under way; *fingerprint* is that of the form it came from.

    :raises Refused: see :func:`open_session`.
    """
    game = CARD_GAMES[command.card_game]
    seats = len(command.players)
    _check_players(db, command, game)
    dealer = Seat(secrets.randbelow(seats)) if command.dealer is None else command.dealer
    table = game.open_table(command.ruleset, seats=seats, dealer=dealer, opening=command.opening)
    now = datetime.now(UTC)
    session = db.execute(
        insert(GameSession)
        .values(
            group_id=command.group_id,
            name=command.name,
            card_game=command.card_game,
            ruleset_id=command.ruleset.id,
            options=options_text(command.ruleset.options),
            first_dealer=dealer,
            opening=list(table.totals),
            chip_value_minor=command.chip and command.chip.value_minor,
            currency=command.chip and command.chip.currency,
            exponent=command.chip and command.chip.exponent,
            chips_priced=command.chip and command.chip.chips,
            table=table.state(),
            seating=list(enumerate(command.players)),
            pen=command.device,
            pen_name=command.device_name,
            pen_since=0 if command.device is None else 1,
            submission_id=command.submission_id,
            started_on=command.started_on,
            created_at=now,
        )
        .returning(*GameSession.__table__.columns)
    ).one()
    opening = table.totals if game.unit is Unit.CHIPS else (0,) * len(table.totals)
    db.execute(
        insert(SessionChange).values(
            session_id=session.id,
            version=session.version,
            group_id=command.group_id,
            kind="open",
            link_id=command.link_id,
            submission_id=command.submission_id,
            fingerprint=fingerprint,
            note=note_of(_dealt_out(db, command)),
            created_at=now,
        )
    )
    add_accounts(db, session, dict(enumerate(command.players)), opening)
    if command.buy_in:
        _check_chips(command.buy_in, "buy_in")
        amounts = *(Amount(seat, command.buy_in) for seat in table.ring), Amount(None, -command.buy_in * seats)
        post(db, session, Posting(session.version, EntryKind.BUY_IN, amounts))
    carry_over(db, session, command.carry, link_id=command.link_id, submission_id=command.submission_id)
    return int(session.id)


def _dealt_out(db: Session, command: OpenSession) -> tuple[Colour, ...]:
    """The pieces that everybody gets for what they buy at the beginning."""
    colours = set_of_group(db, command.group_id) if command.buy_in else ()
    return Bank.with_out(colours, {}).hand_out(command.buy_in, len(command.players))


def buy_in(db: Session, command: MoveChips) -> tuple[Colour, ...]:
    """Sell chips to a seat, and return the pieces to hand out; none if nothing is known of colours.

    :raises Refused: if the number is out of bounds, or is not what its colours come to.
    :raises StaleSession: if the session is past ``expected_version``.
    :raises SessionClosed: if the session has ended.
    """
    try:
        with transaction(db):
            colours = _colours(db, command, Bank.hand_out)
            session = while_open(change_session(db, command, "buy-in", note=note_of(colours)))
            _check_seat(_accounts(db, session), command.seat)
            post(db, session, bought(session.version, command.seat, command.chips))
    except AlreadyDone as done:
        return moved_in(db, command.session_id, done.version)
    return colours


def cash_out(db: Session, command: MoveChips) -> tuple[Colour, ...]:
    """Take chips back from a seat, and return the pieces to take; none if nothing is known of colours.

    :raises Refused: if the seat does not have that many, or the number is not what its colours come to.
    :raises StaleSession: if the session is past ``expected_version``.
    :raises SessionClosed: if the session has ended.
    """
    try:
        with transaction(db):
            colours = _colours(db, command, Bank.take_back)
            session = while_open(change_session(db, command, "cash-out", note=note_of(colours)))
            _check_seat(_accounts(db, session), command.seat)
            own = held(db, session.id)[command.seat]
            if command.chips > own:
                raise Refused(Problem("CHIPS_SHORT", "chips", {"held": own, "player": command.seat}))
            post(db, session, cashed(session.version, command.seat, command.chips))
    except AlreadyDone as done:
        return moved_in(db, command.session_id, done.version)
    return colours


def adjust(db: Session, command: Adjust) -> None:
    """Move chips between seats, with a note that says why.

    :raises Refused: if they do not sum to zero, or the note is missing.
    :raises StaleSession: if the session is past ``expected_version``.
    :raises SessionClosed: if the session has ended.
    """
    try:
        with transaction(db):
            session = while_open(change_session(db, command, "adjustment", note=command.note))
            if problems := _adjustment_problems(_accounts(db, session), command):
                raise Refused(*problems)
            post(db, session, moved(session.version, command.chips))
            game, ruleset = game_of(session)
            moved_chips = {seat: chips for seat, chips in enumerate(command.chips) if chips}
            table = game.adjusted(Table.restored(ruleset, session.table), moved_chips)
            db.execute(update(GameSession).where(GameSession.id == session.id).values(table=table.state()))
    except AlreadyDone:
        return


def close_session(db: Session, command: SessionCommand, choices: Choices[int] | None = None) -> None:
    """End a session and draw up its settlement as *choices* say.

    :raises StaleSession: if the session is past ``expected_version``.
    :raises SessionClosed: if it has ended already.
    """
    try:
        with transaction(db):
            session = while_open(change_session(db, command, "close"))
            end_codes(db, session.id)
            db.execute(update(GameSession).where(GameSession.id == session.id).values(state="closed"))
            draw_up(db, session, choices or Choices())
    except AlreadyDone:
        return


def reopen_session(db: Session, command: SessionCommand) -> None:
    """Carry on with a session that had ended. What was paid stays paid; the settlement is discarded.

    :raises StaleSession: if the session is past ``expected_version``, or has not ended.
    """
    try:
        with transaction(db):
            session = change_session(db, command, "reopen")
            if session.state != "closed":
                raise StaleSession
            discard(db, session)
    except AlreadyDone:
        return


def bought(version: int, seat: int, chips: int) -> Posting:
    return Posting(version, EntryKind.BUY_IN, (Amount(seat, chips), Amount(None, -chips)))


def cashed(version: int, seat: int, chips: int) -> Posting:
    return Posting(version, EntryKind.CASH_OUT, (Amount(seat, -chips), Amount(None, chips)))


def moved(version: int, chips: Sequence[int]) -> Posting:
    return Posting(version, EntryKind.ADJUSTMENT, tuple(Amount(seat, amount) for seat, amount in enumerate(chips)))


def options_text(options: object) -> str:
    """A ruleset's options as the text a session keeps."""
    return json.dumps(dict(options), sort_keys=True)  # type: ignore[call-overload]


def _colours(db: Session, command: MoveChips, propose: Callable[[Bank, int], tuple[Colour, ...]]) -> tuple[Colour, ...]:
    """The pieces that move with *command*: those it says, or else what the bank proposes.

    :raises Refused: if the number of chips is out of bounds, or is not what those said come to.
    """
    _check_chips(command.chips, "chips")
    if command.pieces is not None:
        check_sum(command.pieces, command.chips, "chips")
        return command.pieces
    colours = set_of_session(db, command.session_id)
    return propose(bank(db, command.session_id, colours, command.seat), command.chips) if colours else ()


def _accounts(db: Session, session: AnyRow) -> int:
    """How many have an account in the session, at the table or not."""
    count = select(func.count()).select_from(SessionSeat).where(SessionSeat.session_id == session.id)
    return db.scalars(count).one()


def _check_players(db: Session, command: OpenSession, game: CardGame[Any]) -> None:
    players = command.players
    found = select(Player.id).where(Player.group_id == command.group_id, Player.id.in_(players))
    # Nobody can be removed while they are seated.
    in_group = db.scalars(found.with_for_update(read=True, key_share=True)).all()
    admitted = game.admits(command.ruleset, len(players))
    if not len(players) == len(set(players)) == len(in_group) or not admitted:
        raise Refused(Problem("PLAYERS_COUNT", "players", {"players": game.players(command.ruleset)}))
    if command.dealer is not None and not 0 <= command.dealer < len(players):
        raise Refused(Problem("MALFORMED", "dealer", {"reason": "type"}))


def _check_chips(chips: int, field: str) -> None:
    if not 0 < chips <= MAX_CHIPS:
        raise Refused(Problem("CHIPS_RANGE", field, {"low": 1, "high": MAX_CHIPS}))


def _check_seat(accounts: int, seat: int) -> None:
    if not 0 <= seat < accounts:
        raise Refused(Problem("MALFORMED", "player", {"reason": "type"}))


def _adjustment_problems(accounts: int, command: Adjust) -> list[Problem]:
    problems = []
    if len(command.chips) != accounts or any(abs(chips) > MAX_CHIPS for chips in command.chips):
        problems.append(Problem("CHIPS_RANGE", "chips", {"low": -MAX_CHIPS, "high": MAX_CHIPS}))
    if difference := sum(command.chips):
        problems.append(Problem("ADJUSTMENT_SUM", "chips", {"sum": difference}))
    if not any(command.chips):
        problems.append(Problem("ADJUSTMENT_EMPTY", "chips"))
    if not command.note:
        problems.append(Problem("NOTE_MISSING", "note"))
    return problems


def add_accounts(db: Session, session: AnyRow, players: Mapping[int, int], chips: Sequence[int]) -> None:
    """Give *players*, by seat, an account in the session, and count it for them in the standings of the group."""
    db.execute(
        insert(SessionSeat),
        [
            {
                "session_id": session.id,
                "seat": seat,
                "group_id": session.group_id,
                "player_id": player_id,
                "chips": chips[place],
            }
            for place, (seat, player_id) in enumerate(players.items())
        ],
    )
    rows = insert_or_update(db, GroupTotal).values(
        [
            {
                "player_id": player_id,
                "card_game": session.card_game,
                "group_id": session.group_id,
                "sessions": 1,
                "games": 0,
                "wins": 0,
                "chips": chips[place],
            }
            # In the order of the players, as everywhere: see add_to_group.
            for player_id, place in sorted((player_id, place) for place, player_id in enumerate(players.values()))
        ]
    )
    db.execute(
        rows.on_conflict_do_update(
            index_elements=["player_id", "card_game"],
            set_={
                "sessions": GroupTotal.sessions + 1,
                "chips": GroupTotal.chips + rows.excluded.chips,
            },
        )
    )

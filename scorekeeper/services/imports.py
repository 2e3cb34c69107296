"""Import a session file: the whole sitting in one transaction, or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from scorekeeper.ledger import EntryKind
from scorekeeper.models import AnyRow, Deal, GameSession, Player, SessionChange
from scorekeeper.names import name_key
from scorekeeper.rules import Seat
from scorekeeper.services.deals import columns_of
from scorekeeper.services.groups import add_players, change_group
from scorekeeper.services.history import scored_deal, still_declared
from scorekeeper.services.ledger import Amount, Posting, count_games, post
from scorekeeper.services.seats import seating_note, seating_of
from scorekeeper.services.sessions import (
    OpenSession,
    add_accounts,
    begin_session,
    bought,
    cashed,
    moved,
    session_begun,
)
from scorekeeper.services.transaction import fingerprint_of, transaction
from scorekeeper.sessionfile import (
    Adjustment,
    BuyIn,
    CashOut,
    DealEvent,
    DealtBy,
    Event,
    MisdealEvent,
    NewGame,
    Seating,
    SessionFile,
    Sheet,
    score,
    write_document,
)

_KINDS = {
    DealEvent: "record",
    MisdealEvent: "record",
    BuyIn: "buy-in",
    CashOut: "cash-out",
    Adjustment: "adjustment",
    NewGame: "new-game",
    Seating: "seats",
    DealtBy: "declare",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSession:
    """Players of the file who are not in the group yet join it. ``device`` gets the pen, as in a session begun here."""

    group_id: int
    link_id: int
    submission_id: str
    name: str
    started_on: date
    file: SessionFile
    device: str | None = None
    device_name: str = ""


def import_session(db: Session, command: ImportSession) -> int:
    """Store a session file as a session and return its id. Sending the same form again returns the same id.

    :raises Refused: if a player cannot join the group; nothing is written.
    :raises ChangedForm: if it comes with other content; nothing is written.
    """
    # The file as it would be written: its own values show where in memory its rules are.
    content = command.group_id, command.name, command.started_on, write_document(command.file)
    fingerprint = fingerprint_of(*content)
    with transaction(db):
        change_group(db, command.group_id)
        begun = session_begun(db, command.group_id, command.submission_id, fingerprint)
        if begun is not None:
            return begun
        file = command.file
        player_ids = _player_ids(db, command)
        accounts = [player_ids[name_key(name)] for name in file.players]
        session_id = begin_session(
            db,
            OpenSession(
                group_id=command.group_id,
                link_id=command.link_id,
                submission_id=command.submission_id,
                name=command.name,
                card_game=file.game.id,
                ruleset=file.ruleset,
                players=tuple(accounts[: file.began]),
                dealer=file.dealer,
                started_on=command.started_on,
                opening=file.opening,
                chip=file.chip,
                device=command.device,
                device_name=command.device_name,
            ),
            fingerprint,
        )
        session = db.execute(select(*GameSession.__table__.columns).where(GameSession.id == session_id)).one()
        if late := dict(enumerate(accounts[file.began :], start=file.began)):
            add_accounts(db, session, late, (0,) * len(late))
        _store_events(db, session, command, score(file), player_ids)
        return session_id


def _player_ids(db: Session, command: ImportSession) -> dict[str, int]:
    """The players of the group by the keys of their names."""
    in_group = select(Player.name_key, Player.id).where(Player.group_id == command.group_id)
    known = {row.name_key: row.id for row in db.execute(in_group)}
    new = [name for name in command.file.people if name_key(name) not in known]
    added = add_players(db, command.group_id, new, field="players")
    return known | dict(zip(map(name_key, new), added, strict=True))


def _store_events(
    db: Session, session: AnyRow, command: ImportSession, sheet: Sheet, player_ids: Mapping[str, int]
) -> None:
    """One version for each event, and what *sheet* says came of them, as if they had been entered one by one."""
    events = list(enumerate(command.file.events, start=session.version + 1))
    if not events:
        return
    now = datetime.now(UTC)
    db.execute(
        insert(SessionChange),
        [
            {
                "session_id": session.id,
                "version": version,
                "group_id": session.group_id,
                "kind": _KINDS[type(event)],
                "link_id": command.link_id,
                "submission_id": f"{command.submission_id}-{version}",
                "fingerprint": "",
                "note": _note(event, command.file, player_ids),
                "created_at": now,
            }
            for version, event in events
        ],
    )
    deals, postings, brought = [], [], []
    games = 1
    for number, dealt in enumerate(sheet.dealt, start=1):
        version, scored = session.version + dealt.event, scored_deal(dealt.score)
        deals.append(
            {
                "session_id": session.id,
                "number": number,
                "group_id": session.group_id,
                "recorded": version,
                "version": version,
                "starts_game": dealt.score.before.game > games,
                "facts": dict(dealt.facts),
                "seating": seating_of(_seated(dealt.seating, command.file, player_ids)),
                **columns_of(scored),
            }
        )
        amounts = tuple(Amount(seat, chips, number) for seat, chips in enumerate(scored.chips))
        postings.append(Posting(version, EntryKind.DEAL, amounts))
        brought.append((number, None, scored))
        games = dealt.score.before.game
    if deals:
        db.execute(insert(Deal), deals)
    post(db, session, *postings, *(posting for version, event in events for posting in _postings(version, event)))
    count_games(db, session, brought)
    db.execute(
        update(GameSession)
        .where(GameSession.id == session.id)
        .values(
            version=events[-1][0],
            deals=len(deals),
            table=sheet.table.state(),
            seating=seating_of(_seated(sheet.seating, command.file, player_ids)),
            declared=still_declared(command.file.game, {"dealer": sheet.dealer}, sheet.table),
        )
    )


def _seated(seating: Seating, file: SessionFile, player_ids: Mapping[str, int]) -> dict[Seat, int]:
    """Who sits down in each seat, in the order of the file."""
    return {seat: player_ids[name_key(seating.stand_ins.get(seat, file.players[seat]))] for seat in seating.seats}


def _note(event: Event, file: SessionFile, player_ids: Mapping[str, int]) -> str:
    """The note of the change that *event* is."""
    match event:
        case Adjustment():
            return event.note
        case Seating():
            return seating_note(_seated(event, file, player_ids))
    return ""


def _postings(version: int, event: object) -> Iterator[Posting]:
    if isinstance(event, BuyIn):
        yield bought(version, event.player, event.chips)
    elif isinstance(event, CashOut):
        yield cashed(version, event.player, event.chips)
    elif isinstance(event, Adjustment):
        yield moved(version, event.chips)

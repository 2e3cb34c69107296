"""Import a session file: the whole sitting in one transaction, or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from scorekeeper.ledger import EntryKind
from scorekeeper.models import AnyRow, Deal, GameSession, Player, SessionChange
from scorekeeper.names import name_key
from scorekeeper.rules import MISDEAL
from scorekeeper.services.deals import columns_of
from scorekeeper.services.groups import add_players, change_group
from scorekeeper.services.history import Entered, first_table, game_of, replay
from scorekeeper.services.ledger import Amount, Posting, count_games, post
from scorekeeper.services.sessions import OpenSession, begin_session, bought, cashed, moved, session_begun
from scorekeeper.services.transaction import fingerprint_of, transaction
from scorekeeper.sessionfile import (
    Adjustment,
    BuyIn,
    CashOut,
    DealEvent,
    MisdealEvent,
    NewGame,
    SessionFile,
    write_document,
)

_KINDS = {
    DealEvent: "record",
    MisdealEvent: "record",
    BuyIn: "buy-in",
    CashOut: "cash-out",
    Adjustment: "adjustment",
    NewGame: "new-game",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSession:
    """Players of the file who are not in the group yet join it."""

    group_id: int
    link_id: int
    submission_id: str
    name: str
    started_on: date
    file: SessionFile


def import_session(db: Session, command: ImportSession) -> int:
    """Store a session file as a session and return its id. Sending the same form again returns the same id.

    :raises Refused: if a player cannot join the group; nothing is written.
    :raises ChangedForm: if it comes with other content; nothing is written.
    """
    # The file as it would be written: its own values show where in memory its rules are.
    content = command.group_id, command.link_id, command.name, command.started_on, write_document(command.file)
    fingerprint = fingerprint_of(*content)
    with transaction(db):
        change_group(db, command.group_id)
        begun = session_begun(db, command.group_id, command.submission_id, fingerprint)
        if begun is not None:
            return begun
        file = command.file
        session_id = begin_session(
            db,
            OpenSession(
                group_id=command.group_id,
                link_id=command.link_id,
                submission_id=command.submission_id,
                name=command.name,
                card_game=file.game.id,
                ruleset=file.ruleset,
                players=_player_ids(db, command),
                dealer=file.dealer,
                started_on=command.started_on,
                opening=file.opening,
                chip=file.chip,
            ),
            fingerprint,
        )
        session = db.execute(select(*GameSession.__table__.columns).where(GameSession.id == session_id)).one()
        _store_events(db, session, command)
        return session_id


def _player_ids(db: Session, command: ImportSession) -> tuple[int, ...]:
    in_group = select(Player.name_key, Player.id).where(Player.group_id == command.group_id)
    known = {row.name_key: row.id for row in db.execute(in_group)}
    names = command.file.players
    new = [name for name in names if name_key(name) not in known]
    added = add_players(db, command.group_id, new, field="players")
    known |= dict(zip(map(name_key, new), added, strict=True))
    return tuple(known[name_key(name)] for name in names)


def _store_events(db: Session, session: AnyRow, command: ImportSession) -> None:
    """One version for each event, and what follows from the deals, as if they had been entered one by one."""
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
                "note": event.note if isinstance(event, Adjustment) else "",
                "created_at": now,
            }
            for version, event in events
        ],
    )
    game, _ = game_of(session)
    entered = list(_entered(events))
    replayed = replay(
        game,
        first_table(session),
        entered,
        {version: event.chips for version, event in events if isinstance(event, Adjustment)},
    )
    dealt = list(zip(entered, replayed.deals, strict=True))
    if dealt:
        db.execute(
            insert(Deal),
            [
                {
                    "session_id": session.id,
                    "number": deal.number,
                    "group_id": session.group_id,
                    "recorded": deal.recorded,
                    "version": deal.recorded,
                    "starts_game": deal.starts_game,
                    "facts": dict(deal.facts),
                    **columns_of(brought),
                }
                for deal, brought in dealt
            ],
        )
    post(
        db,
        session,
        *(
            Posting(
                deal.recorded, EntryKind.DEAL, tuple(Amount(*seat, deal.number) for seat in enumerate(brought.chips))
            )
            for deal, brought in dealt
        ),
        *(posting for version, event in events for posting in _postings(version, event)),
    )
    count_games(db, session, [(deal.number, None, brought) for deal, brought in dealt])
    games = 1 + sum(isinstance(event, NewGame) for _, event in events)
    table = game.new_game(replayed.table) if games > replayed.table.game else replayed.table
    db.execute(
        update(GameSession)
        .where(GameSession.id == session.id)
        .values(version=events[-1][0], deals=len(entered), table=table.state())
    )


def _entered(events: list[tuple[int, Any]]) -> Iterator[Entered]:
    number = 0
    starts_game = False
    for version, event in events:
        if isinstance(event, NewGame):
            starts_game = True
        elif isinstance(event, DealEvent | MisdealEvent):
            number += 1
            facts = event.facts if isinstance(event, DealEvent) else MISDEAL
            yield Entered(number, version, facts, starts_game)
            starts_game = False


def _postings(version: int, event: object) -> Iterator[Posting]:
    if isinstance(event, BuyIn):
        yield bought(version, event.player, event.chips)
    elif isinstance(event, CashOut):
        yield cashed(version, event.player, event.chips)
    elif isinstance(event, Adjustment):
        yield moved(version, event.chips)

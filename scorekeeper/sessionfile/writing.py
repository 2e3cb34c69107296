"""Writing a session file, and the answer to one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeVar

from scorekeeper.ledger import Transfer, plain
from scorekeeper.rules import Facts, FieldKind, Seat
from scorekeeper.sessionfile.scoring import Sheet
from scorekeeper.sessionfile.values import (
    FORMAT,
    VERSION,
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
    kinds_of,
)

ANSWER_FORMAT: Final = "scorekeeper/score"

T = TypeVar("T")


def write_document(file: SessionFile) -> dict[str, Any]:
    """*file* as a JSON object that :func:`read_document` takes back."""
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "rules": file.ruleset.id,
        "house_rules": file.game.house_rules(file.ruleset),
        "players": list(file.players[: file.began]),
        "dealer": file.players[file.dealer],
    }
    if file.began > file.game.players(file.ruleset):
        document["rotation"] = True
    if file.opening is not None:
        document["opening"] = _by_name(file.opening, file.players)
    if file.chip is not None:
        value = plain(file.chip.value_minor, file.chip.exponent)
        document["chip"] = {"value": value, "currency": file.chip.currency}
        if file.chip.chips != 1:
            document["chip"]["chips"] = file.chip.chips
    document["events"] = [_write_event(event, file) for event in file.events]
    return document


def answer(sheet: Sheet) -> dict[str, Any]:
    """What ``scorekeeper score --json`` prints about *sheet*."""
    file, players = sheet.file, sheet.file.players
    document: dict[str, Any] = {
        "format": ANSWER_FORMAT,
        "version": VERSION,
        "unit": file.game.unit.value,
        "deals": [
            {
                "number": deal.number,
                "game": deal.score.before.game,
                "dealer": players[deal.score.before.dealer],
                "result": deal.score.result.value,
                "change": _by_name(deal.score.points, players),
                "total": _by_name(deal.totals, players),
            }
            for deal in sheet.deals
        ],
        "next_dealer": players[sheet.dealer],
        "totals": _by_name(sheet.totals, players),
        "finished": sheet.table.over,
        "winners": [players[seat] for seat in sheet.table.winners],
        "standings": [
            {"place": standing.place, "player": players[standing.player], "total": standing.total}
            for standing in sheet.standings
        ],
    }
    if (transfers := sheet.transfers) is not None:
        document["transfers"] = [_write_transfer(transfer, file) for transfer in transfers]
    return document


def _write_event(event: Event, file: SessionFile) -> dict[str, Any]:
    match event:
        case DealEvent(facts):
            return {"type": "deal", **_write_facts(facts, file)}
        case MisdealEvent():
            return {"type": "misdeal"}
        case BuyIn(player, chips):
            return {"type": "buy-in", "player": file.players[player], "chips": chips}
        case CashOut(player, chips):
            return {"type": "cash-out", "player": file.players[player], "chips": chips}
        case Adjustment(changes, note):
            return {"type": "adjustment", "chips": _by_name(changes, file.players), "note": note}
        case NewGame():
            return {"type": "new-game"}
        case Seating(seats, stand_ins):
            written = {"type": "seats", "players": [file.players[seat] for seat in seats]}
            names = {file.players[seat]: name for seat, name in stand_ins.items()}
            return written | ({"stand_ins": names} if names else {})
        case DealtBy(player):
            return {"type": "dealer", "player": file.players[player]}


def _write_facts(facts: Facts, file: SessionFile) -> dict[str, Any]:
    """*facts* with names in place of seats."""
    kinds = kinds_of(file.game)
    return {name: _write_fact(value, kinds.get(name), file.players) for name, value in facts.items()}


def _write_fact(value: Any, kind: FieldKind | None, players: tuple[str, ...]) -> Any:
    match kind:
        case FieldKind.SEAT:
            return players[value]
        case FieldKind.SEATS:
            return [players[seat] for seat in value]
        case FieldKind.NUMBERS:
            return _by_name(value, players)
        case FieldKind.SUITS:
            return {name: suit for name, suit in _by_name(value, players).items() if suit is not None}
        case FieldKind.AUCTION:
            return [[players[seat], bid] for seat, bid in value]
        case _:
            return value


def _write_transfer(transfer: Transfer[Seat], file: SessionFile) -> dict[str, Any]:
    written: dict[str, Any] = {"from": file.players[transfer.payer], "to": file.players[transfer.payee]}
    if file.chip is None:
        return written | {"chips": transfer.amount}
    if (chips := file.chip.price.whole_chips(transfer.amount)) is not None:
        written["chips"] = chips
    return written | {"amount": plain(transfer.amount, file.chip.exponent), "currency": file.chip.currency}


def _by_name(values: Sequence[T], players: tuple[str, ...]) -> dict[str, T]:
    """One thing for each of the *players* there were then."""
    return dict(zip(players[: len(values)], values, strict=True))

"""The session file: everything needed to score a sitting of one card game, in one JSON document.

It is what the app exports and imports, and what ``scorekeeper score`` reads. No database and no Flask.
"""

from scorekeeper.sessionfile.reading import MAX_BYTES, parse, read_document
from scorekeeper.sessionfile.scoring import Dealt, ScoredDeal, Sheet, score
from scorekeeper.sessionfile.values import (
    Adjustment,
    BadFile,
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
    malformed,
)
from scorekeeper.sessionfile.writing import answer, write_document

__all__ = [
    "MAX_BYTES",
    "Adjustment",
    "BadFile",
    "BuyIn",
    "CashOut",
    "Chip",
    "DealEvent",
    "Dealt",
    "DealtBy",
    "Event",
    "MisdealEvent",
    "NewGame",
    "ScoredDeal",
    "Seating",
    "SessionFile",
    "Sheet",
    "answer",
    "fitted",
    "malformed",
    "parse",
    "read_document",
    "score",
    "write_document",
]

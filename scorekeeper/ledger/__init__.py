"""Who owes whom: kinds of entries, standings, whole money, and the fewest transfers that settle.

Pure: standard library only, no sentences. Amounts are whole chips or whole minor units, never floats.
"""

from scorekeeper.ledger.entries import (
    EntryKind,
    Standing,
    UnbalancedLedger,
    standings,
)
from scorekeeper.ledger.money import (
    MAX_MINOR,
    AmbiguousAmount,
    AmountFault,
    MalformedAmount,
    apportion,
    parse_minor,
    plain,
)
from scorekeeper.ledger.settlement import Transfer, plan_beside_bank, plan_settlement

__all__ = [
    "MAX_MINOR",
    "AmbiguousAmount",
    "AmountFault",
    "EntryKind",
    "MalformedAmount",
    "Standing",
    "Transfer",
    "UnbalancedLedger",
    "apportion",
    "parse_minor",
    "plain",
    "plan_beside_bank",
    "plan_settlement",
    "standings",
]

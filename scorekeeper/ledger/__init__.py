"""Who owes whom: kinds of entries, standings, whole money, and the fewest transfers that settle.

Pure: standard library only, no sentences. Amounts are whole chips or whole minor units, never floats.
"""

from scorekeeper.ledger.entries import (
    EntryKind,
    MoneyKind,
    Standing,
    UnbalancedLedger,
    standings,
)
from scorekeeper.ledger.money import (
    MAX_MINOR,
    AmbiguousAmount,
    AmountFault,
    MalformedAmount,
    Spread,
    apportion,
    nearest,
    parse_minor,
    parse_whole,
    plain,
    spread,
)
from scorekeeper.ledger.price import Price
from scorekeeper.ledger.settlement import (
    Choices,
    Plan,
    Transfer,
    plan_settlement,
    plan_with,
    settles,
)

__all__ = [
    "MAX_MINOR",
    "AmbiguousAmount",
    "AmountFault",
    "Choices",
    "EntryKind",
    "MalformedAmount",
    "MoneyKind",
    "Plan",
    "Price",
    "Spread",
    "Standing",
    "Transfer",
    "UnbalancedLedger",
    "apportion",
    "nearest",
    "parse_minor",
    "parse_whole",
    "plain",
    "plan_settlement",
    "plan_with",
    "settles",
    "spread",
    "standings",
]

"""What entries of a ledger come from, and the order that their sums put players in."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

K = TypeVar("K")


class EntryKind(StrEnum):
    """What an entry of chips came from. A reversal has the kind of what it reverses."""

    DEAL = "deal"
    BUY_IN = "buy-in"
    CASH_OUT = "cash-out"
    ADJUSTMENT = "adjustment"

    @property
    def is_result(self) -> bool:
        """Whether such chips were won or lost, rather than bought or given back."""
        return self in (EntryKind.DEAL, EntryKind.ADJUSTMENT)


class MoneyKind(StrEnum):
    """What an entry between people came from, in the unit of the settlement: money, or chips that have no price."""

    PAYMENT = "payment"
    COST = "cost"
    STAKE = "stake"
    CARRIED = "carried"


class UnbalancedLedger(ValueError):
    """Amounts that should sum to zero and sum to ``difference``."""

    def __init__(self, difference: int) -> None:
        super().__init__(difference)
        self.difference = difference


@dataclass(frozen=True, slots=True)
class Standing(Generic[K]):
    """A player's place, from 1, and the total it rests on."""

    place: int
    player: K
    total: int


def standings(totals: Mapping[K, int], *, lowest_wins: bool = False) -> tuple[Standing[K], ...]:
    """Everybody in *totals*, best first.

    Equal totals share a place, keep the order of *totals*, and the next place is skipped.

    >>> [(s.place, s.player) for s in standings({"Ann": 0, "Ben": 5, "Cleo": 0, "Dan": -5})]
    [(1, 'Ben'), (2, 'Ann'), (2, 'Cleo'), (4, 'Dan')]
    """
    ranked: list[Standing[K]] = []
    # A reversed sort is stable too, so ties keep their order either way.
    for rank, (player, total) in enumerate(
        sorted(totals.items(), key=lambda item: item[1], reverse=not lowest_wins), start=1
    ):
        shared = ranked and ranked[-1].total == total
        ranked.append(Standing(ranked[-1].place if shared else rank, player, total))
    return tuple(ranked)

"""Ledger entries, what they add up to, and the order that puts players in."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, NewType, TypeVar

PlayerId = NewType("PlayerId", int)
K = TypeVar("K")


class EntryKind(StrEnum):
    """What an entry came from. A reversal has the kind of what it reverses."""

    DEAL = "deal"
    BUY_IN = "buy-in"
    CASH_OUT = "cash-out"
    ADJUSTMENT = "adjustment"
    TRANSFER = "transfer"

    @property
    def is_result(self) -> bool:
        """Whether such chips were won or lost, rather than bought, given back or paid off."""
        return self in (EntryKind.DEAL, EntryKind.ADJUSTMENT)


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One signed amount on one account: *chips* above zero are credited to *player*, below zero debited.

    A deal won, a buy-in and paying a transfer credit; a deal lost, a cash-out and being paid debit. The bank (``None``)
    is the other side of buy-ins and cash-outs. The entries of one *posting* sum to zero.
    """

    player: PlayerId | None
    kind: EntryKind
    chips: int
    posting: int


class UnbalancedLedger(ValueError):
    """Amounts that should sum to zero and do not.

    ``difference`` is what they sum to; ``posting`` the one at fault, or ``None`` where there are only balances.
    """

    def __init__(self, difference: int, posting: int | None = None) -> None:
        super().__init__(difference, posting)
        self.difference = difference
        self.posting = posting


def balances(entries: Iterable[LedgerEntry]) -> dict[PlayerId, int]:
    """Net chips of every player with an entry: positive is owed to them, negative by them.

    The bank has no place in the answer, so balances sum to zero only once bought chips have been cashed out.

    :raises UnbalancedLedger: if a posting does not sum to zero.

    >>> ann, ben = PlayerId(1), PlayerId(2)
    >>> balances([LedgerEntry(ann, EntryKind.DEAL, 3, posting=1), LedgerEntry(ben, EntryKind.DEAL, -3, posting=1)])
    {1: 3, 2: -3}
    """
    return _net(entries, frozenset(EntryKind))


def results(entries: Iterable[LedgerEntry]) -> dict[PlayerId, int]:
    """Chips every player with an entry won or lost: deals and adjustments, whatever was bought or paid since.

    :raises UnbalancedLedger: if a posting does not sum to zero.
    """
    return _net(entries, frozenset(kind for kind in EntryKind if kind.is_result))


def _net(entries: Iterable[LedgerEntry], kinds: frozenset[EntryKind]) -> dict[PlayerId, int]:
    net: dict[PlayerId, int] = {}
    postings: defaultdict[int, int] = defaultdict(int)
    for entry in entries:
        postings[entry.posting] += entry.chips
        if entry.player is not None:
            net[entry.player] = net.get(entry.player, 0) + (entry.chips if entry.kind in kinds else 0)
    for posting, difference in postings.items():
        if difference:
            raise UnbalancedLedger(difference, posting)
    return net


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

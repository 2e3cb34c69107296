"""The fewest transfers that settle.

People whose balances sum to zero can settle among themselves with one transfer fewer than they are, so the more such
groups, the fewer transfers. Adding group after group gives sets that sum to zero as well, so the most groups are the
longest chain of such sets from nobody to everybody, each within the next. :func:`_groups` finds it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any, Final, Generic, Protocol, TypeVar

from scorekeeper.ledger.entries import UnbalancedLedger

MAX_EXACT: Final = 16
"""With more people than this who have a balance, a plan takes at most one transfer fewer than people."""
MAX_BESIDE_BANK: Final = 10
"""The same, where the bank is owed a part: more than can sit at a table."""


class Sortable(Protocol):
    """Anything with an order: an id, a seat, a name."""

    def __lt__(self, other: Any, /) -> bool: ...


K = TypeVar("K", bound=Sortable)


@dataclass(frozen=True, slots=True)
class Transfer(Generic[K]):
    """One payment that settles: *payer* gives *payee* *amount*, above zero, in the unit of the balances."""

    payer: K
    payee: K
    amount: int


def plan_settlement(balances: Mapping[K, int]) -> tuple[Transfer[K], ...]:
    """The fewest transfers that bring every balance to zero, in the balances' unit, by payer, then payee.

    A positive balance is owed to that person, a negative one by them. Exact for up to 16 people with a balance; beyond
    that, at most one fewer transfer than people. Equal balances always give an equal plan.

    >>> for transfer in plan_settlement({"Ann": 5, "Ben": 4, "Cleo": -4, "Dan": -3, "Eve": -2}): print(transfer)
    Transfer(payer='Cleo', payee='Ben', amount=4)
    Transfer(payer='Dan', payee='Ann', amount=3)
    Transfer(payer='Eve', payee='Ann', amount=2)

    :raises UnbalancedLedger: if *balances* do not sum to zero.
    """
    if difference := sum(balances.values()):
        raise UnbalancedLedger(difference)
    open_balances = [(person, balances[person]) for person in sorted(balances) if balances[person]]
    # Rules §3.6: paying the largest creditor from the largest debtor is not always fewest, so search exactly.
    transfers: list[Transfer[K]] = []
    for group in _groups([amount for _, amount in open_balances]):
        transfers += _settle([pair for place, pair in enumerate(open_balances) if group >> place & 1])
    return tuple(sorted(transfers, key=lambda transfer: (transfer.payer, transfer.payee)))


def plan_beside_bank(balances: Mapping[K, int]) -> tuple[Transfer[K], ...]:
    """The fewest transfers that bring everybody what is owed to them, where more is owed by them than to them.

    The rest is the bank's, which gets it without a transfer. Exact for up to 10 people with a balance; beyond
    that, at most one fewer transfer than people.

    >>> plan_beside_bank({"Ann": 0, "Ben": 5, "Cleo": -3, "Dan": -12})
    (Transfer(payer='Dan', payee='Ben', amount=5),)

    :raises UnbalancedLedger: if more is owed to them than by them.
    """
    if (difference := sum(balances.values())) > 0:
        raise UnbalancedLedger(difference)
    open_balances = [(person, balances[person]) for person in sorted(balances) if balances[person]]
    transfers: list[Transfer[K]] = []
    for group in _groups_in_debt([amount for _, amount in open_balances]):
        transfers += _settle([open_balances[place] for place in group])
    return tuple(sorted(transfers, key=lambda transfer: (transfer.payer, transfer.payee)))


def _groups_in_debt(amounts: Sequence[int]) -> list[list[int]]:
    """Split people into as many groups as there can be of which each owes at least as much as it is owed."""
    if len(amounts) > MAX_BESIDE_BANK:
        return [list(range(len(amounts)))]

    @cache
    def best(left: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        first, others = left[0], left[1:]
        found: tuple[tuple[int, ...], ...] = ()
        for size in range(len(others) + 1):
            for company in combinations(others, size):
                group = (first, *company)
                rest = tuple(person for person in others if person not in company)
                if sum(amounts[person] for person in group) > 0:
                    continue
                groups = (group, *best(rest)) if rest else (group,)
                if len(groups) > len(found) and sum(map(len, groups)) == len(left):
                    found = groups
        return found

    return [list(group) for group in best(tuple(range(len(amounts))))] if amounts else []


def _settle(group: Sequence[tuple[K, int]]) -> list[Transfer[K]]:
    """Let those who owe pay those who are owed, both in the order given: at most one fewer transfer than people.

    They owe at least as much as they are owed.
    """
    owed = [(person, amount) for person, amount in group if amount > 0]
    transfers: list[Transfer[K]] = []
    for payer, balance in group:
        debt = -balance
        while debt > 0 and owed:
            payee, claim = owed[0]
            paid = min(debt, claim)
            transfers.append(Transfer(payer, payee, paid))
            debt -= paid
            owed[:1] = [(payee, claim - paid)] if claim > paid else []
    return transfers


def _groups(amounts: Sequence[int]) -> list[int]:
    """Split people into as many groups summing to zero as there can be: one, if they are more than can be searched.

    *amounts* are not zero and sum to zero. A set of people is a mask, with bit *i* for whose amount is ``amounts[i]``.
    A family of such sets is an integer too, with bit *m* for the mask *m*, so that one operation on it works on all
    65,536 sets of 16 people at once.
    """
    everybody = (1 << len(amounts)) - 1
    if len(amounts) > MAX_EXACT:
        return [everybody]
    sums = [0]
    for amount in amounts:
        sums += [total + amount for total in sums]
    # Highest mask first, as a number is written.
    zero = int("".join("0" if total else "1" for total in reversed(sums)), 2)
    without = [_within(everybody ^ 1 << person) for person in range(len(amounts))]

    # chain[k]: the sets that end a chain of k + 1 sets, the first of which may be nobody. The last family has everybody
    # alone, who contain every other set.
    chain: list[int] = []
    longer = zero
    while longer:
        chain.append(longer)
        longer = zero & _beyond(longer, without)

    groups: list[int] = []
    outer = everybody
    for sets in reversed(chain[:-1]):
        candidates = sets & _within(outer)
        inner = (candidates & -candidates).bit_length() - 1  # the lowest mask, so never *outer* itself
        groups.append(outer ^ inner)
        outer = inner
    return groups


def _within(mask: int) -> int:
    """The family of all subsets of *mask*."""
    family = 1
    for person in range(mask.bit_length()):
        if mask >> person & 1:
            family |= family << (1 << person)
    return family


def _beyond(family: int, without: Sequence[int]) -> int:
    """Every set that has one of *family* and somebody more in it; ``without[i]`` is the family of sets lacking *i*."""
    beyond = 0
    for person, lacking in enumerate(without):
        beyond |= ((family | beyond) & lacking) << (1 << person)
    return beyond

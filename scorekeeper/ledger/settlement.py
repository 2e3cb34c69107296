"""The fewest transfers that settle, as they are, or with choices that a table makes.

People whose balances sum to zero can settle among themselves with one transfer fewer than they are, so the more such
groups, the fewer transfers. Adding group after group gives sets that sum to zero as well, so the most groups are the
longest chain of such sets from nobody to everybody, each within the next. :func:`_groups` finds it.

Where some cannot pay each other, a group must hang together by those who can, perhaps through others who are even, each
of whom is one more transfer. :func:`_connected_groups` finds the cheapest.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any, Final, Generic, Protocol, TypeVar

from scorekeeper.ledger.entries import UnbalancedLedger
from scorekeeper.ledger.money import spread

MAX_EXACT: Final = 16
"""With more people than this who have a balance, a plan takes at most one transfer fewer than people."""
MAX_BESIDE_BANK: Final = 10
"""The same, where the bank is owed a part: more than can sit at a table."""
MAX_APART: Final = 12
"""The same, where some cannot pay each other, those who are even included."""


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


@dataclass(frozen=True, slots=True)
class Choices(Generic[K]):
    """How a table settles. Amounts are in the unit of the balances.

    Where there is a ``banker``, everybody pays or gets through them. Amounts are multiples of ``step``, and no transfer
    is below ``least``. No two people of a pair in ``apart`` pay each other. ``keeper`` has what is in the kitty, which
    is shared out evenly if nobody has: that is in the balances already.
    """

    banker: K | None = None
    least: int = 1
    step: int = 1
    apart: tuple[tuple[K, K], ...] = ()
    keeper: K | None = None

    def may_pay(self, one: K, other: K) -> bool:
        return (one, other) not in self.apart and (other, one) not in self.apart


@dataclass(frozen=True, slots=True)
class Plan(Generic[K]):
    """Transfers by payer, then payee, and what they leave open: of each balance the part that they do not settle."""

    transfers: tuple[Transfer[K], ...]
    left: Mapping[K, int]


def plan_with(balances: Mapping[K, int], choices: Choices[K]) -> Plan[K]:
    """Settle *balances* as *choices* say, in the fewest transfers that do.

    Everybody counts, those who are even too: others may pay through them where it cannot be done otherwise. Exact as
    :func:`plan_settlement` is, or for up to 12 people where some are apart. Left open is what a step cannot express,
    what would be a transfer below the least, and what nobody who may pay can settle: of everybody no more than their
    balance, but for what a step rounds up. Where more is owed by them than to
    them, the rest is the bank's: it keeps what it does in :func:`plan_beside_bank`, and that is settled.

    >>> plan_with({"Ann": -5, "Ben": 3, "Cleo": 2}, Choices(apart=(("Ann", "Ben"),))).transfers
    (Transfer(payer='Ann', payee='Cleo', amount=5), Transfer(payer='Cleo', payee='Ben', amount=3))
    >>> plan_with({"Ann": -7, "Ben": 5, "Cleo": 2}, Choices(step=5))
    Plan(transfers=(Transfer(payer='Ann', payee='Ben', amount=5),), left={'Ann': -2, 'Ben': 0, 'Cleo': 2})

    :raises UnbalancedLedger: if more is owed to them than by them.
    """
    people = sorted(balances)
    if sum(balances.values()):
        beside_bank = plan_beside_bank(balances)
        balances = _moved(dict.fromkeys(people, 0), beside_bank)
        if choices == Choices():
            return Plan(beside_bank, dict.fromkeys(people, 0))
        balances = {person: -amount for person, amount in balances.items()}
    rounded = spread([balances[person] for person in people], divide=choices.step).shares
    due = {person: share * choices.step for person, share in zip(people, rounded, strict=True)}
    transfers: list[Transfer[K]] = []
    for circle in _circles(people, choices):
        within = _that_adds_up({person: due[person] for person in circle})
        if choices.banker in circle:
            transfers += _along(_tree(circle, choices.banker, choices), within, choices.least)
        elif choices.apart:
            for group in _connected_groups(within, choices):
                amounts = {person: within[person] for person in group}
                tree = _tree(group, group[0], choices)
                transfers += _direct(amounts, choices) or _along(tree, amounts, choices.least)
        else:
            transfers += plan_settlement(within)
    kept = [transfer for transfer in transfers if transfer.amount >= choices.least]
    kept.sort(key=lambda transfer: (transfer.payer, transfer.payee))
    return Plan(tuple(kept), _moved({person: balances[person] for person in people}, kept))


def settles_alike(plan: Plan[K], other: Plan[K], choices: Choices[K]) -> bool:
    """Whether *plan* brings or leaves open to everybody what *other* does, in transfers that *choices* allow."""
    return _settled(plan) == _settled(other) and all(
        transfer.amount >= choices.least
        and transfer.amount % choices.step == 0
        and choices.may_pay(transfer.payer, transfer.payee)
        for transfer in plan.transfers
    )


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


def _moved(balances: dict[K, int], transfers: Iterable[Transfer[K]]) -> dict[K, int]:
    """*balances* once *transfers* are made."""
    for transfer in transfers:
        balances[transfer.payer] += transfer.amount
        balances[transfer.payee] -= transfer.amount
    return balances


def _settled(plan: Plan[K]) -> Counter[K]:
    """The balances that *plan* is for."""
    balances = Counter(plan.left)
    for transfer in plan.transfers:
        balances[transfer.payer] -= transfer.amount
        balances[transfer.payee] += transfer.amount
    return balances


def _circles(people: Sequence[K], choices: Choices[K]) -> list[list[K]]:
    """Split *people* into those who can settle with one another, be it through others."""
    circles: list[list[K]] = []
    left = list(people)
    while left:
        circle = list(_tree(left, left[0], choices))
        circles.append(sorted(circle))
        left = [person for person in left if person not in circle]
    return circles


def _tree(people: Iterable[K], root: K, choices: Choices[K]) -> dict[K, K]:
    """Everybody of *people* who can pay *root*, nearest first, with the next one on the way there."""
    others = list(people)
    tree = {root: root}
    # Those who are found on the way are looked from in their turn.
    for towards in (found := [root]):
        for person in others:
            if person not in tree and choices.may_pay(person, towards):
                tree[person] = towards
                found.append(person)
    return tree


def _along(tree: Mapping[K, K], due: Mapping[K, int], least: int) -> list[Transfer[K]]:
    """Let everybody settle with the next one of *tree*, for all who are behind them too.

    Where that would be less than *least*, those behind settle by themselves and so do the others, as far as they can:
    whoever is between would else be left with what they pay or get for others.
    """
    through = Counter(due)
    transfers: list[Transfer[K]] = []
    for person, towards in list(tree.items())[::-1]:
        amount = through[person]
        if 0 < abs(amount) < least:
            behind = {person: person}
            for one, way in tree.items():
                if way in behind:
                    behind[one] = way
            ahead = {one: way for one, way in tree.items() if one not in behind}
            return [
                transfer
                for part in (behind, ahead)
                for transfer in _along(part, _that_adds_up({one: due[one] for one in part}), least)
            ]
        if person != towards and amount:
            transfers.append(Transfer(*((towards, person) if amount > 0 else (person, towards)), abs(amount)))
            through[towards] += amount
    return transfers


def _that_adds_up(due: Mapping[K, int]) -> dict[K, int]:
    """*due* without what nobody in it can settle: the largest claims or debts give way, of equal ones the first."""
    settled = dict(due)
    surplus = sum(due.values())
    sign = 1 if surplus > 0 else -1
    for person in sorted(settled, key=lambda person: -sign * settled[person]):
        part = max(0, min(sign * surplus, sign * settled[person]))
        settled[person] -= sign * part
        surplus -= sign * part
    return settled


def _connected_groups(due: Mapping[K, int], choices: Choices[K]) -> list[list[K]]:
    """Split those with a balance into groups that settle among themselves in the fewest transfers.

    Each comes with those who are even through whom its people pay, where they cannot do without.
    """
    people = list(due)
    owing = sum(1 << place for place, person in enumerate(people) if due[person])
    if not owing:
        return []
    if len(people) > MAX_APART:
        return [people]
    near = [
        sum(1 << place for place, other in enumerate(people) if other != person and choices.may_pay(person, other))
        for person in people
    ]
    everybody = (1 << len(people)) - 1

    @cache
    def hangs_together(mask: int) -> bool:
        reached = mask & -mask
        while grown := _neighbours(reached, near) & mask & ~reached:
            reached |= grown
        return reached == mask

    @cache
    def joined(group: int) -> int:
        """*group* and the fewest who are even that make it hang together; nobody if none do."""
        even = _bits(everybody & ~owing)
        for size in range(len(even) + 1):
            for others in combinations(even, size):
                if hangs_together(mask := group | sum(others)):
                    return mask
        return 0

    @cache
    def best(left: int) -> tuple[int, tuple[int, ...]] | None:
        """The number of transfers that settle the people in *left*, and their groups."""
        if not left:
            return 0, ()
        first = left & -left
        found: tuple[int, tuple[int, ...]] | None = None
        company = left ^ first
        while True:
            group = company | first
            if sum(due[people[place]] for place in _places(group)) == 0 and (mask := joined(group)):
                rest = best(left ^ group)
                if rest and (found is None or mask.bit_count() - 1 + rest[0] < found[0]):
                    found = mask.bit_count() - 1 + rest[0], (mask, *rest[1])
            if not company:
                return found
            company = (company - 1) & (left ^ first)

    split = best(owing)
    return [[people[place] for place in _places(mask)] for mask in split[1]] if split else [people]


def _neighbours(mask: int, near: Sequence[int]) -> int:
    found = 0
    for place in _places(mask):
        found |= near[place]
    return found


def _places(mask: int) -> list[int]:
    return [place for place in range(mask.bit_length()) if mask >> place & 1]


def _bits(mask: int) -> list[int]:
    return [1 << place for place in _places(mask)]


def _direct(due: Mapping[K, int], choices: Choices[K]) -> list[Transfer[K]]:
    """One transfer fewer than people that bring *due* to zero, each from who owes to who is owed; none if none do."""
    debts = {person: -amount for person, amount in due.items() if amount < 0}
    claims = {person: amount for person, amount in due.items() if amount > 0}
    transfers: list[Transfer[K]] = []
    while debts:
        for payer, payee in ((payer, payee) for payer in debts for payee in claims if choices.may_pay(payer, payee)):
            paid = min(debts[payer], claims[payee])
            debts_left = {**debts, payer: debts[payer] - paid}
            claims_left = {**claims, payee: claims[payee] - paid}
            if _can_be_paid(debts_left, claims_left, choices):
                transfers.append(Transfer(payer, payee, paid))
                debts = {person: amount for person, amount in debts_left.items() if amount}
                claims = {person: amount for person, amount in claims_left.items() if amount}
                break
        else:
            return []
    return transfers


def _can_be_paid(debts: Mapping[K, int], claims: Mapping[K, int], choices: Choices[K]) -> bool:
    """Whether *debts* can be paid with nobody between: no payers owe more than those get whom any of them may pay."""
    return all(
        sum(debts[payer] for payer in payers)
        <= sum(claim for payee, claim in claims.items() if any(choices.may_pay(payer, payee) for payer in payers))
        for size in range(1, len(debts) + 1)
        for payers in combinations(debts, size)
    )

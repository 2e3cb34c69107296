"""The fewest transfers that settle, as they are, or with choices that a table makes.

People whose balances sum to zero can settle among themselves with one transfer fewer than they are, and so can people
who owe more than is owed to them, where the rest is the bank's or must stay open. So the more such groups, the fewer
transfers: :func:`_groups` finds them.

Where some cannot pay each other, a group must hang together by those who can, perhaps through others who are even, each
of whom is one more transfer.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations, permutations
from typing import Any, Final, Generic, Protocol, TypeVar

from scorekeeper.ledger.entries import UnbalancedLedger
from scorekeeper.ledger.money import spread

MAX_EXACT: Final = 12
"""With more people than this a plan takes at most one transfer fewer than people.

Only those with a balance count, or where not all may pay each other, everybody.
"""
_TRIED: Final = 4_000
"""About how many ways to pay are tried for each further transfer, where one would be below the least."""


_Made = tuple[tuple[int, int, int], ...]
"""Payments: payer, payee and amount."""


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

    Where there is a ``banker``, everybody pays or gets through them; who may not, through one other person. Amounts are
    multiples of ``step``, what that leaves stays open or goes ``to_kitty``, and no transfer is below ``least``. No two
    people of a pair in ``apart`` pay each other. ``keeper`` has what is in the kitty; if nobody has, it is shared out
    by what each put in, or else ``alike``: that is in the balances already.
    """

    banker: K | None = None
    least: int = 1
    step: int = 1
    apart: tuple[tuple[K, K], ...] = ()
    keeper: K | None = None
    alike: bool = False
    to_kitty: bool = False

    def may_pay(self, one: K, other: K) -> bool:
        """Whether they may pay each other. Who may not pay the banker pays through somebody else."""
        if self._are_apart(one, other):
            return False
        banker = self.banker
        return banker is None or banker in (one, other) or any(self._are_apart(banker, who) for who in (one, other))

    def _are_apart(self, one: K, other: K) -> bool:
        return (one, other) in self.apart or (other, one) in self.apart

    @property
    def everybody_pays(self) -> bool:
        """Whether everybody may pay everybody."""
        return self.banker is None and not self.apart


@dataclass(frozen=True, slots=True)
class Plan(Generic[K]):
    """Transfers by payer, then payee, and what they do not settle of each balance.

    That is ``left`` open, but for the ``rest``, which comes out of the kitty or goes into it. Both sum to zero.
    """

    transfers: tuple[Transfer[K], ...]
    left: Mapping[K, int]
    rest: Mapping[K, int] = field(default_factory=dict)


def plan_with(balances: Mapping[K, int], choices: Choices[K]) -> Plan[K]:
    """Settle *balances* as *choices* say: leave as little open as can be, in the fewest transfers that do.

    A positive balance is owed to that person, a negative one by them. Where more is owed by them than to them, the
    difference is the bank's, which keeps it without a transfer. Everybody counts, those who are even too: others may
    pay through them where it cannot be done otherwise. Exact for up to 12 people; equal balances give an equal plan.

    Left open is what a step cannot express, what nobody who may pay can settle, and what would be a transfer below the
    least: of that as little as can be in no more transfers than there would be without a least. That is exact for up to
    five people, and beyond the best of what is tried.

    >>> plan_with({"Ann": -5, "Ben": 3, "Cleo": 2}, Choices(apart=(("Ann", "Ben"),))).transfers
    (Transfer(payer='Ann', payee='Cleo', amount=5), Transfer(payer='Cleo', payee='Ben', amount=3))
    >>> plan_with({"Ann": -7, "Ben": 5, "Cleo": 2}, Choices(step=5))
    Plan(transfers=(Transfer(payer='Ann', payee='Ben', amount=5),), left={'Ann': -2, 'Ben': 0, 'Cleo': 2}, rest={})
    >>> plan_with({"Ann": 0, "Ben": 5, "Cleo": -3, "Dan": -12}, Choices()).transfers
    (Transfer(payer='Dan', payee='Ben', amount=5),)

    :raises UnbalancedLedger: if more is owed to them than by them.
    """
    if (surplus := sum(balances.values())) > 0:
        raise UnbalancedLedger(surplus)
    people = sorted(balances)
    if choices.banker not in balances:
        choices = replace(choices, banker=None)
    shares = spread([balances[person] for person in people], divide=choices.step).shares
    due = {person: share * choices.step for person, share in zip(people, shares, strict=True)}
    if choices.banker is not None and choices.apart:
        choices = _towards(choices.banker, due, choices)
    transfers: list[Transfer[K]] = []
    for circle in _circles(people, choices):
        transfers += _fewest({person: due[person] for person in circle}, choices)
    if any(transfer.amount < choices.least for transfer in transfers):
        transfers = _at_least(due, choices, len(transfers))
    transfers.sort(key=lambda transfer: (transfer.payer, transfer.payee))
    left, unsettled = _that_adds_up(_moved(due, transfers)), _moved(balances, transfers)
    rest = _that_adds_up({person: unsettled[person] - left[person] for person in people})
    if choices.to_kitty:
        return Plan(tuple(transfers), left, {person: amount for person, amount in rest.items() if amount})
    return Plan(tuple(transfers), {person: left[person] + rest[person] for person in people})


def plan_settlement(balances: Mapping[K, int]) -> tuple[Transfer[K], ...]:
    """The fewest transfers that bring every balance to zero, in the balances' unit, by payer, then payee.

    >>> for transfer in plan_settlement({"Ann": 5, "Ben": 4, "Cleo": -4, "Dan": -3, "Eve": -2}): print(transfer)
    Transfer(payer='Cleo', payee='Ben', amount=4)
    Transfer(payer='Dan', payee='Ann', amount=3)
    Transfer(payer='Eve', payee='Ann', amount=2)

    :raises UnbalancedLedger: if *balances* do not sum to zero.
    """
    if difference := sum(balances.values()):
        raise UnbalancedLedger(difference)
    # Rules §3.6: paying the largest creditor from the largest debtor is not always fewest, so search exactly.
    return plan_with(balances, Choices()).transfers


def settles(plan: Plan[K], balances: Mapping[K, int], choices: Choices[K]) -> bool:
    """Whether *plan* does as *choices* say and says truly what it leaves of *balances*, however it was drawn up.

    The bank keeps exactly what is its own, and nothing comes from it.
    """
    paying = {person for transfer in plan.transfers for person in (transfer.payer, transfer.payee)}
    if not paying | plan.left.keys() | plan.rest.keys() <= balances.keys():
        return False
    kept = {
        person: plan.left.get(person, 0) + plan.rest.get(person, 0) - amount
        for person, amount in _moved(balances, plan.transfers).items()
    }
    return (
        all(amount >= 0 for amount in kept.values())
        and sum(plan.left.values()) == sum(plan.rest.values()) == 0
        and (choices.to_kitty or not plan.rest)
        and all(
            transfer.amount >= choices.least
            and transfer.amount % choices.step == 0
            and transfer.payer != transfer.payee
            and choices.may_pay(transfer.payer, transfer.payee)
            for transfer in plan.transfers
        )
    )


def _moved(balances: Mapping[K, int], transfers: Iterable[Transfer[K]]) -> dict[K, int]:
    """*balances* once *transfers* are made."""
    moved = dict(balances)
    for transfer in transfers:
        moved[transfer.payer] += transfer.amount
        moved[transfer.payee] -= transfer.amount
    return moved


def _that_adds_up(due: Mapping[K, int]) -> dict[K, int]:
    """*due* without what is owed by them to nobody of them: the largest debts give way, of equal ones the first."""
    settled = dict(due)
    surplus = -sum(due.values())
    for person in sorted(settled, key=lambda person: settled[person]):
        part = max(0, min(surplus, -settled[person]))
        settled[person] += part
        surplus -= part
    return settled


def _towards(banker: K, due: Mapping[K, int], choices: Choices[K]) -> Choices[K]:
    """*choices* where who may not pay the *banker* pays one other person, and nobody pays through them instead.

    That is one with whom they are quits, or else one who owes where they are owed, or else has a balance at all.
    """
    tree, ring, others = {banker: banker}, [banker], [person for person in due if person != banker]
    while ring:
        reached = [person for person in others if any(choices.may_pay(person, one) for one in ring)]
        for person in reached:
            near = (one for one in ring if choices.may_pay(person, one))
            tree[person] = min(
                near, key=lambda one: (due[one] != -due[person], not due[one], due[one] * due[person] > 0, one)
            )
        ring, others = reached, [person for person in others if person not in reached]
    pairs = combinations(tree, 2)
    apart = [(one, other) for one, other in pairs if tree[one] != other and tree[other] != one]
    return replace(choices, apart=(*choices.apart, *apart))


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


def _fewest(due: Mapping[K, int], choices: Choices[K]) -> list[Transfer[K]]:
    """The fewest transfers that settle in a circle all that can be: the larger of what its people owe and are owed."""
    if sum(due.values()) > 0:
        opposite = _fewest({person: -amount for person, amount in due.items()}, choices)
        return [Transfer(transfer.payee, transfer.payer, transfer.amount) for transfer in opposite]
    transfers: list[Transfer[K]] = []
    for group in _groups(due, choices):
        amounts = {person: due[person] for person in group}
        transfers += _direct(amounts, choices) or _along(_tree(group, group[0], choices), _that_adds_up(amounts))
    return transfers


def _groups(due: Mapping[K, int], choices: Choices[K]) -> list[list[K]]:
    """Split a circle into groups that settle in the fewest transfers; each owes at least as much as it is owed.

    Each comes with those who are even through whom its people pay, where they cannot do without. Who is in none pays
    nobody.
    """
    claims, debts = ([one for one in due if sign * due[one] > 0] for sign in (1, -1))
    owing = [*claims, *debts]
    everybody = owing if choices.everybody_pays else [*owing, *(person for person in due if not due[person])]
    if not claims:
        return []
    if len(everybody) > MAX_EXACT:
        return [sorted(everybody)]
    sums = [0]
    for person in owing:
        sums += [total + due[person] for total in sums]
    joined = _joined(everybody, len(owing), choices)
    whole, creditors = len(sums) - 1, (1 << len(claims)) - 1
    by_debtor = [1 << place for place in range(len(claims), len(owing))]

    def can_do_without(group: int, debtor: int) -> bool:
        fewer = group ^ debtor
        return bool(group & debtor) and sums[fewer] <= 0 and 0 < joined(fewer).bit_count() <= joined(group).bit_count()

    # By the first creditor, the groups that may be one of the fewest: with them, the people that settle there.
    with_first: list[list[tuple[int, int]]] = [[] for _ in claims]
    for group in range(1, whole + 1):
        first = group & -group
        if not first & creditors or not sums[whole] <= sums[group] <= 0 or not (people := joined(group)):
            continue
        if sums[group] == 0 or not any(can_do_without(group, debtor) for debtor in by_debtor):
            with_first[first.bit_length() - 1].append((group, people))

    @cache
    def best(left: int) -> tuple[int, tuple[int, ...]] | None:
        """The number of transfers that settle for all creditors in *left*, and the people of each group."""
        if not left & creditors:
            return 0, ()
        found: tuple[int, tuple[int, ...]] | None = None
        one_for_each = (left & creditors).bit_count()
        for group, people in with_first[(left & -left).bit_length() - 1]:
            if group & left == group and (rest := best(left ^ group)):
                number = people.bit_count() - 1 + rest[0]
                if found is None or number < found[0]:
                    found = number, (people, *rest[1])
                if number == one_for_each:
                    break
        return found

    split = best(whole)
    assert split is not None, "a circle hangs together"
    return [sorted(everybody[place] for place in _places(people)) for people in split[1]]


def _joined(people: Sequence[K], owing: int, choices: Choices[K]) -> Callable[[int], int]:
    """What makes a group of the first *owing* people hang together: itself and the fewest others; 0 if nothing does."""
    if choices.everybody_pays:
        return lambda group: group
    near = [
        sum(1 << place for place, other in enumerate(people) if other != person and choices.may_pay(person, other))
        for person in people
    ]
    even = [1 << place for place in range(owing, len(people))]

    def hangs_together(mask: int) -> bool:
        reached = mask & -mask
        while True:
            grown = reached
            for place in _places(reached):
                grown |= near[place] & mask
            if grown == reached:
                return reached == mask
            reached = grown

    @cache
    def joined(group: int) -> int:
        every = (group | sum(others) for size in range(len(even) + 1) for others in combinations(even, size))
        return next(filter(hangs_together, every), 0)

    return joined


def _places(mask: int) -> list[int]:
    return [place for place in range(mask.bit_length()) if mask >> place & 1]


def _direct(due: Mapping[K, int], choices: Choices[K]) -> list[Transfer[K]]:
    """Transfers, fewer than people, from who owes to who is owed, that settle all claims of *due*; none if none do."""
    debts = {person: -amount for person, amount in due.items() if amount < 0}
    claims = {person: amount for person, amount in due.items() if amount > 0}
    transfers: list[Transfer[K]] = []
    while claims:
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
    """Whether *claims* can be paid with nobody between: no payees get more than those owe who may pay any of them."""
    return choices.everybody_pays or all(
        sum(claims[payee] for payee in payees)
        <= sum(debt for payer, debt in debts.items() if any(choices.may_pay(payer, payee) for payee in payees))
        for size in range(1, len(claims) + 1)
        for payees in combinations(claims, size)
    )


def _along(tree: Mapping[K, K], due: Mapping[K, int]) -> list[Transfer[K]]:
    """Let everybody settle with the next one of *tree*, for all who are behind them too."""
    through = Counter(due)
    transfers: list[Transfer[K]] = []
    for person, towards in list(tree.items())[::-1]:
        amount = through[person]
        if person != towards and amount:
            transfers.append(Transfer(*((towards, person) if amount > 0 else (person, towards)), abs(amount)))
            through[towards] += amount
    return transfers


def _at_least(due: Mapping[K, int], choices: Choices[K], most: int) -> list[Transfer[K]]:
    """Transfers, *most* of them at most, none below the least, that leave as little of what is owed unpaid as can be.

    Nobody is left further from zero than they are, and nothing comes back to who paid it. What each pays can be chosen
    so that it is the least itself, or brings payer or payee to zero or back to what is due. So these are tried,
    transfer by transfer; of each number of transfers only the likeliest are gone on from.
    """
    people, start = list(due), tuple(due.values())
    least = -(-choices.least // choices.step) * choices.step
    directly = choices.everybody_pays
    pairs = [
        (payer, payee)
        for payer, payee in permutations(range(len(people)), 2)
        if choices.may_pay(people[payer], people[payee]) and (not directly or start[payer] < 0 < start[payee])
    ]

    def unpaid(stands: Sequence[int]) -> int:
        return sum(amount for amount in stands if amount > 0)

    def likely(stands: Sequence[int]) -> tuple[int, int, Sequence[int]]:
        return sum(amount for amount in stands if 0 < amount < least), unpaid(stands), stands

    def tried(stands: Sequence[int], payer: int, payee: int) -> set[int]:
        owes, gets = -stands[payer], stands[payee]
        if directly:
            return {amount for amount in (least, min(owes, gets)) if least <= amount <= min(owes, gets)}
        amounts = (least, owes, owes + start[payer], gets, gets - start[payee])
        return {amount for amount in amounts if least <= amount <= claims}

    def is_over(place: int, amount: int) -> bool:
        """Whether that is not between zero and what is due."""
        return not min(0, start[place]) <= amount <= max(0, start[place])

    claims = unpaid(start)
    fewest_unpaid, best = claims, _Made()
    # How everybody stands: how many of them must still get back to their balance, and what was paid.
    reached = {start: (0, best)}
    # Who pays only those who are owed cannot pay what is below the least, nor more than is owed by others.
    can_pay = min(sum(abs(due) for due in start if sign * due >= least) for sign in (1, -1)) if directly else claims
    width = max(1, _TRIED // (len(pairs) or 1))
    for more in reversed(range(most)):
        found: dict[tuple[int, ...], tuple[int, _Made]] = {}
        for stands in sorted(reached, key=likely)[:width]:
            over, made = reached[stands]
            behind = [_behind(place, made) for place in range(len(people))]
            paid = {(payer, payee) for payer, payee, _ in made}
            for payer, payee in pairs:
                if payer in behind[payee] or (payer, payee) in paid:
                    continue
                over_without = over - is_over(payer, stands[payer]) - is_over(payee, stands[payee])
                for amount in sorted(tried(stands, payer, payee)):
                    pays, gets = stands[payer] + amount, stands[payee] - amount
                    over_then = over_without + is_over(payer, pays) + is_over(payee, gets)
                    moved = list(stands)
                    moved[payer], moved[payee] = pays, gets
                    then = tuple(moved)
                    if over_then > 2 * more or then in found:
                        continue
                    found[then] = over_then, (*made, (payer, payee, amount))
                    if not over_then and unpaid(then) < fewest_unpaid:
                        fewest_unpaid, best = unpaid(then), found[then][1]
        if fewest_unpaid == claims - can_pay:
            break
        reached = found
    return [Transfer(people[payer], people[payee], amount) for payer, payee, amount in best]


def _behind(person: int, made: _Made) -> set[int]:
    """Those who get what *person* pays, be it through others, and *person*."""
    behind, grown = set[int](), {person}
    while grown != behind:
        behind = grown
        grown = behind | {payee for payer, payee, _ in made if payer in behind}
    return behind

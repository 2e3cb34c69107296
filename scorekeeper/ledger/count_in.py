"""What would explain that the chips on the table are not what the score says: deals that were paid wrongly."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from heapq import nsmallest
from itertools import combinations, product
from typing import Final, NamedTuple

MOST_SHOWN: Final = 5
"""Explanations worth reading; the smallest come first."""
MOST_PAYMENTS: Final = 3
"""So many payments of a deal are looked at together."""
MOST_SLIPS: Final = 4
"""What takes more explains nothing: anything could be explained so."""
_APART: Final = 48
"""An effect is one number, which is fast to add: the chips that each account has too many, so many bits apart."""

Chips = tuple[int, ...]
"""A number for each account, in order: above zero are chips too many."""
Between = tuple[int, int]
"""A payer and a payee."""
Payments = tuple[tuple[int, int, int], ...]
"""Payer, payee and chips of each."""


class Fault(StrEnum):
    """How a deal, or one payment of it, was paid wrongly."""

    UNPAID = "unpaid"
    REVERSED = "reversed"
    TWICE = "twice"
    OTHER_RATE = "other-rate"
    BEFORE = "before"
    """As the deal stood before it was changed."""


class Way(NamedTuple):
    """A fault, and at which of the deal's other rates, or as which of its earlier versions, if it is one of those."""

    fault: Fault
    which: int = 0


@dataclass(frozen=True, slots=True)
class PaidDeal:
    """A deal as it was to be paid, what its other ``rates`` would bring, and how it stood ``before`` it was changed.

    One that was ``settled`` was paid right until it was changed.
    """

    number: int
    payments: Payments
    rates: tuple[Payments, ...] = ()
    before: tuple[Payments, ...] = ()
    settled: bool = False


@dataclass(frozen=True, slots=True)
class Slip:
    """A deal, or one payment of it, that was paid in one of several ``ways``, all of which come to the same."""

    deal: int
    ways: tuple[Way, ...]
    between: Between | None = None


Explanation = tuple[Slip, ...]


def explanations(off: Chips, deals: Sequence[PaidDeal]) -> tuple[Explanation, ...]:
    """What makes the counted chips differ by *off* from the score: slips in one or two of *deals*, latest first.

    There are no more than four, each in a whole deal or in one payment of it, and in no deal more than three. What has
    the fewest slips, in the fewest deals, comes first; none at all if nothing fits.

    >>> explanations((-1, 1), [PaidDeal(7, ((1, 0, 1),))])
    ((Slip(deal=7, ways=(Way(fault=<Fault.UNPAID: 'unpaid'>, which=0),), between=None),),)
    >>> explanations((5, -5), [PaidDeal(7, ((1, 0, 1),))])
    ()
    """
    effect = sum(chips << _APART * account for account, chips in enumerate(off))
    return tuple(nsmallest(MOST_SHOWN, _explanations(effect, deals), key=_size)) if effect else ()


def _size(explanation: Explanation) -> tuple[int, int]:
    return len(explanation), len({slip.deal for slip in explanation})


def _explanations(off: int, deals: Sequence[PaidDeal]) -> Iterator[Explanation]:
    later: defaultdict[tuple[int, int], list[Explanation]] = defaultdict(list)
    for deal in deals:
        found = _slips(deal)
        if off in found:
            yield found[off]
        for effect, slips in found.items():
            for more in range(1, MOST_SLIPS - len(slips) + 1):
                for others in later.get((off - effect, more), ()):
                    yield others + slips
        for effect, slips in found.items():
            alike = later[effect, len(slips)]
            # More that come to the same could not be shown.
            if len(alike) < MOST_SHOWN:
                alike.append(slips)


def _slips(deal: PaidDeal) -> Mapping[int, Explanation]:
    """The effects of paying *deal* wrongly, each with the fewest slips that have it."""
    due = _between(deal.payments, ())
    ways = dict(_ways(deal, due))
    pairs = dict.fromkeys([*due, *(pair for paid in ways.values() for pair in paid)])
    whole: defaultdict[int, list[Way]] = defaultdict(list)
    for way, paid in ways.items():
        whole[sum(_effect(pair, paid[pair] - due[pair]) for pair in pairs)].append(way)
    single: list[list[tuple[int, Slip]]] = []
    for pair in pairs:
        effects: defaultdict[int, list[Way]] = defaultdict(list)
        for way, paid in ways.items():
            effects[_effect(pair, paid[pair] - due[pair])].append(way)
        single.append([(effect, Slip(deal.number, tuple(alike), pair)) for effect, alike in effects.items() if effect])
    found: dict[int, Explanation] = {effect: (Slip(deal.number, tuple(alike)),) for effect, alike in whole.items()}
    for many in range(1, MOST_PAYMENTS + 1):
        for payments in combinations(single, many):
            for slips in product(*payments):
                found.setdefault(sum(effect for effect, _ in slips), tuple(slip for _, slip in slips))
    found.pop(0, None)
    return found


def _ways(deal: PaidDeal, due: Mapping[Between, int]) -> Iterator[tuple[Way, Counter[Between]]]:
    """Every way to pay *deal* wrongly, and what then goes from each payer to each payee."""
    if not deal.settled:
        yield Way(Fault.UNPAID), Counter()
        yield Way(Fault.REVERSED), Counter({pair: -chips for pair, chips in due.items()})
        yield Way(Fault.TWICE), Counter({pair: 2 * chips for pair, chips in due.items()})
        for which, payments in enumerate(deal.rates):
            yield Way(Fault.OTHER_RATE, which), _between(payments, due)
    for which, payments in enumerate(deal.before):
        yield Way(Fault.BEFORE, which), _between(payments, due)


def _between(payments: Payments, due: Iterable[Between]) -> Counter[Between]:
    """What goes from each payer to each payee; below zero where *due* has the two the other way round."""
    chips = Counter[Between]()
    for payer, payee, paid in payments:
        if (payee, payer) in due:
            chips[payee, payer] -= paid
        else:
            chips[payer, payee] += paid
    return chips


def _effect(between: Between, more: int) -> int:
    """The effect of *more* chips from a payer to a payee."""
    payer, payee = between
    return (more << _APART * payee) - (more << _APART * payer)

"""What would explain that the chips on the table are not what the score says: deals that were paid wrongly."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, islice
from typing import Final

MOST_SHOWN: Final = 5
"""Explanations worth reading; the smallest come first."""
MOST_PAYMENTS: Final = 3
"""So many payments of a deal are looked at together."""

Chips = tuple[int, ...]
"""A number for each account, in order: above zero are chips too many."""


class Fault(StrEnum):
    """How a deal, or one payment of it, was paid wrongly."""

    UNPAID = "unpaid"
    REVERSED = "reversed"
    TWICE = "twice"
    OTHER_RATE = "other-rate"


_TIMES: Final = {Fault.UNPAID: -1, Fault.REVERSED: -2, Fault.TWICE: 1}
"""How many times what a deal brings is then too much."""


@dataclass(frozen=True, slots=True)
class PaidDeal:
    """A deal as it was to be paid: its ``payments`` (payer, payee, chips), and what ``others`` rates would bring."""

    number: int
    payments: tuple[tuple[int, int, int], ...]
    others: tuple[Chips, ...] = ()


@dataclass(frozen=True, slots=True)
class Slip:
    """A deal that was paid wrongly: only the payments ``between`` some, each a payer and a payee, or else all of it."""

    deal: int
    fault: Fault
    between: tuple[tuple[int, int], ...] = ()


Explanation = tuple[Slip, ...]


def explanations(off: Chips, deals: Sequence[PaidDeal]) -> tuple[Explanation, ...]:
    """What makes the counted chips differ by *off* from the score: one slip, or else two, in *deals*, latest first.

    What has the fewest slips in it, of the fewest payments, comes first; none at all if nothing fits.

    >>> explanations((-1, 1), [PaidDeal(7, ((1, 0, 1),))])
    ((Slip(deal=7, fault=<Fault.UNPAID: 'unpaid'>, between=()),),)
    >>> explanations((5, -5), [PaidDeal(7, ((1, 0, 1),))])
    ()
    """
    if not any(off):
        return ()
    slips = [(slip, effect) for deal in deals for slip, effect in _slips(deal, len(off))]
    single = sorted((slip for slip, effect in slips if effect == off), key=lambda slip: len(slip.between))
    if single:
        return tuple((slip,) for slip in single[:MOST_SHOWN])
    plain = [(slip, effect) for slip, effect in slips if len(slip.between) < 2]
    return tuple(islice(_pairs(off, plain), MOST_SHOWN)) or tuple(islice(_pairs(off, slips), MOST_SHOWN))


def _slips(deal: PaidDeal, accounts: int) -> Iterator[tuple[Slip, Chips]]:
    """Every way to pay *deal* wrongly, and the chips that are then too many; each result once."""
    seen: set[Chips] = set()
    right = _sum(accounts, deal.payments)
    for slip, effect in _all_slips(deal, accounts, right):
        if any(effect) and effect not in seen:
            seen.add(effect)
            yield slip, effect


def _all_slips(deal: PaidDeal, accounts: int, right: Chips) -> Iterator[tuple[Slip, Chips]]:
    for fault, times in _TIMES.items():
        yield Slip(deal.number, fault), tuple(times * chips for chips in right)
    for other in deal.others:
        # Whoever came to the table later had no share in it.
        paid_so = other + (0,) * (accounts - len(other))
        effect = tuple(paid - due for paid, due in zip(paid_so, right, strict=True))
        yield Slip(deal.number, Fault.OTHER_RATE), effect
    for many in range(1, MOST_PAYMENTS + 1):
        for payments in combinations(deal.payments, many):
            paid, between = _sum(accounts, payments), tuple(payment[:2] for payment in payments)
            for fault, times in _TIMES.items():
                yield Slip(deal.number, fault, between), tuple(times * chips for chips in paid)


def _sum(accounts: int, payments: Iterable[tuple[int, int, int]]) -> Chips:
    chips = [0] * accounts
    for payer, payee, paid in payments:
        chips[payer] -= paid
        chips[payee] += paid
    return tuple(chips)


def _pairs(off: Chips, slips: Sequence[tuple[Slip, Chips]]) -> Iterator[Explanation]:
    """Slips in two deals that come to *off* together."""
    earlier: dict[Chips, list[Slip]] = {}
    for slip, effect in slips:
        rest = tuple(whole - part for whole, part in zip(off, effect, strict=True))
        for other in earlier.get(rest, ()):
            if other.deal != slip.deal:
                yield other, slip
        earlier.setdefault(effect, []).append(slip)

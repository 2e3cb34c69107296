"""What would explain that the chips on the table are not what the score says: deals that were paid wrongly."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Final

MOST_SHOWN: Final = 5
"""Explanations worth reading; the smallest come first."""

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
    """A deal that was paid wrongly: all of it, or only the payment from ``between[0]`` to ``between[1]``."""

    deal: int
    fault: Fault
    between: tuple[int, int] | None = None


Explanation = tuple[Slip, ...]


def explanations(off: Chips, deals: Sequence[PaidDeal]) -> tuple[Explanation, ...]:
    """What makes the counted chips differ by *off* from the score: one slip, or else two, in *deals*, latest first.

    The fewest slips come first; none at all if nothing fits.

    >>> explanations((-1, 1), [PaidDeal(7, ((1, 0, 1),))])
    ((Slip(deal=7, fault=<Fault.UNPAID: 'unpaid'>, between=None),),)
    >>> explanations((5, -5), [PaidDeal(7, ((1, 0, 1),))])
    ()
    """
    if not any(off):
        return ()
    slips = [(slip, effect) for deal in deals for slip, effect in _slips(deal, len(off))]
    single = [(slip,) for slip, effect in slips if effect == off]
    return tuple(islice(single or _pairs(off, slips), MOST_SHOWN))


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
    for payment in deal.payments:
        for fault, times in _TIMES.items():
            effect = tuple(times * chips for chips in _sum(accounts, [payment]))
            yield Slip(deal.number, fault, payment[:2]), effect


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

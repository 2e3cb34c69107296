"""What chips are worth: the one place that turns chips into the unit of a settlement, and back."""

from collections.abc import Sequence
from dataclasses import dataclass

from scorekeeper.ledger.money import Spread, nearest, spread


@dataclass(frozen=True, slots=True)
class Price:
    """``minor`` minor units of money for ``chips`` chips. Where chips have no price, a settlement is in chips: 1 for 1.

    >>> Price(100, 3).of_everybody((4, -1, -1, -2)).shares
    (133, -33, -33, -67)
    """

    minor: int = 1
    chips: int = 1

    def of_everybody(self, chips: Sequence[int]) -> Spread:
        """What the *chips* of all seats together come to; sums to zero if they do."""
        return spread(chips, self.minor, self.chips)

    def of(self, chips: int) -> int:
        """What so many *chips* cost at the bank."""
        return nearest(chips, self.minor, self.chips)

    def chips_for(self, amounts: Sequence[int]) -> tuple[int, ...]:
        """The chips for which the *amounts* of all seats together stand; sums to zero if they do."""
        return spread(amounts, self.chips, self.minor).shares

    def whole_chips(self, amount: int) -> int | None:
        """The chips that come to exactly *amount*, where each has a price and some do."""
        chips, rest = divmod(amount, self.minor)
        return None if rest or self.chips != 1 else chips

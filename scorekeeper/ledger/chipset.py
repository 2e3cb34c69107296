"""Chips as they lie on the table: pieces of several colours, and which of them make an amount."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

SMALL_CHANGE: Final = 10
"""Pieces of the smallest colour that a player should have to pay with."""
LOW: Final = 10
"""A colour runs low when the bank has no more than this part of it, or one piece."""


class Colour(NamedTuple):
    """So many ``pieces`` of one colour; each is worth ``value`` chips."""

    name: str
    value: int
    pieces: int


Pieces = tuple[int, ...]
"""How many of each colour, in the order of the set: the smallest value first."""


def worth(colours: Iterable[Colour]) -> int:
    """How many chips *colours* come to.

    >>> worth([Colour("white", 1, 10), Colour("red", 5, 2)])
    20
    """
    return sum(colour.value * colour.pieces for colour in colours)


def smallest_first(amount: int, values: Sequence[int], stock: Sequence[int]) -> Pieces | None:
    """Pieces worth *amount* out of *stock*, as small as can be; None if there are none that come to it.

    >>> smallest_first(26, (1, 5, 20), (10, 2, 1))
    (6, 0, 1)
    """
    # What is taken first does not hang on the values.
    found = _largest_first(amount, values[::-1], stock[::-1])
    return found and found[::-1]


def mix(amount: int, values: Sequence[int], stock: Sequence[int], *, small: int = SMALL_CHANGE) -> Pieces | None:
    """Pieces worth *amount* out of *stock*; None if there are none that come to it.

    *values* are above zero and rise. Of the smallest colour that there are pieces of come up to *small*, worth half of
    the amount at most, and what the larger ones cannot make; of each larger colour up to *small* too, worth half at
    most of what the smaller ones leave, and the rest of the largest.

    >>> mix(40, (1, 5, 20), (100, 50, 20)), mix(200, (1, 5, 20), (100, 50, 20))
    ((10, 2, 1), (10, 10, 7))
    >>> mix(40, (1, 5, 20), (4, 50, 20)), mix(43, (5, 20), (50, 20))
    ((0, 4, 1), None)
    """
    if not values:
        return None
    for kept in range(_small_change(amount, values, stock, small), -1, -1):
        others = [stock[0] - kept, *stock[1:]]
        if rest := _largest_first(amount - kept * values[0], values, others):
            pieces = kept + rest[0]
            return pieces, *_of_each(amount - pieces * values[0], values[1:], stock[1:], small)
    return None


def _of_each(amount: int, values: Sequence[int], stock: Sequence[int], small: int) -> Pieces:
    """*amount*, which can be made, in some pieces of each colour."""
    if not values:
        return ()
    for pieces in range(_small_change(amount, values, stock, small), -1, -1):
        left = amount - pieces * values[0]
        if _largest_first(left, values[1:], stock[1:]) is not None:
            return pieces, *_of_each(left, values[1:], stock[1:], small)
    return _largest_first(amount, values, stock) or ()


def _small_change(amount: int, values: Sequence[int], stock: Sequence[int], small: int) -> int:
    return min(small, stock[0], amount // 2 // values[0])


def _largest_first(amount: int, values: Sequence[int], stock: Sequence[int]) -> Pieces | None:
    """*amount* in pieces as large as can be: exact, whatever the values."""
    # Bit n of each says whether n chips can be made of the colours before it.
    sums = [1]
    for value, pieces in zip(values, stock, strict=True):
        sums.append(_with(sums[-1], value, min(pieces, amount // value), (1 << amount + 1) - 1))
    if not sums.pop() >> amount:
        return None
    taken: list[int] = []
    for smaller, value, pieces in zip(reversed(sums), reversed(values), reversed(stock), strict=True):
        most = min(pieces, amount // value)
        count = next(count for count in range(most, -1, -1) if smaller >> (amount - count * value) & 1)
        taken.append(count)
        amount -= count * value
    return tuple(reversed(taken))


def _with(sums: int, value: int, pieces: int, mask: int) -> int:
    """The *sums* that can be made with up to so many *pieces* more: in steps of 1, 2, 4 and so on of them."""
    step = 1
    while pieces > 0:
        step = min(step, pieces)
        sums |= sums << step * value & mask
        pieces, step = pieces - step, step * 2
    return sums


@dataclass(frozen=True, slots=True)
class Bank:
    """A set of ``colours``, and how many pieces of each are ``out`` on the table as far as is known.

    ``own`` are those that the player got who is asking, as far as is known.
    """

    colours: tuple[Colour, ...]
    out: Pieces
    own: Pieces

    @classmethod
    def with_out(
        cls, colours: tuple[Colour, ...], out: Mapping[int, int], own: Mapping[int, int] = MappingProxyType({})
    ) -> Bank:
        """The bank when so many pieces of each value are *out*, and the player got *own* of them."""
        return cls(
            colours,
            tuple(max(0, out.get(colour.value, 0)) for colour in colours),
            tuple(max(0, min(out.get(colour.value, 0), own.get(colour.value, 0))) for colour in colours),
        )

    @property
    def left(self) -> tuple[Colour, ...]:
        """What is in the bank: never below nothing, whoever lent the rest."""
        return self._of(max(0, colour.pieces - out) for colour, out in zip(self.colours, self.out, strict=True))

    @property
    def low(self) -> tuple[Colour, ...]:
        """What is left of the colours that run out."""
        pairs = zip(self.colours, self.left, strict=True)
        return tuple(
            left for owned, left in pairs if left.pieces < owned.pieces and left.pieces <= max(1, owned.pieces // LOW)
        )

    def hand_out(self, chips: int, players: int = 1) -> tuple[Colour, ...]:
        """The pieces for each of *players* who buys so many *chips*; none if the bank cannot make it for all alike.

        Where that can be, small change stays in the bank, for whoever comes late.
        """
        stock = [colour.pieces // players for colour in self.left]
        spare = [max(0, colour.pieces - 1) // players for colour in self.left[:1]] + stock[1:]
        return self._of(mix(chips, self._values, spare) or mix(chips, self._values, stock) or ())

    def last_ones(self, pieces: Sequence[Colour], players: int = 1) -> tuple[Colour, ...]:
        """The colours of which nothing is left in the bank once each of *players* has *pieces* of it."""
        pairs = zip(self.left, pieces, strict=False)
        return tuple(left for left, out in pairs if out.pieces and left.pieces <= out.pieces * players)

    def take_back(self, chips: int) -> tuple[Colour, ...]:
        """The pieces to take for so many *chips*, the small ones first; none if what is out cannot make it.

        They are the player's own where those make it.
        """
        taken = (smallest_first(chips, self._values, stock) for stock in (self.own, self.out))
        return self._of(next(filter(None, taken), ()))

    def missing(self, chips: int) -> tuple[Colour, ...]:
        """What is left of the colours of which the whole set would have given more for so many *chips*."""
        usual = mix(chips, self._values, [colour.pieces for colour in self.colours]) or ()
        return tuple(left for left, pieces in zip(self.left, usual, strict=False) if left.pieces < pieces)

    @property
    def _values(self) -> tuple[int, ...]:
        return tuple(colour.value for colour in self.colours)

    def _of(self, pieces: Iterable[int]) -> tuple[Colour, ...]:
        return tuple(colour._replace(pieces=number) for colour, number in zip(self.colours, pieces, strict=False))


def together(colours: Iterable[Colour]) -> tuple[Colour, ...]:
    """All *colours* of one value as one, the smallest first.

    >>> together([Colour("red", 5, 2), Colour("white", 1, 10), Colour("red", 5, 1)])
    (Colour(name='white', value=1, pieces=10), Colour(name='red', value=5, pieces=3))
    """
    found: dict[int, Colour] = {}
    for colour in colours:
        so_far = found.get(colour.value, colour._replace(pieces=0))
        found[colour.value] = so_far._replace(pieces=so_far.pieces + colour.pieces)
    return tuple(found[value] for value in sorted(found))


def counter(colours: Iterable[Colour], times: int = 1) -> Counter[int]:
    """How many pieces of each value *colours* are, so many *times*.

    >>> counter([Colour("white", 1, 10)], times=4)
    Counter({1: 40})
    """
    return Counter({colour.value: colour.pieces * times for colour in colours})

"""Scoring a session file: the events played through from the first to the last."""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from typing import Any

from scorekeeper.ledger import Standing, Transfer, plan_settlement, standings
from scorekeeper.limits import MAX_DEALS
from scorekeeper.rules import MISDEAL, DealScore, Facts, IllegalRules, Refused, Result, Seat, Table, Unit
from scorekeeper.rules.base import clockwise
from scorekeeper.sessionfile.values import (
    Adjustment,
    BadFile,
    BuyIn,
    CashOut,
    DealEvent,
    DealtBy,
    Event,
    MisdealEvent,
    NewGame,
    Seating,
    SessionFile,
    explained,
    fault,
)


@dataclass(frozen=True, slots=True)
class Dealt:
    """A deal or a misdeal, by the number of its ``event`` in the file, and who was at the table."""

    event: int
    facts: Facts
    score: DealScore[Any]
    seating: Seating


@dataclass(frozen=True, slots=True)
class ScoredDeal:
    """One deal of a sheet, and its number in the sitting."""

    number: int
    facts: Facts
    score: DealScore[Any]

    @property
    def totals(self) -> tuple[int, ...]:
        """The chips or points after it, of every seat there was."""
        return self.score.table.totals


@dataclass(frozen=True, slots=True)
class Sheet:
    """A scored session file.

    ``table`` is the one for the next deal, ``seating`` who is at it, and ``dealer`` who deals, in turn or not. Of each
    seat, ``chips`` is what it won or lost in all games, ``bought`` what it got from the bank, and ``cashed`` what it
    gave back.
    """

    file: SessionFile
    dealt: tuple[Dealt, ...]
    table: Table
    seating: Seating
    dealer: Seat
    chips: tuple[int, ...]
    bought: tuple[int, ...]
    cashed: tuple[int, ...]

    @property
    def deals(self) -> tuple[ScoredDeal, ...]:
        """What was dealt but for misdeals, which have no number."""
        scored = (one for one in self.dealt if one.score.result is not Result.MISDEAL)
        return tuple(ScoredDeal(number, one.facts, one.score) for number, one in enumerate(scored, start=1))

    @property
    def in_hand(self) -> tuple[int, ...]:
        """The chips each seat has before it."""
        return _in_hand(self.bought, self.chips, self.cashed)

    @property
    def totals(self) -> tuple[int, ...]:
        """Everybody's chips of the sitting, or points of its latest game."""
        return self.table.widened(len(self.chips), self.file.game.start(self.file.ruleset)).totals

    @property
    def standings(self) -> tuple[Standing[Seat], ...]:
        return standings(_by_seat(self.totals), lowest_wins=self.file.game.lowest_wins)

    @property
    def for_chips(self) -> bool:
        """Whether there are chips to settle."""
        return any(self.chips) or self.file.game.plays_for_chips(self.file.ruleset)

    @property
    def money(self) -> tuple[int, ...] | None:
        """What each seat won or lost in minor units; None where chips have no price, or none are played for."""
        return self.file.chip.price.of_everybody(self.chips).shares if self.file.chip and self.for_chips else None

    @property
    def transfers(self) -> tuple[Transfer[Seat], ...] | None:
        """The fewest transfers that settle, in minor units where chips have a price; None where none are played for."""
        return plan_settlement(_by_seat(self.chips if self.money is None else self.money)) if self.for_chips else None


def score(file: SessionFile) -> Sheet:
    """Score *file* from its first event to its last.

    :raises BadFile: if it cannot be scored.
    """
    try:
        sitting = Sitting(file)
    except Refused as refused:
        raise BadFile(0, refused.problems, file.players) from None
    for number, event in enumerate(file.events, start=1):
        try:
            sitting.take(event)
        except Refused as refused:
            raise BadFile(number, refused.problems, file.players) from None
    return sitting.sheet()


class Sitting:
    """A session that is being played through: where it stands after the events taken so far."""

    def __init__(self, file: SessionFile) -> None:
        """:raises Refused: if the file's opening cannot stand on a sheet."""
        self.file = file
        try:
            self._left = file.game.open_table(file.ruleset, seats=file.began, dealer=file.dealer, opening=file.opening)
        except IllegalRules as refused:
            raise Refused(*(explained(problem, "opening") for problem in refused.problems)) from None
        # Whoever comes and goes before a deal is played leaves no trace in it: seats are taken from what the last left.
        self._seating = Seating(self._left.ring)
        self._start = file.game.start(file.ruleset)
        self._dealer: Seat | None = None
        self._taken = 0
        self.dealt: list[Dealt] = []
        nothing = (0,) * file.began
        self.chips = self._left.totals if file.game.unit is Unit.CHIPS else nothing
        self.bought = nothing
        self.cashed = nothing

    @property
    def table(self) -> Table:
        """The table for the next deal, where the next in turn deals."""
        return self._left.seated(self._seating.seats, self._start)

    @property
    def dealer(self) -> Seat:
        """Who deals next, in turn or not."""
        return self.table.dealer if self._dealer is None else self._dealer

    def take(self, event: Event) -> None:
        """:raises Refused: if *event* cannot have happened; then nothing has changed."""
        match event:
            case DealEvent() | MisdealEvent():
                self._deal(_facts_of(event, self._dealer))
            case BuyIn(player, chips):
                self.bought = _plus(self.bought, self._only(player, chips))
            case CashOut(player, chips):
                # Even more than the player has: a deal corrected since may have taken away what was given back.
                self.cashed = _plus(self.cashed, self._only(player, chips))
            case Adjustment(chips=changes):
                self.chips = _plus(self.chips, changes)
                moved = {seat: chips for seat, chips in enumerate(changes) if chips}
                self._left = self.file.game.adjusted(self._left, moved)
            case NewGame():
                try:
                    self._left = self.file.game.new_game(self._left)
                except Refused as refused:
                    raise Refused(*(explained(problem, "type") for problem in refused.problems)) from None
            case Seating():
                self._seat(event)
            case DealtBy(player):
                if player not in self._seating.seats:
                    raise fault("NOT_AT_TABLE", "player")
                self._dealer = player
        self._taken += 1

    def sheet(self) -> Sheet:
        seating, dealer = self._seating, self.dealer
        return Sheet(self.file, tuple(self.dealt), self.table, seating, dealer, self.chips, self.bought, self.cashed)

    def _deal(self, facts: Facts) -> None:
        if len(self.dealt) == MAX_DEALS:
            raise fault("DEALS_TOO_MANY", "type", max=MAX_DEALS)
        scored = self.file.game.play(facts, self.table)
        self.chips = _plus(self.chips, scored.chips)
        self._left = scored.table
        self._dealer = None
        self.dealt.append(Dealt(self._taken + 1, facts, scored, self._seating))

    def _seat(self, seating: Seating) -> None:
        seats = seating.seats
        if problems := self.file.game.check_seats(self.file.ruleset, seats, len(self.chips)):
            raise Refused(*(explained(problem, "players") for problem in problems))
        nothing = (0,) * (max(seats) + 1 - len(self.chips))
        self.chips, self.bought, self.cashed = self.chips + nothing, self.bought + nothing, self.cashed + nothing
        self._seating = replace(seating, seats=clockwise(seats))
        # Who was to deal out of turn is asked again.
        self._dealer = None

    def _only(self, player: Seat, chips: int) -> tuple[int, ...]:
        return tuple(chips if seat == player else 0 for seat in range(len(self.chips)))


def _facts_of(event: DealEvent | MisdealEvent, dealer: Seat | None) -> Facts:
    """The facts of a deal, with the *dealer* if it was not the next in turn."""
    facts = event.facts if isinstance(event, DealEvent) else MISDEAL
    return facts if dealer is None else {"dealer": dealer, **facts}


def _by_seat(amounts: tuple[int, ...]) -> dict[Seat, int]:
    return {Seat(seat): amount for seat, amount in enumerate(amounts)}


def _plus(totals: tuple[int, ...], changes: tuple[int, ...]) -> tuple[int, ...]:
    """*totals* after *changes* of the first of the seats."""
    return tuple(map(operator.add, totals, changes)) + totals[len(changes) :]


def _in_hand(bought: tuple[int, ...], chips: tuple[int, ...], cashed: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(got + won - returned for got, won, returned in zip(bought, chips, cashed, strict=True))

"""Scoring a session file: the events played through from the first to the last."""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from typing import Any

from scorekeeper.ledger import Standing, Transfer, plan_settlement, standings
from scorekeeper.limits import MAX_DEALS
from scorekeeper.rules import MISDEAL, DealScore, Facts, IllegalRules, Refused, Result, Seat, Table, Unit
from scorekeeper.sessionfile.values import (
    Adjustment,
    BadFile,
    BuyIn,
    CashOut,
    DealEvent,
    Event,
    MisdealEvent,
    NewGame,
    SessionFile,
    explained,
    fault,
)


@dataclass(frozen=True, slots=True)
class ScoredDeal:
    """One deal of a sheet, and its number in the sitting."""

    number: int
    facts: Facts
    score: DealScore[Any]

    @property
    def totals(self) -> tuple[int, ...]:
        """Every seat's chips or points after it."""
        return self.score.table.totals


@dataclass(frozen=True, slots=True)
class Sheet:
    """A scored session file.

    ``table`` is the one for the next deal. Of each seat, ``chips`` is what it won or lost in all games, ``bought`` what
    it got from the bank, and ``cashed`` what it gave back.
    """

    file: SessionFile
    deals: tuple[ScoredDeal, ...]
    table: Table
    chips: tuple[int, ...]
    bought: tuple[int, ...]
    cashed: tuple[int, ...]

    @property
    def in_hand(self) -> tuple[int, ...]:
        """The chips each seat has before it."""
        return _in_hand(self.bought, self.chips, self.cashed)

    @property
    def totals(self) -> tuple[int, ...]:
        """Chips of the sitting, or points of its latest game."""
        return self.table.totals

    @property
    def standings(self) -> tuple[Standing[Seat], ...]:
        return standings(dict(zip(self.table.seats, self.totals, strict=True)), lowest_wins=self.file.game.lowest_wins)

    @property
    def transfers(self) -> tuple[Transfer[Seat], ...] | None:
        """The fewest transfers that settle the chips; None where none are played for."""
        if not any(self.chips) and not self.file.game.plays_for_chips(self.file.ruleset):
            return None
        return plan_settlement(dict(zip(self.table.seats, self.chips, strict=True)))


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
            self.table = file.game.open_table(file.ruleset, dealer=file.dealer, opening=file.opening)
        except IllegalRules as refused:
            raise Refused(*(explained(problem, "opening") for problem in refused.problems)) from None
        self.deals: list[ScoredDeal] = []
        self.dealt = 0
        nothing = (0,) * len(file.players)
        self.chips = self.table.totals if file.game.unit is Unit.CHIPS else nothing
        self.bought = nothing
        self.cashed = nothing

    def take(self, event: Event) -> None:
        """:raises Refused: if *event* cannot have happened; then nothing has changed."""
        match event:
            case DealEvent(facts):
                self._deal(facts)
            case MisdealEvent():
                self._deal(MISDEAL)
            case BuyIn(player, chips):
                self.bought = _plus(self.bought, self._only(player, chips))
            case CashOut(player, chips):
                # Even more than the player has: a deal corrected since may have taken away what was given back.
                self.cashed = _plus(self.cashed, self._only(player, chips))
            case Adjustment(chips=changes):
                self.chips = _plus(self.chips, changes)
                if self.file.game.unit is Unit.CHIPS:
                    self.table = replace(self.table, totals=self.chips)
            case NewGame():
                try:
                    self.table = self.file.game.new_game(self.table)
                except Refused as refused:
                    raise Refused(*(explained(problem, "type") for problem in refused.problems)) from None

    def sheet(self) -> Sheet:
        return Sheet(self.file, tuple(self.deals), self.table, self.chips, self.bought, self.cashed)

    def _deal(self, facts: Facts) -> None:
        if self.dealt == MAX_DEALS:
            raise fault("DEALS_TOO_MANY", "type", max=MAX_DEALS)
        scored = self.file.game.play(facts, self.table)
        self.chips = _plus(self.chips, scored.chips)
        self.table = scored.table
        self.dealt += 1
        if scored.result is not Result.MISDEAL:
            self.deals.append(ScoredDeal(len(self.deals) + 1, facts, scored))

    def _only(self, player: Seat, chips: int) -> tuple[int, ...]:
        return tuple(chips if seat == player else 0 for seat in self.table.seats)


def _plus(totals: tuple[int, ...], changes: tuple[int, ...]) -> tuple[int, ...]:
    """*totals* after *changes*, one per seat."""
    return tuple(map(operator.add, totals, changes))


def _in_hand(bought: tuple[int, ...], chips: tuple[int, ...], cashed: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(got + won - returned for got, won, returned in zip(bought, chips, cashed, strict=True))

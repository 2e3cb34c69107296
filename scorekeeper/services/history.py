"""How the deals of a session follow from one another: the one place that turns what was entered into what came."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, cast

from scorekeeper.models import AnyRow
from scorekeeper.rules import CARD_GAMES, CardGame, DealScore, Facts, Refused, Result, Ruleset, Seat, Table


@lru_cache(maxsize=256)
def ruleset_of(card_game: str, ruleset_id: str, options: str) -> Ruleset:
    """The ruleset whose copy a session keeps as JSON text."""
    return CARD_GAMES[card_game].restored(ruleset_id, json.loads(options))


def game_of(session: AnyRow) -> tuple[CardGame[Any], Ruleset]:
    """The card game and ruleset of a session's row."""
    return CARD_GAMES[session.card_game], ruleset_of(session.card_game, session.ruleset_id, session.options)


def first_table(session: AnyRow) -> Table:
    """The table before the first deal of a session's row."""
    game, ruleset = game_of(session)
    return game.open_table(ruleset, dealer=Seat(session.first_dealer), opening=tuple(session.opening))


def only_begun(session: AnyRow) -> bool:
    """Whether nothing has been played in the latest game of a session, which is not the first."""
    return session.table["game"] > 1 and not session.table["deals"]


def next_table(session: AnyRow) -> Table:
    """The table for the next deal of a session's row, with the dealer who was set by hand if one was."""
    table, by_hand = Table.restored(game_of(session)[1], session.table), dealer_by_hand(session)
    return table if by_hand is None else replace(table, dealer=by_hand)


def dealer_by_hand(session: AnyRow) -> Seat | None:
    """Who deals the next deal of a session's row though it is another's turn, if anybody does."""
    seat = (session.declared or {}).get("dealer")
    return None if seat is None else Seat(seat)


def declared_deal(session: AnyRow) -> Facts:
    """What has been declared of the next deal of a session's row: that somebody deals out of turn is no declaration."""
    return {name: value for name, value in (session.declared or {}).items() if name != "dealer"}


def still_declared(game: CardGame[Any], declared: Facts | None, table: Table) -> Facts | None:
    """What was *declared* of the next deal, if it can have been bid so at *table* as that is now."""
    if declared is None:
        return None
    try:
        return game.declare(declared, table)
    except Refused:
        return None


def deal_is_due(session: AnyRow) -> bool:
    """Whether the next deal of a session's row can be dealt now, and so be declared and recorded."""
    if session.state != "open" or session.undecided:
        return False
    game, ruleset = game_of(session)
    table = next_table(session)
    return not table.over and len(table.seats) == game.players(ruleset)


@dataclass(frozen=True, slots=True)
class Entered:
    """A deal as people left it, with the seats that were taken, clockwise.

    ``recorded`` is the session's version in which it was first recorded, and ``dealer`` who dealt it then: None where
    that has to be found out anew.
    """

    number: int
    recorded: int
    facts: Facts
    present: tuple[Seat, ...]
    starts_game: bool = False
    void: bool = False
    dealer: Seat | None = None


@dataclass(frozen=True, slots=True)
class Brought:
    """What came of a deal, as its row keeps it. ``reason`` says why a deal is unscored."""

    before: dict[str, object]
    totals: tuple[int, ...]
    status: str
    reason: str = ""
    result: str = ""
    points: tuple[int, ...] = ()
    chips: tuple[int, ...] = ()
    winners: tuple[int, ...] = ()

    @property
    def present(self) -> Iterable[int]:
        """The seats that were taken."""
        present = self.before.get("present", range(len(self.totals)))
        return cast(Iterable[int], present)


@dataclass(frozen=True, slots=True)
class Replayed:
    """Deals scored in order, the table they leave, and whether a person must decide about some of them first.

    ``idle`` are the void deals at the end that were to start a game where none can start.
    """

    deals: tuple[Brought, ...]
    table: Table
    undecided: bool
    idle: tuple[int, ...] = ()


def present_at(seating: Iterable[Sequence[int]]) -> tuple[Seat, ...]:
    """The seats of a stored *seating*, clockwise."""
    return tuple(Seat(seat) for seat, _ in seating)


def replay(
    game: CardGame[Any],
    table: Table,
    deals: Iterable[Entered],
    adjustments: Mapping[int, Mapping[int, int]],
    present: tuple[Seat, ...],
) -> Replayed:
    """Score *deals* from *table* on, with the chips *adjustments* of each version falling between them.

    The table it leaves is that of the players *present* now.

    A deal after the end of a game is unscored, unless a person started a new game with it. A void deal leaves the start
    of its game to the next one that is not. Where a start no longer follows the end of a game, that deal and all after
    it are unscored, until a person decides.
    """
    start = game.start(table.ruleset)
    due = deque(sorted(adjustments.items()))
    brought: list[Brought] = []
    undecided = False
    starts: list[int] = []
    for deal in deals:
        while due and due[0][0] < deal.recorded:
            table = game.adjusted(table, due.popleft()[1])
        if deal.starts_game:
            starts.append(deal.number)
        if starts and not deal.void and not undecided:
            starts.clear()
            if table.over:
                table = game.new_game(table)
            elif table.deals or table.game == 1:
                undecided = True
        outcome, left = _scored(game, dealt_at(game, table, deal), deal, undecided)
        brought.append(outcome)
        table = table if left is None else left
    while due:
        table = game.adjusted(table, due.popleft()[1])
    table = table.seated(present, start)
    if starts and table.over:
        return Replayed(tuple(brought), game.new_game(table), undecided)
    return Replayed(tuple(brought), table, undecided, () if undecided else tuple(starts))


def dealt_at(game: CardGame[Any], table: Table, deal: Entered) -> Table:
    """The *table* that earlier deals leave, as *deal* was dealt at it.

    Where more sit down than play, the dealer decides who had no cards. That stays so when the turn to deal moves, as an
    earlier deal is voided or corrected: nobody comes to pay for a deal, or to win with it, who did not play it.
    """
    table = table.seated(deal.present, game.start(table.ruleset))
    return replace(table, dealer=deal.dealer) if table.somebody_sits_out and deal.dealer is not None else table


def who_played(session: AnyRow, deal: Brought) -> tuple[Seat, ...]:
    """Who had cards in a deal, if it counts and was played to its end: neither a misdeal nor thrown in."""
    if deal.status != "scored" or deal.result in (Result.PASSED_OUT, Result.MISDEAL):
        return ()
    return Table.restored(game_of(session)[1], deal.before).seats


def pending_game(game: CardGame[Any], session: AnyRow, table: Table) -> Table:
    """*table* as the last deal left it, or that of the next game, if it had been started and has no deal yet."""
    return game.new_game(table) if table.over and session.table["game"] > table.game else table


def _scored(game: CardGame[Any], table: Table, deal: Entered, undecided: bool) -> tuple[Brought, Table | None]:
    """What came of *deal*, and the table it leaves, unless it leaves everything as it was."""
    before = table.state()
    if deal.void:
        return Brought(before, table.totals, "void"), None
    if undecided:
        return Brought(before, table.totals, "unscored", "GAME_NOT_OVER"), None
    try:
        score = game.play(deal.facts, table)
    except Refused as refused:
        return Brought(before, table.totals, "unscored", refused.problems[0].code), None
    return scored_deal(score), score.table


def scored_deal(score: DealScore[Any]) -> Brought:
    """What a scored deal brought, as its row keeps it."""
    return Brought(
        score.before.state(),
        score.table.totals,
        "scored",
        result=score.result,
        points=score.points,
        chips=score.chips,
        winners=score.outcome.winners if score.outcome else (),
    )

"""Sessions as people might play, correct and settle them: what tests draw, and what they hold it against."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from hypothesis import strategies as st
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper import queries
from scorekeeper.ledger import Choices, Plan
from scorekeeper.models import AnyRow, Base, Deal, GameSession, GroupTotal, Player, SessionSeat
from scorekeeper.rules import MISDEAL, Facts, Refused, Seat, Table
from scorekeeper.services.costs import AddCost, SetStake, TakeBackCost, add_cost, set_stake, take_back_cost
from scorekeeper.services.deals import (
    CorrectDeal,
    DecideGame,
    DeclareDeal,
    RecordDeal,
    RestoreDeal,
    VoidDeal,
    correct_deal,
    decide_game,
    declare_deal,
    drop_declared,
    record_deal,
    restore_deal,
    start_next_game,
    void_deal,
)
from scorekeeper.services.history import game_of
from scorekeeper.services.ledger import adjustments, price_of
from scorekeeper.services.seats import SeatPlayers, Sitter, seat_players
from scorekeeper.services.sessions import (
    Adjust,
    MoveChips,
    adjust,
    buy_in,
    cash_out,
    close_session,
    reopen_session,
)
from scorekeeper.services.settlement import Pay, TakeBack, accounts, choices_made, pay, still_open, take_back
from scorekeeper.services.transaction import SessionClosed, StaleSession
from tests.deals import fill_in
from tests.factories import NAMES, MadeSession, make_group, make_session

PEOPLE = (*NAMES, "Eve", "Fay", "Gus")
"""Everybody of the group: the first of them sit down at the beginning."""


@dataclass(frozen=True, slots=True)
class Rules:
    """A ruleset with house rules."""

    card_game: str
    ruleset: str
    house_rules: Mapping[str, object] = field(default_factory=dict)


MENSCH = (
    Rules("mensch", "mensch"),
    Rules("mensch", "mensch-russian"),
)
# Games from 6 points end, and begin again, within a few deals.
DIRTY_CLUBS = (
    Rules("dirty-clubs", "dirty-clubs", {"start": 6, "stake_loser": 3, "stake_penalty": 1}),
    Rules("dirty-clubs", "dirty-clubs", {"start": 6, "one_card_each": True, "passed_out": "same-dealer"}),
    Rules("dirty-clubs", "buck-euchre-bid", {"start": 6, "stake_point": 2}),
)

seats = st.integers(0, 5)
numbers = st.integers(1, 40)
chances = st.randoms(use_true_random=False)

Act = Callable[["Sitting"], None]


def recordings(rules: Rules) -> st.SearchStrategy[Act]:
    """Deals, and the next game where one has ended."""
    deals: st.SearchStrategy[Act] = st.builds(
        lambda chance: lambda sitting: sitting.record(sitting.some_deal(chance)), chances
    )
    return deals | st.just(Sitting.next_game) if rules.card_game == "dirty-clubs" else deals


def changes(rules: Rules) -> st.SearchStrategy[Act]:
    """Corrections of what was recorded: other facts, none at all, and where a game begins."""
    acts: list[st.SearchStrategy[Act]] = [
        st.builds(
            lambda number, chance: lambda sitting: sitting.correct(number, sitting.some_deal(chance, number)),
            numbers,
            chances,
        ),
        st.builds(lambda number: lambda sitting: sitting.void(number), numbers),
        st.builds(lambda number: lambda sitting: sitting.restore(number), numbers),
    ]
    if rules.card_game == "dirty-clubs":
        acts.append(
            st.builds(
                lambda number, starts: lambda sitting: sitting.decide(number, starts_game=starts),
                numbers,
                st.booleans(),
            )
        )
    return st.one_of(acts)


table_acts: st.SearchStrategy[Act] = st.one_of(
    st.builds(lambda chance: lambda sitting: sitting.seat(sitting.some_seating(chance)), chances),
    st.builds(lambda chance: lambda sitting: sitting.declare(sitting.some_deal(chance)), chances),
    st.just(lambda sitting: sitting.drop()),
)
"""Who is at the table, and what is said before a deal is played."""

chip_acts: st.SearchStrategy[Act] = st.one_of(
    st.builds(lambda seat, chips: lambda sitting: sitting.buy(seat, chips), seats, st.integers(1, 9)),
    st.builds(
        lambda giver, taker, chips: lambda sitting: sitting.move(giver, taker, chips), seats, seats, st.integers(1, 9)
    ),
)
stakes: st.SearchStrategy[Act] = st.builds(lambda amount: lambda sitting: sitting.stake(amount), st.integers(0, 9))
costs: st.SearchStrategy[Act] = st.one_of(
    st.builds(
        lambda payer, amount, shared: lambda sitting: sitting.share(payer, amount, shared),
        st.none() | seats,
        st.integers(1, 50),
        st.lists(seats, max_size=4),
    ),
    st.builds(lambda place: lambda sitting: sitting.take_back_cost(place), seats),
    stakes,
)
cash_outs: st.SearchStrategy[Act] = st.builds(
    lambda seat, chips: lambda sitting: sitting.cash(seat, chips), seats, st.integers(1, 9)
)


@dataclass
class Sitting:
    """A session under test. Its methods do what a person does; what is refused is not done."""

    db: Session
    made: MadeSession

    @classmethod
    def begin(cls, db: Session, rules: Rules, **more: Any) -> Sitting:
        made = make_session(
            db,
            group=make_group(db, players=PEOPLE),
            card_game=rules.card_game,
            ruleset=rules.ruleset,
            house_rules=rules.house_rules,
            **more,
        )
        return cls(db, made)

    def do(self, acts: Sequence[Act]) -> None:
        for act in acts:
            try:
                act(self)
            except (Refused, StaleSession, SessionClosed):
                continue

    @property
    def row(self) -> AnyRow:
        columns = select(*GameSession.__table__.columns)
        return self.db.execute(columns.where(GameSession.id == self.made.id)).one()

    def deals(self) -> Sequence[AnyRow]:
        columns = select(*Deal.__table__.columns)
        return self.db.execute(columns.where(Deal.session_id == self.made.id).order_by(Deal.number)).all()

    def seats(self) -> Sequence[AnyRow]:
        return queries.seats_to_settle(self.db, self.made.id)

    def totals(self) -> list[tuple[int, int, int, int]]:
        """What the session brought each seat's player in the standings of the group: sessions, games, wins, chips."""
        found = self.db.execute(
            select(GroupTotal.sessions, GroupTotal.games, GroupTotal.wins, GroupTotal.chips)
            .join(SessionSeat, SessionSeat.player_id == GroupTotal.player_id)
            .where(SessionSeat.session_id == self.made.id)
            .order_by(SessionSeat.seat)
        )
        return [(row.sessions, row.games, row.wins, row.chips) for row in found]

    def settlement(self) -> AnyRow | None:
        """That in force."""
        return next(iter(self._in_force()), None)

    def transfers(self) -> Sequence[AnyRow]:
        """Those in force."""
        return [row for row in self._in_force() if row.line is not None]

    def _in_force(self) -> list[AnyRow]:
        return [row for row in queries.settlements(self.db, self.made.id) if row.withdrawn is None]

    def payments(self) -> Sequence[AnyRow]:
        """Those that count."""
        return queries.payments(self.db, self.made.id)

    def open(self) -> list[int]:
        """What is still to be paid of each transfer in force."""
        return [transfer.amount for transfer in still_open(self.transfers(), self.payments())]

    def is_settled(self) -> bool:
        """Whether what is won and lost has been paid, is to be, is the bank's, or is left open by the settlement."""
        price, drawn, seats = price_of(self.row), self.settlement(), self.seats()
        stays = (drawn.remaining, drawn.rest) if drawn else ({}, {})
        left, rest = ({int(seat): amount for seat, amount in amounts.items()} for amounts in stays)
        choices = choices_made(drawn.choices) if drawn else Choices()
        to_come = Plan(still_open(self.transfers(), self.payments()), left, rest)
        found = accounts(price, seats, choices, to_come)
        adds_up = all(
            one.won + one.bought - one.cashed + one.paid + one.costs + one.kitty + one.carried
            == one.from_bank + one.left + one.rest + one.open
            for one in found
        )
        bank = {one.seat: one.from_bank - max(0, one.bought - one.cashed) for one in found}
        # The bank pays back at most what was bought, and keeps what it paid for winnings from those who lost.
        return adds_up and all(amount <= 0 for amount in bank.values())

    def record(self, facts: Facts) -> None:
        record_deal(self.db, RecordDeal(**self.made.command(self.db), facts=facts))

    def declare(self, facts: Facts) -> None:
        declare_deal(self.db, DeclareDeal(**self.made.command(self.db), facts=facts))

    def drop(self) -> None:
        drop_declared(self.db, self.made.plain_command(self.db))

    def seat(self, sitters: Sequence[Sitter]) -> None:
        seat_players(self.db, SeatPlayers(**self.made.command(self.db), sitters=tuple(sitters)))

    def people(self) -> list[int]:
        """The ids of the players of the group, in the order in which they joined."""
        group_id = self.made.group.group_id
        return list(self.db.scalars(select(Player.id).where(Player.group_id == group_id).order_by(Player.id)))

    def named(self, seating: Sequence[Sequence[int]]) -> list[tuple[int, str]]:
        """*seating* with names in place of players."""
        names = {row.id: row.name for row in self.db.execute(select(Player.id, Player.name))}
        return [(seat, names[player]) for seat, player in seating]

    def sit(self, *names: str, **stand_ins: str) -> None:
        """Seat people by name, clockwise; each of *stand_ins* is played for by the other."""
        ids = dict(zip(PEOPLE, self.people(), strict=True))
        seats = {seat.player_id: Seat(seat.seat) for seat in self.seats()}
        self.seat(
            [
                Sitter(ids[stand_ins[name]], seats[ids[name]]) if name in stand_ins else Sitter(ids[name])
                for name in names
            ]
        )

    def next_game(self) -> None:
        start_next_game(self.db, self.made.plain_command(self.db))

    def correct(self, number: int, facts: Facts) -> None:
        command = CorrectDeal(**self.made.command(self.db), number=self._number(number), facts=facts, discard=True)
        correct_deal(self.db, command)

    def restore(self, number: int) -> None:
        restore_deal(self.db, RestoreDeal(**self.made.command(self.db), number=self._number(number), discard=True))

    def void(self, number: int) -> None:
        void_deal(self.db, VoidDeal(**self.made.command(self.db), number=self._number(number), discard=True))

    def decide(self, number: int, *, starts_game: bool) -> None:
        command = self.made.command(self.db) | {"number": self._number(number), "discard": True}
        decide_game(self.db, DecideGame(**command, starts_game=starts_game))

    def buy(self, seat: int, chips: int) -> None:
        buy_in(self.db, MoveChips(**self.made.command(self.db), seat=Seat(seat), chips=chips))

    def cash(self, seat: int, chips: int) -> None:
        cash_out(self.db, MoveChips(**self.made.command(self.db), seat=Seat(seat), chips=chips))

    def move(self, giver: int, taker: int, chips: int) -> None:
        moved = [0] * len(self.seats())
        moved[giver % len(moved)] -= chips
        moved[taker % len(moved)] += chips
        adjust(self.db, Adjust(**self.made.command(self.db), chips=tuple(moved), note="paid for the drinks"))

    def close(self, choices: Choices[int] | None = None) -> None:
        close_session(self.db, self.made.plain_command(self.db), choices)

    def reopen(self) -> None:
        reopen_session(self.db, self.made.plain_command(self.db))

    def pay(self, place: int, amount: int | None = None) -> None:
        """Pay one of the transfers that are open, or so much of it."""
        lines = [line for line, still in zip(self.transfers(), self.open(), strict=True) if still]
        if lines:
            line = lines[place % len(lines)]
            command = self.made.command(self.db)
            pay(self.db, Pay(**command, plan=line.version, line=line.line, amount=amount))

    def take_back(self, place: int) -> None:
        """Take back one of the payments that count."""
        payments = self.payments()
        if payments:
            payment = payments[place % len(payments)].version
            take_back(self.db, TakeBack(**self.made.command(self.db), payment=payment))

    def share(self, payer: int | None, amount: int, seats: Sequence[int] = ()) -> None:
        """Note what somebody, or the kitty, pays for *seats*, or for the kitty."""
        there = len(self.seats())
        payer = None if payer is None else payer % there
        shared = tuple({seat % there for seat in seats})
        add_cost(self.db, AddCost(**self.made.command(self.db), payer=payer, amount=amount, seats=shared))

    def stake(self, amount: int) -> None:
        set_stake(self.db, SetStake(**self.made.command(self.db), amount=amount))

    def take_back_cost(self, place: int) -> None:
        """Take back one of the costs that count."""
        costs = queries.costs(self.db, self.made.id)
        if costs:
            cost = costs[place % len(costs)].version
            take_back_cost(self.db, TakeBackCost(**self.made.command(self.db), cost=cost))

    def some_deal(self, chance: Random, number: int | None = None) -> Facts:
        """A deal that may be next, or in place of deal *number*; now and then dealt out of turn."""
        deal = None if number is None else self.deal(number)
        game, ruleset = game_of(self.row)
        table = Table.restored(ruleset, deal.before if deal else self.row.table)
        dealer = {}
        if chance.randrange(8) == 0:
            dealer = {"dealer": chance.choice(table.ring)}
            table = replace(table, dealer=dealer["dealer"])
        # Nothing can be dealt where too few sit and wait.
        if chance.randrange(8) == 0 or len(table.seats) < game.players(ruleset):
            return {**dealer, **MISDEAL}
        return {**dealer, **fill_in(game, table, chance.choice)}

    def some_seating(self, chance: Random) -> list[Sitter]:
        """Who may sit down next: somebody leaves, comes, or comes back, stands in for another, or changes places."""
        sitters = [Sitter(player, Seat(seat)) for seat, player in self.row.seating]
        place = chance.randrange(len(sitters))
        there = {sitter.player for sitter in sitters}
        somebody = chance.choice([player for player in self.people() if player not in there])
        for _ in range(chance.choice((1, 1, 2))):
            match chance.choice(("leave", "come", "come", "stand in", "replace", "swap", "home")):
                case "leave":
                    del sitters[place % len(sitters)]
                case "come":
                    sitters.insert(place, Sitter(somebody))
                case "stand in":
                    sitters[place % len(sitters)] = replace(sitters[place % len(sitters)], player=somebody)
                case "replace":
                    sitters[place % len(sitters)] = Sitter(somebody)
                case "swap":
                    sitters[0], sitters[-1] = sitters[-1], sitters[0]
                case "home":
                    sitters = [Sitter(player) for player in self.people()[: len(self.row.opening)]]
        return sitters

    def deal(self, number: int) -> AnyRow | None:
        """One of the deals, whatever *number*, if there are any."""
        deals = self.deals()
        return deals[(number - 1) % len(deals)] if deals else None

    def _number(self, number: int) -> int:
        deal = self.deal(number)
        return deal.number if deal else number


def entered_right_at_first(sitting: Sitting) -> Sitting:
    """A session into which nothing was entered but what now stands in the deals of *sitting*, which it agrees with.

    :raises AssertionError: if it does not.
    """
    original = sitting.row
    game, ruleset = game_of(original)
    fresh = Sitting.begin(
        sitting.db,
        Rules(game.id, ruleset.id, game.house_rules(ruleset)),
        dealer=original.first_dealer,
        opening=tuple(original.opening),
        seats=len(original.opening),
    )
    counterparts = dict(zip(sitting.people(), fresh.people(), strict=False))
    # Whoever ever came gets an account: who comes, and leaves again before a deal, changes nothing.
    for seat in sitting.seats()[len(original.opening) :]:
        fresh.seat([Sitter(fresh.people()[0]), Sitter(counterparts[seat.player_id])])
    due = sorted(adjustments(sitting.db, original, after=0).items())
    undecided = starts = False
    for row in sitting.deals():
        while due and due[0][0] < row.recorded:
            _adjust(fresh, due.pop(0)[1])
        void = row.status == "void"
        # A void deal leaves the start of its game to the next one that is not.
        starts = starts or row.starts_game
        if starts and not void and not undecided:
            starts = False
            before = fresh.row.table
            if before["winners"]:
                fresh.next_game()
            else:
                undecided = before["game"] == 1 or before["deals"] > 0
        _seat(fresh, row.seating, counterparts)
        facts = dict(row.facts)
        if len(row.seating) > game.players(ruleset) and fresh.row.table["dealer"] != row.before["dealer"]:
            # Who sat out stays so, whoever's turn it would have been to deal.
            facts.setdefault("dealer", row.before["dealer"])
            by_hand = {"dealer": row.before["dealer"]}
        else:
            by_hand = {"dealer": facts["dealer"]} if row.status == "scored" and "dealer" in facts else {}
        assert row.before == {**fresh.row.table, **by_hand}
        if void:
            outcome = ("void", "")
        elif undecided:
            outcome = ("unscored", "GAME_NOT_OVER")
        else:
            outcome = ("scored", "")
            try:
                fresh.record(facts)
            except Refused as refused:
                outcome = ("unscored", refused.problems[0].code)
        assert (row.status, row.reason) == outcome
        if row.status == "scored":
            recorded = fresh.deals()[-1]
            assert recorded.facts == facts
            for name in ("before", "result", "points", "chips", "totals", "winners"):
                assert getattr(row, name) == getattr(recorded, name)
        else:
            assert row.totals == fresh.row.table["totals"]
            assert (row.result, row.points, row.chips, row.winners) == ("", [], [], [])
    for _, chips in due:
        _adjust(fresh, chips)
    _seat(fresh, original.seating, counterparts)
    if original.table["game"] > fresh.row.table["game"] and fresh.row.table["winners"]:
        fresh.next_game()
    if original.declared is not None:
        assert game.declare(original.declared, Table.restored(ruleset, original.table)) == original.declared
    assert original.undecided == undecided
    assert original.table == fresh.row.table
    assert [(seat.chips, seat.wins) for seat in sitting.seats()] == [(seat.chips, seat.wins) for seat in fresh.seats()]
    assert sitting.totals() == fresh.totals()
    return fresh


def _adjust(sitting: Sitting, chips: Mapping[int, int]) -> None:
    moved = tuple(chips.get(seat.seat, 0) for seat in sitting.seats())
    adjust(sitting.db, Adjust(**sitting.made.command(sitting.db), chips=moved, note="as before"))


def _seat(sitting: Sitting, seating: Sequence[Sequence[int]], counterparts: Mapping[int, int]) -> None:
    """Seat the *counterparts* of those in *seating*."""
    sitters = [Sitter(counterparts[player], Seat(seat)) for seat, player in seating]
    if [[sitter.seat, sitter.player] for sitter in sitters] != sitting.row.seating:
        sitting.seat(sitters)


def dump(db: Session) -> dict[str, list[tuple[Any, ...]]]:
    """Everything stored."""
    db.rollback()
    rows = {table.name: db.execute(select(table).order_by(*table.primary_key)) for table in Base.metadata.sorted_tables}
    return {name: [tuple(row) for row in found] for name, found in rows.items()}

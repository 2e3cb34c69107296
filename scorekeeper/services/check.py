"""Work everything out again from what people entered, and report every difference from what is stored."""

from __future__ import annotations

import json
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from types import SimpleNamespace
from typing import Any, Final, cast

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper import queries
from scorekeeper.ledger import MAX_MINOR, Choices, EntryKind, MoneyKind, Plan, UnbalancedLedger, plan_with, settles
from scorekeeper.ledger import Transfer as PlannedTransfer
from scorekeeper.ledger.chipset import Colour, worth
from scorekeeper.limits import MAX_CHIPS
from scorekeeper.models import (
    AnyRow,
    CarriedOver,
    Cost,
    Deal,
    DealVersion,
    GameSession,
    Group,
    GroupTotal,
    LedgerEntry,
    MoneyEntry,
    Payment,
    SessionChange,
    SessionSeat,
    Settlement,
    Transfer,
)
from scorekeeper.rules import IllegalRules, Refused, Seat, Unit
from scorekeeper.services.carrying import left_of, paid_by
from scorekeeper.services.chipset import colours_of, noted, sound
from scorekeeper.services.costs import entries_of, reversed_of
from scorekeeper.services.counts import Count
from scorekeeper.services.deals import brought, entered
from scorekeeper.services.history import (
    Replayed,
    first_table,
    game_of,
    pending_game,
    present_at,
    replay,
    still_declared,
    who_played,
)
from scorekeeper.services.ledger import MONEY_SUMS, SEAT_SUMS, adjustments, in_hand, price_of
from scorekeeper.services.seats import seating_of
from scorekeeper.services.settlement import choices_made, claims, still_open

_POSTS: Final[Mapping[str, EntryKind | MoneyKind]] = {
    "open": EntryKind.BUY_IN,
    "buy-in": EntryKind.BUY_IN,
    "cash-out": EntryKind.CASH_OUT,
    "adjustment": EntryKind.ADJUSTMENT,
    "record": EntryKind.DEAL,
    "correct": EntryKind.DEAL,
    "void": EntryKind.DEAL,
    "restore": EntryKind.DEAL,
    "decide": EntryKind.DEAL,
    "paid": MoneyKind.PAYMENT,
    "unpaid": MoneyKind.PAYMENT,
    "cost": MoneyKind.COST,
    "no-cost": MoneyKind.COST,
    "carry": MoneyKind.CARRIED,
    "no-carry": MoneyKind.CARRIED,
    "hand-back": MoneyKind.CARRIED,
}
"""What each kind of change enters: in the ledger of chips, or in that of money."""
_DISPUTES = ("dispute", "agree")
_POSTS_NOTHING = (
    *("new-game", "close", "settle", "reopen", "declare", "drop", "seats", "no-game", "pen", "count", "stake"),
    *_DISPUTES,
)
_CHANGES_A_DEAL = ("correct", "void", "restore", "decide")
_DRAWS_UP = ("close", "settle")
_ENDS = ("reopen", "settle", "record")
_DISCARDS = (*_ENDS, "correct", "void", "restore", "decide")

_Money = dict[int, list[tuple[int | None, int]]]
"""By version, what is entered for seats and for the kitty."""
Standings = defaultdict[tuple[int, str], Counter[str]]
"""For a player and a card game: what the row of the group's standings should say."""


@dataclass(frozen=True, slots=True)
class Difference:
    """``what`` of a group's session (0 for the group itself) is ``stored``, but follows as ``expected``."""

    group_id: int
    session_id: int
    what: str
    stored: object
    expected: object


def differences(db: Session) -> Iterator[Difference]:
    """Every stored result that does not follow from the recorded facts; writes nothing."""
    won: Standings = defaultdict(Counter)
    for session_id in db.scalars(select(GameSession.id).order_by(GameSession.id)).all():
        session = db.execute(select(*GameSession.__table__.columns).where(GameSession.id == session_id)).one()
        try:
            stored = _Stored(db, session)
        except IllegalRules as refused:
            yield Difference(session.group_id, session.id, "opening", session.opening, str(refused))
            continue
        yield from stored.of_deals()
        yield from stored.of_session()
        yield from stored.of_seatings()
        yield from stored.of_ledger()
        yield from stored.of_pieces()
        yield from stored.of_seats()
        yield from stored.of_settlements()
        yield from stored.of_money()
        yield from stored.of_groups()
        stored.add_to(won)
    for group in db.execute(select(Group.id, Group.chip_set).where(Group.chip_set.is_not(None))):
        try:
            expected: object = [list(colour) for colour in sound(colours_of(group.chip_set))]
        except Refused as refused:
            expected = str(refused)
        if group.chip_set != expected:
            yield Difference(group.id, 0, "chip set", group.chip_set, expected)
    totals = {(row.player_id, row.card_game): row for row in db.execute(select(*GroupTotal.__table__.columns))}
    for key in sorted(totals.keys() | won.keys()):
        row = totals.get(key)
        for name in ("sessions", "games", "wins", "chips"):
            if (kept := getattr(row, name, 0)) != won[key][name]:
                group_id = row.group_id if row else 0
                yield Difference(group_id, 0, f"{name} of player {key[0]} in {key[1]}", kept, won[key][name])


def _is_part(part: int, whole: int) -> bool:
    return 0 < part <= whole or whole <= part < 0


class _Stored:
    """Everything stored of one session, beside what follows from its facts."""

    def __init__(self, db: Session, session: AnyRow) -> None:
        """:raises IllegalRules: if the session cannot have begun as it says."""
        self.session = session
        self.deals = self._rows(db, Deal, Deal.number)
        self.seats = self._rows(db, SessionSeat, SessionSeat.seat)
        self.entries = self._rows(db, LedgerEntry, LedgerEntry.version, LedgerEntry.line)
        self.changes = self._rows(db, SessionChange, SessionChange.version)
        self.settlements = self._rows(db, Settlement, Settlement.version)
        self.transfers = self._rows(db, Transfer, Transfer.version, Transfer.line)
        self.payments = self._rows(db, Payment, Payment.version)
        self.costs = self._rows(db, Cost, Cost.version)
        self.carried_in = self._rows(db, CarriedOver, CarriedOver.source_id)
        self.brought_over = [row for row in queries.carried(db, session.id) if row.settled_here]
        self.carried_out = db.execute(
            select(*CarriedOver.__table__.columns).where(CarriedOver.source_id == session.id)
        ).all()
        self.money = self._rows(db, MoneyEntry, MoneyEntry.version, MoneyEntry.line)
        self.deal_versions = self._rows(db, DealVersion, DealVersion.number, DealVersion.replaced)
        self.kind_of = {change.version: change.kind for change in self.changes}
        self.seatings: list[tuple[int, Mapping[Seat, int]]] = [
            (min(change.version, session.version), {Seat(seat): player for seat, player in json.loads(change.note)})
            for change in self.changes
            if change.kind == "seats"
        ]
        self.game, _ = game_of(self.session)
        self.replayed: Replayed = replay(
            self.game,
            first_table(self.session),
            map(entered, self.deals),
            adjustments(db, self.session, after=0),
            present_at(self.session.seating),
        )
        self.table = pending_game(self.game, self.session, self.replayed.table)

    def _rows(self, db: Session, model: Any, *order: Any) -> Sequence[AnyRow]:
        of_session = select(*model.__table__.columns).where(model.session_id == self.session.id)
        return db.execute(of_session.order_by(*order)).all()

    def _compare(self, what: str, stored: object, expected: object) -> Iterator[Difference]:
        if stored != expected:
            yield Difference(self.session.group_id, self.session.id, what, stored, expected)

    def of_deals(self) -> Iterator[Difference]:
        yield from self._compare(
            "deal numbers", [row.number for row in self.deals], list(range(1, len(self.deals) + 1))
        )
        kept: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for row in self.deal_versions:
            kept[row.number].append((row.version, row.replaced))
        said = {change.note: change.kind for change in self.changes if change.kind in _DISPUTES}
        changed: defaultdict[str, list[int]] = defaultdict(list)
        for change in self.changes:
            if change.kind in _CHANGES_A_DEAL:
                changed[change.note].append(change.version)
        for row, expected in zip(self.deals, self.replayed.deals, strict=True):
            yield from self._compare(f"deal {row.number}", brought(row), expected)
            yield from self._compare(
                f"dispute of deal {row.number}", row.disputed, said.get(str(row.number)) == "dispute"
            )
            yield from self._compare(f"record of deal {row.number}", self.kind_of.get(row.recorded), "record")
            versions = [row.recorded, *changed[str(row.number)]]
            yield from self._compare(f"version of deal {row.number}", row.version, versions[-1])
            yield from self._compare(f"history of deal {row.number}", kept[row.number], list(pairwise(versions)))

    def of_session(self) -> Iterator[Difference]:
        session = self.session
        yield from self._compare("table", session.table, self.table.state())
        declared = still_declared(self.game, session.declared, self.table)
        yield from self._compare("declared", session.declared, declared)
        yield from self._compare("undecided", session.undecided, self.replayed.undecided)
        yield from self._compare("number of deals", session.deals, len(self.deals))
        yield from self._compare("first change", self.kind_of.get(1), "open")
        yield from self._compare("changes", set(self.kind_of.values()) - {*_POSTS, *_POSTS_NOTHING}, set())
        yield from self._compare("versions", list(self.kind_of), list(range(1, session.version + 1)))
        in_force = any(row.withdrawn is None for row in self.settlements)
        yield from self._compare("state", session.state, "closed" if in_force else "open")

    def of_seatings(self) -> Iterator[Difference]:
        """Everybody sits as they did at the beginning until they are seated anew."""
        began = [[row.seat, row.player_id] for row in self.seats[: len(self.session.opening)]]
        seatings = [(0, began)] + [(version, seating_of(players)) for version, players in self.seatings]
        for row in self.deals:
            _, seating = seatings[bisect(seatings, row.recorded, key=itemgetter(0)) - 1]
            yield from self._compare(f"seating of deal {row.number}", row.seating, seating)
        yield from self._compare("seating", self.session.seating, seatings[-1][1])

    def of_ledger(self) -> Iterator[Difference]:
        sums: Counter[int] = Counter()
        posted: defaultdict[int, Counter[int]] = defaultdict(Counter)
        for entry in self.entries:
            sums[entry.version] += entry.chips
            expected = _POSTS.get(self.kind_of.get(entry.version, ""))
            what = f"entry {entry.version}, {entry.line}"
            yield from self._compare(f"kind of {what}", entry.kind, expected)
            yield from self._compare(f"deal of {what}", entry.deal_number is not None, expected is EntryKind.DEAL)
            if entry.deal_number is not None:
                posted[entry.deal_number][entry.seat] += entry.chips
        for version, total in sums.items():
            yield from self._compare(f"sum of posting {version}", total, 0)
        for row, deal in zip(self.deals, self.replayed.deals, strict=True):
            expected_chips = {seat: chips for seat, chips in enumerate(deal.chips) if chips}
            chips = {seat: chips for seat, chips in posted[row.number].items() if chips}
            yield from self._compare(f"ledger of deal {row.number}", chips, expected_chips)

    def of_pieces(self) -> Iterator[Difference]:
        """What was handed out, taken back or counted by colour comes to what was moved and counted."""
        moved = {entry.version: abs(entry.chips) for entry in self.entries if entry.seat is not None}
        for change in self.changes:
            if change.kind == "count":
                count = Count.noted(change.note)
                seats = self.seats_at(change.version)[: len(count.due)]
                due = tuple(count.began + chips for chips in in_hand(self.session, seats))
                yield from self._compare(f"chips due in {change.version}", count.due, due)
                yield from self._can_be_pieces(change.version, *(stack for stack in count.pieces if stack))
                yield from self._compare(
                    f"chips counted in {change.version}",
                    len(count.counted) == len(count.due) and all(0 <= chips <= MAX_CHIPS for chips in count.counted),
                    True,
                )
                by_colour = [None if stack is None else worth(stack) for stack in count.pieces]
                chips = [None if stack is None else count.counted[seat] for seat, stack in enumerate(count.pieces)]
                yield from self._compare(f"colours of {change.version}", by_colour, chips)
            elif change.kind in ("open", "buy-in", "cash-out") and change.note:
                pieces = worth(noted(change.note))
                yield from self._can_be_pieces(change.version, noted(change.note))
                yield from self._compare(f"colours of {change.version}", pieces, moved.get(change.version, 0))

    def _can_be_pieces(self, version: int, *stacks: Sequence[Colour]) -> Iterator[Difference]:
        """Colours that no set could have."""
        for stack in stacks:
            try:
                sound(stack)
            except Refused as refused:
                yield Difference(self.session.group_id, self.session.id, f"pieces of {version}", stack, str(refused))

    def of_seats(self) -> Iterator[Difference]:
        won = Counter(seat for deal in self.replayed.deals for seat in deal.winners)
        for row, expected in zip(self.seats, self.seats_at(self.session.version), strict=True):
            yield from self._compare(f"wins of seat {row.seat}", row.wins, won[Seat(row.seat)])
            for name in ("chips", "bought", "cashed", "settled", "costs", "carried"):
                yield from self._compare(f"{name} of seat {row.seat}", getattr(row, name), getattr(expected, name))
            if self.game.unit is Unit.CHIPS and row.seat < len(self.table.totals):
                yield from self._compare(f"total of seat {row.seat}", row.chips, self.table.totals[row.seat])

    def of_settlements(self) -> Iterator[Difference]:
        """Each is the plan for what was open then, and in force until something discarded it, if it is not so still."""
        lines: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for row in self.transfers:
            lines[row.version].append((row.payer, row.payee, row.amount))
        drawn_up = [version for version, kind in self.kind_of.items() if kind in _DRAWS_UP]
        yield from self._compare("settlements", [row.version for row in self.settlements], drawn_up)
        for row in self.settlements:
            what = f"settlement {row.version}"
            choices = choices_made(row.choices)
            yield from self._compare(f"choices of {what}", self._can_be_chosen(choices), True)
            try:
                due = claims(price_of(self.session), self.seats_at(row.version), choices)
            except UnbalancedLedger:
                # What does not sum to zero has been reported, and cannot be settled.
                continue
            # Not all versions drew up the same plan, but each one that settles what was due.
            stored = Plan(
                tuple(PlannedTransfer(*line) for line in lines[row.version]),
                *({int(seat): amount for seat, amount in left.items()} for left in (row.left_open, row.rest)),
            )
            if not settles(stored, due, choices):
                yield from self._compare(what, stored, plan_with(due, choices))
            last = self.session.version if row.withdrawn is None else row.withdrawn - 1
            yield from self._compare(f"results at {what}", self._results_at(last), self._results_at(row.version))
            if row.withdrawn is not None:
                yield from self._compare(f"withdrawal of {what}", row.withdrawn in self._ends_of(row.version), True)

    def _can_be_chosen(self, choices: Choices[int]) -> bool:
        """Whether a settlement can be drawn up so between those who have a seat."""
        people = {row.seat for row in self.seats}
        named = {seat for pair in choices.apart for seat in pair} | {choices.banker or 0, choices.keeper or 0}
        return named <= people and choices.least >= 1 and choices.step >= 1

    def _ends_of(self, version: int) -> Iterator[int]:
        """When the settlement of *version* may have been withdrawn.

        A correction that left the results as they were did not discard it once; and one of which a payment was taken
        back came into force again, beside its successor, which was withdrawn then.
        """
        for later in range(version + 1, self.session.version + 1):
            kind = self.kind_of.get(later)
            if kind in _DISCARDS or kind == "unpaid":
                yield later
            if kind in _ENDS:
                return

    def _results_at(self, version: int) -> list[tuple[int, int, int, int]]:
        return [(seat.chips, seat.bought, seat.cashed, seat.costs) for seat in self.seats_at(version)]

    def of_money(self) -> Iterator[Difference]:
        """What passes between people is what they paid, took back, shared and carried over, and nothing else."""
        expected: _Money = {}
        yield from self._of_payments(expected)
        yield from self._of_costs(expected)
        yield from self._of_carried(expected)
        yield from self._of_stakes()
        posted: _Money = defaultdict(list)
        for entry in self.money:
            kind = MoneyKind.CARRIED if entry.version == 1 else _POSTS.get(self.kind_of.get(entry.version, ""))
            if kind is EntryKind.DEAL:
                kind = MoneyKind.STAKE
            else:
                posted[entry.version].append((entry.seat, entry.amount))
            yield from self._compare(f"kind of entry of money {entry.version}, {entry.line}", entry.kind, kind)
        yield from self._compare("money", posted, expected)
        pays = {version for version, kind in self.kind_of.items() if isinstance(_POSTS.get(kind), MoneyKind)}
        yield from self._compare("changes that pay", set(posted) - {1}, pays)

    def _of_stakes(self) -> Iterator[Difference]:
        """What is in force was said last; and of every deal that counts, its players have put in what was then."""
        said = [(0, 0)] + [(change.version, int(change.note)) for change in self.changes if change.kind == "stake"]
        yield from self._compare("stakes", all(0 <= stake <= MAX_MINOR for _, stake in said), True)
        yield from self._compare("stake", self.session.stake, said[-1][1])
        due, put_in, sums = Counter[int | None](), Counter[int | None](), Counter[int]()
        for row, deal in zip(self.deals, self.replayed.deals, strict=True):
            stake = said[bisect(said, row.recorded, key=itemgetter(0)) - 1][1]
            yield from self._compare(f"stake of deal {row.number}", row.stake, stake)
            players = who_played(self.session, deal)
            due.update({None: stake * len(players)} | dict.fromkeys(players, -stake))
        for entry in self.money:
            if entry.kind == MoneyKind.STAKE:
                put_in[entry.seat] += entry.amount
                sums[entry.version] += entry.amount
        for seat in due.keys() | put_in.keys():
            yield from self._compare(f"stakes of seat {seat}", put_in[seat], due[seat])
        for version, total in sums.items():
            yield from self._compare(f"sum of the stakes of {version}", total, 0)

    def _of_costs(self, expected: _Money) -> Iterator[Difference]:
        """Add what every cost enters, and what took it back."""
        for row in self.costs:
            what = f"cost {row.version}"
            yield from self._compare(f"kind of {what}", self.kind_of.get(row.version), "cost")
            entries = entries_of(row.payer, row.amount, row.seats)
            expected[row.version] = list(entries)
            if row.taken_back is not None:
                yield from self._compare(f"end of {what}", self.kind_of.get(row.taken_back), "no-cost")
                yield from self._compare(f"order of the end of {what}", row.taken_back > row.version, True)
                expected[row.taken_back] = list(reversed_of(entries))

    def _of_carried(self, expected: _Money) -> Iterator[Difference]:
        """Add what earlier sessions brought, and what later ones took over of what was open of a plan in force."""
        brought = Counter[int]()
        for row in self.brought_over:
            brought[row.seat] += row.amount
        if any(brought.values()):
            expected[1] = [(seat, amount) for seat, amount in sorted(brought.items()) if amount]
        for row in self.carried_in:
            what = f"end of what {row.source_id} left"
            yield from self._compare(what, row.taken_back is None, row.source_taken_back is None)
            if row.taken_back is not None:
                yield from self._compare(f"kind of {what}", self.kind_of.get(row.taken_back), "hand-back")
                yield from self._compare(f"settlement of {what}", self._in_force(row.taken_back), None)
                of_source = [entry for entry in self.brought_over if entry.id == row.source_id]
                expected[row.taken_back] = [(entry.seat, -entry.amount) for entry in of_source]
        remaining = {
            row.version: Counter({int(seat): amount for seat, amount in row.left_open.items()})
            for row in self.settlements
        }
        over = {(row.plan, row.session_id) for row in self.carried_out if row.source_taken_back is None}
        for line in self.transfers:
            if line.over is not None:
                what = f"session that settles transfer {line.version}, {line.line}"
                yield from self._compare(what, (line.version, line.over) in over, True)
        for row in self.carried_out:
            what = f"what {row.session_id} took over"
            yield from self._compare(f"settlement of {what}", self._in_force(row.source_version), row.plan)
            gave = [(entry.seat, entry.amount) for entry in self.money if entry.version == row.source_version]
            expected[row.source_version] = gave
            yield from self._compare(f"sum of {what}", sum(amount for _, amount in gave), 0)
            if row.source_taken_back is None:
                lines = [line for line in self.transfers if (line.version, line.over) == (row.plan, row.session_id)]
                dues = still_open(lines, paid_by(self.payments, row.source_version))
                yield from self._compare(f"payments of {what}", all(due.amount for due in dues), True)
                remaining[row.plan].subtract(left_of({seat: -amount for seat, amount in gave}, dues))
            else:
                yield from self._compare(
                    f"kind of the end of {what}", self.kind_of.get(row.source_taken_back), "no-carry"
                )
                ordered = row.source_taken_back > row.source_version
                yield from self._compare(f"order of the end of {what}", ordered, True)
                anew = self._in_force(row.source_taken_back) not in (None, row.plan)
                yield from self._compare(f"settlement at the end of {what}", anew, False)
                expected[row.source_taken_back] = [(seat, -amount) for seat, amount in gave]
        for drawn in self.settlements:
            left = {str(seat): amount for seat, amount in sorted(remaining[drawn.version].items()) if amount}
            yield from self._compare(f"what remains open of settlement {drawn.version}", drawn.remaining, left)
            within = all(_is_part(amount, drawn.left_open.get(seat, 0)) for seat, amount in left.items())
            yield from self._compare(f"what was taken over of settlement {drawn.version}", within, True)

    def _in_force(self, version: int) -> int | None:
        """The settlement that was in force in *version* of the session, if one was."""
        end = self.session.version + 1
        return next((row.version for row in self.settlements if row.version < version < (row.withdrawn or end)), None)

    def _of_payments(self, expected: _Money) -> Iterator[Difference]:
        """Each is of a line drawn up before, and no more than that. Add what it enters, and what took it back."""
        lines = {(row.version, row.line): row for row in self.transfers}
        paid: Counter[tuple[int, int]] = Counter()
        for row in self.payments:
            line = lines[row.plan, row.line]
            what = f"payment {row.version}"
            yield from self._compare(f"kind of {what}", self.kind_of.get(row.version), "paid")
            yield from self._compare(f"order of {what}", row.version > row.plan, True)
            expected[row.version] = [(line.payer, row.amount), (line.payee, -row.amount)]
            if row.taken_back is None:
                paid[row.plan, row.line] += row.amount
            else:
                yield from self._compare(f"end of {what}", self.kind_of.get(row.taken_back), "unpaid")
                yield from self._compare(f"order of the end of {what}", row.taken_back > row.version, True)
                expected[row.taken_back] = [(line.payer, -row.amount), (line.payee, row.amount)]
        for key, amount in paid.items():
            yield from self._compare(f"payments of transfer {key}", amount <= lines[key].amount, True)

    def of_groups(self) -> Iterator[Difference]:
        of_play = (self.deals, self.deal_versions, self.seats, self.entries, self.changes)
        between = (self.settlements, self.transfers, self.payments, self.costs, self.carried_in, self.money)
        for rows in (*of_play, *between):
            groups = {row.group_id for row in rows} - {self.session.group_id}
            yield from self._compare("groups of its rows", groups, set())

    def seats_at(self, version: int) -> list[AnyRow]:
        """What the rows of those who had a seat by *version* should say after it, by the ledger."""
        opening = self.session.opening
        came = {seat: at for at, players in reversed(self.seatings) for seat in players if seat >= len(opening)}
        seats = [
            {
                "seat": row.seat,
                "chips": opening[row.seat] if self.game.unit is Unit.CHIPS and row.seat < len(opening) else 0,
                "bought": 0,
                "cashed": 0,
                "settled": 0,
                "costs": 0,
                "carried": 0,
                "put_in": 0,
            }
            for row in self.seats
        ]
        for entry in self.entries:
            if entry.seat is not None and entry.version <= version and entry.kind in SEAT_SUMS:
                sign = -1 if entry.kind == EntryKind.CASH_OUT else 1
                seats[entry.seat][SEAT_SUMS[entry.kind].key] += sign * entry.chips
        into_kitty = {version for row in self.costs if row.payer is None for version in (row.version, row.taken_back)}
        for entry in self.money:
            if entry.version <= version and entry.seat is not None and entry.kind in MONEY_SUMS:
                seats[entry.seat][MONEY_SUMS[entry.kind].key] += entry.amount
                if entry.kind == MoneyKind.STAKE or entry.version in into_kitty:
                    seats[entry.seat]["put_in"] -= entry.amount
        return [cast(AnyRow, SimpleNamespace(**seat)) for seat in seats if came.get(seat["seat"], 0) <= version]

    def add_to(self, won: Standings) -> None:
        """Add what the session should bring its players in the standings of the group."""
        ended = [deal for deal in self.replayed.deals if deal.winners]
        for row, expected in zip(self.seats, self.seats_at(self.session.version), strict=True):
            won[row.player_id, self.session.card_game].update(
                {
                    "sessions": 1,
                    "games": sum(row.seat in deal.present for deal in ended),
                    "wins": sum(row.seat in deal.winners for deal in ended),
                    "chips": expected.chips,
                }
            )

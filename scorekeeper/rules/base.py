"""What every card game shares: the table, what is entered, what comes of it, and why it can be refused.

People are seats, numbered clockwise from 0. Nothing here, or in any game, knows a name, a language or a database:
problems and explanations are codes with values, which the application turns into sentences.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar, Generic, NamedTuple, NewType, Self, TypeVar

Seat = NewType("Seat", int)
Facts = Mapping[str, object]
"""What was entered about one deal, as JSON knows it. A person is a seat number."""

OptionValue = int | str | bool

MISDEAL: Facts = MappingProxyType({"misdeal": True})
"""The facts of a misdeal: nothing is scored and the same dealer deals again, in every game."""


MOST_SITTING_OUT = 2
"""Players at the table beyond those a deal needs."""

MAX_ACCOUNTS = 12
"""Seats of a session: players who may come and go."""

HIGHEST_OPENING = 1_000_000
"""Points or chips somebody may have, or owe, on a sheet that is carried on."""


class Suit(StrEnum):
    CLUBS = "clubs"
    SPADES = "spades"
    HEARTS = "hearts"
    DIAMONDS = "diamonds"


NO_TRUMP = "none"
"""What stands for a suit where a deal is played without trumps."""


class Unit(StrEnum):
    """What the score sheet counts."""

    CHIPS = "chips"
    POINTS = "points"


class Result(StrEnum):
    MADE = "made"
    SET = "set"
    PLAYED = "played"
    """Nobody had a contract."""
    PASSED_OUT = "passed-out"
    MISDEAL = "misdeal"


class FieldKind(StrEnum):
    CHOICE = "choice"
    """One of ``choices``."""
    SEAT = "seat"
    """One of ``seats``."""
    SEATS = "seats"
    """Any of ``seats``: a list without repetition."""
    NUMBER = "number"
    """A whole number from ``low`` to ``high``."""
    NUMBERS = "numbers"
    """A whole number from ``low`` to ``high`` for each of ``seats``: a list with one place per seat of the table."""
    SUITS = "suits"
    """One of ``choices``, or none, for each of ``seats``: a list with one place per seat of the table."""
    SUIT_LIST = "suit-list"
    """Some of ``choices``, in order."""
    CARD = "card"
    """One of ``choices``: rank and suit, such as ``"AS"`` or ``"10H"``."""
    AUCTION = "auction"
    """Pairs of seat and bid, in order; a bid is one of ``choices``, and ``seats`` are in the order of bidding."""
    FLAG = "flag"
    """True, or absent."""


Kept = Mapping[str, tuple[object, ...]]
"""All that can be chosen, by the word of another fact; see ``Field.only``."""
Only = Mapping[str, Kept]
"""What is kept, by the other fact's name."""


@dataclass(frozen=True, slots=True)
class Field:
    """One fact a scorer enters about a deal, and what the other facts leave of it, as data a form can go by.

    ``line`` is the number at which a contract is made, where the field counts the tricks of its side. A ``detail`` is
    worth a note and never needed. What is ``declared`` is known to everybody when the bidding ends. What is not
    ``asked`` for is read where it stands written and never chosen.

    ``only`` says for other facts, by their value as :func:`word_of` has it, all that can then be chosen here. Nothing:
    the field is not asked for. One thing: it ``follows``, and nobody need choose it. ``unlike`` names a fact whose seat
    or seats cannot be chosen here. ``lines`` names a fact and the line it draws by its value; with numbers for several
    seats the line is that of the seat which the fact ``line_of`` holds. Numbers of which ``sums`` is true add up to
    ``high``. That nobody has this seat is said by ``nobody``, another fact and its value. ``alike`` are choices between
    which no result differs.
    """

    name: str
    kind: FieldKind
    choices: tuple[str, ...] = ()
    seats: tuple[Seat, ...] = ()
    low: int = 0
    high: int = 0
    line: int | None = None
    required: bool = True
    detail: bool = False
    declared: bool = True
    asked: bool = True
    follows: bool = False
    only: Only = dataclasses.field(default_factory=dict)
    unlike: str = ""
    lines: tuple[str, Mapping[str, int]] | None = None
    line_of: str = ""
    sums: bool = False
    nobody: tuple[str, object] | None = None
    alike: tuple[str, ...] = ()

    @property
    def options(self) -> tuple[object, ...]:
        """What there is to choose from, where one thing is chosen."""
        return self.choices if self.kind is FieldKind.CHOICE else self.seats

    def waits(self, known: Facts) -> bool:
        """Whether it is not asked for yet, but may be once more than *known* is entered."""
        told = ((by_value, word_of(known.get(fact))) for fact, by_value in self.only.items())
        return self.asked and all(not word or by_value.get(word) != () for by_value, word in told)

    def left(self, known: Facts) -> Field | None:
        """The same field with what can be chosen once *known* is entered; None where it is not asked for."""
        if not self.asked:
            return None
        choices, seats, line = self.choices, self.seats, self.line
        for fact, by_value in self.only.items():
            kept = by_value.get(word_of(known.get(fact)))
            if kept is None:
                continue
            if not kept:
                return None
            choices = tuple(choice for choice in choices if choice in kept)
            seats = tuple(seat for seat in seats if seat in kept)
        if self.unlike:
            value = known.get(self.unlike)
            taken = value if isinstance(value, (list, tuple)) else (value,)
            seats = tuple(seat for seat in seats if seat not in taken)
        if self.lines is not None:
            line = self.lines[1].get(word_of(known.get(self.lines[0])))
        if (choices, seats, line) == (self.choices, self.seats, self.line):
            return self
        options = choices if self.kind is FieldKind.CHOICE else seats
        if self.options and not options:
            return None
        one = self.required and self.kind in (FieldKind.CHOICE, FieldKind.SEAT) and len(options) == 1
        return replace(self, choices=choices, seats=seats, line=line, follows=one)

    def filled(self, entered: object, places: int) -> object:
        """Numbers that add up, as far as they follow from those *entered*, in a list of so many *places*.

        Whoever does not take part has none, and nobody has any once all are given; the last one has what is left.
        """
        if entered is None and len(self.seats) == 1:
            entered = [None] * places
        if not isinstance(entered, (list, tuple)) or len(entered) != places:
            return entered
        numbers = [0 if number is None and seat not in self.seats else number for seat, number in enumerate(entered)]
        given = [number for number in numbers if isinstance(number, int)]
        left, unknown = self.high - sum(given), numbers.count(None)
        if len(given) + unknown == places and 0 <= left <= self.high and (unknown == 1 or not left):
            return [left if number is None else number for number in numbers]
        return numbers


NOBODY = "nobody"
"""The word for an answered question whose answer is no seat."""


def word_of(value: object) -> str:
    """One fact as a form sends it: nothing, and what no form sends, is the empty word."""
    if isinstance(value, str):
        return value
    return str(int(value)) if isinstance(value, int) else ""


def _asked(fields: tuple[Field, ...], facts: Facts) -> Iterator[Field]:
    """Those of *fields* that are asked for, or follow, once *facts* are entered. What is not asked for says nothing."""
    known = dict(facts)
    for field in fields:
        if field.nobody is not None and field.name not in facts and facts.get(field.nobody[0]) == field.nobody[1]:
            known[field.name] = NOBODY
    for field in fields:
        left = field.left(known)
        if left is not None:
            yield left
        elif known.get(field.name) != NOBODY:
            known.pop(field.name, None)


@dataclass(frozen=True, slots=True)
class Problem:
    """One reason for a refusal: a code of Rules §5.2, the field it belongs to, and the values its sentence needs."""

    code: str
    field: str
    values: Mapping[str, object] = dataclasses.field(default_factory=dict)


class Refused(Exception):
    """Something cannot be accepted; ``problems`` says why, all reasons at once."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(", ".join(f"{problem.field}: {problem.code}" for problem in problems))
        self.problems = problems


class MalformedDeal(Refused):
    """A fact is missing, unknown or not of its kind."""


class IllegalDeal(Refused):
    """A deal that cannot have happened at this table."""


class IllegalRules(Refused):
    """House rules, players or opening scores that a ruleset does not admit."""


@dataclass(frozen=True, slots=True)
class Option:
    """One field of the tables of Rules §3: a word of ``choices``, a number from ``low`` to ``high``, or yes or no.

    ``group`` is the heading it stands under: "table", or the contract whose price it is. ``only_with`` names an option
    and those of its values with which alone this one has a say.
    """

    name: str
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int | None = None
    group: str = "table"
    only_with: tuple[str, tuple[OptionValue, ...]] | None = None

    def counts(self, options: Mapping[str, OptionValue]) -> bool:
        """Whether this one has a say where *options* are in force."""
        return self.only_with is None or options[self.only_with[0]] in self.only_with[1]

    def admits(self, value: object) -> bool:
        if self.choices:
            return isinstance(value, str) and value in self.choices
        if self.high is None:
            return isinstance(value, bool)
        return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high


@dataclass(frozen=True, eq=False)
class Ruleset:
    """The options of a game as they are in force at a table: data, copied into every session that plays by them."""

    id: str
    options: Mapping[str, OptionValue]

    def with_options(self, changes: Mapping[str, OptionValue]) -> Self:
        return replace(self, options=MappingProxyType({**self.options, **changes}))


@dataclass(frozen=True, slots=True)
class Table:
    """What a deal begins with.

    ``totals`` are the running chips (Mensch) or points (Dirty Clubs) of each seat, ``penalties`` how often each was
    charged for too few tricks in this game, ``deals`` how many deals this game has scored. A table with ``winners`` is
    one whose game has ended. ``present`` are the seats that are taken, clockwise; if it is empty, every one of them in
    the order of their numbers.
    """

    ruleset: Ruleset
    dealer: Seat
    totals: tuple[int, ...]
    penalties: tuple[int, ...]
    game: int = 1
    deals: int = 0
    winners: tuple[Seat, ...] = ()
    present: tuple[Seat, ...] = ()

    @property
    def ring(self) -> tuple[Seat, ...]:
        """The seats that are taken, clockwise."""
        return self.present or _IN_ORDER[len(self.totals)]

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats that play the deal, clockwise; all there are where they are too few for the game."""
        options: Mapping[str, Any] = self.ruleset.options
        ring, players = self.present or _IN_ORDER[len(self.totals)], options["players"]
        return ring if len(ring) <= players else _playing(ring, self.dealer, players)

    @property
    def somebody_sits_out(self) -> bool:
        """Whether more sit at the table than play the deal: who deals it then decides who has no cards."""
        return len(self.seats) < len(self.ring)

    @property
    def over(self) -> bool:
        return bool(self.winners)

    @property
    def next_dealer(self) -> Seat:
        """Who sits on the dealer's left, playing or not."""
        ring = self.ring
        return ring[(ring.index(self.dealer) + 1) % len(ring)]

    @property
    def dealer_after_throw_in(self) -> Seat:
        """Who deals once the cards are thrown in."""
        # Rules R9, H4 and §3.4.
        return self.dealer if self.ruleset.options["passed_out"] == "same-dealer" else self.next_dealer

    @property
    def turns(self) -> tuple[Seat, ...]:
        """The seats that play, in turn from the dealer's left."""
        return self.in_turn(self.left_of(self.dealer))

    def in_turn(self, first: Seat) -> tuple[Seat, ...]:
        """The seats that play, clockwise from the *first*."""
        seats = self.seats
        place = seats.index(first)
        return seats[place:] + seats[:place]

    def left_of(self, seat: Seat, steps: int = 1) -> Seat:
        """The seat *steps* places clockwise of *seat* among those that play.

        *seat* must be at the table, and need not play.
        """
        seats = self.seats
        following = [one for one in _from_left_of(seat, self.ring) if one in seats]
        return following[(steps - 1) % len(seats)]

    def seated(self, present: tuple[Seat, ...], start: int) -> Table:
        """The same table with the seats *present* taken, clockwise; those who are new begin with *start*.

        If the dealer has left, the deal is with the next seat clockwise that is still taken.
        """
        if present == self.ring:
            return self
        dealer = self.dealer
        if dealer not in present:
            dealer = next((seat for seat in _from_left_of(dealer, self.ring) if seat in present), present[0])
        table = self.widened(max(present) + 1, start)
        return replace(table, dealer=dealer, present=() if present == _IN_ORDER[len(table.totals)] else present)

    def widened(self, seats: int, start: int) -> Table:
        """The same table with at least *seats* seats; those it did not have are empty, and stand at *start*."""
        more = seats - len(self.totals)
        if more <= 0:
            return self
        totals, penalties = self.totals + (start,) * more, self.penalties + (0,) * more
        return replace(self, totals=totals, penalties=penalties, present=self.ring)

    def places(self, entered: object, blank: object) -> tuple[object, ...] | None:
        """The list *entered* with one place per seat, whatever is in it; None if it is none.

        Earlier deals may have been voided or restored since it was written, and seats that are not taken now gone or
        come with them: nothing but *blank* is in their places.
        """
        seats = len(self.totals)
        if not isinstance(entered, (list, tuple)) or not max(self.ring) < len(entered) <= max(seats, MAX_ACCOUNTS):
            return None
        if any(one != blank for one in entered[seats:]):
            return None
        return (*entered[:seats], *[blank] * (seats - len(entered)))

    def state(self) -> dict[str, object]:
        """Everything but the ruleset, as JSON knows it; :meth:`restored` takes it back."""
        present = {"present": list(self.present)} if self.present else {}
        return {
            **present,
            "dealer": self.dealer,
            "totals": list(self.totals),
            "penalties": list(self.penalties),
            "game": self.game,
            "deals": self.deals,
            "winners": list(self.winners),
        }

    @classmethod
    def restored(cls, ruleset: Ruleset, state: Mapping[str, object]) -> Table:
        values = {name: tuple(value) if isinstance(value, list) else value for name, value in state.items()}
        return cls(ruleset, **values)  # type: ignore[arg-type]


def clockwise(seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
    """*seats* as they go round, from the lowest."""
    lowest = seats.index(min(seats)) if seats else 0
    return seats[lowest:] + seats[:lowest]


_IN_ORDER = [tuple(map(Seat, range(seats))) for seats in range(MAX_ACCOUNTS + 1)]
"""So many seats in the order of their numbers."""


@lru_cache(maxsize=256)
def _playing(ring: tuple[Seat, ...], dealer: Seat, players: int) -> tuple[Seat, ...]:
    """Who of *ring* plays: of one too many the dealer sits out, of two the player opposite as well."""
    opposite = _from_left_of(dealer, ring)[len(ring) // 2 - 1]
    out = {dealer} if len(ring) == players + 1 else {dealer, opposite}
    return tuple(seat for seat in ring if seat not in out)


def _from_left_of(seat: Seat, ring: tuple[Seat, ...]) -> tuple[Seat, ...]:
    """The *ring* as it goes round from the left of *seat*, which comes last."""
    place = ring.index(seat) + 1
    return ring[place:] + ring[:place]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: its ``winners``, and by which rule ("sweep", "lowest" or "draw")."""

    winners: tuple[Seat, ...]
    rule: str


@dataclass(frozen=True, slots=True)
class Line:
    """One step of an explanation: a code, and the values its sentence needs."""

    code: str
    values: Mapping[str, object] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Payment:
    """Chips from one seat to another."""

    payer: Seat
    payee: Seat
    chips: int

    @property
    def line(self) -> Line:
        return Line("payment", {"payer": self.payer, "payee": self.payee, "chips": self.chips})


@dataclass(frozen=True, slots=True)
class Payoff:
    """One way a deal can end, and what it brings.

    ``case`` is the contract, or in Dirty Clubs the role; ``trump`` is "clubs", "other", "any" or "none"; ``low`` to
    ``high`` are the tricks for which it holds. ``change`` gives each role ("declarer", "partner", "opponent", "player")
    its chips or points; ``wins`` says that the score becomes the target and the game is won at once.
    """

    case: str
    trump: str
    low: int
    high: int
    result: Result
    change: Mapping[str, int]
    wins: bool = False


Payoffs = tuple[Payoff, ...]


@dataclass(frozen=True, slots=True)
class OtherRate:
    """What would have been paid for a deal by another row of its contract's payoffs.

    ``trump`` is that of the row, and ``ending`` the row itself, where the deal had another.
    """

    payments: tuple[Payment, ...]
    trump: str | None
    ending: Payoff | None


D = TypeVar("D")


@dataclass(frozen=True, slots=True)
class DealScore(Generic[D]):
    """What one deal brought.

    ``points`` go on the score sheet; ``chips`` change hands and sum to zero (in Mensch the two are the same).
    ``outcome`` is set when the deal ends the game. ``table`` is the table for the next deal, ``before`` the one this
    deal was scored at.
    """

    game: CardGame[D] = dataclasses.field(repr=False, compare=False)
    before: Table = dataclasses.field(repr=False, compare=False)
    deal: D | None
    """None for a misdeal."""
    result: Result
    points: tuple[int, ...]
    chips: tuple[int, ...]
    table: Table
    outcome: Outcome | None = None

    @property
    def payments(self) -> tuple[Payment, ...]:
        """From whom to whom the ``chips`` go."""
        return () if self.deal is None else self.game.pay(self)

    @property
    def lines(self) -> tuple[Line, ...]:
        """Why, in the order a player would explain it."""
        if self.deal is None:
            return (Line("misdeal"),)
        if self.result is Result.PASSED_OUT:
            dealer = self.table.dealer
            return (Line("thrown-in", {"player": dealer, "same": dealer == self.before.dealer}),)
        return self.game.explain(self)


class Step(StrEnum):
    """What is said or shown next in the bidding."""

    TURN_UP = "turn-up"
    """The suit the dealer turns up."""
    BID = "bid"
    ORDER_UP = "order-up"
    """Whether the suit turned up is to be trump."""
    NAME = "name"
    """A trump suit."""
    OPEN = "open"
    """The suit of the next card the dealer opens."""


class Saying(NamedTuple):
    """What somebody said, or the dealer showed."""

    step: Step
    seat: Seat
    word: str


@dataclass(frozen=True, slots=True)
class Bidding:
    """How far the bidding has come.

    While it goes on, ``line`` asks ``turn`` for one of ``choices``: those of ``ladder`` that may be said now, bids or
    suits in their order, then pass. When it is over there are none; ``facts`` are what is known of the deal, and
    ``line`` says what that is. ``reminders`` are of rules that only those at the table can see to.
    """

    said: tuple[Saying, ...]
    line: Line
    step: Step | None = None
    turn: Seat | None = None
    ladder: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    reminders: tuple[Line, ...] = ()
    facts: Facts | None = None


Course = Callable[["CardGame[Any]", Table, tuple[Saying, ...]], Bidding]
"""How far the bidding of a game has come once something was said."""


class CardGame(ABC, Generic[D]):
    """The rules of one card game. Stateless: every answer is a pure function.

    ``D`` is the game's own frozen dataclass, such as ``MenschDeal``.
    """

    id: ClassVar[str]
    unit: ClassVar[Unit]
    lowest_wins: ClassVar[bool]
    several_games: ClassVar[bool]
    """Whether a session plays one game after another (Dirty Clubs), or is one game as a whole (Mensch)."""
    options: ClassVar[tuple[Option, ...]]
    rulesets: ClassVar[tuple[Ruleset, ...]]

    def __init__(self, course: Course | None = None) -> None:
        """*course* is how it is bid, if anybody has written that down."""
        self.course = course

    @abstractmethod
    def problems_of(self, ruleset: Ruleset) -> tuple[Problem, ...]:
        """What in *ruleset*'s options contradicts itself, each option being admissible alone."""

    @abstractmethod
    def players(self, ruleset: Ruleset) -> int:
        """How many play."""

    @abstractmethod
    def start(self, ruleset: Ruleset) -> int:
        """What everybody begins a game with: chips or points."""

    def check_opening(self, ruleset: Ruleset, totals: tuple[int, ...]) -> tuple[Problem, ...]:
        """Why *totals*, one per seat, cannot stand on a sheet that is to be carried on; field ``opening``."""
        if not self.admits(ruleset, len(totals)):
            return (Problem("PLAYERS_COUNT", "players", {"players": self.players(ruleset)}),)
        if any(abs(total) > HIGHEST_OPENING for total in totals):
            return (Problem("OPENING_RANGE", "opening", {"low": -HIGHEST_OPENING, "high": HIGHEST_OPENING}),)
        return self.opening_problems(ruleset, totals)

    @abstractmethod
    def opening_problems(self, ruleset: Ruleset, totals: tuple[int, ...]) -> tuple[Problem, ...]:
        """What the game itself has against *totals* to begin with."""

    @abstractmethod
    def plays_for_chips(self, ruleset: Ruleset) -> bool:
        """Whether chips change hands under *ruleset*."""

    def pairs(self, ruleset: Ruleset) -> tuple[tuple[Seat, Seat], ...]:
        """Partners who stay together for the whole session, if there are any."""
        return ()

    @abstractmethod
    def fields(self, table: Table) -> tuple[Field, ...]:
        """Every fact that may be entered about a deal at *table*, in the order it happens there."""

    def asked(self, facts: Facts, table: Table) -> tuple[Field, ...]:
        """The :meth:`fields` that have a say once *facts* are entered, each with only what can be chosen in it."""
        return tuple(_asked(self.fields(table), facts))

    def offered(self, facts: Facts, table: Table) -> tuple[Field, ...]:
        """Those of the fields :meth:`asked` that can still be chosen.

        What follows from the facts or the rules (the trump of a Half) is not offered: :meth:`complete` adds it.
        """
        return tuple(field for field in _asked(self.fields(table), facts) if not field.follows)

    def complete(self, facts: Facts, table: Table) -> Facts:
        """*facts* with what follows from them: the only possible trump, the last player's tricks, a fixed partner."""
        completed = dict(facts)
        for field in _asked(self.fields(table), facts):
            value = facts.get(field.name)
            if field.follows and value is None:
                completed[field.name] = field.options[0]
            elif field.sums:
                filled = field.filled(table.places(value, 0) or value, len(table.totals))
                if filled is not None:
                    completed[field.name] = filled
        return completed

    def read(self, facts: Facts, table: Table) -> D:
        """Turn entered or stored *facts* into a deal.

        :raises MalformedDeal: if a fact is missing, unknown or not of its kind.
        """
        return self.understood(self.complete(facts, table), table)

    @abstractmethod
    def understood(self, facts: Facts, table: Table) -> D:
        """The deal that *facts* say, which are :meth:`complete`.

        :raises MalformedDeal: see :meth:`read`.
        """

    @abstractmethod
    def check(self, deal: D, table: Table) -> tuple[Problem, ...]:
        """Every reason *deal* cannot have happened at *table*; empty if it can.

        Each problem names its field, so a form shows them all at once.
        """

    @abstractmethod
    def score(self, deal: D, table: Table) -> DealScore[D]:
        """Score one deal.

        :raises IllegalDeal: carrying every problem :meth:`check` finds.
        """

    def steady(self, ruleset: Ruleset) -> tuple[int | None, int | None]:
        """The totals between which nobody's total has a say in what a deal brings; None where there is no bound.

        As long as nobody wins and every total after a deal lies strictly between the two, it brings the same wherever
        the totals stood before.
        """
        return None, None

    @abstractmethod
    def pay(self, score: DealScore[D]) -> tuple[Payment, ...]:
        """From whom to whom the chips of *score* go."""

    def other_rates(self, score: DealScore[D]) -> tuple[OtherRate, ...]:
        """What the contract of *score* brings with another trump or ending, nearest first, if that is not the same."""
        return ()

    @abstractmethod
    def explain(self, score: DealScore[D]) -> tuple[Line, ...]:
        """Why *score* is what it is, in the order a player would explain it."""

    def bidding(self, table: Table, words: Iterable[str]) -> Bidding | None:
        """The bidding of a deal at *table* after *words* were said in turn, up to the first that cannot be said.

        None if nobody has written down how the game is bid.
        """
        if self.course is None:
            return None
        now = self.course(self, table, ())
        for word in words:
            if now.step is None or now.turn is None or word not in now.choices:
                break
            now = self.course(self, table, (*now.said, Saying(now.step, now.turn, word)))
        return now

    def needed(self, table: Table) -> tuple[Line, ...]:
        """What each player who can win with the next deal needs, and who is ahead if several do."""
        return ()

    @abstractmethod
    def outlook(self, declared: Facts, table: Table) -> Payoffs:
        """The :meth:`payoffs` that can still come of a deal once it is *declared*."""

    @abstractmethod
    def payoffs(self, ruleset: Ruleset) -> Payoffs:
        """Every way a deal can end and what it brings each role, as plain data.

        The one source of the rules page, a printed sheet and a preview: nobody writes a scoring rule twice.
        """

    def admits(self, ruleset: Ruleset, seats: int) -> bool:
        """Whether *seats* can sit at a table: those beyond the players of a deal sit out in turn.

        Partners who stay together leave nobody to sit out.
        """
        players = self.players(ruleset)
        return players <= seats <= players + (0 if self.pairs(ruleset) else MOST_SITTING_OUT)

    def check_seats(self, ruleset: Ruleset, seats: tuple[Seat, ...], accounts: int) -> tuple[Problem, ...]:
        """Why *seats* cannot be those taken, clockwise, in a session that had *accounts* so far; field ``seats``.

        Fewer than a deal needs may sit and wait.
        """
        players = self.players(ruleset)
        highest = max(seats, default=Seat(0))
        problems = []
        if len(set(seats)) < len(seats):
            problems.append(Problem("SEAT_TAKEN", "seats"))
        if len(seats) < 2:
            problems.append(Problem("SEATS_FEW", "seats", {"players": players}))
        elif len(seats) > players and not self.admits(ruleset, len(seats)):
            problems.append(Problem("SEATS_MANY", "seats", {"players": players}))
        if highest >= MAX_ACCOUNTS:
            problems.append(Problem("ACCOUNTS_TOO_MANY", "seats", {"max": MAX_ACCOUNTS}))
        if self.pairs(ruleset) and (highest >= accounts or list(clockwise(seats)) != sorted(seats)):
            problems.append(Problem("PARTNERS_FIXED", "seats"))
        return tuple(problems)

    def open_table(
        self,
        ruleset: Ruleset,
        *,
        seats: int | None = None,
        dealer: Seat = Seat(0),
        opening: tuple[int, ...] | None = None,
    ) -> Table:
        """The table before the first deal of a session, for as many *seats* as the game needs if not said otherwise.

        :raises IllegalRules: if *opening* does not fit the ruleset, or nobody sits at *dealer*.
        """
        totals = (self.start(ruleset),) * (seats or self.players(ruleset)) if opening is None else opening
        if problems := self.check_opening(ruleset, totals):
            raise IllegalRules(*problems)
        if not 0 <= dealer < len(totals):
            raise IllegalRules(Problem("NOT_AT_TABLE", "dealer"))
        return Table(ruleset, dealer, totals, (0,) * len(totals))

    def new_game(self, table: Table) -> Table:
        """The table for the next game of the same session: the deal has already passed on.

        :raises IllegalDeal: if the game at *table* has not ended.
        """
        if not self.several_games or not table.over:
            raise IllegalDeal(Problem("GAME_NOT_OVER", "new-game"))
        seats = len(table.totals)
        return replace(
            table,
            totals=(self.start(table.ruleset),) * seats,
            penalties=(0,) * seats,
            game=table.game + 1,
            deals=0,
            winners=(),
        )

    def adjusted(self, table: Table, chips: Mapping[int, int]) -> Table:
        """*table* after the *chips* of some seats were moved by hand: that shows where the sheet counts chips."""
        if self.unit is not Unit.CHIPS:
            return table
        # Somebody may have come, and gone again before a deal was played.
        table = table.widened(max(chips) + 1, self.start(table.ruleset))
        return replace(table, totals=tuple(total + chips.get(seat, 0) for seat, total in enumerate(table.totals)))

    def dealt(self, facts: Facts, table: Table) -> tuple[Facts, Table]:
        """*facts* without who dealt, and the table with the right dealer: where nothing is said, the next in turn.

        :raises IllegalDeal: if the dealer is not at the table, or too few are.
        """
        if "dealer" in facts:
            dealer = facts["dealer"]
            if not isinstance(dealer, int) or isinstance(dealer, bool) or dealer not in table.ring:
                raise IllegalDeal(Problem("NOT_AT_TABLE", "dealer"))
            facts = {name: value for name, value in facts.items() if name != "dealer"}
            table = replace(table, dealer=Seat(dealer))
        if len(table.seats) < (players := self.players(table.ruleset)):
            raise IllegalDeal(Problem("SEATS_FEW", "deal", {"players": players}))
        return facts, table

    def entered(self, facts: Facts, table: Table) -> Facts:
        """*facts* with what follows from them; who dealt is kept if it is not the next in turn.

        :raises IllegalDeal: see :meth:`dealt`.
        """
        told, dealt = self.dealt(facts, table)
        complete = self.complete(told, dealt)
        return complete if dealt.dealer == table.dealer else {"dealer": dealt.dealer, **complete}

    def declare(self, facts: Facts, table: Table) -> Facts:
        """What is known of a deal when the bidding ends, out of *facts*.

        Who dealt is kept if it is not the next in turn, and may be all that is known; a called partner never is.

        :raises IllegalDeal: if it cannot have been bid so, or something needed is missing.
        """
        if table.over:
            raise IllegalDeal(Problem("GAME_OVER", "deal"))
        entered, dealt = self.dealt(facts, table)
        fields = self.fields(dealt)
        names = {field.name for field in fields if field.declared}
        known = {name: value for name, value in entered.items() if name in names}
        nothing = IllegalDeal(Problem("MALFORMED", fields[0].name, {"reason": "missing"}))
        if dealt.dealer == table.dealer and not known:
            raise nothing
        try:
            if known and self.play(known, dealt).result is Result.PASSED_OUT:
                raise nothing
        except Refused as refused:
            if problems := [problem for problem in refused.problems if problem.field in names]:
                raise IllegalDeal(*problems) from None
        return known if dealt.dealer == table.dealer else {"dealer": dealt.dealer, **known}

    def play(self, facts: Facts, table: Table) -> DealScore[D]:
        """Read and score one deal.

        :raises MalformedDeal: see :meth:`read`.
        :raises IllegalDeal: see :meth:`score` and :meth:`dealt`.
        """
        facts, table = self.dealt(facts, table)
        if facts == MISDEAL and facts["misdeal"] is True:
            if table.over:
                raise IllegalDeal(Problem("GAME_OVER", "deal"))
            return self.unscored(None, table, Result.MISDEAL, table.dealer)
        return self.score(self.read(facts, table), table)

    def unscored(self, deal: D | None, table: Table, result: Result, dealer: Seat) -> DealScore[D]:
        """A deal that brings nobody anything, after which *dealer* deals."""
        nothing = (0,) * len(table.totals)
        return DealScore(self, table, deal, result, nothing, nothing, replace(table, dealer=dealer))

    def replay(self, deals: Iterable[Facts], table: Table) -> tuple[DealScore[D], ...]:
        """Score *deals* in order, each at the table the one before left behind.

        :raises MalformedDeal: at the first whose facts are not a deal.
        :raises IllegalDeal: at the first deal that cannot have happened.
        """
        scores = []
        for facts in deals:
            score = self.play(facts, table)
            scores.append(score)
            table = score.table
        return tuple(scores)

    def ruleset(self, ruleset_id: str) -> Ruleset:
        """:raises KeyError: if the game has no such ruleset."""
        return {ruleset.id: ruleset for ruleset in self.rulesets}[ruleset_id]

    def with_house_rules(self, ruleset: Ruleset, changes: Mapping[str, object]) -> Ruleset:
        """*ruleset* with the options named in *changes* changed.

        :raises IllegalRules: naming each option that is unknown, out of bounds, or contradicts another.
        """
        known = {option.name: option for option in self.options}
        problems = [Problem("HOUSE_RULE_UNKNOWN", name) for name in changes if name not in known] + [
            Problem("HOUSE_RULE_VALUE", name, {"option": known[name]})
            for name, value in changes.items()
            if name in known and not known[name].admits(value)
        ]
        if problems:
            raise IllegalRules(*problems)
        changed = ruleset.with_options(changes)  # type: ignore[arg-type]
        if found := self.problems_of(changed):
            raise IllegalRules(*found)
        return changed

    def house_rules(self, ruleset: Ruleset) -> dict[str, OptionValue]:
        """The options of *ruleset* that differ from the published ruleset of its id."""
        published = self.ruleset(ruleset.id).options
        return {name: value for name, value in ruleset.options.items() if published.get(name) != value}

    def restored(self, ruleset_id: str, options: Mapping[str, OptionValue]) -> Ruleset:
        """The ruleset a session keeps a copy of; an option younger than the copy has its published value."""
        return self.ruleset(ruleset_id).with_options(options)

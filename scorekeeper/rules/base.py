"""What every card game shares: the table, what is entered, what comes of it, and why it can be refused.

People are seats, numbered clockwise from 0. Nothing here, or in any game, knows a name, a language or a database:
problems and explanations are codes with values, which the application turns into sentences.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import ClassVar, Generic, NewType, Self, TypeVar

Seat = NewType("Seat", int)
Facts = Mapping[str, object]
"""What was entered about one deal, as JSON knows it. A person is a seat number."""

OptionValue = int | str | bool

MISDEAL: Facts = MappingProxyType({"misdeal": True})
"""The facts of a misdeal: nothing is scored and the same dealer deals again, in every game."""


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


@dataclass(frozen=True, slots=True)
class Field:
    """One fact a scorer enters about a deal.

    ``line`` is the number at which a contract is made, where the field counts the tricks of its side. A ``detail`` is
    worth a note and never needed.
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
    one whose game has ended.
    """

    ruleset: Ruleset
    dealer: Seat
    totals: tuple[int, ...]
    penalties: tuple[int, ...]
    game: int = 1
    deals: int = 0
    winners: tuple[Seat, ...] = ()

    @property
    def seats(self) -> tuple[Seat, ...]:
        return tuple(Seat(number) for number in range(len(self.totals)))

    @property
    def over(self) -> bool:
        return bool(self.winners)

    def left_of(self, seat: Seat, steps: int = 1) -> Seat:
        """The seat *steps* places clockwise of *seat*."""
        return Seat((seat + steps) % len(self.totals))

    def state(self) -> dict[str, object]:
        """Everything but the ruleset, as JSON knows it; :meth:`restored` takes it back."""
        return {
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
    its chips or points; ``wins`` says that the score becomes 0 and the game is won at once.
    """

    case: str
    trump: str
    low: int
    high: int
    result: Result
    change: Mapping[str, int]
    wins: bool = False


Payoffs = tuple[Payoff, ...]

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
        return (Line("misdeal"),) if self.deal is None else self.game.explain(self)


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

    @abstractmethod
    def problems_of(self, ruleset: Ruleset) -> tuple[Problem, ...]:
        """What in *ruleset*'s options contradicts itself, each option being admissible alone."""

    @abstractmethod
    def players(self, ruleset: Ruleset) -> int:
        """How many play."""

    @abstractmethod
    def opening(self, ruleset: Ruleset) -> tuple[int, ...]:
        """The totals a game starts from: chips or points per seat."""

    @abstractmethod
    def check_opening(self, ruleset: Ruleset, totals: tuple[int, ...]) -> tuple[Problem, ...]:
        """Why *totals*, one per seat, cannot stand on a sheet that is to be carried on; field ``opening``."""

    @abstractmethod
    def plays_for_chips(self, ruleset: Ruleset) -> bool:
        """Whether chips change hands under *ruleset*."""

    def pairs(self, ruleset: Ruleset) -> tuple[tuple[Seat, Seat], ...]:
        """Partners who stay together for the whole session, if there are any."""
        return ()

    @abstractmethod
    def fields(self, table: Table) -> tuple[Field, ...]:
        """Every fact that may be entered about a deal at *table*, in the order it happens there."""

    @abstractmethod
    def offered(self, facts: Facts, table: Table) -> tuple[Field, ...]:
        """The :meth:`fields` that can still be chosen once *facts* are entered, with only what can be chosen in each.

        What follows from the facts or the rules (the trump of a Half) is not offered: :meth:`complete` adds it.
        """

    @abstractmethod
    def complete(self, facts: Facts, table: Table) -> Facts:
        """*facts* with what follows from them: the only possible trump, the last player's tricks, a fixed partner."""

    @abstractmethod
    def read(self, facts: Facts, table: Table) -> D:
        """Turn entered or stored *facts* into a deal.

        :raises MalformedDeal: if a fact is missing, unknown or not of its kind.
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

    @abstractmethod
    def pay(self, score: DealScore[D]) -> tuple[Payment, ...]:
        """From whom to whom the chips of *score* go."""

    @abstractmethod
    def explain(self, score: DealScore[D]) -> tuple[Line, ...]:
        """Why *score* is what it is, in the order a player would explain it."""

    @abstractmethod
    def payoffs(self, ruleset: Ruleset) -> Payoffs:
        """Every way a deal can end and what it brings each role, as plain data.

        The one source of the rules page, a printed sheet and a preview: nobody writes a scoring rule twice.
        """

    def open_table(self, ruleset: Ruleset, *, dealer: Seat = Seat(0), opening: tuple[int, ...] | None = None) -> Table:
        """The table before the first deal of a session.

        :raises IllegalRules: if *opening* does not fit the ruleset.
        """
        totals = self.opening(ruleset) if opening is None else opening
        if problems := self.check_opening(ruleset, totals):
            raise IllegalRules(*problems)
        return Table(ruleset, dealer, totals, (0,) * len(totals))

    def new_game(self, table: Table) -> Table:
        """The table for the next game of the same session: the deal has already passed on.

        :raises IllegalDeal: if the game at *table* has not ended.
        """
        if not self.several_games or not table.over:
            raise IllegalDeal(Problem("GAME_NOT_OVER", "new-game"))
        start = self.opening(table.ruleset)
        return Table(table.ruleset, table.dealer, start, (0,) * len(start), game=table.game + 1)

    def play(self, facts: Facts, table: Table) -> DealScore[D]:
        """Read and score one deal.

        :raises MalformedDeal: see :meth:`read`.
        :raises IllegalDeal: see :meth:`score`.
        """
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

"""Mensch: nine bids and a forced deal, played by four for chips.

What a contract asks and costs is data (Rules §3.1 to §3.3). Its prices say what one player pays one other player:
with two declarers each opponent pays, or is paid by, one of them; a lone declarer settles with each opponent.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from scorekeeper.rules.base import (
    CardGame,
    DealScore,
    Facts,
    Field,
    FieldKind,
    IllegalDeal,
    Kept,
    Line,
    MalformedDeal,
    Only,
    Option,
    OptionValue,
    OtherRate,
    Payment,
    Payoff,
    Payoffs,
    Problem,
    Result,
    Ruleset,
    Seat,
    Suit,
    Table,
    Unit,
)
from scorekeeper.rules.reading import (
    Reader,
    card,
    list_of,
    malformed,
    not_playing,
    one_of,
    ranks_in,
    seat_of,
    suit,
    text,
    whole,
)

PLAYERS: Final = 4
FORCED: Final = "forced"
"""Nobody bid, and the holder of the queen of hearts must play."""
PASSED_OUT: Final = "passed-out"
"""Nobody bid, and the cards are thrown in."""
PASS: Final = "pass"
LONGEST_AUCTION: Final = 64

Card = tuple[str, Suit]
Bid = tuple[Seat, str]

QUEEN_OF_CLUBS: Card = ("Q", Suit.CLUBS)


@dataclass(frozen=True, slots=True)
class MenschDeal:
    """One deal. ``tricks`` counts the declarer's and the partner's together; a deal thrown in has only its contract."""

    contract: str
    declarer: Seat | None = None
    partner: Seat | None = None
    trump: Suit | None = None
    tricks: int | None = None
    tricks_by_player: tuple[int, ...] | None = None
    called_card: Card | None = None
    auction: tuple[Bid, ...] | None = None
    result: str | None = None
    """What a sheet on paper says, to be checked against the tricks."""


class Rate(NamedTuple):
    """Chips one player pays one other player."""

    made: int
    set: int
    all: int
    """Made with every trick."""


class Contract(NamedTuple):
    declarers: int
    needs: int
    clubs_fixed: bool
    other: Rate
    """With any trump but clubs."""
    clubs: Rate

    def prices(self) -> tuple[tuple[str, Rate], ...]:
        """The price with each kind of trump there can be: "clubs", "other", or "any" where it makes no difference."""
        if self.clubs_fixed:
            return (("clubs", self.clubs),)
        if self.clubs == self.other:
            return (("any", self.clubs),)
        return ("other", self.other), ("clubs", self.clubs)


_IN_CLUBS: Final = {"clubs": (True,), "other": (False,), "any": (True, False)}

# Rules §3.2. Where trump is clubs by rule there is no price for another suit.
_NONE = Rate(0, 0, 0)
_CONTRACTS: Final[Mapping[str, Contract]] = {
    "half": Contract(2, 5, True, _NONE, Rate(1, 2, 2)),
    "after": Contract(2, 5, True, _NONE, Rate(1, 2, 2)),
    "five": Contract(1, 5, False, Rate(1, 1, 2), Rate(2, 2, 4)),
    "five-after": Contract(1, 5, True, _NONE, Rate(2, 2, 4)),
    "six": Contract(1, 6, False, Rate(1, 1, 2), Rate(2, 2, 4)),
    "six-after": Contract(1, 6, True, _NONE, Rate(2, 2, 4)),
    "seven": Contract(1, 7, False, Rate(1, 1, 2), Rate(2, 2, 4)),
    "seven-after": Contract(1, 7, True, _NONE, Rate(2, 2, 4)),
    "solo": Contract(1, 8, False, Rate(4, 4, 4), Rate(8, 8, 8)),
    FORCED: Contract(2, 5, False, Rate(1, 1, 2), Rate(1, 1, 2)),
}
# Rules §3.3, where it differs: clubs are the cheap suit unless every trick is taken.
_PRINTED: Final[Mapping[str, Contract]] = {
    name: _CONTRACTS[name]._replace(other=_NONE if _CONTRACTS[name].clubs_fixed else Rate(2, 2, 4), clubs=Rate(1, 1, 8))
    for name in ("five", "five-after", "six", "six-after", "seven", "seven-after")
}
BIDS: Final = tuple(name for name in _CONTRACTS if name != FORCED)
"""The ladder, low to high."""
BASES: Final[Mapping[str, str]] = {
    "after": "half",
    "five-after": "five",
    "six-after": "six",
    "seven-after": "seven",
}
"""What each After bid is said over."""


def _contract_options(name: str) -> Iterator[Option]:
    if name != FORCED:
        yield Option(f"{name}.offered", group=name)
    yield Option(f"{name}.declarers", low=1, high=2, group=name)
    yield Option(f"{name}.needs", low=1, high=13, group=name)
    yield Option(f"{name}.trump", ("clubs", "chosen"), group=name)
    for kind in ("", "clubs_"):
        for rate in Rate._fields:
            yield Option(f"{name}.{kind}{rate}", high=100, group=name)


def _contract_values(contracts: Mapping[str, Contract], offered: tuple[str, ...]) -> dict[str, OptionValue]:
    values: dict[str, OptionValue] = {}
    for name, contract in contracts.items():
        if name != FORCED:
            values[f"{name}.offered"] = name in offered
        values[f"{name}.declarers"] = contract.declarers
        values[f"{name}.needs"] = contract.needs
        values[f"{name}.trump"] = "clubs" if contract.clubs_fixed else "chosen"
        values |= {f"{name}.{rate}": chips for rate, chips in contract.other._asdict().items()}
        values |= {f"{name}.clubs_{rate}": chips for rate, chips in contract.clubs._asdict().items()}
    return values


# Rules §3.1.
_MENSCH: Final[Mapping[str, OptionValue]] = {
    "players": PLAYERS,
    "cards": 32,
    "hand": 8,
    "dealing": "at-once",
    "first_bidder": "left-of-dealer",
    "bids_each": 1,
    "ladder": "nine-steps",
    "after_bids": "over-base",
    "reminder": True,
    "passed_out": "forced",
    "partnership": "called",
    "call_trump": False,
    "first_lead": "solo-leads",
    **_contract_values(_CONTRACTS, BIDS),
}
_RUSSIAN: Final[Mapping[str, OptionValue]] = {
    **_MENSCH,
    "dealing": "in-fours",
    "first_bidder": "dealer",
    "reminder": False,
    "passed_out": "same-dealer",
}
_RUSSIAN_PRINTED: Final[Mapping[str, OptionValue]] = {
    **_RUSSIAN,
    "ladder": "three-rungs",
    "after_bids": "unchecked",
    "partnership": "agreed",
    "first_lead": "alone-leads",
    **_contract_values({**_CONTRACTS, **_PRINTED}, tuple(bid for bid in BIDS if bid not in ("after", "solo"))),
}


class _Rules:
    """A ruleset's options, ready to score with."""

    def __init__(self, ruleset: Ruleset) -> None:
        options: Mapping[str, Any] = ruleset.options
        self.hand: Final[int] = options["hand"]
        self.ranks: Final = ranks_in(options["cards"])
        self.forced: Final[bool] = options["passed_out"] == FORCED
        self.calls_card: Final[bool] = options["partnership"] == "called"
        self.fixed_partners: Final[bool] = options["partnership"] == "fixed"
        self.call_trump: Final[bool] = options["call_trump"]
        self.dealer_bids_first: Final[bool] = options["first_bidder"] == "dealer"
        self.bids_each: Final[int] = options["bids_each"]
        self.ordered: Final[bool] = options["ladder"] == "nine-steps"
        self.after_over_base: Final[bool] = options["after_bids"] == "over-base"
        self.bids: Final = tuple(bid for bid in BIDS if options[f"{bid}.offered"])
        playable = (*self.bids, FORCED) if self.forced else self.bids
        self.contracts: Final = {name: _contract(options, name) for name in playable}
        payoffs: list[Payoff] = []
        # For a contract, in clubs or not: the payoff of every number of tricks.
        self.by_tricks: Final[dict[tuple[str, bool], tuple[Payoff, ...]]] = {}
        for name, contract in self.contracts.items():
            for trump, rate in contract.prices():
                rows = tuple(_payoffs(name, contract, trump, rate, self.hand, self.fixed_partners))
                payoffs += rows
                every = tuple(row for row in rows for _ in range(row.low, row.high + 1))
                self.by_tricks.update({(name, clubs): every for clubs in _IN_CLUBS[trump]})
        self.payoffs: Final[Payoffs] = tuple(payoffs)

    def contract_in(self, facts: Facts) -> Contract | None:
        """The contract that was entered, if it can be played."""
        return self.contracts.get(text(facts.get("contract")) or "")


_rules = lru_cache(maxsize=256)(_Rules)


@lru_cache(maxsize=256)
def _fields(ruleset: Ruleset, seats: tuple[Seat, ...], in_turn: tuple[Seat, ...]) -> tuple[Field, ...]:
    """What is entered where *seats* play, clockwise, and bid *in_turn*."""
    rules = _rules(ruleset)
    suits = tuple(suit.value for suit in Suit)
    cards = tuple(f"{rank}{suit[0].upper()}" for suit in suits for rank in rules.ranks)
    thrown_in: Kept = {} if rules.forced else {PASSED_OUT: ()}
    alone: Kept = {name: () for name, one in rules.contracts.items() if one.declarers == 1}
    # Rules R5.
    in_clubs: Kept = {name: (Suit.CLUBS.value,) for name, one in rules.contracts.items() if one.clubs_fixed}
    played: Only = {"contract": thrown_in}
    by_two: Only = {"contract": {**thrown_in, **alone}}
    partners = by_two
    if rules.fixed_partners:
        opposite = {str(seat): (other,) for seat, other in zip(seats, seats[2:] + seats[:2], strict=True)}
        partners = {**by_two, "declarer": {"": (), **opposite}}
    lines = "contract", {name: one.needs for name, one in rules.contracts.items()}
    numbers, hand = FieldKind.NUMBERS, rules.hand
    called_card = Field("called_card", FieldKind.CARD, cards, required=False, detail=True, only=by_two)
    return (
        Field("contract", FieldKind.CHOICE, choices=(*rules.contracts, *thrown_in)),
        Field("declarer", FieldKind.SEAT, seats=seats, only=played),
        # Whoever holds the called card is silent until it shows.
        Field("partner", FieldKind.SEAT, seats=seats, declared=not rules.calls_card, only=partners, unlike="declarer"),
        Field("trump", FieldKind.CHOICE, suits, only={"contract": {**thrown_in, **in_clubs}}, alike=suits[1:]),
        Field("tricks", FieldKind.NUMBER, high=hand, declared=False, only=played, lines=lines),
        Field(
            "tricks_by_player", numbers, (), seats, 0, hand, required=False, detail=True, declared=False, only=played
        ),
        *((called_card,) if rules.calls_card else ()),
        Field("auction", FieldKind.AUCTION, (PASS, *rules.bids), in_turn, required=False, detail=True, only=played),
        # What a sheet on paper says is read from it, never chosen.
        Field("result", FieldKind.CHOICE, (Result.MADE, Result.SET), required=False, declared=False, asked=False),
    )


def _contract(options: Mapping[str, Any], name: str) -> Contract:
    return Contract(
        declarers=options[f"{name}.declarers"],
        needs=options[f"{name}.needs"],
        clubs_fixed=options[f"{name}.trump"] == "clubs",
        other=Rate(*(options[f"{name}.{rate}"] for rate in Rate._fields)),
        clubs=Rate(*(options[f"{name}.clubs_{rate}"] for rate in Rate._fields)),
    )


def _payoffs(
    name: str, contract: Contract, trump: str, rate: Rate, hand: int, fixed_partners: bool
) -> Iterator[Payoff]:
    """The endings of one contract with one kind of trump, from no trick to all of them."""

    def ending(low: int, high: int, result: Result, chips: int) -> Payoff:
        # chips: what each opponent pays; negative, what each is paid.
        if contract.declarers == 2:
            # Rules R2: a partner wins and loses the same as the declarer.
            change = {"declarer": chips, "partner": chips, "opponent": -chips}
        elif fixed_partners:
            # Rules §3.1, partnership play: alone, the declarer's partner neither pays nor receives.
            change = {"declarer": 2 * chips, "partner": 0, "opponent": -chips}
        else:
            change = {"declarer": (PLAYERS - 1) * chips, "opponent": -chips}
        return Payoff(name, trump, low, high, result, MappingProxyType(change))

    # Rules R7: a defeat is never doubled.
    yield ending(0, contract.needs - 1, Result.SET, -rate.set)
    if rate.made == rate.all:
        yield ending(contract.needs, hand, Result.MADE, rate.made)
    else:
        if contract.needs < hand:
            yield ending(contract.needs, hand - 1, Result.MADE, rate.made)
        yield ending(hand, hand, Result.MADE, rate.all)


class Mensch(CardGame[MenschDeal]):
    id = "mensch"
    unit = Unit.CHIPS
    lowest_wins = False
    several_games = False
    options = (
        Option("players", low=PLAYERS, high=PLAYERS),
        Option("cards", low=16, high=52),
        Option("hand", low=4, high=13),
        Option("dealing", ("at-once", "in-fours")),
        Option("first_bidder", ("left-of-dealer", "dealer")),
        Option("bids_each", low=1, high=8),
        Option("ladder", ("nine-steps", "three-rungs")),
        Option("after_bids", ("over-base", "unchecked")),
        Option("reminder"),
        Option("passed_out", (FORCED, "same-dealer", "next-dealer")),
        Option("partnership", ("called", "agreed", "fixed")),
        Option("call_trump", only_with=("partnership", ("called",))),
        Option("first_lead", ("solo-leads", "alone-leads")),
        *(option for name in _CONTRACTS for option in _contract_options(name)),
    )
    rulesets = (
        Ruleset("mensch", MappingProxyType(_MENSCH)),
        Ruleset("mensch-russian", MappingProxyType(_RUSSIAN)),
        Ruleset("mensch-russian-printed", MappingProxyType(_RUSSIAN_PRINTED)),
    )

    def problems_of(self, ruleset: Ruleset) -> tuple[Problem, ...]:
        rules = _rules(ruleset)
        problems = []

        def conflict(option: str, other: str) -> None:
            problems.append(Problem("HOUSE_RULE_CONFLICT", option, {"other": other}))

        if ruleset.options["cards"] != PLAYERS * rules.hand:
            conflict("cards", "hand")
        if not rules.contracts:
            conflict("half.offered", "passed_out")
        for name, contract in rules.contracts.items():
            if contract.needs > rules.hand:
                conflict(f"{name}.needs", "hand")
            # A price for a suit that cannot be trump would be a rule without effect.
            if contract.clubs_fixed != (contract.other == _NONE):
                conflict(f"{name}.made", f"{name}.trump")
            if contract.needs == rules.hand:
                # Every trick is needed, so there is one price for making it.
                if contract.other.made != contract.other.all:
                    conflict(f"{name}.made", f"{name}.all")
                if contract.clubs.made != contract.clubs.all:
                    conflict(f"{name}.clubs_made", f"{name}.clubs_all")
        return tuple(problems)

    def players(self, ruleset: Ruleset) -> int:
        return PLAYERS

    def start(self, ruleset: Ruleset) -> int:
        return 0

    def opening_problems(self, ruleset: Ruleset, totals: tuple[int, ...]) -> tuple[Problem, ...]:
        # Rules §5.1, 1: so do the running totals.
        return (Problem("OPENING_SUM", "opening", {"sum": sum(totals)}),) if sum(totals) else ()

    def plays_for_chips(self, ruleset: Ruleset) -> bool:
        return True

    def pairs(self, ruleset: Ruleset) -> tuple[tuple[Seat, Seat], ...]:
        # Rules §3.1, partnership play: partners sit opposite each other.
        return ((Seat(0), Seat(2)), (Seat(1), Seat(3))) if _rules(ruleset).fixed_partners else ()

    def fields(self, table: Table) -> tuple[Field, ...]:
        first = _first_bidder(table, _rules(table.ruleset))
        return _fields(table.ruleset, table.seats, table.in_turn(first))

    def understood(self, facts: Facts, table: Table) -> MenschDeal:
        rules = _rules(table.ruleset)
        passed_out = facts.get("contract") == PASSED_OUT
        names = ["contract"] if passed_out else [field.name for field in self.fields(table)]
        reader = Reader(facts, names)
        tricks_range = Problem("TRICKS_RANGE", "tricks", {"max": rules.hand})
        required = not passed_out
        seat = seat_of(len(table.totals))
        deal = MenschDeal(
            contract=reader.take("contract", text, required=True) or "",
            declarer=reader.take("declarer", seat, required=required),
            partner=reader.take("partner", seat),
            trump=reader.take("trump", suit),
            tricks=reader.take("tricks", whole, required=required, otherwise=tricks_range),
            tricks_by_player=reader.numbers("tricks_by_player", table, "TRICKS_RANGE", rules.hand),
            called_card=reader.take("called_card", card),
            auction=reader.take("auction", list_of(_bid_of(seat), longest=LONGEST_AUCTION)),
            result=reader.take("result", one_of(Result.MADE, Result.SET)),
        )
        if reader.problems:
            raise MalformedDeal(*reader.and_also(self.check(deal, table)))
        return deal

    def check(self, deal: MenschDeal, table: Table) -> tuple[Problem, ...]:
        rules = _rules(table.ruleset)
        if deal.contract == PASSED_OUT:
            # Rules R9: who holds the queen of hearts plays.
            return (Problem("ALL_PASS_IS_PLAYED", "contract"),) if rules.forced else ()
        contract = rules.contracts.get(deal.contract)
        problems = []
        if contract is None:
            problems.append(Problem("CONTRACT_NOT_IN_RULESET", "contract", {"contract": deal.contract}))
        else:
            if deal.trump is None:
                problems.append(Problem("TRUMP_MISSING", "trump", {"contract": deal.contract}))
            elif contract.clubs_fixed and deal.trump is not Suit.CLUBS:
                # Rules R5.
                problems.append(Problem("TRUMP_FIXED", "trump", {"contract": deal.contract}))
            if deal.partner is not None or contract.declarers == 2:
                problems += _check_partner(deal, contract, table, rules)
            if deal.called_card is not None:
                problems += _check_called_card(deal, contract, deal.called_card, rules)
        seats = table.seats
        if deal.declarer is None:
            problems.append(malformed("declarer", "missing"))
        elif deal.declarer not in seats:
            problems.append(Problem("NOT_PLAYING", "declarer", {"player": deal.declarer}))
        if deal.partner is not None and deal.partner not in seats:
            problems.append(Problem("NOT_PLAYING", "partner", {"player": deal.partner}))
        if deal.tricks is None:
            problems.append(malformed("tricks", "missing"))
        elif not 0 <= deal.tricks <= rules.hand:
            problems.append(Problem("TRICKS_RANGE", "tricks", {"max": rules.hand}))
        elif deal.result is not None and contract is not None:
            # Rules §5.1, 4: made or failed is computed, never typed in.
            result = Result.MADE if deal.tricks >= contract.needs else Result.SET
            if deal.result != result:
                values = {"contract": deal.contract, "tricks": deal.tricks, "result": result}
                problems.append(Problem("RESULT_MISMATCH", "result", values))
        if deal.tricks_by_player is not None:
            problems += _check_tricks_by_player(deal, deal.tricks_by_player, table, rules)
        if deal.auction:
            problems += _check_auction(deal, deal.auction, table, rules)
        return tuple(problems)

    def score(self, deal: MenschDeal, table: Table) -> DealScore[MenschDeal]:
        if problems := self.check(deal, table):
            raise IllegalDeal(*problems)
        rules = _rules(table.ruleset)
        declarer, partner, tricks = deal.declarer, deal.partner, deal.tricks
        if declarer is None or tricks is None:
            return self.unscored(deal, table, Result.PASSED_OUT, table.dealer_after_throw_in)
        payoff = rules.by_tricks[deal.contract, deal.trump is Suit.CLUBS][tricks]
        chips = _brought(payoff, declarer, table.left_of(declarer, 2) if rules.fixed_partners else partner, table)
        after = Table(
            table.ruleset,
            table.next_dealer,
            tuple(map(operator.add, table.totals, chips)),
            table.penalties,
            table.game,
            table.deals + 1,
            present=table.present,
        )
        return DealScore(self, table, deal, payoff.result, chips, chips, after)

    def pay(self, score: DealScore[MenschDeal]) -> tuple[Payment, ...]:
        deal, table = score.deal, score.before
        if deal is None or deal.declarer is None:
            return ()
        rules = _rules(table.ruleset)
        declarer = deal.declarer
        others = table.in_turn(declarer)[1:]
        if deal.partner is not None:
            # Rules §3.6: the opponent next clockwise after the declarer settles with the declarer.
            first, second = (seat for seat in others if seat != deal.partner)
            pairs = [(first, declarer), (second, deal.partner)]
        elif rules.fixed_partners:
            pairs = [(seat, declarer) for seat in (others[0], others[2])]
        else:
            pairs = [(seat, declarer) for seat in others]
        payments = []
        for opponent, player in pairs:
            chips = score.chips[opponent]
            if chips < 0:
                payments.append(Payment(opponent, player, -chips))
            elif chips > 0:
                payments.append(Payment(player, opponent, chips))
        return tuple(payments)

    def other_rates(self, score: DealScore[MenschDeal]) -> tuple[OtherRate, ...]:
        deal, table = score.deal, score.before
        if deal is None or deal.declarer is None or deal.tricks is None:
            return ()
        rules = _rules(table.ruleset)
        partner = table.left_of(deal.declarer, 2) if rules.fixed_partners else deal.partner
        own = rules.by_tricks[deal.contract, deal.trump is Suit.CLUBS][deal.tricks]
        rates = (
            OtherRate(
                self.pay(replace(score, chips=_brought(row, deal.declarer, partner, table))),
                None if row.trump == own.trump else row.trump,
                None if row.low <= deal.tricks <= row.high else row,
            )
            for row in rules.payoffs
            if row.case == deal.contract and row.change != own.change
        )
        return tuple(sorted(rates, key=lambda rate: rate.ending is not None))

    def explain(self, score: DealScore[MenschDeal]) -> tuple[Line, ...]:
        deal, table = score.deal, score.before
        if deal is None or deal.declarer is None or deal.tricks is None:
            return ()
        rules = _rules(table.ruleset)
        contract = rules.contracts[deal.contract]
        rows = rules.by_tricks[deal.contract, deal.trump is Suit.CLUBS]
        payoff = rows[deal.tricks]
        chips = abs(payoff.change["opponent"])
        lines = [
            Line(
                "contract",
                {"contract": deal.contract, "player": deal.declarer, "partner": deal.partner, "trump": deal.trump},
            ),
            Line(
                "tricks",
                {"tricks": deal.tricks, "needs": contract.needs, "max": rules.hand, "result": payoff.result},
            ),
        ]
        if payoff.low == rules.hand > contract.needs:
            ordinary = abs(rows[contract.needs].change["opponent"])
            lines.append(Line("rate-all", {"chips": chips, "ordinary": ordinary, "trump": payoff.trump}))
        else:
            lines.append(Line("rate", {"chips": chips, "result": payoff.result, "trump": payoff.trump}))
        if rules.fixed_partners and contract.declarers == 1:
            lines.append(Line("stands-aside", {"player": table.left_of(deal.declarer, 2)}))
        return (*lines, *(payment.line for payment in score.payments))

    def outlook(self, declared: Facts, table: Table) -> Payoffs:
        kind = "clubs" if declared.get("trump") == Suit.CLUBS else "other"
        rows = _rules(table.ruleset).payoffs
        return tuple(row for row in rows if row.case == declared.get("contract") and row.trump in (kind, "any"))

    def payoffs(self, ruleset: Ruleset) -> Payoffs:
        return _rules(ruleset).payoffs


def _brought(payoff: Payoff, declarer: Seat, partner: Seat | None, table: Table) -> tuple[int, ...]:
    """What *payoff* brings each seat at *table*."""
    chips = [0] * len(table.totals)
    for seat in table.seats:
        chips[seat] = payoff.change["opponent"]
    chips[declarer] = payoff.change["declarer"]
    if partner is not None:
        chips[partner] = payoff.change["partner"]
    return tuple(chips)


def _bid_of(read_seat: Callable[[object], Seat | None]) -> Callable[[object], Bid | None]:
    """A seat, as *read_seat* understands it, and what it said."""

    def read(value: object) -> Bid | None:
        if not isinstance(value, (list, tuple)) or len(value) != 2:
            return None
        seat, bid = read_seat(value[0]), text(value[1])
        return None if seat is None or bid is None else (seat, bid)

    return read


def _first_bidder(table: Table, rules: _Rules) -> Seat:
    # A dealer who sits out does not bid.
    dealer_first = rules.dealer_bids_first and table.dealer in table.seats
    return table.dealer if dealer_first else table.left_of(table.dealer)


def _check_partner(deal: MenschDeal, contract: Contract, table: Table, rules: _Rules) -> Iterator[Problem]:
    named = {"contract": deal.contract}
    if contract.declarers == 1:
        yield Problem("PARTNER_NOT_ALLOWED", "partner", named)
    elif deal.partner is None:
        yield Problem("PARTNER_MISSING", "partner", named)
    elif deal.partner == deal.declarer:
        yield Problem("PARTNER_SELF", "partner", named)
    elif rules.fixed_partners and deal.declarer is not None:
        opposite = table.left_of(deal.declarer, 2)
        if deal.partner != opposite:
            yield Problem("PARTNER_NOT_ALLOWED", "partner", {"player": opposite})


def _check_called_card(deal: MenschDeal, contract: Contract, called: Card, rules: _Rules) -> Iterator[Problem]:
    rank, suit_called = called
    if contract.declarers == 1:
        yield Problem("PARTNER_NOT_ALLOWED", "called_card", {"contract": deal.contract})
    elif rank not in rules.ranks:
        yield Problem("CARD_NOT_IN_DECK", "called_card", {"lowest": rules.ranks[-1]})
    elif not rules.call_trump and (suit_called is deal.trump or called == QUEEN_OF_CLUBS):
        yield Problem("CALLED_TRUMP", "called_card")


def _check_tricks_by_player(
    deal: MenschDeal, tricks: tuple[int, ...], table: Table, rules: _Rules
) -> Iterator[Problem]:
    for seat, taken in enumerate(tricks):
        if not 0 <= taken <= rules.hand:
            yield Problem("TRICKS_RANGE", "tricks_by_player", {"max": rules.hand, "player": Seat(seat)})
    yield from not_playing(table.seats, "tricks_by_player", tricks)
    if sum(tricks) != rules.hand:
        yield Problem("TRICKS_SUM", "tricks_by_player", {"sum": sum(tricks), "max": rules.hand})
    contract = rules.contracts.get(deal.contract)
    if contract is None or deal.tricks is None:
        return
    side = {seat for seat in (deal.declarer, deal.partner)[: contract.declarers] if seat is not None}
    # While a person of the side is unknown there is nothing to compare.
    if len(side) < contract.declarers:
        return
    together = sum(tricks[seat] for seat in side)
    if together != deal.tricks:
        yield Problem("TRICKS_SIDE", "tricks_by_player", {"sum": together, "entered": deal.tricks})


def _check_auction(deal: MenschDeal, auction: tuple[Bid, ...], table: Table, rules: _Rules) -> list[Problem]:
    turn = _first_bidder(table, rules)
    turns = [0] * len(table.totals)
    highest: Bid | None = None
    problems = []
    playing = table.seats
    for seat, bid in auction:
        if seat not in playing:
            problems.append(Problem("NOT_PLAYING", "auction", {"player": seat}))
            continue
        if turns[seat] >= rules.bids_each:
            problems.append(Problem("BID_TWICE", "auction", {"player": seat}))
        elif seat != turn:
            problems.append(Problem("BID_OUT_OF_TURN", "auction", {"player": turn, "speaker": seat}))
        turns[seat] += 1
        turn = table.left_of(seat)
        if bid != PASS:
            if problem := _check_bid(bid, highest[1] if highest else None, rules):
                problems.append(problem)
            else:
                highest = (seat, bid)
    # The forced deal is nobody's bid.
    entered = None if deal.contract == FORCED else (deal.declarer, deal.contract)
    if not problems and deal.contract in rules.contracts and entered != highest:
        player, bid = highest or (None, PASS)
        problems.append(Problem("DECLARER_NOT_HIGHEST", "declarer", {"player": player, "bid": bid}))
    return problems


def _check_bid(bid: str, highest: str | None, rules: _Rules) -> Problem | None:
    if bid not in rules.bids:
        return Problem("CONTRACT_NOT_IN_RULESET", "auction", {"contract": bid})
    # Rules §3.1: by three rungs, the order inside a rung is unstated, so it is not checked.
    if rules.ordered and highest and BIDS.index(bid) <= BIDS.index(highest):
        return Problem("BID_TOO_LOW", "auction", {"bid": bid, "highest": highest})
    # Rules R8: an After bid is legal exactly when the highest bid is its base.
    if rules.after_over_base and bid in BASES and highest != BASES[bid]:
        return Problem("AFTER_WITHOUT_BASE", "auction", {"bid": bid, "base": BASES[bid]})
    return None

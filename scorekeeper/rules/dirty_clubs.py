"""Dirty Clubs and Buck Euchre: everybody counts down, one point a trick, and owes at least one.

Whoever fixed trump (the maker, in Dirty Clubs the guesser: Rules R11) owes more. Rulesets are data (Rules §3.4).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from scorekeeper.ledger import apportion
from scorekeeper.rules.base import (
    NO_TRUMP,
    NOBODY,
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
    Outcome,
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
    list_of,
    malformed,
    not_playing,
    one_of,
    seat_of,
    seats_of,
    suit,
    whole,
    yes,
)

# The roles whose payoffs differ; a bidder's is "bid-2" and so on.
MAKER: Final = "maker"
ALONE: Final = "alone"
"""The maker, everybody else having dropped out."""
PLAYER: Final = "player"
DEALER: Final = "dealer"
"""The dealer, with a club turned up."""
DROPPED: Final = "dropped"


@dataclass(frozen=True, slots=True)
class DirtyClubsDeal:
    """One deal. ``trump`` is a suit or ``NO_TRUMP``; a deal thrown in has only its turned card."""

    turn_up: Suit | None = None
    maker: Seat | None = None
    trump: str | None = None
    tricks: tuple[int, ...] | None = None
    dropped: tuple[Seat, ...] = ()
    bid: int | None = None
    named: tuple[Suit | None, ...] | None = None
    """The suit each seat named."""
    opened: tuple[Suit, ...] = ()
    """The suits the dealer opened, in order."""
    passed_out: bool = False


# Rules §3.4.
_DIRTY_CLUBS: Final[Mapping[str, OptionValue]] = {
    "players": 4,
    "cards": 24,
    "hand": 5,
    "start": 25,
    "target": 0,
    "per_trick": 1,
    "maker_by": "opened",
    "needs": 3,
    "bid_low": 2,
    "bid_high": 5,
    "bidding": "until-passed",
    "short_penalty": 5,
    "others_need": 1,
    "none_penalty": 5,
    "drop": "nobody",
    "drop_without_trump": False,
    "dropped_penalty": 0,
    "club_dealer_needs": 1,
    "passed_out": "no-trump",
    "turned_suit": "may-be-named",
    "call_no_trump": False,
    "sweep": "wins",
    "level": "draw",
    "floor": "none",
    "ceiling": "none",
    "one_card_each": False,
    "all_guessers": False,
    "stake_loser": 0,
    "stake_penalty": 0,
    "stake_point": 0,
}
_BUCK_EUCHRE: Final[Mapping[str, OptionValue]] = {
    **_DIRTY_CLUBS,
    "maker_by": "order-up",
    "drop": "all-but-maker",
    "turned_suit": "not-named",
}
_NO_DROP: Final[Mapping[str, OptionValue]] = {**_BUCK_EUCHRE, "drop": "nobody"}
_BID: Final[Mapping[str, OptionValue]] = {
    **_BUCK_EUCHRE,
    "start": 15,
    "maker_by": "bid",
    "drop_without_trump": True,
    "passed_out": "next-dealer",
    "turned_suit": "may-be-named",
    "sweep": "counts",
    "level": "extra-deal",
}
_THREE: Final[Mapping[str, OptionValue]] = {
    **_BUCK_EUCHRE,
    "players": 3,
    "start": 15,
    "drop_without_trump": True,
    "club_dealer_needs": 2,
    "passed_out": "next-dealer",
    "sweep": "counts",
}


class _Rules:
    """A ruleset's options, ready to score with."""

    def __init__(self, ruleset: Ruleset) -> None:
        options: Mapping[str, Any] = ruleset.options
        players: int = options["players"]
        self.hand: Final[int] = options["hand"]
        self.target: Final[int] = options["target"]
        self.per_trick: Final[int] = options["per_trick"]
        self.opens_cards: Final[bool] = options["maker_by"] == "opened"
        self.bids: Final[bool] = options["maker_by"] == "bid"
        self.needs: Final[int] = options["needs"]
        self.bid_low: Final[int] = options["bid_low"]
        self.bid_high: Final[int] = options["bid_high"]
        self.may_drop: Final[bool] = options["drop"] == "all-but-maker"
        self.drop_without_trump: Final[bool] = options["drop_without_trump"]
        self.plays_without_trump: Final[bool] = options["passed_out"] == "no-trump"
        self.may_name_turned: Final[bool] = options["turned_suit"] == "may-be-named"
        # Rules §3.4: ordering up the turned card is another way to its suit than naming it.
        self.turned_may_be_trump: Final[bool] = self.may_name_turned or options["maker_by"] == "order-up"
        self.call_no_trump: Final[bool] = options["call_no_trump"]
        self.extra_deal: Final[bool] = options["level"] == "extra-deal"
        self.floor: Final[int | None] = self.target if options["floor"] == "target" else None
        self.ceiling: Final[int | None] = options["start"] if options["ceiling"] == "start" else None
        self.one_card_each: Final[bool] = options["one_card_each"]
        self.all_guessers: Final[bool] = options["all_guessers"]
        self.stake_loser: Final[int] = options["stake_loser"]
        self.stake_penalty: Final[int] = options["stake_penalty"]
        self.stake_point: Final[int] = options["stake_point"]
        self.staked: Final = bool(self.stake_loser or self.stake_penalty or self.stake_point)
        cards_left = options["cards"] - players * self.hand - 1
        # Rules H1: one card for each player, the dealer never served.
        self.opened_most: Final[int] = min(cards_left, players - 1) if self.one_card_each else cards_left
        self.payoffs: Final = tuple(_payoffs(options))
        # For a role and its tricks: the payoff.
        self.by_tricks: Final[dict[str, dict[int, Payoff]]] = {}
        for row in self.payoffs:
            self.by_tricks.setdefault(row.case, {}).update(dict.fromkeys(range(row.low, row.high + 1), row))

    def needed(self, role: str, total: int) -> int:
        """From how many tricks on, in *role*, somebody who stands at *total* comes to the target or below.

        Every trick of a hand must be enough.
        """
        rows = self.by_tricks[role]
        short = (tricks for tricks in rows if not self._reaches(rows[tricks], total))
        return max(short, default=-1) + 1

    def _reaches(self, row: Payoff, total: int) -> bool:
        return row.wins or total + row.change["player"] <= self.target


_rules = lru_cache(maxsize=256)(_Rules)


@lru_cache(maxsize=256)
def _fields(ruleset: Ruleset, seats: tuple[Seat, ...], last: Seat) -> tuple[Field, ...]:
    """What is entered where *seats* play, clockwise, of whom *last* is the last in turn."""
    rules = _rules(ruleset)
    suits = tuple(suit.value for suit in Suit)
    clubs, others = suits[:1], suits[1:]
    trumps = (*suits, NO_TRUMP) if rules.plays_without_trump or rules.call_no_trump else suits
    # Rules H1: no card is opened for the dealer.
    makers = tuple(seat for seat in seats if not (rules.one_card_each and seat == last))
    by_maker = (*suits, NO_TRUMP) if rules.call_no_trump else suits
    without: Kept = {NOBODY: ()}
    made: Kept = {str(seat): by_maker for seat in makers}
    turned = {suit: tuple(trump for trump in trumps if trump != suit) for suit in others}
    # Rules R17: with a club turned up there is no maker, and nobody may drop.
    with_maker: Only = {"turn_up": {clubs[0]: ()}, "maker": without}
    fields = [
        Field("turn_up", FieldKind.CHOICE, suits, alike=others if rules.turned_may_be_trump else ()),
        Field(
            "passed_out",
            FieldKind.FLAG,
            required=False,
            declared=False,
            asked=not rules.plays_without_trump,
            only={"turn_up": {clubs[0]: ()}, "maker": dict.fromkeys(made, ())},
        ),
        Field(
            "maker",
            FieldKind.SEAT,
            seats=makers,
            required=not rules.plays_without_trump,
            only={"turn_up": {clubs[0]: ()}, "passed_out": {"1": ()}},
            # Rules R15 and §3.4: without a maker it is played without trumps, or thrown in.
            nobody=("trump", NO_TRUMP) if rules.plays_without_trump else ("passed_out", True),
        ),
        Field(
            "trump",
            FieldKind.CHOICE,
            trumps,
            only={
                "turn_up": {clubs[0]: clubs} | ({} if rules.turned_may_be_trump else turned),
                "maker": {**made, NOBODY: (NO_TRUMP,) if rules.plays_without_trump else ()},
            },
            alike=suits,
        ),
    ]
    if rules.bids:
        bids = range(rules.bid_low, rules.bid_high + 1)
        fields.append(Field("bid", FieldKind.NUMBER, low=bids[0], high=bids[-1], only=with_maker))
        lines = "bid", {str(bid): bid for bid in bids}
    else:
        lines = "maker", dict.fromkeys(made, rules.needs)
    fields += (
        Field(
            "dropped",
            FieldKind.SEATS,
            seats=seats,
            required=False,
            asked=rules.may_drop,
            # Whoever is still to be the maker cannot drop.
            only={
                **with_maker,
                "maker": {"": (), **without},
                "trump": {} if rules.drop_without_trump else {NO_TRUMP: ()},
            },
            unlike="maker",
        ),
        Field(
            "tricks",
            FieldKind.NUMBERS,
            seats=seats,
            high=rules.hand,
            declared=False,
            only={} if rules.plays_without_trump else {"maker": without},
            unlike="dropped",
            lines=lines,
            line_of="maker",
            sums=True,
        ),
    )
    if not rules.bids:
        # Rules H2 asks who else named the suit.
        detail = not rules.all_guessers
        named = Field("named", FieldKind.SUITS, suits, seats, required=False, detail=detail)
        fields.append(replace(named, only={"turn_up": {clubs[0]: ()}}))
    if rules.opens_cards:
        most = rules.opened_most
        opened = Field("opened", FieldKind.SUIT_LIST, suits, high=most, required=False, detail=True)
        fields.append(replace(opened, only={"turn_up": {clubs[0]: ()}}))
    return tuple(fields)


def _payoffs(options: Mapping[str, Any]) -> Iterator[Payoff]:
    """The endings of each role there is under *options*, from no trick to all of them."""
    hand, per_trick = options["hand"], options["per_trick"]

    def change(points: int) -> Mapping[str, int]:
        return MappingProxyType({"player": points})

    def endings(role: str, trump: str, needs: int, penalty: int, kept: Result) -> Iterator[Payoff]:
        # Rules K2 and K3: too few, and nothing is taken off.
        if needs:
            yield Payoff(role, trump, 0, needs - 1, Result.SET, change(penalty))
        # Rules K1.
        for tricks in range(needs, hand):
            yield Payoff(role, trump, tricks, tricks, kept, change(-tricks * per_trick))
        if options["sweep"] == "wins":
            # Rules K4: the score becomes the target from wherever it stands, so there is no change to name.
            yield Payoff(role, trump, hand, hand, kept, MappingProxyType({}), wins=True)
        else:
            yield Payoff(role, trump, hand, hand, kept, change(-hand * per_trick))

    if options["maker_by"] == "bid":
        for bid in range(options["bid_low"], options["bid_high"] + 1):
            yield from endings(_bidder(bid), "any", bid, options["short_penalty"], Result.MADE)
    else:
        yield from endings(MAKER, "any", options["needs"], options["short_penalty"], Result.MADE)
    yield from endings(PLAYER, "any", options["others_need"], options["none_penalty"], Result.PLAYED)
    if options["club_dealer_needs"] != options["others_need"]:
        yield from endings(DEALER, "clubs", options["club_dealer_needs"], options["none_penalty"], Result.PLAYED)
    if options["drop"] != "nobody":
        # Rules R18: dropping out costs nothing, unless the house says so.
        yield Payoff(DROPPED, "any", 0, 0, Result.PLAYED, change(options["dropped_penalty"]))
        # Rules R14: credited with every trick, and no sweep.
        yield Payoff(ALONE, "any", hand, hand, Result.MADE, change(-hand * per_trick))


def _bidder(bid: int) -> str:
    return f"bid-{bid}"


_BY_BID: Final = ("maker_by", ("bid",))
_BY_OPENING: Final = ("maker_by", ("opened",))


class DirtyClubs(CardGame[DirtyClubsDeal]):
    id = "dirty-clubs"
    unit = Unit.POINTS
    lowest_wins = True
    several_games = True
    options = (
        Option("players", low=3, high=6),
        Option("cards", low=12, high=52),
        Option("hand", low=1, high=13),
        Option("start", low=1, high=1000),
        Option("target", low=-100, high=100),
        Option("per_trick", low=1, high=10),
        Option("maker_by", ("opened", "order-up", "bid")),
        Option("needs", low=1, high=13, only_with=("maker_by", ("opened", "order-up"))),
        Option("bid_low", low=1, high=13, only_with=_BY_BID),
        Option("bid_high", low=1, high=13, only_with=_BY_BID),
        Option("bidding", ("until-passed", "one-turn"), only_with=_BY_BID),
        Option("short_penalty", high=100),
        Option("others_need", high=13),
        Option("none_penalty", high=100),
        Option("drop", ("nobody", "all-but-maker")),
        Option("drop_without_trump", only_with=("call_no_trump", (True,))),
        Option("dropped_penalty", high=100, only_with=("drop", ("all-but-maker",))),
        Option("club_dealer_needs", high=13),
        Option("passed_out", ("no-trump", "same-dealer", "next-dealer")),
        Option("turned_suit", ("may-be-named", "not-named")),
        Option("call_no_trump"),
        Option("sweep", ("wins", "counts")),
        Option("level", ("draw", "extra-deal")),
        Option("floor", ("none", "target")),
        Option("ceiling", ("none", "start")),
        Option("one_card_each", only_with=_BY_OPENING),
        Option("all_guessers", only_with=_BY_OPENING),
        Option("stake_loser", high=1000, group="stake"),
        Option("stake_penalty", high=1000, group="stake"),
        Option("stake_point", high=1000, group="stake"),
    )
    rulesets = (
        Ruleset("dirty-clubs", MappingProxyType(_DIRTY_CLUBS)),
        Ruleset("buck-euchre", MappingProxyType(_BUCK_EUCHRE)),
        Ruleset("buck-euchre-no-drop", MappingProxyType(_NO_DROP)),
        Ruleset("buck-euchre-bid", MappingProxyType(_BID)),
        Ruleset("buck-euchre-three", MappingProxyType(_THREE)),
    )

    def problems_of(self, ruleset: Ruleset) -> tuple[Problem, ...]:
        options: Mapping[str, Any] = ruleset.options
        opened = options["maker_by"] == "opened"
        conflicts = {
            # One card is turned up beside those dealt.
            ("cards", "hand"): options["cards"] <= options["players"] * options["hand"],
            ("target", "start"): options["target"] >= options["start"],
            ("needs", "hand"): options["needs"] > options["hand"],
            ("others_need", "hand"): options["others_need"] > options["hand"],
            ("club_dealer_needs", "hand"): options["club_dealer_needs"] > options["hand"],
            ("bid_high", "hand"): options["bid_high"] > options["hand"],
            ("bid_low", "bid_high"): options["bid_low"] > options["bid_high"],
            ("one_card_each", "maker_by"): options["one_card_each"] and not opened,
            ("all_guessers", "maker_by"): options["all_guessers"] and not opened,
            ("call_no_trump", "maker_by"): options["call_no_trump"] and opened,
        }
        return tuple(
            Problem("HOUSE_RULE_CONFLICT", option, {"other": other})
            for (option, other), contradicts in conflicts.items()
            if contradicts
        )

    def players(self, ruleset: Ruleset) -> int:
        return int(ruleset.options["players"])

    def start(self, ruleset: Ruleset) -> int:
        return int(ruleset.options["start"])

    def opening_problems(self, ruleset: Ruleset, totals: tuple[int, ...]) -> tuple[Problem, ...]:
        rules = _rules(ruleset)
        # Rules §5.1, 8: at or below the target a game has ended.
        if _outcome(totals, range(len(totals)), rules):
            return (Problem("OPENING_OVER", "opening", {"target": rules.target}),)
        return ()

    def plays_for_chips(self, ruleset: Ruleset) -> bool:
        return _rules(ruleset).staked

    def fields(self, table: Table) -> tuple[Field, ...]:
        return _fields(table.ruleset, table.seats, table.turns[-1])

    def understood(self, facts: Facts, table: Table) -> DirtyClubsDeal:
        rules = _rules(table.ruleset)
        players = len(table.totals)
        thrown_in = facts.get("passed_out") is True
        names = ["turn_up", "passed_out"] if thrown_in else [field.name for field in self.fields(table)]
        reader = Reader(facts, names)
        bid_range = Problem("BID_RANGE", "bid", {"low": rules.bid_low, "high": rules.bid_high})
        deal = DirtyClubsDeal(
            turn_up=reader.take("turn_up", suit, required=True),
            maker=reader.take("maker", seat_of(players)),
            trump=reader.take("trump", one_of(*Suit, NO_TRUMP)),
            tricks=reader.numbers("tricks", table, "TRICKS_RANGE", rules.hand, required=not thrown_in),
            dropped=reader.take("dropped", seats_of(players)) or (),
            bid=reader.take("bid", whole, otherwise=bid_range),
            named=reader.take("named", _suits_named(table)),
            opened=reader.take("opened", list_of(suit, longest=rules.opened_most)) or (),
            passed_out=reader.take("passed_out", yes) is True,
        )
        if reader.problems:
            raise MalformedDeal(*reader.and_also(self.check(deal, table)))
        return deal

    def check(self, deal: DirtyClubsDeal, table: Table) -> tuple[Problem, ...]:
        if table.over:
            return (Problem("GAME_OVER", "deal"),)
        if deal.turn_up is None:
            # Without the turned card nothing else can be judged.
            return (malformed("turn_up", "missing"),)
        rules = _rules(table.ruleset)
        club_turned = deal.turn_up is Suit.CLUBS
        if deal.passed_out:
            # Rules R17: a turned club is always played.
            if club_turned or rules.plays_without_trump:
                return (Problem("NO_THROW_IN", "passed_out", {"reason": "club" if club_turned else "no-trump"}),)
            return ()
        problems = list(_check_club(deal) if club_turned else _check_maker(deal, table, rules))
        seats = table.seats
        if deal.maker is not None and deal.maker not in seats:
            problems.append(Problem("NOT_PLAYING", "maker", {"player": deal.maker}))
        if deal.named is not None:
            problems += not_playing(seats, "named", deal.named)
        if deal.dropped:
            problems += _check_dropped(deal, table, rules)
        if deal.tricks is None:
            problems.append(malformed("tricks", "missing"))
        elif sum(deal.tricks) != rules.hand or min(deal.tricks) < 0:
            problems += _check_tricks(deal.tricks, rules)
        elif len(deal.tricks) > len(seats):
            problems += not_playing(seats, "tricks", deal.tricks)
        return tuple(problems)

    def score(self, deal: DirtyClubsDeal, table: Table) -> DealScore[DirtyClubsDeal]:
        if problems := self.check(deal, table):
            raise IllegalDeal(*problems)
        rules = _rules(table.ruleset)
        players = len(table.totals)
        tricks = deal.tricks
        if tricks is None:
            # Rules §3.4: no score.
            return self.unscored(deal, table, Result.PASSED_OUT, table.dealer_after_throw_in)
        rows = _payoffs_of(deal, tricks, table, rules)
        totals, penalties = list(table.totals), list(table.penalties)
        short, sweeper = Result.SET, None
        for seat, row in rows.items():
            if row.wins:
                totals[seat], sweeper = rules.target, seat
            else:
                totals[seat] += row.change["player"]
            if row.result is short:
                penalties[seat] += 1
        if rules.floor is not None:
            for seat in rows:
                totals[seat] = max(totals[seat], rules.floor)
        if rules.ceiling is not None:
            for seat in rows:
                totals[seat] = min(totals[seat], rules.ceiling)
        outcome = _outcome(totals, table.ring, rules) if sweeper is None else Outcome((sweeper,), "sweep")
        after = Table(
            table.ruleset,
            table.next_dealer,
            tuple(totals),
            tuple(penalties),
            table.game,
            table.deals + 1,
            outcome.winners if outcome else (),
            table.present,
        )
        return DealScore(
            self,
            table,
            deal,
            Result.PLAYED if deal.maker is None else rows[deal.maker].result,
            tuple(map(operator.sub, totals, table.totals)),
            _chips(_stakes(table, after, rules), players) if outcome and rules.staked else (0,) * players,
            after,
            outcome,
        )

    def steady(self, ruleset: Ruleset) -> tuple[int | None, int | None]:
        rules = _rules(ruleset)
        # At the target a game is won, or a total held by a floor; at the ceiling a total may have been held.
        return rules.target, rules.ceiling

    def pay(self, score: DealScore[DirtyClubsDeal]) -> tuple[Payment, ...]:
        return _stakes(score.before, score.table, _rules(score.before.ruleset)) if score.outcome else ()

    def explain(self, score: DealScore[DirtyClubsDeal]) -> tuple[Line, ...]:
        deal = score.deal
        if deal is None or deal.tricks is None:
            return ()
        return (*self._explain_deal(score, deal, deal.tricks), *self._explain_end(score))

    def _explain_deal(
        self, score: DealScore[DirtyClubsDeal], deal: DirtyClubsDeal, tricks: tuple[int, ...]
    ) -> Iterator[Line]:
        table, rules = score.before, _rules(score.before.ruleset)
        if deal.turn_up is Suit.CLUBS:
            yield Line("club-turned")
        elif deal.maker is None:
            yield Line("no-trump")
        else:
            yield maker_line(deal, table.ruleset)
        rows = _payoffs_of(deal, tricks, table, rules)
        for seat in table.turns:
            row, taken = rows[seat], tricks[seat]
            values = {"player": seat, "role": row.case, "tricks": taken}
            if row.wins:
                yield Line("sweep", {**values, "change": score.points[seat], "total": rules.target})
                continue
            change = row.change["player"]
            if row.result is Result.SET:
                yield Line("short", {**values, "needs": row.high + 1, "change": change})
            elif row.case in (DROPPED, ALONE):
                yield Line(row.case, {**values, "change": change})
            else:
                yield Line("took", {**values, "change": change})
            if change != score.points[seat]:
                held = score.points[seat] - change
                code = "floor" if held > 0 else "ceiling"
                yield Line(code, {"player": seat, "change": held, "total": score.table.totals[seat]})

    def _explain_end(self, score: DealScore[DirtyClubsDeal]) -> Iterator[Line]:
        rules, totals, ring = _rules(score.before.ruleset), score.table.totals, score.before.ring
        lowest = min(totals[seat] for seat in ring)
        if score.outcome is None:
            if lowest <= rules.target:
                level = tuple(seat for seat in ring if totals[seat] == lowest)
                yield Line("extra-deal", {"players": level, "total": lowest})
            return
        winners = score.outcome.winners
        values = {"total": totals[winners[0]], "target": rules.target}
        if len(winners) > 1:
            yield Line("game-drawn", {"players": winners, **values})
        else:
            yield Line("game-won", {"player": winners[0], "rule": score.outcome.rule, **values})
        if not rules.staked:
            return
        for seat in ring:
            if seat not in winners:
                yield Line("stake", {"player": seat, **_stake(seat, score.table, rules)})
        yield from (payment.line for payment in score.payments)

    def needed(self, table: Table) -> tuple[Line, ...]:
        rules = _rules(table.ruleset)
        if table.over:
            return ()
        totals, lines = table.totals, []
        near = [seat for seat in table.ring if totals[seat] <= rules.target]
        for seat in table.seats:
            if totals[seat] - rules.target > rules.hand * rules.per_trick:
                continue
            near = [*near, seat] if seat not in near else near
            as_maker = rules.needed(_bidder(rules.bid_low) if rules.bids else MAKER, totals[seat])
            takes_club = seat == table.dealer and DEALER in rules.by_tricks
            values = {
                "player": seat,
                "total": totals[seat],
                "tricks": rules.needed(PLAYER, totals[seat]),
                "as_maker": as_maker,
                # Who bids higher than that owes what was bid.
                "or_bid": rules.bids and as_maker > 0 and rules.bid_high > as_maker,
                "as_dealer": rules.needed(DEALER, totals[seat]) if takes_club else None,
            }
            lines.append(Line("needs", values))
        if lines and len(near) > 1:
            # Rules R16: the lowest wins; K5, or H5: level players draw, or play on.
            lowest = min(totals[seat] for seat in near)
            first = [seat for seat in near if totals[seat] == lowest]
            # Nobody comes below a floor, so nobody is ahead of others there.
            if len(first) == 1 and rules.floor is None:
                lines.append(Line("ahead", {"player": first[0]}))
            lines.append(Line("level", {"players": tuple(near), "extra_deal": rules.extra_deal}))
        return tuple(lines)

    def outlook(self, declared: Facts, table: Table) -> Payoffs:
        rules, known = _rules(table.ruleset), _understood(declared, table)
        if known.maker is None:
            club = known.turn_up is Suit.CLUBS and table.dealer in table.seats
            cases = {PLAYER, DEALER} if club else {PLAYER}
        elif len(known.dropped) == len(table.seats) - 1:
            cases = {ALONE, DROPPED}
        else:
            cases = {MAKER if known.bid is None else _bidder(known.bid), PLAYER}
            cases |= {DROPPED} if known.dropped else set()
        return tuple(row for row in rules.payoffs if row.case in cases)

    def payoffs(self, ruleset: Ruleset) -> Payoffs:
        return _rules(ruleset).payoffs


def _understood(facts: Facts, table: Table) -> DirtyClubsDeal:
    """What can be used of *facts*, as far as the other facts depend on it."""
    players = len(table.totals)
    return DirtyClubsDeal(
        turn_up=suit(facts.get("turn_up")),
        maker=seat_of(players)(facts.get("maker")),
        trump=one_of(*Suit, NO_TRUMP)(facts.get("trump")),
        dropped=seats_of(players)(facts.get("dropped")) or (),
        bid=whole(facts.get("bid")),
        passed_out=facts.get("passed_out") is True,
    )


def _suits_named(table: Table) -> Callable[[object], tuple[Suit | None, ...] | None]:
    """A suit, or none, for each seat."""

    def read(value: object) -> tuple[Suit | None, ...] | None:
        entered = table.places(value, None)
        if entered is None or any(entry is not None and suit(entry) is None for entry in entered):
            return None
        return tuple(map(suit, entered))

    return read


def _check_club(deal: DirtyClubsDeal) -> Iterator[Problem]:
    # Rules R17: with a club turned up there is no maker, and nobody may drop.
    reason = {"reason": "club"}
    if deal.maker is not None:
        yield Problem("MAKER_NOT_ALLOWED", "maker", reason)
    if deal.trump not in (None, Suit.CLUBS):
        yield Problem("TRUMP_FIXED", "trump", reason)
    if deal.bid is not None:
        yield Problem("MAKER_NOT_ALLOWED", "bid", reason)
    if deal.named is not None and any(deal.named):
        yield Problem("MAKER_NOT_ALLOWED", "named", reason)
    if deal.opened:
        yield Problem("MAKER_NOT_ALLOWED", "opened", reason)


def _check_maker(deal: DirtyClubsDeal, table: Table, rules: _Rules) -> Iterator[Problem]:
    maker, trump = deal.maker, deal.trump
    if trump is None:
        yield Problem("TRUMP_MISSING", "trump")
    elif maker is None:
        if trump != NO_TRUMP or not rules.plays_without_trump:
            yield Problem("MAKER_MISSING", "maker", {"suit": trump})
    elif trump == NO_TRUMP and not rules.call_no_trump:
        # Rules §5.1, 10, relaxed by H7.
        yield Problem("MAKER_NOT_ALLOWED", "maker", {"reason": "no-trump"})
    elif rules.one_card_each and maker == table.turns[-1]:
        # Rules H1: no card is opened for the dealer.
        yield Problem("MAKER_NOT_ALLOWED", "maker", {"reason": "dealer"})
    if rules.bids:
        if maker is not None and deal.bid is None:
            yield malformed("bid", "missing")
        elif deal.bid is not None and not rules.bid_low <= deal.bid <= rules.bid_high:
            yield Problem("BID_RANGE", "bid", {"low": rules.bid_low, "high": rules.bid_high})
        elif deal.bid is not None and maker is None and trump == NO_TRUMP and rules.plays_without_trump:
            yield Problem("MAKER_NOT_ALLOWED", "bid", {"reason": "no-trump"})
    turned = deal.turn_up
    if deal.named is not None and turned in deal.named and not rules.may_name_turned:
        yield Problem("SUIT_TURNED_DOWN", "named", {"suit": turned, "player": Seat(deal.named.index(turned))})
    if trump == turned and not rules.turned_may_be_trump:
        yield Problem("SUIT_TURNED_DOWN", "trump", {"suit": turned, "player": maker})
    if deal.named is not None or deal.opened:
        yield from _check_guess(deal, deal.named or (None,) * len(table.totals), table, rules)


def maker_line(deal: DirtyClubsDeal, ruleset: Ruleset) -> Line:
    """Who the maker of *deal* is, and what is owed."""
    needs = _rules(ruleset).needs if deal.bid is None else deal.bid
    return Line("maker", {"player": deal.maker, "trump": deal.trump, "needs": needs, "bid": deal.bid})


def first_match(named: Sequence[Suit | None], opened: Sequence[Suit], table: Table) -> tuple[Seat, Suit] | None:
    """Who guessed, and what: the first card of *opened* that somebody *named*, and the first in turn who did."""
    for place, card in enumerate(opened):
        # Rules R12 and R13: each opened card against everybody in turn; by H1, against one player.
        asked = table.turns[place : place + 1] if _rules(table.ruleset).one_card_each else table.turns
        guesser = next((seat for seat in asked if named[seat] is card), None)
        if guesser is not None:
            return guesser, card
    return None


def _check_guess(
    deal: DirtyClubsDeal, named: tuple[Suit | None, ...], table: Table, rules: _Rules
) -> Iterator[Problem]:
    maker, trump = deal.maker, deal.trump
    turns = list(table.turns)
    if guess := first_match(named, deal.opened, table):
        guesser, opened = guess
        if guess != (maker, trump):
            yield Problem("GUESS_MISMATCH", "maker", {"reason": "named", "suit": opened, "player": guesser})
        return
    if maker not in turns or trump in (None, NO_TRUMP):
        return
    before = [] if rules.one_card_each else turns[: turns.index(maker)]
    first = next((seat for seat in before if named[seat] == trump), None)
    if deal.opened and trump not in deal.opened:
        yield Problem("GUESS_MISMATCH", "opened", {"reason": "not-opened", "suit": trump, "player": None})
    elif first is not None or named[maker] not in (None, trump):
        yield Problem("GUESS_MISMATCH", "maker", {"reason": "not-named", "suit": trump, "player": first})


def _check_dropped(deal: DirtyClubsDeal, table: Table, rules: _Rules) -> Iterator[Problem]:
    if not rules.may_drop:
        yield Problem("DROP_NOT_ALLOWED", "dropped", {"reason": "ruleset"})
    elif deal.turn_up is Suit.CLUBS:
        yield Problem("DROP_NOT_ALLOWED", "dropped", {"reason": "club"})
    elif deal.trump == NO_TRUMP and (deal.maker is None or not rules.drop_without_trump):
        yield Problem("DROP_NOT_ALLOWED", "dropped", {"reason": "no-trump"})
    else:
        makers = _makers(deal, rules)
        for seat in deal.dropped:
            if seat not in table.seats:
                yield Problem("NOT_PLAYING", "dropped", {"player": seat})
            elif seat in makers:
                yield Problem("MAKER_DROPPED", "dropped", {"player": seat})
            elif deal.tricks is not None and deal.tricks[seat]:
                yield Problem("DROPPED_WITH_TRICKS", "tricks", {"player": seat})


def _check_tricks(tricks: tuple[int, ...], rules: _Rules) -> Iterator[Problem]:
    for seat, taken in enumerate(tricks):
        if not 0 <= taken <= rules.hand:
            yield Problem("TRICKS_RANGE", "tricks", {"max": rules.hand, "player": Seat(seat)})
    if sum(tricks) != rules.hand:
        yield Problem("TRICKS_SUM", "tricks", {"sum": sum(tricks), "max": rules.hand})


def _makers(deal: DirtyClubsDeal, rules: _Rules) -> tuple[Seat, ...]:
    """Who owes what a maker owes: one player, or by Rules H2 everyone who named the suit."""
    if deal.maker is None:
        return ()
    if not rules.all_guessers or deal.named is None:
        return (deal.maker,)
    return tuple(Seat(seat) for seat, name in enumerate(deal.named) if seat == deal.maker or name == deal.trump)


def _payoffs_of(deal: DirtyClubsDeal, tricks: tuple[int, ...], table: Table, rules: _Rules) -> dict[Seat, Payoff]:
    """What the tricks of each seat that plays bring it in the role it has."""
    roles = dict.fromkeys(table.seats, PLAYER)
    if deal.maker is not None:
        for seat in deal.dropped:
            roles[seat] = DROPPED
        for seat in _makers(deal, rules):
            roles[seat] = MAKER if deal.bid is None else _bidder(deal.bid)
        if len(deal.dropped) == len(roles) - 1:
            roles[deal.maker] = ALONE
    elif deal.turn_up is Suit.CLUBS and DEALER in rules.by_tricks and table.dealer in roles:
        # Rules §3.4, three players: the dealer takes the club and owes two.
        roles[table.dealer] = DEALER
    by_tricks = rules.by_tricks
    return {seat: by_tricks[role][tricks[seat]] for seat, role in roles.items()}


def _outcome(totals: Sequence[int], ring: Iterable[int], rules: _Rules) -> Outcome | None:
    """Rules R16: after a whole deal the lowest score at or below the target wins, of those at the table."""
    if min(totals) > rules.target:
        return None
    lowest = min(totals[seat] for seat in ring)
    if lowest > rules.target:
        return None
    winners = tuple(sorted(Seat(seat) for seat in ring if totals[seat] == lowest))
    if len(winners) == 1:
        return Outcome(winners, "lowest")
    # Rules K5, or H5: level players draw, or play on.
    return None if rules.extra_deal else Outcome(winners, "draw")


def _stake(seat: Seat, after: Table, rules: _Rules) -> dict[str, int]:
    """What a loser pays at the end of a game, in chips, and what for."""
    penalties, points = after.penalties[seat], max(0, after.totals[seat] - rules.target)
    return {
        "chips": rules.stake_loser + rules.stake_penalty * penalties + rules.stake_point * points,
        "loser": rules.stake_loser,
        "penalties": penalties,
        "per_penalty": rules.stake_penalty,
        "points": points,
        "per_point": rules.stake_point,
    }


def _stakes(before: Table, after: Table, rules: _Rules) -> tuple[Payment, ...]:
    """Each loser's stake; several winners share it in whole chips, spare ones going round from the dealer's left."""
    place = before.ring.index(before.dealer) + 1
    turns = before.ring[place:] + before.ring[:place]
    winners = [seat for seat in turns if seat in after.winners]
    payments: list[Payment] = []
    spares = 0
    for loser in turns:
        if loser in after.winners:
            continue
        stake = _stake(loser, after, rules)["chips"]
        shares = apportion(stake, len(winners), start=spares)
        payments += (Payment(loser, winner, chips) for winner, chips in zip(winners, shares, strict=True) if chips)
        spares += stake % len(winners)
    return tuple(payments)


def _chips(payments: Iterable[Payment], players: int) -> tuple[int, ...]:
    """What *payments* bring each seat."""
    chips = [0] * players
    for payment in payments:
        chips[payment.payer] -= payment.chips
        chips[payment.payee] += payment.chips
    return tuple(chips)

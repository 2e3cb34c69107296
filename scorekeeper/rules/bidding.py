"""How each game is bid: who speaks next and what they may say, what to mind meanwhile, and the facts that fall out.

What may be said is what the game's own ``check`` accepts: nothing is offered that would be refused once it is recorded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any, Final

from scorekeeper.rules.base import (
    NO_TRUMP,
    Bidding,
    CardGame,
    Course,
    Facts,
    FieldKind,
    Line,
    Saying,
    Seat,
    Step,
    Suit,
    Table,
)
from scorekeeper.rules.dirty_clubs import DirtyClubsDeal, first_match, maker_line
from scorekeeper.rules.mensch import FORCED, PASS, PASSED_OUT, MenschDeal

ORDER_UP: Final = "order-up"
_SUITS: Final = tuple(suit.value for suit in Suit)


def mensch(game: CardGame[Any], table: Table, said: tuple[Saying, ...]) -> Bidding:
    """The course of Mensch: bids in turn, each higher than the last."""
    auction = tuple((seat, bid) for _step, seat, bid in said)

    def may_say(seat: Seat, bid: str) -> bool:
        return _fits(game, table, MenschDeal("", auction=(*auction, (seat, bid))), "auction")

    bids = [bid for bid in auction if bid[1] != PASS]
    highest = bids[-1] if bids else None
    passes = len(list(takewhile(lambda bid: bid[1] == PASS, reversed(auction))))
    turn = next((seat for seat in table.seats if may_say(seat, PASS)), None)
    # It is over once all the others have passed, everybody has spoken, or nothing higher is left to say.
    if turn is not None and passes < len(table.seats) - bool(highest):
        bid_or_pass = next(field.choices for field in game.fields(table) if field.kind is FieldKind.AUCTION)
        ladder = (*(bid for bid in bid_or_pass if bid != PASS), PASS)
        choices = tuple(bid for bid in ladder if may_say(turn, bid))
        if choices != (PASS,):
            reminders = _while_bidding(table, turn, choices, highest[1] if highest else None)
            last = [_if_passed(table, turn)] if not highest and passes == len(table.seats) - 1 else []
            line = Line("asks-bid", {"player": turn})
            return Bidding(said, line, Step.BID, turn, ladder, choices, (*reminders, *last))
    facts: dict[str, object] = {"auction": [list(bid) for bid in auction]} if auction else {}
    if highest:
        declarer, contract = highest
        return _contracted(table, said, game.complete({"contract": contract, "declarer": declarer, **facts}, table))
    if table.ruleset.options["passed_out"] == FORCED:
        # Rules R9.
        return _contracted(table, said, game.complete({"contract": FORCED, **facts}, table))
    return _thrown_in(game, table, said, {"contract": PASSED_OUT})


def _while_bidding(table: Table, turn: Seat, choices: Collection[str], highest: str | None) -> Iterator[Line]:
    options = table.ruleset.options
    # Rules R8 and the duty to bid: three clubs are worth a Half, and After over a Half.
    duty = {None: "half", "half": "after"}.get(highest)
    if options["reminder"] and duty in choices:
        yield Line("three-clubs", {"player": turn, "contract": duty})
    if options["ladder"] != "nine-steps" and highest is not None:
        yield Line("last-bid-stands")


def _contracted(table: Table, said: tuple[Saying, ...], facts: Facts) -> Bidding:
    options, contract, declarer = table.ruleset.options, facts["contract"], facts.get("declarer")
    alone, names_trump = options[f"{contract}.declarers"] == 1, options[f"{contract}.trump"] == "chosen"
    values = {"player": declarer, "contract": contract, "partner": facts.get("partner"), "trump": facts.get("trump")}
    reminders = []
    if names_trump:
        reminders.append(Line("forced-names-trump") if contract == FORCED else Line("names-trump", values))
    if not alone and options["partnership"] == "called":
        reminders.append(Line("calls-any-card") if options["call_trump"] else Line("calls-card"))
    # Rules §3.1, first lead.
    bidder_leads = contract == "solo" if options["first_lead"] == "solo-leads" else alone
    leader = declarer if bidder_leads else table.left_of(table.dealer)
    if leader is not None:
        reminders.append(Line("leads", {"player": leader}))
    line = Line("forced-contract") if contract == FORCED else Line("bid-contract", values)
    return Bidding(said, line, reminders=tuple(reminders), facts=facts)


def dirty_clubs(game: CardGame[Any], table: Table, said: tuple[Saying, ...]) -> Bidding:
    """The course of Dirty Clubs: a card is turned up, then there is a maker as the ruleset has it."""
    if not said:
        line = Line("asks-turn-up", {"player": table.dealer})
        return Bidding(said, line, Step.TURN_UP, table.dealer, _SUITS, _SUITS)
    if said[0].word == Suit.CLUBS:
        # Rules R17: nobody bids.
        reminders = _all_owe(table, club_turned=True)
        return Bidding(said, Line("club-turned"), reminders=reminders, facts={"turn_up": said[0].word})
    return _MAKER_BY[str(table.ruleset.options["maker_by"])](game, table, said)


def _by_bid(game: CardGame[Any], table: Table, said: tuple[Saying, ...]) -> Bidding:
    """The highest bidder names trump."""
    spoken = [saying for saying in said if saying.step is Step.BID]
    raised = [saying for saying in spoken if saying.word != PASS]
    highest = raised[-1] if raised else None
    turn = _next_bidder(table, spoken)
    if turn is not None and (highest is None or turn != highest.seat):
        options: Mapping[str, Any] = table.ruleset.options
        bids = range(options["bid_low"], options["bid_high"] + 1)
        higher = tuple(str(bid) for bid in bids if not highest or bid > int(highest.word))
        if higher:
            last = not highest and len(spoken) == len(table.turns) - 1
            reminders = (_if_passed(table, turn),) if last else ()
            line = Line("asks-bid", {"player": turn})
            return Bidding(said, line, Step.BID, turn, (*map(str, bids), PASS), (*higher, PASS), reminders)
    if highest is None:
        return _nobody(game, table, said)
    bid = int(highest.word)
    if said[-1].step is not Step.NAME:
        return _naming(said, highest.seat, _suits(game, table, said, highest.seat, bid))
    return _made(game, table, said, highest.seat, said[-1].word, bid=bid)


def _next_bidder(table: Table, bids: Sequence[Saying]) -> Seat | None:
    """Who speaks next: once each, or in turn those who have not passed."""
    turns = table.turns
    if table.ruleset.options["bidding"] == "one-turn":
        return turns[len(bids)] if len(bids) < len(turns) else None
    passed = {saying.seat for saying in bids if saying.word == PASS}
    last = bids[-1].seat if bids else turns[-1]
    following = (table.left_of(last, steps) for steps in range(1, len(turns)))
    return next((seat for seat in following if seat not in passed), None)


def _by_order(game: CardGame[Any], table: Table, said: tuple[Saying, ...]) -> Bidding:
    """One round about the suit turned up, and one in which another is named."""
    turned, *spoken = said
    turns = table.turns
    if spoken and spoken[-1].word != PASS:
        step, maker, word = spoken[-1]
        return _made(game, table, said, maker, turned.word if step is Step.ORDER_UP else word)
    if len(spoken) == 2 * len(turns):
        return _nobody(game, table, said)
    turn = turns[len(spoken) % len(turns)]
    if len(spoken) < len(turns):
        line = Line("asks-order-up", {"player": turn, "suit": turned.word})
        return Bidding(said, line, Step.ORDER_UP, turn, (ORDER_UP, PASS), (ORDER_UP, PASS))
    suits = _suits(game, table, said, turn)
    turned_down = [Line("turned-down", {"suit": turned.word})] if turned.word not in suits else []
    last = [_if_passed(table, turn)] if len(spoken) == 2 * len(turns) - 1 else []
    return _naming(said, turn, (*suits, PASS), *turned_down, *last)


def _by_opening(game: CardGame[Any], table: Table, said: tuple[Saying, ...]) -> Bidding:
    """Everybody who can be the maker names a suit; then cards are opened until one is of a suit that was named."""
    options = table.ruleset.options
    namers = [seat for seat in table.turns if _suits(game, table, said, seat)]
    _turned, *spoken = said
    if len(spoken) < len(namers):
        turn = namers[len(spoken)]
        guessers = Line("all-guess") if options["all_guessers"] else Line("first-guesses")
        return _naming(said, turn, _suits(game, table, said, turn), guessers)
    named: list[Suit | None] = [None] * len(table.totals)
    for _step, seat, word in spoken[: len(namers)]:
        named[seat] = Suit(word)
    opened = [Suit(saying.word) for saying in spoken[len(namers) :]]
    facts = {"named": [suit and suit.value for suit in named], **({"opened": [*map(str, opened)]} if opened else {})}
    if guess := first_match(named, opened, table):
        return _made(game, table, said, guess[0], guess[1].value, **facts)
    if len(opened) == next(field.high for field in game.fields(table) if field.name == "opened"):
        return _nobody(game, table, said, **facts)
    card_for = [Line("card-for", {"player": table.turns[len(opened)]})] if options["one_card_each"] else []
    line = Line("asks-card", {"player": table.dealer})
    return Bidding(said, line, Step.OPEN, table.dealer, _SUITS, _SUITS, tuple(card_for))


def _naming(said: tuple[Saying, ...], turn: Seat, choices: tuple[str, ...], *reminders: Line) -> Bidding:
    ladder = (*_SUITS, *(word for word in choices if word not in _SUITS))
    return Bidding(said, Line("asks-suit", {"player": turn}), Step.NAME, turn, ladder, choices, reminders)


def _suits(
    game: CardGame[Any], table: Table, said: Sequence[Saying], maker: Seat, bid: int | None = None
) -> tuple[str, ...]:
    """What *maker* may name as trump."""

    def may_name(trump: str) -> bool:
        named: list[Suit | None] = [None] * len(table.totals)
        named[maker] = Suit(trump) if trump != NO_TRUMP else None
        deal = DirtyClubsDeal(Suit(said[0].word), maker, trump, bid=bid, named=tuple(named))
        return _fits(game, table, deal, "maker", "trump", "named")

    return tuple(filter(may_name, (*_SUITS, NO_TRUMP)))


def _made(game: CardGame[Any], table: Table, said: tuple[Saying, ...], maker: Seat, trump: str, **more: Any) -> Bidding:
    """The end of a bidding that made somebody the maker."""
    turned = said[0].word
    deal = DirtyClubsDeal(Suit(turned), maker, trump, bid=more.get("bid"))
    reminders = []
    others = tuple(seat for seat, suit in enumerate(more.get("named", ())) if suit == trump and seat != maker)
    if table.ruleset.options["all_guessers"] and others:
        # Rules H2.
        reminders.append(Line("guessed-too", {"players": others}))
    if _fits(game, table, replace(deal, dropped=(table.left_of(maker),)), "dropped"):
        reminders.append(Line("may-drop"))
    facts = {"turn_up": turned, "maker": maker, "trump": trump, **more}
    return Bidding(said, maker_line(deal, table.ruleset), reminders=tuple(reminders), facts=facts)


def _nobody(game: CardGame[Any], table: Table, said: tuple[Saying, ...], **more: object) -> Bidding:
    """The end of a bidding that made nobody the maker."""
    turned = said[0].word
    if _fits(game, table, DirtyClubsDeal(Suit(turned), passed_out=True), "passed_out"):
        return _thrown_in(game, table, said, {"turn_up": turned, "passed_out": True})
    facts = {"turn_up": turned, "trump": NO_TRUMP, **more}
    return Bidding(said, Line("no-trump"), reminders=_all_owe(table), facts=facts)


def _thrown_in(game: CardGame[Any], table: Table, said: tuple[Saying, ...], facts: Facts) -> Bidding:
    return Bidding(said, game.play(facts, table).lines[0], facts=facts)


def _if_passed(table: Table, turn: Seat) -> Line:
    """What a last pass of *turn* would mean."""
    player = {"player": turn}
    match table.ruleset.options["passed_out"]:
        case "forced":
            return Line("if-passed-forced", player)
        case "no-trump":
            return Line("if-passed-no-trump", player)
    return Line("if-passed-thrown-in", player)


def _all_owe(table: Table, *, club_turned: bool = False) -> tuple[Line, ...]:
    """What everybody owes where nobody is the maker."""
    options: Mapping[str, Any] = table.ruleset.options
    needs, dealer_needs = options["others_need"], options["club_dealer_needs"]
    owed = (Line("all-owe", {"needs": needs}),) if needs else ()
    if club_turned and dealer_needs != needs and table.dealer in table.seats:
        return (*owed, Line("takes-club", {"player": table.dealer, "needs": dealer_needs}))
    return owed


def _fits(game: CardGame[Any], table: Table, deal: MenschDeal | DirtyClubsDeal, *fields: str) -> bool:
    """Whether nothing is wrong with what *deal* says in *fields*."""
    return not any(problem.field in fields for problem in game.check(deal, table))


_MAKER_BY: Final[Mapping[str, Course]] = {
    "bid": _by_bid,
    "order-up": _by_order,
    "opened": _by_opening,
}

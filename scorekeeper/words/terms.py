"""What the games call things: the word for every contract, suit, ruleset, result, field and option."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from flask_babel import gettext as _

from scorekeeper.rules.base import Field, FieldKind, OptionValue
from scorekeeper.words.numbers import number

MAX_QUOTED: Final = 40
"""Characters shown of something that was entered and could not be used."""

_Words = Mapping[str, Callable[[], str]]

_CONTRACTS: Final[_Words] = {
    "half": lambda: _("Half"),
    "after": lambda: _("After"),
    "five": lambda: _("Five"),
    "five-after": lambda: _("Five After"),
    "six": lambda: _("Six"),
    "six-after": lambda: _("Six After"),
    "seven": lambda: _("Seven"),
    "seven-after": lambda: _("Seven After"),
    "solo": lambda: _("Solo"),
    "forced": lambda: _("Forced"),
    "passed-out": lambda: _("Thrown in"),
    "pass": lambda: _("Pass"),
}
_SUITS: Final[_Words] = {
    "clubs": lambda: _("Clubs"),
    "spades": lambda: _("Spades"),
    "hearts": lambda: _("Hearts"),
    "diamonds": lambda: _("Diamonds"),
    "none": lambda: _("No trump"),
}
_GAMES: Final[_Words] = {
    "mensch": lambda: _("Mensch"),
    "dirty-clubs": lambda: _("Dirty Clubs"),
}
_RULESETS: Final[_Words] = {
    "mensch": lambda: _("Mensch"),
    "mensch-russian": lambda: _("Mensch, Russian text corrected"),
    "mensch-russian-printed": lambda: _("Mensch, Russian text as printed"),
    "dirty-clubs": lambda: _("Dirty Clubs"),
    "buck-euchre": lambda: _("Buck Euchre, Ohio"),
    "buck-euchre-no-drop": lambda: _("Buck Euchre, nobody drops"),
    "buck-euchre-bid": lambda: _("Buck Euchre with bids"),
    "buck-euchre-three": lambda: _("Buck Euchre for three"),
}
_SUMMARIES: Final[_Words] = {
    "mensch": lambda: _(
        "Nine bids, played for chips. When everybody passes, whoever holds the queen of hearts must play."
    ),
    "mensch-russian": lambda: _("The same bids and rates. The dealer bids first, and four passes are thrown in."),
    "mensch-russian-printed": lambda: _("Three rungs of bids, with the rates as the text prints them."),
    "dirty-clubs": lambda: _("Everybody counts down, a point a trick. Who guesses a suit that is opened owes more."),
    "buck-euchre": lambda: _("Order up the turned card or name another suit. The others may drop out."),
    "buck-euchre-no-drop": lambda: _("As in Ohio, but everybody plays every deal."),
    "buck-euchre-bid": lambda: _("The highest bid names trump and owes what it bid. Level players play on."),
    "buck-euchre-three": lambda: _("A short game for three. The dealer takes a club that is turned up."),
}
_NOTICES: Final[_Words] = {
    # Rules R3 and §3.3.
    "mensch-russian-printed": lambda: _(
        "These are the rates as the Russian text prints them, and they look swapped: clubs are cheaper than other suits"
        " until all eight tricks are taken, and then dearer. Every other source makes clubs the dear suit throughout."
        " “Mensch, Russian text corrected” has them set right."
    ),
}
_RANKS: Final[_Words] = {
    "A": lambda: _("ace"),
    "K": lambda: _("king"),
    "Q": lambda: _("queen"),
    "J": lambda: _("jack"),
}
_OF_SUIT: Final[_Words] = {
    "clubs": lambda: _("clubs"),
    "spades": lambda: _("spades"),
    "hearts": lambda: _("hearts"),
    "diamonds": lambda: _("diamonds"),
}
_RESULTS: Final[_Words] = {
    "made": lambda: _("Made"),
    "set": lambda: _("Set"),
    "played": lambda: _("Played"),
    "passed-out": lambda: _("Thrown in"),
    "misdeal": lambda: _("Misdeal"),
}
_ROLES: Final[_Words] = {
    "declarer": lambda: _("Declarer"),
    "partner": lambda: _("Partner"),
    "opponent": lambda: _("Each opponent"),
    "player": lambda: _("Points"),
}
_CASES: Final[_Words] = {
    "maker": lambda: _("Maker"),
    "alone": lambda: _("Maker, when everybody else has dropped out"),
    "player": lambda: _("Every other player"),
    "dealer": lambda: _("Dealer, with a club turned up"),
    "dropped": lambda: _("Dropped out"),
}
_TRUMP_KINDS: Final[_Words] = {
    "clubs": lambda: _("in clubs"),
    "other": lambda: _("in another suit"),
}
_FIELDS: Final[_Words] = {
    "dealer": lambda: _("Dealer"),
    "misdeal": lambda: _("Misdeal"),
    "contract": lambda: _("Contract"),
    "declarer": lambda: _("Declarer"),
    "partner": lambda: _("Partner"),
    "trump": lambda: _("Trump"),
    "tricks": lambda: _("Tricks"),
    "tricks_by_player": lambda: _("Tricks of each player"),
    "called_card": lambda: _("Called card"),
    "auction": lambda: _("Bidding"),
    "result": lambda: _("Result on the sheet"),
    "turn_up": lambda: _("Turned up"),
    "maker": lambda: _("Maker"),
    "dropped": lambda: _("Dropped out"),
    "bid": lambda: _("Bid"),
    "named": lambda: _("Suit each player named"),
    "opened": lambda: _("Cards opened"),
    "passed_out": lambda: _("Thrown in"),
}
_HINTS: Final[Mapping[tuple[str, FieldKind], Callable[[], str]]] = {
    ("tricks", FieldKind.NUMBER): lambda: _("What the declaring side took together."),
    ("called_card", FieldKind.CARD): lambda: _("Rank and suit: AS is the ace of spades, 10H the ten of hearts."),
    ("maker", FieldKind.SEAT): lambda: _("Who fixed the trump suit."),
    ("dropped", FieldKind.SEATS): lambda: _("Who did not play this deal."),
    ("opened", FieldKind.SUIT_LIST): lambda: _("In the order in which the dealer opened them."),
}
_OPTIONS: Final[_Words] = {
    "players": lambda: _("Players"),
    "cards": lambda: _("Cards in the deck"),
    "hand": lambda: _("Cards in a hand"),
    "dealing": lambda: _("How the cards are dealt"),
    "first_bidder": lambda: _("Who bids first"),
    "bids_each": lambda: _("Bids each player has"),
    "ladder": lambda: _("Order of the bids"),
    "after_bids": lambda: _("When After can be bid"),
    "reminder": lambda: _("Remind whoever holds three clubs to bid"),
    "passed_out": lambda: _("When everybody passes"),
    "partnership": lambda: _("How partners are found"),
    "call_trump": lambda: _("A trump may be called"),
    "first_lead": lambda: _("Who leads first"),
    "start": lambda: _("Points at the start"),
    "target": lambda: _("Points to come down to"),
    "per_trick": lambda: _("Points off for each trick"),
    "maker_by": lambda: _("How the maker is found"),
    "needs": lambda: _("Tricks the maker owes"),
    "bid_low": lambda: _("Lowest bid"),
    "bid_high": lambda: _("Highest bid"),
    "bidding": lambda: _("How the bidding goes"),
    "short_penalty": lambda: _("Points for a maker who falls short"),
    "others_need": lambda: _("Tricks the others owe"),
    "none_penalty": lambda: _("Points for another player who falls short"),
    "drop": lambda: _("Who may drop out"),
    "drop_without_trump": lambda: _("The others may drop out when the maker calls no trump"),
    "dropped_penalty": lambda: _("Points for dropping out"),
    "club_dealer_needs": lambda: _("Tricks the dealer owes with a club turned up"),
    "turned_suit": lambda: _("Naming the suit turned up"),
    "call_no_trump": lambda: _("The maker may call no trump"),
    "sweep": lambda: _("All the tricks"),
    "level": lambda: _("Level at the end"),
    "floor": lambda: _("Lowest score"),
    "ceiling": lambda: _("Highest score"),
    "one_card_each": lambda: _("One opened card for each player"),
    "all_guessers": lambda: _("Everybody who named the suit is a guesser"),
    "stake_loser": lambda: _("Chips each loser pays"),
    "stake_penalty": lambda: _("Chips for each penalty taken"),
    "stake_point": lambda: _("Chips for each point left"),
}
_GROUPS: Final[_Words] = {
    "table": lambda: _("At the table"),
    "stake": lambda: _("Stake in chips"),
}
_PRICES: Final[_Words] = {
    "offered": lambda: _("can be bid"),
    "declarers": lambda: _("players on the declaring side"),
    "needs": lambda: _("tricks needed"),
    "trump": lambda: _("trump"),
    "made": lambda: _("made in other suits"),
    "set": lambda: _("set in other suits"),
    "all": lambda: _("all tricks in other suits"),
    "clubs_made": lambda: _("made in clubs"),
    "clubs_set": lambda: _("set in clubs"),
    "clubs_all": lambda: _("all tricks in clubs"),
}
_OPTION_VALUES: Final[_Words] = {
    "at-once": lambda: _("All at once"),
    "in-fours": lambda: _("Four at a time"),
    "left-of-dealer": lambda: _("The player on the dealer’s left"),
    "dealer": lambda: _("The dealer"),
    "nine-steps": lambda: _("Nine steps, each higher than the last"),
    "three-rungs": lambda: _("Three rungs"),
    "over-base": lambda: _("Only over the same bid"),
    "unchecked": lambda: _("As the table agrees"),
    "forced": lambda: _("The holder of the queen of hearts plays"),
    "same-dealer": lambda: _("Thrown in; the same dealer deals again"),
    "next-dealer": lambda: _("Thrown in; the deal passes on"),
    "no-trump": lambda: _("Played without trumps"),
    "called": lambda: _("By a called card"),
    "agreed": lambda: _("As the table agrees"),
    "fixed": lambda: _("Players opposite are partners"),
    "solo-leads": lambda: _("The bidder of a Solo, otherwise the player on the dealer’s left"),
    "alone-leads": lambda: _("Whoever plays alone, otherwise the player on the dealer’s left"),
    "clubs": lambda: _("Clubs"),
    "chosen": lambda: _("The declarer chooses"),
    "opened": lambda: _("Names a suit that is then opened"),
    "order-up": lambda: _("Orders up the turned card, or names another suit"),
    "bid": lambda: _("By the highest bid"),
    "until-passed": lambda: _("Until the others have passed"),
    "one-turn": lambda: _("One turn each"),
    "nobody": lambda: _("Nobody"),
    "all-but-maker": lambda: _("Everybody but the maker"),
    "may-be-named": lambda: _("Allowed"),
    "not-named": lambda: _("Not allowed"),
    "wins": lambda: _("Win the game at once"),
    "counts": lambda: _("Count like any others"),
    "draw": lambda: _("A draw"),
    "extra-deal": lambda: _("Another deal is played"),
    "none": lambda: _("No limit"),
    "target": lambda: _("The target"),
    "start": lambda: _("The points at the start"),
}


def contract_name(contract: str) -> str:
    """A contract or a bid, pass and passed-out included."""
    return _word(_CONTRACTS, contract)


def suit_name(suit: str) -> str:
    """A suit, or what stands for one where there is no trump."""
    return _word(_SUITS, suit)


def card_name(rank: str, suit: str) -> str:
    """A card: the "ace of spades"."""
    return _("%(rank)s of %(suit)s", rank=_RANKS[rank]() if rank in _RANKS else rank, suit=_word(_OF_SUIT, suit))


def game_name(card_game: str) -> str:
    return _word(_GAMES, card_game)


def ruleset_title(ruleset_id: str) -> str:
    return _word(_RULESETS, ruleset_id)


def ruleset_summary(ruleset_id: str) -> str:
    """What sets a ruleset apart, in a line."""
    return _word(_SUMMARIES, ruleset_id)


def ruleset_notice(ruleset_id: str) -> str | None:
    """What to know before choosing a ruleset, if there is anything."""
    notice = _NOTICES.get(ruleset_id)
    return notice() if notice else None


def case_name(case: str) -> str:
    """Whose payoffs they are: the players of a contract, or a role in Dirty Clubs."""
    bid = case.removeprefix("bid-")
    if bid != case:
        return _("Maker who bid %(bid)s", bid=number(int(bid)))
    return _word(_CASES, case) if case in _CASES else contract_name(case)


def trump_kind_name(kind: str) -> str | None:
    """With which trump a payoff holds, unless it is with any."""
    return _word(_TRUMP_KINDS, kind) if kind in _TRUMP_KINDS else None


def role_name(role: str) -> str:
    """Who gets what a payoff gives this role."""
    return _word(_ROLES, role)


def result_name(result: str) -> str:
    return _word(_RESULTS, result)


def field_label(name: str) -> str:
    """What a fact is called on a form."""
    return _word(_FIELDS, name)


def field_hint(field: Field) -> str | None:
    """What to enter, where the label does not say it all."""
    hint = _HINTS.get((field.name, field.kind))
    return hint() if hint else None


def option_label(name: str) -> str:
    """What a house rule is called, with the contract it is about."""
    contract, _dot, price = name.rpartition(".")
    if not contract:
        return _word(_OPTIONS, name)
    return _("%(contract)s: %(option)s", contract=contract_name(contract), option=_word(_PRICES, price))


def option_short_label(name: str) -> str:
    """The same under the heading of its contract."""
    contract, _dot, price = name.rpartition(".")
    return _word(_PRICES if contract else _OPTIONS, price)


def option_group_label(group: str) -> str:
    """The heading over the house rules of one :attr:`Option.group`."""
    return _word(_GROUPS, group) if group in _GROUPS else contract_name(group)


def option_value_label(value: OptionValue) -> str:
    """What a house rule is set to."""
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    return number(value) if isinstance(value, int) else _word(_OPTION_VALUES, value)


def quotable(text: object) -> str:
    """*text* that somebody entered, short and harmless enough to be repeated."""
    shown = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in str(text))
    return shown if len(shown) <= MAX_QUOTED else f"{shown[: MAX_QUOTED - 1]}…"


def _word(words: _Words, word: str) -> str:
    """The word for a code; what has no word, such as a contract that does not exist, as it was entered."""
    return words[word]() if word in words else quotable(word)

"""The bidding: the words that are said in turn, and the sentences that ask, remind and say what it comes to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from flask_babel import gettext as _
from flask_babel import ngettext

from scorekeeper.rules.base import NO_TRUMP, Suit
from scorekeeper.words.numbers import number
from scorekeeper.words.said import Said
from scorekeeper.words.terms import contract_name, suit_name


def word_said(word: str) -> str:
    """One word of the bidding: a bid, a suit, a pass."""
    if word == "order-up":
        return _("Order up")
    if word.isdecimal():
        return number(int(word))
    return suit_name(word) if word in (*Suit, NO_TRUMP) else contract_name(word)


def _bid_contract(said: Said) -> str:
    if said.values_of["partner"] is not None:
        return _("%(player)s and %(partner)s play %(contract)s: %(trump)s.", **said)
    if said.values_of["trump"] is not None:
        return _("%(player)s plays %(contract)s: %(trump)s.", **said)
    return _("%(player)s plays %(contract)s.", **said)


BIDDING_SENTENCES: Final[Mapping[str, Callable[[Said], str]]] = {
    "asks-turn-up": lambda said: _("Which suit does %(player)s turn up?", **said),
    "asks-bid": lambda said: _("What does %(player)s bid?", **said),
    "asks-order-up": lambda said: _("Does %(player)s order up %(suit)s?", **said),
    "asks-suit": lambda said: _("Which suit does %(player)s name?", **said),
    "asks-card": lambda said: _("Which suit does %(player)s open?", **said),
    "bid-contract": _bid_contract,
    "forced-contract": lambda said: _("Nobody bid: whoever holds the queen of hearts must play."),
    "three-clubs": lambda said: _("With three clubs or more, %(player)s must bid %(contract)s at least.", **said),
    "last-bid-stands": lambda said: _("The last bid stands: by these rules the bids of a rung have no order."),
    "if-passed-forced": lambda said: _(
        "If %(player)s passes too, whoever holds the queen of hearts must play.", **said
    ),
    "if-passed-no-trump": lambda said: _("If %(player)s passes too, the deal is played without trumps.", **said),
    "if-passed-thrown-in": lambda said: _("If %(player)s passes too, the cards are thrown in.", **said),
    "names-trump": lambda said: _("%(player)s names the trump suit.", **said),
    "forced-names-trump": lambda said: _("The holder of the queen of hearts names the trump suit."),
    "calls-card": lambda said: _(
        "A card of another suit than trump is called: whoever holds it is the partner, and says nothing until it is"
        " played."
    ),
    "calls-any-card": lambda said: _(
        "A card is called: whoever holds it is the partner, and says nothing until it is played."
    ),
    "leads": lambda said: _("%(player)s leads.", **said),
    "first-guesses": lambda said: _("The guesser is the first in turn whose suit is opened."),
    "all-guess": lambda said: _("Everybody whose suit is opened is a guesser."),
    "card-for": lambda said: _("This card is for %(player)s alone.", **said),
    "turned-down": lambda said: _("%(suit)s was turned down and cannot be named.", **said),
    "guessed-too": lambda said: _("The same is owed by %(players)s, who named it too.", **said),
    "may-drop": lambda said: _("The others may drop out."),
    "all-owe": lambda said: ngettext(
        "Everybody owes %(num)s trick.", "Everybody owes %(num)s tricks.", said.count("needs")
    ),
    "takes-club": lambda said: ngettext(
        "%(player)s takes the club and owes %(num)s trick.",
        "%(player)s takes the club and owes %(num)s tricks.",
        said.count("needs"),
        player=said["player"],
    ),
}

"""The rules of the card games: pure, standard library only."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from scorekeeper.rules import bidding
from scorekeeper.rules.base import (
    MISDEAL,
    MOST_SITTING_OUT,
    NO_TRUMP,
    NOBODY,
    Bidding,
    CardGame,
    DealScore,
    Facts,
    Field,
    FieldKind,
    IllegalDeal,
    IllegalRules,
    Line,
    MalformedDeal,
    Option,
    OptionValue,
    OtherRate,
    Outcome,
    Payment,
    Payoff,
    Payoffs,
    Problem,
    Refused,
    Result,
    Ruleset,
    Seat,
    Step,
    Suit,
    Table,
    Unit,
)
from scorekeeper.rules.dirty_clubs import DirtyClubs
from scorekeeper.rules.mensch import Mensch

CARD_GAMES: Final[Mapping[str, CardGame[Any]]] = MappingProxyType(
    {game.id: game for game in (Mensch(bidding.mensch), DirtyClubs(bidding.dirty_clubs))}
)

RULESETS: Final[Mapping[str, CardGame[Any]]] = MappingProxyType(
    {ruleset.id: game for game in CARD_GAMES.values() for ruleset in game.rulesets}
)
"""The card game of each ruleset id."""


def ruleset(ruleset_id: str) -> tuple[CardGame[Any], Ruleset]:
    """The published ruleset of this id, and the card game it belongs to.

    :raises KeyError: if there is none.
    """
    game = RULESETS[ruleset_id]
    return game, game.ruleset(ruleset_id)


__all__ = [
    "CARD_GAMES",
    "MISDEAL",
    "MOST_SITTING_OUT",
    "NOBODY",
    "NO_TRUMP",
    "RULESETS",
    "Bidding",
    "CardGame",
    "DealScore",
    "Facts",
    "Field",
    "FieldKind",
    "IllegalDeal",
    "IllegalRules",
    "Line",
    "MalformedDeal",
    "Option",
    "OptionValue",
    "OtherRate",
    "Outcome",
    "Payment",
    "Payoff",
    "Payoffs",
    "Problem",
    "Refused",
    "Result",
    "Ruleset",
    "Seat",
    "Step",
    "Suit",
    "Table",
    "Unit",
    "ruleset",
]

"""Why a deal brought what it did: the sentence for every line of an explanation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from flask_babel import gettext as _
from flask_babel import ngettext

from scorekeeper.rules.base import Facts, Line
from scorekeeper.words.bidding import BIDDING_SENTENCES
from scorekeeper.words.said import Said, name_of
from scorekeeper.words.terms import contract_name, suit_name

Sentence = Callable[[Said], str]


def line_sentence(line: Line, names: Sequence[str] = ()) -> str:
    """One step of an explanation, or of a bidding, in a sentence; *names* are the players', by seat."""
    return _SENTENCES[line.code](Said(line.values, names))


def deal_title(facts: Facts, names: Sequence[str]) -> str:
    """What was played, by whom, in a few words: "Half, Clubs: Ann with Cleo"."""
    contract, trump = facts.get("contract"), facts.get("trump")
    if facts.get("passed_out") or contract == "passed-out":
        return _("Thrown in")
    if contract is None:
        return _dirty_clubs_title(facts, names)
    values = {
        "contract": contract_name(str(contract)),
        "declarer": name_of(facts.get("declarer"), names),
        "partner": name_of(facts.get("partner"), names),
        "trump": suit_name(str(trump)),
    }
    if "partner" in facts:
        return (
            _("%(contract)s, %(trump)s: %(declarer)s with %(partner)s", **values)
            if trump
            else _("%(contract)s: %(declarer)s with %(partner)s", **values)
        )
    return _("%(contract)s, %(trump)s: %(declarer)s", **values) if trump else _("%(contract)s: %(declarer)s", **values)


def _dirty_clubs_title(facts: Facts, names: Sequence[str]) -> str:
    trump = facts.get("trump")
    if "maker" not in facts:
        return _("No trump") if trump == "none" else _("Clubs turned up")
    maker, suit = name_of(facts["maker"], names), suit_name(str(trump))
    if isinstance(bid := facts.get("bid"), int):
        return _("%(suit)s: %(maker)s bid %(bid)s", suit=suit, maker=maker, bid=bid)
    return _("%(suit)s: %(maker)s", suit=suit, maker=maker)


def _contract(said: Said) -> str:
    partner = said.values_of["partner"] is not None
    if said.values_of["contract"] == "forced":
        if partner:
            return _("Nobody bid. %(player)s held the queen of hearts and played with %(partner)s: %(trump)s.", **said)
        return _("Nobody bid. %(player)s held the queen of hearts and played alone: %(trump)s.", **said)
    if partner:
        return _("%(player)s and %(partner)s played %(contract)s: %(trump)s.", **said)
    return _("%(player)s played %(contract)s: %(trump)s.", **said)


def _tricks(said: Said) -> str:
    if said.values_of["result"] == "made":
        return _("%(tricks)s of %(max)s tricks were taken, and %(needs)s needed: made.", **said)
    return _("%(tricks)s of %(max)s tricks were taken, and %(needs)s needed: set.", **said)


def _rate(said: Said) -> str:
    chips, made = said.count("chips"), said.values_of["result"] == "made"
    if said.values_of["trump"] == "clubs":
        return (
            ngettext("Made in clubs: %(num)s chip a head.", "Made in clubs: %(num)s chips a head.", chips)
            if made
            else ngettext("Set in clubs: %(num)s chip a head.", "Set in clubs: %(num)s chips a head.", chips)
        )
    return (
        ngettext("Made: %(num)s chip a head.", "Made: %(num)s chips a head.", chips)
        if made
        else ngettext("Set: %(num)s chip a head.", "Set: %(num)s chips a head.", chips)
    )


def _rate_all(said: Said) -> str:
    return ngettext(
        "With every trick taken: %(num)s chip a head instead of %(ordinary)s.",
        "With every trick taken: %(num)s chips a head instead of %(ordinary)s.",
        said.count("chips"),
        ordinary=said["ordinary"],
    )


def _payment(said: Said) -> str:
    return ngettext(
        "%(payer)s pays %(payee)s %(num)s chip.",
        "%(payer)s pays %(payee)s %(num)s chips.",
        said.count("chips"),
        payer=said["payer"],
        payee=said["payee"],
    )


def _thrown_in(said: Said) -> str:
    if said.values_of["same"]:
        return _("Nobody bid, and the cards were thrown in. %(player)s deals again.", **said)
    return _("Nobody bid, and the cards were thrown in. The deal passes to %(player)s.", **said)


def _maker(said: Said) -> str:
    if said.values_of["bid"] is not None:
        if said.values_of["trump"] == "none":
            return _("%(player)s bid %(bid)s and called no trump.", **said)
        return _("%(player)s bid %(bid)s and is the maker: %(trump)s.", **said)
    if said.values_of["trump"] == "none":
        return ngettext(
            "%(player)s called no trump and owes %(num)s trick.",
            "%(player)s called no trump and owes %(num)s tricks.",
            said.count("needs"),
            **said,
        )
    return ngettext(
        "%(player)s is the maker and owes %(num)s trick: %(trump)s.",
        "%(player)s is the maker and owes %(num)s tricks: %(trump)s.",
        said.count("needs"),
        **said,
    )


def _took(said: Said) -> str:
    return ngettext(
        "%(player)s took %(num)s trick: %(change)s.",
        "%(player)s took %(num)s tricks: %(change)s.",
        said.count("tricks"),
        player=said["player"],
        change=said["change"],
    )


def _game_won(said: Said) -> str:
    if said.values_of["rule"] == "sweep":
        return _("%(player)s took every trick and wins the game at once.", **said)
    return _("%(player)s has come down to %(total)s, the lowest at or below %(target)s, and wins the game.", **said)


def _stake(said: Said) -> str:
    return ngettext(
        "%(player)s owes %(num)s chip: %(loser)s for losing, %(penalties)s × %(per_penalty)s for penalties taken,"
        " %(points)s × %(per_point)s for points left.",
        "%(player)s owes %(num)s chips: %(loser)s for losing, %(penalties)s × %(per_penalty)s for penalties taken,"
        " %(points)s × %(per_point)s for points left.",
        said.count("chips"),
        **said,
    )


def _needs(said: Said) -> str:
    values = said.values_of
    roles = []
    if values["or_bid"]:
        roles.append(_("as maker %(as_maker)s, or what was bid", **said))
    elif values["as_maker"] != values["tricks"]:
        roles.append(_("as maker %(as_maker)s", **said))
    if values["as_dealer"] not in (None, values["tricks"]):
        roles.append(_("with the club %(as_dealer)s", **said))
    needs = ngettext(
        "%(player)s, at %(total)s, needs %(num)s trick to win",
        "%(player)s, at %(total)s, needs %(num)s tricks to win",
        said.count("tricks"),
        player=said["player"],
        total=said["total"],
    )
    return _("%(sentence)s.", sentence="; ".join([needs, *roles]))


def _level(said: Said) -> str:
    if said.values_of["extra_deal"]:
        return _("Where %(players)s come down to the same score, another deal is played.", **said)
    return _("Where %(players)s come down to the same score, the game is a draw.", **said)


_SENTENCES: Final[Mapping[str, Sentence]] = {
    "needs": _needs,
    "ahead": lambda said: _(
        "If several get there, the lowest score wins: with equal tricks that is %(player)s.", **said
    ),
    "level": _level,
    **BIDDING_SENTENCES,
    "misdeal": lambda said: _("Misdeal: nothing is scored, and the same dealer deals again."),
    "thrown-in": _thrown_in,
    "contract": _contract,
    "tricks": _tricks,
    "rate": _rate,
    "rate-all": _rate_all,
    "stands-aside": lambda said: _("%(player)s, the declarer’s partner, neither pays nor is paid.", **said),
    "payment": _payment,
    "club-turned": lambda said: _("A club was turned up: clubs are trumps, and nobody is the maker."),
    "no-trump": lambda said: _("Nobody chose trump: the deal is played without trumps, and nobody is the maker."),
    "maker": _maker,
    "took": _took,
    "short": lambda said: _("%(player)s owed %(needs)s and took %(tricks)s: %(change)s.", **said),
    "dropped": lambda said: _("%(player)s dropped out: %(change)s.", **said),
    "alone": lambda said: _(
        "Everybody else dropped out, so %(player)s is credited with all %(tricks)s tricks: %(change)s.", **said
    ),
    "sweep": lambda said: _("%(player)s took all %(tricks)s tricks: %(change)s, down to %(total)s.", **said),
    "floor": lambda said: _("%(player)s cannot come below %(total)s: %(change)s.", **said),
    "ceiling": lambda said: _("%(player)s cannot rise above %(total)s: %(change)s.", **said),
    "extra-deal": lambda said: _("%(players)s are level at %(total)s: another deal is played.", **said),
    "game-won": _game_won,
    "game-drawn": lambda said: _("%(players)s are level at %(total)s: the game is a draw.", **said),
    "stake": _stake,
}

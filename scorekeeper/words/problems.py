"""Why something is refused: the sentence for every problem of the rules, of a name, an amount or a session file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from babel.lists import format_list
from babel.numbers import get_currency_name
from flask_babel import gettext as _
from flask_babel import ngettext

from scorekeeper.ledger import MAX_MINOR, AmbiguousAmount, AmountFault, MalformedAmount
from scorekeeper.rules.base import Option, Problem
from scorekeeper.words.numbers import locale, money, number
from scorekeeper.words.said import Said, isolated
from scorekeeper.words.terms import field_label, option_label, option_value_label, quotable

Sentence = Callable[[Said], str]


def problem_message(problem: Problem, names: Sequence[str] = ()) -> str:
    """What is wrong and what was expected, in a sentence; *names* are the players', by seat."""
    values = dict(problem.values)
    code = str(values.pop("reason", "type")) if problem.code == "MALFORMED" else problem.code
    return _SENTENCES[code](Said(values, names, key=_key(code, problem.field)))


def amount_message(error: MalformedAmount | AmbiguousAmount, currency: str, exponent: int) -> str:
    """Why what was typed is no amount of *currency*."""
    if isinstance(error, AmbiguousAmount):
        first, second = (money(reading, currency, exponent) for reading in error.readings)
        return _(
            "This could mean %(first)s or %(second)s. Write it without a mark for thousands.",
            first=first,
            second=second,
        )
    match error.fault:
        case AmountFault.NOT_A_NUMBER:
            example = money(25 * 10**exponent // 100 or 25, currency, exponent)
            return _("Enter an amount, such as %(example)s.", example=example)
        case AmountFault.NEGATIVE:
            return _("An amount cannot be negative.")
        case AmountFault.TOO_MANY_DECIMALS:
            return _decimals(currency, error.decimals)
        case AmountFault.TOO_LARGE:
            return _("The most is %(amount)s.", amount=money(MAX_MINOR, currency, exponent))


def _people(said: Said) -> str:
    """People who have no seat here, by name."""
    return format_list([isolated(str(name)) for name in said.values_of["names"]], locale=locale())  # type: ignore[attr-defined]


def _decimals(currency: str, decimals: int) -> str:
    if not decimals:
        return _("%(currency)s has no decimals: give a whole amount.", currency=currency)
    return ngettext(
        "%(currency)s has %(num)s decimal, not more.",
        "%(currency)s has %(num)s decimals, not more.",
        decimals,
        currency=currency,
    )


def _key(code: str, field: str) -> str:
    """What a problem is about: a fact or house rule by its label, another key of a file as it is spelt there."""
    if not field:
        return _("This")
    if code.startswith("HOUSE_RULE"):
        return _("“%(name)s”", name=option_label(field.removeprefix("house_rules.")))
    return _("“%(name)s”", name=field_label(field))


def _players_count(said: Said) -> str:
    return ngettext(
        "This game needs %(num)s player.",
        "This game needs %(num)s players with different names.",
        said.count("players"),
    )


def _tricks_sum(said: Said) -> str:
    missing = said.count("max") - said.count("sum")
    if missing > 0:
        return ngettext(
            "The tricks add up to %(sum)s; they must add up to %(max)s: one is missing.",
            "The tricks add up to %(sum)s; they must add up to %(max)s: %(num)s are missing.",
            missing,
            **said,
        )
    return ngettext(
        "The tricks add up to %(sum)s; they must add up to %(max)s: one too many.",
        "The tricks add up to %(sum)s; they must add up to %(max)s: %(num)s too many.",
        -missing,
        **said,
    )


def _tricks_range(said: Said) -> str:
    if "player" in said:
        return _("Tricks of %(player)s must be a whole number from 0 to %(max)s.", **said)
    return _("Tricks must be a whole number from 0 to %(max)s.", **said)


def _result_mismatch(said: Said) -> str:
    tricks, contract = said.count("tricks"), said["contract"]
    if said.values_of["result"] == "made":
        return ngettext(
            "With %(num)s trick %(contract)s is made.",
            "With %(num)s tricks %(contract)s is made.",
            tricks,
            contract=contract,
        )
    return ngettext(
        "With %(num)s trick %(contract)s is set.", "With %(num)s tricks %(contract)s is set.", tricks, contract=contract
    )


def _trump_fixed(said: Said) -> str:
    if "contract" in said:
        return _("%(contract)s is always played with clubs.", **said)
    return _("A club was turned up, so clubs are trumps.")


def _partner_not_allowed(said: Said) -> str:
    if "player" in said:
        return _("The partner is %(player)s, who sits opposite.", **said)
    return _("%(contract)s is played alone.", **said)


def _no_throw_in(said: Said) -> str:
    if said.values_of["reason"] == "club":
        return _("A club was turned up, so this deal is played.")
    return _("When nobody names trump, the deal is played without trumps.")


def _maker_missing(said: Said) -> str:
    if said.values_of["suit"] == "none":
        return _("Who called no trump? Where nobody names trump, the deal is thrown in.")
    return _("Who named the trump suit?")


def _maker_not_allowed(said: Said) -> str:
    match said.values_of["reason"]:
        case "club":
            return _("A club was turned up, so nobody chose trump.")
        case "dealer":
            return _("No card is opened for the dealer, who cannot be the maker.")
        case _:
            return _("The deal is played without trumps, so nobody is the maker.")


def _drop_not_allowed(said: Said) -> str:
    match said.values_of["reason"]:
        case "club":
            return _("A club was turned up, so nobody may drop out.")
        case "no-trump":
            return _("Without trumps nobody may drop out.")
        case _:
            return _("By these rules nobody may drop out.")


def _suit_turned_down(said: Said) -> str:
    if said.values_of["player"] is None:
        return _("%(suit)s was turned down and cannot be named.", **said)
    return _("%(suit)s was turned down: %(player)s cannot name it.", **said)


def _guess_mismatch(said: Said) -> str:
    match said.values_of["reason"]:
        case "not-opened":
            return _("%(suit)s is not among the cards that were opened.", **said)
        case "not-named" if said.values_of["player"] is None:
            return _("The maker did not name %(suit)s.", **said)
        case _:
            return _("The first player who named %(suit)s is %(player)s.", **said)


def _declarer_not_highest(said: Said) -> str:
    if said.values_of["player"] is None:
        return _("Nobody bid, so there is no declarer.")
    return _("The highest bid was %(bid)s, by %(player)s.", **said)


def _sum_not_zero(said: Said) -> str:
    if said.count("sum") > 0:
        return _("The chips must add up to zero; they add up to %(sum)s: that much too high.", **said)
    return _("The chips must add up to zero; they add up to %(sum)s: that much too low.", **said)


def _chips_short(said: Said) -> str:
    if said.count("held") <= 0:
        return _("%(player)s has no chips to give back.", **said)
    return ngettext(
        "%(player)s has only %(held)s chip.", "%(player)s has only %(held)s chips.", said.count("held"), **said
    )


def _house_rule_value(said: Said) -> str:
    option = said.values_of["option"]
    if not isinstance(option, Option):
        raise TypeError(option)
    if option.choices:
        words = ", ".join(f"{choice} ({option_value_label(choice)})" for choice in option.choices)
        return _("%(key)s must be one of: %(words)s.", key=said["key"], words=words)
    if option.high is None:
        return _("%(key)s must be yes or no.", key=said["key"])
    return _(
        "%(key)s must be a whole number from %(low)s to %(high)s.",
        key=said["key"],
        low=number(option.low),
        high=number(option.high),
    )


def _choice(said: Said) -> str:
    choices = said.values_of["choices"]
    if not isinstance(choices, tuple):
        raise TypeError(choices)
    words = ", ".join(quotable(choice) for choice in choices)
    return ngettext(
        "%(key)s must be %(words)s.", "%(key)s must be one of: %(words)s.", len(choices), key=said["key"], words=words
    )


def _seats_few(said: Said) -> str:
    return ngettext(
        "%(num)s player must be at the table to play this game.",
        "%(num)s players must be at the table to play this game.",
        said.count("players"),
    )


def _seats_many(said: Said) -> str:
    return ngettext(
        "A deal is played by %(num)s player: so many cannot sit at the table.",
        "A deal is played by %(num)s players: so many cannot sit at the table.",
        said.count("players"),
    )


_SENTENCES: Final[Mapping[str, Sentence]] = {
    # Rules §5.2.
    "PLAYERS_COUNT": _players_count,
    "CONTRACT_NOT_IN_RULESET": lambda said: _("“%(contract)s” does not exist in the rules you chose.", **said),
    "TRUMP_MISSING": lambda said: _("Choose the trump suit."),
    "TRUMP_FIXED": _trump_fixed,
    "PARTNER_MISSING": lambda said: _("%(contract)s is played with a partner: who is it?", **said),
    "PARTNER_SELF": lambda said: _("The partner must be another player."),
    "PARTNER_NOT_ALLOWED": _partner_not_allowed,
    "CALLED_TRUMP": lambda said: _("The called card may not be a trump, and the queen of clubs is always one."),
    "CARD_NOT_IN_DECK": lambda said: _("The deck has only %(lowest)s to ace.", **said),
    "TRICKS_RANGE": _tricks_range,
    "TRICKS_SUM": _tricks_sum,
    "TRICKS_SIDE": lambda said: _(
        "Player by player the declaring side took %(sum)s, but %(entered)s was entered for it.", **said
    ),
    "RESULT_MISMATCH": _result_mismatch,
    "BID_TOO_LOW": lambda said: _("%(bid)s is not higher than %(highest)s.", **said),
    "AFTER_WITHOUT_BASE": lambda said: _("%(bid)s can only be said over %(base)s.", **said),
    "BID_TWICE": lambda said: _("%(player)s has already spoken.", **said),
    "BID_OUT_OF_TURN": lambda said: _("%(speaker)s spoke out of turn: it was the turn of %(player)s.", **said),
    "DECLARER_NOT_HIGHEST": _declarer_not_highest,
    "ALL_PASS_IS_PLAYED": lambda said: _("Nobody bid: the holder of the queen of hearts must play."),
    "NO_THROW_IN": _no_throw_in,
    "MAKER_MISSING": _maker_missing,
    "MAKER_NOT_ALLOWED": _maker_not_allowed,
    "MAKER_DROPPED": lambda said: _("The player who named trump must play."),
    "DROP_NOT_ALLOWED": _drop_not_allowed,
    "DROPPED_WITH_TRICKS": lambda said: _("%(player)s dropped out and cannot have tricks.", **said),
    "BID_RANGE": lambda said: _("Bids go from %(low)s to %(high)s.", **said),
    "SUIT_TURNED_DOWN": _suit_turned_down,
    "GUESS_MISMATCH": _guess_mismatch,
    "GAME_OVER": lambda said: _("This game has ended; start a new one."),
    "DEALER_ORDER": lambda said: _("It should be the deal of %(player)s. Keep it all the same?", **said),
    # Who sits where.
    "NOT_PLAYING": lambda said: _("%(player)s does not play this deal.", **said),
    "NOT_AT_TABLE": lambda said: _("Choose somebody who is at the table."),
    "SEATS_FEW": _seats_few,
    "SEATS_MANY": _seats_many,
    "SEATED_TWICE": lambda said: _("Somebody sits in two places."),
    "SEAT_TAKEN": lambda said: _("Two people cannot play on one account."),
    "ACCOUNTS_TOO_MANY": lambda said: _("At most %(max)s people can come and go in one session.", **said),
    "PARTNERS_FIXED": lambda said: _("Partners stay where they sit: only somebody who stands in can take a seat."),
    "DECLARED": lambda said: _("A deal is being played: record it or drop it before the seats change."),
    # A session and its group.
    "GAME_NOT_OVER": lambda said: _("A new game can begin only once the one before it has ended."),
    "UNDECIDED": lambda said: _("Decide first what becomes of the deals that no longer count."),
    "DEALS_TOO_MANY": lambda said: _("A session has at most %(max)s deals.", **said),
    "OPENING_RANGE": lambda said: _("What is on the sheet must be whole numbers from %(low)s to %(high)s.", **said),
    "OPENING_SUM": _sum_not_zero,
    "OPENING_OVER": lambda said: _(
        "Somebody has won already: everybody must have more than %(target)s points.", **said
    ),
    "CHIPS_RANGE": lambda said: _("Chips must be a whole number from %(low)s to %(high)s.", **said),
    "CHIPS_SHORT": _chips_short,
    "PIECES_RANGE": lambda said: _("Pieces must be a whole number from %(low)s to %(high)s.", **said),
    "COLOURS_SUM": lambda said: _("By colour it is %(sum)s.", **said),
    "COLOURS_TOO_MANY": lambda said: _("A chip set has at most %(max)s colours.", **said),
    "COLOUR_TAKEN": lambda said: _("There is already a colour called %(name)s.", **said),
    "VALUE_TAKEN": lambda said: _("Another colour is worth the same."),
    "ADJUSTMENT_SUM": _sum_not_zero,
    "ADJUSTMENT_EMPTY": lambda said: _("Say whose chips change."),
    "NOTE_MISSING": lambda said: _("Say why, in a note."),
    "NOTE_TOO_LONG": lambda said: _("A note has at most %(max)s characters.", **said),
    "NAME_MISSING": lambda said: _("Enter a name."),
    "NAME_TOO_LONG": lambda said: _("A name has at most %(max)s characters.", **said),
    "NAME_CHARACTER": lambda said: _("The character %(character)s cannot be used.", **said),
    "NAME_TAKEN": lambda said: _("There is already somebody called %(name)s.", **said),
    "PLAYERS_TOO_MANY": lambda said: _("A group has at most %(max)s players.", **said),
    "HAS_SAT": lambda said: _("Whoever has played cannot be removed, but can retire."),
    "OTHER_NAME": lambda said: _("This is not the name of the group, so nothing was deleted."),
    "LAST_LINK": lambda said: _("This is the last link of a host: without it nobody could manage the group any more."),
    "LINKS_TOO_MANY": lambda said: _("A group has at most %(max)s links in force: withdraw one first.", **said),
    "COST_NONE": lambda said: _("Say how much it was."),
    "COST_FOR_NOBODY": lambda said: _("Choose at least one other player."),
    "STAKE_THE_SAME": lambda said: _("It is so already."),
    "KITTY_SHORT": lambda said: _("There is not so much in the kitty."),
    "CARRY_CHANGED": lambda said: _("This has changed since. Look at what is open now, and choose again."),
    "CARRY_SETTLED": lambda said: _(
        "The earlier session was settled anew meanwhile, without it. Reopen that one first."
    ),
    "CARRY_UNIT": lambda said: _(
        "This is settled in %(currency)s. Give chips a price in %(currency)s, such as %(price)s for %(chips)s, or"
        " leave it settled apart.",
        currency=get_currency_name(str(said.values_of["currency"]), locale=locale()),
        price=_price(said, "price"),
        chips=number(said.count("chips")),
    ),
    "CARRY_CHIPS": lambda said: _(
        "This is settled in chips. Leave the price of chips empty, or leave it settled apart."
    ),
    "CARRY_MISSING": lambda said: _("These do not sit at this table: %(players)s.", players=_people(said)),
    "PAYMENT_NONE": lambda said: _("Say how much was paid."),
    "PAYMENT_MORE": lambda said: _("That is more than is still to be paid."),
    # House rules.
    "HOUSE_RULE_UNKNOWN": lambda said: _("There is no house rule %(key)s.", **said),
    "HOUSE_RULE_VALUE": _house_rule_value,
    "HOUSE_RULE_CONFLICT": lambda said: _(
        "These do not go together: %(key)s and %(other)s.",
        key=said["key"],
        other=_("“%(name)s”", name=option_label(str(said.values_of["other"]))),
    ),
    # The reasons why a fact, or another key of a session file, is malformed.
    "missing": lambda said: _("Missing: %(key)s.", **said),
    "unknown": lambda said: _("%(key)s has no place here.", **said),
    "type": lambda said: _("%(key)s cannot be understood.", **said),
    "object": lambda said: _("%(key)s must be an object.", **said),
    "list": lambda said: _("%(key)s must be a list.", **said),
    "text": lambda said: _("%(key)s must be text.", **said),
    "pairs": lambda said: _("%(key)s must be a list of pairs: a player and a bid.", **said),
    "choice": _choice,
    "twice": lambda said: _("“%(name)s” is there twice.", **said),
    "name": lambda said: _("%(key)s must be the name of a player.", **said),
    "player": lambda said: _("%(key)s: there is no player %(name)s.", **said),
    "player-missing": lambda said: _("%(key)s: nothing is said about %(player)s.", **said),
    "currency": lambda said: _("%(key)s must be a currency’s code of three letters, such as EUR.", **said),
    "decimal": lambda said: _('%(key)s must be a decimal number in quotes, such as "0.25".', **said),
    "decimals": lambda said: _decimals(str(said.values_of["currency"]), said.count("decimals")),
    "money": lambda said: _(
        "The price of a chip must be from %(low)s to %(high)s.", low=_price(said, "low"), high=_price(said, "high")
    ),
    "events": lambda said: _("A session file has at most %(max)s events.", **said),
    "unreadable": lambda said: _("The file cannot be read: %(error)s.", **said),
    "size": lambda said: _("The file is longer than %(max)s bytes.", **said),
    "encoding": lambda said: _("The file must be text in UTF-8."),
    "json": lambda said: _("The file is not JSON: see line %(line)s, column %(column)s.", **said),
    "nesting": lambda said: _("The file is nested too deeply."),
    "number": lambda said: _("The file has a number that is too large or no number at all."),
}


def _price(said: Said, key: str) -> str:
    return money(said.count(key), str(said.values_of["currency"]), said.count("exponent"))

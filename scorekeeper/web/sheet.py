"""The score sheet of a session, and what is said about its deals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise, zip_longest
from posixpath import dirname, relpath
from typing import Any, Final, NamedTuple

import flask
from flask import url_for
from flask_babel import gettext as _

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.models import AnyRow
from scorekeeper.names import ROOM, ROOM_OF_MANY, fitting
from scorekeeper.queries import Rows
from scorekeeper.rules import DealScore, Facts, Line, MalformedDeal, Problem, Refused, Result, Suit, Table, Unit
from scorekeeper.rules.reading import card
from scorekeeper.services.history import dealer_by_hand, declared_deal, game_of, next_table
from scorekeeper.web import amounts
from scorekeeper.web.amounts import Amount
from scorekeeper.words.said import name_of

MAX_ORDERS: Final = 20
"""Sessions whose order one browser remembers: the latest."""
MANY: Final = 5
"""Columns that leave little room for each."""


class Head(NamedTuple):
    """The player of a column. ``short`` is the name where there is little room."""

    name: str
    short: str


class Cell(NamedTuple):
    """What a deal brought one player, the total after it, and where ``href`` says why; or why it is nothing: ``away``.

    ``dealer`` is whether the player dealt it.
    """

    dealer: bool
    change: Amount | None = None
    total: Amount | None = None
    href: str = ""
    away: str = ""


class SheetRow(NamedTuple):
    """One deal as the ``sheet`` macro draws it, or chips moved by hand between two, which have no ``number``.

    ``word`` says what is special about it, ``notes`` what else there is to know, in sentences. ``heading`` is the game
    that begins with this row.
    """

    contract: str
    href: str
    cells: tuple[Cell, ...]
    notes: tuple[str, ...]
    number: int | None = None
    suit: str | None = None
    declarer: str = ""
    tricks: str = ""
    void: bool = False
    word: str = ""
    heading: str = ""


class Sheet(NamedTuple):
    """A score sheet, or a part of one, with a column for everybody who ever came to the table."""

    heads: tuple[Head, ...]
    rows: tuple[SheetRow, ...]


class Moved(NamedTuple):
    """Chips moved by hand between two deals, with the notes that say why, and the totals then."""

    chips: tuple[int, ...]
    totals: Sequence[int]
    notes: tuple[str, ...] = ()


class Declared(NamedTuple):
    """A declared deal as pages show it: what was undertaken by whom, the card called, and the suits of both."""

    title: str
    suit: str | None
    called: str
    called_suit: str | None


def score_sheet(
    session: AnyRow, names: Sequence[str], deals: Rows, *, shown: int | None = None, oldest_first: bool = False
) -> Sheet:
    """The first *shown* of *deals*, or all of them. They come newest first; one that is not shown explains the next."""
    writer = _Writer(session, names)
    moved = moved_by_hand(session, deals)
    oldest_shown = deals[:shown][-1].number if deals else 1
    rows: list[SheetRow] = []
    older = previous = None
    for deal in reversed(deals):
        if older is None or deal.number != older.number + 1:
            previous, from_start = None, deal.number == 1
        if deal.number >= oldest_shown:
            rows += [writer.move(moved[deal.number])] if deal.number in moved else []
            rows.append(writer.deal(deal, previous, known=from_start or previous is not None))
        older, previous = deal, deal if deal.status == "scored" else previous
    if session.deals + 1 in moved:
        rows.append(writer.move(moved[session.deals + 1]))
    heads = fitting(tuple(names), ROOM_OF_MANY if len(names) >= MANY else ROOM)
    return Sheet(tuple(map(Head, names, heads)), _under_headings(rows if oldest_first else rows[::-1]))


class _Writer:
    """Writes the rows of the sheet of one session."""

    def __init__(self, session: AnyRow, names: Sequence[str]) -> None:
        self.session, self.names = session, names
        self.game, self.ruleset = game_of(session)
        self.players = self.game.players(self.ruleset)
        # One address is worked out for all rows, each of which is a page below it; there are many, so it is short.
        self.sheet_url = relpath(url_for("deals.index", session_id=session.id), dirname(flask.request.path))
        self.several_games = session.table["game"] > 1
        # The same few numbers fill a sheet.
        self.change = cache(lambda value: amounts.change(value, self.game.unit))
        self.total = cache(lambda value: amounts.total(value, self.game.unit))

    def deal(self, deal: AnyRow, previous: AnyRow | None, *, known: bool) -> SheetRow:
        """The row of a deal; *previous* is the scored one before it, if there is one, and it is *known*."""
        scored, href = deal.status == "scored", f"{self.sheet_url}/{deal.number}"
        reasons = [f"{href}/why/{seat}" for seat in range(len(self.names))]
        return SheetRow(
            number=deal.number,
            contract=contract_of(deal.facts, self.names),
            suit=trump_of(deal.facts),
            declarer=side_of(deal.facts, self.names),
            tricks=f"{taken}/{self.ruleset.options['hand']}" if (taken := tricks_of(deal.facts)) is not None else "",
            href=href,
            cells=self._cells(deal.points, deal.totals, reasons, deal.before) if scored else (),
            void=not scored,
            word=word_of(deal, self.names),
            notes=tuple(self._notes(deal, previous, known=known)),
            heading=_("Game %(number)s", number=words.number(deal.before["game"])) if self.several_games else "",
        )

    def move(self, moved: Moved) -> SheetRow:
        href = url_for("chips.chips", session_id=self.session.id)
        return SheetRow(
            contract=_("Chips moved by hand"),
            href=href,
            cells=self._cells(moved.chips, moved.totals, [href] * len(self.names)),
            notes=moved.notes,
        )

    def _cells(
        self,
        changes: Sequence[int],
        totals: Sequence[int],
        reasons: Sequence[str],
        before: Mapping[str, Any] | None = None,
    ) -> tuple[Cell, ...]:
        dealer = before["dealer"] if before else None
        away = {}
        # Where nobody ever came or went, all play: no table need be made to see that.
        if before and (len(before["totals"]) != self.players or "present" in before):
            away = away_from(Table.restored(self.ruleset, before))
        return tuple(
            Cell(seat == dealer, self.change(changes[seat]), self.total(totals[seat]), reasons[seat])
            if seat < len(totals) and seat not in away
            else Cell(seat == dealer, away=away.get(seat) or _("not at the table"))
            for seat in range(len(self.names))
        )

    def _notes(self, deal: AnyRow, previous: AnyRow | None, *, known: bool) -> Iterator[str]:
        if deal.status == "unscored":
            yield from why_not(deal, score_of(self.session, deal), self.names)
        if deal.status != "scored":
            return
        if deal.version > deal.recorded:
            yield _("Changed since it was recorded.")
        if known and deal.before["dealer"] != self._usual_dealer(previous):
            yield reason_of_dealer(self.session, self.names, deal.before, previous, by_hand="dealer" in deal.facts)
        if self.game.unit is Unit.POINTS and any(deal.chips):
            stakes = (
                words.beside(name_of(seat, self.names), words.signed(chips))
                for seat, chips in enumerate(deal.chips)
                if chips
            )
            yield _("Stakes in chips: %(stakes)s.", stakes=", ".join(stakes))

    def _usual_dealer(self, previous: AnyRow | None) -> int | None:
        """Who deals if nothing is worth a word: nobody does after a deal that brought nothing."""
        if previous is None:
            return int(self.session.first_dealer)
        if previous.result in (Result.MISDEAL, Result.PASSED_OUT):
            return None
        return Table.restored(self.ruleset, previous.before).next_dealer


def away_from(table: Table) -> dict[int, str]:
    """Who did not play a deal, and why, by the *table* it was dealt at."""
    return {
        seat: _("sat out") if seat in table.ring else _("not at the table")
        for seat in range(len(table.totals))
        if seat not in table.seats
    }


def moved_by_hand(session: AnyRow, deals: Rows, *, notes: int = queries.NOTES_SHOWN) -> dict[int, Moved]:
    """The chips moved by hand beside *deals*, by the number of the deal that was dealt next.

    At most so many *notes* say why.
    """
    if game_of(session)[0].unit is not Unit.CHIPS:
        # They are not what the sheet counts.
        return {}
    stops = [
        (0, 0, (), session.opening),
        *((deal.number, deal.recorded, deal.before["totals"], deal.totals) for deal in reversed(deals)),
        (session.deals + 1, session.version + 1, session.table["totals"], ()),
    ]
    moved: dict[int, Moved] = {}
    versions: dict[int, range] = {}
    for (older, after, _before, left), (newer, until, found, _after) in pairwise(stops):
        chips = tuple(now - then for then, now in zip_longest(left, found, fillvalue=0))
        if newer == older + 1 and any(chips):
            moved[newer], versions[newer] = Moved(chips, found), range(after + 1, until)
    if moved:
        first, last = min(one.start for one in versions.values()), max(one.stop for one in versions.values())
        found_notes = queries.adjustment_notes(db.session(), session.id, after=first - 1, before=last, most=notes)
        for number, between in versions.items():
            said = tuple(change.note for change in found_notes if change.version in between)
            moved[number] = moved[number]._replace(notes=said)
    return moved


def _under_headings(rows: Sequence[SheetRow]) -> tuple[SheetRow, ...]:
    """*rows* with each heading above the first of its rows only."""
    above = ["", *(row.heading for row in rows)]
    return tuple(
        row._replace(heading="") if row.heading == heading else row for row, heading in zip(rows, above, strict=False)
    )


def remember_order(session_id: int, *, oldest_first: bool) -> None:
    """Keep in this browser's cookie in which order it shows the score sheet of a session."""
    others = [known for known in flask.session.get("oldest_first", []) if known != session_id]
    flask.session["oldest_first"] = [*others, session_id][-MAX_ORDERS:] if oldest_first else others


def oldest_first(session_id: int) -> bool:
    """Whether this browser shows the score sheet of a session from the first deal on."""
    return session_id in flask.session.get("oldest_first", [])


def score_of(session: AnyRow, deal: AnyRow) -> DealScore[Any] | Refused:
    """A deal scored again at the table it was dealt at, with all that explains it, or why it cannot be."""
    game, ruleset = game_of(session)
    try:
        return game.play(deal.facts, Table.restored(ruleset, deal.before))
    except Refused as refused:
        return refused
    except (KeyError, TypeError, ValueError):
        # What was stored long ago is shown as it stands, whatever the rules make of it today.
        return MalformedDeal()


def why_not(deal: AnyRow, score: DealScore[Any] | Refused, names: Sequence[str]) -> list[str]:
    """Why an unscored deal does not count."""
    if deal.status != "unscored":
        return []
    if isinstance(score, Refused) and score.problems:
        return [words.problem_message(problem, names) for problem in score.problems]
    return [words.problem_message(Problem(deal.reason, "deal"), names)]


def explanation(score: DealScore[Any] | Refused, deal: AnyRow) -> Sequence[Line]:
    """The lines that explain a scored *deal*: none if the rules would say something else today than was stored."""
    if deal.status != "scored" or not isinstance(score, DealScore):
        return ()
    return score.lines if list(score.points) == deal.points else ()


def declared(session: AnyRow, names: Sequence[str]) -> Declared | None:
    """The deal being played, if one has been declared: that somebody deals out of turn is no declaration."""
    facts = declared_deal(session)
    if not facts:
        return None
    called, called_suit = "", None
    if known := card(facts.get("called_card")):
        called_suit = known[1]
        called = _("the %(card)s", card=words.card_name(*known))
    return Declared(words.deal_title(facts, names), _drawn(facts.get("trump")), called, called_suit)


def title_of(facts: Facts, names: Sequence[str]) -> str:
    """What was played, by whom."""
    return words.result_name(Result.MISDEAL) if "misdeal" in facts else words.deal_title(facts, names)


def outcome_sentences(score: DealScore[Any], names: Sequence[str]) -> list[str]:
    """How a deal ended its game, and by which rule, or why the game goes on all the same."""
    codes = ("game-won", "game-drawn", "extra-deal")
    return [words.line_sentence(line, names) for line in score.lines if line.code in codes]


def read_back(score: DealScore[Any], names: Sequence[str]) -> list[str]:
    """What a deal brought, in the sentences one says when it is written down."""
    if score.result in (Result.MISDEAL, Result.PASSED_OUT, Result.PLAYED):
        first = words.line_sentence(score.lines[0], names)
    else:
        first = _("Made.") if score.result is Result.MADE else _("Set.")
    paid = words.payments_sentence(score.payments, names)
    return [first, *outcome_sentences(score, names), *([paid] if paid else [])]


def dealer_reason(session: AnyRow, names: Sequence[str], deals: Rows, *, older: bool) -> str:
    """Why it is this dealer's deal; *deals* are the latest, newest first, and *older* says that there are more."""
    last = next((deal for deal in deals if deal.status == "scored"), None)
    if last is None and older:
        return ""
    by_hand = dealer_by_hand(session) is not None
    return reason_of_dealer(session, names, next_table(session).state(), last, by_hand=by_hand)


def reason_of_dealer(
    session: AnyRow,
    names: Sequence[str],
    table: Mapping[str, Any],
    previous: AnyRow | None,
    *,
    by_hand: bool = False,
) -> str:
    """Why it is the deal of the dealer at *table*, a table's state, after *previous*, the scored deal before, if any.

    *by_hand* is whether a person named the dealer rather than the rules.
    """
    ruleset = game_of(session)[1]
    here = Table.restored(ruleset, table)
    said = {"dealer": name_of(here.dealer, names)}
    if previous is None:
        due = turn = session.first_dealer
    else:
        last = Table.restored(ruleset, previous.before)
        said |= {"number": words.number(previous.number), "before": name_of(last.dealer, names)}
        thrown_in = previous.result == Result.PASSED_OUT
        passed_on = last.dealer_after_throw_in if thrown_in else last.next_dealer
        due = last.dealer if previous.result == Result.MISDEAL else passed_on
        turn = replace(last, dealer=due).seated(here.ring, 0).dealer
    if here.dealer != turn:
        said["turn"] = name_of(turn, names)
        if by_hand:
            return _("%(dealer)s deals out of turn; it was %(turn)s’s turn.", **said)
        return _("%(dealer)s dealt. As the deals before it stand now, it would have been %(turn)s’s turn.", **said)
    if here.dealer != due:
        return _("%(due)s was not at the table, so %(dealer)s deals.", **said, due=name_of(due, names))
    if previous is None:
        return _("%(dealer)s deals first.", **said)
    if previous.result == Result.MISDEAL:
        return _("Deal %(number)s was a misdeal, so %(dealer)s deals again.", **said)
    if thrown_in and due == last.dealer:
        return _("Deal %(number)s was thrown in, so %(dealer)s deals again.", **said)
    if thrown_in:
        return _("Deal %(number)s was thrown in, and the deal passes to %(dealer)s.", **said)
    return _("%(before)s dealt deal %(number)s; %(dealer)s sits next, clockwise.", **said)


def trump_of(facts: Facts) -> str | None:
    """The trump suit, where somebody chose it."""
    return _drawn(facts.get("trump")) if _leader(facts) is not None else None


def _drawn(trump: object) -> str | None:
    """*trump* if it is a suit."""
    return trump if isinstance(trump, str) and trump in tuple(Suit) else None


def _leader(facts: Facts) -> object:
    """The declarer, or the maker."""
    return facts.get("declarer", facts.get("maker"))


def side_of(facts: Facts, names: Sequence[str]) -> str:
    """Who played: the declarer or the maker, with the partner."""
    return " + ".join(name_of(seat, names) for seat in (_leader(facts), facts.get("partner")) if isinstance(seat, int))


def contract_of(facts: Facts, names: Sequence[str]) -> str:
    """What was undertaken; a maker undertakes nothing but the trump suit, which is drawn."""
    if "contract" in facts:
        return words.contract_name(str(facts["contract"]))
    if "maker" not in facts:
        return title_of(facts, names)
    if facts.get("trump") not in tuple(Suit):
        return words.suit_name(str(facts.get("trump")))
    return _("Bid %(bid)s", bid=facts["bid"]) if "bid" in facts else ""


def tricks_of(facts: Facts) -> int | None:
    """How many tricks the declarer's side took."""
    taken, leader = facts.get("tricks"), _leader(facts)
    if isinstance(taken, list):
        taken = taken[leader] if isinstance(leader, int) and leader < len(taken) else None
    return taken if isinstance(taken, int) else None


def word_of(deal: AnyRow, names: Sequence[str]) -> str:
    """What is special about a deal, in a word or two."""
    if deal.status == "void":
        return _("void")
    if deal.status == "unscored":
        return _("not counted")
    if deal.disputed:
        return _("disputed")
    if deal.winners:
        game = words.number(deal.before["game"])
        if len(deal.winners) > 1:
            return _("Game %(game)s drawn", game=game)
        return _("%(player)s wins game %(game)s", player=name_of(deal.winners[0], names), game=game)
    return words.result_name(Result.SET) if deal.result == Result.SET else ""

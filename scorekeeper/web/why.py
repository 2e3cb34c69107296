"""Why a number is what it is: the lines that make it, adding up to it.

A total is explained by the latest deals one by one; what came before them is one line, which leads to the page that
explains it. So every page reads a bounded number of rows. Each line is what was stored; only the adjustments that are
too many for a page are one line of what the others leave.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import format_date
from flask_babel import gettext as _

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.models import AnyRow
from scorekeeper.queries import Rows
from scorekeeper.rules import CARD_GAMES, Line, Table, Unit
from scorekeeper.services.history import game_of
from scorekeeper.web import access, amounts, sheet
from scorekeeper.web.amounts import Amount
from scorekeeper.web.ids import MAX_SEAT, row_key

blueprint = Blueprint("why", __name__)

DEALS_SHOWN: Final = 20
ADJUSTMENTS_SHOWN: Final = 40
SESSIONS_SHOWN: Final = 20
CHIPS: Final = "chips"
"""What stands for a card game in the address of a standing in chips, which counts all card games together."""


class SumLine(NamedTuple):
    """One line of a sum, or the sum itself; ``href`` leads to what made it."""

    text: str
    amount: Amount
    href: str | None = None


class Sum(NamedTuple):
    """Lines that add up to ``total``, as the ``sum_lines`` macro draws them."""

    caption: str
    lines: Sequence[SumLine]
    total: SumLine


class Part(NamedTuple):
    """A line of a total: what moved it by ``value``, in which ``version`` of the session."""

    version: int
    text: str
    value: int
    href: str | None = None


@blueprint.get(f"/sessions/<id:session_id>/seats/<int(max={MAX_SEAT}):seat>/why")
def total(session_id: int, seat: int) -> str:
    """What a player has come to in the game being played, or had come to after the deal that ``?deal=`` names."""
    session = access.game_session(session_id)
    names = _names(session)
    game, ruleset = game_of(session)
    number = request.args.get("deal", type=row_key)
    deals = queries.deals_up_to(db.session(), session.id, number or session.deals, DEALS_SHOWN + 1)
    if number is None:
        totals, of_game, until = session.table["totals"], session.table["game"], session.version
    elif deals and deals[0].number == number:
        totals, of_game, until = deals[0].totals, deals[0].before["game"], deals[0].recorded
    else:
        abort(404)
    if seat >= len(totals):
        abort(404)
    # A game begins anew; whoever came to the table later has no share in the deals before.
    deals = [deal for deal in deals if deal.before["game"] == of_game and seat < len(deal.totals)]
    shown, older = deals[:DEALS_SHOWN], next(iter(deals[DEALS_SHOWN:]), None)
    opening = session.opening[seat] if of_game == 1 and seat < len(session.opening) else game.start(ruleset)
    parts = list(_parts_by_deal(session, names, shown, seat))
    begun = opening if older is None else older.totals[seat]
    if game.unit is Unit.CHIPS:
        by_hand = totals[seat] - begun - _sum(parts)
        parts += _parts_by_hand(session, seat, older.recorded if older else 0, until, by_hand)
    lines = [SumLine(_("At the start"), amounts.total(opening, game.unit))]
    if older is not None:
        href = url_for(".total", session_id=session.id, seat=seat, deal=older.number)
        text = _("Up to deal %(number)s", number=words.number(older.number))
        lines.append(SumLine(text, amounts.change(older.totals[seat] - opening, game.unit), href))
    lines += [SumLine(part.text, amounts.change(part.value, game.unit), part.href) for part in sorted(parts)]
    when = _("After deal %(number)s", number=words.number(number)) if number else _("Now")
    amount = amounts.total(totals[seat], game.unit)
    return _session_page(
        session,
        names[seat],
        amount,
        context=[_("Game %(number)s", number=words.number(of_game)), when] if game.several_games else [when],
        sums=[Sum(_("What makes this total"), lines, SumLine(when, amount))],
        others=[
            (name, url_for(".total", session_id=session.id, seat=other, deal=number), other == seat)
            for other, name in enumerate(names[: len(totals)])
        ],
    )


@blueprint.get(f"/sessions/<id:session_id>/deals/<id:number>/why/<int(max={MAX_SEAT}):seat>")
def change(session_id: int, number: int, seat: int) -> ResponseReturnValue:
    """What a deal brought one player, and what that made of their total."""
    session = access.game_session(session_id)
    deal = queries.deal(db.session(), session.id, number) or abort(404)
    names = _names(session)
    if seat >= len(deal.totals):
        abort(404)
    deal_href = url_for("deals.deal", session_id=session.id, number=number)
    if deal.status != "scored":
        return redirect(deal_href)
    unit = game_of(session)[0].unit
    score = sheet.score_of(session, deal)
    lines = sheet.explanation(score, deal)
    amount, away = amounts.change(deal.points[seat], unit), _away(session, deal, seat)
    said = words.number(number)
    this_deal, before, after = (
        _("Deal %(number)s", number=said),
        _("Before deal %(number)s", number=said),
        _("After deal %(number)s", number=said),
    )
    whole = url_for(".total", session_id=session.id, seat=seat, deal=number)
    sums = [
        Sum(_("What this deal brought"), _shares(lines, seat, names, unit), SumLine(this_deal, amount)),
        Sum(
            _("The total"),
            [SumLine(before, amounts.total(deal.before["totals"][seat], unit)), SumLine(this_deal, amount)],
            SumLine(after, amounts.total(deal.totals[seat], unit), whole),
        ),
    ]
    if unit is not Unit.CHIPS and any(deal.chips):
        paid = SumLine(_("Chips"), amounts.change(deal.chips[seat], Unit.CHIPS))
        sums.append(Sum(_("Chips that change hands"), _shares(lines, seat, names, Unit.CHIPS), paid))
    return _session_page(
        session,
        names[seat],
        amount,
        context=[this_deal, sheet.title_of(deal.facts, names), *([away] if away else [])],
        said=[words.line_sentence(line, names) for line in lines if _tells(line, seat, deal.winners)],
        sums=sums,
        others=[
            (name, url_for(".change", session_id=session.id, number=number, seat=other), other == seat)
            for other, name in enumerate(names[: len(deal.totals)])
        ],
        deal_href=deal_href,
    )


@blueprint.get("/groups/<id:group_id>/players/<id:player_id>/why/<what>")
def standing(group_id: int, player_id: int, what: str) -> str:
    """What the sessions of a player brought: *what* is chips, or a card game of which the games won are counted."""
    group = access.group(group_id)
    if what != CHIPS and not (what in CARD_GAMES and CARD_GAMES[what].several_games):
        abort(404)
    all_totals = queries.group_totals(db.session(), group.id)
    games = played_for_chips(all_totals) if what == CHIPS else [what]
    totals = [row for row in all_totals if row.player_id == player_id and row.card_game in games] or abort(404)
    before = request.args.get("before", type=row_key)
    rows = queries.sessions_of_player(db.session(), player_id, games, before=before, limit=SESSIONS_SHOWN + 1)
    shown = rows[:SESSIONS_SHOWN]
    column = "chips" if what == CHIPS else "wins"

    def brought(source: Iterable[AnyRow]) -> int:
        return sum(getattr(row, column) for row in source)

    def shown_as(value: int) -> Amount:
        return amounts.change(value, Unit.CHIPS) if what == CHIPS else Amount(words.number(value))

    def before_session(session_id: int) -> int:
        return brought([queries.sums_of_player(db.session(), player_id, games, before=session_id)])

    lines = []
    if len(rows) > len(shown):
        href = url_for(".standing", group_id=group.id, player_id=player_id, what=what, before=shown[-1].id)
        lines.append(SumLine(_("Sessions before"), shown_as(before_session(shown[-1].id)), href))
    lines += [
        SumLine(_session_title(row), shown_as(brought([row])), url_for("board.session", session_id=row.id))
        for row in reversed(shown)
    ]
    amount = shown_as(brought(totals) if before is None else before_session(before))
    title = _("Chips") if what == CHIPS else _("%(game)s: games won", game=words.game_name(what))
    when = _("Up to now") if before is None else _("Before the sessions that came later")
    return render_template(
        "why/why.html",
        group=group,
        name=totals[0].name,
        amount=amount,
        context=[title],
        sums=[Sum(title, lines, SumLine(when, amount))],
    )


def played_for_chips(totals: Iterable[AnyRow]) -> list[str]:
    """The card games that a standing in chips counts, out of the *totals* of a group."""
    return [
        game.id
        for game in CARD_GAMES.values()
        if any(row.card_game == game.id and (row.chips or game.unit is Unit.CHIPS) for row in totals)
    ]


def _session_page(session: AnyRow, name: str, amount: Amount, **values: object) -> str:
    return render_template("why/why.html", session=session, name=name, amount=amount, **values)


def _names(session: AnyRow) -> list[str]:
    return [seat.name for seat in queries.seats(db.session(), session.id)]


def _parts_by_deal(session: AnyRow, names: Sequence[str], deals: Rows, seat: int) -> Iterator[Part]:
    for deal in deals:
        if deal.status == "scored":
            title = {"number": words.number(deal.number), "deal": sheet.title_of(deal.facts, names)}
            text, away = _("Deal %(number)s · %(deal)s", **title), _away(session, deal, seat)
            href = url_for(".change", session_id=session.id, number=deal.number, seat=seat)
            yield Part(deal.recorded, f"{text} · {away}" if away else text, deal.points[seat], href)


def _away(session: AnyRow, deal: AnyRow, seat: int) -> str:
    """Why a player did not play a deal, if so."""
    return sheet.away_from(Table.restored(game_of(session)[1], deal.before)).get(seat, "")


def _parts_by_hand(session: AnyRow, seat: int, after: int, until: int, altogether: int) -> Iterator[Part]:
    """The chips of a seat that were moved by hand, which come to *altogether*."""
    rows = queries.adjustments_of(db.session(), session.id, seat, after=after, until=until, limit=ADJUSTMENTS_SHOWN + 1)
    shown = [
        Part(row.version, _("By hand: %(note)s", note=words.isolated(row.note)), row.chips)
        for row in rows[:ADJUSTMENTS_SHOWN]
    ]
    yield from shown
    if len(rows) > len(shown):
        href = url_for("chips.chips", session_id=session.id)
        yield Part(after, _("By hand, before those below"), altogether - _sum(shown), href)


def _sum(parts: Iterable[Part]) -> int:
    return sum(part.value for part in parts)


def _tells(line: Line, seat: int, winners: Sequence[int]) -> bool:
    """Whether a line of an explanation says how a seat's shares came about, being none itself."""
    if line.code == "stake":
        return seat in (line.values["player"], *winners)
    return line.code != "payment" and "change" not in line.values


def _shares(lines: Iterable[Line], seat: int, names: Sequence[str], unit: Unit) -> list[SumLine]:
    """The lines that bring a seat points, or chips, and how many."""
    shares = []
    for line in lines:
        values: Any = line.values
        if line.code == "payment" and unit is Unit.CHIPS and seat in (values["payer"], values["payee"]):
            shares.append((line, values["chips"] if seat == values["payee"] else -values["chips"]))
        elif "change" in values and unit is Unit.POINTS and values["player"] == seat:
            shares.append((line, values["change"]))
    return [SumLine(words.line_sentence(line, names), amounts.change(value, unit)) for line, value in shares]


def _session_title(session: AnyRow) -> str:
    return _("%(session)s, %(date)s", session=words.isolated(session.name), date=format_date(session.started_on))

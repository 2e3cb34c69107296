"""``scorekeeper score FILE``: a session file scored without a database, for a person or as JSON."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from typing import Any, NoReturn

import click
from flask_babel import gettext as _
from flask_babel import ngettext

from scorekeeper import sessionfile, words
from scorekeeper.ledger import Transfer
from scorekeeper.rules import Seat, Unit
from scorekeeper.sessionfile import MAX_BYTES, BadFile, Chip, ScoredDeal, Sheet

REFUSED = 2
"""The exit status for a file that cannot be scored."""


@click.command()
@click.argument("file", type=click.Path(allow_dash=True))
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
def score(file: str, as_json: bool) -> None:
    """Score the session in FILE, or on standard input where FILE is "-"."""
    try:
        sheet = sessionfile.score(sessionfile.read_document(sessionfile.parse(_contents(file))))
    except BadFile as bad:
        _refuse(file, bad, as_json=as_json)
    _print(_json(sessionfile.answer(sheet)) if as_json else score_sheet(sheet))


def score_sheet(sheet: Sheet) -> str:
    """*sheet* as a person reads it, in plain text."""
    file = sheet.file
    parts = [words.ruleset_title(file.ruleset.id)]
    if file.chip is not None:
        parts[0] += " · " + _price(file.chip)
    if sheet.deals:
        parts.append(_deal_table(sheet))
    parts.append(_standings(sheet))
    if any(sheet.bought):
        held = zip(file.players, map(words.number, sheet.in_hand), strict=True)
        parts.append(_("Chips in hand") + "\n" + _table([list(row) for row in held], right={1}))
    if (transfers := sheet.transfers) is not None:
        parts.append(_settlement(sheet, transfers))
    parts.append(_outlook(sheet))
    return "\n\n".join(parts)


def _price(chip: Chip) -> str:
    price = words.money(chip.value_minor, chip.currency, chip.exponent)
    return ngettext("one chip is %(price)s", "%(num)s chips are %(price)s", chip.chips, price=price)


def _deal_table(sheet: Sheet) -> str:
    players = sheet.file.players
    head = [_("Deal"), _("Dealer"), _("Played"), _("Result")]
    for name in players:
        head += ["", name]
    rows = [head]
    for deal in sheet.deals:
        if deal.score.before.game > 1 and not deal.score.before.deals:
            rows.append([_("Game %(number)s", number=words.number(deal.score.before.game))])
        rows.append(_deal_row(deal, players))
    right = {0, *range(4, len(head))}
    return _table(rows, right=right)


def _deal_row(deal: ScoredDeal, players: Sequence[str]) -> list[str]:
    row = [
        words.number(deal.number),
        players[deal.score.before.dealer],
        words.deal_title(deal.facts, players),
        words.result_name(deal.score.result),
    ]
    for change, total in zip(deal.score.points, deal.totals, strict=True):
        row += [words.signed(change), words.number(total)]
    return row + ["", ""] * (len(players) - len(deal.totals))


def _standings(sheet: Sheet) -> str:
    title = _("Standings in chips") if sheet.file.game.unit is Unit.CHIPS else _("Standings in points")
    rows = [
        [words.number(standing.place), sheet.file.players[standing.player], words.number(standing.total)]
        for standing in sheet.standings
    ]
    return title + "\n" + _table(rows, right={0, 2})


def _settlement(sheet: Sheet, transfers: Sequence[Transfer[Seat]]) -> str:
    players = sheet.file.players
    lines = [_("To settle") if transfers else _("Nothing to settle")]
    for transfer in transfers:
        people = {"payer": players[transfer.payer], "payee": players[transfer.payee]}
        lines.append("  " + _("%(payer)s pays %(payee)s %(amount)s", **people, amount=_worth(sheet, transfer.amount)))
    return "\n".join(lines)


def _worth(sheet: Sheet, amount: int) -> str:
    """*amount* in the unit of the settlement, and in chips too where those come to just as much."""
    chip = sheet.file.chip
    chips = chip.price.whole_chips(amount) if chip else amount
    in_chips = "" if chips is None else ngettext("%(chips)s chip", "%(chips)s chips", chips, chips=words.number(chips))
    if chip is None:
        return in_chips
    in_money = words.money(amount, chip.currency, chip.exponent)
    return f"{in_chips} ({in_money})" if in_chips else in_money


def _outlook(sheet: Sheet) -> str:
    players, table = sheet.file.players, sheet.table
    next_dealer = _("Next to deal: %(player)s", player=players[sheet.dealer])
    if not table.over:
        return next_dealer
    won = _("The game is over. Won by: %(players)s", players=", ".join(players[seat] for seat in table.winners))
    return f"{won}\n{next_dealer}"


def _table(rows: list[list[str]], *, right: set[int]) -> str:
    """*rows* in columns as wide as what is in them, those in *right* flush right; a row of one cell is a heading."""
    columns = [row for row in rows if len(row) > 1]
    widths = [max(map(_width, column)) for column in zip(*columns, strict=True)]
    lines = []
    for row in rows:
        cells = [
            " " * (width - _width(cell)) + cell if place in right else cell + " " * (width - _width(cell))
            for place, (cell, width) in enumerate(zip(row, widths, strict=False))
        ]
        lines.append("  " + "  ".join(cells if len(row) > 1 else row).rstrip())
    return "\n".join(lines)


def _width(text: str) -> int:
    """The columns of a terminal that *text* takes: none for marks and joiners, two for what is wide in East Asia."""
    return sum(
        0
        if unicodedata.category(character) in ("Mn", "Me", "Cf")
        else 1 + (unicodedata.east_asian_width(character) in "FW")
        for character in text
    )


def _contents(file: str) -> bytes:
    """:raises BadFile: if it cannot be read."""
    try:
        with click.open_file(file, "rb") as stream:
            contents: bytes = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadFile(0, (sessionfile.malformed("unreadable", error=error.strerror),)) from None
    return contents


def _refuse(file: str, bad: BadFile, *, as_json: bool) -> NoReturn:
    messages = [words.problem_message(problem, bad.players) for problem in bad.problems]
    if as_json:
        problems = [
            {"code": problem.code, "field": problem.field, "message": message}
            for problem, message in zip(bad.problems, messages, strict=True)
        ]
        _print(_json({"error": {"event": bad.event, "problems": problems}}))
    where = _("event %(number)s: ", number=bad.event) if bad.event else ""
    click.echo(f"{file}: {where}{' '.join(messages)}".encode(errors="replace"), err=True)
    raise SystemExit(REFUSED)


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2)


def _print(text: str) -> None:
    # As bytes: names must come out in UTF-8 wherever the terminal claims less.
    click.echo(text.encode())

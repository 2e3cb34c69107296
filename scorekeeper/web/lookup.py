"""What a phone needs to follow a deal form by itself: what is asked when, and what each ending brings, as data.

The script that reads it looks things up and knows no rule; every word in it was chosen here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from flask_babel import gettext as _
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from scorekeeper.rules import CardGame, DealScore, Field, FieldKind, Problem, Seat, Table, Unit
from scorekeeper.rules.base import word_of
from scorekeeper.rules.endings import endings
from scorekeeper.web.amounts import Amount
from scorekeeper.web.entry import fields_drawn, left_note, line_label, line_note, question, shown_of
from scorekeeper.words import field_label, problem_message

_compact = partial(json.dumps, ensure_ascii=False, separators=(",", ":"))

Cell = Callable[[Seat, int, int], tuple[Amount, Amount]]
"""What a preview shows of a seat: its change and the total after it, from its number, its points and its total."""


def lookup(
    game: CardGame[Any],
    table: Table,
    names: Sequence[str],
    cell: Cell,
    read_back: Callable[[DealScore[Any]], Sequence[str]],
    *,
    declares: bool = False,
) -> Markup:
    """The data of a deal form at *table*, ready to stand in a page; without endings where it only declares a deal.

    Beside what each ending brings it holds what a phone needs to go on from the deal without the server: who deals the
    next one, and between which totals the endings hold though deals that are not saved yet come before.
    """
    drawn = [field for field in fields_drawn(game, table) if field.declared or not declares]
    fields = [_field(field, names) for field in drawn]
    data: dict[str, object] = {
        "fields": fields,
        "unfit": _("This does not fit yet"),
        "names": {seat: names[seat] for seat in table.ring},
        "totals": table.totals,
        "steady": game.steady(table.ruleset),
        "signed": game.unit is Unit.CHIPS,
        "dealer": table.dealer,
        "next": table.next_dealer,
    }
    found = None if declares else endings(game, table)
    if found is not None:
        said: dict[tuple[str, ...], int] = {}
        cells: dict[Seat, dict[int, tuple[Amount, Amount]]] = {seat: {} for seat in table.ring}
        results = []
        for score in found.scores:
            place = said.setdefault(tuple(read_back(score)), len(said))
            results.append((shown_of(score), place, score.table.dealer))
            for seat, cells_of_seat in cells.items():
                points = score.points[seat]
                if points not in cells_of_seat:
                    cells_of_seat[points] = cell(seat, points, score.table.totals[seat])
        data |= {
            "nodes": [dict(node) if node and isinstance(node[0], tuple) else node for node in found.nodes],
            "root": found.root,
            "results": results,
            "said": [(first, " ".join(rest)) for first, *rest in said],
            "cells": list(cells.items()),
        }
    return htmlsafe_json_dumps(data, dumps=_compact)


def _field(field: Field, names: Sequence[str]) -> dict[str, object]:
    """One field; what is empty or false is left out."""
    numbers = field.kind is FieldKind.NUMBERS and field.sums
    lines = dict(field.lines[1]) if field.lines else {}
    digits = range(field.low, field.high + 1)
    values: dict[str, object] = {
        "name": field.name,
        "label": field_label(field.name),
        "aside": field.detail or field.kind is FieldKind.SUITS,
        "needed": not field.detail and (field.required or field.nobody is not None),
        "many": field.kind is FieldKind.SEATS,
        "one": field.required and field.kind in (FieldKind.CHOICE, FieldKind.SEAT),
        "only": {
            fact: {word: [word_of(value) for value in kept] for word, kept in by_value.items()}
            for fact, by_value in field.only.items()
        },
        "unlike": field.unlike,
        "lineBy": field.lines[0] if field.lines else "",
        "lines": lines,
        "question": "" if field.detail or numbers else question(field, names),
    }
    if numbers:
        values |= {
            "high": field.high,
            "seats": field.seats,
            "lineOf": field.line_of,
            "out": field_label(field.unlike),
            "questions": [question(field, names, seat) for seat in field.seats],
            "sums": ["", *(_off(field, field.high - left) for left in digits[1:])],
            "left": [left_note(number) for number in digits],
            "owes": {line: line_note(line) for line in lines.values()},
        }
    elif lines:
        values["labels"] = {line: line_label(field, line) for line in lines.values()}
    return {key: value for key, value in values.items() if value}


def _off(field: Field, total: int) -> str:
    """What is wrong with numbers that come to *total*."""
    return problem_message(Problem("TRICKS_SUM", field.name, {"sum": total, "max": field.high}))

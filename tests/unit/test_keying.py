"""Whatever can be played can be written on a sheet and keyed in, in every game and under each of its rulesets."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

import pytest
from werkzeug.datastructures import MultiDict

from scorekeeper.rules import RULESETS, CardGame, DealScore, Facts, FieldKind, Refused, Table
from scorekeeper.web.keying import Cells, Columns, cells_of, columns_of, key_in
from scorekeeper.words import contract_name, suit_name
from tests.deals import fill_in

NAMES = ("Ann", "Ben", "Cleo", "Dan", "Eve", "Fay", "Gus", "Hal")
DEALS = 40


def tables() -> Iterator[Any]:
    """A table of every ruleset with nobody and two sitting out, and those of rules that ask for more."""
    houses: list[tuple[str, dict[str, object]]] = [
        *((ruleset_id, {}) for ruleset_id in RULESETS),
        ("mensch", {"partnership": "fixed"}),
        ("dirty-clubs", {"all_guessers": True, "one_card_each": True}),
        ("buck-euchre-bid", {"call_no_trump": True}),
    ]
    for ruleset_id, changes in houses:
        game = RULESETS[ruleset_id]
        rules = game.with_house_rules(game.ruleset(ruleset_id), changes)
        for more in (0, 2):
            if game.admits(rules, seats := game.players(rules) + more):
                yield pytest.param(game, game.open_table(rules, seats=seats), id=f"{ruleset_id} {changes} {more}")


def played(game: CardGame[Any], table: Table) -> Iterator[tuple[Facts, DealScore[Any]]]:
    """Deals one after another, game after game, the same ones always."""
    chance = random.Random(1)
    while True:
        table = game.new_game(table) if table.over else table
        facts = fill_in(game, table, chance.choice)
        with suppress(Refused):
            score = game.play(facts, table)
            table = score.table
            yield facts, score


def written(columns: Columns, facts: Facts, score: DealScore[Any]) -> Cells:
    """A deal as somebody writes it down who writes everything down."""
    cells: dict[str, str] = {"dealer": NAMES[score.before.dealer]}
    nobody = facts.get("passed_out") is True or (facts.get("trump") == "none" and "maker" not in facts)
    for column in columns.all:
        name, _dash, seat = column.key.partition("-")
        value = facts.get(name)
        if column.field is None:
            cells[column.key] = str((score.points if name == "change" else score.table.totals)[int(seat)])
        elif isinstance(value, list) and column.field.kind is not FieldKind.SEATS:
            own = value[int(seat)]
            cells[column.key] = suit_name(own) if isinstance(own, str) else "" if own is None else str(own)
        elif isinstance(value, list):
            cells[column.key] = " + ".join(NAMES[one] for one in value)
        elif column.field.kind is FieldKind.SEAT and isinstance(value, int):
            cells[column.key] = NAMES[value]
        elif column.field.nobody is not None and nobody:
            cells[column.key] = "–"
        elif isinstance(value, int):
            cells[column.key] = str(value)
        elif isinstance(value, str):
            cells[column.key] = contract_name(value) if name == "contract" else suit_name(value)
    return cells


@pytest.mark.parametrize(("game", "table"), [*tables()])
def test_what_was_played_and_written_down_agrees(game: CardGame[Any], table: Table) -> None:
    columns = columns_of(game, table, NAMES)
    rows = [written(columns, facts, score) for facts, score in islice(played(game, table), DEALS)]

    keyed = key_in(game, table, NAMES, columns, rows)

    assert [row.faults for row in keyed.rows] == [{}] * DEALS
    assert keyed.agrees
    assert len(keyed.deals) == DEALS


def test_nothing_but_cells_of_the_sheet_is_read() -> None:
    game = RULESETS["mensch"]
    columns = columns_of(game, game.open_table(game.ruleset("mensch")), NAMES[:4])
    form = {"r2-contract": "half", "r2-nonsense": "x", "r2-total-9": "1", "r-contract": "x", "r0-contract": "x"}

    assert cells_of(MultiDict(form), columns) == [{}, {"contract": "half"}]

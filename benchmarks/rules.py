"""How many deals a second the rules alone score, in one process.

    python -m benchmarks.rules [--json]

Each ruleset scores the same legal deals again and again, each at the table the one before left behind; the best of
some short rounds counts, which a busy machine disturbs least. Reading facts and explaining the score are not in it.
"""

import json
import random
import sys
import time
from typing import Any

from scorekeeper.rules import RULESETS, CardGame, Facts, FieldKind, Refused, Ruleset

DEALS, ROUNDS = 2_000, 50
MUST, AIM = 100_000, 300_000


def some_facts(chance: random.Random, game: CardGame[Any], ruleset: Ruleset) -> Facts:
    """What a form might hold: something for each field that must be filled in, sensible or not."""
    facts: dict[str, object] = {}
    table = game.open_table(ruleset)
    for field in game.fields(table):
        if field.kind is FieldKind.CHOICE and not field.detail:
            facts[field.name] = chance.choice(field.choices)
        elif field.kind is FieldKind.SEAT and chance.random() < 0.7:
            facts[field.name] = chance.choice(field.seats)
        elif field.kind is FieldKind.NUMBER:
            facts[field.name] = chance.randint(field.low, field.high)
        elif field.kind is FieldKind.NUMBERS and not field.detail:
            winners = chance.choices(field.seats, k=field.high)
            facts[field.name] = [winners.count(seat) for seat in field.seats]
    return game.complete(facts, table)


def deals_a_second(game: CardGame[Any], ruleset: Ruleset) -> int:
    chance = random.Random(1)
    start = game.open_table(ruleset)
    deals: list[Any] = []
    while len(deals) < 100:
        try:
            deal = game.read(some_facts(chance, game, ruleset), start)
            game.score(deal, start)
        except Refused:
            continue
        deals.append(deal)
    best = 0.0
    for _ in range(ROUNDS):
        table = start
        started = time.perf_counter()
        for number in range(DEALS):
            table = game.score(deals[number % len(deals)], table).table
            if table.winners:
                table = game.new_game(table)
        best = max(best, DEALS / (time.perf_counter() - started))
    return round(best)


def main() -> int:
    """Print the figures, on one line; 1 if they miss what must be reached."""
    figures = {name: deals_a_second(game, game.ruleset(name)) for name, game in RULESETS.items()}
    reached = min(figures.values()) >= MUST
    if "--json" in sys.argv[1:]:
        print(json.dumps({"row": 12, "deals_a_second": figures, "must": MUST, "aim": AIM, "reached": reached}))
    else:
        parts = ", ".join(f"{name} {figure:,}" for name, figure in figures.items())
        print(f"12 deals scored a second: {parts}; must {MUST:,}, aim {AIM:,}")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())

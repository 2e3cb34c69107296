"""How long the fewest transfers take to find, and whether they are the fewest.

    python -m benchmarks.settlement [--json]

Ledgers of 12 people, every one with a balance, from fixed seeds; the count is compared with a plain search
that shares no code with the product.
"""

import json
import random
import statistics
import sys
import time
from collections.abc import Sequence

from scorekeeper.ledger import plan_settlement

LEDGERS = {12: 60}
ROUNDS = 10
MUST_MS, AIM_MS = 20, 5


def ledger(people: int, seed: int) -> dict[int, int]:
    """Balances of *people*, none of them zero; small for low seeds, so that there are many ways to be even."""
    chance = random.Random(seed)
    while True:
        amounts = [chance.choice((-1, 1)) * chance.randint(1, 3 + seed) for _ in range(people - 1)]
        if sum(amounts):
            return dict(enumerate([*amounts, -sum(amounts)]))


def fewest(amounts: Sequence[int]) -> int:
    """The fewest transfers: add people one by one in the order that comes to even most often."""
    sums, evens = [0] * (1 << len(amounts)), [0] * (1 << len(amounts))
    for mask in range(1, 1 << len(amounts)):
        members = [person for person in range(len(amounts)) if mask >> person & 1]
        sums[mask] = sums[mask ^ 1 << members[0]] + amounts[members[0]]
        evens[mask] = max(evens[mask ^ 1 << person] for person in members) + (sums[mask] == 0)
    return len(amounts) - evens[-1]


def measure(people: int) -> dict[str, float | bool]:
    """Median and worst milliseconds a plan for *people* takes, each ledger's the best of some rounds."""
    best: list[float] = []
    exact = True
    for seed in range(LEDGERS[people]):
        balances = ledger(people, seed)
        taken: list[float] = []
        for _ in range(ROUNDS):
            started = time.perf_counter()
            plan = plan_settlement(balances)
            taken.append((time.perf_counter() - started) * 1000)
        best.append(min(taken))
        exact = exact and len(plan) == fewest(list(balances.values()))
    return {"median_ms": round(statistics.median(best), 3), "worst_ms": round(max(best), 3), "exact": exact}


def main() -> int:
    """Print the figures, on one line; 1 if they miss what must be reached."""
    figures = {people: measure(people) for people in LEDGERS}
    reached = figures[12]["worst_ms"] <= MUST_MS and all(figure["exact"] for figure in figures.values())
    if "--json" in sys.argv[1:]:
        answer = {"row": 11, "people": figures, "must_ms": MUST_MS, "aim_ms": AIM_MS, "reached": reached}
        print(json.dumps(answer))
    else:
        parts = [
            f"{people} people {figure['median_ms']} ms (worst {figure['worst_ms']}), exact: {figure['exact']}"
            for people, figure in figures.items()
        ]
        print(f"11 settlement: {'; '.join(parts)}; must {MUST_MS} ms at 12, aim {AIM_MS}")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())

"""How fast the app is, as ratios to a bare Flask application asked in the same run.

    python -m benchmarks            (or: make bench)

Prints a Markdown table: what must be reached, what is aimed at, and what came out. Both servers run on the loopback
and are asked by turns; a figure is the median of ``ROUNDS`` answers.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import event

from benchmarks import reference as bare_app
from benchmarks.seeds import Evening, evening, seeding
from benchmarks.servers import ROOT, Browser, Server, fields, ours, reference, requests_a_second
from scorekeeper.app import create_app
from scorekeeper.extensions import db as database

ROUNDS = 100
MANY = 10_000
"""Deals of the huge session."""
ALMOST = 9_200
"""Deals of the huge session in which more are recorded: there may be 10,000."""

Ask = Callable[[], float]
"""Something that is measured once, in seconds."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. Smaller is better, unless *more* is."""

    number: str
    what: str
    figure: float
    must: float
    aim: float
    detail: str = ""
    more: bool = False

    @property
    def reached(self) -> str:
        if self._within(self.aim):
            return "aim"
        return "must" if self._within(self.must) else "**missed**"

    def _within(self, bound: float) -> bool:
        return self.figure >= bound if self.more else self.figure <= bound

    def __str__(self) -> str:
        sign = "≥" if self.more else "≤"
        figures = f"{sign} {self.must:,g} | {self.aim:,g} | {self.figure:,.4g}"
        return f"| {self.number} | {self.what} | {figures} | {self.reached} | {self.detail} |"


def medians(*asks: Ask, rounds: int = ROUNDS) -> list[float]:
    """The median seconds of each of *asks*; a few rounds first, to warm up, do not count.

    Each round asks all, in an order drawn anew: whoever follows another server finds a colder machine.
    """
    chance = random.Random(1)
    taken: list[list[float]] = [[] for _ in asks]
    for number in range(-5, rounds):
        for place in chance.sample(range(len(asks)), len(asks)):
            seconds = asks[place]()
            if number >= 0:
                taken[place].append(seconds)
    return [statistics.median(times) for times in taken]


def opened(server: Server, evening: Evening) -> Browser:
    """A browser that has opened the group's link, and one page, which gives it its cookies."""
    browser = Browser(server.port)
    browser.get(f"/open/{evening.link.token}")
    browser.get(evening.page)
    return browser


def getting(browser: Browser, path: str, status: int = 200, **headers: str) -> Ask:
    def ask() -> float:
        answer = browser.get(path, **headers)
        if answer.status != status:
            raise RuntimeError(f"{path} answered {answer.status}")
        return answer.seconds

    return ask


def recording(browser: Browser, evening: Evening) -> Ask:
    """Filling in and previewing the form of a deal is not measured; sending it is."""

    def ask() -> float:
        return _send(browser, f"{evening.page}/deals/new", f"{evening.page}/deals", {"tricks": "5"})

    return ask


def looking_first(browser: Browser, evening: Evening, scorer: Browser) -> Ask:
    """The page for the first who asks after a deal, which is drawn then. Recording that is not measured."""
    record, look = recording(scorer, evening), getting(browser, evening.page)

    def ask() -> float:
        record()
        return look()

    return ask


def correcting(browser: Browser, evening: Evening, number: int) -> Ask:
    """Correcting one deal, to one result and another by turns."""
    deal = f"{evening.page}/deals/{number}"
    tricks = iter(range(1_000_000))

    def ask() -> float:
        return _send(browser, f"{deal}/correct", f"{deal}/correct", {"tricks": str(4 + next(tricks) % 2)})

    return ask


def _send(browser: Browser, page: str, action: str, entered: dict[str, str]) -> float:
    answer = browser.post(action, filled_in(browser, page, action, entered))
    if answer.status != 303:
        raise RuntimeError(f"{action} answered {answer.status}")
    return answer.seconds


def filled_in(browser: Browser, page: str, action: str, entered: dict[str, str]) -> dict[str, str]:
    """The form of a deal, ready to be saved."""
    form = {**browser.form(page, action), "contract": "half", "declarer": "0", "partner": "2", **entered}
    # What has not been previewed comes back with its preview, and is sent again from there.
    return fields(browser.post(action, form).body, action)


def inserting(browser: Browser) -> Ask:
    def ask() -> float:
        answer = browser.post("/", {"name": "Ann", "points": "1"})
        if answer.status != 303:
            raise RuntimeError(f"the reference answered {answer.status}")
        return answer.seconds

    return ask


def ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


def against(number: str, what: str, figures: tuple[float, float], must: float, aim: float) -> Row:
    measured, base = figures
    return Row(number, what, measured / base, must, aim, f"{ms(measured)} : {ms(base)}")


def pages(folder: Path) -> Iterator[Row]:
    """Everything that one worker of each is enough for."""
    with seeding(folder / "large.db") as db:
        small, few = evening(db, deals=100), evening(db, deals=10)
        huge, growing = evening(db, deals=MANY), evening(db, deals=ALMOST)
    with seeding(folder / "alone.db") as db:
        alone = evening(db, deals=100)
    bare_app.prepare(str(folder / "bare.db"))
    large_url, alone_url = (f"sqlite:///{folder / name}" for name in ("large.db", "alone.db"))
    with (
        ours(large_url, folder) as server,
        ours(alone_url, folder) as quiet_server,
        reference(folder / "bare.db") as bare_server,
    ):
        bare = Browser(bare_server.port)
        page = opened(server, huge)
        small_page, huge_page = getting(opened(server, small), small.page), getting(page, huge.page)

        medians(looking_first(opened(server, few), few, opened(server, few)))
        before = server.memory()
        first, first_small = (
            looking_first(opened(server, evening), evening, opened(server, evening)) for evening in (growing, small)
        )
        etag = page.get(huge.page).headers["ETag"]
        unchanged = getting(page, huge.page, 304, **{"If-None-Match": etag})
        looks = medians(first, first_small, huge_page, unchanged, getting(bare, "/"))
        grown = server.memory() - before
        yield against("1", "session page after a deal, at 10,000 deals : at 100", (looks[0], looks[1]), 1.15, 1.05)
        yield against("2", "session page after a deal, at 10,000 deals : bare page", (looks[0], looks[4]), 4, 2.5)
        yield against("2", "session page as others have seen it : bare page", (looks[2], looks[4]), 4, 2.5)
        yield against("7", "session page not changed (304) : after a deal", (looks[3], looks[0]), 0.6, 0.4)
        yield Row("7", "statements before a 304", statements(large_url, huge), 2, 1)

        posts = medians(
            recording(opened(server, growing), growing), recording(opened(server, few), few), inserting(bare)
        )
        yield against("4", "record a deal : bare insert", (posts[1], posts[2]), 4, 2.5)
        yield against("5", "record a deal at 10,000 deals : at 10", (posts[0], posts[1]), 1.15, 1.05)

        browser = opened(server, growing)
        # Those recorded in between move it further from the last, so fewer rounds.
        correction = medians(
            correcting(browser, growing, ALMOST + ROUNDS),
            recording(opened(server, small), small),
            rounds=max(60, ROUNDS // 2),
        )
        yield against("6", "correct the deal 100 before the last : record one", (correction[0], correction[1]), 5, 3)

        yield Row("9", "memory of a worker : bare", before / bare_server.memory(), 2, 1.5, f"{before:.1f} MiB")
        yield Row("9", "growth from 10 to 10,000 deals, MiB", grown, 8, 2)

        beside = medians(small_page, getting(opened(quiet_server, alone), alone.page))
        yield against("10", "small session beside a huge one : alone", (beside[0], beside[1]), 1.1, 1.05)


def statements(url: str, evening: Evening) -> int:
    """How many statements the database has answered before a page is known not to have changed."""
    app = create_app({"SQLALCHEMY_DATABASE_URI": url, "SECRET_KEY": "for measuring"})
    counted: list[str] = []
    client = app.test_client()
    client.get(f"/open/{evening.link.token}")
    client.get(evening.page)
    etag = client.get(evening.page).headers["ETag"]
    with app.app_context():
        event.listen(database.engine, "before_cursor_execute", lambda *call: counted.append(call[2]))
    answer = client.get(evening.page, headers={"If-None-Match": etag})
    with app.app_context():
        database.engine.dispose()
    if answer.status_code != 304:
        raise RuntimeError(f"the page has changed: {answer.status_code}")
    return len([statement for statement in counted if not statement.startswith("BEGIN")])


def standings(folder: Path) -> Iterator[Row]:
    """The page of a group that has played for years, against one that has just begun."""
    with seeding(folder / "years.db") as db:
        new, old = evening(db, deals=100, sessions=10), evening(db, deals=100, sessions=1000)
    with ours(f"sqlite:///{folder / 'years.db'}", folder) as server:
        asks = [getting(opened(server, evening), f"/groups/{evening.link.group_id}") for evening in (old, new)]
        figures = medians(*asks)
        yield against("3", "group page, 1,000 sessions : 10 sessions", (figures[0], figures[1]), 1.15, 1.05)


def throughput(folder: Path) -> Iterator[Row]:
    """Sixteen clients at two workers, theirs and ours by turns."""
    with seeding(folder / "busy.db") as db:
        busy = evening(db, deals=100)
    bare_app.prepare(str(folder / "bare-busy.db"))
    with (
        ours(f"sqlite:///{folder / 'busy.db'}", folder, workers=2) as server,
        reference(folder / "bare-busy.db", workers=2) as bare_server,
    ):
        cookie = opened(server, busy).cookie
        rates = [
            (requests_a_second(server.port, busy.page, cookie), requests_a_second(bare_server.port, "/", ""))
            for _ in range(3)
        ]
        ours_, bare = (statistics.median(rate) for rate in zip(*rates, strict=True))
        detail = f"{ours_:,.0f} : {bare:,.0f} a second"
        yield Row("8", "throughput, 16 clients, 2 workers : bare", ours_ / bare, 0.25, 0.4, detail, more=True)


def rules_alone() -> Iterator[Row]:
    """What needs no server."""
    settled = _figures("benchmarks.settlement")
    twelve = settled["people"]["12"]
    exact = "exact" if twelve["exact"] else "**not the fewest**"
    yield Row("11", "settlement of 12 people, ms", twelve["worst_ms"], settled["must_ms"], settled["aim_ms"], exact)
    scored = _figures("benchmarks.rules")
    slowest = min(scored["deals_a_second"], key=scored["deals_a_second"].get)
    yield Row(
        "12",
        "deals scored a second by the rules alone",
        scored["deals_a_second"][slowest],
        scored["must"],
        scored["aim"],
        f"the slowest: {slowest}",
        more=True,
    )


def _figures(module: str) -> Any:
    answer = subprocess.run(
        [sys.executable, "-m", module, "--json"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return json.loads(answer.stdout)


def main() -> int:
    """Print the table as it comes; 1 if anything that must be reached is not."""
    print("| # | what | must | aim | reached | | |\n|---|---|---|---|---|---|---|")
    missed = 0
    with tempfile.TemporaryDirectory(prefix="scorekeeper-") as folder:
        for part in (pages(Path(folder)), standings(Path(folder)), throughput(Path(folder)), rules_alone()):
            for row in part:
                print(row, flush=True)
                missed += row.reached == "**missed**"
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

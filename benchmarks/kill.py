"""Whether anything is lost or doubled when the server is killed (kill -9) at random moments while deals arrive.

    python -m benchmarks.kill [TIMES]        (200 times, in about ten minutes)

At each of several tables somebody records one deal after another over the loopback, and sends a deal whose answer never
came once more, as a phone does. After each kill everything that was acknowledged must be stored once; at the end all
that is stored must be sound.
"""

from __future__ import annotations

import http.client
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import create_engine, func, select, text
from sqlalchemy.orm import Session

# For what it does to every connection.
import scorekeeper.extensions  # noqa: F401
from benchmarks.__main__ import filled_in, opened
from benchmarks.seeds import Evening, evening, seeding
from benchmarks.servers import Browser, killed, ours
from scorekeeper.models import Deal, LedgerEntry, SessionChange
from scorekeeper.services.check import differences

TIMES = 200
TABLES = 4
LONGEST = 1.5
"""Seconds a server lives at most once it answers."""


@dataclass
class Scorer:
    """Somebody who records at one table, whatever becomes of the server."""

    evening: Evening
    acknowledged: set[str] = field(default_factory=set)
    cookies: dict[str, str] = field(default_factory=dict)
    sent: Mapping[str, str] | None = None
    """The deal that was sent last, until its answer comes."""
    in_doubt: int = 0
    """How often an answer never came."""

    def record(self, port: int) -> None:
        """Record until the server is gone."""
        browser = Browser(port, self.cookies)
        action = f"{self.evening.page}/deals"
        try:
            while True:
                self.sent = self.sent or filled_in(browser, f"{action}/new", action, {"tricks": "5"})
                answer = browser.post(action, self.sent)
                if answer.status != 303:
                    raise RuntimeError(f"{action} answered {answer.status}")
                self.acknowledged.add(self.sent["submission_id"])
                self.sent = None
        except (OSError, http.client.HTTPException):
            self.in_doubt += self.sent is not None
        finally:
            browser.close()


def stored(db: Session, evening: Evening) -> list[str]:
    """The forms that have recorded a deal in the session."""
    recorded = (
        select(SessionChange.submission_id)
        .join(Deal, (Deal.session_id == SessionChange.session_id) & (Deal.recorded == SessionChange.version))
        .where(SessionChange.session_id == evening.session_id)
    )
    return list(db.scalars(recorded))


def one_life(url: str, folder: Path, scorers: list[Scorer], seconds: float) -> None:
    """Start a server, have everybody record, and kill it after so many *seconds*."""
    with ours(url, folder, stop=killed) as server:
        for scorer in scorers:
            scorer.cookies = scorer.cookies or opened(server, scorer.evening).cookies
        threads = [threading.Thread(target=scorer.record, args=(server.port,)) for scorer in scorers]
        for thread in threads:
            thread.start()
        time.sleep(seconds)
    for thread in threads:
        thread.join()


def main(times: int) -> None:
    """Print what was found; stop at the first deal that is lost or doubled."""
    chance = random.Random(os.urandom(8))
    with tempfile.TemporaryDirectory(prefix="scorekeeper-") as name:
        folder = Path(name)
        url = f"sqlite:///{folder / 'killed.db'}"
        with seeding(folder / "killed.db") as db:
            scorers = [Scorer(evening(db, deals=1)) for _ in range(TABLES)]
        engine = create_engine(url)
        for number in range(1, times + 1):
            one_life(url, folder, scorers, chance.uniform(0, LONGEST))
            with Session(engine) as db:
                for scorer in scorers:
                    if missing := scorer.acknowledged - set(stored(db, scorer.evening)):
                        raise RuntimeError(f"after kill {number} acknowledged deals are missing: {sorted(missing)}")
            if number % 20 == 0:
                print(f"{number} kills, {sum(len(one.acknowledged) for one in scorers):,} deals", flush=True)
        with Session(engine) as db:
            for scorer in scorers:
                forms = stored(db, scorer.evening)
                known = scorer.acknowledged | ({scorer.sent["submission_id"]} if scorer.sent else set())
                # The first deal was there before.
                if len(forms) != len(set(forms)) or len(set(forms) - known) > 1:
                    raise RuntimeError(f"there are deals in {scorer.evening.page} that nobody sent, or sent once")
            found = list(differences(db))
            total = db.scalar(select(func.sum(LedgerEntry.chips)))
            sound = db.execute(text("PRAGMA integrity_check")).scalar_one()
        engine.dispose()
    if found or total or sound != "ok":
        raise RuntimeError(f"{found[:3]}, ledger {total}, file {sound}")
    print(
        f"{times} kills: {sum(len(one.acknowledged) for one in scorers):,} deals acknowledged, all stored once; "
        f"{sum(one.in_doubt for one in scorers)} answers never came; every ledger at zero, every total worked out again"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else TIMES)

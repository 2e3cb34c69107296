"""Record a deal and be killed on the way: ``python -m tests.services.power_cut URL FIELDS MOMENT``.

FIELDS is what the command carries, as JSON. MOMENT is the number of the statement before which the process dies, or
"commit", just before it is committed, or "end", just after.
"""

import json
import os
import signal
import sys
from typing import Any

from sqlalchemy import create_engine, event
from sqlalchemy.orm import Session

# For what it does to every connection.
import scorekeeper.extensions  # noqa: F401
from scorekeeper.services.deals import RecordDeal, record_deal
from tests.factories import HALF_MADE


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main(url: str, fields: str, moment: str) -> None:
    engine = create_engine(url)
    statements = 0

    def count(*call: Any) -> None:
        nonlocal statements
        statements += 1
        if str(statements) == moment:
            die()

    event.listen(engine, "before_cursor_execute", count)
    if moment == "commit":
        event.listen(engine, "commit", lambda connection: die())
    with Session(engine) as db:
        record_deal(db, RecordDeal(**json.loads(fields), facts=HALF_MADE))
        die()


if __name__ == "__main__":
    main(*sys.argv[1:])

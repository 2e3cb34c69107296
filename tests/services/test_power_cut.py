"""A process that dies while it writes leaves all of a deal behind, or nothing of it."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from scorekeeper.models import Deal
from scorekeeper.services.check import differences
from tests.factories import make_deal, make_session
from tests.sittings import Sitting, dump

ROOT = Path(__file__).parents[2]


def record_and_die(url: str, fields: dict[str, object], moment: str) -> None:
    command = [sys.executable, "-m", "tests.services.power_cut", url, json.dumps(fields), moment]
    killed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr


def assert_sound(db: Session) -> None:
    assert list(differences(db)) == []
    if db.get_bind().dialect.name == "sqlite":
        assert db.execute(text("PRAGMA integrity_check")).scalar_one() == "ok"
        assert db.execute(text("PRAGMA foreign_key_check")).all() == []


@pytest.mark.parametrize("moment", ["3", "8", "commit"])
def test_what_was_not_committed_never_was(db: Session, database_url: str, moment: str) -> None:
    made = make_session(db)
    make_deal(db, made)
    fields = made.command(db)
    stored = dump(db)
    db.rollback()
    record_and_die(database_url, fields, moment)
    assert dump(db) == stored
    assert_sound(db)
    assert make_deal(db, made) == 2


def test_what_was_committed_is_there(db: Session, database_url: str) -> None:
    made = make_session(db)
    fields = made.command(db)
    record_and_die(database_url, fields, "end")
    assert db.scalars(select(Deal.number)).all() == [1]
    assert [seat.chips for seat in Sitting(db, made).seats()] == [1, -1, 1, -1]
    assert_sound(db)

"""Several servers share one PostgreSQL, and outlive its being restarted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from flask import Flask
from sqlalchemy import text
from sqlalchemy.orm import Session

from tests.conftest import create_database
from tests.factories import make_group
from tests.http.conftest import Host

END_ALL = text(
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


def test_servers_that_start_at_once_bring_the_database_up_to_date_one_after_another(
    postgresql: str, tmp_path: Path
) -> None:
    url = create_database(postgresql, "fresh")
    command = [str(Path(sys.executable).with_name("scorekeeper")), "db", "upgrade"]
    here = {"SCOREKEEPER_DATABASE_URL": url, "SCOREKEEPER_DATA": str(tmp_path), "SCOREKEEPER_SECRET_KEY": "for tests"}
    servers = [
        subprocess.Popen(command, env={**os.environ, **here}, stderr=subprocess.PIPE, text=True) for _ in range(3)
    ]
    said = [server.communicate(timeout=120)[1] for server in servers]

    assert [server.returncode for server in servers] == [0, 0, 0], said


def test_the_first_page_after_the_database_was_restarted_is_shown_like_any_other(app: Flask, db: Session) -> None:
    host = Host(app, make_group(db))
    # Pages have another connection meanwhile.
    db.connection()
    assert host.get(host.group_path).status == 200

    assert db.scalar(END_ALL)

    assert host.get(host.group_path).status == 200

"""The Flask extensions: made here, bound to an application in ``app.py``."""

from __future__ import annotations

import sqlite3
from typing import Any

from flask_babel import Babel
from flask_sqlalchemy import SQLAlchemy
from flask_wtf import CSRFProtect
from sqlalchemy import Connection, Engine, event

from scorekeeper.models import Base

# As many as the pool has anyway at its most, but all of them kept: where many ask at once, opening one takes longer
# than what it is asked.
db = SQLAlchemy(model_class=Base, disable_autonaming=True, engine_options={"pool_size": 15, "max_overflow": 0})
csrf = CSRFProtect()
babel = Babel()


@event.listens_for(Engine, "connect")
def prepare_sqlite(connection: Any, record: object) -> None:
    """Foreign keys on; a commit survives a power cut; transactions begin where :func:`begin_sqlite` says."""
    if not isinstance(connection, sqlite3.Connection):
        return
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=5000", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


@event.listens_for(Engine, "begin")
def begin_sqlite(connection: Connection) -> None:
    """Take SQLite's write lock at the start of a transaction that will write (``services.transaction``).

    The driver's default is to take it at the first write, which loses updates between the read and the write.
    """
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("writes") else "BEGIN")

"""The schema of the database, which migrations alone bring about.

Apart from the application: a server needs nothing of it, and Alembic is 12 MiB of a process.
"""

from __future__ import annotations

from flask import Flask
from flask_migrate import Migrate

from scorekeeper.extensions import db
from scorekeeper.paths import shipped


def init_app(app: Flask) -> None:
    """Give *app* its migrations, for the ``db`` commands and ``flask_migrate``."""
    Migrate(app, db, directory=str(shipped("migrations")), render_as_batch=True)

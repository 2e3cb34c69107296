"""A database in which nothing has been made yet, and Alembic pointed at it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.config import Config
from flask import Flask, current_app

from scorekeeper.extensions import db as database
from tests.conftest import create_database, make_app

_names = itertools.count(1)


@pytest.fixture
def empty_url(database_server_url: str | None, tmp_path: Path) -> str:
    """The URL of a database without a table."""
    if database_server_url is not None:
        return create_database(database_server_url, f"empty{next(_names)}")
    return f"sqlite:///{tmp_path / 'empty.db'}"


@pytest.fixture
def app(empty_url: str) -> Iterator[Flask]:
    """An application on an empty database, with its context open."""
    app = make_app(empty_url)
    with app.app_context():
        yield app
        database.engine.dispose()


@pytest.fixture
def alembic(app: Flask) -> Config:
    config: Config = current_app.extensions["migrate"].migrate.get_config()
    return config

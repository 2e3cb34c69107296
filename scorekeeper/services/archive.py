"""A whole group as one document, and a group out of one.

The document holds rows as the schema of its time knew them. An older one is brought to today's by the migrations
themselves, in a database of its own; so whatever version wrote it, it stays readable as long as they do. What then adds
up to the last chip comes in, as a group of its own beside the others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, Final

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    Integer,
    MetaData,
    String,
    Table,
    create_engine,
    insert,
    null,
    select,
    text,
)
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from scorekeeper import queries
from scorekeeper.currencies import exponent_of
from scorekeeper.models import AnyRow, Base, Cost, GameSession, Group, GroupLink, JoinCode, Player, SessionChange
from scorekeeper.names import clean_name, clean_note
from scorekeeper.rules import Refused, Seat
from scorekeeper.services.check import differences
from scorekeeper.services.groups import NewLink, Role, group_made, insert_link, link_again, of_group
from scorekeeper.services.seats import seating_note
from scorekeeper.services.transaction import fingerprint_of, transaction
from scorekeeper.sessionfile import BadFile, read_document, write_document

FORMAT: Final = "scorekeeper/group"

_FIRST: Final = tuple(Base.metadata.tables[name] for name in ("player_group", "player"))
_TABLES: Final = _FIRST + tuple(
    table
    for table in Base.metadata.sorted_tables
    if "group_id" in table.columns and table not in (*_FIRST, JoinCode.__table__)
)
"""What a group is, each table after those it refers to, be it in a seating: everything but what lets somebody in."""
_REFERENCES: Final = {
    "group_id": "player_group",
    "session_id": "game_session",
    "player_id": "player",
    "link_id": "group_link",
    "source_id": "game_session",
}
"""The columns, in whatever table, that say of which row of another one their row is."""
_KEPT_BACK: Final[Mapping[str, Mapping[str, object]]] = {
    "group_link": {"token_hash": None},
    "game_session": {"pen": None, "pen_name": "", "pen_since": 0},
}
"""What opens something, or belongs to a device, leaves with no document."""

# Alembic keeps what it works on in global variables.
_migrating = Lock()

_SCHEMA: Final = re.compile(r"[0-9]{4}")
_ODD: Final = (
    BadFile,
    Refused,
    SQLAlchemyError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What is raised where rows are not as anybody writes them."""


class BadArchive(Exception):
    """A document that cannot be brought in."""


class NewerArchive(BadArchive):
    """A document of a schema that this version does not know."""


def pack(db: Session, group_id: int) -> dict[str, Any]:
    """Everything of a group, as JSON knows it: for each table the names of its columns, and its rows."""
    tables = {}
    for table in _TABLES:
        kept_back = _KEPT_BACK.get(table.name, {})
        found = db.execute(select(table).where(of_group(table, group_id)).order_by(*table.primary_key)).mappings()
        rows = [[kept_back.get(name, _written(value)) for name, value in row.items()] for row in found]
        tables[table.name] = {"columns": list(table.columns.keys()), "rows": rows}
    return {
        "format": FORMAT,
        "schema": db.execute(text("SELECT version_num FROM alembic_version")).scalar_one(),
        "tables": tables,
    }


def unpack(db: Session, document: object, submission_id: str, token: str, migrations: Path) -> NewLink:
    """Make the group of a document, and a host link to it with *token*. The links it had open nothing here.

    Sending the same ``submission_id`` again makes no second group, and gives the same link.

    :raises BadArchive: if it is no such document, or does not add up; nothing is written.
    :raises NewerArchive: if a later version wrote it; nothing is written.
    :raises ChangedForm: if it comes with another document; nothing is written.
    :raises LinkGone: if it comes again and the link has been withdrawn; nothing is written.
    """
    rows = _rows_of(document, migrations)
    form = {"submission_id": submission_id, "fingerprint": fingerprint_of(document)}
    with transaction(db):
        made = group_made(db, **form)
        if made is not None:
            return link_again(db, made, token)
        return insert_link(db, _bring_in(db, rows, form), Role.HOST, "", token)


def _written(value: object) -> object:
    return value.isoformat() if isinstance(value, date) else value


def _rows_of(document: object, migrations: Path) -> dict[Table, Sequence[AnyRow]]:
    """The rows of *document* in today's schema, from a database of their own where they were found to add up.

    :raises BadArchive: if they do not.
    """
    # A server needs Alembic for nothing else, and it is 12 MiB of a process.
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    match document:
        case {"format": str(written_as), "schema": str(schema), "tables": dict(tables)} if (
            written_as == FORMAT and _SCHEMA.fullmatch(schema)
        ):
            pass
        case _:
            raise BadArchive("not a document of a group")
    with TemporaryDirectory(prefix="scorekeeper-") as folder:
        engine = create_engine(f"sqlite:///{folder}/archive.db")
        config = Config(attributes={"engine": engine})
        config.set_main_option("script_location", str(migrations))
        try:
            with _migrating:
                command.upgrade(config, schema)
            _fill(engine, tables)
            with _migrating:
                command.upgrade(config, "head")
            with Session(engine) as scratch:
                _examine(scratch)
                return {table: scratch.execute(select(table)).all() for table in _TABLES}
        except CommandError as unknown:
            raise NewerArchive(schema) from unknown
        except _ODD as odd:
            # What no version has written can fail at any place where it is migrated or worked out again.
            raise BadArchive(repr(odd)) from odd
        finally:
            engine.dispose()


def _fill(engine: Any, tables: Mapping[str, Any]) -> None:
    """Put the rows of a document into tables as they were when it was written.

    :raises BadArchive: if they are not such rows.
    """
    known = MetaData()
    known.reflect(engine)
    if unknown := tables.keys() - known.tables.keys():
        raise BadArchive(f"no table is called {min(unknown)}")
    with engine.begin() as connection:
        for table in known.sorted_tables:
            match tables.get(table.name, {"columns": [], "rows": []}):
                case {"columns": list(names), "rows": list(rows)} if set(names) <= {*table.columns.keys()}:
                    columns = [table.columns[name] for name in names]
                case _:
                    raise BadArchive(f"the table {table.name} is another one")
            if rows:
                connection.execute(insert(table), [_row(columns, row) for row in rows])


def _row(columns: Sequence[Column[Any]], row: object) -> dict[str, Any]:
    if not isinstance(row, list) or len(row) != len(columns):
        raise BadArchive("a row has other columns than its table")
    return {column.name: _value(column, value) for column, value in zip(columns, row, strict=True)}


def _value(column: Column[Any], value: object) -> object:
    """*value* of a row as *column* takes it. SQLite would take anything, and cut nothing off.

    :raises BadArchive: if it is of another kind.
    """
    fits: bool
    match column.type:
        case Boolean():
            fits = value is None or isinstance(value, bool)
        case Integer() as kind:
            bits = 63 if isinstance(kind, BigInteger) else 31
            fits = value is None or (type(value) is int and -(2**bits) <= value < 2**bits)
        case JSON():
            # None alone would be stored as the JSON value.
            return null() if value is None else value
        case DateTime() | Date() as kind:
            if value is None:
                return value
            read = datetime if isinstance(kind, DateTime) else date
            try:
                return read.fromisoformat(value)  # type: ignore[arg-type]
            except (TypeError, ValueError) as unread:
                raise BadArchive(f"{column} is no {kind}") from unread
        case String() as kind:
            fits = value is None or (isinstance(value, str) and "\0" not in value)
            fits = fits and (kind.length is None or len(value or "") <= kind.length)  # type: ignore[arg-type]
        case kind:
            raise TypeError(f"nothing can be read as {kind}")
    if not fits:
        raise BadArchive(f"{column} cannot be {value!r}"[:200])
    return value


def _examine(scratch: Session) -> None:
    """Look whether everything can be as it is.

    :raises BadArchive: if it cannot.
    """
    if len(scratch.execute(select(Group.id)).all()) != 1:
        raise BadArchive("it must be of one group")
    for column in (Group.name, Player.name, GameSession.name):
        for name in scratch.scalars(select(column)):
            if clean_name(name) != name:
                raise BadArchive(f"{column} cannot be {name!r}")
    for name in scratch.scalars(select(GroupLink.name)):
        if name and clean_name(name) != name:
            raise BadArchive(f"a link cannot be called {name!r}")
    for note in scratch.scalars(select(SessionChange.note).where(SessionChange.kind == "adjustment")):
        clean_note(note)
    for note in scratch.scalars(select(Cost.note)):
        clean_note(note)
    for code, decimals in scratch.execute(select(GameSession.currency, GameSession.exponent)):
        if (code is None) != (decimals is None) or (code is not None and exponent_of(code) != decimals):
            raise BadArchive(f"{code} has not {decimals} decimals")
    for found in differences(scratch):
        raise BadArchive(str(found))
    # Rules and events that no file could hold, no session can have.
    for session in scratch.execute(select(*GameSession.__table__.columns)).all():
        read_document(write_document(queries.session_file(scratch, session)))


def _bring_in(db: Session, found: Mapping[Table, Sequence[AnyRow]], form: Mapping[str, str]) -> int:
    """Insert the rows *found*, with numbers of this database, and return that of their group, made by *form*.

    :raises BadArchive: if a row belongs to none of them.
    """
    changed: dict[str, Mapping[str, object]] = {"player_group": form, "group_link": {"withdrawn_at": datetime.now(UTC)}}
    numbers: dict[str, dict[int, int]] = {}
    try:
        for table in _TABLES:
            others = {**_KEPT_BACK.get(table.name, {}), **changed.get(table.name, {})}
            rows = [_renumbered(table, row, numbers) | others for row in found[table]]
            if "id" in table.columns:
                returned = insert(table).returning(table.c.id)
                numbers[table.name] = {row.pop("id"): db.execute(returned, row).scalar_one() for row in rows}
            elif rows:
                db.execute(insert(table), rows)
    except LookupError as missing:
        raise BadArchive(f"a row refers to {missing}, which is not there") from missing
    return next(iter(numbers["player_group"].values()))


def _renumbered(table: Table, row: AnyRow, numbers: Mapping[str, Mapping[int, int]]) -> dict[str, Any]:
    """The values of *row* with the *numbers* that other rows have got here."""
    values = dict(row._mapping)
    for name, of in _REFERENCES.items():
        if values.get(name) is not None:
            values[name] = numbers[of][values[name]]
    players = numbers.get("player", {})
    if "seating" in values:
        values["seating"] = [[seat, players[player]] for seat, player in values["seating"]]
    if table is SessionChange.__table__ and row.kind == "seats":
        values["note"] = seating_note({Seat(seat): players[player] for seat, player in json.loads(row.note)})
    return values

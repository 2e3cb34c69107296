"""A whole group as one archive, and a group out of one.

The archive holds rows as the schema of its time knew them. An older one is brought to today's by the migrations
themselves, in a database of its own; so whatever version wrote it, it stays readable as long as they do. What then adds
up to the last chip comes in, as a group of its own beside the others.

Rows are written and read a few at a time: a group may have played for years.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, Final
from zipfile import BadZipFile, ZipFile
from zlib import error as BadDeflate  # noqa: N812

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Connection,
    Date,
    DateTime,
    Engine,
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
from scorekeeper.limits import MAX_FILES, MAX_LINE, MAX_ROWS
from scorekeeper.models import AnyRow, Base, Cost, GameSession, Group, GroupLink, JoinCode, Player, SessionChange
from scorekeeper.names import clean_name, clean_note
from scorekeeper.rules import Refused, Seat
from scorekeeper.services.check import differences
from scorekeeper.services.groups import NewLink, Role, group_made, insert_link, link_again, of_group
from scorekeeper.services.seats import seating_note
from scorekeeper.services.transaction import transaction
from scorekeeper.sessionfile import MAX_BYTES, BadFile, parse, read_document, write_document

FORMAT: Final = "scorekeeper/group"
_ROWS: Final = "group.jsonl"
"""What is read again of an archive. What else is in it is for people, and for other programs."""
_DOCUMENT: Final = "group.json"
"""Where the first archives had the same, as one document."""
_AT_ONCE: Final = 1000
"""Rows that are in memory at a time."""

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
    "over": "game_session",
}
"""The columns, in whatever table, that say of which row of another one their row is."""
_KEPT_BACK: Final[Mapping[str, Mapping[str, object]]] = {
    "player_group": {"submission_id": "", "fingerprint": ""},
    "group_link": {"token_hash": None},
    "game_session": {"pen": None, "pen_name": "", "pen_since": 0},
}
"""What opens something, names the form that does, or belongs to a device, leaves with no document."""

# Alembic keeps what it works on in global variables.
_migrating = Lock()

_SCHEMA: Final = re.compile(r"[0-9]{4}")
_ODD: Final = (
    # No archive, or one that is cut off.
    *(BadZipFile, BadDeflate, EOFError),
    # Encrypted, or packed in a way of its own.
    *(NotImplementedError, RuntimeError),
    *(BadFile, Refused, SQLAlchemyError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError),
)
"""What is raised where an archive is not as anybody writes it."""


class BadArchive(Exception):
    """An archive that cannot be brought in."""


class LargeArchive(BadArchive):
    """An archive with more rows than can be brought in."""


class NewerArchive(BadArchive):
    """An archive of a schema that this version does not know."""


def pack(db: Session, group_id: int, archive: ZipFile) -> None:
    """Write everything of a group into *archive*: a line of JSON for each row, below one that names its columns."""
    with archive.open(_ROWS, "w") as file:
        file.write(_line({"format": FORMAT, "schema": schema_of(db)}))
        for table in _TABLES:
            file.write(_line({"table": table.name, "columns": table.columns.keys()}))
            kept_back = _KEPT_BACK.get(table.name, {})
            rows = select(table).where(of_group(table, group_id)).order_by(*table.primary_key)
            for row in db.execute(rows.execution_options(yield_per=_AT_ONCE)).mappings():
                file.write(_line([kept_back.get(name, _written(value)) for name, value in row.items()]))


def unpack(db: Session, content: bytes, submission_id: str, token: str, migrations: Path) -> NewLink:
    """Make the group of an archive, and a host link to it with *token*. The links it had open nothing here.

    Sending the same ``submission_id`` again makes no second group, and gives the same link.

    :raises BadArchive: if *content* is no such archive, or does not add up; nothing is written.
    :raises LargeArchive: if it has too many rows; nothing is written.
    :raises NewerArchive: if a later version wrote it; nothing is written.
    :raises ChangedForm: if it comes with another archive; nothing is written.
    :raises LinkGone: if it comes again and the link has been withdrawn; nothing is written.
    """
    form = {"submission_id": submission_id, "fingerprint": hashlib.sha256(content).hexdigest()}
    with TemporaryDirectory(prefix="scorekeeper-") as folder:
        engine = create_engine(f"sqlite:///{folder}/archive.db")
        try:
            _restore(engine, content, migrations)
            with Session(engine) as scratch, transaction(db):
                made = group_made(db, **form)
                if made is not None:
                    return link_again(db, made, token)
                return insert_link(db, _bring_in(db, scratch, form), Role.HOST, "", token)
        finally:
            engine.dispose()


def schema_of(db: Session) -> str:
    """The schema of a database, by the latest migration."""
    return str(db.execute(text("SELECT version_num FROM alembic_version")).scalar_one())


def _line(value: object) -> bytes:
    return f"{json.dumps(value, ensure_ascii=False, separators=(',', ':'))}\n".encode()


def _written(value: object) -> object:
    return value.isoformat() if isinstance(value, date) else value


def _restore(engine: Engine, content: bytes, migrations: Path) -> None:
    """Put the rows of an archive into the empty database of *engine*, bring it to today's schema, and check it.

    :raises BadArchive: if it cannot be as it says.
    """
    # A server needs Alembic for nothing else, and it is 12 MiB of a process.
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config(attributes={"engine": engine})
    config.set_main_option("script_location", str(migrations))
    # Each file is listed at the end of a zip by an entry that begins so, and is listed in memory when it is opened.
    if content.count(b"PK\x01\x02") > MAX_FILES:
        raise BadArchive("it has too many files")
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            lines = _lines(archive)
            match next(lines, None):
                case {"format": str(written_as), "schema": str(schema)} if written_as == FORMAT and _SCHEMA.fullmatch(
                    schema
                ):
                    pass
                case _:
                    raise BadArchive("not the archive of a group")
            with _migrating:
                command.upgrade(config, schema)
            _fill(engine, lines)
        with _migrating:
            command.upgrade(config, "head")
        with Session(engine) as scratch:
            _examine(scratch)
    except CommandError as unknown:
        raise NewerArchive(schema) from unknown
    except _ODD as odd:
        # What no version has written can fail at any place where it is migrated or worked out again.
        raise BadArchive(repr(odd)) from odd


def _lines(archive: ZipFile) -> Iterator[object]:
    """What an archive is, and then for each table its columns and its rows, each of them a line.

    :raises LargeArchive: if there are too many.
    """
    if _DOCUMENT in archive.namelist():
        with archive.open(_DOCUMENT) as file:
            yield from _first_version(parse(file.read(MAX_BYTES + 1)))
        return
    with archive.open(_ROWS) as file, io.TextIOWrapper(file, "utf-8", newline="\n") as text_file:
        size = 0
        while line := text_file.readline(MAX_LINE):
            size += len(line)
            if size > MAX_ROWS:
                raise LargeArchive
            yield parse(line)


def _first_version(document: object) -> Iterator[object]:
    match document:
        case {"format": written_as, "schema": schema, "tables": dict(tables)}:
            yield {"format": written_as, "schema": schema}
        case _:
            raise BadArchive("not the archive of a group")
    for name, found in tables.items():
        match found:
            case {"columns": columns, "rows": list(rows)}:
                yield {"table": name, "columns": columns}
                yield from rows
            case _:
                raise BadArchive(f"the table {name} is another one")


def _fill(engine: Engine, lines: Iterable[object]) -> None:
    """Put the rows of an archive into tables as they were when it was written.

    :raises BadArchive: if they are not such rows.
    """
    known = MetaData()
    known.reflect(engine)
    columns: Sequence[Column[Any]] = ()
    rows: list[dict[str, Any]] = []
    with engine.begin() as connection:
        for line in lines:
            match line:
                case {"table": str(name), "columns": list(names)} if name in known.tables:
                    _insert(connection, columns, rows)
                    # A name it does not have is a KeyError.
                    columns, rows = [known.tables[name].columns[one] for one in names], []
                case list(values) if columns and len(values) == len(columns):
                    pairs = zip(columns, values, strict=True)
                    rows.append({column.name: _value(column, value) for column, value in pairs})
                    if len(rows) == _AT_ONCE:
                        _insert(connection, columns, rows)
                        rows = []
                case _:
                    raise BadArchive("a row has other columns than its table")
        _insert(connection, columns, rows)


def _insert(connection: Connection, columns: Sequence[Column[Any]], rows: Sequence[dict[str, Any]]) -> None:
    if rows:
        connection.execute(insert(columns[0].table), rows)


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


def _bring_in(db: Session, scratch: Session, form: Mapping[str, str]) -> int:
    """Insert the rows of *scratch*, with numbers of this database, and return that of their group, made by *form*.

    :raises BadArchive: if a row belongs to none of them.
    """
    changed: dict[str, Mapping[str, object]] = {"player_group": form, "group_link": {"withdrawn_at": datetime.now(UTC)}}
    numbers: dict[str, dict[int, int]] = {}
    try:
        for table in _TABLES:
            others = {**_KEPT_BACK.get(table.name, {}), **changed.get(table.name, {})}
            found = scratch.execute(select(table).execution_options(yield_per=_AT_ONCE))
            for some in found.partitions():
                rows = [_renumbered(table, row, numbers) | others for row in some]
                if "id" in table.columns:
                    returned = insert(table).returning(table.c.id)
                    ids = {row.pop("id"): db.execute(returned, row).scalar_one() for row in rows}
                    numbers.setdefault(table.name, {}).update(ids)
                else:
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

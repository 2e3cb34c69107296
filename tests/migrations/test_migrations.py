"""The history of the schema: from nothing to head and back, on data, and as the models say."""

from __future__ import annotations

import json
import shutil
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import JSON, Date, DateTime, Engine, MetaData, Table, inspect, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from scorekeeper.extensions import db as database
from scorekeeper.models import Base
from scorekeeper.services.check import differences
from scorekeeper.services.deals import VoidDeal, void_deal
from tests.factories import CLUB_TURNED, make_deal, make_session
from tests.sittings import Sitting, dump

RELEASED = sorted((Path(__file__).parent / "released").glob("*.json"))
"""For each schema that people have had, by its revision: a database of that time, as rows by table."""

REBUILD = '''
"""Rebuild the tables that others refer to"""

import sqlalchemy as sa
from alembic import op

revision = "rebuild"
down_revision = {head!r}


def upgrade() -> None:
    for name in ("player_group", "game_session"):
        with op.batch_alter_table(name, recreate="{recreate}") as batch:
            batch.alter_column("name", existing_type=sa.String(40), type_=sa.String(60), existing_nullable=False)


def downgrade() -> None:
    for name in ("player_group", "game_session"):
        with op.batch_alter_table(name, recreate="{recreate}") as batch:
            batch.alter_column("name", existing_type=sa.String(60), type_=sa.String(40), existing_nullable=False)
'''
BREAK = '''
"""Take away players who have sessions"""

from alembic import op

revision = "break"
down_revision = {head!r}


def upgrade() -> None:
    op.execute("DELETE FROM player")


def downgrade() -> None:
    pass
'''


def play(engine: Engine) -> None:
    """Rows in every table but the transfers."""
    with Session(engine) as db:
        sitting = Sitting(db, make_session(db, buy_in=5))
        make_deal(db, sitting.made)
        sitting.void(1)
        make_deal(db, make_session(db, card_game="dirty-clubs"), CLUB_TURNED)


def stored(engine: Engine) -> dict[str, list[tuple[Any, ...]]]:
    with Session(engine) as db:
        return dump(db)


def with_migration(alembic: Config, tmp_path: Path, source: str, **values: str) -> Config:
    """The migrations and one more, written by a careless colleague."""
    folder = tmp_path / "migrations"
    shutil.copytree(
        str(alembic.get_main_option("script_location")), folder, ignore=shutil.ignore_patterns("__pycache__")
    )
    head = ScriptDirectory.from_config(alembic).get_current_head()
    (folder / "versions" / "more.py").write_text(source.format(head=head, **values))
    config = Config()
    config.set_main_option("script_location", str(folder))
    config.cmd_opts = alembic.cmd_opts
    return config


def test_there_is_one_head(alembic: Config) -> None:
    assert len(ScriptDirectory.from_config(alembic).get_heads()) == 1


def test_an_empty_database_comes_to_what_the_models_say(alembic: Config) -> None:
    command.upgrade(alembic, "head")
    assert set(inspect(database.engine).get_table_names()) == {*Base.metadata.tables, "alembic_version"}
    command.check(alembic)
    play(database.engine)


def test_a_schema_that_differs_from_the_models_is_noticed(alembic: Config) -> None:
    command.upgrade(alembic, "head")
    with database.engine.begin() as connection:
        connection.execute(text("DROP INDEX ix_session_seat_player_id"))
    with pytest.raises(Exception, match="ix_session_seat_player_id"):
        command.check(alembic)


def test_everything_can_be_taken_down_and_made_again(alembic: Config) -> None:
    command.upgrade(alembic, "head")
    play(database.engine)
    command.downgrade(alembic, "base")
    assert inspect(database.engine).get_table_names() == ["alembic_version"]
    command.upgrade(alembic, "head")
    command.check(alembic)
    assert not any(stored(database.engine).values())


def test_a_table_whose_ids_are_never_given_out_twice_stays_so_whatever_is_changed_in_it(alembic: Config) -> None:
    command.upgrade(alembic, "head")
    counted = {
        "sqlite": "SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%'",
        "postgresql": "SELECT table_name FROM information_schema.columns WHERE column_default LIKE 'nextval%'",
    }
    with database.engine.connect() as connection:
        found = set(connection.scalars(text(counted[database.engine.dialect.name])))
    never_again = {
        table.name for table in Base.metadata.tables.values() if table.dialect_options["sqlite"]["autoincrement"]
    }
    assert never_again
    assert never_again <= found


def test_foreign_keys_are_on_after_migrating(alembic: Config) -> None:
    command.upgrade(alembic, "head")
    with Session(database.engine) as db, pytest.raises(IntegrityError):
        db.execute(text("INSERT INTO player (group_id, name, name_key, created_at) VALUES (9, 'A', 'a', '2026-11-26')"))


def test_a_database_at_head_stays_as_it_is(alembic: Config) -> None:
    command.upgrade(alembic, "head")
    play(database.engine)
    before = stored(database.engine)
    command.upgrade(alembic, "head")
    assert stored(database.engine) == before


@pytest.mark.parametrize("recreate", ["auto", "always"])
def test_a_table_that_is_rebuilt_keeps_the_rows_that_refer_to_it(
    alembic: Config, tmp_path: Path, recreate: str
) -> None:
    command.upgrade(alembic, "head")
    play(database.engine)
    before = stored(database.engine)
    # PostgreSQL never needs to rebuild a table to change it.
    recreate = recreate if database.engine.dialect.name == "sqlite" else "never"
    more = with_migration(alembic, tmp_path, REBUILD, recreate=recreate)
    command.upgrade(more, "head")
    assert inspect(database.engine).get_columns("player_group")[1]["type"].length == 60  # type: ignore[attr-defined]
    assert stored(database.engine) == before
    command.downgrade(more, "-1")
    assert stored(database.engine) == before
    command.check(alembic)
    with Session(database.engine) as db:
        assert list(differences(db)) == []


def test_a_migration_that_breaks_a_reference_changes_nothing(alembic: Config, tmp_path: Path) -> None:
    command.upgrade(alembic, "head")
    play(database.engine)
    before = stored(database.engine)
    with pytest.raises((RuntimeError, IntegrityError)):
        command.upgrade(with_migration(alembic, tmp_path, BREAK), "head")
    assert stored(database.engine) == before
    command.check(alembic)


def test_there_is_a_database_of_every_released_schema(alembic: Config) -> None:
    revisions = [script.revision for script in ScriptDirectory.from_config(alembic).walk_revisions()]
    assert [path.stem for path in RELEASED] == sorted(revisions)


@pytest.mark.parametrize("path", RELEASED, ids=lambda path: path.stem)
def test_rows_of_a_released_schema_come_to_head_and_still_add_up(alembic: Config, path: Path) -> None:
    command.upgrade(alembic, path.stem)
    insert(database.engine, json.loads(path.read_text()))
    command.upgrade(alembic, "head")
    with Session(database.engine) as db:
        assert list(differences(db)) == []
        sessions = db.execute(select(Base.metadata.tables["game_session"]).order_by(text("id"))).all()
        assert [(row.card_game, row.deals, row.state) for row in sessions][:2] == [
            ("mensch", 3, "closed"),
            ("dirty-clubs", 3, "open"),
        ]
        fields = {"session_id": 1, "expected_version": sessions[0].version, "submission_id": "0" * 32, "link_id": 1}
        void_deal(db, VoidDeal(**fields, number=1, discard=True))
        assert list(differences(db)) == []


def test_settlements_of_an_older_schema_stay_in_force_unless_a_correction_has_overtaken_them(alembic: Config) -> None:
    command.upgrade(alembic, "0006")
    insert(database.engine, json.loads(next(path for path in RELEASED if path.stem == "0006").read_text()))
    command.upgrade(alembic, "head")
    with Session(database.engine) as db:
        states = {row.name: row.state for row in db.execute(text("SELECT name, state FROM game_session"))}
        payments = db.execute(
            text(
                "SELECT g.name, p.amount, p.taken_back FROM payment p JOIN game_session g ON g.id = p.session_id"
                " WHERE g.id > 3 ORDER BY g.id, p.version"
            )
        ).all()
    assert {name: states[name] for name in ("The same after all", "Worked out again")} == {
        "The same after all": "closed",
        "Worked out again": "closed",
    }
    assert {name: states[name] for name in ("Overtaken", "In force again", "Reopened")} == {
        "Overtaken": "open",
        "In force again": "open",
        "Reopened": "open",
    }
    assert [tuple(payment) for payment in payments] == [
        ("Overtaken", 25, None),
        ("The same after all", 1, 6),
        ("The same after all", 1, None),
        ("Worked out again", 100, None),
        ("Worked out again", 100, 6),
        ("In force again", 1, 9),
        ("Reopened", 25, None),
    ]


def test_plans_that_shared_the_kitty_out_evenly_go_on_saying_so(alembic: Config) -> None:
    command.upgrade(alembic, "0012")
    insert(database.engine, json.loads(next(path for path in RELEASED if path.stem == "0012").read_text()))
    before = chosen(database.engine)
    command.upgrade(alembic, "0013")
    after = chosen(database.engine)
    with_kitty, nothing_kept = (11, 11), (14, 7)
    assert before.pop(nothing_kept) == {"keeper": 2}
    assert after.pop(nothing_kept) == {"alike": True}
    assert after.pop(with_kitty) == {**before.pop(with_kitty), "alike": True}
    assert after == before
    command.downgrade(alembic, "0012")
    assert chosen(database.engine) == before | {with_kitty: {}, nothing_kept: {}}


def chosen(engine: Engine) -> dict[tuple[int, int], dict[str, Any]]:
    """The choices of every settlement, by session and version."""
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT session_id, version, choices FROM settlement").columns(choices=JSON()))
        return {(row.session_id, row.version): row.choices for row in rows}


def insert(engine: Engine, rows: dict[str, list[dict[str, Any]]]) -> None:
    """Insert *rows* by table, as a released version wrote them."""
    tables = MetaData()
    tables.reflect(engine)
    with engine.begin() as connection:
        for name, found in rows.items():
            table = tables.tables[name]
            connection.execute(sqlalchemy.insert(table), [read(table, row) for row in found])


def read(table: Table, row: dict[str, Any]) -> dict[str, Any]:
    """A row out of JSON, which knows no dates."""

    def value(name: str) -> Any:
        match table.columns[name].type:
            case JSON() if isinstance(row[name], str):
                return json.loads(row[name])
            case DateTime() if row[name] is not None:
                return datetime.fromisoformat(row[name])
            case Date():
                return date.fromisoformat(row[name])
        return row[name]

    return {name: value(name) for name in row}

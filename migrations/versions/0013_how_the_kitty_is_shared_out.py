"""The kitty is shared out by what each put in, and gets what cash steps leave

Settlements that were drawn up before shared it out evenly, and go on saying so: also where somebody was to keep it and
there was nothing to keep.
"""

import json

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

OF_KITTIES = sa.text(
    "SELECT session_id, version, choices, (SELECT COALESCE(SUM(amount), 0) FROM money_entry WHERE seat IS NULL"
    " AND session_id = settlement.session_id AND version <= settlement.version) AS held FROM settlement"
    " WHERE session_id IN (SELECT session_id FROM money_entry WHERE seat IS NULL)"
).columns(choices=sa.JSON())
CHOOSE = sa.text(
    "UPDATE settlement SET choices = :choices WHERE session_id = :session_id AND version = :version"
).bindparams(sa.bindparam("choices", type_=sa.JSON()))


def upgrade() -> None:
    with op.batch_alter_table("settlement") as batch:
        batch.add_column(sa.Column("rest", sa.JSON(), nullable=False, server_default=json.dumps({})))
    with op.batch_alter_table("settlement") as batch:
        batch.alter_column("rest", existing_type=sa.JSON(), existing_nullable=False, server_default=None)
    connection = op.get_bind()
    for row in connection.execute(OF_KITTIES).all():
        if not _kept(row):
            choices = {name: choice for name, choice in row.choices.items() if name != "keeper"}
            _choose(connection, row, {**choices, "alike": True})


def downgrade() -> None:
    """Back to sharing out evenly. What cannot be said so is refused, not lost."""
    connection = op.get_bind()
    rows = connection.execute(OF_KITTIES).all()
    by_what_was_put_in = any("alike" not in row.choices and not _kept(row) for row in rows)
    to_kitty = connection.execute(sa.text("SELECT choices FROM settlement").columns(choices=sa.JSON())).all()
    if by_what_was_put_in or any("to_kitty" in row.choices for row in to_kitty):
        raise RuntimeError("how the kitty was shared out cannot be kept in the older schema")
    for row in rows:
        _choose(connection, row, {name: choice for name, choice in row.choices.items() if name != "alike"})
    with op.batch_alter_table("settlement") as batch:
        batch.drop_column("rest")


def _kept(row: sa.Row) -> bool:
    return "keeper" in row.choices and row.held > 0


def _choose(connection: sa.Connection, row: sa.Row, choices: dict) -> None:
    connection.execute(CHOOSE, {"choices": choices, "session_id": row.session_id, "version": row.version})

"""What is open can be carried over in part, each part into another session"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

PLAN = "ix_carried_over_source_id_plan"
COUNTS = sa.text("taken_back IS NULL")
CARRIED = sa.text("SELECT * FROM carried_over ORDER BY source_id, source_version")
OPEN_THEN = sa.text(
    "SELECT t.line, t.payer, t.payee, t.amount - (SELECT COALESCE(SUM(p.amount), 0) FROM payment p"
    " WHERE p.session_id = t.session_id AND p.plan = t.version AND p.line = t.line"
    " AND p.version < :source_version AND (p.taken_back IS NULL OR p.taken_back > :source_version)) AS amount"
    " FROM transfer t WHERE t.session_id = :source_id AND t.version = :plan"
)
LEFT_OPEN = sa.text("SELECT left_open FROM settlement WHERE session_id = :source_id AND version = :plan").columns(
    left_open=sa.JSON()
)
GAVE = sa.text("SELECT seat, amount FROM money_entry WHERE session_id = :source_id AND version = :source_version")
NOTHING_REMAINS = sa.text("UPDATE settlement SET remaining = '{}' WHERE session_id = :source_id AND version = :plan")
OVER = sa.text("UPDATE transfer SET over = :over WHERE session_id = :source_id AND version = :plan AND line = :line")
UNPAID = sa.text("UPDATE carried_over SET unpaid = :unpaid WHERE session_id = :session_id AND source_id = :source_id")


def upgrade() -> None:
    connection = op.get_bind()
    with op.batch_alter_table("settlement") as batch:
        batch.add_column(sa.Column("remaining", sa.JSON(), nullable=True))
    connection.execute(sa.text("UPDATE settlement SET remaining = left_open"))
    with op.batch_alter_table("transfer") as batch:
        batch.add_column(sa.Column("over", sa.Integer(), nullable=True))
        batch.create_foreign_key("fk_transfer_over_game_session", "game_session", ["over"], ["id"])
        batch.create_index("ix_transfer_over", ["over"])
    for row in connection.execute(CARRIED).mappings().all():
        if row["taken_back"] is None:
            connection.execute(NOTHING_REMAINS, plan_of(row))
            for line in open_then(connection, row) if row["unpaid"] else ():
                connection.execute(OVER, {**plan_of(row), "over": row["session_id"], "line": line.line})
    with op.batch_alter_table("settlement") as batch:
        batch.alter_column("remaining", existing_type=sa.JSON(), nullable=False)
    op.drop_index(PLAN, table_name="carried_over")
    with op.batch_alter_table("carried_over") as batch:
        batch.drop_column("unpaid")
    op.create_index(PLAN, "carried_over", ["source_id", "plan"])


def downgrade() -> None:
    """Back to all or nothing, once. What cannot be said so is refused, not lost."""
    connection = op.get_bind()
    with op.batch_alter_table("carried_over") as batch:
        batch.add_column(sa.Column("unpaid", sa.Boolean(), nullable=True))
    for row in connection.execute(CARRIED).mappings().all():
        this = {"session_id": row["session_id"], "source_id": row["source_id"]}
        connection.execute(UNPAID, {**this, "unpaid": was_unpaid(connection, row)})
    with op.batch_alter_table("carried_over") as batch:
        batch.alter_column("unpaid", existing_type=sa.Boolean(), nullable=False)
    op.drop_index(PLAN, table_name="carried_over")
    op.create_index(
        PLAN, "carried_over", ["source_id", "plan"], unique=True, sqlite_where=COUNTS, postgresql_where=COUNTS
    )
    with op.batch_alter_table("transfer") as batch:
        batch.drop_index("ix_transfer_over")
        batch.drop_constraint("fk_transfer_over_game_session", type_="foreignkey")
        batch.drop_column("over")
    with op.batch_alter_table("settlement") as batch:
        batch.drop_column("remaining")


def plan_of(carried: sa.RowMapping) -> dict[str, int]:
    return {"source_id": carried["source_id"], "plan": carried["plan"]}


def open_then(connection: sa.Connection, carried: sa.RowMapping) -> list[sa.Row]:
    this = {**plan_of(carried), "source_version": carried["source_version"]}
    return [line for line in connection.execute(OPEN_THEN, this) if line.amount]


def was_unpaid(connection: sa.Connection, carried: sa.RowMapping) -> bool:
    """Whether all that was not paid was carried over, beside all that was left open.

    :raises RuntimeError: if it was a part of either.
    """
    left = connection.execute(LEFT_OPEN, plan_of(carried)).scalar_one()
    left_open = {int(seat): amount for seat, amount in left.items()}
    everything = dict(left_open)
    for line in open_then(connection, carried):
        everything[line.payer] = everything.get(line.payer, 0) - line.amount
        everything[line.payee] = everything.get(line.payee, 0) + line.amount
    gave = connection.execute(GAVE, {"source_id": carried["source_id"], "source_version": carried["source_version"]})
    taken_over = {row.seat: -row.amount for row in gave}
    if taken_over == {seat: amount for seat, amount in everything.items() if amount}:
        return True
    if taken_over != left_open:
        raise RuntimeError("what was carried over in part cannot be kept in the older schema")
    return False

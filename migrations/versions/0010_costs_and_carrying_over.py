"""Costs that some share, a kitty, and what is left open carried into a later session"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    for name in ("costs", "carried"):
        op.add_column("session_seat", sa.Column(name, sa.BigInteger(), nullable=False, server_default="0"))
    with op.batch_alter_table("session_seat") as batch:
        for name in ("costs", "carried"):
            batch.alter_column(name, existing_type=sa.BigInteger(), existing_nullable=False, server_default=None)
    with op.batch_alter_table("money_entry") as batch:
        batch.alter_column("seat", existing_type=sa.Integer(), nullable=True)
    op.create_table(
        "cost",
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("payer", sa.Integer(), nullable=True),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("seats", sa.JSON(), nullable=False),
        sa.Column("note", sa.String(length=200), nullable=False),
        sa.Column("taken_back", sa.Integer(), nullable=True),
        sa.CheckConstraint("amount > 0", name=op.f("ck_cost_amount")),
        sa.ForeignKeyConstraint(["session_id"], ["game_session.id"], name="fk_cost_session_id_game_session"),
        sa.ForeignKeyConstraint(
            ["session_id", "payer"],
            ["session_seat.session_id", "session_seat.seat"],
            name="fk_cost_session_id_payer_session_seat",
        ),
        sa.PrimaryKeyConstraint("session_id", "version", name="pk_cost"),
    )
    op.create_index("ix_cost_session_id_payer", "cost", ["session_id", "payer"])
    op.create_table(
        "carried_over",
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("source_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("plan", sa.Integer(), nullable=False),
        sa.Column("source_version", sa.Integer(), nullable=False),
        sa.Column("unpaid", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["session_id"], ["game_session.id"], name="fk_carried_over_session_id_game_session"),
        sa.ForeignKeyConstraint(
            ["source_id", "plan"],
            ["settlement.session_id", "settlement.version"],
            name="fk_carried_over_source_id_plan_settlement",
        ),
        sa.PrimaryKeyConstraint("session_id", "source_id", name="pk_carried_over"),
        sa.UniqueConstraint("source_id", "plan", name="uq_carried_over_source_id_plan"),
    )


def downgrade() -> None:
    """Back to payments alone. What cannot be said so is refused, not lost."""
    if op.get_bind().execute(sa.text("SELECT 1 FROM money_entry WHERE kind <> 'payment'")).first():
        raise RuntimeError("costs, and what was carried over, cannot be kept in the older schema")
    op.drop_table("carried_over")
    op.drop_table("cost")
    with op.batch_alter_table("money_entry") as batch:
        batch.alter_column("seat", existing_type=sa.Integer(), nullable=False)
    for name in ("carried", "costs"):
        op.drop_column("session_seat", name)

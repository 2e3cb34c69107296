"""Join codes: links into one session only, and who guesses at them"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    with op.batch_alter_table("group_link") as batch_op:
        batch_op.add_column(sa.Column("session_id", sa.Integer(), nullable=True))
        batch_op.create_foreign_key("fk_group_link_session_id_game_session", "game_session", ["session_id"], ["id"])
        batch_op.create_index("ix_group_link_session_id", ["session_id"])
        batch_op.alter_column("token_hash", existing_type=sa.String(length=64), nullable=True)
    op.create_table(
        "join_code",
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=8), nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("link_id", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(length=6), nullable=False),
        sa.ForeignKeyConstraint(["session_id"], ["game_session.id"], name="fk_join_code_session_id_game_session"),
        sa.ForeignKeyConstraint(["link_id"], ["group_link.id"], name="fk_join_code_link_id_group_link"),
        sa.PrimaryKeyConstraint("session_id", "role", name="pk_join_code"),
        sa.UniqueConstraint("code", name="uq_join_code_code"),
    )
    op.create_index("ix_join_code_link_id", "join_code", ["link_id"])
    op.create_table(
        "join_attempt",
        sa.Column("key", sa.String(length=50), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("until", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_join_attempt"),
    )
    op.create_index("ix_join_attempt_until", "join_attempt", ["until"])


def downgrade() -> None:
    op.drop_table("join_attempt")
    op.drop_table("join_code")
    # A link into one session must not become one into the whole group.
    op.execute(
        "UPDATE group_link SET token_hash = 'joined by code ' || CAST(id AS VARCHAR(10)),"
        " withdrawn_at = COALESCE(withdrawn_at, created_at) WHERE session_id IS NOT NULL"
    )
    with op.batch_alter_table("group_link") as batch_op:
        batch_op.alter_column("token_hash", existing_type=sa.String(length=64), nullable=False)
        batch_op.drop_index("ix_group_link_session_id")
        batch_op.drop_constraint("fk_group_link_session_id_game_session", type_="foreignkey")
        batch_op.drop_column("session_id")

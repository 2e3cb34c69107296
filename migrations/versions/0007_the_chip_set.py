"""The chips a group owns, by colour, and notes as long as a count by colour"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    with op.batch_alter_table("player_group") as batch_op:
        batch_op.add_column(sa.Column("chip_set", sa.JSON(), nullable=True))
    with op.batch_alter_table("session_change") as batch_op:
        batch_op.alter_column("note", existing_type=sa.String(length=200), type_=sa.Text(), existing_nullable=False)


def downgrade() -> None:
    with op.batch_alter_table("session_change") as batch_op:
        batch_op.alter_column("note", existing_type=sa.Text(), type_=sa.String(length=200), existing_nullable=False)
    with op.batch_alter_table("player_group") as batch_op:
        batch_op.drop_column("chip_set")

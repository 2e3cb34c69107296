"""Deals that people do not agree about"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    with op.batch_alter_table("deal") as batch_op:
        batch_op.add_column(sa.Column("disputed", sa.Boolean(), nullable=False, server_default=sa.false()))
    with op.batch_alter_table("deal") as batch_op:
        batch_op.alter_column("disputed", existing_type=sa.Boolean(), existing_nullable=False, server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("deal") as batch_op:
        batch_op.drop_column("disputed")

"""Which phone writes in a session"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    with op.batch_alter_table("game_session") as batch_op:
        batch_op.add_column(sa.Column("pen", sa.String(length=32), nullable=True))
        batch_op.add_column(sa.Column("pen_name", sa.String(length=40), nullable=False, server_default=""))
        batch_op.add_column(sa.Column("pen_since", sa.Integer(), nullable=False, server_default="0"))
    with op.batch_alter_table("game_session") as batch_op:
        batch_op.alter_column(
            "pen_name", existing_type=sa.String(length=40), existing_nullable=False, server_default=None
        )
        batch_op.alter_column("pen_since", existing_type=sa.Integer(), existing_nullable=False, server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("game_session") as batch_op:
        batch_op.drop_column("pen_since")
        batch_op.drop_column("pen_name")
        batch_op.drop_column("pen")

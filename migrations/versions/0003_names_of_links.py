"""What a link is called"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    with op.batch_alter_table("group_link") as batch_op:
        batch_op.add_column(sa.Column("name", sa.String(length=40), nullable=False, server_default=""))
    with op.batch_alter_table("group_link") as batch_op:
        batch_op.alter_column("name", existing_type=sa.String(length=40), existing_nullable=False, server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("group_link") as batch_op:
        batch_op.drop_column("name")

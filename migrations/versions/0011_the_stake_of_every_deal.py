"""What everybody who plays a deal puts into the kitty"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

TABLES = ("game_session", "deal")


def upgrade() -> None:
    for name in TABLES:
        with op.batch_alter_table(name) as batch:
            batch.add_column(sa.Column("stake", sa.Integer(), nullable=False, server_default="0"))
        with op.batch_alter_table(name) as batch:
            batch.alter_column("stake", existing_type=sa.Integer(), existing_nullable=False, server_default=None)


def downgrade() -> None:
    """Back to costs alone. What cannot be said so is refused, not lost."""
    if op.get_bind().execute(sa.text("SELECT 1 FROM session_change WHERE kind = 'stake'")).first():
        raise RuntimeError("stakes cannot be kept in the older schema")
    for name in TABLES:
        with op.batch_alter_table(name) as batch:
            batch.drop_column("stake")

"""What everybody who plays a deal puts into the kitty"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

TABLES = ("game_session", "deal")


def upgrade() -> None:
    # In place: a table that is built anew forgets on SQLite which ids it has given out.
    for name in TABLES:
        op.add_column(name, sa.Column("stake", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    """Back to costs alone. What cannot be said so is refused, not lost."""
    if op.get_bind().execute(sa.text("SELECT 1 FROM session_change WHERE kind = 'stake'")).first():
        raise RuntimeError("stakes cannot be kept in the older schema")
    for name in TABLES:
        op.drop_column(name, "stake")

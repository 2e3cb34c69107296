"""Players who have retired, and ids that are never given out a second time"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

# Groups and players can go for good. What a phone still keeps of them must not open what is made next.
TABLES = ("player_group", "player", "game_session", "group_link")


def upgrade() -> None:
    with op.batch_alter_table("player") as batch_op:
        batch_op.add_column(sa.Column("retired_at", sa.DateTime(), nullable=True))
    rebuild(sqlite_autoincrement=True)


def downgrade() -> None:
    rebuild()
    with op.batch_alter_table("player") as batch_op:
        batch_op.drop_column("retired_at")


def rebuild(**options: bool) -> None:
    """PostgreSQL counts on anyway, whatever has been deleted."""
    if op.get_bind().dialect.name != "sqlite":
        return
    for name in TABLES:
        with op.batch_alter_table(name, recreate="always", table_kwargs=options):
            pass

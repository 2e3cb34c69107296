"""Who sits at the table in each deal, and the deal that has been declared"""

import json

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

SEATED = ("game_session", "deal")


def upgrade() -> None:
    for name in SEATED:
        with op.batch_alter_table(name) as batch_op:
            batch_op.add_column(sa.Column("seating", sa.JSON(), nullable=True))
    with op.batch_alter_table("game_session") as batch_op:
        batch_op.add_column(sa.Column("declared", sa.JSON(), nullable=True))
    seat_everybody()
    for name in SEATED:
        with op.batch_alter_table(name) as batch_op:
            batch_op.alter_column("seating", existing_type=sa.JSON(), nullable=False)


def downgrade() -> None:
    with op.batch_alter_table("game_session") as batch_op:
        batch_op.drop_column("declared")
    for name in SEATED:
        with op.batch_alter_table(name) as batch_op:
            batch_op.drop_column("seating")


def seat_everybody() -> None:
    """Until now everybody of a session was at the table in each of its deals, by the numbers of their seats."""
    connection = op.get_bind()
    query = "SELECT session_id, seat, player_id FROM session_seat ORDER BY session_id, seat"
    seats = connection.execute(sa.text(query))
    seating: dict[int, list[list[int]]] = {}
    for session_id, seat, player_id in seats:
        seating.setdefault(session_id, []).append([seat, player_id])
    rows = [{"session": session_id, "seating": json.dumps(seated)} for session_id, seated in seating.items()]
    if not rows:
        return
    json_text = "CAST(:seating AS JSON)" if connection.dialect.name == "postgresql" else ":seating"
    for table, key in (("game_session", "id"), ("deal", "session_id")):
        connection.execute(sa.text(f"UPDATE {table} SET seating = {json_text} WHERE {key} = :session"), rows)

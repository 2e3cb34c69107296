"""What was carried over can be taken back, and carried over anew"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

PLAN = "uq_carried_over_source_id_plan"
COUNTS = "ix_carried_over_source_id_plan"


def upgrade() -> None:
    with op.batch_alter_table("carried_over") as batch:
        batch.add_column(sa.Column("taken_back", sa.Integer(), nullable=True))
        batch.add_column(sa.Column("source_taken_back", sa.Integer(), nullable=True))
        batch.drop_constraint(PLAN, type_="unique")
    counts = sa.text("taken_back IS NULL")
    op.create_index(
        COUNTS, "carried_over", ["source_id", "plan"], unique=True, sqlite_where=counts, postgresql_where=counts
    )


def downgrade() -> None:
    """Back to what stays where it went. What cannot be said so is refused, not lost."""
    if op.get_bind().execute(sa.text("SELECT 1 FROM carried_over WHERE taken_back IS NOT NULL")).first():
        raise RuntimeError("what was carried over and taken back cannot be kept in the older schema")
    op.drop_index(COUNTS, table_name="carried_over")
    with op.batch_alter_table("carried_over") as batch:
        batch.create_unique_constraint(PLAN, ["source_id", "plan"])
        batch.drop_column("source_taken_back")
        batch.drop_column("taken_back")

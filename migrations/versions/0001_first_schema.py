"""First schema"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "player_group",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.String(length=32), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_player_group")),
        sa.UniqueConstraint("submission_id", name=op.f("uq_player_group_submission_id")),
    )
    op.create_table(
        "game_session",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("card_game", sa.String(length=40), nullable=False),
        sa.Column("ruleset_id", sa.String(length=40), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("first_dealer", sa.Integer(), nullable=False),
        sa.Column("opening", sa.JSON(), nullable=False),
        sa.Column("chip_value_minor", sa.Integer(), nullable=True),
        sa.Column("currency", sa.String(length=3), nullable=True),
        sa.Column("exponent", sa.Integer(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("table", sa.JSON(), nullable=False),
        sa.Column("undecided", sa.Boolean(), nullable=False),
        sa.Column("deals", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.String(length=32), nullable=False),
        sa.Column("started_on", sa.Date(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.CheckConstraint("state IN ('open', 'closed')", name=op.f("ck_game_session_state")),
        sa.ForeignKeyConstraint(["group_id"], ["player_group.id"], name=op.f("fk_game_session_group_id_player_group")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_game_session")),
        sa.UniqueConstraint("group_id", "submission_id", name=op.f("uq_game_session_group_id_submission_id")),
    )
    with op.batch_alter_table("game_session", schema=None) as batch_op:
        batch_op.create_index("ix_game_session_group_id_id", ["group_id", "id"], unique=False)

    op.create_table(
        "group_link",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=8), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("withdrawn_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["group_id"], ["player_group.id"], name=op.f("fk_group_link_group_id_player_group")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_group_link")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_group_link_token_hash")),
    )
    with op.batch_alter_table("group_link", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_group_link_group_id"), ["group_id"], unique=False)

    op.create_table(
        "player",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("name_key", sa.String(length=160), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["group_id"], ["player_group.id"], name=op.f("fk_player_group_id_player_group")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_player")),
        sa.UniqueConstraint("group_id", "name_key", name=op.f("uq_player_group_id_name_key")),
    )
    op.create_table(
        "deal",
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("recorded", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("starts_game", sa.Boolean(), nullable=False),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("reason", sa.String(length=40), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("before", sa.JSON(), nullable=False),
        sa.Column("result", sa.String(length=12), nullable=False),
        sa.Column("points", sa.JSON(), nullable=False),
        sa.Column("chips", sa.JSON(), nullable=False),
        sa.Column("totals", sa.JSON(), nullable=False),
        sa.Column("winners", sa.JSON(), nullable=False),
        sa.CheckConstraint("status IN ('scored', 'void', 'unscored')", name=op.f("ck_deal_status")),
        sa.ForeignKeyConstraint(["session_id"], ["game_session.id"], name=op.f("fk_deal_session_id_game_session")),
        sa.PrimaryKeyConstraint("session_id", "number", name=op.f("pk_deal")),
    )
    op.create_table(
        "group_total",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("card_game", sa.String(length=40), nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("sessions", sa.Integer(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("chips", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["group_id"], ["player_group.id"], name=op.f("fk_group_total_group_id_player_group")),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_group_total_player_id_player")),
        sa.PrimaryKeyConstraint("player_id", "card_game", name=op.f("pk_group_total")),
    )
    with op.batch_alter_table("group_total", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_group_total_group_id"), ["group_id"], unique=False)

    op.create_table(
        "session_change",
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("link_id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.String(length=40), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("note", sa.String(length=200), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["link_id"], ["group_link.id"], name=op.f("fk_session_change_link_id_group_link")),
        sa.ForeignKeyConstraint(
            ["session_id"], ["game_session.id"], name=op.f("fk_session_change_session_id_game_session")
        ),
        sa.PrimaryKeyConstraint("session_id", "version", name=op.f("pk_session_change")),
        sa.UniqueConstraint("session_id", "submission_id", name=op.f("uq_session_change_session_id_submission_id")),
    )
    with op.batch_alter_table("session_change", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_session_change_link_id"), ["link_id"], unique=False)

    op.create_table(
        "session_seat",
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("chips", sa.BigInteger(), nullable=False),
        sa.Column("bought", sa.BigInteger(), nullable=False),
        sa.Column("cashed", sa.BigInteger(), nullable=False),
        sa.Column("settled", sa.BigInteger(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_session_seat_player_id_player")),
        sa.ForeignKeyConstraint(
            ["session_id"], ["game_session.id"], name=op.f("fk_session_seat_session_id_game_session")
        ),
        sa.PrimaryKeyConstraint("session_id", "seat", name=op.f("pk_session_seat")),
        sa.UniqueConstraint("session_id", "player_id", name=op.f("uq_session_seat_session_id_player_id")),
    )
    with op.batch_alter_table("session_seat", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_session_seat_player_id"), ["player_id"], unique=False)

    op.create_table(
        "deal_version",
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("replaced", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id", "number"],
            ["deal.session_id", "deal.number"],
            name=op.f("fk_deal_version_session_id_number_deal"),
        ),
        sa.PrimaryKeyConstraint("session_id", "number", "replaced", name=op.f("pk_deal_version")),
    )
    op.create_table(
        "ledger_entry",
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("line", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("deal_number", sa.Integer(), nullable=True),
        sa.Column("chips", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id", "deal_number"],
            ["deal.session_id", "deal.number"],
            name=op.f("fk_ledger_entry_session_id_deal_number_deal"),
        ),
        sa.ForeignKeyConstraint(
            ["session_id", "seat"],
            ["session_seat.session_id", "session_seat.seat"],
            name=op.f("fk_ledger_entry_session_id_seat_session_seat"),
        ),
        sa.ForeignKeyConstraint(
            ["session_id"], ["game_session.id"], name=op.f("fk_ledger_entry_session_id_game_session")
        ),
        sa.PrimaryKeyConstraint("session_id", "version", "line", name=op.f("pk_ledger_entry")),
    )
    with op.batch_alter_table("ledger_entry", schema=None) as batch_op:
        batch_op.create_index("ix_ledger_entry_session_id_deal_number", ["session_id", "deal_number"], unique=False)
        batch_op.create_index("ix_ledger_entry_session_id_seat", ["session_id", "seat"], unique=False)

    op.create_table(
        "transfer",
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("line", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("payer", sa.Integer(), nullable=False),
        sa.Column("payee", sa.Integer(), nullable=False),
        sa.Column("chips", sa.BigInteger(), nullable=False),
        sa.Column("paid", sa.Integer(), nullable=True),
        sa.Column("withdrawn", sa.Integer(), nullable=True),
        sa.CheckConstraint("chips > 0", name=op.f("ck_transfer_chips")),
        sa.ForeignKeyConstraint(
            ["session_id", "payee"],
            ["session_seat.session_id", "session_seat.seat"],
            name=op.f("fk_transfer_session_id_payee_session_seat"),
        ),
        sa.ForeignKeyConstraint(
            ["session_id", "payer"],
            ["session_seat.session_id", "session_seat.seat"],
            name=op.f("fk_transfer_session_id_payer_session_seat"),
        ),
        sa.ForeignKeyConstraint(["session_id"], ["game_session.id"], name=op.f("fk_transfer_session_id_game_session")),
        sa.PrimaryKeyConstraint("session_id", "version", "line", name=op.f("pk_transfer")),
    )
    with op.batch_alter_table("transfer", schema=None) as batch_op:
        batch_op.create_index("ix_transfer_session_id_payee", ["session_id", "payee"], unique=False)
        batch_op.create_index("ix_transfer_session_id_payer", ["session_id", "payer"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("transfer", schema=None) as batch_op:
        batch_op.drop_index("ix_transfer_session_id_payer")
        batch_op.drop_index("ix_transfer_session_id_payee")

    op.drop_table("transfer")
    with op.batch_alter_table("ledger_entry", schema=None) as batch_op:
        batch_op.drop_index("ix_ledger_entry_session_id_seat")
        batch_op.drop_index("ix_ledger_entry_session_id_deal_number")

    op.drop_table("ledger_entry")
    op.drop_table("deal_version")
    with op.batch_alter_table("session_seat", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_session_seat_player_id"))

    op.drop_table("session_seat")
    with op.batch_alter_table("session_change", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_session_change_link_id"))

    op.drop_table("session_change")
    with op.batch_alter_table("group_total", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_group_total_group_id"))

    op.drop_table("group_total")
    op.drop_table("deal")
    op.drop_table("player")
    with op.batch_alter_table("group_link", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_group_link_group_id"))

    op.drop_table("group_link")
    with op.batch_alter_table("game_session", schema=None) as batch_op:
        batch_op.drop_index("ix_game_session_group_id_id")

    op.drop_table("game_session")
    op.drop_table("player_group")

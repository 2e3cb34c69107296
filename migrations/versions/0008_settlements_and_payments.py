"""Settlements as plans of their own, payments of parts, and money as their unit where chips have a price"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

DRAWS_UP = ("close", "settle")
WITHDRAWS = ("reopen", "settle", "correct", "void", "restore", "decide")

SEAT = ["session_seat.session_id", "session_seat.seat"]
settlements = sa.table(
    "settlement",
    *map(sa.column, ("session_id", "version", "group_id")),
    sa.column("choices", sa.JSON()),
    sa.column("left_open", sa.JSON()),
    sa.column("withdrawn"),
)
transfers = sa.table(
    "transfer", *map(sa.column, ("session_id", "version", "line", "group_id", "payer", "payee", "amount"))
)
payments = sa.table(
    "payment", *map(sa.column, ("session_id", "version", "group_id", "plan", "line", "amount", "taken_back"))
)
money_entries = sa.table(
    "money_entry", *map(sa.column, ("session_id", "version", "line", "group_id", "kind", "seat", "amount"))
)


def upgrade() -> None:
    op.add_column("game_session", sa.Column("chips_priced", sa.Integer(), nullable=True))
    op.execute("UPDATE game_session SET chips_priced = 1 WHERE currency IS NOT NULL")
    op.create_table(
        "money_entry",
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("line", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["session_id"], ["game_session.id"], name="fk_money_entry_session_id_game_session"),
        sa.ForeignKeyConstraint(["session_id", "seat"], SEAT, name="fk_money_entry_session_id_seat_session_seat"),
        sa.PrimaryKeyConstraint("session_id", "version", "line", name="pk_money_entry"),
    )
    op.create_index("ix_money_entry_session_id_seat", "money_entry", ["session_id", "seat"])
    op.create_table(
        "settlement",
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("choices", sa.JSON(), nullable=False),
        sa.Column("left_open", sa.JSON(), nullable=False),
        sa.Column("withdrawn", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["session_id"], ["game_session.id"], name="fk_settlement_session_id_game_session"),
        sa.PrimaryKeyConstraint("session_id", "version", name="pk_settlement"),
    )
    old = rows("SELECT * FROM transfer ORDER BY session_id, version, line")
    op.drop_table("transfer")
    create_transfer(sa.Column("amount", sa.BigInteger(), nullable=False), unit="amount", plans=True)
    op.create_table(
        "payment",
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("plan", sa.Integer(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("taken_back", sa.Integer(), nullable=True),
        sa.CheckConstraint("amount > 0", name=op.f("ck_payment_amount")),
        sa.ForeignKeyConstraint(
            ["session_id", "plan", "line"],
            ["transfer.session_id", "transfer.version", "transfer.line"],
            name="fk_payment_session_id_plan_line_transfer",
        ),
        sa.PrimaryKeyConstraint("session_id", "version", name="pk_payment"),
    )
    op.create_index("ix_payment_session_id_plan_line", "payment", ["session_id", "plan", "line"])
    move(old)


def downgrade() -> None:
    """Back to transfers in chips that are paid or not. What cannot be said so is refused, not lost."""
    if rows("SELECT 1 FROM game_session WHERE chips_priced <> 1") or rows("SELECT 1 FROM payment"):
        raise RuntimeError("payments, and prices of several chips, cannot be kept in the older schema")
    old = rows(
        "SELECT t.session_id, t.version, t.line, t.group_id, t.payer, t.payee, s.withdrawn, NULL AS paid,"
        " t.amount / COALESCE(g.chip_value_minor, 1) AS chips FROM transfer t"
        " JOIN settlement s ON s.session_id = t.session_id AND s.version = t.version"
        " JOIN game_session g ON g.id = t.session_id"
    )
    op.drop_table("payment")
    op.drop_table("transfer")
    op.drop_table("settlement")
    op.drop_table("money_entry")
    paid = (sa.Column(name, sa.Integer(), nullable=True) for name in ("paid", "withdrawn"))
    create_transfer(sa.Column("chips", sa.BigInteger(), nullable=False), *paid, unit="chips", plans=False)
    if old:
        columns = map(sa.column, old[0])
        op.bulk_insert(sa.table("transfer", *columns), old)
    op.drop_column("game_session", "chips_priced")


def create_transfer(*columns: "sa.Column[Any]", unit: str, plans: bool) -> None:
    of_plan = sa.ForeignKeyConstraint(
        ["session_id", "version"],
        ["settlement.session_id", "settlement.version"],
        name="fk_transfer_session_id_version_settlement",
    )
    of_session = sa.ForeignKeyConstraint(
        ["session_id"], ["game_session.id"], name="fk_transfer_session_id_game_session"
    )
    op.create_table(
        "transfer",
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("line", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("payer", sa.Integer(), nullable=False),
        sa.Column("payee", sa.Integer(), nullable=False),
        *columns,
        sa.CheckConstraint(f"{unit} > 0", name=op.f(f"ck_transfer_{unit}")),
        of_plan if plans else of_session,
        sa.ForeignKeyConstraint(["session_id", "payee"], SEAT, name="fk_transfer_session_id_payee_session_seat"),
        sa.ForeignKeyConstraint(["session_id", "payer"], SEAT, name="fk_transfer_session_id_payer_session_seat"),
        sa.PrimaryKeyConstraint("session_id", "version", "line", name="pk_transfer"),
    )
    for person in ("payee", "payer"):
        op.create_index(f"ix_transfer_session_id_{person}", "transfer", ["session_id", person])


def rows(query: str) -> list[dict[str, Any]]:
    return [dict(row) for row in op.get_bind().execute(sa.text(query)).mappings()]


def by_session(query: str) -> dict[int, list[dict[str, Any]]]:
    found: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows(query):
        found[row["session_id"]].append(row)
    return found


def move(old: list[dict[str, Any]]) -> None:
    """Give every settlement there was a plan, and every payment its row, with amounts in money where there is any.

    A plan that a correction has overtaken is withdrawn, and its session open again.
    """
    drawn: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in old:
        drawn[row["session_id"]].append(row)
    changes = by_session("SELECT session_id, version, kind FROM session_change ORDER BY session_id, version")
    entries = by_session("SELECT * FROM ledger_entry WHERE seat IS NOT NULL ORDER BY session_id, version, line")
    moved: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    reopened = []
    for session in rows("SELECT id, group_id, state, currency, chip_value_minor FROM game_session"):
        kinds = {change["version"]: change["kind"] for change in changes[session["id"]]}
        plans = sorted(version for version, kind in kinds.items() if kind in DRAWS_UP)
        if not plans:
            continue
        worth = session["chip_value_minor"] if session["currency"] else 1
        common = {"session_id": session["id"], "group_id": session["group_id"]}
        in_force = plans[-1]
        if session["state"] != "closed" or overtaken(in_force, drawn[session["id"]], entries[session["id"]]):
            if session["state"] == "closed":
                reopened.append({"session": session["id"]})
            in_force = 0
        for version in plans:
            later = [other for other in kinds if other > version]
            ends = [other for other in later if kinds[other] in WITHDRAWS] or [o for o in later if kinds[o] == "unpaid"]
            withdrawn = None if version == in_force else min(ends)
            moved["settlement"].append(
                {**common, "version": version, "choices": {}, "left_open": {}, "withdrawn": withdrawn}
            )
        moved["transfer"] += [
            {name: row[name] for name in ("session_id", "version", "line", "group_id", "payer", "payee")}
            | {"amount": row["chips"] * worth}
            for row in drawn[session["id"]]
        ]
        moved["payment"] += [
            {**common, **payment, "amount": payment["amount"] * worth}
            for payment in paid(kinds, drawn[session["id"]], entries[session["id"]])
        ]
        moved["money_entry"] += [
            {name: entry[name] for name in ("session_id", "version", "line", "group_id", "seat")}
            | {"kind": "payment", "amount": entry["chips"] * worth}
            for entry in entries[session["id"]]
            if entry["kind"] == "transfer"
        ]
    for table in (settlements, transfers, payments, money_entries):
        if moved[table.name]:
            op.bulk_insert(table, moved[table.name])
    op.execute("DELETE FROM ledger_entry WHERE kind = 'transfer'")
    op.execute(
        "UPDATE session_seat SET settled = settled * (SELECT chip_value_minor FROM game_session WHERE id = session_id)"
        " WHERE settled <> 0 AND session_id IN (SELECT id FROM game_session WHERE currency IS NOT NULL)"
    )
    if reopened:
        op.get_bind().execute(sa.text("UPDATE game_session SET state = 'open' WHERE id = :session"), reopened)


def overtaken(plan: int, drawn: list[dict[str, Any]], entries: list[dict[str, Any]]) -> bool:
    """Whether results have changed since *plan*, or a payment of an older one was taken back since."""
    changed: defaultdict[int, int] = defaultdict(int)
    for entry in entries:
        if entry["version"] > plan and entry["kind"] != "transfer":
            changed[entry["seat"]] += entry["chips"]
    older = (row for row in drawn if row["version"] < plan and row["paid"] is None and row["withdrawn"] is None)
    return any(changed.values()) or any(True for _ in older)


def paid(kinds: dict[int, str], drawn: list[dict[str, Any]], entries: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The payments there were, those taken back included: the ledger has kept who paid whom how much."""
    made: list[tuple[dict[str, Any], dict[str, Any]]] = []
    posted: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for entry in entries:
        if entry["kind"] == "transfer":
            posted[entry["version"]][entry["chips"]] = entry["seat"]
    for version in sorted(posted):
        amount = max(posted[version])
        first, second = posted[version][amount], posted[version][-amount]
        if kinds[version] == "paid":
            done = [payment for payment, _ in made if payment["taken_back"] is None]
            fits = [
                row
                for row in drawn
                if (row["payer"], row["payee"], row["chips"]) == (first, second, amount)
                and row["version"] < version
                and not any((row["version"], row["line"]) == (one["plan"], one["line"]) for one in done)
            ]
            row = max(fits, key=lambda row: (row["paid"] == version, row["paid"] is None, row["version"], -row["line"]))
            payment = {"version": version, "plan": row["version"], "line": row["line"], "amount": amount}
            made.append((payment | {"taken_back": None}, row))
        else:
            next(
                payment
                for payment, row in made
                if payment["taken_back"] is None
                and payment["version"] != row["paid"]
                and (row["payer"], row["payee"], row["chips"]) == (second, first, amount)
            )["taken_back"] = version
    yield from (payment for payment, _ in made)

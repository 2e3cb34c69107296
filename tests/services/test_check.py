"""``scorekeeper check`` finds nothing in what people did, and everything that was tampered with."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import and_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from scorekeeper.cli import main
from scorekeeper.ledger import Choices
from scorekeeper.models import Base
from scorekeeper.services.carrying import Carry, HandBack, hand_back
from scorekeeper.services.check import differences
from scorekeeper.services.deals import DisputeDeal, dispute_deal
from scorekeeper.services.groups import Role
from scorekeeper.services.joining import WrongCode, join, make_code
from tests.factories import CLUB_TURNED, FIVE_IN_SPADES_MADE, HALF_MADE, make_group, make_session, seen_by
from tests.sittings import MENSCH, Sitting, dump

RESULTS = {
    "game_session": "version state table undecided deals opening first_dealer seating stake",
    "session_seat": "group_id chips bought cashed settled costs carried wins",
    "session_change": "version group_id kind",
    "deal": "number group_id recorded version disputed status reason before result points chips totals winners seating "
    "stake",
    "deal_version": "number replaced group_id version",
    "ledger_entry": "version group_id kind seat deal_number chips",
    "money_entry": "version group_id kind seat amount",
    "cost": "version group_id payer amount seats taken_back",
    "carried_over": "group_id plan source_version taken_back source_taken_back",
    "settlement": "version group_id left_open remaining rest withdrawn",
    "transfer": "version group_id payer payee amount over",
    "payment": "version group_id amount taken_back",
    "group_total": "player_id card_game sessions games wins chips",
}
"""By table, the columns that follow from something else."""
ENTERED = {
    "player_group": "id name version submission_id fingerprint chip_set created_at",
    "group_link": "id group_id role name token_hash session_id created_at withdrawn_at",
    "join_code": "session_id role group_id link_id code",
    "join_attempt": "key failures until",
    "player": "id group_id name name_key created_at retired_at",
    "game_session": "id group_id name card_game ruleset_id options chip_value_minor chips_priced currency exponent "
    "submission_id started_on created_at declared pen pen_name pen_since",
    "session_seat": "session_id seat player_id",
    "session_change": "session_id link_id submission_id fingerprint note created_at",
    "deal": "session_id starts_game facts",
    "deal_version": "session_id status facts",
    "ledger_entry": "session_id line",
    "money_entry": "session_id line",
    "cost": "session_id note",
    "carried_over": "session_id source_id",
    "settlement": "session_id choices",
    "transfer": "session_id line",
    "payment": "session_id plan line",
    "group_total": "group_id",
}
"""The others: they name a row, or hold what people said, which nothing else can tell."""


@pytest.fixture
def played(db: Session) -> None:
    """A session of each game with something in every table, in a group that has nothing else."""
    group = make_group(db)
    sitting = Sitting(db, make_session(db, group=group, buy_in=20))
    sitting.stake(3)
    for facts in (HALF_MADE, FIVE_IN_SPADES_MADE, HALF_MADE):
        sitting.record(facts)
    sitting.stake(0)
    sitting.correct(2, {**FIVE_IN_SPADES_MADE, "tricks": 8})
    sitting.void(3)
    dispute_deal(db, DisputeDeal(**sitting.made.command(db), number=2, disputed=True))
    sitting.move(0, 1, 2)
    sitting.cash(3, 5)
    sitting.share(1, 7, (0, 1, 2))
    sitting.share(2, 5, (3,))
    sitting.take_back_cost(0)
    sitting.share(None, 8, (0, 1, 2, 3))
    sitting.share(0, 6)
    sitting.close()
    sitting.pay(0)
    sitting.correct(1, {**HALF_MADE, "tricks": 8})
    sitting.close(Choices(step=3))
    sitting.pay(0, 1)
    sitting.pay(0, 1)
    sitting.take_back(1)
    for _again in range(2):
        take_along = Carry(sitting.made.id, sitting.row.version, unpaid=True)
        after = make_session(db, group=group, carry=(take_along,))
        hand_back(db, HandBack(**after.command(db), source_id=sitting.made.id))
    make_session(db, group=group, carry=(replace(take_along, version=sitting.row.version),))
    sitting = Sitting(db, make_session(db, group=group, card_game="dirty-clubs", house_rules={"stake_loser": 1}))
    for facts in (CLUB_TURNED, {"turn_up": "clubs", "tricks": [5, 0, 0, 0]}):
        sitting.record(facts)
    sitting.next_game()
    sitting.record(CLUB_TURNED)
    row = seen_by(db, sitting.made.id, group.link_id)
    make_code(db, row, Role.VIEWER)
    with suppress(WrongCode):
        join(db, "ABCDEF", "192.0.2.1")
    make_group(db, name="Others")


@pytest.mark.parametrize(
    "choices", [Choices(), Choices(apart=((0, 1), (0, 2), (0, 3))), Choices(keeper=3), Choices(least=5)]
)
def test_who_sits_down_later_has_no_part_in_earlier_settlements(db: Session, choices: Choices[int]) -> None:
    sitting = Sitting.begin(db, MENSCH[0])
    sitting.share(None, 3, (0, 1, 2, 3))
    sitting.share(0, 1)
    sitting.move(0, 1, 2)
    sitting.close(choices)
    sitting.reopen()
    sitting.sit("Ann", "Ben", "Cleo", "Dan", "Eve")
    assert list(differences(db)) == []

    sitting.close(choices)
    sitting.reopen()
    sitting.sit("Fay", "Ben", "Cleo", "Eve")

    assert list(differences(db)) == []


def another(value: object) -> object:
    """A value of the same kind."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case None:
            return 1
        case list():
            return [another(value[0]), *value[1:]] if value else [1]
        case dict():
            return {**value, "totals": another(value["totals"])} if "totals" in value else {**value, "0": 1000}
        case str():
            return {"open": "closed", "closed": "open", "scored": "void"}.get(value, value[:-1] + "x")
    raise TypeError(value)


def test_every_column_is_a_result_or_was_entered() -> None:
    for table in Base.metadata.sorted_tables:
        named = f"{RESULTS.get(table.name, '')} {ENTERED[table.name]}".split()
        assert sorted(named) == sorted(table.columns.keys())


@pytest.mark.usefixtures("played")
def test_it_finds_nothing_in_what_people_did(app: Flask, db: Session) -> None:
    assert list(differences(db)) == []
    assert all(dump(db).values())
    result = app.test_cli_runner().invoke(main, ["check"])
    assert (result.exit_code, result.output) == (0, "0 differences\n")


@pytest.mark.usefixtures("played")
@pytest.mark.parametrize("table_name", RESULTS)
def test_it_finds_every_stored_result_that_was_tampered_with(db: Session, table_name: str) -> None:
    table = Base.metadata.tables[table_name]
    for row in db.execute(select(table)).mappings().all():
        this = and_(*(key == row[key.name] for key in table.primary_key))
        for name in RESULTS[table_name].split():
            db.rollback()
            try:
                db.execute(update(table).where(this).values({name: another(row[name])}))
            except IntegrityError:
                # The database itself does not let this be stored.
                continue
            assert next(differences(db), None), f"{name} of {dict(row)}"


@pytest.mark.parametrize(
    "declared",
    [
        {},
        {"dealer": 3},
        {"dealer": 4},
        {"contract": "half"},
        {"contract": "half", "declarer": 4},
        {"contract": "half", "declarer": 0, "partner": 2},
        {"contract": "half", "declarer": 0, "tricks": 5},
    ],
)
def test_it_finds_a_declared_deal_that_does_not_fit_the_table(db: Session, declared: dict[str, object]) -> None:
    sitting = Sitting(db, make_session(db))
    sitting.declare({"contract": "half", "declarer": 0, "dealer": 1})
    assert list(differences(db)) == []
    sessions = Base.metadata.tables["game_session"]
    db.execute(update(sessions).values(declared=declared))
    assert [(found.what, found.stored) for found in differences(db)] == [("declared", declared)]


@pytest.mark.usefixtures("played")
def test_it_says_what_differs_and_fails(app: Flask, db: Session) -> None:
    seats = Base.metadata.tables["session_seat"]
    db.execute(update(seats).where(seats.c.session_id == 1, seats.c.seat == 2).values(chips=100))
    db.commit()
    result = app.test_cli_runner().invoke(main, ["check"])
    assert result.exit_code == 1
    assert "group 1, session 1, chips of seat 2: stored 100, expected " in result.output
    assert next(differences(db)).stored == 100


def test_a_database_that_was_never_prepared_is_a_line_and_no_traceback(tmp_path: Path) -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("scorekeeper"), "check"],
        env={**os.environ, "SCOREKEEPER_DATA": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Error: The database cannot be used: no such table")
    assert len(done.stderr.splitlines()) == 1

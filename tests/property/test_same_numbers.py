"""One session, and every place that says what it comes to: the same numbers everywhere, and they sum to zero."""

from __future__ import annotations

import csv
import io
import json
import re
from decimal import Decimal
from functools import partial

from click.testing import CliRunner
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.orm import Session

from scorekeeper import queries
from scorekeeper.score_command import score
from scorekeeper.sessionfile import Chip, write_document
from tests.factories import HALF_MADE, NAMES, MadeSession, make_group, make_session
from tests.http.conftest import Host
from tests.http.evidence import sums_of
from tests.http.visitor import Page
from tests.sittings import Sitting

few = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
CURRENCIES = st.sampled_from([("JPY", 0), ("EUR", 2), ("BHD", 3)])
PRICES = st.tuples(CURRENCIES, st.integers(1, 400), st.integers(1, 12)).map(
    lambda drawn: Chip(drawn[1], drawn[0][0], drawn[0][1], drawn[2])
)
COSTS = st.lists(
    st.tuples(st.none() | st.integers(0, 3), st.integers(1, 500), st.sets(st.integers(0, 3)).map(tuple)), max_size=4
)
MOVES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 40)), max_size=6)
Amounts = dict[str, Decimal]


def amount_of(text: str) -> Decimal:
    """Money, or chips, as a page writes it."""
    digits = "".join(re.findall(r"[\d.]", text))
    return Decimal(digits) * (-1 if "\N{MINUS SIGN}" in text else 1)


def by_player(payments: list[tuple[str, str, Decimal]]) -> Amounts:
    """What everybody gets by *payments*: who pays, whom, how much."""
    got = dict.fromkeys(NAMES, Decimal(0))
    for payer, payee, amount in payments:
        got[payer] -= amount
        got[payee] += amount
    return got


def of_sentences(sentences: list[str]) -> Amounts:
    """By what is said: "Ann pays Ben 12 chips, €3.00." """
    said = [re.fullmatch(r"(\w+) pays (\w+) (?:[\d,]+ chips?, )?(.*?)\.", one) for one in sentences]
    return by_player([(one[1], one[2], amount_of(one[3])) for one in said if one])


def page_of(host: Host, session: MadeSession) -> Page:
    return host.get(f"/sessions/{session.id}/settlement")


def rows_of(host: Host, session: MadeSession, what: str) -> list[dict[str, str]]:
    reply = host.get(f"/sessions/{session.id}/export/{what}.csv").response
    return list(csv.DictReader(io.StringIO(reply.get_data().decode("utf-8-sig"), newline="")))


@few
@given(chip=PRICES, moves=MOVES, costs=COSTS, stake=st.integers(0, 50), bought=st.integers(0, 50), ends=st.booleans())
def test_every_place_says_the_same_and_it_sums_to_zero(
    app: Flask,
    db: Session,
    chip: Chip,
    moves: list[tuple[int, int, int]],
    costs: list[tuple[int | None, int, tuple[int, ...]]],
    stake: int,
    bought: int,
    ends: bool,
) -> None:
    host = Host(app, make_group(db))
    session = make_session(db, group=host.group, chip=chip, buy_in=bought)
    sitting = Sitting(db, session)
    for giver, taker, chips in moves:
        sitting.do([partial(Sitting.move, giver=giver, taker=taker, chips=chips)])
    for payer, amount, shared in costs:
        sitting.do([partial(Sitting.share, payer=payer, amount=amount, seats=shared)])
    sitting.do([lambda sitting: sitting.stake(stake), lambda sitting: sitting.record(HALF_MADE)])
    if ends:
        sitting.close()
    page = page_of(host, session)

    sums = {name: [amount_of(text) for text in texts] for name, texts in sums_of(page).items()}
    due = {name: amounts[-1] for name, amounts in sums.items()}
    assert sum(due.values()) == 0
    # Every line of a player's sum, and together they come to what is shown.
    assert all(sum(amounts[:-1]) == amounts[-1] for amounts in sums.values())
    exact = [Decimal(seat.chips * chip.value_minor) / chip.chips / 10**chip.exponent for seat in sitting.seats()]

    assert of_sentences([one.get_text() for one in page.soup.select(".transfers p")]) == due
    (text,) = page.soup.select("[data-share] textarea")
    lines = text.get_text().strip().splitlines()
    assert of_sentences(lines) == due
    person = r"(\w+): .*?\((.*?)\)(?:, costs and kitty (.*?))?(?:, carried over (.*))?"
    people = [re.fullmatch(person, line) for line in lines[1:5]]
    won = {one[1]: amount_of(one[2]) for one in people if one}
    assert all(abs(won[name] - one) < Decimal(1) / 10**chip.exponent for name, one in zip(NAMES, exact, strict=True))
    beside = {one[1]: amount_of(one[3] or "0") + amount_of(one[4] or "0") for one in people if one}
    assert {name: won[name] + beside[name] for name in won} == due
    money = f"Amount in {chip.currency}"
    transfers = [row for row in rows_of(host, session, "settlement") if row["Paid"]]
    assert by_player([(row["Who pays"], row["Whom"], Decimal(row[money])) for row in transfers]) == due
    assert {row["Player"]: Decimal(row[money]) for row in rows_of(host, session, "standings")} == won

    document = json.dumps(write_document(queries.session_file(db, sitting.row)))
    answer = json.loads(CliRunner().invoke(score, ["--json", "-"], input=document).stdout)
    assert by_player([(one["from"], one["to"], Decimal(one["amount"])) for one in answer["transfers"]]) == won
    printed = CliRunner().invoke(score, ["-"], input=document).stdout.splitlines()
    settled = [re.fullmatch(r"  (\w+) pays (\w+) (?:[\d,]+ chips? \((.*)\)|(.*))", line) for line in printed]
    assert by_player([(one[1], one[2], amount_of(one[3] or one[4])) for one in settled if one]) == won

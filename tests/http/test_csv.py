"""The deals, the standings and the settlement as CSV, read back and compared with the pages."""

from __future__ import annotations

import csv
import io
from decimal import Decimal

import pytest
from sqlalchemy.orm import Session
from werkzeug.http import parse_options_header

from scorekeeper.rules import MISDEAL, Seat
from scorekeeper.services.deals import VoidDeal, void_deal
from scorekeeper.services.groups import Role
from scorekeeper.services.sessions import Adjust, MoveChips, adjust, cash_out, close_session
from scorekeeper.sessionfile import Chip
from tests.factories import FIVE_IN_SPADES_MADE, NAMES, MadeSession, make_deal, make_group, make_link, make_session
from tests.http.conftest import Host
from tests.http.evidence import dump, number_of, payments_of, standings_of
from tests.http.test_carry_over import take
from tests.http.test_score_sheet import row, sheet_of
from tests.http.test_settle import move, part
from tests.http.visitor import Visitor
from tests.http.world import SESSIONS, SWEEP, make_world

Row = dict[str, str]


def read(visitor: Visitor, session_id: object, what: str) -> list[Row]:
    """The rows of a file, by the heads of their columns."""
    reply = visitor.get(f"/sessions/{session_id}/export/{what}.csv").response
    assert reply.status_code == 200
    head, *rows = csv.reader(io.StringIO(reply.get_data().decode("utf-8-sig"), newline=""), strict=True)
    assert len(set(head)) == len(head)
    return [dict(zip(head, row, strict=True)) for row in rows]


def evening(db: Session, host: Host) -> MadeSession:
    session = make_session(db, group=host.group, chip=Chip(25, "EUR", 2), buy_in=40)
    make_deal(db, session)
    make_deal(db, session, MISDEAL)
    adjust(db, Adjust(**session.command(db), chips=(1, -1, 0, 0), note="=paid twice"))
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    make_deal(db, session)
    void_deal(db, VoidDeal(**session.command(db), number=4))
    return session


def test_the_deals_are_those_of_the_score_sheet(host: Host, db: Session) -> None:
    session = evening(db, host)

    rows = read(host, session.id, "deals")

    assert [one["Deal"] for one in rows] == ["1", "2", "", "3", "4"]
    page = sheet_of(host, session)
    for one in rows:
        if not one["Deal"]:
            continue
        shown = [
            tuple(number_of(text.get_text().removeprefix("total ")) for text in cell.select("b, small"))
            for cell in row(page, int(one["Deal"])).select("td")
        ]
        assert [(int(one[name]), int(one[f"{name}, total"])) for name in NAMES if one[name]] == shown
    assert rows[0] | {"Deal": "1", "Game": "1", "Dealer": "Dan", "Trump": "Clubs", "Tricks": "5"} == rows[0]
    assert (rows[0]["Declarer"], rows[0]["Partner"], rows[0]["Contract"]) == ("Ann", "Cleo", "Half")
    assert [rows[0][name] for name in NAMES] == ["1", "-1", "1", "-1"]
    assert rows[1]["Remark"] == "Misdeal"
    assert rows[2]["Remark"] == "Chips moved by hand / =paid twice"
    assert [rows[2][name] for name in NAMES] == ["1", "-1", "0", "0"]
    assert [rows[3][f"{name}, total"] for name in NAMES] == ["1", "1", "0", "-2"]
    assert (rows[4]["Remark"], rows[4]["Ann"], rows[4]["Ann, total"]) == ("void", "", "")


def test_every_total_of_the_deals_follows_from_the_one_before(host: Host, db: Session) -> None:
    totals = dict.fromkeys(NAMES, 0)
    for one in read(host, evening(db, host).id, "deals"):
        for name in NAMES:
            totals[name] += int(one[name] or 0)
            assert one[f"{name}, total"] in ("", str(totals[name]))


@pytest.mark.parametrize("name", SESSIONS)
def test_the_standings_and_the_settlement_are_those_of_the_page(host: Host, db: Session, name: str) -> None:
    session_id = make_world(db, host.group).sessions[name]["session_id"]
    page = host.get(f"/sessions/{session_id}/settlement")

    places, lines = read(host, session_id, "standings"), read(host, session_id, "settlement")

    heading = next(one for one in page.soup.select("h2")).get_text(" ", strip=True)
    shown = [[place, player, number_of(total)] for place, player, total in standings_of(page, heading)]
    total = "Points" if "Points" in places[0] else "Chips"
    assert [[one["Place"], one["Player"], int(one[total])] for one in places] == shown
    transfers = [line for line in lines if line["Paid"]]
    payments = payments_of(page)
    assert len(transfers) == len(payments)
    for line, (sentence, paid) in zip(transfers, payments, strict=True):
        assert sentence.startswith(f"{line['Who pays']} pays {line['Whom']} {line['Chips']}")
        money = [line[head] for head in line if head.startswith("Amount in ")]
        assert all(one in sentence.replace(",", "") for one in money)
        assert (line["Paid"] == "yes") == paid
        still_open = next(line[head] for head in line if head.startswith("Still open in "))
        assert line["Paid"] != "in part" or f"{still_open} still open" in page.text


def test_stakes_have_columns_beside_the_points(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs", house_rules={"stake_loser": 2})
    make_deal(db, session, SWEEP)

    (deal,) = read(host, session.id, "deals")
    places = read(host, session.id, "standings")

    assert [deal[f"{name}, chips"] for name in NAMES] == ["-2", "6", "-2", "-2"]
    assert [places[0][head] for head in ("Player", "Games won", "Chips")] == ["Ben", "1", "6"]


@pytest.mark.parametrize(
    ("currency", "exponent", "amounts"), [("JPY", 0, ["75"]), ("EUR", 2, ["0.75"]), ("BHD", 3, ["0.075"])]
)
def test_money_is_in_decimals_of_its_currency(
    host: Host, db: Session, currency: str, exponent: int, amounts: list[str]
) -> None:
    session = make_session(db, group=host.group, chip=Chip(25, currency, exponent))
    adjust(db, Adjust(**session.command(db), chips=(3, -3, 0, 0), note="counted"))

    places, lines = read(host, session.id, "standings"), read(host, session.id, "settlement")

    assert [line[f"Amount in {currency}"] for line in lines if line["Paid"]] == amounts
    assert sum(Decimal(one[f"Amount in {currency}"]) for one in places) == 0
    assert places[-1][f"Amount in {currency}"] == f"-{amounts[0]}"


def test_what_the_bank_pays_out_stands_in_the_settlement(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, buy_in=40)
    cash_out(db, MoveChips(**session.command(db), seat=Seat(0), chips=10))
    close_session(db, session.plain_command(db))

    lines = read(host, session.id, "settlement")

    assert [(line["Who pays"], line["Whom"], line["Chips"], line["Paid"]) for line in lines] == [
        ("The bank", name, chips, "") for name, chips in zip(NAMES, ("30", "40", "40", "40"), strict=True)
    ]


def test_what_was_paid_of_a_payment_stands_beside_what_is_carried_over(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, chip=Chip(25, "EUR", 2))
    move(db, session, -8, 8, 0, 0)
    close_session(db, session.plain_command(db))
    part(host.get(f"/sessions/{session.id}/settlement"), "Ann pays Ben", "0.50")
    in_part = ("2.00", "in part", "0.50", "1.50")
    heads = ("Amount in EUR", "Paid", "Paid in EUR", "Still open in EUR")
    assert [tuple(line[head] for head in heads) for line in read(host, session.id, "settlement")] == [in_part]

    take(host, session, "all")

    lines = read(host, session.id, "settlement")
    assert [tuple(line[head] for head in heads) for line in lines] == [("2.00", "carried over", "0.50", "0.00")]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "＝1+1", '=HYPERLINK("http://a.example")'])
def test_a_name_is_never_a_formula(db: Session, host: Host, name: str) -> None:
    group = make_group(db, players=(name, *NAMES[1:]))
    session = make_session(db, group=group)
    make_deal(db, session)
    guest = Host(host.app, group)

    assert f"'{name}" in read(guest, session.id, "deals")[0]
    assert read(guest, session.id, "deals")[0]["Declarer"] == f"'{name}"
    assert f"'{name}" in [one["Player"] for one in read(guest, session.id, "standings")]


@pytest.mark.parametrize("mark", [";", ",", ";+", ",@"])
def test_nor_is_what_stands_behind_what_separates_cells_elsewhere(db: Session, host: Host, mark: str) -> None:
    group = make_group(db, players=(f"Dan{mark}=1", *NAMES[1:]))
    session = make_session(db, group=group)

    reply = Host(host.app, group).get(f"/sessions/{session.id}/export/standings.csv").response
    text = reply.get_data().decode("utf-8-sig")
    cells = [cell for line in csv.reader(io.StringIO(text, newline=""), delimiter=mark[0]) for cell in line]

    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]


def test_names_of_any_script_come_as_they_are(db: Session, host: Host) -> None:
    names = ("أحمد", 'Be"n, Jr.', "🂡👩‍👩‍👧", "Zoë")
    group = make_group(db, players=names)
    session = make_session(db, group=group)
    make_deal(db, session)

    (deal,) = read(Host(host.app, group), session.id, "deals")

    assert (deal["Declarer"], deal["Partner"]) == ("أحمد", "🂡👩‍👩‍👧")
    assert [deal[name] for name in names] == ["1", "-1", "1", "-1"]


@pytest.mark.parametrize("what", ["deals", "standings", "settlement"])
def test_a_viewer_gets_a_file_that_spreadsheets_take_for_utf_8(host: Host, db: Session, what: str) -> None:
    session = make_session(db, group=host.group, name='ليلة / "🂡"')
    viewer = Visitor(host.app)
    viewer.get(f"/open/{make_link(db, host.group.group_id, Role.VIEWER, '').token}")
    before = dump(db)

    page = viewer.get(f"/sessions/{session.id}/files").follow(what.capitalize())

    assert page.response.get_data().startswith(b"\xef\xbb\xbf")
    assert page.response.headers["Content-Type"] == "text/csv; charset=utf-8"
    kind, options = parse_options_header(page.response.headers["Content-Disposition"])
    assert (kind, options["filename"]) == ("attachment", f"ليلة - -🂡- 2026-11-26 {what}.csv")
    assert dump(db) == before


def test_a_stranger_gets_no_file(host: Host, stranger: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    for path in ("files", "export/deals.csv", "export/standings.csv", "export/settlement.csv"):
        assert stranger.get(f"/sessions/{session.id}/{path}").status == 404

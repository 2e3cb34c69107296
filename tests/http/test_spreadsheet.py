"""The deals of a spreadsheet's file in the grid, and an exported evening read into another session."""

from __future__ import annotations

import csv
import io
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.orm import Session
from werkzeug.datastructures import FileStorage
from werkzeug.test import encode_multipart

from scorekeeper.rules import MISDEAL, Seat
from scorekeeper.services.check import differences
from scorekeeper.services.deals import VoidDeal, void_deal
from scorekeeper.services.sessions import Adjust, MoveChips, adjust, buy_in
from tests.factories import (
    CLUB_TURNED,
    FIVE_IN_SPADES_MADE,
    HALF_MADE,
    NAMES,
    MadeSession,
    make_deal,
    make_group,
    make_session,
)
from tests.http.conftest import Host
from tests.http.deals import deals_of, seated
from tests.http.evidence import dump
from tests.http.test_keying import recorded, told
from tests.http.visitor import Page, Visitor
from tests.sittings import DIRTY_CLUBS, MENSCH, Rules, Sitting, changes, recordings

HEAD = "Contract,Declarer,Partner,Tricks"
HALF = "Half,Ann,Cleo,5"


def sent(visitor: Visitor, session: MadeSession, content: str | bytes) -> Page:
    form = visitor.get(f"/sessions/{session.id}/paper/keying").form("/paper/file")
    content = content.encode() if isinstance(content, str) else content
    file = FileStorage(io.BytesIO(content), "deals.csv")
    boundary, body = encode_multipart({**form.data.to_dict(), "file": file})
    return visitor.post(form.action, data=body, content_type=f"multipart/form-data; boundary={boundary}")


def exported(visitor: Visitor, session: MadeSession) -> bytes:
    return visitor.get(f"/sessions/{session.id}/export/deals.csv").response.get_data()


def refusal(page: Page) -> str:
    assert page.status == 422
    assert not page.soup.select("[formaction]")
    return page.errors()["file"]


def test_the_rows_of_a_file_fill_the_grid_and_nothing_is_recorded_before_that_is_said(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    before = dump(db)

    page = sent(host, session, f"{HEAD},Trump,Weather,Ann,Ann: Total\n{HALF},,fine,+1,1\n\n5,b,,5,♠,wet,,\n")

    assert page.status == 200
    assert told(page) == [
        "Half, Clubs: Ann with Cleo. Made. Ben and Dan pay 1 each. Then: Ann +1, Ben −1, Cleo +1, Dan −1.",
        "Five, Spades: Ben. Made. Cleo, Dan and Ann pay 1 each. Then: Ann 0, Ben +2, Cleo 0, Dan −2.",
    ]
    assert dump(db) == before


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_whatever_a_spreadsheet_separates_cells_by(host: Host, db: Session, separator: str, encoding: str) -> None:
    session = make_session(db, group=host.group)
    rows = f"{HEAD}\n{HALF}\n{HALF}\n".replace(",", separator).encode(encoding)

    recorded(sent(host, session, rows))

    assert [deal.facts for deal in deals_of(db, session.id)] == [HALF_MADE, HALF_MADE]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_an_exported_file_comes_back_however_a_spreadsheet_quotes_it(
    host: Host, db: Session, separator: str, quoting: Literal[0, 1]
) -> None:
    first, second = (make_session(db, group=host.group) for _ in range(2))
    make_deal(db, first)
    text = io.StringIO(newline="")
    rows = csv.reader(io.StringIO(exported(host, first).decode("utf-8-sig"), newline=""))
    csv.writer(text, delimiter=separator, quoting=quoting).writerows(rows)

    recorded(sent(host, second, text.getvalue()))

    assert [deal.facts for deal in deals_of(db, second.id)] == [HALF_MADE]


@pytest.mark.parametrize("above", ["sep=;\r\n", '"sep=;"\n', "\n", ";;;\n \n", "\nSEP=;\n"])
def test_what_a_spreadsheet_writes_above_the_heads_is_passed_over(host: Host, db: Session, above: str) -> None:
    session = make_session(db, group=host.group)

    recorded(sent(host, session, above + f"{HEAD}\n{HALF}\n".replace(",", ";")))

    assert [deal.facts for deal in deals_of(db, session.id)] == [HALF_MADE]


def test_it_stops_at_the_row_that_disagrees_as_if_it_had_been_keyed_in(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    page = sent(host, session, f'{HEAD},"Ben, total"\n{HALF},-1\n{HALF},-3\n')

    assert page.status == 422
    assert told(page)[1] == "Ben stands at −3 on paper, and should stand at −2: 1 too few."
    recorded(page.form("/check").fill(**{"r2-total-1": "-2"}).submit("Check"))
    assert len(deals_of(db, session.id)) == 2


def test_what_is_no_deal_of_the_grid_is_passed_over_and_said(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, buy_in=40)
    make_deal(db, session)
    make_deal(db, session, MISDEAL)
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    void_deal(db, VoidDeal(**session.command(db), number=3))
    adjust(db, Adjust(**session.command(db), chips=(1, -1, 0, 0), note="=paid twice"))
    buy_in(db, MoveChips(**session.command(db), seat=Seat(0), chips=20))
    make_deal(db, session)
    other = make_session(db, group=host.group)

    page = sent(host, other, exported(host, session))

    assert "3 rows of the file were passed over." in page.text
    assert "Totals after chips were moved by hand are left out." in page.text
    assert seated(recorded(page)) == {"Ann": "+2", "Ben": "−2", "Cleo": "+2", "Dan": "−2"}


def test_what_the_grid_has_no_place_for_is_left_out_and_said(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    rows = f"{HEAD},Remark,Zoe,Weather,Empty\n{HALF},disputed,+1,fine,\n{HALF},,+1,,\n"

    page = sent(host, session, rows)

    assert "as no player or column here is called so: Zoe, Weather. 1 deal of the file is disputed" in page.text
    wrong = sent(host, session, rows.replace("Half,Ann,Cleo,5,,", "Half,Ann,Cleo,9,,"))
    assert "Left out" in wrong.text
    assert [link["href"] for link in wrong.soup.select("#problems a")] == ["#r2-tricks"]


@pytest.mark.parametrize("card_game", ["mensch", "dirty-clubs"])
def test_an_exported_file_leaves_out_nothing_at_the_same_table(host: Host, db: Session, card_game: str) -> None:
    rules = {"stake_loser": 5} if card_game == "dirty-clubs" else {}
    first, second = (make_session(db, group=host.group, card_game=card_game, house_rules=rules) for _ in range(2))
    sweep = {"turn_up": "clubs", "tricks": [0, 5, 0, 0]}
    make_deal(db, first, sweep if card_game == "dirty-clubs" else HALF_MADE)

    assert "Left out" not in sent(host, second, exported(host, first)).text


@pytest.mark.parametrize("players", [("=1+1", "-2", "@a", "+b"), ("=A", "'=A", "''=A", "'A")])
def test_names_that_could_be_formulas_come_back_as_they_are(db: Session, host: Host, players: tuple[str, ...]) -> None:
    group = make_group(db, players=players)
    guest = Host(host.app, group)
    first, second = (make_session(db, group=group) for _ in range(2))
    make_deal(db, first)

    recorded(sent(guest, second, exported(guest, first)))

    assert deals_of(db, second.id)[0].facts == HALF_MADE


@pytest.mark.parametrize("card_game", ["mensch", "dirty-clubs"])
@pytest.mark.parametrize(
    "players", [("Trump", "Ben", "Remark", "Dealer"), ("Deal", "Game", "Deal, total", "Deal, Tricks")]
)
def test_players_called_like_a_column_come_back_too(
    host: Host, db: Session, players: tuple[str, ...], card_game: str
) -> None:
    group = make_group(db, players=players)
    guest = Host(host.app, group)
    first, second = (make_session(db, group=group, card_game=card_game) for _ in range(2))
    for facts in [CLUB_TURNED] if card_game == "dirty-clubs" else [HALF_MADE, FIVE_IN_SPADES_MADE]:
        make_deal(db, first, facts)

    recorded(sent(guest, second, exported(guest, first)))

    assert [deal.totals for deal in deals_of(db, second.id)] == [deal.totals for deal in deals_of(db, first.id)]


@pytest.mark.parametrize("rules", [*MENSCH, *DIRTY_CLUBS], ids=str)
@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_an_exported_evening_gives_the_same_totals_in_an_empty_session(
    host: Host, db: Session, rules: Rules, data: st.DataObject
) -> None:
    sitting = Sitting.begin(db, rules)
    sitting.do(data.draw(st.lists(recordings(rules) | changes(rules), min_size=1, max_size=12)))
    fresh = make_session(
        db,
        group=sitting.made.group,
        card_game=rules.card_game,
        ruleset=rules.ruleset,
        house_rules=rules.house_rules,
    )
    visitor = Host(host.app, sitting.made.group)
    scored = [deal for deal in sitting.deals() if deal.status == "scored" and "misdeal" not in deal.facts]

    page = sent(visitor, fresh, exported(visitor, sitting.made))

    if not scored:
        assert refusal(page) == "There is no deal in this file."
        return
    assert page.status == 200, told(page)
    recorded(page)
    came = deals_of(db, fresh.id)
    assert [deal.totals for deal in came] == [deal.totals for deal in scored]
    assert [deal.chips for deal in came] == [deal.chips for deal in scored]
    assert list(differences(db)) == []


HOSTILE = {
    "nothing": b"",
    "a picture": b"\x89PNG\r\n\x1a\n\x00\xff",
    "another encoding": f"{HEAD},é\n{HALF}".encode("latin-1"),
    "another encoding with a mark": f"{HEAD}\n{HALF}".encode("utf-16"),
    "an open quotation": f'{HEAD}\n"{HALF}'.encode(),
    "a quotation within": f'{HEAD}\n"Half"x,Ann\n'.encode(),
    "a huge cell": f"{HEAD}\n{'x' * 900_000}\n".encode(),
    "no column of the sheet": b"Weather,Remark\nfine,void\n",
    "many columns of another": b",".join(b"x%d" % number for number in range(100_000)),
    "a column twice": f"{HEAD},Tricks\n{HALF},5\n".encode(),
    "too many deals": "\n".join([HEAD, *[HALF] * 61]).encode(),
    "no heads": b"Half,,,5\nHalf,,,5\n",
    "no deal": f"{HEAD}\n,,,\n".encode(),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_what_is_no_such_file_is_refused_beside_its_field(host: Host, db: Session, what: str) -> None:
    session = make_session(db, group=host.group)
    before = dump(db)

    assert refusal(sent(host, session, HOSTILE[what]))

    assert dump(db) == before


@pytest.mark.parametrize(
    "row",
    ["\0,\0,\0,\0", "<img src=x>,{{ 7*7 }},%(x)s,9", f"{'9' * 5000},-1,1e9,²", "\u202e,أحمد,🂡,\x07", '"\n","\r",x,5'],
)
def test_whatever_stands_in_a_row_is_shown_and_refused(host: Host, db: Session, row: str) -> None:
    session = make_session(db, group=host.group)
    before = dump(db)

    page = sent(host, session, f"{HEAD}\n{row}\n")

    assert page.status == 422
    assert not page.soup.select("img")
    assert dump(db) == before


def test_a_form_without_a_file_asks_for_one(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = host.get(f"/sessions/{session.id}/paper/keying").form("/paper/file")

    page = form.submit()

    assert refusal(page) == "Choose a file."
    assert [(link["href"], link.get_text()) for link in page.soup.select("#problems a")] == [
        ("#file", "Choose a file.")
    ]


def test_the_export_and_the_grid_call_a_column_alike(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")
    (head,) = csv.reader(io.StringIO(exported(host, session).decode("utf-8-sig")))

    assert head[:6] == ["Deal", "Game", "Dealer", "Turned up", "Maker", "Trump"]
    assert {f"{name}{what}" for name in NAMES for what in ("", ", total", ", Tricks")} <= set(head)

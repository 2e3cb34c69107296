"""The score sheet: who dealt, what was moved by hand, who sat out, and the way to any deal."""

from __future__ import annotations

from urllib.parse import urljoin

import pytest
from bs4 import Tag
from sqlalchemy.orm import Session

from scorekeeper import queries
from scorekeeper.rules import MISDEAL, Facts
from scorekeeper.services.deals import CorrectDeal, VoidDeal, correct_deal, start_next_game, void_deal
from scorekeeper.services.sessions import Adjust, adjust
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
from tests.http.deals import seat
from tests.http.evidence import number_of
from tests.http.test_gates import session_of
from tests.http.visitor import Page

THROWN_IN: Facts = {"contract": "passed-out"}
SWEEP: Facts = {"turn_up": "clubs", "tricks": [0, 5, 0, 0]}


def sheet_of(visitor: Host, session: MadeSession, query: str = "") -> Page:
    return visitor.get(f"/sessions/{session.id}/deals{query}")


def rows(page: Page) -> list[Tag]:
    return page.soup.select(".sheet tbody:not(.game)")


def row(page: Page, number: int) -> Tag:
    (found,) = page.soup.select(f"#deal-{number}")
    return found


def numbers(page: Page) -> list[int]:
    return [int(str(one["id"]).removeprefix("deal-")) for one in page.soup.select(".sheet tbody[id]")]


def words_of(element: Tag) -> str:
    return " ".join(element.get_text(" ").split())


def notes(element: Tag) -> list[str]:
    return [words_of(note) for note in element.select(".note")]


def cells(element: Tag) -> list[str]:
    return [words_of(cell) for cell in element.select("td")]


def test_each_deal_marks_its_dealer(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, dealer=3)
    for facts in (HALF_MADE, MISDEAL, HALF_MADE, FIVE_IN_SPADES_MADE):
        make_deal(db, session, facts)

    page = sheet_of(host, session)

    dealers = [[NAMES[seat] for seat, cell in enumerate(cells(one)) if "dealer" in cell] for one in rows(page)]
    assert dealers == [["Ben"], ["Ann"], ["Ann"], ["Dan"]]


@pytest.mark.parametrize(
    ("deals", "rules", "reason"),
    [
        ([HALF_MADE, HALF_MADE], {}, []),
        ([MISDEAL, HALF_MADE], {}, ["Deal 1 was a misdeal, so Dan deals again."]),
        ([THROWN_IN, HALF_MADE], {"passed_out": "same-dealer"}, ["Deal 1 was thrown in, so Dan deals again."]),
        ([THROWN_IN, HALF_MADE], {"passed_out": "next-dealer"}, ["Deal 1 was thrown in, and the deal passes to Ann."]),
        ([HALF_MADE, {**HALF_MADE, "dealer": 2}], {}, ["Cleo deals out of turn; it was Ann’s turn."]),
        ([MISDEAL, {**HALF_MADE, "dealer": 2}], {}, ["Cleo deals out of turn; it was Dan’s turn."]),
    ],
)
def test_a_deal_that_did_not_pass_clockwise_says_why(
    host: Host, db: Session, deals: list[Facts], rules: dict[str, object], reason: list[str]
) -> None:
    session = make_session(db, group=host.group, dealer=3, house_rules=rules)
    for facts in deals:
        make_deal(db, session, facts)

    assert notes(row(sheet_of(host, session), 2)) == reason


def test_the_first_deal_may_be_dealt_out_of_turn_too(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, dealer=3)
    make_deal(db, session, {**HALF_MADE, "dealer": 1})

    assert notes(row(sheet_of(host, session), 1)) == ["Ben deals out of turn; it was Dan’s turn."]


def test_a_misdeal_out_of_turn_is_a_misdeal_all_the_same(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, dealer=3)
    for facts in (HALF_MADE, {**MISDEAL, "dealer": 2}, HALF_MADE):
        make_deal(db, session, facts)

    page = sheet_of(host, session)

    assert words_of(row(page, 2)).startswith("Deal 2 Misdeal Cleo deals out of turn; it was Ann’s turn.")
    assert notes(row(page, 3)) == ["Deal 2 was a misdeal, so Cleo deals again."]


def test_a_void_deal_is_no_reason(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, dealer=3)
    for facts in (MISDEAL, MISDEAL, HALF_MADE):
        make_deal(db, session, facts)
    void_deal(db, VoidDeal(**session.command(db), number=2))

    assert notes(row(sheet_of(host, session), 3)) == ["Deal 1 was a misdeal, so Dan deals again."]
    void_deal(db, VoidDeal(**session.command(db), number=1))
    assert notes(row(sheet_of(host, session), 3)) == []


def test_a_corrected_deal_says_that_it_was_changed(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    for _ in range(3):
        make_deal(db, session)
    correct_deal(db, CorrectDeal(**session.command(db), number=2, facts=FIVE_IN_SPADES_MADE))

    page = sheet_of(host, session)

    assert [notes(row(page, number)) for number in (1, 2, 3)] == [[], ["Changed since it was recorded."], []]


def test_a_deal_that_does_not_count_says_why(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")
    for _ in range(2):
        make_deal(db, session, CLUB_TURNED)
    correct_deal(db, CorrectDeal(**session.command(db), number=1, facts=SWEEP))

    page = sheet_of(host, session)

    (said,) = notes(row(page, 2))
    assert "not counted" in words_of(row(page, 2))
    assert said in host.get(f"/sessions/{session.id}/deals/2").text
    assert "ended" in said


def test_the_page_of_a_deal_says_why_its_dealer_dealt(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, dealer=3)
    for facts in (HALF_MADE, MISDEAL, HALF_MADE):
        make_deal(db, session, facts)

    said = [host.get(f"/sessions/{session.id}/deals/{number}").text for number in (1, 2, 3)]

    assert "Dan deals first." in said[0]
    assert "Dan dealt deal 1; Ann sits next, clockwise." in said[1]
    assert "Deal 2 was a misdeal, so Ann deals again." in said[2]


def test_a_dealer_who_left_is_named(db: Session, host: Host) -> None:
    group = make_group(db, players=(*NAMES, "Eve"))
    session = make_session(db, group=group, dealer=3)
    make_deal(db, session)
    seat(db, session, "Ben", "Cleo", "Dan", "Eve")
    make_deal(db, session, {**HALF_MADE, "declarer": 1, "partner": 4})

    page = sheet_of(Host(host.app, group), session)

    assert notes(row(page, 2)) == ["Ann was not at the table, so Ben deals."]
    assert cells(row(page, 2)) == [
        "– not at the table",
        "◇ dealer +1 total 0",
        "−1 total 0",
        "−1 total −2",
        "+1 total +1",
    ]
    assert cells(row(page, 1))[4] == "– not at the table"


def test_a_fifth_who_sat_out_has_no_number(db: Session, host: Host) -> None:
    group = make_group(db, players=(*NAMES, "Eve"))
    session = make_session(db, group=group, dealer=3)
    seat(db, session, *NAMES, "Eve")
    make_deal(db, session, {**HALF_MADE, "partner": 4})

    page = sheet_of(Host(host.app, group), session)

    assert cells(row(page, 1)) == ["+1 total +1", "−1 total −1", "−1 total −1", "◇ dealer – sat out", "+1 total +1"]


def test_chips_moved_by_hand_have_a_row_of_their_own_so_that_every_total_follows(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    def move(*chips: int, note: str) -> None:
        adjust(db, Adjust(**session.command(db), chips=chips, note=note))

    move(5, -5, 0, 0, note="before the first deal")
    make_deal(db, session)
    make_deal(db, session)
    move(0, 0, 3, -3, note="a debt")
    move(0, 0, 1, -1, note="and its interest")
    make_deal(db, session)
    void_deal(db, VoidDeal(**session.command(db), number=2))
    move(-1, 0, 0, 1, note="after the last")

    page = sheet_of(host, session)

    by_hand = [one for one in rows(page) if "Chips moved by hand" in one.get_text()]
    assert [notes(one) for one in by_hand] == [
        ["after the last"],
        ["a debt", "and its interest"],
        ["before the first deal"],
    ]
    assert cells(by_hand[1]) == ["0 total +6", "0 total −6", "+4 total +5", "−4 total −5"]
    assert {link["href"] for one in by_hand for link in one.select("a")} == {f"/sessions/{session.id}/chips"}
    totals = [0, 0, 0, 0]
    for one in reversed(rows(page)):
        for column, cell in enumerate(one.select("td")):
            change, total = (number_of(number.contents[-1].get_text()) for number in cell.select("b, small"))
            totals[column] += change
            assert totals[column] == total
    assert rows(host.get(f"/sessions/{session.id}"))[0].get_text() == rows(page)[0].get_text()


def test_chips_moved_by_hand_are_not_on_a_sheet_of_points(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs", house_rules={"stake_loser": 5})
    make_deal(db, session, CLUB_TURNED)
    adjust(db, Adjust(**session.command(db), chips=(1, -1, 0, 0), note="a debt"))

    assert "by hand" not in sheet_of(host, session).text


def test_the_stakes_of_a_game_are_said_and_games_have_headings(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs", house_rules={"stake_loser": 5})
    for facts in (CLUB_TURNED, SWEEP):
        make_deal(db, session, facts)
    assert sheet_of(host, session).soup.select(".game") == []
    start_next_game(db, session.plain_command(db))
    make_deal(db, session, CLUB_TURNED)

    page = sheet_of(host, session)

    assert notes(row(page, 2)) == ["Stakes in chips: Ann −5, Ben +15, Cleo −5, Dan −5."]
    above = [heading.find_next_sibling("tbody") for heading in page.soup.select(".game")]
    assert [words_of(heading) for heading in page.soup.select(".game")] == ["Game 2", "Game 1"]
    assert above == [row(page, 3), row(page, 2)]


def test_a_long_name_has_a_short_form_beside_it(db: Session, host: Host) -> None:
    group = make_group(db, players=("Ann", "Bartholomew", "Christopher", "Christian"))
    session = make_session(db, group=group)
    make_deal(db, session)

    heads = sheet_of(Host(host.app, group), session).soup.select(".sheet thead th")

    assert [[words_of(name) for name in head.select("bdi")] for head in heads] == [
        ["Ann"],
        ["Bartholomew", "Barthol."],
        ["Christopher", "Christo."],
        ["Christian", "Christi."],
    ]
    assert [short["aria-hidden"] for head in heads for short in head.select(".short")] == ["true"] * 3


def test_every_deal_is_on_one_page_in_either_order(host: Host, db: Session) -> None:
    last = 2 * queries.DEALS_ON_SHEET + 1
    session = session_of(db, host, last)

    newest = sheet_of(host, session)
    middle = newest.follow("Older")
    oldest = middle.follow("Older")
    assert numbers(newest) + numbers(middle) + numbers(oldest) == list(range(last, 0, -1))
    assert "Older" not in oldest.text
    assert "Newer" not in newest.text
    assert numbers(middle.follow("Newer")) == numbers(newest)

    first = newest.form("/order").submit("Oldest first")
    second = first.follow("Newer")
    third = second.follow("Newer")
    assert numbers(first) + numbers(second) + numbers(third) == list(range(1, last + 1))
    assert "Deals 101 to 101 of 101" in third.text
    assert "Newer" not in third.text


def test_all_of_a_long_sheet_can_be_printed_at_once(host: Host, db: Session) -> None:
    last = queries.DEALS_ON_SHEET + 20
    session = session_of(db, host, last)

    page = sheet_of(host, session).follow("Print all")

    assert numbers(page) == list(range(last, 0, -1))
    assert f"Deals 1 to {last} of {last}" in page.text
    assert page.soup.select("button[data-print]")
    assert "Older" not in page.text
    assert "Print all" not in page.text


def test_the_order_is_remembered_for_this_session_alone(host: Host, db: Session) -> None:
    session, other = make_session(db, group=host.group), make_session(db, group=host.group)
    for one in (session, other):
        make_deal(db, one)
        make_deal(db, one)

    sheet_of(host, session).form("/order").submit("Oldest first")

    assert numbers(sheet_of(host, session)) == [1, 2]
    assert numbers(sheet_of(host, other)) == [2, 1]
    assert numbers(host.get(f"/sessions/{session.id}")) == [2, 1]
    assert numbers(sheet_of(host, session).form("/order").submit("Newest first")) == [2, 1]


@pytest.mark.parametrize("number", [1, 50, 51, 117, 120])
def test_one_can_jump_to_a_deal(host: Host, db: Session, number: int) -> None:
    session = session_of(db, host, 120)
    form = sheet_of(host, session).form("/deals").fill(deal=number)

    reply = host.client.get(form.action, query_string=form.data)

    address, _, anchor = reply.headers["Location"].partition("#")
    assert anchor == f"deal-{number}"
    assert row(host.get(address), number)


@pytest.mark.parametrize("number", ["0", "121", "-1", "x", "", "9" * 40])
def test_a_jump_to_no_deal_says_which_there_are(host: Host, db: Session, number: str) -> None:
    session = session_of(db, host, 120)

    page = sheet_of(host, session).form("/deals").fill(deal=number).submit()

    assert page.status == 404
    assert page.errors() == {"jump": "There are deals 1 to 120."}
    assert page.soup.select("#jump")[0]["aria-describedby"] == "jump-error"


@pytest.mark.parametrize("before", ["0", "1", "-5", "52", "x", "", "9" * 40])
def test_there_are_no_pages_beyond_the_deals(host: Host, db: Session, before: str) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)

    assert sheet_of(host, session, f"?before={before}").status == 404


def test_a_session_without_deals_has_an_empty_sheet(host: Host, db: Session) -> None:
    page = sheet_of(host, make_session(db, group=host.group))

    assert page.status == 200
    assert "No deal has been recorded yet." in page.text
    assert page.forms() == []


@pytest.mark.parametrize("path", ["", "/deals"])
def test_every_number_leads_to_the_lines_that_make_it(db: Session, host: Host, path: str) -> None:
    group = make_group(db, players=(*NAMES, "Eve"))
    guest, session = Host(host.app, group), make_session(db, group=group)
    make_deal(db, session)
    seat(db, session, *NAMES, "Eve")
    make_deal(db, session, {**HALF_MADE, "declarer": 2, "partner": 3})
    sheet = guest.get(f"/sessions/{session.id}{path}")

    for number in (1, 2):
        links = row(sheet, number).select("td a")
        assert len(links) == 4
        for link in links:
            change, total = (one.contents[-1].get_text() for one in link.select("b, small"))
            why = guest.get(urljoin(sheet.path, str(link["href"])))
            explained, after = (amount.get_text() for amount in why.soup.select("tfoot .num"))
            assert why.status == 200
            assert (explained, after) == (change, total)
            assert guest.get(why.link(f"After deal {number}")).soup.select("h1 .num")[0].get_text() == total

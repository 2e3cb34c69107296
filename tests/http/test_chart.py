"""The chart of a session: what it draws, what it says to those who cannot see it, and the numbers behind it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from bs4 import Tag
from flask import Flask
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.models import Player
from scorekeeper.services.seats import SeatPlayers, Sitter, seat_players
from scorekeeper.services.sessions import Adjust, adjust
from scorekeeper.web.chart import LABEL_HEIGHT, POINTS
from tests.factories import CLUB_TURNED, FIVE_IN_SPADES_MADE, NAMES, MadeSession, make_deal, make_group, make_session
from tests.http.conftest import Host
from tests.http.test_gates import session_of
from tests.http.visitor import Page
from tests.sittings import Sitting

SWEEP = {"turn_up": "clubs", "tricks": [0, 5, 0, 0]}
"""Dirty Clubs: Ben takes every trick and wins at once."""


def chart(host: Host, session: MadeSession, more: str = "") -> Page:
    return host.get(f"/sessions/{session.id}/chart{more}")


def lines(page: Page) -> list[list[tuple[float, float]]]:
    """The places of each line's pieces, in percent from the upper left."""
    return [
        [(float(x), float(y)) for x, y in (place.split(",") for place in str(line["points"]).split())]
        for line in page.soup.select("polyline")
    ]


def numbers(page: Page) -> list[list[str]]:
    """The table behind the chart."""
    return [[cell.get_text() for cell in row.select("th, td")] for row in page.soup.select("details table tr")]


def labels(page: Page) -> list[Tag]:
    return page.soup.select("text.label")


def test_a_session_without_deals_has_nothing_to_draw(host: Host, db: Session) -> None:
    page = chart(host, make_session(db, group=host.group))

    assert "No deal has been recorded yet." in page.text
    assert not lines(page)


def test_every_player_has_a_line_from_the_start_over_each_deal(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    make_deal(db, session, FIVE_IN_SPADES_MADE)

    page = chart(host, session)

    assert lines(page) == [
        [(0, 75), (50, 87.5), (100, 100)],
        [(0, 75), (50, 37.5), (100, 0)],
        [(0, 75), (50, 87.5), (100, 100)],
        [(0, 75), (50, 87.5), (100, 100)],
    ]
    assert numbers(page) == [
        ["Deal", "Ann", "Ben", "Cleo", "Dan"],
        ["1", "−1", "+3", "−1", "−1"],
        ["2", "−2", "+6", "−2", "−2"],
    ]


def test_the_chart_is_said_as_well(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session, FIVE_IN_SPADES_MADE)

    page = chart(host, session)

    (plot,) = page.soup.select("svg[role=img]")
    said = [page.soup.select(f"#{part}")[0].get_text() for part in str(plot["aria-labelledby"]).split()]
    assert said == ["The totals over the deals", "After deal 1: Ann −1, Ben +3, Cleo −1, Dan −1."]
    assert [text.get_text() for text in plot.select(".on-axis")][-2:] == ["1", "Deal"]


def test_lines_are_told_apart_by_more_than_colour(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)

    page = chart(host, session)

    marks = [str(use["href"]) for use in page.soup.select(".sample use")]
    assert len(set(marks)) == 4
    assert {str(use["href"]) for use in page.soup.select(".plot use")} == set(marks)
    assert [label.get_text() for label in labels(page)] == ["Ann +1", "Ben −1", "Cleo +1", "Dan −1"]


@pytest.mark.parametrize("tricks", [5, 4], ids=["made", "set"])
def test_names_beside_the_lines_do_not_stand_on_one_another(host: Host, db: Session, tricks: int) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session, {**FIVE_IN_SPADES_MADE, "tricks": tricks})

    heights = sorted(float(str(label["y"]).rstrip("%")) for label in labels(chart(host, session)))

    assert all(below - above >= LABEL_HEIGHT for above, below in pairwise(heights))
    assert heights[0] == 0
    assert heights[-1] == 100


def test_what_was_moved_by_hand_since_the_last_deal_is_drawn(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    adjust(db, Adjust(**session.command(db), chips=(0, -3, 3, 0), note="paid twice"))

    page = chart(host, session)

    assert [label.get_text() for label in labels(page)] == ["Ann −1", "Ben 0", "Cleo +2", "Dan −1"]
    assert numbers(page)[-1] == ["1", "−1", "0", "+2", "−1"]


def test_each_game_is_a_piece_of_its_own_from_its_start(host: Host, db: Session) -> None:
    sitting = Sitting(db, make_session(db, group=host.group, card_game="dirty-clubs"))
    sitting.record(SWEEP)
    sitting.next_game()
    sitting.record(CLUB_TURNED)

    page = chart(host, sitting.made)

    pieces = lines(page)
    assert len(pieces) == 8
    # Everybody starts both games from 25; Ben wins the first.
    assert {piece[0] for piece in pieces} == {(0, pieces[0][0][1]), (50, pieces[0][0][1])}
    assert pieces[2][-1] == (50.0, 100.0)
    assert "Target" in page.text
    assert [text.get_text() for text in page.soup.select(".on-axis") if "Game" in text.text] == ["Game 1", "Game 2"]


@pytest.mark.parametrize("deals", [POINTS - 1, POINTS, POINTS + 1, 1_000])
def test_a_long_session_is_drawn_from_some_of_its_deals_the_first_and_the_last_among_them(
    host: Host, db: Session, deals: int
) -> None:
    page = chart(host, session_of(db, host, deals))

    drawn = [row[0] for row in numbers(page)[1:]]
    assert len(drawn) == min(deals, POINTS)
    assert (drawn[0], drawn[-1]) == ("1", f"{deals:,}")
    assert (f"{POINTS} of {deals:,} deals." in page.text) == (deals > POINTS)


def test_many_games_are_drawn_a_stretch_at_a_time(host: Host, db: Session) -> None:
    rules = {"start": 1000}
    session = make_session(db, group=host.group, card_game="dirty-clubs", house_rules=rules)
    for _ in range(POINTS + 2):
        make_deal(db, session, CLUB_TURNED)

    latest = chart(host, session)
    older = latest.follow("Older")

    assert [row[0] for row in numbers(latest)[1:]] == [str(number) for number in range(3, POINTS + 3)]
    assert [row[0] for row in numbers(older)[1:]] == ["1", "2"]
    assert older.link("Newer") == f"/sessions/{session.id}/chart?deal={POINTS + 2}"


def test_a_deal_that_is_not_there_has_no_chart(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)

    assert chart(host, session, "?deal=2").status == 404


def test_the_line_of_who_came_later_begins_there(app: Flask, db: Session) -> None:
    group = make_group(db, players=(*NAMES, "Eve"))
    host, session = Host(app, group), make_session(db, group=group)
    players = db.scalars(select(Player.id).where(Player.group_id == group.group_id).order_by(Player.id)).all()
    make_deal(db, session)
    seat_players(db, SeatPlayers(**session.command(db), sitters=tuple(map(Sitter, players))))
    make_deal(db, session, FIVE_IN_SPADES_MADE)

    page = chart(host, session)

    assert [line[0][0] for line in lines(page)] == [0, 0, 0, 0, 50]
    assert numbers(page)[1:] == [["1", "+1", "−1", "+1", "−1", "–"], ["2", "+1", "+2", "0", "−2", "−1"]]
    assert len(lines(chart(host, session, "?deal=1"))) == 4

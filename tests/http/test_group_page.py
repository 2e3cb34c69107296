"""The page of a group: its sessions and standings."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import Engine, event
from sqlalchemy.orm import Session

from scorekeeper.queries import SESSIONS_SHOWN
from scorekeeper.services.deals import start_next_game
from scorekeeper.services.sessions import close_session
from tests.factories import CLUB_TURNED, FIVE_IN_SPADES_MADE, HALF_MADE, make_deal, make_session
from tests.http.conftest import Host
from tests.http.visitor import Page

SWEEP = {"turn_up": "clubs", "tricks": [0, 5, 0, 0]}
"""Dirty Clubs: Ben takes every trick and wins at once."""


@contextmanager
def statements() -> Iterator[list[str]]:
    said: list[str] = []

    def listen(connection: object, cursor: object, statement: str, *rest: object) -> None:
        if not statement.startswith("PRAGMA"):
            said.append(statement)

    event.listen(Engine, "before_cursor_execute", listen)
    try:
        yield said
    finally:
        event.remove(Engine, "before_cursor_execute", listen)


def table(page: Page, caption: str) -> list[list[str]]:
    found = next(one for one in page.soup.select("table") if one.caption and one.caption.get_text() == caption)
    return [[cell.get_text(strip=True) for cell in row.select("th, td")] for row in found.select("tbody tr")]


def lines(page: Page) -> list[str]:
    return [" ".join(item.get_text(" ").split()) for item in page.soup.select("a.entry")]


def test_a_new_group_says_that_nothing_has_been_played(host: Host) -> None:
    page = host.get(host.group_path)
    assert "Nothing has been played yet." in page.text
    assert page.link("Start a session") == f"{host.group_path}/sessions/new"


def test_sessions_stand_latest_first_with_who_is_ahead(host: Host, db: Session) -> None:
    make_deal(db, make_session(db, group=host.group, name="First"), FIVE_IN_SPADES_MADE)
    make_deal(db, make_session(db, group=host.group, name="Second"), HALF_MADE)
    make_session(db, group=host.group, name="Third")
    assert lines(host.get(host.group_path)) == [
        "Third playing No deal yet 26 Nov 2026 · Mensch",
        "Second playing Ahead: Ann and Cleo with +1 26 Nov 2026 · Mensch",
        "First playing Ahead: Ben with +3 26 Nov 2026 · Mensch",
    ]


def test_a_session_that_has_ended_names_its_winner(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, name="First")
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    close_session(db, session.plain_command(db))
    assert lines(host.get(host.group_path)) == ["First not all settled Won by Ben with +3 26 Nov 2026 · Mensch"]


def test_in_dirty_clubs_the_lowest_is_ahead_and_the_winner_is_named(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs", name="Race")
    make_deal(db, session, CLUB_TURNED)
    assert lines(host.get(host.group_path)) == ["Race playing Ahead: Ann with 23 26 Nov 2026 · Dirty Clubs"]
    make_deal(db, session, SWEEP)
    assert lines(host.get(host.group_path)) == ["Race playing Won by Ben with 0 26 Nov 2026 · Dirty Clubs"]


def test_a_game_in_which_nothing_is_played_leaves_nobody_ahead(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs", name="Race")
    make_deal(db, session, SWEEP)
    start_next_game(db, session.plain_command(db))
    close_session(db, session.plain_command(db))

    assert lines(host.get(host.group_path)) == ["Race Games won: Ben 1 26 Nov 2026 · Dirty Clubs"]
    page = host.get(f"/sessions/{session.id}/settlement")
    assert "Game 2 No deal has been played in it yet. Games won" in page.text
    text = page.soup.select("textarea")[0].get_text().strip().splitlines()
    assert text[1:] == ["Games won", "1. Ben: 1", "2. Ann: 0", "2. Cleo: 0", "2. Dan: 0"]


def test_standings_add_up_all_sessions_with_shared_places(host: Host, db: Session) -> None:
    for facts in (HALF_MADE, FIVE_IN_SPADES_MADE):
        make_deal(db, make_session(db, group=host.group), facts)
    assert table(host.get(host.group_path), "Chips, over all sessions") == [
        ["1", "Ben", "+2"],
        ["2", "Ann", "0"],
        ["2", "Cleo", "0"],
        ["4", "Dan", "−2"],
    ]


def test_games_won_are_counted_apart_from_chips(host: Host, db: Session) -> None:
    make_deal(db, make_session(db, group=host.group, card_game="dirty-clubs"), SWEEP)
    page = host.get(host.group_path)
    assert "Chips, over all sessions" not in page.text
    assert table(page, "Dirty Clubs, over all sessions") == [
        ["1", "Ben", "1 of 1"],
        ["2", "Ann", "0 of 1"],
        ["2", "Cleo", "0 of 1"],
        ["2", "Dan", "0 of 1"],
    ]


def test_stakes_of_dirty_clubs_count_among_the_chips(host: Host, db: Session) -> None:
    make_deal(db, make_session(db, group=host.group), HALF_MADE)
    stake = {"stake_loser": 2}
    make_deal(db, make_session(db, group=host.group, card_game="dirty-clubs", house_rules=stake), SWEEP)
    assert table(host.get(host.group_path), "Chips, over all sessions") == [
        ["1", "Ben", "+5"],
        ["2", "Ann", "−1"],
        ["2", "Cleo", "−1"],
        ["4", "Dan", "−3"],
    ]


def test_older_sessions_are_a_page_away(host: Host, db: Session) -> None:
    for number in range(SESSIONS_SHOWN + 2):
        make_session(db, group=host.group, name=f"Evening {number}")
    page = host.get(host.group_path)
    assert len(lines(page)) == SESSIONS_SHOWN
    assert [line[:9] for line in lines(page.follow("Older"))] == ["Evening 1", "Evening 0"]


@pytest.mark.parametrize("before", ["x", "-1", "0", "9" * 30, "9" * 5000, ""])
def test_an_address_that_makes_no_sense_shows_the_latest(host: Host, db: Session, before: str) -> None:
    make_session(db, group=host.group, name="First")
    page = host.get(f"{host.group_path}?before={before}")
    assert (page.status, len(lines(page))) == (200, 1)


def test_the_page_asks_the_same_few_statements_however_much_was_played(host: Host, db: Session) -> None:
    make_deal(db, make_session(db, group=host.group))
    with statements() as few:
        host.get(host.group_path)
    for _ in range(SESSIONS_SHOWN + 2):
        make_deal(db, make_session(db, group=host.group))
    with statements() as many:
        page = host.get(host.group_path)
    assert len(few) == len(many) <= 8
    assert len(page.response.data) <= 20 * 1024

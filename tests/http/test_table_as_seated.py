"""The table as seated: from whose side it is seen, which way it is turned, and what the latest deal moved across it."""

import pytest
from sqlalchemy.orm import Session

from scorekeeper.rules import MISDEAL, Facts
from scorekeeper.services.sessions import close_session
from scorekeeper.web.picture import MAX_SIDES
from tests.factories import CLUB_TURNED, FIVE_IN_SPADES_MADE, HALF_MADE, make_deal, make_group, make_session
from tests.http.conftest import Host
from tests.http.deals import seated
from tests.http.evidence import dump
from tests.http.visitor import Page

SWEEP: Facts = {"turn_up": "spades", "maker": 1, "trump": "hearts", "tricks": [0, 5, 0, 0]}


def sit(page: Page, name: str) -> Page:
    """Say who holds the phone."""
    return page.form("/misdeal").submit(name)


def chips_moved(page: Page) -> list[str]:
    """The numbers on the arrows across the table."""
    return [text.get_text() for text in page.soup.select(".table-top text")]


def changes(page: Page) -> dict[str, str]:
    """What the latest deal brought, as it stands at the seats."""
    return {
        seat.select("bdi")[0].get_text(): seat.select(".change .num")[0].get_text()
        for seat in page.soup.select(".seat:has(.change)")
    }


def turn(page: Page) -> str:
    return str(page.soup.select("[data-turn]")[0]["data-turn"])


def test_whoever_holds_the_phone_sits_below_from_then_on(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    path = f"/sessions/{session.id}"
    assert list(seated(host.get(path))) == ["Ann", "Ben", "Cleo", "Dan"]
    before = dump(db)

    page = sit(host.get(path), "Cleo")

    assert page.path == path
    assert list(seated(page)) == list(seated(host.get(path))) == ["Cleo", "Dan", "Ann", "Ben"]
    assert [button.get_text() for button in page.soup.select("[name=side][aria-pressed=true]")] == ["Cleo"]
    assert list(seated(host.get(f"{path}/board"))) == list(seated(host.get(f"{path}/table"))) == list(seated(page))
    assert dump(db) == before


def test_it_is_asked_once_and_can_be_changed_later(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = host.get(f"/sessions/{session.id}")
    assert page.soup.select("main .side")
    assert not page.soup.select(".menu .side")

    page = sit(page, "Ben")
    assert not page.soup.select("main .side")
    page.visitor.post(f"/sessions/{session.id}/side", data=page.form("/misdeal").data | {"side": 3})

    assert next(iter(seated(host.get(page.path)))) == "Dan"


def test_one_sits_elsewhere_in_another_session_and_on_another_phone(host: Host, db: Session) -> None:
    first, second = make_session(db, group=host.group), make_session(db, group=host.group)

    sit(host.get(f"/sessions/{first.id}"), "Cleo")
    sit(host.get(f"/sessions/{second.id}"), "Dan")

    assert next(iter(seated(host.get(f"/sessions/{first.id}")))) == "Cleo"
    assert next(iter(seated(host.get(f"/sessions/{second.id}")))) == "Dan"
    assert next(iter(seated(Host(host.app, host.group).get(f"/sessions/{first.id}")))) == "Ann"


def test_a_page_seen_from_one_side_is_not_taken_for_the_one_from_another(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    for side, page in enumerate(("", "/board", "/table"), 1):
        path = f"/sessions/{session.id}{page}"
        host.get(f"/sessions/{session.id}")
        tag = host.get(path).response.headers["ETag"]
        assert host.get(path, headers={"If-None-Match": tag}).status == 304

        data = host.get(f"/sessions/{session.id}").form("/misdeal").data
        host.post(f"/sessions/{session.id}/side", data={**data, "side": str(side)})

        assert host.get(path, headers={"If-None-Match": tag}).status == 200


@pytest.mark.parametrize("side", ["4", "-1", "x", "", "9" * 40, None])
def test_nobody_sits_where_no_seat_is(host: Host, db: Session, side: str | None) -> None:
    session = make_session(db, group=host.group)
    data = dict(host.get(f"/sessions/{session.id}").form("/misdeal").data)

    page = host.post(f"/sessions/{session.id}/side", data=data if side is None else {**data, "side": side})

    assert page.status == 400
    assert next(iter(seated(host.get(f"/sessions/{session.id}")))) == "Ann"


def test_a_browser_remembers_the_latest_sessions_only(host: Host, db: Session) -> None:
    sessions = [make_session(db, group=host.group) for _ in range(MAX_SIDES + 1)]
    for session in sessions:
        sit(host.get(f"/sessions/{session.id}"), "Ben")

    below = [next(iter(seated(host.get(f"/sessions/{session.id}")))) for session in sessions]

    assert below == ["Ann", *["Ben"] * MAX_SIDES]


def test_the_payments_of_the_latest_deal_lie_on_the_table(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    assert chips_moved(host.get(f"/sessions/{session.id}")) == []

    make_deal(db, session, HALF_MADE)
    page = host.get(f"/sessions/{session.id}")
    assert chips_moved(page) == ["1", "1"]
    assert "Made. Ben and Dan pay 1 each." in page.text
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    assert chips_moved(host.get(f"/sessions/{session.id}")) == ["1", "1", "1"]

    assert changes(host.get(f"/sessions/{session.id}")) == {}


@pytest.mark.parametrize("facts", [MISDEAL, {"contract": "passed-out"}])
def test_nothing_lies_on_the_table_after_a_deal_that_brought_nothing(host: Host, db: Session, facts: Facts) -> None:
    session = make_session(db, group=host.group, ruleset="mensch-russian")
    make_deal(db, session)
    make_deal(db, session, facts)

    assert chips_moved(host.get(f"/sessions/{session.id}")) == []


def test_a_deal_that_is_undone_is_taken_off_the_table(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    make_deal(db, session)

    page = host.get(f"/sessions/{session.id}").form("/misdeal").submit("Undo deal 2")

    assert chips_moved(page) == []
    assert "Restore deal 2" in page.text


def test_points_stand_at_the_seats_and_stakes_lie_on_the_table(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs", house_rules={"stake_loser": 5})

    make_deal(db, session, CLUB_TURNED)
    page = host.get(f"/sessions/{session.id}")
    assert changes(page) == {"Ann": "−2", "Ben": "−1", "Cleo": "−1", "Dan": "−1"}
    assert chips_moved(page) == []
    make_deal(db, session, SWEEP)
    page = host.get(f"/sessions/{session.id}")

    assert changes(page) == {"Ann": "+5", "Ben": "−24", "Cleo": "+5", "Dan": "+5"}
    assert chips_moved(page) == ["5", "5", "5"]
    page = page.form("/misdeal").submit("Start game 2")
    assert changes(page) == {}
    assert chips_moved(page) == []


def test_the_picture_turns_to_the_next_side_and_back(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = host.get(f"/sessions/{session.id}")

    turns = [turn(page := page.follow("Turn")) for _ in range(4)]

    assert turns == ["1", "2", "3", "0"]
    assert list(seated(page)) == ["Ann", "Ben", "Cleo", "Dan"]


@pytest.mark.parametrize("asked", ["4", "-1", "x", "", "1.5", "9" * 40])
def test_there_are_four_sides(host: Host, db: Session, asked: str) -> None:
    session = make_session(db, group=host.group)

    for page in ("", "/board", "/table"):
        assert turn(host.get(f"/sessions/{session.id}{page}?turn={asked}")) == "0"


def test_a_total_leads_to_why(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)

    for path in ("", "/table"):
        links = host.get(f"/sessions/{session.id}{path}").soup.select(".seat a.total")
        assert [link["href"] for link in links] == [f"/sessions/{session.id}/seats/{seat}/why" for seat in range(4)]


def test_the_table_view_shows_what_is_read_across_a_room(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)

    page = host.get(f"/sessions/{session.id}").follow("Table view")

    assert page.path == f"/sessions/{session.id}/table"
    assert seated(page) == {"Ann": "+1", "Ben": "−1", "Cleo": "+1", "Dan": "−1"}
    assert "Deal 2 · Ann deals" in page.text
    assert chips_moved(page) == ["1", "1"]
    assert page.soup.select("form, button") == []
    assert len(page.response.data) <= 5 * 1024


def test_the_table_view_says_how_a_session_and_a_game_ended(host: Host, db: Session) -> None:
    over = make_session(db, group=host.group, card_game="dirty-clubs")
    make_deal(db, over, SWEEP)
    closed = make_session(db, group=host.group)
    close_session(db, closed.plain_command(db))

    assert "Game 1 · Game over" in host.get(f"/sessions/{over.id}/table").text
    page = host.get(f"/sessions/{closed.id}/table")
    assert "Ended" in page.text
    assert "deals" not in page.text


def test_a_table_view_that_has_not_changed_takes_no_bytes_even_in_a_new_browser(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    path = f"/sessions/{session.id}/table"
    tag = Host(host.app, host.group).get(path).response.headers["ETag"]

    unchanged = host.get(path, headers={"If-None-Match": tag})
    assert (unchanged.status, unchanged.response.data) == (304, b"")
    make_deal(db, session)

    assert host.get(path, headers={"If-None-Match": tag}).status == 200


def test_six_sit_round_the_table_and_pay_across_it(host: Host, db: Session) -> None:
    group = make_group(db, players=("Ann", "Ben", "Cleo", "Dan", "Eve", "Fay"))
    guest = Host(host.app, group)
    rules = {"players": 6, "cards": 36, "stake_loser": 2}
    session = make_session(db, group=group, card_game="dirty-clubs", house_rules=rules)
    make_deal(db, session, {"turn_up": "clubs", "tricks": [0, 5, 0, 0, 0, 0]})

    page = sit(guest.get(f"/sessions/{session.id}"), "Fay")

    assert list(seated(page)) == ["Fay", "Ann", "Ben", "Cleo", "Dan", "Eve"]
    assert chips_moved(page) == ["2"] * 5

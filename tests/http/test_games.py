"""The end of a game of Dirty Clubs, and the next game of the same session."""

from typing import Any

from sqlalchemy.orm import Session

from scorekeeper.rules import Facts
from scorekeeper.services.check import differences
from tests.factories import CLUB_TURNED, MadeSession, make_deal, make_session
from tests.http.conftest import Host
from tests.http.deals import deal_form, deals_of, fill_in, seated, tricks
from tests.http.visitor import Page

SWEEP: Facts = {"turn_up": "spades", "maker": 1, "trump": "hearts", "tricks": [0, 5, 0, 0]}
"""Ben takes every trick and wins at once."""
NEARLY: Facts = {"turn_up": "spades", "maker": 1, "trump": "hearts", "tricks": [1, 4, 0, 0]}


def dirty_clubs(host: Host, db: Session, *deals: Facts, **more: Any) -> MadeSession:
    session = make_session(db, group=host.group, card_game="dirty-clubs", **more)
    for facts in deals:
        make_deal(db, session, facts)
    return session


def press(page: Page, button: str) -> Page:
    return page.forms()[0].submit(button)


def second_game(host: Host, db: Session) -> MadeSession:
    """A session whose second game has two deals."""
    session = dirty_clubs(host, db, SWEEP)
    press(host.get(f"/sessions/{session.id}"), "Start game 2")
    for _ in range(2):
        make_deal(db, session, CLUB_TURNED)
    return session


def correct(host: Host, session: MadeSession, number: int, facts: Facts) -> Page:
    page = host.get(f"/sessions/{session.id}/deals/{number}/correct")
    taken = facts["tricks"]
    assert isinstance(taken, list)
    page = deal_form(page).fill(**tricks(*taken)).submit("Show the payments")
    return deal_form(page).submit("Save the correction")


def test_the_page_names_the_winner_and_the_rule_and_offers_the_next_game(host: Host, db: Session) -> None:
    session = dirty_clubs(host, db, CLUB_TURNED, SWEEP)

    page = host.get(f"/sessions/{session.id}")

    assert "Game 1 · Game over" in page.text
    assert "Ben took every trick and wins the game at once." in page.text
    assert "Ben wins game 1" in page.soup.select(".sheet tbody")[0].get_text()
    assert "Record deal" not in page.text
    assert page.forms()[0].submit("Start game 2").status == 200


def test_the_lowest_score_wins_and_the_page_says_so(host: Host, db: Session) -> None:
    session = dirty_clubs(host, db, CLUB_TURNED, opening=(2, 1, 9, 9))

    page = host.get(f"/sessions/{session.id}")

    assert "Ann and Ben are level at 0: the game is a draw." in page.text
    assert "Game 1 drawn" in page.text


def test_the_preview_says_that_the_deal_would_end_the_game(host: Host, db: Session) -> None:
    session = dirty_clubs(host, db, opening=(1, 9, 9, 9))

    path = f"/sessions/{session.id}/deals/new"
    page = fill_in(host, path, turn_up="clubs", **tricks(2, 1, 1))

    assert "Ann has come down to −1, the lowest at or below 0, and wins the game." in page.text


def test_a_new_game_starts_from_the_beginning_with_the_next_dealer(host: Host, db: Session) -> None:
    session = dirty_clubs(host, db, SWEEP)

    page = press(host.get(f"/sessions/{session.id}"), "Start game 2")

    assert page.path == f"/sessions/{session.id}"
    assert "Game 2 · Deal 2 · Ann deals" in page.text
    assert seated(page) == {"Ann": "25", "Ben": "25", "Cleo": "25", "Dan": "25"}
    assert list(differences(db)) == []


def test_pressing_twice_starts_one_game(host: Host, db: Session) -> None:
    session = dirty_clubs(host, db, SWEEP)
    page = host.get(f"/sessions/{session.id}")

    first, second = press(page, "Start game 2"), press(page, "Start game 2")

    assert (first.status, second.status) == (200, 200)
    assert "Game 2" in second.text


def test_no_game_starts_before_the_last_one_has_ended(host: Host, db: Session) -> None:
    session = dirty_clubs(host, db, CLUB_TURNED)
    data = host.get(f"/sessions/{session.id}").forms()[0].data

    page = host.post(f"/sessions/{session.id}/new-game", data=data)

    assert page.status == 422
    assert "A new game can begin only once the one before it has ended." in page.text


def test_no_deal_is_recorded_after_the_end_of_a_game(host: Host, db: Session) -> None:
    session = dirty_clubs(host, db, CLUB_TURNED)
    form = deal_form(fill_in(host, f"/sessions/{session.id}/deals/new", turn_up="clubs", **tricks(5, 0)))
    make_deal(db, session, SWEEP)

    assert host.get(f"/sessions/{session.id}/deals/new").path == f"/sessions/{session.id}"
    page = form.fill(expected_version=session.command(db)["expected_version"]).submit("Record")
    assert page.status == 422
    assert "This game has ended; start a new one." in page.text
    assert len(deals_of(db, session.id)) == 2


def test_the_start_of_a_game_is_undone_before_the_deal_that_ended_the_last(host: Host, db: Session) -> None:
    session = dirty_clubs(host, db, CLUB_TURNED, SWEEP)
    begun = press(host.get(f"/sessions/{session.id}"), "Start game 2")

    page = press(begun, "Undo game 2")

    assert "Game over" in page.text
    assert [deal.status for deal in deals_of(db, session.id)] == ["scored", "scored"]
    assert list(differences(db)) == []
    assert "Game 2" in press(page, "Start game 2").text


def test_a_correction_says_whether_a_game_now_ends_elsewhere(host: Host, db: Session) -> None:
    session = dirty_clubs(host, db, SWEEP)
    press(host.get(f"/sessions/{session.id}"), "Start game 2")
    make_deal(db, session, CLUB_TURNED)

    ended_elsewhere = correct(host, session, 1, CLUB_TURNED)
    as_before = correct(host, session, 1, SWEEP)

    assert "Deal 1 is corrected. A game now ends elsewhere: decide what follows." in ended_elsewhere.text
    assert "Deal 1 is corrected, and everything after it follows." in as_before.text


def test_a_game_that_has_a_deal_is_not_taken_back(host: Host, db: Session) -> None:
    session = dirty_clubs(host, db, CLUB_TURNED, SWEEP)
    press(host.get(f"/sessions/{session.id}"), "Start game 2")
    data = host.get(f"/sessions/{session.id}").form("/misdeal").data
    make_deal(db, session, CLUB_TURNED)
    data["expected_version"] = str(session.command(db)["expected_version"])

    assert host.post(f"/sessions/{session.id}/new-game/take-back", data=data).status == 409
    assert list(differences(db)) == []


def test_undo_works_across_the_end_of_a_game(host: Host, db: Session) -> None:
    session = dirty_clubs(host, db, CLUB_TURNED, SWEEP)

    page = press(host.get(f"/sessions/{session.id}"), "Undo deal 2")

    assert "Record deal 3" in page.text
    assert seated(page) == {"Ann": "23", "Ben": "24", "Cleo": "24", "Dan": "24"}
    assert list(differences(db)) == []


def test_deals_after_an_earlier_end_are_kept_and_can_begin_a_game_of_their_own(host: Host, db: Session) -> None:
    session = dirty_clubs(host, db, NEARLY, CLUB_TURNED, CLUB_TURNED)

    correct(host, session, 1, SWEEP)

    assert [deal.status for deal in deals_of(db, session.id)] == ["scored", "unscored", "unscored"]
    page = host.get(f"/sessions/{session.id}")
    assert "not counted" in page.soup.select(".sheet tbody.void")[0].get_text()
    page = host.get(f"/sessions/{session.id}/deals/2")
    assert "This deal does not count. This game has ended; start a new one." in page.text

    page = press(page, "Begin a new game with this deal")

    assert page.path == f"/sessions/{session.id}/deals/2"
    assert [deal.totals for deal in deals_of(db, session.id)][1:] == [[23, 24, 24, 24], [21, 23, 23, 23]]
    assert list(differences(db)) == []


def test_a_person_decides_when_a_correction_takes_the_start_of_a_game_away(host: Host, db: Session) -> None:
    session = second_game(host, db)

    correct(host, session, 1, NEARLY)

    page = host.get(f"/sessions/{session.id}")
    assert "Decide what becomes of the deals after it." in page.text
    assert "Record deal" not in page.text
    assert host.get(f"/sessions/{session.id}/deals/new").path == f"/sessions/{session.id}"
    later = host.get(f"/sessions/{session.id}/deals/3").follow("Decide about deal 2")
    page = page.follow("Look at deal 2")
    assert page.path == later.path == f"/sessions/{session.id}/deals/2"

    page = press(page, "Count it in the game before")

    assert [deal.totals for deal in deals_of(db, session.id)] == [[24, 21, 30, 30], [22, 20, 29, 29], [20, 19, 28, 28]]
    assert "Record deal 4" in page.follow("Thursday").text
    assert list(differences(db)) == []


def test_a_form_that_was_open_meanwhile_says_what_to_decide_first(host: Host, db: Session) -> None:
    session = second_game(host, db)
    form = deal_form(fill_in(host, f"/sessions/{session.id}/deals/new", turn_up="clubs", **tricks(2, 1, 1)))
    correct(host, session, 1, NEARLY)

    page = form.fill(expected_version=session.command(db)["expected_version"]).submit("Record")

    assert page.status == 422
    assert "Decide first what becomes of the deals that no longer count." in page.text
    assert len(deals_of(db, session.id)) == 3


def test_a_decision_is_yes_or_no(host: Host, db: Session) -> None:
    session = second_game(host, db)
    correct(host, session, 1, NEARLY)
    data = host.get(f"/sessions/{session.id}/deals/2").forms()[0].data

    for answer in ("2", "", "yes"):
        data["starts_game"] = answer
        assert host.post(f"/sessions/{session.id}/deals/2/game", data=data).status == 400
    data["starts_game"] = "1"
    assert host.post(f"/sessions/{session.id}/deals/2/game", data=data).status == 422


def test_strangers_decide_and_start_nothing(host: Host, stranger: Host, db: Session) -> None:
    session = dirty_clubs(host, db, SWEEP)
    theirs = make_session(db, group=stranger.group)
    data = host.get(f"/sessions/{session.id}").forms()[0].data
    data["csrf_token"] = stranger.get(f"/sessions/{theirs.id}").forms()[0].data["csrf_token"]
    data["starts_game"] = "1"

    for address in ("new-game", "misdeal", "deals/1/game"):
        assert stranger.post(f"/sessions/{session.id}/{address}", data=data).status == 404
    assert session.command(db)["expected_version"] == 2

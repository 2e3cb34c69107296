"""Counting the chips on the table, and what would explain that they are not what the score says."""

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from scorekeeper.models import Deal
from scorekeeper.services.check import differences
from tests.factories import FIVE_IN_SPADES_MADE, HALF_MADE, MadeSession, make_deal, make_session
from tests.http.conftest import Host
from tests.http.evidence import chips_of, dump
from tests.http.visitor import Form, Page

BOUGHT = 40


@pytest.fixture
def session(host: Host, db: Session) -> MadeSession:
    """Everybody bought 40; then a Half by Ann and Cleo, at 1 each, and a Five in spades by Ben, at 1 from each."""
    made = make_session(db, group=host.group, buy_in=BOUGHT)
    make_deal(db, made, HALF_MADE)
    make_deal(db, made, FIVE_IN_SPADES_MADE)
    return made


def count(host: Host, session: MadeSession, *chips: object) -> Form:
    form = host.get(f"/sessions/{session.id}/count").form("/count")
    return form.fill(**{f"chips-{seat}": str(number) for seat, number in enumerate(chips)})


def due(host: Host, session: MadeSession) -> list[int]:
    page = host.get(f"/sessions/{session.id}/chips")
    return [int(chips_of(page, name)[3]) for name in ("Ann", "Ben", "Cleo", "Dan")]


def table(page: Page) -> list[list[str]]:
    return [[cell.get_text(" ", strip=True) for cell in row.select("th, td")] for row in page.soup.select("#result tr")]


def off(host: Host, session: MadeSession, *changes: int) -> Page:
    """What is shown when the chips of each seat are so many too many."""
    chips = [held + change for held, change in zip(due(host, session), changes, strict=True)]
    return count(host, session, *chips).submit()


def explanations(page: Page) -> list[str]:
    return [item.get_text(" ", strip=True) for item in page.soup.select("ol > li")]


def test_a_count_that_agrees_says_so(host: Host, db: Session, session: MadeSession) -> None:
    page = off(host, session, 0, 0, 0, 0)

    assert "The chips on the table are as many as they should be. Everybody has what the score says." in page.text
    assert explanations(page) == []
    assert "Accept the count" not in page.text
    assert list(differences(db)) == []


def test_every_number_is_shown_beside_what_it_should_be(host: Host, session: MadeSession) -> None:
    expected = due(host, session)
    page = off(host, session, 1, -1, 0, 0)

    assert table(page)[1:3] == [
        ["Ann", str(expected[0] + 1), str(expected[0]), "+1"],
        ["Ben", str(expected[1] - 1), str(expected[1]), "−1"],
    ]
    assert table(page)[-1] == ["All", "160", "160", "0"]
    assert "Ann has 1 chip too many. Ben has 1 chip too few." in page.text


def test_chips_that_are_missing_altogether_are_said_and_not_guessed_at(host: Host, session: MadeSession) -> None:
    page = off(host, session, -3, 0, 0, 0)

    assert "3 chips are missing on the table." in page.text
    assert explanations(page) == []
    assert "Accept the count" not in page.text


@pytest.mark.parametrize(
    ("changes", "first"),
    [
        ((-1, 1, -1, 1), "Deal 1 · Half, Clubs: Ann with Cleo: not paid."),
        ((-2, 2, -2, 2), "Deal 1 · Half, Clubs: Ann with Cleo: paid the wrong way round."),
        ((1, -3, 1, 1), "Deal 2 · Five, Spades: Ben: not paid."),
        ((-1, 3, -1, -1), "Deal 2 · Five, Spades: Ben: paid twice."),
        ((0, 1, 0, -1), "Deal 2 · Five, Spades: Ben: Dan paid Ben twice."),
        ((2, -2, 0, 0), "Deal 2 · Five, Spades: Ben: Ben paid Ann instead of the other way round."),
    ],
)
def test_the_deal_that_would_explain_it_is_named(
    host: Host, session: MadeSession, changes: tuple[int, ...], first: str
) -> None:
    assert explanations(off(host, session, *changes))[0] == first


def test_two_deals_explain_what_none_does_alone(host: Host, session: MadeSession) -> None:
    # The first was not paid, and the second the wrong way round.
    (first, *_rest) = explanations(off(host, session, 1, -5, 1, 3))

    assert first.count("Deal") == 2


def test_what_nothing_explains_is_said(host: Host, session: MadeSession) -> None:
    page = off(host, session, 17, -17, 0, 0)

    assert explanations(page) == []
    assert "No one deal paid wrongly, and no two, would explain it." in page.text


def test_a_count_changes_nothing_until_it_is_accepted(host: Host, db: Session, session: MadeSession) -> None:
    before = due(host, session)
    page = off(host, session, 1, -1, 0, 0)
    assert due(host, session) == before

    accepted = page.form("/chips/adjust").submit()

    assert "The chips were moved." in accepted.text
    assert "Count of" in accepted.text
    assert due(host, session) == [before[0] + 1, before[1] - 1, *before[2:]]
    assert list(differences(db)) == []
    assert "The chips were counted." in accepted.text
    again = host.get(f"/sessions/{session.id}/count")
    assert "Accept the count" not in again.text


def test_a_count_is_not_accepted_once_something_else_has_happened(
    host: Host, db: Session, session: MadeSession
) -> None:
    off(host, session, 1, -1, 0, 0)
    make_deal(db, session)

    assert "Accept the count" not in host.get(f"/sessions/{session.id}/count").text


@pytest.mark.parametrize("typed", ["", "-1", "1.5", "forty", "1000001", "9" * 5000])
def test_what_is_no_number_of_chips_is_said_beside_its_field(
    host: Host, db: Session, session: MadeSession, typed: str
) -> None:
    form = count(host, session, 40, typed, 40, 40)
    stored = dump(db)

    page = form.submit()

    assert page.status == 422
    assert list(page.errors()) == ["chips-1"]
    assert page.form("/count").data["chips-0"] == "40"
    assert dump(db) == stored


def test_a_form_sent_twice_counts_once(host: Host, db: Session, session: MadeSession) -> None:
    form = count(host, session, 40, 40, 40, 40)
    form.submit()
    stored = dump(db)

    assert form.submit().status == 200
    assert dump(db) == stored


def test_a_stale_form_comes_back_filled_in(host: Host, db: Session, session: MadeSession) -> None:
    form = count(host, session, 41, 40, 40, 40)
    make_deal(db, session)

    page = form.submit()

    assert page.status == 409
    assert page.form("/count").data["chips-0"] == "41"
    assert page.form("/count").submit().status == 200


def test_a_deal_that_todays_rules_refuse_is_left_out_of_the_search(
    host: Host, db: Session, session: MadeSession
) -> None:
    # What was stored long ago is shown as it stands, whatever the rules make of it today.
    db.execute(update(Deal).where(Deal.number == 1).values(facts={"contract": "forgotten"}))
    db.commit()

    page = off(host, session, -1, 3, -1, -1)

    assert page.status == 200
    assert explanations(page)[0] == "Deal 2 · Five, Spades: Ben: paid twice."

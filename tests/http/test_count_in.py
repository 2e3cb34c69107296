"""Counting the chips on the table, and what would explain that they are not what the score says."""

from collections.abc import Sequence

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from scorekeeper import queries
from scorekeeper.ledger.chipset import Colour
from scorekeeper.models import Deal
from scorekeeper.rules import MISDEAL, Seat
from scorekeeper.services.check import differences
from scorekeeper.services.chipset import set_chips
from scorekeeper.services.counts import Count, CountIn, count_in
from scorekeeper.services.deals import CorrectDeal, RestoreDeal, VoidDeal, correct_deal, restore_deal, void_deal
from scorekeeper.services.seats import SeatPlayers, Sitter, seat_players
from scorekeeper.services.sessions import Adjust, MoveChips, adjust, buy_in
from scorekeeper.web import slips
from tests.factories import FIVE_IN_SPADES_MADE, HALF_MADE, MadeSession, make_deal, make_group, make_session
from tests.http.conftest import Host
from tests.http.evidence import chips_of, dump
from tests.http.visitor import Form, Page

BOUGHT = 40
HALF = "Deal 1 · Half, Clubs: Ann with Cleo"
FIVE = "Deal 2 · Five, Spades: Ben"
TWICE = "paid twice, paid as if it had been in clubs or paid as if it had been made with 8 tricks"


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
        ((-1, 1, -1, 1), f"{HALF} The whole deal: not paid."),
        ((-3, 3, -3, 3), f"{HALF} The whole deal: paid as if it had been set."),
        ((1, -3, 1, 1), f"{FIVE} The whole deal: not paid."),
        ((2, -6, 2, 2), f"{FIVE} The whole deal: paid the wrong way round or paid as if it had been set."),
        ((-1, 3, -1, -1), f"{FIVE} The whole deal: {TWICE}."),
        ((-3, 9, -3, -3), f"{FIVE} The whole deal: paid as if it had been in clubs and made with 8 tricks."),
        ((0, 1, 0, -1), f"{FIVE} Dan to Ben: {TWICE}."),
        ((1, -2, 1, 0), f"{FIVE} Cleo to Ben: not paid. Ann to Ben: not paid."),
        ((1, 0, -1, 0), f"{FIVE} Cleo to Ben: {TWICE}. Ann to Ben: not paid."),
        ((3, -3, 0, 0), f"{FIVE} Ann to Ben: paid as if it had been in clubs and set."),
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


def test_the_settlement_says_that_a_count_was_off_until_something_is_put_right(
    host: Host, db: Session, session: MadeSession
) -> None:
    settlement = f"/sessions/{session.id}/settlement"
    off(host, session, 0, 0, 0, 0)
    assert "counted last" not in host.get(settlement).text

    counted = off(host, session, 0, 2, 0, -2)
    make_deal(db, session, HALF_MADE)

    assert "The chips counted last were off by: Ben +2, Dan −2." in host.get(settlement).text
    correct_deal(db, CorrectDeal(**session.command(db), number=1, facts={**HALF_MADE, "tricks": 4}))
    assert "counted last" not in host.get(settlement).text
    assert counted.status == 200


def test_what_nothing_explains_is_said(host: Host, session: MadeSession) -> None:
    page = off(host, session, 17, -17, 0, 0)

    assert explanations(page) == []
    assert "neither one deal nor two, not paid, or paid the wrong way round, twice or at another rate." in page.text
    assert "2 deals were searched." in page.text


def test_it_is_said_how_far_back_was_looked(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, buy_in=100)
    make_deal(db, session, {"contract": "solo", "declarer": 1, "trump": "hearts", "tricks": 8})
    for _ in range(slips.DEALS_SEARCHED):
        make_deal(db, session, HALF_MADE)

    page = off(host, session, 0, 4, 0, -4)

    assert "The latest 60 deals were searched, and none before them." in page.text
    assert not any("Solo" in explanation for explanation in explanations(page))


def test_deals_that_moved_no_chips_do_not_keep_others_from_being_searched(
    host: Host, db: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slips, "DEALS_SEARCHED", 3)
    session = make_session(db, group=host.group, buy_in=100, house_rules={"half.clubs_made": 0})
    make_deal(db, session, {"contract": "solo", "declarer": 1, "trump": "hearts", "tricks": 8})
    for _ in range(2):
        make_deal(db, session, FIVE_IN_SPADES_MADE)
        make_deal(db, session, MISDEAL)
        make_deal(db, session, HALF_MADE)

    page = off(host, session, 0, 4, 0, -4)

    assert "3 deals were searched." in page.text
    assert any("Solo" in explanation for explanation in explanations(page))


def test_deals_before_a_count_that_agreed_are_not_suspected(host: Host, db: Session, session: MadeSession) -> None:
    off(host, session, 0, 0, 0, 0)
    make_deal(db, session, HALF_MADE)

    page = off(host, session, -1, 1, -1, 1)

    assert explanations(page) == ["Deal 3 · Half, Clubs: Ann with Cleo The whole deal: not paid."]
    assert "1 deal was searched." in page.text
    assert "agreed. Deals before it were paid right." in page.text


def test_nor_are_those_before_a_count_that_was_accepted(host: Host, db: Session, session: MadeSession) -> None:
    off(host, session, 1, -1, 0, 0).form("/chips/adjust").submit()
    make_deal(db, session, HALF_MADE)

    page = off(host, session, -1, 1, -1, 1)

    assert explanations(page) == ["Deal 3 · Half, Clubs: Ann with Cleo The whole deal: not paid."]
    assert "was accepted. Deals before it were paid right." in page.text


def test_a_count_that_was_off_clears_nobody(host: Host, session: MadeSession) -> None:
    off(host, session, 1, -3, 1, 1)

    assert explanations(off(host, session, 1, -3, 1, 1))[0] == f"{FIVE} The whole deal: not paid."


def test_a_voided_deal_explains_chips_that_were_not_given_back(host: Host, db: Session, session: MadeSession) -> None:
    void_deal(db, VoidDeal(**session.command(db), number=2))

    assert explanations(off(host, session, -1, 3, -1, -1))[0] == (
        f"{FIVE} The whole deal: voided, but the chips not given back."
    )
    assert explanations(off(host, session, -1, 1, 0, 0))[0] == (
        f"{FIVE} Ann to Ben: voided, but the chips not given back."
    )


def test_a_corrected_deal_explains_chips_that_lie_as_before(host: Host, db: Session, session: MadeSession) -> None:
    # As it was recorded, Cleo had it.
    wrong = {**FIVE_IN_SPADES_MADE, "declarer": 2}
    correct_deal(db, CorrectDeal(**session.command(db), number=2, facts=wrong))

    assert explanations(off(host, session, 0, 4, -4, 0))[0] == (
        "Deal 2 · Five, Spades: Cleo The whole deal: paid as it stood before it was changed."
    )


def test_a_deal_changed_after_a_count_that_agreed_was_paid_as_it_stood_then(
    host: Host, db: Session, session: MadeSession
) -> None:
    off(host, session, 0, 0, 0, 0)
    correct_deal(db, CorrectDeal(**session.command(db), number=1, facts={**HALF_MADE, "tricks": 4}))

    # Nobody has moved a chip, and it cannot be that the deal was not paid at all.
    assert explanations(off(host, session, 3, -3, 3, -3)) == [
        f"{HALF} The whole deal: paid as it stood before it was changed."
    ]
    assert explanations(off(host, session, 2, -2, 2, -2)) == []


def test_a_deal_that_counts_again_after_a_count_that_agreed_may_not_have_been_paid_again(
    host: Host, db: Session, session: MadeSession
) -> None:
    void_deal(db, VoidDeal(**session.command(db), number=2))
    off(host, session, 0, 0, 0, 0)
    restore_deal(db, RestoreDeal(**session.command(db), number=2))

    assert explanations(off(host, session, 1, -3, 1, 1)) == [
        f"{FIVE} The whole deal: paid as it stood before it was changed."
    ]


def test_a_count_that_was_accepted_says_so_and_explains_nothing(host: Host, session: MadeSession) -> None:
    off(host, session, 1, -3, 1, 1).form("/chips/adjust").submit()

    page = host.get(f"/sessions/{session.id}/count")

    assert "This count was accepted: the score was moved to what lay on the table." in page.text
    assert "What would explain it" not in page.text


CHANGES = {
    "void": lambda db, session: void_deal(db, VoidDeal(**session.command(db), number=2)),
    "correct": lambda db, session: correct_deal(
        db, CorrectDeal(**session.command(db), number=2, facts={**FIVE_IN_SPADES_MADE, "trump": "clubs"})
    ),
    "adjustment": lambda db, session: adjust(db, Adjust(**session.command(db), chips=(5, -5, 0, 0), note="a bet")),
}
"""What makes a count out of date, each another way."""


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("accepted", [True, False])
def test_a_count_says_that_the_score_has_moved_on_since_it_was_kept_or_accepted(
    host: Host, db: Session, session: MadeSession, *, accepted: bool, change: str
) -> None:
    page = off(host, session, 2, -6, 2, 2)
    assert "Ann has 2 chips too many." in page.text
    if accepted:
        page.form("/chips/adjust").submit()
        page = host.get(f"/sessions/{session.id}/count")
        assert "Count again to see" not in page.text
        # What was put right is not so any more.
        assert "The chips on the table were as many as they should be. Ann had 2 chips too many." in page.text
        assert "Ben had 6 chips too few." in page.text

    CHANGES[change](db, session)

    page = host.get(f"/sessions/{session.id}/count")
    assert ("This count was accepted" in page.text) is accepted
    assert "chips were moved by hand or deals were changed. Count again to see where it stands." in page.text
    assert "Ann had 2 chips too many. Ben had 6 chips too few." in page.text
    assert " has " not in page.soup.select("#result")[0].get_text()
    # Until it is counted again.
    assert "Count again to see" not in off(host, session, 0, 0, 0, 0).text


def test_chips_missing_by_a_count_of_before_are_not_said_to_be_missing_now(
    host: Host, db: Session, session: MadeSession
) -> None:
    for change, said in ((-1, "1 chip was missing on the table."), (1, "There was 1 chip too many on the table.")):
        off(host, session, change, 0, 0, 0)
        CHANGES["adjustment"](db, session)
        assert said in host.get(f"/sessions/{session.id}/count").text


def test_a_count_is_not_explained_by_deals_as_they_are_now(host: Host, db: Session, session: MadeSession) -> None:
    off(host, session, 1, -3, 1, 1)
    correct_deal(db, CorrectDeal(**session.command(db), number=2, facts={**FIVE_IN_SPADES_MADE, "trump": "clubs"}))

    page = host.get(f"/sessions/{session.id}/count")

    assert "Since this count chips were moved by hand or deals were changed." in page.text
    assert "What would explain it" not in page.text
    assert table(page)[1] == ["Ann", "41", "40", "+1"]


def test_chips_moved_otherwise_than_was_counted_accept_nothing(host: Host, db: Session, session: MadeSession) -> None:
    off(host, session, 1, -3, 1, 1)
    adjust(db, Adjust(**session.command(db), chips=(1, -1, 0, 0), note="found under the table"))

    page = host.get(f"/sessions/{session.id}/count")

    assert "was accepted" not in page.text
    assert "Since this count chips were moved by hand or deals were changed." in page.text


def without_buying(host: Host, db: Session) -> MadeSession:
    """Nobody's chips are known: a Five in spades by Ben."""
    session = make_session(db, group=host.group)
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    return session


def test_where_nobody_bought_each_began_with_as_many(host: Host, db: Session) -> None:
    session = without_buying(host, db)

    page = count(host, session, 19, 22, 20, 19).fill(began="20").submit()

    assert table(page)[1:] == [
        ["Ann", "19", "19", "0"],
        ["Ben", "22", "23", "−1"],
        ["Cleo", "20", "19", "+1"],
        ["Dan", "19", "19", "0"],
        ["All", "80", "80", "0"],
    ]
    assert "Each is taken to have begun with 20 chips." in page.text
    assert explanations(page) == ["Deal 1 · Five, Spades: Ben Cleo to Ben: not paid."]
    assert page.form("/count").data["began"] == "20"
    assert list(differences(db)) == []


def test_where_nobody_bought_it_must_be_said_how_many_each_began_with(host: Host, db: Session) -> None:
    session = without_buying(host, db)
    stored = dump(db)

    page = count(host, session, 19, 23, 19, 19).submit()

    assert page.status == 422
    assert list(page.errors()) == ["began"]
    assert dump(db) == stored


def test_whoever_came_without_buying_may_have_begun_with_some(host: Host, db: Session) -> None:
    session = without_buying(host, db)
    buy_in(db, MoveChips(**session.command(db), seat=Seat(0), chips=10))

    assert [row[2] for row in table(count(host, session, 9, 3, 0, 0).submit())[1:]] == ["9", "3", "−1", "−1", "10"]
    again = count(host, session, 29, 23, 19, 19).fill(began="20").submit()
    assert [row[3] for row in table(again)[1:]] == ["0", "0", "0", "0", "0"]


def test_where_everybody_bought_nothing_else_is_asked(host: Host, session: MadeSession) -> None:
    assert "began" not in host.get(f"/sessions/{session.id}/count").form("/count").data


def test_the_history_says_what_was_counted(host: Host, session: MadeSession) -> None:
    off(host, session, 3, -3, 0, 0)
    off(host, session, 0, 0, 0, 0)

    log = host.get(f"/sessions/{session.id}/history").text

    assert "The chips were counted: Ann 43, Ben 39, Cleo 40, Dan 38. Too many or too few: Ann +3, Ben −3." in log
    assert "The chips were counted: Ann 40, Ben 42, Cleo 40, Dan 38. It agreed with the score." in log


def test_a_count_kept_long_ago_is_still_read() -> None:
    white = Colour("white", 1, 43)

    assert Count.noted("43,37/40,40") == Count((43, 37), (40, 40))
    assert Count.noted('43,37/40,40/[[["white", 1, 43]], null]') == Count((43, 37), (40, 40), ((white,), None))
    kept = Count((43, 37), (60, 60), ((white,), None), 20)
    assert Count.noted(kept.note()) == kept


def test_a_count_changes_nothing_until_it_is_accepted(host: Host, db: Session, session: MadeSession) -> None:
    before = due(host, session)
    page = off(host, session, 1, -1, 0, 0)
    assert due(host, session) == before

    accepted = page.form("/chips/adjust").submit()

    assert "The chips were moved." in accepted.text
    log = accepted.follow("What happened").text
    assert "Count of" in log
    assert due(host, session) == [before[0] + 1, before[1] - 1, *before[2:]]
    assert list(differences(db)) == []
    assert "The chips were counted: Ann" in log
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
    assert explanations(page)[0] == f"{FIVE} The whole deal: {TWICE}."


def by_colour(host: Host, session: MadeSession, *stacks: tuple[object, Sequence[object]]) -> Form:
    """The form with a number of chips and the pieces of each colour for each seat."""
    form = host.get(f"/sessions/{session.id}/count").form("/count")
    for seat, (chips, pieces) in enumerate(stacks):
        form.fill(**{f"chips-{seat}": str(chips), f"pieces-{seat}": list(map(str, pieces))})
    return form


@pytest.fixture
def coloured(host: Host, db: Session, session: MadeSession) -> MadeSession:
    """The group owns a chip set now; by the score everybody has 40, 42, 40 and 38."""
    set_chips(db, host.group.group_id, [Colour("white", 1, 60), Colour("red", 5, 40)])
    return session


def test_the_colours_are_added_up_and_kept(host: Host, db: Session, coloured: MadeSession) -> None:
    stacks: list[tuple[object, list[object]]] = [("", [10, 6]), (42, [12, 6]), ("", ["", 8]), ("", [8, 6])]

    page = by_colour(host, coloured, *stacks).submit()

    assert "Everybody has what the score says." in page.text
    assert [row[0] for row in table(page)[1:5]] == [
        "Ann 10 white, 6 red",
        "Ben 12 white, 6 red",
        "Cleo 8 red",
        "Dan 8 white, 6 red",
    ]
    assert list(differences(db)) == []
    log = host.get(f"/sessions/{coloured.id}/history").text
    assert "It agreed with the score. 30 white, 26 red" in log
    # What lies on the table is not in the bank, whatever was handed out before.
    assert "white 1 60 30 red 5 40 14" in host.get(f"/sessions/{coloured.id}/chips").text


def test_some_can_be_counted_by_colour_and_others_not(host: Host, coloured: MadeSession) -> None:
    page = by_colour(host, coloured, ("", [10, 6]), (42, ["", ""]), (40, ["", ""]), (38, ["", ""])).submit()

    assert [row[0] for row in table(page)[1:5]] == ["Ann 10 white, 6 red", "Ben", "Cleo", "Dan"]
    # What is in the bank is known only once everything on the table was counted so.
    assert "white 1 60 60" in host.get(f"/sessions/{coloured.id}/chips").text


def test_colours_that_are_not_the_number_are_refused_beside_it(host: Host, db: Session, coloured: MadeSession) -> None:
    form = by_colour(host, coloured, (41, [10, 6]), (42, ["", ""]), ("", ["", "x"]), ("", ["", ""]))
    before = dump(db)

    page = form.submit()

    assert page.status == 422
    assert sorted(page.errors()) == ["chips-0", "chips-3", "pieces-2"]
    assert page.errors()["chips-0"] == "By colour it is 40."
    assert page.form("/count").data.getlist("pieces-0") == ["10", "6"]
    assert dump(db) == before


def test_more_pieces_than_the_group_owns_are_pointed_out(host: Host, coloured: MadeSession) -> None:
    page = by_colour(host, coloured, ("", [61, ""]), (42, ["", ""]), (40, ["", ""]), (38, ["", ""])).submit()

    assert "61 white were counted, and there are only 60 in the set." in page.text


def test_a_colour_that_is_not_in_the_set_any_more_is_pointed_out(
    host: Host, db: Session, coloured: MadeSession
) -> None:
    by_colour(host, coloured, (40, ["", ""]), (42, [42, ""]), (40, ["", ""]), (38, ["", ""])).submit()

    set_chips(db, host.group.group_id, [Colour("red", 5, 40)])

    page = host.get(f"/sessions/{coloured.id}/count")
    assert "42 white were counted, and there are none in the set." in page.text


def test_the_largest_count_there_can_be_is_kept(host: Host, db: Session) -> None:
    """Twelve with an account and eight colours of long names: far more than a note of the history used to hold."""
    group = make_group(db, players=tuple(f"Player {number}" for number in range(12)))
    session = make_session(db, group=group, buy_in=1_000_000)
    players = [player.id for player in queries.players(db, group.group_id)]
    for new in players[4:]:
        seat_players(db, SeatPlayers(**session.command(db), sitters=tuple(map(Sitter, [*players[:3], new]))))
    stack = tuple(Colour("Ü" * 39 + str(number), 25_000 * number, 1) for number in range(1, 9))

    count_in(db, CountIn(**session.command(db), counted=(900_000,) * 12, pieces=(stack,) * 12))

    page = Host(host.app, group).get(f"/sessions/{session.id}/count")
    assert table(page)[1][1] == "900,000"
    assert list(differences(db)) == []

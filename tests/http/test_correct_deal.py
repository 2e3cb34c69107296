"""Correcting a deal, in any state of its session."""

from collections.abc import Mapping

import pytest
from sqlalchemy.orm import Session

from scorekeeper.rules import Facts
from scorekeeper.services.check import differences
from scorekeeper.services.deals import VoidDeal, void_deal
from scorekeeper.services.sessions import close_session
from tests.factories import CLUB_TURNED, FIVE_IN_SPADES_MADE, HALF_MADE, make_deal, make_group, make_session
from tests.http.conftest import Host
from tests.http.deals import brought, checked, deal_form, deals_of, offered, seated
from tests.http.visitor import FormValue, Page


def correction(host: Host, session_id: int, number: int) -> Page:
    return host.get(f"/sessions/{session_id}/deals/{number}").follow("Correct")


def correct(host: Host, session_id: int, number: int, **entered: FormValue) -> Page:
    """Where one is after *entered* was looked at and saved."""
    page = correction(host, session_id, number)
    for name, value in entered.items():
        page = deal_form(page).fill(**{name: value}).submit("Show the payments")
    return deal_form(page).submit("Save the correction")


ROLES: Mapping[str, tuple[str, Facts]] = {
    "a called partner": ("mensch", {**HALF_MADE, "declarer": 1, "partner": 0}),
    "the dealer as declarer": ("mensch", {**HALF_MADE, "declarer": 3, "partner": 2}),
    "the dealer as partner": ("mensch", {**HALF_MADE, "declarer": 2, "partner": 3}),
    "the queen of hearts": (
        "mensch",
        {"contract": "forced", "declarer": 2, "partner": 1, "trump": "diamonds", "tricks": 4},
    ),
    "alone, with a trump that was chosen": (
        "mensch",
        {"contract": "solo", "declarer": 2, "trump": "hearts", "tricks": 8},
    ),
    "everything there is to note": (
        "mensch",
        {
            **HALF_MADE,
            "tricks_by_player": [3, 2, 2, 1],
            "called_card": "10H",
            "auction": [[0, "half"], [1, "pass"], [2, "pass"], [3, "pass"]],
        },
    ),
    "thrown in": ("mensch-russian", {"contract": "passed-out"}),
    "a maker": ("dirty-clubs", {"turn_up": "spades", "maker": 3, "trump": "hearts", "tricks": [1, 1, 0, 3]}),
    "nobody": ("dirty-clubs", {"turn_up": "spades", "trump": "none", "tricks": [1, 1, 1, 2]}),
    "a club turned up": ("dirty-clubs", {**CLUB_TURNED, "trump": "clubs"}),
    "guesses": (
        "dirty-clubs",
        {
            "turn_up": "hearts",
            "maker": 2,
            "trump": "diamonds",
            "tricks": [1, 1, 3, 0],
            "named": ["clubs", "spades", "diamonds", None],
            "opened": ["hearts", "diamonds"],
        },
    ),
    "people who dropped out": (
        "buck-euchre",
        {"turn_up": "spades", "maker": 3, "trump": "spades", "dropped": [0, 2], "tricks": [0, 2, 0, 3]},
    ),
    "a bid": (
        "buck-euchre-bid",
        {"turn_up": "spades", "maker": 0, "trump": "hearts", "bid": 4, "tricks": [4, 1, 0, 0]},
    ),
    "thrown in with a card turned up": ("buck-euchre-bid", {"turn_up": "spades", "passed_out": True}),
}


@pytest.mark.parametrize("role", ROLES)
def test_the_form_shows_a_deal_as_it_is_stored(host: Host, db: Session, role: str) -> None:
    ruleset, facts = ROLES[role]
    card_game = "mensch" if ruleset.startswith("mensch") else "dirty-clubs"
    session = make_session(db, group=host.group, card_game=card_game, ruleset=ruleset)
    make_deal(db, session, facts)
    (before,) = deals_of(db, session.id)

    page = correct(host, session.id, 1)

    assert page.path == f"/sessions/{session.id}/deals/1"
    (after,) = deals_of(db, session.id)
    assert after.facts == facts
    assert (after.before, after.points, after.totals) == (before.before, before.points, before.totals)


def test_every_later_total_follows(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    for facts in (HALF_MADE, FIVE_IN_SPADES_MADE, HALF_MADE):
        make_deal(db, session, facts)

    page = correct(host, session.id, 2, declarer=0)

    assert "Deal 2 is corrected, and everything after it follows." in page.text
    assert [deal.totals for deal in deals_of(db, session.id)] == [[1, -1, 1, -1], [4, -2, 0, -2], [5, -3, 1, -3]]
    assert seated(page.follow("Thursday")) == {"Ann": "+5", "Ben": "−3", "Cleo": "+1", "Dan": "−3"}
    assert list(differences(db)) == []


def test_old_and_new_stand_side_by_side_before_it_is_saved(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)

    page = deal_form(correction(host, session.id, 1)).fill(tricks=4).submit("Show the payments")

    assert brought(page) == {"Ann": "+1 → −2", "Ben": "−1 → +2", "Cleo": "+1 → −2", "Dan": "−1 → +2"}
    assert [deal.points for deal in deals_of(db, session.id)] == [[1, -1, 1, -1]]


def test_the_dealers_that_follow_are_worked_out_again(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, ruleset="mensch-russian")
    make_deal(db, session)
    make_deal(db, session)

    correct(host, session.id, 1, contract="passed-out")

    assert [deal.before["dealer"] for deal in deals_of(db, session.id)] == [3, 3]


def test_a_misdeal_can_turn_out_to_have_been_a_deal(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session, {"misdeal": True})

    correct(host, session.id, 1, contract="half", declarer=0, partner=2, tricks=5)

    assert [deal.facts for deal in deals_of(db, session.id)] == [HALF_MADE]


def test_deals_of_an_ended_session_can_be_corrected(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    close_session(db, session.plain_command(db))

    page = correct(host, session.id, 1, tricks=8)
    assert page.status == 409
    page = page.form("/correct").submit("Discard it and go on")

    assert page.status == 200
    assert [deal.points for deal in deals_of(db, session.id)] == [[2, -2, 2, -2]]


def test_it_refuses_what_cannot_have_happened_and_keeps_what_was_typed(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")
    make_deal(db, session, CLUB_TURNED)

    form = deal_form(correction(host, session.id, 1)).fill(**{"tricks-0": 5})
    page = form.submit("Save the correction")

    assert page.status == 422
    assert page.errors() == {"tricks": "The tricks add up to 8; they must add up to 5: 3 too many."}
    assert checked(page, "tricks-0") == ["5"]
    assert [deal.points for deal in deals_of(db, session.id)] == [[-2, -1, -1, -1]]


def test_sending_the_same_correction_twice_changes_it_once(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    form = deal_form(deal_form(correction(host, session.id, 1)).fill(tricks=8).submit("Show the payments"))

    first, second = form.submit("Save the correction"), form.submit("Save the correction")

    assert first.path == second.path == f"/sessions/{session.id}/deals/1"
    assert session.command(db)["expected_version"] == 3


def test_a_stale_correction_comes_back_filled_in(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    form = deal_form(deal_form(correction(host, session.id, 1)).fill(tricks=8).submit("Show the payments"))
    make_deal(db, session, FIVE_IN_SPADES_MADE)

    page = form.submit("Save the correction")

    assert page.status == 409
    assert "Is this correction still needed?" in page.text
    assert "Deal 2 Five Spades Ben" in page.text
    assert checked(page, "tricks") == ["8"]
    assert deals_of(db, session.id)[0].points == [1, -1, 1, -1]
    deal_form(page).submit("Save the correction")
    assert [deal.totals for deal in deals_of(db, session.id)] == [[2, -2, 2, -2], [1, 1, 1, -3]]


def dealers(page: Page) -> list[str]:
    """Everybody who can have dealt, as the form of a correction offers them."""
    return [choice.get_text(strip=True) for choice in page.soup.select("#dealer .choice")]


def test_who_dealt_can_be_corrected_once_it_is_meant(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    for _ in range(3):
        make_deal(db, session)
    page = correction(host, session.id, 2)
    assert dealers(page) == ["Ann (in turn)", "Ben", "Cleo", "Dan"]

    page = deal_form(page).fill(dealer=2).submit("Save the correction")

    assert "It should be the deal of Ann. Keep it all the same?" in page.text
    assert [deal.before["dealer"] for deal in deals_of(db, session.id)] == [3, 0, 1]
    page = deal_form(page).submit("Save the correction")
    assert page.path == f"/sessions/{session.id}/deals/2"
    assert "Cleo deals out of turn; it was Ann’s turn." in page.text
    assert [deal.before["dealer"] for deal in deals_of(db, session.id)] == [3, 2, 3]
    assert list(differences(db)) == []


def test_a_dealer_who_was_in_turn_after_all_is_no_longer_named(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    make_deal(db, session, {**HALF_MADE, "dealer": 2})
    page = correction(host, session.id, 2)
    assert checked(page, "dealer") == ["2"]
    assert "It should be the deal of" not in page.text

    page = deal_form(page).fill(dealer=0).submit("Save the correction")
    assert "It should be the deal of" not in page.text
    deal_form(page).submit("Save the correction")

    assert deals_of(db, session.id)[1].facts == HALF_MADE
    assert list(differences(db)) == []


def test_another_dealer_leaves_others_to_play(host: Host, db: Session) -> None:
    group = make_group(db, players=("Ann", "Ben", "Cleo", "Dan", "Eve"))
    five = Host(host.app, group)
    session = make_session(db, group=group, seats=5, dealer=4)
    make_deal(db, session)

    page = deal_form(correction(five, session.id, 1)).fill(dealer=0).submit("Show the payments")

    assert page.status == 422
    assert offered(page, "declarer") == ["1", "2", "3", "4"]
    page = deal_form(page).fill(declarer=3, partner=2).submit("Show the payments")
    deal_form(page).submit("Save the correction")
    assert [deal.points for deal in deals_of(db, session.id)] == [[0, -1, 1, 1, -1]]
    assert list(differences(db)) == []


def test_a_deal_says_who_dealt_it_where_it_would_be_the_turn_of_another_by_now(host: Host, db: Session) -> None:
    group = make_group(db, players=("Ann", "Ben", "Cleo", "Dan", "Eve"))
    five = Host(host.app, group)
    session = make_session(db, group=group, seats=5, dealer=4)
    # Eve and Ann deal, one after the other, and have no cards.
    for declarer, partner in ((0, 2), (1, 4)):
        make_deal(db, session, {**HALF_MADE, "declarer": declarer, "partner": partner})
    void_deal(db, VoidDeal(**session.command(db), number=1))
    sentence = "Ann dealt. As the deals before it stand now, it would have been Eve’s turn."
    assert sentence in five.get(f"/sessions/{session.id}/deals/2").text

    form = deal_form(correction(five, session.id, 2))
    assert form.data["dealer"] == "0"
    assert "Eve (in turn)" in form.page.text
    form.fill(tricks=6).submit("Save the correction")

    (_, deal) = deals_of(db, session.id)
    assert (deal.points, deal.facts["dealer"]) == ([0, 1, -1, -1, 1], 0)
    assert list(differences(db)) == []


def test_nobody_dealt_who_was_not_at_the_table(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    form = deal_form(correction(host, session.id, 1))
    form.data.setlist("dealer", ["7"])

    page = form.submit("Save the correction")

    assert page.status == 422
    assert "Choose somebody who is at the table." in page.text
    assert [deal.facts for deal in deals_of(db, session.id)] == [HALF_MADE]


def test_strangers_and_numbers_that_do_not_exist_find_nothing(host: Host, stranger: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    form = deal_form(correction(host, session.id, 1))
    theirs = make_session(db, group=stranger.group)
    key = deal_form(stranger.get(f"/sessions/{theirs.id}/deals/new")).data["csrf_token"]

    assert stranger.get(f"/sessions/{session.id}/deals/1/correct").status == 404
    stranger_data = form.data.copy()
    stranger_data["csrf_token"] = key
    for address in ("correct", "preview"):
        assert stranger.post(f"/sessions/{session.id}/deals/1/{address}", data=stranger_data).status == 404
        assert host.post(f"/sessions/{session.id}/deals/2/{address}", data=form.data).status == 404
    assert host.get(f"/sessions/{session.id}/deals/2/correct").status == 404
    assert [deal.version for deal in deals_of(db, session.id)] == [2]

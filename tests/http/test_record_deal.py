"""Entering a deal, seeing what it would bring, and recording it."""

import json

import pytest
from sqlalchemy.orm import Session

from scorekeeper.services.check import differences
from scorekeeper.services.deals import DeclareDeal, declare_deal
from scorekeeper.services.sessions import close_session
from tests.factories import CLUB_TURNED, HALF_MADE, make_deal, make_group, make_session
from tests.http.conftest import Host
from tests.http.deals import (
    HALF_BY_ANN,
    brought,
    checked,
    deal_form,
    deals_of,
    fill_in,
    offered,
    record,
    seated,
    tricks,
)
from tests.http.visitor import FormValue


def test_a_half_is_recorded_by_naming_two_people_and_the_tricks(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    page = record(host, session.id, **HALF_BY_ANN)

    assert page.path == f"/sessions/{session.id}"
    assert seated(page) == {"Ann": "+1", "Ben": "−1", "Cleo": "+1", "Dan": "−1"}
    assert "Deal 1 Half, Clubs: Ann with Cleo. Made. Ben and Dan pay 1 each." in page.text
    (deal,) = deals_of(db, session.id)
    assert deal.facts == HALF_MADE
    assert list(differences(db)) == []


def test_the_payments_are_shown_before_anything_is_saved(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)

    form = deal_form(host.get(f"/sessions/{session.id}/deals/new")).fill(declarer=1, partner=3, tricks=4)
    page = form.submit("Who is the declarer?")

    assert page.status == 200
    assert "Nothing is saved yet." in page.text
    assert len(deals_of(db, session.id)) == 1
    page = deal_form(page).fill(tricks=3).submit("Show the payments")
    assert page.status == 200
    assert "Set. Ben and Dan pay 2 each." in page.text
    assert brought(page) == {"Ann": "+2", "Ben": "−2", "Cleo": "+2", "Dan": "−2"}
    assert [after.get_text(strip=True) for after in page.soup.select(".amounts .num")][1::2] == ["+3", "−3", "+3", "−3"]
    assert len(deals_of(db, session.id)) == 1


def test_what_was_changed_after_the_preview_is_shown_before_it_is_saved(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = fill_in(host, f"/sessions/{session.id}/deals/new", **HALF_BY_ANN)

    page = deal_form(page).fill(tricks=4).submit("Record")

    assert page.status == 200
    assert "Nothing is saved yet." in page.text
    assert "Set. Ann and Cleo pay 2 each." in page.text
    assert deals_of(db, session.id) == []
    page = deal_form(page).submit("Record")
    assert page.path == f"/sessions/{session.id}"
    assert [deal.facts["tricks"] for deal in deals_of(db, session.id)] == [4]


def test_the_form_says_what_is_missing(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    path = f"/sessions/{session.id}/deals/new"

    def button(**entered: FormValue) -> str:
        return str(fill_in(host, path, **entered).soup.select("#record[disabled]")[0].get_text())

    assert button() == "Who is the declarer?"
    assert button(declarer=0) == "Who is the partner?"
    assert button(declarer=0, partner=1) == "How many tricks?"
    assert button(contract="five", declarer=0) == "Which suit is trump?"


def test_only_what_can_be_chosen_is_offered(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    path = f"/sessions/{session.id}/deals/new"

    half = fill_in(host, path, declarer=1)
    assert offered(half, "partner") == ["0", "2", "3"]
    assert offered(half, "trump") == []
    five = fill_in(host, path, declarer=1, partner=2, contract="five")
    assert offered(five, "partner") == []
    assert offered(five, "trump") == ["clubs", "spades", "hearts", "diamonds"]
    assert checked(five, "declarer") == ["1"]


def test_what_can_no_longer_be_chosen_is_dropped_before_it_is_shown(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    record(host, session.id, declarer=1, partner=2, tricks=8, contract="five", trump="clubs")

    (deal,) = deals_of(db, session.id)
    assert deal.facts == {"contract": "five", "declarer": 1, "trump": "clubs", "tricks": 8}
    assert deal.points == [-4, 12, -4, -4]


def test_a_declarer_who_was_the_partner_leaves_the_partner_open(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    page = fill_in(host, f"/sessions/{session.id}/deals/new", declarer=0, partner=2)
    page = deal_form(page).fill(declarer=2).submit("Show the payments")

    assert checked(page, "declarer") == ["2"]
    assert checked(page, "partner") == []


MORE_TO_NOTE: dict[str, FormValue] = {
    "called_card": "10H",
    "tricks_by_player-0": 3,
    "tricks_by_player-1": 2,
    "tricks_by_player-2": 2,
    "tricks_by_player-3": 1,
    "auction-0": "half",
    "auction-1": "pass",
}


def test_details_are_kept_with_the_deal(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    record(host, session.id, **HALF_BY_ANN, **MORE_TO_NOTE)

    (deal,) = deals_of(db, session.id)
    assert deal.facts["called_card"] == "10H"
    assert deal.facts["tricks_by_player"] == [3, 2, 2, 1]
    assert deal.facts["auction"] == [[0, "half"], [1, "pass"]]


def test_details_that_do_not_fit_are_refused_beside_them(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    misfits = MORE_TO_NOTE | {"called_card": "7C", "tricks_by_player-3": 0}

    page = fill_in(host, f"/sessions/{session.id}/deals/new", **HALF_BY_ANN, **misfits)

    assert page.status == 422
    assert page.errors() == {
        "called_card": "The called card may not be a trump, and the queen of clubs is always one.",
        "tricks_by_player": "The tricks add up to 7; they must add up to 8: one is missing.",
    }
    assert page.soup.select("details[open] [name='tricks_by_player-0']")[0]["value"] == "3"


def test_a_dirty_clubs_deal_is_recorded_with_the_last_tricks_left_out(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")

    entered: dict[str, FormValue] = {"turn_up": "spades", "maker": 1, "trump": "hearts", **tricks(1, 2, 2)}
    page = fill_in(host, f"/sessions/{session.id}/deals/new", **entered)

    assert "Ben owes 3" in page.text
    assert "Dan 0: what is left" in page.text
    assert brought(page) == {"Ann": "−1", "Ben": "+5", "Cleo": "−2", "Dan": "+5"}
    page = deal_form(page).submit("Record")
    assert seated(page) == {"Ann": "24", "Ben": "30", "Cleo": "23", "Dan": "30"}
    (deal,) = deals_of(db, session.id)
    assert deal.facts["tricks"] == [1, 2, 2, 0]


def test_tricks_that_do_not_add_up_are_refused_and_kept(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")
    entered: dict[str, FormValue] = {"turn_up": "clubs", **tricks(2, 2, 1, 1)}

    page = fill_in(host, f"/sessions/{session.id}/deals/new", **entered)

    assert page.status == 422
    assert page.errors() == {"tricks": "The tricks add up to 6; they must add up to 5: one too many."}
    page = deal_form(page).submit("Record") if not page.soup.select("#record[disabled]") else page
    assert [checked(page, f"tricks-{seat}") for seat in range(4)] == [["2"], ["2"], ["1"], ["1"]]
    assert deals_of(db, session.id) == []


def test_too_many_tricks_are_seen_before_the_last_player_is_asked(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")

    page = fill_in(host, f"/sessions/{session.id}/deals/new", turn_up="clubs", **tricks(4, 3))

    assert page.errors() == {"tricks": "The tricks add up to 7; they must add up to 5: 2 too many."}


def test_nobody_as_maker_means_no_trump(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")
    entered: dict[str, FormValue] = {"turn_up": "hearts", "maker": "nobody", **tricks(1, 1, 1, 2)}

    page = fill_in(host, f"/sessions/{session.id}/deals/new", **entered)

    assert checked(page, "maker") == ["nobody"]
    assert offered(page, "trump") == []
    deal_form(page).submit("Record")
    (deal,) = deals_of(db, session.id)
    assert deal.facts == {"turn_up": "hearts", "trump": "none", "tricks": [1, 1, 1, 2]}


def test_naming_a_maker_after_all_asks_for_the_trump_again(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")

    page = fill_in(host, f"/sessions/{session.id}/deals/new", turn_up="hearts", maker="nobody")
    page = deal_form(page).fill(maker=3).submit("Show the payments")

    assert checked(page, "maker") == ["3"]
    assert offered(page, "trump") == ["clubs", "spades", "hearts", "diamonds"]


def test_whoever_drops_out_is_not_asked_for_tricks(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs", ruleset="buck-euchre")
    entered: dict[str, FormValue] = {
        "turn_up": "spades",
        "maker": 0,
        "trump": "spades",
        "dropped": [1, 3],
        "tricks-0": 2,
    }

    page = fill_in(host, f"/sessions/{session.id}/deals/new", **entered)

    assert offered(page, "tricks-1") == offered(page, "tricks-3") == []
    assert brought(page) == {"Ann": "+5", "Ben": "0", "Cleo": "−3", "Dan": "0"}
    deal_form(page).submit("Record")
    (deal,) = deals_of(db, session.id)
    assert (deal.facts["dropped"], deal.facts["tricks"]) == ([1, 3], [2, 0, 3, 0])


def test_a_deal_with_bids_is_recorded_or_thrown_in(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs", ruleset="buck-euchre-bid")
    entered: dict[str, FormValue] = {"maker": 0, "bid": 4, "trump": "hearts", **tricks(3, 2, 0)}

    record(host, session.id, turn_up="spades", **entered)
    page = record(host, session.id, turn_up="spades", maker="nobody")

    first, second = deals_of(db, session.id)
    assert (first.facts["bid"], first.points) == (4, [5, -2, 5, 5])
    assert second.facts == {"turn_up": "spades", "passed_out": True}
    assert "Deal 2 was thrown in, and the deal passes to Ben." in page.text


def test_three_play_where_the_rules_say_so(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs", ruleset="buck-euchre-three", dealer=0)

    page = record(host, session.id, turn_up="clubs", **tricks(2, 3))

    assert seated(page) == {"Ann": "13", "Ben": "12", "Cleo": "20"}


def test_fixed_partners_are_not_asked_for(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, house_rules={"partnership": "fixed"})

    page = fill_in(host, f"/sessions/{session.id}/deals/new", declarer=1, tricks=5)

    assert offered(page, "partner") == []
    assert checked(page, "partner") == ["3"]
    page = deal_form(page).submit("Record")
    assert "Ann + Cleo −2 Ben + Dan +2" in page.text


def test_cards_are_thrown_in_with_one_tap(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, ruleset="mensch-russian")

    page = host.get(f"/sessions/{session.id}").forms()[0].submit("Thrown in")

    assert "Deal 1 was thrown in, so Dan deals again." in page.text
    assert [deal.facts for deal in deals_of(db, session.id)] == [{"contract": "passed-out"}]


def test_nothing_is_thrown_in_where_the_queen_of_hearts_plays(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    assert "Thrown in" not in host.get(f"/sessions/{session.id}").text


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("contract", "grand", "“grand” does not exist in the rules you chose."),
        ("contract", "x" * 5000, "“Contract” cannot be understood."),
        ("declarer", "7", "“Declarer” cannot be understood."),
        ("declarer", "Ann", "“Declarer” cannot be understood."),
        ("partner", "-1", "“Partner” cannot be understood."),
        ("tricks", "9", "Tricks must be a whole number from 0 to 8."),
        ("tricks", "4.5", "Tricks must be a whole number from 0 to 8."),
        ("tricks", "9" * 5000, "Tricks must be a whole number from 0 to 8."),
        ("called_card", "ZZ", "“Called card” cannot be understood."),
    ],
)
def test_it_refuses_what_no_form_offers(host: Host, db: Session, field: str, value: str, message: str) -> None:
    session = make_session(db, group=host.group)
    form = deal_form(fill_in(host, f"/sessions/{session.id}/deals/new", **HALF_BY_ANN))

    page = form.fill(**{field: value}).submit("Record")

    assert page.status == 422
    assert message in page.errors()[field]
    assert deals_of(db, session.id) == []


@pytest.mark.parametrize("previewed", ["", "{}", "null", "[]", "1,-1,1", "-1,1,1,-1", "1,-1,1,-1;0", '"' * 100])
def test_a_forged_preview_saves_nothing(host: Host, db: Session, previewed: str) -> None:
    session = make_session(db, group=host.group)
    form = deal_form(fill_in(host, f"/sessions/{session.id}/deals/new", **HALF_BY_ANN))

    assert form.fill(previewed=previewed).submit("Record").status == 200
    assert deals_of(db, session.id) == []


def test_facts_that_were_previewed_elsewhere_are_checked_all_the_same(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = deal_form(fill_in(host, f"/sessions/{session.id}/deals/new", **HALF_BY_ANN)).fill(tricks=99)

    page = form.fill(previewed="1,-1,1,-1").submit("Record")

    assert page.status == 422
    assert page.errors() == {"tricks": "Tricks must be a whole number from 0 to 8."}
    assert deals_of(db, session.id) == []


def test_what_was_shown_is_saved_with_other_facts_that_bring_the_same(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = deal_form(fill_in(host, f"/sessions/{session.id}/deals/new", **HALF_BY_ANN))

    page = form.fill(tricks=6).submit("Record")

    assert page.path == f"/sessions/{session.id}"
    assert [deal.facts["tricks"] for deal in deals_of(db, session.id)] == [6]


def test_that_a_deal_ends_the_game_is_part_of_what_was_shown(host: Host, db: Session) -> None:
    rules = {"start": 6, "stake_loser": 3}
    session = make_session(db, group=host.group, card_game="dirty-clubs", house_rules=rules)
    entered: dict[str, FormValue] = {"turn_up": "spades", "maker": 1, "trump": "hearts", "tricks-1": 5}
    form = deal_form(fill_in(host, f"/sessions/{session.id}/deals/new", **entered))
    assert form.data["previewed"] == "5,-6,5,5;-3,9,-3,-3;1"

    page = form.fill(previewed="5,-6,5,5").submit("Record")

    assert page.status == 200
    assert "Nothing is saved yet." in page.text
    assert deals_of(db, session.id) == []


def test_a_stale_form_is_told_so_whatever_it_would_bring_now(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs", house_rules={"start": 6})
    entered: dict[str, FormValue] = {"turn_up": "spades", "maker": 1, "trump": "hearts", "tricks-1": 5}
    form = deal_form(fill_in(host, f"/sessions/{session.id}/deals/new", **entered))
    make_deal(db, session, CLUB_TURNED)

    page = form.submit("Record")

    assert page.status == 409
    assert "Is this deal still missing?" in page.text
    assert brought(page)["Ben"] == "−5"


def test_whoever_deals_out_of_turn_is_said_and_recorded(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    declare_deal(db, DeclareDeal(**session.command(db), facts={"dealer": 1}))

    page = fill_in(host, f"/sessions/{session.id}/deals/new", **HALF_BY_ANN)

    assert page.soup.select("h1")[0].get_text() == "Deal 1 · Ben deals out of turn"
    deal_form(page).submit("Record")
    (deal,) = deals_of(db, session.id)
    assert deal.facts == {**HALF_MADE, "dealer": 1}


def test_no_address_has_somebody_deal_out_of_turn(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    page = fill_in(host, f"/sessions/{session.id}/deals/new?dealer=1&declarer=0", **HALF_BY_ANN)

    assert page.soup.select("h1")[0].get_text() == "Deal 1 · Dan deals"
    deal_form(page).submit("Record")
    assert [deal.facts for deal in deals_of(db, session.id)] == [HALF_MADE]


def test_what_is_refused_is_said_first_and_leads_to_its_keys(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = deal_form(fill_in(host, f"/sessions/{session.id}/deals/new", **HALF_BY_ANN))

    page = form.fill(called_card="QC", tricks=9).submit("Record")

    assert page.status == 422
    (said,) = page.soup.select("[role=alert][autofocus]")
    leads = {str(link["href"]): link.get_text() for link in said.select("a")}
    assert leads.keys() == {"#called_card", "#tricks"}
    assert set(leads.values()) == set(page.errors().values())
    assert all(page.soup.select(control) for control in leads)


def test_what_is_wanting_is_said_where_changes_are_announced(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    page = fill_in(host, f"/sessions/{session.id}/deals/new", declarer=0)

    (said,) = page.soup.select("form p[role=status]")
    assert said.get_text(" ", strip=True) == "Who is the partner?"


@pytest.mark.parametrize("act", ["Record", "Undo", "Misdeal"])
def test_whoever_saves_is_led_to_what_it_brought(host: Host, db: Session, act: str) -> None:
    session = make_session(db, group=host.group)
    page = record(host, session.id, **HALF_BY_ANN)
    if act != "Record":
        page = page.form("/misdeal").submit(act)

    location = page.response.history[-1].location

    assert location == f"/sessions/{session.id}#read-back"
    assert page.soup.select("#read-back[tabindex='-1']")


def test_long_names_are_cut_for_the_eye_and_said_in_full(host: Host, db: Session) -> None:
    names = ("Christopher", "Bartholomew", "Konstantin Meyer", "Konstantin Maier")
    group = make_group(db, players=names)
    session = make_session(db, group=group)

    page = Host(host.app, group).get(f"/sessions/{session.id}/deals/new")

    keys = page.soup.select("#declarer .choice")
    assert tuple(key.select(".full")[0].get_text() for key in keys) == names
    shown = [key.select("[aria-hidden=true]")[0].get_text() for key in keys]
    assert shown[:2] == ["Christo.", "Barthol."]
    assert len(set(shown)) == len(names)


def test_a_page_carries_every_ending_of_its_deal(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    page = host.get(f"/sessions/{session.id}/deals/new")

    data = json.loads(str(page.soup.select("script#lookup[type='application/json']")[0].string))
    # Dan deals, and then Ann.
    assert ["1,-1,1,-1", data["said"].index(["Made.", "Ben and Dan pay 1 each."]), 0] in data["results"]
    # What has too many endings is asked for, one by one.
    rules = {"players": 6, "cards": 36}
    group = make_group(db, players=("Ann", "Ben", "Cleo", "Dan", "Eve", "Fred"))
    many = make_session(db, group=group, card_game="dirty-clubs", ruleset="buck-euchre-bid", house_rules=rules)
    page = Host(host.app, group).get(f"/sessions/{many.id}/deals/new")
    assert "nodes" not in json.loads(str(page.soup.select("#lookup")[0].string))


def test_sending_the_same_form_twice_records_one_deal(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = deal_form(fill_in(host, f"/sessions/{session.id}/deals/new", **HALF_BY_ANN))

    first, second = form.submit("Record"), form.submit("Record")

    assert first.path == second.path == f"/sessions/{session.id}"
    assert len(deals_of(db, session.id)) == 1


def test_sending_the_deal_that_ended_a_game_twice_records_one_deal(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")
    entered: dict[str, FormValue] = {"turn_up": "spades", "maker": 1, "trump": "hearts", "tricks-1": 5}
    zeros: dict[str, FormValue] = {"tricks-0": 0, "tricks-2": 0}
    form = deal_form(fill_in(host, f"/sessions/{session.id}/deals/new", **entered, **zeros))

    first, second = form.submit("Record"), form.submit("Record")

    assert first.path == second.path == f"/sessions/{session.id}"
    assert len(deals_of(db, session.id)) == 1


def test_a_stale_form_comes_back_filled_in_beside_what_was_recorded_meanwhile(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = deal_form(fill_in(host, f"/sessions/{session.id}/deals/new", declarer=1, partner=3, tricks=6))
    make_deal(db, session)

    page = form.submit("Record")

    assert page.status == 409
    assert "Is this deal still missing?" in page.text
    assert "Deal 1 Half Clubs Ann + Cleo" in page.text
    assert (checked(page, "declarer"), checked(page, "partner"), checked(page, "tricks")) == (["1"], ["3"], ["6"])
    assert len(deals_of(db, session.id)) == 1
    assert deal_form(page).submit("Record").path == f"/sessions/{session.id}"
    assert [deal.facts["tricks"] for deal in deals_of(db, session.id)] == [5, 6]


def test_a_form_open_while_the_session_ended_keeps_what_was_entered(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = deal_form(fill_in(host, f"/sessions/{session.id}/deals/new", **HALF_BY_ANN))
    close_session(db, session.plain_command(db))

    page = form.submit("Record")
    again = deal_form(page).submit("Record")

    assert page.status == again.status == 409
    (said,) = page.soup.select("[role=alert]")
    assert "This session has been ended meanwhile" in said.get_text()
    assert [link["href"] for link in said.select("a")] == [f"/sessions/{session.id}/settlement"]
    assert "Saving takes it over" not in page.text
    # What the page then asks for by itself says the same.
    (live,) = page.soup.select("[data-page]")
    assert host.get(str(live["data-page"])).soup.select("#since") == [said]
    assert checked(page, "declarer") == ["0"]
    assert "Discard the settlement?" in again.text
    assert deals_of(db, session.id) == []


def test_no_form_is_shown_where_no_deal_can_be_recorded(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = deal_form(host.get(f"/sessions/{session.id}/deals/new"))
    close_session(db, session.plain_command(db))

    # What a script fetches leaves what there is to say to the person.
    assert "has ended" not in host.get(f"/sessions/{session.id}/deals/new", headers={"X-Fragment": "1"}).text
    for path in ("/deals/new", "/deals/declare", "/bidding"):
        page = host.get(f"/sessions/{session.id}{path}")
        assert page.path == f"/sessions/{session.id}"
        assert "This session has ended. Reopen it to deal on." in page.text
    assert form.submit("Show the payments").path == f"/sessions/{session.id}"


@pytest.mark.parametrize("change", [{"submission_id": "x"}, {"expected_version": "now"}, {"expected_version": None}])
def test_a_form_without_what_every_form_carries_is_refused(
    host: Host, db: Session, change: dict[str, str | None]
) -> None:
    session = make_session(db, group=host.group)
    form = deal_form(fill_in(host, f"/sessions/{session.id}/deals/new", **HALF_BY_ANN))

    assert form.fill(**change).submit("Record").status == 400
    assert deals_of(db, session.id) == []


def test_a_preview_for_a_script_is_only_the_part_that_changes(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = deal_form(host.get(f"/sessions/{session.id}/deals/new")).fill(declarer=0)

    page = host.post(f"/sessions/{session.id}/deals/preview", data=form.data, headers={"X-Fragment": "1"})

    assert page.status == 200
    assert page.soup.select("html, form, [role=alert]") == []
    assert checked(page, "declarer") == ["0"]
    assert page.soup.select("#record[disabled]")


def test_a_preview_writes_nothing(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    before = session.command(db)["expected_version"]

    fill_in(host, f"/sessions/{session.id}/deals/new", **HALF_BY_ANN)

    assert session.command(db)["expected_version"] == before
    assert deals_of(db, session.id) == []


def test_strangers_find_no_form(host: Host, stranger: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = deal_form(fill_in(host, f"/sessions/{session.id}/deals/new", **HALF_BY_ANN))
    theirs = make_session(db, group=stranger.group)
    page = stranger.get(f"/sessions/{theirs.id}/deals/new")
    form.data["csrf_token"] = deal_form(page).data["csrf_token"]

    assert stranger.get(f"/sessions/{session.id}/deals/new").status == 404
    for address in (f"/sessions/{session.id}/deals", f"/sessions/{session.id}/deals/preview"):
        assert stranger.post(address, data=form.data).status == 404
    assert deals_of(db, session.id) == []


def test_a_used_submission_with_another_deal_is_told_apart(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = deal_form(fill_in(host, f"/sessions/{session.id}/deals/new", **HALF_BY_ANN))
    form.submit("Record")
    other = deal_form(fill_in(host, f"/sessions/{session.id}/deals/new", declarer=1, partner=0, tricks=8))

    page = other.fill(submission_id=str(form.data["submission_id"])).submit("Record")

    assert page.status == 409
    assert len(deals_of(db, session.id)) == 1


def test_the_first_deal_of_a_game_can_be_played_with_a_club_turned_up(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")

    page = fill_in(host, f"/sessions/{session.id}/deals/new", turn_up="clubs")

    assert offered(page, "maker") == offered(page, "trump") == []
    assert "Trump Clubs" in page.text
    record(host, session.id, turn_up="clubs", **tricks(2, 1, 1))
    (deal,) = deals_of(db, session.id)
    assert deal.facts == {**CLUB_TURNED, "trump": "clubs"}

"""Keying in a sheet filled in by hand: the grid stops at the row that disagrees, and records all or nothing."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from flask import Flask
from sqlalchemy.orm import Session

from scorekeeper.services.check import differences
from scorekeeper.services.deals import DeclareDeal, declare_deal, start_next_game
from scorekeeper.services.groups import add_player
from scorekeeper.services.sessions import Adjust, adjust, close_session
from tests.factories import CLUB_TURNED, HALF_MADE, MadeSession, make_deal, make_group, make_session
from tests.http.conftest import Host
from tests.http.deals import deals_of, seat, seated
from tests.http.evidence import dump
from tests.http.visitor import Form, Page, Visitor
from tests.http.world import SWEEP

HALF = {"contract": "half", "declarer": "Ann", "partner": "Cleo", "tricks": "5"}
"""Ann and Cleo make five: +1, −1, +1, −1."""
FIVE = {"contract": "5", "declarer": "b", "trump": "♠", "tricks": "5"}
"""Ben makes five alone: −1, +3, −1, −1."""
TURNED = {"turn_up": "c", "tricks-0": "2", "tricks-1": "1", "tricks-2": "1"}
"""Everybody takes a trick, Dan the one that is left."""


def grid(host: Visitor, session: MadeSession) -> Form:
    return host.get(f"/sessions/{session.id}/paper/keying").form("/check")


def keyed(form: Form, *rows: Mapping[str, str]) -> Form:
    """*form* with so many rows keyed in from the first."""
    return form.fill(**{f"r{number}-{key}": text for number, row in enumerate(rows, 1) for key, text in row.items()})


def checked(host: Visitor, session: MadeSession, *rows: Mapping[str, str]) -> Page:
    return keyed(grid(host, session), *rows).submit("Check")


def recorded(page: Page) -> Page:
    return page.form("/check").submit("Record")


def told(page: Page) -> list[str]:
    """What is said about each row that was looked at."""
    return [row.get_text(" ", strip=True) for row in page.soup.select(".grid tr[id]")]


def test_rows_that_agree_are_shown_with_what_they_bring_and_then_recorded(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    before = dump(db)
    half = {**HALF, "change-0": "+1", "change-1": "−1", "change-2": "1", "change-3": "-1", "total-0": "1"}
    page = checked(host, session, half, {**FIVE, "total-0": "0", "total-1": "+2", "total-3": "-2"})

    assert page.status == 200
    assert told(page) == [
        "Half, Clubs: Ann with Cleo. Made. Ben and Dan pay 1 each. Then: Ann +1, Ben −1, Cleo +1, Dan −1.",
        "Five, Spades: Ben. Made. Cleo, Dan and Ann pay 1 each. Then: Ann 0, Ben +2, Cleo 0, Dan −2.",
    ]
    assert "2 rows agree. Nothing is saved yet." in page.text
    assert dump(db) == before

    after = recorded(page)
    assert after.path == f"/sessions/{session.id}"
    assert "2 deals are recorded." in after.text
    assert seated(after) == {"Ann": "0", "Ben": "+2", "Cleo": "0", "Dan": "−2"}
    assert deals_of(db, session.id)[0].facts == HALF_MADE
    assert list(differences(db)) == []


@pytest.mark.parametrize(
    ("wrong", "cell", "said"),
    [
        ({"change-1": "+2"}, "change-1", "Ben has +2 on paper, the deal brings +3: 1 too few."),
        ({"change-0": "0"}, "change-0", "Ann has 0 on paper, the deal brings −1: 1 too many."),
        ({"total-1": "5"}, "total-1", "Ben stands at +5 on paper, and should stand at +2: 3 too many."),
        ({"total-3": "-4"}, "total-3", "Dan stands at −4 on paper, and should stand at −2: 2 too few."),
        ({"tricks": "9"}, "tricks", "Tricks must be a whole number from 0 to 8."),
        ({"partner": "Cleo"}, "partner", "Five is played alone."),
        ({"trump": ""}, "trump", "Choose the trump suit."),
        ({"declarer": "Zoe"}, "declarer", "“Zoe” is not one of these: Ann, Ben, Cleo or Dan."),
        ({"change-0": "one"}, "change-0", "“one” is not a whole number."),
        ({"dealer": "Zoe"}, "dealer", "“Zoe” is not one of these: Ann, Ben, Cleo or Dan."),
    ],
)
def test_it_stops_at_the_first_row_that_disagrees_and_says_how(
    host: Host, db: Session, wrong: dict[str, str], cell: str, said: str
) -> None:
    session = make_session(db, group=host.group)
    before = dump(db)
    page = checked(host, session, HALF, {**FIVE, **wrong}, {"contract": "nonsense"})

    assert page.status == 422
    assert told(page)[1:] == [said]
    (problem,) = page.soup.select("#problems a")
    assert problem.get_text() == f"Deal 2: {said}"
    assert problem["href"] == f"#r2-{cell}"
    (control,) = page.soup.select("[aria-invalid]")
    assert (control["name"], control["aria-describedby"]) == (f"r2-{cell}", "row-2")
    assert not page.soup.select("[formaction]")
    assert dump(db) == before


def test_changes_that_do_not_add_up_say_by_how_much(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    changes = {"change-0": "1", "change-1": "-1", "change-2": "1", "change-3": "1"}
    page = checked(host, session, {**HALF, **changes})

    assert told(page) == [
        "The changes of this row add up to +2 instead of 0. Dan has +1 on paper, the deal brings −1: 2 too many."
    ]


def test_the_dealer_is_keyed_in_as_our_own_sheet_prints_him(app: Flask, db: Session) -> None:
    group = make_group(db, players=("Maximilian", "Anna-Katharina", "Konstantin Meyer", "Konstantin Maier"))
    guest, session = Host(app, group), make_session(db, group=group)
    lines = guest.get(f"/sessions/{session.id}/paper").soup.select(".by-hand tbody tr:not(.so-far)")[:4]
    printed = [line.select("td")[0].get_text(strip=True) for line in lines]
    half = {**HALF, "declarer": "Max", "partner": "Anna"}
    recorded(checked(guest, session, *({**half, "dealer": dealer} for dealer in printed)))

    assert printed == ["Konstantin Ma.", "Maximil.", "Anna-Ka.", "Konstantin Me."]
    assert [deal.before["dealer"] for deal in deals_of(db, session.id)] == [3, 0, 1, 2]


def test_numbers_are_keyed_in_as_spreadsheets_and_our_own_pages_write_them(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    adjust(db, Adjust(**session.command(db), chips=(-1200, 1200, 0, 0), note="as counted"))
    written = {"change-0": "'+1", "change-1": "–1", "change-2": "1.0", "total-0": "−1,199", "total-1": "1 199"}

    assert checked(host, session, {**HALF, **written}).status == 200


def test_a_row_without_its_deal_is_refused(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = checked(host, session, {"dealer": "Dan", "change-0": "3", "change-1": "-3"})

    assert page.status == 422
    assert told(page) == ["What was played is missing: what it brought does not say it."]
    assert page.soup.select("#problems a")[0]["href"] == "#row-1"


def test_what_was_keyed_in_stays_in_the_grid(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    typed = {**FIVE, "trump": " ♠ ", "total-1": "<b>", "declarer": "{{ 7*7 }}"}
    page = checked(host, session, HALF, {}, typed)

    form = page.form("/check").data
    assert {key: form[f"r3-{key}"] for key in typed} == typed
    assert form["r1-contract"] == "half"
    assert form["r2-contract"] == ""


def test_empty_rows_and_dashes_are_passed_over(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = checked(host, session, {}, {**HALF, "trump": "–", "change-0": "–"}, {"contract": "-"}, FIVE)
    recorded(page)

    assert [deal.facts["contract"] for deal in deals_of(db, session.id)] == ["half", "five"]


def test_an_empty_grid_says_so(host: Host, db: Session) -> None:
    page = checked(host, make_session(db, group=host.group))

    assert "Nothing has been keyed in yet." in page.text
    assert not page.soup.select("[formaction]")


def test_one_gets_more_rows_and_keeps_what_there_is(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = keyed(grid(host, session), HALF, {"contract": "nonsense"})
    page = form.submit("More rows")

    assert page.status == 200
    assert len(page.soup.select(".grid tbody")) > len(form.page.soup.select(".grid tbody"))
    assert page.form("/check").data["r2-contract"] == "nonsense"
    assert told(page) == []
    for _ in range(12):
        if "More rows" in page.text:
            page = page.form("/check").submit("More rows")
    assert len(page.soup.select(".grid tbody")) == 60
    assert "More rows" not in page.text


def test_who_dealt_out_of_turn_is_said_in_its_row(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    recorded(checked(host, session, {**HALF, "dealer": "Dan"}, {**HALF, "dealer": "C"}, HALF))

    assert [deal.before["dealer"] for deal in deals_of(db, session.id)] == [3, 2, 3]
    assert [deal.facts.get("dealer") for deal in deals_of(db, session.id)] == [None, 2, None]


def test_who_sits_out_has_nothing_in_the_row(host: Host, db: Session) -> None:
    group = make_group(db, players=("Ann", "Ben", "Cleo", "Dan", "Eve"))
    guest, session = Host(host.app, group), make_session(db, group=group, seats=5, dealer=4)
    page = checked(guest, session, {**HALF, "change-4": "0"}, {**HALF, "partner": "Dan"})

    assert told(page)[1] == "Ann does not play this deal."


def test_a_change_of_who_sits_out_is_refused_for_that(host: Host, db: Session) -> None:
    group = make_group(db, players=("Ann", "Ben", "Cleo", "Dan", "Eve", "Fay"))
    guest, session = Host(host.app, group), make_session(db, group=group, seats=6, dealer=4)
    half = {**HALF, "partner": "Dan"}

    assert told(checked(guest, session, {**half, "change-4": "-1"})) == ["Eve deals and sits out, and has −1 on paper."]
    assert told(checked(guest, session, {**half, "change-1": "1"})) == ["Ben sits out, and has +1 on paper."]
    assert checked(guest, session, {**half, "change-1": "0", "change-4": "–"}).status == 200


def test_dirty_clubs_is_keyed_in_with_its_games(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")
    made = {"turn_up": "s", "maker": "Ann", "trump": "h", "tricks-0": "3", "tricks-1": "2", "tricks-2": "0"}
    sweep = {"turn_up": "♣", "tricks-1": "5"}
    page = checked(
        host,
        session,
        {**made, "tricks-3": "0", "change-0": "-3", "total-0": "22", "total-3": "30"},
        {"turn_up": "d", "maker": "–", "tricks-0": "2", "tricks-1": "1", "tricks-2": "1", "total-0": "20"},
        {**sweep, "total-1": "0"},
        {**TURNED, "total-0": "23"},
    )

    assert told(page)[0].endswith("Then: Ann 22, Ben 23, Cleo 30, Dan 30.")
    assert told(page)[3].startswith("Game 2 begins.")
    recorded(page)
    deals = deals_of(db, session.id)
    assert [deal.before["game"] for deal in deals] == [1, 1, 1, 2]
    assert deals[1].facts["trump"] == "none"
    assert deals[3].facts == {**CLUB_TURNED, "trump": "clubs"}
    assert list(differences(db)) == []


def test_tricks_that_do_not_add_up_stop_it(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")
    page = checked(host, session, TURNED, {**TURNED, "tricks-3": "2"}, {"turn_up": "c"})

    assert told(page)[1] == "The tricks add up to 6; they must add up to 5: one too many."


def test_after_the_end_of_a_game_the_first_row_begins_the_next(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")
    make_deal(db, session, SWEEP)
    recorded(checked(host, session, TURNED))
    assert [(deal.before["game"], deal.starts_game) for deal in deals_of(db, session.id)] == [(1, False), (2, True)]

    make_deal(db, session, SWEEP)
    start_next_game(db, session.plain_command(db))
    recorded(checked(host, session, TURNED))
    assert [deal.before["game"] for deal in deals_of(db, session.id)] == [1, 2, 2, 3]


def test_what_is_changed_after_the_check_is_shown_before_it_is_recorded(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = checked(host, session, HALF)
    again = page.form("/check").fill(**{"r1-tricks": "8"}).submit("Record")

    assert again.path.endswith("/paper/keying")
    assert "Nothing is saved yet." in again.text
    assert deals_of(db, session.id) == []
    recorded(again)
    assert [deal.facts["tricks"] for deal in deals_of(db, session.id)] == [8]


def test_what_no_longer_agrees_is_refused(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = checked(host, session, HALF).form("/check").fill(**{"r1-total-0": "8"}).submit("Record")

    assert page.status == 422
    assert deals_of(db, session.id) == []


def test_the_same_form_sent_twice_records_its_rows_once(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = checked(host, session, {**HALF, "total-0": "1"}, FIVE)
    recorded(page)
    after = recorded(page)

    assert after.path == f"/sessions/{session.id}"
    assert len(deals_of(db, session.id)) == 2


def test_a_stale_form_keeps_what_was_keyed_in_and_checks_it_anew(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = checked(host, session, {**HALF, "total-0": "1"})
    make_deal(db, session)
    before = dump(db)
    stale = recorded(page)

    assert stale.status == 409
    assert "The session has changed meanwhile, so nothing was saved." in stale.text
    assert "Ann stands at +1 on paper, and should stand at +2: 1 too few." in stale.text
    assert dump(db) == before
    again = stale.form("/check").fill(**{"r1-total-0": "2"}).submit("Check")
    recorded(again)
    assert len(deals_of(db, session.id)) == 2


def test_a_session_that_has_ended_meanwhile_keeps_what_was_keyed_in(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = checked(host, session, HALF)
    close_session(db, session.plain_command(db))
    before = dump(db)
    late = recorded(page)

    assert late.status == 409
    assert "This session has been ended meanwhile" in late.text
    assert late.form("/check").data["r1-contract"] == "half"
    assert dump(db) == before


def test_a_table_that_has_become_too_small_meanwhile_records_nothing(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = checked(host, session, HALF)
    seat(db, session, "Ann", "Ben")

    for button in ("Check", "Record"):
        assert page.form("/check").submit(button).path == f"/sessions/{session.id}"
    assert deals_of(db, session.id) == []


def test_a_phone_without_the_pen_takes_it_with_what_it_records(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    host.get(f"/sessions/{session.id}/deals/new")
    other = Host(host.app, host.group)
    recorded(checked(host, session, HALF))
    page = checked(other, session, FIVE)

    assert "Saving takes it over." in page.text
    page.form("/check").submit("Take the pen and save")
    assert len(deals_of(db, session.id)) == 2


def test_sixty_rows_go_in_at_once(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = grid(host, session).page
    while "More rows" in page.text:
        page = page.form("/check").submit("More rows")
    page = keyed(page.form("/check"), *[HALF] * 60).submit("Check")
    recorded(page)

    assert len(deals_of(db, session.id)) == 60
    assert deals_of(db, session.id)[-1].totals == [60, -60, 60, -60]


@pytest.mark.parametrize("row", [61, 70, 999])
def test_rows_beyond_the_most_are_not_passed_over_in_silence(host: Host, db: Session, row: int) -> None:
    session = make_session(db, group=host.group)
    form = keyed(grid(host, session), HALF)
    form.data[f"r{row}-contract"] = "half"

    page = form.submit("Check")

    assert page.status == 422
    assert "At most 60 rows go in at once: what came below them is not here." in page.text
    assert "1 row agrees." not in page.text
    assert not page.soup.select("[formaction]")
    recorded(page.form("/check").submit("Check"))
    assert len(deals_of(db, session.id)) == 1


def test_empty_rows_beyond_the_most_and_rows_before_the_first_are_nothing(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = keyed(grid(host, session), HALF)
    form.data["r61-contract"], form.data["r0-contract"] = " – ", "nonsense"
    recorded(form.submit("Check"))

    assert len(deals_of(db, session.id)) == 1


def test_a_player_who_came_meanwhile_has_a_column(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    add_player(db, host.group.group_id, "Eve")
    seat(db, session, "Ann", "Ben", "Cleo", "Dan", "Eve")

    assert "r1-total-4" in {field["name"] for field in grid(host, session).element.select("[name]")}


def test_who_deals_out_of_turn_stands_in_the_first_row(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    declare_deal(db, DeclareDeal(**session.command(db), facts={"dealer": 1}))
    form = grid(host, session)

    assert form.data["r1-dealer"] == "Ben"
    recorded(keyed(form, HALF).submit("Check"))
    assert [deal.facts["dealer"] for deal in deals_of(db, session.id)] == [1]


def test_there_is_no_grid_once_the_session_has_ended(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    close_session(db, session.plain_command(db))

    page = host.get(f"/sessions/{session.id}/paper/keying")

    assert page.path == f"/sessions/{session.id}"
    assert "No deal can be played in this session now, so there is nothing to key in." in page.text

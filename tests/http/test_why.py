"""Why a number is what it is: the lines that a page shows add up to the number it explains."""

from __future__ import annotations

from random import Random

import pytest
from bs4 import Tag
from flask import Flask
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.models import Player
from scorekeeper.services.seats import SeatPlayers, Sitter, seat_players
from scorekeeper.services.sessions import Adjust, adjust
from scorekeeper.web.why import ADJUSTMENTS_SHOWN, DEALS_SHOWN, SESSIONS_SHOWN
from tests.factories import FIVE_IN_SPADES_MADE, HALF_MADE, NAMES, make_deal, make_group, make_session
from tests.http.conftest import Host
from tests.http.visitor import Page
from tests.sittings import DIRTY_CLUBS, MENSCH, Act, Rules, Sitting

SWEEP = {"turn_up": "clubs", "tricks": [0, 5, 0, 0]}
"""Dirty Clubs: Ben takes every trick and wins at once."""


def number_in(element: Tag) -> int:
    """An amount as the page writes it."""
    return int(element.get_text(strip=True).replace("−", "-").replace(",", ""))


def sums(page: Page) -> list[tuple[list[int], int]]:
    """The lines of each sum that the page shows, and what it says they come to."""
    return [
        ([number_in(cell) for cell in table.select("tbody td")], number_in(table.select("tfoot td")[0]))
        for table in page.soup.select("table.lines")
    ]


def heading(page: Page) -> int:
    return number_in(page.soup.select("h1 .num")[0])


def words_of(page: Page) -> list[str]:
    return [line.get_text(" ", strip=True) for line in page.soup.select("tbody th")]


def some_acts(rules: Rules, chance: Random, count: int) -> list[Act]:
    """What people do in a session: mostly deals, now and then something else."""

    def an_act() -> Act:
        number, giver, taker = chance.randrange(1, 40), chance.randrange(4), chance.randrange(4)
        others: list[Act] = [
            lambda sitting: sitting.void(number),
            lambda sitting: sitting.restore(number),
            lambda sitting: sitting.correct(number, sitting.some_deal(chance, number)),
            lambda sitting: sitting.move(giver, taker, number),
            lambda sitting: sitting.decide(number, starts_game=bool(giver % 2)),
        ]
        if rules.card_game == "dirty-clubs" and chance.random() < 0.3:
            return Sitting.next_game
        if chance.random() < 0.75:
            return lambda sitting: sitting.record(sitting.some_deal(chance))
        return chance.choice(others)

    return [an_act() for _ in range(count)]


@pytest.fixture(params=[*MENSCH, *DIRTY_CLUBS], ids=lambda rules: rules.ruleset)
def sitting(request: pytest.FixtureRequest, db: Session) -> Sitting:
    """A session with corrections, void deals, adjustments and, in Dirty Clubs, game after game."""
    sitting = Sitting.begin(db, request.param)
    sitting.do(some_acts(request.param, Random(1), 60))
    return sitting


def test_the_lines_of_a_total_add_up_to_it_however_far_one_goes_back(app: Flask, sitting: Sitting) -> None:
    host = Host(app, sitting.made.group)
    for seat, total in enumerate(sitting.row.table["totals"]):
        page = host.get(f"/sessions/{sitting.made.id}/seats/{seat}/why")
        while True:
            ((lines, shown),) = sums(page)
            assert sum(lines) == shown == heading(page) == total
            if not words_of(page)[1:2] or not words_of(page)[1].startswith("Up to deal"):
                break
            total = lines[0] + lines[1]
            page = page.follow("Up to deal")


def test_the_total_after_every_deal_is_explained(app: Flask, sitting: Sitting) -> None:
    host = Host(app, sitting.made.group)
    for deal in sitting.deals():
        page = host.get(f"/sessions/{sitting.made.id}/seats/2/why?deal={deal.number}")
        ((lines, shown),) = sums(page)
        assert sum(lines) == shown == heading(page) == deal.totals[2]


def test_the_lines_of_a_change_add_up_to_it(app: Flask, sitting: Sitting) -> None:
    host = Host(app, sitting.made.group)
    for deal in sitting.deals():
        for seat in (0, 3):
            page = host.get(f"/sessions/{sitting.made.id}/deals/{deal.number}/why/{seat}")
            if deal.status != "scored":
                assert page.path == f"/sessions/{sitting.made.id}/deals/{deal.number}"
                continue
            (lines, change), (total_lines, total), *chips = sums(page)
            assert sum(lines) == change == heading(page) == deal.points[seat]
            assert total_lines == [deal.before["totals"][seat], change]
            assert sum(total_lines) == total == deal.totals[seat]
            if sitting.row.card_game == "dirty-clubs" and any(deal.chips):
                ((payments, paid),) = chips
                assert sum(payments) == paid == deal.chips[seat]


def test_a_total_names_each_deal_and_each_adjustment_in_order(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session, HALF_MADE)
    adjust(db, Adjust(**session.command(db), chips=(2, -2, 0, 0), note="paid twice"))
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    adjust(db, Adjust(**session.command(db), chips=(-5, 0, 0, 5), note="for the drinks"))

    page = host.get(f"/sessions/{session.id}/seats/0/why")

    assert words_of(page) == [
        "At the start",
        "Deal 1 · Half, Clubs: Ann with Cleo",
        "By hand: paid twice",
        "Deal 2 · Five, Spades: Ben",
        "By hand: for the drinks",
    ]
    assert sums(page) == [([0, 1, 2, -1, -5], -3)]
    assert page.follow("Deal 2").path == f"/sessions/{session.id}/deals/2/why/0"


def test_older_deals_are_one_line_that_leads_to_them(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, opening=(7, -7, 0, 0))
    for _ in range(DEALS_SHOWN + 3):
        make_deal(db, session)

    page = host.get(f"/sessions/{session.id}/seats/0/why")

    assert words_of(page)[:3] == ["At the start", "Up to deal 3", "Deal 4 · Half, Clubs: Ann with Cleo"]
    assert sums(page) == [([7, 3] + [1] * DEALS_SHOWN, DEALS_SHOWN + 10)]
    assert sums(page.follow("Up to deal 3")) == [([7, 1, 1, 1], 10)]


def test_more_adjustments_than_a_page_holds_come_to_one_line(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    for _ in range(ADJUSTMENTS_SHOWN + 2):
        adjust(db, Adjust(**session.command(db), chips=(1, -1, 0, 0), note="again"))

    page = host.get(f"/sessions/{session.id}/seats/0/why")

    assert words_of(page)[:3] == ["At the start", "By hand, before those below", "Deal 1 · Half, Clubs: Ann with Cleo"]
    assert sums(page) == [([0, 2, 1] + [1] * ADJUSTMENTS_SHOWN, ADJUSTMENTS_SHOWN + 3)]


def test_a_total_begins_anew_with_each_game(host: Host, db: Session) -> None:
    sitting = Sitting(db, make_session(db, group=host.group, card_game="dirty-clubs"))
    sitting.record(SWEEP)
    why = f"/sessions/{sitting.made.id}/seats/1/why"
    assert sums(host.get(why)) == [([25, -25], 0)]

    sitting.next_game()

    assert sums(host.get(why)) == [([25], 25)]
    assert sums(host.get(f"{why}?deal=1")) == [([25, -25], 0)]


def test_a_change_says_what_was_played_and_who_paid(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session, FIVE_IN_SPADES_MADE)

    page = host.get(f"/sessions/{session.id}/deals/1/why/1")

    assert "5 of 8 tricks were taken, and 5 needed: made." in page.text
    assert words_of(page)[:3] == ["Cleo pays Ben 1 chip.", "Dan pays Ben 1 chip.", "Ann pays Ben 1 chip."]
    assert "Cleo pays" not in host.get(f"/sessions/{session.id}/deals/1/why/0").text


@pytest.mark.parametrize("path", ["seats/4/why", "seats/0/why?deal=2", "deals/1/why/4", "deals/2/why/0"])
def test_what_is_not_there_has_no_reason(host: Host, db: Session, path: str) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)

    assert host.get(f"/sessions/{session.id}/{path}").status == 404


def test_the_numbers_of_a_deal_and_of_the_standings_lead_to_their_reasons(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)

    def targets(path: str) -> list[str]:
        return [str(link["href"]) for link in host.get(path).soup.select("td a")]

    deal = f"/sessions/{session.id}/deals/1"
    assert targets(deal)[:2] == [f"{deal}/why/0", f"/sessions/{session.id}/seats/0/why?deal=1"]
    assert f"/sessions/{session.id}/seats/3/why" in targets(f"/sessions/{session.id}/settlement")


def test_the_sessions_of_a_standing_in_chips_add_up_to_it(host: Host, db: Session) -> None:
    for number in range(SESSIONS_SHOWN + 2):
        session = make_session(db, group=host.group, name=f"Evening {number}")
        make_deal(db, session, FIVE_IN_SPADES_MADE)
    make_session(db, group=host.group, card_game="dirty-clubs", name="Without chips")
    group_page = host.get(host.group_path)
    (link,) = [link for link in group_page.soup.select("table a") if "+" in link.get_text()]

    page = host.get(str(link["href"]))

    assert heading(page) == number_in(link) == 3 * (SESSIONS_SHOWN + 2)
    ((lines, total),) = sums(page)
    assert sum(lines) == total == heading(page)
    assert words_of(page)[:2] == ["Sessions before", "Evening 2, 26 Nov 2026"]
    assert "Without chips" not in page.text
    older = page.follow("Sessions before")
    assert sums(older) == [([3, 3], lines[0])]
    assert older.follow("Evening 1").path == f"/sessions/{session.id - SESSIONS_SHOWN}"


def test_the_sessions_of_games_won_add_up_to_them(host: Host, db: Session) -> None:
    for _ in range(2):
        session = make_session(db, group=host.group, card_game="dirty-clubs", house_rules={"stake_loser": 5})
        make_deal(db, session, SWEEP)
    make_session(db, group=host.group)
    (link,) = [link for link in host.get(host.group_path).soup.select("table a") if "2 of 2" in link.get_text()]

    page = host.get(str(link["href"]))

    assert "Dirty Clubs: games won" in page.text
    assert sums(page) == [([1, 1], 2)]
    chips = host.get(str(link["href"]).replace("dirty-clubs", "chips"))
    assert sums(chips) == [([15, 15, 0], 30)]


@pytest.mark.parametrize("what", ["mensch", "poker", "points"])
def test_a_standing_that_is_kept_nowhere_has_no_reason(host: Host, db: Session, what: str) -> None:
    make_deal(db, make_session(db, group=host.group))

    assert host.get(f"{host.group_path}/players/1/why/{what}").status == 404


def test_who_came_later_has_a_total_from_the_deals_since(app: Flask, db: Session) -> None:
    group = make_group(db, players=(*NAMES, "Eve"))
    host, session = Host(app, group), make_session(db, group=group)
    players = db.scalars(select(Player.id).where(Player.group_id == group.group_id).order_by(Player.id)).all()
    make_deal(db, session)
    # Five are at the table, so the dealer, Ann, sits out.
    seat_players(db, SeatPlayers(**session.command(db), sitters=tuple(map(Sitter, players))))
    make_deal(db, session, FIVE_IN_SPADES_MADE)

    page = host.get(f"/sessions/{session.id}/seats/4/why")

    assert words_of(page) == ["At the start", "Deal 2 · Five, Spades: Ben"]
    assert sums(page) == [([0, -1], -1)]
    assert sums(host.get(f"/sessions/{session.id}/deals/2/why/4"))[0] == ([-1], -1)
    assert sums(host.get(f"/sessions/{session.id}/deals/2/why/0"))[0] == ([], 0)
    assert words_of(host.get(f"/sessions/{session.id}/seats/0/why"))[-1] == "Deal 2 · Five, Spades: Ben · sat out"
    assert "Five, Spades: Ben · sat out" in host.get(f"/sessions/{session.id}/deals/2/why/0").text
    assert "sat out" not in host.get(f"/sessions/{session.id}/deals/2/why/4").text
    assert host.get(f"/sessions/{session.id}/deals/1/why/4").status == 404
    assert host.get(f"/sessions/{session.id}/seats/4/why?deal=1").status == 404

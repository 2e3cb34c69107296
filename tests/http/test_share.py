"""The result of a session as a text that can be sent."""

import re

import pytest
from sqlalchemy.orm import Session

from scorekeeper.rules import Seat
from scorekeeper.services.costs import AddCost, add_cost
from scorekeeper.services.groups import Role
from scorekeeper.services.sessions import MoveChips, cash_out
from scorekeeper.sessionfile import Chip
from tests.factories import CLUB_TURNED, FIVE_IN_SPADES_MADE, HALF_MADE, make_deal, make_group, make_link, make_session
from tests.http.conftest import Host
from tests.http.test_carry_over import before, latest, take
from tests.http.test_settle import move
from tests.http.visitor import Page, Visitor


def result(page: Page) -> list[str]:
    text = page.soup.select_one("[data-share] textarea")
    assert text is not None
    return text.get_text().strip().splitlines()


def totals(lines: list[str]) -> dict[str, int]:
    found = (re.match(r"(\w+): ([+−]?\d+)", line) for line in lines)
    return {match[1]: int(match[2].replace("−", "-")) for match in found if match}


@pytest.mark.parametrize("ended", [False, True])
def test_it_says_what_each_has_and_who_pays_whom(host: Host, db: Session, ended: bool) -> None:
    session = make_session(db, group=host.group, name="Thursday at Ann's", chip=Chip(25, "EUR", 2))
    make_deal(db, session, HALF_MADE)
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    page = host.get(f"/sessions/{session.id}/settlement")
    if ended:
        page = page.form("/close").submit("End")

    lines = result(page)

    assert lines[0] == "Thursdays · Thursday at Ann's · Mensch · 26 Nov 2026"
    assert totals(lines) == {"Ann": 0, "Ben": 2, "Cleo": 0, "Dan": -2}
    assert lines[-1] == "Dan pays Ben 2 chips, €0.50."
    assert all(line in page.text for line in lines[5:])


def test_a_name_that_nobody_changed_is_not_said_twice(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, name="Mensch, Thursday 26 November")

    assert result(host.get(f"/sessions/{session.id}/settlement"))[0] == "Thursdays · Mensch, Thursday 26 November"


def test_costs_are_said_apart_from_what_was_carried_over(host: Host, db: Session) -> None:
    monday = before(host, db)
    take(host, monday, "left")
    tuesday = latest(db, host)
    add_cost(db, AddCost(**tuesday.command(db), payer=1, amount=400, seats=(0, 1, 2, 3)))

    lines = result(host.get(f"/sessions/{tuesday.id}/settlement"))

    assert lines[1:4] == [
        "Ann: 0 (€0.00), costs and kitty −€1.00",
        "Ben: 0 (€0.00), costs and kitty +€3.00, carried over +€0.50",
        "Cleo: 0 (€0.00), costs and kitty −€1.00, carried over −€0.25",
    ]


def test_what_is_paid_is_said_to_be(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    page = host.get(f"/sessions/{session.id}/settlement").form("/close").submit("End")
    page = next(form for form in page.forms() if "/transfers/" in form.action).submit()

    assert [line.endswith("(paid)") for line in result(page)[5:]].count(True) == 1


def test_what_the_bank_pays_out_is_part_of_the_result(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, buy_in=40, chip=Chip(25, "EUR", 2))
    move(db, session, 10, -10, 0, 0)
    cash_out(db, MoveChips(**session.command(db), seat=Seat(0), chips=50))

    lines = result(host.get(f"/sessions/{session.id}/settlement"))

    assert lines[3:] == [
        "Cleo: 0 (€0.00)",
        "Dan: 0 (€0.00)",
        "The bank pays Ben 30 chips, €7.50.",
        "The bank pays Cleo 40 chips, €10.00.",
        "The bank pays Dan 40 chips, €10.00.",
    ]


def test_points_are_listed_by_place(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")
    make_deal(db, session, CLUB_TURNED)

    lines = result(host.get(f"/sessions/{session.id}/settlement"))

    assert all(re.match(r"\d\. \w+: \d+$", line) for line in lines[1:])
    assert len(lines) == 5


def test_whoever_watches_sends_it_too_and_nothing_in_it_leads_in(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    viewer = Visitor(host.app)
    viewer.get(f"/open/{make_link(db, host.group.group_id, Role.VIEWER, '').token}")

    text = "\n".join(result(viewer.get(f"/sessions/{session.id}/settlement")))

    assert "http" not in text
    assert "/open/" not in text


def test_names_in_any_script_stay_what_they_are(host: Host, db: Session) -> None:
    group = make_group(db, players=("<b>", "أحمد", "🂡 Cleo", "O'Neil"))
    owner = Host(host.app, group)
    session = make_session(db, group=group)

    assert [line.split(":")[0] for line in result(owner.get(f"/sessions/{session.id}/settlement"))[1:5]] == [
        "<b>",
        "أحمد",
        "🂡 Cleo",
        "O'Neil",
    ]

"""Costs that some share, and the kitty: noted, taken back, and every line of a sum says so and adds up."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from scorekeeper.services.check import differences
from scorekeeper.services.sessions import close_session
from scorekeeper.sessionfile import Chip
from tests.factories import MadeSession, make_session
from tests.http.conftest import Host
from tests.http.evidence import dump, payments_of, sums_of, under
from tests.http.test_settle import choose, settlement
from tests.http.visitor import Page

EURO = Chip(100, "EUR", 2, 3)


def costs(host: Host, session: MadeSession) -> Page:
    return host.get(f"/sessions/{session.id}/costs")


def share(page: Page, payer: int, amount: str, *seats: int, note: str = "", **more: str) -> Page:
    """Say that somebody paid for *seats*."""
    filled = page.form("/costs").fill(
        **{
            "shared-payer": str(payer),
            "shared-amount": amount,
            "shared-seats": [str(seat) for seat in seats],
            "shared-note": note,
        },
        **{f"shared-{name}": value for name, value in more.items()},
    )
    return filled.submit("Note the cost")


def put_in(page: Page, amount: str, *seats: int) -> Page:
    filled = page.form("/costs/kitty").fill(**{"kitty-amount": amount, "kitty-seats": [str(seat) for seat in seats]})
    return filled.submit("Put in")


def noted(page: Page) -> list[str]:
    return [sentence.get_text(" ", strip=True) for sentence in page.soup.select(".transfers li div > p:first-child")]


def test_drinks_that_one_paid_for_some_are_settled_in_shares(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, chip=EURO)

    page = share(costs(host, session), 0, "10.00", 0, 1, 2, note="Beer")

    assert noted(page) == ["Ann paid €10.00 for Ann, Ben and Cleo."]
    assert "Beer" in page.text
    page = settlement(host, session)
    # What cannot be divided goes to the first of those who bear it.
    assert sums_of(page)["Ann"] == ["+€6.66", "+€6.66"]
    assert payments_of(page) == [("Ben pays Ann €3.33.", False), ("Cleo pays Ann €3.33.", False)]
    assert "Costs and kitty" in under(page, "How it adds up")[0].get_text()
    assert list(differences(db)) == []


def test_everybody_at_the_table_is_ticked_to_begin_with(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = costs(host, session).form("/costs").fill(**{"shared-payer": "3", "shared-amount": "8"})

    page = form.submit("Note the cost")

    assert noted(page) == ["Dan paid 8 chips for everybody."]
    assert [sums[-1] for sums in sums_of(settlement(host, session)).values()] == ["−2", "−2", "−2", "+6"]


def test_a_cost_is_taken_back_and_the_history_keeps_both(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = share(costs(host, session), 1, "6", 0, 1)

    page = next(form for form in page.forms() if form.action.endswith("/take-back")).submit("Take back")

    assert noted(page) == []
    assert payments_of(settlement(host, session)) == []
    assert list(differences(db)) == []
    log = host.get(f"/sessions/{session.id}/history").text
    assert "A cost was noted: Ben +3, Ann −3." in log
    assert "A cost was taken back: Ben −3, Ann +3." in log


def test_the_kitty_pays_back_and_what_is_left_is_shared_out_or_kept(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, chip=EURO)
    page = put_in(costs(host, session), "2", 0, 1, 2, 3)
    assert "In the kitty: €8.00." in page.text
    page = share(page, 2, "5", kitty="y")
    assert noted(page) == ["Cleo paid €5.00, which the kitty pays back.", "Everybody put €2.00 into the kitty."]

    page = settlement(host, session)

    assert "In the kitty: €3.00, shared out evenly." in page.text
    assert sums_of(page)["Ann"] == ["−€2.00", "+€0.75", "−€1.25"]
    assert sums_of(page)["Cleo"] == ["+€3.00", "+€0.75", "+€3.75"]
    page = choose(page, keeper="3")
    assert "In the kitty: €3.00, kept by Dan." in page.text
    assert sums_of(page)["Dan"] == ["−€2.00", "+€3.00", "+€1.00"]
    page = page.form("/close").submit("End")
    assert "In the kitty: €3.00, kept by Dan." in page.text
    assert [sums[-1] for sums in sums_of(page).values()] == ["−€2.00", "−€2.00", "+€3.00", "+€1.00"]
    assert list(differences(db)) == []


@pytest.mark.parametrize(
    ("payer", "amount", "seats", "more", "field", "message"),
    [
        (0, "", (1,), {}, "shared-amount", "Enter a whole number of chips."),
        (0, "0", (1,), {}, "shared-amount", "Say how much it was."),
        (0, "5", (), {}, "shared-seats", "Choose at least one player."),
        (0, "5", (0,), {}, "shared-seats", "Choose at least one other player."),
        (0, "5", (9,), {}, "shared-seats", "Choose a player."),
        (9, "5", (1,), {}, "shared-payer", "Choose a player."),
        (0, "5", (), {"kitty": "y"}, "shared-amount", "There is not so much in the kitty."),
    ],
)
def test_what_cannot_be_a_cost_is_refused_beside_its_field(
    host: Host,
    db: Session,
    payer: int,
    amount: str,
    seats: tuple[int, ...],
    more: dict[str, str],
    field: str,
    message: str,
) -> None:
    session = make_session(db, group=host.group)
    page = costs(host, session)
    before = dump(db)

    page = share(page, payer, amount, *seats, **more)

    assert page.status == 422
    assert page.errors() == {field: message}
    assert dump(db) == before


def test_what_the_kitty_has_paid_with_cannot_be_taken_out_of_it(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = share(put_in(costs(host, session), "2", 0, 1, 2, 3), 2, "5", kitty="y")
    before = dump(db)

    page = [form for form in page.forms() if form.action.endswith("/take-back")][-1].submit("Take back")

    assert page.status == 422
    assert "There is not so much in the kitty." in page.text
    assert dump(db) == before


def test_nothing_is_noted_once_the_session_has_ended(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = costs(host, session)
    close_session(db, session.plain_command(db))
    before = dump(db)

    stale = share(page, 0, "5", 1)

    assert stale.status == 409
    assert dump(db) == before
    assert "The session has ended. Reopen it to note what was paid." in costs(host, session).text


def test_chips_in_hand_are_worth_the_same_whatever_was_drunk(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, chip=Chip(25, "EUR", 2), buy_in=40)
    page = host.get(f"/sessions/{session.id}/chips")
    before = [row.get_text(" ", strip=True) for row in page.soup.select(".sheet tbody")]

    share(costs(host, session), 0, "10", 1)

    page = host.get(f"/sessions/{session.id}/chips")
    assert [row.get_text(" ", strip=True) for row in page.soup.select(".sheet tbody")] == before

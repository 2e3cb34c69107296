"""Costs that some share, and the kitty: noted, taken back, and every line of a sum says so and adds up."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from scorekeeper import queries
from scorekeeper.ledger import Choices
from scorekeeper.rules import MISDEAL
from scorekeeper.services.check import differences
from scorekeeper.services.costs import AddCost, SetStake, add_cost, set_stake
from scorekeeper.services.deals import DisputeDeal, RecordDeal, RecordDeals, dispute_deal, record_deal, record_deals
from scorekeeper.services.ledger import in_kitty
from scorekeeper.services.sessions import close_session
from scorekeeper.services.transaction import SessionClosed
from scorekeeper.sessionfile import Chip
from tests.factories import (
    CLUB_TURNED,
    FIVE_IN_SPADES_MADE,
    HALF_MADE,
    MadeSession,
    make_deal,
    make_group,
    make_session,
)
from tests.http.conftest import Host
from tests.http.deals import HALF_BY_ANN, record
from tests.http.evidence import dump, payments_of, sums_of, under
from tests.http.test_gates import statements
from tests.http.test_settle import choose, settlement
from tests.http.visitor import Page
from tests.sittings import PEOPLE, Sitting

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
    assert "It cannot be divided evenly: €0.01 more for Ann." in page.text
    page = settlement(host, session)
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

    each = "Ann €2.00, Ben €2.00, Cleo €2.00, Dan €2.00"
    assert f"In the kitty: €3.00, shared out by what each put in: {each}." in page.text
    assert sums_of(page)["Ann"] == ["−€2.00", "+€0.75", "−€1.25"]
    assert sums_of(page)["Cleo"] == ["+€3.00", "+€0.75", "+€3.75"]
    page = choose(page, keeper="3")
    assert "In the kitty: €3.00, kept by Dan. The next session begins without it" in page.text
    assert sums_of(page)["Dan"] == ["−€2.00", "+€3.00", "+€1.00"]
    page = page.form("/close").submit("End")
    assert "In the kitty: €3.00, kept by Dan." in page.text
    assert [sums[-1] for sums in sums_of(page).values()] == ["−€2.00", "−€2.00", "+€3.00", "+€1.00"]
    assert list(differences(db)) == []


def test_who_put_nothing_into_the_kitty_gets_nothing_of_it(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, chip=EURO)
    page = put_in(put_in(costs(host, session), "5", 0, 1), "2.50", 1)
    share(put_in(page, "9", 3), 2, "2.49", kitty="y")

    page = settlement(host, session)

    each = "Ann €5.00, Ben €7.50, Dan €9.00"
    assert f"In the kitty: €19.01, shared out by what each put in: {each}." in page.text
    assert sums_of(page)["Cleo"] == ["+€2.49", "+€2.49"]
    assert [sums[1] for name, sums in sums_of(page).items() if name != "Cleo"] == ["+€4.42", "+€6.63", "+€7.96"]
    assert "The kitty cannot be shared out exactly: €0.01 more each, in this order, for Dan." in page.text
    page = choose(page, keeper="alike")
    assert "In the kitty: €19.01, shared out evenly." in page.text
    assert [sums[-2] for sums in sums_of(page).values()] == ["+€4.76", "+€4.75", "+€4.75", "+€4.75"]
    assert list(differences(db)) == []


def test_what_was_put_in_and_taken_back_does_not_count(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = put_in(put_in(costs(host, session), "5", 0), "4", 1)
    next(form for form in page.forms() if form.action.endswith("/take-back")).submit("Take back")

    page = settlement(host, session)

    assert "In the kitty: 5 chips, shared out by what each put in: Ann 5 chips." in page.text
    assert payments_of(page) == []


def test_more_costs_than_one_page_has_can_all_be_seen_and_taken_back(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    for amount in range(4, 40):
        add_cost(db, AddCost(**session.command(db), payer=0, amount=amount, seats=(1, 2)))

    page = costs(host, session)
    older = page.follow("Older")

    assert noted(page) + noted(older) == [f"Ann paid {amount} chips for Ben and Cleo." for amount in range(39, 3, -1)]
    assert not [link for link in older.soup.select("a") if link.get_text(strip=True) == "Older"]
    [*_, first] = [form for form in older.forms() if form.action.endswith("/take-back")]
    first.submit("Take back")
    assert "Ann paid 4 chips for Ben and Cleo." not in noted(costs(host, session).follow("Older"))
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


def stake(page: Page, amount: str) -> Page:
    """Say what everybody who plays a deal puts into the kitty."""
    return page.form("/costs/stake").fill(**{"stake-amount": amount}).submit("Save the stake")


def test_everybody_who_plays_a_deal_puts_the_stake_into_the_kitty(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, chip=EURO)
    make_deal(db, session)

    page = stake(costs(host, session), "0.50")

    assert "In the kitty: €0.00." in page.text
    assert "For each deal everybody who plays it puts in €0.50." in page.text
    record(host, session.id, **HALF_BY_ANN)
    page = costs(host, session)
    assert "In the kitty: €2.00." in page.text
    assert "Put in for deals so far: Ann €0.50, Ben €0.50, Cleo €0.50, Dan €0.50." in page.text
    assert page.form("/costs/stake").data["stake-amount"] == "0.50"
    page = settlement(host, session)
    each = "Ann €0.50, Ben €0.50, Cleo €0.50, Dan €0.50"
    assert f"In the kitty: €2.00, shared out by what each put in: {each}." in page.text
    assert sums_of(page)["Ben"] == ["−€0.67", "−€0.50", "+€0.50", "−€0.67"]
    log = host.get(f"/sessions/{session.id}/history").text
    assert "Everybody who plays a deal puts €0.50 into the kitty." in log
    assert "Into the kitty: €2.00." in log
    assert list(differences(db)) == []


def test_a_stake_costs_two_statements_of_recording_and_no_stake_none(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    counts = []
    for amount in (0, 3):
        if amount:
            set_stake(db, SetStake(**session.command(db), amount=amount))
        command = RecordDeal(**session.command(db), facts=HALF_MADE)
        with statements() as seen:
            record_deal(db, command)
        counts.append(len(seen))

    assert counts[1] - counts[0] == 2


def test_a_stake_holds_until_another_is_said_and_none_is_nothing(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    stake(costs(host, session), "3")
    make_deal(db, session)
    page = stake(costs(host, session), "")
    make_deal(db, session)

    assert "For each deal" not in page.text
    assert page.form("/costs/stake").data["stake-amount"] == ""
    assert "In the kitty: 12 chips." in costs(host, session).text
    assert "Deals bring the kitty nothing any more." in host.get(f"/sessions/{session.id}/history").text
    assert list(differences(db)) == []


def test_deals_that_are_keyed_in_together_bring_their_stakes_one_by_one(host: Host, db: Session) -> None:
    sitting = Sitting(db, make_session(db, group=host.group))
    sitting.stake(3)
    record_deals(db, RecordDeals(**sitting.made.command(db), deals=(HALF_MADE, MISDEAL, HALF_MADE)))

    assert [seat.costs for seat in sitting.seats()] == [-6] * 4
    assert [len(queries.money_entries(db, sitting.made.id, [deal.recorded])) for deal in sitting.deals()] == [5, 0, 5]
    assert list(differences(db)) == []


def test_stakes_follow_what_becomes_of_their_deal(host: Host, db: Session) -> None:
    sitting = Sitting(db, make_session(db, group=host.group))
    sitting.stake(3)
    sitting.record(HALF_MADE)
    sitting.stake(5)
    sitting.record(HALF_MADE)

    def held() -> int:
        return in_kitty(sitting.seats())

    assert held() == 32
    sitting.void(1)
    assert held() == 20
    sitting.correct(2, MISDEAL)
    assert held() == 0
    sitting.restore(1)
    assert held() == 12
    sitting.correct(2, FIVE_IN_SPADES_MADE)
    assert held() == 32
    assert list(differences(db)) == []


def test_deals_that_a_correction_takes_out_of_the_count_take_their_stakes_out_too(host: Host, db: Session) -> None:
    sitting = Sitting(db, make_session(db, group=host.group, card_game="dirty-clubs", house_rules={"start": 10}))
    sitting.stake(1)
    sitting.record(CLUB_TURNED)
    sitting.record(CLUB_TURNED)

    sitting.correct(1, {"turn_up": "clubs", "tricks": [5, 0, 0, 0]})

    assert [deal.status for deal in sitting.deals()] == ["scored", "unscored"]
    assert [seat.costs for seat in sitting.seats()] == [-1, -1, -1, -1]
    assert list(differences(db)) == []


def test_whoever_sits_out_puts_in_nothing_and_a_stand_in_does_so_for_another(host: Host, db: Session) -> None:
    sitting = Sitting(db, make_session(db, group=make_group(db, players=PEOPLE)))
    sitting.stake(2)
    sitting.sit("Ann", "Ben", "Cleo", "Eve")
    sitting.record(HALF_MADE)
    sitting.sit("Ann", "Ben", "Cleo", "Eve", Cleo="Fay")
    sitting.record(HALF_MADE)

    assert [seat.costs for seat in sitting.seats()] == [-4, -4, -4, 0, -4]
    assert list(differences(db)) == []


def test_who_deals_and_sits_out_puts_in_nothing(db: Session) -> None:
    sitting = Sitting(db, make_session(db, group=make_group(db, players=PEOPLE), seats=5, dealer=4))
    sitting.stake(2)
    sitting.record(HALF_MADE)

    assert [seat.costs for seat in sitting.seats()] == [-2, -2, -2, -2, 0]
    sitting.record({"contract": "half", "declarer": 1, "partner": 2, "trump": "clubs", "tricks": 5})
    assert [seat.costs for seat in sitting.seats()] == [-2, -4, -4, -4, -2]
    assert list(differences(db)) == []


def test_a_deal_is_voided_though_the_kitty_has_paid_with_its_stakes(host: Host, db: Session) -> None:
    sitting = Sitting(db, make_session(db, group=host.group))
    sitting.stake(2)
    sitting.record(HALF_MADE)
    share(costs(host, sitting.made), 2, "6", kitty="y")

    sitting.void(1)

    assert "Out of the kitty: 8 chips." in host.get(f"/sessions/{sitting.made.id}/history").text

    page = costs(host, sitting.made)
    assert "The kitty lacks 6 chips." in page.text
    assert [sums[-1] for sums in sums_of(settlement(host, sitting.made)).values()] == ["−2", "−2", "+5", "−1"]
    assert noted(put_in(page, "1", 3)) == [
        "Into the kitty, 1 chip each: Dan.",
        "Cleo paid 6 chips, which the kitty pays back.",
    ]
    page = settlement(host, sitting.made)
    assert "The kitty lacks 5 chips, borne by what each put in: Dan 1 chip." in page.text
    assert sums_of(page) == {"Ann": ["0"], "Ben": ["0"], "Cleo": ["+6", "+6"], "Dan": ["−1", "−5", "−6"]}
    assert "What the kitty lacks" in under(page, "How it adds up")[0].get_text()
    assert list(differences(db)) == []


def test_what_the_kitty_lacks_everybody_bears_whoever_was_to_keep_it(host: Host, db: Session) -> None:
    sitting = Sitting(db, make_session(db, group=host.group))
    sitting.stake(2)
    sitting.record(HALF_MADE)
    sitting.share(2, 8)
    sitting.close(Choices(keeper=3))

    sitting.void(1)
    sitting.close(Choices(keeper=3))

    page = settlement(host, sitting.made)
    assert sums_of(page)["Dan"] == ["−2", "−2"]
    assert "keeps the kitty" not in host.get(f"/sessions/{sitting.made.id}/history").text
    assert list(differences(db)) == []


def test_without_a_disputed_deal_its_stakes_would_be_gone_too(host: Host, db: Session) -> None:
    sitting = Sitting(db, make_session(db, group=host.group))
    sitting.stake(3)
    sitting.record(HALF_MADE)
    page = choose(settlement(host, sitting.made), keeper="1")
    page.form("/close").submit("End")
    dispute_deal(db, DisputeDeal(**sitting.made.command(db), number=1, disputed=True))

    page = settlement(host, sitting.made)

    (section,) = under(page, "Deal 1 is disputed")
    assert "Nothing in its place." in section.get_text()
    assert {item.get_text(strip=True) for item in section.select("li")} == {row[0] for row in payments_of(page)}


@pytest.mark.parametrize(("amount", "message"), [("-1", "Enter a whole number of chips."), ("3", "It is so already.")])
def test_what_cannot_be_a_stake_is_refused_beside_its_field(host: Host, db: Session, amount: str, message: str) -> None:
    session = make_session(db, group=host.group)
    page = stake(costs(host, session), "3")
    before = dump(db)

    page = stake(page, amount)

    assert page.status == 422
    assert page.errors() == {"stake-amount": message}
    assert dump(db) == before


def test_the_stake_stays_as_it_is_once_the_session_has_ended(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = costs(host, session)
    close_session(db, session.plain_command(db))
    before = dump(db)

    assert stake(page, "5").status == 409
    with pytest.raises(SessionClosed):
        set_stake(db, SetStake(**session.command(db), amount=5))
    assert dump(db) == before


def test_a_stake_that_somebody_else_set_meanwhile_is_shown_before_it_is_saved(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = costs(host, session)
    set_stake(db, SetStake(**session.command(db), amount=5))

    page = stake(page, "7")

    assert page.status == 409
    assert "For each deal everybody who plays it puts in 5 chips." in page.text
    assert page.form("/costs/stake").data["stake-amount"] == "7"
    stake(page, "7")
    assert "puts in 7 chips." in costs(host, session).text

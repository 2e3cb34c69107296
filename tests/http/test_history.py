"""Why a deal brought what it did, and what it said before."""

from urllib.parse import urljoin

from flask import Flask
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from scorekeeper.ledger import Choices
from scorekeeper.models import Deal, Player
from scorekeeper.rules import Seat
from scorekeeper.services import check
from scorekeeper.services.costs import AddCost, SetStake, TakeBackCost, add_cost, set_stake, take_back_cost
from scorekeeper.services.deals import DisputeDeal, VoidDeal, dispute_deal, void_deal
from scorekeeper.services.groups import Role
from scorekeeper.services.seats import SeatPlayers, Sitter, seat_players
from scorekeeper.services.sessions import close_session, reopen_session
from scorekeeper.sessionfile import Chip
from scorekeeper.web.history import EVENTS
from tests.factories import FIVE_IN_SPADES_MADE, HALF_MADE, MadeSession, make_deal, make_group, make_link, make_session
from tests.http.conftest import Host
from tests.http.deals import deal_form, seat
from tests.http.test_gates import MOST_STATEMENTS, statements
from tests.http.visitor import Page, Visitor


def history(page: Page) -> list[str]:
    """What became of the deal, latest first, without the times."""
    for time in page.soup.select(".index .quiet-text:not(p)"):
        time.decompose()
    return [" ".join(item.get_text(" ").split()) for item in page.soup.select(".index > li")]


def test_the_lines_explain_the_change_of_every_player(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    make_deal(db, session, {**FIVE_IN_SPADES_MADE, "tricks": 8})

    page = host.get(f"/sessions/{session.id}/deals/2")

    assert [line.get_text() for line in page.soup.select("section ol:not(.index) li")] == [
        "Ben played Five: Spades.",
        "8 of 8 tricks were taken, and 5 needed: made.",
        "With every trick taken: 2 chips a head instead of 1.",
        "Cleo pays Ben 2 chips.",
        "Dan pays Ben 2 chips.",
        "Ann pays Ben 2 chips.",
    ]
    rows = [[cell.get_text(strip=True) for cell in row.select("th, td")] for row in page.soup.select("tbody tr")]
    assert rows == [
        ["Ann", "+1", "−2", "−1"],
        ["Ben", "−1", "+6", "+5"],
        ["Cleo", "+1", "−2", "−1"],
        ["Dan", "−1", "−2", "−3"],
    ]


def test_every_number_of_the_sheet_leads_to_its_reason(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    make_deal(db, session)

    page = host.get(f"/sessions/{session.id}")

    for number, row in zip((2, 1), page.soup.select(".sheet tbody"), strict=True):
        deal = f"/sessions/{session.id}/deals/{number}"
        links = [urljoin(page.path, str(link["href"])) for link in row.select("a")]
        assert links == [deal, *(f"{deal}/why/{seat}" for seat in range(4))]
    seats = [f"/sessions/{session.id}/seats/{seat}/why" for seat in range(4)]
    assert [seat["href"] for seat in page.soup.select(".seat a")] == seats


def test_every_version_is_kept_with_what_changed(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    path = f"/sessions/{session.id}/deals/1"
    page = deal_form(host.get(f"{path}/correct")).fill(partner=1, tricks=4).submit("Show the payments")
    deal_form(page).submit("Save the correction")
    host.get(path).follow("Void this deal").form("/void").submit()
    host.get(path).forms()[0].submit("Restore")

    assert history(host.get(path)) == [
        "Restored",
        "Voided",
        "Corrected Partner: Cleo → Ben Tricks: 5 → 4",
        "Recorded: Half, Clubs: Ann with Cleo Contract: Half Declarer: Ann Partner: Cleo Trump: Clubs Tricks: 5",
    ]


def test_a_dealer_by_hand_is_named_and_whoever_sat_out_took_no_tricks(app: Flask, db: Session) -> None:
    host = Host(app, make_group(db, players=("Ann", "Ben", "Cleo", "Dan", "Eve")))
    session = make_session(db, group=host.group, card_game="dirty-clubs", seats=5)
    make_deal(db, session, {"turn_up": "clubs", "tricks": [2, 0, 1, 1, 1], "dealer": 1})

    assert "Tricks: Ann 2, Cleo 1, Dan 1, Eve 1 Dealer: Ben" in history(host.get(f"/sessions/{session.id}/deals/1"))[0]


def test_a_correction_of_what_is_left_out_shows_the_gap(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session, {**HALF_MADE, "called_card": "10H"})
    path = f"/sessions/{session.id}/deals/1"
    page = deal_form(host.get(f"{path}/correct")).fill(called_card="").submit("Show the payments")
    deal_form(page).submit("Save the correction")

    assert history(host.get(path))[0] == "Corrected Called card: 10 of hearts → –"


def test_a_deal_in_a_shape_nobody_writes_any_more_shows_its_stored_numbers(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    old = {"contract": "half", "who": {"bid": "Ann"}, "declarer": "Ann", "trump": ["clubs"], "tricks": None}
    db.execute(update(Deal).where(Deal.session_id == session.id).values(facts=old))
    db.commit()

    page = host.get(f"/sessions/{session.id}/deals/1")

    assert page.status == 200
    assert "Ann 0 +1 +1" in page.text
    for path in ("", "/deals/1/correct", "/deals?before=2"):
        assert host.get(f"/sessions/{session.id}{path}").status == 200


def test_strangers_and_numbers_that_do_not_exist_show_nothing(host: Host, stranger: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)

    assert stranger.get(f"/sessions/{session.id}/deals/1").status == 404
    for number in ("0", "2", "-1", "99999999999999999999", "x"):
        assert host.get(f"/sessions/{session.id}/deals/{number}").status == 404


def test_every_kind_of_change_has_its_words() -> None:
    money = {"paid", "unpaid", "cost", "no-cost", "stake"}
    said_with_numbers = {"record", "open", "buy-in", "cash-out", "adjustment", "count", "seats", *money}
    assert said_with_numbers | EVENTS.keys() == {*check._POSTS, *check._POSTS_NOTHING}


def lines(page: Page) -> list[str]:
    """What was done, latest first, without when and by whom."""
    for when in page.soup.select(".index .hint"):
        when.decompose()
    return [" ".join(item.get_text(" ").split()) for item in page.soup.select(".index > li")]


def hands(page: Page) -> list[str]:
    """When, and by whom, each line says that it was done."""
    return [hint.get_text(strip=True) for hint in page.soup.select(".index .hint")]


def test_the_history_of_a_session_says_what_was_done_in_order(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, buy_in=20)
    make_deal(db, session)
    void_deal(db, VoidDeal(**session.command(db), number=1))

    page = host.get(f"/sessions/{session.id}/deals").follow("History")

    assert lines(page) == [
        "3 Deal 1 was voided.",
        "2 Deal 1 was recorded.",
        "1 The session began. Everybody bought 20 chips.",
    ]
    for line in page.soup.select(".index a"):
        assert host.get(str(line["href"])).path == f"/sessions/{session.id}/deals/1"


def test_a_line_that_names_a_deal_leads_to_it(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    make_deal(db, session)
    void_deal(db, VoidDeal(**session.command(db), number=1))
    dispute_deal(db, DisputeDeal(**session.command(db), number=2, disputed=True))

    page = host.get(f"/sessions/{session.id}/history")

    led = {link.get_text(" ", strip=True).split(" ", 1)[1]: str(link["href"]) for link in page.soup.select(".index a")}
    assert led == {
        "Deal 2 was disputed.": f"/sessions/{session.id}/deals/2",
        "Deal 1 was voided.": f"/sessions/{session.id}/deals/1",
        "Deal 2 was recorded.": f"/sessions/{session.id}/deals/2",
        "Deal 1 was recorded.": f"/sessions/{session.id}/deals/1",
    }


def test_the_end_says_how_it_was_to_be_settled_and_leads_to_the_plan(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, chip=Chip(25, "EUR", 2))
    set_stake(db, SetStake(**session.command(db), amount=1))
    make_deal(db, session)
    close_session(db, session.plain_command(db), Choices(banker=1, least=50, step=5, apart=((2, 3),), keeper=0))

    page = host.get(f"/sessions/{session.id}/history")

    (end, *_others) = lines(page)
    assert end == (
        "4 The session ended, and its settlement was drawn up. Whoever can pays or gets through Ben. No payment is"
        " below €0.50. Every payment is a multiple of €0.05. Cleo and Dan do not pay each other directly."
        " Ann keeps the kitty."
    )
    assert page.follow("The session ended").path == f"/sessions/{session.id}/settlement"


def test_a_settlement_that_was_discarded_is_still_led_to(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    close_session(db, session.plain_command(db), Choices(banker=1))
    reopen_session(db, session.plain_command(db))

    page = host.get(f"/sessions/{session.id}/history")

    (discarded,) = [link for link in page.soup.select(".index a") if "discarded" in link.get_text()]
    path, anchor = str(discarded["href"]).split("#")
    (plan,) = host.get(path).soup.select(f"#{anchor}")
    assert "Ann pays Ben 1 chip." in plan.get_text()
    assert page.follow("The session ended").path == path


def test_who_was_seated_anew_is_said(app: Flask, db: Session) -> None:
    host = Host(app, make_group(db, players=("Ann", "Ben", "Cleo", "Dan", "Eve", "Flo")))
    session = make_session(db, group=host.group)
    ann, _ben, cleo, dan, eve, flo = db.scalars(select(Player.id).order_by(Player.id)).all()
    sitters = (Sitter(ann), Sitter(eve), Sitter(cleo), Sitter(dan), Sitter(flo, Seat(1)))
    seat_players(db, SeatPlayers(**session.command(db), sitters=sitters))

    page = host.get(f"/sessions/{session.id}/history")

    assert lines(page)[0] == "2 Seated anew: Ann, Eve, Cleo, Dan, Flo for Ben."


def test_what_a_cost_was_for_is_kept_when_it_is_taken_back(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    add_cost(db, AddCost(**session.command(db), payer=0, amount=4, seats=(0, 1), note="Beer & <pretzels>"))
    take_back_cost(db, TakeBackCost(**session.command(db), cost=2))

    page = host.get(f"/sessions/{session.id}/history")

    assert lines(page)[:2] == [
        "3 A cost was taken back: Ann −2, Ben +2. Beer & <pretzels>",
        "2 A cost was noted: Ann +2, Ben −2. Beer & <pretzels>",
    ]


def test_the_history_asks_few_questions_whatever_happened(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    seat(db, session, "Ben", "Ann", "Cleo", "Dan")
    make_deal(db, session)
    add_cost(db, AddCost(**session.command(db), payer=0, amount=4, seats=(0, 1)))
    close_session(db, session.plain_command(db))
    reopen_session(db, session.plain_command(db))

    with statements() as seen:
        host.get(f"/sessions/{session.id}/history")

    assert len(seen) <= MOST_STATEMENTS


def test_by_which_link_is_said_to_those_who_may_know(app: Flask, host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    scorer = make_link(db, host.group.group_id, Role.SCORER, "Ben's")
    viewer = make_link(db, host.group.group_id, Role.VIEWER)
    make_deal(db, MadeSession(session.id, scorer))

    page = host.get(f"/sessions/{session.id}/history")
    assert [hand.rsplit(" · ")[-1] for hand in hands(page)] == ["Ben's", "A host’s link"]

    watching = Visitor(app)
    watching.get(f"/open/{viewer.token}")
    page = watching.get(f"/sessions/{session.id}/history")
    assert "Deal 1 was recorded." in page.text
    assert "Ben's" not in page.text
    assert not [hint for hint in hands(page) if "·" in hint]


def test_a_long_history_is_shown_a_page_at_a_time(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    for _deal in range(40):
        make_deal(db, session)

    page = host.get(f"/sessions/{session.id}/history")
    older = page.follow("Older")

    assert [line.split()[0] for line in lines(page) + lines(older)] == [str(number) for number in range(41, 0, -1)]

"""The settlement: what is paid, what is still owed, and that it adds up whatever was bought and cashed out."""

import itertools

import pytest
from sqlalchemy.orm import Session

from scorekeeper.rules import Seat
from scorekeeper.services.check import differences
from scorekeeper.services.deals import CorrectDeal, correct_deal
from scorekeeper.services.sessions import Adjust, MoveChips, adjust, buy_in, cash_out, close_session
from scorekeeper.sessionfile import Chip
from tests.factories import FIVE_IN_SPADES_MADE, HALF_MADE, MadeSession, make_deal, make_group, make_session
from tests.http.conftest import Host
from tests.http.evidence import dump, number_of, payments_of, standings_of, sums_of, under
from tests.http.visitor import Page


def settlement(host: Host, session: MadeSession) -> Page:
    return host.get(f"/sessions/{session.id}/settlement")


def move(db: Session, session: MadeSession, *chips: int) -> None:
    adjust(db, Adjust(**session.command(db), chips=chips, note="as counted"))


def ended(db: Session, session: MadeSession) -> None:
    close_session(db, session.plain_command(db))


def pay(page: Page, sentence: str) -> Page:
    """Press "Paid" beside a payment."""
    return next(form for form in page.forms() if sentence in form.element.get_text(" ")).submit("Paid")


def test_a_payment_is_marked_and_the_others_stay_as_they_are(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    move(db, session, -9, -7, 12, 4)
    ended(db, session)
    page = settlement(host, session)
    sentences = [sentence for sentence, _paid in payments_of(page)]
    assert sentences == ["Ann pays Cleo 9 chips.", "Ben pays Cleo 3 chips.", "Ben pays Dan 4 chips."]

    # Whichever is paid first.
    for place, sentence in enumerate(sentences):
        page = pay(page, sentence)
        assert payments_of(page) == [(one, other <= place) for other, one in enumerate(sentences)]

    assert list(differences(db)) == []
    assert {sums[-1] for sums in sums_of(page).values()} == {"0"}


def test_each_payment_credits_its_own_two_people(host: Host, db: Session) -> None:
    for order in itertools.permutations(range(3)):
        session = make_session(db, group=host.group)
        move(db, session, -9, -7, 12, 4)
        ended(db, session)
        page = settlement(host, session)
        sentences = [sentence for sentence, _paid in payments_of(page)]
        first = sentences[order[0]]
        payer, payee = first.split()[0], first.split()[2]

        page = pay(page, first)

        sums = sums_of(page)
        assert {name for name, lines in sums.items() if len(lines) > 2} == {payer, payee}


def test_a_payment_can_be_taken_back(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    move(db, session, -5, 5, 0, 0)
    ended(db, session)

    page = pay(pay(settlement(host, session), "Ann pays Ben"), "Ann pays Ben")

    assert payments_of(page) == [("Ann pays Ben 5 chips.", False)]
    log = host.get(f"/sessions/{session.id}/chips").text
    assert "Ann had not paid Ben 5 chips after all." in log
    assert "Ann paid Ben 5 chips." in log
    assert list(differences(db)) == []


def test_a_button_pressed_twice_pays_once(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    move(db, session, -5, 5, 0, 0)
    ended(db, session)
    form = next(form for form in settlement(host, session).forms() if "/transfers/" in form.action)

    form.submit("Paid")
    before = dump(db)
    page = form.submit("Paid")

    assert payments_of(page) == [("Ann pays Ben 5 chips.", True)]
    assert dump(db) == before


def test_a_button_of_a_page_that_is_stale_changes_nothing(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    move(db, session, -5, 5, 0, 0)
    ended(db, session)
    old = settlement(host, session)
    settlement(host, session).form("/reopen").submit("Reopen")
    before = dump(db)

    page = pay(old, "Ann pays Ben")

    assert page.status == 409
    assert dump(db) == before


@pytest.mark.parametrize("paid", ["2", "", "yes", None])
def test_paid_is_yes_or_no(host: Host, db: Session, paid: str | None) -> None:
    session = make_session(db, group=host.group)
    move(db, session, -5, 5, 0, 0)
    ended(db, session)
    form = next(form for form in settlement(host, session).forms() if "/transfers/" in form.action)
    before = dump(db)

    page = host.post(form.action, data={**form.data.to_dict(), **({} if paid is None else {"paid": paid})})

    assert page.status == 400
    assert dump(db) == before


def test_no_payment_of_another_session_is_touched(host: Host, db: Session) -> None:
    one, other = (make_session(db, group=host.group) for _ in range(2))
    move(db, one, -5, 5, 0, 0)
    ended(db, one)
    form = next(form for form in settlement(host, one).forms() if "/transfers/" in form.action)
    for _ in range(2):
        make_deal(db, other)
    ended(db, other)
    action = form.action.replace(f"/sessions/{one.id}/", f"/sessions/{other.id}/")
    before = dump(db)

    page = host.post(action, data=form.data | {"paid": "1"})

    assert page.status == 409
    assert dump(db) == before


def test_a_correction_after_the_end_asks_for_a_new_settlement(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    ended(db, session)
    page = pay(settlement(host, session), "Ann pays Ben 1 chip.")
    assert "no longer settle" not in page.text
    correct_deal(db, CorrectDeal(**session.command(db), number=1, facts={**FIVE_IN_SPADES_MADE, "declarer": 2}))

    page = settlement(host, session)
    assert "no longer settle" in page.text
    assert standings_of(page)[0] == ["1", "Cleo", "+3"]

    page = page.form("/reopen").submit("Work it out again")

    assert page.path == f"/sessions/{session.id}/settlement"
    assert "no longer settle" not in page.text
    assert ("Ann pays Ben 1 chip.", True) in payments_of(page)
    assert_everybody_gets_what_is_theirs(page, {"Ann": -1, "Ben": -1, "Cleo": 3, "Dan": -1})
    assert list(differences(db)) == []


def test_a_correction_that_changes_no_chips_leaves_the_settlement_alone(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session, HALF_MADE)
    ended(db, session)
    correct_deal(db, CorrectDeal(**session.command(db), number=1, facts={**HALF_MADE, "tricks": 6}))

    page = settlement(host, session)

    assert "no longer settle" not in page.text
    assert "Work it out again" not in page.text


@pytest.mark.parametrize(
    ("chip", "sentence"),
    [
        (Chip(25, "EUR", 2), "Ann pays Ben 12 chips, €3.00."),
        (Chip(100, "JPY", 0), "Ann pays Ben 12 chips, ¥1,200."),
        (Chip(125, "BHD", 3), "Ann pays Ben 12 chips, BHD 1.500."),
    ],
)
def test_chips_are_worth_money_with_the_decimals_of_the_currency(
    host: Host, db: Session, chip: Chip, sentence: str
) -> None:
    session = make_session(db, group=host.group, chip=chip)
    move(db, session, -12, 12, 0, 0)

    page = settlement(host, session)

    assert payments_of(page) == [(sentence.replace("BHD ", "BHD\N{NO-BREAK SPACE}"), False)]


def test_five_people_settle_in_three_payments(host: Host, db: Session) -> None:
    group = make_group(db, players=("Ann", "Ben", "Cleo", "Dan", "Eve"))
    five = Host(host.app, group)
    rules = {"players": 5, "cards": 32, "stake_loser": 1}
    session = make_session(db, group=group, card_game="dirty-clubs", house_rules=rules)
    move(db, session, 5, 4, -4, -3, -2)

    page = settlement(five, session)

    assert [sentence for sentence, _paid in payments_of(page)] == [
        "Cleo pays Ben 4 chips.",
        "Dan pays Ann 3 chips.",
        "Eve pays Ann 2 chips.",
    ]


def test_bought_chips_come_back_and_one_line_proves_it(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, buy_in=40)
    move(db, session, -12, 16, 0, -4)

    page = settlement(host, session)

    assert "Bought 160, on the table 160, paid out 160." in page.text
    assert "The bank pays everybody 40 chips." in page.text
    assert_everybody_gets_what_is_theirs(page, {"Ann": -12, "Ben": 16, "Cleo": 0, "Dan": -4})


def test_without_chips_bought_the_line_is_about_what_was_won(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    move(db, session, -12, 16, 0, -4)

    page = settlement(host, session)

    assert "Won 16, lost 16: it adds up." in page.text
    assert not under(page, "The bank")


def test_whoever_cashed_out_their_winnings_is_not_paid_a_second_time(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, buy_in=40)
    move(db, session, 7, -7, 0, 0)
    cash_out(db, MoveChips(**session.command(db), seat=Seat(0), chips=47))

    page = settlement(host, session)

    assert payments_of(page) == []
    assert "Bought 160; cashed out 47, on the table 113; paid out 160." in page.text
    bank = under(page, "The bank")[0].get_text(" ", strip=True)
    assert "Ann" not in bank
    assert "The bank pays Ben 33 chips." in bank
    assert "The bank pays Cleo 40 chips." in bank


CHIPS = [
    # Bought, won, cashed out by each seat.
    ((40, 40, 40, 40), (7, -7, 0, 0), (47, 0, 0, 0)),
    ((40, 40, 40, 40), (7, -7, 0, 0), (20, 20, 0, 0)),
    ((40, 40, 40, 40), (30, -10, -10, -10), (70, 30, 30, 30)),
    ((40, 0, 0, 0), (-30, 10, 10, 10), (0, 10, 10, 0)),
    ((10, 20, 30, 0), (-25, 15, 15, -5), (0, 35, 20, 0)),
    ((0, 0, 0, 0), (9, -4, -3, -2), (9, 0, 0, 0)),
]


@pytest.mark.parametrize(("bought", "won", "cashed"), CHIPS)
def test_it_adds_up_whatever_was_bought_and_cashed_out(
    host: Host, db: Session, bought: tuple[int, ...], won: tuple[int, ...], cashed: tuple[int, ...]
) -> None:
    session = make_session(db, group=host.group)
    for seat, chips in enumerate(bought):
        if chips:
            buy_in(db, MoveChips(**session.command(db), seat=Seat(seat), chips=chips))
    move(db, session, *won)
    for seat, chips in enumerate(cashed):
        if chips:
            cash_out(db, MoveChips(**session.command(db), seat=Seat(seat), chips=chips))

    page = settlement(host, session).form("/close").submit()

    assert "no longer settle" not in page.text
    # What everybody paid the bank and got from it, and what they pay and get now, leaves what they won.
    money = {name: cashed[seat] - bought[seat] for seat, name in enumerate(("Ann", "Ben", "Cleo", "Dan"))}
    for sentence, _done in payments_of(page):
        payer, _pays, payee, paid, *_rest = sentence.split()
        money[payer] -= number_of(paid)
        money[payee] += number_of(paid)
    for item in page.soup.select("section ul:not(.transfers) li"):
        words = item.get_text().split()
        if words[:2] == ["The", "bank"]:
            for name in money if words[3] == "everybody" else [words[3]]:
                money[name] += number_of(words[4])
        else:
            money[words[0]] -= number_of(words[4])
    assert list(money.values()) == list(won)


def assert_everybody_gets_what_is_theirs(page: Page, won: dict[str, int]) -> None:
    """The lines of everybody's sum add up to what is shown, and the payments together bring what was *won*."""
    for name, sums in sums_of(page).items():
        assert sum(map(number_of, sums[:-1])) == number_of(sums[-1]), name
    got = dict.fromkeys(won, 0)
    for sentence, _paid in payments_of(page):
        payer, _pays, payee, chips, *_rest = sentence.split()
        got[payer] -= number_of(chips)
        got[payee] += number_of(chips)
    assert got == won

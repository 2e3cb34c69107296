"""The settlement: what is paid, what is still owed, and that it adds up whatever was bought and cashed out."""

import itertools

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from scorekeeper.models import Settlement, Transfer
from scorekeeper.rules import Seat
from scorekeeper.services.check import differences
from scorekeeper.services.sessions import Adjust, MoveChips, adjust, buy_in, cash_out, close_session
from scorekeeper.sessionfile import Chip
from tests.factories import FIVE_IN_SPADES_MADE, MadeSession, make_deal, make_group, make_session
from tests.http.conftest import Host
from tests.http.deals import HALF_BY_ANN, deal_form, fill_in
from tests.http.evidence import dump, number_of, payments_of, standings_of, sums_of, under
from tests.http.test_correct_deal import correct
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
    log = host.get(f"/sessions/{session.id}/history").text
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


def part(page: Page, sentence: str, amount: str) -> Page:
    """Say that only so much of a payment is paid."""
    forms = (form for form in page.forms() if form.action.endswith("/part"))
    item = next(form for form in forms if sentence in form.element.find_parent("li").get_text(" "))  # type: ignore[union-attr]
    return item.fill(amount=amount).submit("This part is paid")


def owed_by_ann(host: Host, db: Session, chip: Chip | None = None) -> tuple[MadeSession, Page]:
    """A session that has ended, in which Ann owes Ben five chips and Cleo owes Dan one."""
    session = make_session(db, group=host.group, chip=chip)
    move(db, session, -5, 5, -1, 1)
    ended(db, session)
    return session, settlement(host, session)


def test_a_payment_is_made_in_parts_and_each_can_be_taken_back(host: Host, db: Session) -> None:
    session, page = owed_by_ann(host, db, Chip(100, "EUR", 2, 3))
    assert payments_of(page) == [("Ann pays Ben €1.67.", False), ("Cleo pays Dan €0.33.", False)]

    page = part(page, "Ann pays Ben", "1,00")
    assert "€1.00 paid" in page.text
    assert "(€0.67 still open)" in page.text
    assert sums_of(page)["Ann"][-1] == "−€0.67"
    page = part(page, "Ann pays Ben", ".50")
    page = pay(page, "Ann pays Ben €1.67.")
    assert payments_of(page) == [("Ann pays Ben €1.67.", True), ("Cleo pays Dan €0.33.", False)]
    assert sums_of(page)["Ann"][-1] == "€0.00"

    taken = [form for form in page.forms() if form.action.endswith("/take-back")]
    assert len(taken) == 3
    page = taken[1].submit()

    assert "(€0.50 still open)" in page.text
    assert payments_of(page) == [("Ann pays Ben €1.67.", False), ("Cleo pays Dan €0.33.", False)]
    log = host.get(f"/sessions/{session.id}/history").text
    assert "Ann paid Ben €1.00." in log
    assert "Ann had not paid Ben €0.50 after all." in log
    assert list(differences(db)) == []


@pytest.mark.parametrize(
    ("chip", "amount", "message"),
    [
        (None, "6", "That is more than is still to be paid."),
        (None, "0", "Say how much was paid."),
        (None, "1.5", "Enter a whole number of chips."),
        (None, "", "Enter a whole number of chips."),
        (Chip(100, "EUR", 2), "5.01", "That is more than is still to be paid."),
        (Chip(100, "EUR", 2), "0", "Say how much was paid."),
        (Chip(100, "EUR", 2), "-1", "An amount cannot be negative."),
        (Chip(100, "EUR", 2), "1,523", "This could mean €1.52 or €1,523.00. Write it without a mark for thousands."),
        (Chip(100, "JPY", 0), "0.5", "JPY has no decimals: give a whole amount."),
    ],
)
def test_a_part_that_cannot_be_is_refused_beside_its_field(
    host: Host, db: Session, chip: Chip | None, amount: str, message: str
) -> None:
    _, page = owed_by_ann(host, db, chip)
    before = dump(db)

    page = part(page, "Ann pays Ben", amount)

    assert page.status == 422
    assert list(page.errors().values()) == [message]
    (field,) = page.soup.select("input[aria-invalid]")
    assert field["value"] == amount
    assert dump(db) == before


def test_what_has_been_paid_cannot_be_paid_again(host: Host, db: Session) -> None:
    _, page = owed_by_ann(host, db)
    form = next(form for form in page.forms() if "/transfers/" in form.action)
    fresh = form.submit().form("/reopen").data["expected_version"]
    before = dump(db)

    again = {**form.data.to_dict(), "expected_version": str(fresh), "submission_id": "f" * 32}
    assert host.post(form.action, data=again).status == 409
    assert host.post(f"{form.action}/part", data={**again, "amount": "1"}).status == 409
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


def steps_of(page: Page) -> list[str]:
    """The states of a settlement, the present one marked."""
    return [
        f"{'*' if step.has_attr('aria-current') else ''}{step.get_text()}" for step in page.soup.select(".steps li")
    ]


def test_it_goes_from_playing_to_settling_to_settled_and_back(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    move(db, session, -5, 5, 0, 0)
    page = settlement(host, session)
    assert steps_of(page) == ["*Playing", "Settling", "Settled"]
    page = page.form("/close").submit("End")
    assert steps_of(page) == ["Playing", "*Settling", "Settled"]
    page = pay(page, "Ann pays Ben")
    assert steps_of(page) == ["Playing", "Settling", "*Settled"]
    page = pay(page, "Ann pays Ben")
    assert steps_of(page) == ["Playing", "*Settling", "Settled"]
    page.form("/reopen").submit()
    assert steps_of(settlement(host, session)) == ["*Playing", "Settling", "Settled"]


def test_a_correction_after_the_end_asks_and_then_discards_the_settlement(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    ended(db, session)
    pay(settlement(host, session), "Ann pays Ben 1 chip.")
    before = dump(db)

    asked = correct(host, session.id, 1, declarer=2)

    assert asked.status == 409
    assert "Discard the settlement?" in asked.text
    assert dump(db) == before
    page = asked.form("/correct").submit("Discard it and go on")

    assert page.status == 200
    page = settlement(host, session)
    assert standings_of(page)[0] == ["1", "Cleo", "+3"]
    assert steps_of(page)[0] == "*Playing"
    assert ("Ann pays Ben 1 chip.", True) in payments_of(page)
    assert_everybody_gets_what_is_theirs(page, {"Ann": -1, "Ben": -1, "Cleo": 3, "Dan": -1})
    assert "The settlement was discarded." in host.get(f"/sessions/{session.id}/history").text
    (earlier,) = under(page, "Earlier plans")
    assert [item.get_text() for item in earlier.select("li")] == [
        "Ann pays Ben 1 chip.",
        "Cleo pays Ben 1 chip.",
        "Dan pays Ben 1 chip.",
    ]
    assert list(differences(db)) == []
    page = page.form("/close").submit("End")
    assert_everybody_gets_what_is_theirs(page, {"Ann": -1, "Ben": -1, "Cleo": 3, "Dan": -1})


def test_a_deal_entered_while_the_session_was_ended_asks_too(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = deal_form(fill_in(host, f"/sessions/{session.id}/deals/new", **HALF_BY_ANN))
    ended(db, session)
    asked = deal_form(form.submit("Record")).submit("Record")
    assert asked.status == 409

    page = asked.form("/deals").submit("Discard it and go on")

    assert page.path == f"/sessions/{session.id}"
    assert payments_of(settlement(host, session))[0] == ("Ben pays Ann 1 chip.", False)
    assert list(differences(db)) == []


@pytest.mark.parametrize(
    ("chip", "sentence"),
    [
        (Chip(25, "EUR", 2), "Ann pays Ben 12 chips, €3.00."),
        (Chip(100, "JPY", 0), "Ann pays Ben 12 chips, JP¥1,200."),
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

    page = settlement(host, session).form("/close").submit("End")

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


def choose(page: Page, **chosen: str | list[str]) -> Page:
    """Say how to settle, and look at the payments."""
    return next(form for form in page.forms() if "step" in form.data).fill(**chosen).submit("Show the payments")


def test_how_to_settle_is_looked_at_and_then_drawn_up_so(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, chip=Chip(100, "EUR", 2, 3))
    move(db, session, -8, 10, -1, -1)
    before = dump(db)

    page = choose(settlement(host, session), step="0.50", least="1", apart="0-1")

    planned = [("Ann pays Dan €2.50.", False), ("Cleo pays Ben €3.50.", False), ("Dan pays Cleo €3.00.", False)]
    left = [
        "Left open: Ann, €0.17 to pay.",
        "Left open: Ben, €0.17 to pay.",
        "Left open: Cleo, €0.17 to get.",
        "Left open: Dan, €0.17 to get.",
    ]
    assert payments_of(page) == planned
    assert [item.get_text() for item in under(page, "Who pays whom")[0].select("ul:not(.transfers) li")] == left
    assert dump(db) == before
    page = page.form("/close").submit("End")
    assert payments_of(page) == planned
    assert all(sentence in page.text for sentence in left)
    for sentence in (
        "No payment is below €1.00.",
        "Every payment is a multiple of €0.50.",
        "Ann and Ben do not pay each other directly.",
    ):
        assert sentence in page.text
    assert list(differences(db)) == []


def test_what_is_chosen_counts_when_the_session_is_ended_without_a_look_at_it(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    move(db, session, -8, 10, -1, -1)

    page = settlement(host, session).form("/close").fill(banker="3", least="2").submit("End the session")

    assert [sentence for sentence, _ in payments_of(page)] == ["Ann pays Dan 8 chips.", "Dan pays Ben 9 chips."]
    assert "Everybody pays or gets through Dan." in page.text
    # Cleo does not pay her one chip to Dan, who is not to make up for it.
    assert "Left open: Ben, 1 chip to get." in page.text
    assert "Left open: Cleo, 1 chip to pay." in page.text


def test_everybody_settles_through_a_banker(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    move(db, session, -8, 10, -1, -1)

    page = choose(settlement(host, session), banker="3").form("/close").submit("End")

    assert [sentence for sentence, _ in payments_of(page)] == [
        "Ann pays Dan 8 chips.",
        "Cleo pays Dan 1 chip.",
        "Dan pays Ben 10 chips.",
    ]
    assert "Everybody pays or gets through Dan." in page.text


def test_the_next_plan_begins_with_the_choices_of_the_one_that_was_discarded(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, chip=Chip(100, "EUR", 2))
    move(db, session, -8, 10, -1, -1)
    chosen = {"banker": "3", "least": "0.50", "step": "0.20", "apart": ["0-1", "1-2"]}
    page = settlement(host, session).form("/close").fill(**chosen).submit("End the session")
    drawn = payments_of(page)
    assert drawn[0][0] == "Ann pays Dan 8 chips, €8.00."
    page.form("/reopen").submit()

    page = settlement(host, session)
    assert payments_of(page) == drawn
    assert "Chosen as for the plan that was discarded." in page.text
    data = page.form("/close").data
    assert {name: data.getlist(name) for name in chosen} == {
        "banker": ["3"],
        "least": ["0.50"],
        "step": ["0.20"],
        "apart": ["0-1", "1-2"],
    }
    # Until something else is chosen: nothing, for one.
    page = choose(page, banker="", least="", step="", apart=[])
    assert payments_of(page)[0] == ("Ann pays Ben 8 chips, €8.00.", False)
    assert "Chosen as for" not in page.text
    page = page.form("/close").submit("End")
    assert payments_of(page)[0] == ("Ann pays Ben 8 chips, €8.00.", False)


def test_a_correction_keeps_who_cannot_pay_whom(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    settlement(host, session).form("/close").fill(apart=["0-2"]).submit("End the session")

    correct(host, session.id, 1, declarer=2).form("/correct").submit("Discard it and go on")

    page = settlement(host, session)
    assert "Ann and Cleo do not pay each other directly." in page.text
    assert not any("Ann pays Cleo" in sentence for sentence, _paid in payments_of(page))


@pytest.mark.parametrize("chips", [(-4, 0, 4, 0), (-9, 3, 3, 3), (-5, 5, -4, 4)], ids=["one", "several", "some"])
def test_what_is_left_open_is_a_rest_however_much_was_to_be_paid(
    host: Host, db: Session, chips: tuple[int, ...]
) -> None:
    session = make_session(db, group=host.group, chip=Chip(100, "EUR", 2))
    move(db, session, *chips)
    page = settlement(host, session).form("/close").fill(least="5").submit("End the session")

    for sentence, _paid in payments_of(page):
        assert steps_of(page) == ["Playing", "*Settling", "Settled"]
        page = pay(page, sentence)

    assert steps_of(page) == ["Playing", "Settling", "*Settled, with a rest"]
    assert "Left open: " in page.text
    page.form("/reopen").submit()
    assert steps_of(settlement(host, session)) == ["*Playing", "Settling", "Settled"]


def test_through_a_banker_goes_what_can(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    move(db, session, -8, 10, -1, -1)

    page = choose(settlement(host, session), banker="0", apart=["0-2"])

    assert ("Cleo pays Ben 1 chip.", False) in payments_of(page)
    assert "Everybody pays" not in page.text
    assert "Whoever can pays or gets through Ann." in page.text


def test_a_step_says_that_it_does_not_hold_for_the_bank(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, chip=Chip(100, "EUR", 2, 3), buy_in=10)
    move(db, session, -8, 10, -1, -1)

    page = choose(settlement(host, session), step="0.50")

    (bank,) = under(page, "The bank")
    assert "What the bank pays out is not rounded." in bank.get_text()
    assert "What the bank pays out is not rounded." in page.soup.select("#step-hint")[0].get_text()


def test_a_plan_that_was_drawn_up_otherwise_once_is_sound_where_it_adds_up(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    move(db, session, -8, 10, -1, -1)
    settlement(host, session).form("/close").fill(banker="3", least="2").submit("End the session")
    # What was too little was left out of the plan when it was made, and Dan paid for Cleo.
    db.execute(update(Transfer).where(Transfer.payer == 3).values(amount=10))
    db.execute(update(Settlement).values(left_open={"2": -1, "3": 1}, remaining={"2": -1, "3": 1}))
    db.commit()
    assert list(differences(db)) == []

    db.execute(update(Settlement).values(left_open={"2": -1, "1": 1}, remaining={"2": -1, "1": 1}))
    db.commit()
    assert [difference.what for difference in differences(db)] == ["settlement 3"]


def test_what_a_step_leaves_goes_into_the_kitty_and_nothing_stays_open(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, chip=Chip(1, "EUR", 2))
    move(db, session, -67, 53, 12, 2)

    page = choose(settlement(host, session), step="0.05", rest="kitty")

    page = page.form("/close").submit("End")
    assert payments_of(page) == [("Ann pays Ben 55 chips, €0.55.", False), ("Ann pays Cleo 10 chips, €0.10.", False)]
    assert "Left open" not in page.text
    assert "What that leaves goes into the kitty." in page.text
    assert sums_of(page) == {
        "Ann": ["−€0.67", "+€0.02", "−€0.65"],
        "Ben": ["+€0.53", "+€0.02", "+€0.55"],
        "Cleo": ["+€0.12", "−€0.02", "+€0.10"],
        "Dan": ["+€0.02", "−€0.02", "€0.00"],
    }
    rests = [
        "Ann pays €0.02 less, out of the kitty.",
        "Ben gets €0.02 more, out of the kitty.",
        "Cleo gets €0.02 less, for the kitty.",
        "Dan gets €0.02 less, for the kitty.",
    ]
    assert " ".join(rests) in page.text
    for sentence in ("Ann pays Ben", "Ann pays Cleo"):
        page = pay(page, sentence)
    assert " ".join(rests) in page.text
    assert [step.get_text() for step in page.soup.select("[aria-current=step]")] == ["Settled"]
    assert list(differences(db)) == []


def test_the_page_says_who_was_rounded_up_to_the_next_step(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, chip=Chip(1, "EUR", 2))
    move(db, session, -67, 53, 12, 2)
    said = "To multiples of €0.05 all was rounded down, but for those who came closest to the next one, in this order: "

    page = choose(settlement(host, session), step="0.05")

    assert f"{said}Ann and Ben." in page.text
    page = pay(page.form("/close").submit("End"), "Ann pays Cleo")
    assert f"{said}Ann and Ben." in page.text


def test_the_lines_of_a_plan_that_does_not_settle_do_not_add_up(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, buy_in=10)
    move(db, session, -5, 5, 0, 0)
    ended(db, session)
    sums = [[int(line.replace("−", "-")) for line in lines] for lines in sums_of(settlement(host, session)).values()]
    assert [sum(lines) for *lines, _ in sums] == [total for *_, total in sums]

    db.execute(update(Transfer).values(amount=4))
    db.commit()

    sums = [[int(line.replace("−", "-")) for line in lines] for lines in sums_of(settlement(host, session)).values()]
    assert [total - sum(lines) for *lines, total in sums] == [1, -1, 0, 0]
    assert [difference.what for difference in differences(db)] == ["settlement 3"]


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("step", "1,523", "This could mean €1.52 or €1,523.00. Write it without a mark for thousands."),
        ("step", "0", "Enter an amount above zero."),
        ("least", "-1", "An amount cannot be negative."),
        ("banker", "9", "Choose a player."),
        ("rest", "pocket", "Choose what becomes of it."),
        ("apart", "0-9", "Choose two players."),
    ],
)
def test_a_choice_that_is_none_is_refused_beside_its_field(
    host: Host, db: Session, field: str, value: str, message: str
) -> None:
    session = make_session(db, group=host.group, chip=Chip(25, "EUR", 2))
    page = settlement(host, session)
    before = dump(db)

    looked = host.get(f"/sessions/{session.id}/settlement?{field}={value}")
    ended_so = host.post(f"/sessions/{session.id}/close", data={**page.form("/close").data.to_dict(), field: value})

    for answer in (looked, ended_so):
        assert answer.status == 422
        assert answer.errors() == {field: message}
    assert dump(db) == before


def test_what_was_rounded_is_said_with_who_got_it(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, chip=Chip(100, "EUR", 2, 3))
    move(db, session, 4, -1, -1, -2)

    page = settlement(host, session)

    said = "parts of €0.01 were rounded: in favour of those who came closest, in this order: Ben and Cleo; against the"
    assert said in page.text
    assert [sums[-1] for sums in sums_of(page).values()] == ["+€1.33", "−€0.33", "−€0.33", "−€0.67"]
    assert "were rounded" not in settlement(host, make_session(db, group=host.group, chip=Chip(25, "EUR", 2))).text


def names_of_lines(page: Page) -> dict[str, list[str]]:
    """What each line of everybody's sum is about, without what they come to."""
    return {
        str(details.bdi.get_text()): [cell.get_text() for cell in details.select("tbody th")]
        for details in under(page, "How it adds up")[0].select("details")
        if details.bdi is not None
    }


@pytest.mark.parametrize(
    ("chips", "results", "rounding"),
    [
        (
            (1, -1, 1, -1),
            [0, 0, 0, 0],
            "What was won or lost comes to less than JP¥1 for everybody, so nobody gets or pays it.",
        ),
        (
            (1, 0, -1, 0),
            [0, None, 0, None],
            "What was won or lost comes to less than JP¥1 for everybody, so nobody gets or pays it.",
        ),
        ((2, -1, -1, 0), [1, 0, -1, None], "in this order: Ann and Ben; against the others."),
        ((4, -1, -1, -2), [1, 0, 0, -1], "in this order: Ben and Cleo; against the others."),
        ((3, -3, 0, 0), [1, -1, None, None], ""),
    ],
)
def test_what_is_below_the_smallest_coin_has_its_line_and_nobody_is_said_to_get_it(
    host: Host, db: Session, chips: tuple[int, ...], results: list[int | None], rounding: str
) -> None:
    session = make_session(db, group=host.group, chip=Chip(1, "JPY", 0, 3))
    move(db, session, *chips)

    page = settlement(host, session)

    signs = {1: "+JP¥1", 0: "JP¥0", -1: "−JP¥1", None: None}
    assert [sums[0] if len(sums) > 1 else None for sums in sums_of(page).values()] == [signs[won] for won in results]
    for won, lines in zip(chips, names_of_lines(page).values(), strict=True):
        in_chips = f"{won} {'chip' if won in (1, -1) else 'chips'}".replace("-", "−")
        assert lines == ([f"Won or lost ({in_chips})"] if won else [])
    assert rounding in page.text
    assert ("rounded" in page.text) is ("others" in rounding)
    assert ("comes to less" in page.text) is ("less" in rounding)


def test_chips_bought_and_cashed_out_for_less_than_the_smallest_coin_have_their_lines(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, chip=Chip(1, "JPY", 0, 3))
    buy_in(db, MoveChips(**session.command(db), seat=Seat(0), chips=1))
    cash_out(db, MoveChips(**session.command(db), seat=Seat(0), chips=1))

    assert names_of_lines(settlement(host, session))["Ann"] == ["Bought (1 chip)", "Cashed out (1 chip)"]

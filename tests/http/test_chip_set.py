"""A chip set: which pieces to hand out and to take back, and what is left of each colour in the bank."""

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from scorekeeper.ledger.chipset import Colour
from scorekeeper.models import Base, SessionChange
from scorekeeper.rules import Seat
from scorekeeper.services.check import differences
from scorekeeper.services.chipset import set_chips
from scorekeeper.services.counts import CountIn, count_in
from scorekeeper.services.groups import Role
from scorekeeper.services.sessions import MoveChips, buy_in
from tests.factories import MadeSession, make_link, make_session
from tests.http.conftest import Host
from tests.http.evidence import chips_of, dump
from tests.http.test_gates import MOST_STATEMENTS, statements
from tests.http.visitor import Form, Page, Visitor

CHIPS = (Colour("white", 1, 60), Colour("red", 5, 40), Colour("blue", 20, 4))


@pytest.fixture
def session(host: Host, db: Session) -> MadeSession:
    """Everybody has bought 40: 10 white, 2 red and 1 blue each."""
    set_chips(db, host.group.group_id, CHIPS)
    return make_session(db, group=host.group, buy_in=40)


def set_form(host: Host) -> Form:
    return host.get(host.group_path).follow("Chip set").form("/chips")


def chips_page(host: Host, session: MadeSession) -> Page:
    return host.get(f"/sessions/{session.id}/chips")


def move(host: Host, session: MadeSession, name: str, seat: int, chips: object, *pieces: object) -> Form:
    values = {f"{name}-player": str(seat), f"{name}-chips": str(chips)}
    by_colour = {f"{name}-pieces": list(map(str, pieces))} if pieces else {}
    form = chips_page(host, session).form({"buy": "/chips/buy-in", "cash": "/chips/cash-out"}[name])
    return form.fill(**values, **by_colour)


def left(page: Page) -> dict[str, str]:
    rows = page.soup.select("section[aria-labelledby=bank] tbody tr")
    return {row.select("th, td")[0].get_text(strip=True): row.select("td")[-1].get_text(strip=True) for row in rows}


def test_a_host_says_which_chips_the_group_owns(host: Host, db: Session) -> None:
    form = set_form(host).fill(
        **{"name-0": "red", "value-0": "5", "pieces-0": "40", "name-2": "white", "value-2": "1", "pieces-2": "60"}
    )

    page = form.submit()

    assert "The chip set is kept." in page.text
    assert "Worth 260 chips in all" in page.text
    # The smallest comes first.
    assert [page.form("/chips").data[f"{what}-0"] for what in ("name", "value", "pieces")] == ["white", "1", "60"]
    session = make_session(db, group=host.group)
    assert left(chips_page(host, session)) == {"white": "60", "red": "40"}


def test_a_set_can_be_changed_and_taken_away(host: Host, session: MadeSession) -> None:
    page = set_form(host).fill(**{"pieces-0": "100"}).submit()
    assert left(chips_page(host, session))["white"] == "60"

    nothing = {f"{what}-{place}": "" for what in ("name", "value", "pieces") for place in range(3)}
    page = page.form("/chips").fill(**nothing).submit()

    assert "There is no chip set any more." in page.text
    assert "In the bank" not in chips_page(host, session).text


@pytest.mark.parametrize(
    ("entered", "errors"),
    [
        ({"name-1": ""}, {"name-1": "Enter a name."}),
        ({"name-1": "WHITE"}, {"name-1": "There is already a colour called WHITE."}),
        ({"value-1": "1"}, {"value-1": "Another colour is worth the same."}),
        ({"value-1": "0"}, {"value-1": "Chips must be a whole number from 1 to 1,000,000."}),
        ({"value-1": ""}, {"value-1": "Chips must be a whole number from 1 to 1,000,000."}),
        ({"pieces-1": "10001"}, {"pieces-1": "Pieces must be a whole number from 0 to 10,000."}),
        ({"pieces-1": ""}, {"pieces-1": "Pieces must be a whole number from 0 to 10,000."}),
    ],
)
def test_what_is_no_chip_set_is_said_beside_its_field(
    host: Host, db: Session, session: MadeSession, entered: dict[str, str], errors: dict[str, str]
) -> None:
    form = set_form(host).fill(**entered)
    before = dump(db)

    page = form.submit()

    assert page.status == 422
    assert page.errors() == errors
    assert page.form("/chips").data["pieces-2"] == "4"
    assert dump(db) == before


def test_a_line_left_free_in_between_keeps_the_errors_where_they_belong(host: Host) -> None:
    form = set_form(host).fill(**{"name-2": "white", "value-2": "1", "pieces-2": "60", "value-3": "5", "pieces-3": "1"})

    assert form.submit().errors() == {"name-3": "Enter a name."}


def test_only_a_host_sees_and_changes_the_set(host: Host, db: Session, stranger: Host) -> None:
    scorer = Visitor(host.app)
    scorer.get(f"/open/{make_link(db, host.group.group_id, Role.SCORER, '').token}")

    assert scorer.get(f"{host.group_path}/chips").status == 403
    assert stranger.get(f"{host.group_path}/chips").status == 404
    assert "Chip set" not in scorer.get(host.group_path).text


def test_without_a_set_nothing_is_said_about_colours(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, buy_in=40)

    page = chips_page(host, session)

    assert "In the bank" not in page.text
    assert "Which pieces?" not in page.text
    assert "colour" not in page.text + host.get(f"/sessions/{session.id}/count").text


def test_opening_says_what_everybody_gets(host: Host, db: Session, session: MadeSession) -> None:
    set_chips(db, host.group.group_id, [*CHIPS[:2], Colour("blue", 20, 8)])
    form = host.get(f"{host.group_path}/sessions/new?rules=mensch").form("/sessions")
    assert "Your chip set comes to 420 chips." in form.page.text

    page = form.fill(buy_in="40").submit()

    assert "Hand everybody 10 white, 2 red, 1 blue." in page.text
    assert "Each 10 white, 2 red, 1 blue." in page.follow("Chips").follow("What happened").text


def test_opening_with_more_than_the_set_has_warns_and_goes_on(host: Host, db: Session, session: MadeSession) -> None:
    form = host.get(f"{host.group_path}/sessions/new?rules=mensch").form("/sessions")

    page = form.fill(buy_in="100").submit()

    assert page.status == 422
    assert "The chip set cannot make 100 chips alike for everybody" in page.errors()["buy_in"]
    page = page.form("/sessions").submit()
    assert page.status == 200
    assert "The chip set cannot make 100 chips alike for everybody: borrow what is missing." in page.text
    page = page.follow("Chips")
    assert chips_of(page, "Ann")[0] == "100"
    assert "What is known by colour is off by 400 chips" in page.text


def test_opening_says_before_it_that_a_colour_runs_out(host: Host, db: Session, session: MadeSession) -> None:
    set_chips(db, host.group.group_id, [Colour("white", 1, 100), Colour("red", 5, 40), Colour("blue", 20, 10)])
    form = host.get(f"{host.group_path}/sessions/new?rules=mensch").form("/sessions").fill(buy_in="100")
    before = dump(db)

    page = form.submit()

    assert page.status == 422
    assert "That takes the last red ones in the bank." in page.errors()["buy_in"]
    assert dump(db) == before
    assert "Hand everybody 10 white, 10 red, 2 blue." in page.form("/sessions").submit().text


def test_what_was_handed_out_is_not_in_the_bank_any_more(host: Host, db: Session, session: MadeSession) -> None:
    assert left(chips_page(host, session)) == {"white": "20", "red": "32", "blue": "0"}

    page = move(host, session, "buy", 1, 35).submit()

    assert "Ben bought 35 chips. Hand out 10 white, 5 red." in page.text
    assert left(page) == {"white": "10", "red": "27", "blue": "0"}
    assert "There are no blue ones left in the bank." in page.text
    assert list(differences(db)) == []


def test_the_pieces_are_shown_before_anything_is_bought(host: Host, db: Session, session: MadeSession) -> None:
    form = move(host, session, "buy", 1, 40)
    before = dump(db)

    page = form.submit("Which pieces?")

    assert "Hand out 10 white, 6 red. There are too few blue ones for the usual mix." in page.text
    assert dump(db) == before
    assert "Ben bought 40 chips. Hand out 10 white, 6 red." in page.form("/chips/buy-in").submit().text


def test_the_last_pieces_of_a_colour_are_announced(host: Host, session: MadeSession) -> None:
    page = move(host, session, "buy", 1, 180).submit("Which pieces?")

    assert "Hand out 20 white, 32 red." in page.text
    assert "Those are the last white ones in the bank." in page.text
    assert "once more to go on all the same." in page.text
    assert "not fit" not in page.text


def test_small_change_stays_in_the_bank_where_that_can_be(host: Host, session: MadeSession) -> None:
    assert left(move(host, session, "buy", 1, 20).submit())["white"] == "10"

    page = move(host, session, "buy", 2, 20).submit()

    assert "Hand out 5 white, 3 red." in page.text
    assert left(page)["white"] == "5"


@pytest.mark.parametrize(
    ("name", "chips", "warning", "done"),
    [
        ("buy", 500, "The bank cannot make that many of what is left in it.", "Ben bought 500 chips."),
        ("buy", 180, "Those are the last white ones in the bank.", "Ben bought 180 chips. Hand out 20 white, 32 red."),
        ("cash", 39, "What is known to be on the table cannot make that many.", "Ben cashed out 39 chips."),
    ],
)
def test_what_the_bank_runs_out_of_is_said_before_it_is_done(
    host: Host, db: Session, session: MadeSession, name: str, chips: int, warning: str, done: str
) -> None:
    if name == "cash":
        set_chips(db, host.group.group_id, [Colour("blue", 20, 4)])
    form = move(host, session, name, 1, chips)
    before = dump(db)

    page = form.submit()

    assert page.status == 422
    assert warning in page.text
    assert dump(db) == before
    page = page.form({"buy": "/chips/buy-in", "cash": "/chips/cash-out"}[name]).submit()
    assert done in page.text
    assert warning not in page.text
    assert list(differences(db)) == []


@pytest.mark.parametrize(
    ("blue", "warning"),
    [(4, "Those are the last blue ones in the bank."), (10, "Only 4 blue left in the bank.")],
)
def test_pieces_that_somebody_names_are_held_against_the_bank_too(
    host: Host, db: Session, blue: int, warning: str
) -> None:
    set_chips(db, host.group.group_id, CHIPS)
    session = make_session(db, group=host.group)
    form = move(host, session, "buy", 1, "", "", "", blue)
    before = dump(db)

    page = form.submit()

    assert page.status == 422
    assert warning in page.text
    assert dump(db) == before
    form = page.form("/chips/buy-in")
    assert "Only 4 blue left in the bank." in form.fill(**{"buy-pieces": ["", "", "5"]}).submit().text
    page = form.fill(**{"buy-pieces": ["", "", str(blue)]}).submit()
    assert f"Ben bought {blue * 20} chips. Hand out {blue} blue." in page.text
    assert left(page)["blue"] == "0"
    page = move(host, session, "buy", 2, "", "", "", 1).submit()
    assert "There are no blue ones left in the bank." in page.text
    assert list(differences(db)) == []


def test_named_pieces_of_which_the_bank_has_enough_are_sold_at_once(host: Host, session: MadeSession) -> None:
    assert "Ben bought 10 chips. Hand out 2 red." in move(host, session, "buy", 1, "", "", "2", "").submit().text


def test_of_the_last_piece_of_a_few_it_is_said_that_it_is_the_last(host: Host, db: Session) -> None:
    set_chips(db, host.group.group_id, CHIPS)
    session = make_session(db, group=host.group)

    page = move(host, session, "buy", 1, "", "", "", 3).submit()

    assert "Only 1 blue left in the bank." in page.text


def test_a_warning_holds_for_one_number_and_one_moment(host: Host, db: Session, session: MadeSession) -> None:
    form = move(host, session, "buy", 1, 500).submit().form("/chips/buy-in")

    page = form.fill(**{"buy-chips": "600"}).submit()

    assert page.status == 422
    assert "The bank cannot make that many of what is left in it." in page.text


def test_a_sale_that_took_the_last_ones_is_answered_alike_when_sent_again(host: Host, session: MadeSession) -> None:
    form = move(host, session, "buy", 1, 180).submit().form("/chips/buy-in")
    first = form.submit()

    assert left(form.submit()) == left(first)


def test_another_mix_is_proposed_once_the_small_ones_are_gone(host: Host, session: MadeSession) -> None:
    move(host, session, "buy", 1, 20).submit()
    move(host, session, "buy", 1, 20).submit().form("/chips/buy-in").submit()

    page = move(host, session, "buy", 1, 40).submit("Which pieces?")

    assert "Hand out 8 red. There are too few white ones for the usual mix." in page.text


def test_what_the_bank_cannot_make_is_said_and_sold_all_the_same(host: Host, db: Session, session: MadeSession) -> None:
    asked = move(host, session, "buy", 1, 500).submit("Which pieces?")
    assert "The bank cannot make that many of what is left in it." in asked.text

    page = asked.form("/chips/buy-in").submit()

    assert "Ben bought 500 chips." in page.text
    assert chips_of(page, "Ben")[0] == "540"
    assert list(differences(db)) == []


def test_cashing_out_takes_back_what_the_player_got_the_small_ones_first(host: Host, session: MadeSession) -> None:
    move(host, session, "buy", 1, 20).submit()
    page = move(host, session, "cash", 0, 20).submit("Which pieces?")
    assert "Take back 10 white, 2 red." in page.text

    page = page.form("/chips/cash-out").submit()

    assert "Ann cashed out 20 chips. Take back 10 white, 2 red." in page.text
    assert left(page) == {"white": "20", "red": "32", "blue": "0"}
    # Ann has a blue one only; Ben bought white ones twice.
    assert "Take back 1 blue." in move(host, session, "cash", 0, 20).submit("Which pieces?").text
    assert "Take back 20 white." in move(host, session, "cash", 1, 20).submit("Which pieces?").text


def test_the_answer_to_a_form_loaded_again_is_the_page_the_form_is_on(host: Host, session: MadeSession) -> None:
    page = host.get(move(host, session, "cash", 0, 20).action)

    assert page.status == 200
    assert page.form("/chips/cash-out").data["cash-chips"] == ""


def test_cashing_out_what_was_won_takes_back_the_small_ones_of_all(host: Host, session: MadeSession) -> None:
    page = move(host, session, "cash", 0, 60).submit("Which pieces?")

    assert "Take back 40 white, 4 red." in page.text


def test_other_pieces_can_be_said_and_are_added_up(host: Host, session: MadeSession) -> None:
    page = move(host, session, "cash", 0, "", "5", "", "1").submit()

    assert "Ann cashed out 25 chips. Take back 5 white, 1 blue." in page.text
    assert left(page) == {"white": "25", "red": "32", "blue": "1"}


@pytest.mark.parametrize(
    ("chips", "pieces", "errors"),
    [
        ("26", ["5", "", "1"], {"cash-chips": "By colour it is 25."}),
        ("26", ["x", "", "1"], {"cash-pieces": "Pieces must be a whole number from 0 to 10,000."}),
        ("", ["1", "1"], {"cash-pieces": "Pieces must be a whole number from 0 to 10,000."}),
        ("26", ["10001", "", ""], {"cash-pieces": "Pieces must be a whole number from 0 to 10,000."}),
        ("", ["0", "0", "0"], {"cash-chips": "Chips must be a whole number from 1 to 1,000,000."}),
    ],
)
def test_pieces_that_do_not_add_up_are_refused(
    host: Host, db: Session, session: MadeSession, chips: str, pieces: list[str], errors: dict[str, str]
) -> None:
    form = move(host, session, "cash", 0, chips, *pieces)
    before = dump(db)

    page = form.submit()

    assert page.status == 422
    assert page.errors() == errors
    assert page.form("/chips/cash-out").data.getlist("cash-pieces")[0] == pieces[0]
    assert dump(db) == before


def test_a_form_sent_twice_says_the_same_pieces_and_hands_them_out_once(host: Host, session: MadeSession) -> None:
    form = move(host, session, "buy", 1, 35)
    first = form.submit()

    again = form.submit()

    assert "Hand out 10 white, 5 red." in again.text
    assert left(again) == left(first)


def test_every_session_begins_with_the_whole_set(host: Host, db: Session, session: MadeSession) -> None:
    other = make_session(db, group=host.group)

    assert left(chips_page(host, other)) == {"white": "60", "red": "40", "blue": "4"}


def test_chips_bought_before_there_was_a_set_are_known_to_be_unknown(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, buy_in=40)
    set_chips(db, host.group.group_id, CHIPS)

    page = chips_page(host, session)

    assert left(page) == {"white": "60", "red": "40", "blue": "4"}
    assert "What is known by colour is off by 160 chips: count the chips by colour" in page.text


def test_the_history_keeps_the_colours_of_then(host: Host, db: Session, session: MadeSession) -> None:
    set_chips(db, host.group.group_id, [Colour("green", 25, 10)])

    page = chips_page(host, session)

    assert "Each 10 white, 2 red, 1 blue." in page.follow("What happened").text
    assert left(page) == {"green": "10"}


def test_the_page_asks_few_questions_however_much_was_bought(host: Host, db: Session, session: MadeSession) -> None:
    for _ in range(20):
        buy_in(db, MoveChips(**session.command(db), seat=Seat(0), chips=1))

    with statements() as seen:
        chips_page(host, session)

    assert len(seen) <= MOST_STATEMENTS


@pytest.mark.parametrize(
    ("table", "values"),
    [
        ("player_group", {"chip_set": [["white", 1, 60], ["red", 1, 40]]}),
        ("player_group", {"chip_set": [["red", 5, 40], ["white", 1, 60]]}),
        ("session_change", {"note": '[["white", 1, 10]]'}),
    ],
)
def test_colours_that_do_not_add_up_are_found(
    db: Session, session: MadeSession, table: str, values: dict[str, object]
) -> None:
    assert list(differences(db)) == []

    db.execute(update(Base.metadata.tables[table]).values(values))

    assert [found.what for found in differences(db)] == ["chip set" if table == "player_group" else "colours of 1"]


def test_a_count_whose_colours_do_not_add_up_is_found(host: Host, db: Session, session: MadeSession) -> None:
    count = CountIn(**session.command(db), counted=(1, 0, 0, 0), pieces=((Colour("white", 1, 1),), None, None, ()))
    count_in(db, count)
    assert list(differences(db)) == []

    db.execute(
        update(SessionChange)
        .where(SessionChange.kind == "count")
        .values(note='2,0,0,0/40,40,40,40/[[["white",1,1]],null,null,[]]')
    )

    assert [found.what for found in differences(db)] == ["colours of 2"]

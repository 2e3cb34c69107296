"""Who sits at the table, and who deals out of turn."""

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.models import AnyRow, GameSession, Player
from scorekeeper.services.check import differences
from scorekeeper.services.deals import DeclareDeal, declare_deal
from scorekeeper.services.groups import add_player
from scorekeeper.services.history import next_table
from tests.factories import HALF_MADE, NAMES, MadeSession, make_deal, make_session
from tests.http.conftest import Host
from tests.http.deals import checked
from tests.http.evidence import dump
from tests.http.visitor import Form, Page


def seats_page(host: Host, session: MadeSession) -> Page:
    return host.get(f"/sessions/{session.id}/seats")


def row(db: Session, session: MadeSession) -> AnyRow:
    db.rollback()
    return db.execute(select(*GameSession.__table__.columns).where(GameSession.id == session.id)).one()


def seated(db: Session, session: MadeSession) -> list[tuple[int, str]]:
    """Who sits there, clockwise: the account and the name of who plays."""
    names = {player.id: player.name for player in db.scalars(select(Player))}
    return [(seat, names[player]) for seat, player in row(db, session).seating]


def places(form: Form) -> list[str]:
    return [str(value) for value in form.data.getlist("chair")]


def option(form: Form, place: int, words: str) -> str:
    """The value of the choice that says *words* in a place."""
    select_tag = form.element.select("select")[place]
    return next(str(one["value"]) for one in select_tag.select("option") if one.get_text(strip=True) == words)


def sit(host: Host, session: MadeSession, **chosen: str) -> Page:
    """Choose in some places (``p0`` is the first chair, ``p1`` the gap after it) by the words of the choice."""
    form = seats_page(host, session).form("/seats")
    now = places(form)
    for place, words in chosen.items():
        now[int(place[1:])] = option(form, int(place[1:]), words)
    return form.fill(chair=now).submit()


def test_it_shows_everybody_clockwise(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = seats_page(host, session).form("/seats")
    assert [label.get_text(strip=True) for label in form.element.select("li.field label")] == list(NAMES)
    form.submit()
    assert seated(db, session) == list(enumerate(NAMES))


def test_somebody_leaves_and_the_table_waits(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    sit(host, session, p2="Nobody: Ben leaves")
    assert seated(db, session) == [(0, "Ann"), (2, "Cleo"), (3, "Dan")]
    assert "1 more player must come" in seats_page(host, session).text
    sit(host, session, p1="Ben")
    assert seated(db, session) == list(enumerate(NAMES))
    assert list(differences(db)) == []


def test_somebody_new_sits_down_between_two(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    add_player(db, host.group.group_id, "Eve")
    sit(host, session, p3="Eve")
    assert seated(db, session) == [(0, "Ann"), (1, "Ben"), (4, "Eve"), (2, "Cleo"), (3, "Dan")]
    assert "The dealer sits out each deal." in seats_page(host, session).text
    assert list(differences(db)) == []


def test_somebody_stands_in_and_goes_again(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    add_player(db, host.group.group_id, "Eve")
    sit(host, session, p2="Eve (for Ben)")
    assert [name for _seat, name in seated(db, session)] == ["Ann", "Eve", "Cleo", "Dan"]
    sit(host, session, p2="Ben")
    assert seated(db, session) == list(enumerate(NAMES))


def test_whoever_takes_the_chair_of_another_changes_places_with_them(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    sit(host, session, p0="Ben")
    assert seated(db, session) == [(0, "Ann"), (2, "Cleo"), (3, "Dan"), (1, "Ben")]


def test_one_person_cannot_sit_in_two_places(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = sit(host, session, p0="Ben", p2="Ben", p4="Ben")
    assert page.errors() == {"seats": "Somebody sits in two places."}


def test_no_two_choices_of_a_chair_read_alike(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    add_player(db, host.group.group_id, "Eve")
    for chair in seats_page(host, session).soup.select("select"):
        offered = [one.get_text() for one in chair.select("option")]
        assert len(set(offered)) == len(offered)


@pytest.mark.parametrize(
    ("card_game", "buy_in", "said"),
    [
        ("mensch", 0, "Whoever comes new begins at 0. Not"),
        ("mensch", 30, "Whoever comes new begins at 0. They have no chips until they buy some under “Chips”. Not"),
        ("dirty-clubs", 0, "Whoever comes new begins at 25. Not"),
    ],
)
def test_it_says_what_whoever_comes_new_begins_with(
    host: Host, db: Session, card_game: str, buy_in: int, said: str
) -> None:
    session = make_session(db, group=host.group, card_game=card_game, buy_in=buy_in)
    assert said in seats_page(host, session).text


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({}, "Everybody at the table plays every deal; with one more, the dealer sits out each deal."),
        ({"partnership": "fixed"}, "Everybody at the table plays every deal."),
    ],
)
def test_it_says_who_plays_and_what_one_more_would_change(
    host: Host, db: Session, rules: dict[str, object], said: str
) -> None:
    assert said in seats_page(host, make_session(db, group=host.group, house_rules=rules)).text


def test_who_comes_new_where_chips_are_bought_is_told_to_buy_some(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, buy_in=40)
    add_player(db, host.group.group_id, "Eve")
    assert "Eve has no chips yet" in sit(host, session, p7="Eve").text


def test_two_change_places(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    sit(host, session, p0="Ben", p2="Ann")
    assert seated(db, session) == [(0, "Ann"), (2, "Cleo"), (3, "Dan"), (1, "Ben")]


@pytest.mark.parametrize(
    "sent", [[], ["1"], ["x", "y"], ["1", "1"], ["1", "2@0", "3", "4"], ["99999", "1"], ["1@7", "2"]]
)
def test_it_refuses_who_cannot_sit_so_and_writes_nothing(host: Host, db: Session, sent: list[str]) -> None:
    session = make_session(db, group=host.group)
    before = dump(db)
    form = seats_page(host, session).form("/seats")
    page = form.fill(chair=sent).submit()
    assert page.status == 422
    assert "seats" in page.errors()
    assert dump(db) == before


def test_it_refuses_a_stale_form(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = seats_page(host, session).form("/seats")
    make_deal(db, session)
    before = dump(db)
    page = form.submit()
    assert page.status == 409
    assert "nothing was saved" in page.text
    assert dump(db) == before


def test_sent_twice_it_acts_once(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    add_player(db, host.group.group_id, "Eve")
    form = seats_page(host, session).form("/seats")
    form.fill(chair=[*places(form)[:-1], option(form, 7, "Eve")])
    form.submit()
    before = dump(db)
    assert form.submit().status == 200
    assert dump(db) == before


def test_the_seats_stay_while_a_deal_is_being_played(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    declare_deal(db, DeclareDeal(**session.command(db), facts={"contract": "half", "declarer": 0}))
    page = sit(host, session, p2="Nobody: Ben leaves")
    assert page.errors() == {"seats": "A deal is being played: record it or drop it before the seats change."}
    assert seated(db, session) == list(enumerate(NAMES))


def test_somebody_deals_out_of_turn_only_if_that_is_meant(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    before = dump(db)
    page = seats_page(host, session).form("/dealer").fill(dealer=1).submit()
    assert page.errors() == {"dealer": "It should be the deal of Dan. Keep it all the same?"}
    assert dump(db) == before

    page.form("/dealer").submit("Keep it: Ben deals")

    assert next_table(row(db, session)).dealer == 1
    make_deal(db, session, {**HALF_MADE, "dealer": 1})
    assert next_table(row(db, session)).dealer == 2
    assert list(differences(db)) == []


def test_the_dealer_in_turn_deals_again(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    declare_deal(db, DeclareDeal(**session.command(db), facts={"dealer": 1}))
    seats_page(host, session).form("/dealer").fill(dealer=3).submit()
    assert row(db, session).declared is None
    assert next_table(row(db, session)).dealer == 3


@pytest.mark.parametrize("dealer", ["", "7", "x"])
def test_it_refuses_a_dealer_who_is_not_there(host: Host, db: Session, dealer: str) -> None:
    session = make_session(db, group=host.group)
    page = seats_page(host, session).form("/dealer").fill(dealer=dealer).submit()
    assert page.status == 422
    assert page.errors() == {"dealer": "Choose somebody who is at the table."}


def test_whoever_stands_in_is_named_with_the_account_they_play_on(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, dealer=0)
    add_player(db, host.group.group_id, "Fay")
    sit(host, session, p2="Fay (for Ben)")

    page = seats_page(host, session)
    assert [label.get_text(strip=True) for label in page.soup.select("li.field label")][1] == "Fay plays for Ben"
    assert "Fay (for Ben)" in [one.get_text() for one in page.soup.select("option[selected]")]
    assert [label.get_text(strip=True) for label in page.soup.select("#dealer .choice")][1] == "Fay (for Ben)"
    page = page.form("/dealer").fill(dealer=1).submit()
    page = page.form("/dealer").submit("Keep it: Fay (for Ben) deals")
    assert "Ben deals" in page.text


def test_a_refused_seating_stands_in_its_own_form_with_what_was_chosen(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    page = sit(host, session, p0="Ben", p2="Ben", p4="Ben")

    assert list(page.errors()) == ["seats"]
    assert [one.get_text() for one in page.soup.select("#chair-0 option[selected]")] == ["Ben"]


def test_a_refused_dealer_stands_in_its_own_form_with_who_was_chosen(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")
    make_deal(db, session, {"turn_up": "clubs", "tricks": [0, 5, 0, 0]})

    page = seats_page(host, session).form("/dealer").fill(dealer=2).submit()
    page = page.form("/dealer").submit("Keep it: Cleo deals")

    assert page.status == 422
    assert list(page.errors()) == ["dealer"]
    assert checked(page, "dealer") == ["2"]


def test_a_stale_form_comes_back_with_what_was_chosen(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    add_player(db, host.group.group_id, "Eve")
    page = seats_page(host, session)
    seats, dealer = page.form("/seats"), page.form("/dealer").fill(dealer=2)
    seats.fill(chair=[*places(seats)[:-1], option(seats, 7, "Eve")])
    # Dan dealt, so it is Ann's turn.
    make_deal(db, session)

    again = seats.submit()
    assert again.status == 409
    assert [one.get_text() for one in again.soup.select("#chair-7 option[selected]")] == ["Eve"]
    dealer.data.add("keep", "2")
    again = dealer.submit()
    assert again.status == 409
    assert checked(again, "dealer") == ["2"]


def test_strangers_see_nothing(stranger: Host, db: Session) -> None:
    session = make_session(db)
    assert stranger.get(f"/sessions/{session.id}/seats").status == 404


def test_what_somebody_has_who_left_stays_on_the_page(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)
    sit(host, session, p2="Nobody: Ben leaves")
    page = host.get(f"/sessions/{session.id}")
    assert "Not at the table: Ben −1" in page.text
    assert [link["href"] for link in page.soup.select(".away a")] == [f"/sessions/{session.id}/seats/1/why"]

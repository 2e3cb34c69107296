"""What a settlement leaves open is settled together with the next session, if the host takes it along."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.ledger import Choices
from scorekeeper.models import GameSession, JoinCode, Player
from scorekeeper.services.carrying import OFFERED, HandBack, hand_back
from scorekeeper.services.check import differences
from scorekeeper.services.groups import Role, retire_player
from scorekeeper.services.joining import make_code
from scorekeeper.services.sessions import close_session
from scorekeeper.services.transaction import SessionClosed, StaleSession, take_pen
from scorekeeper.sessionfile import Chip
from tests.factories import MadeSession, make_group, make_session, seen_by
from tests.http.conftest import Host
from tests.http.evidence import dump, payments_of, sums_of, under
from tests.http.test_every_route import csrf_token
from tests.http.test_settle import move, part, pay, settlement
from tests.http.visitor import Form, Page, Visitor

EURO = Chip(25, "EUR", 2)


def before(host: Host, db: Session, chip: Chip | None = EURO, name: str = "Monday") -> MadeSession:
    """A session that has ended: Ann pays Ben 2.00, and 0.25 each, of Cleo and Dan to Ben, stay open."""
    session = make_session(db, group=host.group, chip=chip, name=name)
    move(db, session, -8, 10, -1, -1)
    close_session(db, session.plain_command(db), Choices(least=100))
    return session


def opening(host: Host) -> Form:
    return host.get(f"{host.group_path}/sessions/new?rules=mensch").form("/sessions")


def ways(form: Form, session: MadeSession) -> list[str]:
    return [str(option["value"]) for option in form.element.select(f"[name=carry-{session.id}] option")]


def take(host: Host, session: MadeSession, way: str, **more: str) -> Page:
    """Begin a session in euro that takes along what is open of another."""
    form = opening(host)
    (value,) = (value for value in ways(form, session) if value.startswith(way))
    return form.fill(
        **{f"carry-{session.id}": value, "name": "Tuesday", "price": "0.25", "currency": "EUR", **more}
    ).submit()


def let_in(host: Host, db: Session, session: MadeSession) -> Visitor:
    """Somebody who joined this session by its code."""
    make_code(db, seen_by(db, session.id, host.group.link_id), Role.SCORER)
    guest = Visitor(host.app)
    guest.get("/join").form("/join").fill(code=db.scalars(select(JoinCode.code)).one()).submit()
    return guest


def latest(db: Session, host: Host) -> MadeSession:
    db.rollback()
    found = db.scalars(select(GameSession.id).order_by(GameSession.id.desc())).first()
    assert found is not None
    return MadeSession(found, host.group)


def test_what_is_left_open_is_settled_apart_unless_it_is_taken_along(host: Host, db: Session) -> None:
    session = before(host, db)
    form = opening(host)

    assert "Left open: Ben +€0.50, Cleo −€0.25, Dan −€0.25." in form.page.text
    assert form.data[f"carry-{session.id}"] == ""
    form.submit()

    assert payments_of(settlement(host, latest(db, host))) == []
    assert "Left open: Ben, €0.50 to get." in settlement(host, session).text


def test_the_next_session_names_those_that_are_settled_apart_until_they_are(host: Host, db: Session) -> None:
    first = before(host, db, name="First")
    second = make_session(db, group=host.group, name="Second", chip=EURO)
    move(db, second, -8, 8, 0, 0)
    close_session(db, second.plain_command(db))
    later = make_session(db, group=host.group, name="Third")
    guest, said = let_in(host, db, later), "Open from before, and settled apart: "

    page = settlement(host, later)
    assert f"{said}Second · First" in page.text
    assert settlement(host, later).follow("First").path == f"/sessions/{first.id}/settlement"
    assert "not all settled" in host.get(host.group_path).text
    # Whoever was let into this session alone hears nothing of others.
    assert said not in guest.get(f"/sessions/{later.id}/settlement").text
    assert said not in settlement(host, first).text

    pay(settlement(host, second), "Ann pays Ben")

    etag = page.response.headers["ETag"]
    page = host.get(f"/sessions/{later.id}/settlement", headers={"If-None-Match": etag})
    assert f"{said}First" in page.text
    close_session(db, later.plain_command(db))
    assert said not in settlement(host, later).text


def test_what_is_left_open_becomes_the_opening_line_of_the_next_session(host: Host, db: Session) -> None:
    session = before(host, db)

    assert take(host, session, "left").status == 200

    after = latest(db, host)
    page = settlement(host, after)
    assert sums_of(page) == {
        "Ann": ["€0.00"],
        "Ben": ["+€0.50", "+€0.50"],
        "Cleo": ["−€0.25", "−€0.25"],
        "Dan": ["−€0.25", "−€0.25"],
    }
    assert "Carried over from Monday" in under(page, "How it adds up")[0].get_text()
    assert payments_of(page) == [("Cleo pays Ben 1 chip, €0.25.", False), ("Dan pays Ben 1 chip, €0.25.", False)]
    page = settlement(host, session)
    assert "Left open" not in page.text
    assert "What was open is carried over to Tuesday." in page.text
    assert "Carried over to Tuesday" in under(page, "How it adds up")[0].get_text()
    assert payments_of(page) == [("Ann pays Ben 8 chips, €2.00.", False)]
    page = pay(page, "Ann pays Ben")
    assert sums_of(page)["Ann"][-1] == "€0.00"
    assert "What was open was carried over to Tuesday." in host.get(f"/sessions/{session.id}/history").text
    assert list(differences(db)) == []
    # It is taken along once; what Ann has paid meanwhile is not open.
    assert ways(opening(host), session) == []


def test_payments_not_yet_made_are_taken_along_too_if_the_host_says_so(host: Host, db: Session) -> None:
    session = before(host, db)
    part(settlement(host, session), "Ann pays Ben", "0.50")

    take(host, session, "all")

    page = settlement(host, latest(db, host))
    assert [sums[-1] for sums in sums_of(page).values()] == ["−€1.50", "+€2.00", "−€0.25", "−€0.25"]
    page = settlement(host, session)
    assert payments_of(page) == [("Ann pays Ben 8 chips, €2.00.", False)]
    assert "The rest, €1.50, is carried over to Tuesday." in page.text
    assert not [form for form in page.forms() if "/transfers/" in form.action or form.action.endswith("/take-back")]
    assert {sums[-1] for sums in sums_of(page).values()} == {"€0.00"}
    assert list(differences(db)) == []


def test_what_was_carried_over_counts_when_the_earlier_session_goes_on(host: Host, db: Session) -> None:
    session = before(host, db)
    take(host, session, "all")

    page = settlement(host, session).form("/reopen").submit()

    assert "What was carried over into another session stays there, and counts." in page.text
    assert payments_of(settlement(host, session)) == []
    move(db, session, 3, -3, 0, 0)
    close_session(db, session.plain_command(db))
    page = settlement(host, session)
    assert payments_of(page) == [("Ben pays Ann 3 chips, €0.75.", False)]
    assert list(differences(db)) == []
    # What is open anew can be taken along anew.
    assert len(ways(opening(host), session)) == 2


class Five(NamedTuple):
    """A group of five: whoever does not sit down is away, or has retired."""

    host: Host
    ids: dict[str, int]


@pytest.fixture
def five(host: Host, db: Session) -> Five:
    group = make_group(db, players=("Ann", "Ben", "Cleo", "Dan", "Eve"))
    ids = {row.name: row.id for row in db.scalars(select(Player).where(Player.group_id == group.group_id))}
    db.rollback()
    return Five(Host(host.app, group), ids)


def take_twice(five: Five, session: MadeSession, way: str, **more: str) -> Page:
    """Begin a session that takes along what can be, once it was said that this is not all, which is returned."""
    page = take(five.host, session, way, **more)
    assert page.form("/sessions").submit().status == 200
    return page


def test_nothing_is_taken_along_where_nobody_sits_with_whom_it_could_be_settled(five: Five, db: Session) -> None:
    session = before(five.host, db)
    rows = dump(db)

    page = take(five.host, session, "left", **{"seat-1": str(five.ids["Eve"])})

    assert page.status == 422
    assert page.errors() == {f"carry-{session.id}": "These do not sit at this table: Ben."}
    assert dump(db) == rows


def test_what_concerns_somebody_who_is_away_stays_open_and_the_form_says_so_first(five: Five, db: Session) -> None:
    session = before(five.host, db)
    rows = dump(db)
    page = take(five.host, session, "left", **{"seat-3": str(five.ids["Eve"])})

    assert page.status == 422
    assert page.errors()[f"carry-{session.id}"] == (
        "These do not sit at this table: Dan. So this stays open, and is offered again next time:"
        " Ben +€0.25, Dan −€0.25."
    )
    assert under(page, "Nothing is saved yet. Start the session once more to go on all the same.")
    assert "not fit" not in page.text
    assert dump(db) == rows
    assert page.form("/sessions").submit().status == 200

    page = settlement(five.host, latest(db, five.host))
    assert payments_of(page) == [("Cleo pays Ben 1 chip, €0.25.", False)]
    page = settlement(five.host, session)
    assert "A part of what was open is carried over to Tuesday." in page.text
    assert "Left open: Ben, €0.25 to get." in page.text
    assert "Left open: Dan, €0.25 to pay." in page.text
    assert payments_of(page)[0] == ("Ann pays Ben 8 chips, €2.00.", False)
    assert list(differences(db)) == []


def test_what_stayed_open_is_taken_along_next_time_and_each_part_goes_back_by_itself(five: Five, db: Session) -> None:
    session = before(five.host, db)
    take_twice(five, session, "left", **{"seat-3": str(five.ids["Eve"])})
    tuesday = latest(db, five.host)
    assert "Left open: Ben +€0.25, Dan −€0.25." in opening(five.host).page.text

    everybody = {f"seat-{place}": str(five.ids[name]) for place, name in enumerate(("Ann", "Ben", "Cleo", "Dan"))}
    take(five.host, session, "all", **everybody, name="Wednesday")

    wednesday = latest(db, five.host)
    assert payments_of(settlement(five.host, wednesday)) == [
        ("Ann pays Ben 8 chips, €2.00.", False),
        ("Dan pays Ben 1 chip, €0.25.", False),
    ]
    assert ways(opening(five.host), session) == []
    assert list(differences(db)) == []
    take_back(five.host, tuesday)
    assert "Left open: Ben +€0.25, Cleo −€0.25." in opening(five.host).page.text
    page = settlement(five.host, session)
    assert "Left open: Dan" not in page.text
    assert list(differences(db)) == []
    take_back(five.host, wednesday)
    assert "Left open: Ben +€0.50, Cleo −€0.25, Dan −€0.25." in opening(five.host).page.text
    pay(settlement(five.host, session), "Ann pays Ben")
    assert list(differences(db)) == []


def test_of_the_payments_not_made_those_are_taken_along_of_which_both_sit(five: Five, db: Session) -> None:
    session = make_session(db, group=five.host.group, chip=EURO, name="Monday")
    move(db, session, -8, 8, -3, 3)
    close_session(db, session.plain_command(db))
    part(settlement(five.host, session), "Ann pays Ben", "0.50")

    page = take_twice(five, session, "all", **{"seat-3": str(five.ids["Eve"])})

    assert "this stays open, and is offered again next time: Cleo −€0.75, Dan +€0.75." in page.text
    assert payments_of(settlement(five.host, latest(db, five.host))) == [("Ann pays Ben 6 chips, €1.50.", False)]
    page = settlement(five.host, session)
    assert "The rest, €1.50, is carried over to Tuesday." in page.text
    # The other is paid here, or taken along later.
    assert len(ways(opening(five.host), session)) == 2
    pay(page, "Cleo pays Dan")
    assert ways(opening(five.host), session) == []
    take_back(five.host, latest(db, five.host))
    assert "Left open" not in settlement(five.host, session).text
    assert list(differences(db)) == []


def test_what_concerns_somebody_who_has_retired_does_not_keep_the_rest_back(five: Five, db: Session) -> None:
    session = before(five.host, db)
    retire_player(db, five.host.group.group_id, five.ids["Dan"], retired=True)
    form = opening(five.host)
    assert "What concerns those who have retired stays open: Dan." in form.page.text

    take_twice(five, session, "left")

    assert payments_of(settlement(five.host, latest(db, five.host))) == [("Cleo pays Ben 1 chip, €0.25.", False)]
    form = opening(five.host)
    assert "Left open: Ben +€0.25, Dan −€0.25." in form.page.text
    assert [way.partition("-")[0] for way in ways(form, session)] == ["", "all"]
    assert list(differences(db)) == []


def test_what_is_open_is_offered_however_many_sessions_were_settled_since(host: Host, db: Session) -> None:
    session = before(host, db)
    for number in range(OFFERED + 1):
        later = make_session(db, group=host.group, chip=EURO, name=f"Later {number}")
        close_session(db, later.plain_command(db))

    assert len(ways(opening(host), session)) == 3


def test_the_form_says_when_more_is_open_than_it_offers(host: Host, db: Session) -> None:
    more = "Earlier sessions have left something open, too."
    oldest, *_others = [before(host, db, name=f"No. {number}") for number in range(OFFERED)]
    assert more not in opening(host).page.text

    newest = before(host, db)

    form = opening(host)
    assert more in form.page.text
    assert ways(form, newest)
    assert ways(form, oldest) == []


@pytest.mark.parametrize(
    ("chip", "more", "why"),
    [
        (EURO, {"currency": "USD"}, "This is settled in Euro. Give chips a price in Euro, such as €0.25 for 1, or "),
        (EURO, {"price": ""}, "This is settled in Euro. Give chips a price in Euro, such as €0.25 for 1, or "),
        (None, {}, "This is settled in chips. Leave the price of chips empty, or "),
    ],
)
def test_another_unit_is_settled_apart(
    host: Host, db: Session, chip: Chip | None, more: dict[str, str], why: str
) -> None:
    session = before(host, db, chip)
    rows = dump(db)

    page = take(host, session, "left", **more)

    assert page.status == 422
    assert page.errors() == {f"carry-{session.id}": why + "leave it settled apart."}
    assert page.soup.select_one("details[open] [name=currency]") is not None
    assert dump(db) == rows


def test_what_stays_open_and_another_unit_are_said_at_once(five: Five, db: Session) -> None:
    session = before(five.host, db)
    eve = {"seat-3": str(five.ids["Eve"])}

    page = take(five.host, session, "left", price="", **eve)

    (said,) = page.errors().values()
    assert "These do not sit at this table: Dan." in said
    assert "This is settled in Euro." in said
    assert under(page, "2 things do not fit")
    page = page.form("/sessions").fill(price="0.25", currency="EUR").submit()
    assert under(page, "Nothing is saved yet. Start the session once more to go on all the same.")
    assert page.form("/sessions").submit().status == 200


def test_the_price_of_the_last_session_is_offered(host: Host, db: Session) -> None:
    make_session(db, group=host.group, chip=Chip(125, "CHF", 2, 3))
    make_session(db, group=host.group, card_game="dirty-clubs")

    form = opening(host)

    assert [form.data[name] for name in ("price", "priced", "currency")] == ["1.25", "3", "CHF"]
    assert form.page.soup.select_one("details[open] [name=price]") is not None
    without_stakes = host.get(f"{host.group_path}/sessions/new?rules=dirty-clubs").form("/sessions")
    assert [without_stakes.data[name] for name in ("price", "priced")] == ["", "1"]
    make_session(db, group=host.group)
    assert [opening(host).data[name] for name in ("price", "priced")] == ["", "1"]


def test_what_has_changed_since_the_form_was_shown_is_not_taken_along(host: Host, db: Session) -> None:
    session = before(host, db)
    form = opening(host)
    (value,) = (value for value in ways(form, session) if value.startswith("all"))
    pay(settlement(host, session), "Ann pays Ben")
    rows = dump(db)

    page = form.fill(**{f"carry-{session.id}": value, "price": "0.25", "currency": "EUR"}).submit()

    assert page.status == 422
    assert "This has changed since. Look at what is open now, and choose again." in page.text
    assert dump(db) == rows


def test_a_form_that_is_sent_twice_takes_it_along_once(host: Host, db: Session) -> None:
    session = before(host, db)
    form = opening(host)
    (value,) = (value for value in ways(form, session) if value.startswith("left"))
    form = form.fill(**{f"carry-{session.id}": value, "price": "0.25", "currency": "EUR"})
    first = form.submit()
    begun = latest(db, host)

    assert form.submit().path == first.path
    assert latest(db, host) == begun
    assert list(differences(db)) == []


def test_two_sessions_are_taken_along_at_once(host: Host, db: Session) -> None:
    one, other = before(host, db), before(host, db, name="Sunday")
    form = opening(host)
    chosen = {
        f"carry-{session.id}": next(way for way in ways(form, session) if way.startswith("left"))
        for session in (one, other)
    }

    form.fill(**chosen, price="0.25", currency="EUR").submit()

    page = settlement(host, latest(db, host))
    assert sums_of(page)["Ben"] == ["+€0.50", "+€0.50", "+€1.00"]
    assert list(differences(db)) == []


def take_back(host: Host, session: MadeSession) -> Page:
    """Press the button beside what was carried over into a session."""
    (form,) = [form for form in settlement(host, session).forms() if form.action.endswith("/hand-back")]
    return form.submit("Take it back")


def test_what_was_carried_over_is_taken_back_and_settled_where_it_came_from(host: Host, db: Session) -> None:
    session = before(host, db)
    was = payments_of(settlement(host, session))
    take(host, session, "all")
    after = latest(db, host)
    assert "Carried over from Monday: Ann −€2.00, Ben +€2.50, Cleo −€0.25, Dan −€0.25." in settlement(host, after).text

    page = take_back(host, after)

    assert "The earlier session settles it again." in page.text
    assert {tuple(sums) for sums in sums_of(page).values()} == {("€0.00",)}
    assert "Monday" not in under(page, "How it adds up")[0].get_text()
    assert "Open from before, and settled apart: Monday" in page.text
    page = settlement(host, session)
    assert payments_of(page) == was
    assert "Tuesday" not in page.soup.select("main")[0].get_text()
    pay(page, "Ann pays Ben")
    assert "What had been carried over from Monday was taken back." in host.get(f"/sessions/{after.id}/history").text
    log = host.get(f"/sessions/{session.id}/history").text
    assert "What had been carried over to Tuesday is settled here again." in log
    assert list(differences(db)) == []


def test_what_was_taken_back_is_offered_to_the_next_session_again(host: Host, db: Session) -> None:
    session = before(host, db)
    take(host, session, "all")
    take_back(host, latest(db, host))
    pay(settlement(host, session), "Ann pays Ben")

    assert "Left open: Ben +€0.50, Cleo −€0.25, Dan −€0.25." in opening(host).page.text
    take(host, session, "left", name="Wednesday")

    page = settlement(host, latest(db, host))
    assert payments_of(page) == [("Cleo pays Ben 1 chip, €0.25.", False), ("Dan pays Ben 1 chip, €0.25.", False)]
    assert "What was open is carried over to Wednesday." in settlement(host, session).text
    assert list(differences(db)) == []


def test_one_of_two_is_taken_back_and_the_other_stays(host: Host, db: Session) -> None:
    one, other = before(host, db), before(host, db, name="Sunday")
    form = opening(host)
    chosen = {
        f"carry-{session.id}": next(way for way in ways(form, session) if way.startswith("left"))
        for session in (one, other)
    }
    form.fill(**chosen, price="0.25", currency="EUR").submit()
    after = latest(db, host)

    page = next(form for form in settlement(host, after).forms() if f"/carried/{one.id}/" in form.action).submit()

    assert sums_of(page)["Ben"] == ["+€0.50", "+€0.50"]
    assert "Carried over from Sunday: Ben +€0.50, Cleo −€0.25, Dan −€0.25." in page.text
    assert list(differences(db)) == []


def test_nothing_is_taken_back_once_the_session_has_ended_until_it_is_reopened(host: Host, db: Session) -> None:
    session = before(host, db)
    take(host, session, "left")
    after = latest(db, host)
    (form,) = [form for form in settlement(host, after).forms() if form.action.endswith("/hand-back")]
    close_session(db, after.plain_command(db))
    rows = dump(db)

    assert form.submit().status == 409
    with pytest.raises(SessionClosed):
        hand_back(db, HandBack(**after.command(db), source_id=session.id))
    assert dump(db) == rows
    assert not [form for form in settlement(host, after).forms() if form.action.endswith("/hand-back")]
    settlement(host, after).form("/reopen").submit()
    assert sums_of(take_back(host, after))["Ben"] == ["€0.00"]
    assert list(differences(db)) == []


def test_it_goes_back_into_an_earlier_session_that_goes_on(host: Host, db: Session) -> None:
    session = before(host, db)
    take(host, session, "all")
    settlement(host, session).form("/reopen").submit()

    take_back(host, latest(db, host))

    db.rollback()
    close_session(db, session.plain_command(db))
    page = settlement(host, session)
    assert [sums[-1] for sums in sums_of(page).values()] == ["−€2.00", "+€2.50", "−€0.25", "−€0.25"]
    assert list(differences(db)) == []


def test_it_does_not_go_back_under_a_settlement_that_was_drawn_up_without_it(host: Host, db: Session) -> None:
    session = before(host, db)
    take(host, session, "all")
    after = latest(db, host)
    settlement(host, session).form("/reopen").submit()
    db.rollback()
    close_session(db, session.plain_command(db))
    rows = dump(db)

    page = take_back(host, after)

    assert page.status == 422
    assert "The earlier session was settled anew meanwhile, without it. Reopen that one first." in page.text
    assert dump(db) == rows
    settlement(host, session).form("/reopen").submit()
    assert take_back(host, after).status == 200
    assert list(differences(db)) == []


def test_a_form_that_is_sent_twice_takes_back_once(host: Host, db: Session) -> None:
    session = before(host, db)
    take(host, session, "all")
    after = latest(db, host)
    (form,) = [form for form in settlement(host, after).forms() if form.action.endswith("/hand-back")]

    assert form.submit().status == form.submit().status == 200
    late = HandBack(**after.command(db), source_id=session.id)
    with pytest.raises(StaleSession):
        hand_back(db, late)
    assert list(differences(db)) == []


def test_who_came_in_to_one_session_alone_changes_nothing_in_another(host: Host, db: Session) -> None:
    session = before(host, db)
    take(host, session, "all")
    after = latest(db, host)
    guest = let_in(host, db, after)
    (form,) = [form for form in settlement(host, after).forms() if form.action.endswith("/hand-back")]
    data = {**form.data, "csrf_token": csrf_token(guest), "takes_pen": "1"}
    rows = dump(db)

    assert guest.post(form.action, data=data).status == 403
    assert dump(db) == rows


def test_the_pen_of_the_earlier_session_stays_where_it_is(host: Host, db: Session) -> None:
    session = before(host, db)
    take(host, session, "all")
    take_pen(db, replace(session.plain_command(db), device="another"))

    take_back(host, latest(db, host))

    assert db.scalars(select(GameSession.pen).where(GameSession.id == session.id)).one() == "another"


def test_a_session_that_only_passes_on_what_was_open_owes_nothing_any_more(host: Host, db: Session) -> None:
    session = before(host, db)
    take(host, session, "left")
    between = latest(db, host)
    close_session(db, between.plain_command(db), Choices(least=100))
    take(host, between, "left", name="Wednesday")

    page = settlement(host, between)

    assert "Left open" not in page.text
    assert {sums[-1] for sums in sums_of(page).values()} == {"€0.00"}
    assert "What was open is carried over to Wednesday." in page.text
    assert list(differences(db)) == []


def test_the_history_begins_with_what_was_carried_over(host: Host, db: Session) -> None:
    session = before(host, db)
    take(host, session, "left")

    log = host.get(f"/sessions/{latest(db, host).id}/history").text

    assert "Carried over from earlier sessions: Ben +€0.50, Cleo −€0.25, Dan −€0.25." in log

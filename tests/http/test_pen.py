"""One phone writes at a time: who has the pen, taking it, losing it with a form half filled in, and handing it over."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.models import GameSession, GroupLink
from scorekeeper.services.check import differences
from scorekeeper.services.groups import Role, withdraw_link
from scorekeeper.services.sessions import close_session
from scorekeeper.web.pen import CODE_HOLDS
from tests.factories import MadeSession, make_deal, make_link, make_session
from tests.http.conftest import Host
from tests.http.deals import HALF_BY_ANN, checked, deal_form, deals_of, fill_in, record
from tests.http.evidence import dump
from tests.http.test_every_route import pages
from tests.http.test_links import with_reply_lost
from tests.http.visitor import Form, Page, Visitor
from tests.http.world import make_world

TAKE_AND_SAVE = "Take the pen and save"
ELSEWHERE = "has the pen."


@pytest.fixture
def session(host: Host, db: Session) -> MadeSession:
    """A session with a deal, in which nobody has the pen yet."""
    session = make_session(db, group=host.group)
    make_deal(db, session)
    return session


@pytest.fixture
def other(host: Host, db: Session) -> Visitor:
    """Another phone that may write, by a link that is called Ben's."""
    return with_link(host, db, Role.SCORER, "Ben")


def with_link(host: Host, db: Session, role: Role, name: str = "") -> Visitor:
    phone = Visitor(host.app)
    phone.get(f"/open/{make_link(db, host.group.group_id, role, name).token}")
    return phone


def page_of(phone: Visitor, session: MadeSession, path: str = "") -> Page:
    return phone.get(f"/sessions/{session.id}{path}")


def take(phone: Visitor, session: MadeSession) -> Page:
    """Press the button on the session's page."""
    return page_of(phone, session).forms()[0].submit("Take it over")


def offers(page: Page) -> set[str]:
    """What the table of a session's page offers to do."""
    acts = page.soup.select("#acts .button:not(.turn, [name=side])")
    return {" ".join(button.get_text(" ").split()) for button in acts}


def stored(db: Session, session: MadeSession) -> GameSession:
    db.rollback()
    return db.scalars(select(GameSession).where(GameSession.id == session.id)).one()


def test_whoever_writes_first_has_the_pen_and_others_see_the_page_as_those_who_watch(
    host: Host, other: Visitor, session: MadeSession, db: Session
) -> None:
    watcher = with_link(host, db, Role.VIEWER)
    assert "Record deal 2" in offers(page_of(other, session)) & offers(page_of(host, session))

    record(other, session.id, **HALF_BY_ANN)

    assert {"Record deal 3", "Undo deal 2", "Misdeal"} <= offers(page_of(other, session))
    assert ELSEWHERE not in page_of(other, session).text
    page = page_of(host, session)
    assert "Ben has the pen." in page.text
    assert offers(page) == {"Take it over"}
    assert offers(page_of(watcher, session)) == set()
    assert ELSEWHERE not in page_of(watcher, session).text
    menus = [{link.get_text() for link in page_of(who, session).soup.select("#menu a")} for who in (host, watcher)]
    assert menus[0] - {"Let others join"} == menus[1]
    assert "Hand over the pen" in {link.get_text() for link in page_of(other, session).soup.select("#menu a")}


def test_whoever_opens_a_session_has_the_pen(host: Host, other: Visitor, db: Session) -> None:
    page = host.get(f"{host.group_path}/sessions/new?rules=mensch").form("/sessions").submit("Start")

    assert "Record deal 1" in offers(page)
    assert "Another phone has the pen." in other.get(page.path).text


def test_whoever_imports_a_session_has_the_pen(host: Host, other: Visitor, session: MadeSession) -> None:
    file = page_of(host, session, "/export").response.get_data(as_text=True)
    page = host.get(f"{host.group_path}/import").form("/import").fill(text=file).submit()
    page = page.form("/confirm").submit()

    assert "Record deal 2" in offers(page)
    assert offers(other.get(page.path)) == {"Take it over"}


def test_the_pen_is_called_by_who_holds_the_phone(host: Host, other: Visitor, session: MadeSession) -> None:
    page_of(other, session).forms()[0].submit("Cleo")

    record(other, session.id, **HALF_BY_ANN)

    assert "Cleo has the pen." in page_of(host, session).text


def test_who_takes_the_pen_over_writes_and_the_other_watches(
    host: Host, other: Visitor, session: MadeSession, db: Session
) -> None:
    record(host, session.id, **HALF_BY_ANN)
    version = stored(db, session).version

    page = take(other, session)

    assert page.path == f"/sessions/{session.id}"
    assert "Record deal 3" in offers(page)
    assert offers(page_of(host, session)) == {"Take it over"}
    # Every open page is told by the version.
    assert stored(db, session).version == version + 1
    assert "Ben took the pen." in page_of(host, session, "/history").text
    assert "Record deal 3" in offers(take(host, session))
    assert "Another phone took the pen." in page_of(other, session, "/history").text
    assert list(differences(db)) == []


def test_of_two_who_take_the_pen_at_once_the_second_is_told(
    host: Host, other: Visitor, session: MadeSession, db: Session
) -> None:
    third = with_link(host, db, Role.SCORER, "Cleo")
    record(host, session.id, **HALF_BY_ANN)
    late = page_of(third, session).forms()[0]
    take(other, session)

    page = late.submit("Take it over")

    assert page.status == 409
    assert "Somebody was quicker" in page.text
    assert "Ben has the pen." in page.follow("To the session").text


def test_the_same_version_is_another_page_for_who_has_the_pen(
    host: Host, other: Visitor, session: MadeSession, db: Session
) -> None:
    record(host, session.id, **HALF_BY_ANN)
    before = page_of(host, session).response.headers["ETag"]
    this = db.get_one(GameSession, session.id)
    this.pen = "elsewhere"
    db.commit()

    page = host.get(f"/sessions/{session.id}", headers={"If-None-Match": before})

    assert page.status == 200
    assert "has the pen." in page.text


def filled_deal(phone: Visitor, session: MadeSession) -> Form:
    return deal_form(fill_in(phone, f"/sessions/{session.id}/deals/new", **HALF_BY_ANN))


def filled_correction(phone: Visitor, session: MadeSession) -> Form:
    return deal_form(fill_in(phone, f"/sessions/{session.id}/deals/1/correct", tricks=6))


def filled_declaration(phone: Visitor, session: MadeSession) -> Form:
    return deal_form(fill_in(phone, f"/sessions/{session.id}/deals/declare", declarer=2))


def filled_chips(phone: Visitor, session: MadeSession) -> Form:
    return page_of(phone, session, "/chips").form("/buy-in").fill(**{"buy-player": 1, "buy-chips": 7})


def filled_seats(phone: Visitor, session: MadeSession) -> Form:
    form = page_of(phone, session, "/seats").form("/seats")
    ann, gap, ben, *others = map(str, form.data.getlist("chair"))
    return form.fill(chair=[ben, gap, ann, *others])


Filled = Callable[[Visitor, MadeSession], Form]
FORMS: list[Filled] = [filled_deal, filled_correction, filled_declaration, filled_chips, filled_seats]


@pytest.mark.parametrize("filled", FORMS)
def test_a_form_that_has_lost_the_pen_comes_back_filled_in_and_takes_it_as_it_is_saved(
    host: Host, other: Visitor, session: MadeSession, db: Session, filled: Filled
) -> None:
    record(host, session.id, **HALF_BY_ANN)
    form = filled(host, session)
    take(other, session)
    before = dump(db)

    page = form.submit()

    assert page.status == 409
    assert "Ben has the pen." in page.text
    assert dump(db) == before
    again = page.form(form.action)
    for name in form.data:
        if not name.endswith(("csrf_token", "submission_id", "expected_version", "previewed")):
            assert again.data.getlist(name) == form.data.getlist(name), name
    assert again.submit(TAKE_AND_SAVE).status == 200
    assert ELSEWHERE not in page_of(host, session).text
    assert offers(page_of(other, session)) == {"Take it over"}
    assert list(differences(db)) == []


@pytest.mark.parametrize("filled", FORMS)
def test_a_form_that_somebody_fills_in_without_the_pen_says_so_from_the_beginning(
    host: Host, other: Visitor, session: MadeSession, db: Session, filled: Filled
) -> None:
    record(other, session.id, **HALF_BY_ANN)

    form = filled(host, session)

    assert "Ben has the pen. Saving takes it over." in form.page.text
    assert form.submit(TAKE_AND_SAVE).status == 200
    assert offers(page_of(other, session)) == {"Take it over"}


@pytest.mark.parametrize(
    ("writes", "behind", "query", "said"),
    [
        (True, 0, "&saves=1", ""),
        (True, 1, "&saves=1", "The session has changed since this was opened. Saving asks you first."),
        (True, 1, "", "The session has changed since this was opened."),
        (False, 0, "&saves=1", "Ben has the pen. Saving takes it over."),
        (False, 1, "&saves=1", "Ben has the pen. Saving asks you first."),
        (False, 0, "&saves=1&refused=1", "Ben has the pen. Nothing has been saved yet; saving now takes it over."),
        (False, 1, "&saves=1&refused=1", "Ben has the pen. Saving asks you first."),
        (False, 0, "", ""),
        (False, 1, "", "Ben has the pen."),
    ],
)
def test_what_is_said_beside_an_open_form_is_true_of_the_form(
    host: Host, other: Visitor, session: MadeSession, db: Session, writes: bool, behind: int, query: str, said: str
) -> None:
    record(other, session.id, **HALF_BY_ANN)
    version = stored(db, session).version - behind

    (since,) = page_of(other if writes else host, session, f"/since?version={version}{query}").soup.select("#since")

    assert " ".join(since.get_text().split()) == said


ENDED = "This session has ended. Reopen it to go on. Settlement"
REFUSED = "This session has been ended meanwhile, so nothing was saved. Reopen it to record this deal. Settlement"


@pytest.mark.parametrize(
    ("behind", "query", "said"),
    [
        (0, "&saves=1", ENDED),
        (1, "&saves=1", ENDED),
        (0, "&saves=1&refused=1", REFUSED),
        (1, "&saves=1&refused=1", REFUSED),
        (0, "&saves=1&corrects=1", "Ben has the pen. Saving takes it over."),
        (1, "&saves=1&corrects=1", "This session has ended. Ben has the pen. Saving asks you first."),
        (1, "", "This session has ended. Ben has the pen."),
        (0, "&saves=1&corrects=1&refused=1", "Ben has the pen. Nothing has been saved yet; saving now takes it over."),
    ],
)
def test_beside_an_open_form_it_is_said_that_the_session_has_ended_and_where_it_is_reopened(
    host: Host, other: Visitor, session: MadeSession, db: Session, behind: int, query: str, said: str
) -> None:
    page_of(other, session, "/settlement").form("/close").submit("End")
    version = stored(db, session).version - behind

    (since,) = page_of(host, session, f"/since?version={version}{query}").soup.select("#since")

    assert " ".join(since.get_text().split()) == said
    links = [link["href"] for link in since.select("a")]
    assert links == ([f"/sessions/{session.id}/settlement"] if "Settlement" in said else [])


def test_a_correction_open_while_the_session_ended_says_so_and_is_not_told_to_reopen_it(
    host: Host, other: Visitor, session: MadeSession
) -> None:
    form = filled_correction(host, session)
    (live,) = form.page.soup.select("[data-page]")
    page_of(other, session, "/settlement").form("/close").submit("End")

    (since,) = host.get(str(live["data-page"])).soup.select("#since")

    assert " ".join(since.get_text().split()) == "This session has ended. Ben has the pen. Saving asks you first."
    page = form.submit()
    assert page.status == 409
    assert "Reopen it" not in page.text
    assert "Saving a correction discards its settlement; you are asked first." in page.text
    assert "Discard the settlement?" in deal_form(page).submit(TAKE_AND_SAVE).text


def test_a_form_that_does_not_take_the_pen_writes_nothing_without_it(
    host: Host, other: Visitor, session: MadeSession, db: Session
) -> None:
    record(other, session.id, **HALF_BY_ANN)
    form = filled_deal(host, session)
    form.data.poplist("takes_pen")
    before = dump(db)

    page = form.submit()

    assert page.status == 409
    assert "Ben has the pen. Nothing has been saved yet; saving now takes it over." in page.text
    # What the page then asks for by itself says the same.
    (live,) = page.soup.select("[data-page]")
    assert host.get(str(live["data-page"])).soup.select("#since") == page.soup.select("#since")
    assert checked(page, "tricks") == ["5"]
    assert dump(db) == before


def test_a_button_without_the_pen_is_told_who_has_it(
    host: Host, other: Visitor, session: MadeSession, db: Session
) -> None:
    form = page_of(host, session, "/settlement").form("/close")
    # Nothing moves the session on: only the pen stands in the way.
    this = db.get_one(GameSession, session.id)
    this.pen, this.pen_name = "elsewhere", "Ben"
    db.commit()
    before = dump(db)

    page = form.submit("End")

    assert page.status == 409
    assert "Ben has the pen." in page.text
    assert "Take the pen over on the page of the session" in page.text
    assert dump(db) == before


def test_pages_of_buttons_lead_to_the_pen(host: Host, other: Visitor, session: MadeSession, db: Session) -> None:
    record(other, session.id, **HALF_BY_ANN)
    close_session(db, session.plain_command(db))

    for path in ("/settlement", "/deals/1"):
        page = page_of(host, session, path)
        assert page.forms() == []
        page = page.follow("Take it over")
        assert "Ben has the pen." in page.text
    page.form("/pen").submit("Take over the pen")
    assert page_of(host, session, "/settlement").forms()[-1].action == f"/sessions/{session.id}/reopen"
    assert page_of(other, session, "/settlement").forms() == []


def test_a_form_sent_again_after_its_reply_was_lost_is_done_although_the_pen_has_moved(
    host: Host, other: Visitor, session: MadeSession, db: Session
) -> None:
    form = filled_deal(host, session)
    form.submit("Record")
    take(other, session)

    page = form.submit("Record")

    assert page.status == 200
    assert page.path == f"/sessions/{session.id}"
    assert len(deals_of(db, session.id)) == 2
    assert "Ben has the pen." in page.text


def test_who_takes_the_pen_and_saves_twice_saves_once(
    host: Host, other: Visitor, session: MadeSession, db: Session
) -> None:
    record(other, session.id, **HALF_BY_ANN)
    form = filled_deal(host, session)

    for _ in range(2):
        assert form.submit(TAKE_AND_SAVE).path == f"/sessions/{session.id}"

    assert len(deals_of(db, session.id)) == 3


def code_of(phone: Visitor, session: MadeSession) -> str:
    """The address that the code on the page of the pen leads to."""
    page = page_of(phone, session).follow("Hand over the pen")
    assert page.soup.select("svg.qr")
    assert page.response.cache_control.no_store
    return page.soup.select(".key")[0].get_text().removeprefix("http://localhost")


def receive(phone: Visitor, code: str) -> Page:
    """Scan the code and take the pen."""
    return phone.get(code).form(code).submit("Take over the pen")


def links_of(db: Session, session: MadeSession) -> list[tuple[int, bool]]:
    """The links to the session alone, and whether they are withdrawn."""
    db.rollback()
    of_session = select(GroupLink).where(GroupLink.session_id == session.id).order_by(GroupLink.id)
    return [(link.id, link.withdrawn_at is not None) for link in db.scalars(of_session)]


def test_the_pen_is_handed_over_to_a_phone_that_comes_new(host: Host, session: MadeSession, db: Session) -> None:
    record(host, session.id, **HALF_BY_ANN)
    phone = Visitor(host.app)
    code = code_of(host, session)
    before = dump(db)

    page = phone.get(code)

    assert dump(db) == before
    assert "Thursday at Ann's" in page.text
    assert page.response.cache_control.no_store
    assert page_of(phone, session).status == 404
    page = page.form(code).submit("Take over the pen")
    assert "Record deal 3" in offers(page)
    assert record(phone, session.id, **HALF_BY_ANN).path == f"/sessions/{session.id}"
    assert offers(page_of(host, session)) == {"Take it over"}
    assert "Thursday at Ann's" in phone.get("/").text
    assert phone.get(host.group_path).status == 404
    assert list(differences(db)) == []


def test_a_code_that_many_scan_lets_one_write(host: Host, session: MadeSession, db: Session) -> None:
    code = code_of(host, session)
    first, second, third = Visitor(host.app), Visitor(host.app), with_link(host, db, Role.VIEWER)
    late, later = second.get(code).form(code), third.get(code).form(code)

    receive(first, code)

    for page in (late.submit(), later.submit(), second.get(code), third.get(code), first.get(code)):
        assert is_void(page)
        assert "It has been used" in page.text
    assert page_of(second, session).status == 404
    assert page_of(third, session, "/pen").status == 403
    assert len(links_of(db, session)) == 1


def test_what_came_with_the_pen_is_withdrawn_by_itself(host: Host, session: MadeSession, db: Session) -> None:
    phone = Visitor(host.app)
    code = code_of(host, session)
    receive(phone, code)
    ((link_id, _),) = links_of(db, session)

    page = host.get(f"{host.group_path}/links")
    assert "Came with the pen: Thursday at Ann's : Keep the score" in page.text
    page.form(f"/{link_id}/withdraw").submit()

    assert page_of(phone, session).status == 404
    assert page_of(host, session).status == 200
    # The code is no key of its own.
    assert phone.get(f"/open/{code.removeprefix('/pen/')}").status == 404


def test_all_to_whom_a_pen_is_handed_share_one_link_until_it_is_withdrawn(
    host: Host, session: MadeSession, db: Session
) -> None:
    first, second, third = (Visitor(host.app) for _ in range(3))
    receive(first, code_of(host, session))
    receive(second, code_of(first, session))
    ((link_id, _),) = links_of(db, session)

    host.get(f"{host.group_path}/links").form(f"/{link_id}/withdraw").submit()

    assert [page_of(phone, session).status for phone in (first, second)] == [404, 404]
    page_of(host, session).forms()[0].submit("Take it over")
    receive(third, code_of(host, session))
    assert page_of(third, session).status == 200
    assert [withdrawn for _, withdrawn in links_of(db, session)] == [True, False]


def test_who_joins_by_a_code_does_not_share_the_link_that_came_with_the_pen(
    host: Host, session: MadeSession, db: Session
) -> None:
    receive(Visitor(host.app), code_of(host, session))
    page = page_of(host, session, "/codes")
    next(form for form in page.forms() if form.data.get("role") == Role.SCORER).submit("Make a code")

    assert len(links_of(db, session)) == 2


def test_a_phone_that_may_write_keeps_its_own_link(
    host: Host, other: Visitor, session: MadeSession, db: Session
) -> None:
    page = receive(other, code_of(host, session))

    assert "Record deal 2" in offers(page)
    assert "Ben has the pen." in page_of(host, session).text
    assert links_of(db, session) == []


def test_a_phone_that_only_watched_may_write_once_it_has_taken_the_pen(
    host: Host, session: MadeSession, db: Session
) -> None:
    watcher = with_link(host, db, Role.VIEWER)
    code = code_of(host, session)

    form = watcher.get(code).form(code)
    assert page_of(watcher, session, "/pen").status == 403
    form.submit()

    assert record(watcher, session.id, **HALF_BY_ANN).status == 200
    assert len(deals_of(db, session.id)) == 2


def test_a_phone_that_joined_by_a_code_takes_the_pen_and_hands_it_on(
    host: Host, session: MadeSession, db: Session
) -> None:
    guest, phone = Visitor(host.app), Visitor(host.app)
    page = page_of(host, session, "/codes")
    codes = next(form for form in page.forms() if form.data.get("role") == Role.SCORER).submit("Make a code")
    spoken = codes.soup.select_one("[aria-labelledby=code-scorer] .spoken")
    assert spoken is not None
    guest.get("/join").form("/join").fill(code=spoken.get_text()).submit()

    receive(guest, code_of(host, session))
    assert "Another phone has the pen." in page_of(host, session).text
    receive(phone, code_of(guest, session))

    assert record(phone, session.id, **HALF_BY_ANN).status == 200
    assert "Thursday at Ann's" in phone.get("/").text
    assert len(links_of(db, session)) == 2


def test_the_pen_is_taken_although_a_deal_was_recorded_meanwhile(host: Host, session: MadeSession, db: Session) -> None:
    record(host, session.id, **HALF_BY_ANN)
    code = code_of(host, session)
    phone = Visitor(host.app)
    form = phone.get(code).form(code)
    record(host, session.id, **HALF_BY_ANN)

    assert "Record deal 4" in offers(form.submit())


def test_taking_it_again_after_the_reply_was_lost_lets_one_in(host: Host, session: MadeSession, db: Session) -> None:
    code = code_of(host, session)
    phone = Visitor(host.app)
    form = phone.get(code).form(code)
    with_reply_lost(form, code)
    assert page_of(phone, session).status == 404

    assert "Record deal 2" in offers(form.submit())
    ((link_id, _),) = links_of(db, session)
    withdraw_link(db, host.group.group_id, link_id)
    assert is_void(form.submit())
    assert page_of(phone, session).status == 404


def is_void(page: Page) -> bool:
    return page.status == 404 and "This code does not hand over the pen any more" in page.text


SECRET = "Bob’s lover"


@pytest.fixture
def others(host: Host, session: MadeSession, db: Session) -> dict[str, Visitor]:
    """Phones that are not told how links are called."""
    handed, guest = Visitor(host.app), Visitor(host.app)
    receive(handed, code_of(host, session))
    page = page_of(host, session, "/codes")
    codes = next(form for form in page.forms() if form.data.get("role") == Role.SCORER).submit("Make a code")
    spoken = codes.soup.select_one("[aria-labelledby=code-scorer] .spoken")
    assert spoken is not None
    guest.get("/join").form("/join").fill(code=spoken.get_text()).submit()
    return {"viewer": with_link(host, db, Role.VIEWER, "Sofa"), "handed over": handed, "by code": guest}


@pytest.mark.parametrize("who", ["viewer", "handed over", "by code"])
def test_how_a_link_is_called_is_for_those_who_score_by_one(
    host: Host, session: MadeSession, db: Session, others: dict[str, Visitor], who: str
) -> None:
    bob, ann = with_link(host, db, Role.SCORER, SECRET), with_link(host, db, Role.SCORER)
    take(bob, session)
    values = {**make_world(db, host.group).sessions["open"], "session_id": session.id}

    for page in pages(host.app, others[who], values):
        assert SECRET not in page.response.get_data(as_text=True), page.path
    assert f"{SECRET} took the pen." in page_of(ann, session, "/history").text
    assert f"{SECRET} has the pen." in page_of(ann, session).text
    assert "Another phone took the pen." in page_of(others[who], session, "/history").text


@pytest.mark.parametrize("who", ["viewer", "handed over", "by code"])
def test_everybody_is_told_which_player_has_the_pen(
    host: Host, session: MadeSession, db: Session, others: dict[str, Visitor], who: str
) -> None:
    bob = with_link(host, db, Role.SCORER, SECRET)
    page_of(bob, session).forms()[0].submit("Cleo")
    take(bob, session)

    assert "Cleo took the pen." in page_of(others[who], session, "/history").text
    if who != "viewer":
        assert "Cleo has the pen." in page_of(others[who], session).text


def test_a_button_without_the_pen_does_not_say_how_a_link_is_called(
    host: Host, session: MadeSession, db: Session, others: dict[str, Visitor]
) -> None:
    receive(others["by code"], code_of(others["handed over"], session))
    form = page_of(others["by code"], session, "/settlement").form("/close")
    # Nothing moves the session on: only the pen stands in the way.
    this = db.get_one(GameSession, session.id)
    this.pen, this.pen_name = "elsewhere", SECRET
    db.commit()

    page = form.submit("End")

    assert page.status == 409
    assert "Another phone has the pen." in page.text
    assert SECRET not in page.text


def test_a_code_works_until_somebody_has_taken_the_pen(
    host: Host, other: Visitor, session: MadeSession, db: Session
) -> None:
    first = code_of(host, session)
    record(host, session.id, **HALF_BY_ANN)
    assert is_void(other.get(first))
    code = code_of(host, session)
    record(host, session.id, **HALF_BY_ANN)
    late = Visitor(host.app)

    receive(other, code)

    assert is_void(late.get(code))
    take(host, session)
    assert is_void(late.get(code))
    assert page_of(late, session).status == 404


def test_a_code_works_for_ten_minutes(host: Host, session: MadeSession) -> None:
    with time_machine.travel(datetime.now(UTC), tick=False) as clock:
        code = code_of(host, session)
        clock.shift(timedelta(seconds=CODE_HOLDS))
        assert Visitor(host.app).get(code).status == 200
        clock.shift(timedelta(seconds=1))
        late = Visitor(host.app)
        assert is_void(late.get(code))
        assert "A code works for ten minutes" in late.get(code).text
        assert page_of(late, session).status == 404


def test_a_code_of_a_withdrawn_link_or_one_that_nobody_made_is_void(
    host: Host, other: Visitor, session: MadeSession, db: Session
) -> None:
    link = make_link(db, host.group.group_id, Role.SCORER, "")
    giver = Visitor(host.app)
    giver.get(f"/open/{link.token}")
    code = code_of(giver, session)
    withdraw_link(db, host.group.group_id, link.link_id)

    phone = Visitor(host.app)
    for void in (code, f"{code}x", code.replace("/pen/", "/pen/x"), "/pen/x", "/pen/%00"):
        assert is_void(phone.get(void)), void
    assert page_of(phone, session).status == 404


def test_no_page_or_answer_says_what_a_phone_is_known_by(host: Host, session: MadeSession, db: Session) -> None:
    record(host, session.id, **HALF_BY_ANN)
    device = stored(db, session).pen
    assert device

    for path in ("", "/pen", "/chips", "/history", "/deals/new", "/export"):
        assert device not in page_of(host, session, path).response.get_data(as_text=True)

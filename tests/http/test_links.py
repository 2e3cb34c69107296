"""Links: the only key to a group."""

import json
from urllib.parse import urlsplit

import pytest
from flask import Flask
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.limits import MAX_LINKS
from scorekeeper.models import GroupLink, JoinCode
from scorekeeper.services.groups import Role, token_hash
from scorekeeper.services.joining import make_code
from scorekeeper.services.sessions import close_session
from tests.factories import make_link, make_session, seen_by
from tests.http.conftest import Host
from tests.http.visitor import Form, Page, Visitor


def shown_address(page: Page) -> str:
    return str(page.soup.select_one("a.key")["href"])  # type: ignore[index]


def another_link(host: Host, role: str = "scorer", name: str = "") -> str:
    """Make a link and return the path of its address."""
    form = host.get(f"{host.group_path}/links").form("/links").fill(role=role, name=name)
    return urlsplit(shown_address(form.submit())).path


def in_force(db: Session) -> list[int]:
    db.rollback()
    return list(db.scalars(select(GroupLink.id).where(GroupLink.withdrawn_at.is_(None)).order_by(GroupLink.id)))


def test_the_creator_is_shown_the_link_once(visitor: Visitor) -> None:
    form = visitor.get("/").form("/groups").fill(name="Fridays", **{"players-0": "Ann", "players-1": "Ben"})
    page = form.submit()
    assert "Keep this link: it is the only key" in page.text
    assert page.soup.select_one("svg.qr title") is not None
    assert page.response.headers["Cache-Control"] == "no-store"
    token = shown_address(page).rsplit("/", 1)[1]
    assert len(token) == 22
    for later in (page.path, f"{page.path}/links", "/", f"{page.path}/sessions/new"):
        assert token not in visitor.get(later).response.get_data(as_text=True)


def test_a_link_for_somebody_else_says_whose_it_is_and_what_it_opens(host: Host) -> None:
    form = host.get(f"{host.group_path}/links").form("/links").fill(role="viewer", name="Ben's phone")
    page = form.submit()

    said = page.soup.select_one("section[data-share]")
    assert said is not None
    assert said.select("h2")[0].get_text(strip=True) == "Link for Ben's phone"
    assert "What it lets them do: Watch." in said.get_text()
    assert "only key" not in said.get_text()


def test_links_to_sessions_that_have_ended_are_withdrawn_with_one_button(host: Host, db: Session) -> None:
    guests = []
    sessions = [make_session(db, group=host.group) for _ in range(3)]
    for session in sessions:
        make_code(db, seen_by(db, session.id, host.group.link_id), Role.VIEWER)
        guests.append(Visitor(host.app))
        code = db.scalars(select(JoinCode.code).where(JoinCode.session_id == session.id)).one()
        db.rollback()
        guests[-1].get("/join").form("/join").fill(code=code).submit()
    for session in sessions[:2]:
        close_session(db, session.plain_command(db))
    page = host.get(f"{host.group_path}/links")
    assert "2 links to sessions that have ended" in page.text
    assert page.text.count("For all who join by code") == 1

    page = page.form("/links/withdraw-ended").submit()

    assert "The links to sessions that have ended have been withdrawn." in page.text
    assert "links to sessions that have ended Whoever" not in page.text
    seen = [guest.get(f"/sessions/{session.id}").status for guest, session in zip(guests, sessions, strict=True)]
    assert seen == [404, 404, 200]
    assert host.get(f"/sessions/{sessions[0].id}").status == 200


def test_a_withdrawn_link_says_that_it_is(host: Host, db: Session) -> None:
    address = another_link(host)
    page = host.get(f"{host.group_path}/links")
    page.form(f"/links/{in_force(db)[-1]}/withdraw").submit()

    opened = Visitor(host.app).get(address)

    assert opened.status == 404
    assert "This link has been withdrawn" in opened.text
    assert "There is no such page" in Visitor(host.app).get(f"{address}x").text


def test_no_cookie_holds_the_key(host: Host) -> None:
    made = host.client.post(f"{host.group_path}/links", data=host.get(f"{host.group_path}/links").form("/links").data)
    cookie = made.headers["Set-Cookie"].split("=", 1)[1].split(";")[0]
    values = json.dumps(host.app.session_interface.get_signing_serializer(host.app).loads(cookie))  # type: ignore[attr-defined]
    token = shown_address(host.get(f"{host.group_path}/links")).rsplit("/", 1)[1]
    assert "new_links" in values
    assert token not in values


def test_new_links_of_several_groups_wait_for_a_page_of_their_own(host: Host, stranger: Host) -> None:
    host.get(f"/open/{stranger.group.token}")
    pages = [f"{group}/links" for group in (host.group_path, stranger.group_path)]
    for page in pages:
        host.client.post(page, data=host.get(page).form("/links").data)

    for page, group in zip(pages, (host.group_path, stranger.group_path), strict=True):
        shown = urlsplit(shown_address(host.get(page))).path
        assert Visitor(host.app).get(shown).path == group
        assert host.get(page).soup.select_one("a.key") is None


@pytest.mark.parametrize(
    ("address", "warned"),
    [
        ("http://localhost:5000", True),
        ("http://127.0.0.2:5000", True),
        ("http://[::1]:5000", True),
        ("http://192.168.1.20:5000", False),
        ("http://[fd00::1]", False),
    ],
)
def test_a_link_that_leads_other_phones_nowhere_says_so(host: Host, address: str, warned: bool) -> None:
    phone = Visitor(host.app)
    phone.client.get(f"/open/{host.group.token}", base_url=address)
    form = phone.get(f"{host.group_path}/links", base_url=address).form("/links")
    phone.client.post(form.action, data=form.data, base_url=address)
    page = phone.get(f"{host.group_path}/links", base_url=address)
    assert f"{address}/open/" in page.text
    assert ("Other phones cannot open this address" in page.text) == warned


def test_the_shown_link_lets_another_phone_in(visitor: Visitor) -> None:
    form = visitor.get("/").form("/groups").fill(name="Fridays", **{"players-0": "Ann", "players-1": "Ben"})
    address = shown_address(form.submit())
    page = Visitor(visitor.app).get(urlsplit(address).path)
    assert (page.status, page.soup.h1 and page.soup.h1.get_text(strip=True)) == (200, "Fridays")


def test_the_link_has_the_address_under_which_the_page_was_reached(host: Host) -> None:
    other = Visitor(host.app)
    other.get(f"/open/{host.group.token}", base_url="http://192.168.1.5:5001")
    form = other.get(f"{host.group_path}/links", base_url="http://192.168.1.5:5001").form("/links")
    page = other.post(form.action, data=form.data, base_url="http://192.168.1.5:5001")
    assert shown_address(page).startswith("http://192.168.1.5:5001/open/")


def test_opening_a_link_redirects_to_a_clean_address(app: Flask, host: Host) -> None:
    response = app.test_client().get(f"/open/{host.group.token}")
    assert response.status_code == 303
    assert response.headers["Location"] == host.group_path
    assert "HttpOnly" in response.headers["Set-Cookie"]
    assert "SameSite=Lax" in response.headers["Set-Cookie"]


def test_only_the_hash_of_a_token_is_stored(host: Host, db: Session) -> None:
    assert db.scalars(select(GroupLink.token_hash)).all() == [token_hash(host.group.token)]


def test_looking_at_a_link_beforehand_uses_nothing_up(host: Host) -> None:
    previewer = Visitor(host.app)
    assert previewer.client.head(f"/open/{host.group.token}").status_code == 303
    assert Visitor(host.app).get(f"/open/{host.group.token}").status == 200


@pytest.mark.parametrize("token", ["nonsense", "x" * 3000, "%00", "Ä", "0"])
def test_a_wrong_token_is_told_what_any_stranger_is_told(host: Host, token: str) -> None:
    stranger = Visitor(host.app)
    page = stranger.get(f"/open/{token}")
    assert page.status == 404
    assert page.text == stranger.get(host.group_path).text
    assert "Set-Cookie" not in page.response.headers


def test_a_stranger_sees_nothing_of_the_group(host: Host, stranger: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    assert stranger.get(f"/sessions/{session.id}").status == 404
    for page in ("", "/links", "/sessions/new"):
        assert stranger.get(f"{host.group_path}{page}").status == 404


def test_one_phone_can_hold_several_groups(host: Host, stranger: Host) -> None:
    host.get(f"/open/{stranger.group.token}")
    assert {link.get_text() for link in host.get("/").soup.select(".index a")} == {"Thursdays", "Strangers"}
    assert host.get(host.group_path).status == host.get(stranger.group_path).status == 200


def test_another_link_is_shown_once_and_works(host: Host) -> None:
    path = another_link(host)
    assert host.get(f"{host.group_path}/links").soup.select_one("a.key") is None
    assert Visitor(host.app).get(path).path == host.group_path


def test_the_same_form_sent_twice_makes_one_link(host: Host, db: Session) -> None:
    form = host.get(f"{host.group_path}/links").form("/links").fill(name="Ben")
    assert shown_address(form.submit()) == shown_address(form.submit())
    assert len(in_force(db)) == 2


def test_a_form_whose_link_has_been_withdrawn_makes_no_other(host: Host, db: Session) -> None:
    form = host.get(f"{host.group_path}/links").form("/links")
    form.submit()
    host.get(f"{host.group_path}/links").form(f"/{in_force(db)[1]}/withdraw").submit()
    page = form.submit()
    assert page.status == 404
    assert "This link has been withdrawn" in page.text
    assert len(in_force(db)) == 1


def test_the_links_in_force_are_listed_with_the_one_of_this_phone(host: Host) -> None:
    another_link(host)
    items = host.get(f"{host.group_path}/links").soup.select(".index summary")
    assert ["this phone’s link" in item.get_text() for item in items] == [True, False]


def test_withdrawing_a_link_ends_every_phone_that_came_in_by_it(host: Host, db: Session) -> None:
    guest = Visitor(host.app)
    guest.get(another_link(host))
    _first, second = in_force(db)
    page = host.get(f"{host.group_path}/links").form(f"/{second}/withdraw").submit()
    assert "The link has been withdrawn" in page.text
    assert guest.get(host.group_path).status == 404
    assert host.get(host.group_path).status == 200
    assert in_force(db) == [host.group.link_id]


def test_a_withdrawn_link_opens_nothing(host: Host, db: Session) -> None:
    path = another_link(host)
    host.get(f"{host.group_path}/links").form(f"/{in_force(db)[1]}/withdraw").submit()
    assert Visitor(host.app).get(path).status == 404


def test_withdrawing_ones_own_link_leads_out(host: Host, db: Session) -> None:
    path = another_link(host, "host")
    page = host.get(f"{host.group_path}/links").form(f"/{host.group.link_id}/withdraw").submit()
    assert page.path == "/"
    assert "Thursdays" not in page.text
    assert host.get(host.group_path).status == 404
    assert host.get(path).status == 200, "the other link is still a way in"


@pytest.mark.parametrize("role", ["scorer", "viewer"])
def test_withdrawing_ones_own_link_leads_to_what_one_may_still_see(host: Host, db: Session, role: str) -> None:
    host.get(another_link(host, role))
    another_link(host, "host")
    page = host.get(f"{host.group_path}/links").form(f"/{host.group.link_id}/withdraw").submit()
    assert (page.status, page.path) == (200, host.group_path)
    assert "The link has been withdrawn" in page.text


def test_the_last_link_of_a_host_cannot_be_withdrawn(host: Host, db: Session) -> None:
    another_link(host)
    page = host.get(f"{host.group_path}/links").form(f"/{host.group.link_id}/withdraw").submit()
    assert page.status == 422
    assert page.errors() == {
        f"link-{host.group.link_id}": "This is the last link of a host:"
        " without it nobody could manage the group any more."
    }
    assert host.group.link_id in in_force(db)


def test_a_link_says_whose_it_is_and_what_it_lets_them_do(host: Host) -> None:
    another_link(host, "viewer", "Grandma’s tablet")
    summaries = [item.get_text(" ", strip=True) for item in host.get(f"{host.group_path}/links").soup.select("summary")]
    assert summaries[1].startswith("Grandma’s tablet : Watch")


@pytest.mark.parametrize(("name", "field"), [("x" * 41, "name"), ("a\0b", "name")])
def test_it_refuses_a_name_that_cannot_be_used(host: Host, db: Session, name: str, field: str) -> None:
    page = host.get(f"{host.group_path}/links").form("/links").fill(name=name).submit()
    assert page.status == 422
    assert list(page.errors()) == [field]
    assert in_force(db) == [host.group.link_id]


def test_a_group_has_only_so_many_links(host: Host, db: Session) -> None:
    for _ in range(MAX_LINKS - 1):
        make_link(db, host.group.group_id, Role.VIEWER, "")
    page = host.get(f"{host.group_path}/links").form("/links").submit()
    assert page.errors() == {"name": "A group has at most 50 links in force: withdraw one first."}
    assert len(in_force(db)) == MAX_LINKS


def test_a_renewed_link_keeps_its_name_and_role_and_ends_what_it_was(host: Host, db: Session) -> None:
    old = another_link(host, "viewer", "Kitchen")
    guest = Visitor(host.app)
    guest.get(old)
    link_id = in_force(db)[1]
    page = host.get(f"{host.group_path}/links").form(f"/{link_id}/withdraw").submit("Renew it")
    new = urlsplit(shown_address(page)).path
    assert "Kitchen" in page.text
    assert guest.get(host.group_path).status == Visitor(host.app).get(old).status == 404
    again = Visitor(host.app)
    again.get(new)
    assert again.get(host.group_path).status == 200
    assert again.get(f"{host.group_path}/links").status == 403


def test_renewing_ones_own_link_keeps_one_in(host: Host, db: Session) -> None:
    page = host.get(f"{host.group_path}/links").form(f"/{host.group.link_id}/withdraw").submit("Renew it")
    assert page.status == 200
    assert host.get(host.group_path).status == 200
    assert host.group.link_id not in in_force(db)


def test_renewing_twice_gives_the_same_link(host: Host, db: Session) -> None:
    another_link(host)
    form = host.get(f"{host.group_path}/links").form(f"/{in_force(db)[1]}/withdraw")
    assert shown_address(form.submit("Renew it")) == shown_address(form.submit("Renew it"))
    assert len(in_force(db)) == 2


def with_reply_lost(form: Form, action: str) -> None:
    """Send the form, and never see what comes back."""
    client = form.page.visitor.app.test_client()
    for cookie in (form.page.visitor.client.get_cookie("session"),):
        assert cookie is not None
        client.set_cookie(cookie.key, cookie.value)
    assert client.post(action, data=form.data).status_code == 303


def test_renewing_ones_own_link_again_after_the_reply_was_lost_lets_one_in(host: Host, db: Session) -> None:
    form = host.get(f"{host.group_path}/links").form(f"/{host.group.link_id}/withdraw")
    with_reply_lost(form, f"{host.group_path}/links/{host.group.link_id}/renew")
    assert host.get(host.group_path).status == 404

    page = form.submit("Renew it")

    assert page.status == 200
    assert host.get(f"{host.group_path}/links").status == 200
    assert Visitor(host.app).get(urlsplit(shown_address(page)).path).status == 200
    assert len(in_force(db)) == 1


def test_only_the_form_that_renewed_it_lets_a_withdrawn_phone_in(host: Host, stranger: Host, db: Session) -> None:
    other = Visitor(host.app)
    other.get(f"/open/{host.group.token}")
    shown = f"/{host.group.link_id}/withdraw"
    renewed, late = (browser.get(f"{host.group_path}/links").form(shown) for browser in (host, other))
    renewed.submit("Renew it")

    # Another form, shown to a phone that came in by the same link.
    assert late.submit("Renew it").status == 404
    # The same form, from a browser that never had the link.
    path = f"{host.group_path}/links/{host.group.link_id}/renew"
    token = stranger.get("/").form("/groups").data["csrf_token"]
    assert stranger.post(path, data={**renewed.data, "csrf_token": token}).status == 404
    # And withdrawn in turn, it lets nobody in.
    another_link(host, "host")
    first = next(link for link in in_force(db) if link not in (host.group.link_id, stranger.group.link_id))
    host.get(f"{host.group_path}/links").form(f"/{first}/withdraw").submit()
    assert renewed.submit("Renew it").status == 404
    assert host.get(host.group_path).status == 404


def test_of_two_links_to_a_group_the_one_counts_that_lets_one_do_more(host: Host) -> None:
    host.get(another_link(host, "viewer"))
    assert host.get(f"{host.group_path}/links").status == 200


def test_withdrawing_twice_withdraws_one(host: Host, db: Session) -> None:
    another_link(host)
    another_link(host)
    form = host.get(f"{host.group_path}/links").form(f"/{in_force(db)[2]}/withdraw")
    assert form.submit().status == form.submit().status == 200
    assert len(in_force(db)) == 2


def test_withdrawing_the_last_but_one_twice_is_no_error(host: Host, db: Session) -> None:
    another_link(host)
    form = host.get(f"{host.group_path}/links").form(f"/{in_force(db)[1]}/withdraw")
    form.submit()
    assert form.submit().status == 200
    assert in_force(db) == [host.group.link_id]


def test_a_link_of_another_group_cannot_be_withdrawn(host: Host, stranger: Host, db: Session) -> None:
    form = host.get(f"{host.group_path}/links").form("/withdraw")
    theirs = f"{host.group_path}/links/{stranger.group.link_id}/withdraw"
    assert host.post(theirs, data=form.data).status == 404
    assert stranger.group.link_id in in_force(db)

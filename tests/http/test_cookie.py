"""What a browser keeps of the groups and sessions it has been let into, and for how long."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from sqlalchemy import update
from sqlalchemy.orm import Session

from scorekeeper import queries
from scorekeeper.models import GroupLink
from scorekeeper.services.deletion import delete_group
from scorekeeper.services.groups import NewLink, Role, withdraw_link
from scorekeeper.services.joining import make_code
from scorekeeper.services.sessions import close_session
from scorekeeper.web.access import DAYS_KEPT, LINKS_KEPT
from tests.factories import MadeSession, make_group, make_link, make_session, seen_by
from tests.http.conftest import Host
from tests.http.visitor import Page


def open_new(host: Host, db: Session, number: int) -> list[NewLink]:
    """Have the browser open so many links of other groups."""
    links = [make_group(db, name=f"Club {place}", players=("Ann", "Ben")) for place in range(number)]
    for link in links:
        host.client.get(f"/open/{link.token}")
    return links


def kept(host: Host) -> list[tuple[int, float]]:
    """The links in the cookie: the number of each, and when it was made."""
    with host.client.session_transaction() as cookie:
        return list(cookie["opened"])


def join_new(host: Host, db: Session) -> MadeSession:
    """Have the browser join a session of a group of its own by a code."""
    made = make_session(db)
    row = seen_by(db, made.id, made.group.link_id)
    make_code(db, row, Role.VIEWER)
    (code,) = queries.join_codes(db, made.id)
    db.rollback()
    host.get("/join").form("/join").fill(code=code.code).submit()
    return made


def writes_cookie(page: Page) -> bool:
    return "Set-Cookie" in page.response.headers


def give_number_again(db: Session, link: NewLink) -> NewLink:
    """Another group, whose link has the number that *link* had: as where a backup from before it is put back."""
    delete_group(db, link.group_id, "Thursdays")
    secret = make_group(db, name="Secret")
    db.execute(update(GroupLink).where(GroupLink.id == secret.link_id).values(id=link.link_id))
    db.commit()
    return replace(secret, link_id=link.link_id)


def write_as_before(host: Host, written_on: datetime) -> None:
    """Make the cookie what it was when it held numbers alone."""
    with host.client.session_transaction() as cookie:
        cookie["links"] = [link_id for link_id, _ in cookie.pop("opened")]
        cookie["written_on"] = written_on.toordinal()


def test_a_cookie_opens_no_other_link_that_has_come_to_have_the_same_number(host: Host, db: Session) -> None:
    secret = give_number_again(db, host.group)

    assert host.get(f"/groups/{secret.group_id}").status == 404
    assert "Secret" not in host.get("/").text
    host.get(f"/open/{secret.token}")
    assert host.get(f"/groups/{secret.group_id}").status == 200


def test_a_cookie_of_an_earlier_release_goes_on_opening_what_it_did(host: Host) -> None:
    write_as_before(host, datetime.now(UTC))

    assert host.get(host.group_path).status == 200

    assert [link_id for link_id, _ in kept(host)] == [host.group.link_id]


def test_a_cookie_of_an_earlier_release_opens_no_link_that_was_made_later(host: Host, db: Session) -> None:
    secret = give_number_again(db, host.group)
    write_as_before(host, datetime.now(UTC) - timedelta(days=1))

    assert host.get(f"/groups/{secret.group_id}").status == 404


def test_a_full_cookie_first_forgets_what_opens_nothing(host: Host, db: Session) -> None:
    links = open_new(host, db, LINKS_KEPT - 1)
    gone = links[20]
    make_link(db, gone.group_id, Role.HOST)
    withdraw_link(db, gone.group_id, gone.link_id)

    (new,) = open_new(host, db, 1)

    numbers = [link_id for link_id, _ in kept(host)]
    assert len(numbers) == LINKS_KEPT
    assert {host.group.link_id, links[0].link_id, new.link_id} <= {*numbers}
    assert gone.link_id not in numbers


def test_then_sessions_that_have_ended(host: Host, db: Session) -> None:
    playing, over = join_new(host, db), join_new(host, db)
    close_session(db, over.plain_command(db))
    open_new(host, db, LINKS_KEPT - 3)

    open_new(host, db, 1)

    assert len(kept(host)) == LINKS_KEPT
    assert host.get(f"/sessions/{playing.id}").status == 200
    assert host.get(f"/sessions/{over.id}").status == 404


def test_then_what_was_used_least_lately(host: Host, db: Session) -> None:
    links = open_new(host, db, LINKS_KEPT - 1)
    host.get(host.group_path)

    open_new(host, db, 1)

    assert host.get(host.group_path).status == 200
    assert host.get(f"/groups/{links[0].group_id}").status == 404
    assert host.get(f"/groups/{links[1].group_id}").status == 200


def test_a_group_that_is_used_now_and_then_outlives_any_number_of_others(host: Host, db: Session) -> None:
    for _ in range(4):
        open_new(host, db, LINKS_KEPT // 2)
        assert host.get(host.group_path).status == 200


def test_who_looks_in_now_and_then_is_not_forgotten(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    with time_machine.travel(datetime.now(UTC), tick=False) as clock:
        host.get(f"/open/{host.group.token}")
        for _fortnight in range(30):
            clock.shift(timedelta(weeks=2))
            assert host.get(f"/sessions/{session.id}").status == 200


@pytest.mark.parametrize(
    ("path", "headers"),
    [("", {"X-Fragment": "1"}), ("/board", {"X-Fragment": "1"}), ("/export", {}), ("/export/deals.csv", {})],
)
def test_the_cookie_is_written_by_pages_alone_and_only_once_it_is_old(
    host: Host, db: Session, path: str, headers: dict[str, str]
) -> None:
    session = make_session(db, group=host.group)
    host.get(f"/sessions/{session.id}")
    with time_machine.travel(datetime.now(UTC) + timedelta(days=DAYS_KEPT), tick=False) as clock:
        tag = host.get(f"/sessions/{session.id}")
        assert not writes_cookie(tag)
        clock.shift(timedelta(days=1))
        assert not writes_cookie(host.get(f"/sessions/{session.id}{path}", headers=headers))
        same = host.get(f"/sessions/{session.id}", headers={"If-None-Match": tag.response.headers["ETag"]})
        assert (same.status, writes_cookie(same)) == (304, False)

        assert writes_cookie(host.get(f"/sessions/{session.id}"))
        assert not writes_cookie(host.get(f"/sessions/{session.id}"))

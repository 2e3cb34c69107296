"""What a browser keeps of the groups and sessions it has been let into, and for how long."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from sqlalchemy.orm import Session

from scorekeeper import queries
from scorekeeper.services.groups import NewLink, Role, withdraw_link
from scorekeeper.services.joining import make_code
from scorekeeper.services.sessions import close_session
from scorekeeper.web.access import DAYS_KEPT, LINKS_KEPT
from tests.factories import MadeSession, make_group, make_link, make_session
from tests.http.conftest import Host
from tests.http.visitor import Page


def open_new(host: Host, db: Session, number: int) -> list[NewLink]:
    """Have the browser open so many links of other groups."""
    links = [make_group(db, name=f"Club {place}", players=("Ann", "Ben")) for place in range(number)]
    for link in links:
        host.client.get(f"/open/{link.token}")
    return links


def kept(host: Host) -> list[int]:
    with host.client.session_transaction() as cookie:
        return list(cookie["links"])


def join_new(host: Host, db: Session) -> MadeSession:
    """Have the browser join a session of a group of its own by a code."""
    made = make_session(db)
    row = queries.session_of(db, made.id, [made.group.link_id])
    assert row is not None
    make_code(db, row, Role.VIEWER)
    (code,) = queries.join_codes(db, made.id)
    db.rollback()
    host.get("/join").form("/join").fill(code=code.code).submit()
    return made


def writes_cookie(page: Page) -> bool:
    return "Set-Cookie" in page.response.headers


def test_a_full_cookie_first_forgets_what_opens_nothing(host: Host, db: Session) -> None:
    links = open_new(host, db, LINKS_KEPT - 1)
    gone = links[20]
    make_link(db, gone.group_id, Role.HOST)
    withdraw_link(db, gone.group_id, gone.link_id)

    (new,) = open_new(host, db, 1)

    assert len(kept(host)) == LINKS_KEPT
    assert {host.group.link_id, links[0].link_id, new.link_id} <= {*kept(host)}
    assert gone.link_id not in kept(host)


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

"""Misdeals."""

from sqlalchemy.orm import Session

from scorekeeper.services.sessions import close_session
from tests.factories import make_deal, make_session
from tests.http.conftest import Host
from tests.http.deals import deals_of, seated
from tests.http.visitor import Page


def misdeal(page: Page) -> Page:
    return page.form("/misdeal").submit("Misdeal")


def test_after_a_misdeal_the_same_dealer_deals_again(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)

    page = misdeal(host.get(f"/sessions/{session.id}"))

    assert page.path == f"/sessions/{session.id}"
    assert "Deal 2 was a misdeal, so Ann deals again." in page.text
    assert "Record deal 3" in page.text
    assert seated(page) == {"Ann": "+1", "Ben": "−1", "Cleo": "+1", "Dan": "−1"}
    assert [deal.result for deal in deals_of(db, session.id)] == ["made", "misdeal"]


def test_a_misdeal_can_be_undone(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = misdeal(host.get(f"/sessions/{session.id}"))

    undone = page.form("/misdeal").submit("Undo deal 1")
    restored = undone.form("/misdeal").submit("Restore deal 1")

    assert "Dan deals first." in undone.text
    assert "Deal 1 was a misdeal, so Dan deals again." in restored.text


def test_pressing_twice_records_one(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = host.get(f"/sessions/{session.id}")

    assert (misdeal(page).status, misdeal(page).status) == (200, 200)
    assert len(deals_of(db, session.id)) == 1


def test_a_page_from_before_the_latest_deal_records_none(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = host.get(f"/sessions/{session.id}")
    make_deal(db, session)

    assert misdeal(page).status == 409
    assert len(deals_of(db, session.id)) == 1


def test_an_ended_session_takes_none(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    data = host.get(f"/sessions/{session.id}").form("/misdeal").data
    close_session(db, session.plain_command(db))
    data["expected_version"] = str(session.command(db)["expected_version"])

    assert host.post(f"/sessions/{session.id}/misdeal", data=data).status == 409
    assert deals_of(db, session.id) == []

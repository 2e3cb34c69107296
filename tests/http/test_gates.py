"""What the hot pages cost, counted rather than timed: statements, rows, scans and bytes."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event, insert, select, update
from sqlalchemy.engine import Engine
from sqlalchemy.orm import Session

from scorekeeper.models import Deal, GameSession, SessionChange
from scorekeeper.services.counts import CountIn, count_in
from scorekeeper.services.deals import DisputeDeal, dispute_deal
from scorekeeper.services.sessions import close_session, reopen_session
from tests.factories import CLUB_TURNED, MadeSession, make_deal, make_group, make_session
from tests.http.conftest import Host
from tests.http.deals import HALF_BY_ANN, deal_form, fill_in
from tests.http.visitor import Page

SMALL, LARGE = 10, 1_000
MOST_STATEMENTS, MOST_TO_RECORD, MOST_ROWS = 8, 12, 200
MOST_BYTES = 20 * 1024
MOST_BYTES_OF_SHEET = 100 * 1024
"""Of fifty deals."""
MOST_BYTES_OF_PAPER = 24 * 1024
"""Of twenty rows to be filled in, and everything that can be paid."""
MOST_BYTES_OF_FORM, MOST_COMPRESSED = 96 * 1024, 20 * 1024
"""Of a form that carries every ending a deal can have, so that a phone needs nobody to ask."""
MOST_ON_FIRST_VISIT = 60 * 1024
"""Bytes, compressed: the page and everything it brings, icons included."""
PAGES = {
    "session": "",
    "board": "/board",
    "table view": "/table",
    "older deals": "/deals?before=10",
    "score sheet": "/deals",
    "new deal": "/deals/new",
    "deal": "/deals/5",
    "correction": "/deals/5/correct",
    "voiding": "/deals/5/void",
    "why a change": "/deals/5/why/0",
    "why a total": "/seats/0/why",
    "why an older total": "/seats/0/why?deal=9",
    "chart": "/chart",
    "export": "/files",
    "count": "/count",
    "costs": "/costs",
    "settlement": "/settlement",
    "bidding": "/bidding?say=pass.half",
    "sheet for tonight": "/paper",
    "keying in": "/paper/keying",
}
SCORED_AGAIN = ("voiding",)
"""Pages that say what would become of all deals after one, and so read them."""
Statement = tuple[str, Any]


@contextmanager
def statements() -> Iterator[list[Statement]]:
    """What is asked of the database meanwhile, transactions' beginnings aside."""
    seen: list[Statement] = []

    def note(connection: Any, cursor: Any, statement: str, parameters: Any, *more: Any) -> None:
        if not statement.startswith("BEGIN"):
            seen.append((statement, parameters))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def session_of(db: Session, host: Host, deals: int) -> MadeSession:
    """A session of as many Halves made, of which the service recorded the first and the last."""
    session = make_session(db, group=host.group)
    make_deal(db, session)
    deal = db.execute(select(*Deal.__table__.columns).where(Deal.session_id == session.id)).one()._mapping
    change = (
        db.execute(
            select(*SessionChange.__table__.columns).where(
                SessionChange.session_id == session.id, SessionChange.version == deal["version"]
            )
        )
        .one()
        ._mapping
    )
    numbers = range(2, deals)
    rows = [{**deal, "number": number, "recorded": number + 1, "version": number + 1} for number in numbers]
    db.execute(
        insert(SessionChange),
        [{**change, "version": number + 1, "submission_id": f"{number:040x}"} for number in numbers],
    )
    db.execute(insert(Deal), rows)
    this = GameSession.id == session.id
    db.execute(update(GameSession).where(this).values(deals=deals - 1, version=deals))
    db.commit()
    make_deal(db, session)
    return session


def open_page(host: Host, session: MadeSession, page: str) -> tuple[Page, list[Statement]]:
    with statements() as seen:
        return host.get(f"/sessions/{session.id}{PAGES[page]}"), seen


@pytest.mark.parametrize("page", PAGES)
def test_a_page_asks_the_same_few_questions_however_many_deals_there_are(host: Host, db: Session, page: str) -> None:
    small, large = session_of(db, host, SMALL), session_of(db, host, LARGE)

    (_, few), (_, many) = open_page(host, small, page), open_page(host, large, page)

    assert [statement for statement, _ in few] == [statement for statement, _ in many]
    assert 1 <= len(many) <= MOST_STATEMENTS


@pytest.mark.parametrize("closed", [False, True])
def test_a_settlement_asks_no_more_once_it_was_drawn_up_counted_and_is_in_dispute(
    host: Host, db: Session, closed: bool
) -> None:
    session = session_of(db, host, SMALL)
    count_in(db, CountIn(**session.command(db), counted=(40, 40, 40, 40), began=40))
    close_session(db, session.plain_command(db))
    if not closed:
        reopen_session(db, session.plain_command(db))
    dispute_deal(db, DisputeDeal(**session.command(db), number=5, disputed=True))

    page, seen = open_page(host, session, "settlement")

    assert "Deal 5 is disputed" in page.text
    assert "The chips counted last were off" in page.text
    assert len(seen) <= MOST_STATEMENTS
    assert [step for one in seen for step in scans(db, one)] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page not in SCORED_AGAIN])
def test_a_page_reads_few_rows_and_finds_them_by_key(host: Host, db: Session, page: str) -> None:
    session = session_of(db, host, LARGE)

    _, seen = open_page(host, session, page)

    assert sum(len(db.connection().exec_driver_sql(*one).all()) for one in seen) <= MOST_ROWS
    assert [step for one in seen for step in scans(db, one)] == []


def scans(db: Session, statement: Statement) -> list[str]:
    """The tables SQLite would go through from end to end. PostgreSQL chooses by size, and here all are small."""
    if db.get_bind().dialect.name != "sqlite":
        return []
    text, parameters = statement
    plan = db.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", parameters)
    return [row.detail for row in plan if row.detail.startswith("SCAN")]


def test_recording_asks_the_same_few_questions_however_many_deals_there_are(host: Host, db: Session) -> None:
    counts = []
    for deals in (SMALL, LARGE):
        session = session_of(db, host, deals)
        form = deal_form(fill_in(host, f"/sessions/{session.id}/deals/new", **HALF_BY_ANN))
        with statements() as seen:
            saved = host.client.post(form.action, data=form.data)
        assert saved.status_code == 303
        counts.append([text for text, _ in seen])
        assert [
            step
            for text, values in seen
            if text.startswith(("SELECT", "UPDATE"))
            for step in scans(db, (text, values[0] if isinstance(values, list) else values))
        ] == []

    assert counts[0] == counts[1]
    assert len(counts[0]) <= MOST_TO_RECORD


def test_a_page_that_has_not_changed_takes_one_question(host: Host, db: Session) -> None:
    session = session_of(db, host, SMALL)
    open_page(host, session, "session")
    page, _ = open_page(host, session, "session")

    with statements() as seen:
        assert host.get(page.path, headers={"If-None-Match": page.response.headers["ETag"]}).status == 304

    assert len(seen) == 1


@pytest.mark.parametrize("card_game", ["mensch", "dirty-clubs"])
def test_a_full_page_with_the_longest_names_is_small(host: Host, db: Session, card_game: str) -> None:
    group = make_group(db, name="Ü" * 40, players=tuple(letter * 40 for letter in "ÄÖÜßÉÈ"))
    guest = Host(host.app, group)
    if card_game == "mensch":
        session = make_session(db, group=group)
        facts = None
    else:
        rules = {"players": 6, "cards": 36, "others_need": 0, "start": 1000}
        session = make_session(db, group=group, card_game=card_game, house_rules=rules)
        facts = {"turn_up": "clubs", "tricks": [*CLUB_TURNED["tricks"], 0, 0]}  # type: ignore[misc]
    for _ in range(SMALL + 10):
        make_deal(db, session, facts) if facts else make_deal(db, session)

    most = {"score sheet": MOST_BYTES_OF_SHEET, "sheet for tonight": MOST_BYTES_OF_PAPER}
    most |= dict.fromkeys(("new deal", "correction"), MOST_BYTES_OF_FORM)
    for name, path in PAGES.items():
        page = guest.get(f"/sessions/{session.id}{path}")
        assert page.status == 200
        assert len(page.response.data) <= most.get(name, MOST_BYTES), path
        assert len(gzip.compress(page.response.data)) <= MOST_COMPRESSED, path


@pytest.mark.parametrize("page", ["", "/deals/new"])
def test_a_first_visit_brings_little(host: Host, db: Session, page: str) -> None:
    session = session_of(db, host, SMALL)
    seen = host.get(f"/sessions/{session.id}{page}")
    brings = {
        str(address).split("#")[0]
        for element in seen.soup.select("link[href], script[src], use[href], img[src]")
        if (address := element.get("href") or element.get("src"))
    }
    assert any("app.css" in address for address in brings)
    assert any("suits.svg" in address for address in brings)
    compressed = len(gzip.compress(seen.response.data))
    for address in sorted(brings):
        with host.client.get(address) as file:
            assert file.status_code == 200
            compressed += len(gzip.compress(file.data))
    assert compressed <= MOST_ON_FIRST_VISIT

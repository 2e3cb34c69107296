"""On PostgreSQL guesses at join codes that begin alike, or come from one address, wait for one another."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, event, select
from sqlalchemy.orm import Session

from scorekeeper.models import JoinCode
from scorekeeper.services.attempts import TooSoon
from scorekeeper.services.groups import Role
from scorekeeper.services.joining import FREE, Joined, WrongCode, join, make_code
from tests.factories import make_session, seen_by
from tests.postgres.test_locks import until_somebody_waits

NOW = datetime(2026, 11, 26, 20, 0, tzinfo=UTC)


HERE, ELSEWHERE = "192.0.2.1", "192.0.2.2"


def guess(engine: Engine, code: str, address: str) -> Joined:
    with Session(engine) as db:
        return join(db, code, address, NOW)


def changed(code: str, place: int) -> str:
    """A code with another letter at *place*."""
    return code[:place] + ("A" if code[place] != "A" else "B") + code[place + 1 :]


@pytest.mark.parametrize(
    ("place", "address"), [(5, ELSEWHERE), (0, HERE), (5, HERE)], ids=["begins alike", "same address", "both"]
)
@pytest.mark.parametrize("before", [0, FREE - 1], ids=["first guess", "fifth guess"])
def test_a_right_guess_that_waited_for_a_wrong_one_knows_of_it(
    db: Session, before: int, place: int, address: str
) -> None:
    made = make_session(db)
    session = seen_by(db, made.id, made.group.link_id)
    make_code(db, session, Role.VIEWER)
    right = db.scalars(select(JoinCode.code)).one()
    wrong = changed(right, place)
    for _ in range(before):
        with pytest.raises(WrongCode):
            join(db, wrong, address, NOW)
    engine = db.get_bind()
    assert isinstance(engine, Engine)
    waiting: list[Future[Joined]] = []

    with Session(engine) as first, ThreadPoolExecutor(1) as pool:

        def let_another_guess(_session: Session) -> None:
            waiting.append(pool.submit(guess, engine, right, HERE))
            until_somebody_waits(db, waiting[0])

        event.listen(first, "before_commit", let_another_guess)
        with pytest.raises(WrongCode):
            join(first, wrong, address, NOW)
        if before:
            with pytest.raises(TooSoon):
                waiting[0].result(timeout=30)
        else:
            assert waiting[0].result(timeout=30).session_id == made.id

    assert join(db, right, HERE, NOW + timedelta(seconds=1)).session_id == made.id

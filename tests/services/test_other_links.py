"""A form is the same form whichever link of a browser counts when it is sent again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy.orm import Session

from scorekeeper import queries
from scorekeeper.models import Group
from scorekeeper.rules import Seat
from scorekeeper.services.deals import CorrectDeal, RecordDeal, VoidDeal, correct_deal, record_deal, void_deal
from scorekeeper.services.groups import Role
from scorekeeper.services.imports import import_session
from scorekeeper.services.sessions import MoveChips, buy_in, close_session, open_session
from scorekeeper.services.transaction import take_pen
from tests.factories import (
    FIVE_IN_SPADES_MADE,
    HALF_MADE,
    MadeSession,
    make_deal,
    make_group,
    make_link,
    make_session,
    opened,
)
from tests.services.test_imports import importing
from tests.services.test_sessions import opening
from tests.sittings import dump

Act = tuple[Callable[..., object], Any]
"""A service, and the command it carries out."""

CHANGES: dict[str, Callable[[Session, MadeSession], Act]] = {
    "record": lambda db, made: (record_deal, RecordDeal(**made.command(db), facts=HALF_MADE)),
    "correct": lambda db, made: (correct_deal, CorrectDeal(**made.command(db), number=1, facts=FIVE_IN_SPADES_MADE)),
    "void": lambda db, made: (void_deal, VoidDeal(**made.command(db), number=1)),
    "buy": lambda db, made: (buy_in, MoveChips(**made.command(db), seat=Seat(0), chips=20)),
    "pen": lambda db, made: (take_pen, made.plain_command(db)),
    "close": lambda db, made: (close_session, made.plain_command(db)),
    "open": lambda db, made: (open_session, opening(db, made.group)),
    "import": lambda db, made: (import_session, importing(made.group)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_form_sent_again_by_another_link_has_done_its_work(db: Session, change: str) -> None:
    made = make_session(db)
    make_deal(db, made)
    service, command = CHANGES[change](db, made)
    outcome = service(db, command)
    renewed = make_link(db, made.group.group_id, Role.SCORER, "")
    stored = dump(db)

    assert service(db, replace(command, link_id=renewed.link_id)) == outcome

    # The version of a group may move on though nothing has changed.
    assert dump(db) | {Group.__tablename__: []} == stored | {Group.__tablename__: []}


@pytest.mark.parametrize("order", [1, -1])
def test_of_several_links_that_let_one_do_the_same_the_oldest_counts(db: Session, order: int) -> None:
    group = make_group(db)
    session = make_session(db, group=group)
    made = [group.link_id, *(make_link(db, group.group_id, Role.HOST, "").link_id for _ in range(3))]
    links = opened(db, *made)

    for found in (
        queries.group_of(db, group.group_id, links[::order]),
        queries.session_of(db, session.id, links[::order]),
    ):
        assert found is not None
        assert found.link_id == group.link_id

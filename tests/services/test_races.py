"""Several phones at the same moment: for each version one of them wins, and nothing is lost or done twice."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import create_engine, event, func, select
from sqlalchemy.orm import Session

# For what it does to every connection.
import scorekeeper.extensions  # noqa: F401
from scorekeeper.ledger import Choices
from scorekeeper.models import Deal, GameSession, Group, GroupLink, LedgerEntry, Player, SessionChange
from scorekeeper.rules import Refused
from scorekeeper.services.carrying import Carry, HandBack, hand_back
from scorekeeper.services.check import differences
from scorekeeper.services.costs import SetStake, set_stake
from scorekeeper.services.deals import CorrectDeal, RecordDeal, VoidDeal, correct_deal, record_deal, void_deal
from scorekeeper.services.deletion import delete_group, remove_player
from scorekeeper.services.groups import CreateGroup, NewLink, Role, add_player, create_group, create_link, renew_link
from scorekeeper.services.sessions import close_session, open_session, reopen_session
from scorekeeper.services.settlement import Pay, pay
from scorekeeper.services.transaction import PenElsewhere, SessionCommand, StaleSession, take_pen
from tests.factories import (
    FIVE_IN_SPADES_MADE,
    HALF_MADE,
    MadeSession,
    make_deal,
    make_group,
    make_session,
    submission_id,
)
from tests.http.evidence import dump_of
from tests.services.test_sessions import opening
from tests.sittings import Sitting

PHONES = 4


def at_once(db: Session, *services: Callable[[Session], object]) -> list[object]:
    """Run each of *services* in a thread and with a database session of its own, and return what came of each."""
    db.rollback()
    engine = db.get_bind()
    together = Barrier(len(services))

    def run(service: Callable[[Session], object]) -> object:
        with Session(engine) as own:
            own.execute(select(1))
            own.rollback()
            together.wait(timeout=30)
            try:
                return service(own)
            except (StaleSession, Refused) as error:
                return error

    with ThreadPoolExecutor(len(services)) as pool:
        return list(pool.map(run, services))


def in_a_process(url: str, service: Any, command: SessionCommand, together: Any, outcomes: Any) -> None:
    """What each process of :func:`at_once_in_processes` does."""
    with Session(create_engine(url)) as own:
        own.execute(select(1))
        own.rollback()
        together.wait(timeout=60)
        try:
            service(own, command)
            outcomes.put("done")
        except StaleSession:
            outcomes.put("stale")


def at_once_in_processes(db: Session, url: str, *acts: tuple[Any, SessionCommand]) -> list[str]:
    """Have each service carry out its command in a process of its own, and return what came of them, sorted."""
    db.rollback()
    processes = multiprocessing.get_context("spawn")
    together, outcomes = processes.Barrier(len(acts)), processes.SimpleQueue()
    started = [processes.Process(target=in_a_process, args=(url, *act, together, outcomes)) for act in acts]
    for process in started:
        process.start()
    for process in started:
        process.join(timeout=90)
        assert process.exitcode == 0
    return sorted(outcomes.get() for _ in acts)


@pytest.mark.parametrize("pair", ["record/record", "record/correct", "settle/record", "pen/pen"])
def test_of_two_processes_one_wins_and_the_other_is_told(db: Session, database_url: str, pair: str) -> None:
    made = make_session(db)
    make_deal(db, made)
    fields = made.command(db)

    def act(kind: str) -> tuple[Any, SessionCommand]:
        own = {**fields, "submission_id": submission_id()}
        return {
            "record": (record_deal, RecordDeal(**own, facts=HALF_MADE)),
            "correct": (correct_deal, CorrectDeal(**own, number=1, facts=FIVE_IN_SPADES_MADE)),
            "settle": (close_session, SessionCommand(**own)),
            "pen": (take_pen, SessionCommand(**{**own, "device": own["submission_id"][:16]})),
        }[kind]

    outcomes = at_once_in_processes(db, database_url, *map(act, pair.split("/")))

    assert outcomes == ["done", "stale"]
    assert list(differences(db)) == []
    assert db.scalar(select(func.sum(LedgerEntry.chips))) == 0
    assert db.scalar(select(GameSession.version)) == fields["expected_version"] + 1


def stale(outcomes: Sequence[object]) -> int:
    return sum(isinstance(outcome, StaleSession) for outcome in outcomes)


def recording(db: Session, made: MadeSession) -> Callable[[Session], object]:
    command = RecordDeal(**made.command(db), facts=HALF_MADE)
    return lambda own: record_deal(own, command)


def correcting(db: Session, made: MadeSession) -> Callable[[Session], object]:
    command = CorrectDeal(**made.command(db), number=1, facts=FIVE_IN_SPADES_MADE)
    return lambda own: correct_deal(own, command)


def voiding(db: Session, made: MadeSession) -> Callable[[Session], object]:
    command = VoidDeal(**made.command(db), number=1)
    return lambda own: void_deal(own, command)


def paying(db: Session, made: MadeSession) -> Callable[[Session], object]:
    transfer = Sitting(db, made).transfers()[0]
    command = Pay(**made.command(db), plan=transfer.version, line=transfer.line)
    return lambda own: pay(own, command)


def taking(db: Session, made: MadeSession) -> Callable[[Session], object]:
    """Another phone takes the pen."""
    command = replace(made.plain_command(db), device=submission_id())
    return lambda own: take_pen(own, command)


@pytest.mark.parametrize("change", [recording, correcting, voiding, paying, taking])
def test_of_several_changes_of_one_version_exactly_one_wins(
    db: Session, change: Callable[[Session, MadeSession], Callable[[Session], object]]
) -> None:
    made = make_session(db)
    make_deal(db, made)
    sitting = Sitting(db, made)
    if change is paying:
        sitting.close()
    version = sitting.row.version
    outcomes = at_once(db, *(change(db, made) for _ in range(PHONES)))
    assert stale(outcomes) == PHONES - 1
    assert sitting.row.version == version + 1
    assert list(differences(db)) == []


def test_different_changes_of_one_version_exclude_each_other(db: Session) -> None:
    made = make_session(db)
    make_deal(db, made)
    outcomes = at_once(db, recording(db, made), correcting(db, made), voiding(db, made), recording(db, made))
    assert stale(outcomes) == PHONES - 1
    assert list(differences(db)) == []


def test_a_deal_is_recorded_before_the_pen_moves_or_not_at_all(db: Session) -> None:
    made = make_session(db)
    make_deal(db, made)
    take_pen(db, replace(made.plain_command(db), device="the table's"))
    outcomes = at_once(db, recording(db, made), taking(db, made))
    assert stale(outcomes) == 1
    db.rollback()
    if db.scalars(select(GameSession.pen)).one() == "the table's":
        assert outcomes[0] == 2
    with pytest.raises(PenElsewhere):
        record_deal(db, RecordDeal(**(made.command(db) | {"device": "late"}), facts=HALF_MADE))
    assert list(differences(db)) == []


def test_of_several_thumbs_that_take_the_pen_and_save_one_saves(db: Session) -> None:
    made = make_session(db)
    take_pen(db, replace(made.plain_command(db), device="the table's"))

    def saving() -> Callable[[Session], object]:
        taken = made.command(db) | {"device": submission_id(), "takes_pen": True}
        command = RecordDeal(**taken, facts=HALF_MADE)
        return lambda own: record_deal(own, command)

    outcomes = at_once(db, *(saving() for _ in range(PHONES)))
    assert stale(outcomes) == PHONES - 1
    assert db.scalar(select(func.count()).select_from(Deal)) == 1
    assert list(differences(db)) == []


def test_one_form_sent_several_times_at_once_records_one_deal(db: Session) -> None:
    made = make_session(db)
    assert at_once(db, *[recording(db, made)] * PHONES) == [1] * PHONES
    assert db.scalar(select(func.count()).select_from(Deal)) == 1
    assert list(differences(db)) == []


def test_phones_that_try_again_when_they_were_late_lose_nothing(db: Session) -> None:
    made = make_session(db)

    def three_deals(own: Session) -> None:
        recorded = 0
        while recorded < 3:
            try:
                record_deal(own, RecordDeal(**made.command(own), facts=HALF_MADE))
            except StaleSession:
                continue
            recorded += 1

    assert at_once(db, *[three_deals] * PHONES) == [None] * PHONES
    sitting = Sitting(db, made)
    assert [deal.number for deal in sitting.deals()] == list(range(1, 3 * PHONES + 1))
    assert sitting.seats()[0].chips == 3 * PHONES
    assert list(differences(db)) == []


def test_sessions_of_the_same_players_do_not_wait_for_each_other_for_ever(db: Session) -> None:
    group = make_group(db)
    command = opening(db, group)

    def evening(turned: int) -> Callable[[Session], object]:
        players = (*command.players[turned:], *command.players[:turned])

        def play(own: Session) -> None:
            seated = replace(command, players=players, submission_id=submission_id())
            made = MadeSession(open_session(own, seated), group)
            for _ in range(5):
                make_deal(own, made)

        return play

    assert at_once(db, *(evening(turned) for turned in range(PHONES))) == [None] * PHONES
    assert db.scalar(select(func.count()).select_from(Deal)) == 5 * PHONES
    assert list(differences(db)) == []


def test_rows_that_sessions_share_are_always_locked_in_the_same_order(db: Session) -> None:
    group = make_group(db)
    command = opening(db, group)
    players = (*command.players[2:], *command.players[:2])
    orders: list[list[int]] = []

    def note_order(*call: Any) -> None:
        _, _, statement, parameters, _, executemany = call
        if executemany and statement.startswith("UPDATE group_total"):
            orders.append([row["of_player"] if isinstance(row, dict) else row[-2] for row in parameters])

    event.listen(db.get_bind(), "before_cursor_execute", note_order)
    make_deal(db, MadeSession(open_session(db, replace(command, players=players)), group))
    assert orders == [sorted(players)]


def test_one_form_sent_several_times_at_once_opens_one_session(db: Session) -> None:
    command = opening(db, make_group(db))
    outcomes = at_once(db, *[lambda own: open_session(own, command)] * PHONES)
    assert len(set(outcomes)) == 1
    assert db.scalar(select(func.count()).select_from(GameSession)) == 1


def test_one_form_sent_several_times_at_once_makes_one_group(db: Session) -> None:
    command = CreateGroup("Thursdays", ("Ann", "Ben"), submission_id())
    outcomes: list[Any] = at_once(db, *[lambda own: create_group(own, command, "key")] * PHONES)
    assert len(set(outcomes)) == 1
    assert db.scalar(select(func.count()).select_from(Group)) == 1


def test_one_form_sent_several_times_at_once_makes_or_renews_one_link(db: Session) -> None:
    group = make_group(db)
    made: list[Any] = at_once(db, *[lambda own: create_link(own, group.group_id, Role.SCORER, "", "key")] * PHONES)
    assert len(set(made)) == 1
    renewed: list[Any] = at_once(db, *[lambda own: renew_link(own, group.group_id, made[0].link_id, "new")] * PHONES)
    assert len(set(renewed)) == 1
    assert db.scalar(select(func.count()).select_from(GroupLink)) == 3


def test_one_name_added_several_times_at_once_is_added_once(db: Session) -> None:
    group = make_group(db)
    outcomes = at_once(db, *[lambda own: add_player(own, group.group_id, "Eve")] * PHONES)
    assert sum(isinstance(outcome, Refused) for outcome in outcomes) == PHONES - 1
    assert db.scalar(select(func.count()).select_from(Player)) == 5


def test_a_session_that_ends_while_a_deal_is_recorded_has_it_or_refuses_it(db: Session) -> None:
    made = make_session(db)
    make_deal(db, made)
    close = made.plain_command(db)
    outcomes = at_once(db, recording(db, made), lambda own: close_session(own, close))
    assert stale(outcomes) == 1
    changes = db.scalars(select(SessionChange.kind).order_by(SessionChange.version)).all()
    assert changes[-1] in ("record", "close")
    assert list(differences(db)) == []


def test_a_group_that_is_deleted_while_something_is_done_in_it_is_gone_with_it(db: Session) -> None:
    group, others = make_group(db), make_session(db)
    made = [make_session(db, group=group) for _ in range(3)]
    for session in (*made, others):
        make_deal(db, session)
    before = dump_of(db.connection())["game_session"]
    changes = [recording(db, made[0]), correcting(db, made[1]), taking(db, made[2])]
    outcomes = at_once(db, *changes, *[lambda own: delete_group(own, group.group_id, "Thursdays")] * 2)
    assert not any(isinstance(outcome, Refused) for outcome in outcomes)
    after = dump_of(db.connection())
    assert after["game_session"] == [row for row in before if row[0] == others.id]
    assert len(after["deal"]) == len(after["player_group"]) == 1
    assert list(differences(db)) == []


def left_open_session(db: Session, group: NewLink | None = None) -> MadeSession:
    """A session that has ended and leaves something open."""
    made = make_session(db, group=group)
    make_deal(db, made, FIVE_IN_SPADES_MADE)
    close_session(db, made.plain_command(db), Choices(least=100))
    return made


def carried_from(db: Session, *sources: MadeSession) -> MadeSession:
    """A session that settles all that earlier ones left open."""
    carries = tuple(Carry(made.id, made.command(db)["expected_version"], unpaid=True) for made in sources)
    return make_session(db, group=sources[0].group, carry=carries)


def ending(db: Session, made: MadeSession) -> Callable[[Session], object]:
    command = made.plain_command(db)
    return lambda own: close_session(own, command)


def handing_back(db: Session, made: MadeSession, source: MadeSession) -> Callable[[Session], object]:
    command = HandBack(**made.command(db), source_id=source.id)
    return lambda own: hand_back(own, command)


def test_what_is_taken_back_by_several_at_once_goes_back_once(db: Session) -> None:
    source = left_open_session(db)
    made = carried_from(db, source)
    outcomes = at_once(db, *(handing_back(db, made, source) for _ in range(PHONES)))
    assert stale(outcomes) == PHONES - 1
    assert list(differences(db)) == []


def test_what_is_taken_back_while_either_session_ends_is_settled_once(db: Session) -> None:
    source = left_open_session(db)
    made = carried_from(db, source)
    reopen_session(db, source.plain_command(db))
    outcomes = at_once(db, handing_back(db, made, source), ending(db, source), ending(db, made))
    assert not all(isinstance(outcome, StaleSession | Refused) for outcome in outcomes)
    assert list(differences(db)) == []
    assert sum(seat.carried for one in (source, made) for seat in Sitting(db, one).seats()) == 0


def test_what_is_taken_back_and_at_the_same_moment_carried_on_by_another_goes_to_one(db: Session) -> None:
    source = left_open_session(db)
    made = carried_from(db, source)
    others = replace(opening(db, source.group), carry=(Carry(source.id, source.command(db)["expected_version"], True),))
    outcomes = at_once(db, handing_back(db, made, source), lambda own: open_session(own, others))
    assert isinstance(outcomes[1], Refused)
    assert outcomes[0] is None
    assert list(differences(db)) == []


def test_sessions_that_hand_back_to_each_others_sources_do_not_wait_for_ever(db: Session) -> None:
    one = left_open_session(db)
    other = left_open_session(db, one.group)
    made = [carried_from(db, one), carried_from(db, other)]
    outcomes = at_once(
        db,
        handing_back(db, made[0], one),
        handing_back(db, made[1], other),
        recording(db, made[0]),
        lambda own: delete_group(own, one.group.group_id, "Fridays"),
    )
    assert isinstance(outcomes[3], Refused)
    assert outcomes[1] is None
    assert list(differences(db)) == []


def test_the_stake_a_deal_brings_is_the_one_that_was_said_before_it(db: Session) -> None:
    made = make_session(db)
    command = SetStake(**made.command(db), amount=3)
    outcomes = at_once(db, recording(db, made), lambda own: set_stake(own, command))
    assert stale(outcomes) == 1
    assert not any(seat.costs for seat in Sitting(db, made).seats())
    assert list(differences(db)) == []


def test_nobody_is_removed_who_is_being_seated(db: Session) -> None:
    group = make_group(db)
    command = opening(db, group)
    player = command.players[0]
    seated, removed = at_once(
        db, lambda own: open_session(own, command), lambda own: remove_player(own, group.group_id, player)
    )
    assert isinstance(seated, Refused) != isinstance(removed, Refused)
    assert list(differences(db)) == []

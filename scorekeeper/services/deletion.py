"""What goes for good: a player who never sat down, and a whole group."""

from __future__ import annotations

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from scorekeeper import queries
from scorekeeper.models import Base, GameSession, Group, Player
from scorekeeper.names import name_key
from scorekeeper.rules import Problem, Refused
from scorekeeper.services.groups import change_group, of_group
from scorekeeper.services.transaction import transaction


def remove_player(db: Session, group_id: int, player_id: int) -> None:
    """Remove a player who has never sat in a session; one who has gone already stays so.

    :raises Refused: if they have: then they can only retire.
    """
    with transaction(db):
        change_group(db, group_id)
        this = Player.group_id == group_id, Player.id == player_id
        # Whoever is being seated at this moment is seated before this goes on.
        db.execute(select(Player.id).where(*this).with_for_update()).all()
        if queries.has_sat(db, group_id, player_id):
            raise Refused(Problem("HAS_SAT", "remove"))
        db.execute(delete(Player).where(*this))


def delete_group(db: Session, group_id: int, name: str) -> None:
    """Delete a group and everything in it, every link included; *name* says that it is meant.

    One that has gone already stays so.

    :raises Refused: if the group is called otherwise; nothing is written.
    """
    gone = False
    while not gone:
        with transaction(db):
            gone = _delete_group(db, group_id, name)


def _delete_group(db: Session, group_id: int, name: str) -> bool:
    """Whether the group is gone; it is not if a session was begun before all of them could be locked."""
    # In the order of everybody who changes a session: first the session, then what it adds up to in the group.
    sessions = select(GameSession.id).where(GameSession.group_id == group_id)
    locked = db.scalars(sessions.order_by(GameSession.id).with_for_update()).all()
    called = db.scalar(select(Group.name).where(Group.id == group_id).with_for_update())
    if called is None:
        return True
    if name_key(name) != name_key(called):
        raise Refused(Problem("OTHER_NAME", "name"))
    if set(db.scalars(sessions)) != set(locked):
        return False
    for table in reversed(Base.metadata.sorted_tables):
        if table is Group.__table__ or "group_id" in table.columns:
            db.execute(delete(table).where(of_group(table, group_id)))
    return True

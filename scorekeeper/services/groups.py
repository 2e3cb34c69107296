"""A group: making it, its players, and the links that open it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, Table, delete, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from scorekeeper.limits import MAX_LINKS, MAX_PLAYERS
from scorekeeper.models import GameSession, Group, GroupLink, JoinCode, Player
from scorekeeper.names import BadName, clean_name, name_key
from scorekeeper.rules import Problem, Refused
from scorekeeper.services.transaction import ChangedForm, fingerprint_of, tell_others, transaction


class Role(StrEnum):
    """What a link lets one do; each of them may do what those before it may."""

    VIEWER = "viewer"
    """Watch."""
    SCORER = "scorer"
    """Record, correct and settle."""
    HOST = "host"
    """Players, rules and links."""

    def includes(self, other: Role) -> bool:
        roles = list(Role)
        return roles.index(self) >= roles.index(other)


@dataclass(frozen=True, slots=True)
class CreateGroup:
    name: str
    players: tuple[str, ...]
    submission_id: str


@dataclass(frozen=True, slots=True)
class NewLink:
    """A link just made. Of its ``token`` the database keeps the hash."""

    group_id: int
    link_id: int
    token: str


class GroupGone(Exception):
    """The group has been deleted."""


class LinkGone(Exception):
    """The link that a form made when it was sent before opens nothing any more."""


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def create_group(db: Session, command: CreateGroup, token: str) -> NewLink:
    """Make a group with its players and a host link for its creator, of which *token* is the key.

    Sending the same ``submission_id`` again makes no second group, and gives the same link: the reply may have been
    lost.

    :raises Refused: if a name cannot be used; nothing is written.
    :raises ChangedForm: if it comes with other content; nothing is written.
    :raises LinkGone: if it comes again and the link has been withdrawn; nothing is written.
    """
    try:
        return _create_group(db, command, token)
    except IntegrityError:
        # The same form came twice at once and the other was quicker: this time the group is there.
        return _create_group(db, command, token)


def _create_group(db: Session, command: CreateGroup, token: str) -> NewLink:
    fingerprint = fingerprint_of(command)
    with transaction(db):
        made = group_made(db, command.submission_id, fingerprint)
        if made is not None:
            return link_again(db, made, token)
        problems: list[Problem] = []
        name = _usable(command.name, "name", problems)
        players = [
            (field, _usable(player, field, problems))
            for field, player in ((f"players-{place}", player) for place, player in enumerate(command.players))
        ]
        problems += _alike(players, taken=())
        if len(players) > MAX_PLAYERS:
            problems.append(Problem("PLAYERS_TOO_MANY", "players", {"max": MAX_PLAYERS}))
        if problems:
            raise Refused(*problems)
        now = datetime.now(UTC)
        group_id = db.execute(
            insert(Group)
            .values(name=name, submission_id=command.submission_id, fingerprint=fingerprint, created_at=now)
            .returning(Group.id)
        ).scalar_one()
        _insert_players(db, group_id, [player for _, player in players])
        return insert_link(db, group_id, Role.HOST, "", token)


def group_made(db: Session, submission_id: str, fingerprint: str) -> int | None:
    """The id of the group that a form made when it was sent before.

    :raises ChangedForm: if its content was another then.
    """
    made = select(Group.id, Group.fingerprint).where(Group.submission_id == submission_id)
    before = db.execute(made).one_or_none()
    if before is None:
        return None
    if before.fingerprint != fingerprint:
        raise ChangedForm
    return int(before.id)


def of_group(table: Table, group_id: int) -> ColumnElement[bool]:
    """Which rows of *table* belong to a group, found by key. Each has a column for it, but the table of groups."""
    if table is Group.__table__:
        return Group.id == group_id
    if "session_id" in table.primary_key.columns:
        sessions = select(GameSession.id).where(GameSession.group_id == group_id)
        return table.c.session_id.in_(sessions)
    return table.c.group_id == group_id


def change_group(db: Session, group_id: int) -> None:
    """Move a group on by one version.

    Its row stays locked until the transaction ends, so that two phones cannot both add the last free name.

    :raises GroupGone: if it has been deleted.
    """
    this = update(Group).where(Group.id == group_id)
    if db.execute(this.values(version=Group.version + 1).returning(Group.id)).one_or_none() is None:
        raise GroupGone
    tell_others(db)


def add_player(db: Session, group_id: int, name: str) -> int:
    """Add a player and return their id.

    :raises Refused: if the name cannot be used, or somebody in the group bears it.
    """
    with transaction(db):
        change_group(db, group_id)
        (player_id,) = add_players(db, group_id, (name,), field="name")
        return player_id


def add_players(db: Session, group_id: int, names: Iterable[str], *, field: str) -> list[int]:
    """Add players within a transaction that is under way.

    :raises Refused: see :func:`add_player`.
    """
    problems: list[Problem] = []
    usable = [(field, _usable(name, field, problems)) for name in names]
    taken = db.scalars(select(Player.name_key).where(Player.group_id == group_id)).all()
    problems += _alike(usable, taken)
    if len(taken) + len(usable) > MAX_PLAYERS:
        problems.append(Problem("PLAYERS_TOO_MANY", field, {"max": MAX_PLAYERS}))
    if problems:
        raise Refused(*problems)
    return _insert_players(db, group_id, [name for _, name in usable])


def rename_player(db: Session, group_id: int, player_id: int, name: str) -> None:
    """Give a player another name, in every session past and to come.

    :raises Refused: if the name cannot be used, or somebody else in the group bears it.
    """
    with transaction(db):
        change_group(db, group_id)
        problems: list[Problem] = []
        usable = _usable(name, "name", problems)
        others = select(Player.name_key).where(Player.group_id == group_id, Player.id != player_id)
        problems += _alike([("name", usable)], db.scalars(others).all())
        if problems:
            raise Refused(*problems)
        db.execute(
            update(Player)
            .where(Player.group_id == group_id, Player.id == player_id)
            .values(name=usable, name_key=name_key(usable))
        )


def retire_player(db: Session, group_id: int, player_id: int, *, retired: bool) -> None:
    """Let a player retire, or bring one back who has."""
    with transaction(db):
        change_group(db, group_id)
        db.execute(
            update(Player)
            .where(Player.group_id == group_id, Player.id == player_id)
            .values(retired_at=datetime.now(UTC) if retired else None)
        )


def create_link(db: Session, group_id: int, role: Role, name: str, token: str) -> NewLink:
    """Make another link to the group; *name* is what it is called, or empty. The same *token* gives the same link.

    :raises Refused: if the name cannot be used, or there are too many links.
    :raises LinkGone: if the link with this token has been withdrawn.
    """
    problems: list[Problem] = []
    called = _usable(name, "name", problems) if name.strip() else ""
    with transaction(db):
        change_group(db, group_id)
        if (made := link_made(db, group_id, token)) is not None:
            return made
        if len(_in_force(db, group_id)) >= MAX_LINKS:
            problems.append(Problem("LINKS_TOO_MANY", "name", {"max": MAX_LINKS}))
        if problems:
            raise Refused(*problems)
        return insert_link(db, group_id, role, called, token)


def withdraw_link(db: Session, group_id: int, link_id: int) -> None:
    """End a link and every cookie it gave. One that is withdrawn already stays so.

    :raises Refused: if it is the last of a host; nobody could manage the group any more.
    """
    with transaction(db):
        change_group(db, group_id)
        roles = _in_force(db, group_id)
        if roles.get(link_id) == Role.HOST and list(roles.values()).count(Role.HOST) == 1:
            raise Refused(Problem("LAST_LINK", "link"))
        db.execute(delete(JoinCode).where(JoinCode.group_id == group_id, JoinCode.link_id == link_id))
        _withdraw(db, group_id, link_id)


def withdraw_links_to_ended(db: Session, group_id: int) -> None:
    """End the links that open a session alone which has ended, and every cookie they gave."""
    with transaction(db):
        change_group(db, group_id)
        ended = select(GameSession.id).where(GameSession.group_id == group_id, GameSession.state == "closed")
        in_force = GroupLink.session_id.in_(ended), GroupLink.withdrawn_at.is_(None)
        db.execute(update(GroupLink).where(*in_force).values(withdrawn_at=datetime.now(UTC)))


def renew_link(db: Session, group_id: int, link_id: int, token: str) -> NewLink:
    """Make a link of the same role and name in place of one, and end that one and every cookie it gave.

    The same *token* gives the same link again.

    :raises LinkGone: if there is none in force, neither the one to be renewed nor one with this token.
    """
    with transaction(db):
        change_group(db, group_id)
        if (made := link_made(db, group_id, token)) is not None:
            return made
        if link_id not in _in_force(db, group_id):
            raise LinkGone
        this = GroupLink.group_id == group_id, GroupLink.id == link_id
        old = db.execute(select(GroupLink.role, GroupLink.name).where(*this)).one()
        _withdraw(db, group_id, link_id)
        return insert_link(db, group_id, Role(old.role), old.name, token)


def link_made(db: Session, group_id: int, token: str) -> NewLink | None:
    """The link that a form made with *token* when it was sent before.

    :raises LinkGone: if it has been withdrawn since.
    """
    made = select(GroupLink.id, GroupLink.withdrawn_at).where(
        GroupLink.group_id == group_id, GroupLink.token_hash == token_hash(token)
    )
    before = db.execute(made).one_or_none()
    if before is None:
        return None
    if before.withdrawn_at is not None:
        raise LinkGone
    return NewLink(group_id, before.id, token)


def link_again(db: Session, group_id: int, token: str) -> NewLink:
    """The link to a group that the form which made the group gave when it was sent before.

    :raises LinkGone: if it opens nothing any more.
    """
    made = link_made(db, group_id, token)
    if made is None:
        raise LinkGone
    return made


def _in_force(db: Session, group_id: int) -> dict[int, str]:
    """The role of each link into the whole group that is in force."""
    links = select(GroupLink.id, GroupLink.role).where(
        GroupLink.group_id == group_id, GroupLink.withdrawn_at.is_(None), GroupLink.session_id.is_(None)
    )
    return {link.id: link.role for link in db.execute(links)}


def _withdraw(db: Session, group_id: int, link_id: int) -> None:
    in_force = GroupLink.group_id == group_id, GroupLink.id == link_id, GroupLink.withdrawn_at.is_(None)
    db.execute(update(GroupLink).where(*in_force).values(withdrawn_at=datetime.now(UTC)))


def _usable(name: str, field: str, problems: list[Problem]) -> str:
    try:
        return clean_name(name)
    except BadName as bad:
        problems += [replace(problem, field=field) for problem in bad.problems]
        return ""


def _alike(names: Iterable[tuple[str, str]], taken: Iterable[str]) -> list[Problem]:
    seen = set(taken)
    problems = []
    for field, name in names:
        if not name:
            continue
        if (key := name_key(name)) in seen:
            problems.append(Problem("NAME_TAKEN", field, {"name": name}))
        seen.add(key)
    return problems


def _insert_players(db: Session, group_id: int, names: list[str]) -> list[int]:
    now = datetime.now(UTC)
    return [
        db.execute(
            insert(Player)
            .values(group_id=group_id, name=name, name_key=name_key(name), created_at=now)
            .returning(Player.id)
        ).scalar_one()
        for name in names
    ]


def insert_link(db: Session, group_id: int, role: Role, name: str, token: str) -> NewLink:
    """Make a link within a transaction that is under way."""
    link_id = db.execute(
        insert(GroupLink)
        .values(group_id=group_id, role=role, name=name, token_hash=token_hash(token), created_at=datetime.now(UTC))
        .returning(GroupLink.id)
    ).scalar_one()
    return NewLink(group_id, link_id, token)

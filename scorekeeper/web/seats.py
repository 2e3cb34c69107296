"""Who sits at the table from the next deal on, and who deals it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import ngettext

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.models import AnyRow
from scorekeeper.rules import CardGame, Facts, Problem, Refused, Seat, Table
from scorekeeper.services.deals import DeclareDeal, declare_deal
from scorekeeper.services.history import game_of
from scorekeeper.services.seats import SeatPlayers, Sitter, seat_players
from scorekeeper.services.transaction import StaleSession
from scorekeeper.web import access
from scorekeeper.web.forms import SessionForm, command_fields

blueprint = Blueprint("seats", __name__)

_SITTER: Final = re.compile(r"([0-9]{1,9})(?:@([0-9]{1,2}))?", re.ASCII)
"""A player, and the seat on whose account they play if it is another's."""


class Choice(NamedTuple):
    value: str
    label: str


class Place(NamedTuple):
    """One chair, or the gap after one, and who may take it. ``groups`` are headings with choices."""

    name: str
    label: str
    selected: str
    groups: list[tuple[str, list[Choice]]]
    gap: bool


@dataclass(frozen=True, slots=True)
class Room:
    """A session, its table, and the names of everybody in the group by player and of its accounts by seat."""

    session: AnyRow
    game: CardGame[Any]
    table: Table
    players: Mapping[int, str]
    accounts: Mapping[int, AnyRow]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(account.name for account in self.accounts.values())

    @property
    def in_turn(self) -> Seat:
        """Who deals the next deal, unless the table says otherwise."""
        return self.table.dealer

    @property
    def declared(self) -> dict[str, object]:
        return dict(self.session.declared or {})


@blueprint.get("/sessions/<id:session_id>/seats")
def seats(session_id: int) -> ResponseReturnValue:
    return _page(_room(session_id))


@blueprint.post("/sessions/<id:session_id>/seats")
def seat(session_id: int) -> ResponseReturnValue:
    room, form = _room(session_id), SessionForm()
    form.validate()
    try:
        seat_players(db.session(), SeatPlayers(**command_fields(room.session, form), sitters=tuple(_sitters())))
    except Refused as refused:
        return _page(room, problems=refused.problems, status=422)
    except StaleSession:
        return _page(_room(session_id), stale=True, status=409)
    flash(_("Everybody is seated anew from the next deal on."), "done")
    return redirect(url_for("board.session", session_id=session_id), 303)


@blueprint.post("/sessions/<id:session_id>/dealer")
def dealer(session_id: int) -> ResponseReturnValue:
    """Let somebody deal the next deal whose turn it is not; asked once whether that is meant."""
    room, form = _room(session_id), SessionForm()
    form.validate()
    chosen = next((seat for seat in room.table.ring if request.form.get("dealer") == str(seat)), None)
    if chosen is None:
        return _page(room, problems=[Problem("NOT_AT_TABLE", "dealer")], status=422)
    if chosen != room.in_turn and request.form.get("keep") != str(chosen):
        return _page(
            room, problems=[Problem("DEALER_ORDER", "dealer", {"player": room.in_turn})], keep=chosen, status=422
        )
    facts: Facts = {**{name: value for name, value in room.declared.items() if name != "dealer"}, "dealer": chosen}
    try:
        declare_deal(db.session(), DeclareDeal(**command_fields(room.session, form), facts=facts))
    except Refused as refused:
        return _page(room, problems=refused.problems, status=422)
    except StaleSession:
        return _page(_room(session_id), stale=True, status=409)
    return redirect(url_for("board.session", session_id=session_id), 303)


def _room(session_id: int) -> Room:
    session = access.game_session(session_id)
    game, ruleset = game_of(session)
    return Room(
        session,
        game,
        Table.restored(ruleset, session.table),
        {player.id: player.name for player in queries.players(db.session(), session.group_id)},
        {account.seat: account for account in queries.seats(db.session(), session.id)},
    )


def _sitters() -> Iterator[Sitter]:
    """Who was chosen, clockwise; places left empty are no places."""
    for value in request.form.getlist("place"):
        if match := _SITTER.fullmatch(value):
            yield Sitter(int(match[1]), None if match[2] is None else Seat(int(match[2])))


def _page(
    room: Room,
    *,
    problems: list[Problem] | tuple[Problem, ...] = (),
    keep: Seat | None = None,
    stale: bool = False,
    status: int = 200,
) -> tuple[str, int]:
    form = SessionForm(formdata=None, expected_version=room.session.version)
    refused = [problem for problem in problems if problem.field != "dealer"]
    page = render_template(
        "seats/seats.html",
        session=room.session,
        form=form,
        places=list(_places(room, request.form.getlist("place") if refused else [])),
        rules=_who_plays(room),
        problems=[words.problem_message(problem, room.names) for problem in refused],
        dealer_problems=[words.problem_message(problem, room.names) for problem in problems if problem not in refused],
        dealers=[(seat, room.players[player]) for seat, player in room.session.seating],
        dealer=keep if keep is not None else room.declared.get("dealer", room.in_turn),
        keep=keep,
        keep_name=None if keep is None else words.name_of(keep, room.names),
        stale=stale,
        closed=room.session.state == "closed",
        playing=bool(room.declared.keys() - {"dealer"}),
    )
    return page, status


def _places(room: Room, entered: list[str]) -> Iterator[Place]:
    """Every chair that is taken, clockwise, with the gap after it; *entered* is what was chosen for them before."""
    seating = room.session.seating
    owners = {account.player_id for account in room.accounts.values()}
    seated = {player for _, player in seating}
    absent = {player: name for player, name in room.players.items() if player not in seated}
    own = [Choice(str(player), name) for player, name in absent.items()]
    back = [choice for choice in own if int(choice.value) in owners]
    new = [choice for choice in own if int(choice.value) not in owners]
    coming = [(_("Comes back"), back), (_("Comes new"), new)]
    values = [_value(room, seat, player) for seat, player in seating]
    for place, (seat, player) in enumerate(seating):
        account, now = room.accounts[seat], values[place]
        here = [Choice(now, room.players[player])]
        if player != account.player_id:
            here.append(Choice(str(account.player_id), account.name))
        standing = [Choice(f"{other}@{seat}", name) for other, name in absent.items() if other != account.player_id]
        others = [
            Choice(value, room.players[other])
            for value, (_seat, other) in zip(values, seating, strict=True)
            if other != player
        ]
        groups = [
            ("", here),
            (_("Plays for %(player)s", player=words.isolated(account.name)), standing),
            *coming,
            (_("Changes places"), others),
        ]
        following = room.players[seating[(place + 1) % len(seating)][1]]
        yield _place(2 * place, room.players[player], now, groups, entered, gap=False)
        between = _("Between %(player)s and %(next)s", player=room.players[player], next=following)
        yield _place(2 * place + 1, between, "", coming, entered, gap=True)


def _value(room: Room, seat: int, player: int) -> str:
    """The choice that leaves *player* on *seat*."""
    return str(player) if player == room.accounts[seat].player_id else f"{player}@{seat}"


def _place(
    number: int, label: str, now: str, groups: list[tuple[str, list[Choice]]], entered: list[str], *, gap: bool
) -> Place:
    selected = entered[number] if number < len(entered) else now
    return Place(f"place-{number}", label, selected, [group for group in groups if group[1]], gap)


def _who_plays(room: Room) -> str:
    """Who sits out, or for whom the table waits."""
    there, players = len(room.table.ring), room.game.players(room.table.ruleset)
    if there < players:
        return ngettext(
            "The table waits: %(num)s more player must come before the next deal.",
            "The table waits: %(num)s more players must come before the next deal.",
            players - there,
        )
    if there == players:
        return _("Everybody at the table plays every deal.")
    if there == players + 1:
        return _("The dealer sits out each deal.")
    return _("The dealer and the player opposite sit out each deal.")

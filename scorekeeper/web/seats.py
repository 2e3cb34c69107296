"""Who sits at the table from the next deal on, and who deals it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from babel.lists import format_list
from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import ngettext

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.models import AnyRow
from scorekeeper.rules import CardGame, Problem, Refused, Seat, Table
from scorekeeper.services.deals import DeclareDeal, declare_deal, drop_declared
from scorekeeper.services.groups import Role
from scorekeeper.services.history import declared_deal, game_of, next_table
from scorekeeper.services.seats import SeatPlayers, Sitter, seat_players
from scorekeeper.services.transaction import SessionCommand, StaleSession
from scorekeeper.web import access, amounts
from scorekeeper.web.forms import SessionForm, command_fields
from scorekeeper.words.numbers import locale

blueprint = Blueprint("seats", __name__)

_SITTER: Final = re.compile(r"([0-9]{1,9})(?:@([0-9]{1,2}))?", re.ASCII)
"""A player, and the seat on whose account they play if it is another's."""


class Choice(NamedTuple):
    value: str
    label: str


class Chair(NamedTuple):
    """One chair, or the gap after one, and who may take it. ``groups`` are headings with choices."""

    name: str
    label: str
    selected: str
    groups: list[tuple[str, list[Choice]]]
    gap: bool


@dataclass(frozen=True, slots=True)
class Room:
    """A session, its table, the names of everybody in the group by player, and its accounts by seat.

    Who of them have ``retired`` is not offered a seat, but may keep the one they have.
    """

    session: AnyRow
    game: CardGame[Any]
    table: Table
    players: Mapping[int, str]
    accounts: Mapping[int, AnyRow]
    retired: frozenset[int]

    def owner(self, seat: int) -> str:
        """On whose account a seat is played."""
        return words.isolated(self.accounts[seat].name)

    def stands_in(self, seat: int, player: int) -> bool:
        return bool(player != self.accounts[seat].player_id)

    def values(self) -> list[str]:
        """The choice of each chair that leaves everybody where they are, clockwise."""
        return [
            f"{player}@{seat}" if self.stands_in(seat, player) else str(player) for seat, player in self.session.seating
        ]

    def names(self) -> list[str]:
        """Who sits at each seat, and for whom if not for themselves; where nobody sits, whose seat it is."""
        names = [account.name for account in self.accounts.values()]
        for seat, player in self.session.seating:
            if self.stands_in(seat, player):
                names[seat] = _for(self.players[player], self.owner(seat))
        return names


@blueprint.get("/sessions/<id:session_id>/seats")
def seats(session_id: int) -> ResponseReturnValue:
    return _page(_room(session_id))


@blueprint.post("/sessions/<id:session_id>/seats")
def seat(session_id: int) -> ResponseReturnValue:
    room, form = _room(session_id), SessionForm()
    form.validate()
    try:
        seat_players(db.session(), SeatPlayers(**command_fields(room.session, form), sitters=tuple(_sitters(room))))
    except Refused as refused:
        return _page(room, problems=refused.problems, status=422)
    except StaleSession:
        return _page(_room(session_id), stale=True, status=409)
    flash(_("Everybody is seated anew from the next deal on."), "done")
    new = [seat for seat in queries.seats(db.session(), session_id) if seat.seat not in room.accounts]
    if new and any(account.bought for account in room.accounts.values()):
        names = format_list([words.isolated(seat.name) for seat in new], locale=locale())
        flash(
            ngettext(
                "%(players)s has no chips yet: buy some under Chips.",
                "%(players)s have no chips yet: buy some under Chips.",
                len(new),
                players=names,
            ),
            "info",
        )
    return redirect(url_for("board.session", session_id=session_id), 303)


@blueprint.post("/sessions/<id:session_id>/dealer")
def dealer(session_id: int) -> ResponseReturnValue:
    """Let somebody deal the next deal whose turn it is not; asked once whether that is meant."""
    room, form = _room(session_id), SessionForm()
    form.validate()
    chosen = next((seat for seat in room.table.ring if request.form.get("dealer") == str(seat)), None)
    if chosen is None:
        return _page(room, dealer_problems=[Problem("NOT_AT_TABLE", "dealer")], status=422)
    if chosen != room.table.dealer and request.form.get("keep") != str(chosen):
        out_of_turn = Problem("DEALER_ORDER", "dealer", {"player": room.table.dealer})
        return _page(room, dealer_problems=[out_of_turn], chosen=chosen, keep=True, status=422)
    command, facts = command_fields(room.session, form), declared_deal(room.session)
    try:
        if facts or chosen != room.table.dealer:
            declare_deal(db.session(), DeclareDeal(**command, facts={**facts, "dealer": chosen}))
        else:
            drop_declared(db.session(), SessionCommand(**command))
    except Refused as refused:
        return _page(room, dealer_problems=refused.problems, chosen=chosen, status=422)
    except StaleSession:
        return _page(_room(session_id), chosen=chosen, stale=True, status=409)
    return redirect(url_for("board.session", session_id=session_id), 303)


def waits(table: Table, players: int, names: Sequence[str]) -> str:
    """For whom *table* waits before the next deal, which *players* play: empty if enough are there."""
    missing = players - len(table.ring)
    if missing <= 0:
        return ""
    said = ngettext(
        "The table waits: %(num)s more player must come before the next deal.",
        "The table waits: %(num)s more players must come before the next deal.",
        missing,
    )
    away = [seat for seat in range(len(table.totals)) if seat not in table.ring]
    return f"{said} {_('Away: %(players)s.', players=words.names_of(away, names))}" if away else said


def _room(session_id: int) -> Room:
    session = access.game_session(session_id, Role.SCORER)
    game, ruleset = game_of(session)
    players = queries.players(db.session(), session.group_id)
    return Room(
        session,
        game,
        Table.restored(ruleset, session.table),
        {player.id: player.name for player in players},
        {account.seat: account for account in queries.seats(db.session(), session.id)},
        frozenset(player.id for player in players if player.retired_at is not None),
    )


def _sitters(room: Room) -> Iterator[Sitter]:
    """Who was chosen, clockwise; chairs left empty are no seats.

    Whoever takes the chair of somebody who was left where they sat changes places with them.
    """
    chosen = request.form.getlist("chair")
    # Between any two chairs stands the gap where somebody may sit down.
    now = {2 * place: value for place, value in enumerate(room.values())}
    for place, value in now.items():
        if place < len(chosen) and chosen[place] != value and value not in chosen:
            for other, others in now.items():
                if others == chosen[place] and chosen[other : other + 1] == [others]:
                    chosen[other] = value
    for value in chosen:
        if match := _SITTER.fullmatch(value):
            yield Sitter(int(match[1]), None if match[2] is None else Seat(int(match[2])))


def _page(
    room: Room,
    *,
    problems: Sequence[Problem] = (),
    dealer_problems: Sequence[Problem] = (),
    chosen: Seat | None = None,
    keep: bool = False,
    stale: bool = False,
    status: int = 200,
) -> tuple[str, int]:
    """Both forms as they were filled in, each with its own problems; *keep* asks whether the dealer chosen is meant."""
    names = room.names()
    page = render_template(
        "seats/seats.html",
        session=room.session,
        form=SessionForm(formdata=None, expected_version=room.session.version),
        chairs=list(_chairs(room, request.form.getlist("chair"))),
        rules=_who_plays(room, names),
        newcomers=_newcomers(room),
        problems=[words.problem_message(problem, names) for problem in problems],
        dealer_problems=[words.problem_message(problem, names) for problem in dealer_problems],
        dealers=[(seat, names[seat]) for seat in room.table.ring],
        dealer=next_table(room.session).dealer if chosen is None else chosen,
        keep=names[chosen] if keep and chosen is not None else None,
        stale=stale,
        closed=room.session.state == "closed",
        playing=bool(declared_deal(room.session)),
    )
    return page, status


def _chairs(room: Room, entered: list[str]) -> Iterator[Chair]:
    """Every chair that is taken, clockwise, with the gap after it; *entered* is what was chosen for them before."""
    seating = room.session.seating
    owners = {account.player_id for account in room.accounts.values()}
    seated = {player for _, player in seating}
    absent = {player: name for player, name in room.players.items() if player not in seated | room.retired}
    own = [Choice(str(player), name) for player, name in absent.items()]
    back = [choice for choice in own if int(choice.value) in owners]
    new = [choice for choice in own if int(choice.value) not in owners]
    coming = [(_("Comes back"), back), (_("Comes new"), new)]
    names = room.names()
    values = room.values()
    for place, (seat, player) in enumerate(seating):
        account = room.accounts[seat]
        here, label = [Choice(values[place], names[seat])], names[seat]
        if room.stands_in(seat, player):
            here.append(Choice(str(account.player_id), account.name))
            sitter = words.isolated(room.players[player])
            label = _("%(player)s plays for %(account)s", player=sitter, account=room.owner(seat))
        standing = [
            Choice(f"{other}@{seat}", _for(name, room.owner(seat)))
            for other, name in absent.items()
            if other != account.player_id
        ]
        others = [
            Choice(value, names[taken])
            for value, (taken, other) in zip(values, seating, strict=True)
            if other != player
        ]
        groups = [
            ("", here),
            (_("Plays for %(player)s", player=room.owner(seat)), standing),
            *coming,
            (_("Changes places"), others),
        ]
        following = names[seating[(place + 1) % len(seating)][0]]
        yield _chair(2 * place, label, values[place], groups, entered, gap=False)
        between = _("Between %(player)s and %(next)s", player=names[seat], next=following)
        yield _chair(2 * place + 1, between, "", coming, entered, gap=True)


def _chair(
    number: int, label: str, now: str, groups: list[tuple[str, list[Choice]]], entered: list[str], *, gap: bool
) -> Chair:
    """A chair with what was *entered* for it, as far as that can still be chosen, and otherwise as it is *now*."""
    chosen = entered[number] if number < len(entered) else now
    known = {"", *(choice.value for _, choices in groups for choice in choices)}
    return Chair(f"chair-{number}", label, chosen if chosen in known else now, [one for one in groups if one[1]], gap)


def _who_plays(room: Room, names: Sequence[str]) -> str:
    """Who sits out, or for whom the table waits."""
    there, players = len(room.table.ring), room.game.players(room.table.ruleset)
    if there < players:
        return waits(room.table, players, names)
    if there == players and room.game.admits(room.table.ruleset, players + 1):
        return _("Everybody at the table plays every deal; with one more, the dealer sits out each deal.")
    if there == players:
        return _("Everybody at the table plays every deal.")
    if there == players + 1:
        return _("The dealer sits out each deal.")
    return _("The dealer and the player opposite sit out each deal.")


def _newcomers(room: Room) -> str:
    """What whoever comes new begins with."""
    start = amounts.total(room.game.start(room.table.ruleset), room.game.unit).text
    said = _("Whoever comes new begins at %(start)s.", start=start)
    if not any(account.bought for account in room.accounts.values()):
        return said
    return f"{said} {_('They have no chips until they buy some under “Chips”.')}"


def _for(player: str, account: str) -> str:
    """A *player* who plays on an *account* that is another's."""
    return _("%(player)s (for %(account)s)", player=words.isolated(player), account=account)

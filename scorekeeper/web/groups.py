"""The start page, and a group: its sessions, its standings, its players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from babel.lists import format_list
from flask import Blueprint, Response, abort, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext as later
from flask_babel import ngettext
from wtforms import Field, StringField

from scorekeeper import queries
from scorekeeper.extensions import db
from scorekeeper.ledger import standings
from scorekeeper.models import AnyRow
from scorekeeper.rules import CARD_GAMES, Problem, Refused, Unit
from scorekeeper.services.attempts import TooSoon, making_a_group
from scorekeeper.services.deletion import delete_group, remove_player
from scorekeeper.services.groups import CreateGroup, Role, add_player, create_group, rename_player, retire_player
from scorekeeper.services.history import only_begun
from scorekeeper.services.transaction import ChangedForm
from scorekeeper.web import access, amounts, why
from scorekeeper.web.forms import PlainForm, SubmissionForm, too_many_groups
from scorekeeper.web.ids import row_key
from scorekeeper.web.links import page_with_new_link, sent_from_here, show_once, token_of
from scorekeeper.web.offline import kept
from scorekeeper.words import game_name, isolated, moment, name_of, number, problem_message, ruleset_title
from scorekeeper.words.numbers import locale

blueprint = Blueprint("groups", __name__)

PLACES = 6
"""How many players the start page asks for."""


PLAYING = 3
"""How many sessions that are being played the start page leads to."""


class StartForm(SubmissionForm):
    """A group and its players, clockwise: ``players-0`` and so on; a place left free does not count."""

    name = StringField(later("Name of the group"))

    @property
    def places(self) -> list[Field]:
        return [self[f"players-{place}"] for place in range(PLACES)]

    @property
    def taken(self) -> list[Field]:
        return [field for field in self.places if (field.data or "").strip()]

    def add_problems(self, problems: Iterable[Problem], names: Sequence[str] = ()) -> list[Problem]:
        """The service counts only the places that are taken."""
        fields = {f"players-{position}": field.name for position, field in enumerate(self.taken)}
        problems = [replace(problem, field=fields.get(problem.field, problem.field)) for problem in problems]
        return super().add_problems(problems, names)


for _place in range(PLACES):
    setattr(StartForm, f"players-{_place}", StringField(later("Player %(number)s", number=_place + 1)))


class PlayerForm(PlainForm):
    name = StringField(later("Name"))


class NewPlayerForm(PlayerForm):
    name = StringField(later("Another player"))


class DeleteForm(PlainForm):
    name = StringField(later("Type the name of the group"))


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A session in the list of its group. ``standing`` says who is ahead or has won."""

    id: int
    name: str
    started_on: date
    rules: str
    standing: str
    open: bool
    leaves_open: bool


@blueprint.get("/")
def start() -> ResponseReturnValue:
    return _start_page(StartForm())


@blueprint.post("/groups")
def create() -> ResponseReturnValue:
    form = StartForm()
    form.validate()
    if len(form.taken) < 2:
        free = next(field for field in form.places if field not in form.taken)
        free.errors = [_("Name at least two players.")]
        return _start_page(form), 422
    players = tuple(field.data for field in form.taken)
    made_by = sent_from_here(form)
    command = CreateGroup(form.name.data or "", players, form.submission_id.data)
    try:
        with making_a_group(db.session(), request.remote_addr or ""):
            link = create_group(db.session(), command, token_of(*made_by))
    except TooSoon as soon:
        form.name.errors = [too_many_groups(soon)]
        return _start_page(form), 429, {"Retry-After": str(soon.seconds)}
    except Refused as refused:
        form.add_problems(refused.problems)
        return _start_page(form), 422
    except ChangedForm:
        flash(_("A group was made from this form before you changed it. Send it again to make another."), "warning")
        form.renew_submission()
        return _start_page(form), 409
    access.remember_link(link.link_id)
    show_once(link.group_id, *made_by)
    return redirect(url_for("groups.group", group_id=link.group_id), 303)


@blueprint.get("/groups/<id:group_id>")
def group(group_id: int) -> ResponseReturnValue:
    group = access.group(group_id)
    return kept(lambda: _group_page(group, NewPlayerForm()), [access.named(group.id)])


@blueprint.post("/groups/<id:group_id>/players")
def add(group_id: int) -> ResponseReturnValue:
    group = access.group(group_id, Role.HOST)
    form = NewPlayerForm()
    form.validate()
    try:
        add_player(db.session(), group.id, form.name.data or "")
    except Refused as refused:
        if (name := _already_there(group, refused.problems)) is not None:
            flash(_("%(player)s is in the group already.", player=isolated(name)), "done")
            return _to_players(group_id)
        form.add_problems(refused.problems)
        return _group_page(group, form), 422
    return redirect(url_for("groups.group", group_id=group.id, _anchor="players"), 303)


@blueprint.get("/groups/<id:group_id>/players/<id:player_id>")
def player(group_id: int, player_id: int) -> str:
    group, player = _player(group_id, player_id)
    return _player_page(group, player, PlayerForm(name=player.name))


@blueprint.post("/groups/<id:group_id>/players/<id:player_id>")
def rename(group_id: int, player_id: int) -> ResponseReturnValue:
    group, player = _player(group_id, player_id)
    form = PlayerForm()
    form.validate()
    try:
        rename_player(db.session(), group.id, player.id, form.name.data or "")
    except Refused as refused:
        form.add_problems(refused.problems)
        return _player_page(group, player, form), 422
    flash(_("The name has been changed in every session."), "done")
    return _to_players(group_id)


@blueprint.post("/groups/<id:group_id>/players/<id:player_id>/retire")
def retire(group_id: int, player_id: int) -> ResponseReturnValue:
    group, player = _player(group_id, player_id)
    retire_player(db.session(), group.id, player.id, retired=True)
    flash(_("%(player)s has retired.", player=isolated(player.name)), "done")
    return _to_players(group_id)


@blueprint.post("/groups/<id:group_id>/players/<id:player_id>/return")
def bring_back(group_id: int, player_id: int) -> ResponseReturnValue:
    group, player = _player(group_id, player_id)
    retire_player(db.session(), group.id, player.id, retired=False)
    flash(_("%(player)s is back.", player=isolated(player.name)), "done")
    return _to_players(group_id)


@blueprint.post("/groups/<id:group_id>/players/<id:player_id>/remove")
def remove(group_id: int, player_id: int) -> ResponseReturnValue:
    group, player = _player(group_id, player_id)
    try:
        remove_player(db.session(), group.id, player.id)
    except Refused as refused:
        form = PlayerForm(formdata=None, name=player.name)
        return _player_page(group, player, form, *map(problem_message, refused.problems)), 422
    flash(_("%(player)s has been removed.", player=isolated(player.name)), "done")
    return _to_players(group_id)


@blueprint.get("/groups/<id:group_id>/delete")
def deletion(group_id: int) -> str:
    """What goes with the group, and the way to let it go."""
    return _deletion_page(access.group(group_id, Role.HOST), DeleteForm())


@blueprint.post("/groups/<id:group_id>/delete")
def delete(group_id: int) -> ResponseReturnValue:
    group = access.group(group_id, Role.HOST)
    form = DeleteForm()
    form.validate()
    try:
        delete_group(db.session(), group.id, form.name.data or "")
    except Refused as refused:
        form.add_problems(refused.problems)
        return _deletion_page(group, form), 422
    flash(_("The group and everything in it has been deleted."), "done")
    return redirect(url_for("groups.start"), 303)


def _already_there(group: AnyRow, problems: Sequence[Problem]) -> str | None:
    """The name that could not be added, if all that is wrong is that somebody who plays is called so to the letter.

    The same form may have added them: then its reply was lost.
    """
    if [problem.code for problem in problems] != ["NAME_TAKEN"]:
        return None
    name = str(problems[0].values["name"])
    there = [player.name for player in queries.players(db.session(), group.id) if player.retired_at is None]
    return name if name in there else None


def _to_players(group_id: int) -> ResponseReturnValue:
    return redirect(url_for("groups.group", group_id=group_id, _anchor="players"), 303)


def _player_page(group: AnyRow, player: AnyRow, form: PlayerForm, *errors: str) -> str:
    has_sat = queries.has_sat(db.session(), group.id, player.id)
    return render_template("groups/player.html", group=group, player=player, form=form, has_sat=has_sat, errors=errors)


def _deletion_page(group: AnyRow, form: DeleteForm) -> str:
    size = queries.size_of_group(db.session(), group.id)
    goes = [
        ngettext("%(count)s session", "%(count)s sessions", size.sessions, count=number(size.sessions)),
        ngettext("%(count)s deal", "%(count)s deals", size.deals, count=number(size.deals)),
        ngettext("%(count)s player", "%(count)s players", size.players, count=number(size.players)),
        ngettext("%(count)s link", "%(count)s links", size.links, count=number(size.links)),
    ]
    return render_template("groups/delete.html", group=group, form=form, goes=goes)


def _player(group_id: int, player_id: int) -> tuple[AnyRow, AnyRow]:
    group = access.group(group_id, Role.HOST)
    found = [player for player in queries.players(db.session(), group.id) if player.id == player_id]
    return group, found[0] if found else abort(404)


def _start_page(form: StartForm) -> Response:
    groups = queries.groups_of(db.session(), access.opened_links())
    joined = queries.joined_sessions(db.session(), access.opened_links())
    playing = queries.open_sessions(db.session(), [group.id for group in groups], most=PLAYING + 1)
    names = Counter(group.name for group in groups)
    shows = [access.named(group.id) for group in groups]
    shows += [access.named(session.group_id, session.id) for session in joined]
    values = {
        "groups": groups,
        "joined": joined,
        "playing": playing[:PLAYING],
        "more": len(playing) > PLAYING,
        # What tells those apart that are called alike: a group that was brought in, and itself.
        "apart": {group.id: moment(group.made) for group in groups if names[group.name] > 1},
        "form": form,
    }
    return kept(lambda: render_template("groups/start.html", **values), shows)


def _group_page(group: AnyRow, form: NewPlayerForm) -> Response:
    rows = queries.sessions(db.session(), group.id, before=request.args.get("before", type=row_key))
    shown = rows[: queries.SESSIONS_SHOWN]
    seats: dict[int, list[AnyRow]] = {}
    for seat in queries.seats_of_sessions(db.session(), [row.id for row in shown]):
        seats.setdefault(seat.session_id, []).append(seat)
    totals = queries.group_totals(db.session(), group.id)
    players = queries.players(db.session(), group.id)
    return page_with_new_link(
        "groups/group.html",
        group=group,
        form=form,
        sessions=[_line(row, seats[row.id]) for row in shown],
        newer="before" in request.args,
        older=shown[-1].id if len(rows) > len(shown) else None,
        chips=_chips(group.id, totals),
        games=list(_games(group.id, totals)),
        players=[player for player in players if player.retired_at is None],
        retired=[player for player in players if player.retired_at is not None],
    )


def _line(row: AnyRow, seats: Sequence[AnyRow]) -> SessionLine:
    return SessionLine(
        row.id,
        row.name,
        row.started_on,
        ruleset_title(row.ruleset_id),
        _standing(row, seats),
        row.state == "open",
        bool(row.leaves_open),
    )


def _standing(row: AnyRow, seats: Sequence[AnyRow]) -> str:
    """Who is ahead in the game being played, or won the latest, with their total; who won games if it is just begun."""
    if not row.deals:
        return _("No deal yet")
    names = [seat.name for seat in seats]
    if only_begun(row):
        won = [f"{isolated(seat.name)} {number(seat.wins)}" for seat in seats if seat.wins]
        return _("Games won: %(players)s", players=format_list(won, style="unit", locale=locale()))
    game = CARD_GAMES[row.card_game]
    totals, winners = row.table["totals"], row.table["winners"]
    first = winners or [
        standing.player
        for standing in standings(dict(enumerate(totals)), lowest_wins=game.lowest_wins)
        if standing.place == 1
    ]
    said = {
        "names": format_list([name_of(seat, names) for seat in first], locale=locale()),
        "total": amounts.total(totals[first[0]], game.unit).text,
    }
    if len(winners) > 1:
        return _("Drawn by %(names)s at %(total)s", **said)
    if winners or (row.state == "closed" and not game.several_games):
        return _("Won by %(names)s with %(total)s", **said)
    return _("Ahead: %(names)s with %(total)s", **said)


def _chips(group_id: int, totals: Sequence[AnyRow]) -> list[Mapping[str, Any]]:
    """The standings in chips, over the card games that have been played for chips."""
    played = why.played_for_chips(totals)
    names = {row.player_id: row.name for row in totals}
    chips: dict[int, int] = {}
    for row in totals:
        if row.card_game in played:
            chips[row.player_id] = chips.get(row.player_id, 0) + row.chips
    return [
        {
            "place": number(standing.place),
            "name": names[standing.player],
            "total": amounts.total(standing.total, Unit.CHIPS),
            "href": url_for("why.standing", group_id=group_id, player_id=standing.player, what=why.CHIPS),
        }
        for standing in standings(chips)
    ]


def _games(group_id: int, totals: Sequence[AnyRow]) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """For each card game that is played to a winner: its name, and the standings in games won."""
    for game in CARD_GAMES.values():
        rows = {row.player_id: row for row in totals if row.card_game == game.id and row.games}
        if rows:
            yield (
                game_name(game.id),
                [
                    {
                        "place": number(standing.place),
                        "name": rows[standing.player].name,
                        "total": _(
                            "%(won)s of %(played)s",
                            won=number(standing.total),
                            played=number(rows[standing.player].games),
                        ),
                        "href": url_for("why.standing", group_id=group_id, player_id=standing.player, what=game.id),
                    }
                    for standing in standings({player: row.wins for player, row in rows.items()})
                ],
            )

"""Costs: what one paid for some, what everybody puts into the kitty, once or for each deal, and what is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from babel.lists import format_list
from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext as later
from wtforms import BooleanField, SelectMultipleField, StringField

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.ledger import plain
from scorekeeper.models import AnyRow
from scorekeeper.rules import Refused
from scorekeeper.services.costs import KITTY, AddCost, SetStake, TakeBackCost, add_cost, set_stake, take_back_cost
from scorekeeper.services.history import game_of
from scorekeeper.services.ledger import chip_of, in_kitty
from scorekeeper.services.transaction import StaleSession
from scorekeeper.sessionfile import Chip
from scorekeeper.web import access, amounts
from scorekeeper.web.chips import SeatField
from scorekeeper.web.forms import NoteField, SessionForm, checked, command_fields
from scorekeeper.web.ids import row_key
from scorekeeper.web.tags import answer, form_tag
from scorekeeper.words.numbers import locale

blueprint = Blueprint("costs", __name__)


class AmountForm(SessionForm):
    amount = StringField(later("Amount"))

    def chosen(self, seats: Sequence[AnyRow], chip: Chip | None) -> int:
        """The amount that was typed; the reason stands beside its field if there is none."""
        try:
            return amounts.typed(self.amount.data or "", chip)
        except amounts.MalformedTyped as error:
            self.amount.errors = [str(error)]
            return 0


class StakeForm(AmountForm):
    amount = StringField(later("Each puts in"))

    def chosen(self, seats: Sequence[AnyRow], chip: Chip | None) -> int:
        """As for every amount; nothing typed is nothing put in."""
        return super().chosen(seats, chip) if (self.amount.data or "").strip() else 0


class CostForm(AmountForm):
    """An amount, and for whom or by whom."""

    seats = SelectMultipleField(later("For whom"), validate_choice=False)

    def chosen(self, seats: Sequence[AnyRow], chip: Chip | None) -> int:
        """As for every amount; whoever does not exist is refused as well."""
        if not set(self.seats.data or ()) <= {str(seat.seat) for seat in seats}:
            self.seats.errors = [_("Choose a player.")]
        return super().chosen(seats, chip)

    @property
    def ticked(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(map(int, self.seats.data or ())))


class SharedForm(CostForm):
    payer = SeatField(later("Who paid"))
    kitty = BooleanField(later("The kitty pays it back"))
    note = NoteField(later("What for"))


@blueprint.get("/sessions/<id:session_id>/costs")
def costs(session_id: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    return answer(form_tag(session), lambda: _page(session, queries.seats(db.session(), session.id)))


@blueprint.post("/sessions/<id:session_id>/costs")
def share(session_id: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    seats = queries.seats(db.session(), session.id)
    form = _shared_form([seat.name for seat in seats])

    def note(amount: int) -> None:
        command = AddCost(
            **command_fields(session, form),
            payer=form.payer.data,
            amount=amount,
            seats=() if form.kitty.data else form.ticked,
            note=form.note.data,
        )
        add_cost(db.session(), command)

    nobody = not form.kitty.data and not form.seats.data
    return _done(session, seats, "shared", form, note, nobody=nobody, said=_("The cost was noted."))


@blueprint.post("/sessions/<id:session_id>/costs/kitty")
def put_in(session_id: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    seats = queries.seats(db.session(), session.id)
    form = _kitty_form()

    def note(amount: int) -> None:
        together = amount * len(form.ticked)
        add_cost(
            db.session(), AddCost(**command_fields(session, form), payer=KITTY, amount=together, seats=form.ticked)
        )

    nobody = not form.seats.data
    return _done(session, seats, "kitty", form, note, nobody=nobody, said=_("It was written down for the kitty."))


@blueprint.post("/sessions/<id:session_id>/costs/stake")
def stake(session_id: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    form = StakeForm(prefix="stake-")

    def note(amount: int) -> None:
        set_stake(db.session(), SetStake(**command_fields(session, form), amount=amount))

    seats = queries.seats(db.session(), session.id)
    return _done(session, seats, "stake", form, note, said=_("The stake was noted. It holds from the next deal on."))


@blueprint.post("/sessions/<id:session_id>/costs/<id:cost>/take-back")
def take_back(session_id: int, cost: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    take_back_cost(db.session(), TakeBackCost(**command_fields(session, checked(SessionForm())), cost=cost))
    flash(_("The cost was taken back."), "done")
    return redirect(url_for(".costs", session_id=session_id), 303)


def _done(
    session: AnyRow,
    seats: Sequence[AnyRow],
    name: str,
    form: AmountForm,
    note: Callable[[int], None],
    *,
    said: str,
    nobody: bool = False,
) -> ResponseReturnValue:
    """*note* what *form* says, or show it as it was filled in and why it was not noted."""
    form.validate()
    amount = form.chosen(seats, chip_of(session))
    if nobody:
        form.seats.errors = [_("Choose at least one player.")]
    if form.errors or any(field.errors for field in form):
        return _page(session, seats, {name: form}, 422)
    try:
        note(amount)
    except Refused as refused:
        form.add_problems(refused.problems)
        return _page(session, seats, {name: form}, 422)
    except StaleSession:
        session = access.game_session(session.id)
        form.renew(session.version)
        return _page(session, queries.seats(db.session(), session.id), {name: form}, 409)
    flash(said, "done")
    return redirect(url_for(".costs", session_id=session.id), 303)


def _shared_form(names: Sequence[str], **fresh: Any) -> SharedForm:
    form = SharedForm(prefix="shared-", **fresh)
    form.payer.names = names
    return form


def _kitty_form(**fresh: Any) -> CostForm:
    form = CostForm(prefix="kitty-", **fresh)
    form.amount.label.text, form.seats.label.text = _("Each puts in"), _("Who")
    return form


def _page(
    session: AnyRow, seats: Sequence[AnyRow], sent: Mapping[str, AmountForm] | None = None, status: int = 200
) -> ResponseReturnValue:
    """The page, with the form that was *sent* as it was filled in, and a fresh one beside it."""
    game, ruleset = game_of(session)
    chip, names = chip_of(session), [seat.name for seat in seats]
    at_table = {seat for seat, _player in session.seating}
    fresh: dict[str, Any] = {
        "formdata": None,
        "expected_version": session.version,
        "seats": [str(seat) for seat in sorted(at_table)],
    }
    in_force = {**fresh, "amount": plain(session.stake, chip.exponent if chip else 0) if session.stake else ""}
    forms = {
        "shared": _shared_form(names, **fresh),
        "kitty": _kitty_form(**fresh),
        "stake": StakeForm(prefix="stake-", **in_force),
    } | dict(sent or {})
    button = SessionForm(formdata=None, expected_version=session.version)
    noted = queries.costs(db.session(), session.id, before=request.args.get("before", type=row_key))
    shown = noted[: queries.COSTS_SHOWN]
    page = render_template(
        "costs/costs.html",
        session=session,
        for_chips=game.plays_for_chips(ruleset) or any(seat.chips for seat in seats),
        closed=session.state == "closed",
        stale=status == 409,
        problems=[
            {"id": field.id, "text": f"{field.label.text}: {error}"}
            for form in (sent or {}).values()
            for field in form
            for error in field.errors
        ],
        names=[(seat.seat, seat.name) for seat in seats],
        unit=_("in %(currency)s", currency=chip.currency) if chip else _("chips"),
        held=amounts.in_kitty(in_kitty(seats), chip),
        stakes=list(_stakes(session, names, chip)),
        rows=list(_rows(session, shown, names, chip)),
        older=shown[-1].version if len(noted) > len(shown) else None,
        hidden={"expected_version": session.version, "submission_id": button.submission_id.data},
        **forms,
    )
    return page, status


def _stakes(session: AnyRow, names: Sequence[str], chip: Chip | None) -> Iterator[str]:
    """What every deal brings the kitty, and what deals have brought it so far."""
    if session.stake:
        amount = amounts.exactly(session.stake, chip)
        yield _("For each deal everybody who plays it puts in %(amount)s.", amount=amount)
    if put_in := queries.stakes_put_in(db.session(), session.id):
        each = [f"{words.name_of(row.seat, names)} {amounts.exactly(row.amount, chip)}" for row in put_in]
        yield _("Put in for deals so far: %(players)s.", players=format_list(each, locale=locale(), style="unit"))


def _rows(
    session: AnyRow, costs: Sequence[AnyRow], names: Sequence[str], chip: Chip | None
) -> Iterator[Mapping[str, str]]:
    """Each of *costs* with what cannot be divided of it, and the address that takes it back."""
    for row in costs:
        yield {
            "sentence": said(row.payer, row.amount, row.seats, names, chip),
            "spare": _spare(row, names, chip),
            "note": row.note,
            "back": url_for(".take_back", session_id=session.id, cost=row.version),
        }


def _spare(cost: AnyRow, names: Sequence[str], chip: Chip | None) -> str:
    """Who bears what cannot be divided of a cost."""
    spare = cost.amount % max(1, len(cost.seats))
    if not spare:
        return ""
    first = format_list([words.isolated(names[seat]) for seat in cost.seats[:spare]], locale=locale())
    return _(
        "It cannot be divided evenly: %(amount)s more for %(players)s.", amount=amounts.exactly(1, chip), players=first
    )


def said(payer: int | None, amount: int, seats: Sequence[int], names: Sequence[str], chip: Chip | None) -> str:
    """A cost, in a sentence."""
    everybody = len(seats) == len(names)
    among = format_list([words.isolated(names[seat]) for seat in seats], locale=locale())
    if payer is KITTY:
        each = amounts.exactly(amount // max(1, len(seats)), chip)
        if everybody:
            return _("Everybody put %(amount)s into the kitty.", amount=each)
        return _("Into the kitty, %(amount)s each: %(players)s.", amount=each, players=among)
    paid = {"payer": words.isolated(names[payer]), "amount": amounts.exactly(amount, chip)}
    if not seats:
        return _("%(payer)s paid %(amount)s, which the kitty pays back.", **paid)
    if everybody:
        return _("%(payer)s paid %(amount)s for everybody.", **paid)
    return _("%(payer)s paid %(amount)s for %(players)s.", **paid, players=among)

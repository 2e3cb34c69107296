"""Chips: who bought, won and cashed out how many; buying in, cashing out and adjusting."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext as later
from sqlalchemy.orm import Session
from wtforms import Field, HiddenField, ValidationError
from wtforms.widgets import TextInput

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.ledger.chipset import Bank, Colour
from scorekeeper.limits import MAX_CHIPS
from scorekeeper.models import AnyRow
from scorekeeper.rules import Problem, Refused, Seat, Unit
from scorekeeper.rules.base import MAX_ACCOUNTS
from scorekeeper.services.chipset import bank, colours_of
from scorekeeper.services.history import game_of
from scorekeeper.services.ledger import chip_of, in_hand, price_of
from scorekeeper.services.sessions import Adjust, MoveChips, adjust, buy_in, cash_out
from scorekeeper.services.settlement import worth_in_hand
from scorekeeper.services.transaction import StaleSession
from scorekeeper.sessionfile import Chip
from scorekeeper.web import access, amounts
from scorekeeper.web.forms import AnyForm, NoteField, SessionForm, command_fields
from scorekeeper.web.history import bought, cashed
from scorekeeper.web.pieces import PiecesField, add_up, said
from scorekeeper.web.tags import answer, form_tag

blueprint = Blueprint("chips", __name__)


# In the digits of any script; twelve are more than any bound has, and cheap to read.
_WHOLE_NUMBER = re.compile(r"[-+]?\d{1,12}")


class ChipsField(Field):  # type: ignore[misc]
    """A whole number from ``low`` to ``high``; ``code`` is the problem with any other.

    Left empty it is ``blank``. That may be None where it is ``optional``.
    """

    widget = TextInput()
    data: Any

    def __init__(
        self,
        label: object = None,
        *,
        low: int = 1,
        high: int = MAX_CHIPS,
        blank: int | None = None,
        optional: bool = False,
        code: str = "CHIPS_RANGE",
        **more: object,
    ) -> None:
        super().__init__(label, **more)
        self.low, self.high, self.blank, self.optional, self.code = low, high, blank, optional, code

    def process_formdata(self, values: list[str]) -> None:
        text = values[0].strip().replace("\N{MINUS SIGN}", "-") if values else ""
        self.data = int(text) if _WHOLE_NUMBER.fullmatch(text) else None if text else self.blank
        if self.data is None and not text and self.optional:
            return
        if self.data is None or not self.low <= self.data <= self.high:
            raise ValueError(self.out_of_bounds())

    def out_of_bounds(self) -> str:
        return words.problem_message(Problem(self.code, self.name, {"low": self.low, "high": self.high}))

    def _value(self) -> str:
        return self.raw_data[0] if self.raw_data else "" if self.data is None else str(self.data)


class SeatField(Field):  # type: ignore[misc]
    """One of the players at the table, ``names`` by seat."""

    names: Sequence[str] = ()
    data: Any

    def process_formdata(self, values: list[str]) -> None:
        self.data = Seat(int(values[0])) if values and values[0] in map(str, range(MAX_ACCOUNTS)) else None

    def pre_validate(self, form: SessionForm) -> None:
        if self.data is None or self.data >= len(self.names):
            raise ValidationError(_("Choose a player."))


class MoveForm(SessionForm):
    player = SeatField(later("Player"))
    chips = ChipsField(later("Chips"), optional=True)
    pieces = PiecesField(later("By colour"))
    # What was last advised, by version and chips: it is not said twice.
    advised = HiddenField()
    advice: Sequence[str] = ()
    warns = False

    def validate(self, extra_validators: Mapping[str, Any] | None = None) -> bool:
        super().validate(extra_validators)
        add_up(self.chips, self.pieces)
        return not self.errors


class AdjustForm(SessionForm):
    """Chips for each seat: ``chips-0`` and so on."""

    note = NoteField(later("Why"))
    sum_errors: Sequence[str] = ()


for _seat in range(MAX_ACCOUNTS):
    setattr(AdjustForm, f"chips-{_seat}", ChipsField(low=-MAX_CHIPS, blank=0))


@blueprint.get("/sessions/<id:session_id>/chips")
def chips(session_id: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    return answer(form_tag(session), lambda: _page(session, queries.seats(db.session(), session.id)))


@blueprint.post("/sessions/<id:session_id>/chips/buy-in")
def buy(session_id: int) -> ResponseReturnValue:
    return _move(session_id, "buy", buy_in, bought)


@blueprint.post("/sessions/<id:session_id>/chips/cash-out")
def cash(session_id: int) -> ResponseReturnValue:
    return _move(session_id, "cash", cash_out, cashed)


@blueprint.post("/sessions/<id:session_id>/chips/adjust")
def change(session_id: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    seats = queries.seats(db.session(), session.id)
    form = _adjust_form(seats)
    if not form.validate():
        return _page(session, seats, {"adjust": form}, 422)
    moved = tuple(form[f"chips-{seat.seat}"].data for seat in seats)
    command = Adjust(**command_fields(session, form), chips=moved, note=form.note.data)
    return _do(session, seats, "adjust", form, lambda: adjust(db.session(), command)) or _done(
        session_id, _("The chips were moved.")
    )


def _move(
    session_id: int,
    name: str,
    service: Callable[[Session, MoveChips], tuple[Colour, ...]],
    moved: Callable[[str, int], str],
) -> ResponseReturnValue:
    session = access.game_session(session_id)
    seats = queries.seats(db.session(), session.id)
    form = _move_form(name, session, seats)
    if not form.validate():
        return _page(session, seats, {name: form}, 422)
    seat, chips = form.player.data, form.chips.data
    asked = "ask" in request.form
    typed = None if asked else form.pieces.data
    advised = f"{session.version}/{chips}/{','.join(str(colour.pieces) for colour in typed or ())}"
    # A session that has moved on may have this move already: that is the service's to say.
    new = session.chip_set and form.expected_version.data == session.version
    if asked or (new and form.advised.data != advised):
        held = bank(db.session(), session.id, colours_of(session.chip_set), seat)
        form.advice, form.warns = _advice(name, held, chips) if typed is None else _typed(name, held, typed)
        if asked or form.warns:
            form.advised.data = advised
            return _page(session, seats, {name: form}, 200 if asked else 422)
    command = MoveChips(**command_fields(session, form), seat=seat, chips=chips, pieces=form.pieces.data)
    pieces: list[Colour] = []
    refused = _do(session, seats, name, form, lambda: pieces.extend(service(db.session(), command)))
    sentences = [moved(seats[seat].name, chips), *([_handed(name, pieces)] if pieces else [])]
    return refused or _done(session_id, " ".join(sentences))


def _advice(name: str, bank: Bank, chips: int) -> tuple[list[str], bool]:
    """Which pieces to hand out or to take back, what that leaves, and whether it is to be known beforehand."""
    pieces = bank.hand_out(chips) if name == "buy" else bank.take_back(chips)
    if not pieces:
        return [_cannot_say(name)], True
    if name == "cash":
        return [_handed(name, pieces)], False
    short = [
        _("There are too few %(colour)s ones for the usual mix.", colour=_name(one)) for one in bank.missing(chips)
    ]
    gone = _gone(bank, pieces)
    return [_handed(name, pieces), *short, *gone], bool(gone)


def _typed(name: str, bank: Bank, pieces: Sequence[Colour]) -> tuple[list[str], bool]:
    """What to know before *pieces* that somebody named are handed out; of what is taken back there is nothing."""
    warnings = _gone(bank, pieces) if name == "buy" else []
    return warnings, bool(warnings)


def _gone(bank: Bank, pieces: Sequence[Colour]) -> list[str]:
    """Of which colours *pieces* are the last ones in the bank, or more than it has."""
    return [
        _("Those are the last %(colour)s ones in the bank.", colour=_name(left))
        if left.pieces == out.pieces
        else _left(left)
        for left, out in zip(bank.left, pieces, strict=True)
        if out.pieces and left.pieces <= out.pieces
    ]


def _left(colour: Colour) -> str:
    if not colour.pieces:
        return _("There are no %(colour)s ones left in the bank.", colour=_name(colour))
    return _("Only %(pieces)s left in the bank.", pieces=said([colour]))


def _name(colour: Colour) -> str:
    return words.isolated(colour.name)


def _handed(name: str, pieces: Iterable[Colour]) -> str:
    if name == "buy":
        return _("Hand out %(pieces)s.", pieces=said(pieces))
    return _("Take back %(pieces)s.", pieces=said(pieces))


def _cannot_say(name: str) -> str:
    if name == "buy":
        return _("The bank cannot make that many of what is left in it. Say by colour what you hand out all the same.")
    return _("What is known to be on the table cannot make that many. Say by colour what you take back.")


def _do(
    session: AnyRow, seats: Sequence[AnyRow], name: str, form: SessionForm, act: Callable[[], None]
) -> ResponseReturnValue | None:
    """Do it, or show the page with the form as it was filled in and why it was not done."""
    try:
        act()
    except Refused as refused:
        names = [seat.name for seat in seats]
        homeless = form.add_problems(refused.problems, names)
        if isinstance(form, AdjustForm):
            form.sum_errors = [words.problem_message(problem, names) for problem in homeless]
        return _page(session, seats, {name: form}, 422)
    except StaleSession:
        session = access.game_session(session.id)
        form.renew(session.version)
        return _page(session, queries.seats(db.session(), session.id), {name: form}, 409)
    return None


def _done(session_id: int, sentence: str) -> ResponseReturnValue:
    flash(sentence, "done")
    return redirect(url_for(".chips", session_id=session_id), 303)


def _page(
    session: AnyRow, seats: Sequence[AnyRow], sent: Mapping[str, SessionForm] | None = None, status: int = 200
) -> ResponseReturnValue:
    """The page, with the form that was *sent* as it was filled in, and fresh ones beside it."""
    fresh = {
        "buy": _move_form("buy", session, seats, session.version),
        "cash": _move_form("cash", session, seats, session.version),
        "adjust": _adjust_form(seats, session.version),
    }
    game, ruleset = game_of(session)
    page = render_template(
        "chips/chips.html",
        session=session,
        for_chips=game.plays_for_chips(ruleset),
        closed=session.state == "closed",
        stale=status == 409,
        problems=_problems(list((sent or {}).values())),
        rows=list(_rows(session, seats)),
        names=[(seat.seat, seat.name) for seat in seats],
        seats=seats,
        bank=_bank(session, seats) if session.chip_set and game.plays_for_chips(ruleset) else None,
        **fresh | dict(sent or {}),
    )
    return page, status


def _move_form(name: str, session: AnyRow, seats: Sequence[AnyRow], fresh_on: int | None = None) -> MoveForm:
    """The form that was sent, or a fresh one on the session's version *fresh_on*."""
    form = MoveForm(prefix=f"{name}-", **_fresh(fresh_on))
    form.pieces.colours = colours_of(session.chip_set)
    form.player.names = [seat.name for seat in seats]
    return form


def _adjust_form(seats: Sequence[AnyRow], fresh_on: int | None = None) -> AdjustForm:
    return with_field_for_each(AdjustForm(prefix="adjust-", **_fresh(fresh_on)), seats)


def with_field_for_each(form: AnyForm, seats: Sequence[AnyRow]) -> AnyForm:
    """*form* with ``chips-0`` and so on for those who have a seat, under their names, and for nobody else."""
    for seat in range(MAX_ACCOUNTS):
        if seat < len(seats):
            form[f"chips-{seat}"].label.text = seats[seat].name
        else:
            del form[f"chips-{seat}"]
    return form


def _fresh(version: int | None) -> dict[str, Any]:
    return {} if version is None else {"formdata": None, "expected_version": version}


class InBank(NamedTuple):
    """One colour of the set."""

    name: str
    value: str
    pieces: str
    left: str


def _bank(session: AnyRow, seats: Sequence[AnyRow]) -> Mapping[str, object]:
    """What is left in the bank by colour, as far as that is known, and what to beware of."""
    held = bank(db.session(), session.id, colours_of(session.chip_set))
    bought = sum(seat.bought - seat.cashed for seat in seats)
    out = sum(colour.value * pieces for colour, pieces in zip(held.colours, held.out, strict=True))
    return {
        "rows": [
            InBank(owned.name, words.number(owned.value), words.number(owned.pieces), words.number(left.pieces))
            for owned, left in zip(held.colours, held.left, strict=True)
        ],
        "low": [_left(left) for left in held.low],
        "unknown": amounts.counted(abs(bought - out)) if bought != out else "",
    }


def _rows(session: AnyRow, seats: Sequence[AnyRow]) -> Iterator[Mapping[str, object]]:
    chip, price = chip_of(session), price_of(session)
    worth = worth_in_hand(price, seats)
    for seat, chips, amount in zip(seats, in_hand(session, seats), worth, strict=True):
        yield _row(seat, chips, amount, chip)


def _row(seat: AnyRow, in_hand: int, worth: int, chip: Chip | None) -> Mapping[str, object]:
    """The chips of a seat, of which those *in_hand* are *worth* so much in the unit of a settlement."""
    return {
        "name": seat.name,
        "settled": _settled(seat.settled, chip),
        "cells": (
            words.number(seat.bought),
            amounts.change(seat.chips, Unit.CHIPS),
            words.number(seat.cashed),
            amounts.Amount(words.number(in_hand), in_hand < 0),
        ),
        "money": amounts.exactly(worth, chip) if chip else None,
    }


def _settled(amount: int, chip: Chip | None) -> str | None:
    """What a player has paid or got in a settlement before: chips worth as much have changed hands."""
    if not amount:
        return None
    said = amounts.exactly(abs(amount), chip)
    return _("paid %(amount)s", amount=said) if amount > 0 else _("got %(amount)s", amount=said)


def _problems(forms: Iterable[SessionForm]) -> Sequence[Mapping[str, str]]:
    """Everything that is wrong in *forms*, each with the control it belongs to."""
    found = [
        {"id": field.id, "text": f"{field.label.text}: {error}" if field.label.text else error}
        for form in forms
        for field in form
        for error in field.errors
    ]
    sums = (error for form in forms if isinstance(form, AdjustForm) for error in form.sum_errors)
    return found + [{"id": "adjust-chips-error", "text": error} for error in sums]

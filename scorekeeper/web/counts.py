"""The count-in: everybody's chips against what the score says, and which deals would explain a difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from flask import Blueprint, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext as later
from flask_babel import ngettext

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.ledger.chipset import together
from scorekeeper.models import AnyRow
from scorekeeper.rules import Unit
from scorekeeper.rules.base import MAX_ACCOUNTS
from scorekeeper.services.chipset import colours_of
from scorekeeper.services.counts import Count, CountIn, KeptCount, count_in, counts
from scorekeeper.services.transaction import SessionClosed, StaleSession
from scorekeeper.web import access, amounts
from scorekeeper.web.amounts import Amount
from scorekeeper.web.chips import ChipsField, with_field_for_each
from scorekeeper.web.forms import SessionForm, command_fields
from scorekeeper.web.pieces import PiecesField, add_up, said
from scorekeeper.web.slips import search
from scorekeeper.web.tags import answer, form_tag

blueprint = Blueprint("counts", __name__)


class CountForm(SessionForm):
    """The chips in front of each seat: ``chips-0`` and so on, or by colour: ``pieces-0``."""

    began = ChipsField(later("Each began with"), low=0, optional=True)
    seats: range
    bought = True
    """Whether anybody has bought chips here: where nobody has, they must have begun with some."""

    def validate(self, extra_validators: Mapping[str, Any] | None = None) -> bool:
        super().validate(extra_validators)
        for seat in self.seats:
            add_up(self[f"chips-{seat}"], self[f"pieces-{seat}"])
        if not (self.bought or self.began.errors or self.began.data is not None):
            self.began.errors = [self.began.out_of_bounds()]
        return not self.errors


for _seat in range(MAX_ACCOUNTS):
    setattr(CountForm, f"chips-{_seat}", ChipsField(low=0, optional=True))
    setattr(CountForm, f"pieces-{_seat}", PiecesField())


class Counted(NamedTuple):
    """One player's chips: as counted, as they should be, and how many too many."""

    name: str
    counted: str
    due: str
    off: Amount
    pieces: str = ""


@blueprint.get("/sessions/<id:session_id>/count")
def count(session_id: int) -> ResponseReturnValue:
    """The form, and what the latest count has shown."""
    session = access.game_session(session_id)
    return answer(form_tag(session), lambda: _fresh_page(session))


@blueprint.post("/sessions/<id:session_id>/count")
def keep(session_id: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    seats = queries.seats(db.session(), session.id)
    form = _form(session, seats)
    if not form.validate():
        return _page(session, seats, form, 422)
    counted = tuple(form[f"chips-{seat.seat}"].data for seat in seats)
    # Nothing has no colour.
    pieces = tuple(form[f"pieces-{seat}"].data if chips else () for seat, chips in enumerate(counted))
    began = (form.began.data or 0) if "began" in form else 0
    command = CountIn(**command_fields(session, form), counted=counted, pieces=pieces, began=began)
    try:
        count_in(db.session(), command)
    except StaleSession:
        session = access.game_session(session_id)
        form.renew(session.version)
        return _page(session, queries.seats(db.session(), session.id), form, 409)
    except SessionClosed:
        return _page(access.game_session(session_id), seats, form, 409)
    flash(_("The count is kept."), "done")
    return redirect(url_for(".count", session_id=session_id), 303)


def _form(session: AnyRow, seats: Sequence[AnyRow], fresh_on: int | None = None) -> CountForm:
    """The form that was sent, or a fresh one on the session's version *fresh_on*."""
    form = CountForm(**{} if fresh_on is None else {"formdata": None, "expected_version": fresh_on})
    form.seats = range(len(seats))
    form.bought = any(seat.bought for seat in seats)
    if all(seat.bought for seat in seats):
        del form.began
    colours = colours_of(session.chip_set)
    for seat in form.seats:
        form[f"pieces-{seat}"].colours = colours
    return with_field_for_each(form, seats)


def _fresh_page(session: AnyRow) -> ResponseReturnValue:
    seats = queries.seats(db.session(), session.id)
    return _page(session, seats, _form(session, seats, session.version))


def _page(session: AnyRow, seats: Sequence[AnyRow], form: CountForm, status: int = 200) -> ResponseReturnValue:
    names = [seat.name for seat in seats]
    kept = counts(db.session(), session.id)
    if kept and "began" in form and form.began.raw_data is None:
        form.began.data = kept[0].count.began or None
    page = render_template(
        "counts/count.html",
        session=session,
        form=form,
        fields=[(form[f"chips-{seat}"], form[f"pieces-{seat}"]) for seat in form.seats],
        by_colour=bool(session.chip_set),
        closed=session.state == "closed",
        stale=status == 409,
        **(_result(session, names, kept) if kept else {"rows": []}),
    )
    return page, status


def _result(session: AnyRow, names: Sequence[str], kept: Sequence[KeptCount]) -> Mapping[str, object]:
    """What the latest count has shown, what would explain it, and what can be done about it."""
    latest = kept[0]
    found = latest.count
    total = sum(found.off)
    off = [(seat, chips) for seat, chips in enumerate(found.off) if chips]
    open_question = bool(off) and not total and latest.stands
    return {
        "when": latest.created_at,
        "stands": latest.stands,
        "rows": [
            Counted(names[seat], words.number(counted), words.number(due), _off(counted - due), pieces)
            for seat, (counted, due, pieces) in enumerate(zip(found.counted, found.due, _colours(found), strict=True))
        ],
        "total": Counted(_("All"), words.number(sum(found.counted)), words.number(sum(found.due)), _off(total)),
        "verdict": [*_since(latest), *_verdict(names, latest, off, total), *_beyond_the_set(session, found)],
        "found": search(session, names, kept) if open_question else None,
        "accept": [(f"adjust-chips-{seat}", chips) for seat, chips in off]
        if open_question and session.version == latest.version and session.state == "open"
        else [],
        "note": _("Count of %(when)s", when=words.moment(latest.created_at)),
    }


def _since(latest: KeptCount) -> Iterator[str]:
    """What has become of a count."""
    if latest.accepted:
        yield _("This count was accepted: the score was moved to what lay on the table.")
    if latest.accepted and latest.changed:
        yield _("Since then chips were moved by hand or deals were changed. Count again to see where it stands.")
    elif latest.changed:
        yield _("Since this count chips were moved by hand or deals were changed. Count again to see where it stands.")


def _colours(found: Count) -> list[str]:
    """What each had by colour, as far as that was counted."""
    return [said(pieces or ()) for pieces in found.pieces] or [""] * len(found.counted)


def _beyond_the_set(session: AnyRow, found: Count) -> Iterator[str]:
    """The colours of which more were counted than the group owns, if it owns any."""
    owned = {colour.value: colour.pieces for colour in colours_of(session.chip_set)}
    for counted in together(colour for pieces in found.pieces for colour in pieces or ()) if owned else ():
        if counted.value not in owned and counted.pieces:
            yield _("%(pieces)s were counted, and there are none in the set.", pieces=said([counted]))
        elif counted.pieces > owned.get(counted.value, 0):
            yield _(
                "%(pieces)s were counted, and there are only %(owned)s in the set.",
                pieces=said([counted]),
                owned=words.number(owned[counted.value]),
            )


def _off(chips: int) -> Amount:
    return amounts.change(chips, Unit.CHIPS)


def _verdict(names: Sequence[str], latest: KeptCount, off: Sequence[tuple[int, int]], total: int) -> Iterator[str]:
    """Whether the count agrees with the score, or did when it was kept, and if not, by how much and where."""
    now = latest.stands
    if total > 0 and now:
        yield ngettext(
            "There is %(num)s chip too many on the table.", "There are %(num)s chips too many on the table.", total
        )
    elif total > 0:
        yield ngettext(
            "There was %(num)s chip too many on the table.", "There were %(num)s chips too many on the table.", total
        )
    elif total < 0 and now:
        yield ngettext("%(num)s chip is missing on the table.", "%(num)s chips are missing on the table.", -total)
    elif total < 0:
        yield ngettext("%(num)s chip was missing on the table.", "%(num)s chips were missing on the table.", -total)
    elif now:
        yield _("The chips on the table are as many as they should be.")
    else:
        yield _("The chips on the table were as many as they should be.")
    for seat, chips in off:
        player = {"player": words.name_of(seat, names), "chips": amounts.counted(abs(chips))}
        if chips > 0:
            yield (
                _("%(player)s has %(chips)s too many.", **player)
                if now
                else _("%(player)s had %(chips)s too many.", **player)
            )
        else:
            yield (
                _("%(player)s has %(chips)s too few.", **player)
                if now
                else _("%(player)s had %(chips)s too few.", **player)
            )
    if not off:
        yield _("Everybody has what the score says.") if now else _("Everybody had what the score said.")
    if latest.count.began:
        yield _("Each is taken to have begun with %(chips)s.", chips=amounts.counted(latest.count.began))

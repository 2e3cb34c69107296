"""The count-in: everybody's chips against what the score says, and which deals would explain a difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from flask import Blueprint, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import ngettext

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.ledger.chipset import together
from scorekeeper.ledger.count_in import Explanation, Fault, PaidDeal, Slip, explanations
from scorekeeper.models import AnyRow
from scorekeeper.rules import DealScore, Unit
from scorekeeper.rules.base import MAX_ACCOUNTS
from scorekeeper.services.chipset import colours_of
from scorekeeper.services.counts import Count, CountIn, count_in
from scorekeeper.services.transaction import SessionClosed, StaleSession
from scorekeeper.web import access, amounts, sheet
from scorekeeper.web.amounts import Amount
from scorekeeper.web.chips import ChipsField, with_field_for_each
from scorekeeper.web.forms import SessionForm, command_fields
from scorekeeper.web.pieces import PiecesField, add_up, said
from scorekeeper.web.tags import answer, form_tag

blueprint = Blueprint("counts", __name__)

DEALS_SEARCHED: Final = 60
"""The latest deals among which an explanation is looked for."""


class CountForm(SessionForm):
    """The chips in front of each seat: ``chips-0`` and so on, or by colour: ``pieces-0``."""

    seats: range

    def validate(self, extra_validators: Mapping[str, Any] | None = None) -> bool:
        super().validate(extra_validators)
        for seat in self.seats:
            add_up(self[f"chips-{seat}"], self[f"pieces-{seat}"])
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
    try:
        count_in(db.session(), CountIn(**command_fields(session, form), counted=counted, pieces=pieces))
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
    colours = colours_of(session.chip_set)
    for seat in form.seats:
        form[f"pieces-{seat}"].colours = colours
    return with_field_for_each(form, seats)


def _fresh_page(session: AnyRow) -> ResponseReturnValue:
    seats = queries.seats(db.session(), session.id)
    return _page(session, seats, _form(session, seats, session.version))


def _page(session: AnyRow, seats: Sequence[AnyRow], form: CountForm, status: int = 200) -> ResponseReturnValue:
    names = [seat.name for seat in seats]
    latest = queries.latest_count(db.session(), session.id)
    page = render_template(
        "counts/count.html",
        session=session,
        form=form,
        fields=[(form[f"chips-{seat}"], form[f"pieces-{seat}"]) for seat in form.seats],
        by_colour=bool(session.chip_set),
        closed=session.state == "closed",
        stale=status == 409,
        **(_result(session, names, latest) if latest else {"rows": []}),
    )
    return page, status


def _result(session: AnyRow, names: Sequence[str], latest: AnyRow) -> Mapping[str, object]:
    """What the latest count has shown, and what can be done about it while nothing else has happened since."""
    found = Count.noted(latest.note)
    total = sum(found.off)
    off = [(seat, chips) for seat, chips in enumerate(found.off) if chips]
    deals = queries.paid_deals(db.session(), session.id, latest.version, DEALS_SEARCHED) if off and not total else []
    titles = {deal.number: sheet.title_of(deal.facts, names) for deal in deals}
    explained = explanations(found.off, [*_paid_deals(session, deals)])
    return {
        "when": latest.created_at,
        "rows": [
            Counted(names[seat], words.number(counted), words.number(due), _off(counted - due), pieces)
            for seat, (counted, due, pieces) in enumerate(zip(found.counted, found.due, _colours(found), strict=True))
        ],
        "total": Counted(_("All"), words.number(sum(found.counted)), words.number(sum(found.due)), _off(total)),
        "verdict": [*_verdict(names, off, total), *_beyond_the_set(session, found)],
        "explained": [list(_sentences(explanation, names, titles)) for explanation in explained],
        "searched": bool(deals) and not explained,
        "accept": [(f"adjust-chips-{seat}", chips) for seat, chips in off]
        if off and not total and session.version == latest.version and session.state == "open"
        else [],
        "note": _("Count of %(when)s", when=words.moment(latest.created_at)),
    }


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


def _paid_deals(session: AnyRow, deals: Sequence[AnyRow]) -> Iterator[PaidDeal]:
    """How *deals* were to be paid, as far as the rules still say what was stored."""
    for deal in deals:
        score = sheet.score_of(session, deal)
        if isinstance(score, DealScore) and list(score.chips) == deal.chips and any(deal.chips):
            payments = tuple((payment.payer, payment.payee, payment.chips) for payment in score.payments)
            yield PaidDeal(deal.number, payments, score.game.other_rates(deal.facts, score.before))


def _off(chips: int) -> Amount:
    return amounts.change(chips, Unit.CHIPS)


def _verdict(names: Sequence[str], off: Sequence[tuple[int, int]], total: int) -> list[str]:
    """Whether the count agrees with the score, and if not, by how much and where."""
    if total > 0:
        said = [
            ngettext(
                "There is %(num)s chip too many on the table.", "There are %(num)s chips too many on the table.", total
            )
        ]
    elif total < 0:
        said = [ngettext("%(num)s chip is missing on the table.", "%(num)s chips are missing on the table.", -total)]
    else:
        said = [_("The chips on the table are as many as they should be.")]
    for seat, chips in off:
        player = {"player": words.name_of(seat, names), "chips": amounts.counted(abs(chips))}
        said.append(
            _("%(player)s has %(chips)s too many.", **player)
            if chips > 0
            else _("%(player)s has %(chips)s too few.", **player)
        )
    if not off:
        said.append(_("Everybody has what the score says."))
    return said


def _sentences(explanation: Explanation, names: Sequence[str], titles: Mapping[int, str]) -> Iterator[tuple[int, str]]:
    """Each slip in a sentence, with the number of its deal."""
    for slip in explanation:
        yield (
            slip.deal,
            _(
                "Deal %(number)s · %(deal)s: %(slip)s",
                number=words.number(slip.deal),
                deal=titles[slip.deal],
                slip=_slip(slip, names),
            ),
        )


def _slip(slip: Slip, names: Sequence[str]) -> str:
    if not slip.between:
        return {
            Fault.UNPAID: _("not paid."),
            Fault.REVERSED: _("paid the wrong way round."),
            Fault.TWICE: _("paid twice."),
            Fault.OTHER_RATE: _("paid as if another suit had been trump."),
        }[slip.fault]
    return " ".join(_payment(slip.fault, *between, names) for between in slip.between)


def _payment(fault: Fault, payer: int, payee: int, names: Sequence[str]) -> str:
    people = {"payer": words.name_of(payer, names), "payee": words.name_of(payee, names)}
    return {
        Fault.UNPAID: _("%(payer)s did not pay %(payee)s.", **people),
        Fault.REVERSED: _("%(payee)s paid %(payer)s instead of the other way round.", **people),
        Fault.TWICE: _("%(payer)s paid %(payee)s twice.", **people),
    }[fault]

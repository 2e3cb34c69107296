"""The settlement of a session: how to settle, who pays whom, how it adds up, what has been paid. Ending, reopening."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from operator import attrgetter
from typing import Final, NamedTuple, cast

from babel.lists import format_list
from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import format_date, ngettext
from flask_babel import gettext as _
from flask_babel import lazy_gettext as later
from werkzeug.datastructures import MultiDict
from wtforms import Form, SelectField, SelectMultipleField, StringField
from wtforms.fields.choices import SelectChoice

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.ledger import Choices, Plan, Price, Transfer, plain, spread, standings
from scorekeeper.models import AnyRow
from scorekeeper.queries import Rows
from scorekeeper.rules import Refused, Table
from scorekeeper.services.carrying import HandBack, hand_back
from scorekeeper.services.counts import Count
from scorekeeper.services.deals import Without
from scorekeeper.services.history import game_of, only_begun
from scorekeeper.services.ledger import chip_of, in_kitty, price_of
from scorekeeper.services.sessions import close_session, reopen_session
from scorekeeper.services.settlement import (
    Account,
    Pay,
    TakeBack,
    accounts,
    choices_made,
    claims,
    of_kitty,
    pay,
    plan,
    still_open,
    take_back,
)
from scorekeeper.services.transaction import SessionCommand
from scorekeeper.sessionfile import Chip
from scorekeeper.web import access, amounts
from scorekeeper.web.dispute import dispute_of
from scorekeeper.web.forms import SessionForm, checked, command_fields
from scorekeeper.web.tags import answer, form_tag
from scorekeeper.words.numbers import locale

blueprint = Blueprint("settlement", __name__)

MAX_LINE = 2**31 - 1
NOBODY: Final = ""
ALIKE: Final = "alike"
TO_KITTY: Final = "kitty"

_Row = Mapping[str, object]


class ChoicesForm(Form):  # type: ignore[misc]
    """How a table settles; nothing is filled in where nothing is chosen."""

    banker = SelectField(later("Who pays whom"), default=NOBODY, validate_choice=False)
    least = StringField(later("No payment below"), render_kw={"inputmode": "decimal"})
    step = StringField(later("Only multiples of"), render_kw={"inputmode": "decimal"})
    apart = SelectMultipleField(later("Who cannot pay each other directly"), validate_choice=False)
    keeper = SelectField(later("The kitty"), default=NOBODY, validate_choice=False)
    rest = SelectField(later("What the multiples leave"), default=NOBODY, validate_choice=False)

    def __init__(self, sent: MultiDict[str, str], seats: Sequence[AnyRow], chip: Chip | None) -> None:
        super().__init__(sent)
        self.chip = chip
        names = [(str(seat.seat), seat.name) for seat in seats]
        self.banker.choices = [
            SelectChoice(NOBODY, _("The fewest payments")),
            *(SelectChoice(seat, _("Everybody through %(name)s", name=words.isolated(name))) for seat, name in names),
        ]
        self.keeper.choices = [
            SelectChoice(NOBODY, _("Shared out by what each put in")),
            SelectChoice(ALIKE, _("Shared out evenly")),
            *(SelectChoice(seat, _("%(name)s keeps it", name=words.isolated(name))) for seat, name in names),
        ]
        self.rest.choices = [SelectChoice(NOBODY, _("Stays open")), SelectChoice(TO_KITTY, _("Goes into the kitty"))]
        self.apart.choices = [
            (f"{one}-{other}", _("%(one)s and %(other)s", one=words.isolated(name), other=words.isolated(other_name)))
            for (one, name), (other, other_name) in combinations(names, 2)
        ]

    def choices(self) -> Choices[int] | None:
        """What was chosen; None, with the reason beside its field, if it cannot be understood."""
        least, step = max(1, self._amount(self.least)), self._amount(self.step)
        if not step:
            self.step.errors = [_("Enter an amount above zero.")]
        banker, keeper = self.banker.data or NOBODY, self.keeper.data or NOBODY
        apart = list(dict.fromkeys(self.apart.data or ()))
        for field in (self.banker, self.keeper, self.rest):
            if (field.data or NOBODY) not in [choice.value for choice in field.choices]:
                field.errors = [_("Choose a player.") if field is not self.rest else _("Choose what becomes of it.")]
        if not set(apart) <= {value for value, _label in self.apart.choices}:
            self.apart.errors = [_("Choose two players.")]
        if any(field.errors for field in self):
            return None
        pairs = (pair.split("-") for pair in apart)
        return Choices(
            banker=int(banker) if banker else None,
            least=least,
            step=step,
            apart=tuple(sorted((int(one), int(other)) for one, other in pairs)),
            keeper=int(keeper) if keeper not in (NOBODY, ALIKE) else None,
            alike=keeper == ALIKE,
            to_kitty=self.rest.data == TO_KITTY,
        )

    def _amount(self, field: StringField) -> int:
        """The amount typed; one where nothing is said."""
        text = (field.data or "").strip()
        try:
            return amounts.typed(text, self.chip) if text else 1
        except amounts.MalformedTyped as error:
            field.errors = [str(error)]
            return 1

    @property
    def is_open(self) -> bool:
        """Whether anything is chosen, or refused."""
        return any(field.data or field.errors for field in self)


def _as_sent(choices: Choices[int], chip: Chip | None) -> MultiDict[str, str]:
    """What :class:`ChoicesForm` sends for *choices*."""
    amounts_chosen = {"least": choices.least, "step": choices.step}
    sent = MultiDict(
        {name: plain(amount, chip.exponent if chip else 0) for name, amount in amounts_chosen.items() if amount > 1}
    )
    if choices.banker is not None:
        sent["banker"] = str(choices.banker)
    if choices.keeper is not None:
        sent["keeper"] = str(choices.keeper)
    elif choices.alike:
        sent["keeper"] = ALIKE
    if choices.to_kitty:
        sent["rest"] = TO_KITTY
    sent.setlist("apart", [f"{one}-{other}" for one, other in choices.apart])
    return sent


class PartForm(SessionForm):
    amount = StringField(later("Amount"))


class Line(NamedTuple):
    """A transfer of a settlement: what is still to be paid of it, and the payments that count."""

    payer: int
    payee: int
    amount: int
    open: int
    plan: int
    number: int
    payments: Sequence[AnyRow] = ()
    over: str = ""
    """The session that settles what is not paid of it."""

    @property
    def paid(self) -> int:
        return sum(payment.amount for payment in self.payments)


@dataclass(frozen=True, slots=True)
class Settled:
    """A session's settlement: that in force, or as it would be if it were drawn up now.

    ``before`` are the payments of ``earlier`` settlements, which have been discarded: they count all the same.
    """

    price: Price
    choices: Choices[int]
    lines: Sequence[Line]
    left: Mapping[int, int]
    rest: Mapping[int, int]
    before: Sequence[AnyRow]
    accounts: Sequence[Account]
    earlier: Sequence[AnyRow]
    transfers: Mapping[int, Sequence[AnyRow]]
    carried_from: Sequence[AnyRow]
    carried_to: Sequence[AnyRow]


def settled(
    session: AnyRow, seats: Sequence[AnyRow], choices: Choices[int] | None = None, carried: Rows | None = None
) -> Settled:
    """The settlement in force, or as it would be by *choices*, or else by those of the latest that was discarded."""
    carried = queries.carried(db.session(), session.id) if carried is None else carried
    price = price_of(session)
    settlements = groupby(queries.settlements(db.session(), session.id), attrgetter("version"))
    rows_of = {plan: list(rows) for plan, rows in settlements}
    drawn = [rows[0] for rows in rows_of.values()]
    transfers = {plan: [row for row in rows if row.line is not None] for plan, rows in rows_of.items()}
    payments = queries.payments(db.session(), session.id)
    in_force = drawn[0] if drawn and drawn[0].withdrawn is None else None
    counted = [row for row in carried if row.taken_back is None and row.seat is not None]
    carried_to = [row for row in counted if not row.settled_here]
    if in_force is None:
        if choices is None:
            choices = choices_made(drawn[0].choices) if drawn else Choices()
        planned = plan(price, seats, choices)
        left, rest = planned.left, planned.rest
        lines = [Line(one.payer, one.payee, one.amount, one.amount, 0, 0) for one in planned.transfers]
    else:
        left, rest = (
            {int(seat): amount for seat, amount in stays.items()} for stays in (in_force.remaining, in_force.rest)
        )
        names = {row.id: row.name for row in carried_to}
        choices = choices_made(in_force.choices)
        rows = transfers[in_force.version]
        lines = [
            Line(row.payer, row.payee, row.amount, open_.amount, row.version, row.line, _of_line(payments, row))
            for row, open_ in zip(rows, still_open(rows, payments), strict=True)
        ]
        lines = [
            line._replace(open=0, over=names[row.over]) if row.over else line
            for line, row in zip(lines, rows, strict=True)
        ]
    to_come = Plan(tuple(Transfer(line.payer, line.payee, line.open) for line in lines), left, rest)
    return Settled(
        price=price,
        choices=choices,
        lines=lines,
        left={seat: amount for seat, amount in left.items() if amount},
        rest=rest,
        before=[row for row in payments if in_force is None or row.plan != in_force.version],
        accounts=accounts(price, seats, choices, to_come),
        earlier=[row for row in drawn if row.withdrawn is not None],
        transfers=transfers,
        carried_from=[row for row in counted if row.settled_here],
        carried_to=carried_to,
    )


def _of_line(payments: Iterable[AnyRow], line: AnyRow) -> list[AnyRow]:
    return [row for row in payments if (row.plan, row.line) == (line.version, line.line)]


@blueprint.get("/sessions/<id:session_id>/settlement")
def settlement(session_id: int) -> ResponseReturnValue:
    """The standings, and the settlement as drawn up, or as it would be if the session ended now."""
    session = access.game_session(session_id)
    carried = _carried(session)
    return answer(form_tag(session, carried), lambda: _page(session, carried=carried))


class Wrong(NamedTuple):
    """A part that was typed for the payment of a line, and why it cannot be."""

    plan: int
    line: int
    text: str
    sentence: str


def _page(
    session: AnyRow,
    sent: MultiDict[str, str] | None = None,
    wrong: Wrong | None = None,
    *,
    carried: Rows | None = None,
) -> ResponseReturnValue:
    """The page, with the choices that were *sent*, be it in the address, and a part that is *wrong*."""
    game, ruleset = game_of(session)
    closed = session.state == "closed"
    carried = _carried(session) if carried is None else carried
    seats, chip = queries.seats_to_settle(db.session(), session.id), chip_of(session)
    for_chips = game.plays_for_chips(ruleset) or any(seat.chips or seat.costs or seat.carried for seat in seats)
    asked = sent or request.args
    choosing = ChoicesForm(asked, seats, chip) if asked and for_chips and not closed else None
    choices = choosing.choices() if choosing else None
    refused = wrong is not None or (choosing is not None and choices is None)
    shown = settled(session, seats, Choices() if choosing and choices is None else choices, carried)
    if not choosing and for_chips and not closed:
        choosing = ChoicesForm(_as_sent(shown.choices, chip), seats, chip)
    form = SessionForm(formdata=None, expected_version=session.version)
    places, rows = _places(session, seats), list(_rows(session, seats, shown, wrong))
    left = [*_left_open(seats, shown.left, chip), *_rests(seats, shown.accounts, chip)]
    bank = _bank_pays(seats, shown.accounts, chip) if for_chips else []
    dispute = dispute_of(session, seats)
    result = [*_as_text(session, seats, places, [*rows, *left], shown, for_chips=for_chips), *bank]
    if dispute:
        result.append(_("%(sentence)s.", sentence=dispute.title))
    page = render_template(
        "settlement/settlement.html",
        session=session,
        form=form,
        closed=closed,
        steps=_steps(session, shown),
        unit=amounts.unit_name(game.unit),
        game_number=session.table["game"] if game.several_games else None,
        places=places,
        result="\n".join(result),
        result_lines=len(result),
        games=_games(session, seats) if game.several_games else [],
        only_begun=only_begun(session),
        for_chips=for_chips,
        choosing=choosing,
        as_before=not closed and not asked and shown.choices != Choices(),
        rounded=shown.choices.step > 1,
        kitty=_kitty(seats, shown.choices, chip),
        may_keep=in_kitty(seats) > 0,
        over=[
            _to_session(name, part=bool(shown.left))
            for name in dict.fromkeys(row.name for row in shown.carried_to)
            if name not in [line.over for line in shown.lines]
        ],
        brought=list(_brought(session, seats, shown.carried_from, chip)),
        apart=[row for row in reversed(carried) if row.seat is None],
        chosen=list(_chosen(seats, shown.choices, chip)),
        transfers=rows,
        left=left,
        spare=[
            *_spare(seats, shown.price, chip),
            *_spare_of_kitty(seats, shown.choices, chip),
            *_spare_steps(seats, shown, chip),
        ],
        earlier=[_earlier(session, seats, row, shown) for row in shown.earlier],
        hidden={"expected_version": session.version, "submission_id": form.submission_id.data},
        dispute=dispute,
        miscount=_miscount(session, [seat.name for seat in seats]) if for_chips else "",
        **(_hanging(session, seats, shown, dispute.without) if dispute and for_chips else {}),
        bank=bank,
        **(_sums(session, seats, shown) if for_chips else {}),
    )
    return page, 422 if refused else 200


@blueprint.post("/sessions/<id:session_id>/choices")
def choose(session_id: int) -> ResponseReturnValue:
    """The payments by what is chosen, at an address that says it."""
    session = access.game_session(session_id)
    choosing = ChoicesForm(request.form, queries.seats(db.session(), session.id), chip_of(session))
    if choosing.choices() is None:
        return _page(session, request.form)
    chosen = {field.name: field.data for field in choosing}
    return redirect(url_for(".settlement", session_id=session_id, **chosen, _anchor="choices"), 303)


@blueprint.post("/sessions/<id:session_id>/close")
def close(session_id: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    form = checked(SessionForm())
    seats = queries.seats(db.session(), session.id)
    choices = ChoicesForm(request.form, seats, chip_of(session)).choices()
    if choices is None:
        return _page(session, request.form)
    close_session(db.session(), SessionCommand(**command_fields(session, form)), choices)
    flash(_("The session has ended."), "done")
    return redirect(url_for(".settlement", session_id=session_id), 303)


@blueprint.post("/sessions/<id:session_id>/reopen")
def reopen(session_id: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    paid = len(queries.payments(db.session(), session_id))
    carried = [row for row in queries.carried(db.session(), session_id) if row.taken_back is None]
    reopen_session(db.session(), SessionCommand(**command_fields(session, checked(SessionForm()))))
    flash(_("The session is open again, and the payments not yet made are withdrawn."), "done")
    if paid:
        flash(ngettext("One payment made stays made.", "%(num)s payments made stay made.", paid), "info")
    if not all(row.settled_here for row in carried):
        flash(_("What was carried over into another session stays there, and counts."), "info")
    return redirect(url_for("board.session", session_id=session_id), 303)


@blueprint.post("/sessions/<id:session_id>/carried/<id:source>/hand-back")
def hand_back_carried(session_id: int, source: int) -> ResponseReturnValue:
    """Who came in to one session alone changes nothing in another."""
    session = access.game_session(session_id)
    form = checked(SessionForm())
    if not session.to_group:
        abort(403)
    hand_back(db.session(), HandBack(**command_fields(session, form), source_id=source))
    flash(_("What was carried over was taken back. The earlier session settles it again."), "done")
    return redirect(url_for(".settlement", session_id=session_id), 303)


@blueprint.post(f"/sessions/<id:session_id>/transfers/<id:plan>/<int(max={MAX_LINE}):line>")
def pay_all(session_id: int, plan: int, line: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    pay(db.session(), Pay(**command_fields(session, checked(SessionForm())), plan=plan, line=line))
    return redirect(url_for(".settlement", session_id=session_id), 303)


@blueprint.post(f"/sessions/<id:session_id>/transfers/<id:plan>/<int(max={MAX_LINE}):line>/part")
def pay_part(session_id: int, plan: int, line: int) -> ResponseReturnValue:
    session, form = access.game_session(session_id), checked(PartForm())
    text = form.amount.data or ""
    try:
        amount = amounts.typed(text, chip_of(session))
        pay(db.session(), Pay(**command_fields(session, form), plan=plan, line=line, amount=amount))
    except amounts.MalformedTyped as error:
        return _page(session, wrong=Wrong(plan, line, text, str(error)))
    except Refused as refused:
        return _page(session, wrong=Wrong(plan, line, text, words.problem_message(refused.problems[0])))
    return redirect(url_for(".settlement", session_id=session_id), 303)


@blueprint.post("/sessions/<id:session_id>/payments/<id:payment>/take-back")
def unpay(session_id: int, payment: int) -> ResponseReturnValue:
    session = access.game_session(session_id)
    take_back(db.session(), TakeBack(**command_fields(session, checked(SessionForm())), payment=payment))
    return redirect(url_for(".settlement", session_id=session_id), 303)


def _steps(session: AnyRow, shown: Settled) -> list[_Row]:
    """The states of a settlement in their order; the present one is marked."""
    if session.state != "closed":
        now = 0
    elif any(line.open for line in shown.lines):
        now = 1
    else:
        now = 2
    end = _("Settled, with a rest") if now == 2 and shown.left else _("Settled")
    return [{"name": name, "now": place == now} for place, name in enumerate((_("Playing"), _("Settling"), end))]


def _places(session: AnyRow, seats: Sequence[AnyRow]) -> list[_Row]:
    game, ruleset = game_of(session)
    totals = dict(enumerate(Table.restored(ruleset, session.table).totals))
    return [
        {
            "place": words.number(row.place),
            "name": seats[row.player].name,
            "total": amounts.total(row.total, game.unit),
            "href": url_for("why.total", session_id=session.id, seat=row.player),
        }
        for row in standings(totals, lowest_wins=game.lowest_wins)
    ]


def _games(session: AnyRow, seats: Sequence[AnyRow]) -> list[_Row]:
    if not any(seat.wins for seat in seats):
        return []
    return [
        {"place": words.number(row.place), "name": seats[row.player].name, "total": words.number(row.total)}
        for row in standings({seat.seat: seat.wins for seat in seats})
    ]


def _miscount(session: AnyRow, names: Sequence[str]) -> str:
    """By how much the latest count was off, where nothing has been put right since."""
    latest = next(iter(queries.counts(db.session(), session.id, most=1)), None)
    off = Count.noted(latest.note).off if latest else ()
    if latest is None or latest.changed is not None or not any(off):
        return ""
    each = [words.beside(words.name_of(seat, names), words.signed(chips)) for seat, chips in enumerate(off) if chips]
    return _("The chips counted last were off by: %(differences)s.", differences=", ".join(each))


def _as_text(
    session: AnyRow,
    seats: Sequence[AnyRow],
    places: Sequence[_Row],
    rows: Sequence[_Row],
    shown: Settled,
    *,
    for_chips: bool,
) -> list[str]:
    """The result in lines that can be sent: what each player has won or lost, or their points, and who pays whom."""
    game, day = words.ruleset_title(session.ruleset_id), words.day(session.started_on)
    head = [
        session.group_name if session.to_group else "",
        session.name,
        # A name that nobody changed says these already.
        game if game not in session.name else "",
        format_date(session.started_on) if day not in session.name else "",
    ]
    lines = [" · ".join(filter(None, head))]
    if not for_chips and only_begun(session):
        wins = [f"{row['place']}. {row['name']}: {row['total']}" for row in _games(session, seats)]
        return [*lines, _("Games won"), *wins]
    if not for_chips:
        return lines + [f"{row['place']}. {row['name']}: {cast(amounts.Amount, row['total']).text}" for row in places]
    chip = chip_of(session)
    for seat, account in zip(seats, shown.accounts, strict=True):
        won = words.signed(seat.chips)
        in_money = f" ({words.money(account.won, chip.currency, chip.exponent)})" if chip else ""
        lines.append(f"{seat.name}: {won}{in_money}")
        beside = (_("costs and kitty"), account.costs + account.kitty), (_("carried over"), account.carried)
        lines[-1] += "".join(f", {text} {amounts.settled(amount, chip).text}" for text, amount in beside if amount)
    paid = _("(paid)")
    ends = (paid if row.get("paid") else row.get("part", "") for row in rows)
    return lines + [f"{row['sentence']} {end}".rstrip() for row, end in zip(rows, ends, strict=True)]


def _rows(session: AnyRow, seats: Sequence[AnyRow], shown: Settled, wrong: Wrong | None) -> Iterator[_Row]:
    """What was paid of earlier settlements, and every line of this one with what can be done about it."""
    chip, closed = chip_of(session), session.state == "closed"
    for row in shown.before:
        sentence = amounts.payment(seats[row.payer].name, seats[row.payee].name, row.amount, chip)
        yield {
            "sentence": sentence,
            "paid": True,
            "back": _back(session, row) if session.writes and not closed else None,
        }
    for line in shown.lines:
        sentence = amounts.payment(seats[line.payer].name, seats[line.payee].name, line.amount, chip)
        values = {"session_id": session.id, "plan": line.plan, "line": line.number}
        editable, mine = (
            # What another session settles cannot be taken back here.
            closed and session.writes and not line.over,
            wrong and (wrong.plan, wrong.line) == (line.plan, line.number),
        )
        parts = line.payments if line.open or line.over or len(line.payments) > 1 else ()
        yield {
            "sentence": sentence,
            "paid": not line.open and not line.over,
            "id": f"part-{line.plan}-{line.number}",
            "part": _part(line, chip),
            "parts": [
                {
                    "sentence": _("%(amount)s paid", amount=amounts.exactly(row.amount, chip)),
                    "back": _back(session, row) if editable else None,
                }
                for row in parts
            ],
            "all": url_for(".pay_all", **values) if editable and line.open else None,
            "some": url_for(".pay_part", **values) if editable and line.open > 1 else None,
            "back": _back(session, line.payments[0]) if editable and not line.open and not parts else None,
            "typed": wrong.text if wrong and mine else "",
            "error": wrong.sentence if wrong and mine else "",
        }


def _part(line: Line, chip: Chip | None) -> str:
    """What has become of a payment that is not made in full."""
    if line.over and line.paid:
        rest = {"amount": amounts.exactly(line.amount - line.paid, chip), "session": words.isolated(line.over)}
        return _("The rest, %(amount)s, is carried over to %(session)s.", **rest)
    if line.over:
        return _to_session(line.over)
    return _("(%(open)s still open)", open=amounts.exactly(line.open, chip)) if line.open < line.amount else ""


def _brought(session: AnyRow, seats: Sequence[AnyRow], carried: Sequence[AnyRow], chip: Chip | None) -> Iterator[_Row]:
    """What was carried over from each earlier session, and where that is taken back."""
    names = [seat.name for seat in seats]
    editable = session.state != "closed" and session.writes and session.to_group
    for source, rows in groupby(carried, key=attrgetter("id")):
        of_source = list(rows)
        each = [
            words.beside(words.name_of(row.seat, names), amounts.settled(row.amount, chip).text) for row in of_source
        ]
        said = {"session": words.isolated(of_source[0].name), "moved": format_list(each, locale=locale(), style="unit")}
        yield {
            "sentence": _("Carried over from %(session)s: %(moved)s.", **said),
            "back": url_for(".hand_back_carried", session_id=session.id, source=source) if editable else None,
        }


def _carried(session: AnyRow) -> Rows:
    """What was carried over, and while a session goes on those that are settled apart, for those who may see them."""
    sees = session.state != "closed" and session.to_group
    return queries.carried(db.session(), session.id, apart_from=session.group_id if sees else None)


def _to_session(name: str, *, part: bool = False) -> str:
    if part:
        return _("A part of what was open is carried over to %(session)s.", session=words.isolated(name))
    return _("What was open is carried over to %(session)s.", session=words.isolated(name))


def _kitty(seats: Sequence[AnyRow], choices: Choices[int], chip: Chip | None) -> str:
    """What is in the kitty, and what becomes of it; nothing if nothing is."""
    held = in_kitty(seats)
    if not held:
        return ""
    said = {"amount": amounts.exactly(abs(held), chip)}
    if choices.keeper is not None and held > 0:
        kept = _("In the kitty: %(amount)s, kept by %(name)s.", **said, name=words.isolated(seats[choices.keeper].name))
        return f"{kept} {_('The next session begins without it: whoever keeps it puts it into the kitty there.')}"
    put_in = [f"{words.isolated(seat.name)} {amounts.exactly(seat.put_in, chip)}" for seat in seats if seat.put_in > 0]
    if choices.alike or not put_in:
        return amounts.in_kitty(held, chip) if held < 0 else _("In the kitty: %(amount)s, shared out evenly.", **said)
    said["players"] = format_list(put_in, locale=locale(), style="unit")
    if held < 0:
        return _("The kitty lacks %(amount)s, borne by what each put in: %(players)s.", **said)
    return _("In the kitty: %(amount)s, shared out by what each put in: %(players)s.", **said)


def _back(session: AnyRow, payment: AnyRow) -> str:
    return url_for(".unpay", session_id=session.id, payment=payment.version)


def _left_open(seats: Sequence[AnyRow], left: Mapping[int, int], chip: Chip | None) -> Iterator[_Row]:
    for seat, amount in sorted(left.items()):
        said = {"player": words.isolated(seats[seat].name), "amount": amounts.exactly(abs(amount), chip)}
        if amount > 0:
            yield {"sentence": _("Left open: %(player)s, %(amount)s to get.", **said)}
        else:
            yield {"sentence": _("Left open: %(player)s, %(amount)s to pay.", **said)}


def _rests(seats: Sequence[AnyRow], accounts: Iterable[Account], chip: Chip | None) -> Iterator[_Row]:
    """What the kitty gives or gets where payments were made multiples: it is in the payments already."""
    for account in accounts:
        said = {"player": words.isolated(seats[account.seat].name), "amount": amounts.exactly(abs(account.rest), chip)}
        pays = account.open + account.rest < account.paid
        if account.rest > 0 and pays:
            yield {"sentence": _("%(player)s pays %(amount)s more, for the kitty.", **said)}
        elif account.rest > 0:
            yield {"sentence": _("%(player)s gets %(amount)s less, for the kitty.", **said)}
        elif account.rest and pays:
            yield {"sentence": _("%(player)s pays %(amount)s less, out of the kitty.", **said)}
        elif account.rest:
            yield {"sentence": _("%(player)s gets %(amount)s more, out of the kitty.", **said)}


def chosen_then(seats: Sequence[AnyRow], drawn: AnyRow, chip: Chip | None) -> Iterator[str]:
    """How a settlement was *drawn* up, where anything was chosen."""
    choices = choices_made(drawn.choices)
    yield from _chosen(seats, choices, chip)
    if choices.keeper is not None:
        yield _("%(name)s keeps the kitty.", name=words.isolated(seats[choices.keeper].name))
    elif choices.alike:
        yield _("The kitty is shared out evenly.")


def _chosen(seats: Sequence[AnyRow], choices: Choices[int], chip: Chip | None) -> Iterator[str]:
    """How it is settled, where anything was chosen."""
    names = [words.isolated(seat.name) for seat in seats]
    if choices.banker is not None and choices.apart:
        yield _("Whoever can pays or gets through %(name)s.", name=names[choices.banker])
    elif choices.banker is not None:
        yield _("Everybody pays or gets through %(name)s.", name=names[choices.banker])
    if choices.least > 1:
        yield _("No payment is below %(amount)s.", amount=amounts.exactly(choices.least, chip))
    if choices.step > 1:
        yield _("Every payment is a multiple of %(amount)s.", amount=amounts.exactly(choices.step, chip))
    if choices.step > 1 and choices.to_kitty:
        yield _("What that leaves goes into the kitty.")
    for one, other in choices.apart:
        yield _("%(one)s and %(other)s do not pay each other directly.", one=names[one], other=names[other])


def _spare(seats: Sequence[AnyRow], price: Price, chip: Chip | None) -> Iterator[str]:
    """In whose favour what was won and lost was rounded to whole money, or that nobody's comes to any."""
    shares, spare = price.of_everybody([seat.chips for seat in seats])
    if not spare or chip is None:
        return
    amount = amounts.exactly(1, chip)
    if any(shares):
        yield _(
            "Chips do not come to whole money here, so parts of %(amount)s were rounded: in favour of those who came"
            " closest, in this order: %(players)s; against the others.",
            amount=amount,
            players=_in_order(seats, spare),
        )
    else:
        yield _(
            "What was won or lost comes to less than %(amount)s for everybody, so nobody gets or pays it.",
            amount=amount,
        )


def _spare_of_kitty(seats: Sequence[AnyRow], choices: Choices[int], chip: Chip | None) -> Iterator[str]:
    """To whom the units went that were left when the kitty was shared out."""
    if spare := of_kitty(seats, choices).spare:
        yield _(
            "The kitty cannot be shared out exactly: %(amount)s more each, in this order, for %(players)s.",
            amount=amounts.exactly(1, chip),
            players=_in_order(seats, spare),
        )


def _spare_steps(seats: Sequence[AnyRow], shown: Settled, chip: Chip | None) -> Iterator[str]:
    """Who was rounded up to the next step as the payments were worked out: of a plan in force, before it was paid."""
    if shown.choices.step == 1 or shown.carried_to:
        return
    due = Counter(claims(shown.price, seats, shown.choices))
    for line in shown.lines:
        due[line.payer] -= line.paid
        due[line.payee] += line.paid
    if spare := spread([due[seat.seat] for seat in seats], divide=shown.choices.step).spare:
        yield _(
            "To multiples of %(amount)s all was rounded down, but for those who came closest to the next one, in this"
            " order: %(players)s.",
            amount=amounts.exactly(shown.choices.step, chip),
            players=_in_order(seats, spare),
        )


def _in_order(seats: Sequence[AnyRow], places: Sequence[int]) -> str:
    return format_list([words.isolated(seats[place].name) for place in places], locale=locale())


def _hanging(session: AnyRow, seats: Sequence[AnyRow], shown: Settled, then: Without) -> dict[str, list[str]]:
    """The payments that hang on what is disputed, and those there would be *then*, without it.

    One that is made, or carried over, hangs on it if its payer would owe less without it, or its payee be owed less.
    """
    chip, price, choices = chip_of(session), shown.price, shown.choices
    now = claims(price, seats, choices)
    gains = {
        seat: claim - now[seat]
        for seat, claim in claims(price, seats, choices, more=then.more, costs=then.costs).items()
    }
    made = [(row.payer, row.payee, row.amount) for row in shown.before]
    made += [(line.payer, line.payee, line.paid) for line in shown.lines if line.paid]
    over = [(line, (line.payer, line.payee, line.amount - line.paid)) for line in shown.lines if line.over]
    to_come = {(line.payer, line.payee, line.open): None for line in shown.lines if line.open}
    without = {
        (transfer.payer, transfer.payee, transfer.amount): None
        for transfer in plan(price, seats, shown.choices, more=then.more, costs=then.costs).transfers
    }

    def said(transfers: Iterable[tuple[int, int, int]]) -> list[str]:
        return [
            amounts.payment(seats[payer].name, seats[payee].name, amount, chip) for payer, payee, amount in transfers
        ]

    return {
        "hanging": [
            *(f"{sentence} {_('(paid)')}" for sentence in said(one for one in made if _less(gains, one))),
            *(f"{said([one])[0]} {_to_session(line.over)}" for line, one in over if _less(gains, one)),
            *said(one for one in to_come if one not in without),
        ],
        "instead": said(one for one in without if one not in to_come),
    }


def _less(gains: Mapping[int, int], payment: tuple[int, int, int]) -> bool:
    """Whether the payer would owe less or the payee be owed less with what each *gains*."""
    payer, payee, _amount = payment
    return gains[payer] > 0 or gains[payee] < 0


def _earlier(session: AnyRow, seats: Sequence[AnyRow], drawn: AnyRow, shown: Settled) -> _Row:
    """A settlement that was discarded, as it was."""
    chip = chip_of(session)
    left = {int(seat): amount for seat, amount in drawn.left_open.items()}
    return {
        "version": drawn.version,
        "drawn_at": drawn.drawn_at,
        "discarded_at": drawn.discarded_at,
        "sentences": [
            *chosen_then(seats, drawn, chip),
            *(
                amounts.payment(seats[row.payer].name, seats[row.payee].name, row.amount, chip)
                for row in shown.transfers.get(drawn.version, ())
            ),
            *(str(row["sentence"]) for row in _left_open(seats, left, chip)),
        ],
    }


def _sums(session: AnyRow, seats: Sequence[AnyRow], shown: Settled) -> dict[str, object]:
    """How everybody comes to what they pay or get, and the line that proves it."""
    chip, rows = chip_of(session), shown.accounts
    return {
        "accounts": [_account(seats[row.seat], row, shown, chip) for row in rows],
        "proof": _proof(rows, chip),
    }


def _bank_pays(seats: Sequence[AnyRow], rows: Sequence[Account], chip: Chip | None) -> list[str]:
    """What the bank pays out in the end, or gets."""
    share = rows[0].from_bank
    if share > 0 and all(row.from_bank == share for row in rows):
        return [_("The bank pays everybody %(chips)s.", chips=amounts.worth(share, chip))]
    return [_from_bank(seats[row.seat].name, row.from_bank, chip) for row in rows if row.from_bank]


def _account(seat: AnyRow, account: Account, shown: Settled, chip: Chip | None) -> _Row:
    """The lines of one player's sum, and what they come to."""
    carried = [(_from(row.name), row.amount) for row in shown.carried_from if row.seat == seat.seat]
    carried += [(_to(row.name), row.amount) for row in shown.carried_to if row.seat == seat.seat]
    in_chips = [
        (_("Won or lost"), seat.chips, account.won),
        (_("Bought"), seat.bought, account.bought),
        (_("Cashed out"), seat.cashed, -account.cashed),
    ]
    others = [
        (_("Paid already") if account.paid > 0 else _("Got already"), account.paid),
        (_("Costs and kitty"), account.costs),
        (_of_kitty(account.kitty, shown.choices), account.kitty),
        (_("From the bank") if account.from_bank > 0 else _("To the bank"), -account.from_bank),
        (_("Left open"), -account.left),
        (_("Rest, into the kitty") if account.rest > 0 else _("Rest, out of the kitty"), -account.rest),
    ]
    # Chips have their line even where they come to less than the smallest coin.
    lines = [
        *carried,
        *((_in_chips(text, chips, chip), amount) for text, chips, amount in in_chips if chips or amount),
        *((text, amount) for text, amount in others if amount),
    ]
    worth = amounts.worth(abs(account.open), chip)
    if account.open < 0:
        total = _("Still to pay: %(chips)s", chips=worth)
    elif account.open > 0:
        total = _("Still to get: %(chips)s", chips=worth)
    else:
        total = _("Nothing left to pay")
    return {
        "name": seat.name,
        "lines": [{"text": text, "amount": amounts.settled(amount, chip)} for text, amount in lines],
        "total": {"text": total, "amount": amounts.settled(account.open, chip)},
    }


def _of_kitty(amount: int, choices: Choices[int]) -> str:
    if amount < 0:
        return _("What the kitty lacks")
    return _("Shared out of the kitty") if choices.keeper is None else _("Keeps the kitty")


def _from(name: str) -> str:
    return _("Carried over from %(session)s", session=words.isolated(name))


def _to(name: str) -> str:
    return _("Carried over to %(session)s", session=words.isolated(name))


def _in_chips(text: str, chips: int, chip: Chip | None) -> str:
    """*text*, with the chips that the amount beside it stands for where that is money."""
    if chip is None:
        return text
    return _("%(line)s (%(chips)s)", line=text, chips=amounts.counted(chips))


def _from_bank(name: str, amount: int, chip: Chip | None) -> str:
    name = words.isolated(name)
    if amount < 0:
        return _("%(player)s pays the bank %(chips)s.", player=name, chips=amounts.worth(-amount, chip))
    return _("The bank pays %(player)s %(chips)s.", player=name, chips=amounts.worth(amount, chip))


def _proof(rows: Sequence[Account], chip: Chip | None) -> str:
    bought, cashed = sum(row.bought for row in rows), sum(row.cashed for row in rows)
    said = {
        "bought": amounts.bare(bought, chip),
        "cashed": amounts.bare(cashed, chip),
        "table": amounts.bare(bought - cashed, chip),
        "paid": amounts.bare(cashed + sum(row.from_bank for row in rows), chip),
        "won": amounts.bare(sum(row.won for row in rows if row.won > 0), chip),
        "lost": amounts.bare(-sum(row.won for row in rows if row.won < 0), chip),
    }
    if cashed:
        return _("Bought %(bought)s; cashed out %(cashed)s, on the table %(table)s; paid out %(paid)s.", **said)
    if bought:
        return _("Bought %(bought)s, on the table %(table)s, paid out %(paid)s.", **said)
    return _("Won %(won)s, lost %(lost)s: it adds up.", **said)

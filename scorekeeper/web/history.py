"""The history of a session: every change, in order, and by which link. Nothing in it can be changed or taken out."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from babel.lists import format_list
from flask import Blueprint, Response, render_template, request, url_for
from flask_babel import gettext as _

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.ledger import MoneyKind
from scorekeeper.ledger.chipset import together
from scorekeeper.models import AnyRow
from scorekeeper.services.chipset import noted
from scorekeeper.services.counts import Count
from scorekeeper.services.groups import Role
from scorekeeper.services.ledger import chip_of
from scorekeeper.sessionfile import Chip
from scorekeeper.web import access, amounts
from scorekeeper.web.ids import row_key
from scorekeeper.web.pieces import said
from scorekeeper.web.settlement import chosen_then
from scorekeeper.web.tags import answer, form_tag
from scorekeeper.words.numbers import locale

blueprint = Blueprint("history", __name__)


class Line(NamedTuple):
    """One change: its place in the order of all, what was done, and ``by`` whom, for those who may know.

    ``href`` leads to the deal, or the settlement, that it is about, and ``discarded`` to the one that it discarded.
    """

    number: int
    when: datetime
    sentence: str
    href: str | None
    note: str
    discarded: str | None
    by: str


@blueprint.get("/sessions/<id:session_id>/history")
def history(session_id: int) -> Response:
    """What was done, the latest first, a page at a time: what was done before version ``before``."""
    session = access.game_session(session_id)
    return answer(form_tag(session), lambda: _page(session))


def _page(session: AnyRow) -> str:
    before = request.args.get("before", type=row_key)
    changes = queries.changes(db.session(), session.id, before=before)
    shown = changes[: queries.CHANGES_SHOWN]
    return render_template(
        "history/history.html",
        session=session,
        lines=list(_log(session, shown, queries.seats(db.session(), session.id))),
        older=shown[-1].version if len(changes) > len(shown) else None,
    )


def _log(session: AnyRow, changes: Sequence[AnyRow], seats: Sequence[AnyRow]) -> Iterator[Line]:
    """What was done, latest first."""
    names = [seat.name for seat in seats]
    versions = [change.version for change in changes]
    moved: defaultdict[int, list[AnyRow]] = defaultdict(list)
    for entry in queries.entries(db.session(), session.id, versions):
        moved[entry.version].append(entry)
    paid: defaultdict[int, list[AnyRow]] = defaultdict(list)
    for entry in queries.money_entries(db.session(), session.id, versions):
        paid[entry.version].append(entry)
    plans = queries.settled_in(db.session(), session.id, versions)
    drawn, discarded = {plan.version: plan for plan in plans}, {plan.withdrawn: plan for plan in plans}
    recorded = queries.recorded_in(db.session(), session.id, versions)
    seated_anew = any(change.kind == "seats" for change in changes)
    players = queries.players(db.session(), session.group_id) if seated_anew else ()
    for change in changes:
        deal = int(change.note) if change.kind in OF_DEAL else recorded.get(change.version)
        plan, before = drawn.get(change.version), discarded.get(change.version)
        if change.kind in ("paid", "unpaid"):
            sentence = _payment(change.kind, paid[change.version], names, chip_of(session))
        elif change.kind in ("cost", "no-cost"):
            sentence = _cost(change.kind, paid[change.version], names, chip_of(session))
        elif change.kind == "stake":
            sentence = _stake(int(change.note), chip_of(session))
        elif change.kind == "record":
            sentence = _("Deal %(number)s was recorded.", number=words.number(recorded[change.version]))
        elif change.kind == "seats":
            sentence = _seated(change.note, names, {player.id: player.name for player in players})
        elif change.kind == "pen" and not session.knows_links and change.note not in names:
            sentence = EVENTS[change.kind]("")
        else:
            sentence = _said(change, moved[change.version], names)
        beside = _beside(change.kind, paid[change.version], names, chip_of(session))
        choices = chosen_then(seats, plan, chip_of(session)) if plan else ()
        yield Line(
            number=change.version,
            when=change.created_at,
            sentence=sentence,
            href=_deal(session, deal) if deal else _plan(session, plan) if plan else None,
            note=" ".join(filter(None, (_note(change, names), beside, *choices))),
            discarded=_plan(session, before) if before else None,
            by=_by(change) if session.knows_links else "",
        )


def _deal(session: AnyRow, number: int) -> str:
    return url_for("deals.deal", session_id=session.id, number=number)


def _plan(session: AnyRow, plan: AnyRow) -> str:
    """Where a settlement is: on its page, among the earlier ones once it is discarded."""
    anchor = f"plan-{plan.version}" if plan.withdrawn else None
    return url_for("settlement.settlement", session_id=session.id, _anchor=anchor)


def _by(change: AnyRow) -> str:
    """The link that a change was made by, as those call it who may know."""
    if change.by_code:
        return _("Joined by a code")
    if change.link_name:
        return words.isolated(change.link_name)
    return _("A host’s link") if change.role == Role.HOST else _("A scorer’s link")


def _note(change: AnyRow, names: Sequence[str]) -> str:
    """What else there is to say of a change: why, or which pieces went over the table."""
    match change.kind:
        case "adjustment":
            return str(change.note)
        case "cost" | "no-cost":
            return str(change.cost_note)
        case "open" if change.note:
            return _("Each %(pieces)s.", pieces=said(noted(change.note)))
        case "buy-in" | "cash-out":
            return said(noted(change.note))
        case "count":
            return " ".join(_compared(Count.noted(change.note), names))
    return ""


def _said(change: AnyRow, entries: Sequence[AnyRow], names: Sequence[str]) -> str:
    match change.kind:
        case "open":
            return f"{_('The session began.')} {_all_bought(entries)}" if entries else _("The session began.")
        case "buy-in":
            return " ".join(bought(words.name_of(entry.seat, names), entry.chips) for entry in entries)
        case "cash-out":
            return " ".join(cashed(words.name_of(entry.seat, names), -entry.chips) for entry in entries)
        case "adjustment":
            moved = _each({entry.seat: words.signed(entry.chips) for entry in entries}, names)
            return _("Chips were moved: %(moved)s.", moved=moved)
        case "count":
            counted = map(words.number, Count.noted(change.note).counted)
            return _("The chips were counted: %(counted)s.", counted=_each(dict(enumerate(counted)), names))
        case kind:
            return EVENTS[kind](change.note)


def _compared(count: Count, names: Sequence[str]) -> Iterator[str]:
    """What a count showed, and the pieces where everybody's were counted."""
    off = {seat: words.signed(chips) for seat, chips in enumerate(count.off) if chips}
    yield _("Too many or too few: %(off)s.", off=_each(off, names)) if off else _("It agreed with the score.")
    if count.on_table is not None:
        yield said(together(colour for pieces in count.pieces for colour in pieces or ()))


def _each(said_of: Mapping[int, str], names: Sequence[str]) -> str:
    """What is said of each seat, in one list."""
    each = [words.beside(words.name_of(seat, names), text) for seat, text in said_of.items()]
    return format_list(each, locale=locale(), style="unit")


def _payment(kind: str, entries: Sequence[AnyRow], names: Sequence[str], chip: Chip | None) -> str:
    """What was paid, or taken back: the posting credits who pays, and reverses that."""
    sign = 1 if kind == "paid" else -1
    by_sign = {entry.amount * sign > 0: entry for entry in entries}
    said = {
        "payer": words.name_of(by_sign[True].seat, names),
        "payee": words.name_of(by_sign[False].seat, names),
        "chips": amounts.worth(abs(entries[0].amount), chip),
    }
    if kind == "paid":
        return _("%(payer)s paid %(payee)s %(chips)s.", **said)
    return _("%(payer)s had not paid %(payee)s %(chips)s after all.", **said)


def _cost(kind: str, entries: Sequence[AnyRow], names: Sequence[str], chip: Chip | None) -> str:
    """What a cost, or what took it back, entered for everybody and for the kitty."""
    moved = _moved(entries, names, chip)
    if kind == "cost":
        return _("A cost was noted: %(moved)s.", moved=moved)
    return _("A cost was taken back: %(moved)s.", moved=moved)


def _seated(note: str, names: Sequence[str], players: Mapping[int, str]) -> str:
    """Who sits at the table from then on, and on whose account where that is another's."""
    seated = []
    for seat, player in json.loads(note):
        name = words.isolated(players[player])
        if players[player] != names[seat]:
            name = _("%(player)s for %(owner)s", player=name, owner=words.isolated(names[seat]))
        seated.append(name)
    return _("Seated anew: %(players)s.", players=format_list(seated, locale=locale(), style="unit"))


def _stake(amount: int, chip: Chip | None) -> str:
    if not amount:
        return _("Deals bring the kitty nothing any more.")
    return _("Everybody who plays a deal puts %(amount)s into the kitty.", amount=amounts.exactly(amount, chip))


def _beside(kind: str, entries: Sequence[AnyRow], names: Sequence[str], chip: Chip | None) -> str:
    """What a change that is about something else moved between people: what was carried over, or stakes of deals."""
    if kind == "open" and entries:
        return _("Carried over from earlier sessions: %(moved)s.", moved=_moved(entries, names, chip))
    stakes = sum(entry.amount for entry in entries if entry.kind == MoneyKind.STAKE and entry.seat is None)
    if stakes > 0:
        return _("Into the kitty: %(amount)s.", amount=amounts.exactly(stakes, chip))
    return _("Out of the kitty: %(amount)s.", amount=amounts.exactly(-stakes, chip)) if stakes else ""


def _moved(entries: Sequence[AnyRow], names: Sequence[str], chip: Chip | None) -> str:
    """What entries between people come to for everybody, and for the kitty."""
    total = Counter[int | None]()
    for entry in entries:
        total[entry.seat] += entry.amount
    return format_list(
        [
            words.beside(
                _("the kitty") if seat is None else words.name_of(seat, names), amounts.settled(amount, chip).text
            )
            for seat, amount in total.items()
        ],
        locale=locale(),
        style="unit",
    )


def _all_bought(entries: Sequence[AnyRow]) -> str:
    """What was bought as the session began: by everybody, the same."""
    return _("Everybody bought %(chips)s.", chips=amounts.counted(entries[0].chips))


def bought(name: str, chips: int) -> str:
    """That somebody bought so many chips."""
    return _("%(player)s bought %(chips)s.", player=name, chips=amounts.counted(chips))


def cashed(name: str, chips: int) -> str:
    """That somebody gave back so many chips."""
    return _("%(player)s cashed out %(chips)s.", player=name, chips=amounts.counted(chips))


OF_DEAL: Final = frozenset({"correct", "void", "restore", "dispute", "agree", "decide"})
"""The changes whose note is the number of the deal that they are about."""

EVENTS: Final[Mapping[str, Callable[[str], str]]] = {
    "correct": lambda deal: _("Deal %(number)s was corrected.", number=deal),
    "void": lambda deal: _("Deal %(number)s was voided.", number=deal),
    "restore": lambda deal: _("Deal %(number)s counts again.", number=deal),
    "dispute": lambda deal: _("Deal %(number)s was disputed.", number=deal),
    "agree": lambda deal: _("Deal %(number)s is not disputed any more.", number=deal),
    "decide": lambda deal: _("It was decided which game deal %(number)s belongs to.", number=deal),
    "new-game": lambda _deal: _("The next game began."),
    "no-game": lambda _deal: _("The game that had begun was taken back."),
    "close": lambda _deal: _("The session ended, and its settlement was drawn up."),
    "reopen": lambda _deal: _("The session was reopened."),
    "settle": lambda _deal: _("The settlement was worked out again."),
    "declare": lambda _deal: _("The next deal was declared."),
    "drop": lambda _deal: _("The declared deal was dropped."),
    "carry": lambda name: _("What was open was carried over to %(session)s.", session=words.isolated(name)),
    "no-carry": lambda name: _(
        "What had been carried over to %(session)s is settled here again.", session=words.isolated(name)
    ),
    "hand-back": lambda name: _(
        "What had been carried over from %(session)s was taken back.", session=words.isolated(name)
    ),
    "pen": lambda name: (
        _("%(name)s took the pen.", name=words.isolated(name)) if name else _("Another phone took the pen.")
    ),
}

"""The history of a session: every change, in order, and by which link. Nothing in it can be changed or taken out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from babel.lists import format_list
from flask import Blueprint, Response, render_template, request, url_for
from flask_babel import gettext as _

from scorekeeper import queries, words
from scorekeeper.extensions import db
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
from scorekeeper.web.tags import answer, form_tag
from scorekeeper.words.numbers import locale

blueprint = Blueprint("history", __name__)


class Line(NamedTuple):
    """One change: its place in the order of all, what was done, and ``by`` whom, for those who may know.

    ``href`` leads to the deal that it is about.
    """

    number: int
    when: datetime
    sentence: str
    href: str | None
    note: str
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
    names = [seat.name for seat in queries.seats(db.session(), session.id)]
    return render_template(
        "history/history.html",
        session=session,
        lines=list(_log(session, shown, names)),
        older=shown[-1].version if len(changes) > len(shown) else None,
    )


def _log(session: AnyRow, changes: Sequence[AnyRow], names: Sequence[str]) -> Iterator[Line]:
    """What was done, latest first."""
    moved: defaultdict[int, list[AnyRow]] = defaultdict(list)
    for entry in queries.entries(db.session(), session.id, [change.version for change in changes]):
        moved[entry.version].append(entry)
    paid: defaultdict[int, list[AnyRow]] = defaultdict(list)
    for entry in queries.money_entries(db.session(), session.id, [change.version for change in changes]):
        paid[entry.version].append(entry)
    discarded = queries.discarded_in(db.session(), session.id, [change.version for change in changes])
    deals = queries.recorded_in(db.session(), session.id, [change.version for change in changes])
    discarded_said = _("The settlement was discarded.")
    for change in changes:
        href = None
        if change.kind in ("paid", "unpaid"):
            sentence = _payment(change.kind, paid[change.version], names, chip_of(session))
        elif change.kind in ("cost", "no-cost"):
            sentence = _cost(change.kind, paid[change.version], names, chip_of(session))
        elif change.kind == "record":
            number = deals[change.version]
            sentence = _("Deal %(number)s was recorded.", number=words.number(number))
            href = url_for("deals.deal", session_id=session.id, number=number)
        elif change.kind == "pen" and not session.knows_links and change.note not in names:
            sentence = EVENTS[change.kind]("")
        else:
            sentence = _said(change, moved[change.version], names)
        yield Line(
            number=change.version,
            when=change.created_at,
            sentence=sentence,
            href=href,
            note=" ".join(filter(None, (_note(change), discarded_said if change.version in discarded else ""))),
            by=_by(change) if session.knows_links else "",
        )


def _by(change: AnyRow) -> str:
    """The link that a change was made by, as those call it who may know."""
    if change.by_code:
        return _("Joined by a code")
    if change.link_name:
        return words.isolated(change.link_name)
    return _("A host’s link") if change.role == Role.HOST else _("A scorer’s link")


def _note(change: AnyRow) -> str:
    """What else there is to say of a change: why, or which pieces went over the table."""
    match change.kind:
        case "adjustment":
            return str(change.note)
        case "open" if change.note:
            return _("Each %(pieces)s.", pieces=said(noted(change.note)))
        case "buy-in" | "cash-out":
            return said(noted(change.note))
        case "count" if (on_table := Count.noted(change.note).pieces) and None not in on_table:
            return said(together(colour for pieces in on_table for colour in pieces or ()))
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
            moved = format_list(
                [f"{words.name_of(entry.seat, names)} {words.signed(entry.chips)}" for entry in entries],
                locale=locale(),
                style="unit",
            )
            return _("Chips were moved: %(moved)s.", moved=moved)
        case kind:
            return EVENTS[kind](change.note)


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
    total = Counter[int | None]()
    for entry in entries:
        total[entry.seat] += entry.amount
    moved = format_list(
        [
            f"{_('the kitty') if seat is None else words.name_of(seat, names)} {amounts.settled(amount, chip).text}"
            for seat, amount in total.items()
        ],
        locale=locale(),
        style="unit",
    )
    if kind == "cost":
        return _("A cost was noted: %(moved)s.", moved=moved)
    return _("A cost was taken back: %(moved)s.", moved=moved)


def _all_bought(entries: Sequence[AnyRow]) -> str:
    """What was bought as the session began: by everybody, the same."""
    return _("Everybody bought %(chips)s.", chips=amounts.counted(entries[0].chips))


def bought(name: str, chips: int) -> str:
    """That somebody bought so many chips."""
    return _("%(player)s bought %(chips)s.", player=name, chips=amounts.counted(chips))


def cashed(name: str, chips: int) -> str:
    """That somebody gave back so many chips."""
    return _("%(player)s cashed out %(chips)s.", player=name, chips=amounts.counted(chips))


EVENTS: Final[Mapping[str, Callable[[str], str]]] = {
    "correct": lambda deal: _("Deal %(number)s was corrected.", number=deal),
    "void": lambda deal: _("Deal %(number)s was voided.", number=deal),
    "restore": lambda deal: _("Deal %(number)s counts again.", number=deal),
    "dispute": lambda deal: _("Deal %(number)s was disputed.", number=deal),
    "agree": lambda deal: _("Deal %(number)s is not disputed any more.", number=deal),
    "decide": lambda deal: _("It was decided which game deal %(number)s belongs to.", number=deal),
    "new-game": lambda _deal: _("The next game began."),
    "no-game": lambda _deal: _("The game that had begun was taken back."),
    "close": lambda _deal: _("The session ended."),
    "reopen": lambda _deal: _("The session was reopened."),
    "settle": lambda _deal: _("The settlement was worked out again."),
    "declare": lambda _deal: _("The next deal was declared."),
    "drop": lambda _deal: _("The declared deal was dropped."),
    "seats": lambda _seats: _("Everybody was seated anew."),
    "count": lambda _count: _("The chips were counted."),
    "carry": lambda name: _("What was open was carried over to %(session)s.", session=words.isolated(name)),
    "pen": lambda name: (
        _("%(name)s took the pen.", name=words.isolated(name)) if name else _("Another phone took the pen.")
    ),
}

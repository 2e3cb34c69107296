"""Deals that people do not agree about: where everybody stands with them, and where they would stand without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from babel.lists import format_list
from flask import url_for
from flask_babel import gettext as _
from flask_babel import ngettext

from scorekeeper import words
from scorekeeper.extensions import db
from scorekeeper.models import AnyRow
from scorekeeper.queries import Rows
from scorekeeper.services.deals import Without, without_disputed
from scorekeeper.services.history import game_of
from scorekeeper.web import amounts
from scorekeeper.web.amounts import Amount
from scorekeeper.words.numbers import locale


class Stand(NamedTuple):
    """The total of one player, with what is disputed and without."""

    name: str
    with_them: Amount
    without_them: Amount


class Named(NamedTuple):
    """A deal, and where it is."""

    text: str
    href: str


class Dispute(NamedTuple):
    """What is in dispute in a session: its ``deals``, and how it would be ``without`` them.

    ``stands`` are left out where another game would be played then; ``follows`` says what else would be otherwise, and
    ``counts`` what holds until then.
    """

    title: str
    counts: str
    deals: list[Named]
    stands: list[Stand]
    follows: list[str]
    without: Without


def dispute_of(session: AnyRow, seats: Rows) -> Dispute | None:
    """What is in dispute in a session, if anything is."""
    found = without_disputed(db.session(), session)
    if found is None:
        return None
    disputed, then = found
    unit = game_of(session)[0].unit
    numbers = [words.number(number) for number in disputed]
    same_game = then.table.game == session.table["game"]
    stands = [
        Stand(seat.name, amounts.total(old, unit), amounts.total(new, unit))
        for seat, old, new in zip(seats, session.table["totals"], then.table.totals, strict=False)
        if same_game
    ]
    follows = []
    if not same_game:
        game = words.number(then.table.game)
        follows.append(
            ngettext(
                "Without it game %(number)s would be played.",
                "Without them game %(number)s would be played.",
                len(numbers),
                number=game,
            )
        )
    if then.undecided:
        follows.append(_("A game would then end elsewhere, and you decide what follows."))
    if then.uncounted:
        uncounted = format_list([words.number(number) for number in then.uncounted], locale=locale())
        follows.append(
            ngettext(
                "Not counted then: deal %(numbers)s.",
                "Not counted then: deals %(numbers)s.",
                len(then.uncounted),
                numbers=uncounted,
            )
        )
    deals = [
        Named(_("Deal %(number)s", number=text), url_for("deals.deal", session_id=session.id, number=number))
        for text, number in zip(numbers, disputed, strict=True)
    ]
    counts = ngettext(
        "It counts as it was recorded until everybody agrees.",
        "They count as they were recorded until everybody agrees.",
        len(numbers),
    )
    return Dispute(disputed_title(disputed), counts, deals, stands, follows, then)


def disputed_title(numbers: Sequence[int]) -> str:
    """That the deals with these *numbers* are in dispute."""
    said = [words.number(number) for number in numbers]
    return ngettext(
        "Deal %(numbers)s is disputed",
        "Deals %(numbers)s are disputed",
        len(said),
        numbers=format_list(said, locale=locale()),
    )

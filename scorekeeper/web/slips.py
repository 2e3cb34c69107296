"""Which deals would explain a count that is off, had they been paid wrongly, and in which words that is said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from babel.lists import format_list
from flask_babel import gettext as _
from flask_babel import ngettext

from scorekeeper import queries, words
from scorekeeper.extensions import db
from scorekeeper.ledger.count_in import Explanation, Fault, PaidDeal, Payments, Slip, Way, explanations
from scorekeeper.models import AnyRow
from scorekeeper.rules import DealScore, OtherRate, Payment, Result
from scorekeeper.services.counts import KeptCount
from scorekeeper.web import sheet
from scorekeeper.web.rules import tricks_of
from scorekeeper.words.numbers import locale

DEALS_SEARCHED: Final = 60
"""The latest deals among which an explanation is looked for."""


class Searched(NamedTuple):
    """A deal for which chips change hands, or did so before it was changed."""

    title: str
    void: bool
    paid: PaidDeal
    rates: tuple[OtherRate, ...]


class Suspect(NamedTuple):
    """A deal that may have been paid wrongly, and how: a sentence for each slip."""

    number: int
    title: str
    slips: list[str]


class Found(NamedTuple):
    """The ways to come to what was counted, and how far was looked for them."""

    explained: list[list[Suspect]]
    extent: str


def search(session: AnyRow, names: Sequence[str], counts: Sequence[KeptCount]) -> Found:
    """What would explain the latest of *counts*, which come latest first. Nothing has been put right since."""
    latest, *earlier = counts
    # What lay on the table then is known, so no deal before it can have been paid wrongly.
    since = next((count for count in earlier if count.known), None)
    span = (since.version if since else 0), latest.version
    rows = queries.deals_counted(db.session(), session.id, *span, DEALS_SEARCHED + 1)
    deals = {deal.paid.number: deal for deal in _searched(session, names, rows[:DEALS_SEARCHED], *span)}
    found = explanations(latest.count.off, [deal.paid for deal in deals.values()])
    return Found(
        [list(_suspects(explanation, names, deals)) for explanation in found],
        _extent(len(deals), since, more=len(rows) > DEALS_SEARCHED),
    )


def _extent(deals: int, since: KeptCount | None, *, more: bool) -> str:
    """How many deals were searched, and why none before."""
    if more:
        return _("The latest %(number)s deals were searched, and none before them.", number=words.number(deals))
    said = ngettext(
        "%(number)s deal was searched.", "%(number)s deals were searched.", deals, number=words.number(deals)
    )
    if since is None:
        return said
    when = {"when": words.moment(since.created_at)}
    known = (
        _("The count of %(when)s was accepted.", **when)
        if since.accepted
        else _("The count of %(when)s agreed.", **when)
    )
    return f"{said} {known} {_('Deals before it were paid right.')}"


def _searched(
    session: AnyRow, names: Sequence[str], rows: Sequence[AnyRow], after: int, before: int
) -> Iterator[Searched]:
    """The deals of *rows*, and what they said between two versions of the session, as far as the rules still say so."""
    was: defaultdict[int, list[Payments]] = defaultdict(list)
    numbers = [row.number for row in rows]
    for deal in queries.deals_before_change(db.session(), session.id, after, before, numbers) if rows else ():
        score = sheet.score_of(session, deal)
        if deal.status != "scored" and deal.recorded <= after:
            was[deal.number].append(())
        elif deal.status == "scored" and isinstance(score, DealScore):
            was[deal.number].append(_plain(score.payments))
    for deal in rows:
        payments, rates = Payments(), tuple[OtherRate, ...]()
        if deal.status == "scored":
            score = sheet.score_of(session, deal)
            if not isinstance(score, DealScore) or list(score.chips) != deal.chips:
                continue
            payments, rates = _plain(score.payments), score.game.other_rates(score)
        paid = PaidDeal(
            deal.number,
            payments,
            tuple(_plain(rate.payments) for rate in rates),
            tuple(dict.fromkeys(was[deal.number])),
            settled=deal.recorded <= after,
        )
        if payments or any(paid.before):
            yield Searched(sheet.title_of(deal.facts, names), deal.status == "void", paid, rates)


def _plain(payments: Sequence[Payment]) -> Payments:
    return tuple((payment.payer, payment.payee, payment.chips) for payment in payments)


def _suspects(explanation: Explanation, names: Sequence[str], deals: Mapping[int, Searched]) -> Iterator[Suspect]:
    for number, slips in groupby(explanation, key=lambda slip: slip.deal):
        deal = deals[number]
        title = _("Deal %(number)s · %(deal)s", number=words.number(number), deal=deal.title)
        yield Suspect(number, title, [_sentence(slip, names, deal) for slip in slips])


def _sentence(slip: Slip, names: Sequence[str], deal: Searched) -> str:
    """Who paid how: several ways where they come to the same."""
    how = format_list(list(dict.fromkeys(_way(way, deal) for way in slip.ways)), style="or", locale=locale())
    if slip.between is None:
        return _("The whole deal: %(how)s.", how=how)
    payer, payee = (words.name_of(seat, names) for seat in slip.between)
    return _("%(payer)s to %(payee)s: %(how)s.", payer=payer, payee=payee, how=how)


def _way(way: Way, deal: Searched) -> str:
    match way.fault:
        case Fault.UNPAID:
            return _("not paid")
        case Fault.REVERSED:
            return _("paid the wrong way round")
        case Fault.TWICE:
            return _("paid twice")
        case Fault.OTHER_RATE:
            return _("paid as if it had been %(rate)s", rate=_rate(deal.rates[way.which]))
        case Fault.BEFORE if deal.void:
            return _("voided, but the chips not given back")
        case Fault.BEFORE:
            return _("paid as it stood before it was changed")


def _rate(rate: OtherRate) -> str:
    """In what the deal would have been another for this rate."""
    trump = words.trump_kind_name(rate.trump) if rate.trump else None
    said = [trump] if trump else []
    if rate.ending is not None:
        made = rate.ending.result is Result.MADE
        said.append(_("made with %(tricks)s tricks", tricks=tricks_of(rate.ending)) if made else _("set"))
    return format_list(said, locale=locale())

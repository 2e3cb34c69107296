"""A deal as it is being entered: facts out of a form, what they would bring, and the controls that ask for the rest.

Only types are read here; the rules check everything else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast

from flask_babel import gettext as _
from werkzeug.datastructures import MultiDict

from scorekeeper.rules import (
    NO_TRUMP,
    CardGame,
    DealScore,
    Facts,
    Field,
    FieldKind,
    Problem,
    Refused,
    Seat,
    Table,
)
from scorekeeper.words import contract_name, fact_words, field_hint, field_label, number, problem_message, suit_name
from scorekeeper.words.said import name_of

NOBODY: Final = "nobody"
"""The answer that nobody fixed a trump suit, which is another than none yet."""
MAX_ENTERED: Final = 41
"""Characters kept of a text: one more than any fact may have, so that the rules see that it is too long."""
MAX_BIDS: Final = 65
FOLLOWING: Final = ("partner", "trump")
"""Facts shown even where there is no choice: clubs in a Half, a fixed partner."""

Answers = MultiDict[str, str]


def facts_from(form: Answers, fields: Iterable[Field]) -> dict[str, object]:
    """The facts that *form* gives to *fields*. What is not of its kind stays text, for the rules to refuse."""
    facts = {field.name: value for field in fields if (value := _read(form, field)) is not None}
    if facts.get("maker") == NOBODY:
        del facts["maker"]
        facts["trump"] = NO_TRUMP
    return facts


def canonical(facts: Facts) -> str:
    """*facts* as one text, the same whenever they are the same."""
    return json.dumps(facts, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Entry:
    """What has been entered about a deal at a table so far.

    ``score`` is what it would bring; while there is none, ``problems`` say why not and ``missing`` what has yet to be
    entered. ``complete`` are the facts with all that follows from them.
    """

    game: CardGame[Any]
    table: Table
    facts: Facts
    complete: Facts
    offered: tuple[Field, ...]
    score: DealScore[Any] | None
    problems: tuple[Problem, ...] = ()
    missing: tuple[Problem, ...] = ()


def entry_of(game: CardGame[Any], table: Table, facts: Facts) -> Entry:
    """What *facts* come to, without those that can no longer be chosen: a Five has no partner."""
    facts = _still_offered(game, table, facts)
    complete = game.complete(facts, table)
    offered = game.offered(facts, table)
    try:
        return Entry(game, table, facts, complete, offered, game.play(complete, table))
    except Refused as refused:
        order = [field.name for field in game.fields(table)]
        missing = tuple(
            sorted(
                (problem for problem in refused.problems if _is_missing(problem, complete)),
                key=lambda problem: order.index(problem.field),
            )
        )
        problems = tuple(problem for problem in refused.problems if problem not in missing)
        problems += tuple(_too_many(complete, offered))
        return Entry(game, table, facts, complete, offered, None, problems, missing)


@dataclass(frozen=True, slots=True)
class Control:
    """One question of the form and what has been answered, ready for a template, which draws it by its ``style``.

    ``options`` are values with their labels; a control with ``rows`` asks once for each of them.
    """

    name: str
    style: str
    label: str
    options: tuple[tuple[object, str], ...] = ()
    selected: object = None
    errors: tuple[str, ...] = ()
    line: int | None = None
    note: str = ""
    rows: tuple[Control, ...] = ()
    seat: object = None
    detail: bool = False


def controls(entry: Entry, names: Sequence[str], problems: Iterable[Problem]) -> list[Control]:
    """The controls for what can be entered, with *problems* beside them, and what follows from it, in their order."""
    errors: dict[tuple[str, object], tuple[str, ...]] = {}
    for problem in problems:
        # Whose tricks are wrong stands beside theirs.
        row = problem.values.get("player") if problem.code == "TRICKS_RANGE" else None
        key = problem.field, row
        errors[key] = (*errors.get(key, ()), problem_message(problem, names))
    offered = {field.name: field for field in entry.offered}
    if _nobody(entry):
        del offered["trump"]
    shown = []
    for field in entry.game.fields(entry.table):
        if field.name in offered:
            shown.append(_control(entry, offered[field.name], names, errors))
        elif field.name in FOLLOWING and field.name in entry.complete:
            value = entry.complete[field.name]
            text = fact_words(field.name, value, names)
            shown.append(Control(field.name, "fixed", field_label(field.name), selected=value, note=text))
    return shown


def question(problem: Problem, names: Sequence[str]) -> str:
    """What has yet to be entered, in a few words."""
    if "player" in problem.values:
        return _("How many tricks did %(player)s take?", player=name_of(problem.values["player"], names))
    questions = {
        "contract": _("Which contract?"),
        "declarer": _("Who is the declarer?"),
        "partner": _("Who is the partner?"),
        "trump": _("Which suit is trump?"),
        "tricks": _("How many tricks?"),
        "turn_up": _("Which suit was turned up?"),
        "maker": _("Who is the maker?"),
        "bid": _("How high was the bid?"),
    }
    return questions.get(problem.field) or problem_message(problem, names)


def _may_be_nobody(entry: Entry) -> bool:
    """Whether nobody need be the maker: a deal in which nobody fixes trump is played, not thrown in."""
    offered = {field.name: field for field in entry.offered}
    return "maker" in offered and not offered["maker"].required and "passed_out" not in offered


def _nobody(entry: Entry) -> bool:
    """Whether it has been answered that nobody fixed trump."""
    return _may_be_nobody(entry) and "maker" not in entry.facts and entry.facts.get("trump") == NO_TRUMP


def _read(form: Answers, field: Field) -> object:
    match field.kind:
        case FieldKind.FLAG:
            return True if form.get(field.name) else None
        case FieldKind.SEAT | FieldKind.NUMBER:
            return _whole(form.get(field.name))
        case FieldKind.SEATS:
            return [_whole(entered) for entered in form.getlist(field.name)[:MAX_BIDS]] or None
        case FieldKind.NUMBERS:
            return _listed([_whole(form.get(f"{field.name}-{seat}")) for seat in field.seats])
        case FieldKind.SUITS:
            return _listed([_text(form.get(f"{field.name}-{seat}")) for seat in field.seats])
        case FieldKind.SUIT_LIST:
            places = (_text(form.get(f"{field.name}-{place}")) for place in range(field.high))
            return [suit for suit in places if suit] or None
        case FieldKind.AUCTION:
            return list(_bids(form, field)) or None
    return _text(form.get(field.name))


def _bids(form: Answers, field: Field) -> Iterator[list[object]]:
    """Seat and bid of every row with a bid."""
    for place in range(MAX_BIDS):
        bid = _text(form.get(f"{field.name}-{place}"))
        if bid is not None:
            yield [_whole(form.get(f"{field.name}-{place}-seat")), bid]


def _listed(values: list[object]) -> list[object] | None:
    return values if any(value is not None for value in values) else None


def _text(entered: str | None) -> str | None:
    return entered.strip()[:MAX_ENTERED] or None if entered else None


def _whole(entered: str | None) -> object:
    """A whole number, or the text as it was entered if it is none."""
    text = _text(entered)
    return int(text) if text and re.fullmatch(r"-?\d{1,9}", text) else text


def _still_offered(game: CardGame[Any], table: Table, facts: Facts) -> Facts:
    known = {field.name: field for field in game.fields(table)}
    while True:
        offered = {field.name: field for field in game.offered(facts, table)}
        kept = {
            name: value
            for name, entered in facts.items()
            if name in offered and (value := _kept(entered, offered[name], known[name])) is not None
        }
        if kept == facts:
            return kept
        facts = kept


def _kept(value: object, offered: Field, known: Field) -> object:
    """What of *value* can still be chosen. What never could be is kept: the rules say what is wrong with it."""
    match offered.kind, value:
        case FieldKind.CHOICE, str() if value in known.choices and value not in offered.choices:
            return None
        case FieldKind.SEAT, int() if value in known.seats and value not in offered.seats:
            return None
        case FieldKind.SEATS, list():
            return [seat for seat in value if seat not in known.seats or seat in offered.seats] or None
        case FieldKind.NUMBERS, list() if len(value) == len(known.seats):
            return _listed([value[seat] if seat in offered.seats else None for seat in known.seats])
    return value


def _is_missing(problem: Problem, facts: Facts) -> bool:
    if problem.code in ("PARTNER_MISSING", "TRUMP_MISSING", "MAKER_MISSING"):
        return True
    if problem.code == "MALFORMED":
        return problem.values.get("reason") == "missing"
    entered, player = facts.get(problem.field), problem.values.get("player")
    return problem.code == "TRICKS_RANGE" and isinstance(entered, list) and entered[cast(int, player)] is None


def _too_many(facts: Facts, offered: Iterable[Field]) -> Iterator[Problem]:
    """More tricks than there are, before all of them have been entered."""
    for field in offered:
        entered = facts.get(field.name)
        if field.kind is FieldKind.NUMBERS and isinstance(entered, list) and None in entered:
            taken = sum(number for number in entered if isinstance(number, int))
            if taken > field.high:
                yield Problem("TRICKS_SUM", field.name, {"sum": taken, "max": field.high})


def _control(
    entry: Entry, field: Field, names: Sequence[str], errors: Mapping[tuple[str, object], tuple[str, ...]]
) -> Control:
    value = entry.facts.get(field.name)
    control = Control(
        field.name,
        _STYLES[field.kind],
        field_label(field.name),
        selected=value,
        errors=errors.get((field.name, None), ()),
        note=(field_hint(field) or "") if field.detail else "",
        detail=field.detail,
    )
    seats = tuple((seat, names[seat]) for seat in field.seats)
    match field.kind:
        case FieldKind.CHOICE if field.name == "contract":
            return replace(control, style="ladder", options=_worded(field.choices, contract_name))
        case FieldKind.CHOICE:
            # That nobody chose trump is answered where the maker is asked for.
            here = field.name == "trump" and _may_be_nobody(entry) and "maker" not in entry.facts
            suits = tuple(suit for suit in field.choices if not (here and suit == NO_TRUMP))
            return replace(control, options=_worded(suits, suit_name))
        case FieldKind.SEAT:
            if field.name == "maker" and _may_be_nobody(entry):
                selected = NOBODY if _nobody(entry) else value
                return replace(control, options=(*seats, (NOBODY, _("Nobody"))), selected=selected)
            return replace(control, options=seats)
        case FieldKind.SEATS:
            return replace(control, options=seats, selected=value or ())
        case FieldKind.NUMBER:
            digits = tuple((digit, number(digit)) for digit in range(field.low, field.high + 1))
            if field.line is None:
                return replace(control, options=digits)
            label = _("Tricks: made from %(line)s", line=number(field.line))
            return replace(control, style="tricks", label=label, options=digits, line=field.line)
        case FieldKind.NUMBERS:
            return replace(control, rows=tuple(_number_rows(entry, field, names, errors)))
        case FieldKind.SUITS:
            return replace(control, rows=tuple(_pick_rows(field, _places(value), names)))
        case FieldKind.SUIT_LIST:
            return replace(control, rows=tuple(_opened_rows(field, _places(value))))
        case FieldKind.CARD:
            return replace(
                control, options=tuple((card, fact_words(field.name, card, names)) for card in field.choices)
            )
        case FieldKind.AUCTION:
            return replace(control, rows=tuple(_bid_rows(entry.table, field, _places(value), names)))
        case FieldKind.FLAG:
            return replace(control, options=((1, field_label(field.name)),), selected=(1,) if value else ())
    raise TypeError(field.kind)


_STYLES: Final[Mapping[FieldKind, str]] = {
    FieldKind.CHOICE: "suits",
    FieldKind.SEAT: "seats",
    FieldKind.SEATS: "checks",
    FieldKind.NUMBER: "digits",
    FieldKind.NUMBERS: "numbers",
    FieldKind.SUITS: "picks",
    FieldKind.SUIT_LIST: "picks",
    FieldKind.CARD: "card",
    FieldKind.AUCTION: "auction",
    FieldKind.FLAG: "flag",
}


def _worded(values: Iterable[str], word: Callable[[str], str]) -> tuple[tuple[object, str], ...]:
    return tuple((value, word(value)) for value in values)


def _places(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _at(values: Sequence[object], place: int) -> object:
    return values[place] if place < len(values) else None


def _number_rows(
    entry: Entry, field: Field, names: Sequence[str], errors: Mapping[tuple[str, object], tuple[str, ...]]
) -> Iterator[Control]:
    entered, known = _places(entry.facts.get(field.name)), _places(entry.complete.get(field.name))
    digits = tuple((digit, number(digit)) for digit in range(field.low, field.high + 1))
    for seat in field.seats:
        taken, follows = _at(entered, seat), _at(known, seat)
        if taken is None and isinstance(follows, int):
            note = _("%(tricks)s: what is left", tricks=number(follows))
        elif field.line is not None and seat == entry.facts.get("maker"):
            note = _("owes %(tricks)s", tricks=number(field.line))
        else:
            note = ""
        yield Control(
            f"{field.name}-{seat}",
            "digits",
            names[seat],
            digits,
            taken,
            errors.get((field.name, seat), ()),
            note=note,
        )


def _pick_rows(field: Field, entered: Sequence[object], names: Sequence[str]) -> Iterator[Control]:
    for seat in field.seats:
        options = _worded(field.choices, suit_name)
        yield Control(f"{field.name}-{seat}", "pick", names[seat], options, _at(entered, seat))


def _opened_rows(field: Field, entered: Sequence[object]) -> Iterator[Control]:
    for place in range(field.high):
        label = _("Card %(number)s", number=number(place + 1))
        yield Control(f"{field.name}-{place}", "pick", label, _worded(field.choices, suit_name), _at(entered, place))


def _bid_rows(table: Table, field: Field, entered: Sequence[object], names: Sequence[str]) -> Iterator[Control]:
    """A row for every bid entered, in turn, and one more; at first one for each player."""
    turn = field.seats[0]
    for place in range(min(MAX_BIDS - 1, max(len(entered) + 1, len(field.seats)))):
        bid: object = None
        match _at(entered, place):
            case [int() as seat, bid] if seat in field.seats:
                turn = Seat(seat)
        bids = _worded(field.choices, contract_name)
        yield Control(f"{field.name}-{place}", "bid", names[turn], bids, bid, seat=turn)
        turn = table.left_of(turn)

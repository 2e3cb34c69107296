"""A deal as it is being entered: facts out of a form, what they would bring, and the controls that ask for the rest.

Only types are read here; the rules check everything else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast

from flask_babel import gettext as _
from werkzeug.datastructures import MultiDict

from scorekeeper.names import ROOM, ROOM_OF_MANY, fitting
from scorekeeper.rules import (
    NOBODY,
    CardGame,
    DealScore,
    Facts,
    Field,
    FieldKind,
    IllegalDeal,
    Problem,
    Refused,
    Result,
    Seat,
    Table,
)
from scorekeeper.words import contract_name, fact_words, field_hint, field_label, number, problem_message, suit_name
from scorekeeper.words.said import name_of

MAX_ENTERED: Final = 41
"""Characters kept of a text: one more than any fact may have, so that the rules see that it is too long."""
MAX_BIDS: Final = 65

Answers = MultiDict[str, str]


def facts_from(form: Answers, game: CardGame[Any], table: Table) -> dict[str, object]:
    """The facts about a deal at *table* in *form*. What is not of its kind stays text, for the rules to refuse."""
    dealer = _whole(form.get("dealer"))
    facts: dict[str, object] = {} if dealer is None else {"dealer": dealer}
    _facts, table = _dealt(game, facts, table)
    nobody = {}
    for field in game.fields(table):
        value = _read(form, field, len(table.totals))
        if value == NOBODY and field.nobody is not None:
            nobody[field.nobody[0]] = field.nobody[1]
        elif value is not None:
            facts[field.name] = value
    return facts | nobody


def shown(points: Sequence[int], chips: Sequence[int] = (), winners: Sequence[Seat] = ()) -> str:
    """What a preview shows, as one text: what each seat gets, the chips where they are others, and who wins a game."""
    parts = [points, chips if any(chips) and chips != points else (), winners]
    return ";".join(",".join(map(str, part)) for part in parts).rstrip(";")


def shown_of(score: DealScore[Any]) -> str:
    """What the preview of *score* shows, as :func:`shown` has it."""
    return shown(score.points, score.chips, score.outcome.winners if score.outcome else ())


@dataclass(frozen=True, slots=True)
class Entry:
    """What has been entered about a deal at a table so far.

    ``score`` is what it would bring; while there is none, ``problems`` say why not and ``missing`` what has yet to be
    entered. ``complete`` are the facts with all that follows from them. The ``table`` has the dealer of this deal.
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
    dealt = {name: value for name, value in facts.items() if name == "dealer"}
    entered, table = _dealt(game, facts, table)
    entered = _still_offered(game, table, entered)
    complete = dealt | dict(game.complete(entered, table))
    offered = game.offered(entered, table)
    facts = dealt | dict(entered)
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


def declaration(entry: Entry) -> Entry:
    """*entry* as far as it is known when the bidding ends. Cards that are thrown in are no deal to be played."""
    fields = entry.game.fields(entry.table)
    names = {field.name for field in fields if field.declared}
    thrown_in = entry.score is not None and entry.score.result is Result.PASSED_OUT
    return replace(
        entry,
        offered=tuple(field for field in entry.offered if field.declared),
        score=None,
        problems=tuple(problem for problem in entry.problems if problem.field in names),
        missing=(Problem("MALFORMED", fields[0].name, {"reason": "missing"}),)
        if thrown_in
        else tuple(problem for problem in entry.missing if problem.field in names),
    )


@dataclass(frozen=True, slots=True)
class Control:
    """One question of the form and what has been answered, ready for a template, which draws it by its ``style``.

    ``options`` are values with their labels, and whether they cannot be chosen; of a seat also the name where there is
    little room. A control with ``rows`` asks once for each of them. What is ``hidden`` is not asked, and of what is
    ``disabled`` nothing can be chosen: it ``follows``, or waits for another answer.
    """

    name: str
    style: str
    label: str
    options: tuple[tuple[object, ...], ...] = ()
    selected: object = None
    errors: tuple[str, ...] = ()
    line: int | None = None
    note: str = ""
    rows: tuple[Control, ...] = ()
    seat: object = None
    detail: bool = False
    hidden: bool = False
    disabled: bool = False
    follows: bool = False


def fields_drawn(game: CardGame[Any], table: Table) -> tuple[Field, ...]:
    """The fields a form has a control for, in order. That nobody has a seat is answered where its player is."""
    fields = tuple(field for field in game.fields(table) if field.asked)
    elsewhere = [(field.nobody[0], FieldKind.FLAG) for field in fields if field.nobody is not None]
    return tuple(
        replace(field, choices=_drawn(field, fields)) for field in fields if (field.name, field.kind) not in elsewhere
    )


def controls(
    entry: Entry, names: Sequence[str], problems: Iterable[Problem], *, declares: bool = False
) -> list[Control]:
    """A control for all that may be entered, or that *declares* a deal, with *problems* beside what they are about."""
    errors: dict[tuple[str, object], tuple[str, ...]] = {}
    for problem in problems:
        # Whose tricks are wrong stands beside theirs.
        row = problem.values.get("player") if problem.code == "TRICKS_RANGE" else None
        key = problem.field, row
        errors[key] = (*errors.get(key, ()), problem_message(problem, names))
    answers = _answers(entry)
    left = {field.name: field for field in entry.game.asked(answers, entry.table)}
    return [
        _control(entry, field, left.get(field.name), answers, names, errors)
        for field in fields_drawn(entry.game, entry.table)
        if field.declared or not declares
    ]


def wanting(entry: Entry, names: Sequence[str]) -> str:
    """What has yet to be entered before a deal can be recorded or declared, in a few words; empty where it can be."""
    if entry.score is not None or not (entry.problems or entry.missing):
        return ""
    answers = _answers(entry)
    for field in entry.offered:
        known = entry.complete.get(field.name)
        if field.kind is FieldKind.NUMBERS and field.required:
            for seat in field.seats:
                if _at(_places(known), seat) is None:
                    return question(field, names, seat)
        elif (field.required or field.nobody) and field.name not in answers and known is None:
            return question(field, names)
    return _("This does not fit yet")


def short_names(names: Sequence[str], columns: int) -> tuple[str, ...]:
    """*names* as there is room for in one of so many *columns*, still told apart."""
    return fitting(tuple(names), ROOM if columns <= 4 else ROOM_OF_MANY)


def question(field: Field, names: Sequence[str], seat: Seat | None = None) -> str:
    """What *field* asks for (of *seat*), in a few words."""
    if seat is not None:
        return _("How many tricks did %(player)s take?", player=name_of(seat, names))
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
    return questions.get(field.name) or field_label(field.name)


def line_label(field: Field, line: int | None) -> str:
    """What a number of tricks is called, and where its contract is made."""
    return field_label(field.name) if line is None else _("Tricks: made from %(line)s", line=number(line))


def left_note(left: int) -> str:
    """Beside the tricks of the last player, who is not asked."""
    return _("%(tricks)s: what is left", tricks=number(left))


def line_note(line: int) -> str:
    """Beside the tricks of the player who owes so many."""
    return _("owes %(tricks)s", tricks=number(line))


def _dealt(game: CardGame[Any], facts: Facts, table: Table) -> tuple[Facts, Table]:
    """*facts* without who dealt, and the table with that dealer; as it is where that cannot be."""
    try:
        return game.dealt(facts, table)
    except IllegalDeal:
        return {name: value for name, value in facts.items() if name != "dealer"}, table


def _answers(entry: Entry) -> Facts:
    """The facts as a form asks for them: that nobody has a seat is an answer to the question who has it."""
    answers = dict(entry.facts)
    for field in entry.game.fields(entry.table):
        if field.nobody is not None and field.name not in answers and answers.get(field.nobody[0]) == field.nobody[1]:
            del answers[field.nobody[0]]
            answers[field.name] = NOBODY
    return answers


def _drawn(field: Field, fields: Iterable[Field]) -> tuple[str, ...]:
    """The choices of *field* without the one that only ever follows from nobody having a seat."""
    for other in fields:
        if other.nobody is not None and other.nobody[0] == field.name:
            chosen = [field.only[other.name][str(seat)] for seat in other.seats]
            return tuple(choice for choice in field.choices if any(choice in some for some in chosen))
    return field.choices


def _read(form: Answers, field: Field, chairs: int) -> object:
    match field.kind:
        case FieldKind.FLAG:
            return True if form.get(field.name) else None
        case FieldKind.SEAT | FieldKind.NUMBER:
            return _whole(form.get(field.name))
        case FieldKind.SEATS:
            return [_whole(entered) for entered in form.getlist(field.name)[:MAX_BIDS]] or None
        case FieldKind.NUMBERS:
            return _listed([_whole(form.get(f"{field.name}-{seat}")) for seat in range(chairs)])
        case FieldKind.SUITS:
            return _listed([_text(form.get(f"{field.name}-{seat}")) for seat in range(chairs)])
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
        asked = {field.name: field for field in game.asked(facts, table)}
        kept = {
            name: value
            for name, entered in facts.items()
            if name in asked and (value := _kept(entered, asked[name], known[name])) is not None
        }
        if kept == facts:
            return kept
        facts = kept


def _kept(value: object, asked: Field, known: Field) -> object:
    """What of *value* can still be chosen. What never could be is kept: the rules say what is wrong with it."""
    match asked.kind, value:
        case FieldKind.CHOICE, str() if value in known.choices and value not in asked.choices:
            return None
        case FieldKind.SEAT, int() if value in known.seats and value not in asked.seats:
            return None
        case FieldKind.SEATS, list():
            return [seat for seat in value if seat not in known.seats or seat in asked.seats] or None
        case FieldKind.NUMBERS, list():
            return _listed([number if seat in asked.seats else None for seat, number in enumerate(value)])
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
    entry: Entry,
    field: Field,
    left: Field | None,
    answers: Facts,
    names: Sequence[str],
    errors: Mapping[tuple[str, object], tuple[str, ...]],
) -> Control:
    value = answers.get(field.name)
    follows = left is not None and left.follows
    if follows:
        value = entry.complete.get(field.name)
    hidden = (left is None and not field.waits(answers)) or (follows and value not in field.options)
    control = Control(
        field.name,
        _STYLES[field.kind],
        field_label(field.name),
        selected=value if left is not None else None,
        errors=errors.get((field.name, None), ()),
        note=(field_hint(field) or "") if field.detail else "",
        detail=field.detail,
        hidden=hidden,
        disabled=hidden or follows or left is None,
        follows=follows,
    )
    now = left or field
    short = short_names(names, len(field.seats) + (field.nobody is not None))
    seats = tuple((seat, names[seat], seat not in now.seats, short[seat]) for seat in field.seats)
    match field.kind:
        case FieldKind.CHOICE:
            word, style = (contract_name, "ladder") if field.name == "contract" else (suit_name, "suits")
            options = tuple((choice, word(choice), choice not in now.choices) for choice in field.choices)
            return replace(control, style=style, options=options)
        case FieldKind.SEAT:
            if field.nobody is None:
                return replace(control, options=seats)
            nobody = _("Nobody") if isinstance(field.nobody[1], str) else field_label(field.nobody[0])
            return replace(control, options=(*seats, (NOBODY, nobody, False, nobody)))
        case FieldKind.SEATS:
            return replace(control, options=seats, selected=control.selected or ())
        case FieldKind.NUMBER:
            digits = tuple((digit, number(digit)) for digit in range(field.low, field.high + 1))
            label = line_label(field, now.line) if field.lines else control.label
            return replace(control, label=label, options=digits, line=now.line)
        case FieldKind.NUMBERS:
            return replace(control, rows=tuple(_number_rows(entry, field, now, names, errors)))
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
    raise TypeError(field.kind)


_STYLES: Final[Mapping[FieldKind, str]] = {
    FieldKind.CHOICE: "suits",
    FieldKind.SEAT: "seats",
    FieldKind.SEATS: "checks",
    FieldKind.NUMBER: "tricks",
    FieldKind.NUMBERS: "numbers",
    FieldKind.SUITS: "picks",
    FieldKind.SUIT_LIST: "picks",
    FieldKind.CARD: "card",
    FieldKind.AUCTION: "auction",
}


def _worded(values: Iterable[str], word: Callable[[str], str]) -> tuple[tuple[object, str], ...]:
    return tuple((value, word(value)) for value in values)


def _places(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _at(values: Sequence[object], place: int) -> object:
    return values[place] if place < len(values) else None


def _number_rows(
    entry: Entry, field: Field, now: Field, names: Sequence[str], errors: Mapping[tuple[str, object], tuple[str, ...]]
) -> Iterator[Control]:
    entered, known = _places(entry.facts.get(field.name)), _places(entry.complete.get(field.name))
    digits = tuple((digit, number(digit)) for digit in range(field.low, field.high + 1))
    for seat in field.seats:
        taken, follows = _at(entered, seat), _at(known, seat)
        if seat not in now.seats:
            note = field_label(field.unlike)
        elif taken is None and isinstance(follows, int):
            note = left_note(follows)
        elif now.line is not None and seat == entry.facts.get(field.line_of):
            note = line_note(now.line)
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
            seat=seat,
            disabled=seat not in now.seats,
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

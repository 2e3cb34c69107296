"""Reading a session file. What is read is known to be one that can be scored."""

from __future__ import annotations

import functools
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final, TypeVar, cast

from scorekeeper.currencies import UnknownCurrency, exponent_of
from scorekeeper.ledger import MAX_MINOR
from scorekeeper.limits import MAX_CHIPS, MAX_EVENTS
from scorekeeper.names import BadName, BadNote, clean_name, clean_note, name_key
from scorekeeper.rules import MISDEAL, RULESETS, CardGame, FieldKind, IllegalRules, Problem, Refused, Ruleset, Seat
from scorekeeper.sessionfile.scoring import Sitting
from scorekeeper.sessionfile.values import (
    FORMAT,
    VERSION,
    Adjustment,
    BadFile,
    BuyIn,
    CashOut,
    Chip,
    DealEvent,
    DealtBy,
    Event,
    MisdealEvent,
    NewGame,
    Seating,
    SessionFile,
    explained,
    fault,
    fitted,
    kinds_of,
    malformed,
)

MAX_BYTES: Final = 16 * 1024 * 1024
"""Of a file: room for every event there may be, each described in full."""
MAX_DIGITS: Final = 18
"""Of a whole number: more than any bound needs, and cheap to read."""

_DECIMAL: Final = re.compile(r"[0-9]{1,12}(\.[0-9]{1,6})?", re.ASCII)

T = TypeVar("T")
Reader = Callable[[object], T]
"""Turns a JSON value into what it means. Raises Refused; its problems' fields are keys within that value, or ""."""

_REQUIRED: Final = object()

_TYPES: Final = ("deal", "misdeal", "buy-in", "cash-out", "adjustment", "new-game", "seats", "dealer")


def parse(text: str | bytes) -> object:
    """*text* as the JSON value it holds.

    :raises BadFile: if it is not JSON in UTF-8, or says one thing twice.
    """
    try:
        if len(text) > MAX_BYTES:
            raise fault("size", max=MAX_BYTES)
        decoded = text.decode("utf-8-sig") if isinstance(text, bytes) else text.removeprefix("\ufeff")
        document: object = json.loads(
            decoded, object_pairs_hook=_pairs, parse_int=_integer, parse_float=_float, parse_constant=_float
        )
        # Half a surrogate pair can be escaped in JSON, and is no text.
        json.dumps(document, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise BadFile(0, (malformed("json", line=error.lineno, column=error.colno),)) from None
    except UnicodeError:
        raise BadFile(0, (malformed("encoding"),)) from None
    except RecursionError:
        raise BadFile(0, (malformed("nesting"),)) from None
    except Refused as refused:
        raise BadFile(0, refused.problems) from None
    return document


def read_document(document: object) -> SessionFile:
    """The session file in *document*, which is known to be one that can be scored.

    :raises BadFile: if it cannot.
    """
    try:
        file, values = _read_head(document)
        sitting = Sitting(file)
    except Refused as refused:
        raise BadFile(0, refused.problems) from None
    players = _Players(file.players)
    events: list[Event] = []
    for number, value in enumerate(values, start=1):
        problems: list[Problem] = []
        try:
            event = _read_event(value, sitting, players, problems)
            events.append(event)
            sitting.take(event)
        except Refused as refused:
            # What could not be read is absent from the facts: that it is missing is no problem of its own.
            known = {problem.field for problem in problems}
            problems += [problem for problem in refused.problems if problem.field not in known]
        if problems:
            raise BadFile(number, tuple(problems), tuple(players.names))
    return replace(file, players=tuple(players.names), events=tuple(events))


class _Object:
    """A JSON object that is being read key by key. Its problems are collected, so that all come out at once."""

    def __init__(self, value: object) -> None:
        """:raises Refused: if *value* is no object."""
        if not isinstance(value, Mapping):
            raise fault("object")
        self.rest: dict[str, object] = dict(value)
        self._problems: list[Problem] = []

    def read(self, key: str, reader: Reader[T], default: Any = _REQUIRED) -> T | Any:
        """What *key* holds; None, once the problem is noted, if that cannot be read."""
        if key not in self.rest:
            if default is _REQUIRED:
                self._problems.append(malformed("missing", key))
            return default
        try:
            return reader(self.rest.pop(key))
        except Refused as refused:
            self._problems += [
                replace(problem, field=f"{key}.{problem.field}" if problem.field else key)
                for problem in refused.problems
            ]
            return None

    def stop_if_bad(self) -> None:
        """:raises Refused: if anything read so far had a problem."""
        if self._problems:
            raise Refused(*self._problems)

    def finish(self) -> None:
        """:raises Refused: if anything had a problem, or is left that nobody asked for."""
        self._problems += [malformed("unknown", key) for key in self.rest]
        self.stop_if_bad()


class _Players:
    """Who a file means by a name: so far ``names``, by seat."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self._seats = {name_key(name): Seat(number) for number, name in enumerate(names)}

    def seat(self, value: object) -> Seat:
        """:raises Refused: if *value* names nobody at the table."""
        if not isinstance(value, str):
            raise fault("name")
        seat = self._seats.get(name_key(value))
        if seat is None:
            raise fault("player", name=value)
        return seat

    def seated(self, value: object) -> tuple[Seat, ...]:
        """The seat of each name; who is new gets the next one."""
        seats = []
        for name in map(_read_name, _list(value)):
            seat = self._seats.setdefault(name_key(name), Seat(len(self.names)))
            if seat == len(self.names):
                self.names.append(name)
            seats.append(seat)
        return tuple(seats)

    def stand_ins(self, value: object) -> dict[Seat, str]:
        """Who plays on whose account."""
        if not isinstance(value, Mapping):
            raise fault("object")
        return {self.seat(name): _read_name(stand_in) for name, stand_in in value.items()}

    def seats(self, value: object) -> list[Seat]:
        return [self.seat(name) for name in _list(value)]

    def auction(self, value: object) -> list[list[object]]:
        """Pairs of seat and bid; the bid as it stands."""
        turns = [_list(turn) for turn in _list(value)]
        if any(len(turn) != 2 for turn in turns):
            raise fault("pairs")
        return [[self.seat(name), bid] for name, bid in turns]

    def each(self, value: object, read: Reader[T], default: Any = _REQUIRED) -> list[T | Any]:
        """One thing per seat, from an object that names each player, or those for whom *default* does not hold."""
        if not isinstance(value, Mapping):
            raise fault("object")
        found: dict[Seat, T] = {}
        for name, item in value.items():
            seat = self.seat(name)
            if seat in found:
                raise fault("twice", name=name)
            found[seat] = read(item)
        for seat in self._seats.values():
            if seat not in found and default is _REQUIRED:
                raise fault("player-missing", player=seat)
        return [found.get(seat, default) for seat in self._seats.values()]


def _read_head(document: object) -> tuple[SessionFile, list[object]]:
    """Everything but the events, and the events as they stand."""
    head = _Object(document)
    head.read("format", _one_of(FORMAT))
    head.read("version", _one_of(VERSION))
    ruleset_id = head.read("rules", _one_of(*RULESETS))
    head.stop_if_bad()
    game = RULESETS[ruleset_id]
    published = game.ruleset(ruleset_id)
    ruleset = head.read("house_rules", functools.partial(_read_house_rules, game, published), published)
    head.stop_if_bad()
    rotation = head.read("rotation", _yes_or_no, False)
    names = head.read("players", functools.partial(_read_names, game, ruleset, rotation))
    head.stop_if_bad()
    players = _Players(names)
    file = SessionFile(
        game,
        ruleset,
        names,
        len(names),
        dealer=head.read("dealer", players.seat, Seat(0)),
        opening=head.read("opening", lambda value: tuple(players.each(value, _opening)), None),
        chip=head.read("chip", _read_chip, None),
    )
    events = head.read("events", _read_events)
    head.finish()
    return file, events


def _read_house_rules(game: CardGame[Any], published: Ruleset, value: object) -> Ruleset:
    try:
        return game.with_house_rules(published, _Object(value).rest)
    except IllegalRules as refused:
        raise Refused(*(explained(problem, problem.field) for problem in refused.problems)) from None


def _read_names(game: CardGame[Any], ruleset: Ruleset, rotation: bool, value: object) -> tuple[str, ...]:
    """Those a deal needs, or with *rotation* more, of whom some sit out in turn."""
    players = game.players(ruleset)
    names: list[str] = []
    empty = False
    for text in _list(value):
        try:
            names.append(clean_name(_text(text)))
        except BadName as bad:
            if bad.code != "NAME_MISSING":
                raise Refused(*(explained(problem, "") for problem in bad.problems)) from None
            empty = True
    count = len(names)
    admitted = game.admits(ruleset, count) if rotation else count == players
    if empty or not admitted or len({name_key(name) for name in names}) != count:
        raise Refused(Problem("PLAYERS_COUNT", "", {"players": players}))
    return tuple(names)


def _read_name(value: object) -> str:
    try:
        return clean_name(_text(value))
    except BadName as bad:
        raise Refused(*(explained(problem, "") for problem in bad.problems)) from None


def _read_chip(value: object) -> Chip:
    chip = _Object(value)
    currency = chip.read("currency", _text)
    text = chip.read("value", _text)
    chips = chip.read("chips", _priced, 1)
    chip.finish()
    try:
        exponent = exponent_of(currency)
    except UnknownCurrency:
        raise fault("currency", "currency") from None
    if not _DECIMAL.fullmatch(text):
        raise fault("decimal", "value")
    minor = Decimal(text).scaleb(exponent)
    if minor != int(minor):
        raise fault("decimals", "value", currency=currency, decimals=exponent)
    if not 1 <= minor <= MAX_MINOR:
        raise fault("money", "value", low=1, high=MAX_MINOR, currency=currency, exponent=exponent)
    return Chip(int(minor), currency, exponent, chips)


def _read_events(value: object) -> list[object]:
    events = _list(value)
    if len(events) > MAX_EVENTS:
        raise fault("events", max=MAX_EVENTS)
    return events


def _read_event(value: object, sitting: Sitting, players: _Players, problems: list[Problem]) -> Event:
    """The event in *value*, which comes next in *sitting*.

    What is wrong with single facts of a deal goes to *problems*, and they are left out.

    :raises Refused: if it is no event, or one of another kind than a deal that cannot be read.
    """
    event = _Object(value)
    kind = event.read("type", _one_of(*_TYPES))
    event.stop_if_bad()
    match kind:
        case "deal":
            return DealEvent(_read_facts(event.rest, sitting, players, problems))
        case "misdeal":
            event.finish()
            return MisdealEvent()
        case "new-game":
            event.finish()
            return NewGame()
        case "adjustment":
            changes = event.read("chips", functools.partial(_read_changes, players))
            note = event.read("note", _read_note, "")
            event.finish()
            return Adjustment(changes, note)
        case "seats":
            seats = event.read("players", players.seated)
            stand_ins = event.read("stand_ins", players.stand_ins, {})
            event.finish()
            return _seating(seats, stand_ins, players.names)
        case "dealer":
            dealer = event.read("player", players.seat)
            event.finish()
            return DealtBy(dealer)
    player = event.read("player", players.seat)
    chips = event.read("chips", _bought)
    event.finish()
    return BuyIn(player, chips) if kind == "buy-in" else CashOut(player, chips)


def _seating(seats: tuple[Seat, ...], stand_ins: Mapping[Seat, str], names: Sequence[str]) -> Seating:
    """:raises Refused: if somebody stands in for nobody at the table, or is there twice."""
    if not stand_ins.keys() <= set(seats):
        raise fault("NOT_AT_TABLE", "stand_ins")
    there = Counter(name_key(stand_ins.get(seat, names[seat])) for seat in set(seats))
    for name in stand_ins.values():
        if there[name_key(name)] > 1:
            raise fault("twice", "stand_ins", name=name)
    return Seating(seats, stand_ins)


def _read_changes(players: _Players, value: object) -> tuple[int, ...]:
    changes = tuple(players.each(value, _moved, default=0))
    if total := sum(changes):
        raise fault("ADJUSTMENT_SUM", sum=total)
    if not any(changes):
        raise fault("ADJUSTMENT_EMPTY")
    return changes


def _read_note(value: object) -> str:
    try:
        return clean_note(_text(value))
    except BadNote as bad:
        raise Refused(*(explained(problem, "") for problem in bad.problems)) from None


def _read_facts(
    values: Mapping[str, object], sitting: Sitting, players: _Players, problems: list[Problem]
) -> dict[str, object]:
    readers: dict[FieldKind, Reader[object]] = {
        FieldKind.SEAT: players.seat,
        FieldKind.SEATS: players.seats,
        FieldKind.NUMBERS: lambda value: players.each(value, _as_it_stands, default=None),
        FieldKind.SUITS: lambda value: players.each(value, _as_it_stands, default=None),
        FieldKind.AUCTION: players.auction,
    }
    game, table = sitting.file.game, replace(sitting.table, dealer=sitting.dealer)
    kinds = kinds_of(game)
    facts: dict[str, object] = {}
    for name, value in values.items():
        try:
            # Nothing of the kind in a file: a misdeal, and a dealer out of turn, is an event of its own.
            if name in MISDEAL or name == "dealer":
                raise fault("unknown")
            facts[name] = readers.get(kinds[name], _as_it_stands)(value) if name in kinds else value
        except Refused as refused:
            problems += [replace(problem, field=name) for problem in refused.problems]
    facts = fitted(facts, game, table)
    problems += _unsaid(facts, kinds)
    return facts


def _unsaid(facts: dict[str, object], kinds: Mapping[str, FieldKind]) -> Iterator[Problem]:
    """Players left out of numbers, other than those who dropped out; the rules would fill the gap, a file has none."""
    dropped = facts.get("dropped", [])
    for name in [name for name in facts if kinds.get(name) is FieldKind.NUMBERS]:
        for seat, taken in enumerate(cast(list[object], facts[name])):
            if taken is None and seat not in cast(list[object], dropped):
                yield malformed("player-missing", name, player=seat)


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise fault("twice", name=next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1))
    return found


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise fault("number")
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise fault("number")
    return number


def _as_it_stands(value: object) -> object:
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise fault("text")
    return value


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise fault("list")
    return value


def _yes_or_no(value: object) -> bool:
    if not isinstance(value, bool):
        raise fault("type")
    return value


def _one_of(*choices: Any) -> Reader[Any]:
    def read(value: object) -> object:
        # True and 1.0 equal 1, and neither is the number of a version.
        if not any(type(value) is type(choice) and value == choice for choice in choices):
            raise fault("choice", choices=choices)
        return value

    return read


def _between(low: int, high: int, reason: str) -> Reader[int]:
    def read(value: object) -> int:
        if type(value) is not int or not low <= value <= high:
            raise fault(reason, low=low, high=high)
        return value

    return read


_opening: Final = _between(-MAX_CHIPS, MAX_CHIPS, "OPENING_RANGE")
_moved: Final = _between(-MAX_CHIPS, MAX_CHIPS, "CHIPS_RANGE")
_bought: Final = _between(1, MAX_CHIPS, "CHIPS_RANGE")
_priced: Final = _between(1, MAX_CHIPS, "CHIPS_RANGE")

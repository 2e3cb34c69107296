"""The chips a group owns by colour, and where they are in a session: in the bank, or on the table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from scorekeeper import queries
from scorekeeper.ledger.chipset import Bank, Colour, counter, worth
from scorekeeper.limits import MAX_CHIPS, MAX_COLOURS, MAX_PIECES
from scorekeeper.models import GameSession, Group, SessionChange
from scorekeeper.names import BadName, clean_name, name_key
from scorekeeper.rules import Problem, Refused, Seat
from scorekeeper.services.counts import Count
from scorekeeper.services.groups import change_group
from scorekeeper.services.transaction import transaction


def set_chips(db: Session, group_id: int, colours: Sequence[Colour]) -> None:
    """Say which chips a group owns; without *colours*, none are known by colour any more.

    :raises Refused: if a name cannot be used, a number is out of bounds, or two colours are alike; nothing is written.
    """
    kept = sound(colours)
    with transaction(db):
        change_group(db, group_id)
        db.execute(update(Group).where(Group.id == group_id).values(chip_set=kept or None))


def sound(colours: Sequence[Colour]) -> list[Colour]:
    """*colours* as they are kept, the smallest value first.

    :raises Refused: see :func:`set_chips`.
    """
    problems: list[Problem] = []
    if len(colours) > MAX_COLOURS:
        raise Refused(Problem("COLOURS_TOO_MANY", "colours", {"max": MAX_COLOURS}))
    kept: list[Colour] = []
    for place, colour in enumerate(colours):
        try:
            colour = colour._replace(name=clean_name(colour.name))
        except BadName as bad:
            problems += [Problem(problem.code, f"name-{place}", problem.values) for problem in bad.problems]
        if not 1 <= colour.value <= MAX_CHIPS:
            problems.append(Problem("CHIPS_RANGE", f"value-{place}", {"low": 1, "high": MAX_CHIPS}))
        if not 0 <= colour.pieces <= MAX_PIECES:
            problems.append(Problem("PIECES_RANGE", f"pieces-{place}", {"low": 0, "high": MAX_PIECES}))
        if colour.name and name_key(colour.name) in {name_key(other.name) for other in kept}:
            problems.append(Problem("COLOUR_TAKEN", f"name-{place}", {"name": colour.name}))
        if colour.value in {other.value for other in kept}:
            problems.append(Problem("VALUE_TAKEN", f"value-{place}"))
        kept.append(colour)
    if problems:
        raise Refused(*problems)
    return sorted(kept, key=lambda colour: colour.value)


def colours_of(stored: Iterable[tuple[str, int, int]] | None) -> tuple[Colour, ...]:
    """The colours of a stored ``chip_set``."""
    return tuple(Colour(*colour) for colour in stored or ())


def note_of(colours: Sequence[Colour]) -> str:
    """The note of a change in which *colours* were handed out or taken back; empty if none were."""
    moved = [colour for colour in colours if colour.pieces]
    return json.dumps(moved, ensure_ascii=False) if moved else ""


def noted(note: str) -> tuple[Colour, ...]:
    """The pieces that :func:`note_of` wrote down."""
    return colours_of(json.loads(note)) if note else ()


def moved_in(db: Session, session_id: int, version: int) -> tuple[Colour, ...]:
    """The pieces that were handed out or taken back in a version of a session."""
    note = select(SessionChange.note).where(SessionChange.session_id == session_id, SessionChange.version == version)
    return noted(db.scalars(note).one())


def bank(db: Session, session_id: int, colours: tuple[Colour, ...], seat: Seat | None = None) -> Bank:
    """Where the pieces of the set *colours* are, by what was handed out, taken back and counted in a session.

    Every session begins with the whole set in the bank. What *seat* got is known until the next count.
    """
    out: Counter[int] = Counter()
    own: Counter[int] = Counter()
    for change in queries.pieces_moved(db, session_id):
        match change.kind:
            case "open":
                out.update(counter(noted(change.note), len(change.opening)))
                own.update(counter(noted(change.note), seat in range(len(change.opening))))
            case "buy-in":
                out.update(counter(noted(change.note)))
                own.update(counter(noted(change.note), change.seat == seat))
            case "cash-out":
                out.subtract(counter(noted(change.note)))
                own.subtract(counter(noted(change.note), change.seat == seat))
            case _ if (counted := Count.noted(change.note).on_table) is not None:
                out, own = counted, Counter()
    return Bank.with_out(colours, out, own)


def set_of_group(db: Session, group_id: int) -> tuple[Colour, ...]:
    """The chips that a group owns."""
    return colours_of(db.scalar(select(Group.chip_set).where(Group.id == group_id)))


def set_of_session(db: Session, session_id: int) -> tuple[Colour, ...]:
    """The chips that the group of a session owns."""
    of_group = select(Group.chip_set).join(GameSession, GameSession.group_id == Group.id)
    return colours_of(db.scalar(of_group.where(GameSession.id == session_id)))


def check_sum(colours: Sequence[Colour], chips: int, field: str) -> None:
    """:raises Refused: if *colours* do not come to so many *chips*, which were entered in *field*."""
    if worth(colours) != chips:
        raise Refused(Problem("COLOURS_SUM", field, {"sum": worth(colours)}))

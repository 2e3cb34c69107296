"""Names and notes as people type them: what is kept, what is refused, and when two names are alike."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from scorekeeper.rules.base import Problem, Refused

MAX_NAME: Final = 40
"""Characters of a name, after trimming and NFC."""
MAX_KEY: Final = 160
"""Characters of a name as compared: compatibility forms can be longer than what was typed."""
MAX_NOTE: Final = 200
"""Characters of a note."""
ROOM: Final = 8
ROOM_OF_MANY: Final = 6
"""Characters of a name that one of four has room for in a row or a column on a phone, and one of more."""

# Joiners shape Persian and Indic words and hold emoji together. Every other format character is invisible, and some
# turn the text around them the other way.
_JOINERS: Final = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
# Letters and symbols by category, yet nothing to see.
_BLANKS: Final = (
    "\N{HANGUL CHOSEONG FILLER}\N{HANGUL JUNGSEONG FILLER}\N{HANGUL FILLER}\N{HALFWIDTH HANGUL FILLER}"
    "\N{BRAILLE PATTERN BLANK}"
)
_REFUSED: Final = frozenset({"Cc", "Cf", "Cs"})
_INVISIBLE_ALONE: Final = frozenset("CMZ")
_VARIATIONS: Final = range(0xFE00, 0xFE10)
# What belongs to the character before it, though it is no mark: skin tones, later parts of a Hangul syllable, and the
# Thai and Lao vowel AM.
_TRAILING: Final = frozenset((*range(0x1F3FB, 0x1F400), *range(0x1160, 0x1200), *range(0xD7B0, 0xD800), 0x0E33, 0x0EB3))
_FLAGS: Final = range(0x1F1E6, 0x1F200)
_VIRAMA: Final = 9
"""The combining class of the mark that binds two Indic consonants."""


class BadName(Refused):
    """A name that cannot be used: ``code`` is NAME_MISSING, NAME_TOO_LONG or NAME_CHARACTER."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(Problem(code, "name", values))
        self.code = code


class BadNote(Refused):
    """A note that cannot be kept: ``code`` is NOTE_TOO_LONG or NAME_CHARACTER."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(Problem(code, "note", values))
        self.code = code


def clean_name(text: str) -> str:
    """*text* as a name is kept: in NFC, trimmed, white space inside it reduced to single spaces.

    >>> clean_name("  Ann \\N{NO-BREAK SPACE} Lee ")
    'Ann Lee'

    :raises BadName: if nothing visible is left, it is too long, or has a character that could mislead.
    """
    name = _tidy(text)
    if bad := _bad_character(name, _BLANKS):
        raise BadName("NAME_CHARACTER", character=bad)
    if all(unicodedata.category(character)[0] in _INVISIBLE_ALONE for character in name):
        raise BadName("NAME_MISSING")
    if len(name) > MAX_NAME or len(name_key(name)) > MAX_KEY:
        raise BadName("NAME_TOO_LONG", max=MAX_NAME)
    return name


def name_key(name: str) -> str:
    """*name* as it is compared: without case, compatibility forms and what cannot be seen.

    >>> name_key("Bob") == name_key("bob ") == name_key("\\N{FULLWIDTH LATIN CAPITAL LETTER B}ob")
    True
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", _tidy(name)).casefold())
    return " ".join("".join(character for character in folded if not _unseen(character)).split())


@lru_cache(maxsize=256)
def short_forms(names: tuple[str, ...], least: int = 3) -> tuple[str, ...]:
    """Names that are not alike, each cut to the shortest beginning that no other has, *least* characters at least.

    Of names that begin alike for long, the middle is left out. A character is what a reader takes for one: accents and
    joined emoji stay whole.

    >>> short_forms(("Ann", "Anna", "Benedict", "Konstantin Meyer", "Konstantin Maier"))
    ('Ann', 'Anna', 'Ben', 'Kon…Me', 'Kon…Ma')
    """
    keys = [name_key(name) for name in names]
    beginnings = tuple(
        _beginning(name, [key for other, key in enumerate(keys) if other != seat], least)
        for seat, name in enumerate(names)
    )
    ends = tuple(_without_middle(beginning, least) for beginning in beginnings)
    return ends if len({name_key(end) for end in ends}) == len(names) else beginnings


def fitting(names: tuple[str, ...], room: int) -> tuple[str, ...]:
    """*names* in about *room* characters each, still told apart; one that is cut off ends in a full stop.

    >>> fitting(("Benedict", "Maximilian", "Anna-Katharina", "Jo"), 8)
    ('Benedict', 'Maximil.', 'Anna-Ka.', 'Jo')
    """
    return tuple(
        short if short == name or "…" in short else f"{short.rstrip('-.')}." if len(short) + 1 < len(name) else name
        for name, short in zip(names, short_forms(names, room - 1), strict=True)
    )


def _beginning(name: str, other_keys: Sequence[str], least: int) -> str:
    characters = list(_characters(name))
    for length in range(least, len(characters)):
        beginning = "".join(characters[:length]).rstrip()
        key = name_key(beginning)
        if not any(other.startswith(key) for other in other_keys):
            return beginning
    return name


def _without_middle(beginning: str, least: int) -> str:
    characters = list(_characters(beginning))
    if len(characters) <= 2 * least + 2:
        return beginning
    return f"{''.join(characters[:least])}…{''.join(characters[-2:]).lstrip()}"


def _characters(text: str) -> Iterator[str]:
    """The characters of *text* as a reader sees them: grapheme clusters."""
    start = flags = 0
    for position in range(1, len(text)):
        before, character = text[position - 1], text[position]
        flags = flags + 1 if ord(before) in _FLAGS else 0
        if not (
            unicodedata.category(character)[0] == "M"
            or character in _JOINERS
            or ord(character) in _TRAILING
            or before == _JOINERS[1]
            or (unicodedata.combining(before) == _VIRAMA and unicodedata.category(character) == "Lo")
            or (ord(character) in _FLAGS and flags % 2)
        ):
            yield text[start:position]
            start = position
    yield text[start:]


def clean_note(text: str) -> str:
    """*text* as a note is kept: like a name, but it may be empty, and longer.

    :raises BadNote: if it is too long, or has a character that could mislead.
    """
    note = _tidy(text)
    if bad := _bad_character(note, ""):
        raise BadNote("NAME_CHARACTER", character=bad)
    if len(note) > MAX_NOTE:
        raise BadNote("NOTE_TOO_LONG", max=MAX_NOTE)
    return note


def _tidy(text: str) -> str:
    # str.split() knows every white space, the no-break spaces and line separators included.
    return " ".join(unicodedata.normalize("NFC", text).split())


def _bad_character(text: str, also: str) -> str | None:
    """The first character that may not be used, as ``U+202E``."""
    for character in text:
        if character in also or (unicodedata.category(character) in _REFUSED and character not in _JOINERS):
            return f"U+{ord(character):04X}"
    return None


def _unseen(character: str) -> bool:
    return ord(character) in _VARIATIONS or unicodedata.category(character) == "Cf"

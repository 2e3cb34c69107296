"""What people write in the cells of a paper sheet, read as what they mean, or refused with what could be meant."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scorekeeper.names import MAX_NAME, ROOM, ROOM_OF_MANY, fitting
from scorekeeper.rules import CARD_GAMES, NOBODY, Field, FieldKind, Seat
from scorekeeper.words import number, signed
from scorekeeper.words.cells import Unreadable, is_empty, read_answer, read_number, shorthands

NAMES = ("Ann", "Anna", "Ben", "אבי", "Dan, the other one")


def field(name: str, ruleset: str = "mensch") -> Field:
    game = next(game for game in CARD_GAMES.values() if ruleset in {one.id for one in game.rulesets})
    return {one.name: one for one in game.fields(game.open_table(game.ruleset(ruleset)))}[name]


SEATED = Field("declarer", FieldKind.SEAT, seats=tuple(map(Seat, range(len(NAMES)))))


@pytest.mark.parametrize(
    ("text", "contract"),
    [
        ("Half", "half"),
        ("h", "half"),
        (" HALF ", "half"),
        ("5", "five"),
        ("5a", "five-after"),
        ("5A", "five-after"),
        ("five", "five"),
        ("Five A", "five-after"),
        ("seven after", "seven-after"),
        ("S", None),
        ("so", "solo"),
        ("Nine", None),
        ("fi", None),
    ],
)
def test_a_contract_may_be_short_as_long_as_only_one_is_meant(text: str, contract: str | None) -> None:
    if contract is None:
        with pytest.raises(Unreadable):
            read_answer(field("contract"), text, NAMES)
    else:
        assert read_answer(field("contract"), text, NAMES) == [contract]


@pytest.mark.parametrize(
    ("text", "suit"),
    [("♣", "clubs"), ("♣\N{VARIATION SELECTOR-16}", "clubs"), ("♡", "hearts"), ("d", "diamonds"), ("Spades", "spades")],
)
def test_a_suit_may_be_drawn_or_begun(text: str, suit: str) -> None:
    assert read_answer(field("trump"), text, NAMES) == [suit]


@pytest.mark.parametrize(
    ("text", "seat"), [("ann", "0"), ("Anna", "1"), ("b", "2"), ("א", "3"), ("dan, the", "4"), ("ＢＥＮ", "2")]
)
def test_a_player_may_be_called_by_the_beginning_of_the_name(text: str, seat: str) -> None:
    assert read_answer(SEATED, text, NAMES) == [seat]


LONG = ("Maximilian", "Anna-Katharina", "Konstantin Meyer", "Konstantin Maier", "Konstantin Meyer-Maier")
NEARLY = ("Anna Maria Anders", "Anna Maria Bauman", "Anna", "A…a")


@pytest.mark.parametrize("names", [LONG, NEARLY])
@pytest.mark.parametrize("room", [ROOM_OF_MANY, ROOM, MAX_NAME])
def test_a_player_may_be_called_as_our_own_sheet_prints_the_name(names: tuple[str, ...], room: int) -> None:
    seated = replace(SEATED, seats=tuple(map(Seat, range(len(names)))))
    assert [read_answer(seated, short, names) for short in fitting(names, room)] == [
        [str(seat)] for seat in range(len(names))
    ]


@pytest.mark.parametrize(("text", "seat"), [("Max.", "0"), ("anna-k.", "1"), ("Kon...Mey", None), ("K…ma", None)])
def test_a_player_may_be_called_short_in_other_ways_as_long_as_only_one_is_meant(text: str, seat: str | None) -> None:
    if seat is None:
        with pytest.raises(Unreadable, match="could be"):
            read_answer(SEATED, text, LONG)
    else:
        assert read_answer(SEATED, text, LONG) == [seat]


@pytest.mark.parametrize("text", [".", "…", "…a", "x.", "Max…y"])
def test_what_shortens_no_name_is_refused(text: str) -> None:
    with pytest.raises(Unreadable, match="is not one of these"):
        read_answer(SEATED, text, LONG)


def test_what_could_be_several_says_which() -> None:
    with pytest.raises(Unreadable, match="“an” could be Ann or Anna"):
        read_answer(SEATED, "an", NAMES)


def test_what_is_nothing_says_what_there_is() -> None:
    with pytest.raises(Unreadable, match=r"“Zoe” is not one of these: Ann, Anna, Ben, .* or Dan, the other one"):
        read_answer(SEATED, "Zoe", NAMES)


def test_a_long_or_invisible_text_is_not_repeated_whole() -> None:
    with pytest.raises(Unreadable) as refused:
        read_answer(SEATED, "x\x00" * 500, NAMES)
    assert len(str(refused.value)) < 120
    assert "\x00" not in str(refused.value)


@pytest.mark.parametrize("text", ["", "  ", "-", "–", "−", "—", "\N{ZERO WIDTH SPACE}"])
def test_an_empty_cell_or_a_dash_says_nothing(text: str) -> None:
    assert is_empty(text)
    assert read_answer(field("trump"), text, NAMES) == []
    assert read_answer(field("partner"), text, NAMES) == []


def test_where_nobody_can_be_meant_a_dash_says_so_and_an_empty_cell_does_not() -> None:
    maker = field("maker", "dirty-clubs")
    assert read_answer(maker, "–", NAMES) == [NOBODY]
    assert read_answer(maker, "nobody", NAMES) == [NOBODY]
    assert read_answer(maker, "", NAMES) == []


def test_several_players_stand_side_by_side() -> None:
    dropped = field("dropped", "buck-euchre")
    assert read_answer(dropped, "Ben, ann", NAMES) == ["2", "0"]
    assert read_answer(dropped, "Ben + Anna", NAMES) == ["2", "1"]
    assert read_answer(dropped, "Ann & Ben", ("Ann", "Ben", "Ann & Ben", "Dan")) == ["2"]
    assert read_answer(dropped, "–", NAMES) == []


@pytest.mark.parametrize(
    ("text", "number"), [("5", 5), ("+3", 3), ("-3", -3), ("−3", -3), (" 12 ", 12), ("٣", 3), ("0", 0), ("-0", 0)]
)
def test_a_number_is_read_with_or_without_its_sign(text: str, number: int) -> None:
    assert read_number(text) == number


@pytest.mark.parametrize(
    ("text", "number"), [("–1", -1), ("1.0", 1), ("-1,00", -1), ("-1,199", -1199), ("−1 199", -1199), ("'+1", 1)]
)
def test_a_number_is_read_as_a_spreadsheet_writes_it(text: str, number: int) -> None:
    assert read_number(text) == number


@pytest.mark.parametrize("value", [0, 7, -1, 1199, -1_234_567])
def test_a_number_is_read_as_our_own_pages_write_it(value: int) -> None:
    assert read_number(signed(value)) == read_number(number(value)) == value


@pytest.mark.parametrize("text", ["x", "1.5", "1,5", "5/8", "+-3", "9" * 10, "9" * 300, "²", "=1+1", "1,19", "''1"])
def test_what_is_no_whole_number_is_refused(text: str) -> None:
    with pytest.raises(Unreadable, match="is not a whole number"):
        read_number(text)


def test_shorthands_are_those_of_the_contracts_there_are() -> None:
    assert "5A for Five After" in shorthands(field("contract"))
    assert shorthands(field("trump")) == []

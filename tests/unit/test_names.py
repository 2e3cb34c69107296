from itertools import permutations

import pytest

from scorekeeper.names import (
    MAX_KEY,
    MAX_NAME,
    MAX_NOTE,
    BadName,
    BadNote,
    clean_name,
    clean_note,
    name_key,
    short_forms,
)


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Ann", "Ann"),
        ("  Ann\t Lee\n", "Ann Lee"),
        ("Ann\N{NO-BREAK SPACE}\N{IDEOGRAPHIC SPACE}Lee", "Ann Lee"),
        ("Zoe\N{COMBINING DIAERESIS}", "Zo\N{LATIN SMALL LETTER E WITH DIAERESIS}"),
        ("\N{PLAYING CARD ACE OF SPADES}", "\N{PLAYING CARD ACE OF SPADES}"),
        ("\N{WOMAN}\N{ZERO WIDTH JOINER}\N{PERSONAL COMPUTER}", "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{PERSONAL COMPUTER}"),
        ("می\N{ZERO WIDTH NON-JOINER}نا", "می\N{ZERO WIDTH NON-JOINER}نا"),
        ("<img src=x onerror=…>", "<img src=x onerror=…>"),
        ("x" * MAX_NAME, "x" * MAX_NAME),
        # Forty characters once the accents have joined their letters.
        ("e\N{COMBINING ACUTE ACCENT}" * MAX_NAME, "é" * MAX_NAME),
    ],
)
def test_it_keeps_a_name_tidied(typed: str, kept: str) -> None:
    assert clean_name(typed) == kept


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "   ",
        "\N{NO-BREAK SPACE}",
        "\N{ZERO WIDTH JOINER}",
        "\N{COMBINING ACUTE ACCENT}",
        "\N{VARIATION SELECTOR-16}",
    ],
)
def test_it_refuses_a_name_nobody_could_see(typed: str) -> None:
    with pytest.raises(BadName) as refused:
        clean_name(typed)
    assert refused.value.code == "NAME_MISSING"


@pytest.mark.parametrize(
    ("typed", "character"),
    [
        ("An\N{RIGHT-TO-LEFT OVERRIDE}n", "U+202E"),
        ("Ann\N{ZERO WIDTH SPACE}", "U+200B"),
        ("Ann\0", "U+0000"),
        ("Ann\x1b[31m", "U+001B"),
        ("\N{HANGUL FILLER}", "U+3164"),
        ("\ud800", "U+D800"),
    ],
)
def test_it_refuses_a_character_that_could_mislead_and_says_which(typed: str, character: str) -> None:
    with pytest.raises(BadName) as refused:
        clean_name(typed)
    assert refused.value.code == "NAME_CHARACTER"
    assert refused.value.problems[0].values == {"character": character}


@pytest.mark.parametrize("typed", ["x" * (MAX_NAME + 1), "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}" * 10])
def test_it_refuses_a_name_that_is_too_long_as_typed_or_as_compared(typed: str) -> None:
    with pytest.raises(BadName) as refused:
        clean_name(typed)
    assert refused.value.code == "NAME_TOO_LONG"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bob", "bob "),
        ("Bob", "\N{FULLWIDTH LATIN CAPITAL LETTER B}ob"),
        ("Straße", "STRASSE"),
        ("Zoë", "Zoe\N{COMBINING DIAERESIS}"),
        ("Ann Lee", "Ann\N{NO-BREAK SPACE} Lee"),
        ("Ann", "An\N{ZERO WIDTH JOINER}n"),
        ("\N{HEAVY BLACK HEART}", "\N{HEAVY BLACK HEART}\N{VARIATION SELECTOR-16}"),
    ],
)
def test_names_that_look_alike_have_one_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


def test_different_names_have_different_keys() -> None:
    assert len({name_key(name) for name in ("Ann", "Anna", "Änn", "A nn")}) == 4


def test_a_key_is_never_longer_than_its_bound() -> None:
    widest = "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}" * 8
    assert len(name_key(clean_name(widest))) <= MAX_KEY


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (("Ann", "Anna", "Ben"), ("Ann", "Anna", "Ben")),
        (("Benedict", "benno", "Cleopatra"), ("Bene", "benn", "Cle")),
        (("Ann", "Ann Lee", "Ann Loo"), ("Ann", "Ann Le", "Ann Lo")),
        (("Straßer", "STRASSMANN", "Al"), ("Straße", "STRASSM", "Al")),
        (("😀 Ada", "🇬🇧 Ada", "🇬🇷 Ada"), ("😀 A", "🇬🇧 A", "🇬🇷 A")),
        (("👩‍🚀👩🏽‍🚀👩🏿‍🚀👨‍🚀", "👩‍🚀👩🏽‍🚀👩🏿‍🚀👩‍🚀"), ("👩‍🚀👩🏽‍🚀👩🏿‍🚀👨‍🚀", "👩‍🚀👩🏽‍🚀👩🏿‍🚀👩‍🚀")),
        (("अनिल कुमार", "क्षत्रिय सिंह"), ("अनिल", "क्षत्रिय")),
        (("x̌ýx̌z", "y"), ("x̌ýx̌", "y")),
        (("أحمد بن محمد", "أحمد بن علي"), ("أحم…م", "أحم…ع")),
        (("각각각각", "나"), ("각각각", "나")),
        (("Konstantin Meyer", "Konstantin Maier"), ("Kon…Me", "Kon…Ma")),
        (("W" * MAX_NAME, "W" * (MAX_NAME - 1) + "M"), ("WWW…WW", "WWW…WM")),
    ],
)
def test_a_short_form_tells_a_name_from_the_others_and_cuts_no_character(
    names: tuple[str, ...], short: tuple[str, ...]
) -> None:
    assert short_forms(names) == short


def test_no_two_short_forms_are_alike() -> None:
    # Without their middles, the second and the third would be.
    names = ("W" * 40, "W" * 39 + "M", "W" * 37 + "MWM", "Ann", "Anna", "ANNABEL", "Ann Lee", "🇬🇧🇬🇧🇬🇧🇬🇧", "🇬🇧🇬🇧🇬🇧")
    for order in permutations(names, 4):
        assert len({name_key(short) for short in short_forms(order)}) == 4


def test_a_name_that_fits_stands_in_full() -> None:
    assert short_forms(("Benedict", "Cleopatra"), 8) == ("Benedict", "Cleopatr")


def test_a_note_may_be_empty_and_is_tidied() -> None:
    assert clean_note("  ") == ""
    assert clean_note(" Ann  paid\nfor the pizza ") == "Ann paid for the pizza"


@pytest.mark.parametrize(("typed", "code"), [("x" * (MAX_NOTE + 1), "NOTE_TOO_LONG"), ("a\0b", "NAME_CHARACTER")])
def test_it_refuses_a_note_that_cannot_be_kept(typed: str, code: str) -> None:
    with pytest.raises(BadNote) as refused:
        clean_note(typed)
    assert refused.value.code == code

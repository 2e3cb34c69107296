"""Every code has a sentence in plain words, and every number is written as the reader writes it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask_babel import Babel, force_locale

import scorekeeper
from scorekeeper import words
from scorekeeper.ledger import AmbiguousAmount, MalformedAmount, parse_minor
from scorekeeper.rules import CARD_GAMES, MISDEAL, RULESETS, Field, FieldKind, Line, Option, Problem, Result, Seat, Suit

NAMES = ("Ann", "Ben", "Cleo", "Dan")
NUMBERS = (
    "change chips column decimals entered exponent held high line loser low max needs ordinary penalties per_penalty"
    " per_point points price target total tricks"
).split()
# What the values of a code may be, by their key. No sentence minds a value it does not need.
SAMPLES: dict[str, tuple[object, ...]] = {
    **dict.fromkeys(NUMBERS, (2, 1)),
    "player": (Seat(1), None),
    "players": ((Seat(0), Seat(1)),),
    "payer": (Seat(0),),
    "speaker": (Seat(1),),
    "payee": (Seat(2),),
    "partner": (Seat(2), None),
    "contract": ("half", "forced"),
    "bid": ("five", 3),
    "highest": ("six",),
    "base": ("five",),
    "trump": ("clubs", "none", "other", "any"),
    "suit": ("hearts", "none"),
    "result": ("made", "set"),
    "rule": ("lowest", "sweep"),
    "same": (True, False),
    "extra_deal": (True, False),
    "as_maker": (2, 3),
    "or_bid": (False, True),
    "as_dealer": (None, 3),
    "sum": (1, 3, 4, 0),
    "option": (Option("half.offered"), Option("half.needs", low=1, high=8), Option("drop", ("nobody",))),
    "other": ("hand",),
    "choices": (("Deal",), ("Deal", "Misdeal")),
    "currency": ("EUR",),
    "name": ("Eve",),
    "names": (("Eve", "Fay"),),
    "character": ("U+202E",),
    "lowest": ("7",),
    "error": ("No such file or directory",),
}


def written(*functions: str) -> set[str]:
    """Every code that the product gives one of *functions* first, read from its source."""
    return {
        call.args[0].value
        for path in Path(scorekeeper.__file__).parent.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in functions
        if call.args and isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str)
    }


def samples() -> Iterator[dict[str, object]]:
    """Values for any code: the first of each, and every other once."""
    first: dict[str, object] = {key: values[0] for key, values in SAMPLES.items()}
    yield first
    for key, values in SAMPLES.items():
        for value in values[1:]:
            yield first | {key: value}


def is_plain(sentence: str) -> bool:
    """Whether *sentence* reads as one: closed by a mark, and with no code, placeholder or Python left in it."""
    return bool(re.fullmatch(r"[A-Z“0-9].*[.?]", sentence)) and not re.search(
        r"[A-Z]_[A-Z]|[a-z]_[a-z]|%|None|True|False|Seat", sentence
    )


PROBLEMS = written("Problem", "BadName", "BadNote") - {"MALFORMED"}
REASONS = written("fault") | {"missing", "unknown", "type", "json", "encoding", "nesting", "unreadable"}
LINES = written("Line")


def test_the_codes_are_found() -> None:
    assert {"TRUMP_FIXED", "PLAYERS_COUNT", "HOUSE_RULE_VALUE", "NAME_TAKEN", "NAME_MISSING"} <= PROBLEMS
    assert {"twice", "DEALS_TOO_MANY", "decimals"} <= REASONS
    assert {"contract", "took", "misdeal", "payment"} <= LINES


@pytest.mark.parametrize("code", sorted(PROBLEMS))
def test_every_problem_has_its_sentence(code: str) -> None:
    count = {"players": 4} if code in ("PLAYERS_COUNT", "SEATS_FEW", "SEATS_MANY") else {}
    for values in samples():
        assert is_plain(words.problem_message(Problem(code, "tricks", {**values, **count, "reason": "club"}), NAMES))


@pytest.mark.parametrize("detail", ["club", "no-trump", "ruleset", "dealer", "named", "not-named", "not-opened"])
@pytest.mark.parametrize("nobody", [{}, {"player": None}], ids=["somebody", "nobody"])
@pytest.mark.parametrize("code", ["NO_THROW_IN", "MAKER_NOT_ALLOWED", "DROP_NOT_ALLOWED", "GUESS_MISMATCH"])
def test_every_detail_of_a_refusal_has_its_sentence(code: str, detail: str, nobody: dict[str, object]) -> None:
    values = next(samples()) | nobody | {"reason": detail}
    assert is_plain(words.problem_message(Problem(code, "tricks", values), NAMES))


@pytest.mark.parametrize("reason", sorted(REASONS))
def test_every_reason_why_a_key_is_malformed_has_its_sentence(reason: str) -> None:
    for values in samples():
        assert is_plain(words.problem_message(Problem("MALFORMED", "tricks", {**values, "reason": reason}), NAMES))


@pytest.mark.parametrize("code", sorted(LINES))
def test_every_line_of_an_explanation_has_its_sentence(code: str) -> None:
    for values in [*samples(), next(samples()) | {"bid": None}, next(samples()) | {"bid": None, "trump": "none"}]:
        assert is_plain(words.line_sentence(Line(code, values), NAMES))


def test_a_code_without_a_sentence_is_not_passed_over() -> None:
    with pytest.raises(KeyError):
        words.problem_message(Problem("NOBODY_WROTE_THIS", "tricks"))
    with pytest.raises(KeyError):
        words.line_sentence(Line("nobody-wrote-this"))


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (
            Problem("TRICKS_SUM", "tricks", {"sum": 7, "max": 8}),
            "The tricks add up to 7; they must add up to 8: one is missing.",
        ),
        (
            Problem("TRICKS_SUM", "tricks", {"sum": 3, "max": 5}),
            "The tricks add up to 3; they must add up to 5: 2 are missing.",
        ),
        (
            Problem("TRICKS_SUM", "tricks", {"sum": 9, "max": 8}),
            "The tricks add up to 9; they must add up to 8: one too many.",
        ),
        (
            Problem("TRICKS_RANGE", "tricks", {"max": 5, "player": Seat(1)}),
            "Tricks of Ben must be a whole number from 0 to 5.",
        ),
        (Problem("TRICKS_RANGE", "tricks", {"max": 8}), "Tricks must be a whole number from 0 to 8."),
        (
            Problem("BID_OUT_OF_TURN", "auction", {"player": Seat(0), "speaker": Seat(1)}),
            "Ben spoke out of turn: it was the turn of Ann.",
        ),
        (Problem("PARTNER_NOT_ALLOWED", "partner", {"contract": "five"}), "Five is played alone."),
        (
            Problem("PARTNER_NOT_ALLOWED", "partner", {"player": Seat(2)}),
            "The partner is Cleo, who sits opposite.",
        ),
        (
            Problem("CHIPS_SHORT", "chips", {"player": Seat(0), "held": 1}),
            "Ann has only 1 chip.",
        ),
        (
            Problem("CHIPS_SHORT", "chips", {"player": Seat(0), "held": -3}),
            "Ann has no chips to give back.",
        ),
        (Problem("TRUMP_FIXED", "trump", {"contract": "half"}), "Half is always played with clubs."),
        (Problem("TRUMP_FIXED", "trump", {"reason": "club"}), "A club was turned up, so clubs are trumps."),
        (Problem("PLAYERS_COUNT", "players", {"players": 4}), "This game needs 4 players with different names."),
        (
            Problem("CONTRACT_NOT_IN_RULESET", "contract", {"contract": "grand\x1b[31m slam" + "!" * 99}),
            "“grand\N{REPLACEMENT CHARACTER}[31m slam!!!!!!!!!!!!!!!!!!!!!!!!…” does not exist in the rules you chose.",
        ),
        (
            Problem("OPENING_SUM", "opening", {"sum": -1234}),
            "The chips must add up to zero; they add up to −1,234: that much too low.",
        ),
        (
            Problem(
                "MALFORMED",
                "house_rules.half.needs",
                {"reason": "HOUSE_RULE_VALUE", "option": Option("x", low=1, high=9)},
            ),
            "“Half: tricks needed” must be a whole number from 1 to 9.",
        ),
        (Problem("MALFORMED", "chip.currency", {"reason": "missing"}), "Missing: “chip.currency”."),
        (Problem("MALFORMED", "turn_up", {"reason": "missing"}), "Missing: “Turned up”."),
    ],
    ids=lambda value: value.code if isinstance(value, Problem) else "",
)
def test_a_refusal_says_what_was_expected(problem: Problem, message: str) -> None:
    assert words.problem_message(problem, NAMES) == message


def test_a_seat_without_a_name_is_counted_from_one() -> None:
    assert words.problem_message(Problem("BID_TWICE", "auction", {"player": Seat(0)})) == "Player 1 has already spoken."


def test_a_name_is_never_taken_for_a_placeholder() -> None:
    message = words.problem_message(Problem("BID_TWICE", "auction", {"player": Seat(0)}), ["100 %(x)s", "b", "c", "d"])
    assert message == "100 %(x)s has already spoken."


def test_every_ruleset_contract_suit_and_result_has_its_word() -> None:
    for ruleset_id, game in RULESETS.items():
        assert words.ruleset_title(ruleset_id) != ruleset_id
        assert words.game_name(game.id) != game.id
        table = game.open_table(game.ruleset(ruleset_id))
        for field in game.fields(table):
            assert words.field_label(field.name) != field.name
            for choice in field.choices if field.kind in (FieldKind.CHOICE, FieldKind.AUCTION) else ():
                named = {words.contract_name(choice), words.suit_name(choice), words.result_name(choice)}
                assert named != {choice}
    for suit in Suit:
        assert words.suit_name(suit) != suit
    for result in Result:
        assert words.result_name(result) != result


def stored(field: Field) -> object:
    """Something that may be stored for *field* of a deal that Ann, Ben, Cleo and Dan played."""
    match field.kind:
        case FieldKind.CHOICE:
            return field.choices[0]
        case FieldKind.CARD:
            return field.choices[0]
        case FieldKind.SEAT:
            return 1
        case FieldKind.SEATS:
            return [1, 2]
        case FieldKind.NUMBER:
            return 2
        case FieldKind.NUMBERS:
            return [2, 0, 3, 0, 0]
        case FieldKind.SUITS:
            return ["hearts", None, "clubs", None, None]
        case FieldKind.SUIT_LIST:
            return ["hearts", "clubs"]
        case FieldKind.AUCTION:
            return [[1, "pass"], [2, "half"]]
        case FieldKind.FLAG:
            return True


def test_every_fact_that_may_be_stored_is_said_in_words() -> None:
    tables = [game.open_table(rules) for game in CARD_GAMES.values() for rules in game.rulesets]
    facts = {field.name: stored(field) for table in tables for field in RULESETS[table.ruleset.id].fields(table)}
    for name, value in {**facts, "dealer": 1, **MISDEAL}.items():
        assert words.field_label(name) != name
        said = words.fact_words(name, value, NAMES, (0, 1, 2, 3))
        assert not re.search(r'["\[_]|^[a-z-]+$|^1$', said), (name, said)
    assert words.fact_words("dealer", 1, NAMES) == "Ben"


def test_numbers_by_seat_are_said_of_those_who_play() -> None:
    tricks = [2, 0, 3, 0, 0]
    assert words.fact_words("tricks", tricks, NAMES, (0, 1, 2)) == "Ann 2, Ben 0, Cleo 3"
    assert words.fact_words("tricks", [*tricks[:4], 1], NAMES, (0, 1, 2)) == "Ann 2, Ben 0, Cleo 3, Player 5 1"
    assert words.fact_words("tricks", tricks, NAMES) == "Ann 2, Ben 0, Cleo 3, Dan 0, Player 5 0"


def test_every_house_rule_and_its_values_have_their_words() -> None:
    for game in CARD_GAMES.values():
        for option in game.options:
            label = words.option_label(option.name)
            assert not re.search(r"[._]", label)
            assert label != option.name
            assert words.option_short_label(option.name) in label
            assert words.option_group_label(option.group) != option.group
            for choice in option.choices:
                assert words.option_value_label(choice) != choice
    assert [words.option_value_label(value) for value in (True, False, 1000, -3)] == ["Yes", "No", "1,000", "−3"]


def test_only_the_ruleset_whose_rates_look_swapped_has_a_notice() -> None:
    noticed = {ruleset_id for ruleset_id in RULESETS if words.ruleset_notice(ruleset_id)}
    assert noticed == {"mensch-russian-printed"}


def test_a_hint_tells_the_tricks_of_a_side_from_those_of_each_player() -> None:
    assert words.field_hint(Field("tricks", FieldKind.NUMBER)) == "What the declaring side took together."
    assert words.field_hint(Field("tricks", FieldKind.NUMBERS)) is None


@pytest.mark.parametrize(
    ("facts", "title"),
    [
        ({"contract": "half", "declarer": 0, "partner": 2, "trump": "clubs"}, "Half, Clubs: Ann with Cleo"),
        ({"contract": "half", "declarer": 0, "partner": 2}, "Half: Ann with Cleo"),
        ({"contract": "solo", "declarer": 1, "trump": "hearts"}, "Solo, Hearts: Ben"),
        ({"contract": "five-after", "declarer": 1}, "Five After: Ben"),
        ({"contract": "passed-out"}, "Thrown in"),
        ({"turn_up": "hearts", "passed_out": True}, "Thrown in"),
        ({"turn_up": "hearts", "maker": 3, "trump": "spades"}, "Spades: Dan"),
        ({"turn_up": "hearts", "maker": 3, "trump": "none", "bid": 4}, "No trump: Dan bid 4"),
        ({"turn_up": "hearts", "trump": "none"}, "No trump"),
        ({"turn_up": "clubs"}, "Clubs turned up"),
    ],
)
def test_a_deal_has_a_short_title(facts: dict[str, object], title: str) -> None:
    assert words.deal_title(facts, NAMES) == title


# --- numbers


@pytest.mark.parametrize(("value", "text"), [(0, "0"), (-1, "−1"), (12, "12"), (-1234567, "−1,234,567")])
def test_a_number_has_a_real_minus_sign_and_zero_has_none(value: int, text: str) -> None:
    assert words.number(value) == text


@pytest.mark.parametrize(("value", "text"), [(0, "0"), (-1, "−1"), (12, "+12")])
def test_a_change_has_its_sign_and_zero_has_none(value: int, text: str) -> None:
    assert words.signed(value) == text


@pytest.mark.parametrize(
    ("amount", "currency", "exponent", "text"),
    [
        (300, "EUR", 2, "€3.00"),
        (-5, "EUR", 2, "−€0.05"),
        (0, "EUR", 2, "€0.00"),
        (1523, "JPY", 0, "¥1,523"),
        (125, "BHD", 3, "BHD\N{NO-BREAK SPACE}0.125"),
        (1250, "HUF", 2, "HUF\N{NO-BREAK SPACE}12.50"),
        (10**15 + 1, "EUR", 2, "€10,000,000,000,000.01"),
    ],
)
def test_money_has_the_decimals_it_is_stored_with(amount: int, currency: str, exponent: int, text: str) -> None:
    assert words.money(amount, currency, exponent) == text


@pytest.mark.parametrize(
    ("locale", "number", "price"),
    [
        ("de", "−1.234", "−1.234,50\N{NO-BREAK SPACE}€"),
        ("fr", "−1\N{NARROW NO-BREAK SPACE}234", "−1\N{NARROW NO-BREAK SPACE}234,50\N{NO-BREAK SPACE}€"),
        ("ja", "−1,234", "−€1,234.50"),
    ],
)
def test_numbers_and_money_follow_the_locale(locale: str, number: str, price: str) -> None:
    app = Flask("test")
    Babel(app)
    with app.app_context(), force_locale(locale):
        assert words.number(-1234) == number
        assert words.money(-123450, "EUR", 2) == price
        assert words.signed(5) == "+5"


@pytest.mark.parametrize(
    ("typed", "currency", "exponent", "message"),
    [
        ("1,523", "EUR", 2, "This could mean €1.52 or €1,523.00. Write it without a mark for thousands."),
        ("abc", "EUR", 2, "Enter an amount, such as €0.25."),
        ("abc", "JPY", 0, "Enter an amount, such as ¥25."),
        ("abc", "BHD", 3, "Enter an amount, such as BHD\N{NO-BREAK SPACE}0.250."),
        ("-1", "EUR", 2, "An amount cannot be negative."),
        ("0.255", "EUR", 2, "EUR has 2 decimals, not more."),
        ("1.5", "JPY", 0, "JPY has no decimals: give a whole amount."),
        ("9" * 99, "EUR", 2, "The most is €10,000,000.00."),
    ],
)
def test_what_is_no_amount_is_told_why(typed: str, currency: str, exponent: int, message: str) -> None:
    with pytest.raises((AmbiguousAmount, MalformedAmount)) as refused:
        parse_minor(typed, exponent)
    error = refused.value
    assert isinstance(error, AmbiguousAmount | MalformedAmount)
    assert words.amount_message(error, currency, exponent) == message


def test_a_name_from_right_to_left_leaves_the_numbers_beside_it_in_their_place() -> None:
    line = Line("payment", {"payer": Seat(0), "payee": Seat(1), "chips": 2})

    assert words.line_sentence(line, ("Ann", "أحمد")) == "Ann pays \u2068أحمد\u2069 2 chips."
    assert words.line_sentence(line, ("Ann", "Zoé")) == "Ann pays Zoé 2 chips."

"""Whatever stands in a file, it is scored or refused with reasons; and what is written is read back as it was."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from scorekeeper import words
from scorekeeper.rules import RULESETS, Unit
from scorekeeper.sessionfile import BadFile, answer, parse, read_document, score, write_document

NAMES = ["Ann", "Ben", "Cleo", "Dan"]
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 10) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
NAME = st.sampled_from(NAMES)


def tricks_of(total: int) -> st.SearchStrategy[dict[str, int]]:
    """Tricks for each player that add up to *total*."""
    cuts = st.lists(st.integers(0, total), min_size=3, max_size=3).map(sorted)
    return cuts.map(lambda at: dict(zip(NAMES, (at[0], at[1] - at[0], at[2] - at[1], total - at[2]), strict=True)))


@st.composite
def mensch_deals(draw: st.DrawFn) -> dict[str, Any]:
    contract = draw(st.sampled_from(["half", "after", "forced", "five", "six-after", "solo"]))
    declarer, partner = draw(st.permutations(NAMES))[:2]
    deal = {"type": "deal", "contract": contract, "declarer": declarer, "tricks": draw(st.integers(0, 8))}
    clubs_only = contract in ("half", "after", "six-after")
    deal["trump"] = "clubs" if clubs_only else draw(st.sampled_from(["clubs", "spades", "hearts", "diamonds"]))
    return deal | ({"partner": partner} if contract in ("half", "after", "forced") else {})


@st.composite
def dirty_clubs_deals(draw: st.DrawFn) -> dict[str, Any]:
    turn_up = draw(st.sampled_from(["clubs", "spades"]))
    deal = {"type": "deal", "turn_up": turn_up, "tricks": draw(tricks_of(5))}
    if turn_up == "clubs":
        return deal
    return deal | draw(st.sampled_from([{"trump": "none"}, {"trump": "hearts", "maker": "Ben"}]))


CHIP_EVENTS = st.one_of(
    st.builds(
        lambda kind, name, chips: {"type": kind, "player": name, "chips": chips},
        st.sampled_from(["buy-in", "cash-out"]),
        NAME,
        st.integers(1, 100),
    ),
    st.builds(
        lambda pair, chips: {"type": "adjustment", "chips": {pair[0]: chips, pair[1]: -chips}, "note": "a wager"},
        st.permutations(NAMES),
        st.integers(1, 100),
    ),
    st.just({"type": "misdeal"}),
)


TABLE_EVENTS = st.one_of(
    st.builds(
        lambda names, stand_in: {"type": "seats", "players": names} | stand_in,
        st.permutations(NAMES).flatmap(
            lambda names: st.sampled_from([names, [*names, "Eve"], [*names[:3], "Eve"], names[:3], ["Fay", *names[1:]]])
        ),
        st.just({}) | st.just({"stand_ins": {"Cleo": "Gus"}}),
    ),
    st.builds(lambda name: {"type": "dealer", "player": name}, NAME),
)


def scorable(document: dict[str, Any]) -> bool:
    try:
        read_document(document)
    except BadFile:
        return False
    return True


@st.composite
def sessions(draw: st.DrawFn) -> dict[str, Any]:
    """A sitting of either game, with a new game wherever one has ended."""
    rules, deals = draw(st.sampled_from([("mensch", mensch_deals()), ("dirty-clubs", dirty_clubs_deals())]))
    document = {"format": "scorekeeper/session", "version": 1, "rules": rules, "players": NAMES, "dealer": draw(NAME)}
    if rules == "dirty-clubs":
        document["house_rules"] = {"stake_loser": draw(st.integers(0, 9)), "start": draw(st.integers(1, 9))}
    document["events"] = events = []
    for event in draw(st.lists(deals | CHIP_EVENTS | TABLE_EVENTS, max_size=8)):
        if score(read_document(document)).table.over:
            events.append({"type": "new-game"})
        events.append(event)
        # Somebody who sits out, or is not there, cannot have played.
        if not scorable(document):
            events.pop()
    return document


@given(sessions())
def test_a_file_that_is_written_is_read_back_as_it_was(document: dict[str, Any]) -> None:
    file = read_document(document)
    written = write_document(file)
    assert read_document(parse(json.dumps(written))) == file
    assert write_document(read_document(written)) == written


@given(sessions())
def test_the_answer_adds_up(document: dict[str, Any]) -> None:
    sheet = score(read_document(document))
    got = answer(sheet)
    assert sum(sheet.chips) == 0
    names = sheet.file.players
    owed = dict.fromkeys(names, 0)
    for transfer in got.get("transfers", []):
        owed[transfer["from"]] += transfer["chips"]
        owed[transfer["to"]] -= transfer["chips"]
    assert {total + owed[name] for name, total in zip(names, sheet.chips, strict=True)} == {0}
    assert {one["player"]: one["total"] for one in got["standings"]} == got["totals"]
    if sheet.file.game.unit is Unit.CHIPS:
        assert list(got["totals"].values()) == list(sheet.chips)
    for number, deal in enumerate(got["deals"], start=1):
        assert deal["number"] == number


@given(sessions())
def test_every_deal_is_explained_in_words(document: dict[str, Any]) -> None:
    sheet = score(read_document(document))
    for deal in sheet.deals:
        sentences = [words.line_sentence(line, sheet.file.players) for line in deal.score.lines]
        assert sentences
        assert all(sentence.endswith(".") for sentence in sentences)


def refusal(text: bytes | str) -> BadFile | None:
    """Why the file in *text* cannot be scored, if it cannot. Any other exception is a fault of the product."""
    try:
        answer(score(read_document(parse(text))))
    except BadFile as bad:
        return bad
    return None


def check_reasons(bad: BadFile) -> None:
    assert bad.problems
    assert all(words.problem_message(problem, bad.players) for problem in bad.problems)


@given(st.data())
def test_anything_in_place_of_any_value_is_scored_or_refused_with_reasons(data: st.DataObject) -> None:
    document = json.loads(json.dumps(data.draw(sessions())))
    places: list[tuple[Any, Any]] = []
    waiting: list[Any] = [document]
    while waiting:
        value = waiting.pop()
        inside = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ())
        places += [(value, key) for key, _ in inside]
        waiting += [item for _, item in inside]
    holder, key = data.draw(st.sampled_from(places))
    known = st.sampled_from([*NAMES, *RULESETS, "clubs", "none", "half", "deal", "new-game", "misdeal", 5, [], {}])
    holder[key] = data.draw(known | JSON_VALUES)
    if (bad := refusal(json.dumps(document))) is not None:
        check_reasons(bad)
        events = document["events"]
        assert 0 <= bad.event <= (len(events) if isinstance(events, list) else 0)


@given(JSON_VALUES | st.dictionaries(st.sampled_from(["format", "version", "rules", "players", "events"]), JSON_VALUES))
def test_any_document_that_is_no_session_is_refused_with_reasons(document: object) -> None:
    bad = refusal(json.dumps(document))
    assert bad is not None
    check_reasons(bad)


@given(st.binary(max_size=40) | st.text(max_size=40))
def test_any_text_that_is_no_session_is_refused_with_reasons(text: bytes | str) -> None:
    bad = refusal(text)
    assert bad is not None
    assert bad.event == 0
    check_reasons(bad)

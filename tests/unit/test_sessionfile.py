import copy
import json
from typing import Any

import pytest

from scorekeeper import sessionfile
from scorekeeper.limits import MAX_CHIPS, MAX_DEALS, MAX_EVENTS
from scorekeeper.rules import Problem, Seat
from scorekeeper.sessionfile import (
    Adjustment,
    BadFile,
    BuyIn,
    CashOut,
    Chip,
    DealEvent,
    DealtBy,
    MisdealEvent,
    NewGame,
    Seating,
    answer,
    parse,
    read_document,
    score,
    write_document,
)

NAMES = ["Ann", "Ben", "Cleo", "Dan"]
HALF = {"type": "deal", "contract": "half", "declarer": "Ann", "partner": "Cleo", "trump": "clubs", "tricks": 5}
SWEEP = {
    "type": "deal",
    "turn_up": "spades",
    "maker": "Ben",
    "trump": "hearts",
    "tricks": {"Ann": 0, "Ben": 5, "Cleo": 0, "Dan": 0},
}
NEW_GAME = {"type": "new-game"}


def mensch(*events: object, **head: object) -> dict[str, Any]:
    document = {"format": "scorekeeper/session", "version": 1, "rules": "mensch", "players": NAMES, **head}
    return copy.deepcopy({**document, "events": list(events)})


def dirty_clubs(*events: object, **head: object) -> dict[str, Any]:
    return mensch(*events, **{"rules": "dirty-clubs", **head})


def scored(document: object) -> dict[str, Any]:
    return answer(score(read_document(document)))


def refusal(document: object) -> tuple[int, list[Problem]]:
    with pytest.raises(BadFile) as refused:
        read_document(document)
    return refused.value.event, list(refused.value.problems)


def only_reason(document: object) -> tuple[int, str, object]:
    """The event, field and reason of the one malformed key."""
    event, problems = refusal(document)
    (problem,) = problems
    assert problem.code == "MALFORMED"
    return event, problem.field, problem.values["reason"]


# --- what a file says


def test_only_what_is_required_need_be_there() -> None:
    file = read_document(mensch())
    assert (file.players, file.dealer, file.opening, file.chip, file.events) == (tuple(NAMES), Seat(0), None, None, ())


def test_people_become_seats() -> None:
    deal = HALF | {
        "tricks_by_player": {"Dan": 2, "Cleo": 2, "Ben": 1, "Ann": 3},
        "auction": [["Ben", "pass"], ["Cleo", "pass"], ["Dan", "pass"], ["Ann", "half"]],
    }
    (event,) = read_document(mensch(deal)).events
    assert event == DealEvent(
        {
            "contract": "half",
            "declarer": 0,
            "partner": 2,
            "trump": "clubs",
            "tricks": 5,
            "tricks_by_player": [3, 1, 2, 2],
            "auction": [[1, "pass"], [2, "pass"], [3, "pass"], [0, "half"]],
        }
    )


def test_a_suit_may_be_named_by_some_and_the_dropped_may_be_left_out_of_the_tricks() -> None:
    deal = {
        "type": "deal",
        "turn_up": "spades",
        "maker": "Ben",
        "trump": "hearts",
        "named": {"Ben": "hearts"},
        "dropped": ["Cleo"],
        "tricks": {"Ann": 1, "Ben": 3, "Dan": 1},
    }
    file = read_document(dirty_clubs(deal, rules="buck-euchre"))
    assert isinstance(file.events[0], DealEvent)
    assert file.events[0].facts["named"] == [None, "hearts", None, None]
    assert score(file).totals == (24, 22, 25, 24)


def test_every_kind_of_event_is_read() -> None:
    events = [
        {"type": "buy-in", "player": "Ann", "chips": 20},
        HALF,
        {"type": "misdeal"},
        {"type": "adjustment", "chips": {"Ann": -2, "Dan": 2}, "note": " for the  pizza "},
        {"type": "cash-out", "player": "Ann", "chips": 19},
    ]
    read = read_document(mensch(*events)).events
    assert read[0] == BuyIn(Seat(0), 20)
    assert read[2:] == (MisdealEvent(), Adjustment((-2, 0, 0, 2), "for the pizza"), CashOut(Seat(0), 19))
    assert read_document(dirty_clubs(SWEEP, NEW_GAME)).events[1] == NewGame()


@pytest.mark.parametrize("name", ["ann", " Ann ", "\N{FULLWIDTH LATIN CAPITAL LETTER A}nn"])
def test_a_name_is_found_however_it_is_typed(name: str) -> None:
    assert read_document(mensch(HALF | {"declarer": name}, dealer=name)).events == read_document(mensch(HALF)).events


@pytest.mark.parametrize(
    ("value", "currency", "minor", "exponent"),
    [
        ("0.25", "EUR", 25, 2),
        ("5", "JPY", 5, 0),
        ("0.125", "BHD", 125, 3),
        ("1.5", "USD", 150, 2),
        ("2.50", "HUF", 250, 2),
    ],
)
def test_a_chip_has_its_price_in_minor_units(value: str, currency: str, minor: int, exponent: int) -> None:
    file = read_document(mensch(chip={"value": value, "currency": currency}))
    assert file.chip == Chip(minor, currency, exponent)


def test_a_price_can_be_that_of_several_chips() -> None:
    document = mensch(chip={"value": "1.00", "currency": "EUR", "chips": 3})
    file = read_document(document)
    assert file.chip == Chip(100, "EUR", 2, 3)
    assert write_document(file)["chip"] == document["chip"]
    assert "chips" not in write_document(read_document(mensch(chip={"value": "1.00", "currency": "EUR"})))["chip"]


@pytest.mark.parametrize("chips", [0, -1, 1.5, "3", True, None, 10**9])
def test_a_price_of_no_whole_number_of_chips_is_refused(chips: object) -> None:
    with pytest.raises(BadFile) as refused:
        read_document(mensch(chip={"value": "1.00", "currency": "EUR", "chips": chips}))
    assert [problem.field for problem in refused.value.problems] == ["chip.chips"]


# --- what comes of it


def test_deals_move_chips_and_the_dealer() -> None:
    got = scored(mensch(HALF, dealer="Dan"))
    assert got["deals"] == [
        {
            "number": 1,
            "game": 1,
            "dealer": "Dan",
            "result": "made",
            "change": {"Ann": 1, "Ben": -1, "Cleo": 1, "Dan": -1},
            "total": {"Ann": 1, "Ben": -1, "Cleo": 1, "Dan": -1},
        }
    ]
    assert (got["unit"], got["next_dealer"], got["finished"], got["winners"]) == ("chips", "Ann", False, [])


def test_a_misdeal_has_no_number_and_keeps_its_dealer() -> None:
    got = scored(mensch({"type": "misdeal"}, HALF, {"type": "misdeal"}))
    assert [(deal["number"], deal["dealer"]) for deal in got["deals"]] == [(1, "Ann")]
    assert got["next_dealer"] == "Ben"


def test_an_opening_sheet_is_carried_on_and_settled() -> None:
    got = scored(mensch(opening={"Ann": 3, "Ben": -3, "Cleo": 0, "Dan": 0}))
    assert got["totals"] == {"Ann": 3, "Ben": -3, "Cleo": 0, "Dan": 0}
    assert got["transfers"] == [{"from": "Ben", "to": "Ann", "chips": 3}]


def test_an_adjustment_counts_and_moves_neither_dealer_nor_number() -> None:
    got = scored(mensch({"type": "adjustment", "chips": {"Ann": 4, "Ben": -4}, "note": "a wager"}, HALF))
    assert got["totals"] == {"Ann": 5, "Ben": -5, "Cleo": 1, "Dan": -1}
    assert got["deals"][0]["total"] == got["totals"]
    assert (got["deals"][0]["number"], got["deals"][0]["dealer"]) == (1, "Ann")


def test_buying_in_and_cashing_out_change_neither_totals_nor_transfers() -> None:
    bought = [{"type": "buy-in", "player": name, "chips": 20} for name in NAMES]
    returned = [{"type": "cash-out", "player": "Ben", "chips": 19}]
    plain, moved = scored(mensch(HALF)), scored(mensch(*bought, HALF, *returned))
    assert plain == moved
    assert score(read_document(mensch(*bought, HALF, *returned))).in_hand == (21, 0, 21, 19)


@pytest.mark.parametrize(
    ("value", "currency", "amounts"),
    [("0.25", "EUR", ["3.00", "1.00"]), ("100", "JPY", ["1200", "400"]), ("0.125", "BHD", ["1.500", "0.500"])],
)
def test_transfers_are_in_chips_and_with_a_price_in_money(value: str, currency: str, amounts: list[str]) -> None:
    opening = {"Ann": 0, "Ben": 16, "Cleo": -12, "Dan": -4}
    got = scored(mensch(opening=opening, chip={"value": value, "currency": currency}))
    assert [(one["from"], one["to"], one["chips"]) for one in got["transfers"]] == [
        ("Cleo", "Ben", 12),
        ("Dan", "Ben", 4),
    ]
    assert [one["amount"] for one in got["transfers"]] == amounts
    assert {one["currency"] for one in got["transfers"]} == {currency}


def test_what_does_not_come_to_whole_money_is_spread_so_that_it_adds_up() -> None:
    opening = {"Ann": 4, "Ben": -1, "Cleo": -1, "Dan": -2}
    got = scored(mensch(opening=opening, chip={"value": "1.00", "currency": "EUR", "chips": 3}))
    assert got["transfers"] == [
        {"from": name, "to": "Ann", "amount": amount, "currency": "EUR"}
        for name, amount in (("Ben", "0.33"), ("Cleo", "0.33"), ("Dan", "0.67"))
    ]


def test_level_players_share_a_place_and_the_next_is_skipped() -> None:
    got = scored(mensch(HALF))
    assert [(one["place"], one["player"]) for one in got["standings"]] == [
        (1, "Ann"),
        (1, "Cleo"),
        (3, "Ben"),
        (3, "Dan"),
    ]


def test_points_have_no_transfers_unless_chips_are_put_on_a_game() -> None:
    assert "transfers" not in scored(dirty_clubs(SWEEP))
    got = scored(dirty_clubs(SWEEP, house_rules={"stake_loser": 4}))
    assert got["transfers"] == [{"from": name, "to": "Ben", "chips": 4} for name in ("Ann", "Cleo", "Dan")]


def test_chips_that_changed_hands_beside_the_points_are_settled_too() -> None:
    got = scored(dirty_clubs({"type": "adjustment", "chips": {"Ann": -1, "Ben": 1}, "note": ""}))
    assert got["totals"] == dict.fromkeys(NAMES, 25)
    assert got["transfers"] == [{"from": "Ann", "to": "Ben", "chips": 1}]


def test_a_new_game_starts_afresh_and_keeps_the_chips_won_before() -> None:
    got = scored(dirty_clubs(SWEEP, NEW_GAME, house_rules={"stake_loser": 4}))
    assert (got["finished"], got["winners"], got["next_dealer"]) == (False, [], "Ben")
    assert got["totals"] == dict.fromkeys(NAMES, 25)
    assert sum(one["chips"] for one in got["transfers"]) == 12
    second = scored(dirty_clubs(SWEEP, NEW_GAME, SWEEP, house_rules={"stake_loser": 4}))
    assert [(deal["number"], deal["game"]) for deal in second["deals"]] == [(1, 1), (2, 2)]
    assert sum(one["chips"] for one in second["transfers"]) == 24


def test_what_is_written_is_read_back_as_it_was() -> None:
    document = mensch(
        HALF
        | {
            "tricks_by_player": {"Ann": 3, "Ben": 1, "Cleo": 2, "Dan": 2},
            "auction": [["Dan", "pass"], ["Ann", "half"], ["Ben", "pass"], ["Cleo", "pass"]],
        },
        {"type": "misdeal"},
        {"type": "buy-in", "player": "Dan", "chips": 5},
        {"type": "adjustment", "chips": {"Ann": -2, "Ben": 0, "Cleo": 0, "Dan": 2}, "note": "Pizza"},
        {"type": "cash-out", "player": "Dan", "chips": 1},
        house_rules={"half.clubs_made": 3},
        dealer="Cleo",
        opening={"Ann": 1, "Ben": -1, "Cleo": 0, "Dan": 0},
        chip={"value": "0.25", "currency": "EUR"},
    )
    file = read_document(document)
    assert write_document(file) == document
    assert read_document(json.loads(json.dumps(write_document(file)))) == file


def test_files_that_say_different_things_differ() -> None:
    assert read_document(mensch(HALF)) != read_document(mensch(HALF | {"tricks": 6}))
    assert read_document(mensch()) != read_document(mensch(house_rules={"half.clubs_made": 3}))
    assert read_document(mensch()) != mensch()


# --- seats that change, and dealers out of turn


FIVE = [*NAMES, "Eve"]


def seats(*names: str, **stand_ins: str) -> dict[str, Any]:
    return {"type": "seats", "players": list(names)} | ({"stand_ins": stand_ins} if stand_ins else {})


def dealer(name: str) -> dict[str, Any]:
    return {"type": "dealer", "player": name}


def half(declarer: str, partner: str) -> dict[str, Any]:
    return HALF | {"declarer": declarer, "partner": partner}


def test_more_can_sit_down_and_sit_out_in_turn_if_the_file_says_so() -> None:
    file = read_document(mensch(half("Ben", "Cleo"), half("Ann", "Cleo"), players=FIVE, rotation=True))
    assert (file.players, file.began) == (tuple(FIVE), 5)
    got = answer(score(file))
    assert [deal["change"] for deal in got["deals"]] == [
        {"Ann": 0, "Ben": 1, "Cleo": 1, "Dan": -1, "Eve": -1},
        {"Ann": 1, "Ben": 0, "Cleo": 1, "Dan": -1, "Eve": -1},
    ]
    event, problems = refusal(mensch(HALF, players=FIVE, rotation=True))
    assert (event, [(problem.code, problem.field) for problem in problems]) == (1, [("NOT_PLAYING", "declarer")])


@pytest.mark.parametrize("head", [{}, {"rotation": False}])
def test_only_so_many_as_a_deal_needs_sit_down_if_the_file_does_not_say_so(head: dict[str, object]) -> None:
    _, (problem,) = refusal(mensch(players=FIVE, **head))
    assert (problem.code, problem.field) == ("PLAYERS_COUNT", "players")


@pytest.mark.parametrize("players", [NAMES[:3], [*FIVE, "Fay", "Gus"], [*NAMES, "ann"]])
def test_no_more_can_sit_down_than_can_sit_out(players: list[str]) -> None:
    _, (problem,) = refusal(mensch(players=players, rotation=True))
    assert (problem.code, problem.field) == ("PLAYERS_COUNT", "players")


def test_who_comes_late_has_an_account_from_then_on() -> None:
    events = [HALF, seats("Ann", "Ben", "Cleo", "Eve"), half("eve", "Ann"), seats(*NAMES), HALF]
    file = read_document(mensch(*events))
    assert (file.players, file.began) == (tuple(FIVE), 4)
    assert file.events[1] == Seating((Seat(0), Seat(1), Seat(2), Seat(4)))
    got = answer(score(file))
    assert [deal["total"] for deal in got["deals"]] == [
        {"Ann": 1, "Ben": -1, "Cleo": 1, "Dan": -1},
        {"Ann": 2, "Ben": -2, "Cleo": 0, "Dan": -1, "Eve": 1},
        {"Ann": 3, "Ben": -3, "Cleo": 1, "Dan": -2, "Eve": 1},
    ]
    assert got["totals"] == got["deals"][-1]["total"]
    assert len(got["standings"]) == 5
    assert sum(one["chips"] for one in got["transfers"] if one["to"] == "Eve") == 1


def test_who_comes_and_goes_before_a_deal_is_played_changes_no_deal() -> None:
    got = scored(mensch(seats("Eve", "Ann"), seats(*NAMES), HALF))
    plain = scored(mensch(HALF))
    assert (got["deals"], got["next_dealer"]) == (plain["deals"], plain["next_dealer"])
    assert got["totals"] == {**plain["totals"], "Eve": 0}


def test_the_deal_passes_on_from_a_dealer_who_has_left() -> None:
    assert scored(mensch(seats("Ben", "Cleo", "Dan")))["next_dealer"] == "Ben"
    assert scored(mensch(seats("Ben", "Cleo", "Dan"), seats(*NAMES)))["next_dealer"] == "Ann"


def test_who_stands_in_plays_on_the_account_of_another() -> None:
    file = read_document(mensch(seats(*NAMES, Ben="Eve"), half("Ann", "Ben")))
    assert file.events[0] == Seating(tuple(map(Seat, range(4))), {Seat(1): "Eve"})
    assert (file.players, file.people) == (tuple(NAMES), tuple(FIVE))
    assert answer(score(file))["totals"] == {"Ann": 1, "Ben": 1, "Cleo": -1, "Dan": -1}


def test_a_deal_out_of_turn_and_the_order_after_it() -> None:
    got = scored(mensch(dealer("Cleo"), {"type": "misdeal"}, HALF, HALF))
    assert [deal["dealer"] for deal in got["deals"]] == ["Cleo", "Dan"]
    assert read_document(mensch(dealer("Cleo"), HALF)).events[0] == DealtBy(Seat(2))
    assert scored(mensch(HALF, dealer("Dan")))["next_dealer"] == "Dan"
    assert scored(mensch(HALF, dealer("Dan"), seats(*NAMES)))["next_dealer"] == "Ben"


def test_who_sits_out_need_not_be_named_among_the_tricks() -> None:
    def of(**tricks: int) -> dict[str, Any]:
        return dirty_clubs({"type": "deal", "turn_up": "clubs", "tricks": tricks}, players=FIVE, rotation=True)

    for document in (of(Ben=2, Cleo=1, Dan=1, Eve=1), of(Ann=0, Ben=2, Cleo=1, Dan=1, Eve=1)):
        assert read_document(document).events == (DealEvent({"turn_up": "clubs", "tricks": [0, 2, 1, 1, 1]}),)
    _, (problem,) = refusal(of(Ann=1, Ben=2, Cleo=1, Dan=1))
    assert (problem.code, problem.field, problem.values["player"]) == ("MALFORMED", "tricks", Seat(4))


def test_too_few_can_wait_and_cannot_deal() -> None:
    event, problems = refusal(mensch(seats("Ann", "Ben", "Cleo"), HALF))
    assert (event, [(problem.code, problem.field) for problem in problems]) == (2, [("SEATS_FEW", "deal")])


@pytest.mark.parametrize(
    ("event", "field", "reason"),
    [
        ({"type": "seats"}, "players", "missing"),
        (seats("Ann"), "players", "SEATS_FEW"),
        (seats(*FIVE, "Fay", "Gus"), "players", "SEATS_MANY"),
        (seats(*NAMES, "ann"), "players", "SEAT_TAKEN"),
        (seats("Eve", "Fay", "eve"), "players", "SEAT_TAKEN"),
        ({"type": "seats", "players": "Ann"}, "players", "list"),
        ({"type": "seats", "players": ["Ann", 1]}, "players", "text"),
        ({"type": "seats", "players": ["Ann", " "]}, "players", "NAME_MISSING"),
        ({"type": "seats", "players": NAMES, "stand_ins": ["Eve"]}, "stand_ins", "object"),
        ({"type": "seats", "players": NAMES, "stand_ins": {"Ben": 1}}, "stand_ins", "text"),
        (seats(*NAMES, Eve="Ben"), "stand_ins", "player"),
        (seats("Ann", "Cleo", Ben="Eve"), "stand_ins", "NOT_AT_TABLE"),
        (seats(*NAMES, Ben="Ann"), "stand_ins", "twice"),
        (seats(*NAMES, Ben="Eve", Dan="eve"), "stand_ins", "twice"),
        ({**seats(*NAMES), "players_": 1}, "players_", "unknown"),
        ({"type": "dealer"}, "player", "missing"),
        (dealer("Eve"), "player", "player"),
        ({"type": "dealer", "player": 0}, "player", "name"),
        ({**dealer("Ann"), "note": ""}, "note", "unknown"),
        (HALF | {"dealer": "Ben"}, "dealer", "unknown"),
        (HALF | {"dealer": 1}, "dealer", "unknown"),
    ],
    ids=repr,
)
def test_it_refuses_malformed_seats_and_dealers_and_names_the_key(event: object, field: str, reason: str) -> None:
    assert only_reason(mensch(HALF, event, {})) == (2, field, reason)


def test_only_who_is_at_the_table_can_deal() -> None:
    assert only_reason(mensch(seats("Ann", "Ben", "Cleo"), dealer("Dan"))) == (2, "player", "NOT_AT_TABLE")


def test_fixed_partners_stay_where_they_sit() -> None:
    head = {"house_rules": {"partnership": "fixed"}}
    assert only_reason(mensch(seats("Ann", "Ben", "Cleo", "Eve"), **head)) == (1, "players", "PARTNERS_FIXED")
    assert read_document(mensch(seats(*NAMES, Ben="Eve"), **head)).people == tuple(FIVE)


@pytest.mark.parametrize("rotation", ["yes", 1, None])
def test_rotation_is_yes_or_no(rotation: object) -> None:
    assert only_reason(mensch(rotation=rotation)) == (0, "rotation", "type")


def test_seats_and_dealers_are_written_and_read_back_as_they_were() -> None:
    document = mensch(
        {"type": "adjustment", "chips": {**dict.fromkeys(FIVE, 0), "Ann": 1, "Eve": -1}, "note": "Pizza"},
        seats("Ann", "Fay", "Ben", "Dan", Dan="Gus"),
        {"type": "buy-in", "player": "Fay", "chips": 5},
        dealer("Fay"),
        half("Fay", "Dan"),
        dealer("Ann"),
        players=FIVE,
        rotation=True,
        dealer="Eve",
        house_rules={},
    )
    file = read_document(document)
    assert write_document(file) == document
    assert "rotation" not in write_document(read_document(mensch(rotation=True)))


# --- refusals


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "json"),
        ("{", "json"),
        ("{} {}", "json"),
        (b"\xff\xfe{}", "encoding"),
        ('{"note": "\\ud800"}', "encoding"),
        ('{"a": 1, "a": 2}', "twice"),
        ('{"events": [{"b": 1, "b": 1}]}', "twice"),
        ("[NaN]", "number"),
        ("[-Infinity]", "number"),
        ("[1e999]", "number"),
        ("[" + "9" * 5000 + "]", "number"),
        ("[" * 100_000 + "]" * 100_000, "nesting"),
        (b" " * (sessionfile.MAX_BYTES + 1), "size"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_it_refuses_text_that_is_not_one_clear_document(text: str | bytes, reason: str) -> None:
    with pytest.raises(BadFile) as refused:
        parse(text)
    (problem,) = refused.value.problems
    assert (refused.value.event, problem.code, problem.values["reason"]) == (0, "MALFORMED", reason)


@pytest.mark.parametrize("text", ['{"a": 1}', b'{"a": 1}', b'\xef\xbb\xbf{"a": 1}', '\ufeff{"a": 1}'])
def test_a_byte_order_mark_does_no_harm(text: str | bytes) -> None:
    assert parse(text) == {"a": 1}


@pytest.mark.parametrize("document", [None, [], "mensch", 1, True])
def test_it_refuses_a_document_that_is_no_object(document: object) -> None:
    assert only_reason(document) == (0, "", "object")


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ({"format": "scorekeeper/score"}, "format", "choice"),
        ({"version": 2}, "version", "choice"),
        ({"version": True}, "version", "choice"),
        ({"version": 1.0}, "version", "choice"),
        ({"rules": "bridge"}, "rules", "choice"),
        ({"rules": ["mensch"]}, "rules", "choice"),
        ({"house_rules": None}, "house_rules", "object"),
        ({"house_rules": {"half.mad": 3}}, "house_rules.half.mad", "HOUSE_RULE_UNKNOWN"),
        ({"house_rules": {"half.made": -1}}, "house_rules.half.made", "HOUSE_RULE_VALUE"),
        ({"house_rules": {"half.made": True}}, "house_rules.half.made", "HOUSE_RULE_VALUE"),
        ({"house_rules": {"cards": 36}}, "house_rules.cards", "HOUSE_RULE_CONFLICT"),
        ({"players": "Ann"}, "players", "list"),
        ({"players": ["Ann", "Ben", "Cleo", 4]}, "players", "text"),
        ({"players": ["Ann", "Ben", "Cleo", "x" * 41]}, "players", "NAME_TOO_LONG"),
        ({"players": ["Ann", "Ben", "Cleo", "D\u202ean"]}, "players", "NAME_CHARACTER"),
        ({"dealer": "Eve"}, "dealer", "player"),
        ({"dealer": 0}, "dealer", "name"),
        ({"dealer": None}, "dealer", "name"),
        ({"opening": [0, 0, 0, 0]}, "opening", "object"),
        ({"opening": {"Ann": 0}}, "opening", "player-missing"),
        ({"opening": {"Ann": 1, "Ben": 0, "Cleo": 0, "Dan": 0}}, "opening", "OPENING_SUM"),
        ({"opening": {"Ann": 0.0, "Ben": 0, "Cleo": 0, "Dan": 0}}, "opening", "OPENING_RANGE"),
        ({"opening": {"Ann": 0, "ann": 0, "Ben": 0, "Cleo": 0, "Dan": 0}}, "opening", "twice"),
        ({"opening": {"Ann": 10**12, "Ben": -(10**12), "Cleo": 0, "Dan": 0}}, "opening", "OPENING_RANGE"),
        ({"chip": "0.25"}, "chip", "object"),
        ({"chip": {"value": "0.25"}}, "chip.currency", "missing"),
        ({"chip": {"value": 0.25, "currency": "EUR"}}, "chip.value", "text"),
        ({"chip": {"value": "0,25", "currency": "EUR"}}, "chip.value", "decimal"),
        ({"chip": {"value": "-1", "currency": "EUR"}}, "chip.value", "decimal"),
        ({"chip": {"value": "0.001", "currency": "EUR"}}, "chip.value", "decimals"),
        ({"chip": {"value": "0.5", "currency": "JPY"}}, "chip.value", "decimals"),
        ({"chip": {"value": "0", "currency": "EUR"}}, "chip.value", "money"),
        ({"chip": {"value": "99999999999", "currency": "EUR"}}, "chip.value", "money"),
        ({"chip": {"value": "1", "currency": "XYZ"}}, "chip.currency", "currency"),
        ({"chip": {"value": "1", "currency": "EUR", "rate": 1}}, "chip.rate", "unknown"),
        ({"event": []}, "event", "unknown"),
        ({"events": {}}, "events", "list"),
    ],
    ids=repr,
)
def test_it_refuses_a_fault_in_the_head_and_names_the_key(change: dict[str, object], field: str, reason: str) -> None:
    assert only_reason(mensch() | change) == (0, field, reason)


@pytest.mark.parametrize("key", ["format", "version", "rules", "players", "events"])
def test_it_refuses_a_document_without_a_required_key(key: str) -> None:
    document = mensch()
    del document[key]
    assert only_reason(document) == (0, key, "missing")


@pytest.mark.parametrize(
    "players",
    [[], NAMES[:3], [*NAMES, "Eve"], ["Ann", "Ben", "Cleo", "ann "], ["Ann", "Ben", "Cleo", " "], ["Ann"] * 4],
    ids=repr,
)
def test_it_refuses_too_few_too_many_or_nameless_players(players: list[str]) -> None:
    event, problems = refusal(mensch(players=players))
    assert (event, [(problem.code, problem.field, problem.values) for problem in problems]) == (
        0,
        [("PLAYERS_COUNT", "players", {"players": 4})],
    )


def test_it_tells_every_fault_of_the_head_at_once() -> None:
    _, problems = refusal(mensch(dealer="Eve", opening=1, chip={"value": "x", "currency": "EUR"}, evnts=[]))
    assert {problem.field for problem in problems} == {"dealer", "opening", "chip.value", "evnts"}


@pytest.mark.parametrize(
    ("event", "field", "reason"),
    [
        (None, "", "object"),
        ([], "", "object"),
        ({}, "type", "missing"),
        ({"type": "Deal"}, "type", "choice"),
        ({"type": ["deal"]}, "type", "choice"),
        ({"type": "misdeal", "note": ""}, "note", "unknown"),
        (HALF | {"misdeal": True}, "misdeal", "unknown"),
        ({"type": "new-game"}, "type", "GAME_NOT_OVER"),
        ({"type": "buy-in", "player": "Eve", "chips": 1}, "player", "player"),
        ({"type": "buy-in", "player": "Ann", "chips": 0}, "chips", "CHIPS_RANGE"),
        ({"type": "buy-in", "player": "Ann", "chips": MAX_CHIPS + 1}, "chips", "CHIPS_RANGE"),
        ({"type": "buy-in", "player": "Ann", "chips": "1"}, "chips", "CHIPS_RANGE"),
        ({"type": "buy-in", "player": "Ann"}, "chips", "missing"),
        ({"type": "adjustment", "chips": {"Ann": 1}, "note": ""}, "chips", "ADJUSTMENT_SUM"),
        ({"type": "adjustment", "chips": {}, "note": ""}, "chips", "ADJUSTMENT_EMPTY"),
        ({"type": "adjustment", "chips": {"Eve": 1}, "note": ""}, "chips", "player"),
        ({"type": "adjustment", "chips": {"Ann": 1, "Ben": -1}, "note": 5}, "note", "text"),
        ({"type": "adjustment", "chips": {"Ann": 1, "Ben": -1}, "note": "x" * 201}, "note", "NOTE_TOO_LONG"),
        (HALF | {"declarer": "Eve"}, "declarer", "player"),
        (HALF | {"declarer": 0}, "declarer", "name"),
        (HALF | {"partner": None}, "partner", "name"),
        (HALF | {"trick": 5}, "trick", "unknown"),
        (HALF | {"trump": 5}, "trump", "type"),
        (HALF | {"auction": "pass"}, "auction", "list"),
        (HALF | {"auction": [["Ben"]]}, "auction", "pairs"),
        (HALF | {"tricks_by_player": [5, 1, 1, 1]}, "tricks_by_player", "object"),
        (HALF | {"tricks_by_player": {"Ann": 5, "Ben": 3, "Cleo": 0}}, "tricks_by_player", "player-missing"),
        (
            HALF | {"tricks_by_player": {"Ann": 5, "Ben": 3, "Cleo": 0, "Dan": None}},
            "tricks_by_player",
            "player-missing",
        ),
    ],
    ids=repr,
)
def test_it_refuses_a_malformed_event_and_names_the_key(event: object, field: str, reason: str) -> None:
    assert only_reason(mensch(HALF, event, {})) == (2, field, reason)


def test_it_tells_every_problem_of_a_deal_at_once() -> None:
    event, problems = refusal(mensch(HALF | {"declarer": "Eve", "partner": "Ann", "trump": "hearts", "tricks": 9}))
    assert event == 1
    assert {(problem.field, problem.code) for problem in problems} == {
        ("declarer", "MALFORMED"),
        ("trump", "TRUMP_FIXED"),
        ("tricks", "TRICKS_RANGE"),
    }


def test_the_first_event_that_fails_is_told_whatever_is_wrong_with_later_ones() -> None:
    event, problems = refusal(mensch(HALF, HALF | {"tricks": 9}, {"type": "nonsense"}, "nonsense"))
    assert (event, [problem.code for problem in problems]) == (2, ["TRICKS_RANGE"])


def test_it_refuses_a_deal_after_the_end_of_a_game() -> None:
    event, problems = refusal(dirty_clubs(SWEEP, SWEEP))
    assert (event, [problem.code for problem in problems]) == (2, ["GAME_OVER"])
    event, problems = refusal(dirty_clubs(SWEEP, {"type": "misdeal"}))
    assert (event, [problem.code for problem in problems]) == (2, ["GAME_OVER"])


@pytest.mark.parametrize("events", [[NEW_GAME], [SWEEP, NEW_GAME, NEW_GAME]])
def test_it_refuses_a_new_game_before_the_end_of_the_last(events: list[object]) -> None:
    assert only_reason(dirty_clubs(*events)) == (len(events), "type", "GAME_NOT_OVER")


def test_chips_can_have_been_cashed_out_that_a_correction_took_away() -> None:
    returned = {"type": "cash-out", "player": "Ann", "chips": 2}
    assert score(read_document(mensch(HALF, returned))).in_hand == (-1, -1, 1, -1)


def test_it_refuses_more_events_or_deals_than_a_session_can_have() -> None:
    assert only_reason(mensch(*[{"type": "misdeal"}] * (MAX_EVENTS + 1))) == (0, "events", "events")
    many = mensch()
    many["events"] = [{"type": "misdeal"}] * (MAX_DEALS + 1)
    assert only_reason(many) == (MAX_DEALS + 1, "type", "DEALS_TOO_MANY")


def test_a_refusal_knows_the_names_of_the_seats_it_speaks_of() -> None:
    with pytest.raises(BadFile) as refused:
        read_document(mensch({"type": "new-game"}))
    assert refused.value.players == tuple(NAMES)

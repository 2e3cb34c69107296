"""Ledger entries, balances, results and standings."""

from collections.abc import Callable

import pytest

from scorekeeper.ledger import (
    EntryKind,
    LedgerEntry,
    PlayerId,
    Standing,
    UnbalancedLedger,
    balances,
    results,
    standings,
)

ANN, BEN, CLEO = PlayerId(1), PlayerId(2), PlayerId(3)


def posting(number: int, kind: EntryKind, chips: dict[PlayerId | None, int]) -> list[LedgerEntry]:
    return [LedgerEntry(player, kind, amount, number) for player, amount in chips.items()]


def test_balances_add_up_everything_on_a_players_account() -> None:
    ledger = [
        *posting(1, EntryKind.BUY_IN, {ANN: 20, None: -20}),
        *posting(2, EntryKind.DEAL, {ANN: -3, BEN: 2, CLEO: 1}),
        *posting(3, EntryKind.TRANSFER, {ANN: 3, BEN: -2, CLEO: -1}),
        *posting(4, EntryKind.CASH_OUT, {ANN: -20, None: 20}),
        *posting(5, EntryKind.ADJUSTMENT, {BEN: 5, CLEO: -5}),
    ]
    assert balances(ledger) == {ANN: 0, BEN: 5, CLEO: -5}


def test_chips_bought_are_owed_by_the_bank_which_has_no_balance() -> None:
    assert balances(posting(1, EntryKind.BUY_IN, {ANN: 20, None: -20})) == {ANN: 20}


def test_results_are_what_was_won_whatever_was_bought_given_back_or_paid() -> None:
    ledger = [
        *posting(1, EntryKind.BUY_IN, {ANN: 20, None: -20}),
        *posting(2, EntryKind.DEAL, {ANN: -3, BEN: 3}),
        *posting(3, EntryKind.ADJUSTMENT, {ANN: 1, BEN: -1}),
        *posting(4, EntryKind.TRANSFER, {ANN: 2, BEN: -2}),
        *posting(5, EntryKind.CASH_OUT, {CLEO: -1, None: 1}),
    ]
    assert results(ledger) == {ANN: -2, BEN: 2, CLEO: 0}


def test_a_reversal_leaves_nothing_of_what_it_reverses() -> None:
    ledger = [
        *posting(1, EntryKind.DEAL, {ANN: -3, BEN: 3}),
        *posting(2, EntryKind.DEAL, {ANN: 3, BEN: -3}),
    ]
    assert balances(ledger) == results(ledger) == {ANN: 0, BEN: 0}


def test_an_empty_ledger_has_no_balances() -> None:
    assert balances([]) == results([]) == {}


@pytest.mark.parametrize("total", [balances, results])
def test_postings_that_only_balance_together_are_refused(total: Callable[[list[LedgerEntry]], object]) -> None:
    ledger = [
        *posting(1, EntryKind.DEAL, {ANN: 3, BEN: -3}),
        *posting(2, EntryKind.BUY_IN, {ANN: 3}),
        *posting(3, EntryKind.BUY_IN, {None: -3}),
    ]
    with pytest.raises(UnbalancedLedger) as refused:
        total(ledger)
    assert (refused.value.posting, refused.value.difference) == (2, 3)


def test_equal_totals_share_a_place_and_the_next_is_skipped() -> None:
    assert standings({"Ann": 0, "Ben": 5, "Cleo": 0, "Dan": -5}) == (
        Standing(1, "Ben", 5),
        Standing(2, "Ann", 0),
        Standing(2, "Cleo", 0),
        Standing(4, "Dan", -5),
    )


def test_the_lowest_total_wins_where_points_count_down() -> None:
    ranked = standings({"Ann": 3, "Ben": -2, "Cleo": 3, "Dan": 0}, lowest_wins=True)
    assert [(standing.place, standing.player) for standing in ranked] == [
        (1, "Ben"),
        (2, "Dan"),
        (3, "Ann"),
        (3, "Cleo"),
    ]


@pytest.mark.parametrize("lowest_wins", [False, True])
def test_ties_keep_the_order_given(lowest_wins: bool) -> None:
    ranked = standings({"Dan": 1, "Ann": 1, "Cleo": 1}, lowest_wins=lowest_wins)
    assert [(standing.place, standing.player) for standing in ranked] == [(1, "Dan"), (1, "Ann"), (1, "Cleo")]


def test_nobody_has_no_standings() -> None:
    assert standings({}) == ()

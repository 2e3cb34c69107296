"""Settlement plans: they clear every balance, in the fewest transfers, whatever the order."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from random import Random

from hypothesis import example, given
from hypothesis import strategies as st

from scorekeeper.ledger import Choices, Plan, plan_beside_bank, plan_settlement, plan_with


def balanced(most: int, largest: int) -> st.SearchStrategy[dict[int, int]]:
    """Balances of 1 to *most* people, by seat, that sum to zero; all but the last within *largest*."""
    amounts = st.lists(st.integers(-largest, largest), max_size=most - 1)
    return amounts.map(lambda others: dict(enumerate([*others, -sum(others)])))


def partitions(people: Sequence[int]) -> Iterator[list[list[int]]]:
    """Every way to split *people* into groups."""
    if not people:
        yield []
        return
    first, rest = people[0], people[1:]
    for groups in partitions(rest):
        yield [[first], *groups]
        for place, group in enumerate(groups):
            yield [*groups[:place], [first, *group], *groups[place + 1 :]]


def fewest(amounts: Sequence[int]) -> int:
    """The fewest transfers, by trying every split: a group that sums to zero takes one fewer than it has people."""
    return min(len(amounts) - len(groups) for groups in partitions(amounts) if all(sum(group) == 0 for group in groups))


@given(st.one_of(balanced(12, 9), balanced(16, 1000), balanced(30, 50)))
def test_a_plan_clears_every_balance(balances: dict[int, int]) -> None:
    plan = plan_settlement(balances)
    left = dict(balances)
    for transfer in plan:
        assert transfer.amount > 0
        left[transfer.payer] += transfer.amount
        left[transfer.payee] -= transfer.amount
    assert set(left.values()) == {0}
    assert len(plan) <= max(0, sum(balance != 0 for balance in balances.values()) - 1)


@given(st.one_of(balanced(16, 9), balanced(30, 50)))
def test_only_who_owes_pays_and_only_who_is_owed_is_paid_once_a_pair(balances: dict[int, int]) -> None:
    plan = plan_settlement(balances)
    assert all(balances[transfer.payer] < 0 < balances[transfer.payee] for transfer in plan)
    pairs = [(transfer.payer, transfer.payee) for transfer in plan]
    assert pairs == sorted(set(pairs))


@given(st.one_of(balanced(7, 3), balanced(7, 8)))
def test_no_plan_takes_fewer_transfers(balances: dict[int, int]) -> None:
    amounts = [balance for balance in balances.values() if balance]
    assert len(plan_settlement(balances)) == fewest(amounts)


@given(st.one_of(balanced(12, 5), balanced(20, 5)), st.randoms(use_true_random=False))
def test_equal_balances_give_an_equal_plan(balances: dict[int, int], random: Random) -> None:
    seats = random.sample(sorted(balances), len(balances))
    assert plan_settlement({seat: balances[seat] for seat in seats}) == plan_settlement(balances)


@given(balanced(12, 5), st.integers(2, 100))
def test_a_price_per_chip_multiplies_the_amounts_and_changes_nothing_else(balances: dict[int, int], price: int) -> None:
    in_chips = [(transfer.payer, transfer.payee, transfer.amount * price) for transfer in plan_settlement(balances)]
    in_money = plan_settlement({seat: balance * price for seat, balance in balances.items()})
    assert [(transfer.payer, transfer.payee, transfer.amount) for transfer in in_money] == in_chips


@given(balanced(6, 8), st.lists(st.integers(0, 9), min_size=6, max_size=6))
def test_beside_the_bank_everybody_gets_what_is_owed_in_the_fewest_transfers(
    balances: dict[int, int], kept: list[int]
) -> None:
    claims = {seat: balance - kept[seat] for seat, balance in balances.items()}
    plan = plan_beside_bank(claims)
    left = dict(claims)
    for transfer in plan:
        assert transfer.amount > 0
        left[transfer.payer] += transfer.amount
        left[transfer.payee] -= transfer.amount
    # Nobody is owed anything any more, and nobody has paid more than they owed.
    assert all(min(claims[seat], 0) <= left[seat] <= 0 for seat in claims)
    amounts = [claim for claim in claims.values() if claim]
    ways = (groups for groups in partitions(amounts) if all(sum(group) <= 0 for group in groups))
    assert len(plan) == min(len(amounts) - len(groups) for groups in ways)


def choices_among(people: int, least: int = 1) -> st.SearchStrategy[Choices[int]]:
    """Every kind of choice, alone and together."""
    seats = st.integers(0, people - 1)
    pairs = st.sets(st.sampled_from(list(combinations(range(people), 2)))).map(tuple)
    return st.builds(
        Choices,
        banker=st.none() | seats,
        least=st.integers(least, 6),
        step=st.sampled_from([1, 1, 2, 5]),
        apart=pairs,
        keeper=st.none() | seats,
    )


def after(balances: Mapping[int, int], plan: Plan[int]) -> dict[int, int]:
    """What is left of *balances* once the transfers of *plan* are made."""
    left = dict(balances)
    for transfer in plan.transfers:
        left[transfer.payer] += transfer.amount
        left[transfer.payee] -= transfer.amount
    return left


@given(st.integers(2, 8).flatmap(lambda people: st.tuples(balanced(people, 12), choices_among(people))))
def test_a_plan_does_as_is_chosen_and_says_what_it_leaves_open(case: tuple[dict[int, int], Choices[int]]) -> None:
    balances, choices = case
    plan = plan_with(balances, choices)
    assert after(balances, plan) == plan.left
    assert sum(plan.left.values()) == 0
    for transfer in plan.transfers:
        assert transfer.amount >= choices.least
        assert transfer.amount % choices.step == 0
        assert choices.may_pay(transfer.payer, transfer.payee)
        if choices.banker in balances and not choices.apart:
            assert choices.banker in (transfer.payer, transfer.payee)


@example(({0: 0, 1: -5, 2: -6, 3: 11}, Choices(banker=0, least=10)))
@example(({0: -5, 1: 3, 2: 2}, Choices(least=4, apart=((0, 1),))))
@given(st.integers(3, 8).flatmap(lambda people: st.tuples(balanced(people, 12), choices_among(people, least=2))))
def test_nobody_is_left_further_from_zero_than_they_are_by_the_step_alone(
    case: tuple[dict[int, int], Choices[int]],
) -> None:
    balances, choices = case
    by_step = plan_with(balances, Choices(step=choices.step)).left
    left = plan_with(balances, choices).left
    for seat, balance in balances.items():
        due, stays = balance - by_step[seat], left[seat] - by_step[seat]
        assert min(0, due) <= stays <= max(0, due)
        if choices.step == 1:
            assert abs(left[seat]) <= abs(balance)
            assert left[seat] * balance >= 0


@given(balanced(6, 9), st.integers(2, 9))
def test_a_step_leaves_less_than_itself_to_everybody(balances: dict[int, int], step: int) -> None:
    assert all(abs(left) < step for left in plan_with(balances, Choices(step=step)).left.values())


@given(balanced(7, 9), st.integers(0, 6))
def test_without_choices_it_is_the_fewest_transfers(balances: dict[int, int], banker: int) -> None:
    assert plan_with(balances, Choices()) == Plan(plan_settlement(balances), dict.fromkeys(balances, 0))
    through = plan_with(balances, Choices(banker=banker))
    if banker in balances:
        assert len(through.transfers) == sum(1 for seat in balances if balances[seat] and seat != banker)
        assert not any(through.left.values())


def can_settle(balances: Mapping[int, int], links: Sequence[tuple[int, int]]) -> bool:
    """Whether payments along *links* and no others can bring *balances* to zero."""
    group = {seat: seat for seat in balances}
    for link in links:
        one, other = (group[seat] for seat in link)
        group = {seat: one if name == other else name for seat, name in group.items()}
    return all(
        sum(balances[seat] for seat in balances if group[seat] == name) == 0 for name in sorted(set(group.values()))
    )


@given(st.integers(2, 5).flatmap(lambda people: st.tuples(balanced(people, 4), choices_among(people))))
def test_where_some_are_apart_no_plan_takes_fewer_transfers(case: tuple[dict[int, int], Choices[int]]) -> None:
    balances, choices = case
    plan = plan_with(balances, Choices(apart=choices.apart))
    settled = {seat: balance - plan.left[seat] for seat, balance in balances.items()}
    links = [pair for pair in combinations(balances, 2) if choices.may_pay(*pair)]
    ways = (used for size in range(len(links) + 1) for used in combinations(links, size))
    assert len(plan.transfers) == len(next(used for used in ways if can_settle(settled, used)))
    # Nothing is left open that could have been settled.
    assert any(plan.left.values()) != can_settle(balances, links)


@given(balanced(6, 8), st.lists(st.integers(0, 9), min_size=6, max_size=6), choices_among(6))
def test_beside_the_bank_the_choices_hold_too(balances: dict[int, int], kept: list[int], choices: Choices[int]) -> None:
    claims = {seat: balance - kept[seat] for seat, balance in balances.items()}
    plan = plan_with(claims, choices)
    left = after(claims, plan)
    # The bank keeps from those who owe, and exactly what is its own.
    keeps = {seat: plan.left[seat] - left[seat] for seat in claims}
    assert all(0 <= keeps[seat] <= max(0, -claims[seat]) for seat in claims)
    assert sum(keeps.values()) == -sum(claims.values())
    assert sum(plan.left.values()) == 0

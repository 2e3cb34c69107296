"""Settlement plans: they clear every balance, in the fewest transfers, whatever the order."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations, product
from random import Random

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from scorekeeper.ledger import Choices, Plan, Transfer, plan_settlement, plan_with, settles


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


@given(st.one_of(balanced(12, 9), balanced(12, 1000), balanced(30, 50)))
def test_a_plan_clears_every_balance(balances: dict[int, int]) -> None:
    plan = plan_settlement(balances)
    left = dict(balances)
    for transfer in plan:
        assert transfer.amount > 0
        left[transfer.payer] += transfer.amount
        left[transfer.payee] -= transfer.amount
    assert set(left.values()) == {0}
    assert len(plan) <= max(0, sum(balance != 0 for balance in balances.values()) - 1)


@given(st.one_of(balanced(12, 9), balanced(30, 50)))
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
    balances, choices = case[0], replace(case[1], banker=case[1].banker if case[1].banker in case[0] else None)
    plan = plan_with(balances, choices)
    assert after(balances, plan) == plan.left
    assert sum(plan.left.values()) == 0
    for transfer in plan.transfers:
        assert transfer.amount >= choices.least
        assert transfer.amount % choices.step == 0
        assert choices.may_pay(transfer.payer, transfer.payee)


@example(({0: -4, 1: 0, 2: 10, 3: -6}, Choices(banker=1, apart=((0, 1),))))
@given(st.integers(2, 8).flatmap(lambda people: st.tuples(balanced(people, 12), choices_among(people))))
def test_who_may_not_pay_the_banker_pays_one_other_and_all_who_may_pay_only_the_banker(
    case: tuple[dict[int, int], Choices[int]],
) -> None:
    balances, choices = case
    banker = choices.banker
    assume(banker in balances)
    barred = {seat for pair in choices.apart if banker in pair for seat in pair} - {banker}
    others = balances.keys() - barred - {banker}
    transfers = plan_with(balances, choices).transfers
    for seat in others:
        assert {one for pair in paying(transfers, seat) for one in pair} <= {seat, banker} | barred
    for seat in barred:
        if any(choices.may_pay(seat, other) for other in others):
            assert len([pair for pair in paying(transfers, seat) if not barred.issuperset(pair)]) <= 1


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


def paying(transfers: Iterable[Transfer[int]], seat: int) -> set[tuple[int, int]]:
    """Between whom there are payments that *seat* makes or gets."""
    pairs = (sorted((transfer.payer, transfer.payee)) for transfer in transfers)
    return {(one, other) for one, other in pairs if seat in (one, other)}


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


def beside_bank(people: int, largest: int) -> st.SearchStrategy[dict[int, int]]:
    """Balances of *people* that sum to zero, or to less where the rest is the bank's."""
    amounts = st.lists(st.integers(-largest, largest), min_size=people, max_size=people)
    owing = amounts.map(lambda all_: [all_[0] - max(0, sum(all_)), *all_[1:]])
    even = amounts.map(lambda all_: [all_[0] - sum(all_), *all_[1:]])
    return (owing | even).map(lambda everybody: dict(enumerate(everybody)))


def unpaid_along(balances: Mapping[int, int], links: Iterable[tuple[int, int]]) -> int:
    """What stays unpaid of all that is owed to people, where payments go along *links* and no others."""
    circle = {seat: seat for seat in balances}
    for link in links:
        one, other = (circle[seat] for seat in link)
        circle = {seat: one if name == other else name for seat, name in circle.items()}
    return sum(max(0, sum(balances[seat] for seat in balances if circle[seat] == name)) for name in balances)


def unpaid(plan: Plan[int]) -> int:
    return sum(amount for amount in plan.left.values() if amount > 0)


@example(({0: -5, 1: -1, 2: 1}, Choices(apart=((1, 2),))))
@example(({0: -5, 1: -1, 2: 1}, Choices(apart=((0, 1), (1, 2)))))
@example(({0: -4, 1: 2, 2: -5}, Choices(banker=0)))
@given(st.integers(3, 5).flatmap(lambda people: st.tuples(beside_bank(people, 5), choices_among(people))))
def test_nothing_is_open_that_could_be_paid_and_no_plan_takes_fewer_transfers(
    case: tuple[dict[int, int], Choices[int]],
) -> None:
    balances, banker = case[0], case[1].banker if case[1].banker in case[0] else None
    choices = replace(case[1], step=1, least=1, banker=banker)
    plan = plan_with(balances, choices)
    links = [
        pair
        for pair in combinations(balances, 2)
        if pair not in choices.apart
        and (banker is None or banker in pair or any(tuple(sorted((banker, seat))) in choices.apart for seat in pair))
    ]
    assert unpaid(plan) == unpaid_along(balances, links)
    if banker is None or not choices.apart:
        ways = (used for size in range(len(links) + 1) for used in combinations(links, size))
        assert len(plan.transfers) == len(next(used for used in ways if unpaid_along(balances, used) == unpaid(plan)))
    assert settles(plan, balances, choices)


def comes_back(pairs: Iterable[tuple[int, int]]) -> bool:
    """Whether what somebody pays comes back to them."""
    left = list(pairs)
    while left:
        ends = [pair for pair in left if not any(payer == pair[1] for payer, _ in left)]
        if not ends:
            return True
        left = [pair for pair in left if pair not in ends]
    return False


def least_open(balances: Mapping[int, int], choices: Choices[int], most: int) -> tuple[int, int]:
    """What stays unpaid at least in *most* transfers, none below the least, and in how many: by trying all amounts."""
    claims = sum(balance for balance in balances.values() if balance > 0)
    anybody = not choices.apart
    pairs = [
        (payer, payee)
        for payer, payee in permutations(balances, 2)
        if (balances[payer] < 0 < balances[payee] if anybody else choices.may_pay(payer, payee))
    ]
    best = claims, 0
    for size in range(1, most + 1):
        for used in combinations(pairs, size):
            if comes_back(used):
                continue
            for amounts in product(range(choices.least, claims + 1), repeat=size):
                left = dict(balances)
                for (payer, payee), amount in zip(used, amounts, strict=True):
                    left[payer] += amount
                    left[payee] -= amount
                if all(min(0, balances[seat]) <= left[seat] <= max(0, balances[seat]) for seat in left):
                    best = min(best, (sum(amount for amount in left.values() if amount > 0), size))
    return best


@example(({0: -5, 1: -4, 2: -3, 3: 6, 4: 6}, Choices(least=2)))
@example(({0: -4, 1: -4, 2: 6, 3: 2}, Choices(least=3)))
@given(
    st.integers(3, 4)
    .flatmap(lambda people: st.tuples(beside_bank(people, 4), choices_among(people, least=2)))
    .filter(lambda case: sum(balance for balance in case[0].values() if balance > 0) <= 6)
)
@settings(max_examples=40)
def test_a_least_leaves_open_only_what_no_plan_of_as_many_transfers_pays(
    case: tuple[dict[int, int], Choices[int]],
) -> None:
    balances, choices = case[0], replace(case[1], step=1, banker=None)
    plan = plan_with(balances, choices)
    most = len(plan_with(balances, replace(choices, least=1)).transfers)
    assert (unpaid(plan), len(plan.transfers)) == least_open(balances, choices, most)
    assert settles(plan, balances, choices)


@given(beside_bank(6, 12), choices_among(6))
def test_beside_the_bank_the_choices_hold_too(balances: dict[int, int], choices: Choices[int]) -> None:
    plan = plan_with(balances, choices)
    assert settles(plan, balances, choices)
    left = after(balances, plan)
    # The bank keeps from those who owe, and exactly what is its own.
    keeps = {seat: plan.left[seat] + plan.rest.get(seat, 0) - left[seat] for seat in balances}
    assert all(kept >= 0 for kept in keeps.values())
    assert sum(keeps.values()) == -sum(balances.values())


@given(beside_bank(6, 12), choices_among(6), st.randoms(use_true_random=False))
def test_equal_balances_and_choices_give_an_equal_plan(
    balances: dict[int, int], choices: Choices[int], random: Random
) -> None:
    seats = random.sample(sorted(balances), len(balances))
    assert plan_with({seat: balances[seat] for seat in seats}, choices) == plan_with(balances, choices)


@given(beside_bank(6, 12), choices_among(6))
def test_what_a_step_leaves_is_open_or_in_the_kitty(balances: dict[int, int], choices: Choices[int]) -> None:
    stays, goes = (plan_with(balances, replace(choices, to_kitty=to_kitty)) for to_kitty in (False, True))
    assert goes.transfers == stays.transfers
    assert {seat: goes.left[seat] + goes.rest.get(seat, 0) for seat in balances} == stays.left
    assert all(amount % choices.step == 0 for amount in goes.left.values())

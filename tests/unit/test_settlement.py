"""Settlement plans for known ledgers."""

import pytest

from scorekeeper.ledger import Choices, Plan, Transfer, UnbalancedLedger, plan_settlement, plan_with, settles


def test_five_people_settle_in_three_where_largest_pays_largest_takes_four() -> None:
    assert plan_settlement({1: 5, 2: 4, 3: -4, 4: -3, 5: -2}) == (
        Transfer(3, 2, 4),
        Transfer(4, 1, 3),
        Transfer(5, 1, 2),
    )


def test_the_evening_of_the_rules_settles_in_seat_order() -> None:
    # Rules §4.2: C pays B 12, D pays B 4; A is even and pays nobody.
    assert plan_settlement({"A": 0, "B": 16, "C": -12, "D": -4}) == (Transfer("C", "B", 12), Transfer("D", "B", 4))


def test_the_plan_goes_by_payer_then_payee() -> None:
    assert plan_settlement({3: -5, 2: 3, 1: 2, 5: -1, 4: 1}) == (
        Transfer(3, 1, 2),
        Transfer(3, 2, 3),
        Transfer(5, 4, 1),
    )


def test_the_order_of_the_balances_makes_no_difference() -> None:
    forwards = dict(enumerate([3, -3, 3, -3, 2, -1, -1]))
    assert plan_settlement(forwards) == plan_settlement(dict(reversed(forwards.items())))


@pytest.mark.parametrize("even", [{}, {1: 0}, {1: 0, 2: 0, 3: 0}])
def test_even_balances_need_no_transfer(even: dict[int, int]) -> None:
    assert plan_settlement(even) == ()


def test_settling_what_a_plan_leaves_needs_no_transfer() -> None:
    balances = {1: 7, 2: -3, 3: -4, 4: 1, 5: -1}
    for transfer in plan_settlement(balances):
        balances[transfer.payer] += transfer.amount
        balances[transfer.payee] -= transfer.amount
    assert plan_settlement(balances) == ()


def test_it_finds_the_five_groups_of_twelve_people() -> None:
    # Groups so different in size that no mix of them sums to zero: two of three people, three of two.
    balances: list[int] = []
    for size in (1, 10):
        balances += [3 * size, -size, -2 * size]
    for size in (100, 1000, 10_000):
        balances += [-size, size]
    shuffled = {(7 * place) % 12: balance for place, balance in enumerate(balances)}
    assert len(plan_settlement(shuffled)) == 12 - 5


def test_twelve_people_of_whom_no_few_are_even_need_eleven() -> None:
    powers = [2**place for place in range(11)]
    assert len(plan_settlement(dict(enumerate([*powers, -sum(powers)])))) == 11


def test_eleven_people_settle_beside_the_bank_in_five() -> None:
    balances = {-1: 6, -2: 5, -3: 4, -4: 3, -5: 2} | {place: -place for place in range(1, 7)}
    assert len(plan_with(balances, Choices()).transfers) == 5


@pytest.mark.parametrize("people", [13, 60])
def test_more_people_than_can_be_searched_need_at_most_one_fewer(people: int) -> None:
    balances = {seat: seat + 1 for seat in range(people - 1)}
    balances[people - 1] = -sum(balances.values())
    plan = plan_settlement(balances)
    assert plan == tuple(Transfer(people - 1, seat, seat + 1) for seat in range(people - 1))


def test_many_who_are_even_do_not_count_as_people_with_a_balance() -> None:
    balances = dict.fromkeys(range(500), 0) | {7: 4, 70: -4, 400: 9, 401: -9}
    assert plan_settlement(balances) == (Transfer(70, 7, 4), Transfer(401, 400, 9))


@pytest.mark.parametrize(("balances", "difference"), [({1: 5, 2: -4}, 1), ({1: -1}, -1)])
def test_it_refuses_balances_that_do_not_sum_to_zero(balances: dict[int, int], difference: int) -> None:
    with pytest.raises(UnbalancedLedger) as refused:
        plan_settlement(balances)
    assert refused.value.difference == difference


def test_a_banker_pays_nobody_what_others_do_not_pay_for_being_too_little() -> None:
    balances = {"Bank": 0, "P": -5, "Q": -6, "R": 11}
    assert plan_with(balances, Choices(banker="Bank", least=10)) == Plan((), balances)
    assert plan_with(balances, Choices(banker="Bank", least=6)) == Plan(
        (Transfer("Bank", "R", 6), Transfer("Q", "Bank", 6)), {"Bank": 0, "P": -5, "Q": 0, "R": 5}
    )


def test_around_a_banker_whom_one_may_not_pay_all_others_still_pay_the_banker() -> None:
    plan = plan_with({"Ann": -4, "Ben": 0, "Cleo": 10, "Dan": -6}, Choices(banker="Ben", apart=(("Ann", "Ben"),)))
    assert plan.transfers == (Transfer("Ann", "Cleo", 4), Transfer("Ben", "Cleo", 6), Transfer("Dan", "Ben", 6))


def test_who_pays_through_somebody_else_leaves_them_as_they_are() -> None:
    balances = {"A": -9, "B": 3, "C": 5, "D": 1}
    apart = (("A", "B"), ("A", "D"))
    assert plan_with(balances, Choices(least=4, apart=apart)) == Plan(
        (Transfer("A", "C", 5),), {"A": -4, "B": 3, "C": 0, "D": 1}
    )


def test_nothing_stays_open_for_a_least_where_as_many_payments_settle_all() -> None:
    plan = plan_with({"A": -5, "B": -4, "C": -3, "D": 6, "E": 6}, Choices(least=2))
    assert len(plan.transfers) == 4
    assert set(plan.left.values()) == {0}


def test_what_is_below_the_least_stays_open_and_nothing_else() -> None:
    balances = {"A": -4, "B": -4, "C": 6, "D": 2}
    assert plan_with(balances, Choices(least=3)) == Plan(
        (Transfer("A", "C", 3), Transfer("B", "C", 3)), {"A": -1, "B": -1, "C": 0, "D": 2}
    )


def test_what_a_step_leaves_can_go_to_the_kitty_and_then_nothing_is_open() -> None:
    balances = {"A": -7, "B": 5, "C": 2}
    assert plan_with(balances, Choices(step=5, to_kitty=True)) == Plan(
        (Transfer("A", "B", 5),), {"A": 0, "B": 0, "C": 0}, {"A": -2, "C": 2}
    )


def test_what_a_least_leaves_beside_a_step_stays_open() -> None:
    balances = {"A": -7, "B": 5, "C": 2}
    assert plan_with(balances, Choices(step=5, least=6, to_kitty=True)) == Plan(
        (), {"A": -5, "B": 5, "C": 0}, {"A": -2, "C": 2}
    )


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        (Plan((Transfer("A", "B", 4),), {"A": -1, "B": 0}), "says that more is open than is"),
        (Plan((Transfer("A", "B", 3),), {"A": -1, "B": 1}), "is below the least"),
        (Plan((Transfer("A", "C", 4),), {"A": 0, "B": 4, "C": -4}), "lets those pay who may not"),
        (Plan((Transfer("A", "D", 4),), {"B": 4}), "pays somebody who is not there"),
        (Plan((Transfer("A", "B", 4),), {}, {"A": 1, "B": -1}), "leaves to the kitty what should stay open"),
    ],
)
def test_a_plan_that_does_not_settle_is_told_from_one_that_does(plan: Plan[str], why: str) -> None:
    balances = {"A": -4, "B": 4, "C": 0}
    choices = Choices(least=4, apart=(("A", "C"),))
    assert settles(Plan((Transfer("A", "B", 4),), {}), balances, choices)
    assert not settles(plan, balances, choices), why


def test_a_plan_beside_the_bank_leaves_it_no_more_than_its_own() -> None:
    balances = {"A": -6, "B": 4}
    assert settles(Plan((Transfer("A", "B", 4),), {}), balances, Choices())
    assert not settles(Plan((Transfer("A", "B", 3),), {}), balances, Choices())

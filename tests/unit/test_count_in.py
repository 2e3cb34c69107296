"""What would explain a count that differs from the score."""

from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.ledger.count_in import MOST_SHOWN, Explanation, Fault, PaidDeal, Slip, explanations

SEATS = 4
payments = st.tuples(st.integers(0, SEATS - 1), st.integers(0, SEATS - 1), st.integers(1, 12)).filter(
    lambda payment: payment[0] != payment[1]
)
deals = st.lists(st.lists(payments, min_size=1, max_size=3), min_size=1, max_size=8).map(
    lambda many: [PaidDeal(len(many) - place, tuple(one)) for place, one in enumerate(many)]
)
TIMES = {Fault.UNPAID: -1, Fault.REVERSED: -2, Fault.TWICE: 1}


def effect(explanation: Explanation, played: list[PaidDeal]) -> tuple[int, ...]:
    """What the slips do to everybody's chips, worked out payment by payment."""
    chips = [0] * SEATS
    by_number = {deal.number: deal for deal in played}
    for slip in explanation:
        due = by_number[slip.deal].payments
        wrong = [payment for payment in due if payment[:2] in slip.between] if slip.between else due
        for payer, payee, paid in wrong:
            chips[payer] -= TIMES[slip.fault] * paid
            chips[payee] += TIMES[slip.fault] * paid
    return tuple(chips)


@given(deals, st.data())
def test_one_deal_paid_wrongly_by_some_or_all_is_always_explained_by_one(
    played: list[PaidDeal], data: st.DataObject
) -> None:
    deal, fault = data.draw(st.sampled_from(played)), data.draw(st.sampled_from(list(TIMES)))
    chips = [0] * SEATS
    for payer, payee, paid in data.draw(st.lists(st.sampled_from(deal.payments), min_size=1, max_size=3, unique=True)):
        chips[payer] -= TIMES[fault] * paid
        chips[payee] += TIMES[fault] * paid
    found = explanations(tuple(chips), played)

    assert bool(found) == any(chips)
    assert all(len(explanation) == 1 for explanation in found)


@given(deals, st.lists(st.integers(-9, 9), min_size=SEATS - 1, max_size=SEATS - 1))
def test_every_explanation_comes_to_what_was_counted(played: list[PaidDeal], first: list[int]) -> None:
    off = (*first, -sum(first))
    distinct = [deal for deal in played if len({payment[:2] for payment in deal.payments}) == len(deal.payments)]

    found = explanations(off, distinct)

    assert len(found) <= MOST_SHOWN
    assert all(effect(explanation, distinct) == off for explanation in found)
    assert len(set(found)) == len(found)


def test_two_of_three_who_did_not_pay_one_deal_are_found_before_two_whole_deals() -> None:
    played = [PaidDeal(2, ((0, 3, 8), (2, 3, 8))), PaidDeal(1, ((0, 2, 4), (1, 2, 4), (3, 2, 4)))]

    assert explanations((4, 4, -8, 0), played) == ((Slip(1, Fault.UNPAID, ((0, 2), (1, 2))),),)


def test_what_fewer_people_did_wrong_comes_first() -> None:
    played = [PaidDeal(2, ((0, 3, 4), (1, 3, 4), (2, 3, 4))), PaidDeal(1, ((0, 3, 4), (1, 3, 4)))]

    found = explanations((4, 4, 0, -8), played)

    assert [slip for (slip,) in found] == [Slip(1, Fault.UNPAID), Slip(2, Fault.UNPAID, ((0, 3), (1, 3)))]


def test_the_latest_deal_comes_first() -> None:
    played = [PaidDeal(number, ((1, 0, 2),)) for number in (9, 8, 7)]

    assert [slip.deal for (slip,) in explanations((-2, 2), played)] == [9, 8, 7]


def test_a_deal_paid_at_another_rate_is_told_from_one_not_paid() -> None:
    (found, *_more) = explanations((2, -2), [PaidDeal(3, ((1, 0, 1),), others=((3, -3),))])

    assert [slip.fault for slip in found] == [Fault.OTHER_RATE]


def test_whoever_came_later_had_no_share_in_an_earlier_deal() -> None:
    (found,) = explanations((2, -2, 0), [PaidDeal(3, ((1, 0, 1),), others=((3, -3),))])

    assert found[0].fault is Fault.OTHER_RATE

"""What would explain a count that differs from the score."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, product

from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.ledger.count_in import (
    MOST_PAYMENTS,
    MOST_SHOWN,
    MOST_SLIPS,
    Between,
    Chips,
    Explanation,
    Fault,
    PaidDeal,
    Payments,
    Slip,
    Way,
    explanations,
)

SEATS = 4
UNPAID, REVERSED, TWICE = Way(Fault.UNPAID), Way(Fault.REVERSED), Way(Fault.TWICE)
AT_OTHER_RATE, AS_BEFORE = Way(Fault.OTHER_RATE), Way(Fault.BEFORE)

pairs = st.sampled_from([pair for pair in product(range(SEATS), repeat=2) if pair[0] != pair[1]])
payments = st.lists(
    st.tuples(pairs, st.integers(1, 4)), min_size=1, max_size=3, unique_by=lambda payment: frozenset(payment[0])
).map(lambda many: tuple((payer, payee, chips) for (payer, payee), chips in many))


def at_rate(times: int, payer: int, payee: int, chips: int) -> tuple[int, int, int]:
    """So many times the chips; below zero they go the other way."""
    return (payer, payee, times * chips) if times > 0 else (payee, payer, -times * chips)


@st.composite
def evenings(draw: st.DrawFn) -> list[PaidDeal]:
    """Up to five deals, latest first, some of which have another rate or were changed."""
    deals = []
    for number in range(draw(st.integers(1, 5)), 0, -1):
        due = draw(payments)
        times = draw(st.lists(st.sampled_from((-2, -1, 2, 3, 4)), max_size=2))
        rates = tuple(tuple(at_rate(time, *payment) for payment in due) for time in times)
        before = tuple(draw(st.lists(payments, max_size=1)))
        void = bool(before) and draw(st.booleans())
        deals.append(PaidDeal(number, () if void else due, () if void else rates, before))
    return deals


def by_pair(paid: Payments) -> Counter[Between]:
    """What goes from each to each, from the lower to the higher number."""
    chips = Counter[Between]()
    for payer, payee, more in paid:
        chips[min(payer, payee), max(payer, payee)] += more if payer < payee else -more
    return chips


def paid_so(deal: PaidDeal, way: Way) -> Counter[Between]:
    """What goes from each to each if all of *deal* is paid in a wrong *way*."""
    match way.fault:
        case Fault.OTHER_RATE:
            return by_pair(deal.rates[way.which])
        case Fault.BEFORE:
            return by_pair(deal.before[way.which])
    times = {Fault.UNPAID: 0, Fault.REVERSED: -1, Fault.TWICE: 2}[way.fault]
    return by_pair(tuple((payer, payee, times * chips) for payer, payee, chips in deal.payments))


def too_many(deal: PaidDeal, way: Way, between: Between | None) -> Chips:
    """What everybody then has too many, worked out payment by payment."""
    chips = [0] * SEATS
    wrong, due = paid_so(deal, way), by_pair(deal.payments)
    for low, high in {*wrong, *due}:
        if between is None or {low, high} == set(between):
            more = wrong[low, high] - due[low, high]
            chips[low] -= more
            chips[high] += more
    return tuple(chips)


def ways_of(deal: PaidDeal) -> list[Way]:
    return [
        *(UNPAID, REVERSED, TWICE),
        *(Way(Fault.OTHER_RATE, which) for which in range(len(deal.rates))),
        *(Way(Fault.BEFORE, which) for which in range(len(deal.before))),
    ]


def together(effects: Sequence[Chips]) -> Chips:
    return tuple(map(sum, zip(*effects, strict=True)))


def slips_in(deal: PaidDeal) -> Iterator[tuple[int, Chips]]:
    """Every way to go wrong in *deal*: in how many places, and what comes of it."""
    ways = ways_of(deal)
    for way in ways:
        yield 1, too_many(deal, way, None)
    between = {*by_pair(deal.payments), *(pair for way in ways for pair in paid_so(deal, way))}
    for many in range(1, MOST_PAYMENTS + 1):
        for chosen in combinations(sorted(between), many):
            for how in product(ways, repeat=many):
                effects = [too_many(deal, way, pair) for way, pair in zip(how, chosen, strict=True)]
                if all(map(any, effects)):
                    yield many, together(effects)


def sizes(off: Chips, played: list[PaidDeal]) -> list[int]:
    """How many slips each explanation has, of every deal and of every two, by looking at all there are."""
    fewest: list[dict[Chips, int]] = []
    for deal in played:
        found: dict[Chips, int] = {}
        for many, effect in slips_in(deal):
            if any(effect):
                found[effect] = min(many, found.get(effect, many))
        fewest.append(found)
    alone = [found[off] for found in fewest if off in found]
    for one, other in combinations(fewest, 2):
        for effect, many in one.items():
            rest = tuple(whole - part for whole, part in zip(off, effect, strict=True))
            alone += [many + other[rest]] if rest in other else []
    return sorted(size for size in alone if size <= MOST_SLIPS)


@given(evenings(), st.data())
def test_the_smallest_explanations_of_what_went_wrong_are_shown(played: list[PaidDeal], data: st.DataObject) -> None:
    """All that is possible is looked at one by one; what is shown is as small, and comes to what was counted."""
    wrong = data.draw(st.lists(st.sampled_from(played), min_size=1, max_size=2, unique_by=lambda deal: deal.number))
    off = together([data.draw(st.sampled_from([effect for _, effect in slips_in(deal)])) for deal in wrong])

    found = explanations(off, played)

    expected = sizes(off, played) if any(off) else []
    assert [len(explanation) for explanation in found] == expected[:MOST_SHOWN]
    by_number = {deal.number: deal for deal in played}
    for explanation in found:
        for ways in product(*(slip.ways for slip in explanation)):
            slips = zip(explanation, ways, strict=True)
            assert together([too_many(by_number[slip.deal], way, slip.between) for slip, way in slips]) == off


@given(evenings(), st.data())
def test_all_ways_that_come_to_the_same_are_said_together(played: list[PaidDeal], data: st.DataObject) -> None:
    deal = data.draw(st.sampled_from(played))
    way = data.draw(st.sampled_from(ways_of(deal)))
    off = too_many(deal, way, None)

    alone = [found for found in explanations(off, [deal]) if len(found) == 1]

    if any(off):
        ((slip,),) = alone
        assert slip.between is not None or way in slip.ways
    else:
        assert alone == []


@given(evenings(), st.lists(st.integers(-40, 40), min_size=SEATS - 1, max_size=SEATS - 1))
def test_nothing_is_shown_where_nothing_fits(played: list[PaidDeal], first: list[int]) -> None:
    off = (*first, -sum(first))

    assert bool(explanations(off, played)) == bool(any(off) and sizes(off, played))


def slips(found: tuple[Explanation, ...]) -> list[list[Slip]]:
    return [list(explanation) for explanation in found]


def test_two_who_did_not_pay_one_deal_are_found_before_two_whole_deals() -> None:
    played = [PaidDeal(2, ((0, 3, 4), (2, 3, 8))), PaidDeal(1, ((0, 2, 4), (1, 2, 4), (3, 2, 4)))]

    first, *_more = slips(explanations((4, 4, -8, 0), played))

    assert first == [Slip(1, (UNPAID,), (0, 2)), Slip(1, (UNPAID,), (1, 2))]


def test_what_went_wrong_in_fewer_places_comes_first() -> None:
    played = [PaidDeal(2, ((0, 3, 4), (1, 3, 4), (2, 3, 4))), PaidDeal(1, ((0, 3, 4), (1, 3, 4)))]

    first, second, *_more = slips(explanations((4, 4, 0, -8), played))

    assert first == [Slip(1, (UNPAID,))]
    assert second == [Slip(2, (UNPAID,), (0, 3)), Slip(2, (UNPAID,), (1, 3))]


def test_the_latest_deal_comes_first() -> None:
    played = [PaidDeal(number, ((1, 0, 2),)) for number in (9, 8, 7)]

    assert [slip.deal for slip, *_more in explanations((-2, 2), played)][:3] == [9, 8, 7]


def test_payments_of_one_deal_can_go_wrong_in_different_ways() -> None:
    found = explanations((1, 0, -1, 0), [PaidDeal(7, ((0, 1, 1), (2, 1, 1), (3, 1, 1)))])

    assert slips(found) == [[Slip(7, (UNPAID,), (0, 1)), Slip(7, (TWICE,), (2, 1))]]


def test_another_rate_that_is_twice_as_much_is_said_beside_paid_twice() -> None:
    found = explanations((3, -1, -1, -1), [PaidDeal(3, ((1, 0, 1), (2, 0, 1), (3, 0, 1)), rates=(DOUBLE,))])

    assert slips(found) == [[Slip(3, (TWICE, AT_OTHER_RATE))]]


def test_a_rate_at_which_the_chips_go_the_other_way_is_found() -> None:
    found = explanations((-3, 3), [PaidDeal(3, ((1, 0, 1),), rates=(((0, 1, 2),),))])

    assert slips(found) == [[Slip(3, (AT_OTHER_RATE,))]]


def test_one_payment_at_another_rate_is_found() -> None:
    rates = (((1, 0, 3), (2, 0, 3), (3, 0, 3)),)
    found = explanations((2, -2, 0, 0), [PaidDeal(3, ((1, 0, 1), (2, 0, 1), (3, 0, 1)), rates)])

    assert slips(found) == [[Slip(3, (AT_OTHER_RATE,), (1, 0))]]


DOUBLE = ((1, 0, 2), (2, 0, 2), (3, 0, 2))


def test_a_deal_that_does_not_count_any_more_explains_what_was_not_given_back() -> None:
    void = PaidDeal(3, (), before=(((1, 0, 1), (2, 0, 1), (3, 0, 1)),))

    assert slips(explanations((3, -1, -1, -1), [void])) == [[Slip(3, (AS_BEFORE,))]]
    assert slips(explanations((1, 0, -1, 0), [void])) == [[Slip(3, (AS_BEFORE,), (2, 0))]]


def test_what_was_paid_right_until_it_was_changed_can_only_stand_as_before() -> None:
    settled = PaidDeal(3, ((1, 0, 1),), rates=(((1, 0, 4),),), before=(((1, 0, 2),),), settled=True)

    assert slips(explanations((1, -1), [settled])) == [[Slip(3, (AS_BEFORE,))]]
    assert explanations((-1, 1), [settled]) == ()
    assert explanations((3, -3), [settled]) == ()


def test_whoever_came_later_had_no_share_in_an_earlier_deal() -> None:
    assert slips(explanations((-1, 1, 0), [PaidDeal(3, ((1, 0, 1),))])) == [[Slip(3, (UNPAID,))]]
    assert explanations((-1, 0, 1), [PaidDeal(3, ((1, 0, 1),))]) == ()

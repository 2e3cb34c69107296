import pytest

from scorekeeper.currencies import UnknownCurrency, exponent_of


@pytest.mark.parametrize(
    ("currency", "exponent"), [("JPY", 0), ("EUR", 2), ("USD", 2), ("HUF", 2), ("BHD", 3), ("IQD", 3), ("CLF", 4)]
)
def test_a_currency_has_the_decimals_of_the_standard(currency: str, exponent: int) -> None:
    assert exponent_of(currency) == exponent


@pytest.mark.parametrize("currency", ["", "EURO", "eur", "XYZ", "XXX", "XTS", "€"])
def test_it_refuses_what_is_no_currency(currency: str) -> None:
    with pytest.raises(UnknownCurrency):
        exponent_of(currency)

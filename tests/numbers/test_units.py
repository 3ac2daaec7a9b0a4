"""Units: a byte is no FLOP, and a count is no dimension."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.numbers.units import DIMENSIONS, NOUNS, ONE, UNTRACKED, Unit, UnitError, parse_unit

units = st.builds(
    lambda exponents: Unit(
        tuple((name, e) for name in DIMENSIONS if (e := exponents.get(name, 0)))
    ),
    st.dictionaries(st.sampled_from(DIMENSIONS), st.integers(-3, 3)),
)


@pytest.mark.parametrize(
    ("text", "exponents"),
    [
        ("1", ()),
        ("B", (("B", 1),)),
        ("FLOP/B", (("B", -1), ("FLOP", 1))),
        ("B/s", (("B", 1), ("s", -1))),
        ("1/cycle", (("cycle", -1),)),
        ("parameters", ()),
        ("B/parameter", (("B", 1),)),
        ("FLOP/s/W", (("FLOP", 1), ("s", -1), ("W", -1))),
    ],
)
def test_reads_what_it_writes(text: str, exponents: tuple[tuple[str, int], ...]) -> None:
    unit = parse_unit(text)
    assert unit.exponents == exponents
    assert str(unit) == text


@pytest.mark.parametrize(
    ("text", "near"),
    [("byte", "B"), ("flop", "FLOP"), ("FLOPs", "FLOP"), ("seconds", "s"), ("tokn", "tokens")],
)
def test_an_unknown_unit_names_the_nearest(text: str, near: str) -> None:
    with pytest.raises(UnitError, match=rf"unknown unit '{text}'.*\b{near}\b"):
        parse_unit(text)


@pytest.mark.parametrize("text", ["B/1", "", "B//s", "B^", "B^0", "1*B", "B s"])
def test_what_no_unit_looks_like_is_an_error(text: str) -> None:
    with pytest.raises(UnitError, match="unknown unit"):
        parse_unit(text)


@pytest.mark.parametrize("noun", NOUNS)
def test_counts_are_pure_numbers(noun: str) -> None:
    assert parse_unit(noun).same_dimension(ONE)
    assert parse_unit(noun).dimensionless


def test_a_noun_is_lost_in_a_product_and_a_dimension_is_kept() -> None:
    assert str(parse_unit("parameters") * parse_unit("B")) == "B"
    assert str(parse_unit("B/parameter") * parse_unit("parameters")) == "B"
    assert str(parse_unit("tokens") / parse_unit("s")) == "1/s"


@given(units, units)
def test_multiplying_and_dividing_undo_each_other(a: Unit, b: Unit) -> None:
    assert (a * b) / b == a
    assert a * b == b * a
    assert (a / b) * (b / a) == ONE


@given(units, st.integers(0, 4))
def test_a_power_is_a_repeated_product(unit: Unit, exponent: int) -> None:
    product = ONE
    for _ in range(exponent):
        product = product * unit
    assert unit**exponent == product


@given(units)
def test_an_untracked_unit_agrees_with_all_and_spreads(unit: Unit) -> None:
    assert UNTRACKED.same_dimension(unit)
    assert unit.same_dimension(UNTRACKED)
    for result in (unit * UNTRACKED, UNTRACKED * unit, unit / UNTRACKED, UNTRACKED**2):
        assert not result.tracked


@given(units)
def test_every_unit_that_is_shown_can_be_read_again(unit: Unit) -> None:
    assert parse_unit(str(unit)).exponents == unit.exponents

"""The points where a number decides something: on the grid, on both sides of the turn."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.ledger.protocol import maximum, select
from bookcode.numbers.expr import Evaluator, Expr, lift
from bookcode.numbers.hard_points import hard_points
from bookcode.numbers.parameters import Choice, Quantity
from bookcode.numbers.stand_ins import parameter_leaf

SEQ = Quantity("seq", "length", "tokens", 4096, 128, 131072, 128)
N = parameter_leaf("seq")


def values(expr: Expr) -> list[int]:
    return sorted(point["seq"] for point in hard_points(expr, {"seq": SEQ}))


def test_both_sides_of_the_turn_of_a_maximum_are_found() -> None:
    # n^2 overtakes 1000 n at 1000, between the steps 896 and 1024
    assert values(lift(maximum(N**2, 1000 * N))) == [896, 1024]


def test_an_exact_tie_on_the_grid_is_one_of_the_points() -> None:
    # equal at 1024 exactly
    turn = select(N**2 <= 1024 * N, "memory", "compute")
    assert 1024 in values(lift(turn))


def test_a_number_that_decides_nothing_has_no_hard_points() -> None:
    assert values(2 * N) == []
    assert values(lift(maximum(N, 1 + N))) == []


def test_other_parameters_stay_at_their_defaults() -> None:
    rows = {"a": SimpleNamespace(name="a"), "b": SimpleNamespace(name="b")}
    machine = Choice("machine", "machine", "b", rows)
    points = hard_points(lift(maximum(N**2, 1000 * N)), {"seq": SEQ, "machine": machine})
    assert {point["machine"] for point in points} == {"b"}


def test_words_are_not_compared_as_numbers() -> None:
    regime = lift(select(N > 1000, "compute", "memory"))
    assert values(regime == "compute") == [896, 1024]


@pytest.mark.parametrize("op", ["lt", "le", "gt", "ge", "eq", "ne"])
def test_every_comparison_is_a_decision(op: str) -> None:
    assert values(Expr(op, N, lift(Fraction(1000)))) == [896, 1024]


@given(st.integers(129, 131071))
def test_the_turn_lies_between_the_points(threshold: int) -> None:
    expr = Expr("gt", N, lift(Fraction(threshold)))
    outcomes = {
        value: Evaluator({"seq": Fraction(value)})(expr)
        for value in values(Expr("max", N, lift(Fraction(threshold))))
    }
    low, high = sorted(outcomes)
    assert high - low == SEQ.step
    assert low <= threshold <= high

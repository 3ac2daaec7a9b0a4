"""What holds of every operator: exact, itemised, growing, and followable by symbols."""

from __future__ import annotations

import inspect
import typing
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.ledger import ops
from bookcode.ledger.operator import arguments
from bookcode.numbers.expr import Expr, evaluate, lift
from bookcode.numbers.latex import print_formula
from bookcode.numbers.units import parse_unit

NOT_COSTS = {"gemm_ridge_edge"}


def test_every_operator_has_cases(cases: Any) -> None:
    covered = {case.function.__name__ for case in cases}
    assert covered == set(ops.__all__) - NOT_COSTS


def test_every_variant_has_a_case(cases: Any) -> None:
    for function in {case.function for case in cases}:
        hints = typing.get_type_hints(inspect.unwrap(function))
        for name, parameter in inspect.signature(function).parameters.items():
            variants = typing.get_args(hints[name])
            if typing.get_origin(hints[name]) is typing.Literal:
                mine = [case for case in cases if case.function is function]
                tried = {case.static.get(name, parameter.default) for case in mine}
                assert tried == set(variants), f"{function.__name__}: {name}"


def test_is_exact(case: Any) -> None:
    cost = case()
    sizes = [t.bytes for t in cost.traffic] + [w.flops for w in cost.work]
    assert all(isinstance(size, Fraction) and size > 0 for size in sizes)
    assert isinstance(cost.bytes, Fraction)
    assert isinstance(cost.flops, Fraction)


def test_terms_add_up(case: Any) -> None:
    cost = case()
    assert cost.bytes == sum(t.bytes for t in cost.traffic)
    assert cost.flops == sum(w.flops for w in cost.work)
    assert cost.bytes == sum(cost.bytes_on(channel) for channel in cost.channels)
    assert cost.bytes == cost.bytes_of(*(t.tensor for t in cost.traffic))
    for channel in cost.channels:
        assert cost.reads_on(channel) <= cost.bytes_on(channel)


def test_a_batch_is_a_multiple(case: Any) -> None:
    cost = case()
    assert cost.times(Fraction(3)).bytes == 3 * cost.bytes
    assert (cost + cost).flops == cost.times(Fraction(2)).flops


@given(factor=st.integers(2, 4), pick=st.integers(0, 10))
def test_grows_with_each_size(case: Any, factor: int, pick: int) -> None:
    sizes = list(case.sizes)
    if not sizes:
        return
    name = sizes[pick % len(sizes)]
    changed = {name: case.sizes[name] * factor}
    if name == "kv_heads" and "heads" in case.sizes:
        changed["heads"] = case.sizes["heads"] * factor
    before, after = case(), case(**changed)
    if name in case.shrinking:
        assert after.bytes <= before.bytes
    else:
        assert after.bytes >= before.bytes
        assert after.flops >= before.flops
        grew = (after.bytes, after.flops) != (before.bytes, before.flops)
        assert grew or "window" in case.sizes


def test_every_quantity_has_a_symbol(case: Any) -> None:
    hints = typing.get_type_hints(inspect.unwrap(case.function))
    for name, argument in arguments(case.function).items():
        static = typing.get_origin(hints[name]) is typing.Literal or hints[name] is bool
        assert (argument.symbol is not None) + (argument.row is not None) + static == 1, name


def test_can_be_followed_by_symbols_in_the_right_units(case: Any, formal: Any) -> None:
    moved, done = formal(case.function, {**case.sizes, **case.static}, "bytes", "flops")
    plain = case()
    assert moved.unit.same_dimension(parse_unit("B"))
    assert print_formula(moved).symbolic  # refuses a letter with two meanings
    if plain.work:
        assert done.unit.same_dimension(parse_unit("FLOP"))
        assert print_formula(done).symbolic


def test_the_trace_gives_the_same_values(case: Any) -> None:
    traced = case(**{name: Expr("var", name) for name in case.sizes})
    values = {name: Fraction(size) for name, size in case.sizes.items()}
    assert evaluate(lift(traced.bytes), values) == case().bytes
    assert evaluate(lift(traced.flops), values) == case().flops


@pytest.mark.parametrize(
    ("function", "given_arguments", "flops"),
    [
        (ops.gemm, {"m": 2, "n": 3, "k": 5}, "2MNK"),
        (
            ops.attention_prefill,
            {"heads": 4, "head_dim": 8, "seq": 2},
            r"H\left(4S^{2}d + 5S^{2}\right)",
        ),
    ],
)
def test_the_formula_keeps_the_order_of_its_terms(
    formal: Any, function: Any, given_arguments: dict[str, int], flops: str
) -> None:
    printed = print_formula(formal(function, given_arguments, "flops")[0])
    assert printed.symbolic.replace(r"\,", "").replace(" ", "") == flops.replace(" ", "")

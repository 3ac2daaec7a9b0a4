"""Columns through the ledger's own functions give what numbers give one by one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bookcode.ledger import DTYPES, LINKS, MACHINES, Timed, ops
from bookcode.ledger.protocol import between, ceil, log10, maximum, minimum, select
from bookcode.reality.columns import EXACT_BELOW, Column, array, column

SIZE = st.integers(1, 4096)
H200 = MACHINES["h200"]


def both(make: Any, *columns: list[int]) -> tuple[list[float], list[Fraction]]:
    """The whole column at once, and row by row."""
    at_once = array(make(*(column(values) for values in columns)), len(columns[0]))
    one_by_one = [make(*row) for row in zip(*columns, strict=True)]
    return at_once.tolist(), one_by_one


@settings(max_examples=25)
@given(st.lists(st.tuples(SIZE, SIZE, SIZE), min_size=1, max_size=6))
def test_a_product_counts_the_same_in_a_column(rows: list[tuple[int, int, int]]) -> None:
    m, n, k = (list(values) for values in zip(*rows, strict=True))
    for what in ("flops", "bytes"):
        found, wanted = both(lambda *s, what=what: getattr(ops.gemm(*s), what), m, n, k)
        assert [Fraction(value) for value in found] == wanted


@settings(max_examples=25)
@given(st.lists(st.tuples(SIZE, SIZE, st.sampled_from([1, 2, 4])), min_size=1, max_size=6))
def test_attention_counts_the_same_in_a_column(rows: list[tuple[int, int, int]]) -> None:
    seq, window, kv = (list(values) for values in zip(*rows, strict=True))

    def prefill(s: Any, w: Any, h: Any) -> Any:
        return ops.attention_prefill(8, 64, s, kv_heads=h, causal=True, window=w).flops

    found, wanted = both(prefill, seq, window, kv)
    assert [Fraction(value) for value in found] == wanted


@settings(max_examples=25)
@given(st.lists(SIZE, min_size=1, max_size=6))
def test_times_agree_to_rounding(sizes: list[int]) -> None:
    for what in ("bound", "expected"):

        def time(n: Any, what: str = what) -> Any:
            return getattr(Timed(ops.gemm(n, 128, n), H200, DTYPES["fp16"]), what)

        found, wanted = both(time, sizes)
        assert found == pytest.approx([float(value) for value in wanted], rel=1e-14)


def test_a_collective_agrees_too() -> None:
    def time(n: Any, ranks: Any) -> Any:
        cost = ops.all_reduce(n, ranks)
        return Timed(cost, H200, DTYPES["bf16"], LINKS["nvlink"]).bound

    found, wanted = both(time, [1000, 2**28], [2, 8])
    assert found == pytest.approx([float(value) for value in wanted], rel=1e-14)


def test_the_functions_of_the_protocol_are_followed() -> None:
    x = column([1.0, 2.5, 100.0])
    assert maximum(x, Fraction(2)).values.tolist() == [2, 2.5, 100]
    assert minimum(x, Fraction(2)).values.tolist() == [1, 2, 2]
    assert ceil(x).values.tolist() == [1, 3, 100]
    assert log10(x).values[2] == 2
    assert select(x > 2, x, Fraction(0)).values.tolist() == [0, 2.5, 100]
    assert between(x, Fraction(2), Fraction(3)).values.tolist() == [False, True, False]
    assert (2 - x).values.tolist() == [1, -0.5, -98]
    assert (Fraction(1, 2) / x).values[0] == 0.5
    assert (-x).values[0] == -1


def test_a_column_is_neither_true_nor_false() -> None:
    with pytest.raises(TypeError, match="use select"):
        bool(column([1.0]) > 0)


def test_what_a_column_cannot_follow_is_named() -> None:
    with pytest.raises(TypeError, match="lookup"):
        Column([1.0]).__ledger__("lookup", ({}, Column([1.0])))


def test_a_plain_result_is_repeated() -> None:
    assert array(Fraction(3, 2), 3).tolist() == [1.5, 1.5, 1.5]


def test_every_size_in_the_tables_stays_exact() -> None:
    largest = ops.gemm(8192, 65536, 65536).flops
    assert largest < EXACT_BELOW
    assert np.float64(float(largest)) == largest

"""Times: the bound, the expectation, and what limits them; a tie is "compute"."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.ledger import DTYPES, LINKS, MACHINES, Cost, Machine, MissingFactError, Timed, ops
from bookcode.ledger.cost import Work, read, write

FP16 = DTYPES["fp16"]
H200 = MACHINES["h200"]
PRELIM = MACHINES["h100-prelim"]


@pytest.mark.parametrize(
    ("edge", "regime"), [(999, "memory"), (1000, "compute"), (1001, "compute")]
)
def test_a_tie_is_compute(edge: int, regime: str) -> None:
    timed = Timed(ops.gemm(edge, edge, edge), PRELIM, FP16)
    assert timed.bound_regime == regime
    assert timed.regime == regime


def test_a_three_way_tie_is_compute() -> None:
    cost = Cost(
        (
            read("x", PRELIM.bandwidth),
            write("shard", PRELIM.links["nvlink"], "link"),
        ),
        (Work("operations", PRELIM.peaks["fp16"]),),
        pipe="tensor",
    )
    timed = Timed(cost, PRELIM, FP16, LINKS["nvlink"])
    assert timed.bound == 1
    assert timed.bound_regime == "compute"
    more = replace(cost, traffic=(*cost.traffic, write("more", Fraction(1), "link")))
    assert Timed(more, PRELIM, FP16, LINKS["nvlink"]).bound_regime == "link"


def test_bound_is_at_spec_and_expected_at_the_roof() -> None:
    timed = Timed(ops.gemm(4096, 4096, 4096), H200, FP16)
    assert timed.bound == timed.flops / H200.peaks["fp16"]
    assert timed.expected == timed.flops / (Fraction("0.7370") * H200.peaks["fp16"])


def test_a_verdict_may_differ_between_spec_and_roof() -> None:
    timed = Timed(ops.gemm(512, 512, 512), H200, FP16)
    assert (timed.bound_regime, timed.regime) == ("memory", "compute")


def test_link_traffic_is_not_timed_over_hbm() -> None:
    timed = Timed(ops.all_reduce(8_030_000_000, 8), H200, DTYPES["bf16"], LINKS["nvlink"])
    assert timed.bound == timed.bytes / H200.links["nvlink"]
    assert timed.regime == timed.bound_regime == "link"
    assert timed.cost.bytes_on("hbm") == 0


def test_vector_work_uses_the_vector_peak() -> None:
    work = Cost((read("x", Fraction(1)),), (Work("operations", H200.peaks["vector"]),))
    assert Timed(work, H200, FP16).bound == 1


@pytest.mark.parametrize("machine", MACHINES.values(), ids=list(MACHINES))
def test_bound_is_at_most_expected(machine: Machine, cases: Any) -> None:
    compared = 0
    for case in cases:
        timed = Timed(case(), machine, FP16, LINKS["nvlink"])
        try:
            bound, expected = timed.bound, timed.expected
        except MissingFactError:
            continue
        compared += 1
        assert 0 < bound <= expected
        assert timed.regime in {"compute", "memory", "link"}
    assert compared >= len(cases) / 4


@given(factor=st.integers(1, 10**6))
def test_times_grow_with_the_cost(factor: int) -> None:
    one = ops.gemm(64, 64, 64)
    many = Timed(one.times(Fraction(factor)), H200, FP16)
    assert many.expected == factor * Timed(one, H200, FP16).expected
    assert many.regime == Timed(one, H200, FP16).regime

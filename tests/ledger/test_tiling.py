"""Tiles: intensity, what fits, waves, and where a skinny product crosses the ridge."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.ledger import DTYPES, MACHINES, ops
from bookcode.ledger import tiling as tile
from bookcode.numbers.latex import print_formula
from bookcode.numbers.units import parse_unit

FP16 = DTYPES["fp16"]
EDGES = st.sampled_from([16, 32, 64, 128, 256])
SIZES = st.integers(1, 4096)


@pytest.mark.parametrize(
    ("balance", "edge"), [("162", 324), ("176.3", 353), ("206.1", 412), ("295.3", 591)]
)
def test_the_edge_of_a_square_tile(balance: str, edge: int) -> None:
    reached = tile.square_tile_edge(Fraction(balance))
    assert round(reached) == edge
    assert tile.tile_intensity(reached, reached) == Fraction(balance)


def test_what_fits_on_hopper() -> None:
    h100 = MACHINES["h100"]
    stage = tile.stage_bytes(128, 256, 64, 1)
    assert stage == 48 * 1024
    assert h100.capacity("shared-block") // stage == 4
    assert tile.accumulator_bytes(128, 256) == 128 * 1024
    assert tile.accumulator_bytes(256, 256) == h100.capacity("registers")
    # Two stages of the tile that would reach the balance fit; its sums do not.
    assert tile.stage_bytes(324, 324, 64, 2) == 162 * 1024 < h100.capacity("shared-block")
    assert round(tile.accumulator_bytes(324, 324) / 1024) == 410
    assert tile.accumulator_bytes(324, 324) > h100.capacity("registers")


@pytest.mark.parametrize(("edge", "bandwidth"), [(128, "11.6"), (256, "7.7")])
def test_the_bandwidth_that_l2_would_need(edge: int, bandwidth: str) -> None:
    needed = tile.required_bandwidth(Fraction("989.4e12"), edge, 256)
    assert round(needed / 10**12, 1) == Fraction(bandwidth)


def test_waves_of_the_chapters_product() -> None:
    assert round(tile.waves(4096, 4096, 128, 256, 132), 2) == Fraction("3.88")
    assert round(100 * tile.wave_efficiency(4096, 4096, 128, 256, 132), 1) == 97
    assert tile.waves(1024, 1024, 128, 256, 132) == Fraction(32, 132)


@pytest.mark.parametrize(
    ("machine", "rows"),
    [
        ("h200", "175.9"),
        ("h200-tileops-0.1.0:envelope", "193.0"),
        ("h200-spec", "229.2"),
        ("h100", "345.1"),
        ("h100-prelim", "398.1"),
    ],
)
def test_where_a_batch_crosses_the_ridge(machine: str, rows: str) -> None:
    balance = MACHINES[machine].reachable_balance(FP16)
    crossed = tile.skinny_ridge_rows(balance, 4096)
    assert abs(crossed - Fraction(rows)) <= Fraction("0.15")
    assert ops.gemm(crossed, 4096, 4096).intensity == balance


def test_no_batch_of_a_small_product_reaches_the_ridge() -> None:
    assert tile.skinny_ridge_rows(MACHINES["h200"].reachable_balance(FP16), 256) < 0


@given(m=SIZES, n=SIZES, k=SIZES, tile_m=EDGES, tile_n=EDGES)
def test_tiles_read_at_least_what_the_product_needs(
    m: int, n: int, k: int, tile_m: int, tile_n: int
) -> None:
    whole, cut = ops.gemm(m, n, k), tile.tiled_gemm(m, n, k, tile_m, tile_n)
    assert cut.flops == whole.flops
    assert cut.bytes >= whole.bytes
    assert tile.tiled_gemm(m, n, k, m, n) == whole
    if m % tile_m == n % tile_n == 0:
        reads = cut.bytes_of("A", "B")
        assert cut.flops / reads == tile.tile_intensity(tile_m, tile_n)


@given(m=SIZES, n=SIZES, tile_m=EDGES, tile_n=EDGES, processors=st.integers(1, 200))
def test_no_wave_is_more_than_full(
    m: int, n: int, tile_m: int, tile_n: int, processors: int
) -> None:
    assert 0 < tile.wave_efficiency(m, n, tile_m, tile_n, processors) <= 1


@given(tile_m=EDGES, tile_n=EDGES, tile_k=EDGES, capacity=st.integers(1, 2**20))
def test_stages_are_rounded_down(tile_m: int, tile_n: int, tile_k: int, capacity: int) -> None:
    stages = tile.stages_that_fit(tile_m, tile_n, tile_k, capacity)
    assert stages == capacity // (2 * tile_k * (tile_m + tile_n))


@pytest.mark.parametrize(
    ("tile_n", "intensity"), [(64, "32"), (128, "42.7"), (256, "51.2"), (2**40, "64")]
)
def test_operands_from_shared_memory(tile_n: int, intensity: str) -> None:
    assert round(tile.tile_intensity(64, tile_n), 1) == Fraction(intensity)
    assert tile.tile_intensity(64, tile_n) < tile.streamed_intensity(64) == 64


def test_the_sms_that_a_peak_implies() -> None:
    h200 = MACHINES["h200"]
    sms = tile.implied_processors(h200.peaks["vector"], h200.fma["vector"], Fraction("1.98e9"))
    assert round(sms, 1) == Fraction("132.2")


@pytest.mark.parametrize(
    ("machine", "dtype", "out", "edge"),
    [("h100", "fp8", "bf16", 1181), ("h100", "fp8", "fp8", 886), ("h200", "fp16", "fp16", 618)],
)
def test_the_ridge_of_a_product_that_writes_another_type(
    machine: str, dtype: str, out: str, edge: int
) -> None:
    balance = MACHINES[machine].balance(DTYPES[dtype])
    crossed = tile.square_ridge_edge(balance, dtype=dtype, out=out)
    assert round(crossed) == edge
    assert ops.gemm(crossed, crossed, crossed, dtype=dtype, out=out).intensity == balance
    if dtype == out:
        assert crossed == ops.gemm_ridge_edge(balance, dtype=dtype)


TILE = {"tile_m": 128, "tile_n": 256}


@pytest.mark.parametrize(
    ("function", "arguments", "field", "unit"),
    [
        (tile.tile_intensity, TILE, "", "FLOP/B"),
        (tile.tiled_gemm, {**TILE, "m": 512, "n": 512, "k": 64}, "bytes", "B"),
        (tile.stage_bytes, {**TILE, "tile_k": 64, "stages": 4}, "", "B"),
        (tile.accumulator_bytes, TILE, "", "B"),
        (tile.required_bandwidth, {**TILE, "peak": 10**15}, "", "B/s"),
        (tile.square_tile_edge, {"balance": 300}, "", "1"),
        (tile.skinny_ridge_rows, {"balance": 300, "n": 4096}, "", "1"),
        (tile.square_ridge_edge, {"balance": 300, "dtype": "fp8", "out": "bf16"}, "", "1"),
        (tile.stages_that_fit, {**TILE, "tile_k": 64, "capacity": 232448}, "", "1"),
        (tile.streamed_intensity, {"tile_m": 64}, "", "FLOP/B"),
        (tile.implied_processors, {"peak": 10**15, "fma": 128, "clock": 10**9}, "", "1"),
        (tile.waves, {**TILE, "m": 512, "n": 512, "processors": 132}, "", "1"),
        (tile.wave_efficiency, {**TILE, "m": 512, "n": 512, "processors": 132}, "", "1"),
    ],
)
def test_units_and_formulas(
    formal: Any, function: Any, arguments: dict[str, int], field: str, unit: str
) -> None:
    (expression,) = formal(function, arguments, field)
    assert expression.unit.same_dimension(parse_unit(unit))
    assert print_formula(expression).symbolic

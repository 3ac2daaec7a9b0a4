"""A product cut into tiles: what the level that feeds shared memory must deliver, and what fits.

C = A B is computed in tiles of t_m x t_n. Each tile reads its rows of A and its columns of B once,
in steps of t_k columns, of which the pipeline holds z stages in shared memory; the tile's sums stay
in registers. Bytes here are those of the level that feeds shared memory (L2, if it hits), not those
of HBM.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from bookcode.ledger.cost import Cost, Work, read, write
from bookcode.ledger.operator import operator
from bookcode.ledger.protocol import Number, ceil, measured
from bookcode.ledger.symbols import (
    Balance,
    Capacity,
    Clock,
    Fma,
    K,
    M,
    N,
    Peak,
    PipelineStages,
    Processors,
    Subscript,
    TileK,
    TileM,
    TileN,
)
from bookcode.ledger.tables import DTYPES, DType

FP16 = DTYPES["fp16"]
Accumulator = Annotated[DType, Subscript("a")]
Out = Annotated[DType, Subscript("o")]


@operator
def tile_intensity(tile_m: TileM, tile_n: TileN, *, dtype: DType = FP16) -> Number:
    """FLOPs per byte that a tile reads of A and B; the write of C is left out, so K cancels.

    Unit: FLOP/B. A square tile of edge t has t / b.
    """
    work = measured(2 * tile_m * tile_n, "FLOP")
    return work / (dtype.bytes * (tile_m + tile_n))


@operator
def square_tile_edge(balance: Balance, *, dtype: DType = FP16) -> Number:
    """Edge of the square tile whose intensity is the balance of a machine, in elements."""
    return dtype.bytes * balance / measured(Fraction(1), "FLOP")


@operator
def tiled_gemm(m: M, n: N, k: K, tile_m: TileM, tile_n: TileN, *, dtype: DType = FP16) -> Cost:
    """The whole product: A is read once for each column of tiles, B once for each row of tiles."""
    return Cost(
        (
            read("A", ceil(n / tile_n) * (m * k) * dtype.bytes),
            read("B", ceil(m / tile_m) * (k * n) * dtype.bytes),
            write("C", m * n * dtype.bytes),
        ),
        (Work("multiply-adds", 2 * m * n * k),),
        pipe="tensor",
    )


@operator
def stage_bytes(
    tile_m: TileM, tile_n: TileN, tile_k: TileK, stages: PipelineStages, *, dtype: DType = FP16
) -> Number:
    """Shared memory that the stages of the pipeline take. Unit: B."""
    return stages * ((tile_m + tile_n) * tile_k * dtype.bytes)


@operator
def stages_that_fit(
    tile_m: TileM, tile_n: TileN, tile_k: TileK, capacity: Capacity, *, dtype: DType = FP16
) -> Number:
    """Stages of the pipeline for which a shared memory of this capacity has room."""
    stage = (tile_m + tile_n) * tile_k * dtype.bytes
    return -ceil(-(capacity / stage))  # rounded down


@operator
def streamed_intensity(tile_m: TileM, *, dtype: DType = FP16) -> Number:
    """FLOPs per byte of shared memory when A stays in registers and B alone is read.

    Unit: FLOP/B. The limit of :func:`tile_intensity` for a tile of any number of columns.
    """
    return measured(2 * tile_m, "FLOP") / dtype.bytes


@operator
def accumulator_bytes(
    tile_m: TileM, tile_n: TileN, *, accumulator: Accumulator = DTYPES["fp32"]
) -> Number:
    """Registers that the sums of a tile take. Unit: B."""
    return tile_m * tile_n * accumulator.bytes


@operator
def required_bandwidth(peak: Peak, tile_m: TileM, tile_n: TileN, *, dtype: DType = FP16) -> Number:
    """What the level below shared memory must deliver to keep the pipe at its peak. Unit: B/s."""
    return peak / tile_intensity(tile_m, tile_n, dtype=dtype)


@operator
def implied_processors(peak: Peak, fma: Fma, clock: Clock) -> Number:
    """Multiprocessors (SMs) that a peak implies; a whole number only if the clock is the peak's."""
    return peak / (measured(Fraction(2), "FLOP") * fma * clock)


@operator
def waves(m: M, n: N, tile_m: TileM, tile_n: TileN, processors: Processors) -> Number:
    """Tiles per multiprocessor: how often the machine is filled."""
    return ceil(m / tile_m) * ceil(n / tile_n) / processors


@operator
def wave_efficiency(m: M, n: N, tile_m: TileM, tile_n: TileN, processors: Processors) -> Number:
    """The part of the multiprocessors' time that has a tile: the last wave may be half empty."""
    filled = waves(m, n, tile_m, tile_n, processors)
    return filled / ceil(filled)


@operator
def square_ridge_edge(balance: Balance, *, dtype: DType, out: Out) -> Number:
    """Edge N of the square product whose intensity, 2N / (2b + b_o), is the balance.

    The counterpart of ``ops.gemm_ridge_edge`` for a product that writes another type than it reads.
    """
    return (2 * dtype.bytes + out.bytes) * balance / measured(Fraction(2), "FLOP")


@operator
def skinny_ridge_rows(balance: Balance, n: N, *, dtype: DType = FP16) -> Number:
    """Rows M of the product with N = K whose intensity, 2MN / (b(2M + N)), is the balance.

    Negative where no number of rows reaches it, that is for N below the balance times b.
    """
    work = measured(2 * n, "FLOP")
    return dtype.bytes * balance * n / (work - 2 * dtype.bytes * balance)

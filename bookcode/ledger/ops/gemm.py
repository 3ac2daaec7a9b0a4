"""Matrix products: C = A B with A (M x K), B (K x N), C (M x N).

Terms: each matrix moves once; a multiply-add is 2 FLOP (citations R3, F-MM-FLOP; F-SOL-gemm counts
the same bytes). Bytes of A and B by ``dtype``, of C by ``out`` (default: the same).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal

from bookcode.ledger.cost import Cost, Traffic, Work, read, write
from bookcode.ledger.errors import UnknownNameError
from bookcode.ledger.operator import operator
from bookcode.ledger.protocol import Number, measured
from bookcode.ledger.symbols import Balance, Groups, K, M, N, ScaleGroup, Subscript
from bookcode.ledger.tables import DTYPES, DType

Out = Annotated[DType, Subscript("o")]
Scale = Annotated[DType, Subscript("x")]


@operator
def gemm(m: M, n: N, k: K, *, dtype: DType = DTYPES["fp16"], out: Out | None = None) -> Cost:
    """C = A B: a multiply-add is 2 FLOP, each matrix moves once."""
    written = dtype if out is None else out
    return Cost(
        (
            read("A", m * k * dtype.bytes),
            read("B", k * n * dtype.bytes),
            write("C", m * n * written.bytes),
        ),
        (Work("multiply-adds", 2 * m * n * k),),
        pipe="tensor",
    )


@operator
def gemm_block_scaled(
    m: M,
    n: N,
    k: K,
    group: ScaleGroup,
    *,
    dtype: DType = DTYPES["fp8"],
    scale: Scale = DTYPES["fp32"],
    out: Out = DTYPES["bf16"],
    blocks: Literal["vector", "square"] = "vector",
) -> Cost:
    """C = A B in low precision: g neighbours along K share one scale, in A and in B.

    ``blocks`` says how B is scaled: "vector" by g elements of a column (as the micro-scaling
    formats do), "square" by g x g elements (as DeepSeek-V3 scales its weights). The partial sum
    over each group is multiplied by the product of the two scales: 1 FLOP per element of C and
    group. Sizes that g does not divide count fractions of a scale.

    Raises:
        UnknownNameError: for blocks other than "vector" and "square".
    """
    if blocks not in ("vector", "square"):
        raise UnknownNameError("blocks of a scaled matrix", blocks, ["vector", "square"])
    of_b = k * n / group if blocks == "vector" else k * n / group**2
    return Cost(
        (
            read("A", m * k * dtype.bytes),
            read("scales of A", m * k / group * scale.bytes),
            read("B", k * n * dtype.bytes),
            read("scales of B", of_b * scale.bytes),
            write("C", m * n * out.bytes),
        ),
        (
            Work("multiply-adds", 2 * m * n * k),
            Work("scaling of partial sums", m * n * k / group),
        ),
        pipe="tensor",
    )


@operator
def grouped_gemm(
    m: M,
    n: N,
    k: K,
    groups: Groups,
    *,
    dtype: DType = DTYPES["bf16"],
    out: Out | None = None,
) -> Cost:
    """M rows in G groups, each times its own B: the work of one product, the weights of G."""
    written = dtype if out is None else out
    return Cost(
        (
            read("A", m * k * dtype.bytes),
            read("B of every group", groups * k * n * dtype.bytes),
            write("C", m * n * written.bytes),
        ),
        (Work("multiply-adds", 2 * m * n * k),),
        pipe="tensor",
    )


@operator
def gemm_ridge_edge(balance: Balance, *, dtype: DType = DTYPES["fp16"]) -> Number:
    """Edge N of the square product whose intensity, 2N / (3b), is the balance of a machine."""
    return 3 * dtype.bytes * balance / measured(Fraction(2), "FLOP")


@operator
def gemm_backward(
    m: M,
    n: N,
    k: K,
    *,
    dtype: DType = DTYPES["fp16"],
    rule: Literal["both", "data", "weight"] = "both",
) -> Cost:
    """Gradients of C = A B: dA = dC B^T and dB = A^T dC, each a product of the same size.

    Rule "both" is exactly twice the forward FLOPs (fact F-3X). "data" computes dA only (B is
    frozen), "weight" dB only (a first layer needs no dA).

    Raises:
        UnknownNameError: for another rule.
    """
    gradient = m * n * dtype.bytes
    left = read("B", k * n * dtype.bytes), write("dA", m * k * dtype.bytes)
    right = read("A", m * k * dtype.bytes), write("dB", k * n * dtype.bytes)
    for_a, for_b = Work("dA = dC B^T", 2 * m * n * k), Work("dB = A^T dC", 2 * m * n * k)
    twice = read("dC, once for each product", 2 * m * n * dtype.bytes)
    traffic: dict[str, tuple[Traffic, ...]] = {
        "both": (twice, left[0], right[0], left[1], right[1]),
        "data": (read("dC", gradient), *left),
        "weight": (read("dC", gradient), *right),
    }
    work = {"both": (for_a, for_b), "data": (for_a,), "weight": (for_b,)}
    if rule not in work:
        raise UnknownNameError("backward rule of a product", rule, work)
    return Cost(traffic[rule], work[rule], pipe="tensor")

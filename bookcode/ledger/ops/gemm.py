"""Matrix products."""

from __future__ import annotations

from bookcode.ledger.cost import Cost, Work, read, write
from bookcode.ledger.operator import operator
from bookcode.ledger.protocol import Number
from bookcode.ledger.symbols import Balance, K, M, N
from bookcode.ledger.tables import DTYPES, DType


@operator
def gemm(m: M, n: N, k: K, *, dtype: DType = DTYPES["fp16"]) -> Cost:
    """C = A B with A (M x K), B (K x N): a multiply-add is 2 FLOP, each matrix moves once."""
    return Cost(
        (
            read("A", m * k * dtype.bytes),
            read("B", k * n * dtype.bytes),
            write("C", m * n * dtype.bytes),
        ),
        (Work("multiply-adds", 2 * m * n * k),),
        pipe="tensor",
    )


@operator
def gemm_ridge_edge(balance: Balance, *, dtype: DType = DTYPES["fp16"]) -> Number:
    """Edge N of the square product whose intensity, 2N / (3b), is the balance of a machine."""
    return 3 * dtype.bytes * balance / 2


@operator
def gemm_backward(m: M, n: N, k: K, *, dtype: DType = DTYPES["fp16"]) -> Cost:
    """Both gradients of C = A B: dA = dC B^T and dB = A^T dC, each a product of the same size.

    So exactly twice the forward FLOPs, if both are needed (fact F-3X).
    """
    return Cost(
        (
            read("dC, once for each product", 2 * m * n * dtype.bytes),
            read("B", k * n * dtype.bytes),
            read("A", m * k * dtype.bytes),
            write("dA", m * k * dtype.bytes),
            write("dB", k * n * dtype.bytes),
        ),
        (Work("dA = dC B^T", 2 * m * n * k), Work("dB = A^T dC", 2 * m * n * k)),
        pipe="tensor",
    )

"""Ledgers for SiLU, RoPE and their fusion with the residual addition.

n elements of one tensor, ``dtype.bytes`` each. Separate kernels pass the activation's result
through memory; the fused kernel keeps it in registers, but it has to read the residual too.
"""

from __future__ import annotations

from typing import Literal

from bookcode.ledger.cost import Cost, Work, read, write
from bookcode.ledger.errors import UnknownNameError
from bookcode.ledger.operator import operator
from bookcode.ledger.symbols import Elements
from bookcode.ledger.tables import DTYPES, DType

SILU_FLOPS = 5
"""Negate, exponential, add 1, divide (the sigmoid), and the product with x."""

ROPE_FLOPS_PER_PAIR = 6
"""Four products and two sums turn a pair (x, y); a pair is two elements."""

FP16 = DTYPES["fp16"]
Kernels = Literal["separate", "fused"]


@operator
def silu(elements: Elements, *, dtype: DType = FP16) -> Cost:
    """y = x sigmoid(x): one tensor in, one out."""
    size = elements * dtype.bytes
    return Cost((read("x", size), write("y", size)), (Work("SiLU", SILU_FLOPS * elements),))


@operator
def rope(elements: Elements, *, dtype: DType = FP16) -> Cost:
    """Rotation of pairs by the position's angle; the table of cosines and sines is left out."""
    size = elements * dtype.bytes
    work = Work("rotations", ROPE_FLOPS_PER_PAIR * elements / 2)
    return Cost((read("x", size), write("y", size)), (work,))


@operator
def residual_add(elements: Elements, *, dtype: DType = FP16) -> Cost:
    """z = y + residual: two tensors in, one out, 1 FLOP per element."""
    size = elements * dtype.bytes
    return Cost(
        (read("y", size), read("residual", size), write("z", size)),
        (Work("additions", elements),),
    )


@operator
def silu_add(elements: Elements, *, dtype: DType = FP16, kernels: Kernels = "fused") -> Cost:
    """z = silu(x) + residual, in one kernel or in two.

    Raises:
        UnknownNameError: for kernels other than "separate" and "fused".
    """
    return _with_residual(silu(elements, dtype=dtype), elements, dtype, kernels)


@operator
def rope_add(elements: Elements, *, dtype: DType = FP16, kernels: Kernels = "fused") -> Cost:
    """z = rope(x) + residual, in one kernel or in two.

    Raises:
        UnknownNameError: for kernels other than "separate" and "fused".
    """
    return _with_residual(rope(elements, dtype=dtype), elements, dtype, kernels)


def _with_residual(first: Cost, elements: Elements, dtype: DType, kernels: str) -> Cost:
    """The first kernel's result plus the residual: the work adds up, the traffic need not."""
    after = residual_add(elements, dtype=dtype)
    size = elements * dtype.bytes
    traffic = {
        "separate": first.traffic + after.traffic,
        "fused": (read("x", size), read("residual", size), write("z", size)),
    }
    if kernels not in traffic:
        raise UnknownNameError("way to run the kernels", kernels, traffic)
    return Cost(traffic[kernels], first.work + after.work)

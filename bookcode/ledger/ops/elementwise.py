"""Elementwise operators: every element in, every element out, a few FLOPs between."""

from __future__ import annotations

from typing import Literal

from bookcode.ledger.cost import Cost, Work, read, write
from bookcode.ledger.errors import UnknownNameError
from bookcode.ledger.operator import operator
from bookcode.ledger.symbols import Elements, Kernels
from bookcode.ledger.tables import DTYPES, DType

FP16 = DTYPES["fp16"]


@operator
def chain(
    elements: Elements,
    operations: Kernels,
    *,
    dtype: DType = FP16,
    variant: Literal["eager", "fused"] = "eager",
) -> Cost:
    """A chain of one-FLOP operations on one tensor, such as sin(cos(x)).

    Eager runs one kernel per operation, and each reads its input and writes its output; fused reads
    once and writes once. Work is one FLOP per element and operation (rule 2 of the counting rules).

    Raises:
        UnknownNameError: for a variant other than "eager" and "fused".
    """
    if variant == "eager":
        traffic = (
            read("inputs of every kernel", operations * elements * dtype.bytes),
            write("outputs of every kernel", operations * elements * dtype.bytes),
        )
    elif variant == "fused":
        traffic = (read("x", elements * dtype.bytes), write("y", elements * dtype.bytes))
    else:
        raise UnknownNameError("variant of an elementwise chain", variant, ["eager", "fused"])
    return Cost(traffic, (Work("operations", operations * elements),))


@operator
def add(elements: Elements, *, dtype: DType = FP16) -> Cost:
    """z = x + y: two reads, one write, 1 FLOP per element."""
    return Cost(
        (
            read("x", elements * dtype.bytes),
            read("y", elements * dtype.bytes),
            write("z", elements * dtype.bytes),
        ),
        (Work("additions", elements),),
    )


@operator
def silu(elements: Elements, *, dtype: DType = FP16) -> Cost:
    """y = x sigmoid(x): 5 FLOP per element, sigmoid 4 and the product 1 (citations R3, R6-act)."""
    return Cost(
        (read("x", elements * dtype.bytes), write("y", elements * dtype.bytes)),
        (Work("sigmoid and product", 5 * elements),),
    )


@operator
def rope(elements: Elements, *, dtype: DType = FP16) -> Cost:
    """Rotary position embedding: 6 FLOP per pair of elements, so 3 per element.

    A pair (x, y) turns into (x cos - y sin, x sin + y cos): four products and two sums. The table
    of cosines and sines is left out of the traffic; it is shared by all heads.
    """
    return Cost(
        (read("x", elements * dtype.bytes), write("y", elements * dtype.bytes)),
        (Work("rotations", 3 * elements),),
    )

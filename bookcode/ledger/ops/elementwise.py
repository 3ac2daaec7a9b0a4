"""Elementwise operators: every element in, every element out, a few FLOPs between.

Work per element is that of the formula as written, each operation and each transcendental 1 FLOP
(rule 2 of the counting rules, citation R3). n counts the elements of one operand.
"""

from __future__ import annotations

from typing import Literal

from bookcode.ledger.cost import Cost, Traffic, Work, read, write
from bookcode.ledger.errors import UnknownNameError
from bookcode.ledger.operator import operator
from bookcode.ledger.symbols import Elements, Heads, Kernels
from bookcode.ledger.tables import DTYPES, DType

FP16 = DTYPES["fp16"]
GELU_FLOPS = {"exact": 5, "tanh": 9}
"""FLOP per element: x/2 (1 + erf(x / sqrt 2)); x/2 (1 + tanh(c (x + a x^3))). TileOPs 0.1.0 counts
the same (manifest/spec/elementwise_unary_activation.yaml, GELUFwdOp)."""


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
    traffic = {
        "eager": (
            read("inputs of every kernel", operations * elements * dtype.bytes),
            write("outputs of every kernel", operations * elements * dtype.bytes),
        ),
        "fused": (read("x", elements * dtype.bytes), write("y", elements * dtype.bytes)),
    }
    if variant not in traffic:
        raise UnknownNameError("variant of an elementwise chain", variant, traffic)
    return Cost(traffic[variant], (Work("operations", operations * elements),))


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
def silu(elements: Elements, *, dtype: DType = FP16, residual: bool = False) -> Cost:
    """y = x sigmoid(x): 5 FLOP per element, sigmoid 4 and the product 1 (citations R3, R6-act).

    ``residual`` fuses the addition of a residual: the kernel must read that too.
    """
    return _unary(elements, dtype, Work("sigmoid and product", 5 * elements), residual)


@operator
def gelu(
    elements: Elements,
    *,
    dtype: DType = FP16,
    form: Literal["exact", "tanh"] = "exact",
    residual: bool = False,
) -> Cost:
    """GELU in its exact form (erf) or its tanh approximation; ``residual`` as in :func:`silu`.

    Raises:
        UnknownNameError: for another form.
    """
    if form not in GELU_FLOPS:
        raise UnknownNameError("form of GELU", form, GELU_FLOPS)
    return _unary(elements, dtype, Work(form, GELU_FLOPS[form] * elements), residual)


@operator
def swiglu(
    elements: Elements, *, dtype: DType = FP16, variant: Literal["eager", "fused"] = "fused"
) -> Cost:
    """y = silu(gate) up: SiLU 5 FLOP per element and the product 1 (citation R6-act).

    Fused reads gate and up and writes y; eager writes silu(gate) and reads it back.

    Raises:
        UnknownNameError: for another variant.
    """
    size = elements * dtype.bytes
    between = write("silu(gate)", size), read("silu(gate)", size)
    traffic = {
        "eager": (read("gate", size), *between, read("up", size), write("y", size)),
        "fused": (read("gate", size), read("up", size), write("y", size)),
    }
    if variant not in traffic:
        raise UnknownNameError("variant of SwiGLU", variant, traffic)
    return Cost(traffic[variant], (Work("SiLU", 5 * elements), Work("product", elements)))


@operator
def rope(
    elements: Elements,
    *,
    dtype: DType = FP16,
    heads: Heads | None = None,
    residual: bool = False,
) -> Cost:
    """Rotary position embedding: 6 FLOP per pair of elements, so 3 per element.

    A pair (x, y) turns into (x cos - y sin, x sin + y cos): four products and two sums. Given the
    number of ``heads`` that share it, the table of cosines and sines is read too (half a head of
    each per position, in ``dtype``); without, it is left out. ``residual`` as in :func:`silu`.
    """
    table = [] if heads is None else [read("cosines and sines", elements / heads * dtype.bytes)]
    return _unary(elements, dtype, Work("rotations", 3 * elements), residual, *table)


def _unary(elements: Elements, dtype: DType, work: Work, residual: bool, *more: Traffic) -> Cost:
    """One tensor in, one of its size out; with a residual, that too and an addition per element."""
    size = elements * dtype.bytes
    return Cost(
        (read("x", size), *more, *([read("residual", size)] if residual else []), write("y", size)),
        (work, *([Work("additions", elements)] if residual else [])),
    )

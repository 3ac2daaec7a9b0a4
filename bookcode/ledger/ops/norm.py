"""Normalizations over rows: LayerNorm, RMSNorm, and RMSNorm after a residual addition.

r rows of c elements. Weight and bias (c elements each, shared by all rows) are left out of the
traffic, the statistics of a row too. FLOP per element follow a convention chosen by name.
"""

from __future__ import annotations

from typing import Annotated, Literal

from bookcode.ledger.cost import Cost, Traffic, Work, read, write
from bookcode.ledger.errors import UnknownNameError
from bookcode.ledger.operator import operator
from bookcode.ledger.symbols import Columns, Rows, Subscript
from bookcode.ledger.tables import DTYPES, DType

LAYERNORM_FLOPS = {"recount": 8, "tileops": 7, "calflops": 5}
"""FLOP per element by convention: "recount" takes x - mean again in the last pass; "tileops" counts
mean 1, centred variance 3, normalize 1, weight 1, bias 1 (fact F-LN-7); "calflops" 5 (F-LN-5)."""

RMSNORM_FLOPS = 4
"""Square 1, sum 1, normalize 1, weight 1 per element (TileOPs 0.1.0, manifest/spec/norm.yaml,
RMSNormFwdOp)."""

QUANTIZE_FLOPS = 4
"""Absolute value, maximum, division and clamp per element (as in :mod:`.quantize`)."""

Quantized = Annotated[DType, Subscript("q")]
Scale = Annotated[DType, Subscript("x")]


@operator
def layernorm(
    rows: Rows,
    columns: Columns,
    *,
    dtype: DType = DTYPES["fp16"],
    variant: Literal["fused", "three-pass", "op-by-op"] = "fused",
    convention: Literal["recount", "tileops", "calflops"] = "recount",
) -> Cost:
    """LayerNorm over the last axis.

    Fused reads x once and writes y once. Three-pass reads x for the mean, again for the variance
    and again to normalize. Op-by-op is one kernel for each step: mean, subtraction, square, mean of
    the squares, normalization, weight, bias. Weight and bias (c elements each, shared by all rows)
    are left out.

    Raises:
        UnknownNameError: for an unknown variant or counting convention.
    """
    if convention not in LAYERNORM_FLOPS:
        raise UnknownNameError("LayerNorm convention", convention, LAYERNORM_FLOPS)
    x = rows * columns * dtype.bytes
    traffic: dict[str, tuple[Traffic, ...]] = {
        "fused": (read("x", x), write("y", x)),
        "three-pass": (
            read("x for the mean", x),
            read("x for the variance", x),
            read("x to normalize", x),
            write("y", x),
        ),
        "op-by-op": (
            read("x for the mean", x),
            *_kernel("x", "centred x", x),
            *_kernel("centred x, to be squared", "squares", x),
            read("squares for the variance", x),
            *_kernel("centred x, to be divided", "normalized x", x),
            *_kernel("normalized x", "x times weight", x),
            *_kernel("x times weight", "y", x),
        ),
    }
    if variant not in traffic:
        raise UnknownNameError("LayerNorm variant", variant, traffic)
    return Cost(traffic[variant], (Work(convention, LAYERNORM_FLOPS[convention] * rows * columns),))


def _kernel(source: str, target: str, size: Rows) -> tuple[Traffic, Traffic]:
    return read(source, size), write(target, size)


@operator
def rmsnorm(
    rows: Rows,
    columns: Columns,
    *,
    dtype: DType = DTYPES["bf16"],
    variant: Literal["fused", "two-pass", "op-by-op"] = "fused",
) -> Cost:
    """RMSNorm over the last axis, 4 FLOP per element.

    Fused reads x once; two-pass reads it for the mean square and again to normalize; op-by-op is
    one kernel each for square, mean, normalization and weight.

    Raises:
        UnknownNameError: for another variant.
    """
    x = rows * columns * dtype.bytes
    traffic: dict[str, tuple[Traffic, ...]] = {
        "fused": (read("x", x), write("y", x)),
        "two-pass": (read("x for the mean square", x), read("x to normalize", x), write("y", x)),
        "op-by-op": (
            *_kernel("x, to be squared", "squares", x),
            read("squares for the mean", x),
            *_kernel("x, to be divided", "normalized x", x),
            *_kernel("normalized x", "y", x),
        ),
    }
    if variant not in traffic:
        raise UnknownNameError("RMSNorm variant", variant, traffic)
    return Cost(traffic[variant], (Work("normalization", RMSNORM_FLOPS * rows * columns),))


@operator
def add_rmsnorm(
    rows: Rows,
    columns: Columns,
    *,
    dtype: DType = DTYPES["bf16"],
    quantized: Quantized | None = None,
    scale: Scale = DTYPES["fp32"],
    variant: Literal["fused", "separate"] = "fused",
) -> Cost:
    """Residual addition, RMSNorm, and on request a quantization with one scale per row.

    Fused (citations R9, R9-tileops) reads x and the residual and writes their sum and y. Separate
    kernels write the sum and read it back for the norm, and the norm's result for the quantization.

    Raises:
        UnknownNameError: for another variant.
    """
    if variant not in ("fused", "separate"):
        raise UnknownNameError("variant of add and RMSNorm", variant, ["fused", "separate"])
    x = rows * columns * dtype.bytes
    separate = variant == "separate"
    again = [read("sum", x)] if separate else []
    last: list[Traffic] = [write("y", x)]
    work = [Work("addition", rows * columns), Work("norm", RMSNORM_FLOPS * rows * columns)]
    if quantized is not None:
        last = list(_kernel("y", "y", x)[::-1]) if separate else []
        last += [
            write("quantized y", rows * columns * quantized.bytes),
            write("scales", rows * scale.bytes),
        ]
        work.append(Work("quantization", QUANTIZE_FLOPS * rows * columns))
    return Cost((read("x", x), read("residual", x), write("sum", x), *again, *last), tuple(work))

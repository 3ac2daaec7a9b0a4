"""Normalizations over rows."""

from __future__ import annotations

from typing import Literal

from bookcode.ledger.cost import Cost, Traffic, Work, read, write
from bookcode.ledger.errors import UnknownNameError
from bookcode.ledger.operator import operator
from bookcode.ledger.symbols import Columns, Rows
from bookcode.ledger.tables import DTYPES, DType

LAYERNORM_FLOPS = {"recount": 8, "tileops": 7}
"""FLOP per element by convention: "recount" takes x - mean again in the last pass; "tileops" counts
mean 1, centred variance 3, normalize 1, weight 1, bias 1 (fact F-LN-7)."""


@operator
def layernorm(
    rows: Rows,
    columns: Columns,
    *,
    dtype: DType = DTYPES["fp16"],
    variant: Literal["fused", "three-pass"] = "fused",
    convention: Literal["recount", "tileops"] = "recount",
) -> Cost:
    """LayerNorm over the last axis.

    Fused reads x once and writes y once. Three-pass reads x for the mean, again for the variance
    and again to normalize. Weight and bias (c elements each, shared by all rows) are left out.

    Raises:
        UnknownNameError: for an unknown variant or counting convention.
    """
    if convention not in LAYERNORM_FLOPS:
        raise UnknownNameError("LayerNorm convention", convention, LAYERNORM_FLOPS)
    x = rows * columns * dtype.bytes
    traffic: tuple[Traffic, ...]
    if variant == "fused":
        traffic = (read("x", x), write("y", x))
    elif variant == "three-pass":
        traffic = (
            read("x for the mean", x),
            read("x for the variance", x),
            read("x to normalize", x),
            write("y", x),
        )
    else:
        raise UnknownNameError("LayerNorm variant", variant, ["fused", "three-pass"])
    return Cost(traffic, (Work(convention, LAYERNORM_FLOPS[convention] * rows * columns),))

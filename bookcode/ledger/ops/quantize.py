"""Quantization and back: one scale for each g neighbouring elements.

Work as TileOPs 0.1.0 counts it for fp8 (manifest/spec/quantization.yaml, the fp8 quantization per
token group): per element absolute value, maximum, division and clamp (4), per group 2 for the
scale; back again one product per element. Rounding is not a FLOP. Bytes by ``source`` or
``target``, ``quantized`` and ``scale``.
"""

from __future__ import annotations

from typing import Annotated, Literal

from bookcode.ledger.cost import Cost, Traffic, Work, read, write
from bookcode.ledger.errors import UnknownNameError
from bookcode.ledger.operator import operator
from bookcode.ledger.symbols import Elements, ScaleGroup, Subscript
from bookcode.ledger.tables import DTYPES, DType

Quantized = Annotated[DType, Subscript("q")]
Scale = Annotated[DType, Subscript("x")]


@operator
def quantize(
    elements: Elements,
    group: ScaleGroup,
    *,
    source: DType = DTYPES["bf16"],
    quantized: Quantized = DTYPES["fp8"],
    scale: Scale = DTYPES["fp32"],
    variant: Literal["fused", "two-pass"] = "fused",
) -> Cost:
    """x into quantized elements and scales; two-pass reads x for the maximum and again to divide.

    Raises:
        UnknownNameError: for another variant.
    """
    x = elements * source.bytes
    reads: dict[str, tuple[Traffic, ...]] = {
        "fused": (read("x", x),),
        "two-pass": (read("x for the maximum", x), read("x to divide", x)),
    }
    if variant not in reads:
        raise UnknownNameError("variant of quantization", variant, reads)
    return Cost(
        (
            *reads[variant],
            write("quantized x", elements * quantized.bytes),
            write("scales", elements / group * scale.bytes),
        ),
        (
            Work("absolute value, maximum, division, clamp", 4 * elements),
            Work("scales", 2 * (elements / group)),
        ),
    )


@operator
def dequantize(
    elements: Elements,
    group: ScaleGroup,
    *,
    target: DType = DTYPES["bf16"],
    quantized: Quantized = DTYPES["fp8"],
    scale: Scale = DTYPES["fp32"],
) -> Cost:
    """Quantized elements and scales back into x: one product per element."""
    return Cost(
        (
            read("quantized x", elements * quantized.bytes),
            read("scales", elements / group * scale.bytes),
            write("x", elements * target.bytes),
        ),
        (Work("products with the scales", elements),),
    )

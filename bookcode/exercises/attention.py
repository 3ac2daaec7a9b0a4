"""A ledger for attention whose last two steps share a kernel while the scores stay in HBM."""

from __future__ import annotations

from typing import Literal

from bookcode.ledger.cost import Cost, Traffic, Work, read, write
from bookcode.ledger.errors import UnknownNameError
from bookcode.ledger.operator import operator
from bookcode.ledger.symbols import HeadDim, Heads, Seq
from bookcode.ledger.tables import DTYPES, DType

FLOPS_PER_SCORE = 5
"""Scale, maximum, subtraction, exponential and sum."""


@operator
def attention_fused_tail(
    heads: Heads,
    head_dim: HeadDim,
    seq: Seq,
    *,
    dtype: DType = DTYPES["fp16"],
    mask: Literal["kernel", "none"] = "kernel",
) -> Cost:
    """Attention over a prompt: the product with K writes scores, one kernel does softmax and PV.

    ``mask`` says whether scaling and masking are a kernel of their own, which reads the scores and
    writes them again.

    Raises:
        UnknownNameError: for a mask other than "kernel" and "none".
    """
    tensor = heads * seq * head_dim * dtype.bytes
    scores = heads * seq**2 * dtype.bytes
    between: dict[str, tuple[Traffic, ...]] = {
        "kernel": (read("scores to mask", scores), write("masked scores", scores)),
        "none": (),
    }
    if mask not in between:
        raise UnknownNameError("mask", mask, between)
    return Cost(
        (
            *(read(name, tensor) for name in ("Q", "K")),
            write("scores", scores),
            *between[mask],
            read("scores into softmax and PV", scores),
            read("V", tensor),
            write("O", tensor),
        ),
        (
            Work("products", 4 * heads * seq**2 * head_dim),
            Work("softmax", FLOPS_PER_SCORE * heads * seq**2),
        ),
        pipe="tensor",
    )

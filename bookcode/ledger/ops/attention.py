"""Attention: prefill with scores in HBM or on chip, decode against a KV cache, backward.

Shapes: queries (H, S, d), keys and values (H_kv, S or T, d) of one sequence. Work per score: 4 d
FLOP for the two products (QK^T and PV) and 5 for scale, maximum, subtraction, exponential and sum
(citation R6-attn, which adds a final division per output element that is left out here).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from bookcode.ledger.cost import Cost, Traffic, Work, read, write
from bookcode.ledger.errors import UnknownNameError
from bookcode.ledger.operator import divides, operator
from bookcode.ledger.protocol import Number
from bookcode.ledger.symbols import HeadDim, Heads, Keys, KVHeads, Seq
from bookcode.ledger.tables import DTYPES, DType

PrefillVariant = Literal["materialized-6", "materialized-4", "flash"]
SCORE_PASSES: dict[str, list[tuple[str, Literal["read", "write"]]]] = {
    "materialized-6": [
        ("scores from QK^T", "write"),
        ("scores into scale and mask", "read"),
        ("scores from scale and mask", "write"),
        ("scores into softmax", "read"),
        ("probabilities from softmax", "write"),
        ("probabilities into PV", "read"),
    ],
    "materialized-4": [
        ("scores from QK^T", "write"),
        ("scores into softmax", "read"),
        ("probabilities from softmax", "write"),
        ("probabilities into PV", "read"),
    ],
    "flash": [],
}
"""Trips of the S x S scores through HBM, in order."""


@operator
def attention_prefill(
    heads: Heads,
    head_dim: HeadDim,
    seq: Seq,
    *,
    kv_heads: KVHeads | None = None,
    dtype: DType = DTYPES["fp16"],
    variant: PrefillVariant = "flash",
    causal: bool = False,
) -> Cost:
    """Self-attention over S positions.

    The variant says how often the scores pass through HBM: six times with scale and mask as a
    kernel of their own, four without, never in flash style. ``causal`` counts only scores on and
    below the diagonal, S(S+1)/2 of S^2, which holds for kernels that skip tiles; a materialized
    variant still computes and moves all of them. ``kv_heads`` (default: as many as query heads)
    must divide heads.

    Raises:
        UnknownNameError: for an unknown variant.
        LedgerError: when kv_heads does not divide heads.
    """
    if variant not in SCORE_PASSES:
        raise UnknownNameError("attention variant", variant, SCORE_PASSES)
    cached = heads if kv_heads is None else kv_heads
    divides("query heads per KV head", cached, heads)
    scores = [
        Traffic(what, direction, heads * seq**2 * dtype.bytes)
        for what, direction in SCORE_PASSES[variant]
    ]
    return Cost(
        (
            read("Q", heads * seq * head_dim * dtype.bytes),
            read("K", cached * seq * head_dim * dtype.bytes),
            read("V", cached * seq * head_dim * dtype.bytes),
            *scores,
            write("O", heads * seq * head_dim * dtype.bytes),
        ),
        (Work("products and softmax", _score_work(heads, head_dim, seq, causal and not scores)),),
        pipe="tensor",
    )


def _score_work(heads: Number, head_dim: Number, seq: Number, causal: bool) -> Number:
    if causal:
        return heads * (4 * head_dim + 5) * (seq * (seq + 1) / 2)
    return heads * (4 * seq**2 * head_dim + 5 * seq**2)


@operator
def attention_decode(
    heads: Heads,
    head_dim: HeadDim,
    keys: Keys,
    *,
    kv_heads: KVHeads | None = None,
    dtype: DType = DTYPES["fp16"],
) -> Cost:
    """One new query per head against a cache of T keys and values.

    Raises:
        LedgerError: when kv_heads does not divide heads.
    """
    cached = heads if kv_heads is None else kv_heads
    divides("query heads per KV head", cached, heads)
    return Cost(
        (
            read("K cache", cached * keys * head_dim * dtype.bytes),
            read("V cache", cached * keys * head_dim * dtype.bytes),
            read("query", heads * head_dim * dtype.bytes),
            write("output", heads * head_dim * dtype.bytes),
        ),
        (Work("products and softmax", heads * (4 * keys * head_dim + 5 * keys)),),
        pipe="tensor",
    )


@operator
def attention_backward(
    heads: Heads,
    head_dim: HeadDim,
    seq: Seq,
    *,
    kv_heads: KVHeads | None = None,
    dtype: DType = DTYPES["fp16"],
    causal: bool = False,
) -> Cost:
    """Backward of flash-style attention: five products (the scores are computed again), 5 FLOP per
    score, and 2 FLOP per output element (fact F-BWD-tileops).

    Reads Q, K, V, O and dO, writes dQ, dK, dV; the row statistics (S per head) are left out.

    Raises:
        LedgerError: when kv_heads does not divide heads.
    """
    cached = heads if kv_heads is None else kv_heads
    divides("query heads per KV head", cached, heads)
    scores = seq * (seq + 1) / Fraction(2) if causal else seq**2
    query = heads * seq * head_dim * dtype.bytes
    keys = cached * seq * head_dim * dtype.bytes
    return Cost(
        (
            read("Q", query),
            read("O", query),
            read("dO", query),
            read("K", keys),
            read("V", keys),
            write("dQ", query),
            write("dK", keys),
            write("dV", keys),
        ),
        (
            Work("five products", heads * 10 * scores * head_dim),
            Work("softmax and its gradient", heads * 5 * scores),
            Work("dO times O, summed by row", 2 * heads * seq * head_dim),
        ),
        pipe="tensor",
    )

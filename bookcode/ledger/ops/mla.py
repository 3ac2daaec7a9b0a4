"""Multi-head latent attention (DeepSeek-V3; shapes: fact F-DSV3).

The cache holds per position one latent of d_c elements for all heads and one rotary key of d_r.
*Absorbed* form (decode): the matrices that would expand the latent are multiplied into query and
output instead, so every head attends to the latent itself: keys of d_c + d_r elements, values its
first d_c. *Expanded* form (prefill): per head keys of d_n + d_r and values of d_v elements.
Work per score: 2 FLOP for each element of key and value, and 5 for softmax.
"""

from __future__ import annotations

from typing import Annotated

from bookcode.ledger.cost import Cost, Work, read, write
from bookcode.ledger.operator import operator
from bookcode.ledger.ops._scores import visible_scores
from bookcode.ledger.symbols import (
    Heads,
    Keys,
    Latent,
    NopeDim,
    Queries,
    RopeDim,
    Seq,
    Subscript,
    Tokens,
    ValueDim,
)
from bookcode.ledger.tables import DTYPES, DType

Cache = Annotated[DType, Subscript("c")]


@operator
def mla_decode(
    heads: Heads,
    latent: Latent,
    rope_dim: RopeDim,
    keys: Keys,
    *,
    queries: Queries | None = None,
    dtype: DType = DTYPES["bf16"],
    cache: Cache | None = None,
) -> Cost:
    """Absorbed decode of one query position (or ``queries``) against T cached latents.

    With several query positions each sees all T keys. Of matrix products alone, H heads do about
    2 H FLOP per cached byte in 16 bits, so this decode can be compute-bound (F-MLA-deepdive).
    """
    stored = dtype if cache is None else cache
    rows = heads if queries is None else heads * queries
    return Cost(
        (
            read("latent cache", keys * (latent + rope_dim) * stored.bytes),
            read("query", rows * (latent + rope_dim) * dtype.bytes),
            write("output", rows * latent * dtype.bytes),
        ),
        (
            Work("QK^T", rows * (2 * keys * (latent + rope_dim))),
            Work("PV", rows * (2 * keys * latent)),
            Work("softmax", rows * (5 * keys)),
        ),
        pipe="tensor",
    )


@operator
def mla_prefill(
    heads: Heads,
    nope_dim: NopeDim,
    rope_dim: RopeDim,
    value_dim: ValueDim,
    seq: Seq,
    *,
    dtype: DType = DTYPES["bf16"],
    causal: bool = False,
) -> Cost:
    """Expanded prefill in flash style; the rotary key is shared by all heads."""
    scores = visible_scores(seq, None, causal=causal)
    return Cost(
        (
            read("Q", heads * seq * (nope_dim + rope_dim) * dtype.bytes),
            read("K", heads * seq * nope_dim * dtype.bytes),
            read("rotary K", seq * rope_dim * dtype.bytes),
            read("V", heads * seq * value_dim * dtype.bytes),
            write("O", heads * seq * value_dim * dtype.bytes),
        ),
        (
            Work("QK^T", heads * (2 * scores * (nope_dim + rope_dim))),
            Work("PV", heads * (2 * scores * value_dim)),
            Work("softmax", heads * (5 * scores)),
        ),
        pipe="tensor",
    )


@operator
def mla_absorb(
    heads: Heads,
    latent: Latent,
    nope_dim: NopeDim,
    value_dim: ValueDim,
    tokens: Tokens,
    *,
    dtype: DType = DTYPES["bf16"],
) -> Cost:
    """The two products around an absorbed decode, per head: query into the latent, output out."""
    return Cost(
        (
            read("W_UK", heads * nope_dim * latent * dtype.bytes),
            read("query without rotation", heads * tokens * nope_dim * dtype.bytes),
            write("query in the latent", heads * tokens * latent * dtype.bytes),
            read("W_UV", heads * latent * value_dim * dtype.bytes),
            read("output in the latent", heads * tokens * latent * dtype.bytes),
            write("output", heads * tokens * value_dim * dtype.bytes),
        ),
        (
            Work("query times W_UK", 2 * heads * tokens * nope_dim * latent),
            Work("output times W_UV", 2 * heads * tokens * latent * value_dim),
        ),
        pipe="tensor",
    )


@operator
def mla_append(
    latent: Latent,
    rope_dim: RopeDim,
    seq: Seq,
    *,
    dtype: DType = DTYPES["bf16"],
    cache: Cache | None = None,
) -> Cost:
    """S new latents and rotary keys go into the cache."""
    stored = dtype if cache is None else cache
    new = seq * (latent + rope_dim)
    return Cost((read("new latents", new * dtype.bytes), write("latent cache", new * stored.bytes)))

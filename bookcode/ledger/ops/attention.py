"""Attention: prefill with scores in HBM or on chip, decode against a KV cache, backward.

Shapes: queries (H, S, d), keys and values (H_kv, S or T, d) of one sequence; a batch is
``cost.times(batch)``. Work per score: 4 d FLOP for the two products (QK^T and PV) and 5 for scale,
maximum, subtraction, exponential and sum (citation R6-attn, which adds a final division per output
element that is left out here).
"""

from __future__ import annotations

from typing import Annotated, Literal

from bookcode.ledger.cost import Cost, Traffic, Work, read, write
from bookcode.ledger.errors import LedgerError, UnknownNameError
from bookcode.ledger.operator import operator
from bookcode.ledger.ops._scores import (
    HeadShape,
    head_shape,
    keys_read_by_blocks,
    score_passes,
    visible_scores,
)
from bookcode.ledger.protocol import Number, ceil, minimum
from bookcode.ledger.symbols import (
    HeadDim,
    Heads,
    Keys,
    KVHeads,
    Page,
    QueryBlock,
    Seq,
    Subscript,
    Window,
)
from bookcode.ledger.tables import DTYPES, DType

Variant = Literal["materialized-6", "materialized-4", "materialized-2", "flash"]
Cache = Annotated[DType, Subscript("c")]
Index = Annotated[DType, Subscript("i")]


@operator
def attention_prefill(
    heads: Heads,
    head_dim: HeadDim,
    seq: Seq,
    *,
    keys: Keys | None = None,
    kv_heads: KVHeads | None = None,
    dtype: DType = DTYPES["fp16"],
    variant: Variant = "flash",
    causal: bool = False,
    window: Window | None = None,
    query_block: QueryBlock | None = None,
) -> Cost:
    """Attention of S query positions to T key positions (default: the same S).

    The variant says how often the scores pass through HBM: six times with scale and mask as a
    kernel of their own, four without, twice with softmax and PV in one kernel, never in flash
    style. ``causal`` counts only scores that the mask leaves, S(S+1)/2 of S^2 for T = S, which
    holds for kernels that skip tiles; a materialized variant still computes and moves all of them.
    ``window`` (with causal) limits each query to its last positions. ``query_block`` reads K and V
    anew for each query head and block of queries: what flash style moves if no cache helps.
    ``kv_heads`` (default: as many as query heads) must divide heads.

    Raises:
        UnknownNameError: for an unknown variant.
        LedgerError: when kv_heads does not divide heads; for a window without causal; for query
            blocks in a materialized variant or with a window.
    """
    shape = head_shape(heads, head_dim, kv_heads)
    area = seq**2 if keys is None else seq * keys
    scores = score_passes(variant, heads * area * dtype.bytes)
    if query_block is not None and (scores or window is not None):
        raise LedgerError("query blocks are for flash style without a window")
    skips = causal and not scores
    seen = None if scores else window
    return Cost(
        (
            read("Q", shape.queries(seq, dtype)),
            *_keys_and_values(shape, seq, keys, dtype, skips, seen, query_block),
            *scores,
            write("O", shape.queries(seq, dtype)),
        ),
        (Work("products and softmax", _score_work(heads, head_dim, seq, keys, skips, seen)),),
        pipe="tensor",
    )


def _keys_and_values(
    shape: HeadShape,
    seq: Number,
    keys: Number | None,
    dtype: DType,
    causal: bool,
    window: Number | None,
    block: Number | None,
) -> list[Traffic]:
    """Reads of K and V: once, within the window's reach, or once per query head and block."""
    positions = seq if keys is None else keys
    if block is not None:
        passed = keys_read_by_blocks(seq, positions, block, causal=causal)
        size = shape.heads * passed * shape.head_dim * dtype.bytes
    elif window is not None:
        size = shape.keys(minimum(positions, seq + window - 1), dtype)
    else:
        size = shape.keys(positions, dtype)
    return [read("K", size), read("V", size)]


def _score_work(
    heads: Number,
    head_dim: Number,
    seq: Number,
    keys: Number | None,
    causal: bool,
    window: Number | None,
) -> Number:
    if causal or window is not None:
        scores = visible_scores(seq, keys, causal=causal, window=window)
        return heads * (4 * head_dim + 5) * scores
    if keys is not None:
        return heads * (4 * seq * keys * head_dim + 5 * seq * keys)
    return heads * (4 * seq**2 * head_dim + 5 * seq**2)


@operator
def attention_decode(
    heads: Heads,
    head_dim: HeadDim,
    keys: Keys,
    *,
    kv_heads: KVHeads | None = None,
    dtype: DType = DTYPES["fp16"],
    cache: Cache | None = None,
    variant: Variant = "flash",
    window: Window | None = None,
    page: Page | None = None,
    index: Index = DTYPES["int32"],
) -> Cost:
    """One new query per head against a cache of T keys and values.

    ``cache`` is the type of the cached elements (default: ``dtype``); ``variant`` as for prefill;
    ``window`` reads and scores the last positions only; a paged cache (``page`` positions a page)
    also reads its block table, an ``index`` per page.

    Raises:
        UnknownNameError: for an unknown variant.
        LedgerError: when kv_heads does not divide heads.
    """
    shape = head_shape(heads, head_dim, kv_heads)
    stored = dtype if cache is None else cache
    seen = keys if window is None else minimum(keys, window)
    table = [] if page is None else [read("block table", ceil(seen / page) * index.bytes)]
    return Cost(
        (
            read("K cache", shape.keys(seen, stored)),
            read("V cache", shape.keys(seen, stored)),
            *table,
            read("query", heads * head_dim * dtype.bytes),
            *score_passes(variant, heads * seen * dtype.bytes),
            write("output", heads * head_dim * dtype.bytes),
        ),
        (Work("products and softmax", heads * (4 * seen * head_dim + 5 * seen)),),
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
    rule: Literal["recompute", "saved"] = "recompute",
) -> Cost:
    """Backward of attention, and 2 FLOP per output element for the row sums of dO times O.

    Rule "recompute" is flash style: five products (the scores are computed again) and 5 FLOP per
    score (facts F-BWD-tileops, F-SDPA-BWD). "saved" reads the probabilities that the forward kept,
    all S x S of them: four products and 2 FLOP per score (subtraction and product).
    Reads Q, K, V, O and dO, writes dQ, dK, dV; the row statistics (S per head) are left out.

    Raises:
        UnknownNameError: for another rule.
        LedgerError: when kv_heads does not divide heads.
    """
    if rule not in ("recompute", "saved"):
        raise UnknownNameError("backward rule of attention", rule, ["recompute", "saved"])
    shape = head_shape(heads, head_dim, kv_heads)
    saved = rule == "saved"
    scores = visible_scores(seq, None, causal=causal and not saved)
    query, keys = shape.queries(seq, dtype), shape.keys(seq, dtype)
    products, per_score = (8, 2) if saved else (10, 5)
    return Cost(
        (
            *(read(name, query) for name in ("Q", "O", "dO")),
            *(read(name, keys) for name in ("K", "V")),
            *([read("P", heads * seq**2 * dtype.bytes)] if saved else []),
            write("dQ", query),
            *(write(name, keys) for name in ("dK", "dV")),
        ),
        (
            Work(
                "four products" if saved else "five products", heads * products * scores * head_dim
            ),
            Work("softmax and its gradient", heads * per_score * scores),
            Work("dO times O, summed by row", 2 * heads * seq * head_dim),
        ),
        pipe="tensor",
    )


@operator
def kv_append(
    kv_heads: KVHeads,
    head_dim: HeadDim,
    seq: Seq,
    *,
    dtype: DType = DTYPES["bf16"],
    cache: Cache | None = None,
    index: Index = DTYPES["int64"],
) -> Cost:
    """S new keys and values go into the cache, to the slots that a list of indices names.

    No arithmetic; a cache in another type than ``dtype`` is a cast.
    """
    stored = dtype if cache is None else cache
    new = kv_heads * seq * head_dim
    return Cost(
        (
            read("new K", new * dtype.bytes),
            read("new V", new * dtype.bytes),
            read("slots", seq * index.bytes),
            write("K cache", new * stored.bytes),
            write("V cache", new * stored.bytes),
        )
    )

"""The forward pass operator by operator: each reads its inputs and writes its outputs.

Unlike :func:`bookcode.ledger.stages.forward`, which counts weights and a few streams only, these
programs count every tensor that passes between two kernels. Q, K and V are one product, gate and up
another; norms, rotation, SwiGLU and residual additions are kernels of their own.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal

from bookcode.ledger import ops
from bookcode.ledger.cost import Cost
from bookcode.ledger.errors import UnknownNameError
from bookcode.ledger.models import Model
from bookcode.ledger.operator import operator
from bookcode.ledger.program import Program, program
from bookcode.ledger.protocol import Number
from bookcode.ledger.symbols import Batch, Keys, Seq, Subscript
from bookcode.ledger.tables import DTYPES, DType

BF16 = DTYPES["bf16"]
Cache = Annotated[DType, Subscript("c")]
Index = Annotated[DType, Subscript("i")]
Head = Literal["none", "last", "all"]
HEADS: tuple[Head, ...] = ("none", "last", "all")
"""For which positions the lm_head computes logits: for none, for the last one, for all."""


def check_head(head: str) -> None:
    """Refuse an unknown choice of positions.

    Raises:
        UnknownNameError: naming the choices.
    """
    if head not in HEADS:
        raise UnknownNameError("positions of the lm_head", head, HEADS)


@operator
def prefill_operators(
    seq: Seq,
    *,
    model: Model,
    dtype: DType = BF16,
    causal: bool = False,
    batch: Batch | None = None,
    head: Head = "none",
    index: Index = DTYPES["int64"],
) -> Program:
    """S tokens of each sequence through all layers; with ``head`` also embedding and lm_head.

    Raises:
        UnknownNameError: for another ``head``.
    """
    check_head(head)
    one = ops.attention_prefill(
        model.heads, model.head_dim, seq, kv_heads=model.kv_heads, dtype=dtype, causal=causal
    )
    tokens = seq if batch is None else batch * seq
    attention = [("attention", one if batch is None else one.times(batch))]
    layers = _layer(tokens, model, dtype, attention).times(model.layers)
    if head == "none":
        return layers
    ends = tokens if head == "all" else Fraction(1) if batch is None else batch
    return around(layers, tokens, ends, model.hidden, model.vocab, dtype, index)


@operator
def decode_operators(
    keys: Keys,
    *,
    model: Model,
    dtype: DType = BF16,
    cache: Cache | None = None,
    batch: Batch | None = None,
    head: Head = "none",
    index: Index = DTYPES["int64"],
) -> Program:
    """One token of each sequence through all layers against caches of T positions.

    Raises:
        UnknownNameError: for another ``head``; "last" and "all" are the same here.
    """
    check_head(head)
    tokens = Fraction(1) if batch is None else batch
    one = ops.attention_decode(
        model.heads, model.head_dim, keys, kv_heads=model.kv_heads, dtype=dtype, cache=cache
    )
    append = ops.kv_append(
        model.kv_heads, model.head_dim, tokens, dtype=dtype, cache=cache, index=index
    )
    attention = [("KV append", append), ("attention", one.times(tokens))]
    layers = _layer(tokens, model, dtype, attention).times(model.layers)
    if head == "none":
        return layers
    return around(layers, tokens, tokens, model.hidden, model.vocab, dtype, index)


def _layer(
    tokens: Number, model: Model, dtype: DType, attention: list[tuple[str, Cost]]
) -> Program:
    hidden, queries = model.hidden, model.heads * model.head_dim
    cached = model.kv_heads * model.head_dim
    norm = ("norm", ops.rmsnorm(tokens, hidden, dtype=dtype))
    residual = ("residual", ops.add(tokens * hidden, dtype=dtype))
    return program(
        [
            norm,
            ("QKV", ops.gemm(tokens, queries + 2 * cached, hidden, dtype=dtype)),
            ("RoPE", ops.rope(tokens * (queries + cached), dtype=dtype)),
            *attention,
            ("output", ops.gemm(tokens, hidden, queries, dtype=dtype)),
            residual,
            norm,
            *mlp(tokens, hidden, model.ffn, dtype),
            residual,
        ]
    )


def mlp(tokens: Number, hidden: Number, ffn: Number, dtype: DType) -> list[tuple[str, Cost]]:
    """The calls of a gated MLP."""
    return [
        ("gate and up", ops.gemm(tokens, 2 * ffn, hidden, dtype=dtype)),
        ("SwiGLU", ops.swiglu(tokens * ffn, dtype=dtype)),
        ("down", ops.gemm(tokens, hidden, ffn, dtype=dtype)),
    ]


def around(
    layers: Program,
    tokens: Number,
    ends: Number,
    hidden: Number,
    vocab: Number,
    dtype: DType,
    index: DType,
) -> Program:
    """Embedding before the layers; last norm and logits of ``ends`` positions after them."""
    rows = ops.embedding(tokens, hidden, dtype=dtype, index=index)
    logits = ops.gemm(ends, vocab, hidden, dtype=dtype)
    after = [("last norm", ops.rmsnorm(ends, hidden, dtype=dtype)), ("lm_head", logits)]
    return program([("embedding", rows)]) + layers + program(after)

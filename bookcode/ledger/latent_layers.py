"""Prefill and decode of a model with latent attention and experts, operator by operator.

Prefill expands the latent to keys and values per head; decode uses the absorbed form
(:mod:`bookcode.ledger.ops.mla`). All ranks' experts are counted, as on one machine that holds them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from bookcode.ledger import ops
from bookcode.ledger.cost import Cost
from bookcode.ledger.latent_models import LatentModel
from bookcode.ledger.layers import BF16, Head, Index, around, check_head, mlp
from bookcode.ledger.operator import operator
from bookcode.ledger.program import Program, program
from bookcode.ledger.protocol import Number
from bookcode.ledger.symbols import Batch, Keys, Seq, Subscript
from bookcode.ledger.tables import DTYPES, DType

Cache = Annotated[DType, Subscript("c")]
Weight = Annotated[DType, Subscript("w")]


@operator
def latent_prefill_operators(
    seq: Seq,
    *,
    model: LatentModel,
    dtype: DType = BF16,
    causal: bool = False,
    batch: Batch | None = None,
    head: Head = "none",
    index: Index = DTYPES["int64"],
    weight: Weight = DTYPES["fp32"],
) -> Program:
    """S tokens of each sequence through all layers.

    Raises:
        UnknownNameError: for another ``head``.
    """
    check_head(head)
    sequences = Fraction(1) if batch is None else batch
    tokens = sequences * seq
    one = ops.mla_prefill(
        model.heads,
        model.nope_dim,
        model.rope_dim,
        model.value_dim,
        seq,
        dtype=dtype,
        causal=causal,
    )
    expanded = model.heads * (model.nope_dim + model.value_dim)
    attention = [
        ("KV up", ops.gemm(tokens, expanded, model.latent, dtype=dtype)),
        ("attention", one.times(sequences)),
    ]
    ends = tokens if head == "all" else sequences
    layers = _layers(tokens, model, dtype, attention, weight)
    if head == "none":
        return layers
    return around(layers, tokens, ends, model.hidden, model.vocab, dtype, index)


@operator
def latent_decode_operators(
    keys: Keys,
    *,
    model: LatentModel,
    dtype: DType = BF16,
    cache: Cache | None = None,
    batch: Batch | None = None,
    head: Head = "none",
    index: Index = DTYPES["int64"],
    weight: Weight = DTYPES["fp32"],
) -> Program:
    """One token of each sequence through all layers against caches of T latents.

    Raises:
        UnknownNameError: for another ``head``; "last" and "all" are the same here.
    """
    check_head(head)
    tokens = Fraction(1) if batch is None else batch
    heads, latent, rope = model.heads, model.latent, model.rope_dim
    one = ops.mla_decode(heads, latent, rope, keys, dtype=dtype, cache=cache)
    absorb = ops.mla_absorb(heads, latent, model.nope_dim, model.value_dim, tokens, dtype=dtype)
    attention = [
        ("KV append", ops.mla_append(latent, rope, tokens, dtype=dtype, cache=cache)),
        ("absorbed products", absorb),
        ("attention", one.times(tokens)),
    ]
    layers = _layers(tokens, model, dtype, attention, weight)
    if head == "none":
        return layers
    return around(layers, tokens, tokens, model.hidden, model.vocab, dtype, index)


def _layers(
    tokens: Number,
    model: LatentModel,
    dtype: DType,
    attention: list[tuple[str, Cost]],
    weight: DType,
) -> Program:
    plain = mlp(tokens, model.hidden, model.ffn, dtype)
    dense = _layer(tokens, model, dtype, attention, plain)
    sparse = _layer(tokens, model, dtype, attention, _experts(tokens, model, dtype, weight))
    return dense.times(model.dense_layers) + sparse.times(model.layers - model.dense_layers)


def _layer(
    tokens: Number,
    model: LatentModel,
    dtype: DType,
    attention: list[tuple[str, Cost]],
    feed_forward: list[tuple[str, Cost]],
) -> Program:
    hidden, heads, rope = model.hidden, model.heads, model.rope_dim
    queries = heads * (model.nope_dim + rope)
    norm = ("norm", ops.rmsnorm(tokens, hidden, dtype=dtype))
    residual = ("residual", ops.add(tokens * hidden, dtype=dtype))
    return program(
        [
            norm,
            ("query down", ops.gemm(tokens, model.query_latent, hidden, dtype=dtype)),
            ("norm of queries", ops.rmsnorm(tokens, model.query_latent, dtype=dtype)),
            ("query up", ops.gemm(tokens, queries, model.query_latent, dtype=dtype)),
            ("KV down", ops.gemm(tokens, model.latent + rope, hidden, dtype=dtype)),
            ("norm of latents", ops.rmsnorm(tokens, model.latent, dtype=dtype)),
            ("RoPE", ops.rope(tokens * (heads * rope + rope), dtype=dtype)),
            *attention,
            ("output", ops.gemm(tokens, hidden, heads * model.value_dim, dtype=dtype)),
            residual,
            norm,
            *feed_forward,
            residual,
        ]
    )


def _experts(
    tokens: Number, model: LatentModel, dtype: DType, weight: DType
) -> list[tuple[str, Cost]]:
    hidden, width = model.hidden, model.expert_ffn
    experts, active = model.experts, model.active
    shared = mlp(tokens, hidden, model.shared_experts * width, dtype)
    return [
        ("router", ops.moe_router(tokens, hidden, experts, active, dtype=dtype, weight=weight)),
        ("dispatch", ops.moe_dispatch(tokens, hidden, active, dtype=dtype)),
        ("experts", ops.moe_experts(tokens, hidden, width, experts, active, dtype=dtype)),
        ("combine", ops.moe_combine(tokens, hidden, active, dtype=dtype, weight=weight)),
        *((f"shared expert: {name}", cost) for name, cost in shared),
        ("sum with the shared expert", ops.add(tokens * hidden, dtype=dtype)),
    ]

"""The operators, one small module per family."""

from bookcode.ledger.ops.attention import (
    attention_backward,
    attention_decode,
    attention_prefill,
    kv_append,
)
from bookcode.ledger.ops.communication import (
    all_gather,
    all_reduce,
    all_to_all,
    reduce_scatter,
)
from bookcode.ledger.ops.elementwise import add, chain, gelu, rope, silu, swiglu
from bookcode.ledger.ops.embedding import embedding, embedding_backward
from bookcode.ledger.ops.gemm import (
    gemm,
    gemm_backward,
    gemm_block_scaled,
    gemm_ridge_edge,
    grouped_gemm,
)
from bookcode.ledger.ops.mla import mla_absorb, mla_append, mla_decode, mla_prefill
from bookcode.ledger.ops.moe import moe_combine, moe_dispatch, moe_experts, moe_router
from bookcode.ledger.ops.norm import add_rmsnorm, layernorm, rmsnorm
from bookcode.ledger.ops.optimizer import adamw, adamw_per_parameter
from bookcode.ledger.ops.quantize import dequantize, quantize
from bookcode.ledger.ops.softmax import cross_entropy, cross_entropy_backward, softmax

__all__ = [
    "adamw",
    "adamw_per_parameter",
    "add",
    "add_rmsnorm",
    "all_gather",
    "all_reduce",
    "all_to_all",
    "attention_backward",
    "attention_decode",
    "attention_prefill",
    "chain",
    "cross_entropy",
    "cross_entropy_backward",
    "dequantize",
    "embedding",
    "embedding_backward",
    "gelu",
    "gemm",
    "gemm_backward",
    "gemm_block_scaled",
    "gemm_ridge_edge",
    "grouped_gemm",
    "kv_append",
    "layernorm",
    "mla_absorb",
    "mla_append",
    "mla_decode",
    "mla_prefill",
    "moe_combine",
    "moe_dispatch",
    "moe_experts",
    "moe_router",
    "quantize",
    "reduce_scatter",
    "rmsnorm",
    "rope",
    "silu",
    "softmax",
    "swiglu",
]

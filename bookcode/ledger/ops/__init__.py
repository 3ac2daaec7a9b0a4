"""The operators, one small module per family."""

from bookcode.ledger.ops.attention import (
    attention_backward,
    attention_decode,
    attention_prefill,
)
from bookcode.ledger.ops.communication import all_reduce
from bookcode.ledger.ops.elementwise import add, chain, rope, silu
from bookcode.ledger.ops.gemm import gemm, gemm_backward, gemm_ridge_edge
from bookcode.ledger.ops.norm import layernorm
from bookcode.ledger.ops.optimizer import adamw, adamw_per_parameter

__all__ = [
    "adamw",
    "adamw_per_parameter",
    "add",
    "all_reduce",
    "attention_backward",
    "attention_decode",
    "attention_prefill",
    "chain",
    "gemm",
    "gemm_backward",
    "gemm_ridge_edge",
    "layernorm",
    "rope",
    "silu",
]

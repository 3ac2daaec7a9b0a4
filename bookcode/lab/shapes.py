"""The sizes on which PyTorch's counter was run; whoever compares with its counts reads them here.

Standard library only: comparing needs no PyTorch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PRODUCT: Final[Mapping[str, int]] = {"m": 333, "n": 5120, "k": 1792}
"""A matrix product; no size divides another, so that no two mistakes cancel."""

HEADS: Final[Mapping[str, int]] = {
    "batch": 2,
    "heads": 12,
    "kv_heads": 12,
    "head_dim": 64,
    "seq": 771,
}
"""Attention in which every head has keys and values of its own."""

GROUPED: Final[Mapping[str, int]] = {**HEADS, "kv_heads": 4}
"""The same, three heads sharing keys and values."""

BLOCK: Final[Mapping[str, int]] = {
    "batch": 1,
    "seq": 2048,
    "hidden": 4096,
    "heads": 32,
    "kv_heads": 8,
    "head_dim": 128,
    "ffn": 14336,
}
"""A block with the shape of Llama 3 8B: norms, grouped attention, a gated MLP, additions."""

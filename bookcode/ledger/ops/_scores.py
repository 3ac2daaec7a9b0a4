"""What every attention shares: the tensors of its heads, and how many scores a head computes.

Queries (H, S, d), keys and values (H_kv, T, d) of one sequence.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from bookcode.ledger.cost import Traffic
from bookcode.ledger.errors import LedgerError, UnknownNameError
from bookcode.ledger.operator import divides
from bookcode.ledger.protocol import Number, ceil, is_symbolic, maximum, minimum
from bookcode.ledger.tables import DType

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
    "materialized-2": [
        ("scores from QK^T", "write"),
        ("scores into softmax and PV", "read"),
    ],
    "flash": [],
}
"""Trips of the scores through HBM, in order. In "materialized-2" one kernel does softmax and PV."""


def score_passes(variant: str, size: Number) -> list[Traffic]:
    """The variant's trips of ``size`` bytes of scores through HBM.

    Raises:
        UnknownNameError: for an unknown variant.
    """
    if variant not in SCORE_PASSES:
        raise UnknownNameError("attention variant", variant, SCORE_PASSES)
    return [Traffic(what, direction, size) for what, direction in SCORE_PASSES[variant]]


@dataclass(frozen=True)
class HeadShape:
    """Query heads, KV heads and the size of a head; sizes of the tensors in bytes."""

    heads: Number
    kv_heads: Number
    head_dim: Number

    def queries(self, seq: Number, dtype: DType) -> Number:
        """Q, O or a gradient of them, S positions. Unit: B."""
        return self.heads * seq * self.head_dim * dtype.bytes

    def keys(self, keys: Number, dtype: DType) -> Number:
        """K or V or a gradient of them, T positions. Unit: B."""
        return self.kv_heads * keys * self.head_dim * dtype.bytes


def head_shape(heads: Number, head_dim: Number, kv_heads: Number | None) -> HeadShape:
    """The shape, with as many KV heads as query heads unless told otherwise.

    Raises:
        LedgerError: when kv_heads does not divide heads.
    """
    cached = heads if kv_heads is None else kv_heads
    divides("query heads per KV head", cached, heads)
    return HeadShape(heads, cached, head_dim)


def visible_scores(
    seq: Number, keys: Number | None, *, causal: bool, window: Number | None = None
) -> Number:
    """Scores of one head that a kernel which skips masked tiles computes.

    The mask is aligned at the last query and the last key, as in a prompt that continues a cache:
    query i of S sees T - S + i keys. ``keys`` None means T = S. A window lets each query see its
    last positions only.

    Raises:
        LedgerError: for a window without ``causal``.
    """
    if window is not None:
        if not causal:
            raise LedgerError("a sliding window counts back from the query: it needs causal=True")
        positions = seq if keys is None else keys
        earlier = None if keys is None else maximum(keys - seq, Fraction(0))
        seen = _windowed_triangle(positions, window)
        return seen if earlier is None else seen - _windowed_triangle(earlier, window)
    if not causal:
        return seq**2 if keys is None else seq * keys
    if keys is None:
        return seq * (seq + 1) / 2
    both = minimum(seq, keys)
    return both * (keys - both) + both * (both + 1) / 2


def _windowed_triangle(positions: Number, window: Number) -> Number:
    """Scores of the first positions, each of which sees itself and what the window holds before."""
    reach = minimum(window, positions)
    return reach * positions - reach * (reach - 1) / 2


def keys_read_by_blocks(seq: Number, keys: Number, block: Number, *, causal: bool) -> Number:
    """Key positions that one head reads if each block of queries reads its keys anew.

    Causal blocks stop at the last key that their last query sees.

    Raises:
        LedgerError: for fewer keys than queries.
    """
    if not is_symbolic(seq) and not is_symbolic(keys) and keys < seq:
        raise LedgerError(f"query blocks need as many keys as queries, not {keys} for {seq}")
    blocks = ceil(seq / block)
    if not causal:
        return blocks * keys
    return blocks * (keys - seq) + block * (blocks * (blocks - 1) / 2) + seq

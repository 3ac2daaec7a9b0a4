"""torch's FLOP counter: products only; no mask, no softmax, no memory."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Final

from bookcode.reality import covering
from bookcode.reality.counters._comparison import (
    GEMMS,
    PREFILLS,
    SOFTMAX,
    Comparison,
    Sizes,
    differ,
    figure,
    flops_of,
    inputs,
)
from bookcode.reality.reading import Source, source
from bookcode.sources.members import Members

MEMBER: Final = "torch/utils/flop_counter.py"


def torch(members: Members) -> Iterator[Comparison]:
    """torch's formulas, read out of its wheel, against the ledger."""
    formulas = source(members, MEMBER)
    for sizes in GEMMS:
        m, n, k = shape = tuple(sizes.values())
        one = Fraction(formulas.call("mm_flop", (m, k), (k, n)))
        same = ("torch", f"{MEMBER} mm_flop", "gemm", "FLOP", inputs(sizes))
        yield Comparison(*same, flops_of("gemm", *shape), one)
        left, right = ((m, n), (n, k)), ((k, m), (m, n))
        both = Fraction(formulas.call("mm_flop", *left) + formulas.call("mm_flop", *right))
        same = ("torch", f"{MEMBER} mm_flop, dA and dB", "gemm_backward", "FLOP", inputs(sizes))
        yield Comparison(*same, flops_of("gemm_backward", *shape), both)
    for sizes in PREFILLS:
        yield from _attention(formulas, sizes)


def _attention(formulas: Source, sizes: Sizes) -> Iterator[Comparison]:
    b, heads, kv, d, s = sizes.values()
    query, key = (b, heads, s, d), (b, kv, s, d)
    text = inputs(sizes, "not causal")
    forward = Fraction(formulas.call("sdpa_flop_count", query, key, key))
    cost = partial(covering.prefill_cost, causal=False)
    value = figure("flops", cost, sizes, "float16/float16")
    same = ("torch", f"{MEMBER} sdpa_flop_count", "attention_prefill", "FLOP", text)
    yield Comparison(*same, value, forward, differ((SOFTMAX, 5 * b * heads * s * s)))

    back = Fraction(formulas.call("sdpa_backward_flop_count", query, query, key, key))
    value = flops_of("attention_backward", heads, d, s, kv_heads=kv, times=b)
    terms = differ(
        ("5 FLOP per score of the softmax and its gradient", 5 * b * heads * s * s),
        ("2 FLOP per element for the row sums of dO times O", 2 * b * heads * s * d),
    )
    same = ("torch", f"{MEMBER} sdpa_backward_flop_count", "attention_backward", "FLOP", text)
    yield Comparison(*same, value, back, terms)

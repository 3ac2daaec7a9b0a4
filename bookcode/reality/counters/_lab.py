"""torch's FLOP counter at work, as the lab has recorded it, against the ledger.

:mod:`._torch` reads the counter's formulas; here it has counted calls of PyTorch, forward and
backward, up to a block of a model. The record is committed, so this comparison needs no artifact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from bookcode.lab.record import RECORD, Record
from bookcode.lab.shapes import BLOCK, GROUPED, HEADS, PRODUCT
from bookcode.reality.counters._comparison import (
    SOFTMAX,
    Comparison,
    Difference,
    Sizes,
    Value,
    differ,
    flops_of,
    inputs,
)
from bookcode.reality.operators import Operators

COUNTER: Final = "torch, run"
MASK: Final = "torch counts the scores that the mask hides"
ROW_SUMS: Final = "2 FLOP per element for the row sums of dO times O"
KEPT: Final = "2 FLOP per score of the softmax's gradient"


def torch_run(record: Record) -> Iterator[Comparison]:
    """The recorded counts against the ledger.

    Raises:
        LabError: for a count that the record lacks.
    """
    shape = tuple(PRODUCT.values())
    text = inputs(PRODUCT)
    yield _one(record, "product.forward", "gemm", text, flops_of("gemm", *shape))
    value = flops_of("gemm_backward", *shape)
    yield _one(record, "product.backward", "gemm_backward", text, value)
    yield from _attention(record, "attention", HEADS)
    yield from _attention(record, "attention-causal", HEADS, causal=True)
    yield from _attention(record, "attention-grouped", GROUPED)
    yield from _block(record, BLOCK)


def _one(
    record: Record,
    name: str,
    operator: str,
    text: str,
    value: Value,
    terms: tuple[Difference, ...] = (),
) -> Comparison:
    result = f"meta.{name}"
    place = f"{RECORD.as_posix()} {result}"
    counted = record[result].number
    return Comparison(COUNTER, place, operator, "FLOP", text, value, counted, terms)


def _visible(seq: int) -> Fraction:
    """Scores that a causal mask leaves, for one head."""
    return Fraction(seq * (seq + 1), 2)


def _attention(
    record: Record, name: str, sizes: Sizes, causal: bool = False
) -> Iterator[Comparison]:
    batch, heads, kv, width, seq = (
        sizes[key] for key in ("batch", "heads", "kv_heads", "head_dim", "seq")
    )
    call: dict[str, Any] = {"times": batch, "kv_heads": kv}
    text = inputs(sizes, "causal" if causal else "not causal")
    value = flops_of("attention_prefill", heads, width, seq, causal=causal, **call)
    seen = _visible(seq) if causal else Fraction(seq * seq)
    terms = differ(
        (MASK, -4 * batch * heads * width * (seq * seq - seen)), (SOFTMAX, 5 * batch * heads * seen)
    )
    yield _one(record, f"{name}.forward", "attention_prefill", text, value, terms)
    # The plain kernels keep the probabilities, and their gradient knows no mask.
    value = flops_of("attention_backward", heads, width, seq, rule="saved", **call)
    terms = differ(
        (KEPT, 2 * batch * heads * seq * seq), (ROW_SUMS, 2 * batch * heads * seq * width)
    )
    yield _one(record, f"{name}.backward", "attention_backward", text, value, terms)


def _products(sizes: Sizes) -> tuple[tuple[int, int, int], ...]:
    """m, n, k of the products of a block."""
    tokens, hidden, ffn = sizes["batch"] * sizes["seq"], sizes["hidden"], sizes["ffn"]
    queries, cached = (sizes[name] * sizes["head_dim"] for name in ("heads", "kv_heads"))
    return (
        *((tokens, out, hidden) for out in (queries, cached, cached, ffn, ffn)),
        (tokens, hidden, queries),
        (tokens, hidden, ffn),
    )


def _small(sizes: Sizes) -> Mapping[str, tuple[tuple[str, tuple[int, ...], int], ...]]:
    """Operators of a block without a product: words to calls, each with its FLOP per element."""
    tokens, hidden = sizes["batch"] * sizes["seq"], sizes["hidden"]
    turned = tokens * (sizes["heads"] + sizes["kv_heads"]) * sizes["head_dim"]
    norm, added = ("rmsnorm", (tokens, hidden), 4), ("add", (tokens * hidden,), 1)
    return {
        "two norms, 4 FLOP per element": (norm, norm),
        "rotary embedding, 3 FLOP per element": (("rope", (turned,), 3),),
        "SwiGLU, 6 FLOP per element": (("swiglu", (tokens * sizes["ffn"],), 6),),
        "two residual additions, 1 FLOP per element": (added, added),
    }


def _block(record: Record, sizes: Sizes) -> Iterator[Comparison]:
    batch, seq, heads, width = (sizes[key] for key in ("batch", "seq", "heads", "head_dim"))
    hidden_scores = batch * heads * (seq * seq - _visible(seq))
    calls = [call for same in _small(sizes).values() for call in same]
    options = {"kv_heads": sizes["kv_heads"], "causal": True}

    def forward(ops: Operators) -> Any:
        products = sum(ops.gemm(*shape).flops for shape in _products(sizes))
        scores = batch * ops.attention_prefill(heads, width, seq, **options).flops
        return products + scores + sum(getattr(ops, n)(*shape).flops for n, shape, _ in calls)

    def backward(ops: Operators) -> Any:
        products = sum(ops.gemm_backward(*shape).flops for shape in _products(sizes))
        kept = {"kv_heads": sizes["kv_heads"], "rule": "saved"}
        return products + batch * ops.attention_backward(heads, width, seq, **kept).flops

    small = [
        (why, sum(each * _area(shape) for _, shape, each in same))
        for why, same in _small(sizes).items()
    ]
    terms = differ(
        (MASK, -4 * width * hidden_scores), (SOFTMAX, 5 * batch * heads * _visible(seq)), *small
    )
    yield _one(record, "block.forward", "a block", inputs(sizes, "causal"), forward, terms)
    terms = differ(
        (KEPT, 2 * batch * heads * seq * seq), (ROW_SUMS, 2 * batch * heads * seq * width)
    )
    text = inputs(sizes, "products and attention")
    yield _one(record, "block.backward", "a block, backward", text, backward, terms)


def _area(shape: tuple[int, ...]) -> int:
    """Elements of a tensor given as rows and columns, or by their number."""
    return shape[0] * (shape[1] if len(shape) > 1 else 1)

"""NVIDIA's own roofline formulas ("speed of light") in ``aiconfigurator``."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

from bookcode.ledger import DTYPES
from bookcode.reality import covering
from bookcode.reality.counters._comparison import (
    CONTINUED,
    DECODES,
    GEMMS,
    MESSAGES,
    PREFILLS,
    SOFTMAX,
    WINDOWS,
    Comparison,
    Sizes,
    bytes_of,
    differ,
    figure,
    flops_of,
    inputs,
)
from bookcode.reality.operators import Operators
from bookcode.reality.reading import Given, Source, source
from bookcode.sources.members import Members

MEMBER: Final = "aiconfigurator/sdk/perf_database.py"
ENUMS: Final = "aiconfigurator/sdk/common.py"
RATE: Final = 1000
"""Their formulas give milliseconds; at 1000 a second these are FLOPs and bytes."""

SPEC: Final = Given(
    system_spec={
        "gpu": {"float16_tc_flops": RATE, "mem_bw": RATE},
        "node": {"num_gpus_per_node": 8, "intra_node_bw": RATE, "inter_node_bw": 1},
    }
)


def nvidia(members: Members) -> Iterator[Comparison]:
    """NVIDIA's formulas, evaluated out of the wheel, against the ledger."""
    formulas, enums = source(members, MEMBER), source(members, ENUMS)
    yield from _gemm(formulas, enums)
    yield from _gradients(formulas, enums)
    yield from _ridge(formulas, enums)
    yield from _prefill(formulas, enums)
    yield from _continued(formulas, enums)
    yield from _decode(formulas, enums)
    yield from _collectives(formulas, enums)


def _mode(enums: Source, enum: str, name: str) -> tuple[Given, Fraction, Fraction]:
    """A precision as their formulas take it, its bytes and its multiple of the 16-bit peak."""
    memory, compute, _ = enums.members_of(enum)[name]
    mode = Given(value=Given(memory=Fraction(memory), compute=Fraction(compute)))
    return mode, Fraction(memory), Fraction(compute)


def _call(formulas: Source, path: str, *args: Any) -> Any:
    return formulas.call(path, *args, given={"self": SPEC})


def _gemm(formulas: Source, enums: Source) -> Iterator[Comparison]:
    path = "PerfDatabase.query_gemm.get_sol"
    same = ("NVIDIA", f"{MEMBER} {path}", "gemm")
    for label in ("float16", "int8_wo", "int4_wo", "fp8", "sq"):
        mode, size, times = _mode(enums, "GEMMQuantMode", label)
        activations = DTYPES[covering.GEMM_LABELS[label][1]].bytes
        for sizes in GEMMS:
            m, n, k = sizes.values()
            _, work, moved = _call(formulas, path, m, n, k, mode)
            text, call = inputs(sizes, label), (covering.gemm_cost, sizes, label)
            yield Comparison(*same, "FLOP", text, figure("flops", *call), work * times)
            terms = differ(
                (
                    "A has the type of the activations, not of the weights",
                    m * k * (activations - size),
                ),
                ("C is written in 16 bits, not in the type of the weights", m * n * (2 - size)),
            )
            yield Comparison(*same, "B", text, figure("bytes", *call), moved, terms)


def _gradients(formulas: Source, enums: Source) -> Iterator[Comparison]:
    """dA = dC B^T and dB = A^T dC are products of their own."""
    path = "PerfDatabase.query_gemm.get_sol"
    mode, _, _ = _mode(enums, "GEMMQuantMode", "float16")
    for sizes in GEMMS:
        m, n, k = shape = tuple(sizes.values())
        _, work, moved = _call(formulas, path, m, k, n, mode)
        _, other_work, other_moved = _call(formulas, path, k, n, m, mode)
        sums = {
            "data": (work, moved),
            "weight": (other_work, other_moved),
            "both": (work + other_work, moved + other_moved),
        }
        for rule, (flops, size) in sums.items():
            text = inputs(sizes, rule, "float16")
            same = ("NVIDIA", f"{MEMBER} {path}, per gradient", "gemm_backward")
            value = flops_of("gemm_backward", *shape, rule=rule)
            yield Comparison(*same, "FLOP", text, value, flops)
            value = bytes_of("gemm_backward", *shape, rule=rule)
            yield Comparison(*same, "B", text, value, size)


def _ridge(formulas: Source, enums: Source) -> Iterator[Comparison]:
    """At the ledger's ridge their work and their traffic take equally long."""
    path = "PerfDatabase.query_gemm.get_sol"
    for label, dtype in (("float16", "fp16"), ("int4_wo", "int4")):
        mode, _, times = _mode(enums, "GEMMQuantMode", label)

        def ratio(ops: Operators, mode: Given = mode, dtype: str = dtype) -> Any:
            edge = ops.gemm_ridge_edge(300, dtype=dtype)
            _, work, moved = _call(formulas, path, edge, edge, edge, mode)
            return work / moved

        same = ("NVIDIA", f"{MEMBER} {path}", "gemm_ridge_edge", "FLOP/B")
        yield Comparison(*same, f"balance = 300, {label}", ratio, 300 / times)


def _continued(formulas: Source, enums: Source) -> Iterator[Comparison]:
    """A prompt after a cached prefix, and a prompt in a sliding window."""
    path = "PerfDatabase.query_context_attention.get_sol"
    same = ("NVIDIA", f"{MEMBER} {path}", "attention_prefill")
    cache, _, _ = _mode(enums, "KVCacheQuantMode", "float16")
    mode, _, _ = _mode(enums, "FMHAQuantMode", "float16")
    for sizes in CONTINUED:
        b, heads, kv, d, s, keys = sizes.values()
        _, work, moved = _call(formulas, path, b, s, keys - s, heads, kv, d, 0, cache, mode)
        options: dict[str, Any] = {"keys": keys, "kv_heads": kv, "causal": True}
        scores = s * (keys - s) + Fraction(s * (s + 1), 2)
        terms = differ(
            ("half of the squares leaves out half of the diagonal", 2 * b * heads * s * d),
            (SOFTMAX, 5 * b * heads * scores),
        )
        call = ("attention_prefill", heads, d, s)
        value = flops_of(*call, times=b, **options)
        yield Comparison(*same, "FLOP", inputs(sizes, "causal"), value, work, terms)
        value = bytes_of(*call, times=b, **options)
        yield Comparison(*same, "B", inputs(sizes, "causal"), value, moved)
    for sizes, window in zip(PREFILLS[1:], WINDOWS[::-1], strict=True):
        b, heads, kv, d, s = sizes.values()
        window = min(window, s - 1)
        _, work, _ = _call(formulas, path, b, s, 0, heads, kv, d, window, cache, mode)
        missing = Fraction(window * (window - 1), 2)
        terms = differ(
            ("the first queries see less than a window", -4 * b * heads * d * missing),
            (SOFTMAX, 5 * b * heads * (s * window - missing)),
        )
        options = {"kv_heads": kv, "causal": True, "window": window}
        value = flops_of("attention_prefill", heads, d, s, times=b, **options)
        text = inputs(sizes, f"window = {window}")
        yield Comparison(*same, "FLOP", text, value, work, terms)


def _prefill(formulas: Source, enums: Source) -> Iterator[Comparison]:
    path = "PerfDatabase.query_context_attention.get_sol"
    same = ("NVIDIA", f"{MEMBER} {path}", "attention_prefill")
    cache, _, _ = _mode(enums, "KVCacheQuantMode", "float16")
    mode, _, _ = _mode(enums, "FMHAQuantMode", "float16")
    for sizes in PREFILLS:
        b, heads, kv, d, s = sizes.values()
        _, work, moved = _call(formulas, path, b, s, 0, heads, kv, d, 0, cache, mode)
        text = inputs(sizes, "causal", "float16")
        call = (covering.prefill_cost, sizes, "float16/float16")
        terms = differ(
            ("half of S x S leaves out half of the diagonal", 2 * b * heads * s * d),
            (SOFTMAX, Fraction(5 * b * heads * s * (s + 1), 2)),
        )
        yield Comparison(*same, "FLOP", text, figure("flops", *call), work, terms)
        yield Comparison(*same, "B", text, figure("bytes", *call), moved)


def _decode(formulas: Source, enums: Source) -> Iterator[Comparison]:
    path = "PerfDatabase.query_generation_attention.get_sol"
    same = ("NVIDIA", f"{MEMBER} {path}", "attention_decode")
    for stored in ("float16", "fp8"):
        cache, _, _ = _mode(enums, "KVCacheQuantMode", stored)
        for sizes in DECODES:
            b, heads, kv, d, keys = sizes.values()
            _, work, moved = _call(formulas, path, b, keys + 1, heads, kv, d, 0, cache)
            text = inputs(sizes, f"cache {stored}")
            call = (covering.decode_cost, sizes, f"float16/{stored}")
            terms = differ((SOFTMAX, 5 * b * heads * keys))
            yield Comparison(*same, "FLOP", text, figure("flops", *call), work, terms)
            yield Comparison(*same, "B", text, figure("bytes", *call), moved)
            for window in WINDOWS:
                yield from _decode_window(formulas, sizes, cache, window, stored, same)


def _decode_window(
    formulas: Source,
    sizes: Sizes,
    cache: Given,
    window: int,
    stored: str,
    same: tuple[str, str, str],
) -> Iterator[Comparison]:
    b, heads, kv, d, keys = sizes.values()
    path = "PerfDatabase.query_generation_attention.get_sol"
    _, work, moved = _call(formulas, path, b, keys + 1, heads, kv, d, window, cache)
    text = inputs(sizes, f"cache {stored}", f"window = {window}")
    call = ("attention_decode", heads, d, keys)
    stored_as = covering.ATTENTION_LABELS[stored]
    options: dict[str, Any] = {"times": b, "kv_heads": kv, "cache": stored_as, "window": window}
    terms = differ((SOFTMAX, 5 * b * heads * window))
    yield Comparison(*same, "FLOP", text, flops_of(*call, **options), work, terms)
    yield Comparison(*same, "B", text, bytes_of(*call, **options), moved)


def _collectives(formulas: Source, enums: Source) -> Iterator[Comparison]:
    path = "PerfDatabase.query_nccl.get_sol"
    for label in ("half", "int8"):
        mode, _, _ = _mode(enums, "CommQuantMode", label)
        for theirs, ours in covering.COLLECTIVES.items():
            for sizes in MESSAGES:
                args = (mode, sizes["ranks"], theirs, sizes["elements"])
                sent = _call(formulas, path, *args)[0]
                value = figure("bytes", covering.collective_cost, sizes, ours, label)
                place = f"{MEMBER} {path}"
                yield Comparison("NVIDIA", place, ours, "B", inputs(sizes, label), value, sent)

"""TileOPs' cost formulas and the expressions of its manifest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from math import prod
from typing import Any, Final

import yaml

from bookcode.reality import covering
from bookcode.reality.counters._comparison import (
    CONTINUED,
    DECODES,
    GEMMS,
    PREFILLS,
    WINDOWS,
    Comparison,
    Sizes,
    Value,
    bytes_of,
    differ,
    figure,
    flops_of,
    inputs,
)
from bookcode.reality.reading import Given, Source, expression, source
from bookcode.sources.members import Members

MEMBER: Final = "tileops/_perf/formulas.py"
MANIFEST: Final = "tileops/manifest/spec/{family}.yaml"
DIVIDE: Final = "no final division per element of the output"
LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def tileops(members: Members) -> Iterator[Comparison]:
    """TileOPs' figures against the ledger."""
    formulas = source(members, MEMBER)
    for sizes in PREFILLS:
        for causal in (True, False):
            yield from _attention(formulas, sizes, causal)
    for sizes in CONTINUED:
        yield from _continued(formulas, sizes)
    for sizes in DECODES:
        yield _decode(formulas, sizes)
    yield _append(formulas, DECODES[-1])
    yield from _manifest(members)
    yield from _manifest_bytes(members)


def _attention(formulas: Source, sizes: Sizes, causal: bool) -> Iterator[Comparison]:
    b, heads, kv, d, s = sizes.values()
    work, moved = formulas.call("gqa_dense_fwd_roofline", _dense_call(sizes, causal))
    text = inputs(sizes, "causal" if causal else "not causal", "float16")
    same = ("TileOPs", f"{MEMBER} gqa_dense_fwd_roofline", "attention_prefill")
    call = (partial(covering.prefill_cost, causal=causal), sizes, "float16/float16")
    divide = differ((DIVIDE, -b * heads * s * d))
    yield Comparison(*same, "FLOP", text, figure("flops", *call), work, divide)
    yield Comparison(*same, "B", text, figure("bytes", *call), moved)

    scores, rows = formulas.call("visible_score_rows", s, s, causal, -1, -1)
    back = formulas.call("attention_bwd_flops", heads, scores, rows, d, d)
    value = flops_of("attention_backward", heads, d, s, kv_heads=kv, causal=causal)
    same = ("TileOPs", f"{MEMBER} attention_bwd_flops", "attention_backward")
    yield Comparison(*same, "FLOP", text, value, Fraction(back))


def _continued(formulas: Source, sizes: Sizes) -> Iterator[Comparison]:
    """Masks and windows aligned at the last query and the last key."""
    b, heads, kv, d, s, keys = sizes.values()
    same = ("TileOPs", f"{MEMBER} visible_score_rows, attention_flops", "attention_prefill")
    divide = differ((DIVIDE, -b * heads * s * d))
    for causal, window in ((False, None), (True, None), *((True, w) for w in WINDOWS)):
        left = -1 if window is None else window - 1
        scores, rows = formulas.call("visible_score_rows", s, keys, causal, left, -1)
        work = b * formulas.call("attention_flops", heads, scores, rows, d, d)
        options: dict[str, Any] = {"keys": keys, "kv_heads": kv, "causal": causal, "window": window}
        value = flops_of("attention_prefill", heads, d, s, times=b, **options)
        text = inputs(sizes, "causal" if causal else "not causal", f"window = {window}")
        yield Comparison(*same, "FLOP", text, value, Fraction(work), divide)


def _append(formulas: Source, sizes: Sizes) -> Comparison:
    """New keys and values written into the cache, each token to a slot of its own."""
    _, _, kv, d, tokens = sizes.values()
    shapes = dict.fromkeys(("k", "v", "k_cache", "v_cache"), ((tokens, kv, d), "bfloat16"))
    size = {**dict.fromkeys(shapes, 2 * tokens * kv * d), "slot_mapping": 8 * tokens}
    call = Given(
        tensors=shapes,
        bytes=size.__getitem__,
        present=lambda _: False,
        metadata_values=lambda _: range(tokens),
    )
    given = {"FLOAT8_DTYPES": ()}
    _, moved = formulas.call("paged_kv_cache_write_roofline", call, given=given)
    same = ("TileOPs", f"{MEMBER} paged_kv_cache_write_roofline", "kv_append", "B")
    text = inputs({"kv_heads": kv, "head_dim": d, "seq": tokens})
    return Comparison(*same, text, bytes_of("kv_append", kv, d, tokens), Fraction(moved))


def _decode(formulas: Source, sizes: Sizes) -> Comparison:
    b, heads, _, d, keys = sizes.values()
    work = b * formulas.call("attention_flops", heads, keys, 1, d, d)
    value = figure("flops", covering.decode_cost, sizes, "float16/float16")
    same = ("TileOPs", f"{MEMBER} attention_flops", "attention_decode")
    divide = differ((DIVIDE, -b * heads * d))
    return Comparison(*same, "FLOP", inputs(sizes), value, Fraction(work), divide)


def _dense_call(sizes: Sizes, causal: bool) -> Given:
    """The checked call that TileOPs' dense formula asks: its indices and the bytes of tensors."""
    b, heads, kv, d, s = sizes.values()
    query, keys = 2 * b * heads * s * d, 2 * b * kv * s * d
    tensors = {"q": query, "k": keys, "v": keys, "o": query}
    return Given(
        indices={
            "B": b,
            "H": heads,
            "D": d,
            "S_q": s,
            "S_kv": s,
            "is_causal": causal,
            "window_size_left": -1,
            "window_size_right": -1,
        },
        tensors=tensors,
        bytes=tensors.__getitem__,
    )


Row = tuple[str, str, str, dict[str, Any], Value, list[tuple[str, Fraction | int]]]
"""Family and entry of the manifest, the ledger's function, the names of the expression, the
ledger's figure, and the differences."""


def _manifest(members: Members) -> Iterator[Comparison]:
    rows = [*_gemm_rows(), *_vector_rows()]
    entries = {
        family: yaml.load(members.read(MANIFEST.format(family=family)).content, LOADER)
        for family in {row[0] for row in rows}
    }
    for family, name, ours, given, value, terms in rows:
        formula = entries[family][name]["roofline"]["flops"]
        place = f"{MANIFEST.format(family=family)} {name}"
        names = {"present": bool, "weight": "weight", "bias": "", **given}
        theirs = Fraction(expression(formula, place, names))
        numbers = {k: v for k, v in given.items() if isinstance(v, int)}
        same = ("TileOPs", place, ours, "FLOP", inputs(numbers))
        yield Comparison(*same, value, theirs, differ(*terms))


WIDTHS: Final = {"float32": 4, "out_dtype": 2, "T": 2}
"""Bytes of the types in the manifest's signatures; T is overridden where it is 8 bits."""


def _manifest_bytes(members: Members) -> Iterator[Comparison]:
    """TileOPs' rule for bytes: every tensor of the signature moves once."""
    member = MANIFEST.format(family="gemm")
    entries = yaml.load(members.read(member).content, LOADER)
    groups = 8
    for sizes in GEMMS:
        m, n, k = sizes.values()
        names = {"M": m, "N": n, "K": k, "G": groups, "trans_a": False, "trans_b": False}
        plain = _moved(entries["GEMMFwdOp"], names, WIDTHS)
        same = ("TileOPs", f"{member} GEMMFwdOp", "gemm", "B", inputs(sizes, "float16"))
        yield Comparison(*same, bytes_of("gemm", m, n, k), plain)
        grouped = _moved(entries["GroupedGEMMFwdOp"], names, {**WIDTHS, "int32": 0})
        text = inputs(sizes, f"groups = {groups}")
        same = ("TileOPs", f"{member} GroupedGEMMFwdOp", "grouped_gemm", "B", text)
        yield Comparison(*same, bytes_of("grouped_gemm", m, n, k, groups), grouped)
        along = k // covering.BLOCK
        for blocks, rows in (("square", n // covering.BLOCK), ("vector", n)):
            scaled = {**names, "SA": (m, along), "SB": (rows, along)}
            moved = _moved(entries["GEMMFP8FwdOp"], scaled, {**WIDTHS, "T": 1})
            value = bytes_of("gemm_block_scaled", m, n, k, covering.BLOCK, blocks=blocks)
            text = inputs(sizes, f"scales by {blocks} blocks")
            place = f"{member} GEMMFP8FwdOp"
            yield Comparison("TileOPs", place, "gemm_block_scaled", "B", text, value, moved)


def _moved(entry: Any, names: Mapping[str, Any], widths: Mapping[str, int]) -> Fraction:
    """Bytes of all tensors that the call binds, from the shapes in the signature."""
    signature = entry["signature"]
    total = Fraction(0)
    for tensor in (*signature["inputs"].values(), *signature["outputs"].values()):
        if tensor.get("optional"):
            continue
        shape = _shape(tensor["shape"], signature.get("types", {}), names)
        total += prod(shape) * widths[tensor["dtype"]]
    return total


def _shape(text: str, types: Any, names: Mapping[str, Any]) -> tuple[int, ...]:
    """A shape's sizes; ``Name[arguments]`` is looked up in the signature's types."""
    name, _, rest = text.partition("[")
    if name:
        kind = types[name.strip()]
        arguments = expression(f"[{rest}", name, names)
        names = dict(zip(kind["params"], arguments, strict=True))
        asked = kind["match"]
        wanted = [names[key] for key in asked] if isinstance(asked, list) else names[asked]
        text = next(case["is"] for case in kind["cases"] if case["when"] == wanted)
    return tuple(expression(text, name, names))


def _gemm_rows() -> Iterator[Row]:
    for sizes in GEMMS:
        m, n, k = sizes.values()
        given: dict[str, Any] = {"M": m, "N": n, "K": k}
        yield "gemm", "GEMMFwdOp", "gemm", given, flops_of("gemm", m, n, k), []
        grouped = flops_of("grouped_gemm", m, n, k, 8)
        yield "gemm", "GroupedGEMMFwdOp", "grouped_gemm", given, grouped, []
        blocks = -(-k // covering.BLOCK)
        scaled = flops_of("gemm_block_scaled", m, n, k, covering.BLOCK, blocks="square")
        why = "a partial sum is multiplied by one product of scales, theirs by two scales"
        amount = m * n * (Fraction(k, covering.BLOCK) - 2 * blocks)
        given = {**given, "SA": (m, blocks)}
        yield "gemm", "GEMMFP8FwdOp", "gemm_block_scaled", given, scaled, [(why, amount)]


def _vector_rows() -> Iterator[Row]:
    rows, columns = 2048, 4096
    shape, each = (rows, columns), rows * columns
    norm: dict[str, Any] = {"B": (rows,), "normalized_shape": (columns,), "N": columns}
    twice = "the deviation from the mean is counted again in the last pass"
    layernorm = flops_of("layernorm", *shape)
    biased = {**norm, "bias": "bias"}
    yield "norm", "LayerNormFwdOp", "layernorm", biased, layernorm, [(twice, each)]
    yield "norm", "RMSNormFwdOp", "rmsnorm", norm, flops_of("rmsnorm", *shape), []
    added = flops_of("add_rmsnorm", *shape)
    yield "norm", "FusedAddRMSNormFwdOp", "add_rmsnorm", norm, added, []
    softmax = flops_of("softmax", *shape)
    yield "reduction", "SoftmaxFwdOp", "softmax", {"S": shape}, softmax, []
    gated = {"M": rows, "N": columns}
    swiglu = flops_of("swiglu", each)
    yield "elementwise_fused_gated", "SiLUAndMulFwdOp", "swiglu", gated, swiglu, []
    silu = flops_of("silu", each)
    yield "elementwise_unary_activation", "SiLUFwdOp", "silu", {"S": shape}, silu, []

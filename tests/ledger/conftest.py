"""Every operator in every variant, with sizes to call it with."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from operator import attrgetter
from typing import Any

import pytest

from bookcode.ledger import Cost, ops
from bookcode.ledger.operator import arguments
from bookcode.ledger.protocol import constants_as
from bookcode.ledger.tables import TABLES
from bookcode.numbers.expr import Expr, lift
from bookcode.numbers.stand_ins import FormalRow, symbol_leaf


@dataclass(frozen=True)
class Case:
    """One operator in one variant.

    Attributes:
        function: the ledger function.
        sizes: its quantities; each is given by name.
        static: variant and switches.
        shrinking: sizes that lessen the traffic as they grow (elements that share a scale, ...).
    """

    function: Callable[..., Cost]
    sizes: Mapping[str, int]
    static: Mapping[str, Any] = field(default_factory=dict)
    shrinking: frozenset[str] = frozenset()

    def __call__(self, **changed: Any) -> Cost:
        return self.function(**{**self.sizes, **self.static, **changed})

    def __str__(self) -> str:
        return "-".join([self.function.__name__, *(f"{k}={v}" for k, v in self.static.items())])


def _cases(
    function: Callable[..., Cost],
    sizes: Mapping[str, int],
    *statics: Mapping[str, Any],
    shrinking: tuple[str, ...] = (),
) -> list[Case]:
    return [Case(function, sizes, static, frozenset(shrinking)) for static in statics or ({},)]


GEMM = {"m": 256, "n": 512, "k": 1024}
ROWS = {"rows": 64, "columns": 256}
HEADS = {"heads": 16, "head_dim": 64, "kv_heads": 4}
PREFILL = {**HEADS, "seq": 128}
DECODE = {**HEADS, "keys": 256}
MLA = {"heads": 16, "nope_dim": 32, "rope_dim": 16, "value_dim": 32}
MOE = {"tokens": 64, "hidden": 128, "active": 4}
ALL_VARIANTS = [{"variant": f"materialized-{n}"} for n in (6, 4, 2)] + [{"variant": "flash"}]

CASES: list[Case] = [
    *_cases(ops.chain, {"elements": 4096, "operations": 3}, {"variant": "eager"}),
    *_cases(ops.chain, {"elements": 4096, "operations": 3}, {"variant": "fused"}),
    *_cases(ops.add, {"elements": 4096}),
    *_cases(ops.silu, {"elements": 4096}, {}, {"residual": True}),
    *_cases(ops.gelu, {"elements": 4096}, {"form": "exact"}, {"form": "tanh", "residual": True}),
    *_cases(ops.swiglu, {"elements": 4096}, {"variant": "eager"}, {"variant": "fused"}),
    *_cases(ops.rope, {"elements": 4096}, {}, {"residual": True}),
    *_cases(ops.rope, {"elements": 4096, "heads": 4}, shrinking=("heads",)),
    *_cases(ops.gemm, GEMM, {}, {"dtype": "fp8", "out": "bf16"}),
    *_cases(
        ops.gemm_block_scaled,
        {**GEMM, "group": 128},
        {"blocks": "vector"},
        {"blocks": "square"},
        {"dtype": "fp4", "scale": "e8m0"},
        shrinking=("group",),
    ),
    *_cases(ops.grouped_gemm, {**GEMM, "groups": 8}, {}, {"out": "fp32"}),
    *_cases(ops.gemm_backward, GEMM, {"rule": "both"}, {"rule": "data"}, {"rule": "weight"}),
    *_cases(
        ops.layernorm,
        ROWS,
        *({"variant": v} for v in ("fused", "three-pass", "op-by-op")),
        *({"convention": c} for c in ("recount", "tileops", "calflops")),
    ),
    *_cases(ops.rmsnorm, ROWS, *({"variant": v} for v in ("fused", "two-pass", "op-by-op"))),
    *_cases(
        ops.add_rmsnorm,
        ROWS,
        *({"variant": v, "quantized": q} for v in ("fused", "separate") for q in (None, "fp8")),
    ),
    *_cases(
        ops.softmax,
        ROWS,
        *({"variant": v} for v in ("fused", "online", "three-pass")),
        *({"convention": c} for c in ("tileops", "thop", "calflops")),
    ),
    *_cases(
        ops.cross_entropy,
        {"tokens": 64, "vocab": 512},
        {"variant": "fused"},
        {"variant": "eager"},
    ),
    *_cases(ops.cross_entropy_backward, {"tokens": 64, "vocab": 512}),
    *_cases(ops.embedding, {"tokens": 64, "hidden": 128}),
    *_cases(ops.embedding_backward, {"tokens": 64, "hidden": 128}),
    *_cases(
        ops.quantize,
        {"elements": 4096, "group": 128},
        {"variant": "fused"},
        {"variant": "two-pass"},
        shrinking=("group",),
    ),
    *_cases(ops.dequantize, {"elements": 4096, "group": 128}, shrinking=("group",)),
    *_cases(ops.attention_prefill, PREFILL, *ALL_VARIANTS, {"causal": True}),
    *_cases(ops.attention_prefill, {**PREFILL, "keys": 512}, *ALL_VARIANTS, {"causal": True}),
    *_cases(ops.attention_prefill, {**PREFILL, "window": 32}, {"causal": True}),
    *_cases(ops.attention_prefill, {**PREFILL, "keys": 512, "window": 32}, {"causal": True}),
    *_cases(
        ops.attention_prefill,
        {**PREFILL, "query_block": 32},
        {},
        {"causal": True},
        shrinking=("query_block",),
    ),
    *_cases(ops.attention_decode, DECODE, *ALL_VARIANTS, {"cache": "fp8"}),
    *_cases(ops.attention_decode, {**DECODE, "window": 64}),
    *_cases(ops.attention_decode, {**DECODE, "page": 16}, shrinking=("page",)),
    *_cases(
        ops.attention_backward,
        PREFILL,
        *({"rule": rule, "causal": c} for rule in ("recompute", "saved") for c in (False, True)),
    ),
    *_cases(ops.kv_append, {"kv_heads": 4, "head_dim": 64, "seq": 16}, {}, {"cache": "fp8"}),
    *_cases(ops.mla_decode, {"heads": 16, "latent": 64, "rope_dim": 16, "keys": 256}),
    *_cases(
        ops.mla_decode,
        {"heads": 16, "latent": 64, "rope_dim": 16, "keys": 256, "queries": 2},
        {"cache": "fp8"},
    ),
    *_cases(ops.mla_prefill, {**MLA, "seq": 128}, {"causal": False}, {"causal": True}),
    *_cases(
        ops.mla_absorb,
        {"heads": 16, "latent": 64, "nope_dim": 32, "value_dim": 32, "tokens": 8},
    ),
    *_cases(ops.mla_append, {"latent": 64, "rope_dim": 16, "seq": 16}, {}, {"cache": "fp8"}),
    *_cases(ops.moe_router, {**MOE, "experts": 32}),
    *_cases(ops.moe_dispatch, MOE),
    *_cases(ops.moe_experts, {**MOE, "ffn": 64, "experts": 32}, {}, {"weight": "fp8"}),
    *_cases(ops.moe_combine, MOE),
    *_cases(ops.adamw_per_parameter, {}, *({"form": f} for f in ("textbook", "torch", "fused"))),
    *_cases(
        ops.adamw,
        {"parameters": 1000},
        *({"form": f} for f in ("textbook", "torch", "fused")),
        {"grad": "fp32", "parameter": "fp32", "state": "bf16"},
        {"copy": "bf16"},
    ),
    *_cases(
        ops.all_reduce,
        {"elements": 1000, "ranks": 4},
        {"algorithm": "ring"},
        {"over": "hbm"},
    ),
    *_cases(ops.all_reduce, {"elements": 1000}, {"algorithm": "in-switch", "ranks": 4}),
    *_cases(ops.reduce_scatter, {"elements": 1000, "ranks": 4}),
    *_cases(ops.all_gather, {"elements": 1000, "ranks": 4}),
    *_cases(ops.all_to_all, {"elements": 1000, "ranks": 4}),
]


@pytest.fixture(scope="session", params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> Case:
    """An operator in one of its variants."""
    chosen: Case = request.param
    return chosen


@pytest.fixture(scope="session")
def cases() -> list[Case]:
    """All of them."""
    return CASES


def _formal(
    function: Callable[..., Any], given_arguments: Mapping[str, Any], *fields: str
) -> list[Expr]:
    bound = inspect.signature(function).bind(**given_arguments)
    bound.apply_defaults()
    for name, argument in arguments(function).items():
        value = bound.arguments[name]
        if argument.symbol is not None and value is not None:
            latex, unit, meaning = argument.symbol
            bound.arguments[name] = symbol_leaf(latex, unit, meaning, Fraction(value))
        elif argument.row is not None and value is not None:
            row = TABLES[argument.row][value] if isinstance(value, str) else value
            bound.arguments[name] = FormalRow(argument.row, row, argument.subscript)
    with constants_as(lift):
        result = function(*bound.args, **bound.kwargs)
        return [lift(attrgetter(field)(result) if field else result) for field in fields]


@pytest.fixture(scope="session")
def formal() -> Callable[..., list[Expr]]:
    """Runs a ledger function on symbols and gives fields of its result (dotted; "" for itself)."""
    return _formal

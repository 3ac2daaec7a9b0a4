"""Every figure of references/expected-figures.json follows from a call of the ledger."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bookcode.ledger import DTYPES, MACHINES, MODELS, Cost, Step, Timed, ops, stages
from bookcode.ledger.machines import LINKS

REFERENCES = Path(__file__).parents[2] / "references"
FIGURES = {
    row["key"]: row
    for row in json.loads((REFERENCES / "expected-figures.json").read_text("utf-8"))["figures"]
}
FACTS = tomllib.loads((REFERENCES / "facts.toml").read_text("utf-8"))["facts"]
FP16, BF16 = DTYPES["fp16"], DTYPES["bf16"]
H200, MODEL = MACHINES["h200"], MODELS["8b-class"]
SQUARE = 4096 * 4096
SHAPE: dict[str, Any] = {"heads": 32, "head_dim": 128, "seq": 4096}


def timed(cost: Cost, dtype: str = "fp16", link: str | None = None) -> Timed:
    return Timed(cost, H200, DTYPES[dtype], LINKS[link] if link else None)


def cube(edge: int) -> Cost:
    return ops.gemm(edge, edge, edge)


def prefill(variant: Any, causal: bool = False) -> Cost:
    return ops.attention_prefill(**SHAPE, variant=variant, causal=causal)


def scores_bytes(cost: Cost) -> Fraction:
    return cost.bytes - cost.bytes_of("Q", "K", "V", "O")


def share(seq: int, stage: str) -> Fraction:
    """A stage's share of the step; communication over HBM, as the figures' note says."""
    step = stages.training_step(seq, 8, model=MODEL, machine=H200, over="hbm")
    stage_time: Fraction = getattr(step, stage).expected
    return stage_time / step.expected


def step(link: str | None = None) -> Step:
    return stages.training_step(
        4096,
        8,
        model=MODEL,
        machine=H200,
        link=LINKS[link] if link else None,
        over="link" if link else "hbm",
    )


def flash_backward_ratio(seq: int) -> Fraction:
    own = stages.backward(seq, model=MODEL, attention="flash")
    return own.flops / stages.forward(seq, model=MODEL).flops


def fact(key: str) -> Fraction:
    return Fraction(FACTS[key]["value"])


CHAIN = {v: ops.chain(SQUARE, 2, variant=v) for v in ("eager", "fused")}
DECODE = ops.attention_decode(32, 128, 32768)
KV = ("K cache", "V cache")
FORWARD = stages.forward(4096, model=MODEL)
REQUEST = stages.decode(4096, model=MODEL)

COMPUTED: dict[str, Callable[[], Fraction]] = {
    "machine.h200.peak": lambda: H200.reachable_peak(FP16, "tensor"),
    "machine.h200.bandwidth": lambda: H200.reachable_bandwidth(Fraction(1)),
    "machine.h200.balance": lambda: H200.reachable_balance(FP16),
    "machine.h200-spec.balance": lambda: MACHINES["h200-spec"].balance(FP16),
    "machine.h100-spec.balance": lambda: MACHINES["h100-prelim"].balance(FP16),
    "chain.sincos.eager.bytes": lambda: CHAIN["eager"].bytes,
    "chain.sincos.fused.bytes": lambda: CHAIN["fused"].bytes,
    "chain.sincos.fused.intensity": lambda: CHAIN["fused"].intensity,
    "chain.sincos.eager.expected": lambda: timed(CHAIN["eager"]).expected,
    "chain.sincos.fused.expected": lambda: timed(CHAIN["fused"]).expected,
    "chain.sincos.fused.bound": lambda: timed(CHAIN["fused"]).bound,
    "layernorm.fused.bytes": lambda: ops.layernorm(8192, 4096).bytes,
    "layernorm.three-pass.bytes": lambda: ops.layernorm(8192, 4096, variant="three-pass").bytes,
    "layernorm.flops": lambda: ops.layernorm(8192, 4096).flops,
    "gemm.4096.intensity": lambda: cube(4096).intensity,
    "gemm.2048.intensity": lambda: cube(2048).intensity,
    "gemm.1024.intensity": lambda: cube(1024).intensity,
    "gemm.512.intensity": lambda: cube(512).intensity,
    "gemm.4096.flops": lambda: cube(4096).flops,
    "gemm.4096.bytes": lambda: cube(4096).bytes,
    "gemm.4096.expected": lambda: timed(cube(4096)).expected,
    "gemm.4096.bound": lambda: timed(cube(4096)).bound,
    "gemm.2048.bytes": lambda: cube(2048).bytes,
    "gemm.ridge-edge.h100-spec": lambda: ops.gemm_ridge_edge(MACHINES["h100-prelim"].balance(FP16)),
    "attention.prefill.flops": lambda: prefill("flash").flops,
    "attention.prefill.materialized.bytes": lambda: prefill("materialized-6").bytes,
    "attention.prefill.materialized.scores-bytes": lambda: scores_bytes(prefill("materialized-6")),
    "attention.prefill.materialized4.bytes": lambda: prefill("materialized-4").bytes,
    "attention.prefill.flash.bytes": lambda: prefill("flash").bytes,
    "attention.prefill.materialized.intensity": lambda: prefill("materialized-6").intensity,
    "attention.prefill.flash.intensity": lambda: prefill("flash").intensity,
    "attention.prefill.materialized.expected": lambda: timed(prefill("materialized-6")).expected,
    "attention.prefill.flash.expected": lambda: timed(prefill("flash")).expected,
    "attention.prefill.flash.causal.flops": lambda: prefill("flash", causal=True).flops,
    "attention.prefill.flash.bound": lambda: timed(prefill("flash")).bound,
    "attention.prefill.traffic-ratio": lambda: (
        prefill("materialized-6").bytes / prefill("flash").bytes
    ),
    "attention.decode.flops": lambda: DECODE.flops,
    "attention.decode.kv-bytes": lambda: DECODE.bytes_of(*KV),
    "attention.decode.bytes": lambda: DECODE.bytes,
    "attention.decode.kv-intensity": lambda: DECODE.flops / DECODE.bytes_of(*KV),
    "adamw.bytes-per-parameter": lambda: ops.adamw_per_parameter().bytes,
    "adamw.intensity": lambda: ops.adamw_per_parameter().intensity,
    "adamw.7e9.bytes": lambda: ops.adamw(7 * 10**9).bytes,
    "model.linear-parameters": lambda: MODEL.linear_parameters,
    **{
        f"step.{seq}.{stage}.share": partial(share, seq, stage)
        for seq in (512, 4096, 32768, 131072)
        for stage in ("forward", "backward", "optimizer", "communication")
    },
    **{
        f"step.{seq}.backward-flash.ratio": partial(flash_backward_ratio, seq)
        for seq in (512, 4096, 32768, 131072)
    },
    "step.4096.forward.flops": lambda: FORWARD.flops,
    "step.4096.forward.bytes": lambda: FORWARD.bytes,
    "step.4096.forward.expected": lambda: timed(FORWARD, "bf16").expected,
    "step.4096.backward.flops": lambda: stages.backward(4096, model=MODEL).flops,
    "step.4096.backward.bytes": lambda: stages.backward(4096, model=MODEL).bytes,
    "step.4096.backward.expected": lambda: step().backward.expected,
    "step.optimizer.flops": lambda: step().optimizer.flops,
    "step.optimizer.bytes": lambda: step().optimizer.bytes,
    "step.optimizer.expected": lambda: step().optimizer.expected,
    "step.communication.bytes": lambda: step("nvlink").communication.bytes,
    "step.communication.expected-over-hbm": lambda: step().communication.expected,
    "step.communication.expected-over-nvlink4": lambda: step("nvlink").communication.expected,
    "step.communication.expected-over-400g": lambda: step("nic").communication.expected,
    "request.decode.flops": lambda: REQUEST.flops,
    "request.decode.bytes": lambda: REQUEST.bytes,
    "request.decode.expected": lambda: timed(REQUEST, "bf16").expected,
    "silu.flops": lambda: ops.silu(SQUARE).flops,
    "silu.bytes": lambda: ops.silu(SQUARE).bytes,
    "silu.intensity": lambda: ops.silu(SQUARE).intensity,
    "rope.flops": lambda: ops.rope(SQUARE).flops,
    "rope.bytes": lambda: ops.rope(SQUARE).bytes,
    "rope.intensity": lambda: ops.rope(SQUARE).intensity,
    "elementwise-add.intensity": lambda: ops.add(SQUARE).intensity,
    "fa3.utilization": lambda: fact("fa3.fp16-throughput") / fact("h100.fabric.fp16-dense"),
}


def test_every_figure_is_computed() -> None:
    assert set(COMPUTED) == set(FIGURES)


@pytest.mark.parametrize("key", FIGURES)
def test_figure(key: str) -> None:
    value, expected = COMPUTED[key](), FIGURES[key]["value"]
    assert isinstance(value, Fraction)
    if float(expected).is_integer():
        assert value == expected
    else:
        assert abs(value / Fraction(expected) - 1) < Fraction(1, 10**12)

"""Stages, programs and memory can be followed by symbols and by a chapter's parameters."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from bookcode.ledger import DTYPES, LINKS, MACHINES, MODELS, Model, stages
from bookcode.ledger import memory as fit
from bookcode.ledger.latent_layers import latent_decode_operators, latent_prefill_operators
from bookcode.ledger.latent_models import LATENT_MODELS
from bookcode.ledger.layers import decode_operators, prefill_operators
from bookcode.numbers.expr import Expr, evaluate, lift
from bookcode.numbers.latex import print_formula
from bookcode.numbers.stand_ins import TracedRow
from bookcode.numbers.units import parse_unit

MODEL, DEEPSEEK = MODELS["8b-class"], LATENT_MODELS["deepseek-v3"]
STEP = {"seq": 4096, "ranks": 8, "model": MODEL, "machine": "h200", "link": "nvlink"}
FLOPS_AND_BYTES = {"flops": "FLOP", "bytes": "B"}
HEADS: list[dict[str, Any]] = [{"head": "all", "batch": 4}, {"head": "last", "batch": 4}, {}]
TIMES = {"expected": "s", "bound": "s", "forward.expected": "s", "communication.bound": "s"}
CALLS: list[tuple[Any, dict[str, Any], dict[str, str]]] = [
    *((stages.forward, {"seq": 64, "model": MODEL, **o}, FLOPS_AND_BYTES) for o in HEADS),
    *(
        (stages.backward, {"seq": 64, "model": MODEL, "attention": "flash", **o}, FLOPS_AND_BYTES)
        for o in [*HEADS, {"checkpointing": True, "causal": True}]
    ),
    *((stages.decode, {"keys": 64, "model": MODEL, **o}, FLOPS_AND_BYTES) for o in HEADS),
    (stages.decode, {"keys": 64, "model": MODEL, "cache": "fp8"}, FLOPS_AND_BYTES),
    (stages.generation, {"seq": 64, "new": 8, "model": MODEL}, FLOPS_AND_BYTES),
    (stages.training_step, STEP, TIMES),
    (stages.training_step, {**STEP, "overlap": "backward", "zero": "3"}, TIMES),
    (stages.training_step, {**STEP, "parameters": 70 * 10**9, "batch": 2, "head": "all"}, TIMES),
    (prefill_operators, {"seq": 64, "model": MODEL, "head": "all"}, FLOPS_AND_BYTES),
    (decode_operators, {"keys": 64, "model": MODEL, "batch": 2}, FLOPS_AND_BYTES),
    (latent_prefill_operators, {"seq": 64, "model": DEEPSEEK, "head": "last"}, FLOPS_AND_BYTES),
    (latent_decode_operators, {"keys": 64, "model": DEEPSEEK, "batch": 2}, FLOPS_AND_BYTES),
    (fit.training_state, {"parameters": 100, "zero": "2", "ranks": 4}, {"total": "B"}),
    (fit.activations, {"seq": 64, "model": MODEL, "checkpointing": True}, {"total": "B"}),
    (fit.inference_memory, {"keys": 64, "model": MODEL, "batch": 2}, {"total": "B", "cache": "B"}),
    (fit.cache_per_token, {"model": MODEL}, {"": "B"}),
]


@pytest.mark.parametrize(("function", "arguments", "units"), CALLS)
def test_symbols(formal: Any, function: Any, arguments: Any, units: dict[str, str]) -> None:
    for expression, unit in zip(formal(function, arguments, *units), units.values(), strict=True):
        assert expression.unit.same_dimension(parse_unit(unit)), expression.unit
        assert print_formula(expression).symbolic


@pytest.mark.parametrize("head", ["none", "all"])
def test_a_model_and_sizes_chosen_by_the_reader(head: Any) -> None:
    model: Any = TracedRow(Model, dict(MODELS), "model")
    seq, ranks = Expr("var", "seq"), Expr("var", "ranks")
    step: Any = stages.training_step(
        seq,
        ranks,
        model=model,
        machine=MACHINES["h200"],
        link=LINKS["nic"],
        dtype=DTYPES["bf16"],
        head=head,
        overlap="backward",
    )
    traced = lift(step.expected)
    for name in MODELS:
        again = stages.training_step(
            1000,
            16,
            model=MODELS[name],
            machine=MACHINES["h200"],
            link=LINKS["nic"],
            dtype=DTYPES["bf16"],
            head=head,
            overlap="backward",
        )
        point: dict[str, Any] = {"seq": Fraction(1000), "ranks": Fraction(16), "model": name}
        assert evaluate(traced, point) == again.expected

"""The ledger against figures that others printed, each with its source and its rounding."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any

import pytest

from bookcode.ledger import DTYPES, LINKS, MACHINES, MODELS, Cost, Timed, ops
from bookcode.ledger.latent_models import LATENT_MODELS
from bookcode.ledger.memory import cache_per_token
from bookcode.ledger.stages import forward

FACTS = tomllib.loads((Path(__file__).parents[2] / "references" / "facts.toml").read_text("utf-8"))
H200 = MACHINES["h200-spec"]


def fact(key: str) -> Fraction:
    return Fraction(FACTS["facts"][key]["value"])


# --- NVIDIA, Matrix Multiplication Background User's Guide, "Math and memory bounds", fp16 ------


def test_nvidia_guide_skinny_product() -> None:
    assert round(ops.gemm(8192, 128, 8192).intensity, 1) == Fraction("124.1")


def test_nvidia_guide_square_product_is_truncated() -> None:
    assert floor(ops.gemm(8192, 8192, 8192).intensity) == 2730


# --- published weights: elements in the safetensors files of the models ------------------------


@pytest.mark.parametrize(
    ("model", "parameters"),
    [
        ("llama-3-8b", 8_030_261_248),
        ("llama-3-70b", 70_553_706_496),
        ("llama-3-405b", 405_853_388_800),
    ],
)
def test_llama_parameters(model: str, parameters: int) -> None:
    assert MODELS[model].parameters == MODELS[model].counted_parameters == parameters


def test_qwen3_parameters() -> None:
    """Qwen3 model card: 8.2B parameters, 6.95B without embeddings."""
    model = MODELS["qwen3-8b"]
    assert round(model.parameters / 10**9, 1) == Fraction("8.2")
    bare = model.parameters - 2 * model.vocabulary_parameters
    assert round(bare / 10**9, 2) == Fraction("6.95")


def test_deepseek_v3_parameters() -> None:
    """DeepSeek-V3 technical report, abstract: 671B parameters, 37B of them active for a token.

    The active ones are counted without the embedding, of which a token uses a row.
    """
    model = LATENT_MODELS["deepseek-v3"]
    assert round(model.counted_parameters / 10**9) == 671
    active = model.active_parameters - model.vocab * model.hidden
    assert round(active / 10**9) == 37


# --- caches and attention -----------------------------------------------------------------------


def test_a_70b_cache_in_int8_keeps_160_kib_of_a_token() -> None:
    assert cache_per_token(model=MODELS["llama-3-70b"], dtype=DTYPES["int8"]) == 163_840


def test_torch_counts_the_products_of_attention() -> None:
    """torch.utils.flop_counter, sdpa_flop_count: two batched products of (1, 12, 64, 64)."""
    counted = 2 * (12 * 64 * 64 * 2 * 64)
    assert counted == 12_582_912
    work = {d: ops.attention_prefill(12, d, 64).flops for d in (64, 128)}
    assert work[128] - work[64] == counted  # the products grow with d, softmax does not


def test_flash_attention_counts_backward_as_five_halves() -> None:
    """flash-attention, benchmarks/benchmark_flash_attention.py: 4 b s^2 h d, backward 2.5 times."""
    products = 4 * 4096**2 * 32 * 128
    backward = ops.attention_backward(32, 128, 4096).work[0].flops
    assert backward == fact("count.attention-backward.ratio") * products


def test_mla_decode_per_latent_byte() -> None:
    """FlashMLA: about 2 h_q s_q FLOP per byte; of matrix products over latent bytes 241.8."""
    cost = ops.mla_decode(128, 512, 64, 8192)
    products = sum(w.flops for w in cost.work if w.what != "softmax")
    assert round(products / cost.bytes_of("latent cache"), 1) == Fraction("241.8")


def test_tileops_counts_attention_with_a_division_per_output() -> None:
    """TileOPs, _perf/formulas.py (citation R6-attn): 277.58 GFLOP against 277.56 here."""
    ours = ops.attention_prefill(32, 128, 4096).flops
    theirs = ours + 32 * 4096 * 128
    assert [round(flops / 10**9, 2) for flops in (ours, theirs)] == [
        Fraction("277.56"),
        Fraction("277.58"),
    ]


# --- communication ---------------------------------------------------------------------------


def test_the_ring_factor_of_eight_ranks() -> None:
    """nccl-tests, doc/PERFORMANCE.md: bus bandwidth of all-reduce is 2 (n-1)/n of algorithm's."""
    sent = ops.all_reduce(1000, 8).bytes
    assert sent / (1000 * DTYPES["bf16"].bytes) == Fraction(7, 4)


def test_the_step_over_nccls_own_figure() -> None:
    """torch/_inductor/comm_analysis.py (F-NVLINK-torch) rates Hopper's NVLink at 370 GB/s."""
    cost = ops.all_reduce(8_030_000_000, 8)
    timed = Timed(cost, MACHINES["h200"], DTYPES["bf16"], LINKS["nvlink-nccl"])
    assert round(timed.bound * 1000, 2) == Fraction("75.96")


# --- measurements of NVIDIA (aiconfigurator 0.4.0): none beats the bound --------------------------


def cube(edge: int) -> Cost:
    return ops.gemm(edge, edge, edge)


MEASURED: dict[str, Callable[[], Cost]] = {
    "measured.gemm-4096.h200": lambda: cube(4096),
    "measured.gemm-2048.h200": lambda: cube(2048),
    "measured.gemm-1024.h200": lambda: cube(1024),
    "measured.gemm-512.h200": lambda: cube(512),
    "measured.gemv-4096.h200": lambda: ops.gemm(1, 4096, 4096),
    "measured.prefill-4096.h200": lambda: ops.attention_prefill(32, 128, 4096, causal=True),
    "measured.prefill-4096-gqa.h200": lambda: ops.attention_prefill(
        32, 128, 4096, kv_heads=8, causal=True
    ),
    "measured.decode-32768.h200": lambda: ops.attention_decode(32, 128, 32768),
    "measured.all-reduce-half.h200": lambda: ops.all_reduce(2**28, 8, algorithm="in-switch"),
    "measured.all-reduce-int8.h200": lambda: ops.all_reduce(2**29, 8, dtype=DTYPES["int8"]),
}


@pytest.mark.parametrize("key", MEASURED)
def test_no_measurement_beats_the_bound(key: str) -> None:
    timed = Timed(MEASURED[key](), H200, DTYPES["fp16"], LINKS["nvlink"])
    assert timed.bound < fact(key)


def test_a_measurement_beats_the_expectation_of_the_calibrated_roof() -> None:
    timed = Timed(cube(4096), MACHINES["h200"], DTYPES["fp16"])
    assert timed.bound < fact("measured.gemm-4096.h200") < timed.expected


def test_the_causal_model_does_half_the_attention() -> None:
    """Model FLOPs full over causal, for S = 512, 4096, 32768, 131072."""
    printed: dict[int, Any] = {512: "1.010", 4096: "1.072", 32768: "1.383", 131072: "1.713"}
    for seq, ratio in printed.items():
        full, half = (forward(seq, model=MODELS["8b-class"], causal=c) for c in (False, True))
        assert abs(full.flops / half.flops - Fraction(ratio)) <= Fraction("0.001")

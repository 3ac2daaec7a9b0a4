"""Hand-computed terms of the families, and fused against separate kernels."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.ledger import LedgerError, ops

COUNTS = st.integers(1, 10**6)
SMALL = st.integers(1, 64)
N = 4096 * 4096


# --- elementwise ------------------------------------------------------------------------------


@given(elements=COUNTS, operations=SMALL)
def test_a_fused_chain_saves_the_passes_between(elements: int, operations: int) -> None:
    eager = ops.chain(elements, operations)
    fused = ops.chain(elements, operations, variant="fused")
    assert eager.bytes == operations * fused.bytes
    assert eager.flops == fused.flops == operations * elements


@pytest.mark.parametrize(
    ("dtype", "intensity"), [("fp16", "1/6"), ("fp32", "1/12"), ("fp8", "1/3")]
)
def test_the_intensity_of_an_addition_depends_on_the_dtype_alone(
    dtype: Any, intensity: str
) -> None:
    assert (
        ops.add(N, dtype=dtype).intensity
        == ops.add(7, dtype=dtype).intensity
        == Fraction(intensity)
    )


@pytest.mark.parametrize("operator", [ops.silu, ops.rope, ops.gelu])
def test_fusing_the_residual_saves_two_of_five_passes(operator: Any) -> None:
    separate = operator(N).bytes + ops.add(N).bytes
    fused = operator(N, residual=True)
    assert separate == 5 * N * 2
    assert fused.bytes == 3 * N * 2
    assert fused.flops == operator(N).flops + ops.add(N).flops


def test_activations() -> None:
    assert ops.gelu(N).flops == 5 * N
    assert ops.gelu(N, form="tanh").flops == 9 * N
    assert ops.swiglu(N).flops == 6 * N
    assert ops.swiglu(N).bytes == 3 * N * 2
    assert ops.swiglu(N, variant="eager").bytes == 5 * N * 2


def test_the_table_of_rope_is_three_percent_of_its_reads() -> None:
    with_table = ops.rope(N, heads=32)
    assert with_table.bytes_of("cosines and sines") / with_table.bytes_of("x") == Fraction(1, 32)
    assert with_table.bytes - with_table.bytes_of("cosines and sines") == ops.rope(N).bytes


# --- norms and softmax ------------------------------------------------------------------------


def test_layernorm_op_by_op_is_twelve_passes() -> None:
    fused = ops.layernorm(8192, 4096)
    eager = ops.layernorm(8192, 4096, variant="op-by-op")
    assert eager.bytes == 12 * 8192 * 4096 * 2
    assert eager.bytes / fused.bytes == 6
    assert round(eager.bytes / 10**6) == 805


def test_layernorm_conventions() -> None:
    costs = [ops.layernorm(8, 8, convention=c) for c in ("recount", "tileops", "calflops")]
    assert [cost.flops / 64 for cost in costs] == [8, 7, 5]
    assert costs[1].intensity == Fraction(7, 4)


@given(rows=SMALL, columns=SMALL)
def test_norms_fused_move_least(rows: int, columns: int) -> None:
    layer = [
        ops.layernorm(rows, columns, variant=v).bytes for v in ("fused", "three-pass", "op-by-op")
    ]
    assert layer == sorted(layer)
    root = [ops.rmsnorm(rows, columns, variant=v).bytes for v in ("fused", "two-pass", "op-by-op")]
    assert root == sorted(root)
    soft = [ops.softmax(rows, columns, variant=v).bytes for v in ("fused", "online", "three-pass")]
    assert soft == sorted(soft)


@given(columns=SMALL, rows=SMALL)
def test_the_intensity_of_a_norm_does_not_depend_on_its_shape(rows: int, columns: int) -> None:
    assert ops.layernorm(rows, columns).intensity == ops.layernorm(4096, 4096).intensity


@pytest.mark.parametrize("quantized", [None, "fp8"])
def test_add_and_rmsnorm(quantized: Any) -> None:
    fused = ops.add_rmsnorm(64, 256, quantized=quantized)
    separate = ops.add_rmsnorm(64, 256, quantized=quantized, variant="separate")
    assert fused.flops == separate.flops
    x = 64 * 256 * 2
    assert separate.bytes - fused.bytes == (x if quantized is None else 3 * x)
    parts = ops.add(64 * 256).bytes + ops.rmsnorm(64, 256).bytes
    if quantized is None:
        assert separate.bytes == parts
    else:
        assert separate.bytes == parts + ops.quantize(64 * 256, 256).bytes


def test_softmax_conventions() -> None:
    counts = [ops.softmax(10, 100, convention=c).flops for c in ("tileops", "thop", "calflops")]
    assert counts == [5000, 3000 - 10, 1000]


def test_cross_entropy_reads_the_logits_once_or_three_times() -> None:
    fused = ops.cross_entropy(100, 1000)
    eager = ops.cross_entropy(100, 1000, variant="eager")
    assert fused.bytes == 100 * 1000 * 2 + 100 * (8 + 4)
    assert eager.bytes - fused.bytes == 3 * 100 * 1000 * 4
    assert fused.flops == 4 * 100 * 1000 + 2 * 100
    assert ops.cross_entropy_backward(100, 1000).bytes == 2 * 100 * 1000 * 2 + 100 * 8


def test_embedding_is_all_traffic() -> None:
    assert ops.embedding(100, 64).flops == 0
    assert ops.embedding(100, 64).bytes == 100 * (8 + 2 * 64 * 2)
    assert ops.embedding_backward(100, 64).flops == 100 * 64


# --- products ---------------------------------------------------------------------------------


def test_gemm_with_another_output_type() -> None:
    fp8: Any = "fp8"
    bf16: Any = "bf16"
    n = 4096
    assert ops.gemm(n, n, n, dtype=fp8, out=bf16).intensity == Fraction(n, 2)
    assert ops.gemm(n, n, n, dtype=fp8).intensity == Fraction(2 * n, 3)


@given(m=SMALL, n=SMALL, k=SMALL)
def test_backward_of_a_product_is_twice_its_forward(m: int, n: int, k: int) -> None:
    both = ops.gemm_backward(m, n, k)
    parts = [ops.gemm_backward(m, n, k, rule=rule) for rule in ("data", "weight")]
    assert both.flops == 2 * ops.gemm(m, n, k).flops == parts[0].flops + parts[1].flops
    assert both.bytes == parts[0].bytes + parts[1].bytes
    assert parts[0].bytes == ops.gemm(m, n, k).bytes


def test_block_scales() -> None:
    cost = ops.gemm_block_scaled(256, 512, 1024, 128)
    assert cost.bytes_of("scales of A") == 256 * 8 * 4
    assert cost.bytes_of("scales of B") == 512 * 8 * 4
    square = ops.gemm_block_scaled(256, 512, 1024, 128, blocks="square")
    assert square.bytes_of("scales of B") == 4 * 8 * 4
    assert cost.work[1].flops == 256 * 512 * 8
    fp4: Any = "fp4"
    e8m0: Any = "e8m0"
    micro = ops.gemm_block_scaled(256, 512, 1024, 32, dtype=fp4, scale=e8m0)
    assert micro.bytes_of("A", "scales of A") == 256 * 1024 * Fraction(17, 32)


@given(m=COUNTS, groups=SMALL)
def test_groups_add_weights_and_no_work(m: int, groups: int) -> None:
    one, many = ops.gemm(m, 32, 64), ops.grouped_gemm(m, 32, 64, groups)
    assert many.flops == one.flops
    assert many.bytes_of("B of every group") == groups * one.bytes_of("B")


# --- quantization, experts, optimizer, collectives ------------------------------------------------


def test_quantization_there_and_back() -> None:
    there, back = ops.quantize(1024, 128), ops.dequantize(1024, 128)
    assert there.bytes == back.bytes == 1024 * 3 + 8 * 4
    assert there.flops == 4 * 1024 + 2 * 8
    assert ops.quantize(1024, 128, variant="two-pass").bytes - there.bytes == 1024 * 2


@given(tokens=st.integers(1, 300))
def test_experts_read_the_weights_of_those_that_have_a_token(tokens: int) -> None:
    cost = ops.moe_experts(tokens, 64, 32, 256, 8)
    one = 3 * 64 * 32 * 2
    assert cost.bytes_of("expert weights") == min(256, 8 * tokens) * one
    assert cost.work[0].flops == 8 * tokens * 2 * 3 * 64 * 32


def test_dispatch_and_combine_move_each_route() -> None:
    out, back = ops.moe_dispatch(10, 64, 8), ops.moe_combine(10, 64, 8)
    assert out.bytes == (1 + 8) * 10 * 64 * 2
    assert back.bytes == (8 + 1) * 10 * 64 * 2 + 10 * 8 * 4
    assert back.flops == 2 * 8 * 10 * 64


@pytest.mark.parametrize(
    "operator", [ops.moe_router, lambda t, h, e, a: ops.moe_experts(t, h, 4, e, a)]
)
def test_no_more_active_experts_than_experts(operator: Any) -> None:
    with pytest.raises(LedgerError, match="9 active experts of 8"):
        operator(4, 4, 8, 9)


@pytest.mark.parametrize(
    ("types", "size"),
    [
        ({}, 26),
        ({"grad": "fp32", "state": "fp32"}, 28),
        ({"copy": "bf16"}, 28),
        ({"grad": "fp32", "copy": "bf16"}, 30),
        ({"grad": "bf16", "state": "bf16"}, 14),
        ({"grad": "fp32", "parameter": "fp32", "state": "bf16"}, 20),
    ],
)
def test_bytes_of_adamw_by_its_types(types: dict[str, Any], size: int) -> None:
    assert ops.adamw_per_parameter(**types).bytes == size
    assert ops.adamw(1000, **types).bytes == 1000 * size


@pytest.mark.parametrize(("form", "flops"), [("textbook", 15), ("torch", 14), ("fused", 17)])
def test_flops_of_adamw_by_its_form(form: Any, flops: int) -> None:
    assert ops.adamw_per_parameter(form=form).flops == flops
    assert ops.adamw(10, form=form).flops == 10 * flops


@given(elements=COUNTS, ranks=st.integers(2, 1000))
def test_a_ring_is_a_reduce_scatter_and_an_all_gather(elements: int, ranks: int) -> None:
    ring = ops.all_reduce(elements, ranks)
    halves = ops.reduce_scatter(elements, ranks), ops.all_gather(elements, ranks)
    assert ring.bytes == halves[0].bytes + halves[1].bytes
    switch = ops.all_reduce(elements, ranks, algorithm="in-switch")
    assert switch.bytes <= ring.bytes < 2 * switch.bytes
    assert ops.all_to_all(elements, ranks).bytes == halves[0].bytes


@pytest.mark.parametrize("collective", [ops.reduce_scatter, ops.all_gather, ops.all_to_all])
def test_collectives_go_over_a_link_and_need_ranks(collective: Any) -> None:
    assert collective(100, 4).channels == ("link",)
    with pytest.raises(LedgerError, match=f"{collective.__name__}: ranks = 1"):
        collective(100, 1)


@given(keys=st.integers(1, 10**5))
def test_mla_reads_one_latent_for_all_heads(keys: int) -> None:
    cost = ops.mla_decode(128, 512, 64, keys)
    assert cost.bytes_of("latent cache") == keys * 576 * 2
    two = ops.mla_decode(128, 512, 64, keys, queries=2)
    assert two.flops == 2 * cost.flops
    assert two.bytes_of("latent cache") == cost.bytes_of("latent cache")


def test_mla_absorbed_trades_products_for_traffic() -> None:
    absorb = ops.mla_absorb(128, 512, 128, 128, 1)
    assert absorb.flops == 2 * 2 * 128 * 512 * 128
    expanded = ops.mla_prefill(128, 128, 64, 128, 10)
    assert expanded.work[0].flops == 128 * 2 * 100 * 192
    assert expanded.bytes_of("rotary K") == 10 * 64 * 2

"""``ops``: what operators move and compute, their times, and what limits them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import click

from bookcode.commands._options import (
    clear_errors,
    dtype_of,
    link_of,
    machine_of,
    machine_option,
    options,
    size,
)
from bookcode.commands._report import Column, Report, known, show
from bookcode.commands._times import COSTS, REGIME, TIMES, roof_note, timed_cells
from bookcode.ledger import Cost, DType, Link, Machine, Timed, ops

Named = tuple[str, Cost]
EDGE = 4096
ELEMENTS = EDGE * EDGE
HEADS, HEAD_DIM = 32, 128


def product(text: str) -> tuple[Fraction, ...]:
    """Sizes of a matrix product: 512 is the edge of a cube, or 1x4096x4096."""
    given = tuple(size(part) for part in text.lower().split("x"))
    if len(given) not in (1, 3):
        raise click.BadParameter(f"{text!r} is neither an edge such as 512 nor MxNxK")
    return given * 3 if len(given) == 1 else given


@click.command("ops")
@machine_option(multiple=True)
@options("roof")
@click.option("--dtype", default="fp16", show_default=True, help="Type of the tensors.")
@click.option(
    "--seq-len", type=size, metavar="N", default="4096", show_default=True, help="Prefill length."
)
@click.option(
    "--kv-len", type=size, metavar="N", default="32768", show_default=True, help="KV cache length."
)
@click.option("--gemm", "products", type=product, multiple=True, metavar="MxNxK", help="One more.")
@options("causal")
@click.option("--all", "every", is_flag=True, help="All families, at the shapes of an 8B layer.")
@click.option("--link", default="nvlink", show_default=True, help="Link of the collectives.")
@options("json")
@clear_errors
def ops_command(
    machines: Sequence[str],
    roof: str | None,
    dtype: str,
    seq_len: Fraction,
    kv_len: Fraction,
    products: Sequence[tuple[Fraction, ...]],
    causal: bool,
    every: bool,
    link: str,
    as_json: bool,
) -> None:
    """Operators on one machine, or on several to see which verdicts flip."""
    kind, over = dtype_of(dtype), link_of(link)
    chosen = [machine_of(name, roof) for name in machines]
    costs = chapter_operators(kind, seq_len, kv_len, causal=causal)
    costs += [(f"GEMM {_by(given)}", ops.gemm(*given, dtype=kind)) for given in products]
    if every:
        costs += layer_operators(kind, seq_len)
        costs += other_operators(kind, seq_len, kv_len)
    reports = [operator_report(machine, costs, kind, over) for machine in chosen]
    if len(chosen) > 1:
        reports.append(verdict_report(chosen, costs, kind, over))
    show(reports, as_json=as_json)


def _by(given: Sequence[Fraction]) -> str:
    return "×".join(map(str, given)) if len(set(given)) > 1 else f"{given[0]}³"


def chapter_operators(
    dtype: DType, seq_len: Fraction, kv_len: Fraction, *, causal: bool
) -> list[Named]:
    """The four ledgers of the chapter and what stands beside them."""
    prefill: Any = {"dtype": dtype, "causal": causal}
    name, size = f"attention S = {seq_len}", (HEADS, HEAD_DIM, seq_len)
    return [
        ("sin(cos(x)), eager", ops.chain(ELEMENTS, 2, dtype=dtype)),
        ("sin(cos(x)), fused", ops.chain(ELEMENTS, 2, dtype=dtype, variant="fused")),
        ("x + y", ops.add(ELEMENTS, dtype=dtype)),
        ("LayerNorm, fused", ops.layernorm(2 * EDGE, EDGE, dtype=dtype)),
        (
            "LayerNorm, three passes",
            ops.layernorm(2 * EDGE, EDGE, dtype=dtype, variant="three-pass"),
        ),
        ("GEMM 4096³", ops.gemm(EDGE, EDGE, EDGE, dtype=dtype)),
        ("GEMM 1024³", ops.gemm(1024, 1024, 1024, dtype=dtype)),
        (f"{name}, six passes", ops.attention_prefill(*size, variant="materialized-6", **prefill)),
        (f"{name}, four passes", ops.attention_prefill(*size, variant="materialized-4", **prefill)),
        (f"{name}, flash", ops.attention_prefill(*size, **prefill)),
        (f"decode T = {kv_len}", ops.attention_decode(HEADS, HEAD_DIM, kv_len, dtype=dtype)),
    ]


def layer_operators(dtype: DType, seq_len: Fraction) -> list[Named]:
    """Elementwise operators, norms, loss and quantization, at the shapes of an 8B-class model."""
    rows: Any = (seq_len, EDGE)
    few: Any = {"dtype": dtype}
    return [
        ("SiLU", ops.silu(ELEMENTS, **few)),
        ("SiLU + residual", ops.silu(ELEMENTS, residual=True, **few)),
        ("GELU", ops.gelu(ELEMENTS, **few)),
        ("SwiGLU", ops.swiglu(seq_len * 14336, **few)),
        ("RoPE", ops.rope(ELEMENTS, **few)),
        ("RMSNorm", ops.rmsnorm(*rows, **few)),
        ("add + RMSNorm, fused", ops.add_rmsnorm(*rows, **few)),
        ("add + RMSNorm, separate", ops.add_rmsnorm(*rows, variant="separate", **few)),
        ("softmax", ops.softmax(*rows, **few)),
        ("embedding", ops.embedding(*rows, **few)),
        ("cross entropy, fused", ops.cross_entropy(seq_len, 128256, **few)),
        ("cross entropy, eager", ops.cross_entropy(seq_len, 128256, variant="eager", **few)),
        ("quantize to fp8", ops.quantize(ELEMENTS, 128, source=dtype)),
        ("dequantize from fp8", ops.dequantize(ELEMENTS, 128, target=dtype)),
    ]


def other_operators(dtype: DType, seq_len: Fraction, kv_len: Fraction) -> list[Named]:
    """Products, attention and caches, experts (shape of DeepSeek-V3), optimizer, collectives."""
    few: Any = {"dtype": dtype}
    return [
        ("GEMM 4096³, backward", ops.gemm_backward(EDGE, EDGE, EDGE, **few)),
        ("GEMV 1×4096×4096", ops.gemm(1, EDGE, EDGE, **few)),
        ("grouped GEMM, 8 groups", ops.grouped_gemm(seq_len, EDGE, EDGE, 8, **few)),
        ("attention, backward", ops.attention_backward(HEADS, HEAD_DIM, seq_len, **few)),
        ("decode, 8 KV heads", ops.attention_decode(HEADS, HEAD_DIM, kv_len, kv_heads=8, **few)),
        ("decode, 1 KV head", ops.attention_decode(HEADS, HEAD_DIM, kv_len, kv_heads=1, **few)),
        ("decode, MLA", ops.mla_decode(128, 512, 64, kv_len, **few)),
        ("KV append, one token", ops.kv_append(8, HEAD_DIM, 1, **few)),
        ("MoE router", ops.moe_router(seq_len, 7168, 256, 8, **few)),
        ("MoE dispatch", ops.moe_dispatch(seq_len, 7168, 8, **few)),
        ("MoE experts", ops.moe_experts(seq_len, 7168, 2048, 256, 8, **few)),
        ("MoE combine", ops.moe_combine(seq_len, 7168, 8, **few)),
        ("AdamW, 8.03e9 parameters", ops.adamw(8_030_000_000)),
        ("all-reduce, ring of 8", ops.all_reduce(8_030_000_000, 8, **few)),
        (
            "all-reduce in the switch",
            ops.all_reduce(8_030_000_000, 8, algorithm="in-switch", **few),
        ),
        ("reduce-scatter over 8", ops.reduce_scatter(8_030_000_000, 8, **few)),
        ("all-gather over 8", ops.all_gather(8_030_000_000, 8, **few)),
        ("all-to-all over 8", ops.all_to_all(seq_len * 7168, 8, **few)),
    ]


def operator_report(machine: Machine, costs: Sequence[Named], dtype: DType, link: Link) -> Report:
    """The table of operators on one machine."""
    balance = known(machine.balance, dtype)
    reached = known(machine.reachable_balance, dtype)
    notes = [roof_note(machine)]
    if isinstance(balance, Fraction) and isinstance(reached, Fraction):
        notes.insert(
            0, f"balance {float(balance):.1f} FLOP/B on paper, {float(reached):.1f} under the roof"
        )
    return Report(
        name=f"operators on {machine.name}",
        title=f"Operators in {dtype.name} on {machine.title}",
        columns=[Column("operator", "operator"), *COSTS, *TIMES, REGIME],
        rows=[
            {"operator": name, **timed_cells(Timed(cost, machine, dtype, link))}
            for name, cost in costs
        ],
        notes=notes,
    )


def verdict_report(
    machines: Sequence[Machine], costs: Sequence[Named], dtype: DType, link: Link
) -> Report:
    """What limits each operator on each machine, and which verdicts differ."""
    rows = []
    for name, cost in costs:
        timed = {machine.name: Timed(cost, machine, dtype, link) for machine in machines}
        regimes = {machine: known(getattr, one, "regime") for machine, one in timed.items()}
        stated = {regime for regime in regimes.values() if isinstance(regime, str)}
        flips = "yes" if len(stated) > 1 else "no"
        rows.append({"operator": name, "intensity": cost.intensity, **regimes, "flips": flips})
    return Report(
        name="verdicts",
        title="What limits the operators, and which verdicts flip",
        columns=[
            Column("operator", "operator"),
            Column("intensity", "intensity", "FLOP/B", "sig4"),
            *(Column(machine.name, machine.name) for machine in machines),
            Column("flips", "flips"),
        ],
        rows=rows,
    )

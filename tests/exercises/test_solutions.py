"""The solutions against hand counts, and against the ledger's own operators."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.exercises import attention_fused_tail, rope, rope_add, silu, silu_add
from bookcode.exercises.__main__ import main
from bookcode.ledger import DTYPES, ops
from bookcode.ledger.errors import LedgerError, UnknownNameError

N = 16_777_216
sizes = st.integers(1, 2**40)
types = st.sampled_from(["fp8", "fp16", "bf16", "fp32"])


def test_silu_by_hand() -> None:
    cost = silu(N)
    assert (cost.bytes, cost.flops) == (67_108_864, 83_886_080)
    assert cost.intensity == Fraction(5, 4)


def test_rope_by_hand() -> None:
    cost = rope(N)
    assert (cost.bytes, cost.flops) == (67_108_864, 50_331_648)
    assert cost.intensity == Fraction(3, 4)


@pytest.mark.parametrize(("function", "flops"), [(silu_add, 6), (rope_add, 4)])
def test_fusion_moves_three_tensors_where_two_kernels_move_five(function, flops) -> None:
    separate, fused = function(N, kernels="separate"), function(N, kernels="fused")
    assert separate.bytes == 5 * 2 * N
    assert fused.bytes == 3 * 2 * N
    assert separate.flops == fused.flops == flops * N
    assert fused.bytes_of("residual") == 2 * N


@given(sizes, types)
def test_the_ledger_counts_the_same(elements: int, name: str) -> None:
    dtype = DTYPES[name]
    pairs = [
        (silu(elements, dtype=dtype), ops.silu(elements, dtype=dtype)),
        (rope(elements, dtype=dtype), ops.rope(elements, dtype=dtype)),
        (silu_add(elements, dtype=dtype), ops.silu(elements, dtype=dtype, residual=True)),
        (rope_add(elements, dtype=dtype), ops.rope(elements, dtype=dtype, residual=True)),
    ]
    for mine, theirs in pairs:
        assert (mine.bytes, mine.flops) == (theirs.bytes, theirs.flops)


@given(sizes, types)
def test_fusing_saves_exactly_the_trip_of_the_result(elements: int, name: str) -> None:
    dtype = DTYPES[name]
    for function in (silu_add, rope_add):
        separate = function(elements, dtype=dtype, kernels="separate")
        saved = separate.bytes - function(elements, dtype=dtype).bytes
        assert saved == 2 * elements * dtype.bytes


@given(st.integers(1, 128), st.integers(1, 256), st.integers(1, 2**17))
def test_a_fused_tail_saves_two_trips_of_the_scores(heads: int, width: int, seq: int) -> None:
    six = ops.attention_prefill(heads, width, seq, variant="materialized-6")
    two = ops.attention_prefill(heads, width, seq, variant="materialized-2")
    masked = attention_fused_tail(heads, width, seq)
    plain = attention_fused_tail(heads, width, seq, mask="none")
    assert six.bytes - masked.bytes == 2 * 2 * heads * seq**2
    assert plain.bytes == two.bytes
    assert masked.flops == plain.flops == six.flops


def test_wrong_use_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="fused"):
        silu_add(N, kernels="fussed")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="kernel"):
        attention_fused_tail(1, 1, 1, mask="causal")  # type: ignore[arg-type]
    with pytest.raises(LedgerError, match="positive"):
        silu(0)


def test_the_command_prints_every_solution(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines[1:]] == [
        "SiLU",
        "RoPE",
        "SiLU + residual, two kernels",
        "SiLU + residual, one kernel",
        "RoPE + residual, two kernels",
        "RoPE + residual, one kernel",
    ]
    assert lines[1].split()[1:] == ["67.11", "1.250", "13.98", "14.91"]
    assert lines[4].split()[-4:] == ["100.66", "1.000", "20.97", "22.36"]


def test_the_command_refuses_unknown_machines(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--machine", "h201"])
    assert ended.value.code == 2
    assert "h200" in capsys.readouterr().err


def test_the_module_runs_without_the_book() -> None:
    code = "import sys, bookcode.exercises; print(sorted(m for m in sys.modules if 'numbers' in m))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "bookcode.numbers" not in done.stdout

"""The chapter's operators in numpy on the reader's machine, against its measured roof.

numpy runs an operator as several kernels, each with its own trips through memory; the ledger's cost
is that of the fused operator. A small share is therefore no fault of the machine: it is what fusion
would save.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from bookcode.ledger import DTYPES, Cost, Machine, Timed, ops
from bookcode.reality.calibrate import Calibration, machine
from bookcode.reality.timing import measure

SECONDS: Final = 0.4
"""For each operator."""
DTYPE: Final = "fp32"


@dataclass(frozen=True)
class Trial:
    """An operator, its cost by the ledger, and a call that does it in numpy."""

    name: str
    cost: Cost
    call: Callable[[], object]


def trials(small: bool = False) -> list[Trial]:
    """The operators that are tried; ``small`` ones for tests."""
    random = np.random.default_rng(0)
    edge, rows, columns = (64, 64, 64) if small else (1024, 4096, 4096)
    fp32 = DTYPES["fp32"]
    square = random.random((edge, edge), dtype=np.float32)
    wide = random.random((rows, columns), dtype=np.float32)
    few = random.random((8, columns), dtype=np.float32)
    out = np.empty_like(wide)
    heads, length, width = 4, edge // 2, 64
    query = random.random((heads, length, width), dtype=np.float32)

    def attention() -> Any:
        scores = query @ query.transpose(0, 2, 1) / np.float32(8)
        return _softmax(scores) @ query

    prefill = {"dtype": fp32, "variant": "flash"}
    return [
        Trial("gemm, square", ops.gemm(edge, edge, edge, dtype=fp32), lambda: square @ square),
        Trial("gemm, 8 rows", ops.gemm(8, rows, columns, dtype=fp32), lambda: few @ wide.T),
        Trial("add", ops.add(wide.size, dtype=fp32), lambda: np.add(wide, wide, out=out)),
        Trial("rmsnorm", ops.rmsnorm(rows, columns, dtype=fp32), lambda: _rmsnorm(wide)),
        Trial("softmax", ops.softmax(rows, columns, dtype=fp32), lambda: _softmax(wide)),
        Trial("attention", ops.attention_prefill(heads, width, length, **prefill), attention),
    ]


def _rmsnorm(x: Any) -> Any:
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True))


def _softmax(x: Any) -> Any:
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@dataclass(frozen=True)
class Tried:
    """An operator that was measured.

    Attributes:
        dtype: whose peak bounds the work.
        flops, bytes: the ledger's counts of the fused operator. Units: FLOP, B.
        seconds: the median time. Unit: s.
        spread: width of the middle 80 % of the repetitions over their median.
        expected: the time at the median of the calibration. Unit: s.
    """

    name: str
    dtype: str
    flops: float
    bytes: float
    seconds: float
    spread: float
    expected: float

    @property
    def line(self) -> str:
        """The operator for people, against the calibrated roof."""
        unsteady = f", repetitions differ by {self.spread:.0%}" if self.spread > 0.10 else ""
        reached = self.expected / self.seconds
        return f"{self.name}: {self.seconds * 1e3:.3f} ms, {reached:.1%} of the roof{unsteady}"


def tried(trial: Trial, made: Machine, seconds: float = SECONDS) -> Tried:
    """Measure an operator for about so many seconds."""
    rate = measure(trial.name, "1/s", 1.0, trial.call, seconds)
    expected = float(Timed(trial.cost, made, DTYPES[DTYPE]).expected)
    counts = float(trial.cost.flops), float(trial.cost.bytes)
    return Tried(trial.name, DTYPE, *counts, 1 / rate.median, rate.spread, expected)


def utilization(found: Calibration, name: str, small: bool = False) -> list[Tried]:
    """Every operator, measured; none for a GPU, whose operators numpy does not reach."""
    if "gpu" in found.conditions:
        return []
    made = machine(found, name)
    return [tried(trial, made) for trial in trials(small)]

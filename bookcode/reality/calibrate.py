"""The reader's own machine: its roofs, measured, and the machine that the ledger makes of them.

Main memory is measured by simple loops over arrays far larger than the caches (the four access
mixes of the ledger), arithmetic by matrix products. In the profile the *best* repetition stands for
the specification, so that the bound is what the machine has been seen to do, and the median over
the best is the calibrated factor. A GPU is measured through torch if there is one.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from functools import partial
from importlib import import_module
from itertools import pairwise
from typing import Any, Final

import numpy as np

from bookcode.ledger import Machine
from bookcode.reality.conditions import available_threads, conditions
from bookcode.reality.errors import MeasureError
from bookcode.reality.timing import Rate, measure

ARRAY_BYTES: Final = 128 * 1024 * 1024
"""Of each array: larger than the last-level cache of most machines."""
BLOCK: Final = 32 * 1024
"""Elements that a triad works on at a time, so that its intermediate result stays in a cache."""
EDGE: Final = 2048
DTYPES: Final = {"fp32": np.float32, "fp64": np.float64}
TORCH_DTYPES: Final = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32"}
MIXES: Final = {"read": 1, "write": 1, "copy": 2, "triad": 3}
"""Access mix to how many arrays it moves."""


@dataclass
class Calibration:
    """What was measured.

    Attributes:
        bandwidths: by access mix. B/s.
        peaks: of matrix products, by dtype. FLOP/s.
        conditions: under which it was measured.
    """

    device: str
    bandwidths: dict[str, Rate]
    peaks: dict[str, Rate]
    conditions: dict[str, Any]
    when: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))

    @property
    def rates(self) -> list[Rate]:
        """Everything that was measured."""
        return [*self.bandwidths.values(), *self.peaks.values()]

    @property
    def warnings(self) -> list[str]:
        """What speaks against the conditions."""
        return [warning for rate in self.rates for warning in rate.warnings]

    @property
    def disturbed(self) -> bool:
        """Whether the figures should not be trusted."""
        return bool(self.warnings)


def calibrate(seconds: float, size: int = ARRAY_BYTES, edge: int = EDGE) -> Calibration:
    """Measure this machine's processor, or its GPU if torch finds one, in about so many seconds.

    Raises:
        MeasureError: when the arrays do not fit the memory.
    """
    torch = _torch()
    if torch is not None:
        return _gpu(torch, seconds)
    threads = available_threads()
    state = conditions(threads)
    share = seconds / (len(MIXES) + len(DTYPES))
    try:
        with ThreadPoolExecutor(threads) as pool:
            loops = _memory(size // 8, threads, pool)
            bandwidths = {
                mix: measure(f"memory, {mix}", "B/s", MIXES[mix] * size, loop, share)
                for mix, loop in loops.items()
            }
        peaks = {name: _product(name, edge, share) for name in DTYPES}
    except MemoryError:
        raise MeasureError(f"three arrays of {size} B do not fit this machine's memory") from None
    return Calibration(str(state["cpu"]), bandwidths, peaks, state)


def _memory(
    elements: int, threads: int, pool: ThreadPoolExecutor
) -> dict[str, Callable[[], object]]:
    """Loops over main memory by access mix, each on every thread."""
    a, b, c = (np.ones(elements) for _ in range(3))
    edges = np.linspace(0, elements, threads + 1).astype(int)
    parts = [slice(first, last) for first, last in pairwise(edges.tolist())]

    def on_all(work: Callable[[slice], object]) -> Callable[[], object]:
        return lambda: list(pool.map(work, parts))

    def triad(part: slice) -> None:
        between = np.empty(BLOCK)
        for start in range(part.start, part.stop, BLOCK):
            piece = slice(start, min(start + BLOCK, part.stop))
            product = between[: piece.stop - piece.start]
            np.multiply(c[piece], 3.0, out=product)
            np.add(b[piece], product, out=a[piece])

    return {
        "read": on_all(lambda part: b[part].sum()),
        "write": on_all(lambda part: a[part].fill(1.0)),
        "copy": on_all(lambda part: np.copyto(a[part], b[part])),
        "triad": on_all(triad),
    }


def _product(name: str, edge: int, seconds: float) -> Rate:
    random = np.random.default_rng(0)
    left, right = (random.random((edge, edge)).astype(DTYPES[name]) for _ in range(2))
    out = np.empty((edge, edge), DTYPES[name])
    return measure(
        f"matrix product, {name}",
        "FLOP/s",
        2.0 * edge**3,
        lambda: np.matmul(left, right, out=out),
        seconds,
    )


def _torch() -> Any:
    """torch, if it is installed and sees a GPU."""
    try:
        torch = import_module("torch")
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


def _gpu(torch: Any, seconds: float, size: int = 8 * ARRAY_BYTES, edge: int = 8192) -> Calibration:
    """Roofs of a GPU."""
    name = torch.cuda.get_device_name(0)
    state = {**conditions(available_threads()), "gpu": name, "torch": torch.__version__}
    share = seconds / (len(MIXES) + len(TORCH_DTYPES))
    a, b, c = (torch.ones(size // 4, device="cuda") for _ in range(3))

    def waited(call: Callable[[], object]) -> Callable[[], object]:
        def run() -> None:
            call()
            torch.cuda.synchronize()

        return run

    loops: dict[str, Callable[[], object]] = {
        "read": lambda: b.sum(),
        "write": lambda: a.fill_(1.0),
        "copy": lambda: a.copy_(b),
        "triad": lambda: torch.add(b, c, alpha=3.0, out=a),
    }
    bandwidths = {
        mix: measure(f"memory, {mix}", "B/s", MIXES[mix] * size, waited(loop), share)
        for mix, loop in loops.items()
    }
    peaks = {}
    for dtype, kind in TORCH_DTYPES.items():
        left = torch.randn(edge, edge, device="cuda", dtype=getattr(torch, kind))
        product = waited(partial(torch.matmul, left, left))
        what = f"matrix product, {dtype}"
        peaks[dtype] = measure(what, "FLOP/s", 2.0 * edge**3, product, share)
    return Calibration(name, bandwidths, peaks, state)


def machine(found: Calibration, name: str) -> Machine:
    """The measured machine, as the ledger takes it."""
    bandwidth = max(rate.best for rate in found.bandwidths.values())
    vector = found.peaks["fp32"]
    peaks = {**found.peaks, "vector": vector}
    return Machine(
        name=name,
        title=found.device,
        peaks={dtype: Fraction(round(rate.best)) for dtype, rate in peaks.items()},
        bandwidth=Fraction(round(bandwidth)),
        links={},
        levels={},
        fma={},
        rates={},
        peak_factors={dtype: _factor(rate.median / rate.best) for dtype, rate in peaks.items()},
        bandwidth_factors={
            mix: _factor(rate.median / bandwidth) for mix, rate in found.bandwidths.items()
        },
        conditions=_in_words(found),
        facts={},
        profile=name,
        roof="measured",
    )


def _factor(value: float) -> Fraction:
    return Fraction(f"{value:.4f}")


def _in_words(found: Calibration) -> str:
    parts = [f"{key} {value}" for key, value in found.conditions.items()]
    return f"measured {found.when}: " + ", ".join(parts)

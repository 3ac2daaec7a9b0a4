"""Other people's counters on the same inputs, differences explained to the last FLOP."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from bookcode.reality.counters._comparison import Comparison, Difference
from bookcode.reality.counters._lab import COUNTER as RUN
from bookcode.reality.counters._lab import torch_run
from bookcode.reality.counters._nvidia import nvidia
from bookcode.reality.counters._tileops import tileops
from bookcode.reality.counters._torch import torch
from bookcode.sources.members import Members

COUNTERS: Final[dict[str, tuple[str, Callable[[Members], Iterable[Comparison]]]]] = {
    "NVIDIA": ("aiconfigurator==0.4.0", nvidia),
    "TileOPs": ("tileops==0.1.0", tileops),
    "torch": ("torch==2.14.0", torch),
}
"""Counter to the artifact it is read from and the comparisons with it."""

__all__ = ["COUNTERS", "RUN", "Comparison", "Difference", "nvidia", "tileops", "torch", "torch_run"]

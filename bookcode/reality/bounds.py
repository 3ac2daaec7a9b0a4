"""The bound test: no measured time may be shorter than the ledger's bound.

Times are columns, one value a row. ``share`` is bound / measured: how much of the roofline the row
reached; above 1 the row beat the bound and has to be explained (:mod:`.explaining`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bookcode.ledger import DTYPES, LINKS, Cost, Machine, Timed
from bookcode.reality.columns import Array, array
from bookcode.reality.covering import GEMM_LABELS, Group, cost
from bookcode.reality.operators import Operators

ROUNDING: Final = 1e-12
"""Relative error of a few operations on doubles: less than this above 1 is a tie, not a beat."""


@dataclass(frozen=True)
class Bounds:
    """The ledger's times of a group's rows, one value a row. Unit: s.

    Attributes:
        compute: work at the peak; 0 where a row has none.
        memory: traffic at the bandwidth of HBM, or of the link.
        moved: traffic. Unit: B.
    """

    compute: Array
    memory: Array
    moved: Array

    @property
    def time(self) -> Array:
        """The bound."""
        return np.maximum(self.compute, self.memory)


def bounds(group: Group, machine: Machine, ops: Operators, label: str | None = None) -> Bounds:
    """Bounds of every row, at the vendor's spec of ``machine``."""
    return times(cost(group, ops, label), machine, pipe_of(group, label), len(group))


def pipe_of(group: Group, label: str | None) -> str:
    """The dtype whose peak bounds the group's work, also when read under another label."""
    return GEMM_LABELS[label][0] if label and group.operator == "gemm" else group.pipe


def times(total: Cost, machine: Machine, pipe: str, length: int) -> Bounds:
    """Both sides of the roofline for a cost whose sizes are columns."""
    channel = total.channels[0]
    moved = array(total.bytes_on(channel), length)
    rate = machine.bandwidth if channel == "hbm" else machine.link(LINKS["nvlink"])
    compute = np.zeros(length)
    if total.work:
        compute = array(total.flops, length) / float(machine.peak(DTYPES[pipe], total.pipe))
    return Bounds(compute, moved / float(rate), moved)


def expected(group: Group, machine: Machine, ops: Operators) -> Array:
    """Times at the calibrated roof of ``machine``. Unit: s."""
    timed = Timed(cost(group, ops), machine, DTYPES[group.pipe])
    return array(timed.expected, len(group))


def beats(shares: Array) -> NDArray[np.bool_]:
    """Which rows were faster than the bound."""
    return shares > 1 + ROUNDING

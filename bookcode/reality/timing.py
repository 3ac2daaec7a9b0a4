"""Repeated timing, and what the repetitions say of the conditions."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from bookcode.reality.errors import MeasureError

SPREAD_LIMIT: Final = 0.10
"""Above this the repetitions do not agree: the conditions were not steady."""
DRIFT_LIMIT: Final = 0.05
"""A fall of the rate by more than this from the first third to the last is throttling, or looks
like it."""
AT_LEAST: Final = 7


@dataclass(frozen=True)
class Rate:
    """How fast something went, over some repetitions.

    Attributes:
        what: what was done.
        unit: of the rates: "B/s" or "FLOP/s".
        rates: one per repetition, in order.
    """

    what: str
    unit: str
    rates: tuple[float, ...]

    @property
    def best(self) -> float:
        """The fastest repetition."""
        return max(self.rates)

    @property
    def median(self) -> float:
        """The middle repetition."""
        return float(np.median(self.rates))

    @property
    def spread(self) -> float:
        """Width of the middle 80 % of the rates over their median."""
        low, high = np.quantile(self.rates, [0.1, 0.9])
        return float((high - low) / self.median)

    @property
    def fall(self) -> float:
        """By how much the rate fell from the first third of the repetitions to the last."""
        third = max(len(self.rates) // 3, 1)
        first, last = np.median(self.rates[:third]), np.median(self.rates[-third:])
        return float(1 - last / first)

    @property
    def warnings(self) -> list[str]:
        """What the repetitions say against the conditions."""
        found = []
        if self.spread > SPREAD_LIMIT:
            found.append(
                f"{self.what}: repetitions differ by {self.spread:.0%}: other work on this machine,"
                " or an unsteady clock"
            )
        if self.fall > DRIFT_LIMIT:
            found.append(
                f"{self.what}: the rate fell by {self.fall:.0%} while it was measured: throttling?"
            )
        return found


def measure(
    what: str, unit: str, amount: float, call: Callable[[], object], seconds: float
) -> Rate:
    """Repeat ``call``, which does ``amount`` of work, for about so many seconds.

    Raises:
        MeasureError: when the clock does not move.
    """
    call()  # the first touches pages and starts threads
    rates: list[float] = []
    until = time.perf_counter() + seconds
    while len(rates) < AT_LEAST or time.perf_counter() < until:
        start = time.perf_counter()
        call()
        took = time.perf_counter() - start
        if took <= 0:
            raise MeasureError(f"{what}: too short for this machine's clock")
        rates.append(amount / took)
    return Rate(what, unit, tuple(rates))

"""What share of the bound clean rows reach: what a reader may expect of a kernel of his own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from bookcode.reality.explaining import Verdict
from bookcode.reality.tables import SYSTEMS

DIGITS: Final = 4
"""Digits of a share that a record keeps."""


def figure(value: Any) -> float:
    """A number as a record keeps it."""
    return float(f"{float(value):.{DIGITS}g}")


@dataclass(frozen=True)
class Share:
    """What to expect: bound / measured of the clean rows of an operator on a machine.

    Attributes:
        decade: bounds from 10^decade seconds up to ten times that.
    """

    machine: str
    operator: str
    label: str
    decade: int
    rows: int
    median: float
    good: float
    best: float


class Pool:
    """Shares of clean groups: those in which no row is mislabelled or does less than it says."""

    def __init__(self) -> None:
        self.parts: dict[tuple[str, str, str], list[Verdict]] = {}

    def add(self, verdict: Verdict) -> None:
        tainted = {f.kind for f in verdict.findings} - {"warm cache", "added in the switch"}
        if tainted or verdict.unexplained.any():
            return
        group = verdict.group
        key = (SYSTEMS[group.table.system], group.operator, group.label)
        self.parts.setdefault(key, []).append(verdict)

    def shares(self) -> list[Share]:
        found = []
        for (machine, operator, label), parts in sorted(self.parts.items()):
            share = np.concatenate([part.share for part in parts])
            bound = np.concatenate([part.bound.time for part in parts])
            decades = np.floor(np.log10(bound)).astype(int)
            for decade in np.unique(decades).tolist():
                chosen = share[decades == decade]
                middle, good = np.quantile(chosen, [0.5, 0.9])
                figures = (figure(middle), figure(good), figure(chosen.max()))
                found.append(Share(machine, operator, label, decade, len(chosen), *figures))
        return found

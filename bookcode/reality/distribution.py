"""How much of the roofline the clean rows reach, by operator, machine and size: figures and counts.

A row's size is its bound. Clean groups are those in which no row is mislabelled or does less than
it says (:class:`bookcode.reality.shares.Pool`); rows of theirs that beat the bound out of a warm
cache count in every quantile but are never the best.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bookcode.reality.bounds import beats
from bookcode.reality.columns import Array, array
from bookcode.reality.covering import cost
from bookcode.reality.explaining import Verdict
from bookcode.reality.operators import LEDGER
from bookcode.reality.shares import Pool, figure
from bookcode.reality.sizes import EDGES

OPERATORS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "product": (("gemm", "float16"),),
    "prompt": (("prefill", "float16/float16"),),
    "token": (("decode", "float16/float16"),),
    "product-8-bit": (("gemm", "fp8"),),
    "all-reduce": (("all_reduce", "int8"),),
}
"""What the page calls an operator to operator and labels of the tables. All-reduces in 8 bits only:
those in 16 bits may be added in the switch, and then the ring is no bound."""

MACHINES: Final = ("a100", "h100", "h200", "b200")
GOOD: Final = 0.9
"""The quantile that is called good: one row in ten does better."""
FEW: Final = 20
"""With fewer rows than this a class is left out."""
STEP: Final = 0.5
"""Decades of the bound that share a point of the curves."""
CELL: Final = 0.05
"""Edge of a cell of the density, in decades."""
LAUNCH: Final = 2e-6
"""The fact "launch.overhead": what a kernel takes that does nothing. Unit: s."""


@dataclass(frozen=True)
class Rows:
    """Rows of several groups, one value a row.

    Attributes:
        share: bound / measured. bound, seconds: times in s.
    """

    share: Array
    bound: Array
    seconds: Array

    def __len__(self) -> int:
        return len(self.share)

    def within(self, low: float, high: float) -> Rows:
        """The rows whose bound is in [low, high)."""
        chosen = (self.bound >= low) & (self.bound < high)
        return Rows(self.share[chosen], self.bound[chosen], self.seconds[chosen])

    def figures(self) -> dict[str, Any]:
        """How many, and the shares that the middle, a good and the best row reach."""
        under = self.share[~beats(self.share)]
        middle, good = np.quantile(self.share, [0.5, GOOD])
        shares = {"middle": middle, "good": good, "best": under.max()}
        return {"rows": len(self), **{name: figure(value) for name, value in shares.items()}}


def together(parts: Iterable[Verdict]) -> Rows:
    """The rows of some groups."""
    chosen = list(parts)
    columns = (
        [part.share for part in chosen],
        [part.bound.time for part in chosen],
        [part.group.seconds for part in chosen],
    )
    return Rows(*(np.concatenate(column) if column else np.empty(0) for column in columns))


def chosen(pool: Pool, name: str, machines: Sequence[str] = MACHINES) -> list[Verdict]:
    """The clean groups of an operator of :data:`OPERATORS` on some machines."""
    return [
        part
        for machine in machines
        for operator, label in OPERATORS[name]
        for part in pool.parts.get((machine, operator, label), [])
    ]


def by_size(pool: Pool) -> list[dict[str, Any]]:
    """Rows of the table of expectations: each operator in each class of size, on all machines."""
    return [
        {"operator": name, "size": size, **rows.figures()}
        for name in OPERATORS
        for size, edges in EDGES.items()
        if len(rows := together(chosen(pool, name)).within(*edges)) >= FEW
    ]


def by_machine(pool: Pool) -> list[dict[str, Any]]:
    """Each operator on each machine: rows whose bound is above 100 µs, and all of them."""
    found = []
    for name in OPERATORS:
        for machine in MACHINES:
            rows = together(chosen(pool, name, [machine]))
            long = rows.within(1e-4, float("inf"))
            if len(long) >= FEW:
                every = rows.figures()
                all_rows = {"rows": every["rows"], "middle": every["middle"]}
                found.append(
                    {"operator": name, "machine": machine, **all_rows, "long": long.figures()}
                )
    return found


def curves(pool: Pool) -> dict[str, Any]:
    """Quantiles along the bound: operator to machine to points of the curve."""
    return {
        name: {
            machine: points
            for machine in MACHINES
            if (points := list(_points(together(chosen(pool, name, [machine])))))
        }
        for name in ("product", "prompt", "token")
    }


def _points(rows: Rows) -> Iterator[list[float]]:
    """[log10 of the bound's middle, rows, 10 %, 50 %, 90 % and best share] of each step."""
    if not len(rows):
        return
    where = np.floor(np.log10(rows.bound) / STEP).astype(int)
    for place in np.unique(where).tolist():
        part = rows.within(10 ** (place * STEP), 10 ** ((place + 1) * STEP))
        if len(part) < FEW:
            continue
        low, middle, high = np.quantile(part.share, [0.1, 0.5, 0.9])
        best = part.share[~beats(part.share)].max()
        shares = [figure(value) for value in (low, middle, high, best)]
        yield [(place + 0.5) * STEP, len(part), *shares]


def half_from(rows: Rows) -> float | None:
    """The shortest bound, in steps of half a decade, from which the middle row stays above half."""
    found = None
    for place, _, _, middle, *_ in reversed(list(_points(rows))):
        if middle < 0.5:
            break
        found = place - STEP / 2
    return None if found is None else 10**found


def density(parts: Iterable[Verdict]) -> dict[str, Any]:
    """How many rows lie in each cell of the roofline: logarithms of intensity and rate.

    ``cells`` has a text for each row of cells: "column:count column:count ...".
    """
    intensities, rates = [], []
    for part in parts:
        work = array(cost(part.group, LEDGER).flops, len(part.group))
        intensities.append(work / part.bound.moved)
        rates.append(work / part.group.seconds)
    x, y = (_cell_of(np.concatenate(values)) for values in (intensities, rates))
    pairs, counts = np.unique(np.stack([y, x], axis=1), axis=0, return_counts=True)
    cells: dict[str, list[str]] = {}
    for (row, column), count in zip(pairs.tolist(), counts.tolist(), strict=True):
        cells.setdefault(str(row), []).append(f"{column}:{count}")
    return {"step": CELL, "rows": len(x), "cells": {k: " ".join(v) for k, v in cells.items()}}


def _cell_of(values: Array) -> NDArray[np.int64]:
    return np.floor(np.log10(values) / CELL).astype(np.int64)

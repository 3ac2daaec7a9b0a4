"""A search over tiles: which fit into a multiprocessor, and what stops the others.

What a tile costs is in :mod:`bookcode.ledger.tiling`; here the two stores that it needs are held
against a machine. Its stages stand in shared memory, its sums in registers, and a tile whose sums
would take the whole register file leaves no room for anything else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Literal

from bookcode.ledger.machines import Machine
from bookcode.ledger.protocol import Number
from bookcode.ledger.tables import DTYPES, DType
from bookcode.ledger.tiling import accumulator_bytes, stages_that_fit, tile_intensity

LEAST_STAGES = 2
"""One stage is filled while another is used."""
Limit = Literal["", "registers", "shared memory"]


@dataclass(frozen=True)
class Tile:
    """A tile on a machine.

    Attributes:
        m, n: rows and columns of its part of C. k: columns of A in one stage.
        stages: how many stages shared memory has room for.
        intensity: FLOPs per byte from the level that feeds shared memory.
        sums: bytes of registers that its part of C takes.
        limit: what it does not fit into; "" if it fits. Where both are too small, the registers.
    """

    m: int
    n: int
    k: int
    stages: Number
    intensity: Number
    sums: Number
    limit: Limit

    @property
    def fits(self) -> bool:
        """Whether the tile can be run at all."""
        return not self.limit


def tile_on(machine: Machine, m: int, n: int, k: int, *, dtype: DType = DTYPES["fp16"]) -> Tile:
    """One tile, with fp32 sums.

    Raises:
        MissingFactError: when the profile lacks the registers or the shared memory of a CTA.
    """
    stages = stages_that_fit(m, n, k, machine.capacity("shared-block"), dtype=dtype)
    sums = accumulator_bytes(m, n)
    limit: Limit = ""
    if sums >= machine.capacity("registers"):
        limit = "registers"
    elif stages < LEAST_STAGES:
        limit = "shared memory"
    return Tile(m, n, k, stages, tile_intensity(m, n, dtype=dtype), sums, limit)


def search(
    machine: Machine,
    edges: Iterable[int],
    depths: Iterable[int],
    *,
    dtype: DType = DTYPES["fp16"],
) -> list[Tile]:
    """All tiles with these edges and depths, wider than tall or square; best intensity first.

    Of equal intensities the one with more room for stages comes first. A tile that is taller than
    wide costs what its mirror image costs and is left out.
    """
    sides = sorted(edges)
    found = [
        tile_on(machine, m, n, k, dtype=dtype)
        for m, n, k in product(sides, sides, depths)
        if m <= n
    ]
    return sorted(found, key=lambda tile: (-tile.intensity, -tile.stages, tile.m))

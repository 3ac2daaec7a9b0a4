"""Which tile of a matrix product fits a multiprocessor and reuses its operands best?

The solution of an exercise of the chapter on the roofline: a search over tiles, in plain arithmetic
on the capacities of a machine profile. ``python -m bookcode.exercises.tiles`` runs it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from bookcode.ledger import DTYPES, MACHINES, DType, LedgerError, Machine

SIDES = (64, 128, 192, 256, 320, 384)
DEPTH = 64
SUM_BYTES = 4
"""The sums of a tile are kept in fp32, whatever the type of the operands."""


@dataclass(frozen=True)
class Found:
    """A tile that fits.

    Attributes:
        rows, columns: of the tile. stages: for how many there is room.
        intensity: FLOP per byte of the operands.
        asked: what the level below shared memory must deliver at the peak. B/s.
    """

    rows: int
    columns: int
    stages: int
    intensity: Fraction
    asked: Fraction


def fitting(machine: Machine, dtype: DType, least_stages: int = 2) -> Iterator[Found]:
    """The tiles that fit, square or wider than tall.

    Raises:
        MissingFactError: when the profile lacks a capacity, or a peak for the type.
    """
    shared, registers = machine.capacity("shared-block"), machine.capacity("registers")
    peak = machine.peak(dtype, "tensor")
    for rows in SIDES:
        for columns in (side for side in SIDES if side >= rows):
            stages = int(shared // ((rows + columns) * DEPTH * dtype.bytes))
            if stages >= least_stages and rows * columns * SUM_BYTES < registers:
                intensity = Fraction(2 * rows * columns) / (dtype.bytes * (rows + columns))
                yield Found(rows, columns, stages, intensity, peak / intensity)


def best(machine: Machine, dtype: DType, least_stages: int = 2) -> Found:
    """The tile with the highest intensity; of several the one with the most stages.

    Raises:
        LedgerError: when none fits, and as :func:`fitting`.
    """
    found = list(fitting(machine, dtype, least_stages))
    if not found:
        raise LedgerError(f"no tile has {least_stages} stages of depth {DEPTH} on {machine.name}")
    return max(found, key=lambda tile: (tile.intensity, tile.stages))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the best tile for fp16 and fp8; 2 for arguments that make no sense."""
    parser = argparse.ArgumentParser(prog="python -m bookcode.exercises.tiles", description=__doc__)
    parser.add_argument("--machine", default="h100", help="a machine of the ledger")
    parser.add_argument("--stages", type=int, default=2, help="stages that there must be room for")
    options = parser.parse_args(arguments)
    try:
        for name in ("fp16", "fp8"):
            tile = best(MACHINES[options.machine], DTYPES[name], options.stages)
            print(
                f"{name}: {tile.rows} x {tile.columns}, {tile.stages} stages, "
                f"{float(tile.intensity):.1f} FLOP/B, asks {float(tile.asked) / 1e12:.2f} TB/s"
            )
    except LedgerError as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

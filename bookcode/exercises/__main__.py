"""Prints the ledgers of SiLU, RoPE and their fusion with the residual addition."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bookcode.exercises import rope, rope_add, silu, silu_add
from bookcode.ledger import DTYPES, MACHINES, LedgerError, Timed
from bookcode.ledger.cost import Cost

ELEMENTS = 4096 * 4096


def table(elements: int, machine: str) -> list[str]:
    """The lines of the table.

    Raises:
        LedgerError: for an unknown machine or a size that is not positive.
    """
    fp16 = DTYPES["fp16"]
    costs: dict[str, Cost] = {"SiLU": silu(elements), "RoPE": rope(elements)}
    for name, function in (("SiLU + residual", silu_add), ("RoPE + residual", rope_add)):
        costs[f"{name}, two kernels"] = function(elements, kernels="separate")
        costs[f"{name}, one kernel"] = function(elements, kernels="fused")
    lines = [f"{'fp16, ' + machine:<30}{'MB':>10}{'FLOP/B':>10}{'bound µs':>10}{'expected µs':>13}"]
    for name, cost in costs.items():
        times = Timed(cost, MACHINES[machine], fp16)
        moved, intensity = float(cost.bytes) / 1e6, float(cost.intensity)
        bound, expected = float(times.bound) * 1e6, float(times.expected) * 1e6
        lines.append(f"{name:<30}{moved:>10.2f}{intensity:>10.3f}{bound:>10.2f}{expected:>13.2f}")
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 2 for arguments that make no sense."""
    parser = argparse.ArgumentParser(prog="python -m bookcode.exercises", description=__doc__)
    parser.add_argument("--elements", type=int, default=ELEMENTS, help="elements of the tensor")
    parser.add_argument("--machine", default="h200", help="a machine of the ledger")
    options = parser.parse_args(arguments)
    try:
        print("\n".join(table(options.elements, options.machine)))
    except LedgerError as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

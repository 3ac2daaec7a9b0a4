"""How fast does this computer's memory copy? A roof measured with a clock and an array.

The solution of an exercise of the chapter on the roofline. Small arrays stay in a cache and are
copied faster than the memory could; large ones show the memory.
``python -m bookcode.exercises.bandwidth`` runs it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence

import numpy as np

SIZES = (1 << 14, 1 << 17, 1 << 20, 1 << 23, 1 << 25)
"""Elements of eight bytes each, from what any cache holds to what none does."""


def copy_rate(
    elements: int, repeats: int = 5, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Bytes per second of the best of several copies: each element is read and written once.

    Raises:
        ValueError: for fewer than one element or repeat.
    """
    if elements < 1 or repeats < 1:
        raise ValueError(f"{elements} elements, {repeats} repeats: there must be at least one")
    source = np.arange(elements, dtype=np.float64)
    target = np.empty_like(source)
    np.copyto(target, source)  # the first touch makes the pages
    best = float("inf")
    for _ in range(repeats):
        started = clock()
        np.copyto(target, source)
        best = min(best, clock() - started)
    return 2 * source.nbytes / best


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the rate for arrays of several sizes; 2 for arguments that make no sense."""
    parser = argparse.ArgumentParser(
        prog="python -m bookcode.exercises.bandwidth", description=__doc__
    )
    parser.add_argument("--repeats", type=int, default=5, help="copies of which the best counts")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="elements of an array")
    options = parser.parse_args(arguments)
    try:
        for elements in options.sizes:
            rate = copy_rate(elements, options.repeats)
            print(f"{8 * elements / 1e6:10.2f} MB in an array: {rate / 1e9:8.2f} GB/s")
    except ValueError as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

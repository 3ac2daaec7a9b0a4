"""How long the registry, the check of everything pinned, and a relocation take.

Run with `python tests/benchmarks/sources.py [--rounds N]`; needs a store filled by `sources sync`.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bookcode.sources import FetchSet, Registry, Store, check, default_folder, relocate

ROOT = Path(__file__).parents[2]


def seconds(work: Callable[[], object], rounds: int) -> list[float]:
    """Wall-clock seconds of each of `rounds` runs."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return times


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds: int = parser.parse_args().rounds
    folder = ROOT / "references"
    registry = Registry.load(folder)
    store = Store(default_folder(ROOT))
    wanted = [a for a in registry.artifacts.values() if a.within(FetchSet.FULL)]
    missing = [a.id for a in wanted if not store.has(a)]
    if missing:
        print(f"not in the store: {', '.join(missing)}", file=sys.stderr)
        return 3
    largest = max(wanted, key=lambda a: a.bytes)
    opened = (largest, store.open(largest))
    works: dict[str, Callable[[], object]] = {
        "load the registry": lambda: Registry.load(folder),
        "check all, hash the artifacts": lambda: check(registry, Store(store.folder)),
        "check all, artifacts open": lambda: check(registry, store),
        f"relocate {largest.id} onto itself": lambda: relocate(registry, opened, opened),
    }
    table = Table("what", "median ms", "fastest ms")
    for name, work in works.items():
        times = seconds(work, rounds)
        table.add_row(name, f"{statistics.median(times) * 1e3:.1f}", f"{min(times) * 1e3:.1f}")
    Console().print(table)
    total = sum(a.bytes for a in wanted)
    print(f"{len(registry.citations)} citations, {len(registry.facts)} facts, {total / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Runs the lab and compares it with its record: ``python -m bookcode.lab [--write]``."""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bookcode.lab.errors import LabError
from bookcode.lab.record import RECORD, Record, compare, read, write


def run_experiments() -> Record:
    """Run the experiments today.

    Raises:
        LabError: without PyTorch.
    """
    try:
        from bookcode.lab.experiments import run
    except ModuleNotFoundError as error:
        raise LabError(
            f"the lab needs {error.name}: run `nox -s lab`, or install the extra 'lab'"
        ) from None
    return run(datetime.date.today().isoformat())


def main(
    arguments: Sequence[str] | None = None, run: Callable[[], Record] = run_experiments
) -> int:
    """0 when the record is confirmed or written, 1 when it is not confirmed, 2 without a lab."""
    parser = argparse.ArgumentParser(prog="python -m bookcode.lab", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the record anew")
    parser.add_argument("--record", type=Path, default=RECORD, help="where the record is")
    options = parser.parse_args(arguments)
    try:
        if options.write:
            made = run()
            write(options.record, made)
            print(f"{options.record}: {len(made.results)} results written")
            return 0
        recorded = read(options.record)
        found = compare(recorded, run())
    except LabError as error:
        print(error, file=sys.stderr)
        return 2
    for difference in found:
        print(difference)
    equal = sum(result.rule == "equal" for result in recorded.results.values())
    varies = len(recorded.results) - equal
    verdict = f"{len(found)} not confirmed" if found else "all confirmed"
    print(f"lab: {equal} results that must be equal, {varies} that may differ: {verdict}")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())

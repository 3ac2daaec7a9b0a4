"""Measure how builds and verify grow with the book: generated books of 10, 50 and 200 chapters.

For each size a cold build and a whole verify are timed, of both editions, each as a process of its
own, with the memory of the largest process in it. What counts is what one chapter more costs:
between two sizes that is the difference of the processors' seconds by the difference of the
chapters. Where it rises from size to size, something grows faster than the book. (Processors'
seconds, since a clock also counts what else the machine does.)

Status 0: measured. 1: a build failed, or verify found something red.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from generate import write_project

ROOT: Final = Path(__file__).resolve().parents[2]
SIZES: Final = (10, 50, 200)
STEPS: Final = ("build", "verify")
COMMANDS: Final = {
    # What is read out of sources and held against them does not grow with the book.
    "build": ("build", "--clean"),
    "verify": ("verify", "--sources", "none"),
}
GREEN: Final = {"build": (0,), "verify": (0, 3)}
_LOCK: Final = """\
import json, sys
from pathlib import Path
from bookcode.translation.editions import LANGUAGES
from bookcode.verify.builds import RECORDS
from bookcode.verify.locking import accept, read_state
root = Path(sys.argv[1])
files = [root / "_build/doctrees" / edition / RECORDS for edition in LANGUAGES]
built = [json.loads(file.read_text("utf-8")) for file in files]
print(len(accept(read_state(root, built), (), "the book is generated")))
"""


_PENDING: Final = ("-m", "bookcode", "i18n", "--pending", "--why", "the book is generated")


class ScaleError(Exception):
    """A step failed."""


@dataclass(frozen=True)
class Taken:
    """What one step took: seconds by the clock and of processors, MiB of its largest process."""

    seconds: float
    processors: float
    mebibytes: float


@dataclass(frozen=True)
class Size:
    """What a book of some chapters took, by step, and how many keys its lock has."""

    chapters: int
    keys: int
    taken: dict[str, Taken]


def run(arguments: tuple[str, ...], folder: Path, good: tuple[int, ...]) -> tuple[Taken, str]:
    """Run Python in a folder; what it took and printed.

    Raises ScaleError for another exit status than the ``good`` ones.
    """
    env = {**os.environ, "LC_ALL": "C.UTF-8", "PYTHONPATH": str(ROOT)}
    began = time.perf_counter()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
        )  # fmt: skip
        _, status, usage = os.wait4(process.pid, 0)  # of the largest it waited for, too
        elapsed = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        printed = out.read()
    if process.returncode not in good:
        tail = "\n".join(printed.splitlines()[-20:])
        raise ScaleError(f"{arguments} ended with {process.returncode}:\n{tail}")
    unit = 1024 if sys.platform.startswith("linux") else 1024**2  # kibibytes, elsewhere bytes
    processors = usage.ru_utime + usage.ru_stime
    return Taken(elapsed, processors, usage.ru_maxrss / unit), printed


def measure(chapters: int, folder: Path) -> Size:
    """Generate a book, build it, lock its numbers, list its translations as pending; verify it.

    Raises ScaleError if something fails.
    """
    write_project(folder, chapters)
    left_out = shutil.ignore_patterns("numbers", "expected-figures.json")
    shutil.copytree(ROOT / "references", folder / "references", ignore=left_out)
    taken = {}
    keys = 0
    for step in STEPS:
        command = ("-m", "bookcode", *COMMANDS[step])
        taken[step], _ = run(command, folder, GREEN[step])
        if step == "build":
            _, printed = run(("-c", _LOCK, str(folder)), folder, (0,))
            keys = int(printed)
            run(_PENDING, folder, (0,))
    return Size(chapters, keys, taken)


def growth(sizes: list[Size], step: str) -> list[float]:
    """Processors' seconds that one chapter more costs, between neighbouring sizes."""
    return [
        (b.taken[step].processors - a.taken[step].processors) / (b.chapters - a.chapters)
        for a, b in pairwise(sizes)
    ]


def table(sizes: list[Size]) -> str:
    """What was measured, for people."""
    head = ("chapters", "keys", "step", "seconds", "processors", "each", "one more", "MiB")
    rows = [head]
    for step in STEPS:
        more = ["", *(f"{seconds:.3f}" for seconds in growth(sizes, step))]
        for size, cost in zip(sizes, more, strict=True):
            taken = size.taken[step]
            each = taken.processors / size.chapters
            spent = (f"{taken.seconds:.1f}", f"{taken.processors:.1f}")
            cells = (*spent, f"{each:.3f}", cost, f"{taken.mebibytes:.0f}")
            rows.append((str(size.chapters), str(size.keys), step, *cells))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; return the exit status that the module's docstring names."""
    parser = argparse.ArgumentParser(description="Measure how builds and verify grow.")
    parser.add_argument("chapters", type=int, nargs="*", help=f"default: {SIZES}")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args(arguments)
    sizes = []
    try:
        for chapters in sorted(set(options.chapters or SIZES)):
            with tempfile.TemporaryDirectory(prefix="scale-") as folder:
                sizes.append(measure(chapters, Path(folder)))
            print(f"{chapters} chapters measured", file=sys.stderr)
    except (ScaleError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps([asdict(size) for size in sizes], indent=1) if options.json else table(sizes))
    return 0


if __name__ == "__main__":
    sys.exit(main())

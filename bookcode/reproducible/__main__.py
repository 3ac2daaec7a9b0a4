"""One of the two builds: ``python -m bookcode.reproducible JOBS EDITION…``, in the copy's root."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from bookcode.verify.builds import Layout, build


def main(arguments: Sequence[str]) -> int:
    """Build editions from nothing, one after another; say what is wrong with them."""
    jobs, *editions = arguments
    root = Path.cwd()
    layout = Layout(root, root / "_build")
    problems: list[str] = []
    for edition in editions:
        built = build(layout, edition, clean=True, jobs=jobs)
        problems += built.problems
        pages = len(built.exported.get("pages", {}))
        print(f"{edition}: {pages} pages, {len(built.problems)} problems", flush=True)
    print(*problems, sep="\n", end="\n" * bool(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

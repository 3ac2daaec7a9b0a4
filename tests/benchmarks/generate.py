"""Generate a Sphinx book of N alike chapters, to measure builds on.

A chapter has twelve code cells, one of them a matplotlib figure, and some prose without numerals.
The chapters are the same in both flavours, byte for byte; only conf.py differs: `peer` is plain
myst-nb with a Jupyter kernel per chapter, `ours` adds this project's extension.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Final, Literal, get_args

Flavour = Literal["peer", "ours"]
FLAVOURS: Final[tuple[Flavour, ...]] = get_args(Flavour)

DONE: Final = "every cell of this chapter ran"
"""What the last cell prints: on the page, it proves that the chapter was executed."""

NOTE: Final = "A note of the author: "
"""How the paragraph begins that `edit_prose` changes."""

_CONF: Final = """\
project = "Benchmark"
author = "The book's maintainers"
extensions = [{extensions}]
html_theme = "furo"
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
"""

# These books have plain cells, which print and draw without publishing, and no ledger to browse:
# neither what the lint would say of them nor pages of code are what is measured.
_SETTINGS: Final[dict[Flavour, str]] = {
    "peer": "",
    "ours": "bookcode_lint = False\nbookcode_code = []\n",
}

_EXTENSIONS: Final[dict[Flavour, str]] = {
    "peer": '"myst_nb"',
    "ours": '"myst_nb", "bookcode.sphinxext"',
}

_CHAPTER_HEAD: Final = """\
---
file_format: mystnb
kernelspec:
  name: python3
  display_name: Python
---
# A kernel named {name}

This chapter follows one kernel from its shapes to its place under the roof. Its cells are plain
Python; what they find is drawn below.

{note}the shapes come first.

"""

_PROSE: Final = (
    "The next step takes what the cell above has left and goes on from there.",
    "A tile is kept on the chip for as long as its operands are of use, and then given back.",
    "Nothing is read twice that can be kept, and nothing is kept that can be made again.",
)

_CELLS: Final = (
    "import math\n\nimport matplotlib.pyplot as plt\nimport numpy as np",
    "seed = {seed}\nrng = np.random.default_rng(seed)\nsizes = [2**k for k in range(6, 14)]",
    "def flops(m, n, k):\n    return 2 * m * n * k",
    "def traffic(m, n, k, width=2):\n    return width * (m * k + k * n + m * n)",
    "work = np.array([flops(s, s, s) for s in sizes], dtype=float)",
    "moved = np.array([traffic(s, s, s) for s in sizes], dtype=float)",
    "intensity = work / moved\nassert np.all(np.diff(intensity) > 0)",
    "peak, bandwidth = 1e15 * (1 + seed % 3), 4e12\nroof = np.minimum(peak, intensity * bandwidth)",
    "noise = rng.uniform(0.7, 0.95, size=roof.shape)\nreached = roof * noise",
    "figure, axes = plt.subplots(figsize=(6, 4))\n"
    "axes.loglog(intensity, roof, label='roof')\n"
    "axes.loglog(intensity, reached, 'o', label='reached')\n"
    "axes.set_xlabel('work per byte')\n"
    "axes.legend()\n"
    "plt.show()",
    "tiles = {{s: math.ceil(s / 128) ** 2 for s in sizes}}\nassert max(tiles.values()) > 1",
    # In two parts, so that the page says it only where the cell's output stands.
    'print("every cell of", "this chapter ran")',
)


def chapter_name(index: int) -> str:
    """Return a name without numerals: a, b, …, z, ba, bb, … (``index`` counts from zero)."""
    letters = ""
    while True:
        index, letter = divmod(index, 26)
        letters = chr(ord("a") + letter) + letters
        if index == 0:
            return letters


def chapter_text(index: int) -> str:
    """Return the MyST source of one chapter; its numbers depend on ``index``."""
    parts = [_CHAPTER_HEAD.format(name=chapter_name(index), note=NOTE)]
    for position, cell in enumerate(_CELLS):
        code = cell.format(seed=index)
        parts.append(
            f"{_PROSE[position % len(_PROSE)]}\n\n```{{code-cell}} python\n{code}\n```\n\n"
        )
    return "".join(parts)


def write_book(folder: Path, chapters: int, flavour: Flavour) -> list[Path]:
    """Write conf.py, index.md and the chapters into ``folder``; return the chapters' paths.

    Raises ValueError if ``chapters`` is below one.
    """
    if chapters < 1:
        raise ValueError(f"a book has at least one chapter, not {chapters}")
    folder.mkdir(parents=True, exist_ok=True)
    settings = _CONF.format(extensions=_EXTENSIONS[flavour]) + _SETTINGS[flavour]
    (folder / "conf.py").write_text(settings, "utf-8")
    paths = []
    for index in range(chapters):
        path = folder / f"kernel-{chapter_name(index)}.md"
        path.write_text(chapter_text(index), "utf-8")
        paths.append(path)
    entries = "\n".join(path.stem for path in paths)
    index_text = f"# Kernels\n\nOne chapter for each.\n\n```{{toctree}}\n{entries}\n```\n"
    (folder / "index.md").write_text(index_text, "utf-8")
    return paths


def edit_prose(chapter: Path, words: str) -> None:
    """Replace what the author's note in ``chapter`` says, and nothing else.

    Raises ValueError if the chapter has no such paragraph, or ``words`` is what it says already.
    """
    before = chapter.read_text("utf-8")
    note = re.compile(rf"^{re.escape(NOTE)}.*$", flags=re.MULTILINE)
    after, found = note.subn(lambda _: NOTE + words, before)
    if found != 1 or after == before:
        raise ValueError(f"{chapter}: no paragraph that begins {NOTE!r} to change to {words!r}")
    chapter.write_text(after, "utf-8")


def main() -> None:
    """Write a book to look at."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--chapters", type=int, default=10)
    parser.add_argument("--flavour", choices=FLAVOURS, default="ours")
    options = parser.parse_args()
    paths = write_book(options.folder, options.chapters, options.flavour)
    print(f"{len(paths)} chapters in {options.folder}")


if __name__ == "__main__":
    main()

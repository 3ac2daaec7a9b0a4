"""Generate a Sphinx book of N alike chapters, to measure builds on.

A chapter has twelve code cells, one of them a matplotlib figure, and some prose without numerals.
The chapters are the same in both flavours, byte for byte; only conf.py differs: `peer` is plain
myst-nb with a Jupyter kernel per chapter, `ours` adds this project's extension.

`write_project` writes a book of another kind: one that `verify` can check, with chapters that
publish numbers, claims, a table and a figure, and show them.
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
    "Nothing is read again that can be kept, and nothing is kept that can be made anew.",
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


_PROJECT_CONF: Final = """\
project = "Benchmark"
author = "The book's maintainers"
extensions = ["myst_nb", "sphinx_design", "bookcode.sphinxext"]
language = "en"
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_inline"]
nb_execution_mode = "force"
html_theme = "furo"
html_math_renderer = "bookcode"
html_copy_source = False
html_show_sourcelink = False
bookcode_code = []
"""

_PUBLISHING_CHAPTER: Final = """\
# Kernels named {name}

A product here does {{num}}`{key}.large.flops` and moves {{num}}`{key}.large.bytes`, so
it is {{holds}}`{key}.compute-bound`. With one row it takes {{num}}`{key}.single.bound:sig3`, and
the chapter before needed {{num}}`{before}.large.bound:sig3`; the machine moves
{{fact}}`h200.spec.bandwidth:sig3`.

```{{code-cell}} python
:tags: [hide-cell]
from bookcode.figures.roofline import Mark, Roof, roofline
from bookcode.ledger import DTYPES, MACHINES, ops
from bookcode.numbers.book import Book

book = Book()
```

```{{code-cell}} python
:tags: [hide-cell]
machine = book.choice("machine", MACHINES, default="h200")
rows = book.parameter("rows", unit="1", default={rows}, minimum=256, maximum=8192)
row = book.ledger(machine=machine, dtype="fp16")
```

{prose}

```{{code-cell}} python
:tags: [hide-cell]
large = row("{key}.large", ops.gemm, m=rows, n=4096, k=4096)
single = row("{key}.single", ops.gemm, m=1, n=4096, k=4096)
```

{{formula}}`{key}.large.flops`

```{{code-cell}} python
:tags: [hide-cell]
steps = {{m: row(f"{key}.step-{{m}}", ops.gemm, m=m, n=1024, k=1024) for m in (16, 64, 256)}}
```

{prose}

```{{code-cell}} python
:tags: [hide-cell]
sums = row("{key}.sum", ops.add, elements=4096 * 4096)
```

```{{code-cell}} python
:tags: [hide-cell]
heads = dict(heads=32, head_dim=128, variant="flash")
scores = row("{key}.scores", ops.attention_prefill, seq=rows, **heads)
```

:::{{number-table}} What the kernels of this chapter do
:columns: work = flops:sig3 | traffic = bytes:sig3 | verdict = bound-regime
a large product | {key}.large
a single row | {key}.single
a sum | {key}.sum
scores | {key}.scores
:::

```{{code-cell}} python
:tags: [hide-cell]
book.claim("{key}.compute-bound", large.bound_regime == "compute", says="compute-bound")
book.claim("{key}.single-bound", single.bound_regime == "memory", says="memory-bound")
```

A single row is {{holds}}`{key}.single-bound`, and {prose}

```{{code-cell}} python
:tags: [hide-cell]
whole = book.publish("{key}.whole", large.bound + sums.bound + scores.bound)
book.publish("{key}.share", large.bound / whole)
```

Of the whole, {{num}}`{key}.whole:sig3`, the product has {{num}}`{key}.share:pct0`.

```{{code-cell}} python
:tags: [hide-cell]
peak = book.publish("{key}.peak", machine.peak(DTYPES["fp16"], "tensor"), spec="sig3")
bandwidth = book.publish("{key}.bandwidth", machine.bandwidth, spec="sig3")
```

:::{{book-figure}} {key}.roofline
:::

```{{code-cell}} python
:tags: [hide-cell]
book.figure(
    "{key}.roofline",
    roofline(
        [Roof("tensor", book.text(peak), book.value(peak), book.value(bandwidth))],
        [Mark("{key}.large", "product", book.value(large.intensity), "tensor")],
    ),
    caption="The machine's roofs of {{{key}.peak}} and {{{key}.bandwidth}}, and the product.",
    alt="A slope of {{{key}.bandwidth}} that ends in a flat roof of {{{key}.peak}}.",
    uses=[peak, bandwidth, large.intensity],
    marks={{"{key}.large": (large.intensity, large.flops / large.bound)}},
)
```

```{{code-cell}} python
:tags: [hide-cell]
sorted(steps)[:0]
```
"""


def publishing_chapter(index: int, chapters: int) -> str:
    """Return the MyST source of one chapter that publishes, and shows one number of another."""
    head, _, _ = _CHAPTER_HEAD.partition("# ")
    name, before = chapter_name(index), chapter_name((index - 1) % chapters)
    text = _PUBLISHING_CHAPTER.format(
        name=name,
        key=f"kernel-{name}",
        before=f"kernel-{before}",
        rows=1024 + 16 * index,
        prose=_PROSE[index % len(_PROSE)],
    )
    return head + text


def write_project(folder: Path, chapters: int) -> None:
    """Write conf.py and book/ of a project whose chapters publish; references/ is not made.

    Raises ValueError if ``chapters`` is below one.
    """
    if chapters < 1:
        raise ValueError(f"a book has at least one chapter, not {chapters}")
    names = [f"{index + 1:03}-{chapter_name(index)}" for index in range(chapters)]
    for index, name in enumerate(names):
        path = folder / "book" / name / "index.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(publishing_chapter(index, chapters), "utf-8")
    (folder / "conf.py").write_text(_PROJECT_CONF, "utf-8")
    entries = "\n".join(f"{name}/index" for name in names)
    index_text = f"# Kernels\n\nOne chapter for each.\n\n```{{toctree}}\n{entries}\n```\n"
    (folder / "book/index.md").write_text(index_text, "utf-8")


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

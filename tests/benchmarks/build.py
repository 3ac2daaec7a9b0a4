"""Measure builds of a generated book: ours beside plain myst-nb, in one run on one machine.

Three things are timed, each as a whole process with the same Python and the same Sphinx: a cold
build, the rebuild after an edit of one paragraph, and `bookcode verify` of the generated book with
this project's registry of sources and facts. Plain myst-nb has no verify: what it can say of a
book is whether a forced build of it succeeds, so its cold build stands beside ours. The flavours
take turns and swap the order every round, so that a machine growing slow hits both; medians are
compared.

Status 0: measured. 1: a build failed, or its page lacks what it must show. 3: `ours` was wanted
but the extension cannot be imported, so there is no ratio.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Final

from generate import DONE, FLAVOURS, Flavour, edit_prose, write_book

STEPS: Final = ("cold", "prose", "verify")
TITLES: Final = {
    "cold": "cold build",
    "prose": "edit of one paragraph",
    "verify": "verify (peer: cold build)",
}
ROOT: Final = Path(__file__).resolve().parents[2]
VERIFIED: Final = (0, 3)
"""Statuses of a verify in which nothing is red; 3: some source was not in the store."""


class BenchmarkError(Exception):
    """A build failed, or built a page that lacks what it must show."""


@dataclass
class Book:
    """A generated book, where it is built to, and the seconds each step took."""

    flavour: Flavour
    source: Path
    output: Path
    jobs: int
    chapters: list[Path]
    seconds: dict[str, list[float]] = field(default_factory=lambda: {step: [] for step in STEPS})

    def build(self) -> float:
        """Build once and return the seconds the process took; warnings are errors."""
        command = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", "-j", str(self.jobs)]
        env = {**os.environ, "LC_ALL": "C.UTF-8"}
        start = time.perf_counter()
        done = subprocess.run(
            [*command, str(self.source), str(self.output)],
            env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        elapsed = time.perf_counter() - start
        if done.returncode != 0:
            tail = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
            raise BenchmarkError(f"the build of {self.flavour} failed:\n{tail}")
        return elapsed

    def round(self, words: str) -> None:
        """Time a cold build, then the rebuild after the first chapter's note says ``words``."""
        shutil.rmtree(self.output, ignore_errors=True)
        self.seconds["cold"].append(self.build())
        for chapter in self.chapters:
            self._must_show(chapter, DONE)
        edit_prose(self.chapters[0], words)
        self.seconds["prose"].append(self.build())
        self._must_show(self.chapters[0], words)
        self._must_show(self.chapters[0], DONE)
        own = self.verify() if self.flavour == "ours" else self.seconds["cold"][-1]
        self.seconds["verify"].append(own)

    def verify(self) -> float:
        """Verify the book as a project of its own, from clean; return the seconds it took."""
        project = self.source.parent / "project"
        if not project.exists():
            self._lay_out(project)
        return _bookcode(project, "verify", "--sources", "none", "--edition", "en")

    def _lay_out(self, project: Path) -> None:
        """The book with this project's registry; nobody translates it, and its list says so."""
        shutil.copytree(self.source, project / "book")
        (project / "book" / "conf.py").rename(project / "conf.py")
        left_out = shutil.ignore_patterns("numbers", "expected-figures.json")
        shutil.copytree(ROOT / "references", project / "references", ignore=left_out)
        _bookcode(project, "i18n", "--pending", "--why", "the book is generated")

    def _must_show(self, chapter: Path, words: str) -> None:
        page = self.output / f"{chapter.stem}.html"
        if not page.is_file() or words not in page.read_text("utf-8"):
            raise BenchmarkError(f"{self.flavour}: {page.name} does not show {words!r}")


def _bookcode(project: Path, *arguments: str) -> float:
    """Run one of our commands in a project; return the seconds it took."""
    command = [sys.executable, "-m", "bookcode", *arguments]
    env = {**os.environ, "LC_ALL": "C.UTF-8", "PYTHONPATH": str(ROOT)}
    start = time.perf_counter()
    done = subprocess.run(
        command, cwd=project, env=env, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    elapsed = time.perf_counter() - start
    if done.returncode not in VERIFIED:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-30:])
        raise BenchmarkError(f"{arguments[0]} of the generated book failed:\n{tail}")
    return elapsed


def why_not_ours() -> str | None:
    """Return why our extension cannot be measured, or None if it can."""
    try:
        extension = importlib.import_module("bookcode.sphinxext")
    except ImportError as error:
        return f"bookcode.sphinxext cannot be imported: {error}"
    return None if hasattr(extension, "setup") else "bookcode.sphinxext has no setup()"


def measure(
    flavours: list[Flavour], folder: Path, chapters: int, rounds: int, jobs: int
) -> list[Book]:
    """Generate a book per flavour under ``folder`` and run ``rounds`` rounds, taking turns.

    Raises BenchmarkError if a build fails or a page lacks what it must show.
    """
    books = []
    for flavour in flavours:
        # A first build that is not counted: byte code, fonts and files come into their caches.
        warm = folder / flavour / "warm-up"
        Book(
            flavour, warm, folder / flavour / "warm-html", jobs, write_book(warm, 1, flavour)
        ).build()
        source = folder / flavour / "source"
        paths = write_book(source, chapters, flavour)
        books.append(Book(flavour, source, folder / flavour / "html", jobs, paths))
    for turn in range(rounds):
        for book in books if turn % 2 == 0 else reversed(books):
            book.round(f"the author thought {'again and ' * turn}once more.")
    return books


def report(books: list[Book], chapters: int, rounds: int, jobs: int) -> dict[str, object]:
    """Return what was measured, in seconds, with the medians and the ratios ours/peer."""
    medians = {book.flavour: {step: median(book.seconds[step]) for step in STEPS} for book in books}
    ratios = {}
    if len(medians) == len(FLAVOURS):
        ratios = {step: medians["ours"][step] / medians["peer"][step] for step in STEPS}
    return {
        "chapters": chapters,
        "rounds": rounds,
        "jobs": jobs,
        "cores": os.cpu_count(),
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("sphinx", "myst-nb", "matplotlib")},
        },
        "seconds": {book.flavour: book.seconds for book in books},
        "median": medians,
        "ratio": ratios,
    }


def table(books: list[Book], result: dict[str, object]) -> str:
    """Return median, least and most of each step as a table for people.

    A wide spread says that the machine was busy with other work, and the ratio worth little.
    """
    ratios, versions = result["ratio"], result["versions"]
    assert isinstance(ratios, dict)
    assert isinstance(versions, dict)
    lines = [f"{'seconds (least to most)':<28}" + "".join(f"{b.flavour:>24}" for b in books)]
    if ratios:
        lines[0] += f"{'ours/peer':>12}"
    for step in STEPS:
        cells = [_spread(book.seconds[step]) for book in books]
        line = f"{TITLES[step]:<28}" + "".join(f"{cell:>24}" for cell in cells)
        lines.append(line + (f"{ratios[step]:>12.3f}" if ratios else ""))
    lines.append(
        f"{result['chapters']} chapters, {result['rounds']} rounds, -j {result['jobs']}, "
        f"{result['cores']} cores; " + ", ".join(f"{k} {v}" for k, v in versions.items())
    )
    return "\n".join(lines)


def _spread(seconds: list[float]) -> str:
    return f"{median(seconds):.2f} ({min(seconds):.2f} to {max(seconds):.2f})"


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is below one")
    return number


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; return the exit status that the module's docstring names."""
    parser = argparse.ArgumentParser(description="Measure builds: ours beside plain myst-nb.")
    parser.add_argument("--chapters", type=_positive, default=10)
    parser.add_argument("--rounds", type=_positive, default=3)
    parser.add_argument("--jobs", type=_positive, default=1, help="sphinx-build's -j")
    parser.add_argument("--only", choices=FLAVOURS, help="measure one flavour, without ratios")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args(arguments)

    flavours: list[Flavour] = [options.only] if options.only else ["ours", "peer"]
    missing = why_not_ours() if "ours" in flavours else None
    if missing:
        print(f"ours is not measured: {missing}", file=sys.stderr)
        flavours.remove("ours")
    sizes = {name: getattr(options, name) for name in ("chapters", "rounds", "jobs")}
    try:
        with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
            books = measure(flavours, Path(folder), **sizes)
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 1
    if books:
        result = report(books, **sizes)
        print(json.dumps(result, indent=1) if options.json else table(books, result))
    return 3 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

"""Measure from saving a file to the served page that shows it: ours beside sphinx-autobuild.

Edits are made as an author makes them, to a generated book and to a copy of the real one, and the
page is asked for until it holds the new text. The peer is sphinx-autobuild on plain myst-nb in its
cache mode, on the same generated book, in the same run; the two take turns.

What is edited: ``prose``, a paragraph; ``cell``, a cell, each time the next one of the page;
``ledger``, a module that only cells import, followed by the open page, and then by every page that
shows a number of it.

Status 0: measured. 1: a server failed, or a page never showed what it must. 3: sphinx-autobuild is
not installed, so there is nothing to compare with.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import re
import shutil
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final

from generate import chapter_name, edit_prose, write_book
from serving import ROOT, BenchmarkError, Server, autobuild, live

IDLE_MEBIBYTES: Final = 120
LEDGER_ROUNDS: Final = 5
"""So often the ledger of the real book is edited: then its whole book is built, and built back."""
TARGETS: Final = {"prose": 0.4, "cell": 0.8, "ledger": 1.5}
_TALLY: Final = """\
from bookcode.ledger.operator import operator
from bookcode.ledger.protocol import Number, measured
from bookcode.ledger.symbols import M


@operator
def total(m: M) -> Number:
    \"\"\"What every chapter publishes.\"\"\"
    return measured(FACTOR * m, "FLOP")
"""
_CELL: Final = re.compile(
    r'(^```\{code-cell\}.*\n(?::.*\n|\n)*)(?:print\("turn", ".*"\)\n)?', re.MULTILINE
)
"""The head of a cell, and what an earlier turn has it print."""
_APPENDED: Final = re.compile(r"\n\nSome words (?:more )*by an author\.\n")
_PUBLISHING: Final = """\

It does {{num}}`{key}.total:int`.

```{{code-cell}} python
from bookcode.numbers.book import Book
from tally import total

Book(packages=("tally",)).publish("{key}.total", total, m=1000)
```
"""


# books ------------------------------------------------------------------------------------------
def generated(folder: Path, chapters: int, ours: bool) -> Path:
    """A generated book; in ours every chapter also publishes a number of a small ledger."""
    book = folder / "book"
    paths = write_book(book, chapters, "ours" if ours else "peer")
    conf = (book / "conf.py").read_text("utf-8")
    if not ours:
        (book / "conf.py").write_text(conf.replace('"force"', '"cache"'), "utf-8")
        return book
    (book / "conf.py").unlink()
    conf += (
        "import sys\nfrom pathlib import Path\n\nsys.path.insert(0, str(Path(__file__).parent))\n"
    )
    # the chapters are made for plain myst-nb too, and may say what the lint would not let pass
    (folder / "conf.py").write_text(f"{conf}bookcode_lint = False\n", "utf-8")
    (folder / "tally.py").write_text(f"FACTOR = 2\n{_TALLY}", "utf-8")
    for path in paths:
        with path.open("a", encoding="utf-8") as stream:
            stream.write(_PUBLISHING.format(key=path.stem))
    return folder


def real(folder: Path) -> Path:
    """A copy of the real book with its code."""
    folder.mkdir()
    names = ["conf.py", "book", "bookcode", "references", "pyproject.toml"]
    for name in names:
        source, target = ROOT / name, folder / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    return folder


# edits ------------------------------------------------------------------------------------------
def shows(words: str) -> Callable[[str], bool]:
    """Whether a page has these words."""
    return lambda text: words in text


def prints(mark: str) -> Callable[[str], bool]:
    """Whether a page has this line of output."""
    return lambda text: f">{mark}\n" in text


def timed(server: Server, step: str, edit: Callable[[], object], pages: list[str],
          holds: Callable[[str], bool]) -> None:  # fmt: skip
    """Make an edit and note how long the pages took to show it."""
    began = time.perf_counter()
    edit()
    _keep_time(server, step, server.until(pages, holds) - began)
    server.rest()


def _keep_time(server: Server, step: str, seconds: float) -> None:
    """Keep a time, and say it: a run takes long, and what it found so far is worth knowing."""
    server.seconds.setdefault(step, []).append(seconds)
    print(f"{server.name}: {step}: {seconds:.3f} s", file=sys.stderr, flush=True)


def opened(server: Server, page: str) -> None:
    """Have a page open, as a browser has it, for as long as the server lives."""

    def listen() -> None:
        url = f"{server.address}/-/events?page={page}"
        with contextlib.suppress(OSError), urllib.request.urlopen(url) as stream:
            while stream.readline():
                pass

    threading.Thread(target=listen, daemon=True).start()
    time.sleep(0.2)


def measure_generated(server: Server, book: Path, chapters: int, rounds: int) -> None:
    """Prose and cells of the second chapter; for ours also the ledger under all of them."""
    stem = f"kernel-{chapter_name(min(1, chapters - 1))}"
    source = book / "book" if (book / "book").is_dir() else book
    chapter, page = source / f"{stem}.md", f"{stem}.html"
    ours = server.name == "live"
    if ours:
        opened(server, page)
    for turn in range(rounds):
        words = f"thought number {'again ' * turn}of {server.name}."
        timed(server, "prose", partial(edit_prose, chapter, words), [page], shows(words))
        mark = f"turn {turn} of the cells"
        timed(server, "cell", partial(_print, chapter, turn, mark), [page], prints(mark))
        if ours:
            _measure_ledger(server, book, chapters, page, turn + 3)


def with_print(text: str, turn: int, mark: str) -> str:
    """A chapter of which one cell, the next one each turn, prints something of this turn.

    It is printed in two parts, so that only the output says it.
    """
    cells = list(_CELL.finditer(text))
    if not cells:
        raise BenchmarkError("a chapter without cells cannot be edited as expected")
    cell = cells[turn % len(cells)]
    first, rest = mark.split(" ", 1)
    return f'{text[: cell.end(1)]}print("{first}", "{rest}")\n{text[cell.end() :]}'


def _print(chapter: Path, turn: int, mark: str) -> None:
    chapter.write_text(with_print(chapter.read_text("utf-8"), turn, mark), "utf-8")


def _measure_ledger(server: Server, book: Path, chapters: int, page: str, factor: int) -> None:
    everything = [f"kernel-{chapter_name(index)}.html" for index in range(chapters)]
    shown = re.compile(rf'data-key="kernel-[a-z]+\.total"[^>]*>{factor},?000')
    began = time.perf_counter()
    (book / "tally.py").write_text(f"FACTOR = {factor}\n{_TALLY}", "utf-8")
    for step, pages in (("ledger", [page]), ("ledger, all pages", everything)):
        done = server.until(pages, lambda text: shown.search(text) is not None)
        _keep_time(server, step, done - began)
    server.rest()


def measure_real(server: Server, book: Path, chapter: Path, rounds: int) -> None:
    """A paragraph, a cell and the ledger of the real book, on one of its pages with cells."""
    page = chapter.relative_to(book / "book").with_suffix(".html").as_posix()
    opened(server, page)
    for turn in range(rounds):
        words = f"Some words {'more ' * turn}by an author."
        timed(server, "prose", partial(_append, chapter, words), [page], shows(words))
        mark = f"turn {turn} of the cells"
        timed(server, "cell", partial(_print, chapter, turn, mark), [page], prints(mark))
        if turn < LEDGER_ROUNDS:
            _measure_real_ledger(server, book, page, turn)


def _append(path: Path, words: str) -> None:
    text = _APPENDED.sub("\n", path.read_text("utf-8"))
    path.write_text(f"{text.rstrip()}\n\n{words}\n", "utf-8")


def _write(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")


def _measure_real_ledger(server: Server, book: Path, page: str, turn: int) -> None:
    """Change the letters of sizes in every formula, and back.

    No verdict falls by that: a page with a false one would not be shown.
    """
    path = book / "bookcode/ledger/symbols.py"
    before = path.read_text("utf-8")
    html = server.get(page)
    changed, found = re.subn(r'Symbol\("([MNKnS])", ', rf'Symbol("\1_{{{turn}}}", ', before)
    if not found:
        raise BenchmarkError(f"{path} has no sizes of one letter")
    timed(server, "ledger", lambda: _write(path, changed), [page],
          lambda text: bool(text) and text != html)  # fmt: skip
    _write(path, before)
    server.until([page], lambda text: text == html)
    server.rest()


def long_and_middling(book: Path) -> dict[str, Path]:
    """The longest page that has cells, and the one of median length."""
    pages = [p for p in (book / "book").rglob("*.md") if "{code-cell}" in p.read_text("utf-8")]
    pages.sort(key=lambda path: (path.stat().st_size, path))
    return {"real, median": pages[len(pages) // 2], "real, longest": pages[-1]}


# reports ----------------------------------------------------------------------------------------
def rows(server: Server, book: str) -> list[dict[str, object]]:
    """What was measured, for people and machines."""
    result: list[dict[str, object]] = []
    for step, seconds in server.seconds.items():
        target = TARGETS.get(step) if server.name == "live" else None
        result.append({"book": book, "server": server.name, "step": step, "target": target,
                       "median": median(seconds), "least": min(seconds), "most": max(seconds),
                       "rounds": len(seconds)})  # fmt: skip
    return result


def table(measured: list[dict[str, object]], notes: list[str]) -> str:
    """All of it as a table."""
    lines = [
        f"{'book':<15}{'server':<18}{'edit':<20}{'median':>8}{'least':>8}{'most':>8}{'target':>8}"
    ]
    for row in measured:
        target = "" if row["target"] is None else f"{row['target']}"
        lines.append(
            f"{row['book']:<15}{row['server']:<18}{row['step']:<20}{row['median']:>8.3f}"
            f"{row['least']:>8.3f}{row['most']:>8.3f}{target:>8}"
        )
    return "\n".join([*lines, *notes])


def run(options: argparse.Namespace, folder: Path) -> tuple[list[dict[str, object]], list[str]]:
    """Measure everything that was asked for."""
    measured: list[dict[str, object]] = []
    notes: list[str] = []
    page = f"kernel-{chapter_name(options.chapters - 1)}.html"
    if "generated" in options.books:
        servers = [live, autobuild] if _has_peer() else [live]
        for make in servers:
            book = generated(folder / make.__name__, options.chapters, make is live)
            with make(book, [page]) as server:
                measure_generated(server, book, options.chapters, options.rounds)
                measured += rows(server, "generated")
                notes.append(_note(server, "generated", options.idle))
    if "real" in options.books:
        book = real(folder / "real")
        for name, chapter in long_and_middling(book).items():
            shown = chapter.relative_to(book / "book").with_suffix(".html").as_posix()
            with live(book, [shown]) as server:
                measure_real(server, book, chapter, options.rounds)
                measured += rows(server, name)
                notes.append(_note(server, f"{name} ({shown})", options.idle))
    return measured, notes


def _note(server: Server, book: str, idle: float) -> str:
    busy = server.mebibytes()
    note = f"{server.name}, {book}: started in {server.start:.2f} s; {busy:.0f} MiB after edits"
    if idle:
        time.sleep(idle)
        note += f"; {server.mebibytes():.0f} MiB after {idle:.0f} s idle"
        note += f" (target {IDLE_MEBIBYTES})" if server.name == "live" else ""
    return note


def _has_peer() -> bool:
    return importlib.util.find_spec("sphinx_autobuild") is not None


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; return the exit status that the module's docstring names."""
    parser = argparse.ArgumentParser(description="From saving a file to the page that shows it.")
    parser.add_argument("--chapters", type=int, default=10, help="of the generated book")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--books", nargs="+", choices=("generated", "real"),
                        default=["generated", "real"])  # fmt: skip
    parser.add_argument("--idle", type=float, default=130.0,
                        help="seconds before an idle server is weighed")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
            measured, notes = run(options, Path(folder))
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps({"rows": measured, "notes": notes}, indent=1) if options.json
          else table(measured, notes))  # fmt: skip
    if not _has_peer():
        print("sphinx-autobuild is not installed: nothing to compare with", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())

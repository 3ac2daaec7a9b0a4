"""A small book, its builder process as the server drives it, and clean builds to compare with."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import bookcode

from ..conftest import Sphinxes

LANGUAGE = "zh_CN"
PACKAGES = str(Path(bookcode.__file__).parents[1])
CELLS = "---\nfile_format: mystnb\nkernelspec:\n  name: python3\n---\n"
FILES = {
    "conf.py": """\
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
project = "Tally"
html_title = "Tally"
extensions = ["myst_nb", "bookcode.sphinxext"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
nb_execution_mode = "force"
html_theme = "basic"
html_math_renderer = "bookcode"
html_copy_source = False
exclude_patterns = ["jupyter_execute"]
locale_dirs = ["locale"]
gettext_compact = False
bookcode_lint = False
""",
    "tally/__init__.py": "",
    "tally/outer.py": """\
from bookcode.ledger.operator import operator
from bookcode.ledger.protocol import Number, measured
from bookcode.ledger.symbols import M, N

from tally.inner import factor


@operator
def product(m: M, n: N) -> Number:
    \"\"\"FLOPs of a product.\"\"\"
    return measured(factor() * m * n, "FLOP")
""",
    "tally/inner.py": "def factor() -> int:\n    return 2\n",
    "tally/other.py": """\
from bookcode.ledger.operator import operator
from bookcode.ledger.protocol import Number, measured
from bookcode.ledger.symbols import M


@operator
def double(m: M) -> Number:
    \"\"\"Twice m.\"\"\"
    return measured(2 * m, "FLOP")
""",
    "book/tally.mplstyle": "axes.facecolor: white\n",
    "book/data.csv": "3\n",
    "book/x0.md": "# X\n\nOne page more.\n",
    "book/note.txt": "A note that is included.\n",
    "book/index.md": "# Tally\n\nWords: some.\n\n"
    "```{toctree}\n:glob:\n\none\ntwo\nthree\nx*\n```\n",
    "book/one.md": f"""{CELLS}
# One

The product is {{num}}`one.product:int`.

Words: some.

```{{code-cell}} python
from pathlib import Path

from bookcode.numbers.book import Book
from tally.outer import product

book = Book(packages=("tally",))
rows = int(Path("data.csv").read_text())
m = book.parameter("m", default=rows, minimum=1, maximum=64, unit="tokens")
count = book.publish("one.product", product, m=m, n=5)
book.claim("one.small", count < 1000, says={{"en": "small", "zh": "small"}})
```

```{{code-cell}} python
print("rows are", "many")
```
""",
    "book/two.md": """\
# Two

(target)=
## A section of two

It is {holds}`one.small`: {num}`one.product:int`, a fact is {fact}`wire.speed`.

Words: some.

{formula}`one.product:full`

```{include} note.txt
```
""",
    "book/three.md": f"""{CELLS}
# Three

See {{ref}}`target`, and twice {{num}}`three.double:int`.

Words: some.

```{{code-cell}} python
from bookcode.numbers.book import Book
from tally.other import double

book = Book(packages=("tally",))
book.publish("three.double", double, m=7)
```

```{{code-cell}} python
import matplotlib.pyplot as plt

plt.style.use("tally.mplstyle")
figure, axes = plt.subplots(figsize=(1, 1))
axes.plot([1, 2])
plt.show()
```
""",
    f"book/locale/{LANGUAGE}/LC_MESSAGES/two.po": """\
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "A note that is included."
msgstr "Eine Notiz."
""",
    "references/sources.toml": '[web."page"]\ntitle = "A page"\nurl = "https://a.test/"\n'
    "date = 2026-01-31\n",
    "references/citations.toml": '[citations.PAGE]\nclaim = "the wire"\nsource = "page"\n'
    'evidence = "recorded"\ndate = 2026-01-31\n',
    "references/facts.toml": '[facts."wire.speed"]\nvalue = "2e9"\nunit = "B/s"\n'
    'citation = "PAGE"\nkind = "third-party-measurement"\nconditions = "one way"\n'
    'conditions_by = "author"\n',
}


@dataclass
class SmallBook:
    """The files of a small book."""

    root: Path

    def write(self, name: str, text: str) -> None:
        """Write a file as an editor does, with the time of now."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def read(self, name: str) -> str:
        return (self.root / name).read_text("utf-8")

    def replace(self, name: str, old: str, new: str) -> None:
        text = self.read(name)
        assert old in text
        self.write(name, text.replace(old, new))


@dataclass
class Builder:
    """The builder process, spoken to as the server does."""

    root: Path
    language: str = "en"
    process: subprocess.Popen[bytes] | None = None
    sent: int = 0
    said: list[dict[str, Any]] = field(default_factory=list)

    @property
    def html(self) -> Path:
        return self.root / "_build/live/en/html"

    @property
    def served(self) -> Path:
        return self.root / "_build/live/en/site"

    def start(self) -> dict[str, Any]:
        """Start it and wait for what comes of it."""
        self.launch()
        return self.outcome()

    def launch(self) -> None:
        self.sent = 0
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bookcode.live.worker", str(self.root), "en", self.language],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=self.root,
            # as in clean builds: tracebacks on pages name files from the folders of the path
            env={**os.environ, "PYTHONPATH": PACKAGES},
        )

    def changed(self, *names: str, opened: Iterable[str] = ()) -> dict[str, Any]:
        """Say that files changed; the outcome."""
        if self.process is None:
            return self.start()
        self.send(*names, opened=opened)
        return self.outcome()

    def send(self, *names: str, opened: Iterable[str] = ()) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        self.sent += 1
        paths = [str(self.root / name) for name in names]
        message = {"changed": paths, "opened": list(opened)}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def outcome(self, seconds: float = 60) -> dict[str, Any]:
        """The message that ends a build; a builder that asks for it is started again."""
        deadline = time.monotonic() + seconds
        while True:
            message = self.next(deadline)
            if message["kind"] == "restart":
                self.end()
                self.launch()
            elif message["kind"] == "broken":
                self.end()
                return message
            elif message["kind"] == "built" and message["taken"] == self.sent:
                return message

    def next(self, deadline: float) -> dict[str, Any]:
        assert self.process is not None
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], deadline - time.monotonic())
        assert ready, f"the builder said nothing more after {self.said[-3:]}"
        line = self.process.stdout.readline()
        assert line, f"the builder ended after {self.said[-3:]}"
        message: dict[str, Any] = json.loads(line)
        self.said.append(message)
        return message

    def kill(self) -> None:
        """End it at once, wherever it is."""
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with contextlib.suppress(BrokenPipeError):
                        stream.close()

    def end(self) -> int:
        process, self.process = self.process, None
        if process is None:
            return 0
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        try:
            return process.wait(10)
        finally:
            process.kill()
            process.stdout.close()


class CleanBuilds:
    """Builds from nothing, each in a process of its own."""

    def __init__(self, folder: Path, sphinxes: Sphinxes) -> None:
        self._folder, self._sphinxes = folder, sphinxes

    def build(self, root: Path, language: str) -> tuple[int, dict[str, bytes]]:
        """Exit status and files."""
        shutil.rmtree(self._folder, ignore_errors=True)
        out = self._folder / "html"
        arguments = ["-Q", "-c", str(root), "-D", f"language={language}"]
        arguments += ["-d", str(self._folder / "doctrees"), str(root / "book"), str(out)]
        return self._sphinxes.run(arguments, date="0"), tree(out)


def tree(folder: Path) -> dict[str, bytes]:
    """All files but Sphinx's own notes on the build."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".buildinfo"
    }


def differences(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    """Where two trees differ, with the first lines that do."""
    found = [f"only in the first: {name}" for name in sorted(one.keys() - other.keys())]
    found += [f"only in the second: {name}" for name in sorted(other.keys() - one.keys())]
    for name in sorted(one.keys() & other.keys()):
        if one[name] != other[name]:
            lines = zip(one[name].splitlines(), other[name].splitlines(), strict=False)
            pairs = [(a[:400], b[:400]) for a, b in lines if a != b]
            found.append(f"{name}: {pairs[:2] or 'one is longer'}")
    return found


@pytest.fixture
def book(tmp_path: Path) -> SmallBook:
    """The small book on disk."""
    return write_book(tmp_path / "project")


def write_book(root: Path) -> SmallBook:
    """Write the small book into a folder."""
    small = SmallBook(root)
    for name, text in FILES.items():
        small.write(name, text)
    return small


@pytest.fixture
def builder(book: SmallBook) -> Iterator[Builder]:
    """Its builder, not started yet."""
    made = Builder(book.root)
    yield made
    made.end()


@pytest.fixture(scope="session")
def clean(tmp_path_factory: pytest.TempPathFactory, sphinxes: Sphinxes) -> CleanBuilds:
    """Clean builds to compare with."""
    return CleanBuilds(tmp_path_factory.mktemp("clean") / "out", sphinxes)

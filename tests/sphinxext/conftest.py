"""Builds tiny books with a real Sphinx, each in a fresh process that has never seen the ledger.

A book is a text file under ``tests/fixtures/books`` in parts that begin with ``%% name``: what is
``expected``, additions to ``conf.py``, then the files. Lines of the expectation::

    status 1                              exit status; 0 where left out
    error book/index.md:7: words …        one problem that Sphinx reports; all of them are listed
    shows index: words                    the page's visible text has these words
    lacks index: words                    it does not
    html index: <span …                   the page's HTML has this fragment
"""

from __future__ import annotations

import html
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ..conftest import Sphinxes

BOOKS = Path(__file__).parents[1] / "fixtures" / "books"
TINY = Path(__file__).parents[1] / "fixtures" / "tiny_ledger"
CONF = """\
project = "Tiny"
extensions = ["myst_nb", "bookcode.sphinxext"]
myst_enable_extensions = ["colon_fence", "dollarmath", "attrs_inline"]
nb_execution_mode = "force"
html_theme = "basic"
html_math_renderer = "bookcode"
html_copy_source = False
smartquotes = False
exclude_patterns = ["jupyter_execute"]
"""
NOTEBOOK = "---\nfile_format: mystnb\nkernelspec:\n  name: python3\n---\n"
_PROBLEM = re.compile(r"^(?:(?P<place>\S+?:(?:\d+(?::\d+)?)?): )?(?:WARNING|ERROR|CRITICAL): ")
_HINT = re.compile(r'<span class="bk-hint".*?</span>', re.DOTALL)


@dataclass(frozen=True)
class Problem:
    """A warning or an error as Sphinx prints it: "path:line" or "path:line:column", and words."""

    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


@dataclass(frozen=True)
class Built:
    """What one build left."""

    out: Path
    status: int
    problems: list[Problem]

    def raw(self, page: str) -> str:
        """A page's HTML, with ordinary spaces for narrow and fixed ones."""
        return _spaces((self.out / f"{page}.html").read_text("utf-8"))

    def text(self, page: str) -> str:
        """A page's visible text with single spaces, narrow ones as ordinary ones."""
        body = self.raw(page).partition("<body")[2]
        body = re.sub(
            r"<(script|style|annotation)\b.*?</\1>", "", _HINT.sub("", body), flags=re.DOTALL
        )
        plain = html.unescape(re.sub(r"<[^>]+>", "", body))
        return " ".join(_spaces(plain).replace("¶", "").split())

    def tree(self) -> dict[str, bytes]:
        """Every file that a reader's browser may ask for."""
        left_out = {".buildinfo", "objects.inv"}
        return {
            path.relative_to(self.out).as_posix(): path.read_bytes()
            for path in sorted(self.out.rglob("*"))
            if path.is_file() and path.name not in left_out
        }


def _spaces(text: str) -> str:
    return text.replace("\u202f", " ").replace("\xa0", " ")


@dataclass
class Project:
    """A tiny book on disk: ``conf.py``, ``book/`` and whatever else."""

    root: Path
    sphinxes: Sphinxes
    expected: list[str] = field(default_factory=list)

    def write(self, name: str, text: str) -> None:
        """Write or replace one file; ``%cells`` at its head makes a notebook of it."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("%cells\n", NOTEBOOK, 1), "utf-8")

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace the only occurrence of a text."""
        text = (self.root / name).read_text("utf-8")
        assert text.count(old) == 1, f"{name}: {old!r} occurs {text.count(old)} times"
        (self.root / name).write_text(text.replace(old, new), "utf-8")

    def build(self, *options: str, builder: str = "html", out: str = "html") -> Built:
        """Build into ``../out``; a second build is an ordinary incremental one."""
        beside = self.root.parent
        warnings = beside / "warnings.txt"
        status = self.sphinxes.run(
            [
                *("-q", "-b", builder, "-c", str(self.root), "-d", str(beside / f"{out}-trees")),
                *("-w", str(warnings), *options),
                *(str(self.root / "book"), str(beside / out)),
            ]
        )
        return Built(beside / out, status, problems(warnings.read_text("utf-8"), self.root))

    def noted(self, name: str) -> list[str]:
        """What cells or ``conf.py`` wrote down outside the project since it was last asked."""
        path = self.root.parent / name
        words = path.read_text("utf-8").split() if path.exists() else []
        path.unlink(missing_ok=True)
        return words


def problems(printed: str, root: Path) -> list[Problem]:
    """The problems that Sphinx printed; a problem may have more than one line."""
    found: list[Problem] = []
    for line in printed.replace(f"{root}{os.sep}", "").splitlines():
        plain = re.sub(r"\x1b\[[0-9;]*m", "", line)
        match = _PROBLEM.match(plain)
        if match:
            found.append(Problem((match["place"] or "").rstrip(":"), plain[match.end() :]))
        elif found:
            found[-1] = Problem(found[-1].place, f"{found[-1].text}\n{plain}")
    return found


def read_parts(text: str) -> list[tuple[str, str]]:
    """Name and content of the parts of a book's text file."""
    _, *rest = re.split(r"^%% (.+)\n", text, flags=re.MULTILINE)
    return list(zip(rest[::2], rest[1::2], strict=True))


def lay_out(name: str, folder: Path, sphinxes: Sphinxes) -> Project:
    """Write the book of a text file to disk."""
    project = Project(folder / "project", sphinxes)
    shutil.copytree(TINY, project.root / "tiny_ledger", ignore=lambda *_: {"__pycache__"})
    project.write("conf.py", CONF)
    for part, content in read_parts((BOOKS / f"{name}.txt").read_text("utf-8")):
        if part == "expected":
            project.expected = [line for line in content.splitlines() if line.strip()]
        elif part == "conf":
            project.write("conf.py", CONF + content)
        else:
            project.write(part, content)
    return project


@pytest.fixture
def book(request: pytest.FixtureRequest, tmp_path: Path, sphinxes: Sphinxes) -> Project:
    """The tiny book named by the test's parameter."""
    return lay_out(request.param, tmp_path, sphinxes)


@pytest.fixture
def make_book(tmp_path: Path, sphinxes: Sphinxes) -> Callable[[str], Project]:
    """Lays out the tiny book of a name."""
    return lambda name: lay_out(name, tmp_path, sphinxes)


@pytest.fixture
def make_shop(tmp_path: Path, sphinxes: Sphinxes) -> Callable[[str], Project]:
    """Lays out the book of six pages, two of which run cells, in a folder of its own."""
    return lambda name: lay_out("chains/shop", tmp_path / name, sphinxes)


@pytest.fixture
def shop(make_shop: Callable[[str], Project]) -> Project:
    """The book of six pages."""
    return make_shop("one")

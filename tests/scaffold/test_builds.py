"""Every beginning builds green as it is written: a real Sphinx, in a tiny copy of the project."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REFERENCES = ("sources.toml", "citations.toml", "facts.toml", "published-tables.toml")
START = """\
# Book

```{toctree}
appendix
01-start/index
```
"""
APPENDIX = """\
# Words

:::{glossary}
memory-bound
: Of a call: the memory takes longer than the arithmetic.
:::
"""


def run(project: Path, *arguments: str, answers: str = "") -> str:
    """What a command prints; it must end well."""
    environment = {**os.environ, "PYTHONPATH": str(project), "NO_COLOR": "1", "COLUMNS": "200"}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=project, env=environment, input=answers, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def new(project: Path, *arguments: str, answers: str = "") -> str:
    return run(project, "-m", "bookcode", "new", *arguments, answers=answers)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, the ledger's tests, and a book of one page, with one beginning of each kind."""
    folder = tmp_path_factory.mktemp("scaffold") / "project"
    leave = shutil.ignore_patterns("__pycache__")
    for name in ("bookcode", "tests/ledger"):
        shutil.copytree(ROOT / name, folder / name, ignore=leave)
    (folder / "references").mkdir()
    for name in REFERENCES:
        shutil.copy(ROOT / "references" / name, folder / "references")
    for name in ("conf.py", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    pages = {"index": START, "appendix": APPENDIX, "01-start/index": "# Start\n\nText.\n"}
    for name, text in pages.items():
        path = folder / f"book/{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


@pytest.fixture(scope="module")
def begun(project: Path) -> Sequence[str]:
    """What the commands said: of a chapter, an exercise, an operator, and two facts."""
    return (
        new(project, "chapter", "mixed-precision", "--title", "Mixed precision"),
        new(project, "exercise", "Another sum", "--chapter", "02", "--kind", "calculation"),
        new(project, "operator", "doubling"),
        new(
            project, "fact", "h200.test.noted", "--value", "3e12", "--unit", "B/s",
            "--conditions", "in this test",
            answers="convention\nNOTE-test\nauthor-note\nWhat we think of it\n",
        ),
        new(
            project, "fact", "h200.test.cited", "--value", "4", "--unit", "1",
            "--kind", "convention", "--citation", "NOTE-test", "--conditions", "",
        ),
    )  # fmt: skip


@pytest.mark.slow
def test_the_commands_say_what_they_wrote_and_what_comes_next(begun: Sequence[str]) -> None:
    chapter, exercise, operator, noted, cited = begun
    assert "wrote book/02-mixed-precision/01-first-section.md\n" in chapter
    assert "added to book/index.md\n" in chapter
    assert "added to book/02-mixed-precision/exercises.md\n" in exercise
    assert "02-e2" in exercise
    assert "wrote bookcode/ledger/ops/doubling.py\n" in operator
    assert "wrote tests/ledger/ops/test_doubling.py\n" in operator
    assert "added to references/citations.toml\nadded to references/facts.toml\n" in noted
    assert "citations.toml" not in cited
    assert all("next:\n  " in said for said in begun)


@pytest.mark.slow
def test_the_book_builds_green_and_shows_all_of_them(project: Path, begun: Sequence[str]) -> None:
    section = project / "book/02-mixed-precision/01-first-section.md"
    text = section.read_text("utf-8")
    assert text.count("ops.add,") == 1
    text = text.replace("ops.add,", "ops.doubling,")
    more = "\nIt moves {fact}`h200.test.noted:sig3` {fact}`h200.test.cited:int` times over.\n"
    section.write_text(text + more, "utf-8")
    said = run(project, "-m", "bookcode", "build", "--clean", "--edition", "en")
    assert "RED" not in said
    assert len(begun) == 5
    pages = project / "_build/html/en/02-mixed-precision"
    built = {path.stem: path.read_text("utf-8") for path in pages.glob("*.html")}
    assert set(built) == {"01-first-section", "exercises", "index", "numbers", "self-test"}
    assert "Mixed precision" in built["index"]
    assert "Another sum" in built["exercises"]
    assert "doubling" in built["numbers"]
    assert "TB/s" in built["01-first-section"]


@pytest.mark.slow
def test_an_operator_passes_the_ledgers_own_tests_and_the_linters(
    project: Path, begun: Sequence[str]
) -> None:
    assert len(begun) == 5
    tests = ["tests/ledger/ops/test_doubling.py", "tests/ledger/test_operators.py"]
    said = run(project, "-m", "pytest", "-p", "no:cacheprovider", *tests)
    assert "passed" in said
    files = ["bookcode/ledger/ops", "tests/ledger/ops/test_doubling.py", "tests/ledger/conftest.py"]
    if shutil.which("ruff", path=str(Path(sys.executable).parent)):
        run(project, "-m", "ruff", "check", "--no-cache", *files)
        run(project, "-m", "ruff", "format", "--no-cache", "--check", *files)
    doubling = (project / "bookcode/ledger/ops/doubling.py").read_text("utf-8")
    assert "<<" not in doubling

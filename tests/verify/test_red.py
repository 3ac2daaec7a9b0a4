"""The real book, broken on purpose in a copy: verify turns red, says where, and recovers."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHAPTER = "book/02-from-pytorch-to-kernel/02-bytes-and-flops.md"
PARTS = ("book", "bookcode", "references", "conf.py", "pyproject.toml", "constraints.txt")
Edit = Callable[[str], str]
COMMAND = (sys.executable, "-m", "bookcode", "verify", "--sources", "none", "--points", "2")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what verify reads."""
    folder = tmp_path_factory.mktemp("project")
    leave = shutil.ignore_patterns("__pycache__", "*.pyc")
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=leave)
        else:
            shutil.copy(source, folder / part)
    return folder


def verify(project: Path) -> tuple[int, str]:
    environment = dict(os.environ, PYTHONPATH=str(project), COLUMNS="200")
    environment.setdefault("BOOKCODE_SOURCES", str(ROOT / ".sources"))
    done = subprocess.run(
        [*COMMAND],
        cwd=project, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def edited(project: Path) -> Iterator[Callable[[str, Edit], None]]:
    """Edit files of the copy; what was edited is put back at the end."""
    before: dict[Path, bytes] = {}

    def edit(name: str, change: Edit) -> None:
        path = project / name
        before.setdefault(path, path.read_bytes())
        old = path.read_text("utf-8")
        new = change(old)
        assert new != old, f"the edit of {name} changes nothing"
        path.write_text(new, "utf-8")

    yield edit
    for path, content in before.items():
        path.write_bytes(content)


def replacing(old: str, new: str) -> Edit:
    def change(text: str) -> str:
        assert old in text, old
        return text.replace(old, new, 1)

    return change


def appending(text: str) -> Edit:
    return lambda old: f"{old.rstrip()}\n\n{text}\n"


def last_line(project: Path) -> int:
    return len((project / CHAPTER).read_text("utf-8").splitlines())


def test_the_book_as_it_is_has_nothing_red(project: Path) -> None:
    status, output = verify(project)
    assert status in (0, 3), output
    assert "RED" not in output


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        pytest.param(
            "bookcode/ledger/ops/gemm.py", "2 * m * n * k", "3 * m * n * k",
            ["number gemm.4096.flops changed", "+0.5 relative", "because gemm()"],
            id="a coefficient",
        ),
        pytest.param(
            "bookcode/ledger/ops/optimizer.py", 'write("parameter, m, v", 3 * state.bytes)',
            'write("parameter, m, v", 2 * state.bytes)',
            ["because adamw_per_parameter() in bookcode/ledger/ops/optimizer.py changed"],
            id="a term of AdamW",
        ),
        pytest.param(
            "bookcode/ledger/machines/profiles.toml", 'value = "0.7370"', 'value = "0.7371"',
            ["machine h200: peak_factors.fp16", "fact h200.recorded.burst",
             "number gemm.4096.expected changed", "because the table row 'machine h200' changed"],
            id="a calibration",
        ),
        pytest.param(
            "bookcode/ledger/tables.py", 'DType("fp16", Fraction(2))', 'DType("fp16", Fraction(3))',
            ["number gemm.4096.bytes changed", "because the table row 'dtype fp16' changed"],
            id="the bytes of a dtype",
        ),
    ],
)  # fmt: skip
def test_a_change_of_the_ledger_is_drift(
    project: Path, edited: Callable[[str, Edit], None],
    name: str, old: str, new: str, expected: list[str],
) -> None:  # fmt: skip
    edited(name, replacing(old, new))
    status, output = verify(project)
    assert status == 1
    for text in expected:
        assert text in output
    assert re.search(rf"shown at {CHAPTER}:\d+ \((body|table)\)", output)


def test_a_value_in_the_lock_is_drift(project: Path, edited: Callable[[str, Edit], None]) -> None:
    def change(text: str) -> str:
        lock = json.loads(text)
        lock["numbers"]["gemm.4096.flops"]["value"] = "1"
        return json.dumps(lock)

    edited("references/numbers/02-from-pytorch-to-kernel.lock.json", change)
    status, output = verify(project)
    assert status == 1
    assert "number gemm.4096.flops changed" in output
    assert "value: 1 → 137438953472" in output


CLAIM = """```{code-cell} python
:tags: [hide-cell]
small = gemm[4096].flops
book.claim("red.claim", small < small / 2, says="smaller than itself")
```

It is {holds}`red.claim`."""
TYPED = {
    "paragraph": ("A machine reaches 731.5 TFLOPS in this text.", 0, 19),
    "table cell": ("| machine | peak |\n| --- | --- |\n| it | 731.5 TFLOPS |", 0, 8),
    "caption": (
        ":::{number-table} A peak of 731.5 TFLOPS\n:columns: FLOP = flops\na | gemm.4096\n:::",
        3,
        29,
    ),
    "alt text": ("![A plot that tops out at 731.5 TFLOPS](/_static/none.png)", 0, 27),
}
BARE = '```{code-cell} python\n:tags: [hide-cell]\nbook.publish("red.bare", 731.5)\n```'


def test_lies_in_the_text_are_red_each_at_its_place(
    project: Path, edited: Callable[[str, Edit], None]
) -> None:
    """One build for all of them: a false claim, typed numbers in four contexts, a bare number."""
    expected = []
    edited(CHAPTER, appending(CLAIM))
    line = last_line(project)
    expected.append(f"{CHAPTER}:{line - 3}: ERROR: claim 'red.claim' does not hold")
    expected.append(f"stated at {CHAPTER}:{line}")
    for text, back, column in TYPED.values():
        edited(CHAPTER, appending(text))
        place = f"{CHAPTER}:{last_line(project) - back}:{column}"
        expected.append(f"{place}: ERROR: '731.5 TFLOPS'")
    edited(CHAPTER, appending(BARE))
    expected.append(f"{CHAPTER}:{last_line(project) - 1}: ERROR")
    expected.append("'red.bare': the value has no ledger function, fact or parameter in its trace")
    status, output = verify(project)
    assert status == 1
    missing = [text for text in expected if text not in output]
    assert missing == [], output


def test_nothing_is_accepted_while_something_else_is_red(
    project: Path, edited: Callable[[str, Edit], None]
) -> None:
    edited("bookcode/ledger/ops/gemm.py", replacing("2 * m * n * k", "3 * m * n * k"))
    edited(CHAPTER, appending("A machine reaches 731.5 TFLOPS in this text."))
    lock = project / "references/numbers/02-from-pytorch-to-kernel.lock.json"
    before = lock.read_bytes()
    done = subprocess.run(
        [*COMMAND, "--accept", "--why", "no reason"],
        cwd=project, env=dict(os.environ, PYTHONPATH=str(project)),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "nothing accepted" in done.stdout
    assert lock.read_bytes() == before

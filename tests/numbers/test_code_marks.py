"""Marks of ledger code and table rows: they change with the arithmetic and with nothing else."""

from __future__ import annotations

import importlib
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bookcode.ledger import DTYPES, MACHINES, ops
from bookcode.numbers.code_marks import describe, row_marks, run_marked, source_of

ROOT = Path(__file__).parents[2]
SOURCE = '''
def outer(x):
    """Twice, and one."""
    return inner(x) + 1  # one


def inner(x):
    return 2 * x


def unused(x):
    return x
'''
Load = Callable[[str], ModuleType]


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Load]:
    """Imports a source as the module ``marked``, anew each time."""

    def run(source: str) -> ModuleType:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        (folder / "marked.py").write_text(source, "utf-8")
        sys.modules.pop("marked", None)
        sys.path.insert(0, str(folder))
        try:
            return importlib.import_module("marked")
        finally:
            sys.path.remove(str(folder))

    yield run
    sys.modules.pop("marked", None)


def marks(module: ModuleType) -> dict[str, str]:
    value, reached = run_marked(lambda: module.outer(3), ("marked",))
    assert value == 7
    return describe(reached, Path(str(module.__file__)).parent)


def test_marks_the_functions_that_ran(load: Load) -> None:
    found = marks(load(SOURCE))
    assert list(found) == ["marked.py::inner", "marked.py::outer"]
    assert all(len(mark) == 16 for mark in found.values())


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("2 * x", "x * 2", {"inner"}),
        ("2 * x", "2*x", set()),
        ("+ 1  # one", "+ 1  # and one more", set()),
        ("Twice, and one.", "Other words.", set()),
        ("def unused(x):\n    return x", "def unused(x):\n    return 3", set()),
        ("def outer", "\n\n\ndef outer", set()),
        ("return inner(x) + 1", "y = inner(x)\n    return y + 1", {"outer"}),
        ('    """Twice, and one."""\n', "", set()),
    ],
)
def test_a_mark_changes_with_the_arithmetic_only(
    load: Load, old: str, new: str, changed: set[str]
) -> None:
    assert old in SOURCE
    before, after = marks(load(SOURCE)), marks(load(SOURCE.replace(old, new)))
    assert {k.partition("::")[2] for k in before if before[k] != after[k]} == changed


def test_other_code_is_not_marked(load: Load) -> None:
    module = load(SOURCE)
    _, reached = run_marked(lambda: sorted([3, 1], key=module.inner), ("bookcode.ledger",))
    assert reached == set()
    _, reached = run_marked(lambda: module.outer(3), ("marked",))
    assert describe(reached, ROOT) == {}  # not below that root


def test_plumbing_is_left_out() -> None:
    _, reached = run_marked(lambda: ops.gemm(1, 1, 1).bytes, ("bookcode.ledger",))
    found = describe(reached, ROOT)
    assert {path.partition("::")[0] for path in found} == {
        "bookcode/ledger/cost.py",
        "bookcode/ledger/ops/gemm.py",
    }
    assert not any("<" in path for path in found)


def test_a_profiler_that_was_there_comes_back() -> None:
    seen: list[str] = []

    def watch(frame: Any, event: str, argument: Any) -> None:
        seen.append(event)

    sys.setprofile(watch)
    try:
        run_marked(lambda: None, ("marked",))
        assert sys.getprofile() is watch
    finally:
        sys.setprofile(None)
    with pytest.raises(ZeroDivisionError):
        run_marked(lambda: 1 / 0, ("marked",))
    assert sys.getprofile() is None


def test_rows_are_marked_by_their_quantities() -> None:
    fp16, h200 = DTYPES["fp16"], MACHINES["h200"]
    before = row_marks([fp16, h200, 3, "word"])
    assert list(before) == ["dtype fp16", "machine h200"]
    assert row_marks([replace(h200, conditions="others", title="x")]) == {
        "machine h200": before["machine h200"]
    }
    faster = replace(h200, peaks={**h200.peaks, "fp16": h200.peaks["fp16"] + 1})
    wider = replace(fp16, bytes=Fraction(3))
    assert row_marks([faster])["machine h200"] != before["machine h200"]
    assert row_marks([wider])["dtype fp16"] != before["dtype fp16"]


def test_a_mark_of_a_row_does_not_depend_on_the_order_of_its_entries() -> None:
    h200 = MACHINES["h200"]
    turned = replace(h200, peaks=dict(reversed(list(h200.peaks.items()))))
    assert row_marks([turned]) == row_marks([h200])


def test_what_is_no_row_is_not_marked() -> None:
    @dataclass
    class Nameless:
        value: int

    assert row_marks([Nameless(3), Nameless, ops.gemm(1, 1, 1)]) == {}


def test_marks_are_those_of_the_source_that_python_finds() -> None:
    _, reached = run_marked(
        lambda: [ops.gemm(1, 1, 1).bytes, MACHINES["h200"].balance(DTYPES["fp16"])],
        ("bookcode.ledger",),
    )
    named = [code for code in reached if "<" not in code.co_qualname]
    assert len(named) > 5
    for code in named:
        source = textwrap.dedent(inspect.getsource(code))
        assert source_of(code) == source


def test_code_without_a_source_has_a_mark(tmp_path: Path) -> None:
    code = compile("def f(): return 1", str(tmp_path / "gone.py"), "exec")
    namespace: dict[str, Any] = {"__name__": "marked"}
    exec(code, namespace)
    _, reached = run_marked(namespace["f"], ("marked",))
    assert describe(reached, tmp_path) == {"gone.py::f": "unreadable"}

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bookcode.execution import (
    PRELOAD,
    Cell,
    ForkError,
    LimitError,
    Limits,
    RunResult,
    run_cells,
)

Runner = Callable[..., RunResult]
Text = Callable[[RunResult], str]


def test_cells_share_a_namespace_and_are_counted(run: Runner) -> None:
    result = run("x = 2", "print('a')\nx * 3", "_ + Out[2]")
    assert result.failure is None
    assert result.execution_counts == [1, 2, 3]
    assert result.outputs == [
        [],
        [
            {"output_type": "stream", "name": "stdout", "text": "a\n"},
            {
                "output_type": "execute_result",
                "data": {"text/plain": "6"},
                "metadata": {},
                "execution_count": 2,
            },
        ],
        [
            {
                "output_type": "execute_result",
                "data": {"text/plain": "12"},
                "metadata": {},
                "execution_count": 3,
            }
        ],
    ]


def test_a_run_without_cells_is_empty(run: Runner) -> None:
    result = run()
    assert (result.outputs, result.execution_counts, result.failure) == ([], [], None)


def test_nothing_a_cell_does_comes_back(run: Runner, project: Path) -> None:
    before = dict(os.environ)
    run(
        "import os, sys, builtins\n"
        "os.environ['LEFT'] = '1'\nos.chdir('/')\nsys.path.append('/left')\n"
        "builtins.left = 1\nsys.modules['left'] = sys\nsys.stdout = None"
    )
    assert dict(os.environ) == before
    assert "/left" not in sys.path
    assert "left" not in sys.modules
    assert not hasattr(__builtins__, "left")
    assert Path.cwd() != Path("/")


def test_a_cell_sees_a_fresh_interpreter(run: Runner, text: Text, project: Path) -> None:
    result = run(
        """
        import logging, os, sys, warnings
        print(__name__, sys.argv, os.getcwd(), sys.path[0] == "", sys.stdout.isatty())
        print(os.environ["WANTED"], os.environ.get("COLUMNS"), logging.root.handlers)
        print("__file__" in globals())
        """,
        env={"WANTED": "yes"},
    )
    assert text(result) == f"__main__ [''] {project} True False\nyes None []\nFalse\n"


def test_warnings_name_the_cell_and_nothing_of_this_machine(run: Runner) -> None:
    (output,) = run("import warnings\nwarnings.warn('careful')").outputs[0]
    assert output["text"] == "<cell-1>.py:2: UserWarning: careful\n  warnings.warn('careful')\n"


def test_warnings_of_libraries_hold_no_folder_of_this_machine(run: Runner) -> None:
    source = "import statistics, warnings\nwarnings.warn_explicit('w', UserWarning, {}, 3)"
    (output,) = run(source.replace("{}", "statistics.__file__")).outputs[0]
    assert output["text"].startswith("statistics.py:3: UserWarning: w\n")


def test_random_numbers_and_temporary_names_are_the_same_in_every_run(
    run: Runner, text: Text
) -> None:
    source = "import random, numpy\nprint(random.random(), numpy.random.random())"
    assert text(run(source)) == text(run(source))


def test_temporary_files_go_with_the_run(run: Runner, text: Text) -> None:
    result = run("import tempfile\nprint(tempfile.mkdtemp(), end='')")
    assert result.failure is None
    assert not Path(text(result)).exists()


def test_source_of_functions_defined_in_cells_can_be_read(run: Runner, text: Text) -> None:
    result = run("def f():\n    return 1", "import inspect\nprint(inspect.getsource(f), end='')")
    assert text(result) == "def f():\n    return 1\n"


def test_output_at_the_descriptors_is_captured_in_place(
    run: Runner, text: Text, capfd: pytest.CaptureFixture[str]
) -> None:
    result = run(
        """
        import os, subprocess, sys
        print("first")
        os.write(1, "dïrect\\n".encode())
        subprocess.run(["echo", "program"], check=True)
        subprocess.run(["echo", "handed"], check=True, stdout=sys.stdout)
        print("last")
        """
    )
    assert text(result) == "first\ndïrect\nprogram\nhanded\nlast\n"
    assert capfd.readouterr() == ("", "")


def test_output_of_forked_processes_is_captured(run: Runner, text: Text) -> None:
    result = run(
        """
        import multiprocessing
        context = multiprocessing.get_context("fork")
        process = context.Process(target=print, args=("from a process",))
        process.start()
        process.join()
        """
    )
    assert text(result) == "from a process\n"


def test_displays_can_be_updated_from_later_cells(run: Runner, text: Text) -> None:
    result = run("handle = display('old', display_id='d')", "handle.update('new')")
    assert text(result) == "'new'"
    assert result.outputs[1] == []


def test_any_mime_type_passes(run: Runner) -> None:
    result = run(
        """
        display({"text/plain": "t", "application/vnd.book+json": {"n": [1, None]}}, raw=True)
        class Value:
            def _repr_mimebundle_(self, include=None, exclude=None):
                return {"text/plain": "v", "application/vnd.book+json": {"k": 1}}, {"m": 2}
        Value()
        """
    )
    shown, value = result.outputs[0]
    assert shown["data"] == {"text/plain": "t", "application/vnd.book+json": {"n": [1, None]}}
    assert value["data"] == {"text/plain": "v", "application/vnd.book+json": {"k": 1}}
    assert value["metadata"] == {"m": 2}


def test_structured_data_under_a_text_type_is_an_error_with_a_way_out(run: Runner) -> None:
    failure = run("display({'text/x-thing': {'a': 1}}, raw=True)").failure
    assert failure is not None
    assert failure.ename == "DisplayError"
    assert "'text/x-thing+json'" in failure.evalue


def test_top_level_await_works(run: Runner, text: Text) -> None:
    assert text(run("import asyncio\nawait asyncio.sleep(0)\n'done'")) == "'done'"


@pytest.mark.parametrize(
    ("source", "line", "ename", "evalue"),
    [
        ("x = 1\n1 / 0", 11, "ZeroDivisionError", "division by zero"),
        ("def f():\n    1 / 0\n\nf()", 11, "ZeroDivisionError", "division by zero"),
        ("x = 1\ndef f(:\n", 11, "SyntaxError", "invalid syntax (<cell-1>.py, line 2)"),
        ("x = 1\n  y = 2", 11, "IndentationError", None),
        ("raise SystemExit(3)", 10, "SystemExit", "3"),
        ("import json\njson.loads('{')", 11, "JSONDecodeError", None),
        ("%nomagic", 10, "UsageError", "Line magic function `%nomagic` not found."),
        ("exit()", 10, "ExecutionError", "a cell cannot end the run of its chapter"),
        ("\n\nraise KeyboardInterrupt", 10, "KeyboardInterrupt", ""),
        ("raise ExceptionGroup('g', [ValueError()])", 10, "ExceptionGroup", None),
        (
            "class A:\n    def __repr__(self):\n        raise ValueError('bad')\nA()",
            12,
            "ValueError",
            "bad",
        ),
    ],
)
def test_a_failure_says_where_and_why(
    run: Runner, source: str, line: int, ename: str, evalue: str | None
) -> None:
    result = run(source, "print('never')")
    failure = result.failure
    assert failure is not None
    assert (failure.kind, failure.cell_index, failure.cell_line) == ("error", 1, 10)
    assert (failure.line, failure.ename) == (line, ename)
    assert evalue is None or failure.evalue == evalue
    assert failure.traceback
    assert not any("\x1b" in text for text in failure.traceback)
    assert result.outputs[1] == []
    assert result.execution_counts == [1, None]


def test_a_failure_in_a_module_names_the_calling_line_and_the_module(
    run: Runner, project: Path
) -> None:
    (project / "broken.py").write_text("def f():\n    return 1 / 0\n", "utf-8")
    failure = run("import broken", "x = 1\nbroken.f()").failure
    assert failure is not None
    assert (failure.cell_index, failure.line) == (2, 21)
    assert "File broken.py:2, in f()" in failure.traceback


def test_tracebacks_in_the_page_hold_no_folder_of_this_machine(run: Runner, project: Path) -> None:
    (project / "broken.py").write_text("import json\n\n\ndef f():\n    json.loads('{')\n", "utf-8")
    result = run("import broken\nbroken.f()", may_raise=True)
    assert result.failure is None
    traceback = "\n".join(result.outputs[0][0]["traceback"])
    assert "broken.py:5" in traceback
    assert "json/decoder.py" in traceback
    assert str(project) not in traceback
    assert os.path.dirname(os.__file__) not in traceback  # noqa: PTH120


def test_a_cell_that_may_raise_does_not_stop_the_chapter(run: Runner, text: Text) -> None:
    result = run("1 / 0", "print('next')", may_raise=True)
    assert result.failure is None
    assert text(result) == "ZeroDivisionErrornext\n"


def test_there_are_no_windows(run: Runner, text: Text) -> None:
    assert "a chapter has no windows: cannot use 'qt'" in text(run("%gui qt"))


def test_unforkable_platforms_are_told(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    with pytest.raises(ForkError, match="ordinary kernel"):
        run("1")


@pytest.mark.parametrize(("seconds", "memory"), [(0, 1), (-1.0, 1), (1, 0), (float("nan"), 1)])
def test_limits_must_be_positive(seconds: float, memory: int) -> None:
    with pytest.raises(LimitError, match="must be a positive number"):
        Limits(seconds, memory)


def test_a_folder_that_is_not_there_is_reported_as_the_death_it_is(tmp_path: Path) -> None:
    result = run_cells(
        [Cell("1", 3, 0)],
        cwd=tmp_path / "nowhere",
        limits=Limits(5, 1 << 30),
        project_roots=[tmp_path],
    )
    assert result.failure is not None
    assert result.failure.kind == "died"
    assert "nowhere" in result.failure.traceback[-1]


def test_preloading_leaves_the_project_and_sphinx_out() -> None:
    code = (
        "import sys\nfrom bookcode.execution import preload\npreload()\n"
        "wrong = {'bookcode.ledger', 'bookcode.numbers', 'sphinx', 'myst_nb'} & set(sys.modules)\n"
        "sys.exit(f'imported {sorted(wrong)}' if wrong else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.stderr, done.returncode) == ("", 0)


def test_the_package_can_be_imported_where_nothing_forks() -> None:
    code = (
        "import os, sys\ndel os.fork\nsys.modules['resource'] = None\n"
        "from bookcode.execution import can_fork\nsys.exit(can_fork())"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.stderr, done.returncode) == ("", 0)


def test_figures_of_the_parent_are_not_shown(run: Runner) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    figure = pyplot.figure()
    try:
        result = run("import matplotlib.pyplot as plt\nplt.show()\nplt.get_fignums()")
        assert pyplot.fignum_exists(figure.number)
    finally:
        pyplot.close(figure)
    assert [output.get("data", {}).get("text/plain") for output in result.outputs[0]] == ["[]"]


def test_a_run_may_name_modules_that_are_imported_first(run: Runner, text: Text) -> None:
    cell = "import sys; print('wave' in sys.modules, 'no_such_module' in sys.modules)"
    sys.modules.pop("wave", None)
    assert text(run(cell)) == "False False\n"
    assert text(run(cell, env={PRELOAD: "wave no_such_module"})) == "True False\n"

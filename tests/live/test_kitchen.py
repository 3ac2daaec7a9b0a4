from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil
import pytest

from bookcode.execution.model import Cell, Limits, RunResult
from bookcode.execution.runner import run_cells
from bookcode.live.kitchen import Interrupted, Kitchen

LIMITS = Limits(30, 1 << 30)


@pytest.fixture
def kitchen() -> Iterator[Kitchen]:
    made = Kitchen()
    yield made
    made.close()


def run(kitchen: Kitchen, folder: Path, *sources: str) -> RunResult:
    cells = [Cell(source, 1, i) for i, source in enumerate(sources)]
    return kitchen(cells, cwd=folder, limits=LIMITS, project_roots=[folder])


def text(result: RunResult) -> str:
    assert result.failure is None, result.failure
    return "".join(o.get("text", "") for outputs in result.outputs for o in outputs)


def test_a_run_gives_what_it_gives_without_a_kitchen(kitchen: Kitchen, tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("3")
    sources = ["from pathlib import Path", "print(Path('data.csv').read_text())", "1 + 1"]
    cells = [Cell(source, 1, i) for i, source in enumerate(sources)]
    here = run_cells(cells, cwd=tmp_path, limits=LIMITS, project_roots=[tmp_path])
    assert run(kitchen, tmp_path, *sources) == here
    assert here.dependencies is not None
    assert tmp_path / "data.csv" in here.dependencies.files


def test_one_process_serves_many_runs_and_keeps_nothing(kitchen: Kitchen, tmp_path: Path) -> None:
    parents = {text(run(kitchen, tmp_path, "import os; print(os.getppid())")) for _ in range(2)}
    assert len(parents) == 1
    assert parents != {f"{os.getpid()}\n"}
    assert text(run(kitchen, tmp_path, "x = 1", "print(x)")) == "1\n"
    assert text(run(kitchen, tmp_path, "print('x' in globals())")) == "False\n"


def test_modules_are_seen_as_they_are(kitchen: Kitchen, tmp_path: Path) -> None:
    for value in ("one", "two"):
        (tmp_path / "module.py").write_text(f"value = {value!r}\n")
        assert text(run(kitchen, tmp_path, "import module; print(module.value)")) == f"{value}\n"
    assert "module" not in sys.modules


def test_a_dead_process_is_replaced(kitchen: Kitchen, tmp_path: Path) -> None:
    first = int(text(run(kitchen, tmp_path, "import os; print(os.getppid())")))
    os.kill(first, signal.SIGKILL)
    assert int(text(run(kitchen, tmp_path, "import os; print(os.getppid())"))) != first


def test_an_idle_process_ends_itself_and_comes_back(tmp_path: Path) -> None:
    kitchen = Kitchen(idle=0.1)
    try:
        first = int(text(run(kitchen, tmp_path, "import os; print(os.getppid())")))
        process = psutil.Process(first)
        deadline = time.monotonic() + 5
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert int(text(run(kitchen, tmp_path, "import os; print(os.getppid())"))) != first
    finally:
        kitchen.close()


def test_a_run_is_given_up_when_something_urgent_comes(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    asked: list[Sequence[Cell]] = []

    def urgent(cells: Sequence[Cell]) -> bool:
        asked.append(cells)
        return cells[0].source.startswith("import time")

    kitchen = Kitchen(urgent, wake=reading)
    try:
        run(kitchen, tmp_path, "pass")
        os.write(writing, b"x")
        started = time.monotonic()
        with pytest.raises(Interrupted):
            run(kitchen, tmp_path, "import time; time.sleep(20)")
        assert time.monotonic() - started < 5
        # what may wait does, and the process is as good as before
        assert text(run(kitchen, tmp_path, "print('done')")) == "done\n"
        assert len(asked) == 2
    finally:
        kitchen.close()


def test_it_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            kitchen = Kitchen()
            kitchen.start()
            os.write(writing, str(kitchen._pid).encode())
            kitchen([Cell("import time; time.sleep(20)", 1, 0)], cwd=tmp_path, limits=LIMITS,
                    project_roots=[tmp_path])  # fmt: skip
        finally:
            os._exit(0)
    cook = psutil.Process(int(os.read(reading, 20)))
    time.sleep(0.3)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    deadline = time.monotonic() + 5
    while cook.is_running() and cook.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline, "it outlived its starter"
        time.sleep(0.02)


def test_private_descriptors_are_closed_there(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    kitchen = Kitchen(private=[writing])
    try:
        kitchen.start()
        os.close(writing)
        assert os.read(reading, 1) == b"", "the other process holds the pipe open"
    finally:
        kitchen.close()


def test_what_the_system_refuses_is_raised_here(kitchen: Kitchen, tmp_path: Path) -> None:
    result = run(kitchen, tmp_path / "nowhere", "print(1)")
    assert result.failure is not None
    assert result.failure.kind == "died"

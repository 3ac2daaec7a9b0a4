from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from bookcode.execution.alone import can_tell
from bookcode.execution.job import Way
from bookcode.execution.model import Cell, Limits, RunResult
from bookcode.execution.runner import run_cells
from bookcode.live.kitchen import Kitchen
from bookcode.live.resuming import Resuming

from ..processes import processes_in, wait_for

pytestmark = pytest.mark.skipif(not can_tell(), reason="copies need /proc")

LIMITS = Limits(30, 1 << 30)
COUNT = "import os; print('first', os.getpid())"
"""A cell whose output says whether it has run anew."""

Run = Callable[..., str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    return made


@pytest.fixture
def resuming() -> Iterator[Resuming]:
    made = Resuming()
    made.seconds = 60  # copies are left where cells were edited, however slow the machine is
    yield made
    made.close()


@pytest.fixture
def run(resuming: Resuming, folder: Path) -> Run:
    """Runs cells, sees that they give what they should, and tells what they print."""

    def run(*sources: str, keep: bool = True) -> str:
        cells = [Cell(source, 1, i) for i, source in enumerate(sources)]
        result = resuming.run(cells, Way(folder, LIMITS, [folder]), keep=keep)
        if not any("getpid" in source for source in sources):
            assert result == clean(folder, cells)
        return printed(result)

    return run


def clean(folder: Path, cells: list[Cell]) -> RunResult:
    return run_cells(cells, cwd=folder, limits=LIMITS, project_roots=[folder])


def printed(result: RunResult) -> str:
    assert result.failure is None, result.failure
    return "".join(o.get("text", "") for outputs in result.outputs for o in outputs)


def test_the_cells_before_the_edited_one_do_not_run_again(run: Run, resuming: Resuming) -> None:
    first = run(COUNT, "x = 1", "print(x)")
    assert resuming.resumed == 0
    second = run(COUNT, "x = 2", "print(x)")  # begins anew: nobody knew what would be edited
    third = run(COUNT, "x = 3", "print(x)")
    fourth = run(COUNT, "x = 3", "print(x, 'more')")
    assert first != second
    assert second.splitlines()[0] == third.splitlines()[0] == fourth.splitlines()[0]
    assert [text.splitlines()[1] for text in (first, second, third, fourth)] == [
        "1", "2", "3", "3 more",
    ]  # fmt: skip
    assert resuming.resumed == 2


def test_a_cell_that_is_added_at_the_end_is_all_that_runs(run: Run, resuming: Resuming) -> None:
    resuming.seconds = 0.25
    slow = "import time; time.sleep(0.3); x = 1"
    run(slow, "x")
    assert run(slow, "x", "print(x)") == "1\n"
    assert run(slow, "x", "print(x + 1)") == "2\n"
    assert resuming.resumed == 2


@pytest.mark.parametrize("change", ["content", "removed", "appears", "listed", "module"])
def test_what_the_cells_before_looked_at_must_be_as_it_was(
    run: Run, resuming: Resuming, folder: Path, change: str
) -> None:
    (folder / "data.txt").write_text("one")
    (folder / "module.py").write_text("value = 1\n")
    (folder / "list").mkdir()
    first = (
        "from pathlib import Path\nimport module\n"
        "text = Path('data.txt').read_text() if Path('data.txt').exists() else 'none'\n"
        "there = Path('other.txt').exists()\nnames = sorted(p.name for p in Path('list').iterdir())"
    )
    show = "print(text, there, names, module.value)"
    run(first, "x = 1", show)
    run(first, "x = 2", show)
    run(first, "x = 3", show)
    assert resuming.resumed == 1
    if change == "content":
        (folder / "data.txt").write_text("two")
    elif change == "removed":
        (folder / "data.txt").unlink()
    elif change == "appears":
        (folder / "other.txt").touch()
    elif change == "listed":
        (folder / "list/new").touch()
    else:
        (folder / "module.py").write_text("value = 2\n")
    time.sleep(0.1)  # what has only just changed might not have been seen
    run(first, "x = 4", show)  # compared with a run from the beginning
    assert resuming.resumed == 1
    run(first, "x = 5", show)
    assert resuming.resumed == 2


def test_what_only_the_cells_after_look_at_may_change(
    run: Run, resuming: Resuming, folder: Path
) -> None:
    (folder / "data.txt").write_text("one")
    read = "from pathlib import Path; print(Path('data.txt').read_text())"
    run("x = 1", "y = 1", read)
    run("x = 1", "y = 2", read)
    (folder / "data.txt").write_text("two")
    assert run("x = 1", "y = 3", read) == "two\n"
    assert resuming.resumed == 1


def test_what_changed_while_they_ran_is_not_trusted(
    run: Run, resuming: Resuming, folder: Path
) -> None:
    path = folder / "data.txt"
    path.write_text("one")
    # by a process that is not the cells': it only looks as if
    read = f"text = open({os.fspath(path)!r}).read()"
    run(read, "x = 1")
    resuming.settle()
    path.write_text("two")
    assert run(read, "print(text)") == "two\n"
    assert resuming.resumed == 0


def test_what_a_later_cell_saw_changed_is_not_taken_for_what_an_earlier_one_saw(
    run: Run, resuming: Resuming, folder: Path
) -> None:
    resuming.seconds = 0.25
    data = folder / "data.txt"
    data.write_text("A")
    read = "from pathlib import Path; print(Path('data.txt').read_text())"
    change = (  # somebody else, while the cell runs
        f"import time; time.sleep(0.1); ctypes.CDLL(None).rename({os.fspath(folder / 'new')!r}."
        f"encode(), {os.fspath(data)!r}.encode())"
    )
    run(read, "x = 1", "import ctypes")
    run(read, "x = 2", "import ctypes")
    (folder / "new").write_text("B")
    slowly = f"import time; time.sleep(0.3)\n{read}"  # so that a copy is left behind it
    cells = [read, "x = 3; import ctypes", change, slowly, "y = 1"]
    made = [Cell(source, 1, i) for i, source in enumerate(cells)]
    way = Way(folder, LIMITS, [folder])
    assert printed(resuming.run(made, way, keep=True)) == "A\nB\n"
    data.write_text("A")
    time.sleep(0.1)
    made[-1] = Cell("y = 2", 1, 4)
    (folder / "new").write_text("A")
    assert printed(resuming.run(made, way, keep=True)) == "A\nA\n"


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_a_folder_that_was_exchanged_while_they_ran_is_noticed(
    resuming: Resuming, folder: Path, kind: str
) -> None:
    resuming.seconds = 0.25
    for name, text in (("one", "1"), ("two", "2")):
        (folder / name).mkdir()
        (folder / name / "x").write_text(text)
    current = folder / "current"
    if kind == "link":
        current.symlink_to("one")
    else:
        (folder / "one").rename(current)
    time.sleep(0.1)

    def exchange() -> None:
        if kind == "link":
            (folder / "new").symlink_to("two")
            (folder / "new").rename(current)
        else:
            current.rename(folder / "away")
            (folder / "two").rename(current)

    read = "from pathlib import Path; print(Path('current/x').read_text())"
    slow = "import time; time.sleep(0.6)"
    way = Way(folder, LIMITS, [folder])
    timer = threading.Timer(0.3, exchange)
    timer.start()
    first = [Cell(source, 1, i) for i, source in enumerate([read, slow, "x = 1"])]
    assert printed(resuming.run(first, way, keep=True)) == "1\n"
    timer.join()
    again = [*first[:2], Cell("x = 2", 1, 2)]
    assert printed(resuming.run(again, way, keep=True)) == "2\n"


def test_another_page_takes_the_place(run: Run, resuming: Resuming, folder: Path) -> None:
    for x in range(3):
        run("a = 1", f"print(a, {x})")
    before = processes_in(folder)
    assert before
    for x in range(3):
        run("b = 1", f"print(b, {x})")
    # but for the one before the first cell, which is as good for this page
    wait_for(lambda: len(before & processes_in(folder)) <= 1)


def test_a_run_that_is_not_kept_leaves_all_as_it_is(
    run: Run, resuming: Resuming, folder: Path
) -> None:
    for x in range(3):
        run("a = 1", f"print(a, {x})")
    before = processes_in(folder)
    run("b = 1", "print(b)", keep=False)
    assert processes_in(folder) == before
    assert run("a = 1", "print(a, 7)") == "1 7\n"
    assert resuming.resumed == 2


def test_only_so_many_wait_and_those_that_save_least_go(folder: Path) -> None:
    resuming = Resuming(most=3)
    way = Way(folder, LIMITS, [folder])
    sleeps = ["import time; time.sleep(0.15)"] * 5
    try:
        resuming.run([Cell(source, 1, i) for i, source in enumerate(sleeps)], way, keep=True)
        resuming.settle()
        wait_for(lambda: len(processes_in(folder)) == 3)
        cells = [Cell(source, 1, i) for i, source in enumerate([*sleeps, "print('end')"])]
        assert printed(resuming.run(cells, way, keep=False)) == "end\n"
        assert resuming.resumed == 1
    finally:
        resuming.close()
    wait_for(lambda: not processes_in(folder))


def test_copies_that_have_died_are_done_without(run: Run, resuming: Resuming, folder: Path) -> None:
    for x in range(3):
        run("a = 1", f"print(a, {x})")
    for pid in processes_in(folder):
        os.kill(pid, signal.SIGKILL)
    assert run("a = 1", "print(a, 9)") == "1 9\n"
    assert run("a = 1", "print(a, 10)") == "1 10\n"


def test_a_kitchen_keeps_copies_of_the_page_at_hand_and_takes_them_along(folder: Path) -> None:
    kitchen = Kitchen(idle=2.0)

    def run(*sources: str) -> str:
        cells = [Cell(source, 1, i) for i, source in enumerate(sources)]
        with kitchen.keeping():
            return printed(
                kitchen(cells, cwd=folder, limits=LIMITS, project_roots=[folder])
            ).splitlines()[0]

    try:
        run(COUNT, "x = 1")
        assert run(COUNT, "x = 2") == run(COUNT, "x = 3")
        assert processes_in(folder)
        wait_for(lambda: not processes_in(folder))  # nobody has asked for a while
        run(COUNT, "x = 4")
        assert run(COUNT, "x = 5") == run(COUNT, "x = 6")
        os.kill(kitchen._pid, signal.SIGKILL)
        wait_for(lambda: not processes_in(folder))
    finally:
        kitchen.close()


def test_a_kitchen_buries_its_dead(folder: Path) -> None:
    kitchen = Kitchen()
    try:
        for x in range(6):
            with kitchen.keeping():
                cells = [Cell("a = 1", 1, 0), Cell(f"b = {x}", 1, 1)]
                kitchen(cells, cwd=folder, limits=LIMITS, project_roots=[folder])
        time.sleep(0.3)
        with kitchen.keeping():
            kitchen([Cell("c = 1", 1, 0)], cwd=folder, limits=LIMITS, project_roots=[folder])
        wait_for(lambda: _dead(kitchen._pid) <= 2)  # those of the last run, until the next one
    finally:
        kitchen.close()


def _dead(pid: int) -> int:
    zombies = psutil.STATUS_ZOMBIE
    return sum(p.status() == zombies for p in psutil.Process(pid).children(recursive=True))

"""Whatever cells do, a run ends, says what happened, and leaves nothing behind."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from bookcode.execution import RunResult

Runner = Callable[..., RunResult]
Text = Callable[[RunResult], str]
MIB = 1 << 20


def descriptors() -> set[str]:
    folder = Path("/dev/fd")
    return {entry.name for entry in folder.iterdir()}


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    # other tests of the same run may keep servers of theirs: only what is new counts
    before = descriptors()
    others = set(psutil.Process().children(recursive=True))
    yield
    assert set(psutil.Process().children(recursive=True)) - others == set()
    assert len(descriptors()) == len(before)
    if not others:
        with pytest.raises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("x = 1\nwhile True: pass", 11),
        ("import time\ntime.sleep(100)", 11),
        ("def f():\n    while True:\n        pass\nf()", None),
        ("import subprocess\nsubprocess.run(['sleep', '100'])", 11),
        ("import asyncio\nawait asyncio.sleep(100)", None),
        ("import threading\nthreading.Event().wait()", 11),
    ],
)
def test_an_endless_cell_is_stopped_at_its_line(run: Runner, source: str, line: int | None) -> None:
    result = run("print('before')", "", source, seconds=0.25)
    failure = result.failure
    assert failure is not None
    assert (failure.kind, failure.cell_index, failure.cell_line) == ("timeout", 3, 30)
    assert failure.evalue == "the cells of this chapter took longer than 0.25 s"
    assert failure.line is None or 30 <= failure.line <= 33
    assert line is None or failure.line == line + 20
    assert result.outputs[0][0]["text"] == "before\n"
    assert result.seconds < 3


def test_what_an_endless_cell_printed_is_kept(run: Runner, text: Text) -> None:
    result = run("print('so far')\nwhile True: pass", seconds=0.2)
    assert text(result) == "so far\n"


def test_a_loop_in_c_is_ended_from_outside_and_its_line_still_known(run: Runner) -> None:
    result = run("x = 1\nsum(iter(int, 1))", seconds=0.2, grace=1.5)
    assert result.failure is not None
    assert (result.failure.kind, result.failure.line) == ("timeout", 11)
    assert result.seconds < 3


def test_the_time_to_get_ready_is_not_the_cells(
    run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bookcode.execution.shell import CellShell

    create = CellShell.create

    def slowly(*args: Any) -> CellShell:
        time.sleep(0.4)  # as on a machine that has other things to do
        return create(*args)

    monkeypatch.setattr(CellShell, "create", slowly)
    result = run("x = 1\nsum(iter(int, 1))", seconds=0.3, grace=1.5)
    assert result.failure is not None
    assert (result.failure.kind, result.failure.line) == ("timeout", 11)


def test_a_process_that_never_gets_ready_is_out_of_time(
    run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bookcode.execution.shell import CellShell

    def never(depth: int = 0) -> None:
        if depth < 40:  # deeper than what is kept of a stack
            never(depth + 1)
        time.sleep(100)

    monkeypatch.setattr(CellShell, "create", lambda *_: never())
    result = run("x = 1", seconds=0.1, grace=0.2)
    assert result.failure is not None
    assert (result.failure.kind, result.failure.line) == ("timeout", None)


def test_a_cell_that_swallows_everything_is_ended(run: Runner) -> None:
    source = """
        import faulthandler, signal
        faulthandler.cancel_dump_traceback_later()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        while True:
            try:
                while True: pass
            except BaseException: pass
        """
    result = run(source, seconds=0.2, grace=0.2)
    assert result.failure is not None
    assert (result.failure.kind, result.failure.line) == ("timeout", 16)


def test_a_cell_that_catches_the_limit_once_still_fails(run: Runner) -> None:
    source = "try:\n    while True: pass\nexcept BaseException:\n    print('caught')"
    result = run(source, "print('never')", seconds=0.2)
    assert result.failure is not None
    assert result.failure.kind == "timeout"
    assert result.execution_counts[1] is None


def test_a_cell_that_unsets_the_alarm_is_ended(run: Runner) -> None:
    source = "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0)\nwhile True: pass"
    result = run(source, seconds=0.2, grace=0.2)
    assert result.failure is not None
    assert (result.failure.kind, result.failure.line) == ("timeout", 12)


@pytest.mark.parametrize(
    "source",
    [
        "data = []\nwhile True: data.append(bytearray(1 << 24))",
        "x = 1\nbytearray(1 << 40)",
        "import numpy\nkept = numpy.ones(1 << 32)",
    ],
)
def test_a_memory_hog_is_stopped_at_its_line(run: Runner, source: str) -> None:
    result = run(source, memory=600 * MIB)
    assert result.failure is not None
    assert (result.failure.kind, result.failure.line) == ("memory", 11)
    assert result.failure.evalue == "the cells of this chapter took more than 600 MiB"


def test_a_memory_hog_may_not_be_meant(run: Runner) -> None:
    result = run("bytearray(1 << 40)", may_raise=True)
    assert result.failure is not None
    assert result.failure.kind == "memory"


@pytest.mark.parametrize(
    ("source", "line", "reason"),
    [
        ("import os\nos._exit(3)", None, "ended itself with status 3"),
        ("import os\nos._exit(0)", None, "ended itself with status 0"),
        ("import ctypes\nctypes.string_at(0)", 21, "ended by SIGSEGV"),
        ("import os\nos.abort()", 21, "ended by SIGABRT"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", None, "ended by SIGKILL"),
        ("import os\nos.closerange(3, 500)", None, "ended itself"),
    ],
)
def test_a_process_that_dies_is_reported_with_its_cell(
    run: Runner, source: str, line: int | None, reason: str
) -> None:
    result = run("print('before')", source, "print('never')")
    failure = result.failure
    assert failure is not None
    assert (failure.kind, failure.cell_index, failure.line) == ("died", 2, line)
    assert reason in failure.evalue
    assert result.outputs[0][0]["text"] == "before\n"
    assert result.outputs[2] == []


def test_death_is_seen_without_waitid(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "waitid")
    failure = run("import os\nos._exit(3)").failure
    assert failure is not None
    assert "status 3" in failure.evalue


def test_rubbish_in_the_pipe_is_reported(run: Runner) -> None:
    source = """
        import os, stat
        for descriptor in range(3, 100):
            try:
                if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                    os.write(descriptor, b"\\xff" * 64)
            except OSError:
                pass
        """
    failure = run(source).failure
    assert failure is not None
    assert failure.kind == "died"
    assert "wrote into the pipe" in failure.evalue


def test_a_grandchild_that_holds_the_pipe_does_not_hold_the_run(run: Runner, text: Text) -> None:
    source = "import os, time\nif os.fork() == 0:\n    time.sleep(60)\nprint('done')"
    started = time.monotonic()
    assert text(run(source)) == "done\n"
    assert time.monotonic() - started < 5


def test_a_grandchild_of_a_dead_process_does_not_hold_the_run(run: Runner) -> None:
    source = "import os, time\nif os.fork() == 0:\n    time.sleep(60)\nos._exit(4)"
    started = time.monotonic()
    failure = run(source).failure
    assert failure is not None
    assert "status 4" in failure.evalue
    assert time.monotonic() - started < 5


def test_a_grandchild_that_runs_on_says_nothing(run: Runner, text: Text) -> None:
    source = "import os\npid = os.fork()\nif pid:\n    os.waitpid(pid, 0)"
    assert text(run(source, "print('once')")) == "once\n"


def test_big_outputs_pass(run: Runner, text: Text) -> None:
    result = run("print('x' * 50_000_000, end='')")
    assert result.failure is None
    assert len(text(result)) == 50_000_000


def test_a_thread_that_goes_on_does_not_hold_the_run(run: Runner, text: Text) -> None:
    source = """
        import threading, time
        threading.Thread(target=time.sleep, args=(60,)).start()
        print("done")
        """
    result = run(source)
    assert text(result) == "done\n"
    assert result.seconds < 5


def test_forking_is_safe_beside_busy_threads(run: Runner, text: Text) -> None:
    import logging

    logger = logging.getLogger("busy")
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            logger.debug("x")
            time.sleep(0.0005)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        source = "import logging\nlogging.getLogger('busy').debug('y')\nprint(1)"
        results = [run(source) for _ in range(4)]
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert [text(result) for result in results] == ["1\n"] * 4


def test_runs_in_several_threads_do_not_disturb_each_other(run: Runner, text: Text) -> None:
    results: dict[int, str] = {}

    def one(number: int) -> None:
        results[number] = text(run(f"import time\ntime.sleep(0.1)\nprint({number})"))

    threads = [threading.Thread(target=one, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: f"{number}\n" for number in range(4)}


def test_an_interrupt_ends_the_child(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    from bookcode.execution.follow import Run

    def interrupted(self: Run, process: object, is_off: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Run, "follow", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run("import time\ntime.sleep(60)")

"""Runs that go on from a copy of an earlier one are as good as runs from the beginning."""

from __future__ import annotations

import os
import signal
import socket
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bookcode.execution.checkpoint import Checkpoint
from bookcode.execution.errors import CheckpointError, GivenUpError
from bookcode.execution.job import Keep, Way
from bookcode.execution.model import Cell, Limits, RunResult
from bookcode.execution.runner import Outcome, can_fork, run_on

from ..processes import processes_in, wait_for

if can_fork():
    from bookcode.execution.alone import can_tell

    pytestmark = pytest.mark.skipif(not can_tell(), reason="needs /proc")
else:
    pytestmark = pytest.mark.skip(reason="needs processes that fork")

EVERYWHERE = Keep(frozenset(range(20)), seconds=60)


class Runs:
    """Runs cells in one way, and sees that no copy outlives its test."""

    def __init__(self, project: Path) -> None:
        self.way = Way(project, Limits(30, 1 << 30), [project])
        self.kept: list[Checkpoint] = []

    def __call__(
        self, *sources: str, keep: Keep | None = None, start: Checkpoint | None = None
    ) -> Outcome:
        cells = [Cell(textwrap.dedent(s).strip("\n"), 10 * n, n) for n, s in enumerate(sources, 1)]
        outcome = run_on(cells, self.way, keep, start)
        self.kept += outcome.kept
        return outcome

    def result(self, *sources: str) -> RunResult:
        return self(*sources).result

    def close(self) -> None:
        for checkpoint in self.kept:
            checkpoint.close()


@pytest.fixture
def runs(project: Path) -> Iterator[Runs]:
    made = Runs(project)
    yield made
    made.close()


def positions(outcome: Outcome) -> list[int]:
    return [checkpoint.position for checkpoint in outcome.kept]


def printed(result: RunResult) -> str:
    assert result.failure is None, result.failure
    return "".join(o.get("text", "") for outputs in result.outputs for o in outputs)


# the same as from the beginning -------------------------------------------------------------------
PIECES = [
    "import random; x = random.random(); print(x)",
    "import numpy; print(numpy.random.random())",
    "n = globals().get('n', 0) + 1; n",
    "print(_i, In[-1], Out)",
    "lines = globals().get('lines') or open('data.txt', 'rb', buffering=0); print(lines.read(3))",
    "from pathlib import Path; print(Path('data.txt').read_text())",
    "import module; module.count += 1; print(module.count)",
    "from pathlib import Path; print(Path('missing.txt').exists())",
    "from IPython.display import display; handle = display('shown', display_id='one')",
    "from IPython.display import update_display; update_display(f'again {n}', display_id='one')"
    " if 'n' in globals() else None",
    "import matplotlib.pyplot as plt; _ = plt.plot([1, 2]); plt.show()",
    "import os; os.environ['N'] = os.environ.get('N', '') + 'n'; print(os.environ['N'])",
    "import warnings; warnings.warn('so')",
    "import os; os.write(1, b'raw'); print('cooked')",
    "import sys; sys.path.append('/more'); print(sys.path[1:])",
    "1 / 0",
]
PROGRAMS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6)


@settings(
    max_examples=int(os.environ.get("BOOKCODE_EXAMPLES", "15")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(program=PROGRAMS, tail=PROGRAMS, data=st.data())
def test_what_goes_on_gives_what_a_run_from_the_beginning_gives(
    project: Path, program: list[str], tail: list[str], data: st.DataObject
) -> None:
    (project / "data.txt").write_text("abcdefghijklmnopqrstuvwxyz")
    (project / "module.py").write_text("count = 0\n")
    runs = Runs(project)
    try:
        first = runs(*program, keep=EVERYWHERE)
        assert first.result == runs.result(*program)
        assert positions(first)[0] == 0
        start = data.draw(st.sampled_from(first.kept))
        edited = [*program[: start.position], *tail]
        clean = runs.result(*edited)
        second = runs(*edited, keep=EVERYWHERE, start=start)
        assert second.result == clean
        # the copy is as good as before, and so are those that are left on the way
        assert runs(*edited, start=start).result == clean
        for later in second.kept:
            assert runs(*edited, start=later).result == clean
    finally:
        runs.close()


def test_every_copy_of_a_long_run_will_do(runs: Runs) -> None:
    sources = [f"x{n} = {n}; print(x{n})" for n in range(6)]
    outcome = runs(*sources, keep=EVERYWHERE)
    assert positions(outcome) == [0, 1, 2, 3, 4, 5, 6]
    for checkpoint in outcome.kept:
        new = [
            *sources[: checkpoint.position],
            "print(sorted(k for k in globals() if k[0] == 'x'))",
        ]
        there = [f"x{n}" for n in range(checkpoint.position)]
        assert printed(runs(*new, start=checkpoint).result).endswith(f"{there}\n")


def test_copies_are_left_after_some_time(runs: Runs) -> None:
    sources = ["pass", "import time; time.sleep(1.2)", "pass", "pass"]
    outcome = runs(*sources, keep=Keep(seconds=1.0))
    assert positions(outcome) == [2]
    assert 1.2 <= outcome.kept[0].seconds < 5


def test_without_a_wish_there_are_no_copies(runs: Runs) -> None:
    assert runs("x = 1", "import time; time.sleep(0.2)", "x").kept == []


def test_the_time_of_the_cells_before_counts(project: Path) -> None:
    runs = Runs(project)
    runs.way = Way(project, Limits(3.0, 1 << 30), [project])
    try:
        slow = "import time; time.sleep(1.5)"
        (start,) = runs(slow, "pass", keep=Keep(frozenset({1}), 60)).kept
        failure = runs(slow, "\ntime.sleep(2)", start=start).result.failure
        assert failure is not None
        assert (failure.kind, failure.cell_index, failure.line) == ("timeout", 2, 20)
        assert runs(slow, "print(1)", start=start).result.failure is None
    finally:
        runs.close()


def test_a_failure_says_where_in_the_chapter_as_it_is_now(runs: Runs) -> None:
    (start,) = runs("x = 1", "x", keep=Keep(frozenset({1}), 60)).kept
    cells = [Cell("x = 1", 7, 0), Cell("y = 2\n1 / 0", 19, 1)]
    failure = run_on(cells, runs.way, start=start).result.failure
    assert failure is not None
    assert (failure.kind, failure.cell_line, failure.line) == ("error", 19, 20)


def test_death_is_seen_from_afar(runs: Runs) -> None:
    (start,) = runs("x = 1", keep=Keep(frozenset({1}), 60)).kept
    for source, said in (
        ("import os; os._exit(5)", "status 5"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
    ):
        failure = runs("x = 1", source, start=start).result.failure
        assert failure is not None
        assert failure.kind == "died"
        assert said in failure.evalue
    assert printed(runs("x = 1", "print(x)", start=start).result) == "1\n"


# where no copy can be had -------------------------------------------------------------------------
@pytest.mark.parametrize(
    "source",
    [
        "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()",
        "import subprocess; child = subprocess.Popen(['sleep', '60'])",
        "import os; pid = os.fork()\nif pid == 0: os._exit(0)\n_ = os.waitpid(pid, 0)",
        "import os; pipe = os.pipe()",
        "import socket; pair = socket.socketpair()",
        "stream = open('written.txt', 'w')",
        "with open('written.txt', 'w') as stream: _ = stream.write('x')",
        "import os; os.mkdir('folder')",
        "import os; os.rename('data.txt', 'other.txt')",
        "import os; os.utime('data.txt')",
        "import tempfile; folder = tempfile.mkdtemp()",
        "import mmap; shared = mmap.mmap(-1, 4096)",
        "import sqlite3; sqlite3.connect(':memory:').close()",
        "import asyncio; loop = asyncio.new_event_loop()",
        "import os; folder = os.open('.', os.O_RDONLY)",
        "import os; path = os.open('data.txt', os.O_PATH)",
        "status = open('/proc/self/status')",
        "import fcntl; locked = open('data.txt'); fcntl.flock(locked, fcntl.LOCK_EX)",
        "import os; os.mkfifo('pipe')",
        "import os; os.register_at_fork(after_in_child=print)",
        "import os; os.close(1)",
        "import signal; _ = signal.alarm(0)",
        "import signal; _ = signal.signal(signal.SIGALRM, lambda *given: None)",
        "import signal; _ = signal.setitimer(signal.ITIMER_VIRTUAL, 100)",
        "import signal; blocked = [signal.SIGUSR2]\n"
        "_ = signal.pthread_sigmask(signal.SIG_BLOCK, blocked); signal.raise_signal(*blocked)",
        "import resource as r; _, hard = r.getrlimit(r.RLIMIT_CPU)\n"
        "r.setrlimit(r.RLIMIT_CPU, (1000, hard))",
    ],
)
def test_no_copy_is_left_of_what_it_would_lack_or_share(
    runs: Runs, project: Path, source: str
) -> None:
    (project / "data.txt").write_text("data")
    outcome = runs("x = 1", source, "x", keep=EVERYWHERE)
    assert outcome.result.failure is None
    assert positions(outcome) == [0, 1]


def test_the_cells_see_no_child_of_theirs(runs: Runs) -> None:
    handler = "import os, signal; n = []; _ = signal.signal(signal.SIGCHLD, lambda *g: n.append(1))"
    wait = "try: os.wait()\nexcept ChildProcessError: print('none', n)"
    outcome = runs(handler, "x = 1", wait, keep=EVERYWHERE)
    assert positions(outcome) == [0, 1, 2, 3]
    assert printed(outcome.result) == "none []\n"
    assert printed(runs(handler, "x = 1", wait, start=outcome.kept[2]).result) == "none []\n"


def test_names_that_cells_have_spoilt_spoil_no_run(runs: Runs) -> None:
    spoil = "import random, socket\nrandom.getstate = socket.socketpair = socket.socket = None"
    outcome = runs(spoil, "print(1)", keep=EVERYWHERE)
    assert printed(outcome.result) == "1\n"
    assert positions(outcome) == [0]


def test_what_goes_on_is_in_the_folder_of_that_name(runs: Runs, project: Path) -> None:
    folder = project / "folder"
    folder.mkdir()
    sources = ["import os; os.chdir('folder')", "print(open('x').read())"]
    (start,) = runs(sources[0], keep=Keep(frozenset({1}), 60)).kept
    folder.rmdir()
    folder.mkdir()
    (folder / "x").write_text("new")
    assert printed(runs(*sources, start=start).result) == "new\n"
    (folder / "x").unlink()
    folder.rmdir()
    with pytest.raises(CheckpointError):
        runs(*sources, start=start)


def test_times_go_on_where_they_were(runs: Runs) -> None:
    (start,) = runs("x = 1", keep=Keep(frozenset({1}), 60)).kept
    time.sleep(0.7)
    (later,) = runs("x = 1", "x", start=start, keep=Keep(frozenset({2}), 60)).kept
    assert start.seconds <= later.seconds < start.seconds + 0.6


def test_a_thread_that_has_ended_is_no_obstacle(runs: Runs) -> None:
    source = "import threading; t = threading.Thread(target=int); t.start(); t.join()"
    assert positions(runs("x = 1", source, "x", keep=EVERYWHERE)) == [0, 1, 2, 3]


def test_a_copy_that_cannot_be_had_does_not_fail_the_run(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = socket.socketpair, list[int]()

    def first_only() -> object:
        calls.append(1)
        if len(calls) > 1:  # the run's own
            raise OSError("too many open files")
        return real()

    monkeypatch.setattr(socket, "socketpair", first_only)
    outcome = runs("print(1)", keep=EVERYWHERE)
    assert printed(outcome.result) == "1\n"
    assert outcome.kept == []


# nothing is left ----------------------------------------------------------------------------------
def test_copies_wait_and_end_when_they_are_let_go(runs: Runs, project: Path) -> None:
    kept = runs("x = 1", "x", keep=EVERYWHERE).kept
    assert len(processes_in(project)) == 3
    assert not any(checkpoint.scratch.exists() for checkpoint in kept)
    for checkpoint in kept:
        checkpoint.close()
    wait_for(lambda: not processes_in(project))


def test_a_copy_that_has_died_says_so(runs: Runs, project: Path) -> None:
    (start,) = runs("x = 1", keep=Keep(frozenset({1}), 60)).kept
    (pid,) = processes_in(project)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(CheckpointError):
        runs("x = 1", "print(x)", start=start)
    assert not start.is_sound
    assert not start.scratch.exists()


def test_a_copy_that_dies_during_a_run_says_so(runs: Runs, project: Path) -> None:
    (start,) = runs("x = 1", keep=Keep(frozenset({1}), 60)).kept
    (pid,) = processes_in(project)
    killer = threading.Timer(0.3, os.kill, (pid, signal.SIGKILL))
    killer.start()
    with pytest.raises(CheckpointError):
        runs("x = 1", "import time; time.sleep(2)", start=start)
    killer.join()
    wait_for(lambda: not processes_in(project))


def test_a_copy_that_does_not_answer_is_not_waited_for(
    runs: Runs, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bookcode.execution import checkpoint

    monkeypatch.setattr(checkpoint, "_ANSWER_SECONDS", 0.3)
    (start,) = runs("x = 1", keep=Keep(frozenset({1}), 60)).kept
    (pid,) = processes_in(project)
    os.kill(pid, signal.SIGSTOP)
    try:
        for size in (1, 3_000_000):
            began = time.monotonic()
            with pytest.raises(CheckpointError):
                runs("x = 1", f"x = {'1' * size!r}", start=start)
            assert time.monotonic() - began < 5
    finally:
        os.kill(pid, signal.SIGKILL)


def test_a_run_that_is_off_ends(runs: Runs, project: Path) -> None:
    (start,) = runs("x = 1", keep=Keep(frozenset({1}), 60)).kept
    cells = [Cell("x = 1", 1, 0), Cell("import time; time.sleep(60)", 1, 1)]
    began = time.monotonic()
    for place in (None, start):
        with pytest.raises(GivenUpError):
            run_on(cells, runs.way, None, place, is_off=lambda: time.monotonic() - began > 0.3)
    assert len(processes_in(project)) == 1
    assert printed(runs("x = 1", "print(x)", start=start).result) == "1\n"


def test_what_goes_on_is_ended_with_all_that_it_started(runs: Runs, project: Path) -> None:
    (start,) = runs("x = 1", keep=Keep(frozenset({1}), 60)).kept
    source = "import subprocess; child = subprocess.Popen(['sleep', '60'])"
    assert runs("x = 1", source, start=start).result.failure is None
    assert start.is_sound
    assert len(processes_in(project)) == 1


def test_an_interrupt_ends_what_goes_on(
    runs: Runs, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bookcode.execution.follow import Run

    (start,) = runs("x = 1", keep=Keep(frozenset({1}), 60)).kept

    def interrupted(self: Run, process: object, is_off: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Run, "follow", interrupted)
        with pytest.raises(KeyboardInterrupt):
            runs("x = 1", "import time; time.sleep(60)", start=start)
    assert len(processes_in(project)) == 1
    assert printed(runs("x = 1", "print(x)", start=start).result) == "1\n"

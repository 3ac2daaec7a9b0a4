"""Runs a chapter's cells in a forked copy of this process.

A fresh Jupyter kernel spends most of a chapter's time on imports; a fork of a process that has
them already starts at once, and nothing a cell does comes back except its outputs.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bookcode.execution.checkpoint import Checkpoint
from bookcode.execution.compiled import keep_compiled
from bookcode.execution.errors import CheckpointError, ForkError
from bookcode.execution.follow import Forked, Run
from bookcode.execution.job import GRACE_SECONDS, Job, Keep, Way
from bookcode.execution.model import Cell, Failure, FailureKind, Limits, RunResult
from bookcode.execution.scope import Scope

__all__ = [
    "PRELOAD",
    "Cell",
    "Failure",
    "FailureKind",
    "Limits",
    "RunResult",
    "can_fork",
    "preload",
    "run_cells",
]

_NEEDED = ("IPython.core.interactiveshell", "bookcode.execution.child")
_USEFUL = (
    "IPython.core.completer",  # every shell makes one
    "IPython.core.debugger",  # IPython imports these two when a cell fails
    "stack_data",
    "numpy.random",
    "matplotlib.pyplot",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg",
    "matplotlib_inline.backend_inline",
    "PIL.PngImagePlugin",
)

PRELOAD: Final = "BOOKCODE_PRELOAD"
"""Environment variable of a run: names of further modules to import first, separated by blanks."""


def can_fork() -> bool:
    """Whether this platform can run cells this way."""
    return hasattr(os, "fork")


def preload(*also: str) -> None:
    """Import what cells usually need, and ``also`` other modules, once, before anything is forked.

    Call it in the process that forks Sphinx's readers, or each of them does it again. The
    project's own modules are left out: cells must see them as they are now.
    """
    for name in _NEEDED:
        importlib.import_module(name)
    for name in (*_USEFUL, *also):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    with contextlib.suppress(ImportError):
        registry = importlib.import_module("matplotlib.backends.registry")
        registry.backend_registry.list_all()  # reads every distribution's entry points, once


def run_cells(
    cells: Sequence[Cell],
    *,
    cwd: Path,
    limits: Limits,
    project_roots: Sequence[Path],
    env: Mapping[str, str] | None = None,
    exclude: Sequence[Path] = (),
    grace: float = GRACE_SECONDS,
) -> RunResult:
    """Run the cells in order, in one namespace, until the end or the first failure.

    :param cwd: the folder the cells run in; it is also the first place they import from.
    :param limits: for all cells together.
    :param project_roots: files below these folders are dependencies.
    :param env: environment variables on top of this process's own; see also :data:`PRELOAD`.
    :param exclude: output folders below the roots, which are no dependencies.
    :param grace: seconds between the time limit and the end of a process that ignores it.
    :raises ForkError: where processes cannot be forked.
    :raises OSError: when no process or no scratch folder can be had.
    """
    way = Way(cwd, limits, tuple(project_roots), dict(env or {}), tuple(exclude), grace)
    result = run_on(cells, way).result
    learn_from(result)
    return result


def learn_from(result: RunResult) -> None:
    """Compile what a run has read, once for all that run next: they need much the same."""
    if result.dependencies is not None:
        keep_compiled(result.dependencies.files)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run, and the copies of it that wait: they are the caller's to close."""

    result: RunResult
    kept: Sequence[Checkpoint] = ()


def run_on(
    cells: Sequence[Cell],
    way: Way,
    keep: Keep | None = None,
    start: Checkpoint | None = None,
    is_off: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Run the cells as :func:`run_cells` does, and leave copies behind, or go on from one.

    :param keep: where to leave copies.
    :param start: a copy that an earlier run in the same way left, with the same cells before it.
    :param is_off: asked often during the run; whether nobody wants it any more.
    :raises CheckpointError: when the copy does not go on: begin at the first cell.
    :raises GivenUpError: when nobody wanted the run any more.
    """
    if not can_fork():
        raise ForkError("this platform cannot fork a process; use an ordinary kernel")
    preload(*way.env.get(PRELOAD, "").split())
    started = time.monotonic()
    scope = Scope(way.project_roots, way.exclude)
    with _scratch(start) as scratch:
        job = Job(tuple(cells), way, scope, scratch, keep)
        run = Run(job, start)
        try:
            if start is not None:
                job.trace_log.write_bytes(start.seen)
            with _forked(job) if start is None else start.going_on(job) as process:
                run.follow(process, is_off)
            if start is not None and not run.has_begun:
                raise CheckpointError
            result = run.result(time.monotonic() - started)
        except BaseException:
            for checkpoint in run.kept:
                checkpoint.close()
            raise
    return Outcome(result, run.kept)


@contextlib.contextmanager
def _scratch(start: Checkpoint | None) -> Iterator[Path]:
    """A folder for a run; what goes on from a copy knows its folder by name."""
    if start is None:
        with tempfile.TemporaryDirectory(prefix="cells-", ignore_cleanup_errors=True) as folder:
            yield Path(folder)
        return
    try:
        start.scratch.mkdir(0o700)
    except OSError as error:
        raise CheckpointError from error
    try:
        yield start.scratch
    finally:
        shutil.rmtree(start.scratch, ignore_errors=True)


@contextlib.contextmanager
def _forked(job: Job) -> Iterator[Forked]:
    """The child; it does not outlive the block."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()  # or the child holds a copy of what is still to be written
    pipe, theirs = socket.socketpair()
    with pipe:
        with theirs:
            pid = _fork(job, pipe, theirs)
        try:
            yield Forked(pid, pipe)
        finally:
            _end(pid)


def _fork(job: Job, ours: socket.socket, theirs: socket.socket) -> int:
    with warnings.catch_warnings():
        # newer Pythons warn of threads; the child touches none of theirs
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        try:
            from bookcode.execution.child import run_child

            ours.close()
            run_child(job, theirs.detach())
        finally:  # never back into the parent's code
            os._exit(70)
    with contextlib.suppress(OSError):
        os.setpgid(pid, pid)  # both sides do it: neither knows who is first
    return pid


def _end(pid: int) -> None:
    """End the child, whatever it started, and leave no zombie."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(OSError):
            kill(pid, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)

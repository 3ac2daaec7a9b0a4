"""A process that runs cells for the builder: it has imported what they need, and forks.

The builder itself then need not hold numpy and matplotlib. The process is forked from the builder
when the first run is asked for, and ends itself after a while without one. It goes on from where a
page at hand was edited (:mod:`bookcode.live.resuming`).
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from bookcode.execution import objects
from bookcode.execution.errors import ForkError, GivenUpError
from bookcode.execution.job import Way
from bookcode.execution.model import Cell, Limits, RunResult
from bookcode.live.errors import LiveError

if TYPE_CHECKING:
    from bookcode.live.resuming import Resuming

IDLE_SECONDS = 120.0
_AGAIN_SECONDS = 0.05
_SET_CHILD_SUBREAPER = 36


class KitchenError(LiveError):
    """The process that runs cells ended without an answer."""


class Interrupted(BaseException):
    """A run was given up for something more urgent; no Exception, lest a page catch it."""


class Kitchen:
    """A runner of cells in a process of its own.

    :param interrupted: asked with the running cells whenever ``wake`` has something to read;
        whether to give the run up.
    :param wake: a descriptor to watch during a run.
    :param idle: seconds after which the process ends itself.
    :param private: descriptors that the process must not keep open.
    """

    def __init__(
        self,
        interrupted: Callable[[Sequence[Cell]], bool] | None = None,
        wake: int | None = None,
        idle: float = IDLE_SECONDS,
        private: Sequence[int] = (),
    ) -> None:
        self._interrupted = interrupted
        self._wake = wake
        self._idle = idle
        self._private = private
        self._pid = 0
        self._socket: socket.socket | None = None
        self._lifeline = -1
        self._keep = False

    @contextlib.contextmanager
    def keeping(self) -> Iterator[None]:
        """Runs in this block are of the page at hand: copies of them wait for the next edit."""
        self._keep = True
        try:
            yield
        finally:
            self._keep = False

    def __call__(
        self,
        cells: Sequence[Cell],
        *,
        cwd: Path,
        limits: Limits,
        project_roots: Sequence[Path],
        env: Mapping[str, str] | None = None,
        exclude: Sequence[Path] = (),
    ) -> RunResult:
        """Run the cells.

        :raises Interrupted: when the run was given up.
        :raises KitchenError: when the process died twice over this run.
        :raises OSError: when no process can be had.
        """
        way = Way(cwd, limits, list(project_roots), dict(env or {}), list(exclude))
        job = {"cells": list(cells), "way": way, "keep": self._keep}
        for _ in range(2):  # it may have ended itself a moment ago
            self.start()
            with contextlib.suppress(ConnectionError, EOFError):
                return self._ask(job, cells)
            self.close()
        raise KitchenError("the process that runs cells ended without an answer")

    def start(self) -> None:
        """Have the process ready."""
        if self._socket is not None and not _is_closed(self._socket):
            return
        self.close()
        ours, theirs = socket.socketpair()
        kept, lifeline = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                ours.close()
                for descriptor in (lifeline, *self._private):
                    os.close(descriptor)
                _serve(theirs, kept, self._idle)
            finally:
                os._exit(70)
        theirs.close()
        os.close(kept)
        self._pid, self._socket, self._lifeline = pid, ours, lifeline

    def close(self) -> None:
        """End the process."""
        if self._socket is None:
            return
        self._socket.close()
        os.close(self._lifeline)
        with contextlib.suppress(OSError):
            os.kill(self._pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._pid, 0)
        self._socket, self._pid, self._lifeline = None, 0, -1

    def _ask(self, job: Mapping[str, Any], cells: Sequence[Cell]) -> RunResult:
        assert self._socket is not None
        objects.send(self._socket, job)
        watched: list[Any] = [self._socket, *([] if self._wake is None else [self._wake])]
        while True:
            ready, _, _ = select.select(watched, [], [])
            if self._socket in ready:
                answer = objects.receive(self._socket)
                break
            if self._interrupted is not None and self._interrupted(cells):
                answer = self._give_up()
                break
            watched = watched[:1]  # what woke us may wait
        if isinstance(answer, RunResult):
            return answer
        raise answer

    def _give_up(self) -> RunResult:
        """End the run; its result, if that was just ready."""
        assert self._socket is not None
        ready: list[Any] = []
        while not ready:  # one that comes before the run has begun says nothing
            os.kill(self._pid, signal.SIGUSR1)
            ready, _, _ = select.select([self._socket], [], [], _AGAIN_SECONDS)
        try:
            answer = objects.receive(self._socket)
        except (ConnectionError, EOFError):  # hit between two instructions of its own
            self.close()
            raise Interrupted from None
        if not isinstance(answer, RunResult):
            raise Interrupted
        return answer


def _is_closed(connection: socket.socket) -> bool:
    """Whether the other side is gone: it never speaks unasked."""
    ready, _, _ = select.select([connection], [], [], 0)
    return bool(ready)


# in the other process -----------------------------------------------------------------------------
def _serve(connection: socket.socket, lifeline: int, idle: float) -> NoReturn:
    """Answer until nobody asks any more."""
    from bookcode.execution.runner import preload
    from bookcode.live.resuming import Resuming

    gc.freeze()  # the builder's objects are not ours to finalize
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGUSR1, _forget_it)
    threading.Thread(target=_end_with_builder, args=(lifeline,), daemon=True).start()
    _adopt()
    preload()
    resuming = Resuming(is_off=lambda: _given_up)
    while select.select([connection], [], [], idle)[0]:
        try:
            job = objects.receive(connection)
        except (EOFError, ConnectionError):
            break
        objects.send(connection, _answer(resuming, job))
        resuming.settle()
        _bury()
    resuming.close()
    os._exit(0)


_given_up = False


def _answer(resuming: Resuming, job: Mapping[str, Any]) -> RunResult | Exception:
    global _given_up
    _given_up = False
    try:
        return resuming.run(**job)
    except GivenUpError as error:
        return KitchenError(str(error))
    except (OSError, ForkError) as error:
        return error


def _adopt() -> None:
    """Become the parent of copies whose own has ended, or whoever is process 1 has to bury them."""
    import ctypes  # numpy needs it anyway, the builder does not

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _bury() -> None:
    """Take note of children that have ended. None is still asked about."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _forget_it(signum: int, frame: FrameType | None) -> None:
    global _given_up
    _given_up = True  # the run looks often: nothing is raised between two instructions


def _end_with_builder(lifeline: int) -> None:
    """End this process when the builder is gone, also in the middle of a run."""
    os.read(lifeline, 1)
    os._exit(0)

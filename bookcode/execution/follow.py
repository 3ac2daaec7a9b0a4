"""Follows a process that runs cells from outside: its messages, and what became of it."""

from __future__ import annotations

import os
import re
import select
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from bookcode.execution.channel import Decoder, Message
from bookcode.execution.checkpoint import Checkpoint
from bookcode.execution.errors import GivenUpError
from bookcode.execution.job import Job
from bookcode.execution.model import Failure, FailureKind, Output, RunResult
from bookcode.execution.trace import read_log

_POLL_SECONDS = 0.05
_CHUNK = 1 << 20
_MOST_DESCRIPTORS = 16
_TAIL = 15
_FAULT_LINE = re.compile(r'^  File "<cell-\d+>\.py", line (\d+)', re.MULTILINE)


class Running(Protocol):
    """A process that runs cells."""

    @property
    def pipe(self) -> socket.socket:
        """Where it reports."""

    def exit_status(self) -> int | None:
        """How it ended, negative for a signal; None while it runs."""


@dataclass(frozen=True, slots=True)
class Forked:
    """A process that this one has forked."""

    pid: int
    pipe: socket.socket

    def exit_status(self) -> int | None:
        """How it ended, negative for a signal; None while it runs."""
        return _exit_status(self.pid)


class Run:
    """What the parent knows of a run so far.

    :param start: the copy of an earlier run from which this one goes on.
    """

    def __init__(self, job: Job, start: Checkpoint | None = None) -> None:
        self._job = job
        self._outputs: list[list[Output]] = [[] for _ in job.cells]
        self._counts: list[int | None] = [None] * len(job.cells)
        self._failure: Failure | None = None
        self._running = 0
        self._done = False
        self._descriptors: list[int] = []
        self.has_begun = False
        self.kept: list[Checkpoint] = []
        if start is not None:
            self._running = min(start.position, len(job.cells) - 1)
            self._outputs[: start.position] = map(list, start.outputs)
            self._counts[: start.position] = start.counts

    def follow(self, process: Running, is_off: Callable[[], bool] = lambda: False) -> None:
        """Take the process's messages until it is done, dead, or out of time.

        :raises GivenUpError: when the run is off before that.
        """
        allowed = self._job.way.limits.seconds + 2 * self._job.way.grace
        deadline = time.monotonic() + allowed
        decoder = Decoder()
        is_open = True
        try:
            while not self._done and not decoder.broken:
                if is_off():
                    raise GivenUpError
                left = deadline - time.monotonic()
                if left <= 0:
                    self._note_overrun()
                    return
                status = process.exit_status()
                wait = 0 if status is not None else min(left, _POLL_SECONDS)
                data = self._read(process.pipe if is_open else None, wait)
                is_open = is_open and data != b""
                for message in decoder.feed(data or b""):
                    if not self.has_begun:  # the time to get ready is not the cells'
                        self.has_begun, deadline = True, time.monotonic() + allowed
                    self._take(message)
                if status is not None and not data:
                    self._note_death(status)
                    return
            if decoder.broken:
                self._note_death(None)
        finally:
            for descriptor in self._descriptors:
                os.close(descriptor)

    def result(self, seconds: float) -> RunResult:
        """What there is to hand back; the process must have ended."""
        dependencies = read_log(self._log(), self._job.scope)
        return RunResult(self._outputs, self._counts, self._failure, dependencies, seconds)

    def _log(self) -> bytes:
        try:
            return self._job.trace_log.read_bytes()
        except FileNotFoundError:  # it ended before the first cell
            return b""

    def _read(self, pipe: socket.socket | None, wait: float) -> bytes | None:
        """What has come: None for nothing yet, empty when the other end is closed."""
        ready, _, _ = select.select([] if pipe is None else [pipe], [], [], wait)
        if pipe is None or not ready:
            return None
        try:
            data, found, _, _ = socket.recv_fds(pipe, _CHUNK, _MOST_DESCRIPTORS)
        except ConnectionResetError:  # it ended with something unread
            return b""
        self._descriptors += found
        return data

    def _keep(self, position: int, message: Message) -> None:
        """Note the copy that waits before a cell; its descriptor has come with the message."""
        if not self._descriptors:
            return
        self.kept.append(
            Checkpoint(
                position,
                list(map(list, self._outputs[:position])),
                self._counts[:position],
                message["seconds"],
                self._log()[: message["log"]],
                self._job.scratch,
                socket.socket(fileno=self._descriptors.pop(0)),
            )
        )

    def _take(self, message: Message) -> None:
        kind, position = message.get("kind"), message.get("cell", 0)
        if kind == "start":
            self._running = position
        elif kind == "cell":
            self._outputs[position] = message["outputs"]
            self._counts[position] = message["count"]
        elif kind == "update":
            self._outputs[position][message["position"]] = message["output"]
        elif kind == "failure":
            self._fail(
                message["what"],
                message["ename"],
                message["evalue"],
                line=message["line"],
                traceback=message["traceback"],
            )
        elif kind == "kept":
            self._keep(position, message)
        elif kind == "done":
            self._done = True

    def _note_overrun(self) -> None:
        """The child did not come back from its limit, nor did its own watchdog end it."""
        seconds = self._job.way.limits.seconds
        text = f"the cells of this chapter took longer than {seconds:g} s"
        line, lines = self._fault()
        self._fail("timeout", "TimeoutError", text, line=line, traceback=lines)

    def _note_death(self, status: int | None) -> None:
        line, lines = self._fault()
        if lines and lines[0].startswith("Timeout"):
            self._note_overrun()
            return
        if status is None:
            text = "the cell wrote into the pipe that reports its outputs"
        elif status < 0:
            text = f"the process was ended by {_signal_name(-status)}"
        else:
            text = f"the process ended itself with status {status}"
        self._fail("died", "ProcessDied", text, line=line, traceback=lines)

    def _fail(
        self,
        kind: FailureKind,
        ename: str,
        evalue: str,
        *,
        line: int | None,
        traceback: list[str],
    ) -> None:
        if self._failure is not None or not self._job.cells:
            return  # the first one is the cause
        cell = self._job.cells[self._running]
        self._failure = Failure(cell.index, cell.line, line, kind, ename, evalue, traceback)

    def _fault(self) -> tuple[int | None, list[str]]:
        """The chapter line and the stack that the interpreter wrote when it was ended."""
        try:
            text = self._job.fault_log.read_text("utf-8", "replace")
        except OSError:
            return None, []
        place = _FAULT_LINE.search(text)
        if place is None:
            lines = text.splitlines()
            return None, lines[:1] + lines[1:][-_TAIL:]  # the first says why it was written
        line = self._job.cells[self._running].line + int(place[1]) - 1
        return line, text[: place.end()].splitlines()


def _exit_status(pid: int) -> int | None:
    """The exit status, negative for a signal; None while the process runs."""
    if not hasattr(os, "waitid"):  # it alone leaves the process id taken until `_end`
        ended, status = os.waitpid(pid, os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if ended else None
    try:
        state = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return 0  # somebody else has reaped it
    if state is None:
        return None
    return state.si_status if state.si_code == os.CLD_EXITED else -state.si_status


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"

"""Follows a forked process from outside: takes its messages, and tells what became of it."""

from __future__ import annotations

import os
import re
import select
import signal
import time

from bookcode.execution.channel import Decoder, Message
from bookcode.execution.job import Job
from bookcode.execution.model import Failure, FailureKind, Output, RunResult
from bookcode.execution.trace import read_log

_POLL_SECONDS = 0.05
_CHUNK = 1 << 20
_TAIL = 15
_FAULT_LINE = re.compile(r'^  File "<cell-\d+>\.py", line (\d+)', re.MULTILINE)


class Run:
    """What the parent knows of a run so far."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._outputs: list[list[Output]] = [[] for _ in job.cells]
        self._counts: list[int | None] = [None] * len(job.cells)
        self._failure: Failure | None = None
        self._running = 0
        self._done = False

    def follow(self, pid: int, pipe: int) -> None:
        """Take the child's messages until it is done, dead, or out of time."""
        allowed = self._job.limits.seconds + 2 * self._job.grace
        deadline = time.monotonic() + allowed
        decoder = Decoder()
        open_pipe, ready = True, False
        while not self._done and not decoder.broken:
            left = deadline - time.monotonic()
            if left <= 0:
                self._note_overrun()
                return
            status = _exit_status(pid)
            wait = 0 if status is not None else min(left, _POLL_SECONDS)
            data = _read([pipe] if open_pipe else [], wait)
            open_pipe = open_pipe and data != b""
            for message in decoder.feed(data or b""):
                if not ready:  # the time to get ready is not the cells'
                    ready, deadline = True, time.monotonic() + allowed
                self._take(message)
            if status is not None and not data:
                self._note_death(status)
                return
        if decoder.broken:
            self._note_death(None)

    def result(self, seconds: float) -> RunResult:
        """What there is to hand back; the child must have ended."""
        try:
            log = self._job.trace_log.read_bytes()
        except FileNotFoundError:  # it ended before the first cell
            log = b""
        dependencies = read_log(log, self._job.scope)
        return RunResult(self._outputs, self._counts, self._failure, dependencies, seconds)

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
        elif kind == "done":
            self._done = True

    def _note_overrun(self) -> None:
        """The child did not come back from its limit, nor did its own watchdog end it."""
        seconds = self._job.limits.seconds
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


def _read(pipes: list[int], wait: float) -> bytes | None:
    """What has come: None for nothing yet, empty when the other end is closed."""
    ready, _, _ = select.select(pipes, [], [], wait)
    return os.read(ready[0], _CHUNK) if ready else None


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

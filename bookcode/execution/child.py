"""The forked process: runs the cells one after another and reports over a pipe.

Messages, each with a ``kind``: ``start`` (a cell begins), ``cell`` (its outputs), ``update`` (a
display of an earlier cell changed), ``kept`` (a copy waits before a cell), ``failure``, ``done``.
"""

from __future__ import annotations

import faulthandler
import importlib
import os
import re
import signal
import sys
import time
import traceback
import warnings
from pathlib import Path
from types import FrameType
from typing import NoReturn, TextIO

from bookcode.execution import channel
from bookcode.execution.checkpoint import BROKEN
from bookcode.execution.isolate import MemoryLimit, isolate
from bookcode.execution.job import Job
from bookcode.execution.leaver import Leaver
from bookcode.execution.model import Cell, FailureKind, Output
from bookcode.execution.outputs import CellOutputs, StreamName
from bookcode.execution.shell import CellShell, CellStream, DescriptorTail, cell_file
from bookcode.execution.shorten import folder_remover
from bookcode.execution.trace import Tracer

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_TAIL = 15
_REPEAT_SECONDS = 0.1


def _open_log(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


class CellTimeout(BaseException):
    """Raised at the running line; not an Exception, so that cells do not catch it in passing."""


def run_child(job: Job, pipe: int) -> NoReturn:
    """Run the job in this process, which ends here whatever happens."""
    status = BROKEN
    try:
        Child(job, pipe).run()
        status = 0
    except BaseException:
        # not a cell's error: the process or its pipe is out of order
        with job.fault_log.open("a", encoding="utf-8") as log:
            traceback.print_exc(file=log)
    finally:
        os._exit(status)


class Child:
    """The process that runs the cells."""

    def __init__(self, job: Job, pipe: int) -> None:
        self._job = job
        self._pipe = pipe
        self._pid = os.getpid()
        self._position = 0
        self._count = 0
        self._busy = False
        self._timed_out = False
        self._swallowed: BaseException | None = None
        self._fault_log = -1
        self._mask = os.umask(0o077)
        os.umask(self._mask)

    def run(self) -> None:
        """Run the cells until one fails."""
        job = self._job
        isolate(job.way.cwd, job.way.env, job.temporary, self._pipe)
        self._fault_log = _open_log(job.fault_log)
        # should the interpreter crash or never come back, it writes down where it was
        faulthandler.enable(self._fault_log)
        self._set_watchdog(job.way.limits.seconds)
        self._shorten = folder_remover(job.scope.roots)
        warnings.showwarning = self._show_warning
        self._tails: dict[StreamName, DescriptorTail] = {
            "stdout": DescriptorTail(job.stdout, 1),
            "stderr": DescriptorTail(job.stderr, 2),
        }
        reads = {name: tail.read for name, tail in self._tails.items()}
        self._outputs = CellOutputs(reads, self._send_update, self._shorten)
        self._streams = (
            CellStream(self._outputs, "stdout", 1),
            CellStream(self._outputs, "stderr", 2),
        )
        sys.stdout, sys.stderr = self._streams
        self._shell = CellShell.create(self._outputs, job.scratch, self._on_error)
        self._log = _open_log(job.trace_log)
        self._tracer = Tracer(job.scope, self._log)
        self._tracer.start()
        self._leaver = Leaver(job, self._tracer)
        self._memory = MemoryLimit(job.way.limits.memory_bytes)
        signal.signal(signal.SIGALRM, self._on_alarm)
        self._set_time(job.way.limits.seconds)  # the time to get ready is not the cells'
        self._run_cells()
        self._finish()

    def _set_time(self, seconds: float) -> None:
        """Set what the cells have left of their time."""
        self._ends = time.monotonic() + seconds
        signal.setitimer(signal.ITIMER_REAL, seconds, _REPEAT_SECONDS)
        self._set_watchdog(seconds)

    def _set_watchdog(self, seconds: float) -> None:
        """It also ends this process should the parent no longer be there to do it."""
        late = seconds + self._job.way.grace
        faulthandler.dump_traceback_later(late, file=self._fault_log, exit=True)

    def _run_cells(self) -> None:
        position = 0
        try:
            self._leave_copy(position)
            while position < len(self._job.cells):
                self._position = position
                if not self._run_cell(self._job.cells[position]):
                    return
                position += 1
                self._leave_copy(position)
        except CellTimeout:  # the alarm has reported it
            self._busy = True
            self._send_outputs()
        except MemoryError:
            self._memory.lift()
            self._fail("memory", "MemoryError", self._memory_text(), None, [])
        except BaseException as error:
            lines = "".join(traceback.format_exception(error)).splitlines()
            self._fail("error", type(error).__name__, str(error), None, lines)

    def _leave_copy(self, position: int) -> None:
        """Leave a copy of this process before a cell, and, in one that goes on from it, take over.

        What goes on has the same cells before this position, and other ones after it.
        """
        if not self._leaver.is_wanted(position, self._job) or not self._has_its_timer():
            return
        self._busy = True  # no alarm is answered in here
        left = max(self._ends - time.monotonic(), _REPEAT_SECONDS)
        faulthandler.cancel_dump_traceback_later()  # it is a thread
        task = self._leaver.leave(position, self._log, self._pipe)
        if task is None:
            self._set_watchdog(left)
        else:
            try:
                self._take_over(*task)
            except BaseException:  # the fault of no cell: nothing is reported, and it begins anew
                os._exit(BROKEN)
            self._set_time(left)
        self._busy = False

    def _has_its_timer(self) -> bool:
        """Whether the cells have left the alarm alone, which a copy has to set anew."""
        left, interval = signal.getitimer(signal.ITIMER_REAL)
        ours = signal.getsignal(signal.SIGALRM) == self._on_alarm
        return ours and left > 0 and abs(interval - _REPEAT_SECONDS) < _REPEAT_SECONDS / 2

    def _take_over(self, job: Job, pipe: int) -> None:
        """Be the process of another run, which reports elsewhere and has files of its own."""
        self._job, self._pid = job, os.getpid()
        mask = os.umask(self._mask)  # our folders are as in a run from the beginning
        for stream in self._streams:
            stream.take_over()
        for opened, new in (
            (self._pipe, pipe),
            (self._log, _open_log(job.trace_log)),
            (self._fault_log, _open_log(job.fault_log)),
        ):
            os.dup2(new, opened, inheritable=False)
            os.close(new)
        self._tails["stdout"].take_over(job.stdout)
        self._tails["stderr"].take_over(job.stderr)
        job.temporary.mkdir()
        self._shell.make_folders()
        os.umask(mask)
        importlib.invalidate_caches()
        files = [tail.file for tail in self._tails.values()]
        self._leaver.answer_for([0, 1, 2, *files, self._pipe, self._log, self._fault_log])

    def _run_cell(self, cell: Cell) -> bool:
        """Run one cell; whether the next one may run."""
        self._send({"kind": "start", "cell": self._position})
        self._outputs.begin(self._position)
        self._swallowed = None
        self._count = self._shell.execution_count
        result = self._shell.run_cell(cell.source, store_history=True)  # type: ignore[no-untyped-call]
        self._tracer.note_modules()
        self._tracer.note_imports()
        self._send_outputs()
        # an object that cannot show itself: IPython prints the error and goes on
        error = result.error_before_exec or result.error_in_exec or self._swallowed
        return not self._timed_out and self._judge(cell, error)

    def _send_outputs(self) -> None:
        message = {"kind": "cell", "cell": self._position, "count": self._count}
        self._send({**message, "outputs": self._outputs.end()})

    def _judge(self, cell: Cell, error: BaseException | None) -> bool:
        """Report a failed cell; whether it did not fail."""
        if isinstance(error, MemoryError):
            self._memory.lift()
            kind: FailureKind = "memory"
            text = self._memory_text()
        elif error is None or cell.may_raise:
            return True
        else:
            kind, text = "error", str(error)
        name, lines = type(error).__name__, self._plain_traceback(error)
        self._fail(kind, name, text, self._line_of(error), lines)
        return False

    def _memory_text(self) -> str:
        mebibytes = self._job.way.limits.memory_bytes / (1 << 20)
        return f"the cells of this chapter took more than {mebibytes:g} MiB"

    def _plain_traceback(self, error: BaseException) -> list[str]:
        shown = self._outputs.last_error
        text = "".join(traceback.format_exception(error))
        if shown is not None:
            text = "\n".join(shown["traceback"])
        return _ANSI.sub("", text).rstrip().splitlines()

    def _line_of(self, error: BaseException) -> int | None:
        """The chapter line: the deepest place of the traceback that lies in the running cell."""
        line = None
        for frame, number in traceback.walk_tb(error.__traceback__):
            if frame.f_code.co_filename == cell_file(self._count):
                line = number
        if line is None and isinstance(error, SyntaxError):
            line = error.lineno if error.filename == cell_file(self._count) else None
        return self._chapter_line(line)

    def _chapter_line(self, line: int | None) -> int | None:
        return None if line is None else self._job.cells[self._position].line + line - 1

    def _on_alarm(self, signum: int, frame: FrameType | None) -> None:
        if self._busy or os.getpid() != self._pid:
            return  # the timer comes again
        if not self._timed_out:
            self._timed_out = True
            self._busy = True
            self._report_timeout(frame)
            self._busy = False
        raise CellTimeout

    def _report_timeout(self, frame: FrameType | None) -> None:
        seconds = self._job.way.limits.seconds
        stack = traceback.extract_stack(frame)
        places = [i for i, place in enumerate(stack) if place.filename == cell_file(self._count)]
        line = self._chapter_line(stack[places[-1]].lineno) if places else None
        shown = stack[places[0] :] if places else stack[-3:]
        lines = "".join(traceback.format_list(shown)).splitlines()
        text = f"the cells of this chapter took longer than {seconds:g} s"
        self._fail("timeout", "TimeoutError", text, line, lines)

    def _on_error(self, error: BaseException | None) -> bool:
        if isinstance(error, MemoryError):
            # formatting an error needs memory, and the cell's data is still alive
            self._memory.lift()
        self._swallowed = error
        return not isinstance(error, CellTimeout)

    def _fail(
        self, kind: FailureKind, ename: str, evalue: str, line: int | None, lines: list[str]
    ) -> None:
        self._send(
            {
                "kind": "failure",
                "cell": self._position,
                "line": line,
                "what": kind,
                "ename": ename,
                "evalue": evalue,
                "traceback": [self._shorten(line) for line in lines[-_TAIL:]],
            }
        )

    def _finish(self) -> None:
        self._busy = True
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_REAL, 0)
        self._send({"kind": "done"})

    def _send_update(self, cell: int, position: int, output: Output) -> None:
        self._send({"kind": "update", "cell": cell, "position": position, "output": output})

    def _send(self, message: channel.Message) -> None:
        if os.getpid() != self._pid:
            os._exit(0)  # a process that a cell forked and let run on
        busy, self._busy = self._busy, True
        channel.send(self._pipe, message)
        self._busy = busy

    def _show_warning(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        text = warnings.formatwarning(message, category, filename, lineno, line)
        (file or sys.stderr).write(self._shorten(text))

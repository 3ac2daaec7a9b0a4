"""Leaves copies of the process that runs the cells behind, and wakes in what goes on from them.

A copy has no more than the memory of its original, so one is left only if the cells have done
nothing that shows elsewhere (:attr:`bookcode.execution.trace.Tracer.has_acted`) and hold nothing
else (:mod:`bookcode.execution.alone`).
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import time
from collections.abc import Sequence

from bookcode.execution import channel, objects
from bookcode.execution.alone import Surroundings, can_tell
from bookcode.execution.checkpoint import BROKEN
from bookcode.execution.isolate import let_go
from bookcode.execution.job import Job
from bookcode.execution.trace import Tracer


class Leaver:
    """Leaves copies of this process behind. To be made just before the first cell."""

    def __init__(self, job: Job, tracer: Tracer) -> None:
        self._tracer = tracer
        self._surroundings = Surroundings(job.temporary) if job.keep and can_tell() else None
        self._began = self._last = time.monotonic()

    def is_wanted(self, position: int, job: Job) -> bool:
        """Whether a copy should be left before the cell at this position, if it can."""
        if job.keep is None or self._surroundings is None or self._tracer.has_acted:
            return False
        return position in job.keep.before or time.monotonic() - self._last >= job.keep.seconds

    def leave(self, position: int, log: int, pipe: int) -> tuple[Job, int] | None:
        """Leave a copy behind, if memory is all there is to copy.

        No timer may go off in here, and no thread of the caller's be there.

        :param log: descriptor of the trace log.
        :param pipe: descriptor of the socket to the parent.
        :returns: None in this process; in one that goes on from the copy the job that it has to do
            and its own socket to the parent.
        """
        surroundings = self._surroundings
        if surroundings is None:
            return None
        pid = os.getpid()
        try:
            if not surroundings.are_alone():
                return None
            state = random.getstate()  # which the library makes anew in every forked process
            places, folder = surroundings.places(), os.getcwd()  # noqa: PTH109 - no object of ours
            spent = time.monotonic() - self._began
            is_copy, connection = _fork_copy()
        except Exception:  # whatever cells have done: this run goes on all the same
            if os.getpid() != pid:
                os._exit(BROKEN)  # and nobody else does
            return None
        finally:
            self.forget_acts()
        if not is_copy:
            message = {"kind": "kept", "cell": position, "seconds": spent}
            with connection, contextlib.suppress(Exception):
                log_size = os.fstat(log).st_size
                channel.send_descriptor(pipe, {**message, "log": log_size}, connection.fileno())
            return None
        task = _wait(connection, pipe)
        try:
            random.setstate(state)
            surroundings.read_on(places)
            os.chdir(folder)  # which may be another one by that name
            self._began = time.monotonic() - spent
        except BaseException:  # the fault of no cell: the run begins at the first one
            os._exit(BROKEN)
        return task

    def answer_for(self, descriptors: Sequence[int]) -> None:
        """These descriptors are of a new run's own files, and no concern of its cells."""
        if self._surroundings is not None:
            self._surroundings.answer_for(descriptors)
        self.forget_acts()

    def forget_acts(self) -> None:
        """What was done since the last cell was done by us."""
        self._tracer.has_acted = False
        self._last = time.monotonic()


def _fork_copy() -> tuple[bool, socket.socket]:
    """Fork a copy that is no child of this process, whose cells may ask for their children.

    :returns: whether this is the copy, and the socket to the other one.
    :raises OSError: when there can be none.
    """
    ours, theirs = socket.socketpair()
    masked = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    try:
        middle = os.fork()
        if middle == 0:
            _become_a_grandchild()
        else:
            with contextlib.suppress(ChildProcessError):  # where the cells do not want to know
                os.waitpid(middle, 0)
            signal.sigtimedwait([signal.SIGCHLD], 0)  # which is no news for the cells
    except OSError:
        ours.close()
        theirs.close()
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, masked)
    mine, other = (ours, theirs) if middle else (theirs, ours)
    other.close()
    return not middle, mine


def _become_a_grandchild() -> None:
    """Fork and end: only the child goes on."""
    try:
        pid = os.fork()
    except OSError:  # then the other end of the copy's socket is closed, as if it had died
        os._exit(BROKEN)
    if pid:
        with contextlib.suppress(OSError):
            os.setpgid(pid, pid)  # both sides do it, or it might end with the run that left it
        os._exit(0)


def _wait(connection: socket.socket, pipe: int) -> tuple[Job, int]:
    """Be a copy: wait for jobs. Returns in the processes that do them, and nowhere else."""
    try:
        os.setpgid(0, 0)
        let_go(pipe)
        while True:
            job: Job = objects.receive(connection)
            own = objects.receive_descriptor(connection)
            pid = os.fork()
            if pid == 0:
                break
            os.close(own)
            with contextlib.suppress(OSError):
                os.setpgid(pid, pid)
            channel.send(connection.fileno(), {"pid": pid})
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)  # its number stays taken until
            with contextlib.suppress(OSError):  # what it started is ended as well
                os.killpg(pid, signal.SIGKILL)
            _, status = os.waitpid(pid, 0)
            channel.send(connection.fileno(), {"status": os.waitstatus_to_exitcode(status)})
    except BaseException:  # nobody wants it any more, or it is of no use
        os._exit(BROKEN)
    os.setpgid(0, 0)
    connection.close()
    return job, own

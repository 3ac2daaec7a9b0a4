"""Leaves copies of the process that runs the cells behind, and wakes in what goes on from them.

A copy shares no more than memory with its original, so one is left only if the cells have done
nothing that shows elsewhere (:attr:`bookcode.execution.trace.Tracer.acts`) and hold nothing else
(:mod:`bookcode.execution.alone`).
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import time
from collections.abc import Sequence

from bookcode.execution import channel
from bookcode.execution.alone import Surroundings, can_tell
from bookcode.execution.checkpoint import BROKEN, receive_job
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
        if job.keep is None or self._surroundings is None or self._tracer.acts:
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
        if surroundings is None or not surroundings.are_alone():
            return None
        state = random.getstate()  # which the library makes anew in every forked process
        places = surroundings.places()
        spent = time.monotonic() - self._began
        try:
            ours, theirs = socket.socketpair()
            pid = os.fork()
        except OSError:  # no copy can be had; this run goes on all the same
            return None
        if pid:
            theirs.close()
            surroundings.add_copy(pid)
            with contextlib.suppress(OSError):
                os.setpgid(pid, pid)  # both sides do it: neither knows who is first
            message = {"kind": "kept", "cell": position, "seconds": spent}
            with ours:
                log_size = os.fstat(log).st_size
                channel.send_descriptor(pipe, {**message, "log": log_size}, ours.fileno())
            self.forget_acts()
            return None
        ours.close()
        task = _wait(theirs, pipe)
        random.setstate(state)
        surroundings.read_on(places)
        return task

    def take(self, descriptors: Sequence[int]) -> None:
        """These descriptors are of a new run's own files, and no concern of its cells."""
        if self._surroundings is not None:
            self._surroundings.take(descriptors)
        self.forget_acts()

    def forget_acts(self) -> None:
        """What was done since the last cell was done by us."""
        self._tracer.acts = False
        self._last = time.monotonic()


def _wait(connection: socket.socket, pipe: int) -> tuple[Job, int]:
    """Be a copy: wait for jobs. Returns in the processes that do them, and nowhere else."""
    try:
        os.setpgid(0, 0)  # else it would end with the run that left it
        let_go(pipe)
        while True:
            job, own = receive_job(connection)
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

"""Copies of a run that wait before one of its cells, for later runs to go on from.

The process that runs the cells forks the copy, and tells its parent of it with a descriptor of the
socket that leads there (:mod:`bookcode.execution.leaver`). A later run whose first cells are the
same sends the copy its cells; the copy forks in turn, so that it can be used again, and says how
its child ended. It ends when nobody holds the other end of its socket any more.

A copy is left only where memory is all that the cells have changed: what goes on from it is then
as good as a run from the beginning.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bookcode.execution import channel, objects
from bookcode.execution.errors import CheckpointError
from bookcode.execution.job import Job
from bookcode.execution.model import Output

BROKEN: Final = 70
"""How a process ends that cannot do its work."""

_ANSWER_SECONDS: Final = 5.0
_CHUNK: Final = 1 << 16


@dataclass(slots=True)
class Checkpoint:
    """A copy of a run that waits.

    :param position: the cell it stands before.
    :param outputs: those of the cells before, with ``counts``, their execution counts.
    :param seconds: how long these cells took.
    :param seen: their trace log.
    :param scratch: where the run had its scratch folder; what goes on from it needs it there.
    :param connection: the socket that leads to the copy, which ends when it is closed.
    """

    position: int
    outputs: list[list[Output]]
    counts: list[int | None]
    seconds: float
    seen: bytes
    scratch: Path
    connection: socket.socket
    is_sound: bool = True
    """False when the copy has not answered, and may be in any state."""

    def close(self) -> None:
        """Let the copy end."""
        self.is_sound = False
        self.connection.close()

    @contextlib.contextmanager
    def going_on(self, job: Job) -> Iterator[Resumed]:
        """A process that does a job from here on; it does not outlive the block.

        :raises CheckpointError: when the copy is no more.
        """
        self.is_sound = False
        reporting, theirs = socket.socketpair()
        with reporting:
            resumed = Resumed(self.connection, reporting)
            try:
                with theirs:
                    resumed.start(job, theirs)
                yield resumed
            finally:
                self.is_sound = resumed.end()


class Resumed:
    """A process that goes on from a checkpoint, as its follower sees it.

    :param connection: leads to the copy that forks it.
    :param pipe: where the process reports.
    """

    def __init__(self, connection: socket.socket, pipe: socket.socket) -> None:
        self.pipe = pipe
        self._connection = connection
        self._decoder = channel.Decoder()
        self._pid = 0
        self._status: int | None = None
        self._is_lost = False

    def start(self, job: Job, pipe: socket.socket) -> None:
        """Send the job, with the socket to report to.

        :raises CheckpointError: when nobody takes it.
        """
        self._connection.settimeout(_ANSWER_SECONDS)
        try:
            objects.send(self._connection, job)
            objects.send_descriptor(self._connection, pipe.fileno())
        except OSError as error:
            raise CheckpointError from error
        self._listen(_ANSWER_SECONDS)
        if not self._pid:
            raise CheckpointError

    def exit_status(self) -> int | None:
        """How the process ended, negative for a signal; None while it runs.

        :raises CheckpointError: when the copy that would know is gone.
        """
        if self._status is None:
            self._listen(0)
        if self._is_lost:
            raise CheckpointError
        return self._status

    def end(self) -> bool:
        """End the process and whatever it started; whether the copy is ready for the next job."""
        if not self._pid and not self._is_lost:
            self._listen(_ANSWER_SECONDS)
        if self._pid and self._status is None:
            for kill in (os.killpg, os.kill):
                with contextlib.suppress(OSError):
                    kill(self._pid, signal.SIGKILL)
            self._listen(_ANSWER_SECONDS)
        return self._status is not None

    def _listen(self, seconds: float) -> None:
        """Take what the copy says, or wait for it."""
        ready, _, _ = select.select([self._connection], [], [], seconds)
        try:
            data = self._connection.recv(_CHUNK) if ready else b""
        except OSError:
            data = b""
        self._is_lost = bool(ready) and not data
        for message in self._decoder.feed(data):
            self._pid = message.get("pid", self._pid)
            self._status = message.get("status", self._status)

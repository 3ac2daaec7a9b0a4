"""The messages between server and builder: JSON, a line each.

To the builder:
    ``{"changed": [path, …], "opened": [page, …]}``: files that may have changed, and the pages that
    browsers show, the latest first; a page is a path in the site, ``02/index.html``.

From the builder, each with a ``kind``:
    ``progress`` (what, page, done, total), ``page`` (one is ready before the rest: page, shown,
    problems, held, seconds), ``built`` (all is done: changed, problems, held, read, runs, seconds),
    ``restart`` (why), ``broken`` (problem). All say how many messages the builder has ``taken``.
"""

from __future__ import annotations

import json
import os
import select
from typing import Any

Message = dict[str, Any]

RESTART = 75
"""Exit status of a builder that wants to be started again."""


def encode(message: Message) -> bytes:
    """A message as a line."""
    return json.dumps(message, ensure_ascii=False).encode() + b"\n"


def decode(line: bytes) -> Message:
    """A line as a message."""
    message: Message = json.loads(line)
    return message


class Inbox:
    """The builder's end: messages that have come, without waiting unless asked to."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._waiting: list[Message] = []
        self._rest = b""
        self.closed = False

    def poll(self, timeout: float | None = 0) -> bool:
        """Whether a message has come, or never will any more; waits up to ``timeout`` seconds."""
        while not self._waiting and not self.closed:
            ready, _, _ = select.select([self.descriptor], [], [], timeout)
            if not ready:
                break
            self._read()
        return bool(self._waiting) or self.closed

    def peek(self) -> list[Message]:
        """Everything that has come so far, to be taken later."""
        while not self.closed and select.select([self.descriptor], [], [], 0)[0]:
            self._read()
        return list(self._waiting)

    def take(self) -> list[Message]:
        """Everything that has come so far."""
        messages, self._waiting = self.peek(), []
        return messages

    def _read(self) -> None:
        data = os.read(self.descriptor, 1 << 16)
        self.closed = not data
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._waiting += [decode(line) for line in lines if line]

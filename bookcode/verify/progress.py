"""Shows how far a build is: a passing line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.status import Status

DESCRIPTOR = "BOOKCODE_PROGRESS"
"""Where our extension looks for the descriptor to tell its progress to."""

Watch = Callable[[Mapping[str, Any]], None]


class Progress:
    """Progress of editions that are built at once, for the time of a ``with`` block.

    Args:
        console: where to show it; a terminal gets one line that goes again.
        editions: each has its part of that line, or is named in lines of its own.
    """

    def __init__(self, console: Console, editions: Sequence[str]) -> None:
        self._console = console
        self._done: dict[str, Counter[str]] = {edition: Counter() for edition in editions}
        self._last = {edition: f"{edition}: starting" for edition in editions}
        self._lock = threading.Lock()
        self._status: Status | None = None

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._status = self._console.status(" · ".join(self._last.values()))
            self._status.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def watch_of(self, edition: str) -> Watch:
        """What shows that a page of an edition is being read or written."""

        def watch(message: Mapping[str, Any]) -> None:
            with self._lock:  # each edition tells from a thread of its own
                self._show(edition, message)

        return watch

    def _show(self, edition: str, message: Mapping[str, Any]) -> None:
        what, done = message["what"], self._done[edition]
        done[what] += 1
        total = max(message["total"], done[what])
        line = f"{edition}: {what} {message['page']} ({done[what]} of {total})"
        self._last[edition] = line
        if self._status is not None:
            self._status.update(" · ".join(self._last.values()))
        else:
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)


def run_watched(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], watch: Watch | None
) -> subprocess.CompletedProcess[str]:
    """Run a build to its end and pass on what it tells of its progress."""
    if watch is None:
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
    reading, writing = os.pipe()
    listener = threading.Thread(target=_listen, args=(reading, watch), daemon=True)
    listener.start()
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env={**environment, DESCRIPTOR: str(writing)},
            pass_fds=[writing],
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        os.close(writing)
        listener.join(timeout=1)  # what a build left running may still hold its end


def _listen(reading: int, watch: Watch) -> None:
    with open(reading, encoding="utf-8") as lines:
        for line in lines:
            watch(json.loads(line))

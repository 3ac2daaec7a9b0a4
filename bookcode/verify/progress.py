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
    """Progress of one edition's build, for the time of a ``with`` block.

    Args:
        console: where to show it; a terminal gets one line that goes again.
        edition: named in every line.
    """

    def __init__(self, console: Console, edition: str) -> None:
        self._console = console
        self._edition = edition
        self._done: Counter[str] = Counter()
        self._status: Status | None = None

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._status = self._console.status(f"{self._edition}: starting")
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

    def watch(self, message: Mapping[str, Any]) -> None:
        """Show that a page is being read or written."""
        what = message["what"]
        self._done[what] += 1
        total = max(message["total"], self._done[what])
        where = f"{message['page']} ({self._done[what]} of {total})"
        line = f"{self._edition}: {what} {where}"
        if self._status is not None:
            self._status.update(line)
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

"""What tests of processes share."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import psutil


def processes_in(folder: Path) -> set[int]:
    """Processes other than this one that work in a folder, whoever their parent is."""
    found = set()
    for process in psutil.process_iter():
        try:
            if process.cwd() == os.fspath(folder) and process.pid != os.getpid():
                found.add(process.pid)
        except psutil.Error:  # it has ended meanwhile
            continue
    return found


def wait_for(condition: Callable[[], object], seconds: float = 5) -> None:
    """Wait until something holds.

    Raises:
        AssertionError: when it does not in time.
    """
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"it did not come about within {seconds} s"
        time.sleep(0.02)

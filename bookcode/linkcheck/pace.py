"""Pauses between requests to one host, shared by everything that sends some."""

from __future__ import annotations

import threading
import time
from urllib.parse import urlsplit

from .rules import Rules


class Pace:
    """Lets requests to one host go out one after the other, with pauses in seconds."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._next: dict[str, float] = {}
        self._lock = threading.Lock()

    def wait(self, uri: str) -> None:
        """Sleep until the host of ``uri`` may be asked again."""
        pause = self._rules.of(uri).pause
        if not pause:
            return
        host = urlsplit(uri).netloc
        with self._lock:
            now = time.monotonic()
            start = max(now, self._next.get(host, now))
            self._next[host] = start + pause
        time.sleep(start - now)

"""Answers many questions about whether files are as they were, looking at each file once."""

from __future__ import annotations

from pathlib import Path

from bookcode.execution.fingerprint import Fingerprint, changed


class Freshness:
    """Answers whether files are as they were, looking at each file once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[tuple[str, str], bool] = {}

    def holds(self, seen: Fingerprint) -> bool:
        """Whether everything is as it was seen."""
        return all(self._holds(name, state) for name, state in seen.items())

    def _holds(self, name: str, state: str) -> bool:
        if (name, state) not in self._known:
            self._known[name, state] = not changed({name: state}, self._root)
        return self._known[name, state]

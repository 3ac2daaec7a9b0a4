"""Remembers what running a page's cells gave, in memory, for as long as it must still be so.

A result is given again only when the cells' source, the way they run and the content of every
project file they read, listed or looked for in vain are the same. Failures are never remembered.
"""

from __future__ import annotations

import hashlib
import pickle
import time
import zlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bookcode.execution.fingerprint import Fingerprint, changed, fingerprint
from bookcode.execution.job import Way
from bookcode.execution.model import Cell, Limits, RunResult

if TYPE_CHECKING:
    from bookcode.execution.client import Runner

CAPACITY = 16 << 20
"""Bytes that remembered results may take, compressed."""

CLOCK_SLACK = 50_000_000
"""Nanoseconds by which a file system's clock may lag behind ours."""


class RunMemo:
    """A runner of cells that asks another one only for what it does not know.

    :param run: the runner that does the work.
    :param root: the project's root, to which fingerprints are relative.
    :param capacity: bytes to keep; what was used longest ago goes first.
    """

    def __init__(self, run: Runner, root: Path, capacity: int = CAPACITY) -> None:
        self._run = run
        self._root = root
        self._capacity = capacity
        self._kept: OrderedDict[bytes, tuple[Fingerprint, bytes]] = OrderedDict()
        self._size = 0
        self._seen: list[Fingerprint | None] = []
        self._new: list[tuple[bytes, RunResult, int]] = []
        self.hits = 0
        self.runs = 0

    def __call__(
        self,
        cells: Sequence[Cell],
        *,
        cwd: Path,
        limits: Limits,
        project_roots: Sequence[Path],
        env: Mapping[str, str] | None = None,
        exclude: Sequence[Path] = (),
    ) -> RunResult:
        """The result of running the cells, remembered or new."""
        way = Way(cwd, limits, project_roots, env or {}, exclude)
        key = key_of(cells, way)
        known = self._recall(key)
        if known is not None:
            self.hits += 1
            return known
        began = time.time_ns() - CLOCK_SLACK
        result = self._run(
            cells, cwd=cwd, limits=limits, project_roots=project_roots, env=env, exclude=exclude
        )
        self.runs += 1
        self._new.append((key, result, began))
        return result

    def take_seen(self) -> list[Fingerprint | None]:
        """What each run since the last call saw; None where a run must always be repeated."""
        self._keep_new()
        seen, self._seen = self._seen, []
        return seen

    def _keep_new(self) -> None:
        """Remember what has run: not at once, for a page may wait to be shown."""
        while self._new:
            self._keep(*self._new.pop(0))

    def _recall(self, key: bytes) -> RunResult | None:
        self._keep_new()
        if key not in self._kept:
            return None
        seen, packed = self._kept[key]
        if changed(seen, self._root):
            self._forget(key)
            return None
        self._kept.move_to_end(key)
        self._seen.append(seen)
        result: RunResult = pickle.loads(zlib.decompress(packed))
        return result

    def _keep(self, key: bytes, result: RunResult, began: int) -> None:
        failure = result.failure
        if result.dependencies is None or (failure is not None and failure.kind != "error"):
            self._seen.append(None)  # a limit or a signal may have spared the next run
            return
        seen = fingerprint(result.dependencies, self._root, began)
        self._seen.append(seen)
        if failure is not None or changed(seen, self._root):
            return
        packed = zlib.compress(pickle.dumps(result), 1)
        self._kept[key] = (seen, packed)
        self._size += len(packed)
        while self._size > self._capacity and len(self._kept) > 1:
            self._forget(next(iter(self._kept)))

    def _forget(self, key: bytes) -> None:
        self._size -= len(self._kept.pop(key)[1])


def key_of(cells: Sequence[Cell], way: Way) -> bytes:
    """Everything besides files that the outputs of a run depend on.

    Where in the chapter a cell stands is left out: outputs do not say it.
    """
    code = [(cell.source, cell.may_raise) for cell in cells]
    how = way.cwd, way.limits, list(way.project_roots), sorted(way.env.items()), list(way.exclude)
    return hashlib.sha256(repr((code, how)).encode()).digest()

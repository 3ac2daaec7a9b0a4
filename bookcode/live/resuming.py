"""Runs cells, and keeps copies of the last run of the page at hand for the next one to go on from.

An edit of a cell leaves those before it as they were. What they did is not done again when a copy
of the run waits behind them (:mod:`bookcode.execution.checkpoint`) and every project file that
they had looked at by then is as it was. The rest runs anew, to the end of the page.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bookcode.execution.checkpoint import Checkpoint
from bookcode.execution.errors import CheckpointError
from bookcode.execution.fingerprint import Fingerprint, fingerprint
from bookcode.execution.job import Keep, Way
from bookcode.execution.model import Cell, Dependencies, RunResult
from bookcode.execution.runner import learn_from, run_on
from bookcode.execution.scope import Scope
from bookcode.execution.trace import read_log
from bookcode.live.freshness import Freshness
from bookcode.live.memo import CLOCK_SLACK, key_of

MOST: Final = 8
"""Copies that wait at most: each takes 20 to 35 MiB."""

SECONDS: Final = 0.25
"""Time of cells after which a copy is left; to leave one takes some hundredths of a second."""

_ROOT: Final = Path("/")


@dataclass(slots=True)
class _Kept:
    """A copy, the key of the cells before it, when their run began, and what they had looked at."""

    checkpoint: Checkpoint
    key: bytes
    scope: Scope
    began: int
    before: _Kept | None
    """The copy before it in the same run."""
    dependencies: Dependencies = field(default_factory=Dependencies)
    seen: Fingerprint | None = None

    def look(self) -> Fingerprint:
        """Fingerprint what the cells looked at."""
        if self.seen is None:
            self.dependencies = read_log(self.checkpoint.seen, self.scope)
            if self.before is None:
                self.seen = fingerprint(self.dependencies, _ROOT, self.began)
            else:  # of the same run, or files may have changed between the two
                known = self.before.look()
                news = _without(self.dependencies, self.before.dependencies)
                self.seen = known | fingerprint(news, _ROOT, self.began)
            self.before = None
        return self.seen


class Resuming:
    """A runner of cells that goes on from what it keeps."""

    def __init__(self, most: int = MOST, is_off: Callable[[], bool] = lambda: False) -> None:
        self._most = most
        self._is_off = is_off
        self._kept: list[_Kept] = []
        self._last: Sequence[bytes] = ()
        self.seconds = SECONDS
        self._result: RunResult | None = None
        self.resumed = 0
        """Runs that did not begin at the first cell."""

    def run(self, cells: Sequence[Cell], way: Way, *, keep: bool) -> RunResult:
        """Run the cells.

        :param keep: whether to leave copies, since this page will be edited; those that do not
            serve it end.
        """
        self.settle()
        keys = [key_of(cells[:position], way) for position in range(len(cells) + 1)]
        places = Keep(frozenset({_first_change(self._last, keys)}), self.seconds) if keep else None
        began = time.time_ns() - CLOCK_SLACK
        outcome = None
        while outcome is None:
            start = self._start(keys)
            try:
                outcome = run_on(
                    cells, way, places, start.checkpoint if start else None, self._is_off
                )
            except CheckpointError:
                assert start is not None
                self._drop(start)
        self.resumed += start is not None and start.checkpoint.position > 0
        if keep:
            self._last = keys
            for kept in [kept for kept in self._kept if kept.key not in keys]:
                self._drop(kept)
            before = None
            scope = Scope(way.project_roots, way.exclude)
            for checkpoint in outcome.kept:
                before = _Kept(checkpoint, keys[checkpoint.position], scope, began, before)
                self._kept.append(before)
        self._result = outcome.result
        return outcome.result

    def settle(self) -> None:
        """What is left of a run to do, once its result is out of the house."""
        if self._result is not None:
            learn_from(self._result)
            self._result = None
        for kept in self._kept:
            kept.look()
        self._kept.sort(key=lambda kept: kept.checkpoint.position)
        while len(self._kept) > self._most:
            self._drop(_least_missed(self._kept))

    def close(self) -> None:
        """Let all copies end."""
        for kept in list(self._kept):
            self._drop(kept)

    def _start(self, keys: Sequence[bytes]) -> _Kept | None:
        """The last copy from which to go on."""
        fresh = Freshness(_ROOT)
        for kept in reversed(self._kept):
            position = kept.checkpoint.position
            if position >= len(keys) or kept.key != keys[position]:
                continue
            if kept.checkpoint.is_sound and fresh.holds(kept.look()):
                return kept
            self._drop(kept)
        return None

    def _drop(self, kept: _Kept) -> None:
        self._kept.remove(kept)
        kept.checkpoint.close()


def _first_change(old: Sequence[bytes], new: Sequence[bytes]) -> int:
    """The position of the first cell that is not as it was, from the keys of what stands before."""
    return max(sum(a == b for a, b in zip(old, new, strict=False)) - 1, 0)


def _least_missed(kept: Sequence[_Kept]) -> _Kept:
    """The copy without which the least has to be run again."""
    times = [0.0, *(one.checkpoint.seconds for one in kept)]
    gaps = [times[index + 1] - times[index] for index in range(len(kept))]
    return kept[gaps.index(min(gaps))]


def _without(whole: Dependencies, less: Dependencies) -> Dependencies:
    return Dependencies(
        whole.files - less.files,
        whole.missing - less.missing,
        whole.directories - less.directories,
        whole.present - less.present,
    )

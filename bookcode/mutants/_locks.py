"""Mutants of the lock: every value in it."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from bookcode.mutants._baseline import Baseline
from bookcode.mutants._model import Mutant, Red
from bookcode.mutants._values import altered
from bookcode.numbers.drift import compare
from bookcode.numbers.lock import Lock, locks_of
from bookcode.verify.locking import FOLDER

Way = tuple[str | int, ...]


def lock_mutants(baseline: Baseline) -> Iterator[Mutant]:
    """Every leaf of every lock file, and every list and table with one entry more."""
    for chapter, lock in baseline.locked.items():
        path = f"{FOLDER.as_posix()}/{chapter}.lock.json"
        data = json.loads(lock.text())
        del data["format"], data["chapter"]
        for way, value in _leaves(data, ()):
            what = f"{json.dumps(value, ensure_ascii=False)} → {_text(altered(value))}"
            identity = f"{path}: {'/'.join(map(str, way))}"
            yield Mutant("lock", identity, path, 0, 0, what, (chapter, way))


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _leaves(value: Any, way: Way) -> Iterator[tuple[Way, Any]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(inner, (*way, key))
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from _leaves(inner, (*way, index))
    else:
        yield way, value


class LockJudge:
    """Compares a changed lock with the build. It leaves nothing behind."""

    def __init__(self, baseline: Baseline) -> None:
        self._locked = baseline.locked
        self._exported = baseline.exported
        self._built = locks_of(baseline.exported)

    def __call__(self, mutant: Mutant) -> Red | None:
        chapter, way = mutant.data
        changed = _changed(self._locked[chapter], way)
        drifts = compare({chapter: changed}, {chapter: self._built[chapter]}, [self._exported])
        return Red("lock", str(drifts[0]).splitlines()[0]) if drifts else None


def _changed(lock: Lock, way: Way) -> Lock:
    """The lock with one value altered; what is not changed is shared."""
    section, *rest = way
    table = dict(getattr(lock, str(section)))
    if not rest:  # an empty section gets an entry
        table = altered(table)
    elif len(rest) == 1:
        table[rest[0]] = altered(table[rest[0]])
    else:
        entry = table[rest[0]] = copy.deepcopy(table[rest[0]])
        for step in rest[1:-1]:
            entry = entry[step]
        entry[rest[-1]] = altered(entry[rest[-1]])
    result = copy.copy(lock)
    setattr(result, str(section), table)
    return result

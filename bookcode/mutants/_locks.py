"""Mutants of the lock: every value in it."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from typing import Any

from bookcode.mutants._baseline import Baseline
from bookcode.mutants._model import Mutant, Red
from bookcode.mutants._values import altered
from bookcode.numbers.drift import compare
from bookcode.numbers.lock import SECTIONS, Lock, keep_unbuilt_wordings, locks_of
from bookcode.verify.locking import FOLDER
from bookcode.words import short

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
        self._locked, self._exported = baseline.locked, baseline.exported
        self._built = locks_of(baseline.exported, *(one.exported for one in baseline.others))

    def __call__(self, mutant: Mutant) -> Red | None:
        chapter, way = mutant.data
        section, *rest = way
        keys = {str(rest[0])} if rest and section in SECTIONS else None
        changed, built = _changed(self._locked[chapter], way), self._built[chapter]
        if keys is not None:  # comparing everything for one entry would take long
            changed, built = _only(changed, keys), _only(built, keys)
        exported = self._exported if keys is None else _sliced(self._exported, keys)
        drifts = compare({chapter: changed}, {chapter: built}, [exported])
        return Red("lock", str(drifts[0]).splitlines()[0]) if drifts else None


def first_drift(locked: Mapping[str, Lock], exported: Mapping[str, Any], keys: set[str]) -> str:
    """What verify says first of some keys; "" if they are as the locks say."""
    part = _sliced(exported, keys)
    wanted = {chapter: _only(lock, keys) for chapter, lock in locked.items()}
    built = {chapter: _only(lock, keys) for chapter, lock in locks_of(part).items()}
    keep_unbuilt_wordings(built, wanted, {short(exported["language"])})
    drifts = compare(wanted, built, [part])
    return str(drifts[0]).splitlines()[0] if drifts else ""


def _only(lock: Lock, keys: set[str]) -> Lock:
    part = Lock(lock.chapter)
    for section in SECTIONS:
        setattr(part, section, {k: v for k, v in lock.section(section).items() if k in keys})
    return part


def _sliced(exported: Mapping[str, Any], keys: set[str]) -> dict[str, Any]:
    """What a build left, of some keys only."""
    pages = {}
    for docname, page in exported["pages"].items():
        records = [record for record in page["records"] if record["key"] in keys]
        uses = [use for use in page["uses"] if use["key"] in keys and use["role"] != "lit"]
        pages[docname] = {**page, "records": records, "uses": uses}
    return {**exported, "pages": pages}


def _changed(lock: Lock, way: Way) -> Lock:
    """The lock with one value altered; what is not changed is shared."""
    section, *rest = way
    table = dict(getattr(lock, str(section)))
    if not rest:  # an empty section gets an entry, of the kind that its file may hold
        table = {"added": {} if section in SECTIONS else 1 if section == "literals" else "x"}
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

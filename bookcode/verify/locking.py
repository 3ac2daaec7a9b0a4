"""The lock as a check, and the explicit step that accepts drift."""

from __future__ import annotations

import datetime
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit

from bookcode.numbers.change_log import CHANGES
from bookcode.numbers.drift import Drift, compare
from bookcode.numbers.errors import NumbersError, did_you_mean
from bookcode.numbers.files import write_atomic
from bookcode.numbers.lock import Lock, keep_unbuilt_wordings, locks_of, merged, read_lock
from bookcode.verify.result import Result
from bookcode.words import short

FOLDER = CHANGES.parent


class AcceptError(NumbersError):
    """Drift cannot be accepted as asked."""


@dataclass(frozen=True)
class LockState:
    """The locks as they are, as the build would have them, and the differences."""

    folder: Path
    locked: Mapping[str, Lock]
    built: Mapping[str, Lock]
    drifts: Sequence[Drift]

    def result(self) -> Result:
        """The lock as a check."""
        keys = sum(len(lock.keys()) for lock in self.built.values())
        note = f"{self._literals()} texts typed on purpose (lit)"
        return Result("lock", keys, "keys", [str(drift) for drift in self.drifts], note=note)

    def _literals(self) -> str:
        """How many texts are typed on purpose, by kind: "3 (2 condition, 1 given)"."""
        kinds: Counter[str] = Counter()
        for lock in self.built.values():
            kinds.update(lock.literals)
        each = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        return f"{kinds.total()} ({each})" if each else "0"


def read_state(root: Path, exports: Sequence[Mapping[str, Any]]) -> LockState:
    """Compare the committed locks with the exported records of a build (source language first).

    Raises:
        LockError: for a lock file that cannot be read.
    """
    folder = root / FOLDER
    locked = {}
    for path in sorted(folder.glob("*.lock.json")):
        lock = read_lock(path)
        locked[lock.chapter] = lock
    built = {
        name: lock for name, lock in locks_of(*exports).items() if lock.text() != Lock(name).text()
    }
    keep_unbuilt_wordings(built, locked, {short(exported["language"]) for exported in exports})
    return LockState(folder, locked, built, compare(locked, built, exports))


def accept(state: LockState, keys: Sequence[str], why: str) -> list[Drift]:
    """Write the locks and the change log; ``keys`` empty accepts all drift.

    Returns the drifts that were accepted.

    Raises:
        AcceptError: without a reason, or for a key that did not drift.
    """
    if not why.strip():
        raise AcceptError('say why the numbers changed: --why "..."')
    drifted = {drift.key for drift in state.drifts}
    for key in keys:
        if key not in drifted:
            raise AcceptError(f"{key!r} did not drift{did_you_mean(key, drifted)}")
    accepted = [d for d in state.drifts if not keys or d.key in keys]
    _write_change(state.folder / CHANGES.name, accepted, why)
    for chapter in sorted({*state.locked, *state.built}):
        old = state.locked.get(chapter, Lock(chapter))
        new = state.built.get(chapter, Lock(chapter))
        path = state.folder / f"{chapter}.lock.json"
        result = merged(old, new, keys or None)
        if chapter in state.built or result.keys():
            write_atomic(path, result.text())
        else:
            path.unlink(missing_ok=True)
    return accepted


def _write_change(path: Path, accepted: Sequence[Drift], why: str) -> None:
    """Append one entry to the change log of numbers; the first filling of a lock is one line."""
    document = tomlkit.parse(path.read_text("utf-8")) if path.exists() else tomlkit.document()
    entry = tomlkit.table()
    entry["date"] = _today().isoformat()
    entry["why"] = why
    changed = [d for d in accepted if d.change == "changed"]
    entry["new"] = sum(d.change == "is new" for d in accepted)
    entry["gone"] = sorted(d.key for d in accepted if d.change == "is gone")
    changes = tomlkit.array().multiline(True)
    for drift in changed:
        shown = next((d for d in drift.details if d.startswith("shown: ")), drift.details[0])
        line = tomlkit.inline_table()
        line.update({"key": drift.key, "change": shown})
        changes.append(line)
    entry["changed"] = changes
    if "change" not in document:
        document.add("change", tomlkit.aot())
    document["change"].append(entry)
    write_atomic(path, tomlkit.dumps(document))


def _today() -> datetime.date:
    fixed = os.environ.get("BOOKCODE_TODAY")
    return (
        datetime.date.fromisoformat(fixed) if fixed else datetime.datetime.now(datetime.UTC).date()
    )

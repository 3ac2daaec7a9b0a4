"""The state of what a run looked at, to tell whether it would still see the same."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path

from bookcode.execution.model import Dependencies
from bookcode.execution.scope import is_skipped_name

Fingerprint = dict[str, str]
"""Path relative to the root (POSIX) to the state it was found in."""

MISSING = "missing"
PRESENT = "present"
GONE = "gone"
_FILE, _DIRECTORY = "file:", "directory:"


def fingerprint(dependencies: Dependencies, root: Path, since: int | None = None) -> Fingerprint:
    """What the run saw of each dependency, sorted by path.

    :param since: when the run began (``time.time_ns()``): what changed later is ``gone``, for it
        may have changed after the run had read it.

    A state is ``file:`` and the SHA-256 of the content, ``directory:`` and that of the sorted
    names in it, ``present``, ``missing``, or ``gone`` for a file that nobody can read any more
    (it always counts as changed, for nobody knows what the run saw).
    """
    states: Fingerprint = {}
    moved: dict[Path, bool] = {}
    groups: tuple[tuple[frozenset[Path], Callable[[Path], str]], ...] = (
        (dependencies.missing, lambda path: MISSING),
        (dependencies.present, lambda path: PRESENT),
        (dependencies.directories, _directory_state),
        (dependencies.files, _file_state),
    )
    for paths, state_of in groups:
        for path in paths:
            late = since is not None and (
                _changed_after(path, since) or _is_below_moved(path.parent, since, root, moved)
            )
            states[_relative(path, root)] = GONE if late else state_of(path)
    return dict(sorted(states.items()))


def changed(fingerprint: Fingerprint, root: Path) -> list[str]:
    """The paths, as in the fingerprint, that a run would now see otherwise; sorted."""
    return sorted(
        name
        for name, state in fingerprint.items()
        if state == GONE or _state_like(state, root / name) != state
    )


def _state_like(state: str, path: Path) -> str:
    if state.startswith(_FILE):
        return _file_state(path)
    if state.startswith(_DIRECTORY):
        return _directory_state(path)
    return PRESENT if path.exists() else MISSING


def _file_state(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return _FILE + hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return GONE


def _directory_state(path: Path) -> str:
    try:
        names = sorted(entry.name for entry in path.iterdir() if not is_skipped_name(entry.name))
    except OSError:
        return GONE
    # a NUL cannot stand in a name, so no two lists give the same bytes
    return _DIRECTORY + hashlib.sha256(os.fsencode("\0".join(names))).hexdigest()


def _changed_after(path: Path, since: int) -> bool:
    """Whether content or name changed since; unlike the other times this one cannot be set."""
    try:
        # of a symbolic link and of what it leads to
        return max(path.lstat().st_ctime_ns, path.stat().st_ctime_ns) >= since
    except OSError:
        return False


def _is_below_moved(folder: Path, since: int, root: Path, known: dict[Path, bool]) -> bool:
    """Whether a folder on the way to a path has taken the place of another one since."""
    if folder == root or folder == folder.parent:
        return False
    if folder not in known:
        known[folder] = _moved_after(folder, since) or _is_below_moved(
            folder.parent, since, root, known
        )
    return known[folder]


def _moved_after(folder: Path, since: int) -> bool:
    """Whether this name was given to it since; a new file in a folder changes its content too."""
    try:
        state = folder.lstat()
    except OSError:
        return False
    is_renamed = stat.S_ISLNK(state.st_mode) or state.st_ctime_ns != state.st_mtime_ns
    return state.st_ctime_ns >= since and is_renamed


def _relative(path: Path, root: Path) -> str:
    return Path(os.path.relpath(path, root)).as_posix()

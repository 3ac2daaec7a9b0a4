"""Brings what was built to where it is served, a whole file at a time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Set
from pathlib import Path, PurePosixPath

Signature = tuple[int, int, int, int]


class Publisher:
    """Copies from the folder that Sphinx writes to the folder that is served.

    A file appears there complete or not at all, and one whose bytes are the same stays untouched.
    """

    def __init__(self, built: Path, served: Path) -> None:
        self._built = built
        self._served = served
        self._seen: dict[str, Signature] = {}

    def clear(self) -> None:
        """Serve nothing any more."""
        shutil.rmtree(self._served, ignore_errors=True)
        self._served.mkdir(parents=True)
        self._seen.clear()

    def has(self, name: str) -> bool:
        """Whether a file is served."""
        return (self._served / name).is_file()

    def publish(self, name: str) -> bool:
        """Serve a file as it is now; whether that is something new."""
        source, target = self._built / name, self._served / name
        signature = _signature(source)
        if self._seen.get(name) == signature and target.is_file():
            return False
        data = source.read_bytes()
        self._seen[name] = signature
        if target.is_file() and target.read_bytes() == data:
            return False
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f".{target.name}.part")
        part.write_bytes(data)
        part.replace(target)
        return True

    def publish_all(self, held: Set[str] = frozenset()) -> list[str]:
        """Serve everything but the pages ``held``, and nothing else; what is new or gone."""
        names = _names(self._built)
        # pages last: a browser that asks again must not meet one without its figures
        ordered = sorted(names - held, key=lambda name: (name.endswith(".html"), name))
        changed = [name for name in ordered if self.publish(name)]
        for name in sorted(_names(self._served) - names - held):
            if held and PurePosixPath(name).parts[0] in ("_images", "_static"):
                continue  # a page that is held may show it
            (self._served / name).unlink()
            self._seen.pop(name, None)
            changed.append(name)
        return changed


def _names(folder: Path) -> set[str]:
    found = set()
    for parent, _, files in os.walk(folder):
        inside = Path(parent).relative_to(folder)
        found |= {(inside / name).as_posix() for name in files if not name.endswith(".part")}
    return found


def _signature(path: Path) -> Signature:
    state = path.stat()
    return state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns

"""Which files of the project are somebody's work, and not the product of a tool."""

from __future__ import annotations

import os
from pathlib import Path

from bookcode.execution.scope import is_skipped_name

_OUTPUT = frozenset({"_build", "build", "dist", "jupyter_execute"})
_PRODUCTS = (".mo", ".part", ".swp", ".swx", ".tmp", "~", "#")
_PROBE = "4913"
"""A name with which an editor tries whether it may write into a folder."""


def is_watched(path: Path, root: Path) -> bool:
    """Whether a change of this file can concern a page: nobody's product, cache or backup."""
    if not path.is_relative_to(root):
        return False
    parts = path.relative_to(root).parts
    if not parts or parts[0] in _OUTPUT or any(map(is_skipped_name, parts)):
        return False
    name = parts[-1]
    return not (name.endswith(_PRODUCTS) or name == _PROBE or "jupyter_execute" in parts)


def watched_files(root: Path) -> frozenset[str]:
    """The files there are, relative to the root."""
    found = set()
    for parent, folders, files in os.walk(root):
        here = Path(parent)
        folders[:] = [name for name in folders if is_watched(here / name, root)]
        paths = (here / name for name in files)
        found |= {path.relative_to(root).as_posix() for path in paths if is_watched(path, root)}
    return frozenset(found)

"""Which paths belong to the project: below a root, and nobody's output or tool folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Any

_SKIPPED = frozenset({"__pycache__", "site-packages", "node_modules"})


def is_skipped_name(name: str) -> bool:
    """Whether a file or folder of this name never counts: hidden, generated, or a cell's name."""
    return name in _SKIPPED or name.startswith((".", "<")) or name.endswith((".pyc", ".egg-info"))


class Scope:
    """The project's roots without the folders that are left out.

    :param roots: project folders.
    :param exclude: output folders; relative ones lie below each root.
    """

    def __init__(self, roots: Iterable[Path], exclude: Iterable[Path] = ()) -> None:
        self.roots = frozenset(_absolute(root) for root in roots)
        # a path may be spelt through a symlink; it is recorded below the root as given
        self._prefixes = sorted(
            {(spelt + os.sep, root) for root in self.roots for spelt in (root, _real(root))},
            key=lambda pair: -len(pair[0]),
        )
        left_out = {
            _absolute(os.path.join(root, folder))  # noqa: PTH118 - joins absolute paths too
            for root in self.roots
            for folder in exclude
        }
        self._left_out = tuple(
            folder + os.sep for folder in left_out | {_absolute(sys.prefix)} - self.roots
        )

    def locate(self, path: Any) -> str | None:
        """The absolute path below its root, or None for a path that does not count."""
        try:
            absolute = _absolute(os.fsdecode(path))
        except (TypeError, ValueError, OSError):
            return None
        for prefix, root in self._prefixes:
            if not (absolute + os.sep).startswith(prefix):
                continue
            inner = absolute[len(prefix) :]
            located = os.path.join(root, inner) if inner else root  # noqa: PTH118
            if any((located + os.sep).startswith(folder) for folder in self._left_out):
                return None
            return None if any(map(is_skipped_name, PurePath(inner).parts)) else located
        return None


def _absolute(path: str | os.PathLike[str]) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - normalizes without resolving symlinks


def _real(path: str) -> str:
    return os.path.realpath(path)

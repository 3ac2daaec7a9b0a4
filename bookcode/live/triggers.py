"""Which changed files concern the builder itself, so that only starting again helps."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Any

from bookcode.execution.fingerprint import fingerprint
from bookcode.execution.scope import is_skipped_name
from bookcode.live.errors import RestartNeeded
from bookcode.live.project import Project

_IN_PLACE = ("book", "references")
"""Folders whose files are read anew in every build that needs them."""

_CELLS_ONLY = ("bookcode/ledger",)
"""What only cells import; they are forked, and see it as it is."""

_COMPARING = fingerprint.__code__.co_filename


class OwnFiles:
    """The project files that this process has read for itself: its modules, and what they open."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._prefix = f"{project.root}{os.sep}"
        self._opened: set[str] = set()

    def watch(self) -> None:
        """Note from now on what is opened; for the life of the process."""
        sys.addaudithook(self._audit)

    def check(self, paths: Iterable[Path], static: Iterable[Path]) -> None:
        """See that none of these paths is one of ours.

        Raises:
            RestartNeeded: for the first that is.
        """
        folders = list(static)
        modules = {
            _real(file)
            for module in list(sys.modules.values())
            if isinstance(file := getattr(module, "__file__", None), str)
        }
        for path in paths:
            name = self._project.relative(path)
            if name.startswith(tuple(f"{folder}/" for folder in _CELLS_ONLY)):
                continue
            if (
                os.path.realpath(path) in modules
                or str(path) in self._opened
                or path == self._project.root / "conf.py"
                or any(path.is_relative_to(folder) for folder in folders)
                or _is_catalogue_of_sphinx(path)
            ):
                raise RestartNeeded(name)

    def _audit(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(args[0], str | os.PathLike):
            path = os.path.normpath(os.fspath(args[0]))
            if isinstance(path, str) and path.startswith(self._prefix) and not _is_compared():
                self._note(path)

    def _note(self, path: str) -> None:
        parts = PurePath(path.removeprefix(self._prefix)).parts
        ours = parts[0] not in (*_IN_PLACE, "_build")
        # code is shown to readers, as it is at every build; ours is what we have imported
        if ours and not path.endswith(".py") and not any(map(is_skipped_name, parts)):
            self._opened.add(path)


@functools.cache
def _real(file: str) -> str:
    """Where the file of a module is; modules stay where they were imported from."""
    return os.path.realpath(file)


def _is_compared() -> bool:
    """Whether a file is opened only to see if it is what a page's cells saw."""
    frame, depth = sys._getframe(2), 4
    while frame is not None and depth:
        if frame.f_code.co_filename == _COMPARING:
            return True
        frame, depth = frame.f_back, depth - 1  # type: ignore[assignment]
    return False


def _is_catalogue_of_sphinx(path: Path) -> bool:
    """Whether it holds translations of Sphinx's own words, which are loaded at the start."""
    return path.name in ("sphinx.po", "sphinx.js")

"""In a forked process: the ledger imported anew from changed code, files with other contents.

Nothing here is undone; the process ends with its mutant.
"""

from __future__ import annotations

import ast
import builtins
import importlib.abc
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import sys
import typing
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

_ANEW: Final = tuple(
    f"bookcode.{name}"
    for name in ("ledger", "numbers", "figures", "reality", "exercises", "commands", "lab")
)
"""Packages that hold something of the ledger once they are imported."""


def forget() -> None:
    """Drop the ledger, and what was imported on top of it, so that it is imported anew.

    ``typing`` remembers every annotation that it made and would hand out the old ones, for a symbol
    of the new ledger equals its old self.
    """
    for name in list(sys.modules):
        if name.startswith(_ANEW):
            del sys.modules[name]
            package, _, attribute = name.rpartition(".")
            if package in sys.modules and hasattr(sys.modules[package], attribute):
                delattr(sys.modules[package], attribute)
    for clean in typing._cleanups:  # type: ignore[attr-defined]
        clean()


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads one module from a changed tree; places in it stay those of its file."""

    def __init__(self, name: str, path: str, tree: ast.Module) -> None:
        super().__init__(name, path)
        self._tree = tree

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._tree, self.path, "exec")


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, name: str, path: Path, tree: ast.Module) -> None:
        self._name, self._path, self._tree = name, str(path), tree

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        loader = _Loader(fullname, self._path, self._tree)
        return importlib.util.spec_from_file_location(fullname, self._path, loader=loader)


def change_module(name: str, path: Path, tree: ast.Module) -> None:
    """From now on, importing ``name`` gives the changed tree."""
    forget()
    sys.meta_path.insert(0, _Finder(name, path, tree))


def change_file(path: Path, text: str) -> None:
    """From now on, whoever reads ``path`` reads ``text``."""
    forget()
    wanted, data = os.fspath(path), text.encode("utf-8")
    plain_open, path_open = builtins.open, pathlib.Path.open

    def is_it(file: Any) -> bool:
        return isinstance(file, str | os.PathLike) and os.path.realpath(file) == wanted

    def opened(mode: str, encoding: str | None) -> Any:
        raw = io.BytesIO(data)
        return raw if "b" in mode else io.TextIOWrapper(raw, encoding or "utf-8")

    def changed_open(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        if is_it(file):
            return opened(mode, kwargs.get("encoding"))
        return plain_open(file, mode, *args, **kwargs)

    def changed_path_open(self: Path, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        if is_it(self):
            return opened(mode, kwargs.get("encoding"))
        return path_open(self, mode, *args, **kwargs)

    places: Any = pathlib.Path
    places.open = changed_path_open
    places.read_text = _reading(pathlib.Path.read_text, is_it, text)
    places.read_bytes = _reading(pathlib.Path.read_bytes, is_it, data)
    setattr(builtins, "open", changed_open)  # noqa: B010 (a type checker knows its signature)


def _reading(original: Any, is_it: Any, content: Any) -> Any:
    def read(self: Path, *args: Any, **kwargs: Any) -> Any:
        return content if is_it(self) else original(self, *args, **kwargs)

    return read

"""Leaves packages out of the builder until somebody uses them.

myst-nb imports jupyter-cache with its database layer, and a client of Jupyter kernels, for ways of
execution that this project does not use. They would take a quarter of the builder's memory and a
third of a second at the start.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

UNUSED = (
    "myst_nb.core.execute.cache",
    "myst_nb.core.execute.inline",
    "jupyter_cache",
    "jupyter_cache.base",
    "jupyter_cache.cache",
    "jupyter_cache.cache.db",
    "jupyter_cache.executors",
    "jupyter_cache.executors.utils",
)


class LateModule(ModuleType):
    """A module whose names stand for the real ones, which are imported when first used."""

    def __getattr__(self, name: str) -> LateName:
        if name.startswith("__"):
            raise AttributeError(name)
        return LateName(self.__name__, name)


class LateName:
    """A function or class of a module that is not imported yet."""

    def __init__(self, module: str, name: str) -> None:
        self._late = (module, name)

    def _real(self) -> Any:
        module, name = self._late
        _withdraw()
        return getattr(importlib.import_module(module), name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._real()(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real(), name)


def leave_out(names: tuple[str, ...] = UNUSED) -> None:
    """Put late modules in the place of those that are not imported yet."""
    for name in names:
        if name not in sys.modules:
            module = LateModule(name)
            module.__path__ = []
            sys.modules[name] = module


def _withdraw() -> None:
    for name, module in list(sys.modules.items()):
        if isinstance(module, LateModule):
            del sys.modules[name]

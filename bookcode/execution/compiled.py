"""The project's modules as byte code, kept in the process that forks: no fork compiles them again.

Kept with the source that it is of, byte for byte: it cannot be stale.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable
from pathlib import Path
from types import CodeType

_known: dict[str, tuple[bytes, CodeType]] = {}


def code_of(path: str, source: bytes) -> CodeType | None:
    """The code of a module, if it was compiled from this very source."""
    kept = _known.get(path)
    return kept[1] if kept is not None and kept[0] == source else None


def keep_compiled(paths: Iterable[Path]) -> None:
    """Compile the Python files among ``paths`` that are not known as they are now.

    One that cannot be compiled, or not without a warning, is left to whoever imports it, who shall
    see why.
    """
    for path in paths:
        if path.suffix == ".py":
            with contextlib.suppress(OSError, SyntaxError, ValueError, RecursionError, MemoryError):
                _keep(str(path), path.read_bytes())


def _keep(name: str, source: bytes) -> None:
    if code_of(name, source) is not None:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            code = compile(source, name, "exec", dont_inherit=True)
        except Warning:
            return
    _known[name] = source, code

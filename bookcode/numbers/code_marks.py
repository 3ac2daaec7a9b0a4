"""Which ledger code and table rows a calculation ran through, with a hash of each.

The lock keeps these, so that a drift report can name the function and the file that changed. Hashes
are of the syntax tree without docstrings and comments: rewording a docstring is not a change.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import sys
import textwrap
import tokenize
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any


def run_marked(function: Callable[[], Any], packages: tuple[str, ...]) -> tuple[Any, set[CodeType]]:
    """Call ``function``; also return the code of every function of ``packages`` that ran."""
    reached: set[CodeType] = set()

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_globals.get("__name__", "").startswith(packages):
            reached.add(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        return function(), reached
    finally:
        sys.setprofile(before if callable(before) else None)  # a C profiler hands out no function


PLUMBING = ("protocol", "operator", "errors", "tables", "symbols")


def describe(codes: set[CodeType], root: Path) -> dict[str, str]:
    """ "file::qualified name" to a hash, for code below ``root`` that does arithmetic."""
    return dict(sorted(mark for code in codes if (mark := _described(code, root))))


@functools.cache
def _described(code: CodeType, root: Path) -> tuple[str, str] | None:
    path = Path(code.co_filename)
    if not path.is_relative_to(root) or path.stem in PLUMBING or "<" in code.co_qualname:
        return None
    return f"{path.relative_to(root).as_posix()}::{code.co_qualname}", _code_hash(code)


def _code_hash(code: CodeType) -> str:
    try:
        tree = ast.parse(source_of(code))
    except OSError:
        return "unreadable"
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _is_docstring(body[0]) and len(body) > 1:
            node.body = body[1:]  # type: ignore[attr-defined]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()[:16]


def source_of(code: CodeType) -> str:
    """The source of a function, beginning at the margin.

    :func:`inspect.getsource` finds the same, but first asks every imported module for its file,
    which took a tenth of a page's time.

    Raises:
        OSError: when its file cannot be read, or does not reach as far.
    """
    with tokenize.open(code.co_filename) as file:
        lines = file.readlines()[code.co_firstlineno - 1 :]
    if not lines:
        raise OSError(f"{code.co_filename} has no line {code.co_firstlineno}")
    return textwrap.dedent("".join(inspect.getblock(lines)))


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def row_marks(values: list[Any]) -> dict[str, str]:
    """ "kind name" to a hash of the quantities, for the table rows among ``values``."""
    marks = {}
    for value in values:
        if is_dataclass(value) and not isinstance(value, type) and hasattr(value, "name"):
            kind = type(value).__name__.lower()
            marks[f"{kind} {value.name}"] = _row_hash(value)
    return dict(sorted(marks.items()))


def _row_hash(row: Any) -> str:
    quantities = {
        f.name: _plain(getattr(row, f.name)) for f in fields(row) if "symbol" in f.metadata
    }
    return hashlib.sha256(repr(sorted(quantities.items())).encode()).hexdigest()[:16]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return sorted((key, str(entry)) for key, entry in value.items())
    return str(value)

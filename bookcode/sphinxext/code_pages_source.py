"""A source file as the code browser shows it: read as text, never imported. No Sphinx here."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

SUFFIXES: Final = {".py": "python", ".toml": "toml", ".json": "json"}
"""Files that are shown, with the languages they are written in."""
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Definition:
    """A function, class or method.

    Attributes:
        name: as Python qualifies it inside the module.
        start, line, end: lines of its first decorator, of its head, and its last one.
        summary: first paragraph of its docstring.
    """

    name: str
    start: int
    line: int
    end: int
    summary: str


@dataclass(frozen=True)
class CodeFile:
    """A file of the project: its path as seen from the root, and what stands in it."""

    path: str
    text: str
    summary: str = ""
    definitions: tuple[Definition, ...] = field(default=())

    @property
    def language(self) -> str:
        """The name of the language for highlighting."""
        return SUFFIXES.get(Path(self.path).suffix, "text")

    def at(self, line: int) -> Definition | None:
        """The innermost definition that a line belongs to."""
        around = [known for known in self.definitions if known.start <= line <= known.end]
        return max(around, key=lambda known: known.start, default=None)


def read_code(path: str, text: str) -> CodeFile:
    """Look through a file; one that is no valid Python has no definitions."""
    if not path.endswith(".py"):
        return CodeFile(path, text, _leading_comment(text))
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return CodeFile(path, text)
    return CodeFile(path, text, _summary(tree), tuple(_definitions(tree, "")))


def code_below(root: Path, folders: tuple[str, ...]) -> Iterator[str]:
    """The paths of the files to show below some folders of the project, in order."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                yield path.relative_to(root).as_posix()


def _definitions(tree: ast.Module | ast.ClassDef, outer: str) -> Iterator[Definition]:
    for node in tree.body:
        if isinstance(node, _Definition):
            name = f"{outer}{node.name}"
            start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            yield Definition(name, start, node.lineno, node.end_lineno or start, _summary(node))
            if isinstance(node, ast.ClassDef):
                yield from _definitions(node, f"{name}.")


def _summary(node: ast.Module | _Definition) -> str:
    return _paragraph(ast.get_docstring(node) or "")


def _leading_comment(text: str) -> str:
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# "))
    return _paragraph("\n".join(lines))


def _paragraph(text: str) -> str:
    """The first paragraph as one line."""
    return " ".join(inspect.cleandoc(text).split("\n\n")[0].split())

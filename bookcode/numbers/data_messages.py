"""Texts of data that readers see in hints and generated tables, for the catalogue ``data``.

They stand in the registry of sources, in the ledger's tables (machines, links, models), at the
ledger's symbols, in the change log of numbers, and in the record of the survey. Nothing here is
needed to build a page.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bookcode.ledger import LINKS, MACHINES, MODELS
from bookcode.numbers.change_log import CHANGES, read_changes
from bookcode.reality.record import RECORD as REALITY
from bookcode.reality.record import read as read_reality
from bookcode.reality.record import texts as reality_texts
from bookcode.sources.registry import Registry
from bookcode.sources.translated import texts_of

LEDGER: Final = Path(__file__).parents[1] / "ledger"
_DECLARE: Final = ("Symbol", "quantity", "named")
"""Calls whose last of three arguments is what a symbol means."""


@dataclass(frozen=True, slots=True)
class DataMessage:
    """A text of data to translate.

    Attributes:
        text: in English; the key of the catalogue.
        path, line: where it stands, relative to the project.
        comment: whose it is.
    """

    text: str
    path: str
    line: int
    comment: str


def data_messages(root: Path) -> list[DataMessage]:
    """Every text of a project's data, each once, in the order of where it stands.

    Raises:
        RegistryError: for a registry that has defects.
        ChangeLogError: for a change log that cannot be read.
        RealityError: for a record of the survey that cannot be read.
    """
    first: dict[str, DataMessage] = {}
    found = (*_of_symbols(), *_of_tables(), *_of_registry(root), *_of_changes(root))
    for message in (*found, *_of_reality(root)):
        first.setdefault(message.text, message)
    return list(first.values())


def _of_symbols() -> Iterator[DataMessage]:
    for path in sorted(LEDGER.rglob("*.py")):
        name = path.relative_to(LEDGER.parents[1]).as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            if node.func.id not in _DECLARE or len(node.args) != 3:
                continue
            symbol, _, meaning = node.args
            if isinstance(symbol, ast.Constant) and isinstance(meaning, ast.Constant):
                letter, said = str(symbol.value), str(meaning.value)
                yield DataMessage(said, name, node.lineno, f"symbol {letter}")


def _of_tables() -> Iterator[DataMessage]:
    tables: dict[str, tuple[Mapping[str, Any], str]] = {
        "machine": (MACHINES, "bookcode/ledger/machines/profiles.toml"),
        "link": (LINKS, "bookcode/ledger/machines/_machine.py"),
        "model": (MODELS, "bookcode/ledger/models.py"),
    }
    for kind, (table, path) in tables.items():
        for name, row in table.items():
            title = row.title
            if title != name:
                yield DataMessage(title, path, 0, f"{kind} {name}, title")
            if conditions := getattr(row, "conditions", ""):
                yield DataMessage(conditions, path, 0, f"{kind} {name}, conditions")


def _of_registry(root: Path) -> Iterator[DataMessage]:
    folder = root / "references"
    if not (folder / "facts.toml").exists():
        return
    for text, at, comment in texts_of(Registry.load(folder)):
        yield DataMessage(text, at.file.relative_to(root).as_posix(), at.line, comment)


def _of_changes(root: Path) -> Iterator[DataMessage]:
    for number, change in enumerate(read_changes(root), 1):
        yield DataMessage(change["why"], CHANGES.as_posix(), 0, f"change {number}, why")


def _of_reality(root: Path) -> Iterator[DataMessage]:
    path = root / REALITY
    if not path.exists():
        return
    for text, comment in reality_texts(read_reality(path)):
        yield DataMessage(text, REALITY.as_posix(), 0, comment)

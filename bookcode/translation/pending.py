"""The committed list of messages that may stay without a translation for now, with reasons."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import tomlkit
from tomlkit.items import String, StringType, Trivia

from bookcode.numbers.errors import did_you_mean
from bookcode.numbers.files import write_atomic
from bookcode.translation.errors import PendingError

PATH: Final = Path("references/pending-translations.toml")
_FIELDS: Final = ("language", "catalogue", "message", "why")
_HEAD: Final = (
    "Messages whose translation is still to come, each with the reason. The page shows the English",
    'text with a mark. `nox -s i18n -- --pending --why "…"` writes this list; a release needs it',
    "empty.",
)


@dataclass(frozen=True, slots=True)
class Pending:
    """A message that may stay untranslated.

    Attributes:
        language: Sphinx's name of it.
        catalogue: its name, without folder and suffix ("cells/01-roofline/04-tile").
        message: the whole English text.
        why: the reason.
        line: where the list names it.
    """

    language: str
    catalogue: str
    message: str
    why: str
    line: int = 0

    @property
    def place(self) -> tuple[str, str, str]:
        """What it is about."""
        return self.language, self.catalogue, self.message


class PendingList:
    """The list as it is committed; a missing file is an empty list."""

    def __init__(self, entries: Iterable[Pending] = ()) -> None:
        self.entries = list(entries)
        self._known = {entry.place: entry for entry in self.entries}

    @classmethod
    def load(cls, root: Path) -> PendingList:
        """Read the list of a project.

        Raises:
            PendingError: for a file that is not such a list, or an entry without a reason.
        """
        path = root / PATH
        if not path.exists():
            return cls()
        text = path.read_text("utf-8")
        try:
            tables = tomllib.loads(text).get("pending", [])
        except tomllib.TOMLDecodeError as error:
            raise PendingError(f"{PATH.as_posix()}: {error}") from None
        lines = [n for n, line in enumerate(text.split("\n"), 1) if line.strip() == "[[pending]]"]
        if not isinstance(tables, list) or len(lines) != len(tables):
            raise PendingError(f"{PATH.as_posix()}:1: entries begin with [[pending]]")
        return cls(_entry(table, line) for table, line in zip(tables, lines, strict=True))

    def find(self, language: str, catalogue: str, message: str) -> Pending | None:
        """The entry of a message, if it is listed."""
        return self._known.get((language, catalogue, message))

    def write(self, root: Path) -> None:
        """Write the list, sorted; an empty one keeps its head."""
        document = tomlkit.document()
        for line in _HEAD:
            document.add(tomlkit.comment(line))
        tables = tomlkit.aot()
        for entry in sorted(self.entries, key=lambda entry: entry.place):
            table = tomlkit.table()
            for field in _FIELDS:
                table[field] = _on_one_line(getattr(entry, field))
            tables.append(table)
        if self.entries:
            document.add(tomlkit.nl())
            document.add("pending", tables)
        write_atomic(root / PATH, tomlkit.dumps(document))


def _on_one_line(text: str) -> String:
    """A basic string; tomlkit would choose several lines for a text with line ends."""
    made: String = tomlkit.string(text)
    return String(StringType.SLB, str(made), made.as_string()[1:-1], Trivia())


def _entry(table: dict[str, Any], line: int) -> Pending:
    place = f"{PATH.as_posix()}:{line}"
    for field in table:
        if field not in _FIELDS:
            raise PendingError(f"{place}: no field {field!r}{did_you_mean(field, _FIELDS)}")
    for field in _FIELDS:
        if not isinstance(table.get(field), str) or not table[field].strip():
            raise PendingError(f"{place}: {field} must be a text that says something")
    return Pending(**table, line=line)

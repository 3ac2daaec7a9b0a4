"""Reads the catalogues of translations (``.po`` files)."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polib

from bookcode.translation.errors import CatalogueError

_LINE = re.compile(r"line (\d+)")


@dataclass(frozen=True, slots=True)
class Entry:
    """A message and its translation.

    Attributes:
        path, line: where its ``msgid`` stands; the path is relative to the project.
        said: the line of its ``msgstr``.
        msgid, msgstr: the English text, and the translation ("" if there is none).
        fuzzy: the translation was made for another English text.
        previous: that other text, "" if unknown.
        obsolete: the page no longer has this message.
        comment: what the extraction says of it ("claim: key").
    """

    path: str
    line: int
    said: int
    msgid: str
    msgstr: str
    fuzzy: bool = False
    previous: str = ""
    obsolete: bool = False
    comment: str = ""

    @property
    def shown(self) -> bool:
        """Whether a page shows the translation."""
        return bool(self.msgstr.strip()) and not self.fuzzy and not self.obsolete


@dataclass(frozen=True)
class Catalogue:
    """The messages of one page.

    Attributes:
        path: the file, relative to the project.
        entries: in the order of the file.
    """

    path: str
    entries: tuple[Entry, ...]

    @functools.cached_property
    def by_message(self) -> Mapping[str, Entry]:
        """The entries that are not obsolete, by English text; of two, one that is translated."""
        found: dict[str, Entry] = {}
        for entry in self.entries:
            if not entry.obsolete and (entry.shown or entry.msgid not in found):
                found[entry.msgid] = entry
        return found


def read_catalogue(path: Path, root: Path) -> Catalogue:
    """Read a ``.po`` file; paths in the result are relative to ``root``.

    Raises:
        CatalogueError: for a file that is missing or is no catalogue, with file and line.
    """
    name = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
    try:
        state = path.stat()
    except OSError:
        raise CatalogueError(name, 1, "no such catalogue; `nox -s i18n` makes it") from None
    return _read(path, name, state.st_mtime_ns, state.st_size)


@functools.lru_cache(maxsize=512)
def _read(path: Path, name: str, changed: int, size: int) -> Catalogue:
    try:
        text = path.read_text("utf-8")
        found = polib.pofile(text, wrapwidth=78) if text.strip() else polib.POFile()
    except (OSError, UnicodeDecodeError, ValueError) as error:
        line = _LINE.search(str(error))
        raise CatalogueError(name, int(line[1]) if line else 1, f"no catalogue: {error}") from None
    said = _lines_of_translations(text)
    return Catalogue(name, tuple(_entry(name, entry, said) for entry in found))


def _entry(name: str, entry: polib.POEntry, said: Mapping[int, int]) -> Entry:
    first = entry.linenum or 1  # of its comments
    line = next((line for line in said if line >= first), first)
    return Entry(
        path=name,
        line=line,
        said=said.get(line, line),
        msgid=entry.msgid,
        msgstr=entry.msgstr,
        fuzzy=entry.fuzzy,
        previous=entry.previous_msgid or "",
        obsolete=bool(entry.obsolete),
        comment=entry.comment,
    )


def _lines_of_translations(text: str) -> dict[int, int]:
    """Line of a ``msgid`` to the line of its ``msgstr``, in the order of the file."""
    lines: dict[int, int] = {}
    last = 0
    for number, line in enumerate(text.split("\n"), start=1):
        plain = line.removeprefix("#~ ")
        if plain.startswith("msgid "):
            last = number
        elif plain.startswith("msgstr "):
            lines[last] = number
    return lines

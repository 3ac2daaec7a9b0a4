"""Reads catalogues of translations: what a message is in another language, if anybody said it.

A message that is not translated, or whose translation was marked as doubtful, is not in there.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import polib

from bookcode.numbers.errors import NumbersError

MESSAGES: Final = "LC_MESSAGES"
CELLS: Final = "cells"
"""The folder of the catalogues of what cells give, one for each page."""
DATA: Final = "data"
"""The catalogue of texts that stand in data: facts, citations, machines, symbols."""


class CatalogueError(NumbersError):
    """A catalogue that cannot be read."""


def path_of(locale: Path, language: str, name: str) -> Path:
    """The file of a catalogue by its name: ``data``, or ``cells/`` and a page's name."""
    return locale / language / MESSAGES / f"{name}.po"


def read_catalogue(path: Path) -> Mapping[str, str]:
    """The translations by message; empty for a file that does not exist.

    Raises:
        CatalogueError: for a file that is no catalogue.
    """
    try:
        stamp = path.stat()
    except FileNotFoundError:
        return MappingProxyType({})
    return _read(path, stamp.st_mtime_ns, stamp.st_size)


@functools.lru_cache(maxsize=16)
def _read(path: Path, changed: int, size: int) -> Mapping[str, str]:
    try:
        entries = polib.pofile(str(path), encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CatalogueError(f"{path.name}: {error}".replace(f"{path.parent}/", "")) from None
    return MappingProxyType({entry.msgid: entry.msgstr for entry in entries if entry.translated()})

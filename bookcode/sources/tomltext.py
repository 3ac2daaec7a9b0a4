"""Where things stand in a TOML text: the parser gives values without lines."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

_HEADER = re.compile(r"^\s*\[(?!\[)(?P<path>[^\]]*(?:\"[^\"]*\"|'[^']*')?[^\]]*)\]\s*(?:#.*)?$")
_KEY = re.compile(r"^\s*(?P<key>[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')\s*=")


@dataclass(frozen=True, slots=True)
class Place:
    """A table header, or a key of that table when `key` is given, and its line (from 1)."""

    table: tuple[str, ...]
    key: str | None
    line: int


def places(text: str) -> Iterator[Place]:
    """Headers and simple keys of `text` in order; lines inside multi-line strings are skipped."""
    table: tuple[str, ...] = ()
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        if fence:
            if fence in line:
                fence = ""
            continue
        if header := _HEADER.match(line):
            table = split_path(header["path"])
            yield Place(table, None, number)
        elif key := _KEY.match(line):
            yield Place(table, split_path(key["key"])[0], number)
        for quotes in ('"""', "'''"):
            if line.count(quotes) % 2:
                fence = quotes


def split_path(path: str) -> tuple[str, ...]:
    """The parts of a dotted TOML key, quotes taken off; empty when it is not one."""
    try:
        tree: object = tomllib.loads(f"{path} = 0")
    except tomllib.TOMLDecodeError:
        return ("",)
    parts: list[str] = []
    while isinstance(tree, dict):
        part, tree = next(iter(tree.items()))
        parts.append(part)
    return tuple(parts)


class Lines:
    """Look-up of lines in one TOML text."""

    def __init__(self, text: str) -> None:
        self._first: dict[tuple[tuple[str, ...], str | None], int] = {}
        self.repeated: list[tuple[Place, int]] = []
        """Headers that occur again, each with the line of the first."""
        for place in places(text):
            at = (place.table, place.key)
            if at in self._first:
                if place.key is None:
                    self.repeated.append((place, self._first[at]))
            else:
                self._first[at] = place.line

    def of(self, table: tuple[str, ...], key: str | None = None) -> int:
        """Line of `key` in `table`; else of the table's header; else 1."""
        return self._first.get((table, key), self._first.get((table, None), 1))

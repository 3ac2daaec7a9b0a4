"""Compares two folders byte for byte, and says where files first differ."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

AROUND: Final = 60
"""Characters shown before and after the first one that differs."""


@dataclass(frozen=True)
class Difference:
    """A file that is not the same on both sides.

    Attributes:
        name: the file, relative to the folders.
        line: the first line that differs, from 1; 0 where a side has no such file, or no text.
        sides: what stands there on each side, shortened around the first character that differs.
    """

    name: str
    line: int
    sides: tuple[str, str]

    def __str__(self) -> str:
        place = f"{self.name}:{self.line}" if self.line else self.name
        return f"{place}: differs\n  1: {self.sides[0]}\n  2: {self.sides[1]}"


def compare(one: Path, other: Path) -> tuple[int, list[Difference]]:
    """How many files there are on either side, and those that differ, by name."""
    names = sorted({*files(one), *files(other)})
    pairs = ((name, _content(one / name), _content(other / name)) for name in names)
    return len(names), [difference(name, a, b) for name, a, b in pairs if a != b]


def files(folder: Path) -> list[str]:
    """Everything in a folder that is no folder, links and hidden files too."""
    return [
        (Path(at) / name).relative_to(folder).as_posix()
        for at, folders, names in os.walk(folder)
        for name in (*names, *(f for f in folders if (Path(at) / f).is_symlink()))
    ]


def _content(path: Path) -> bytes | None:
    """What a file holds, or where a link points; None where there is neither."""
    if path.is_symlink():
        return b"a link to " + os.fsencode(path.readlink())
    return path.read_bytes() if path.is_file() else None


def difference(name: str, one: bytes | None, other: bytes | None) -> Difference:
    """Where two contents that differ do so first."""
    if one is None or other is None:
        sizes = ["no such file" if side is None else f"{len(side)} bytes" for side in (one, other)]
        return Difference(name, 0, (sizes[0], sizes[1]))
    at = _first(one, other)
    if b"\0" in one[: at + 1] or b"\0" in other[: at + 1]:
        return Difference(name, 0, (_bytes(one, at), _bytes(other, at)))
    return Difference(name, one.count(b"\n", 0, at) + 1, (_text(one, at), _text(other, at)))


def _first(one: bytes, other: bytes) -> int:
    """The index of the first byte that differs, or where the shorter one ends."""
    same = 0
    for step in (1 << 16, 1 << 8, 1):  # whole blocks first: Python's loops are slow
        while one[same : same + step] == other[same : same + step] != b"":
            same += step
    return min(same, len(one), len(other))


def _bytes(content: bytes, at: int) -> str:
    return f"byte {at}: {content[at : at + 16].hex(' ') or 'the end'}"


def _text(content: bytes, at: int) -> str:
    """The line around a byte, with dots where it is cut."""
    start = content.rfind(b"\n", 0, at) + 1
    end = content.find(b"\n", at)
    end = len(content) if end < 0 else end
    if at == len(content) == start:
        return "the end of the file"
    before = content[start:at].decode("utf-8", "backslashreplace")
    after = content[at:end].decode("utf-8", "backslashreplace")
    head = "…" if len(before) > AROUND else ""
    tail = "…" if len(after) > AROUND else ""
    return f"{head}{before[-AROUND:]}{after[:AROUND]}{tail}"

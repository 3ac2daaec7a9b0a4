"""What the cells of a page of the book publish, without building the book."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bookcode.numbers.records import NumberRecord

ROOT = Path(__file__).parents[2]
_CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_EXERCISE = re.compile(r"^(:{4,})\{(exercise|self-test)\} (\S+)(.*?)^\1$", re.MULTILINE | re.DOTALL)
_SHOWN = re.compile(r"\{num\}`([a-z0-9.-]+)(?::[^`]*)?`")
_CLAIMED = re.compile(r"\{holds\}`(?:[^`<]*<)?([a-z0-9.-]+)>?`")
_TABLE = re.compile(r":::\{number-table\}[^\n]*\n:columns: ([^\n]*)\n(.*?)^:::$", re.M | re.S)


@dataclass(frozen=True)
class Exercise:
    """An exercise as it is written: its id, its options, and what it shows."""

    name: str
    text: str

    def option(self, name: str) -> str:
        """An option's text; "" where there is none."""
        found = re.search(rf"^:{name}: (.*)$", self.text, re.MULTILINE)
        return found[1] if found else ""

    @property
    def shown(self) -> set[str]:
        """Keys of all numbers shown, in tables too."""
        return set(_SHOWN.findall(self.text)) | set(self._tabulated())

    @property
    def claimed(self) -> set[str]:
        """Keys of all verdicts."""
        return set(_CLAIMED.findall(self.text))

    def _tabulated(self) -> Iterator[str]:
        for columns, rows in _TABLE.findall(self.text):
            fields = [re.search(r"= ([a-z0-9.-]+)", part)[1] for part in columns.split("|")]  # type: ignore[index]
            for row in filter(str.strip, rows.splitlines()):
                prefix = row.split("|")[1].strip()
                yield from (f"{prefix}.{field}" for field in fields)


@dataclass(frozen=True)
class Ran:
    """A page whose cells ran: exercises, exact values by key, and the page's own module."""

    exercises: dict[str, Exercise]
    values: dict[str, Fraction]
    javascript: str


@functools.cache
def ran(page: str) -> Ran:
    """Run the cells of a page."""
    text = (ROOT / "book" / page).read_text("utf-8")
    cells = re.sub(r"^:tags:.*\n", "", "\n".join(_CELL.findall(text)), flags=re.MULTILINE)
    names: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BOOKCODE_ROOT", str(ROOT))
        patch.setenv("BOOKCODE_CHECK_POINTS", "1")
        exec(compile(cells, page, "exec"), names)
    book = names["book"]
    records = [r for r in book._records.values() if isinstance(r, NumberRecord)]
    values = {r.key: r.number for r in records if r.number is not None}
    exercises = {name: Exercise(name, body) for _, _, name, body in _EXERCISE.findall(text)}
    module = book._module()
    assert module is not None
    return Ran(exercises, values, module.javascript)

"""The committed record of what the page shows: made by a command, compared by the verifier.

Standard library only. The build reads it and needs neither the pinned sources nor numpy; where a
store holds the sources, the verifier makes the parts anew and names what differs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from bookcode.numbers.files import write_atomic
from bookcode.reality.errors import RealityError, unknown
from bookcode.reality.evidence import SOURCE

RECORD: Final = Path("references") / "measurements" / "reality.json"
FORMAT: Final = 1
PARTS: Final = ("results", "tables", "drawings", "counters", "published", "mutants")
"""Parts of a record; the first three come out of the survey of the measured tables."""
SURVEYED: Final = PARTS[:3]
_WORD: Final = re.compile("[a-z]{4}")
"""What makes a unit one of words: "days", not "ms"."""
_WORDS: Final = re.compile("[a-z ]{4,}")
"""An input that is told in words: "not causal", not "float16"."""
SHOWN: Final = 5
"""Differences of a part that are spelt out; the rest is counted."""


@dataclass(frozen=True)
class Found:
    """A number of the record.

    Attributes:
        what: what was counted or measured, in a few words.
        value: exact, as text. unit: "1", "s", ...
    """

    what: str
    value: str
    unit: str

    @property
    def number(self) -> Fraction:
        """The exact value."""
        return Fraction(self.value)


@dataclass(frozen=True)
class PageRecord:
    """The record.

    Attributes:
        artifact: whose tables were surveyed, with its version.
        parts: plain data by part.
    """

    artifact: str
    parts: Mapping[str, Any]

    def result(self, name: str) -> Found:
        """A number by name.

        Raises:
            RealityError: with the nearest names.
        """
        results = self.parts["results"]
        if name not in results:
            raise RealityError(f"{RECORD.name}: {unknown('result', name, results)}")
        return Found(**results[name])

    def table(self, name: str) -> list[dict[str, Any]]:
        """The rows of a table by name.

        Raises:
            RealityError: with the nearest names.
        """
        tables = self.parts["tables"]
        if name not in tables:
            raise RealityError(f"{RECORD.name}: {unknown('table', name, tables)}")
        rows: list[dict[str, Any]] = tables[name]
        return rows

    def drawing(self, name: str) -> dict[str, Any]:
        """What a figure draws, by name.

        Raises:
            RealityError: with the nearest names.
        """
        drawings = self.parts["drawings"]
        if name not in drawings:
            raise RealityError(f"{RECORD.name}: {unknown('drawing', name, drawings)}")
        drawing: dict[str, Any] = drawings[name]
        return drawing


def read(path: Path) -> PageRecord:
    """Read a record.

    Raises:
        RealityError: naming the file and, where there is one, the line.
    """
    try:
        data = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise RealityError(
            f"{path.name}: {error.strerror}; run `reality --mutants --write`"
        ) from None
    except json.JSONDecodeError as error:
        raise RealityError(f"{path.name}:{error.lineno}: not JSON: {error.msg}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise RealityError(f"{path.name}:1: not a record of format {FORMAT}")
    if missing := [part for part in (*PARTS, "artifact") if part not in data]:
        raise RealityError(f"{path.name}: the record lacks {missing[0]!r}")
    return PageRecord(str(data["artifact"]), {part: data[part] for part in PARTS})


def write(path: Path, record: PageRecord) -> None:
    """Write a record; a broken run leaves the former one."""
    data = {"format": FORMAT, "artifact": record.artifact, **record.parts}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def texts(record: PageRecord) -> Iterator[tuple[str, str]]:
    """Every text of the record that a reader sees as words, and whose it is.

    Not those that quote: places, formulas and titles.
    """
    for row in record.table("beaten"):
        for said in row["evidence"]:
            if SOURCE in said:
                yield said[SOURCE], "evidence, where a figure was read"
    for counter, rows in record.parts["counters"].items():
        for row in rows:
            for size in sizes(row["inputs"]):
                if _WORDS.fullmatch(size):
                    yield size, f"counter {counter}, an input"
            for reason in row["why"]:
                yield reason["reason"], f"counter {counter}, why it differs"
    for table in record.parts["published"]:
        whose = f"published table {table['source']['title']!r}"
        for row in table["rows"]:
            yield row["what"], f"{whose}, what"
            if _WORD.search(row["unit"]):
                yield row["unit"], f"{whose}, unit"
            if row["why"]:
                yield row["why"], f"{whose}, why it does not follow"
    for checks in record.parts["mutants"].values():
        for check in checks:
            yield check, "outside check"


def sizes(inputs: str) -> list[str]:
    """The inputs of a counter one by one: "m = 4096", "float16", "not causal"."""
    return inputs.split(", ")


def differences(recorded: Any, now: Any, place: str = "") -> Iterator[str]:
    """Where two pieces of plain data differ, each with its place."""
    if isinstance(recorded, Mapping) and isinstance(now, Mapping):
        for key in dict.fromkeys([*recorded, *now]):
            inner = f"{place}.{key}" if place else str(key)
            if key not in now:
                yield f"{inner}: recorded, but not found now"
            elif key not in recorded:
                yield f"{inner}: not in the record"
            else:
                yield from differences(recorded[key], now[key], inner)
    elif isinstance(recorded, list) and isinstance(now, list):
        if len(recorded) != len(now):
            yield f"{place}: {len(recorded)} entries recorded, now {len(now)}"
        for index, (old, new) in enumerate(zip(recorded, now, strict=False)):
            yield from differences(old, new, f"{place}[{index}]")
    elif recorded != now:
        yield f"{place}: recorded {recorded!r}, now {now!r}"


def shortened(found: Iterator[str]) -> list[str]:
    """The first differences, and how many more there are."""
    listed = list(found)
    more = len(listed) - SHOWN
    return [*listed[:SHOWN], *([f"… and {more} more"] if more > 0 else [])]

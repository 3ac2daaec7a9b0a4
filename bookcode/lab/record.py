"""The record of the lab's results: reading, writing and comparing it. Standard library only.

Each result declares what a repetition owes to it: an ``equal`` one must come out the same, a
``varies`` one (a time, a rounding error) must be there, in the same unit.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, Literal

from bookcode.lab.errors import LabError

RECORD: Final = Path("references/measurements/lab.json")
FORMAT: Final = 1
Rule = Literal["equal", "varies"]
RULES: Final = ("equal", "varies")


@dataclass(frozen=True)
class Measured:
    """One result.

    Attributes:
        what: what was done, in a sentence.
        rule: what a repetition owes to it.
        value: an exact number as text ("3", "1/7"); empty for a result in words.
        unit: the number's unit ("1", "B", "FLOP", "s"); empty for words.
        lines: a result in words, such as operators in order.
    """

    what: str
    rule: Rule
    value: str = ""
    unit: str = ""
    lines: tuple[str, ...] = ()

    @property
    def number(self) -> Fraction:
        """The exact value."""
        return Fraction(self.value)


@dataclass(frozen=True)
class Record:
    """Results with the conditions under which they came about.

    Attributes:
        date: the day, in ISO form.
        versions: of the programs that took part, by name.
        results: by name.
    """

    date: str
    versions: Mapping[str, str]
    results: Mapping[str, Measured] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Measured:
        if name not in self.results:
            raise LabError(f"the record has no result {name!r}{_nearest(name, self.results)}")
        return self.results[name]


def _nearest(name: str, known: Mapping[str, Any]) -> str:
    import difflib

    near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    return f"; did you mean {' or '.join(near)}?" if near else f"; known: {', '.join(known)}"


def read(path: Path) -> Record:
    """Read a record.

    Raises:
        LabError: naming file and line for what is no JSON, and the result that has a wrong shape.
    """
    try:
        data = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise LabError(f"{path}: {error.strerror}") from None
    except json.JSONDecodeError as error:
        raise LabError(f"{path}:{error.lineno}: not JSON: {error.msg}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise LabError(f"{path}:1: not a record of format {FORMAT}")
    try:
        results = {name: _result(name, entry) for name, entry in data["results"].items()}
        return Record(data["date"], data["versions"], results)
    except (KeyError, AttributeError) as error:
        raise LabError(f"{path}: the record lacks {error}") from None
    except LabError as error:
        raise LabError(f"{path}: {error}") from None


def _result(name: str, entry: Mapping[str, Any]) -> Measured:
    try:
        made = Measured(**{**entry, "lines": tuple(entry.get("lines", ()))})
    except TypeError as error:
        raise LabError(f"result {name!r}: {error}") from None
    if made.rule not in RULES:
        raise LabError(f"result {name!r}: rule {made.rule!r}; known: {', '.join(RULES)}")
    if bool(made.value) == bool(made.lines) or bool(made.value) != bool(made.unit):
        raise LabError(f"result {name!r}: either a value with its unit, or lines")
    if made.value:
        try:
            Fraction(made.value)
        except (ValueError, ZeroDivisionError):
            raise LabError(f"result {name!r}: {made.value!r} is not an exact number") from None
    return made


def text_of(record: Record) -> str:
    """The file's content: sorted, without what is empty."""
    results = {
        name: {key: value for key, value in asdict(result).items() if value}
        for name, result in record.results.items()
    }
    data = {
        "format": FORMAT,
        "date": record.date,
        "versions": dict(record.versions),
        "results": results,
    }
    return json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def write(path: Path, record: Record) -> None:
    """Write a record; a reader meets the old file or the new one, never half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text_of(record))
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@dataclass(frozen=True)
class Difference:
    """A result that a repetition did not confirm."""

    name: str
    message: str

    def __str__(self) -> str:
        return f"{self.name}: {self.message}"


def compare(recorded: Record, again: Record) -> list[Difference]:
    """What a repetition does not confirm; nothing where all is well.

    A repetition with other versions confirms nothing, so that is a difference of its own.
    """
    found = [
        Difference(name, f"version {again.versions.get(name)}, recorded with {version}")
        for name, version in recorded.versions.items()
        if name in DECIDING and again.versions.get(name) != version
    ]
    for name in sorted({*recorded.results, *again.results}):
        old, new = recorded.results.get(name), again.results.get(name)
        if old is None or new is None:
            missing = "not in the record" if old is None else "not measured again"
            found.append(Difference(name, missing))
        elif message := _against(old, new):
            found.append(Difference(name, message))
    return found


DECIDING: Final = ("torch",)
"""Programs whose version decides what must be equal; the others are told for information."""


def _against(old: Measured, new: Measured) -> str:
    if (old.rule, old.unit, bool(old.lines)) != (new.rule, new.unit, bool(new.lines)):
        return "declared otherwise in the record"
    if old.rule == "varies":
        return ""
    if old.lines != new.lines:
        return f"recorded {' | '.join(old.lines)}, now {' | '.join(new.lines)}"
    if old.value and old.number != new.number:
        return f"recorded {old.value} {old.unit}, now {new.value} {new.unit}"
    return ""

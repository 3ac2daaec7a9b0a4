"""The list of mutants that change nothing, or nothing that is anybody's statement, with reasons.

``references/mutants.toml``::

    [[equivalent]]
    kind = "ledger"
    name = "bookcode/ledger/x.py::f: a < b → a <= b"
    reason = "a is never b: ..."

A ``*`` in a name stands for any text, also for itself. An entry that fits no surviving mutant of a
whole run is stale, and that is an error.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bookcode.mutants._model import MutantsError, Verdict

_FIELDS: Final = ("kind", "name", "reason")


@dataclass(frozen=True, slots=True)
class Equivalent:
    """One entry: which mutants, and why they count as equivalent."""

    kind: str
    name: str
    reason: str
    line: int

    def fits(self, verdict: Verdict) -> bool:
        """Whether the entry speaks of this mutant."""
        mutant = verdict.mutant
        if mutant.kind != self.kind:
            return False
        if "*" not in self.name:
            return mutant.name == self.name
        pattern = ".*".join(map(re.escape, self.name.split("*")))
        return re.fullmatch(pattern, mutant.name, re.DOTALL) is not None


@dataclass
class Equivalents:
    """All entries of the file."""

    path: str
    entries: Sequence[Equivalent]
    _used: set[int] = field(default_factory=set)

    @classmethod
    def read(cls, path: Path) -> Equivalents:
        """The entries of a file; none where there is no file.

        Raises:
            MutantsError: with file and line, for an entry without kind, name or reason.
        """
        if not path.exists():
            return cls(path.name, [])
        text = path.read_text("utf-8")
        try:
            tables = tomllib.loads(text).get("equivalent", [])
        except tomllib.TOMLDecodeError as error:
            raise MutantsError(f"{path.name}: {error}") from None
        lines = [
            n for n, line in enumerate(text.split("\n"), 1) if line.strip() == "[[equivalent]]"
        ]
        return cls(
            path.name, [_entry(path.name, *pair) for pair in zip(lines, tables, strict=True)]
        )

    def judge(self, verdict: Verdict) -> Verdict:
        """The verdict, or "equivalent" with the reason for a survivor that is listed."""
        if verdict.outcome != "survived":
            return verdict
        for entry in self.entries:
            if entry.fits(verdict):
                self._used.add(entry.line)
                return Verdict(verdict.mutant, "equivalent", "", entry.reason)
        return verdict

    def check_stale(self, verdicts: Iterable[Verdict]) -> None:
        """Refuse entries that no survivor of a whole run needed.

        Raises:
            MutantsError: for the first one, with its line and the nearest mutant.
        """
        for entry in self.entries:
            if entry.line in self._used:
                continue
            names = [v.mutant.name for v in verdicts if v.mutant.kind == entry.kind]
            near = difflib.get_close_matches(entry.name, names, n=1)
            killed = next((v for v in verdicts if entry.fits(v) and v.outcome == "killed"), None)
            if killed is not None:
                why = f"that mutant is killed ({killed.by})"
            else:
                why = f"no such mutant{f'; did you mean {near[0]!r}?' if near else ''}"
            raise MutantsError(f"{self.path}:{entry.line}: stale entry {entry.name!r}: {why}")


def _entry(file: str, line: int, table: dict[str, str]) -> Equivalent:
    for name in _FIELDS:
        if not isinstance(table.get(name), str) or not table[name].strip():
            raise MutantsError(f"{file}:{line}: {name} must be a text")
    for name in table:
        if name not in _FIELDS:
            near = difflib.get_close_matches(name, _FIELDS, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise MutantsError(f"{file}:{line}: unknown key {name!r}{hint}")
    return Equivalent(table["kind"], table["name"], table["reason"], line)

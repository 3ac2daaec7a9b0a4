"""What passes between the parts: a mutant, and what became of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bookcode.numbers.errors import NumbersError

Outcome = Literal["killed", "survived", "equivalent", "not run"]


class MutantsError(NumbersError):
    """The mutants cannot be run, or their list of equivalents is wrong."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of something that the checks are to notice.

    Attributes:
        kind: what was changed: "ledger", "profile", "fact", "lock", "claim", "number",
            "verdict", "key".
        name: says the same in every run as long as the thing is there; no line numbers.
        path, line, column: where; line and column count from 1, 0 where there is none.
        what: the change in words.
        data: what its judge needs to make it.
    """

    kind: str
    name: str
    path: str
    line: int
    column: int
    what: str
    data: Any = None

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}:{self.column}" if self.line else self.path
        return f"{place}: {self.what}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutant.

    Attributes:
        by: the check that turned red, "" if none did.
        detail: what it said, or why the mutant counts as equivalent.
    """

    mutant: Mutant
    outcome: Outcome
    by: str = ""
    detail: str = ""

    def to_json(self) -> dict[str, Any]:
        """The verdict as JSON data."""
        m = self.mutant
        place = {"path": m.path, "line": m.line, "column": m.column}
        found = {"outcome": self.outcome, "by": self.by, "detail": self.detail}
        return {"kind": m.kind, "name": m.name, **place, "what": m.what, **found}


@dataclass(frozen=True, slots=True)
class Red:
    """A check that turned red: its name ("" if it could not be run) and what it said."""

    check: str
    said: str


def counted(verdicts: Sequence[Verdict]) -> dict[str, dict[str, Any]]:
    """By kind: how many of each outcome, and by which check they were killed."""
    table: dict[str, dict[str, Any]] = {}
    for kind in dict.fromkeys(v.mutant.kind for v in verdicts):
        own = [v for v in verdicts if v.mutant.kind == kind]
        outcomes = Counter(v.outcome for v in own)
        checks = Counter(v.by for v in own if v.outcome == "killed")
        table[kind] = {
            "mutants": len(own),
            **{outcome: outcomes[outcome] for outcome in ("killed", "survived", "equivalent")},
            "not run": outcomes["not run"],
            "killed by": dict(sorted(checks.items(), key=lambda pair: (-pair[1], pair[0]))),
        }
    return table

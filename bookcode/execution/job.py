"""What a forked process is told to do, and the files the two sides share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bookcode.execution.model import Cell, Limits
from bookcode.execution.scope import Scope

GRACE_SECONDS = 1.0
"""How long a process may take to come back from its time limit before it is ended."""


@dataclass(frozen=True, slots=True)
class Job:
    """One run of a chapter. ``scratch`` is a folder of its own that goes when the run ends."""

    cells: Sequence[Cell]
    cwd: Path
    limits: Limits
    scope: Scope
    scratch: Path
    env: Mapping[str, str] = field(default_factory=dict)
    grace: float = GRACE_SECONDS

    @property
    def trace_log(self) -> Path:
        """What the run looked at."""
        return self.scratch / "trace"

    @property
    def fault_log(self) -> Path:
        """Where the interpreter was when it was ended from outside Python."""
        return self.scratch / "fault"

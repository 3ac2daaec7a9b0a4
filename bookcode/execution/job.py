"""What a forked process is told to do, and the files the two sides share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bookcode.execution.model import Cell, Limits
from bookcode.execution.scope import Scope

GRACE_SECONDS = 1.0
"""How long a process may take to come back from its time limit before it is ended."""


@dataclass(frozen=True, slots=True)
class Way:
    """How cells run: the arguments of :func:`bookcode.execution.run_cells` beside the cells."""

    cwd: Path
    limits: Limits
    project_roots: Sequence[Path]
    env: Mapping[str, str] = field(default_factory=dict)
    exclude: Sequence[Path] = ()
    grace: float = GRACE_SECONDS


@dataclass(frozen=True, slots=True)
class Keep:
    """Where a run leaves a copy of itself behind: before some cells, and after some time.

    :param before: positions of cells, that after the last one included.
    :param seconds: how long cells may run since the last copy, until a place between any two of
        them will do.
    """

    before: frozenset[int] = frozenset()
    seconds: float = math.inf


@dataclass(frozen=True, slots=True)
class Job:
    """One run of a chapter. ``scratch`` is a folder of its own that goes when the run ends."""

    cells: Sequence[Cell]
    way: Way
    scope: Scope
    scratch: Path
    keep: Keep | None = None

    @property
    def trace_log(self) -> Path:
        """What the run looked at."""
        return self.scratch / "trace"

    @property
    def temporary(self) -> Path:
        """Where the cells' temporary files go."""
        return self.scratch / "tmp"

    @property
    def stdout(self) -> Path:
        """What programs that cells start write."""
        return self.scratch / "stdout"

    @property
    def stderr(self) -> Path:
        """What they write of their errors."""
        return self.scratch / "stderr"

    @property
    def fault_log(self) -> Path:
        """Where the interpreter was when it was ended from outside Python."""
        return self.scratch / "fault"

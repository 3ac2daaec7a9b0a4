"""What passes between a chapter and the process that runs its cells: plain records."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from bookcode.execution.errors import LimitError

FailureKind = Literal["error", "timeout", "memory", "died"]
Output = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell of a chapter.

    ``line`` is the 1-based line of the chapter file that holds the first line of ``source``;
    ``index`` is the cell's own number, whatever the caller counts by. ``may_raise`` lets an
    ordinary exception be part of the page (the tag ``raises-exception``).
    """

    source: str
    line: int
    index: int
    may_raise: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """What one chapter may use: wall-clock ``seconds`` and ``memory_bytes`` of address space.

    The memory counts from what the process holds when its first cell starts; threads of
    numerical libraries reserve address space too, so less than 512 MiB is rarely useful.

    :raises LimitError: when a limit is not positive.
    """

    seconds: float
    memory_bytes: int

    def __post_init__(self) -> None:
        for name in ("seconds", "memory_bytes"):
            value = getattr(self, name)
            if not value > 0:
                raise LimitError(name, value)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a chapter's cells did not all run.

    ``cell_index`` is the :attr:`Cell.index` of the failing cell, ``cell_line`` its first line in
    the chapter, ``line`` the chapter line where it went wrong (None when nobody can know).
    ``traceback`` holds the last lines without colour codes.
    """

    cell_index: int
    cell_line: int
    line: int | None
    kind: FailureKind
    ename: str
    evalue: str
    traceback: list[str]


@dataclass(frozen=True, slots=True)
class Dependencies:
    """Project files that a run looked at.

    ``files`` were imported or opened for reading; ``missing`` were looked for and not there;
    ``directories`` were listed; ``present`` were only asked whether they exist.
    """

    files: frozenset[Path] = frozenset()
    missing: frozenset[Path] = frozenset()
    directories: frozenset[Path] = frozenset()
    present: frozenset[Path] = frozenset()


@dataclass(frozen=True, slots=True)
class RunResult:
    """What came of running a chapter.

    ``outputs`` and ``execution_counts`` have one entry per given cell; an output is a dict of
    notebook format 4. A cell that did not run has no outputs and no count. ``dependencies`` is
    None when they cannot be known (an ordinary kernel ran the cells).
    """

    outputs: list[list[Output]]
    execution_counts: list[int | None]
    failure: Failure | None
    dependencies: Dependencies | None
    seconds: float = field(compare=False)

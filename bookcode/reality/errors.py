"""What can go wrong when the ledger is held against other people's data."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class RealityError(Exception):
    """Anything that this package refuses to do."""


class TableError(RealityError):
    """A table of measurements is not what its reader expects.

    Attributes:
        member: the file inside the artifact.
        line: the line, from 1; 0 when the whole file is meant.
    """

    def __init__(self, member: str, line: int, message: str) -> None:
        self.member, self.line = member, line
        super().__init__(f"{member}:{line}: {message}")


class FormulaError(RealityError):
    """A formula in somebody's source does something that our reader does not follow.

    Attributes:
        place: "member:line".
    """

    def __init__(self, place: str, message: str) -> None:
        self.place = place
        super().__init__(f"{place}: {message}")


class PublishedError(RealityError):
    """The file of published tables does not hold together."""


class MeasureError(RealityError):
    """A calibration cannot be made or written."""


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """A sentence that says that ``name`` is unknown and what is nearest to it."""
    names = sorted(known)
    near = get_close_matches(name, names, n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names)}"
    return f"unknown {what} {name!r}; {hint}"

"""Lists in the book's own words that stand beside the registry: errata, and sources still missing.

Their texts are MyST markup: numbers, facts and citations in them are roles, checked like those of
a page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final, TypeVar

from ._fields import Table
from .errors import Problem, RegistryError
from .model import Location
from .registry import _File

ERRATA: Final = "errata.toml"
MISSING: Final = "open-sources.toml"


class Urgency(Enum):
    """How badly a missing source is needed."""

    URGENT = "urgent"  # a number of the book waits for it, or stands without it
    USEFUL = "useful"  # a statement would rest on more than one leg
    MINOR = "minor"  # convenience


@dataclass(frozen=True, slots=True, kw_only=True)
class Erratum:
    """What an older version of a chapter said, what is right, and what proves it.

    `evidence` is markup of roles only: citations, facts, verdicts and numbers of this book.
    """

    id: str
    at: Location
    statement: str
    correction: str
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingSource:
    """A source that the book would need and does not have."""

    id: str
    at: Location
    what: str
    why: str
    urgency: Urgency


def _erratum(table: Table) -> Erratum:
    """`[errata.id]`"""
    record = Erratum(
        id=table.name,
        at=table.at,
        statement=table.text("statement", required=True),
        correction=table.text("correction", required=True),
        evidence=table.text("evidence", required=True),
    )
    if record.evidence and "}`" not in record.evidence:
        table.problem("'evidence' names no citation, fact, verdict or number by its role")
    return record


def _missing(table: Table) -> MissingSource:
    """`[missing.id]`"""
    return MissingSource(
        id=table.name,
        at=table.at,
        what=table.text("what", required=True),
        why=table.text("why", required=True),
        urgency=table.choice("urgency", Urgency) or Urgency.MINOR,
    )


R = TypeVar("R")


def _load(path: Path, group: str, reader: Callable[[Table], R]) -> tuple[R, ...]:
    problems: list[Problem] = []
    file = _File.read(path, problems)
    records = tuple(record for _, record in file.records(group, reader))  # type: ignore[type-var]
    file.finish()
    if problems:
        raise RegistryError(problems)
    return records


def load_errata(folder: Path) -> tuple[Erratum, ...]:
    """The errata in the order of the file; raises RegistryError with every defect."""
    return _load(folder / ERRATA, "errata", _erratum)


def load_missing(folder: Path) -> tuple[MissingSource, ...]:
    """The missing sources, the urgent ones first; raises RegistryError with every defect."""
    order = list(Urgency)
    found = _load(folder / MISSING, "missing", _missing)
    return tuple(sorted(found, key=lambda record: order.index(record.urgency)))

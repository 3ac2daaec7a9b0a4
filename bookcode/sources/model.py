"""What the registry holds: sources, citations and facts, as frozen records."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Final


class Evidence(Enum):
    """How well a citation is backed."""

    PINNED = "pinned"  # bytes of a hash-locked artifact, re-checked in this run
    RECORDED = "recorded"  # read once, on a date; not re-checkable without the network
    UNVERIFIED = "unverified"  # not read
    AUTHOR_NOTE = "author-note"  # a judgement of ours


class Kind(Enum):
    """What sort of statement a fact is."""

    VENDOR_SPECIFICATION = "vendor-specification"
    THIRD_PARTY_MEASUREMENT = "third-party-measurement"
    PAPER_REPORT = "paper-report"
    DERIVATION = "derivation"
    CONVENTION = "convention"


class FetchSet(Enum):
    """Which named set an artifact belongs to; `full` includes `core`."""

    CORE = "core"
    FULL = "full"
    NONE = "none"


UNITS: Final = (
    "1", "B", "B/cycle", "B/s", "FLOP", "FLOP/B", "FLOP/cycle", "FLOP/s", "FMA/cycle", "Hz", "W",
    "bit", "s",
)  # fmt: skip
"""The units a fact may have; powers of ten stand in the value."""


@dataclass(frozen=True, slots=True)
class Location:
    """Where in the registry a record stands."""

    file: Path
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """One file of the package index, locked by its hash. `bytes` is its exact size."""

    id: str
    at: Location
    name: str
    version: str
    file: str
    sha256: str
    bytes: int
    python: str
    licence: str
    set: FetchSet
    reason: str
    note: str = ""

    def within(self, wanted: FetchSet) -> bool:
        """Is the artifact fetched when the set `wanted` is asked for?"""
        if wanted is FetchSet.FULL:
            return self.set is not FetchSet.NONE
        return self.set is wanted and wanted is not FetchSet.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class GitSource:
    """A repository at a commit, read once on a date."""

    id: str
    at: Location
    repo: str
    commit: str
    url: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSource:
    """A page. `date` is the day it was read; absent when it was not read."""

    id: str
    at: Location
    url: str
    title: str
    date: datetime.date | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A release of a distribution looked at as a whole; no file of it is pinned."""

    id: str
    at: Location
    name: str
    version: str
    note: str = ""


Source = Artifact | GitSource | WebSource | Release


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A position in somebody's source, and what it is cited for.

    `lines` counts from 1, both ends included. `lines_sha256` is over those lines joined by LF,
    without a last LF, carriage returns kept. `upstream` is a repository at a release tag or commit
    ("owner/name@v1.2") that was seen to hold the same bytes under the same path.
    """

    id: str
    at: Location
    claim: str
    evidence: Evidence
    source: str | None = None
    path: str | None = None
    lines: tuple[int, int] | None = None
    lines_sha256: str | None = None
    file_sha256: str | None = None
    anchors: tuple[str, ...] = ()
    date: datetime.date | None = None
    conditions: str = ""
    trust: str = ""
    note: str = ""
    upstream: str = ""

    @property
    def place(self) -> str:
        """Source, path and lines, as the reader sees them."""
        lines = f":{self.lines[0]}-{self.lines[1]}" if self.lines else ""
        path = f" {self.path}{lines}" if self.path else ""
        return f"{self.source or 'no source'}{path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A number that a source states: `value` in `unit`, exactly.

    A fact of a pinned citation is read out by `path` (a dotted path of a YAML, JSON or TOML
    member), by `pattern` (one group, inside the cited lines), or is the product of `factors`.
    What is read is multiplied by `scale` and divided by the sparsity factor.
    """

    key: str
    at: Location
    value: Decimal
    unit: str
    citation: str
    kind: Kind
    machine: str = ""
    path: str | None = None
    pattern: str | None = None
    scale: Decimal = field(default=Decimal(1))
    sparsity: Decimal | None = None
    sparsity_pattern: str | None = None
    factors: tuple[str, ...] = ()
    conditions: str = ""
    conditions_pattern: str | None = None
    conditions_by: str | None = None
    contradicts: tuple[str, ...] = ()
    disputed: str = ""
    note: str = ""

    @property
    def exact(self) -> Fraction:
        """The value without rounding."""
        return Fraction(self.value)

    @property
    def extracted(self) -> bool:
        """Does the value come out of the cited bytes (or out of facts that do)?"""
        return bool(self.path or self.pattern or self.factors)

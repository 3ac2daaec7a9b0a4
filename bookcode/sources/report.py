"""What a check of citations and facts found, and how it is to end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import Final

from .model import Citation, Evidence, Fact


class Status(Enum):
    """What a check found."""

    EXACT = "exact"
    SHIFTED = "shifted"
    CHANGED = "changed"
    MISSING = "missing"
    AMBIGUOUS = "ambiguous"
    NOT_CHECKED = "not checked"
    RECORDED = "recorded"
    UNVERIFIED = "unverified"
    AUTHOR_NOTE = "author-note"


RED: Final = frozenset((Status.SHIFTED, Status.CHANGED, Status.MISSING, Status.AMBIGUOUS))


@dataclass(frozen=True, slots=True)
class CitationResult:
    """What became of one citation. `lines` is where its text stands now, if anywhere."""

    citation: Citation
    status: Status
    details: tuple[str, ...] = ()
    lines: tuple[int, int] | None = None
    candidates: tuple[tuple[int, int], ...] = ()

    @property
    def shift(self) -> int:
        """By how many lines the text stands lower than recorded; 0 unless shifted."""
        if self.status is not Status.SHIFTED or not self.lines or not self.citation.lines:
            return 0
        return self.lines[0] - self.citation.lines[0]

    def __str__(self) -> str:
        status = f"shifted by {self.shift}" if self.shift else self.status.value
        details = f": {'; '.join(self.details)}" if self.details else ""
        return f"{self.citation.id} ({self.citation.place}): {status}{details}"


@dataclass(frozen=True, slots=True)
class FactResult:
    """What became of one fact. `found` is the value in the source, where one was read."""

    fact: Fact
    status: Status
    evidence: Evidence
    details: tuple[str, ...] = ()
    found: Fraction | None = None

    def __str__(self) -> str:
        details = f": {'; '.join(self.details)}" if self.details else ""
        return f"{self.fact.key} ({self.fact.at}): {self.status.value}{details}"


@dataclass(frozen=True)
class Report:
    """The outcome of a check."""

    citations: tuple[CitationResult, ...]
    facts: tuple[FactResult, ...]
    contradictions: tuple[tuple[Fact, Fact], ...] = ()

    @cached_property
    def citation_counts(self) -> Mapping[Status, int]:
        return Counter(result.status for result in self.citations)

    @cached_property
    def fact_counts(self) -> Mapping[Status, int]:
        return Counter(result.status for result in self.facts)

    @cached_property
    def evidence_counts(self) -> Mapping[Evidence, int]:
        """Citations per class of evidence."""
        return Counter(result.citation.evidence for result in self.citations)

    @cached_property
    def red(self) -> tuple[CitationResult | FactResult, ...]:
        """Everything that is wrong."""
        return tuple(r for r in self._results if r.status in RED)

    @cached_property
    def not_checked(self) -> tuple[CitationResult | FactResult, ...]:
        """Everything that could have been checked and was not."""
        return tuple(r for r in self._results if r.status is Status.NOT_CHECKED)

    @property
    def _results(self) -> tuple[CitationResult | FactResult, ...]:
        return (*self.citations, *self.facts)

    @property
    def exit_status(self) -> int:
        """0: all green; 1: something is wrong; 3: something checkable was not checked."""
        return 1 if self.red else 3 if self.not_checked else 0

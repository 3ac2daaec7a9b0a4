"""Are the citations and facts still what the pinned sources say?

Every pinned citation is compared with the bytes of its artifact, and every fact's value is read
out of them again. What cannot be compared is said to be so, with the reason; nothing counts as
good because nobody looked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import Final, Protocol

from .errors import (
    ArtifactError,
    ArtifactMissingError,
    ExtractionError,
    MemberMissingError,
    SourcesError,
)
from .extract import missing_anchors, plain, read_value
from .members import Members, Text, lines_sha256
from .model import Artifact, Citation, Evidence, Fact
from .registry import Registry


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
_UNCHECKABLE: Final = {
    Evidence.RECORDED: Status.RECORDED,
    Evidence.UNVERIFIED: Status.UNVERIFIED,
    Evidence.AUTHOR_NOTE: Status.AUTHOR_NOTE,
}


class Shelf(Protocol):
    """Where artifacts are taken from."""

    def open(self, artifact: Artifact) -> Members:
        """The members of an artifact whose hash is right; raises ArtifactError."""
        ...


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


def check(registry: Registry, shelf: Shelf, only: Iterable[str] | None = None) -> Report:
    """Check all citations and facts, or those that `only` names.

    `only` may hold citations, facts, and sources (then all that is cited from them). Raises
    UnknownKeyError when it names something unknown.
    """
    wanted = None if only is None else frozenset(only)
    for key in wanted or ():
        registry.find(key)
    run = _Run(registry, shelf)
    cited = [
        citation.id
        for citation in registry.citations.values()
        if wanted is None or citation.id in wanted or citation.source in wanted
    ]
    citations = tuple(run.citation(key) for key in cited)
    facts = tuple(
        run.fact(fact)
        for fact in registry.facts.values()
        if fact.citation in cited or (wanted is not None and fact.key in wanted)
    )
    return Report(citations, facts, registry.contradictions() if wanted is None else ())


@dataclass
class _Run:
    """One check: each artifact is opened, and each citation looked up, once."""

    registry: Registry
    shelf: Shelf
    _opened: dict[str, Members | ArtifactError] = field(default_factory=dict)
    _citations: dict[str, CitationResult] = field(default_factory=dict)

    def text(self, citation: Citation) -> Text:
        """The cited member; raises ArtifactError, always the same one for the same artifact."""
        artifact = self.registry.artifact(citation.source or "")
        if artifact.id not in self._opened:
            try:
                self._opened[artifact.id] = self.shelf.open(artifact)
            except ArtifactError as error:
                self._opened[artifact.id] = error
        members = self._opened[artifact.id]
        if isinstance(members, ArtifactError):
            raise members
        return members.read(citation.path or "")

    def citation(self, key: str) -> CitationResult:
        if key not in self._citations:
            self._citations[key] = self._check(self.registry.citation(key))
        return self._citations[key]

    def _check(self, citation: Citation) -> CitationResult:
        if citation.evidence in _UNCHECKABLE:
            details = (citation.note,) if citation.note else ()
            return CitationResult(citation, _UNCHECKABLE[citation.evidence], details)
        try:
            text = self.text(citation)
            return compare(citation, text)
        except ArtifactError as error:
            return CitationResult(citation, _status_of(error), (str(error),))

    def fact(self, fact: Fact) -> FactResult:
        citation = self.registry.citation(fact.citation)
        evidence = citation.evidence
        if fact.factors:
            return self._derived(fact, evidence)
        found = self.citation(fact.citation)
        if found.status in _UNCHECKABLE.values():
            return FactResult(fact, found.status, evidence)
        if found.lines is None:
            details = (f"citation {citation.id}: {found.status.value}", *found.details)
            return FactResult(fact, found.status, evidence, details)
        try:
            value = read_value(fact, citation, self.text(citation).text, found.lines)
        except ExtractionError as error:
            status = Status.AMBIGUOUS if error.ambiguous else Status.MISSING
            return FactResult(fact, status, evidence, (f"{citation.place}: {error}",))
        return self._compared(fact, evidence, value, found)

    def _compared(
        self, fact: Fact, evidence: Evidence, value: Fraction, found: CitationResult
    ) -> FactResult:
        details: list[str] = []
        status = found.status
        if value != fact.exact:
            status = Status.CHANGED
            details.append(
                f"{found.citation.place} says {plain(value)} {fact.unit},"
                f" the registry {plain(fact.exact)} {fact.unit}"
            )
        if found.status is not Status.EXACT:
            details.append(f"citation {found.citation.id} is {found.status.value}")
        return FactResult(fact, status, evidence, tuple(details), value)

    def _derived(self, fact: Fact, evidence: Evidence) -> FactResult:
        """A derivation is as good as the worst of its factors, and must follow from them."""
        product = Fraction(fact.scale)
        for key in fact.factors:
            factor = self.fact(self.registry.fact(key))
            if factor.status is not Status.EXACT:
                details = (f"factor {key} is {factor.status.value}", *factor.details)
                return FactResult(fact, factor.status, evidence, details)
            product *= factor.fact.exact
        if product != fact.exact:
            details = (f"its factors give {plain(product)}, the registry {plain(fact.exact)}",)
            return FactResult(fact, Status.CHANGED, evidence, details, product)
        return FactResult(fact, Status.EXACT, evidence, (), product)


def _status_of(error: SourcesError) -> Status:
    if isinstance(error, ArtifactMissingError):
        return Status.NOT_CHECKED
    return Status.MISSING if isinstance(error, MemberMissingError) else Status.CHANGED


def compare(citation: Citation, text: Text) -> CitationResult:
    """Compare a pinned citation with the member it cites.

    Raises MemberError when the member is not text.
    """
    assert citation.lines is not None  # a pinned citation has lines: the registry saw to it
    first, last = citation.lines
    details = []
    if text.sha256 != citation.file_sha256:
        details.append(f"file: sha256 {text.sha256}, recorded {citation.file_sha256}")
    span = text.span(first, last)
    if span is None or lines_sha256(span) != citation.lines_sha256:
        return _elsewhere(citation, text, details)
    if lost := list(missing_anchors(citation.anchors, span)):
        details.extend(f"anchor {anchor!r} is not in lines {first}-{last}" for anchor in lost)
    elif details:
        details.append("the cited lines are as recorded")
    status = Status.CHANGED if details else Status.EXACT
    return CitationResult(citation, status, tuple(details), citation.lines)


def _elsewhere(citation: Citation, text: Text, details: list[str]) -> CitationResult:
    """The lines are not where they were: are they somewhere else?"""
    assert citation.lines is not None
    first, last = citation.lines
    length = last - first + 1
    found = find_lines(text, length, citation.lines_sha256 or "")
    base = CitationResult(citation, Status.CHANGED, tuple(details), candidates=tuple(found))
    if len(found) == 1:
        now = found[0]
        lost = list(missing_anchors(citation.anchors, text.span(*now) or ""))
        if not lost:
            detail = f"now at lines {now[0]}-{now[1]}"
            return replace(base, status=Status.SHIFTED, details=(detail, *details), lines=now)
        details.extend(f"anchor {anchor!r} is not in lines {now[0]}-{now[1]}" for anchor in lost)
    if len(found) > 1:
        at = ", ".join(f"{a}-{b}" for a, b in found)
        return replace(base, status=Status.AMBIGUOUS, details=(f"now at lines {at}", *details))
    if last > len(text.lines):
        details.insert(0, f"the file has {len(text.lines)} lines, the citation ends at {last}")
        return replace(base, details=tuple(details))
    span = text.span(first, last) or ""
    details.insert(0, f"lines: sha256 {lines_sha256(span)}, recorded {citation.lines_sha256}")
    lost = list(missing_anchors(citation.anchors, span))
    details.extend(f"anchor {anchor!r} is not in lines {first}-{last}" for anchor in lost)
    return replace(base, details=tuple(details), lines=citation.lines)


def find_lines(text: Text, length: int, sha256: str) -> list[tuple[int, int]]:
    """All ranges of `length` lines whose hash is `sha256`."""
    lines = text.lines
    return [
        (start + 1, start + length)
        for start in range(len(lines) - length + 1)
        if lines_sha256("\n".join(lines[start : start + length])) == sha256
    ]

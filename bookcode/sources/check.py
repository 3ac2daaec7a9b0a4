"""Are the citations and facts still what the pinned sources say?

Every pinned citation is compared with the bytes of its artifact, and every fact's value is read
out of them again. What cannot be compared is said to be so, with the reason; nothing counts as
good because nobody looked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, Protocol

from .compare import compare
from .errors import (
    ArtifactError,
    ArtifactMissingError,
    ExtractionError,
    MemberMissingError,
    SourcesError,
)
from .extract import plain, read_value
from .members import Members, Text
from .model import Artifact, Citation, Evidence, Fact
from .registry import Registry
from .report import CitationResult, FactResult, Report, Status

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

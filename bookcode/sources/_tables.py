"""Registry, report and proposals as tables for the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields
from decimal import Decimal
from enum import Enum
from fractions import Fraction

from rich.markup import escape
from rich.table import Table

from .extract import plain
from .model import Artifact, Citation, Evidence, Fact, Source
from .registry import Registry
from .relocate import Proposal
from .report import Report, Status
from .store import Store


def _table(*headers: str) -> Table:
    """A table that wraps long cells instead of cutting them off."""
    table = Table()
    for header in headers:
        table.add_column(header, overflow="fold")
    return table


def listing(registry: Registry, store: Store, what: str, match: str) -> Table:
    """Sources, citations or facts whose id or key contains `match`."""
    if what == "sources":
        return _sources(registry, store, match)
    if what == "facts":
        table = _table("fact", "value", "unit", "kind", "evidence", "citation")
        for fact in registry.facts.values():
            if match in fact.key:
                evidence = registry.citations[fact.citation].evidence.value
                value = plain(fact.exact)
                cells = (fact.key, value, fact.unit, fact.kind.value, evidence, fact.citation)
                table.add_row(*map(escape, cells))
        return table
    table = _table("citation", "evidence", "place", "claim")
    for citation in registry.citations.values():
        if match in citation.id:
            row = (citation.id, citation.evidence.value, citation.place, citation.claim)
            table.add_row(*map(escape, row))
    return table


def _sources(registry: Registry, store: Store, match: str) -> Table:
    table = _table("source", "set", "MB", "here", "licence", "reason")
    for source in registry.sources.values():
        if match not in source.id:
            continue
        if isinstance(source, Artifact):
            here = "yes" if store.file(source).exists() else "no"
            size = f"{source.bytes / 1e6:.1f}"
            row = (source.id, source.set.value, size, here, source.licence, source.reason)
        else:
            row = (source.id, "", "", "", "", source.note)
        table.add_row(*map(escape, row))
    return table


def record(item: Source | Citation | Fact, link: str | None = None) -> Table:
    """All fields of one record that say something."""
    table = Table(show_header=False)
    table.add_column()
    table.add_column(overflow="fold")
    for field in fields(item):
        value = getattr(item, field.name)
        if value in (None, "", ()):
            continue
        if isinstance(value, Enum):
            value = value.value
        elif isinstance(value, Decimal):
            value = plain(Fraction(value))
        elif isinstance(value, tuple):
            value = ", ".join(map(str, value))
        text = str(value)
        table.add_row(field.name, escape(text))
    if link:
        table.add_row("link", escape(link))
    return table


def problems(report: Report) -> Iterator[str]:
    """A line for everything that is wrong, and one for each reason not to have checked."""
    for result in report.red:
        yield str(result)
    unchecked = Counter((result.details or ("",))[-1] for result in report.not_checked)
    for reason, count in unchecked.items():
        yield f"not checked: {count} citations and facts: {reason}"


def summary(report: Report) -> Table:
    """How many of what."""
    table = _table("status", "citations", "facts")
    for status in Status:
        counts = report.citation_counts.get(status, 0), report.fact_counts.get(status, 0)
        if any(counts):
            table.add_row(status.value, *map(str, counts))
    table.add_section()
    for evidence in Evidence:
        facts = sum(result.evidence is evidence for result in report.facts)
        count = report.evidence_counts.get(evidence, 0)
        table.add_row(f"evidence: {evidence.value}", str(count), str(facts))
    return table


def contradictions(report: Report) -> Table:
    """Facts that say otherwise than others."""
    table = _table("fact", "value", "contradicts", "value", "disputed because")
    for fact, other in report.contradictions:
        row = (fact.key, plain(fact.exact), other.key, plain(other.exact), fact.disputed)
        table.add_row(*map(escape, row))
    return table


def proposals(found: Sequence[Proposal]) -> Table:
    """Where citations stand in another version."""
    table = _table("citation", "outcome", "was", "now", "notes")
    for proposal in found:
        was, now = (
            f"{lines[0]}-{lines[1]}" if lines else ""
            for lines in (proposal.citation.lines, proposal.lines)
        )
        moved = f" by {proposal.moved_by:+d}" if proposal.outcome.value == "moved" else ""
        notes = "; ".join((*proposal.details, *proposal.facts))
        row = (proposal.citation.id, proposal.outcome.value + moved, was, now, notes)
        table.add_row(*map(escape, row))
    return table

"""The registry's texts in another language: which they are, and a registry that says them so.

Names of packages, files and pages, licences and whatever is read out of a source stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, TypeVar

from .model import Artifact, Citation, Fact, GitSource, Location, Release, WebSource
from .registry import Registry

TEXTS: Final[Mapping[type, tuple[str, ...]]] = {
    Artifact: ("reason", "note"),
    GitSource: ("note",),
    WebSource: ("note",),
    Release: ("note",),
    Citation: ("claim", "conditions", "trust", "note"),
    Fact: ("conditions", "disputed", "note"),
}
"""The fields of a record that hold the book's own words."""

R = TypeVar("R", Artifact | GitSource | WebSource | Release, Citation, Fact)


def texts_of(registry: Registry) -> Iterator[tuple[str, Location, str]]:
    """Every text, where its record stands, and whose it is ("fact a100.spec.power, conditions")."""
    groups = {
        "source": registry.sources,
        "citation": registry.citations,
        "fact": registry.facts,
    }
    for kind, records in groups.items():
        for key, record in records.items():
            for field in TEXTS[type(record)]:
                if text := getattr(record, field):
                    yield text, record.at, f"{kind} {key}, {field}"


def in_language(registry: Registry, texts: Mapping[str, str]) -> Registry:
    """The registry with its texts as ``texts`` has them; one that is not in there stays."""
    if not texts:
        return registry
    return Registry(
        registry.folder,
        MappingProxyType({k: _said(r, texts) for k, r in registry.sources.items()}),
        MappingProxyType({k: _said(r, texts) for k, r in registry.citations.items()}),
        MappingProxyType({k: _said(r, texts) for k, r in registry.facts.items()}),
    )


def _said(record: R, texts: Mapping[str, str]) -> R:
    old = {field: getattr(record, field) for field in TEXTS[type(record)]}
    new: dict[str, Any] = {field: texts[text] for field, text in old.items() if text in texts}
    return replace(record, **new) if new else record

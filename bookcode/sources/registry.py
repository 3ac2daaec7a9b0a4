"""The registry of sources, citations and facts: three TOML files, read and held together.

Everything that can be known without the artifacts is checked on loading, and all defects are
reported at once, each with file, line and the nearest right name.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeVar

from . import _records
from ._fields import Table
from .errors import Problem, RegistryError, UnknownKeyError, hint, nearest
from .model import (
    Artifact,
    Citation,
    Evidence,
    Fact,
    FetchSet,
    GitSource,
    Source,
    WebSource,
)
from .tomltext import Lines

SOURCES: Final = "sources.toml"
CITATIONS: Final = "citations.toml"
FACTS: Final = "facts.toml"

R = TypeVar("R", bound=Source | Citation | Fact)
Reader = Callable[[Table], R]


@dataclass(frozen=True)
class Registry:
    """All sources, citations and facts, by id or key, in the order of the files."""

    folder: Path
    sources: Mapping[str, Source]
    citations: Mapping[str, Citation]
    facts: Mapping[str, Fact]

    @classmethod
    def load(cls, folder: Path) -> Registry:
        """Read the three files of `folder`; raises RegistryError with every defect."""
        problems: list[Problem] = []
        sources: dict[str, Source] = {}
        file = _File.read(folder / SOURCES, problems)
        for group, reader in _records.SOURCE_READERS.items():
            for name, source in file.records(group, reader):
                if name in sources:
                    problems.append(
                        Problem(source.at.file, source.at.line, f"{name}: declared twice")
                    )
                sources.setdefault(name, source)
        file.finish()
        file = _File.read(folder / CITATIONS, problems)
        citations = dict(file.records("citations", _records.citation))
        file.finish()
        file = _File.read(folder / FACTS, problems)
        facts = dict(file.records("facts", _records.fact))
        file.finish()
        registry = cls(
            folder,
            MappingProxyType(sources),
            MappingProxyType(citations),
            MappingProxyType(facts),
        )
        # Cross references only make sense once every file was readable.
        problems.extend(_links(registry) if sources and citations else ())
        if problems:
            raise RegistryError(problems)
        return registry

    @property
    def artifacts(self) -> Mapping[str, Artifact]:
        """The sources that are files of the package index."""
        return {k: s for k, s in self.sources.items() if isinstance(s, Artifact)}

    def source(self, key: str) -> Source:
        """The source `key`; raises UnknownKeyError naming the nearest."""
        return _get("source", key, self.sources)

    def artifact(self, key: str) -> Artifact:
        """The artifact `key`; raises UnknownKeyError naming the nearest."""
        return _get("artifact", key, self.artifacts)

    def citation(self, key: str) -> Citation:
        """The citation `key`; raises UnknownKeyError naming the nearest."""
        return _get("citation", key, self.citations)

    def fact(self, key: str) -> Fact:
        """The fact `key`; raises UnknownKeyError naming the nearest."""
        return _get("fact", key, self.facts)

    def find(self, key: str) -> Source | Citation | Fact:
        """The source, citation or fact called `key`; raises UnknownKeyError naming the nearest."""
        known: dict[str, Source | Citation | Fact] = {
            **self.sources,
            **self.facts,
            **self.citations,
        }
        return _get("source, citation or fact", key, known)

    def facts_of(self, citation: str) -> tuple[Fact, ...]:
        """The facts that rest on a citation."""
        return tuple(fact for fact in self.facts.values() if fact.citation == citation)

    def contradictions(self) -> tuple[tuple[Fact, Fact], ...]:
        """Pairs of facts of which the first says otherwise than the second."""
        return tuple(
            (fact, self.facts[other]) for fact in self.facts.values() for other in fact.contradicts
        )

    def link(self, citation: Citation) -> str | None:
        """Address of the cited place at a commit, a release tag or a page, where that is known.

        None for artifacts whose identity with something upstream was not recorded.
        """
        source = self.sources.get(citation.source or "")
        if isinstance(source, WebSource):
            return source.url
        at = f"{source.repo}@{source.commit}" if isinstance(source, GitSource) else ""
        repo, _, revision = (citation.upstream or at).partition("@")
        if not repo:
            return None
        lines = f"#L{citation.lines[0]}-L{citation.lines[1]}" if citation.lines else ""
        path = f"/{citation.path}" if citation.path else ""
        return f"https://github.com/{repo}/blob/{revision}{path}{lines}"


@dataclass
class _File:
    """One TOML file being read, group by group."""

    path: Path
    data: dict[str, Any]
    lines: Lines
    problems: list[Problem]

    @classmethod
    def read(cls, path: Path, problems: list[Problem]) -> _File:
        try:
            text = path.read_bytes().decode("utf-8")
        except FileNotFoundError:
            problems.append(Problem(path, 1, "no such file"))
            return cls(path, {}, Lines(""), problems)
        except UnicodeDecodeError as error:
            problems.append(Problem(path, 1, f"not UTF-8: {error}"))
            return cls(path, {}, Lines(""), problems)
        lines = Lines(text)
        for place, first in lines.repeated:
            message = f"{place.table[-1]}: declared twice, first at line {first}"
            problems.append(Problem(path, place.line, message))
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            if not lines.repeated:
                at = re.search(r"at line (\d+)", str(error))
                problems.append(Problem(path, int(at[1]) if at else 1, f"not TOML: {error}"))
            data = {}
        return cls(path, data, lines, problems)

    def records(self, group: str, reader: Reader[R]) -> Iterator[tuple[str, R]]:
        """The records of the table `group`, in order."""
        entries = self.data.pop(group, {})
        if not isinstance(entries, dict):
            self._problem(f"{group!r} must be a table of tables", (group,))
            return
        for name, data in entries.items():
            if not isinstance(data, dict):
                self._problem(f"unknown field {name!r} in {group!r}", (group,), name)
                continue
            table = Table(group, name, data, self.path, self.lines, self.problems)
            record = reader(table)
            table.finish()
            yield name, record

    def finish(self) -> None:
        """Whatever was not read is unknown."""
        known = (*_records.SOURCE_READERS, "citations", "facts")
        for name in self.data:
            self._problem(f"unknown table {name!r}{hint(nearest(name, known))}", (name,))

    def _problem(self, message: str, table: tuple[str, ...], key: str | None = None) -> None:
        self.problems.append(Problem(self.path, self.lines.of(table, key), message))


def _links(registry: Registry) -> Iterator[Problem]:
    """Defects of references between records."""
    for citation in registry.citations.values():
        for message in _citation_links(registry, citation):
            yield Problem(citation.at.file, citation.at.line, f"{citation.id}: {message}")
    for fact in registry.facts.values():
        for message in _fact_links(registry, fact):
            yield Problem(fact.at.file, fact.at.line, f"{fact.key}: {message}")


def _citation_links(registry: Registry, citation: Citation) -> Iterator[str]:
    if citation.source is None:
        return
    source = registry.sources.get(citation.source)
    if source is None:
        near = nearest(citation.source, registry.sources)
        yield f"unknown source {citation.source!r}{hint(near)}"
    elif citation.evidence is Evidence.PINNED and (
        not isinstance(source, Artifact) or source.set is FetchSet.NONE
    ):
        yield f"pinned, but {citation.source!r} is not an artifact of a set that is fetched"
    elif citation.evidence is Evidence.UNVERIFIED and isinstance(source, WebSource) and source.date:
        yield f"unverified, but {citation.source!r} was read on {source.date}"


def _fact_links(registry: Registry, fact: Fact) -> Iterator[str]:
    citation = registry.citations.get(fact.citation)
    if citation is None:
        near = nearest(fact.citation, registry.citations)
        yield f"unknown citation {fact.citation!r}{hint(near)}"
    elif citation.evidence is Evidence.PINNED and not fact.extracted:
        yield f"citation {citation.id!r} is pinned: say how the value is read (path or pattern)"
    elif citation.evidence is not Evidence.PINNED and (fact.path or fact.pattern):
        yield f"citation {citation.id!r} is {citation.evidence.value}: nothing to read it from"
    for other in (*fact.contradicts, *fact.factors):
        if other == fact.key:
            yield "refers to itself"
        elif other not in registry.facts:
            yield f"unknown fact {other!r}{hint(nearest(other, registry.facts))}"
    for other in fact.contradicts:
        against = registry.facts.get(other)
        if against and (fact.unit, fact.exact) == (against.unit, against.exact):
            yield f"contradicts {other!r}, which says the same"
        elif against and fact.unit != against.unit:
            yield f"contradicts {other!r}, which has another unit ({against.unit})"
    if any(registry.facts[f].factors for f in fact.factors if f in registry.facts):
        yield "a factor is itself derived: name the facts it comes from"


T = TypeVar("T")


def _get(kind: str, key: str, known: Mapping[str, T]) -> T:
    try:
        return known[key]
    except KeyError:
        raise UnknownKeyError(kind, key, known) from None

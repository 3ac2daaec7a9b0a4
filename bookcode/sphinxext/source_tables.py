"""Tables of sources: what a chapter rests on, all citations, evidence, versions, contradictions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from docutils import nodes

from bookcode.sources.model import Artifact, Citation, Evidence, Fact, Source, WebSource
from bookcode.sphinxext.cells import cell, code, group_row, link, listed, row
from bookcode.sphinxext.citing import (
    cited,
    conditions,
    exact_text,
    fact_text,
    lines_text,
    source_name,
    state,
)
from bookcode.sphinxext.sources_role import source_node
from bookcode.sphinxext.survey import Reliance
from bookcode.sphinxext.tables import KINDS, Kind, Setting, TableError

CONSTRAINTS: Final = "constraints.txt"
_PIN: Final = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;]+)")


# what a chapter rests on ----------------------------------------------------------------------
def chapter_sources(setting: Setting) -> list[nodes.row]:
    """Every citation that the chapter uses: place, use, where, evidence, verification."""
    rows = []
    for key, reliance in setting.survey.relied_on(setting.chapter, setting.registry).items():
        citation = setting.registry.citation(key)
        shown = source_node(cited(setting.registry, key, setting.language))
        rows.append(
            row(
                shown,
                _use(setting, citation, reliance),
                _where(setting, reliance),
                _evidence(setting, citation),
                state(citation, setting.language),
            )
        )
    return rows


def _use(setting: Setting, citation: Citation, reliance: Reliance) -> list[nodes.Node]:
    said: list[nodes.Node] = [nodes.Text(citation.claim)]
    if reliance.facts:
        facts = ", ".join(reliance.facts)
        said.append(nodes.Text(setting.say("gives", facts=facts)))
    return said


def _where(setting: Setting, reliance: Reliance) -> list[nodes.Node]:
    places = setting.places(reliance.spots)
    if count := len(reliance.numbers):
        key = "behind" if count > 1 else "behind-one"
        told = nodes.Text(setting.say(key, count=count))
        places = listed([*_grouped(places), told], setting.say("comma"))
    return places


def _grouped(places: list[nodes.Node]) -> Iterator[nodes.Node]:
    """The places as one node, so that a separator can follow them."""
    if places:
        yield nodes.inline("", "", *places)


def _evidence(setting: Setting, citation: Citation) -> nodes.entry:
    evidence = citation.evidence.value
    return cell(setting.say(evidence), classes=["bk-evidence", f"bk-evidence-{evidence}"])


# all citations ----------------------------------------------------------------------------------
def all_citations(setting: Setting) -> list[nodes.row]:
    """Every citation of the registry under its source."""
    registry = setting.registry
    under: dict[str, list[Citation]] = {key: [] for key in (*registry.sources, "")}
    for citation in registry.citations.values():
        under[citation.source or ""].append(citation)
    rows: list[nodes.row] = []
    for key, citations in under.items():
        if citations:
            rows.append(group_row(_head(setting, citations[0], registry.sources.get(key)), 5))
            rows += [_citation_row(setting, citation) for citation in citations]
    return rows


def _head(setting: Setting, citation: Citation, source: Source | None) -> list[nodes.Node]:
    name = source_name(setting.registry, citation, setting.language)
    if isinstance(source, WebSource):
        return [link(name, source.url)]
    if isinstance(source, Artifact):
        return [nodes.Text(setting.say("then", text=name)), code(source.file)]
    return [nodes.Text(name)]


def _citation_row(setting: Setting, citation: Citation) -> nodes.row:
    path, lines = citation.path or "", lines_text(citation, setting.language)
    parts = [*([code(path)] if path else []), nodes.Text(lines)]
    place: list[nodes.Node] = listed(parts, setting.say("comma"))
    address = setting.registry.link(citation)
    if address is not None and path:
        text = setting.say("listed", head=path, tail=lines) if lines else path
        place = [link(text, address)]
    return row(
        code(citation.id),
        place if path else "",
        citation.claim,
        _evidence(setting, citation),
        state(citation, setting.language),
        name=f"citation-{nodes.make_id(citation.id)}",
    )


def evidence_counts(setting: Setting) -> list[nodes.row]:
    """How many citations and facts there are of each class of evidence, and what it means."""
    registry = setting.registry
    citations = Counter(c.evidence for c in registry.citations.values())
    facts = Counter(registry.citation(f.citation).evidence for f in registry.facts.values())
    rows = []
    for evidence in Evidence:
        meaning = setting.say(f"means-{evidence.value}")
        counts = citations[evidence], facts[evidence]
        rows.append(_count_row(setting.say(evidence.value), evidence.value, *counts, meaning))
    rows.append(_count_row(setting.say("total"), "all", citations.total(), facts.total(), ""))
    return rows


def _count_row(name: str, key: str, citations: int, facts: int, meaning: str) -> nodes.row:
    return row(
        name,
        cell(str(citations), classes=["bk-number-cell", f"bk-citations-{key}"]),
        cell(str(facts), classes=["bk-number-cell", f"bk-facts-{key}"]),
        meaning,
    )


# versions ---------------------------------------------------------------------------------------
def artifact_versions(setting: Setting) -> list[nodes.row]:
    """The version lock: every artifact with file, hash, size, licence, set and reason."""
    rows = []
    for artifact in setting.registry.artifacts.values():
        file = [code(artifact.file), nodes.Text(" "), code(f"sha256:{artifact.sha256}")]
        reason = setting.say("join").join(filter(None, (artifact.reason, artifact.note)))
        rows.append(
            row(
                f"{artifact.name} {artifact.version}",
                file,
                cell(f"{artifact.bytes:,} B", classes=["bk-number-cell"]),
                artifact.licence,
                setting.say(f"set-{artifact.set.value}"),
                reason,
            )
        )
    return rows


def toolchain(setting: Setting) -> list[nodes.row]:
    """The versions of the packages that build and check the book."""
    return [row(name, version) for name, version in pins(setting.root / CONSTRAINTS)]


def pins(path: Path) -> list[tuple[str, str]]:
    """Name and version of each line `name==version` of a constraints file.

    Raises:
        TableError: for a missing file, or a line that pins nothing.
    """
    if not path.exists():
        raise TableError(f"no file {path.name}")
    found = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        match = _PIN.match(text)
        if match is None:
            raise TableError(f"{path.name}:{number}: {text!r} is not of the form name==version")
        found.append((match["name"], match["version"]))
    return found


# contradictions ---------------------------------------------------------------------------------
def contradictions(setting: Setting) -> list[nodes.row]:
    """Pairs of facts that say otherwise about the same thing, with both places."""
    rows = []
    for fact, other in setting.registry.contradictions():
        values = _told_apart(fact, other, setting.language)
        reasons = filter(None, (fact.disputed, other.disputed))
        rows.append(
            row(
                *_side(setting, fact, values[0]),
                *_side(setting, other, values[1]),
                setting.say("join").join(dict.fromkeys(reasons)),
            )
        )
    return rows


def _told_apart(fact: Fact, other: Fact, language: str) -> tuple[str, str]:
    """The two values as texts that differ."""
    texts = fact_text(fact, language), fact_text(other, language)
    return texts if texts[0] != texts[1] else (exact_text(fact), exact_text(other))


def _side(setting: Setting, fact: Fact, value: str) -> tuple[nodes.entry, nodes.entry]:
    where = source_node(cited(setting.registry, fact.citation, setting.language))
    said = conditions(fact, setting.language)
    tail = [nodes.Text(setting.say("beside", text=said))] if said else []
    shown = [nodes.Text(setting.say("headed", text=value)), code(fact.key), *tail]
    return cell(shown), cell(where)


KINDS["sources-table"] = Kind(
    ("Source", "Used for", "Where", "Evidence", "Verification"), chapter_sources
)
KINDS["all-sources"] = Kind(
    ("Citation", "Place", "Cited for", "Evidence", "Verification"), all_citations
)
KINDS["evidence-counts"] = Kind(
    ("Evidence", "Citations", "Facts", "What it means"), evidence_counts
)
KINDS["artifact-versions"] = Kind(
    ("Artifact", "File", "Size", "Licence", "Set", "Why it is here"), artifact_versions
)
KINDS["toolchain"] = Kind(("Package", "Version"), toolchain)
KINDS["contradictions"] = Kind(
    ("One source says", "Place", "Another says", "Place", "Why"), contradictions
)

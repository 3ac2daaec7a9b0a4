"""Begins a fact: its entry, and that of the citation it rests on where there is none yet."""

from __future__ import annotations

import datetime
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from bookcode.scaffold.errors import ScaffoldError
from bookcode.scaffold.plan import Edit, Plan, read
from bookcode.scaffold.toml_entries import Value, entry, inserted
from bookcode.sources import Evidence, Registry, Store, check, default_folder
from bookcode.sources.errors import RegistryError, SourcesError
from bookcode.sources.members import lines_sha256
from bookcode.sources.registry import CITATIONS, FACTS, SOURCES
from bookcode.sources.report import RED, CitationResult, FactResult

FOLDER: Final = "references"


@dataclass(frozen=True)
class NewCitation:
    """A citation that the fact brings along; empty fields are left out.

    Attributes:
        evidence: how well it is backed.
        claim: what the place says, in our words.
        source: an id of ``sources.toml``; none for a note of the author.
        path: the file inside it.
        lines: first and last line; needed, with the path and an anchor, where it is pinned.
        anchors: regular expressions that the lines must match.
        date: the day on which it was read.
    """

    evidence: Evidence
    claim: str
    source: str = ""
    path: str = ""
    lines: tuple[int, int] | None = None
    anchors: tuple[str, ...] = ()
    date: str = ""


@dataclass(frozen=True)
class NewFact:
    """A fact as it will stand in ``facts.toml``.

    Attributes:
        value: an exact decimal in ``unit``, powers of ten spelt out (``4800e9``).
        citation: the key of the citation.
        read: how the value is read out of a pinned citation: a pattern with one group, or the
            dotted path of a member of a YAML, JSON or TOML file.
        scale: what one unit of the source is worth (``1e9`` where it says GB/s).
    """

    key: str
    value: str
    unit: str
    citation: str
    kind: str
    conditions: str = ""
    read: str = ""
    scale: str = ""


def registry_of(root: Path) -> Registry:
    """The project's registry of sources, citations and facts.

    Raises:
        ScaffoldError: when it is not right as it is.
    """
    try:
        return Registry.load(root / FOLDER)
    except RegistryError as error:
        raise ScaffoldError(str(error)) from None


def fact(root: Path, new: NewFact, cited: NewCitation | None = None) -> Plan:
    """The plan of a fact; ``cited`` is what it rests on, if that is not among the citations yet.

    Raises:
        ScaffoldError: when the registry would not be right with it: a key that is taken, a unit
            that is none, a source that is unknown, a value that the source does not state.
    """
    registry = registry_of(root)
    if new.key in registry.facts:
        raise ScaffoldError(f"there is a fact {new.key!r} already: {registry.facts[new.key].at}")
    if cited is not None and new.citation in registry.citations:
        at = registry.citations[new.citation].at
        raise ScaffoldError(f"there is a citation {new.citation!r} already: {at}")
    edits = {}
    if cited is not None:
        text = read(root, f"{FOLDER}/{CITATIONS}")
        written = _citation_entry(root, registry, new.citation, cited)
        same = {c.id for c in registry.citations.values() if c.source == (cited.source or None)}
        after = inserted(text, "citations", written, same.__contains__)
        edits[f"{FOLDER}/{CITATIONS}"] = Edit(text, after)
    text = read(root, f"{FOLDER}/{FACTS}")
    after = inserted(text, "facts", _fact_entry(new), partial(_same_thing, new.key))
    edits[f"{FOLDER}/{FACTS}"] = Edit(text, after)
    _check(root, [new.key, *([new.citation] if cited else [])], edits)
    steps = (
        f"show it: {{fact}}`{new.key}`, or in a cell book.fact({new.key!r})",
        "python -m bookcode sources check reads it out again, where it is pinned",
        'nox -s i18n -- --pending --why "new fact" lists what is to be translated',
    )
    return Plan(edits=edits, steps=steps)


def _same_thing(key: str, other: str) -> bool:
    """Whether two facts are about the same thing: the first part of a key says what it is."""
    return key.partition(".")[0] == other.partition(".")[0]


def _fact_entry(new: NewFact) -> str:
    how = "pattern" if "(" in new.read else "path"
    fields: dict[str, Value] = {
        "value": new.value,
        "unit": new.unit,
        "citation": new.citation,
        "kind": new.kind,
        how: new.read,
        "scale": new.scale,
        "conditions": new.conditions,
        "conditions_by": "author" if new.conditions else "",
    }
    return entry("facts", new.key, fields)


def _citation_entry(root: Path, registry: Registry, key: str, new: NewCitation) -> str:
    pinned = new.evidence is Evidence.PINNED
    hashes = _hashes(root, registry, new) if pinned else {}
    reading = new.evidence in (Evidence.PINNED, Evidence.RECORDED)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    fields: dict[str, Value] = {
        "claim": new.claim,
        "source": new.source,
        "path": new.path,
        "lines": new.lines or (),
        "anchors": new.anchors,
        **hashes,
        "evidence": new.evidence.value,
        "date": (new.date or today) if reading else "",
    }
    return entry("citations", key, fields, dates=("date",))


def _hashes(root: Path, registry: Registry, new: NewCitation) -> Mapping[str, str]:
    """The hashes that pin a citation, of the artifact's own bytes."""
    if not new.path or new.lines is None or not new.anchors:
        raise ScaffoldError("a pinned citation has a path, lines and an anchor")
    try:
        artifact = registry.artifact(new.source)
        text = Store(default_folder(root)).open(artifact).read(new.path)
    except SourcesError as error:
        raise ScaffoldError(str(error)) from None
    span = text.span(*new.lines)
    if span is None:
        raise ScaffoldError(f"{new.source} {new.path} has no line {new.lines[1]}")
    return {"lines_sha256": lines_sha256(span), "file_sha256": text.sha256}


def _check(root: Path, keys: Sequence[str], edits: Mapping[str, Edit]) -> None:
    """Read the registry as it would be, and what is new out of its source."""
    with tempfile.TemporaryDirectory() as name:
        trial = Path(name)
        for file in (SOURCES, CITATIONS, FACTS):
            edit = edits.get(f"{FOLDER}/{file}")
            text = edit.after if edit else read(root, f"{FOLDER}/{file}")
            (trial / file).write_bytes(text.encode())
        registry = _load_trial(trial)
        report = check(registry, Store(default_folder(root)), keys)
    results: list[CitationResult | FactResult] = [*report.citations, *report.facts]
    wrong = [str(found) for found in results if found.status in RED]
    if wrong:
        raise ScaffoldError("\n".join(wrong).replace(f"{trial}/", ""))


def _load_trial(folder: Path) -> Registry:
    try:
        return Registry.load(folder)
    except RegistryError as error:
        said = str(error).replace(f"{folder}/", "")
        raise ScaffoldError(f"the registry would not be right:\n{said}") from None

"""What must turn verify red: one thing changed in a copy of the registry, or of the bytes."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest
import tomlkit

from bookcode.sources import (
    Artifact,
    Evidence,
    Fact,
    FetchError,
    FetchReason,
    FetchSet,
    Registry,
    RegistryError,
    Status,
    Store,
    check,
)
from bookcode.sources.extract import _toml_scalar, _yaml_scalar
from bookcode.sources.members import Members, Text
from bookcode.verify import citing
from bookcode.verify.citing import check_sources
from bookcode.verify.result import RED, Result, exit_status

ROOT = Path(__file__).parents[2]
REGISTRY = Registry.load(ROOT / "references")
READ_OUT = [f.key for f in REGISTRY.facts.values() if f.path or f.pattern]
CITATION, ARTIFACT, FACT = "R2-pypi", "tileops==0.1.0", "h200.spec.bandwidth"


@pytest.fixture(scope="module")
def store(full_store: Store) -> Store:
    return full_store


# one thing changed in a copy of the registry ------------------------------------------------------
def refuse(artifact: Artifact, folder: Path) -> None:
    raise FetchError(artifact.id, FetchReason.NO_NETWORK)


@pytest.fixture
def verify(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str, str, str, object], list[Result]]:
    """Changes one field of one record in a copy of the registry, and runs verify's checks."""
    monkeypatch.setenv("BOOKCODE_SOURCES", str(store.folder))
    monkeypatch.setattr(citing, "Store", partial(Store, fetch=refuse))
    shutil.copytree(ROOT / "references", tmp_path / "references")

    def run(group: str, key: str, field: str, value: object) -> list[Result]:
        file = {"artifacts": "sources"}.get(group, group)
        path = tmp_path / "references" / f"{file}.toml"
        document = tomlkit.parse(path.read_text("utf-8"))
        assert document[group][key][field] != value  # type: ignore[index]
        document[group][key][field] = value  # type: ignore[index]
        path.write_text(tomlkit.dumps(document), "utf-8")
        registry = Registry.load(tmp_path / "references")
        return check_sources(tmp_path, registry, FetchSet.FULL, lambda _: None)

    return run


def problems(results: list[Result], key: str) -> str:
    """The problems that name `key`."""
    assert exit_status(results) == RED
    return "\n".join(p for result in results for p in result.problems if p.startswith(key))


def test_the_registry_as_it_is_has_nothing_red(
    verify: Callable[..., list[Result]],
) -> None:
    citations, facts = verify("citations", CITATION, "claim", "said in other words")
    assert citations.problems == facts.problems == []
    pinned = sum(c.evidence is Evidence.PINNED for c in REGISTRY.citations.values())
    assert (citations.checked, citations.what) == (pinned, "pinned")
    assert facts.checked >= len(READ_OUT)
    for evidence in (Evidence.RECORDED, Evidence.UNVERIFIED, Evidence.AUTHOR_NOTE):
        count = sum(c.evidence is evidence for c in REGISTRY.citations.values())
        assert f"{count} {evidence.value}" in citations.note


def test_a_changed_range_of_lines(verify: Callable[..., list[Result]]) -> None:
    said = problems(verify("citations", CITATION, "lines", [14, 42]), CITATION)
    assert f"{CITATION} ({ARTIFACT} tileops/_perf/profiles/h200.yaml:14-42): shifted by -1" in said
    assert "now at lines 13-41" in said


def test_a_changed_hash_of_lines(verify: Callable[..., list[Result]]) -> None:
    right = REGISTRY.citation(CITATION).lines_sha256 or ""
    said = problems(verify("citations", CITATION, "lines_sha256", "0" * 64), CITATION)
    assert "changed" in said
    assert f"lines: sha256 {right}, recorded {'0' * 64}" in said


def test_a_changed_hash_of_the_file(verify: Callable[..., list[Result]]) -> None:
    right = REGISTRY.citation(CITATION).file_sha256 or ""
    said = problems(verify("citations", CITATION, "file_sha256", "0" * 64), CITATION)
    assert f"file: sha256 {right}, recorded {'0' * 64}" in said


def test_a_changed_anchor(verify: Callable[..., list[Result]]) -> None:
    said = problems(verify("citations", CITATION, "anchors", ["theoretical: 4801e9"]), CITATION)
    assert "anchor 'theoretical: 4801e9' is not in lines 13-41" in said


def test_a_changed_value_of_a_fact(verify: Callable[..., list[Result]]) -> None:
    said = problems(verify("facts", FACT, "value", "4801e9"), FACT)
    assert f"{FACT} (" in said
    assert "facts.toml:" in said
    assert "says 4.8e12 B/s, the registry 4.801e12 B/s" in said


def test_a_changed_unit_of_a_fact_does_not_fit_its_scale_or_its_contradictions(
    verify: Callable[..., list[Result]],
) -> None:
    with pytest.raises(RegistryError, match=r"contradicts .*which has another unit"):
        verify("facts", "link.nvlink4.one-way", "unit", "FLOP/s")


def test_a_changed_condition_of_a_fact(verify: Callable[..., list[Result]]) -> None:
    said = problems(verify("facts", FACT, "conditions_pattern", "bytes/s, guessed"), FACT)
    assert "value 4.8e12 found, but not its conditions: 'bytes/s, guessed'" in said


def test_a_changed_hash_of_an_artifact(verify: Callable[..., list[Result]]) -> None:
    right = REGISTRY.artifact(ARTIFACT).sha256
    results = verify("artifacts", ARTIFACT, "sha256", "0" * 64)
    said = problems(results, CITATION)
    assert f"tileops-0.1.0-py3-none-any.whl: sha256 {right}, recorded {'0' * 64}" in said
    assert problems(results, FACT)


def test_a_changed_version_of_an_artifact_is_refused_on_loading(
    verify: Callable[..., list[Result]],
) -> None:
    with pytest.raises(RegistryError, match=r"the id must be 'tileops==0\.1\.1'"):
        verify("artifacts", ARTIFACT, "version", "0.1.1")


# the pinned bytes changed --------------------------------------------------------------------
@dataclass
class Changed(Members):
    """The members of an artifact, one of them with other bytes."""

    path: str = ""
    text: str = ""

    def read(self, path: str) -> Text:
        return Text(self.text.encode()) if path == self.path else super().read(path)


@dataclass
class Shelf:
    """A store in which one member of one artifact was changed."""

    store: Store
    source: str
    path: str
    text: str = ""
    opened: list[str] = field(default_factory=list)

    def open(self, artifact: Artifact) -> Members:
        self.opened.append(artifact.id)
        members = self.store.open(artifact)
        if artifact.id != self.source:
            return members
        return Changed(members.file, path=self.path, text=self.text)


def spans_of(fact: Fact, text: str, lines: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Where the value, and the divisor for sparsity, stand in the text."""
    rows = text.split("\n")
    start = sum(len(row) + 1 for row in rows[: lines[0] - 1])
    span = "\n".join(rows[lines[0] - 1 : lines[1]])
    for pattern in filter(None, (fact.pattern, fact.sparsity_pattern)):
        match = re.search(pattern, span, re.MULTILINE)
        assert match is not None
        yield start + match.start(1), start + match.end(1)
    if fact.path:
        member = REGISTRY.citation(fact.citation).path or ""
        scalar = _toml_scalar if member.endswith(".toml") else _yaml_scalar
        raw, line = scalar(fact.path, text)
        start = sum(len(row) + 1 for row in rows[: line - 1])
        start = text.index(raw, text.index(fact.path.rpartition(".")[2], start))
        yield start, start + len(raw)


def shelf_of(fact: Fact, store: Store) -> tuple[Shelf, str, tuple[int, int]]:
    citation = REGISTRY.citation(fact.citation)
    assert citation.source
    assert citation.path
    assert citation.lines
    text = store.open(REGISTRY.artifact(citation.source)).read(citation.path).text
    return Shelf(store, citation.source, citation.path), text, citation.lines


def result_of(fact: Fact, shelf: Shelf) -> tuple[Status, str, Fraction | None]:
    (result,) = check(REGISTRY, shelf, [fact.key]).facts
    assert result.fact.key == fact.key
    return result.status, str(result), result.found


@pytest.mark.parametrize("key", READ_OUT)
def test_every_digit_that_a_fact_is_read_from_is_watched(key: str, store: Store) -> None:
    fact = REGISTRY.fact(key)
    shelf, text, lines = shelf_of(fact, store)
    place = REGISTRY.citation(fact.citation).place
    digits = [i for a, b in spans_of(fact, text, lines) for i in range(a, b) if text[i].isdigit()]
    assert digits
    for at in digits:
        shelf.text = f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}"
        status, said, found = result_of(fact, shelf)
        assert status in (Status.CHANGED, Status.MISSING, Status.AMBIGUOUS), said
        assert said.startswith(f"{key} (")
        assert place in said
        assert found is None or found != fact.exact, said
        assert found is None or f"{place} says " in said


@pytest.mark.parametrize("key", [k for k in READ_OUT if REGISTRY.fact(k).conditions_pattern])
def test_every_extracted_condition_is_watched(key: str, store: Store) -> None:
    fact = REGISTRY.fact(key)
    shelf, text, lines = shelf_of(fact, store)
    rows = text.split("\n")
    start = sum(len(row) + 1 for row in rows[: lines[0] - 1])
    span = "\n".join(rows[lines[0] - 1 : lines[1]])
    assert fact.conditions_pattern
    while match := re.search(fact.conditions_pattern, span, re.MULTILINE):
        hidden = re.sub(r"\w", "_", match[0])
        assert hidden != match[0]
        span = f"{span[: match.start()]}{hidden}{span[match.end() :]}"
    end = start + len("\n".join(rows[lines[0] - 1 : lines[1]]))
    shelf.text = text[:start] + span + text[end:]
    status, said, _ = result_of(fact, shelf)
    assert status is Status.MISSING, said
    assert said.startswith(f"{key} (")


def test_unchanged_bytes_are_exact(store: Store) -> None:
    fact = REGISTRY.fact(FACT)
    shelf, shelf_text, _ = shelf_of(fact, store)
    shelf.text = shelf_text
    status, said, found = result_of(fact, shelf)
    assert status is Status.EXACT, said
    assert found == fact.exact
    assert shelf.opened == [ARTIFACT]

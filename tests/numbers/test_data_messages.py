"""The texts of data: which there are, and that the Chinese edition has each."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bookcode.ledger import MACHINES
from bookcode.numbers.catalogue import path_of, read_catalogue
from bookcode.numbers.data_messages import DataMessage, data_messages
from bookcode.sources.registry import Registry
from bookcode.sources.translated import in_language, texts_of

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def messages() -> list[DataMessage]:
    return data_messages(ROOT)


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry.load(ROOT / "references")


def test_every_text_stands_once_and_where_it_says(messages: list[DataMessage]) -> None:
    texts = [message.text for message in messages]
    assert len(texts) == len(set(texts)) > 300
    assert all(text.strip() for text in texts)
    for message in messages:
        lines = (ROOT / message.path).read_text("utf-8").split("\n")
        assert 0 <= message.line <= len(lines)
        assert message.comment
    symbol = next(m for m in messages if m.text == "rows of A and of C")
    assert symbol.comment == "symbol M"
    assert symbol.path == "bookcode/ledger/symbols.py"
    line = (ROOT / symbol.path).read_text("utf-8").split("\n")[symbol.line - 1]
    assert symbol.text in line


def test_each_source_of_texts_is_there(messages: list[DataMessage], registry: Registry) -> None:
    texts = {message.text for message in messages}
    assert {row.title for row in MACHINES.values()} <= texts
    assert "elements of the layers' matrices" in texts  # a named intermediate
    assert {fact.conditions for fact in registry.facts.values() if fact.conditions} <= texts
    assert {citation.claim for citation in registry.citations.values()} <= texts
    assert {a.reason for a in registry.artifacts.values() if a.reason} <= texts


def test_the_chinese_edition_says_each(messages: list[DataMessage]) -> None:
    said = read_catalogue(path_of(ROOT / "book" / "locale", "zh_CN", "data"))
    texts = {message.text for message in messages}
    assert texts - set(said) == set()
    assert set(said) - texts == set()


def test_a_project_without_a_registry_has_the_ledgers_texts(tmp_path: Path) -> None:
    kinds = {message.path.split("/")[0] for message in data_messages(tmp_path)}
    assert kinds == {"bookcode"}


def test_reasons_of_changes_are_texts(tmp_path: Path) -> None:
    folder = tmp_path / "references" / "numbers"
    folder.mkdir(parents=True)
    change = 'date = "2026-01-01"\nwhy = "Because"\nnew = 1\ngone = []\nchanged = []\n'
    (folder / "changes.toml").write_text(f"[[change]]\n{change}", "utf-8")
    last = data_messages(tmp_path)[-1]
    assert (last.text, last.comment) == ("Because", "change 1, why")
    assert last.path == "references/numbers/changes.toml"


# the registry in another language -----------------------------------------------------------------
def test_a_registry_says_its_texts_in_another_language(registry: Registry) -> None:
    said = {text: f"〈{text}〉" for text, _, _ in texts_of(registry)}
    other = in_language(registry, said)
    assert {text for text, _, _ in texts_of(other)} == set(said.values())
    assert list(other.facts) == list(registry.facts)
    assert other.citation("S1").claim == f"〈{registry.citation('S1').claim}〉"


def test_only_words_of_ours_change(registry: Registry) -> None:
    other = in_language(registry, {text: "x" for text, _, _ in texts_of(registry)})
    for key, fact in registry.facts.items():
        mine = other.facts[key]
        assert (mine.value, mine.unit, mine.citation, mine.pattern, mine.path, mine.at) == (
            (fact.value, fact.unit, fact.citation, fact.pattern, fact.path, fact.at)
        )
    for key, citation in registry.citations.items():
        mine_too = other.citations[key]
        assert (mine_too.anchors, mine_too.lines, mine_too.evidence, mine_too.path) == (
            (citation.anchors, citation.lines, citation.evidence, citation.path)
        )
    for key, artifact in registry.artifacts.items():
        assert other.artifacts[key].licence == artifact.licence


def test_what_nobody_said_stays(registry: Registry, tmp_path: Path) -> None:
    assert in_language(registry, {}) is registry
    other = in_language(registry, {"tensor cores, dense": "张量核，稠密"})
    assert other.citations == registry.citations
    changed = [k for k, fact in other.facts.items() if fact != registry.facts[k]]
    assert changed
    assert all(other.facts[key].conditions == "张量核，稠密" for key in changed)


def test_texts_say_where_they_stand(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "references", tmp_path / "references")
    for text, at, about in texts_of(Registry.load(tmp_path / "references")):
        assert text
        assert at.file.parent == tmp_path / "references"
        assert about.split()[0] in ("source", "citation", "fact")

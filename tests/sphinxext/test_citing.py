"""What pages say about citations and facts, for every one of the real registry."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

from bookcode.numbers.errors import NumbersError
from bookcode.sources import Evidence, Registry
from bookcode.sphinxext.citing import (
    CitingError,
    cited,
    conditions,
    exact_text,
    fact_hint,
    fact_text,
    others_of,
    state,
)
from bookcode.sphinxext.wording import WORDING, WordingError, say

ROOT = Path(__file__).parents[2]
REGISTRY = Registry.load(ROOT / "references")
LANGUAGES = ("en", "zh_CN")
MOVING = re.compile(r"/(?:blob|tree|raw)/(?:main|master|develop|HEAD|dev)(?:/|$)")
FIXED = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+/blob/(?:[0-9a-f]{7,40}|v[\d.]+)(?:/|$)")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", REGISTRY.citations)
def test_a_citation_says_all_there_is_to_know(key: str, language: str) -> None:
    citation = REGISTRY.citation(key)
    shown = cited(REGISTRY, key, language)
    assert shown.label
    assert citation.claim in shown.hint
    assert say(citation.evidence.value, language) in shown.hint
    for part in (citation.conditions, citation.path, citation.trust, citation.note):
        assert not part or part in shown.hint
    for number in citation.lines or ():
        assert str(number) in shown.label
    if citation.date and citation.evidence in (Evidence.PINNED, Evidence.RECORDED):
        assert citation.date.isoformat() in shown.hint
    around = shown.hint.replace(citation.claim, "").replace(citation.note, "")
    assert "None" not in around + shown.label + (shown.link or "")
    assert "{" not in shown.label


@pytest.mark.parametrize("key", REGISTRY.citations)
def test_links_lead_to_something_that_stays(key: str) -> None:
    citation = REGISTRY.citation(key)
    link = cited(REGISTRY, key, "en").link
    if link is None:
        assert (
            citation.source is None
            or citation.source in REGISTRY.artifacts
            or (citation.source.partition("==")[1])
        )
        return
    assert link.startswith("https://")
    assert not MOVING.search(link)
    if "github.com" in link:
        assert FIXED.match(link)
    if citation.lines and "github.com" in link:
        assert link.endswith(f"#L{citation.lines[0]}-L{citation.lines[1]}")


@pytest.mark.parametrize("key", REGISTRY.facts)
def test_a_fact_s_hint_is_complete(key: str) -> None:
    fact = REGISTRY.fact(key)
    citation = REGISTRY.citation(fact.citation)
    hint = fact_hint(REGISTRY, fact, "en")
    assert hint.startswith(f"value: {exact_text(fact)}; kind: {say(fact.kind.value, 'en')}")
    assert citation.evidence.value.replace("author-note", "author's note") in hint
    assert fact.conditions in hint
    if fact.conditions:
        by = "this book reads" if fact.conditions_by else "the source states"
        assert f"conditions, as {by}" in hint
    for other in others_of(REGISTRY, fact):
        assert f"{exact_text(other)} ({other.key}, " in hint
    assert fact.disputed in hint
    assert fact_text(fact, "en")


def test_contradictions_show_on_both_sides() -> None:
    for fact, other in REGISTRY.contradictions():
        assert other in others_of(REGISTRY, fact)
        assert fact in others_of(REGISTRY, other)
        assert fact_hint(REGISTRY, other, "en").count(f"({fact.key}, ") == 1


def test_a_pinned_citation_is_not_said_to_have_been_checked_by_the_build() -> None:
    for citation in REGISTRY.citations.values():
        said = state(citation, "en")
        assert "checked" not in said
        assert "verified" not in said
        assert ("every verify compares" in said) == (citation.evidence is Evidence.PINNED)
        assert ("not compared again" in said) == (citation.evidence is Evidence.RECORDED)


def test_conditions_name_who_stated_them() -> None:
    assert conditions(REGISTRY.fact("h200.nvidia.fp16-dense"), "en") == ""
    stated = conditions(REGISTRY.fact("h200.spec.bandwidth"), "en")
    assert stated == "conditions, as the source states them: spec sheet"
    read = conditions(REGISTRY.fact("h200.spec.bf16-dense"), "en")
    assert read.startswith("conditions, as this book reads the source: ")


def test_an_unknown_citation_names_the_nearest() -> None:
    with pytest.raises(CitingError, match=r"no citation 'R2-pypy'; did you mean R2-pypi"):
        cited(REGISTRY, "R2-pypy", "en")
    with pytest.raises(CitingError, match="no citation 'R2-pypi'"):
        cited(None, "R2-pypi", "en")


@pytest.mark.parametrize("key", WORDING)
def test_every_wording_fills_in_the_same_in_every_language(key: str) -> None:
    texts = WORDING[key]
    assert set(texts) == {"en", "zh"}
    fields = {
        language: {name for _, name, _, _ in string.Formatter().parse(text) if name}
        for language, text in texts.items()
    }
    assert fields["en"] == fields["zh"]
    assert all(text.strip() for text in texts.values())


def test_an_unknown_wording_is_an_error_with_the_nearest() -> None:
    with pytest.raises(WordingError, match="no wording 'pined'; did you mean pinned"):
        say("pined", "en")
    assert issubclass(WordingError, NumbersError)


def test_an_unknown_language_falls_back_to_english() -> None:
    assert say("pinned", "fr") == say("pinned", "en") != say("pinned", "zh_CN")

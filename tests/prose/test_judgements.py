"""The vocabulary of judging words: its data, its opposites, its errors."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bookcode.prose import VocabularyError, Word, find_judgements, vocabulary

GOOD: dict[str, Any] = {
    "name": "twice",
    "language": "en",
    "kind": "factor",
    "patterns": ["twice"],
    "opposites": ["half"],
}


@pytest.mark.parametrize("word", vocabulary(), ids=lambda word: word.name)
def test_a_word_is_found_in_its_own_name(word: Word) -> None:
    assert [match.text for match in find_judgements(word.name, word.language)] == [word.name]


@pytest.mark.parametrize("word", vocabulary(), ids=lambda word: word.name)
def test_turning_a_verdict_round_leaves_a_verdict(word: Word) -> None:
    assert word.opposites
    for opposite in word.opposites:
        assert opposite != word.name
        assert [m.text for m in find_judgements(opposite, word.language)] == [opposite]
        itself = [p for p in word.patterns if re.fullmatch(p, opposite, re.IGNORECASE)]
        assert not itself, f"{opposite!r} is a way to say {word.name!r}, not its opposite"


def test_names_are_unique_in_a_language() -> None:
    keys = [(word.language, word.name) for word in vocabulary()]
    assert len(set(keys)) == len(keys)


def test_chinese_text_is_read_with_the_english_words_but_not_the_reverse() -> None:
    assert [m.text for m in find_judgements("它是 memory-bound 的一半", "zh")] == [
        "memory-bound",
        "一半",
    ]
    assert find_judgements("一半", "en") == []


def test_a_line_break_inside_a_word_does_not_hide_it() -> None:
    [match] = find_judgements("is two orders of\nmagnitude more")
    assert match.text == "two orders of\nmagnitude"


def test_the_reason_names_the_kind() -> None:
    [match] = find_judgements("It is memory-bound.")
    assert match == (6, 18, "memory-bound", "a verdict on a quantity (regime)")


@settings(deadline=None)
@given(st.text(), st.sampled_from(["en", "zh_CN"]))
def test_any_text_is_read_and_positions_are_ordered(text: str, language: str) -> None:
    ends = 0
    for match in find_judgements(text, language):
        assert ends <= match.start < match.end <= len(text)
        assert match.text == text[match.start : match.end]
        ends = match.end


def test_an_entry_becomes_a_word() -> None:
    word = Word.from_table(GOOD)
    assert word == Word("twice", "en", "factor", ("twice",), ("half",))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"patern": ["x"]}, "unknown key 'patern'; did you mean patterns?"),
        ({"kind": "factr"}, "unknown kind 'factr'; did you mean factor?"),
        ({"kind": 3}, "kind must be a text"),
        ({"patterns": "twice"}, "patterns must be a list of texts"),
        ({"patterns": []}, "has no patterns"),
        ({"patterns": ["(twice"]}, "missing \\), unterminated subpattern"),
        ({"patterns": ["x*"]}, "fits the empty text"),
        ({"quiet": ["["]}, "unterminated character set"),
        ({"opposites": [1]}, "opposites must be a list of texts"),
    ],
)
def test_a_malformed_entry_is_refused_by_name(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(VocabularyError, match=problem) as caught:
        Word.from_table({**GOOD, **change})
    assert caught.value.entry == "twice"
    assert str(caught.value).startswith("vocabulary.toml: entry 'twice': ")

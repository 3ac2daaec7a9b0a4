"""Runs the cases of corpus.txt, and sees that they exercise every rule and every word."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from bookcode.prose import find_judgements, find_numbers, vocabulary
from bookcode.prose._names import names_in, rules
from bookcode.prose._patterns import CHINESE, DIGITS, ENGLISH, MATH
from bookcode.prose._text import plain

CORPUS = Path(__file__).with_name("corpus.txt")


class Case(NamedTuple):
    line: int
    language: str
    context: str
    text: str
    expected: list[str]


def read_cases() -> list[Case]:
    cases = []
    for number, line in enumerate(CORPUS.read_text(encoding="utf-8").split("\n"), start=1):
        if line.strip() and not line.startswith("#"):
            start, found = line.rsplit(" | ", 1)
            language, context, text = start.split(" | ", 2)
            expected = [] if found.strip() == "-" else found.strip().split("; ")
            cases.append(Case(number, language, context, text, expected))
    return cases


CASES = read_cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"line{case.line}")
def test_case(case: Case) -> None:
    if case.context == "verdict":
        found = find_judgements(case.text, case.language)
    else:
        found = find_numbers(case.text, context=case.context, language=case.language)
    assert [match.text for match in found] == case.expected


def test_the_corpus_is_large_and_holds_good_and_bad_in_both_languages() -> None:
    assert len(CASES) >= 200
    for language in ("en", "zh"):
        ours = [case for case in CASES if case.language == language]
        assert sum(not case.expected for case in ours) >= 15
        assert sum(bool(case.expected) for case in ours) >= 25


def test_no_case_stands_twice() -> None:
    keys = [case[1:4] for case in CASES]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_rule_for_names_is_needed_by_a_case(language: str) -> None:
    used = {
        name
        for case in CASES
        if case.context not in ("verdict", "math")
        for _, _, name in names_in(plain(case.text), "zh" if case.language == "zh" else "en")
    }
    assert {rule.name for rule in rules("zh" if language == "zh" else "en")} - used == set()


def test_every_reason_for_numbers_is_given_in_a_case() -> None:
    given = {
        match.reason
        for case in CASES
        if case.context != "verdict"
        for match in find_numbers(case.text, context=case.context, language=case.language)
    }
    reasons = {rule.reason for rule in (*ENGLISH, *DIGITS, *CHINESE, *MATH)}
    assert reasons <= given
    assert "a bare print of a figure" in given


def test_every_kind_of_verdict_is_in_a_case() -> None:
    given = {
        match.reason
        for case in CASES
        if case.context == "verdict"
        for match in find_judgements(case.text, case.language)
    }
    kinds = {word.kind for word in vocabulary()}
    assert {f"a verdict on a quantity ({kind})" for kind in kinds} == given

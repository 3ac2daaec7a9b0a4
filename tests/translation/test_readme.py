"""The Chinese README gives the same commands, links and figures as the English one."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from bookcode.translation.typography import problems

ROOT = Path(__file__).parents[2]
NAMES = ("README.md", "README.zh-CN.md")
FENCED = re.compile(r"^```[^\n]*\n.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
DIGITS = re.compile(r"\d+(?:[.,]\d+)*")


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return [(ROOT / name).read_text("utf-8") for name in NAMES]


def plain(text: str) -> str:
    """A text without its blocks of code."""
    return FENCED.sub("", text)


def test_commands_and_examples_are_the_same(texts: list[str]) -> None:
    english, chinese = (FENCED.findall(text) for text in texts)
    assert len(english) >= 3
    assert chinese == english


def test_links_are_the_same_and_lead_somewhere(texts: list[str]) -> None:
    english, chinese = (set(LINK.findall(text)) - set(NAMES) for text in texts)
    assert chinese == english
    for target in english:
        assert target.startswith("https://") or (ROOT / target.partition("#")[0]).exists(), target


def test_what_is_named_in_code_and_in_digits_is_the_same(texts: list[str]) -> None:
    english, chinese = (Counter(CODE.findall(plain(text))) for text in texts)
    assert set(chinese) == set(english)
    english, chinese = (Counter(DIGITS.findall(plain(text))) for text in texts)
    assert set(chinese) == set(english)


def test_headings_tables_and_lists_are_as_long(texts: list[str]) -> None:
    for start in ("#", "|", "- ", ">", "!["):
        counts = [len(re.findall(rf"^{re.escape(start)}", plain(text), re.M)) for text in texts]
        assert counts[0] == counts[1], start


def test_its_punctuation_is_chinese(texts: list[str]) -> None:
    found = [
        f"{NAMES[1]}:{number}: {problem}"
        for number, line in enumerate(texts[1].split("\n"), start=1)
        for problem, _ in problems(line)
        if not line.startswith("|")
    ]
    assert found == []

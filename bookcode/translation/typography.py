"""Chinese punctuation and spacing: how Chinese, Latin and published numbers stand together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from bookcode.translation.keys import masked

_MADE: Final = "\ue000"
"""Stands for a role, code span, formula or placeholder."""
_HAN: Final = "\u3400-\u4dbf\u4e00-\u9fff"
_LATIN: Final = f"A-Za-z0-9{_MADE}"
_TUPLE: Final = r"[^()]*[*=_,][^()]*\)"
"""What follows the parenthesis of a piece of code that is not marked as such."""
_AROUND: Final = 8

RULES: Final[tuple[tuple[str, str, re.Pattern[str]], ...]] = (
    (
        "no space between Chinese and Latin, digits or a role",
        "put one space there",
        re.compile(rf"[{_HAN}][{_LATIN}]|[{_LATIN}][{_HAN}]"),
    ),
    (
        "more than one space beside Chinese",
        "leave one",
        re.compile(rf"[{_HAN}] {{2,}}|[^\S\n]{{2,}}[{_HAN}]"),
    ),
    (
        "half-width punctuation beside Chinese",
        "write ，：；？！。（）",
        re.compile(
            rf"[{_HAN}{_MADE}]\s*[,;:?!](?=\s*[{_HAN}])|[{_HAN}]\s*[,;:?!](?![/\w])"
            rf"|[{_HAN}]\.(?:\s|$)|[{_HAN}]\s?\((?!{_TUPLE}|\))"
            rf"|(?<![A-Za-z0-9_])(?!\({_TUPLE})\([^()]*\)\s?[{_HAN}]"
        ),
    ),
    (
        "a space beside full-width punctuation",
        "take it out",
        re.compile(r"[^\S\n]+[，。；：？！（）、”《》]|[，。；：？！（）、“《》][^\S\n]+"),
    ),
)
"""(problem, advice, what it looks like)."""


def problems(translation: str) -> Iterator[tuple[str, str]]:
    """(problem, advice) for each rule that a Chinese text breaks; at most one for a rule."""
    text = masked(translation, _MADE)
    for problem, advice, pattern in RULES:
        found = pattern.search(text)
        if found:
            start, end = max(found.start() - _AROUND, 0), found.end() + _AROUND
            around = text[start:end].replace(_MADE, "▢").strip()
            yield f"{problem}: “{around}”", advice

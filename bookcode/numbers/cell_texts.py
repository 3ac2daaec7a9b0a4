"""Words that cells give: per language, with the numbers of a verdict; and where the cell stands."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from bookcode.numbers.errors import BookError
from bookcode.numbers.graph import PublishedNode, below
from bookcode.numbers.records import NO_OPERAND
from bookcode.numbers.runs import Plain

Texts = str | Mapping[str, str]


def cell_line() -> int:
    """The line of the cell that is running."""
    frame = sys._getframe(1)
    line = 0
    while frame is not None:
        if frame.f_code.co_name == "<module>":
            line = frame.f_lineno
            break
        frame = frame.f_back  # type: ignore[assignment]
    return line


def texts_of(text: Texts) -> dict[str, str]:
    """A text per language, without the indents and line ends of the cell."""
    raw = {"en": text} if isinstance(text, str) else dict(text)
    return {language: inspect.cleandoc(t).replace("\n", " ") for language, t in raw.items()}


def wordings_of(key: str, says: Any) -> dict[str, list[str]]:
    """The wordings of a claim per language.

    Raises:
        BookError: when one is empty, or there is none in English.
    """
    per_language = says if isinstance(says, Mapping) else {"en": says}
    wordings = {
        language: [words] if isinstance(words, str) else list(words)
        for language, words in per_language.items()
    }
    if "en" not in wordings or not all(words and all(words) for words in wordings.values()):
        raise BookError(f"claim {key!r}: a wording is empty or not there in English")
    return wordings


def explain(node: Any, plain: Plain) -> str:
    """The predicate's operands with their values."""
    parts = []
    for inner in below(node):
        if isinstance(inner, PublishedNode):
            value = plain(inner)
            shown = f"{float(value):.6g} {inner.unit}" if isinstance(value, Fraction) else value
            parts.append(f"{inner.key} = {shown}")
    return ", ".join(dict.fromkeys(parts)) or NO_OPERAND

"""Finds the numbers typed in a text: masks what is a name, then runs the tables of rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from . import _patterns as patterns
from ._names import names_in
from ._patterns import NumberRule
from ._text import Language, Match, context_of, language_of, masked, plain

_BARE_PRINT = "a bare print of a figure"
_IN_CODE = "a typed quantity in a code span"

Found = tuple[NumberRule, int, int]
"""A rule, and the place where it fits."""


@cache
def _scanner(*tables: tuple[NumberRule, ...]) -> tuple[re.Pattern[str], tuple[NumberRule, ...]]:
    rules = tuple(rule for table in tables for rule in table)
    parts = [f"(?P<r{index}>{rule.pattern})" for index, rule in enumerate(rules)]
    return re.compile("|".join(parts), re.ASCII), rules


def _scan(text: str, *tables: tuple[NumberRule, ...]) -> Iterator[Found]:
    pattern, rules = _scanner(*tables)
    for found in pattern.finditer(text):
        yield rules[int(str(found.lastgroup)[1:])], found.start(), found.end()


def _spans(matches: Iterable[re.Match[str]], group: int = 0) -> list[tuple[int, int]]:
    return [found.span(group) for found in matches]


def _in_text(text: str, language: Language) -> Iterator[Found]:
    unnamed = masked(text, [(start, end) for start, end, _ in names_in(text, language)])
    if language == "en":
        return _scan(unnamed, patterns.ENGLISH, patterns.DIGITS)
    unnamed = masked(unnamed, _spans(patterns.CHINESE_IDIOM.finditer(unnamed)))
    return _scan(unnamed, patterns.CHINESE, patterns.ENGLISH, patterns.DIGITS)


def _in_output(text: str, language: Language) -> Iterator[Found]:
    """Figures a cell printed; words in an output are left alone."""
    for rule, start, end in _in_text(text, language):
        if any(character.isdigit() for character in text[start:end]):
            yield rule._replace(reason=_BARE_PRINT), start, end


def _in_code(text: str, language: Language) -> Iterator[Found]:
    """Numbers with a unit in a code span; other numbers there are code, not statements."""
    code = masked(text, _spans(patterns.CODE_FREE.finditer(text)))
    for rule, start, end in _in_text(code, language):
        if rule.name in patterns.WITH_UNIT:
            yield rule._replace(reason=_IN_CODE), start, end


def _in_math(text: str, language: Language) -> Iterator[Found]:
    """Coefficients in LaTeX, and numbers in its text groups."""
    groups = _spans(patterns.MATH_TEXT.finditer(text), 1)
    for first, last in groups:
        for rule, start, end in _in_text(text[first:last], language):
            yield rule, first + start, first + end
    formula = masked(text, groups)
    formula = masked(formula, _spans(patterns.MATH_FREE.finditer(formula)))
    for rule, start, end in _scan(formula, patterns.MATH):
        if formula[start:end] not in patterns.FREE_IN_MATH:
            yield rule, start, end


def _in_paragraph(text: str, language: Language) -> Iterator[Found]:
    """Running text in which backticks may quote code (alt texts, titles given as plain text)."""
    quoted = _spans(patterns.CODE_IN_TEXT.finditer(text), 2)
    for first, last in quoted:
        for rule, start, end in _in_code(text[first:last], language):
            yield rule, first + start, first + end
    yield from _in_text(masked(text, quoted), language)


_READERS = {
    "paragraph": _in_paragraph,
    "math": _in_math,
    "code-span": _in_code,
    "output": _in_output,
}


def find_numbers(text: str, *, context: str = "paragraph", language: str = "en") -> list[Match]:
    """The numbers typed in `text`, in order and apart from each other.

    `context` says how the text is read: "paragraph" for any running text ("caption", "alt",
    "title", "table-cell" and the like are other names for it), "math" for LaTeX, "code-span",
    "output" for what a cell printed. Raises ContextError or LanguageError for unknown ones.
    """
    read = _READERS[context_of(context)]
    found = sorted(read(plain(text), language_of(language)), key=lambda one: one[1])
    return [Match(start, end, text[start:end], rule.reason) for rule, start, end in found]

"""Finds the words that pass a verdict on a quantity; the words are data (`vocabulary.toml`)."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

from ._errors import VocabularyError
from ._text import Language, Match, language_of, plain

_FILE: Final = "vocabulary.toml"
_KINDS: Final = (
    *("regime", "factor", "fraction", "magnitude", "comparison", "share", "extent", "exactness"),
)
_TEXTS: Final = ("name", "language", "kind")
_LISTS: Final = ("patterns", "quiet", "opposites")
# A line break in a paragraph is a space to the reader.
_ONE_LINE: Final = str.maketrans("\n\r\t", "   ")


@dataclass(frozen=True, slots=True)
class Word:
    """A judging word: how it is written, what kind of verdict it is, what would turn it round."""

    name: str
    language: Language
    kind: str
    patterns: tuple[str, ...]
    opposites: tuple[str, ...]
    quiet: tuple[str, ...] = ()

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Word:
        """The word of one entry of the data file; raises VocabularyError if it is malformed."""
        name = str(table.get("name", "?"))
        for key in table:
            if key not in _TEXTS + _LISTS:
                near = difflib.get_close_matches(key, _TEXTS + _LISTS, n=1)
                hint = f"; did you mean {near[0]}?" if near else ""
                raise VocabularyError(_FILE, name, f"unknown key {key!r}{hint}")
        for key in _TEXTS:
            if not isinstance(table.get(key), str):
                raise VocabularyError(_FILE, name, f"{key} must be a text")
        for key in _LISTS:
            value = table.get(key, [])
            if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                raise VocabularyError(_FILE, name, f"{key} must be a list of texts")
        if table["kind"] not in _KINDS:
            near = difflib.get_close_matches(table["kind"], _KINDS, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise VocabularyError(_FILE, name, f"unknown kind {table['kind']!r}{hint}")
        if not table.get("patterns"):
            raise VocabularyError(_FILE, name, "has no patterns")
        return cls(
            name=name,
            language=language_of(table["language"]),
            kind=table["kind"],
            patterns=tuple(_compilable(name, table["patterns"])),
            opposites=tuple(table.get("opposites", ())),
            quiet=tuple(_compilable(name, table.get("quiet", []))),
        )


def _compilable(name: str, patterns: list[str]) -> list[str]:
    for pattern in patterns:
        try:
            if re.compile(pattern).match("") is not None:
                raise VocabularyError(_FILE, name, f"pattern {pattern!r} fits the empty text")
        except re.error as error:
            raise VocabularyError(_FILE, name, f"pattern {pattern!r}: {error}") from None
    return patterns


@cache
def vocabulary() -> tuple[Word, ...]:
    """All judging words, in the order of the data file.

    Raises VocabularyError for a malformed entry.
    """
    text = resources.files(__package__).joinpath(_FILE).read_text(encoding="utf-8")
    return tuple(Word.from_table(table) for table in tomllib.loads(text)["word"])


def _read_in(word: Word, language: Language) -> bool:
    """English words are looked for in Chinese text too: some terms stay English there."""
    return word.language in ("en", language)


@cache
def _scanner(language: Language) -> tuple[re.Pattern[str], tuple[Word, ...]]:
    """One pattern for all words; at one place what is quiet comes before what judges."""
    words = tuple(word for word in vocabulary() if _read_in(word, language))
    quiet = "|".join(pattern for word in words for pattern in word.quiet)
    parts = [f"(?P<w{index}>{'|'.join(word.patterns)})" for index, word in enumerate(words)]
    pattern = rf"(?<![A-Za-z0-9_])(?:(?P<quiet>{quiet})|{'|'.join(parts)})(?![A-Za-z0-9_])"
    return re.compile(pattern, re.ASCII | re.IGNORECASE), words


def find_judgements(text: str, language: str = "en") -> list[Match]:
    """The judging words in `text`, in order and apart from each other.

    Raises LanguageError for a language without a vocabulary.
    """
    pattern, words = _scanner(language_of(language))
    matches = []
    for found in pattern.finditer(plain(text).translate(_ONE_LINE)):
        group = str(found.lastgroup)
        if group != "quiet":
            start, end = found.span()
            reason = f"a verdict on a quantity ({words[int(group[1:])].kind})"
            matches.append(Match(start, end, text[start:end], reason))
    return matches

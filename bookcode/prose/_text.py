"""What the lint reads: contexts, languages, matches, and text made ready for the patterns."""

from __future__ import annotations

import difflib
import unicodedata
from typing import Final, Literal, NamedTuple

from bookcode.words import short

from ._errors import ContextError, LanguageError

Context = Literal["paragraph", "math", "code-span", "output"]
Language = Literal["en", "zh"]

# Names of running text that a caller may use: they are all read as a paragraph.
_RUNNING_TEXT: Final = (
    *("paragraph", "list-item", "table-cell", "caption", "alt", "title", "label"),
    *("footnote", "svg-text"),
)
_CONTEXTS: Final[dict[str, Context]] = {
    **dict.fromkeys(_RUNNING_TEXT, "paragraph"),
    "math": "math",
    "code-span": "code-span",
    "output": "output",
}
_LANGUAGES: Final[dict[str, Language]] = {"en": "en", "zh": "zh"}

MASK: Final = "\ue000"
"""Stands for one character that is not to be read: no letter, digit, space or sign."""


class Match(NamedTuple):
    """A finding in a text: `text[start:end]` is what was found, `reason` says what it is."""

    start: int
    end: int
    text: str
    reason: str


def context_of(name: str) -> Context:
    """The context a name stands for ("caption" is read like a paragraph).

    Raises ContextError, with the nearest name, for one that is not known.
    """
    try:
        return _CONTEXTS[name]
    except KeyError:
        raise ContextError(name, difflib.get_close_matches(name, _CONTEXTS)) from None


def language_of(code: str) -> Language:
    """The language a code stands for: "zh_CN", "zh-cn" and "zh" are all "zh".

    Raises LanguageError for a language the lint has no patterns for.
    """
    primary = short(code)
    try:
        return _LANGUAGES[primary]
    except KeyError:
        raise LanguageError(code, sorted(_LANGUAGES)) from None


# Unicode has no decimal digit beyond; looking through all of it takes a tenth of a second.
_LAST_DIGIT: Final = 0x20000


def _plain_characters() -> dict[int, str]:
    """Digits of every script, every space and the full-width signs, each as its ASCII kin."""
    table = {
        code: str(unicodedata.decimal(chr(code)))
        for code in range(128, _LAST_DIGIT)
        if chr(code).isdecimal()
    }
    table |= {ord(space): " " for space in "\u00a0\u1680\u202f\u205f\u3000"}
    table |= dict.fromkeys(range(8192, 8203), " ")
    for code in range(0xFF01, 0xFF5F):
        table.setdefault(code, chr(code - 0xFEE0))
    # Chinese punctuation keeps its shape: it parts sentences, it is no decimal point or comma.
    for sign in "，：；！？（）":
        table.pop(ord(sign), None)
    return table


_PLAIN: Final = _plain_characters()


def plain(text: str) -> str:
    """`text` with ASCII digits and spaces, of the same length: patterns can be compiled ASCII."""
    return text if text.isascii() else text.translate(_PLAIN)


def masked(text: str, spans: list[tuple[int, int]]) -> str:
    """`text` with each span (in order, apart) replaced by as many MASK characters."""
    parts: list[str] = []
    at = 0
    for start, end in spans:
        parts += (text[at:start], MASK * (end - start))
        at = end
    parts.append(text[at:])
    return "".join(parts)

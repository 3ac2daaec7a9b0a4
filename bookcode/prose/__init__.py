"""The lint for hard-coded numbers and judging words in what a reader reads."""

from ._errors import ContextError, LanguageError, ProseError, VocabularyError
from ._numbers import find_numbers
from ._text import Context, Language, Match

__all__ = [
    "Context",
    "ContextError",
    "Language",
    "LanguageError",
    "Match",
    "ProseError",
    "VocabularyError",
    "find_numbers",
]

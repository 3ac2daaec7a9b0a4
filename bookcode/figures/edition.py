"""The language of the edition that a figure is drawn for, and the words that figures bring.

The build tells it to the process that draws; nothing told means English.
"""

from __future__ import annotations

import os
from typing import Final

from bookcode.words import Words, in_language

VARIABLE: Final = "BOOKCODE_LANGUAGE"
"""The environment variable that holds Sphinx's name of the language, "zh_CN" say."""

WORDS: Final[Words] = {
    "intensity": {"en": "arithmetic intensity, FLOP/B", "zh": "算术强度（FLOP/B）"},
    "rate": {"en": "attainable rate, TFLOP/s", "zh": "可达速率（TFLOP/s）"},
}
"""Words by key and language."""


def language() -> str:
    """Sphinx's name of the edition's language."""
    return os.environ.get(VARIABLE) or "en"


def word(key: str) -> str:
    """The words ``key`` in the edition's language; English where there are none."""
    return in_language(WORDS[key], language())

"""The site's search: English, Chinese and the names of code, in every edition."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Final

from sphinx import package_dir
from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

from bookcode.sphinxext.search_words import PATTERNS, is_plain, words_of

CODE_FOLDER: Final = "code/"
"""Where the pages of the code browser lie; the search names them after the chapters."""
_SCRIPT: Final = Path(__file__).with_name("search_language.js")
_STEMMERS: Final = package_dir / "search" / "minified-js"


_LONG: Final = 1000
"""Texts with more characters are whole files, which a builder that stays meets again and again."""


@functools.lru_cache(maxsize=256)
def _words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words_of(text)))


class _BookLanguage(SearchEnglish):
    """Splits as :mod:`bookcode.sphinxext.search_words` says; English endings do not matter."""

    js_stemmer_rawcode = ""
    """None of Sphinx's own: the stemmer comes with :attr:`js_stemmer_code`."""

    def __init__(self, options: dict[str, str]) -> None:
        super().__init__(options)
        self._stems: dict[str, str] = {}
        self.js_stemmer_code = "\n".join(
            (_STEMMERS / name).read_text("utf-8")
            for name in ("base-stemmer.js", "english-stemmer.js")
        )
        script = _SCRIPT.read_text("utf-8")
        script = script.replace("PATTERNS", json.dumps(PATTERNS), 1)
        self.js_splitter_code = script.replace("(CODE)", f"({json.dumps(CODE_FOLDER)})", 1)

    def split(self, input: str) -> list[str]:
        return list(_words(input) if len(input) > _LONG else words_of(input))

    def stem(self, word: str) -> str:
        if word not in self._stems:  # a book has far fewer words than places where they stand
            lower = word.lower()
            self._stems[word] = super().stem(word) if is_plain(lower) else lower
        return self._stems[word]


class BookEnglish(_BookLanguage):
    """For the English edition."""

    lang = "en"
    language_name = "English"


class BookChinese(_BookLanguage):
    """For the Chinese edition; Sphinx's own needs a stemmer that does not exist."""

    lang = "zh"
    language_name = "Chinese"


def add_search(app: Sphinx) -> None:
    """Register the languages."""
    app.add_search_language(BookEnglish)
    app.add_search_language(BookChinese)

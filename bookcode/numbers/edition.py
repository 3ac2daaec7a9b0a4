"""The edition that a page's cells run for: its language, and the words that cells give in it.

The build says in the environment which language it is, where the catalogues lie and which page
runs. Without that the edition is the English one, and nothing is looked up.
"""

from __future__ import annotations

import os
import re
import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from bookcode.figures.edition import VARIABLE
from bookcode.numbers.catalogue import CELLS, DATA, path_of, read_catalogue
from bookcode.numbers.errors import BookError, did_you_mean
from bookcode.words import short

LANGUAGE: Final = VARIABLE
LOCALE: Final = "BOOKCODE_LOCALE"
PAGE: Final = "BOOKCODE_PAGE"
"""Environment variables: the folder of the catalogues, and the page's name without ending."""
SOURCE: Final = "en"
NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True)
class Edition:
    """A language and where its words are.

    Attributes:
        language: Sphinx's name of it, "zh_CN" say.
        locale: the folder of the catalogues; None where there are none.
        page: the page whose cells run, "02-from-pytorch-to-kernel/01-where" say.
    """

    language: str = SOURCE
    locale: Path | None = None
    page: str = ""

    @classmethod
    def told(cls, environment: Mapping[str, str] = os.environ) -> Edition:
        """The edition that the environment names."""
        locale = environment.get(LOCALE)
        language = environment.get(LANGUAGE) or SOURCE
        return cls(language, Path(locale) if locale else None, environment.get(PAGE, ""))

    @property
    def short(self) -> str:
        """The language as records have it: "zh"."""
        return short(self.language)

    # texts of cells ---------------------------------------------------------------------------
    def cell_text(self, english: str) -> str | None:
        """What a text of the page's cells is in this language; None where nobody said it."""
        return self._of(f"{CELLS}/{self.page}").get(english)

    def data_text(self, english: str) -> str:
        """A text of data in this language; English where nobody said it."""
        return self.data.get(english, english)

    @property
    def data(self) -> Mapping[str, str]:
        """What texts of data are in this language; the same object while nothing changed."""
        return self._of(DATA)

    def _of(self, name: str) -> Mapping[str, str]:
        if self.short == SOURCE or self.locale is None:
            return NOTHING
        path = path_of(self.locale, self.language, name)
        if self.page and path.exists():
            # The build may have read it before it forked; a page depends on what its cells open.
            path.open("rb").close()
        return read_catalogue(path)

    def with_translation(self, texts: dict[str, str]) -> dict[str, str]:
        """Texts by language with this language's, where the cell did not give it itself."""
        if self.short in texts or SOURCE not in texts:
            return texts
        translated = self.cell_text(texts[SOURCE])
        return texts if translated is None else {**texts, self.short: translated}

    def with_wordings(self, wordings: dict[str, list[str]]) -> dict[str, list[str]]:
        """Wordings by language with this language's; one that nobody translated stays English."""
        if self.short in wordings:
            return wordings
        found = [self.cell_text(wording) for wording in wordings[SOURCE]]
        if not any(found):
            return wordings
        pairs = zip(found, wordings[SOURCE], strict=True)
        return {**wordings, self.short: [translated or english for translated, english in pairs]}

    def described(self, parameter: dict[str, Any]) -> dict[str, Any]:
        """A parameter's description with its title, and those of its options, in this language."""
        if self.short == SOURCE:
            return parameter
        title = self.cell_text(parameter["title"]) or parameter["title"]
        told = {**parameter, "title": title}
        if "options" in told:
            told["options"] = {k: self.data_text(text) for k, text in told["options"].items()}
        return told

    # words inside figures ---------------------------------------------------------------------
    def say(self, message: str, parts: Mapping[str, str]) -> tuple[str, dict[str, str]]:
        """A message with its parts filled in, and the message per language.

        Raises:
            BookError: for a typed digit, or parts that are not those that the message names; the
                same in the translation.
        """
        checked(message, parts, f"message {message!r}", every=True)
        texts = self.with_translation({SOURCE: message})
        own = texts.get(self.short, message)
        if own is not message:
            where = f"the translation of {message!r} in {self.language}"
            checked(own, parts, where, every=False)
        return own.format(**parts), texts


def checked(message: str, parts: Mapping[str, str], where: str, *, every: bool) -> None:
    """See that a message types no digit and names the parts that it is given.

    Raises:
        BookError: when it does not; ``every`` part must be named, or else none that is not given.
    """
    try:
        pieces = list(string.Formatter().parse(message))
    except ValueError as error:
        raise BookError(f"{where}: {error}") from None
    typed = "".join(text for text, *_ in pieces)
    if found := re.search(r"\d+", typed):
        raise BookError(
            f"{where}: {found[0]!r} is typed; write a name in braces and give it book.text() of a "
            "published number, or a name such as that of a machine"
        )
    named = {name for _, name, *_ in pieces if name is not None}
    for name in sorted(named - set(parts)):
        raise BookError(f"{where}: nothing is given for {{{name}}}{did_you_mean(name, parts)}")
    if every:
        _all_texts(sorted(set(parts) - named), parts, where)


def _all_texts(unused: Iterable[str], parts: Mapping[str, str], where: str) -> None:
    for name in unused:
        raise BookError(f"{where}: {name!r} is given and stands nowhere in it")
    for name, part in parts.items():
        if not isinstance(part, str):
            raise BookError(
                f"{where}: {name!r} is a {type(part).__name__}; give the text of a published "
                "number, book.text(...)"
            )

"""The editions of the book: their folders in the site, their languages, their names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

LANGUAGES: Final[Mapping[str, str]] = {"en": "en", "zh-cn": "zh_CN"}
"""Folder of an edition to Sphinx's name of its language; the source's comes first."""
SOURCE: Final = next(iter(LANGUAGES))
"""The edition that the others translate."""
NAMES: Final[Mapping[str, str]] = {"en": "English", "zh-cn": "简体中文"}
"""What an edition's language calls itself."""

STILL_ENGLISH: Final[Mapping[str, str]] = {"en": "not translated", "zh_CN": "尚未翻译"}
"""The mark of a text whose translation is still to come, by Sphinx's name of the language."""


def tag(language: str) -> str:
    """The tag of HTML for Sphinx's name of a language, or for an edition's folder.

    >>> tag("zh_CN"), tag("zh-cn"), tag("en")
    ('zh-CN', 'zh-CN', 'en')
    """
    primary, _, country = language.replace("_", "-").partition("-")
    return f"{primary.lower()}-{country.upper()}" if country else primary.lower()


def folder_of(language: str, editions: Mapping[str, str]) -> str:
    """The folder of the edition in a language; "" if there is none."""
    return next((folder for folder, name in editions.items() if name == language), "")


def catalogues_folder(root: Path, language: str) -> Path:
    """Where the catalogues of a language lie."""
    return root / "book" / "locale" / language / "LC_MESSAGES"

"""Words in several languages: which language a name stands for, and what it has to say.

Sphinx names languages with a country ("zh_CN"), browsers with another sign ("zh-CN"); what is
written per language in this project is written for the language alone ("zh").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

Words = Mapping[str, Mapping[str, str]]
"""Texts by key and language; names in braces are filled in."""
T = TypeVar("T")


def short(language: str) -> str:
    """The language of a name without its country: "zh" for "zh_CN" and "zh-Hans"."""
    return re.split("[-_]", language)[0].lower()


def in_language(said: Mapping[str, T], language: str) -> T:
    """What is said in a language; what is said in English where there is nothing else."""
    return said.get(short(language), said["en"])

"""Two ways to build one book that have as little in common as a machine allows."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

NEUTRAL: Final = frozenset({"C", "POSIX", "C.UTF-8"})
TELLING: Final = ("tr_TR", "de_DE", "fr_FR", "zh_CN")
"""Locales that other programs stumble over: their own i, commas in numbers, no Latin letters."""


@dataclass(frozen=True)
class Way:
    """One way to build.

    Attributes:
        folder: where the copy lies, below a temporary folder.
        jobs: how many processes Sphinx may use.
        backwards: whether files are copied from the last to the first: some file systems list
            them in the order of their making.
        environment: variables that are set.
    """

    folder: str
    jobs: int
    backwards: bool
    environment: dict[str, str]

    def __str__(self) -> str:
        settings = " ".join(f"{name}={value}" for name, value in self.environment.items())
        return f"-j{self.jobs} {settings}, in {self.folder!r}"


def two_ways(other_locale: str | None) -> tuple[Way, Way]:
    """Two ways that differ in all that must not matter.

    The time zones are so far apart that it is never the same day in both. Without another locale
    the second way has that of plain C, whose encoding is ASCII.
    """
    one = {"TZ": "WEST+12", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1"}
    other = {"TZ": "EAST-14", "LC_ALL": other_locale or "C", "PYTHONHASHSEED": "4242"}
    return (
        Way("one", 1, False, one),
        Way("another place/with a longer näme", 2, True, other),
    )


def other_locale(installed: Iterable[str] | None = None) -> str | None:
    """A locale of this machine that is not neutral, the most telling one; None if there is none."""
    names = installed_locales() if installed is None else list(installed)
    others = [name for name in names if normal(name) not in NEUTRAL and "UTF-8" in normal(name)]
    ranks = {name: rank for rank, name in enumerate(TELLING)}
    ranked = sorted(others, key=lambda name: (ranks.get(name.partition(".")[0], len(ranks)), name))
    return ranked[0] if ranked else None


def normal(name: str) -> str:
    """A locale's name with its encoding in one spelling: ``C.utf8`` is ``C.UTF-8``."""
    language, dot, encoding = name.partition(".")
    spelt = "UTF-8" if encoding.lower().replace("-", "") == "utf8" else encoding
    return f"{language}{dot}{spelt}"


def installed_locales() -> list[str]:
    """The locales that this machine has, [] where it does not say."""
    program = shutil.which("locale")
    if program is None:
        return []
    done = subprocess.run([program, "-a"], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace").split()

"""Names of what begins, checked before anything is written."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from bookcode.numbers.errors import did_you_mean
from bookcode.scaffold.errors import ScaffoldError

SLUG: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_NUMBERED: Final = re.compile(r"(\d\d)-(.+)")


def slug(name: str) -> str:
    """A chapter's name as it stands in addresses and keys.

    Raises:
        ScaffoldError: when it is none.
    """
    if not SLUG.fullmatch(name):
        near = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-0123456789")
        hint = f"; {near!r} would do" if SLUG.fullmatch(near) else ""
        raise ScaffoldError(f"a chapter's name is lower case with hyphens, not {name!r}{hint}")
    return name


def identifier(name: str) -> str:
    """An operator's name as it stands in Python.

    Raises:
        ScaffoldError: when it is none.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        near = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_0123456789")
        fits = near.isidentifier() and not keyword.iskeyword(near)
        hint = f"; {near!r} would do" if fits else ""
        raise ScaffoldError(f"an operator's name is lower case with underscores{hint}")
    return name


def title_of(name: str) -> str:
    """A title for a name: its words, the first in upper case."""
    words = re.sub(r"[-_]+", " ", name)
    return words[:1].upper() + words[1:]


def chapters(root: Path) -> list[str]:
    """The folders of the chapters, in order."""
    folders = (path.parent.name for path in (root / "book").glob("*/index.md"))
    return sorted(name for name in folders if _NUMBERED.fullmatch(name))


def chapter_named(name: str, known: Iterable[str]) -> str:
    """The folder of a chapter named by it, by its number, or by its name without the number.

    Raises:
        ScaffoldError: for a chapter that does not exist, with the nearest ones.
    """
    folders = list(known)
    for folder in folders:
        if name in (folder, *folder.split("-", 1)):
            return folder
    raise ScaffoldError(f"no chapter {name!r}{did_you_mean(name, folders)}")


def next_number(known: Iterable[str]) -> str:
    """The number of the chapter after the last, in two digits.

    Raises:
        ScaffoldError: when there is none left.
    """
    number = 1 + max((int(name[:2]) for name in known), default=0)
    if number > 99:
        raise ScaffoldError("chapters have two digits, and the last number is taken")
    return f"{number:02}"

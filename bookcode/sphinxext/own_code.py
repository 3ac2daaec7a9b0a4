"""A version of our own code: pages that older code has read are read again.

Sphinx keeps what it read of a page until the page changes, and cells are run again when what they
read changed. Of the code that turns both into pages neither knows.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

import bookcode

ROOT: Final = Path(bookcode.__file__).parent
BUILDING: Final = (
    *("execution", "figures", "lab", "linkcheck", "numbers", "prose", "reality", "sources"),
    *("sphinxext", "translation", "site/templates", "words.py"),
)
"""Whose code and data make pages, below ``bookcode``; not the ledger, of which cells keep track."""
SUFFIXES: Final = {".py", ".json", ".toml", ".html", ".js"}


def code_version(root: Path = ROOT) -> int:
    """A number that changes with every edit of what makes pages."""
    digest = hashlib.sha256()
    for name in BUILDING:
        place = root / name
        for path in [place] if place.is_file() else sorted(place.rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                digest.update(path.relative_to(root).as_posix().encode())
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return int.from_bytes(digest.digest()[:6])

"""Begins a chapter: its entry page, a section with cells, exercises, a self-test, its numbers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from bookcode.scaffold.errors import ScaffoldError
from bookcode.scaffold.names import chapters, next_number, slug, title_of
from bookcode.scaffold.plan import Edit, Plan, read
from bookcode.scaffold.templates import fill

INDEX: Final = "book/index.md"
PAGES: Final = ("index", "01-first-section", "exercises", "self-test", "numbers")
_ENTRY: Final = re.compile(r"^\d\d-[^/\s]+/index$")


def chapter(root: Path, name: str, title: str = "") -> Plan:
    """The plan of a chapter after the last one.

    Args:
        name: as it stands in addresses and keys, such as ``mixed-precision``.
        title: its heading; the words of the name where there is none.

    Raises:
        ScaffoldError: for a bad name, one that a chapter has, or a start page without a place
            for the chapter.
    """
    known = chapters(root)
    if slug(name) in {folder[3:] for folder in known}:
        raise ScaffoldError(f"there is a chapter {name!r} already")
    number = next_number(known)
    folder = f"{number}-{name}"
    values = {
        "number": number,
        "plain_number": str(int(number)),
        "key": name,
        "parameter": f"{name.replace('-', '_')}_elements",
        "title": title or title_of(name),
    }
    new = {f"book/{folder}/{page}.md": fill(f"chapter-{page}", **values) for page in PAGES}
    before = read(root, INDEX)
    steps = (
        f"nox -s html, and open _build/html/en/{folder}/index.html",
        f"write: book/{folder}/ is yours; `nox -s live` shows it while you do",
        'nox -s i18n -- --pending --why "new chapter" lists what is to be translated',
        'nox -s verify -- --accept --why "new chapter" takes its numbers into the lock',
        "nox -s i18n -- --pending once more: the reason of accepting is published, too",
    )
    return Plan(new, {INDEX: Edit(before, entered(before, f"{folder}/index"))}, steps)


def entered(text: str, entry: str) -> str:
    """The start page with one more chapter in its table of contents, after the last.

    Raises:
        ScaffoldError: when the page lists no chapter, and has no list of chapters either.
    """
    lines = text.split("\n")
    entries = [number for number, line in enumerate(lines) if _ENTRY.fullmatch(line)]
    if entries:
        lines.insert(entries[-1] + 1, entry)
        return "\n".join(lines)
    opening = re.search(r"^```\{toctree\}\n(?::.*\n)*\n?", text, re.MULTILINE)
    if opening is None:
        raise ScaffoldError(f"{INDEX}: there is no toctree to put {entry} into")
    return f"{text[: opening.end()]}{entry}\n{text[opening.end() :]}"

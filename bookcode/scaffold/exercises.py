"""Begins an exercise at the end of a chapter's page of exercises."""

from __future__ import annotations

import re
from pathlib import Path

from bookcode.numbers.errors import did_you_mean
from bookcode.scaffold.errors import ScaffoldError
from bookcode.scaffold.names import chapter_named, chapters
from bookcode.scaffold.plan import Edit, Plan, read
from bookcode.scaffold.templates import fill

KINDS = ("concept", "calculation", "code-reading", "hands-on")
"""What the page of exercises sorts them by."""


def exercise(root: Path, title: str, in_chapter: str, kind: str = "concept") -> Plan:
    """The plan of one more exercise.

    Args:
        title: its heading, a few words.
        in_chapter: the chapter's folder, its number, or its name.

    Raises:
        ScaffoldError: for an unknown chapter or kind, an empty title, or a page of exercises
            whose cells make no book to publish with.
    """
    folder = chapter_named(in_chapter, chapters(root))
    title = title.strip()
    if not title or "\n" in title:
        raise ScaffoldError("an exercise has a title of one line")
    if kind not in KINDS:
        raise ScaffoldError(f"no kind {kind!r}{did_you_mean(kind, KINDS)}")
    page = f"book/{folder}/exercises.md"
    before = read(root, page)
    if not re.search(r"^book = Book\(", before, re.MULTILINE):
        raise ScaffoldError(
            f"{page}: no cell says book = Book(), which the exercise publishes with"
        )
    number = folder[:2]
    taken = re.findall(rf"\{{exercise\}} {number}-e(\d+)\b", before)
    label = f"{number}-e{1 + max(map(int, taken), default=0)}"
    text = fill("exercise", label=label, title=title, kind=kind, key=f"exercise-{label}")
    after = f"{before.rstrip()}\n\n{text}"
    steps = (
        f"{page}: write the question, the hint, the answer and the usual mistakes of {label}",
        "work its numbers out by hand in tests/book/, where the other answers are",
        'nox -s i18n -- --pending --why "new exercise" lists what is to be translated',
        'nox -s verify -- --accept --why "new exercise" takes its numbers into the lock',
        "nox -s i18n -- --pending once more: the reason of accepting is published, too",
    )
    return Plan(edits={page: Edit(before, after)}, steps=steps)

"""The role ``count``: how many exercises or questions there are. Nothing of it is typed.

``{count}`exercises``` counts those of the page's chapter; ``{count}`exercises kind=calculation
difficulty=2 chapter=02-from-pytorch-to-kernel``` counts some of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxRole

from bookcode.numbers.errors import did_you_mean
from bookcode.numbers.lock import chapter_of
from bookcode.sphinxext.checks import report, source_of
from bookcode.sphinxext.exercises_draws import ExerciseError
from bookcode.sphinxext.exercises_model import (
    DIFFICULTIES,
    EXERCISE_KINDS,
    HARDWARE,
    QUESTION_KINDS,
    Entry,
)
from bookcode.sphinxext.exercises_state import all_exercises
from bookcode.sphinxext.exercises_words import word
from bookcode.sphinxext.nodes import text_shown

WHAT = {"exercises": "exercise", "questions": "question"}
FIELDS = {
    "kind": (*EXERCISE_KINDS, *QUESTION_KINDS),
    "difficulty": DIFFICULTIES,
    "needs": HARDWARE,
}


class pending_count(nodes.Inline, nodes.TextElement):  # noqa: N801 (docutils' naming)
    """A count that is not known yet."""


class CountRole(SphinxRole):
    """``{count}`exercises``` or ``{count}`questions```, with conditions after it."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        node = pending_count(self.rawtext, "", bookcode="count", asked=self.text)
        self.set_source_info(node)
        docname = self.env.current_document.docname
        _asked(self.env).setdefault(docname, []).append((node.line or self.lineno, self.text))
        return [node], []


def count(asked: str, chapter: str, entries: dict[str, list[Entry]]) -> tuple[str, int]:
    """What is counted ("exercises" or "questions") and how many there are.

    Args:
        chapter: counted unless ``asked`` names another.
        entries: exercises and questions by chapter.

    Raises:
        ExerciseError: for an unknown noun, field, value or chapter, or when there are none.
    """
    noun, *conditions = asked.split()
    if noun not in WHAT:
        raise ExerciseError(f"count {noun!r}{did_you_mean(noun, WHAT)}")
    wanted = {"what": WHAT[noun]}
    for condition in conditions:
        name, _, value = condition.partition("=")
        if name == "chapter":
            chapter = value
        elif name not in FIELDS:
            raise ExerciseError(f"count by {name!r}{did_you_mean(name, [*FIELDS, 'chapter'])}")
        elif value not in FIELDS[name]:
            raise ExerciseError(f"count: no {name} {value!r}{did_you_mean(value, FIELDS[name])}")
        else:
            wanted[name] = value
    if chapter not in entries:
        raise ExerciseError(f"count: no exercises in {chapter!r}{did_you_mean(chapter, entries)}")
    fits = [e for e in entries[chapter] if all(getattr(e, n) == v for n, v in wanted.items())]
    if not fits:
        raise ExerciseError(f"count: there are no {asked}")
    return noun, len(fits)


def by_chapter(env: BuildEnvironment) -> dict[str, list[Entry]]:
    """All exercises and questions, by chapter."""
    found: dict[str, list[Entry]] = {}
    for docname, page in sorted(all_exercises(env).items()):
        found.setdefault(chapter_of(docname), []).extend(page.entries)
    return found


def count_text(env: BuildEnvironment, docname: str, asked: str, language: str) -> str:
    """What a count shows; errors as in :func:`count`."""
    noun, number = count(asked, chapter_of(docname), by_chapter(env))
    return word(f"{noun}-{'one' if number == 1 else 'many'}", language, count=number)


class ResolveCounts(SphinxPostTransform):
    """Puts counts in the place of pending nodes."""

    default_priority = 4

    def run(self, **kwargs: Any) -> None:
        docname, language = self.env.docname, self.config.language or "en"
        for node in list(self.document.findall(pending_count)):
            try:
                text = count_text(self.env, docname, node["asked"], language)
                made = nodes.inline("", text, classes=["bk-count"], bookcode="count")
            except ExerciseError as error:
                made = nodes.inline("", f"⟦{error}⟧", classes=["bk-problem"])
            node.replace_self(made)


# what must hold, and what has to be written again -------------------------------------------------
def _asked(env: BuildEnvironment) -> dict[str, list[tuple[int, str]]]:
    if not hasattr(env, "bookcode_counts"):
        env.bookcode_counts = {}  # type: ignore[attr-defined]
    return env.bookcode_counts  # type: ignore[attr-defined,no-any-return]


def _forget(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    _asked(env).pop(docname, None)


def _merge(app: Sphinx, env: BuildEnvironment, docnames: set[str], other: BuildEnvironment) -> None:
    theirs = _asked(other)
    _asked(env).update({name: theirs[name] for name in docnames if name in theirs})


def _shown(app: Sphinx, env: BuildEnvironment) -> Iterator[tuple[str, int, str, bool]]:
    """Page, line and text of every count, and whether it could be made."""
    for docname, uses in sorted(_asked(env).items()):
        for line, asked in uses:
            try:
                language = app.config.language or "en"
                yield docname, line, count_text(env, docname, asked, language), True
            except ExerciseError as error:
                yield docname, line, str(error), False


def check_counts(app: Sphinx, env: BuildEnvironment) -> None:
    """Report counts that cannot be made."""
    for docname, line, text, made in _shown(app, env):
        if not made:
            report(app, f"{source_of(app, docname)}:{line}", text, "exercise")


def counts_to_write_again(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Pages that were not read again but whose counts are others now."""
    texts: dict[str, str] = {}
    for docname, _, text, _ in _shown(app, env):
        texts[docname] = texts.get(docname, "") + text + "\0"
    now = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    before: dict[str, str] = getattr(env, "bookcode_count_digests", {})
    env.bookcode_count_digests = now  # type: ignore[attr-defined]
    return [name for name, digest in now.items() if before.get(name) != digest]


def add_counts(app: Sphinx) -> None:
    """Register the role and its checks."""
    other: dict[str, Any] = dict.fromkeys(
        ("html", "latex", "text", "man", "texinfo"), (text_shown, text_shown)
    )
    app.add_node(pending_count, **other)
    app.add_role("count", CountRole())
    app.add_post_transform(ResolveCounts)
    app.connect("env-purge-doc", _forget)
    app.connect("env-merge-info", _merge)
    app.connect("env-check-consistency", check_counts)
    app.connect("env-updated", counts_to_write_again)

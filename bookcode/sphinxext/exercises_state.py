"""What the build knows of the exercises of each page, and the checks over all of them."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.environment.collectors import EnvironmentCollector

from bookcode.numbers.records import NumberRecord, ParameterRecord
from bookcode.sphinxext.checks import report, source_of
from bookcode.sphinxext.exercises_draws import Around, draw_problems, read_draw
from bookcode.sphinxext.exercises_model import (
    Entry,
    Option,
    duplicates,
    problems,
)
from bookcode.sphinxext.exercises_nodes import (
    exercise,
    exercise_body,
    exercise_option,
    exercise_part,
    exercise_title,
    option_why,
)
from bookcode.sphinxext.nodes import pending_block, pending_shown
from bookcode.sphinxext.state import page


@dataclass
class PageExercises:
    """The exercises of one page, and parts that stand outside of one (line, name)."""

    entries: list[Entry] = field(default_factory=list)
    strays: list[tuple[int, str]] = field(default_factory=list)


def all_exercises(env: BuildEnvironment) -> dict[str, PageExercises]:
    """All pages with exercises, by docname."""
    if not hasattr(env, "bookcode_exercises"):
        env.bookcode_exercises = {}  # type: ignore[attr-defined]
    return env.bookcode_exercises  # type: ignore[attr-defined,no-any-return]


class ExerciseCollector(EnvironmentCollector):
    """Reads exercises off document trees; forgets and merges as Sphinx asks."""

    def clear_doc(self, app: Sphinx, env: BuildEnvironment, docname: str) -> None:
        all_exercises(env).pop(docname, None)

    def merge_other(
        self, app: Sphinx, env: BuildEnvironment, docnames: Set[str], other: BuildEnvironment
    ) -> None:
        theirs = all_exercises(other)
        all_exercises(env).update({name: theirs[name] for name in docnames if name in theirs})

    def process_doc(self, app: Sphinx, doctree: nodes.document) -> None:
        found = PageExercises([entry_of(node) for node in doctree.findall(exercise)])
        for node in doctree.findall(nodes.Element):
            part = isinstance(node, exercise_part | exercise_option)
            if part and not isinstance(node.parent, exercise):
                found.strays.append((node.line or 0, node.get("part", "choice")))
        if found.entries or found.strays:
            all_exercises(app.env)[app.env.docname] = found


def entry_of(node: exercise) -> Entry:
    """An exercise as its document tree has it."""
    parts: dict[str, list[int]] = {}
    answers: list[str] = []
    for part in node.children:
        if isinstance(part, exercise_part) and part.children:
            parts.setdefault(part["part"], []).append(part.line or 0)
            if part["part"] == "answer":
                answers += _keys(part, "num")
    asking = [c for c in node.children if isinstance(c, exercise_body | exercise_title)]
    body = next(child for child in asking if isinstance(child, exercise_body))
    return Entry(
        what=node["what"],
        name=node["key"],
        line=node.line or 0,
        kind=node["kind"],
        difficulty=node["difficulty"],
        needs=node["needs"],
        draw=node["draw"],
        tolerance=node["tolerance"],
        scale=node["scale"],
        asked=bool(body.children),
        parts=parts,
        options=tuple(map(_option, node.findall(exercise_option))),
        asks=tuple(key for part in asking for key in _keys(part, "num")),
        answers=tuple(answers),
        fixed=tuple(_fixed_formulas(node)),
    )


def _option(node: exercise_option) -> Option:
    text, why = node.children
    complete = bool(text.children and isinstance(why, option_why) and why.children)
    return Option(node.line or 0, node["verdict"], complete)


def _keys(node: nodes.Element, role: str) -> list[str]:
    return [n["key"] for n in node.findall(pending_shown) if n["bookcode"] == role]


def _fixed_formulas(node: nodes.Element) -> Iterator[str]:
    for kind in (pending_shown, pending_block):
        for found in node.findall(kind):
            if found["bookcode"] == "formula" and found["spec"] in ("values", "full"):
                yield found["key"]


# checks -----------------------------------------------------------------------------------------
def page_numbers(env: BuildEnvironment, docname: str) -> dict[str, NumberRecord]:
    """The numbers that a page publishes, by key."""
    records = [placed.record for placed in page(env, docname).records]
    return {r.key: r for r in records if isinstance(r, NumberRecord)}


def page_parameters(env: BuildEnvironment, docname: str) -> dict[str, dict[str, Any]]:
    """Descriptions of the parameters that a page declares, by name."""
    records = [placed.record for placed in page(env, docname).records]
    return {r.description["name"]: r.description for r in records if isinstance(r, ParameterRecord)}


def check_exercises(app: Sphinx, env: BuildEnvironment) -> None:
    """Report what is wrong with any exercise, also on pages that were not read again."""
    entries: list[tuple[str, Entry]] = []
    for docname, found in sorted(all_exercises(env).items()):
        source = source_of(app, docname)
        for line, part in found.strays:
            report(app, f"{source}:{line}", f"{part} stands outside of an exercise", "exercise")
        for entry in found.entries:
            entries.append((source, entry))
            wrong = list(problems(entry))
            if entry.draw and not wrong:
                wrong = [(entry.line, text) for text in _draw_problems(env, docname, entry)]
            for line, message in wrong:
                report(app, f"{source}:{line}", message, "exercise")
    for place, message in duplicates(entries):
        report(app, place, message, "exercise")


def _draw_problems(env: BuildEnvironment, docname: str, entry: Entry) -> Iterator[str]:
    draw = read_draw(entry.draw, entry.tolerance, entry.scale)
    numbers, parameters = page_numbers(env, docname), page_parameters(env, docname)
    around = Around(entry.asks, entry.answers, entry.fixed, numbers, parameters)
    for problem in draw_problems(draw, around):
        yield f"{entry.what} {entry.name!r}: {problem}"

"""The directives ``exercise`` and ``self-test`` with their parts.

::

    ::::{exercise} 02-e5 LayerNorm in one pass and in three
    :kind: calculation
    :difficulty: 2
    :needs: none
    :draw: e5.fused.bytes with e5_rows = 1024..8192 step 1024
    :tolerance: 1 %
    :in: MB

    How many bytes does ... move?

    :::{hint}
    ...
    :::
    :::{answer}
    ...
    :::
    :::{mistakes}
    ...
    :::
    ::::

    ::::{self-test} 02-q1
    :kind: choice

    Which ...?

    :::{choice} right
    The text of the choice.

    Why it is right, from the second paragraph on.
    :::
    ::::
"""

from __future__ import annotations

from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from bookcode.sphinxext.exercises_counts import add_counts
from bookcode.sphinxext.exercises_model import label_of
from bookcode.sphinxext.exercises_nodes import (
    add_exercise_nodes,
    exercise,
    exercise_body,
    exercise_option,
    exercise_part,
    exercise_title,
    option_text,
    option_why,
)
from bookcode.sphinxext.exercises_site import add_site
from bookcode.sphinxext.exercises_state import ExerciseCollector, check_exercises
from bookcode.sphinxext.exercises_words import word


class _Asked(SphinxDirective):
    """What exercises and questions have in common."""

    has_content = True
    required_arguments = 1
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = dict.fromkeys(
        ("kind", "difficulty", "needs", "draw", "tolerance", "in"), directives.unchanged
    )
    what = ""

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0].strip()
        given = {key: self.options.get(key, "").strip() for key in self.option_spec}
        node = exercise(what=self.what, key=name, scale=given.pop("in"), **given)
        node["ids"].append(f"exercise-{name}")
        self.set_source_info(node)
        if len(self.arguments) > 1:
            node += self._title(self.arguments[1].strip())
        body = exercise_body()
        self.set_source_info(body)
        node += body
        self.state.nested_parse(self.content, self.content_offset, body)
        # The question ends where the first part or choice begins.
        for child in list(body.children):
            if isinstance(child, exercise_part | exercise_option):
                body.remove(child)
                node += child
        self._make_referable(name)
        return [node]

    def _title(self, text: str) -> nodes.Node:
        children, messages = self.parse_inline(text, lineno=self.lineno)
        title = exercise_title(text, "", *children, *messages)
        self.set_source_info(title)
        return title

    def _make_referable(self, name: str) -> None:
        label = word(self.what, self.config.language or "en", label=label_of(name))
        docname, target = self.env.current_document.docname, f"exercise-{name}"
        domain = self.env.domains.standard_domain
        if target not in domain.anonlabels:  # else the id stands twice, which is reported
            domain.note_hyperlink_target(target, docname, target, label)


class Exercise(_Asked):
    """``{exercise} ID TITLE`` with kind, difficulty (1 to 3) and what it needs."""

    what = "exercise"


class SelfTest(_Asked):
    """``{self-test} ID TITLE`` of kind choice or number."""

    what = "question"


class _Part(SphinxDirective):
    """``{hint}``, ``{answer}`` and ``{mistakes}`` inside an exercise."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        part = exercise_part(part=self.name)
        self.set_source_info(part)
        self.state.nested_parse(self.content, self.content_offset, part)
        return [part]


class Choice(SphinxDirective):
    """``{choice} right`` or ``wrong``: a paragraph of text, then the explanation."""

    has_content = True
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        option = exercise_option(verdict=self.arguments[0].strip())
        self.set_source_info(option)
        read = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, read)
        text, why = option_text(), option_why()
        text += read.children[:1]
        why += read.children[1:]
        option += [text, why]
        return [option]


def add_exercises(app: Sphinx) -> None:
    """Register directives, nodes, counts, checks and what the reader's script needs."""
    add_exercise_nodes(app)
    app.add_directive("exercise", Exercise)
    app.add_directive("self-test", SelfTest)
    app.add_directive("choice", Choice)
    # docutils has an admonition of the name "hint"; in this book a hint belongs to an exercise.
    for name in ("hint", "answer", "mistakes"):
        app.add_directive(name, _Part, override=True)
    app.add_env_collector(ExerciseCollector)
    app.connect("env-check-consistency", check_exercises)
    add_counts(app)
    add_site(app)

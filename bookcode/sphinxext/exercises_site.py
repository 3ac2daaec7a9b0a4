"""What the reader's script is given: how to draw, and which exercises each chapter has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform

from bookcode.numbers.files import write_atomic
from bookcode.numbers.lock import chapter_of
from bookcode.sphinxext.exercises_draws import ExerciseError, draw_data, read_draw
from bookcode.sphinxext.exercises_nodes import exercise
from bookcode.sphinxext.exercises_state import all_exercises, page_parameters

INDEX = "_static/bookcode/exercises.json"


class FillDraws(SphinxPostTransform):
    """Gives exercises with a draw their data; what cannot be read was reported before."""

    default_priority = 5

    def run(self, **kwargs: Any) -> None:
        parameters = page_parameters(self.env, self.env.docname)
        for node in self.document.findall(exercise):
            if not node["draw"]:
                continue
            try:
                draw = read_draw(node["draw"], node["tolerance"], node["scale"])
            except ExerciseError:
                continue
            node["draw_json"] = json.dumps(draw_data(draw, parameters), ensure_ascii=False)


def draws_all(env: BuildEnvironment, docname: str) -> bool:
    """Whether a page's parameters are all drawn by its exercises, so that none is to be set."""
    found = all_exercises(env).get(docname)
    drawn: set[str] = set()
    for entry in found.entries if found else []:
        try:
            drawn |= set(read_draw(entry.draw, entry.tolerance, entry.scale).vary)
        except ExerciseError:
            continue  # no draw, or one that was reported
    return bool(drawn) and set(page_parameters(env, docname)) <= drawn


def exported_exercises(env: BuildEnvironment, docname: str) -> list[dict[str, Any]]:
    """The exercises and questions of a page as JSON data, for the build's records."""
    found = all_exercises(env).get(docname)
    return [
        {
            "what": entry.what,
            "name": entry.name,
            "line": entry.line,
            "kind": entry.kind,
            "difficulty": entry.difficulty,
            "needs": entry.needs,
            "draw": entry.draw,
        }
        for entry in (found.entries if found else [])
    ]


def chapters(env: BuildEnvironment) -> list[dict[str, Any]]:
    """Every chapter: its first page, and its exercises and questions by id and page."""
    found: dict[str, dict[str, Any]] = {}
    for docname in sorted(env.found_docs):
        chapter = chapter_of(docname)
        if f"{chapter}/index" not in env.found_docs:
            continue
        one = found.setdefault(
            chapter, {"page": f"{chapter}/index", "exercises": {}, "questions": {}}
        )
        for entry in exported_exercises(env, docname):
            one[f"{entry['what']}s"][entry["name"]] = docname
    return [one for one in found.values() if one["exercises"] or one["questions"]]


def write_index(app: Sphinx, exception: Exception | None) -> None:
    """Write the file from which the script tells a reader's progress in each chapter."""
    if exception is None and app.builder.format == "html":
        text = json.dumps({"chapters": chapters(app.env)}, ensure_ascii=False, indent=1)
        write_atomic(Path(app.outdir) / INDEX, text + "\n")


def add_site(app: Sphinx) -> None:
    """Register the script, its style and its data."""
    app.add_js_file("js/exercises.js", type="module")
    app.add_css_file("exercises.css")
    app.add_post_transform(FillDraws)
    app.connect("build-finished", write_index)

"""The nodes of exercises and questions, and their HTML.

Without JavaScript a page shows the question, and everything else in ``details``. What the page's
script needs (kind, difficulty, what to draw) stands in data attributes.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

from bookcode.sphinxext.exercises_model import DIFFICULTIES, label_of
from bookcode.sphinxext.exercises_words import stars, word


class exercise(nodes.General, nodes.Element):  # noqa: N801 (docutils' naming)
    """An exercise or a question: its head, the question, and parts or options."""


class exercise_title(nodes.General, nodes.TextElement):  # noqa: N801
    """The title that an author gave an exercise."""


class exercise_body(nodes.General, nodes.Element):  # noqa: N801
    """What is asked."""


class exercise_part(nodes.General, nodes.Element):  # noqa: N801
    """A hint, an answer, or common mistakes."""


class exercise_option(nodes.General, nodes.Element):  # noqa: N801
    """An answer to choose: its text, then the explanation."""


class option_text(nodes.General, nodes.Element):  # noqa: N801
    """The text of an option."""


class option_why(nodes.General, nodes.Element):  # noqa: N801
    """Why an option is right or wrong."""


def _say(self: Any, key: str, **parts: object) -> str:
    return word(key, self.config.language or "en", **parts)


def visit_exercise(self: HTML5Translator, node: exercise) -> None:
    what = node["what"]
    data = {f"data-{name}": node[name] for name in ("kind", "difficulty", "needs") if node[name]}
    if node.get("draw_json"):
        data["data-draw"] = node["draw_json"]
    data |= {"data-bk-exercise": node["key"], "data-what": what}
    label = _say(self, what, label=label_of(node["key"]))
    self.body.append(self.starttag(node, "article", "", CLASS=f"bk-exercise bk-{what}", **data))
    named = not any(isinstance(child, exercise_title) for child in node.children)
    level = min(self.section_level + 1, 6)
    node["heading"] = f"h{level}"
    self.body.append(f'<header class="bk-exercise-head"><h{level}>{self.encode(label)}')
    if named:
        _end_head(self, node)


def _end_head(self: HTML5Translator, node: nodes.Element) -> None:
    """The end of the heading, and what kind of exercise it is."""
    self.body.append(f'</{node["heading"]}><p class="bk-exercise-tags">')
    if node["kind"]:
        self.body.append(f"<span>{self.encode(_say(self, node['kind']))}</span> ")
    if node["difficulty"]:
        told = self.attval(
            _say(self, "difficulty", level=node["difficulty"], most=DIFFICULTIES[-1])
        )
        shown = stars(node["difficulty"])
        self.body.append(f'<span class="bk-stars" role="img" aria-label="{told}">{shown}</span> ')
    if node["needs"]:
        self.body.append(f"<span>{self.encode(_say(self, node['needs']))}</span>")
    self.body.append("</p></header>\n")


def depart_exercise(self: HTML5Translator, node: exercise) -> None:
    self.body.append("</article>\n")


def visit_title(self: HTML5Translator, node: exercise_title) -> None:
    self.body.append(' <span class="bk-exercise-title">')


def depart_title(self: HTML5Translator, node: exercise_title) -> None:
    self.body.append("</span>")
    _end_head(self, node.parent)


def visit_body(self: HTML5Translator, node: exercise_body) -> None:
    self.body.append('<div class="bk-exercise-question">')


def depart_div(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append("</div>\n")


def visit_part(self: HTML5Translator, node: exercise_part) -> None:
    title = self.encode(_say(self, node["part"]))
    self.body.append(
        f'<details class="bk-exercise-part" data-part="{node["part"]}"><summary>{title}</summary>\n'
    )


def depart_details(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append("</details>\n")


def visit_option(self: HTML5Translator, node: exercise_option) -> None:
    siblings = [child for child in node.parent.children if isinstance(child, exercise_option)]
    if siblings[0] is node:
        self.body.append('<ol class="bk-options">\n')
    self.body.append(f'<li class="bk-option" data-verdict="{node["verdict"]}">')


def depart_option(self: HTML5Translator, node: exercise_option) -> None:
    self.body.append("</li>\n")
    siblings = [child for child in node.parent.children if isinstance(child, exercise_option)]
    if siblings[-1] is node:
        self.body.append("</ol>\n")


def visit_text(self: HTML5Translator, node: option_text) -> None:
    self.body.append('<div class="bk-option-text">')


def visit_why(self: HTML5Translator, node: option_why) -> None:
    why, verdict = _say(self, "why"), _say(self, node.parent["verdict"])
    self.body.append(
        f'<details class="bk-option-why"><summary>{why}</summary>\n'
        f'<p class="bk-option-verdict">{self.encode(verdict)}</p>\n'
    )


def _plain(self: Any, node: nodes.Element) -> None:
    """In other writers the content stands for itself."""


def add_exercise_nodes(app: Sphinx) -> None:
    """Register the nodes with their writers."""
    other: dict[str, Any] = dict.fromkeys(("latex", "text", "man", "texinfo"), (_plain, _plain))
    html: dict[type[nodes.Element], Any] = {
        exercise: (visit_exercise, depart_exercise),
        exercise_title: (visit_title, depart_title),
        exercise_body: (visit_body, depart_div),
        exercise_part: (visit_part, depart_details),
        exercise_option: (visit_option, depart_option),
        option_text: (visit_text, depart_div),
        option_why: (visit_why, depart_details),
    }
    for node, pair in html.items():
        app.add_node(node, html=pair, **other)

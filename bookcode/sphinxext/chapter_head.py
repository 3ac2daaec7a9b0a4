"""The head of a chapter: how long it takes to read, room for progress, and what one will learn."""

from __future__ import annotations

import html
import math
import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from bookcode.sphinxext.nodes import text_shown
from bookcode.sphinxext.reader_words import tell

WORDS_PER_MINUTE = 200
CHARACTERS_PER_MINUTE = 350
"""Reading speeds, of English words and of Chinese characters: slow, as for a technical text."""
CHAPTER = re.compile(r"\d\d-[^/]+/[^/]+")
"""Pages of chapters."""
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


class chapter_head(nodes.General, nodes.Element):  # noqa: N801 (docutils' naming)
    """Reading time and progress, under a chapter's title."""


class Objectives(SphinxDirective):
    """``{objectives}``: a list of what a reader will be able to do after the chapter."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        self.assert_has_content()
        words = tell("objectives", self.env.config.language or "en")
        box = nodes.container(classes=["bk-objectives"])
        self.set_source_info(box)
        box += nodes.paragraph("", words, classes=["bk-objectives-title"], bookcode="words")
        box += self.parse_content_to_nodes()
        return [box]


def reading_minutes(doctree: nodes.document) -> int:
    """How long the prose takes to read, at least one minute; code and outputs are left out."""
    characters = words = 0
    for text in doctree.findall(nodes.Text):
        if _is_prose(text):
            found = str(text)
            characters += len(_HAN.findall(found))
            words += len(_HAN.sub(" ", found).split())
    return max(1, math.ceil(characters / CHARACTERS_PER_MINUTE + words / WORDS_PER_MINUTE))


def _is_prose(node: nodes.Node) -> bool:
    ancestor = node.parent
    while ancestor is not None:
        if isinstance(ancestor, nodes.literal_block | nodes.raw | nodes.comment):
            return False
        if isinstance(ancestor, nodes.container) and ancestor.get("nb_element") is not None:
            return False
        ancestor = ancestor.parent
    return True


def add_head(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the head of a chapter under its title."""
    if app.builder.format != "html" or not CHAPTER.fullmatch(docname):
        return
    for section in doctree.findall(nodes.section):
        for title in section.children:
            if isinstance(title, nodes.title):
                section.insert(section.index(title) + 1, chapter_head(page=docname))
                return


def visit_head(self: HTML5Translator, node: chapter_head) -> None:
    language = self.config.language or "en"
    minutes = tell("minutes", language, minutes=reading_minutes(self.document))
    page = html.escape(node["page"])
    label = html.escape(tell("progress", language))
    self.body.append(
        f'<div class="bk-chapter-head"><span class="bk-minutes">{html.escape(minutes)}</span>'
        f'<span class="bk-progress" data-page="{page}" data-label="{label}" hidden></span>'
    )


def depart_head(self: HTML5Translator, node: chapter_head) -> None:
    self.body.append("</div>\n")


def add_chapter_head(app: Sphinx) -> None:
    """Register the head and the directive."""
    app.add_directive("objectives", Objectives)
    app.add_node(chapter_head, html=(visit_head, depart_head), text=(text_shown, text_shown))
    app.connect("doctree-resolved", add_head)

"""The head of a chapter: how long it takes to read, room for progress, and what one will learn."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Set

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.environment.collectors import EnvironmentCollector
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from bookcode.sphinxext.exercises_nodes import exercise
from bookcode.sphinxext.nodes import pending_shown, text_shown
from bookcode.sphinxext.reader_words import tell

WORDS_PER_MINUTE = 200
CHARACTERS_PER_MINUTE = 350
"""Reading speeds, of English words and of Chinese characters: slow, as for a technical text."""
CHAPTER = re.compile(r"\d\d-[^/]+/[^/]+")
"""Pages of chapters."""
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


Size = tuple[int, int]
"""Chinese characters, and words of other scripts."""


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
    """How long the prose takes to read; code, outputs and generated tables are left out."""
    return minutes_of(prose_size(doctree))


def minutes_of(size: Size) -> int:
    """How long so many characters and words take to read, at least one minute."""
    characters, words = size
    return max(1, math.ceil(characters / CHARACTERS_PER_MINUTE + words / WORDS_PER_MINUTE))


def prose_size(doctree: nodes.document) -> Size:
    """Chinese characters and words of the prose; a number yet to be filled in is a word."""
    characters, words = 0, sum(_is_prose(shown) for shown in doctree.findall(pending_shown))
    for text in doctree.findall(nodes.Text):
        if _is_prose(text):
            found = str(text)
            characters += len(_HAN.findall(found))
            words += len(_HAN.sub(" ", found).split())
    return characters, words


def _is_prose(node: nodes.Node) -> bool:
    ancestor = node.parent
    while ancestor is not None:
        if isinstance(ancestor, nodes.literal_block | nodes.raw | nodes.comment):
            return False
        if isinstance(ancestor, nodes.table) and "bk-generated" in ancestor["classes"]:
            return False
        if isinstance(ancestor, nodes.container) and ancestor.get("nb_element") is not None:
            return False
        ancestor = ancestor.parent
    return True


# the whole chapter ------------------------------------------------------------------------------
class ReadingCollector(EnvironmentCollector):
    """Keeps how much there is to read on each page of a chapter; exercises are not for reading."""

    def clear_doc(self, app: Sphinx, env: BuildEnvironment, docname: str) -> None:
        sizes_of(env).pop(docname, None)

    def merge_other(
        self, app: Sphinx, env: BuildEnvironment, docnames: Set[str], other: BuildEnvironment
    ) -> None:
        sizes_of(env).update({d: s for d, s in sizes_of(other).items() if d in docnames})

    def process_doc(self, app: Sphinx, doctree: nodes.document) -> None:
        if CHAPTER.fullmatch(app.env.docname) and not any(doctree.findall(exercise)):
            sizes_of(app.env)[app.env.docname] = prose_size(doctree)


def sizes_of(env: BuildEnvironment) -> dict[str, Size]:
    """How much there is to read, by page."""
    if not hasattr(env, "bookcode_reading"):
        env.bookcode_reading = {}  # type: ignore[attr-defined]
    return env.bookcode_reading  # type: ignore[attr-defined,no-any-return]


def chapter_minutes(env: BuildEnvironment, docname: str) -> int:
    """How long the chapter that begins at ``docname`` takes to read."""
    folder = docname.rpartition("/")[0]
    sizes = [size for name, size in sizes_of(env).items() if name.rpartition("/")[0] == folder]
    return minutes_of((sum(size[0] for size in sizes), sum(size[1] for size in sizes)))


def heads_to_write_again(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """First pages of chapters that now take longer or shorter to read."""
    known: dict[str, int] = getattr(env, "bookcode_chapter_minutes", {})
    first = [name for name in sizes_of(env) if name.endswith("/index")]
    now = {name: chapter_minutes(env, name) for name in first}
    env.bookcode_chapter_minutes = now  # type: ignore[attr-defined]
    return [name for name, minutes in now.items() if known.get(name) != minutes]


# in the page ------------------------------------------------------------------------------------
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
    if node["page"].endswith("/index"):
        whole = chapter_minutes(self.builder.env, node["page"])
        minutes = tell("chapter-minutes", language, minutes=whole)
    else:
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
    app.add_env_collector(ReadingCollector)
    app.connect("env-updated", heads_to_write_again)
    app.connect("doctree-resolved", add_head)

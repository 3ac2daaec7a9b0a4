"""The head of a chapter: what counts as reading, and that its first page follows the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from docutils import nodes
from docutils.utils import new_document

from bookcode.sphinxext.chapter_head import minutes_of, prose_size, reading_minutes
from bookcode.sphinxext.nodes import pending_shown

WORDS = " ".join(["word"] * 150)


def document(*children: nodes.Node) -> nodes.document:
    made = new_document("page.md")
    made += children
    return made


def test_english_is_counted_in_words_and_chinese_in_characters() -> None:
    made = document(nodes.paragraph("", "two words"), nodes.paragraph("", "三个字 and 再"))
    assert prose_size(made) == (4, 3)


def test_a_number_yet_to_come_is_a_word() -> None:
    shown = pending_shown("", "", bookcode="num", key="k", spec="")
    assert prose_size(document(nodes.paragraph("", "it is ", nodes.Text("it is "), shown))) == (
        0,
        5,
    )


def test_code_and_outputs_and_generated_tables_are_not_read() -> None:
    output = nodes.container("", nodes.paragraph("", "an output"), nb_element="cell_code")
    table = nodes.table("", nodes.title("", "many rows"), classes=["bk-generated"])
    made = document(nodes.literal_block("", "x = 1"), nodes.comment("", "a b"), output, table)
    assert prose_size(made) == (0, 0)
    own = nodes.table("", nodes.title("", "few rows"), classes=["bk-table"])
    assert prose_size(document(own)) == (0, 2)


@pytest.mark.parametrize(
    ("size", "minutes"), [((0, 0), 1), ((0, 200), 1), ((0, 201), 2), ((351, 0), 2), ((350, 200), 2)]
)
def test_minutes_are_rounded_up(size: tuple[int, int], minutes: int) -> None:
    assert minutes_of(size) == minutes
    characters, words = size
    text = "字" * characters + " w" * words
    assert reading_minutes(document(nodes.paragraph("", text))) == minutes


@pytest.fixture
def chapter(make_book: Callable[[str], Any]) -> Any:
    """Two pages of as many words as ``WORDS``, and exercises."""
    return make_book("chains/chapter-head")


def test_the_first_page_of_a_chapter_tells_the_whole_without_exercises(chapter: Any) -> None:
    first = chapter.build()
    assert (first.status, first.problems) == (0, [])
    assert "about 2 min to read the chapter" in first.text("01-first/index")
    assert "about 1 min to read" in first.text("01-first/more")
    assert "chapter" not in first.text("01-first/more")


def test_the_first_page_follows_an_edit_of_another(chapter: Any) -> None:
    chapter.build()
    chapter.edit("book/01-first/more.md", f"{WORDS}\n", f"{WORDS} {WORDS}\n\n{WORDS}\n")
    second = chapter.build()
    assert "about 4 min to read the chapter" in second.text("01-first/index")
    assert second.tree() == chapter.build(out="clean").tree()

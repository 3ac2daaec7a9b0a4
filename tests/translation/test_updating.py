"""Updates of catalogues: translations are kept, changed messages are marked, nothing churns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bookcode.translation.book import list_pending, update_catalogues
from bookcode.translation.catalogue import Catalogue, read_catalogue
from bookcode.translation.errors import PendingError
from bookcode.translation.extraction import Message
from bookcode.translation.pending import PATH, PendingList
from bookcode.translation.updating import Update, updated

Write = Callable[[str, Mapping[str, str]], Path]

OLD = "The matrix has to come from memory, all of it."
NEW = "The matrix has to come from main memory, all of it."


def messages(*texts: str) -> list[Message]:
    return [Message(text, "book/page.md", line) for line, text in enumerate(texts, 1)]


def reread(update: Update, folder: Path) -> Catalogue:
    path = folder / "page.po"
    path.write_text(update.text, "utf-8")
    return read_catalogue(path, folder)


def test_translations_are_kept_in_the_order_of_the_page(tmp_path: Path, write: Write) -> None:
    old = read_catalogue(write("page", {"two": "二", "one": "一"}), tmp_path)
    update = updated(old, messages("one", "new", "two"), "zh_CN")
    found = reread(update, tmp_path)
    assert [(e.msgid, e.msgstr) for e in found.entries] == [
        *(("one", "一"), ("new", ""), ("two", "二")),
    ]
    assert (update.new, update.changed, update.stale) == (["new"], [], [])


def test_the_file_has_a_clean_head_and_no_line_numbers() -> None:
    text = updated(None, messages("one"), "zh_CN").text
    assert "Language: zh_CN" in text
    assert "#: book/page.md\n" in text
    for churn in ("POT-Creation-Date", "PO-Revision-Date", "Last-Translator", "Generated-By"):
        assert churn not in text


def test_a_changed_message_takes_its_translation_along_marked_fuzzy(
    tmp_path: Path, write: Write
) -> None:
    old = read_catalogue(write("page", {OLD: "整个矩阵都得从内存来。", "x": "某"}), tmp_path)
    update = updated(old, messages(NEW), "zh_CN")
    (entry,) = reread(update, tmp_path).entries
    assert (entry.fuzzy, entry.previous, entry.msgstr) == (True, OLD, "整个矩阵都得从内存来。")
    assert update.changed == [(OLD, NEW)]
    assert update.stale == [("x", "某")]
    assert f'#| msgid "{OLD}"' in update.text


def test_a_message_that_is_changed_back_is_fuzzy_no_more(tmp_path: Path, write: Write) -> None:
    old = read_catalogue(write("page", {OLD: "整个矩阵都得从内存来。"}), tmp_path)
    there = reread(updated(old, messages(NEW), "zh_CN"), tmp_path)
    update = updated(there, messages(OLD), "zh_CN")
    (entry,) = reread(update, tmp_path).entries
    assert (entry.fuzzy, entry.previous, entry.msgstr) == (False, "", "整个矩阵都得从内存来。")
    assert (update.changed, update.stale) == ([], [])


def test_a_message_that_is_changed_twice_remembers_what_was_translated(
    tmp_path: Path, write: Write
) -> None:
    old = read_catalogue(write("page", {OLD: "整个矩阵都得从内存来。"}), tmp_path)
    once = reread(updated(old, messages(NEW), "zh_CN"), tmp_path)
    (entry,) = reread(updated(once, messages(f"{NEW} Once."), "zh_CN"), tmp_path).entries
    assert (entry.fuzzy, entry.previous) == (True, OLD)


def test_a_translation_serves_one_message(tmp_path: Path, write: Write) -> None:
    old = read_catalogue(write("page", {OLD: "整个矩阵都得从内存来。"}), tmp_path)
    update = updated(old, messages(NEW, f"{NEW} Twice."), "zh_CN")
    assert [e.fuzzy for e in reread(update, tmp_path).entries] == [True, False]
    assert update.new == [f"{NEW} Twice."]


def test_what_is_not_alike_is_new_and_gone(tmp_path: Path, write: Write) -> None:
    old = read_catalogue(write("page", {"Something else entirely": "完全不同"}), tmp_path)
    update = updated(old, messages(NEW), "zh_CN")
    assert (update.new, update.changed) == ([NEW], [])
    assert update.stale == [("Something else entirely", "完全不同")]


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=120)
TEXTS = st.lists(TEXT, max_size=4, unique=True)


@settings(max_examples=60, deadline=None)
@given(
    before=st.lists(TEXT, max_size=4, unique=True), after=st.lists(TEXT, max_size=4, unique=True)
)
def test_a_second_update_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, before: list[str], after: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("po")
    known = updated(None, messages(*before), "zh_CN") if before else None
    old = reread(known, folder) if known else None
    first = updated(old, messages(*after), "zh_CN")
    if not after:
        assert first.text == ""
        return
    second = updated(reread(first, folder), messages(*after), "zh_CN")
    assert second.text == first.text
    assert (second.changed, second.stale) == ([], [])
    assert [e.msgid for e in reread(second, folder).entries] == after


# all catalogues of a language ---------------------------------------------------------------------
def test_catalogues_are_made_rewritten_and_removed(tmp_path: Path, write: Write) -> None:
    page, gone = write("page", {"one": "一"}), write("cells/gone", {"x": "某"})
    write("sphinx", {"Next": "下一页"})
    english = {"page": messages("one"), "cells/page": messages("a caption")}
    first = update_catalogues(tmp_path, "zh_CN", english)
    assert first.written == ["cells/page", "page"]
    assert first.removed["cells/gone"].stale == [("x", "某")]
    assert not gone.exists()
    assert (page.parent / "sphinx.po").exists(), "the theme's words are no page's"
    assert update_catalogues(tmp_path, "zh_CN", english).written == []


def test_pending_messages_are_listed_with_the_reason_and_dropped(
    tmp_path: Path, write: Write
) -> None:
    write("page", {"one": "", "two": "二"})
    (tmp_path / "references").mkdir()
    english = {"page": messages("one", "two")}
    with pytest.raises(PendingError, match="say why 1 messages stay untranslated"):
        list_pending(tmp_path, "zh_CN", english, " ")
    assert not (tmp_path / PATH).exists()
    added, dropped = list_pending(tmp_path, "zh_CN", english, "a first draft")
    assert [entry.message for entry in added] == ["one"]
    (entry,) = PendingList.load(tmp_path).entries
    assert entry.why == "a first draft"
    # A reason stays, also without a new one.
    assert list_pending(tmp_path, "zh_CN", english, "") == ([], [])
    write("page", {"one": "一", "two": "二"})
    added, dropped = list_pending(tmp_path, "zh_CN", english, "")
    assert (added, [e.message for e in dropped]) == ([], ["one"])
    assert PendingList.load(tmp_path).entries == []

"""The edition that cells run for: what they say is looked up, and kept beside the English."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polib
import pytest

from bookcode.ledger import MACHINES, ops, timed
from bookcode.numbers.book import Book
from bookcode.numbers.catalogue import CatalogueError, path_of, read_catalogue
from bookcode.numbers.edition import LANGUAGE, LOCALE, PAGE, Edition
from bookcode.numbers.errors import BookError
from bookcode.numbers.records import (
    ClaimRecord,
    MessageRecord,
    ModuleRecord,
    ParameterRecord,
    PresetRecord,
)

ROOT = Path(__file__).parents[2]
WORDS = {
    "vectors at once": "同时的向量",
    "machine": "机器",
    "wide": "宽",
    "many bytes": "字节很多",
    "{n} vectors": "{n} 个向量",
    "a,\nb": "甲，\n乙",
    "two": "2 个",
    "of {n}": "共 {m}",
}


def catalogue(path: Path, words: dict[str, str], fuzzy: tuple[str, ...] = ()) -> None:
    file = polib.POFile()
    for text, said in words.items():
        flags = ["fuzzy"] if text in fuzzy else []
        file.append(polib.POEntry(msgid=text, msgstr=said, flags=flags))
    path.parent.mkdir(parents=True, exist_ok=True)
    file.save(str(path))


@pytest.fixture
def locale(tmp_path: Path) -> Path:
    """A page's catalogue, and one of data."""
    catalogue(path_of(tmp_path, "zh_CN", "cells/01/page"), WORDS)
    catalogue(path_of(tmp_path, "zh_CN", "data"), {MACHINES["a100"].title: "A100，规格书"})
    return tmp_path


@pytest.fixture
def chinese(locale: Path, monkeypatch: pytest.MonkeyPatch) -> Book:
    """A book whose cells run for the Chinese edition."""
    monkeypatch.setenv(LANGUAGE, "zh_CN")
    monkeypatch.setenv(LOCALE, str(locale))
    monkeypatch.setenv(PAGE, "01/page")
    return Book(root=str(ROOT))


@pytest.fixture
def english(monkeypatch: pytest.MonkeyPatch) -> Book:
    for name in (LANGUAGE, LOCALE, PAGE):
        monkeypatch.delenv(name, raising=False)
    return Book(root=str(ROOT))


def found(book: Book, kind: type[Any]) -> list[Any]:
    return [record for record in book._published.pending if isinstance(record, kind)]


# catalogues ---------------------------------------------------------------------------------------
def test_a_catalogue_is_what_was_said_for_good(tmp_path: Path) -> None:
    path = tmp_path / "x.po"
    words = {"one": "一", "two": "", "three": "三", "same": "same"}
    catalogue(path, words, fuzzy=("three",))
    path.write_text(path.read_text("utf-8") + '\n#~ msgid "gone"\n#~ msgstr "没了"\n', "utf-8")
    assert read_catalogue(path) == {"one": "一", "same": "same"}


def test_a_catalogue_that_does_not_exist_says_nothing(tmp_path: Path) -> None:
    assert read_catalogue(tmp_path / "none.po") == {}


def test_a_changed_catalogue_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "x.po"
    catalogue(path, {"one": "一"})
    first = read_catalogue(path)
    assert read_catalogue(path) is first
    catalogue(path, {"one": "壹"})
    os.utime(path, ns=(1, 1))
    assert read_catalogue(path) == {"one": "壹"}


def test_what_is_no_catalogue_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.po"
    path.write_text("nonsense", "utf-8")
    with pytest.raises(CatalogueError, match=r"^x\.po: .*line 1") as caught:
        read_catalogue(path)
    assert str(tmp_path) not in str(caught.value)
    path.write_bytes(b'msgid "a"\nmsgstr "\xff"\n')
    with pytest.raises(CatalogueError, match=r"^x\.po: "):
        read_catalogue(path)


# the edition --------------------------------------------------------------------------------------
def test_nothing_told_is_english() -> None:
    edition = Edition.told({})
    assert edition == Edition("en", None, "")
    assert edition.cell_text("wide") is None
    assert edition.data_text("wide") == "wide"


def test_english_looks_nothing_up(locale: Path) -> None:
    assert Edition("en", locale, "01/page").cell_text("wide") is None


def test_an_edition_without_catalogues_stays_english(tmp_path: Path) -> None:
    edition = Edition("zh_CN", tmp_path, "01/page")
    assert edition.cell_text("wide") is None
    assert edition.with_translation({"en": "wide"}) == {"en": "wide"}
    assert edition.with_wordings({"en": ["wide"]}) == {"en": ["wide"]}


def test_texts_of_another_page_are_not_this_pages(locale: Path) -> None:
    assert Edition("zh_CN", locale, "01/page").cell_text("wide") == "宽"
    assert Edition("zh_CN", locale, "01/other").cell_text("wide") is None


def test_what_the_cell_says_itself_stands(locale: Path) -> None:
    edition = Edition("zh_CN", locale, "01/page")
    own = {"en": "wide", "zh": "很宽"}
    assert edition.with_translation(own) == own
    lists = {"en": ["wide"], "zh": ["很宽"]}
    assert edition.with_wordings(lists) == lists


def test_a_wording_that_nobody_translated_stays_english_in_its_place(locale: Path) -> None:
    edition = Edition("zh_CN", locale, "01/page")
    assert edition.with_wordings({"en": ["narrow", "wide"]})["zh"] == ["narrow", "宽"]


def test_cells_open_a_catalogue_that_the_build_has_read_before(
    locale: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_catalogue(path_of(locale, "zh_CN", "data"))
    opened: list[str] = []
    real = Path.open

    def noted(self: Path, *given: Any, **named: Any) -> Any:
        opened.append(self.name)
        return real(self, *given, **named)

    monkeypatch.setattr(Path, "open", noted)
    Edition("zh_CN", locale, "01/page").data_text("anything")
    assert opened == ["data.po"]


# what cells publish -------------------------------------------------------------------------------
def test_texts_of_cells_are_in_both_languages(chinese: Book) -> None:
    chinese.parameter("rows", title="vectors at once", unit="1", default=4, minimum=1, maximum=8)
    chinese.choice("machine", MACHINES, default="h200", options=["h200", "a100"])
    chinese.preset("wide", rows=8)
    rows, machine = found(chinese, ParameterRecord)
    assert rows.titles == {"en": "vectors at once", "zh": "同时的向量"}
    assert rows.description["title"] == "同时的向量"
    assert machine.description["title"] == "机器"
    assert machine.description["options"]["a100"] == "A100，规格书"
    assert machine.description["options"]["h200"] == MACHINES["h200"].title
    assert found(chinese, PresetRecord)[0].titles == {"en": "wide", "zh": "宽"}


def test_a_claim_has_its_wordings_in_both_languages(chinese: Book) -> None:
    size = chinese.publish("add.bytes", chinese.call(ops.add, elements=4096, dtype="fp16").bytes)
    chinese.claim("add.many", size > 1000, says=["many bytes", "wide", "else"])
    (claim,) = found(chinese, ClaimRecord)
    assert claim.wordings == {
        "en": ["many bytes", "wide", "else"],
        "zh": ["字节很多", "宽", "else"],
    }


def test_the_module_of_the_page_has_the_editions_titles(chinese: Book) -> None:
    elements = chinese.parameter(
        "rows", title="vectors at once", unit="elements", default=4, minimum=1, maximum=8
    )
    chinese.publish("add.bytes", chinese.call(ops.add, elements=elements, dtype="fp16").bytes)
    module = chinese._module()
    assert isinstance(module, ModuleRecord)
    assert "同时的向量" in module.javascript
    assert "vectors at once" not in module.javascript


def test_the_english_edition_has_english_alone(english: Book) -> None:
    english.parameter("rows", title="vectors at once", unit="1", default=4, minimum=1, maximum=8)
    (rows,) = found(english, ParameterRecord)
    assert rows.titles == {"en": "vectors at once"}
    assert rows.description["title"] == "vectors at once"


def test_shown_texts_are_those_of_the_language(chinese: Book) -> None:
    rows = chinese.parameter(
        "rows", title="vectors at once", unit="elements", default=4, minimum=1, maximum=8
    )
    assert chinese.text(chinese.publish("rows", rows)) == "4\u202f个元素"


# words of figures ---------------------------------------------------------------------------------
def test_words_are_recorded_with_what_they_are_in_english(chinese: Book) -> None:
    assert chinese.say("{n} vectors", n="16") == "16 个向量"
    assert chinese.say("{n} vectors", n="128") == "128 个向量"
    assert chinese.say("a,\nb") == "甲，\n乙"
    assert chinese.say("nobody said it") == "nobody said it"
    said = found(chinese, MessageRecord)
    assert [record.texts for record in said] == [
        {"en": "{n} vectors", "zh": "{n} 个向量"},
        {"en": "a,\nb", "zh": "甲，\n乙"},
        {"en": "nobody said it"},
    ]
    assert all(record.line > 0 for record in said)


def test_english_words_stay_as_they_are(english: Book) -> None:
    assert english.say("{machine}, calibrated", machine="H200") == "H200, calibrated"
    assert found(english, MessageRecord)[0].texts == {"en": "{machine}, calibrated"}


@pytest.mark.parametrize(
    ("message", "parts", "problem"),
    [
        ("16 vectors", {}, "'16' is typed; write a name in braces"),
        ("H200, calibrated", {}, "'200' is typed"),
        ("{n} vectors", {}, r"nothing is given for \{n\}"),
        ("{m} vectors", {"n": "4"}, r"nothing is given for \{m\}; known: n"),
        ("vectors", {"n": "4"}, "'n' is given and stands nowhere in it"),
        ("{n} vectors", {"n": 4}, "'n' is a int; give the text of a published number"),
        ("{} vectors", {}, r"nothing is given for \{\}"),
        ("{n vectors", {"n": "4"}, "expected '}'"),
    ],
)
def test_what_cannot_be_said(
    english: Book, message: str, parts: dict[str, Any], problem: str
) -> None:
    with pytest.raises(BookError, match=problem):
        english.say(message, **parts)
    assert not found(english, MessageRecord)


@pytest.mark.parametrize(
    ("message", "parts", "problem"),
    [
        ("two", {}, "the translation of 'two' in zh_CN: '2' is typed"),
        ("of {n}", {"n": "4"}, r"the translation of 'of \{n\}' in zh_CN: nothing is given for .m"),
    ],
)
def test_a_translation_that_cannot_be_said(
    chinese: Book, message: str, parts: dict[str, str], problem: str
) -> None:
    with pytest.raises(BookError, match=problem):
        chinese.say(message, **parts)


def test_the_table_of_a_cell_speaks_the_language(
    chinese: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bookcode.numbers.display import WORDS as TABLE
    from bookcode.numbers.display import records_html

    size = chinese.publish("add.bytes", chinese.call(ops.add, elements=4096, dtype="fp16").bytes)
    chinese.claim("add.many", size > 1000, says="wide")
    add = chinese.call(ops.add, elements=4096, dtype="fp16")
    timing = chinese.call(timed, cost=add, machine="h200-spec", dtype="fp16")
    chinese.publish("conditions", timing.machine.conditions)
    records = chinese._published.pending
    told = records_html(records, "zh_CN", lambda word: f"〈{word}〉")
    assert "<td>〈vendor specification; nothing measured〉</td>" in told
    assert TABLE["holds"]["zh"] in records_html(records, "zh_CN")
    assert "holds" in records_html(records)


# the page's own environment -----------------------------------------------------------------------
def test_each_page_has_an_environment_of_its_own() -> None:
    from bookcode.execution.client import ExecutionSettings
    from bookcode.execution.model import Limits

    own: Callable[[Path], dict[str, str]] = lambda path: {PAGE: path.stem}  # noqa: E731
    settings = ExecutionSettings([], Limits(1, 1), {"A": "b"}, page_env=own)
    assert settings.environment(Path("x.md")) == {"A": "b", PAGE: "x"}
    assert settings.environment(None) == {"A": "b"}
    assert ExecutionSettings([], Limits(1, 1), {"A": "b"}).environment(Path("x")) == {"A": "b"}

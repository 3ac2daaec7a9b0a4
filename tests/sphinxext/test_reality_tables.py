"""Tables and words of the pages on reality: in both languages, and of the record's counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bookcode.reality.distribution import OPERATORS
from bookcode.reality.explaining import CLASSES
from bookcode.reality.record import RECORD, read
from bookcode.reality.sizes import ends
from bookcode.sphinxext.reality_tables import _fates, _left, _tally
from bookcode.sphinxext.reality_words import WORDS, tell
from bookcode.sphinxext.tables import KINDS
from bookcode.sphinxext.wording import WordingError

ROOT = Path(__file__).parents[2]
BOOK = pytest.mark.parametrize("book", ["reality"], indirect=True)


def test_every_word_is_there_in_both_languages() -> None:
    for key, texts in WORDS.items():
        assert set(texts) == {"en", "zh"}, key
        assert all(texts.values()), key
    assert tell("read", "zh_CN", authors="A", title="T", where="W", date="D").startswith("A：T")
    with pytest.raises(WordingError, match="did you mean product"):
        tell("produkt", "en")


def test_whatever_the_record_may_name_has_words() -> None:
    named = {*OPERATORS, *CLASSES, *(f"means {kind}" for kind in CLASSES)}
    tables = read(ROOT / RECORD).parts["tables"]
    named |= {name for row in tables["data-sets"] for name in row["operators"]}
    named |= {row["operator"] for row in tables["roofs"]}
    assert named <= set(WORDS)


@pytest.mark.parametrize(
    ("name", "language", "expected"),
    [
        ("below-1us", "en", ("", "1\u202fµs")),
        ("100us", "en", ("100\u202fµs", "1\u202fms")),
        ("above-1ms", "zh_CN", ("1\u202fms", "")),
    ],
)
def test_a_class_of_size_says_its_own_ends(
    name: str, language: str, expected: tuple[str, str]
) -> None:
    assert ends(name, language) == expected


def test_every_table_of_reality_is_on_a_page() -> None:
    pages = "".join(p.read_text("utf-8") for p in (ROOT / "book/appendix").glob("reality*.md"))
    for kind in KINDS:
        if kind.startswith("reality-"):
            assert f"{{{kind}}}" in pages


def test_mistakes_are_tallied() -> None:
    found = {"f: a": ["x", "y"], "f: b": ["x"], "g: c": [], "f: d": []}
    caught, alone = _tally(found)
    assert (dict(caught), dict(alone)) == ({"x": 2, "y": 1}, {"x": 1})
    assert list(_left(found)) == [("g", 1, 1), ("f", 1, 3)]
    assert _fates(found) == {
        ("f", ("x", "y")): ["a"],
        ("f", ("x",)): ["b"],
        ("f", ()): ["d"],
        ("g", ()): ["c"],
    }


def test_no_mistake_is_lost_between_the_rows() -> None:
    mutants = read(ROOT / RECORD).parts["mutants"]
    told = [f"{name}: {change}" for (name, _), all_ in _fates(mutants).items() for change in all_]
    assert sorted(told) == sorted(mutants)
    assert len(_fates(mutants)) < len(mutants) / 4


@BOOK
def test_a_changed_record_changes_the_page_and_a_broken_one_is_an_error(book: Any) -> None:
    book.build()
    data = json.loads((book.root / RECORD).read_text("utf-8"))
    data["tables"]["unexplained"][0]["place"] = "wheel/other.txt:8"
    book.write(RECORD.as_posix(), json.dumps(data))
    assert "wheel/other.txt:8" in book.build().text("index")
    del data["tables"]["expect"]
    book.write(RECORD.as_posix(), json.dumps(data))
    texts = [str(problem) for problem in book.build().problems]
    assert any(
        "reality-expectations" in text and "unknown table 'expect'" in text for text in texts
    )


@BOOK
def test_the_script_is_loaded_only_where_it_is_needed(book: Any) -> None:
    built = book.build()
    assert "own-record.js" in built.raw("index")
    book.write("book/wrong.md", "# Right\n\nNothing to see.\n")
    assert "own-record.js" not in book.build().raw("wrong")

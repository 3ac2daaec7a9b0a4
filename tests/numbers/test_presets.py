"""Presets: what a cell offers must be something a reader could set by hand."""

from __future__ import annotations

from typing import Any

import pytest

from bookcode.ledger import MACHINES
from bookcode.numbers.book import Book, BookError
from bookcode.numbers.parameters import ParameterError
from bookcode.numbers.records import PresetRecord, dump, load


@pytest.fixture
def chapter(book: Book) -> Book:
    book.parameter("seq", unit="tokens", default=4096, minimum=512, maximum=8192, step=512)
    book.choice("machine", MACHINES, default="h200")
    return book


def test_a_preset_is_a_record_with_titles_and_values(chapter: Book) -> None:
    chapter.preset({"en": "Long", "zh": "长序列"}, seq=8192, machine="h100")
    (record,) = [r for r in chapter._published.pending if isinstance(r, PresetRecord)]
    assert record.titles == {"en": "Long", "zh": "长序列"}
    assert record.values == {"seq": 8192, "machine": "h100"}
    assert load(dump([record])) == [record]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "sets no parameter"),
        ({"sqe": 512}, "no parameter 'sqe'; did you mean seq"),
        ({"machine": "h10"}, "no such option; did you mean h100"),
        ({"seq": 256}, "from 512 to 8192, step 512"),
        ({"seq": 8704}, "from 512 to 8192"),
        ({"seq": 600}, "step 512"),
        ({"seq": 512.0}, "whole number"),
        ({"seq": True}, "whole number"),
    ],
)
def test_what_a_reader_could_not_set_is_refused(
    chapter: Book, values: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        chapter.preset("Odd", **values)


def test_a_title_is_needed_and_used_once(chapter: Book) -> None:
    chapter.preset("Long", seq=8192)
    for title in ("Long", ""):
        with pytest.raises(BookError, match="title of its own"):
            chapter.preset(title, seq=512)

"""The foot of a page: links into the repository, dates, citations."""

from __future__ import annotations

import datetime
from urllib.parse import parse_qs, urlsplit

import pytest

from bookcode.sphinxext.colophon import (
    ColophonError,
    Repository,
    bibtex,
    build_date,
    citation_text,
    edition_text,
)

URL = "https://code.example/owner/book"
DAY = datetime.date(2026, 11, 29)


def test_a_line_of_the_ledger_is_linked_at_a_revision_only() -> None:
    assert Repository(URL, "v1/x").line("a/b c.py:12") == f"{URL}/blob/v1%2Fx/a/b%20c.py#L12"
    assert Repository(URL, "v1").line("a.py") == f"{URL}/blob/v1/a.py"
    assert Repository(URL).line("a.py:1") is None
    assert Repository("", "v1").line("a.py:1") is None


def test_a_report_carries_page_key_and_shown_value() -> None:
    address = Repository(URL).report("02/index", "gemm.flops", "137 GFLOP & more")
    assert address is not None
    assert address.startswith(f"{URL}/issues/new?")
    assert parse_qs(urlsplit(address).query) == {
        "template": ["error.yml"],
        "page": ["02/index"],
        "key": ["gemm.flops"],
        "shown": ["137 GFLOP & more"],
    }
    assert Repository("").report("02/index") is None


@pytest.mark.parametrize(
    "url", ["http://a.example", "https://", "code.example/a", "https://a.example/", "https://a b"]
)
def test_an_address_that_no_link_can_be_made_of_is_refused(url: str) -> None:
    with pytest.raises(ColophonError, match="give an address like"):
        Repository(url)


def test_the_date_comes_from_the_environment_and_zero_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert build_date("1796000000") == datetime.date(2026, 11, 30)
    assert build_date("0") is None
    assert build_date("") is None
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1796000000")
    assert build_date() == datetime.date(2026, 11, 30)
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert build_date() is None
    for wrong in ("yesterday", "-1", "1.5", "²"):
        with pytest.raises(ColophonError, match="not a number of seconds"):
            build_date(wrong)


def test_editions_in_both_languages() -> None:
    assert edition_text("1.0", DAY, "en") == "Edition 1.0, built on 2026-11-29"
    assert edition_text("1.0", None, "en") == "Edition 1.0, undated build"
    assert edition_text("1.0", DAY, "zh_CN") == "版本 1.0，构建于 2026-11-29"


def test_citations_of_a_page_and_of_the_book() -> None:
    about = {
        "author": "A. Author",
        "book": "The book",
        "edition": "1.0",
        "url": "https://b.example/",
    }
    page = citation_text(**about, title="A page", date=DAY)
    assert page == ("A. Author (2026). “A page”. In: The book, edition 1.0. https://b.example/")
    whole = citation_text(**about | {"url": ""}, title="The book", date=None)
    assert whole == "A. Author. The book, edition 1.0"
    entry = bibtex(**about, title="A page: of it", date=DAY)
    assert entry.startswith("@incollection{a-page-of-it,\n  author = {{A. Author}},")
    assert "booktitle = {The book}" in entry
    assert "year = {2026}" in entry
    assert bibtex(**about, title="The book", date=None).startswith("@book{the-book,")
    assert bibtex(**about, title="第二章", date=None).startswith("@incollection{book,")

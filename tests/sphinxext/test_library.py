"""The library: what a role shows, and why it cannot."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from bookcode.numbers.errors import FormatError, NumbersError
from bookcode.numbers.records import AliasRecord, ClaimRecord, FormulaText, NumberRecord, Record
from bookcode.sphinxext.library import Library, Shown, UnresolvedError, plain


def number(key: str, value: str, **changes: Any) -> NumberRecord:
    given: dict[str, Any] = {"line": 1, "unit": "B", "spec": "sig3", **changes}
    return NumberRecord(key=key, value=value, **given)


RECORDS: list[Record] = [
    number("size", "1500", formula=FormulaText("2 M", "2"), function="ops.copy", inputs={"m": "1"}),
    number("share", "1/3", unit="1", spec="pct1"),
    number("regime", "memory", unit="word", spec="word"),
    number("odd", "sideways", unit="word", spec="word"),
    ClaimRecord(
        key="big",
        line=1,
        holds=True,
        wordings={"en": ["big", "all of {size}", "{share} or more"], "zh": ["大"]},
        explanation="size = 1500 B",
    ),
    AliasRecord("old", 1, "size", "shorter"),
]


@pytest.fixture
def library() -> Library:
    return Library.of(RECORDS, None)


def text(parts: Any) -> str:
    return plain(parts).replace("\u202f", " ")


def test_numbers_in_their_own_format_and_in_another(library: Library) -> None:
    shown = library.number("size", "", "en")
    assert (text([shown]), shown.spec, shown.unit) == ("1.50 kB", "sig3", "B")
    assert shown.value == 1500
    assert text([library.number("size", "int", "en")]) == "1,500 B"
    assert text([library.number("share", "", "en")]) == "33.3 %"
    assert text([library.number("share", "frac", "en")]) == "1/3"


def test_a_number_says_where_it_comes_from(library: Library) -> None:
    assert "copy" in library.number("size", "", "en").hint
    assert library.number("share", "", "en").hint


@pytest.mark.parametrize("language", ["en", "zh", "zh_CN", "zh-cn"])
def test_words_are_shown_by_language_or_as_they_are(library: Library, language: str) -> None:
    assert text([library.number("odd", "", language)]) == "sideways"
    assert text([library.number("regime", "", language)]) != "memory"


def test_a_claim_says_only_its_own_words(library: Library) -> None:
    assert text(library.claim("big", "", "en")) == "big"
    assert text(library.claim("big", "all of {size}", "en")) == "all of 1.50 kB"
    assert text(library.claim("big", "all  of\n1.50 kB", "en")) == "all of 1.50 kB"
    assert text(library.claim("big", "BIG", "en")) == "Big"
    assert text(library.claim("big", "All of {size}", "en")) == "All of 1.50 kB"
    assert text(library.claim("big", "大", "zh_CN")) == "大"
    with pytest.raises(UnresolvedError, match="claim big does not own the words 'bigger'; it says"):
        library.claim("big", "bigger", "en")


def test_a_claim_that_nobody_translated_says_so_in_english(library: Library) -> None:
    claim = library.claims["big"]
    library.claims["big"] = replace(claim, wordings={"en": claim.wordings["en"]})
    assert text(library.claim("big", "", "zh_CN")) == "big"
    library.claims["big"] = replace(claim, wordings={"en": [], "zh": []})
    with pytest.raises(UnresolvedError, match="no wording for language 'zh_CN'"):
        library.claim("big", "", "zh_CN")


def test_a_text_that_is_still_english_may_use_english_words(library: Library) -> None:
    """A page shows an untranslated paragraph in English, the words of its verdicts with it."""
    assert text(library.claim("big", "all of {size}", "zh_CN")) == "all of 1.50 kB"
    with pytest.raises(UnresolvedError, match="does not own the words '更大'; it says '大'; 'big'"):
        library.claim("big", "更大", "zh_CN")


def test_data_is_said_in_the_editions_language(library: Library) -> None:
    said = Library(texts={"rows of A": "A 的行"})
    assert said.data("rows of A") == "A 的行"
    assert said.data("columns") == "columns"
    assert said.meaning("rows of A", "zh_CN") == "A 的行"
    assert said.meaning("published number a.b", "zh_CN") == "已发布的数 a.b"
    assert library.meaning("published number a.b", "en") == "published number a.b"


def test_a_number_at_the_head_of_a_wording_needs_no_capital(library: Library) -> None:
    assert text(library.claim("big", "{share} or more", "en")) == "33.3 % or more"


def test_a_claims_numbers_are_numbers_and_not_text(library: Library) -> None:
    words, shown = library.claim("big", "all of {size}", "en")
    assert words == "all of "
    assert isinstance(shown, Shown)
    assert (shown.role, shown.key) == ("num", "size")


def test_texts_with_numbers(library: Library) -> None:
    assert text(library.text("", "en")) == ""
    assert text(library.text("no number", "en")) == "no number"
    assert text(library.text("{size:int} and {share}", "en")) == "1,500 B and 33.3 %"
    assert text(library.text("{Not a key} {size}", "en")) == "{Not a key} 1.50 kB"


@pytest.mark.parametrize(
    ("look", "message"),
    [
        (lambda lib: lib.number("siez", "", "en"), r"no number 'siez'; did you mean size\?"),
        (lambda lib: lib.number("old", "", "en"), "number 'old' is now called 'size': shorter"),
        (lambda lib: lib.formula("old"), "number 'old' is now called 'size': shorter"),
        (lambda lib: lib.number("regime", "sig3", "en"), "is a word and takes no format 'sig3'"),
        (lambda lib: lib.formula("regime"), "regime is a word; it has no formula"),
        (lambda lib: lib.claim("bgi", "", "en"), r"no claim 'bgi'; did you mean big\?"),
        (lambda lib: lib.figure("big"), "no figure 'big'; there is none at all"),
        (lambda lib: lib.fact("size", "", "en"), "no fact 'size'; there is none at all"),
        (lambda lib: lib.text("{siez}", "en"), "no number 'siez'"),
    ],
)
def test_what_is_not_there(library: Library, look: Any, message: str) -> None:
    with pytest.raises(UnresolvedError, match=message):
        look(library)


def test_a_wrong_format_is_an_error_of_formats(library: Library) -> None:
    with pytest.raises(FormatError, match="pct"):
        library.number("size", "pct1", "en")
    assert issubclass(UnresolvedError, NumbersError)


def test_of_two_with_one_key_the_first_stays() -> None:
    library = Library.of([number("a", "1"), number("a", "2")], None)
    assert library.number("a", "", "en").value == 1


def test_what_a_figure_uses_is_found_without_a_look_at_the_others(library: Library) -> None:
    class Untouched(NumberRecord):
        @property
        def number(self) -> Fraction | None:
            raise AssertionError("a number that nobody asked for was looked at")

    asked = ["share", "regime", "nowhere", "size"]
    before = list(library.published(asked))
    assert [(role, key) for role, key, *_ in before] == [("num", "share"), ("num", "size")]
    other = Untouched(key="other", line=1, value="1", unit="B", spec="sig3")
    library.numbers["other"] = other
    assert list(library.published(asked)) == before
    with pytest.raises(AssertionError, match="nobody asked for"):
        list(library.published())

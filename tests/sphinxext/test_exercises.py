"""Exercises: draws as they are written, what is wrong with them, translations, and rebuilding."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import pytest

from bookcode.numbers.records import NumberRecord
from bookcode.sphinxext.exercises_counts import count
from bookcode.sphinxext.exercises_draws import (
    Around,
    Draw,
    ExerciseError,
    Span,
    draw_data,
    draw_problems,
    read_draw,
)
from bookcode.sphinxext.exercises_model import Entry, Option, label_of, problems
from bookcode.sphinxext.exercises_words import WORDS, stars, word

N = {"kind": "quantity", "name": "n", "minimum": 8, "maximum": 128, "step": 8}
MACHINE = {"kind": "choice", "name": "machine", "options": {"h100": "H100", "h200": "H200"}}


# reading ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "vary"),
    [
        ("e.bytes", {}),
        ("e.bytes with n", {"n": None}),
        ("e.bytes with n = 8..64", {"n": Span(8, 64)}),
        ("e.bytes with n = 8 .. 64 step 16", {"n": Span(8, 64, 16)}),
        ("e.bytes with n = 8, 16 ; machine = h100,h200",
         {"n": ("8", "16"), "machine": ("h100", "h200")}),
    ],
)  # fmt: skip
def test_a_draw_reads_as_it_is_written(text: str, vary: dict[str, Any]) -> None:
    assert read_draw(text, "2.5 %", " MB ") == Draw("e.bytes", vary, Fraction(1, 40), "MB")


@pytest.mark.parametrize(
    ("draw", "tolerance", "message"),
    [
        ("e.bytes for n", "1 %", "write `KEY with PARAMETER"),
        ("e.bytes with 9n = 3", "1 %", "is not `PARAMETER = VALUES`"),
        ("e.bytes with n =", "1 %", "is not `PARAMETER = VALUES`"),
        ("e.bytes", "", "write a share"),
        ("e.bytes", "0.01", "write a share"),
        ("e.bytes", "0 %", "from above 0"),
        ("e.bytes", "21 %", "to 20%"),
    ],
)
def test_a_draw_that_cannot_be_read_says_how(draw: str, tolerance: str, message: str) -> None:
    with pytest.raises(ExerciseError, match=message):
        read_draw(draw, tolerance, "")


def test_the_script_gets_ranges_with_the_steps_of_the_parameter() -> None:
    draw = read_draw("e.bytes with n = 8..64; machine; k", "1 %", "")
    assert draw_data(draw, {"n": N, "machine": MACHINE}) == {
        "key": "e.bytes",
        "vary": {"n": {"low": 8, "high": 64, "step": 8}, "machine": {"values": ["h100", "h200"]}},
        "tolerance": 0.01,
        "scale": "",
    }
    assert draw_data(read_draw("e with n", "1 %", ""), {"n": N})["vary"] == {
        "n": {"low": 8, "high": 128, "step": 8}
    }
    listed = draw_data(read_draw("e with n = 16, 8", "1 %", ""), {"n": N})
    assert listed["vary"] == {"n": {"values": [16, 8]}}


# what is wrong ----------------------------------------------------------------------------------
def number(key: str, unit: str = "B", *parameters: str) -> NumberRecord:
    value = "memory" if unit == "word" else "1024"
    return NumberRecord(key, 1, value, unit, "sig3", parameters=list(parameters))


NUMBERS = {
    record.key: record
    for record in (
        number("e.bytes", "B", "n", "machine"),
        number("e.n", "elements", "n"),
        number("e.machine", "B/s", "machine"),
        number("e.fixed"),
        number("e.share", "1", "n"),
        number("e.word", "word", "n"),
    )
}


def found(draw: str, scale: str = "", **around: Iterable[str]) -> list[str]:
    given = {"asks": ["e.n", "e.machine"], "answers": [draw.split()[0]], "fixed": []} | around
    here = Around(**given, numbers=NUMBERS, parameters={"n": N, "machine": MACHINE})  # type: ignore[arg-type]
    return list(draw_problems(read_draw(draw, "1 %", scale), here))


def test_a_good_draw_has_nothing_wrong() -> None:
    assert found("e.bytes with n = 8..128; machine", "MB") == []
    assert found("e.bytes with n = 8, 24", "KiB") == []
    assert found("e.share with n = 16..64 step 16", "%") == []
    assert found("e.bytes", "") == []


@pytest.mark.parametrize(
    ("draw", "scale", "around", "message"),
    [
        ("e.byte with n", "", {}, "publishes no 'e.byte'; did you mean e.bytes"),
        ("e.word with n", "", {}, "is a word"),
        ("e.fixed with n", "", {}, "does not depend on n"),
        ("e.bytes with m", "", {}, "no parameter 'm'"),
        ("e.bytes with n = 4..8", "", {}, "n = 4 is not among 8..128 in steps of 8"),
        ("e.bytes with n = 8..136", "", {}, "n = 136 is not among"),
        ("e.bytes with n = 8..30", "", {}, "n = 30 is not among"),
        ("e.bytes with n = 64..8", "", {}, "from low to high"),
        ("e.bytes with n = 8..64 step 12", "", {}, "multiples of 8"),
        ("e.bytes with n = 8, x", "", {}, "'x' is not a whole number"),
        ("e.bytes with machine = h300", "", {}, "'h300' is not on offer"),
        ("e.bytes with machine = 1..2", "", {}, "not a range"),
        ("e.bytes with n", "", {"answers": []}, "the answer does not show e.bytes"),
        ("e.bytes with n", "", {"asks": ["e.n", "e.bytes"]}, "which it asks for"),
        ("e.bytes with n", "", {"asks": ["e.machine"]}, "could tell n"),
        ("e.bytes with n", "", {"fixed": ["e.bytes"]}, "the book's values"),
        ("e.bytes with n", "MFLOP", {}, "in MFLOP: format"),
        ("e.bytes with n", "%", {}, "in %: e.bytes is in B"),
    ],
)
def test_what_is_wrong_with_a_draw_is_said(
    draw: str, scale: str, around: dict[str, list[str]], message: str
) -> None:
    assert any(message in problem for problem in found(draw, scale, **around))


def test_values_of_the_book_may_be_shown_where_nothing_is_drawn() -> None:
    assert found("e.bytes", fixed=["e.bytes"]) == []


def test_a_complete_question_has_nothing_wrong() -> None:
    options = (Option(3, "right", True), Option(5, "wrong", True))
    assert not list(problems(Entry("question", "02-q1", 1, "choice", options=options)))
    parts = {"answer": [4]}
    entry = Entry("question", "02-q1", 1, "number", draw="k", tolerance="1 %", parts=parts)
    assert not list(problems(entry))


# counting and words -----------------------------------------------------------------------------
ENTRIES = {
    "02": [
        Entry("exercise", "02-e1", 1, "concept", "1", "none"),
        Entry("exercise", "02-e2", 1, "concept", "2", "computer"),
        Entry("question", "02-q1", 1, "choice"),
    ]
}


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("exercises", ("exercises", 2)),
        ("exercises kind=concept difficulty=2", ("exercises", 1)),
        ("exercises needs=computer", ("exercises", 1)),
        ("questions chapter=02", ("questions", 1)),
    ],
)
def test_counts(asked: str, answer: tuple[str, int]) -> None:
    assert count(asked, "02", ENTRIES) == answer


def test_a_count_of_nothing_is_an_error() -> None:
    with pytest.raises(ExerciseError, match="there are no exercises kind=hands-on"):
        count("exercises kind=hands-on", "02", ENTRIES)


def test_every_word_is_there_in_both_languages() -> None:
    assert all({"en", "zh"} <= set(texts) and all(texts.values()) for texts in WORDS.values())
    assert word("hint", "zh_CN") == "思路"
    assert (label_of("02-e13"), stars("2"), stars("")) == ("E13", "★★☆", "☆☆☆")


# builds -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("book", ["exercises"], indirect=True)
def test_gettext_sees_every_text_once_with_its_line(book: Any) -> None:
    built = book.build(builder="gettext", out="gettext")
    catalogue = (built.out / "02-part.pot").read_text("utf-8")
    source = (book.root / "book/02-part/exercises.md").read_text("utf-8").splitlines()
    for text in ("Count matrices.", "To count one matrix.", "Why is it so?", "Guessing."):
        assert catalogue.count(f'msgid "{text}"') == 1
        line = source.index(text) + 1
        before = catalogue[: catalogue.index(f'msgid "{text}"')]
        assert before.splitlines()[-1].endswith(f"02-part/exercises.md:{line}")
    assert 'msgid "A product of edge {num}`e1.edge`"' in catalogue
    assert "paper and pencil" not in catalogue


@pytest.mark.parametrize("book", ["exercises"], indirect=True)
def test_counts_follow_pages_that_were_not_read_again(book: Any) -> None:
    book.build()
    text = (book.root / "book/02-part/exercises.md").read_text("utf-8")
    start = text.index("::::{exercise} 02-e2")
    end = text.index("```{code-cell}")
    book.write("book/02-part/exercises.md", text[:start] + text[end:])
    again = book.build()
    assert again.status == 0
    assert "has 1 exercise, 1 exercise of them" in again.text("index")


@pytest.mark.parametrize("book", ["exercises-wrong"], indirect=True)
def test_problems_stay_until_they_are_repaired(book: Any) -> None:
    first = book.build()
    again = book.build()
    told = [p for p in first.problems if "bookcode.exercise" in p.text]
    assert told
    assert [p for p in again.problems if "bookcode.exercise" in p.text] == told
    assert again.status == 1

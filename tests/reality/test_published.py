"""Published numbers: recomputed with their own rounding, and the file refused where it is odd."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.reality.errors import PublishedError
from bookcode.reality.operators import LEDGER
from bookcode.reality.published import FILE, PublishedRow, load, rounded, rows

ROOT = Path(__file__).parents[2]
HEAD = """
[[tables]]
id = "one"
title = "T"
authors = "A"
kind = "notebook"
source = "somewhere"
date = 2026-11-29
evidence = "recorded"
[tables.inputs]
a = "3"
"""
ROW = '[[tables.rows]]\nwhat = "w"\nformula = "a / 8"\nprinted = "0.38"\nunit = "s"\n'


def project(folder: Path, text: str) -> Path:
    path = folder / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return folder


def test_every_printed_number_comes_out_as_the_file_says() -> None:
    found = list(rows(load(ROOT)))
    assert [row.problem(LEDGER) for row in found if row.problem(LEDGER)] == []
    assert len(found) >= 50


def test_there_are_many_authors_and_every_source_is_dated() -> None:
    tables = load(ROOT)
    assert len({table.authors for table in tables}) >= 12
    assert all(table.source and table.date.startswith("20") for table in tables)
    assert all(table.evidence == "recorded" for table in tables)


def test_numbers_that_do_not_follow_say_why() -> None:
    odd = [row for row in rows(load(ROOT)) if not row.follows]
    assert len(odd) >= 5
    for row in odd:
        assert row.shown(LEDGER) == row.recomputed != row.printed
        assert len(row.why) > 20


@pytest.mark.parametrize(
    ("value", "printed", "rounding", "shown"),
    [
        (Fraction(3, 8), "0.38", "nearest", "0.38"),
        (Fraction(3, 8), "0.37", "down", "0.37"),
        (Fraction(5, 2), "3", "nearest", "3"),
        (Fraction(1234), "1.2E+3", "nearest", "1200"),
        (Fraction(2), "1.0", "nearest", "2.0"),
    ],
)
def test_rounding_is_half_up_to_the_printed_digits(
    value: Fraction, printed: str, rounding: str, shown: str
) -> None:
    assert rounded(value, printed, rounding) == shown


@given(st.fractions(0, 10**6), st.integers(0, 4))
def test_rounding_moves_by_half_a_digit_at_most(value: Fraction, digits: int) -> None:
    shown = Fraction(rounded(value, f"{0:.{digits}f}", "nearest"))
    assert abs(shown - value) <= Fraction(1, 2 * 10**digits)


def test_a_printed_number_that_does_not_follow_is_a_problem(tmp_path: Path) -> None:
    [row] = rows(load(project(tmp_path, HEAD + ROW.replace("0.38", "0.39"))))
    assert (
        row.problem(LEDGER) == f"{FILE}: one: w: printed 0.39 s, but 0.38 follows from the inputs"
    )


def test_a_claim_that_it_does_not_follow_is_checked_too(tmp_path: Path) -> None:
    more = 'follows = false\nrecomputed = "0.38"\nwhy = "because"\n'
    [row] = rows(load(project(tmp_path, HEAD + ROW + more)))
    assert row.problem(LEDGER) is not None
    assert "said not to follow" in str(row.problem(LEDGER))


def test_inputs_that_the_source_has_rounded_are_free_by_half_a_digit() -> None:
    row = PublishedRow("t", "w", {"a": Fraction(3)}, "a / 8", "0.43", "s")
    assert row.problem(LEDGER) is not None
    loose = PublishedRow(
        "t", "w", {"a": Fraction(3)}, "a / 8", "0.43", "s", loose={"a": Fraction(1, 2)}
    )
    assert loose.problem(LEDGER) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD, "no rows"),
        (HEAD + ROW + "colour = 1\n", "unknown field 'colour'"),
        (HEAD + ROW.replace('unit = "s"\n', ""), "no unit"),
        (HEAD + ROW + 'rounding = "nearst"\n', "did you mean nearest"),
        (HEAD + ROW + 'rounded = ["b"]\n', "rounded input 'b'"),
        (HEAD + ROW + "follows = false\n", "recomputed or why"),
        (HEAD.replace("recorded", "pinned") + ROW, "evidence"),
        (HEAD.replace('"3"', "3") + ROW, "as text"),
        (HEAD + ROW + HEAD + ROW, "two tables"),
        ("[[tables]", "line 1"),
    ],
)
def test_a_file_that_does_not_hold_together_is_refused(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(PublishedError, match=message):
        load(project(tmp_path, text))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(PublishedError, match="published-tables"):
        load(tmp_path)

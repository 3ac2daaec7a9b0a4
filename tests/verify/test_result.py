from __future__ import annotations

import io

import pytest
from rich.console import Console

from bookcode.verify.result import GREEN, RED, UNCHECKED, Result, exit_status, print_summary


@pytest.mark.parametrize(
    ("results", "status"),
    [
        ([Result("a", 3, "x")], GREEN),
        ([Result("a", problems=["wrong"])], RED),
        ([Result("a", unchecked=["no network"])], UNCHECKED),
        ([Result("a", unchecked=["no network"]), Result("b", problems=["wrong"])], RED),
        ([], GREEN),
    ],
)
def test_red_outranks_unchecked_and_unchecked_is_not_green(
    results: list[Result], status: int
) -> None:
    assert exit_status(results) == status


def test_the_summary_names_problems_counts_and_what_was_not_checked() -> None:
    stream = io.StringIO()
    results = [
        Result("lock", 7, "keys", ["page.md:3: number [x] changed"], note="a note"),
        Result("citations", 2, "pinned", [], ["S1: no network"]),
    ]
    print_summary(results, Console(file=stream, width=200))
    text = stream.getvalue()
    assert "page.md:3: number [x] changed" in text
    assert "not checked: citations: S1: no network" in text
    assert "verify: RED" in text
    assert "a note" in text


def test_what_was_not_checked_for_one_reason_is_one_line_with_its_count() -> None:
    stream = io.StringIO()
    result = Result("facts", 0, "read out", [], ["a==1 is not in the store"] * 71 + ["no network"])
    print_summary([result], Console(file=stream, width=200))
    lines = [line for line in stream.getvalue().splitlines() if line.startswith("not checked: ")]
    assert lines == [
        "not checked: facts: a==1 is not in the store (71 of them)",
        "not checked: facts: no network",
    ]
    assert " 72 " in stream.getvalue()

"""Which problems a run for one chapter shows."""

from __future__ import annotations

import pytest

from bookcode.numbers.errors import NumbersError
from bookcode.verify.result import Result
from bookcode.verify.run import _folders, _only

KNOWN = ["01-roofline", "02-from-pytorch-to-kernel"]


def test_a_chapter_may_be_named_by_its_number() -> None:
    assert _folders(KNOWN, ["02"]) == ["02-from-pytorch-to-kernel"]
    assert _folders(KNOWN, ["01-roofline", "02"]) == KNOWN


def test_an_unknown_chapter_names_what_there_is() -> None:
    with pytest.raises(NumbersError, match=r"no chapter '3'.*01-roofline"):
        _folders(KNOWN, ["3"])


def test_problems_of_other_chapters_are_left_out_and_those_of_none_stay() -> None:
    result = Result(
        "x",
        problems=[
            "book/01-roofline/index.md:3: wrong",
            "book/02-from-pytorch-to-kernel/index.md:4: wrong",
            "machine h200: wrong",
        ],
    )
    assert _only(result, ["02-from-pytorch-to-kernel"], KNOWN).problems == result.problems[1:]
    assert _only(result, [], KNOWN).problems == result.problems

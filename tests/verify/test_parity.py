"""The parity check must see a JavaScript that differs from the ledger in value, word or text."""

from __future__ import annotations

from typing import Any

import pytest

from bookcode.numbers.formats import format_value
from bookcode.verify import parity
from bookcode.verify.parity import check_parity


def exported(javascript: str, **changes: Any) -> dict[str, Any]:
    number = {
        "kind": "number",
        "key": "x.bytes",
        "unit": "B",
        "spec": "sig4",
        "line": 7,
        "samples": ["4096", "9007199254740993", "missing"],
        "hard": [[{"n": 1}, "4096"]],
    }
    word = {
        "kind": "number",
        "key": "x.regime",
        "unit": "word",
        "spec": "word",
        "line": 8,
        "samples": ["compute", "memory", "compute"],
        "hard": [[{"n": 2}, "memory"]],
    }
    claim = {"kind": "claim", "key": "x.claim", "line": 9, "samples": ["true", "false", "true"]}
    claim["hard"] = [[{"n": 2}, "false"]]
    module = {"javascript": javascript, "points": [{"n": 1}, {"n": 2}, {"n": 3}]}
    page = {"source": "book/p.md", "module": module, "records": [number | changes, word, claim]}
    return {"pages": {"p": page}}


RIGHT = """
const values = [4096, 9007199254740992, NaN];
export const compute = (p) => ({
  "x.bytes": values[p.n - 1],
  "x.regime": p.n === 2 ? "memory" : "compute",
  "x.claim": p.n !== 2,
});
"""


def test_agreement_is_green_and_counted() -> None:
    result = check_parity(exported(RIGHT))
    assert result.problems == []
    assert result.checked == 12


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("4096,", "4097,", "JavaScript gives 4097, Python 4096.0"),
        ("NaN]", "5]", "where the ledger has no fact"),
        ('"memory" : "compute"', '"memory" : "link"', "JavaScript gives 'link'"),
        ("p.n !== 2", "true", "JavaScript gives True, Python 'false'"),
        ("4096,", '"4096",', "JavaScript gives '4096'"),
        ("const values", "throw new Error('no'); const values", "no"),
    ],
)
def test_a_difference_is_reported_with_key_and_place(old: str, new: str, message: str) -> None:
    assert old in RIGHT
    result = check_parity(exported(RIGHT.replace(old, new)))
    assert result.problems
    assert message in result.problems[0]
    assert "book/p.md" in result.problems[0]


def test_a_difference_only_in_the_shown_text_is_reported() -> None:
    # within the tolerance of the values, but on the other side of a rounding step
    close = RIGHT.replace("4096,", "999949999999.9,")
    samples = ["999950000000", "9007199254740993", "missing"]
    result = check_parity(exported(close, samples=samples, spec="sig4", hard=[]))
    assert len(result.problems) == 1
    assert "JavaScript shows '999.9" in result.problems[0]


def test_a_difference_only_in_what_one_edition_shows_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def elsewhere(*given: Any, language: str = "en") -> str:
        return format_value(*given, language=language) + "！" * (language == "zh")

    monkeypatch.setattr(parity, "format_value", elsewhere)
    result = check_parity(exported(RIGHT))
    assert len(result.problems) == 3  # at both points with a value, and at the hard one
    assert all(" in zh, Python" in problem for problem in result.problems)


def test_a_module_without_check_points_is_not_checked() -> None:
    data = exported(RIGHT)
    data["pages"]["p"]["module"]["points"] = []
    assert check_parity(data).unchecked == ["book/p.md: built without check points"]


def test_a_difference_at_a_hard_point_alone_is_reported() -> None:
    wrong = exported(RIGHT, hard=[[{"n": 1}, "4095"]])
    first, second = check_parity(wrong).problems
    assert "x.bytes at {'n': 1}: JavaScript gives 4096, Python 4095.0" in first
    assert "JavaScript shows" in second

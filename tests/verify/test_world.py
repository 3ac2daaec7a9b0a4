from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bookcode.ledger import MACHINES
from bookcode.sources import Registry
from bookcode.verify.world import check_expected, check_profiles

ROOT = Path(__file__).parents[2]


def exported(key: str, value: str) -> dict[str, Any]:
    record = {"kind": "number", "key": key, "value": value, "line": 4}
    return {"pages": {"p": {"source": "book/p.md", "records": [record]}}}


@pytest.fixture
def expected(tmp_path: Path) -> Path:
    path = tmp_path / "expected-figures.json"
    path.write_text(json.dumps({"figures": [{"key": "a.b", "value": 0.1}]}), "utf-8")
    return path


def test_an_expected_figure_is_compared_within_the_tolerance(expected: Path) -> None:
    assert check_expected(exported("a.b", "1/10"), expected).problems == []
    assert check_expected(exported("a.b", "1/10"), expected).checked == 1
    assert check_expected(exported("other", "7"), expected).checked == 0


def test_a_wrong_figure_is_red_with_place_and_both_values(expected: Path) -> None:
    (problem,) = check_expected(exported("a.b", "10000001/100000000"), expected).problems
    assert problem.startswith("book/p.md:4: a.b = 0.10000001, expected 0.1")


def test_every_profile_value_equals_its_fact() -> None:
    result = check_profiles(Registry.load(ROOT / "references"))
    assert result.problems == []
    assert result.checked == sum(len(machine.facts) for machine in MACHINES.values()) > 100


def test_a_profile_that_differs_from_its_fact_is_red(tmp_path: Path) -> None:
    for name in ("sources", "citations", "facts"):
        text = (ROOT / "references" / f"{name}.toml").read_text("utf-8")
        if name == "facts":
            assert '"h200.recorded.burst"]\nvalue = "0.7370"' in text
            text = text.replace(
                '"h200.recorded.burst"]\nvalue = "0.7370"',
                '"h200.recorded.burst"]\nvalue = "0.7371"',
            )
        (tmp_path / f"{name}.toml").write_text(text, "utf-8")
    problems = check_profiles(Registry.load(tmp_path)).problems
    assert any("machine h200: peak_factors.fp16 = 0.737" in p for p in problems)
    assert any("fact h200.recorded.burst = 0.7371" in p for p in problems)

"""What the rows reach, on made-up groups whose quantiles are known."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from bookcode.reality import distribution as spread
from bookcode.reality.bounds import Bounds
from bookcode.reality.explaining import Verdict
from bookcode.reality.shares import Pool

ROOT = Path(__file__).parents[2]


@dataclass
class Sized:
    """As much of a group as the figures need."""

    seconds: Any

    def __len__(self) -> int:
        return len(self.seconds)


def verdict(bounds: Any, shares: Any) -> Verdict:
    """A group with these bounds and shares."""
    bound, share = np.asarray(bounds, float), np.asarray(shares, float)
    both = Bounds(np.zeros(len(bound)), bound, bound * 1e12)
    made = SimpleNamespace(group=Sized(bound / share), bound=both, share=share)
    return cast(Verdict, made)


def pool(**parts: Any) -> Pool:
    made = Pool()
    for name, verdicts in parts.items():
        machine, _, operator = name.partition("_")
        for label in spread.OPERATORS[operator]:
            made.parts[(machine, *label)] = verdicts
    return made


def test_figures_of_rows() -> None:
    shares = [n / 100 for n in range(1, 102)]  # the last beats the bound
    rows = spread.together([verdict([1e-5] * 101, shares)])
    found = rows.figures()
    assert found == {"rows": 101, "middle": 0.51, "good": 0.91, "best": 1.0}
    assert rows.seconds[0] == pytest.approx(1e-3)


def test_no_rows_at_all() -> None:
    assert len(spread.together([])) == 0
    assert spread.curves(Pool()) == {"product": {}, "prompt": {}, "token": {}}
    assert spread.by_size(Pool()) == spread.by_machine(Pool()) == []


def test_sizes_are_cut_at_powers_of_ten_the_lower_end_included() -> None:
    edges = [1e-6, 1e-5]
    few = verdict(edges * spread.FEW, [0.5] * 2 * spread.FEW)
    found = spread.by_size(pool(h200_product=[few]))
    assert [(row["size"], row["rows"]) for row in found] == [("1us", 20), ("10us", 20)]
    whole = [edge for pair in spread.EDGES.values() for edge in pair]
    assert whole[1:-1:2] == whole[2::2], "classes of size leave a gap or overlap"


def test_a_class_with_few_rows_is_left_out() -> None:
    one_less = verdict([2e-6] * (spread.FEW - 1), [0.5] * (spread.FEW - 1))
    assert spread.by_size(pool(h200_product=[one_less])) == []


def test_machines_are_compared_on_long_calls() -> None:
    long, short = verdict([2e-4] * 30, [0.8] * 30), verdict([1e-6] * 30, [0.1] * 30)
    [row] = spread.by_machine(pool(b200_token=[long, short]))
    assert (row["machine"], row["operator"], row["rows"]) == ("b200", "token", 60)
    assert row["long"] == {"rows": 30, "middle": 0.8, "good": 0.8, "best": 0.8}


def test_half_is_reached_where_the_middle_stays_above_it() -> None:
    def rows(*pairs: tuple[float, float]) -> spread.Rows:
        return spread.together([verdict([b] * 30, [s] * 30) for b, s in pairs])

    assert spread.half_from(rows((2e-6, 0.3), (2e-5, 0.6), (2e-4, 0.7))) == pytest.approx(1e-5)
    assert spread.half_from(rows((2e-6, 0.6), (2e-5, 0.4), (2e-4, 0.7))) == pytest.approx(1e-4)
    assert spread.half_from(rows((2e-6, 0.6), (2e-5, 0.4))) is None
    assert spread.half_from(spread.together([])) is None


def test_a_curve_has_a_point_a_step() -> None:
    found = spread.curves(pool(h200_prompt=[verdict([2e-6] * 20 + [2e-5] * 30, [0.5] * 50)]))
    assert found["prompt"]["h200"] == [
        [-5.75, 20, 0.5, 0.5, 0.5, 0.5],
        [-4.75, 30, 0.5, 0.5, 0.5, 0.5],
    ]


def test_the_launch_is_the_registrys() -> None:
    facts = tomllib.loads((ROOT / "references/facts.toml").read_text("utf-8"))["facts"]
    assert Fraction(facts["launch.overhead"]["value"]) == Fraction(str(spread.LAUNCH))


def test_every_row_lies_in_one_cell(surveyed: Any) -> None:
    parts = spread.chosen(surveyed.pool, "token", ["h200"])
    found = spread.density(parts)
    counts = [
        int(cell.partition(":")[2]) for row in found["cells"].values() for cell in row.split()
    ]
    assert sum(counts) == found["rows"] == sum(len(part.group) for part in parts)
    assert min(counts) >= 1

"""Shares along the bound: panels, bands and lines where the points are."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from bookcode.figures.shares import Panel, SharesError, shares
from bookcode.figures.svg import to_svg

POINTS = [[-6.25, 30, 0.1, 0.2, 0.3, 0.4], [-4.25, 40, 0.5, 0.6, 0.7, 0.9]]
LOWER = [[p[0], p[1], *(value / 2 for value in p[2:])] for p in POINTS]


def draw(curves: Mapping[str, Sequence[Sequence[float]]], count: int = 1) -> Any:
    return shares(
        [Panel(f"panel {n}", curves) for n in range(count)],
        machine="h200",
        names={"a100": "A100"},
        start=2e-6,
        x="bound, µs",
        y="share",
        start_label="nothing",
    )


def test_a_panel_an_operator_and_the_time_below_the_last() -> None:
    figure = draw({"h200": POINTS, "a100": LOWER}, 3)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["panel 0", "panel 1", "panel 2"]
    assert [axes.get_xlabel() for axes in figure.axes] == ["", "", "bound, µs"]
    assert len({axes.get_xlim() for axes in figure.axes}) == 1


def test_lines_are_where_the_points_are() -> None:
    axes = draw({"h200": POINTS, "a100": LOWER}).axes[0]
    _, middle, best, other = axes.get_lines()
    assert list(middle.get_xdata()) == pytest.approx([10**-6.25, 10**-4.25])
    assert list(middle.get_ydata()) == [0.2, 0.6]
    assert list(best.get_ydata()) == [0.4, 0.9]
    assert list(other.get_ydata()) == [0.1, 0.3]
    band = axes.collections[0].get_paths()[0].vertices
    assert {round(float(y), 6) for _, y in band} >= {0.1, 0.3, 0.5, 0.7}
    assert axes.get_lines()[0].get_xdata()[0] == 2e-6


def test_other_machines_are_named_and_a_single_one_needs_no_names() -> None:
    named = draw({"h200": POINTS, "a100": LOWER}).axes[0].get_legend()
    assert [text.get_text() for text in named.get_texts()] == ["A100"]
    assert draw({"h200": POINTS}).axes[0].get_legend() is None


@pytest.mark.parametrize(
    ("panels", "message"),
    [
        ([], "no panels"),
        ([Panel("p", {"a100": POINTS})], "no curve of 'h200'"),
        ([Panel("p", {"h200": []})], "a point has 6 numbers"),
        ([Panel("p", {"h200": [[1.0, 2.0]]})], "a point has 6 numbers"),
    ],
)
def test_what_cannot_be_drawn_is_refused(panels: list[Panel], message: str) -> None:
    with pytest.raises(SharesError, match=message):
        shares(panels, machine="h200", names={}, start=1.0, x="", y="", start_label="")


def test_ticks_are_bare_numbers_and_text_is_text() -> None:
    svg = to_svg(draw({"h200": POINTS, "a100": LOWER}), "s")
    root = ET.fromstring(svg)
    texts = ["".join(e.itertext()).strip() for e in root.iter() if e.tag.endswith("}text")]
    assert {"bound, µs", "share", "nothing", "panel 0", "A100", "10", "0.2"} <= set(texts)

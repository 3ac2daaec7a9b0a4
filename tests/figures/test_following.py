"""Where a value lies in a drawing: our two numbers an axis against matplotlib's own drawing."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from bookcode.figures.following import FollowError, following, log_axes, slug
from bookcode.figures.svg import to_svg


def drawn(points: list[tuple[float, float]], **limits: Any) -> Figure:
    figure = Figure(figsize=(4.3, 4.6))
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_xscale("log")
    axes.set_yscale("log")
    for index, point in enumerate(points):
        (mark,) = axes.plot(*point, marker="o")
        mark.set_gid(f"mark-p-{index}")
    axes.set_xlim(0.1, 5000)
    axes.set_ylim(1e10, 3e15)
    return figure


def test_values_lie_where_matplotlib_draws_them() -> None:
    points = [(0.25, 1.2e12), (170.7, 8e14), (2068.0, 9.895e14)]
    figure = drawn(points)
    svg = to_svg(figure, "roofs")
    axes = log_axes(figure)
    for index, (x, y) in enumerate(points):
        group = re.search(rf'id="fig-roofs-mark-p-{index}">(.*?)</g>\s*</g>', svg, re.DOTALL)
        assert group is not None
        place = re.search(r'<use [^>]*x="([^"]+)" y="([^"]+)"', group[1])
        assert place is not None
        assert axes["x"][0] + axes["x"][1] * math.log10(x) == pytest.approx(
            float(place[1]), abs=0.01
        )
        assert axes["y"][0] + axes["y"][1] * math.log10(y) == pytest.approx(
            float(place[2]), abs=0.01
        )
    left, top, right, bottom = axes["frame"]
    assert left < right
    assert top < bottom


def test_the_keys_of_the_values_are_told() -> None:
    figure = drawn([(1, 1e12)])
    follow, values = following("a.b", figure, to_svg(figure, "a.b"), {"mark": {"p.0": ("X", "Y")}})
    assert follow["marks"] == {"mark-p-0": ["a.b:mark-p-0:x", "a.b:mark-p-0:y"]}
    assert values == {"a.b:mark-p-0:x": "X", "a.b:mark-p-0:y": "Y"}
    assert following("a.b", figure, "", {"mark": {}, "roof": {}}) == ({}, {})


def test_what_is_not_drawn_or_not_logarithmic_is_refused() -> None:
    figure = drawn([(1, 1e12)])
    with pytest.raises(FollowError, match="draws no mark 'q'"):
        following("a", figure, to_svg(figure, "a"), {"mark": {"q": ("X", "Y")}})
    linear = Figure()
    linear.add_subplot()
    with pytest.raises(FollowError, match="logarithmic"):
        log_axes(linear)
    with pytest.raises(FollowError, match="has 0"):
        log_axes(Figure())


def test_slug() -> None:
    assert slug("gemm.4096/Fused") == "gemm-4096-fused"

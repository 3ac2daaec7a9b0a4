"""Where marks and roofs of a figure go, and where a hint's box goes."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from bookcode.figures.following import log_axes
from bookcode.figures.roofline import Mark, Roof, roofline
from bookcode.figures.svg import to_svg

Script = Callable[[str], Callable[..., Any]]
QUICK = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@functools.cache
def drawing(peak: float, bandwidth: float) -> tuple[Figure, str]:
    figure = roofline(
        [Roof("roof", "", peak, bandwidth)],
        [Mark("a", "a", 2.0, "roof"), Mark("b", "b", 1500.0, "roof")],
    )
    FigureCanvasAgg(figure)
    return figure, to_svg(figure, "fig")


def test_a_mark_goes_where_matplotlib_draws_it(script: Script) -> None:
    figure, svg = drawing(989.5e12, 4.8e12)
    axes = log_axes(figure)
    for name, x, y in (("a", 2.0, 9.6e12), ("b", 1500.0, 989.5e12)):
        mark = rf'id="fig-fig-mark-{name}".*?<use [^>]*x="([^"]+)" y="([^"]+)"'
        place = re.search(mark, svg, re.DOTALL)
        assert place is not None
        spot = script("figures")("spot", axes, x, y)
        assert spot["x"] == pytest.approx(float(place[1]), abs=0.02)
        assert spot["y"] == pytest.approx(float(place[2]), abs=0.02)
        assert spot["outside"] is False


def test_a_mark_outside_stays_at_the_frame_and_says_so(script: Script) -> None:
    axes = log_axes(drawing(989.5e12, 4.8e12)[0])
    left, _, right, bottom = axes["frame"]
    assert script("figures")("spot", axes, 1e12, 1.0) == {"x": right, "y": bottom, "outside": True}
    assert script("figures")("spot", axes, 1e-12, 1e13)["x"] == left
    for x, y in ((0, 1), (1, 0), (-1, 1), ("NaN", 1), (None, 1)):
        assert script("figures")("spot", axes, x, y) is None


def test_a_roof_is_the_path_that_matplotlib_draws(script: Script) -> None:
    figure, svg = drawing(989.5e12, 4.8e12)
    drawn = re.search(r'id="fig-fig-roof-roof">\s*<path d="([^"]+)"', svg)
    assert drawn is not None
    path = script("figures")("roofPath", log_axes(figure), 989.5e12, 4.8e12)
    numbers = [float(n) for n in re.findall(r"-?[0-9.]+", drawn[1])]
    assert [float(n) for n in re.findall(r"-?[0-9.]+", path)] == pytest.approx(numbers, abs=0.05)


@QUICK
@given(peak=st.floats(1e9, 1e18), bandwidth=st.floats(1e9, 1e15))
def test_a_roof_goes_from_edge_to_edge_and_never_falls(
    script: Script, peak: float, bandwidth: float
) -> None:
    axes = log_axes(drawing(989.5e12, 4.8e12)[0])
    path = script("figures")("roofPath", axes, peak, bandwidth)
    numbers = [float(n) for n in re.findall(r"-?[0-9.]+", path)]
    xs, ys = numbers[::2], numbers[1::2]
    left, _, right, _ = axes["frame"]
    assert xs == sorted(xs)
    assert (xs[0], xs[-1]) == (pytest.approx(left), pytest.approx(right))
    assert ys == sorted(ys, reverse=True)  # y grows downwards
    offset, slope = axes["y"]
    assert min(ys) >= offset + slope * math.log10(peak) - 0.01


def test_a_roof_without_values_is_none(script: Script) -> None:
    axes = log_axes(drawing(989.5e12, 4.8e12)[0])
    for pair in ((0, 1), (1, 0), ("NaN", 1)):
        assert script("figures")("roofPath", axes, *pair) is None


# hints --------------------------------------------------------------------------------------------
@QUICK
@given(
    left=st.integers(0, 1200), top=st.integers(0, 880), width=st.integers(1, 400),
    height=st.integers(10, 60), box=st.tuples(st.integers(50, 500), st.integers(20, 1500)),
)  # fmt: skip
def test_a_box_never_covers_what_it_is_about(
    script: Script, left: int, top: int, width: int, height: int, box: tuple[int, int]
) -> None:
    view = {"width": 1280, "height": 900}
    about = {"left": left, "top": top, "right": left + width, "bottom": min(top + height, 900)}
    size = {"width": box[0], "height": box[1]}
    spot = script("hints")("position", about, size, view)
    shown = min(box[1], spot["room"])
    first = spot["top"] if spot["below"] else 900 - spot["bottom"] - shown
    last = first + shown
    assert first >= about["bottom"] or last <= about["top"]
    assert first >= 0
    assert last <= 900
    assert spot["left"] >= 8
    assert spot["left"] + box[0] <= 1280 - 8


# labels -------------------------------------------------------------------------------------------
def box(x: float, y: float, width: float = 10, height: float = 4) -> dict[str, float]:
    return {"x": x, "y": y, "width": width, "height": height}


def test_boxes_must_not_even_touch(script: Script) -> None:
    overlap = functools.partial(script("figure-labels"), "overlap")
    assert overlap(box(0, 0), box(11, 0)) == 0
    assert overlap(box(0, 0), box(10.5, 0)) > 0
    assert overlap(box(0, 0), box(0, 5)) == 0
    assert overlap(box(0, 0), box(0, 4)) > 0
    assert overlap(box(0, 0), box(10, 4), 0) == 0
    assert overlap(box(0, 0), box(2, 1), 0) == 8 * 3


def test_words_on_words_and_outside_cost_more_than_all_the_rest(script: Script) -> None:
    cost = functools.partial(script("figure-labels"), "cost")
    frame = [0, 0, 100, 100]
    busy = [{"x": 20 + x / 10, "y": 22} for x in range(100)]
    assert cost(box(20, 20), [], [], [], frame) == 0
    assert cost(box(20, 20), [], [{"x": 16, "y": 20}], [{"x": 16, "y": 20}], frame) == 1
    crowded = cost(box(20, 20), [], busy, busy, frame)
    assert crowded == 200
    assert cost(box(20, 20), [box(29, 20)], [], [], frame) > crowded
    assert cost(box(-1, 20), [], [], [], frame) > crowded
    assert cost(box(20, 97), [], [], [], frame) > crowded

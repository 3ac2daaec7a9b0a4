"""The curve and its levels: crossings, and labels that do not touch."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.text import Text

from bookcode.figures.crossings import CrossingsError, Level, Words, apart, crossings
from bookcode.figures.svg import to_svg

CURVE = [(0.0, 0.0), (100.0, 95.0), (512.0, 409.6)]
LEVELS = [
    Level("h100", "H100: 345 rows", 295.4, 345.0),
    Level("h200", "H200: 176 rows", 162.0, 175.9),
    Level("a100", "A100: 165 rows", 153.0, 165.0),
    Level("far", "never", 500.0),
    Level("beyond", "a long label, beyond: 577 rows", 450.0, 577.0),
]
WORDS = Words("rows", "intensity", "N = K")


def by_gid(figure: Any) -> dict[str, Any]:
    axes = figure.axes[0]
    return {a.get_gid(): a for a in [*axes.lines, *axes.texts] if a.get_gid()}


@pytest.fixture(scope="module")
def figure() -> Any:
    return crossings(CURVE, LEVELS, WORDS)


def test_a_crossing_is_drawn_where_it_is(figure: Any) -> None:
    point = by_gid(figure)["crossing-h100"]
    assert (point.get_xdata()[0], point.get_ydata()[0]) == (345.0, 295.4)


def test_levels_without_a_crossing_in_the_frame_have_no_point(figure: Any) -> None:
    drawn = by_gid(figure)
    assert "crossing-far" not in drawn
    assert "crossing-beyond" not in drawn
    assert {"level-far", "level-beyond", "curve"} <= set(drawn)


def test_labels_do_not_touch_and_stay_in_the_figure(figure: Any) -> None:
    figure.canvas.draw()  # puts annotations into their places
    renderer = figure.canvas.get_renderer()
    texts = [a for gid, a in by_gid(figure).items() if gid.startswith("label-")]
    # A label without the line that leads from it.
    boxes = sorted((Text.get_window_extent(t, renderer) for t in texts), key=lambda b: b.y0)
    assert len(boxes) == len(LEVELS) + 1
    right = [box for box in boxes if box.x0 > figure.axes[0].get_window_extent(renderer).x1]
    assert len(right) == len(LEVELS)
    for lower, upper in pairwise(right):
        assert lower.y1 <= upper.y0 + 1
    assert max(box.x1 for box in right) <= figure.bbox.x1


def test_the_words_are_in_the_drawing(figure: Any) -> None:
    svg = to_svg(figure, "crossings")
    for word in ("H200: 176 rows", "rows", "intensity", "N = K"):
        assert word in svg


@given(st.lists(st.floats(0, 1000), min_size=1, max_size=12), st.floats(1, 40))
def test_heights_keep_their_distance_and_their_order(heights: list[float], step: float) -> None:
    moved = apart(sorted(heights), step)
    assert len(moved) == len(heights)
    assert all(b - a >= step - 1e-6 for a, b in pairwise(moved))
    assert sum(moved) == pytest.approx(sum(heights), abs=1e-6 * len(heights) + 1e-9)


def test_heights_that_are_far_apart_stay() -> None:
    assert apart([1.0, 50.0, 99.0], 10.0) == [1.0, 50.0, 99.0]


@pytest.mark.parametrize(
    ("curve", "levels", "words"),
    [
        (CURVE[:1], LEVELS, "two points"),
        (CURVE, [], "a level to cross"),
        ([(0.0, 0.0), (5.0, 9.0), (6.0, 8.0)], LEVELS, "rise after 5"),
        ([(0.0, 0.0), (0.0, 9.0)], LEVELS, "rise after 0"),
        (CURVE, [*LEVELS, LEVELS[0]], "'h100' is given twice"),
    ],
)
def test_what_cannot_be_drawn_is_refused(curve: Any, levels: Any, words: str) -> None:
    with pytest.raises(CrossingsError, match=words):
        crossings(curve, levels, WORDS)

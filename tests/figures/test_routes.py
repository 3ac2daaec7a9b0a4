"""Ways of arrows: where they leave and arrive, and that they run through nothing but air."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.figures.routes import OVERLAP, Frame, along, down, level

UPPER, LOWER = Frame(10, 0, 60, 20), Frame(30, 40, 90, 60)
FAR = Frame(200, 40, 240, 60)


@pytest.mark.parametrize(("at", "x"), [(0.0, 30), (0.5, 45), (1.0, 60)])
def test_down_is_straight_within_the_common_width(at: float, x: float) -> None:
    assert down(UPPER, LOWER, at, 7) == [(x, 20), (x, 40)]
    assert down(LOWER, UPPER, at, 7) == [(x, 40), (x, 20)]


def test_down_bends_where_nothing_is_common() -> None:
    assert down(UPPER, FAR, 0.5, 7) == [(35, 20), (35, 33), (220, 33), (220, 40)]
    assert down(FAR, UPPER, 0.5, 7) == [(220, 40), (220, 27), (35, 27), (35, 20)]


def test_a_sliver_in_common_is_not_enough() -> None:
    assert len(down(UPPER, Frame(60 - OVERLAP, 40, 150, 60), 0.5, 7)) == 4
    assert len(down(UPPER, Frame(60 - OVERLAP - 1, 40, 150, 60), 0.5, 7)) == 2


def test_level_runs_from_side_to_side() -> None:
    left, right = Frame(0, 0, 10, 20), Frame(30, 0, 50, 20)
    assert level(left, right) == [(10, 10), (30, 10)]
    assert level(right, left) == [(30, 10), (10, 10)]


def test_along_keeps_outside() -> None:
    assert along(UPPER, LOWER, 2) == [(10, 10), (2, 10), (2, 50), (30, 50)]
    assert along(LOWER, UPPER, 99) == [(90, 50), (99, 50), (99, 10), (60, 10)]


COORDINATE = st.floats(0, 300)


@given(COORDINATE, COORDINATE, st.floats(13, 90), st.floats(13, 90), st.floats(0, 1))
def test_down_ends_on_the_edges_and_turns_at_right_angles(
    left: float, other: float, width: float, wide: float, at: float
) -> None:
    start, end = Frame(left, 0, left + width, 20), Frame(other, 40, other + wide, 60)
    points = down(start, end, at, 7)
    (x0, y0), (x1, y1) = points[0], points[-1]
    assert (y0, y1) == (start.bottom, end.top)
    assert start.left <= x0 <= start.right + 1e-9
    assert end.left <= x1 <= end.right + 1e-9
    for (ax, ay), (bx, by) in pairwise(points):
        assert ax == bx or ay == by
        assert start.bottom <= min(ay, by) <= max(ay, by) <= end.top

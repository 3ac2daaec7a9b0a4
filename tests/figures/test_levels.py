"""One roofline for each level: slopes, the unknown between two of them, marks."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from bookcode.figures.levels import Field, LevelsError, Slope, Stand, level_rooflines
from bookcode.figures.roofline import COMPUTE
from bookcode.figures.svg import to_svg

PEAK = 989.5e12
SLOPES = [
    Slope("hbm", "HBM, 4.80 TB/s", 4.8e12),
    Slope("l2", "L2 must give 11.6 TB/s", 11.6e12, required=True),
    Slope("shared", "shared memory, 30.9 TB/s", 30.9e12),
]
STANDS = [
    Stand("on.hbm", "HBM: 1,365", 1365.3, "hbm"),
    Stand("on.l2", "L2: 85.3", 85.3, "l2"),
    Stand("on.shared", "shared\nmemory: 51.2", 51.2, "shared"),
]
UNKNOWN = Field("hbm", "shared", "L2: no citable source")


def draw(**change: Any) -> Any:
    given = {"slopes": SLOPES, "stands": STANDS, "unknown": UNKNOWN} | change
    slopes, stands, unknown = given["slopes"], given["stands"], given["unknown"]
    peak = change.get("peak", PEAK)
    return level_rooflines(peak, "tensor cores", slopes, stands, unknown=unknown)


@pytest.fixture(scope="module")
def figure() -> Any:
    return draw()


def by_gid(figure: Any) -> dict[str, Any]:
    axes = figure.axes[0]
    return {a.get_gid(): a for a in [*axes.lines, *axes.texts, *axes.collections] if a.get_gid()}


@pytest.mark.parametrize("slope", SLOPES, ids=lambda slope: slope.key)
def test_a_slope_ends_at_its_ridge(figure: Any, slope: Slope) -> None:
    line = by_gid(figure)[f"roof-{slope.key}"]
    xs, ys = line.get_xdata(), line.get_ydata()
    assert xs[1] == pytest.approx(PEAK / slope.bandwidth)
    assert ys[0] == pytest.approx(slope.bandwidth * xs[0])
    assert ys[1] == pytest.approx(PEAK)
    assert ys[2] == pytest.approx(PEAK)
    assert (line.get_linestyle() == "--") is slope.required


def test_marks_stand_on_their_slope_and_the_unknown_ones_are_grey(figure: Any) -> None:
    drawn = by_gid(figure)
    for stand in STANDS:
        mark = drawn[f"mark-{stand.key.replace('.', '-')}"]
        assert mark.get_xdata()[0] == stand.intensity
        assert (mark.get_color() == COMPUTE) is (stand.slope != "l2")


def test_the_unknown_is_shaded_and_explained(figure: Any) -> None:
    assert "field" in by_gid(figure)
    assert UNKNOWN.label in to_svg(figure, "levels")
    assert "field" not in by_gid(draw(unknown=None))


def test_no_two_labels_of_marks_cover_each_other(figure: Any) -> None:
    renderer = figure.canvas.get_renderer()
    labels = [a for gid, a in by_gid(figure).items() if gid.startswith("label-on")]
    boxes = [label.get_window_extent(renderer) for label in labels]
    assert len(boxes) == len(STANDS)
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"slopes": []}, "at least one slope"),
        ({"stands": []}, "one stand"),
        ({"slopes": [*SLOPES, SLOPES[0]]}, "slope 'hbm' is given twice"),
        ({"stands": [*STANDS, STANDS[0]]}, "stand 'on.hbm' is given twice"),
        ({"peak": 0.0}, "'peak': 0.0 must be positive"),
        ({"stands": [replace(STANDS[0], intensity=-1.0)]}, "-1.0 must be positive"),
        ({"stands": [replace(STANDS[0], slope="l3")]}, "'l3' is not among"),
        ({"unknown": Field("hbm", "tape", "")}, "'tape' is not among"),
    ],
)
def test_what_cannot_be_drawn_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(LevelsError, match=words):
        draw(**change)

"""Draws a rising curve and the levels that it crosses: where along it a verdict turns.

Floats and words in, a matplotlib figure out. The labels of the levels stand at the right, moved
apart where they would touch, and a thin line leads from a moved label to its level. Levels carry
ids made of their keys ("level-a100", "crossing-a100").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from matplotlib.figure import Figure

from bookcode.figures.following import slug
from bookcode.figures.frame import TEXT, framed, quiet
from bookcode.figures.svg import INK

HEIGHT = 3.6
LINE = "#2f7fd6"
POINT = "#d9641c"
LEFT = 0.115
LABELS_AT = 1.075
"""Where the labels begin, in widths of the axes."""
SPACE = 1.25
"""Distance between two labels, as a multiple of the size of the type."""


class CrossingsError(ValueError):
    """A curve or levels that cannot be drawn."""


@dataclass(frozen=True)
class Level:
    """A level that the curve may cross.

    Attributes:
        key: names it in the figure's ids. label: words at its right end.
        height: where it lies. crossed: at which x the curve crosses it; None for nowhere.
    """

    key: str
    label: str
    height: float
    crossed: float | None = None


@dataclass(frozen=True)
class Words:
    """The axes' titles and the curve's name, in the reader's language."""

    x: str
    y: str
    curve: str


def crossings(
    curve: Sequence[tuple[float, float]], levels: Sequence[Level], words: Words
) -> Figure:
    """The figure.

    Raises:
        CrossingsError: for a curve of fewer than two points or one that does not rise, without
            levels, or for two levels with one key.
    """
    _check(curve, levels)
    figure, axes, renderer = framed(HEIGHT, left=LEFT, right=0.66, bottom=0.13, top=0.98)
    figure.subplots_adjust(right=_right(figure, renderer, levels))
    xs, ys = zip(*curve, strict=True)
    axes.set_xlim(0, xs[-1])
    axes.set_ylim(0, max(ys[-1], *(level.height for level in levels)) * 1.06)
    quiet(axes, words.x, words.y)
    (line,) = axes.plot(xs, ys, color=LINE, linewidth=2, zorder=3)
    line.set_gid("curve")
    _name(axes, words.curve)
    ordered = sorted(levels, key=lambda level: level.height)
    low, high = axes.get_ylim()
    step = SPACE * TEXT / 72 / (HEIGHT * 0.85) * (high - low)
    for level, at in zip(ordered, apart([v.height for v in ordered], step), strict=True):
        _level(axes, level, at)
    return figure  # type: ignore[no-any-return]


def apart(heights: Sequence[float], step: float) -> list[float]:
    """Heights that ascend, moved so that neighbours keep their distance, as little as needed.

    Labels that touch form a group, and the group sits around the middle of its heights.
    """
    groups: list[list[float]] = []
    for height in heights:
        groups.append([height])
        while len(groups) > 1 and _top(groups[-2], step) + step > _bottom(groups[-1], step):
            groups[-2:] = [groups[-2] + groups[-1]]
    return [_bottom(group, step) + i * step for group in groups for i in range(len(group))]


def _bottom(group: Sequence[float], step: float) -> float:
    return sum(group) / len(group) - step * (len(group) - 1) / 2


def _top(group: Sequence[float], step: float) -> float:
    return _bottom(group, step) + step * (len(group) - 1)


def _right(figure: Figure, renderer: Any, levels: Sequence[Level]) -> float:
    """Where the axes end, as a share of the figure, so that the longest label has room."""
    widest = 0.0
    for level in levels:
        text = figure.text(0, 0, level.label, fontsize=TEXT)
        widest = max(widest, text.get_window_extent(renderer).width)
        text.remove()
    room = 0.99 - LEFT - widest / figure.bbox.width
    return float(LEFT + room / LABELS_AT)


def _check(curve: Sequence[tuple[float, float]], levels: Sequence[Level]) -> None:
    if len(curve) < 2 or not levels:
        raise CrossingsError("a curve needs two points, and a level to cross")
    for (x, y), (further, above) in pairwise(curve):
        if further <= x or above < y:
            raise CrossingsError(f"the curve does not rise after {x:g}")
    keys = [level.key for level in levels]
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        raise CrossingsError(f"level {twice[0]!r} is given twice")


def _name(axes: Any, words: str) -> None:
    """The curve's name, below it: a curve that rises leaves the lower right corner free."""
    axes.text(
        0.97, 0.04, words, transform=axes.transAxes, fontsize=TEXT, color=INK, ha="right"
    ).set_gid("label-curve")


def _level(axes: Any, level: Level, label_at: float) -> None:
    right = axes.get_xlim()[1]
    line = axes.axhline(level.height, color=INK, linewidth=0.9, linestyle=(0, (4, 2)), zorder=2)
    line.set_gid(f"level-{slug(level.key)}")
    if level.crossed is not None and level.crossed <= right:
        (point,) = axes.plot(
            level.crossed, level.height, "o", markersize=5.5, color=POINT, zorder=4
        )
        point.set_gid(f"crossing-{slug(level.key)}")
    text = axes.annotate(
        level.label,
        (right, level.height),
        xytext=(right * LABELS_AT, label_at),
        textcoords="data",
        fontsize=TEXT,
        color=INK,
        va="center",
        annotation_clip=False,
        arrowprops={"arrowstyle": "-", "color": INK, "linewidth": 0.5, "shrinkA": 1, "shrinkB": 0},
    )
    text.set_gid(f"label-{slug(level.key)}")

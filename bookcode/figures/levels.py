"""Draws one roofline for each level of a memory hierarchy, under the one flat roof of the chip.

Floats and words in, a matplotlib figure out. A level whose bandwidth nobody states is a shaded
field between its neighbours; what it would have to deliver can be drawn as a dashed slope. Ids are
those of :mod:`bookcode.figures.roofline`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from bookcode.figures.following import slug
from bookcode.figures.frame import TEXT, framed, quiet, roofline_axes
from bookcode.figures.labels import Obstacles, place
from bookcode.figures.roofline import COMPUTE, HEADROOM, Words
from bookcode.figures.svg import INK

HEIGHT = 4.4
UNKNOWN = "#8a8f98"
LABEL_AT = 0.18
"""How far up a slope its label begins, as a share of the slope's length."""


class LevelsError(ValueError):
    """Levels or marks that cannot be drawn."""


@dataclass(frozen=True)
class Slope:
    """A level of the hierarchy.

    Attributes:
        key, label: the level's, the label along the slope.
        bandwidth: B/s. required: a bandwidth that is asked for, not one that is stated.
    """

    key: str
    label: str
    bandwidth: float
    required: bool = False


@dataclass(frozen=True)
class Stand:
    """Where an operator stands on a level: its intensity in that level's bytes, FLOP/B."""

    key: str
    label: str
    intensity: float
    slope: str


@dataclass(frozen=True)
class Field:
    """The unknown between two slopes (their keys), and the words that explain the shade."""

    below: str
    above: str
    label: str


@dataclass
class _Drawing:
    axes: Any
    renderer: Any
    scale: float
    peak: float
    obstacles: Obstacles = field(default_factory=Obstacles)

    def rate(self, bandwidth: float, intensity: float) -> float:
        return min(self.peak, bandwidth * intensity)


def level_rooflines(
    peak: float,
    roof: str,
    slopes: Sequence[Slope],
    stands: Sequence[Stand],
    *,
    unknown: Field | None = None,
    words: Words | None = None,
) -> Figure:
    """The figure.

    Args:
        peak: FLOP/s. roof: words at the flat roof.

    Raises:
        LevelsError: without slopes or stands, for a value that is not positive, a key that is
            given twice or not there.
    """
    _check(peak, slopes, stands, unknown)
    figure, axes, renderer = framed(HEIGHT, left=0.13, right=0.985, bottom=0.11, top=0.985)
    _set_axes(axes, peak, slopes, stands, words or Words())
    drawing = _Drawing(axes, renderer, figure.dpi / 72, peak)
    by_key = {slope.key: slope for slope in slopes}
    if unknown is not None:
        _field(drawing, by_key[unknown.below], by_key[unknown.above], unknown.label)
    for slope in slopes:
        _slope(drawing, slope)
    _flat(drawing, roof)
    for stand in stands:
        _mark(drawing, stand, by_key[stand.slope])
    for stand in sorted(stands, key=lambda s: s.intensity):
        _label(drawing, stand, by_key[stand.slope])
    return figure  # type: ignore[no-any-return]


def _check(
    peak: float, slopes: Sequence[Slope], stands: Sequence[Stand], unknown: Field | None
) -> None:
    if not slopes or not stands:
        raise LevelsError("the drawing needs at least one slope and one stand")
    keys = [slope.key for slope in slopes]
    for kind, names in (("slope", keys), ("stand", [stand.key for stand in stands])):
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise LevelsError(f"{kind} {twice[0]!r} is given twice")
    values = [("peak", peak), *((s.key, s.bandwidth) for s in slopes)]
    for key, value in [*values, *((s.key, s.intensity) for s in stands)]:
        if not value > 0:
            raise LevelsError(f"{key!r}: {value} must be positive to stand on a log axis")
    asked = [stand.slope for stand in stands]
    asked += [unknown.below, unknown.above] if unknown else []
    for key in asked:
        if key not in keys:
            raise LevelsError(f"{key!r} is not among {sorted(keys)}")


def _set_axes(
    axes: Any, peak: float, slopes: Sequence[Slope], stands: Sequence[Stand], words: Words
) -> None:
    ridges = [peak / slope.bandwidth for slope in slopes]
    low = min(ridges) / 16
    slowest = min(slope.bandwidth for slope in slopes)
    roofline_axes(axes)
    axes.set_xlim(low, max(*ridges, *(s.intensity for s in stands)) * 2.2)
    axes.set_ylim(slowest * low / 1.5, peak * HEADROOM)
    quiet(axes, words.intensity, words.rate)


def _slope(drawing: _Drawing, slope: Slope) -> None:
    axes = drawing.axes
    low, high = axes.get_xlim()
    ridge = drawing.peak / slope.bandwidth
    xs = [low, ridge, high]
    ys = [drawing.rate(slope.bandwidth, x) for x in xs]
    style = (0, (4, 2)) if slope.required else "-"
    (line,) = axes.plot(xs, ys, color=INK, linewidth=1.1, linestyle=style, zorder=2)
    line.set_gid(f"roof-{slug(slope.key)}")
    for start, end in ((0, 1), (1, 2)):
        drawing.obstacles.add_line(
            axes.transData.transform((xs[start], ys[start])),
            axes.transData.transform((xs[end], ys[end])),
        )
    text = _along(drawing, slope.bandwidth, slope.label, LABEL_AT)
    text.set_gid(f"label-roof-{slug(slope.key)}")


def _along(drawing: _Drawing, bandwidth: float, words: str, share: float) -> Any:
    """Words just above a slope, turned with it; ``share`` of the way to the ridge."""
    axes = drawing.axes
    low, ridge = axes.get_xlim()[0], drawing.peak / bandwidth
    start, end = (axes.transData.transform((x, drawing.rate(bandwidth, x))) for x in (low, ridge))
    angle = math.degrees(math.atan2(end[1] - start[1], end[0] - start[0]))
    x = low * (ridge / low) ** share
    text = axes.annotate(
        words,
        (x, bandwidth * x),
        xytext=(-4, 4),
        textcoords="offset points",
        fontsize=TEXT,
        color=INK,
        rotation=angle,
        rotation_mode="anchor",
        ha="left",
        va="bottom",
    )
    drawing.obstacles.add_box(text.get_window_extent(drawing.renderer))
    return text


def _field(drawing: _Drawing, below: Slope, above: Slope, words: str) -> None:
    axes = drawing.axes
    low, high = axes.get_xlim()
    steps = [low * (high / low) ** (i / 200) for i in range(201)]
    axes.fill_between(
        steps,
        [drawing.rate(below.bandwidth, x) for x in steps],
        [drawing.rate(above.bandwidth, x) for x in steps],
        color=UNKNOWN,
        alpha=0.22,
        linewidth=0,
        zorder=1,
    ).set_gid("field")
    right, up = 0.98, 0.05
    text = axes.text(
        right, up, words, transform=axes.transAxes, fontsize=TEXT, color=INK, ha="right"
    )
    text.set_gid("label-field")
    box = text.get_window_extent(drawing.renderer)
    (left, low), (_, high) = axes.transAxes.inverted().transform(
        [(box.x0 - 14 * drawing.scale, box.y0), (box.x0, box.y1)]
    )
    width = 10 * drawing.scale / axes.get_window_extent(drawing.renderer).width
    swatch = Rectangle((left, low), width, high - low, transform=axes.transAxes)
    swatch.set(facecolor=UNKNOWN, alpha=0.22, linewidth=0)
    axes.add_patch(swatch)
    drawing.obstacles.add_box(box)


def _flat(drawing: _Drawing, roof: str) -> None:
    axes = drawing.axes
    low = axes.get_xlim()[0]
    text = axes.annotate(
        roof,
        (low, drawing.peak),
        xytext=(4, 0),
        textcoords="offset points",
        fontsize=TEXT,
        color=INK,
        va="center",
    )
    text.set_gid("label-peak")
    drawing.obstacles.add_box(text.get_window_extent(drawing.renderer))


def _mark(drawing: _Drawing, stand: Stand, slope: Slope) -> None:
    at = (stand.intensity, drawing.rate(slope.bandwidth, stand.intensity))
    colour = UNKNOWN if slope.required else COMPUTE
    (point,) = drawing.axes.plot(
        *at, marker="o", markersize=6, color=colour, markeredgewidth=0, zorder=4
    )
    point.set_gid(f"mark-{slug(stand.key)}")
    drawing.obstacles.add_mark(drawing.axes.transData.transform(at))


def _label(drawing: _Drawing, stand: Stand, slope: Slope) -> None:
    axes, scale = drawing.axes, drawing.scale
    at = (stand.intensity, drawing.rate(slope.bandwidth, stand.intensity))
    text = axes.annotate(
        stand.label,
        at,
        xytext=(0, 0),
        textcoords="offset points",
        fontsize=TEXT,
        color=INK,
        va="center",
        ha="center",
        zorder=5,
    )
    text.set_gid(f"label-{slug(stand.key)}")
    extent = text.get_window_extent(drawing.renderer)
    x, y = axes.transData.transform(at)
    frame = axes.get_window_extent(drawing.renderer)
    size = (extent.width, extent.height)
    shift = place(drawing.obstacles, (float(x), float(y)), size, frame, scale, 90.0)
    text.set_position((shift.dx / scale, shift.dy / scale))
    if shift.far:
        end = axes.transData.inverted().transform((x + shift.edge_x, y + shift.edge_y))
        (line,) = axes.plot(
            [at[0], end[0]], [at[1], end[1]], color=INK, alpha=0.5, linewidth=0.6, zorder=3
        )
        line.set_gid(f"leader-{slug(stand.key)}")

"""Draws a roofline: attainable rate over arithmetic intensity, both logarithmic.

Plain floats and words in, a matplotlib figure out; the caller brings the numbers and their labels.
Every label stands at what it names, so that there is no legend to look up. Marks and roofs carry
ids made of their keys ("mark-gemm-4096", "roof-tensor-bound"), by which a page can find them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from bookcode.figures.edition import word
from bookcode.figures.following import slug
from bookcode.figures.frame import TEXT, blank, quiet, roofline_axes
from bookcode.figures.labels import Obstacles, place
from bookcode.figures.svg import INK

SIZE = (4.3, 4.6)
"""Inches; narrow, so that a phone shows the text at a readable size."""
HEADROOM = 4.0
"""Room over the highest roof, for the labels of its marks."""
UPWARDS, SIDEWAYS = 90.0, -10.0
"""Where the labels of marks on the flat part and on the slope go first, in degrees."""
MEMORY, COMPUTE = "#2f7fd6", "#d9641c"
"""Colours of marks left and right of their ridge; both have contrast on white and on black."""


class RooflineError(ValueError):
    """Roofs or marks that cannot be drawn."""


@dataclass(frozen=True)
class Roof:
    """The rate that a machine allows: min(peak, bandwidth x intensity).

    Attributes:
        key: names the roof in the figure's ids.
        label: words at the flat part.
        peak: FLOP/s. bandwidth: B/s.
        dashed: for a roof that is not the bound (a calibrated one).
        label_at: "ridge" puts the label left of the ridge, "below" under the flat part.
    """

    key: str
    label: str
    peak: float
    bandwidth: float
    dashed: bool = False
    label_at: Literal["ridge", "below"] = "ridge"

    @property
    def ridge(self) -> float:
        """The intensity at which the slope meets the flat part. FLOP/B."""
        return self.peak / self.bandwidth

    def rate(self, intensity: float) -> float:
        """The allowed rate at an intensity. FLOP/s."""
        return min(self.peak, self.bandwidth * intensity)


@dataclass(frozen=True)
class Mark:
    """An operator on a roof.

    Attributes:
        key: the operator's key. label: words beside the mark.
        intensity: FLOP/B. roof: key of the roof it stands on.
    """

    key: str
    label: str
    intensity: float
    roof: str


@dataclass(frozen=True)
class Words:
    """The axes' titles, in the reader's language."""

    intensity: str = field(default_factory=lambda: word("intensity"))
    rate: str = field(default_factory=lambda: word("rate"))


@dataclass
class _Drawing:
    figure: Figure
    axes: Any
    renderer: Any
    obstacles: Obstacles = field(default_factory=Obstacles)


def roofline(
    roofs: Sequence[Roof],
    marks: Sequence[Mark],
    *,
    arrows: Sequence[tuple[str, str]] = (),
    words: Words | None = None,
) -> Figure:
    """The figure.

    Args:
        arrows: pairs of mark keys; an arrow leads from the first to the second.

    Raises:
        RooflineError: without roofs or marks; for a value that is not positive, a key given twice,
            a mark on a roof or an arrow to a mark that is not there.
    """
    _check(roofs, marks, arrows)
    figure = blank(*SIZE)
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    figure.subplots_adjust(left=0.13, right=0.985, bottom=0.105, top=0.985)
    drawing = _Drawing(figure, figure.add_subplot(), renderer)
    _axes(drawing.axes, roofs, marks, words or Words())
    for roof in roofs:
        _draw_roof(drawing, roof)
    on = {roof.key: roof for roof in roofs}
    at = {m.key: (m.intensity, on[m.roof].rate(m.intensity)) for m in marks}
    for mark in marks:
        _draw_mark(drawing, mark, at[mark.key], on[mark.roof])
    for start, end in arrows:
        _draw_arrow(drawing, at[start], at[end], f"arrow-{slug(start)}-{slug(end)}")
    flat = [m for m in marks if m.intensity >= on[m.roof].ridge]
    for mark in sorted(flat, key=lambda m: at[m.key]):
        _label(drawing, mark, at[mark.key], UPWARDS)
    slope = [m for m in marks if m not in flat]
    for mark in sorted(slope, key=lambda m: at[m.key], reverse=True):
        _label(drawing, mark, at[mark.key], SIDEWAYS)
    return figure


def _check(roofs: Sequence[Roof], marks: Sequence[Mark], arrows: Sequence[tuple[str, str]]) -> None:
    if not roofs or not marks:
        raise RooflineError("a roofline needs at least one roof and one mark")
    for kind, keys in (("roof", [r.key for r in roofs]), ("mark", [m.key for m in marks])):
        if twice := sorted({key for key in keys if keys.count(key) > 1}):
            raise RooflineError(f"{kind} {twice[0]!r} is given twice")
    values = [(r.key, v) for r in roofs for v in (r.peak, r.bandwidth)]
    for key, value in [*values, *((m.key, m.intensity) for m in marks)]:
        if not value > 0:
            raise RooflineError(f"{key!r}: {value} must be positive to stand on a log axis")
    wanted = [(m.roof, {r.key for r in roofs}) for m in marks]
    wanted += [(key, {m.key for m in marks}) for pair in arrows for key in pair]
    for key, known in wanted:
        if key not in known:
            raise RooflineError(f"{key!r} is not among {sorted(known)}")


def _axes(axes: Any, roofs: Sequence[Roof], marks: Sequence[Mark], words: Words) -> None:
    intensities = [m.intensity for m in marks] + [r.ridge for r in roofs]
    low, high = min(intensities) / 1.8, max(intensities) * 3
    rates = [min(r.rate(m.intensity) for r in roofs) for m in marks]
    roofline_axes(axes)
    axes.set_xlim(low, high)
    axes.set_ylim(min(rates) / 2.2, max(r.peak for r in roofs) * HEADROOM)
    quiet(axes, words.intensity, words.rate)
    axes.set_facecolor("none")


def _draw_roof(drawing: _Drawing, roof: Roof) -> None:
    axes = drawing.axes
    low, high = axes.get_xlim()
    xs = [low, roof.ridge, high]
    ys = [roof.rate(x) for x in xs]
    style = (0, (4, 2)) if roof.dashed else "-"
    (line,) = axes.plot(xs, ys, color=INK, linewidth=1.1, linestyle=style, zorder=2)
    line.set_gid(f"roof-{slug(roof.key)}")
    for start, end in ((0, 1), (1, 2)):
        drawing.obstacles.add_line(
            axes.transData.transform((xs[start], ys[start])),
            axes.transData.transform((xs[end], ys[end])),
        )
    if not roof.label:
        return
    left = roof.label_at == "ridge"
    text = axes.annotate(
        roof.label,
        (roof.ridge if left else high, roof.peak),
        xytext=(-16, 4) if left else (-2, -10),
        textcoords="offset points",
        ha="right",
        va="center" if left else "top",
        fontsize=TEXT,
        color=INK,
    )
    text.set_gid(f"label-roof-{slug(roof.key)}")
    drawing.obstacles.add_box(text.get_window_extent(drawing.renderer))


def _draw_mark(drawing: _Drawing, mark: Mark, at: tuple[float, float], roof: Roof) -> None:
    colour = MEMORY if mark.intensity < roof.ridge else COMPUTE
    (point,) = drawing.axes.plot(
        *at, marker="o", markersize=5.5, color=colour, markeredgewidth=0, zorder=4
    )
    point.set_gid(f"mark-{slug(mark.key)}")
    drawing.obstacles.add_mark(drawing.axes.transData.transform(at))


def _draw_arrow(
    drawing: _Drawing, start: tuple[float, float], end: tuple[float, float], gid: str
) -> None:
    arrow = drawing.axes.annotate(
        "",
        end,
        xytext=start,
        arrowprops={
            "arrowstyle": "-|>",
            "color": INK,
            "linewidth": 0.8,
            "linestyle": (0, (1, 1.5)),
            "shrinkA": 5,
            "shrinkB": 5,
            "connectionstyle": "arc3,rad=0.45",
        },
    )
    arrow.arrow_patch.set_gid(gid)
    arrow.update_positions(drawing.renderer)
    path = arrow.arrow_patch.get_path().interpolated(8)
    for vertex in np.asarray(path.vertices):
        drawing.obstacles.add_point(vertex)


def _label(drawing: _Drawing, mark: Mark, at: tuple[float, float], towards: float) -> None:
    axes, renderer = drawing.axes, drawing.renderer
    scale = drawing.figure.dpi / 72
    text = axes.annotate(
        mark.label,
        at,
        xytext=(0, 0),
        textcoords="offset points",
        fontsize=TEXT,
        color=INK,
        va="center",
        ha="center",
        zorder=5,
    )
    text.set_gid(f"label-{slug(mark.key)}")
    extent = text.get_window_extent(renderer)
    point = axes.transData.transform(at)
    shift = place(
        drawing.obstacles,
        (float(point[0]), float(point[1])),
        (extent.width, extent.height),
        axes.get_window_extent(renderer),
        scale,
        towards,
    )
    text.set_position((shift.dx / scale, shift.dy / scale))
    if shift.far:
        _leader(drawing, at, point, shift, mark.key)


def _leader(drawing: _Drawing, at: tuple[float, float], point: Any, shift: Any, key: str) -> None:
    """A thin line from the mark to a label that does not stand right beside it."""
    end = drawing.axes.transData.inverted().transform(
        (point[0] + shift.edge_x, point[1] + shift.edge_y)
    )
    (line,) = drawing.axes.plot(
        [at[0], end[0]], [at[1], end[1]], color=INK, alpha=0.5, linewidth=0.6, zorder=3
    )
    line.set_gid(f"leader-{slug(key)}")

"""Draws how much of the roofline calls reach as they grow: panels by operator, lines by machine.

Of one machine the band holds the middle four fifths of the rows and the dots are the best of them;
of the others only the middle is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

from bookcode.figures.frame import TEXT, WIDTH, blank, quiet
from bookcode.figures.roofline import COMPUTE, MEMORY
from bookcode.figures.svg import INK

HEIGHT: Final = 2.05
"""Inches of a panel."""
STYLES: Final[tuple[Any, ...]] = ((0, (4, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))
"""Of the lines of other machines, in order."""
POINT: Final = 6


class SharesError(ValueError):
    """Panels that cannot be drawn."""


@dataclass(frozen=True)
class Panel:
    """One operator.

    Attributes:
        title: words above it.
        curves: machine to points: logarithm of the bound in s, rows, and the shares that one in
            ten rows, the middle, nine in ten and the best stay below or reach.
    """

    title: str
    curves: Mapping[str, Sequence[Sequence[float]]]


def shares(
    panels: Sequence[Panel],
    *,
    machine: str,
    names: Mapping[str, str],
    start: float,
    x: str,
    y: str,
    start_label: str,
) -> Figure:
    """The figure.

    Args:
        machine: whose band and best rows are drawn; the others are lines.
        names: what each machine is called.
        start: what a kernel takes that does nothing, in s; a vertical line.
        x, y, start_label: titles of the axes, and words at the line.

    Raises:
        SharesError: without panels, for a panel without the machine, or points of another form.
    """
    _check(panels, machine)
    figure = blank(WIDTH, HEIGHT * len(panels) + 0.35)
    below = 0.43 / (HEIGHT * len(panels) + 0.35)
    figure.subplots_adjust(left=0.125, right=0.985, bottom=below, top=0.965, hspace=0.28)
    low, high = _ends(panels)
    for index, panel in enumerate(panels):
        axes = figure.add_subplot(len(panels), 1, index + 1)
        last = index == len(panels) - 1
        quiet(axes, x if last else "", y)
        axes.set_facecolor("none")
        axes.set_title(panel.title, fontsize=TEXT, color=INK, loc="left", pad=4)
        axes.set_xlim(low, high)
        axes.set_ylim(0, 1.02)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.1f}"))
        _times(axes, low, high, last)
        axes.axvline(start, color=INK, linewidth=0.7, linestyle=(0, (2, 2)), zorder=1)
        if index == 0:
            axes.annotate(
                start_label,
                (start, 1.0),
                xytext=(-3, -2),
                textcoords="offset points",
                ha="right",
                va="top",
                fontsize=TEXT - 1,
                color=INK,
            )
        _draw(axes, panel, machine, names)
    return figure


def _check(panels: Sequence[Panel], machine: str) -> None:
    if not panels:
        raise SharesError("no panels")
    for panel in panels:
        if machine not in panel.curves:
            raise SharesError(f"{panel.title!r}: no curve of {machine!r}: {sorted(panel.curves)}")
        for name, points in panel.curves.items():
            if any(len(point) != POINT for point in points) or not points:
                raise SharesError(f"{panel.title!r}, {name}: a point has {POINT} numbers")


def _ends(panels: Sequence[Panel]) -> tuple[float, float]:
    places = [p[0] for panel in panels for points in panel.curves.values() for p in points]
    return float(10 ** (min(places) - 0.2)), float(10 ** (max(places) + 0.2))


def _times(axes: Any, low: float, high: float, last: bool) -> None:
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value * 1e6:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_minor_locator(NullLocator())
    axes.tick_params(labelbottom=last)


def _draw(axes: Any, panel: Panel, machine: str, names: Mapping[str, str]) -> None:
    main = panel.curves[machine]
    xs = [10 ** point[0] for point in main]
    lows, middles, highs, bests = ([point[n] for point in main] for n in (2, 3, 4, 5))
    axes.fill_between(xs, lows, highs, color=MEMORY, alpha=0.25, linewidth=0, zorder=2)
    axes.plot(xs, middles, color=MEMORY, linewidth=1.8, zorder=4)
    axes.plot(xs, bests, color=COMPUTE, linestyle="", marker="o", markersize=3, zorder=4)
    others = [name for name in panel.curves if name != machine]
    for name, style in zip(others, STYLES, strict=False):
        points = panel.curves[name]
        axes.plot(
            [10 ** p[0] for p in points],
            [p[3] for p in points],
            color=INK,
            linewidth=0.9,
            linestyle=style,
            label=names.get(name, name),
            zorder=3,
        )
    if others:
        axes.legend(
            loc="upper left",
            fontsize=TEXT - 1,
            frameon=False,
            labelcolor=INK,
            handlelength=2.4,
            borderaxespad=0.2,
            bbox_to_anchor=(0, 0.86),
        )

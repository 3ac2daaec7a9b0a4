"""What the plain drawings share: size, type, and axes that keep in the background."""

from __future__ import annotations

from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from bookcode.figures import squares
from bookcode.figures.svg import INK

WIDTH = 4.3
"""Inches; narrow, so that a phone shows the text at a readable size."""
TEXT = 8.5


def blank(width: float, height: float) -> Figure:
    """A figure without a background, in inches, in which the edition's script can be measured."""
    squares.prepare()
    figure = Figure(figsize=(width, height))
    figure.patch.set_alpha(0)
    return figure


def framed(height: float, *, left: float, right: float, bottom: float, top: float) -> Any:
    """A figure, its only axes, and a renderer to measure text with; margins in shares of it."""
    figure = blank(WIDTH, height)
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    figure.subplots_adjust(left=left, right=right, bottom=bottom, top=top)
    axes = figure.add_subplot()
    axes.set_facecolor("none")
    return figure, axes, renderer


def quiet(axes: Any, x: str, y: str) -> None:
    """Titles of the axes; thin lines left and below, a light grid."""
    axes.set_xlabel(x, fontsize=TEXT, color=INK)
    axes.set_ylabel(y, fontsize=TEXT, color=INK, labelpad=2)
    axes.tick_params(labelsize=TEXT, colors=INK, which="both", width=0.5)
    axes.grid(which="major", color=INK, alpha=0.12, linewidth=0.6)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(INK)
        spine.set_linewidth(0.6)


def log_axis(axis: Any, scale: float = 1.0) -> None:
    """Ticks of a logarithmic axis: decades with their value in units of scale, the rest bare."""
    axis.set_major_locator(LogLocator(base=10, numticks=12))
    axis.set_minor_locator(LogLocator(base=10, subs="auto", numticks=99))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / scale:g}"))
    axis.set_minor_formatter(NullFormatter())


def roofline_axes(axes: Any) -> None:
    """Both axes logarithmic: intensities as they are, rates in units of 10^12."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    log_axis(axes.xaxis)
    log_axis(axes.yaxis, 1e12)

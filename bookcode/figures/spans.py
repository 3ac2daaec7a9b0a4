"""Draws what a change saves: for each row the amounts before and after, on one logarithmic axis.

Equal distances are equal factors, so the length of a span is the saving. Plain floats and words in,
a matplotlib figure out. Spans carry ids made of their keys ("span-attention").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure

from bookcode.figures.following import slug
from bookcode.figures.frame import blank, log_axis
from bookcode.figures.roofline import COMPUTE, MEMORY
from bookcode.figures.svg import INK
from bookcode.figures.wrapping import width_of

WIDTH = 310.0
ROW = 32.0
FOOT = 34.0
EDGE = 8.0
TEXT = 8.5


class SpansError(ValueError):
    """Amounts that cannot be drawn."""


@dataclass(frozen=True)
class Span:
    """A row.

    Attributes:
        key: names it in the ids. label: what is changed. note: the saving, in words.
        before, after: the amounts, in the axis' unit.
    """

    key: str
    label: str
    before: float
    after: float
    note: str


@dataclass(frozen=True)
class Words:
    """The axis' title and what the two ends of a span are, in the reader's language."""

    axis: str
    before: str
    after: str


def spans(rows: Sequence[Span], words: Words) -> Figure:
    """The figure.

    Raises:
        SpansError: without rows, for a key given twice, an amount that is not positive, or words
            that do not fit beside each other.
    """
    _check(rows)
    height = ROW * (len(rows) + 0.6) + FOOT
    figure = blank(WIDTH / 72, height / 72)
    axes = figure.add_axes(
        (EDGE / WIDTH, FOOT / height, 1 - 2 * EDGE / WIDTH, 1 - (FOOT + 1) / height)
    )
    _axes(axes, rows, words)
    for number, row in enumerate(rows):
        _draw(axes, row, number, words if number == 0 else None)
    return figure


def _check(rows: Sequence[Span]) -> None:
    if not rows:
        raise SpansError("no rows to draw")
    keys = [row.key for row in rows]
    for row in rows:
        if keys.count(row.key) > 1:
            raise SpansError(f"row {row.key!r} is given twice")
        for value in (row.before, row.after):
            if not value > 0:
                raise SpansError(f"row {row.key!r}: {value} cannot stand on a logarithmic axis")
        if width_of(row.label, TEXT) + width_of(row.note, TEXT, bold=True) > WIDTH - 3 * EDGE:
            raise SpansError(f"row {row.key!r}: {row.label!r} and {row.note!r} do not fit")


def _axes(axes: Any, rows: Sequence[Span], words: Words) -> None:
    values = [value for row in rows for value in (row.before, row.after)]
    axes.set_xscale("log")
    axes.set_xlim(min(values) / 2.4, max(values) * 1.7)
    axes.set_ylim(len(rows), -0.6)
    axes.set_xlabel(words.axis, fontsize=TEXT, color=INK)
    axes.set_facecolor("none")
    log_axis(axes.xaxis)
    axes.set_yticks([])
    axes.tick_params(labelsize=TEXT, colors=INK, which="both", width=0.5)
    axes.grid(which="major", color=INK, alpha=0.12, linewidth=0.6)
    for side, spine in axes.spines.items():
        spine.set_visible(side == "bottom")
        spine.set_color(INK)
        spine.set_linewidth(0.6)


def _draw(axes: Any, row: Span, number: int, words: Words | None) -> None:
    y = number + 0.68
    (line,) = axes.plot([row.before, row.after], [y, y], color=INK, linewidth=1.6, alpha=0.5)
    line.set_gid(f"span-{slug(row.key)}")
    for value, colour, end in ((row.before, MEMORY, "before"), (row.after, COMPUTE, "after")):
        (dot,) = axes.plot([value], [y], marker="o", markersize=6, color=colour, markeredgewidth=0)
        dot.set_gid(f"{end}-{slug(row.key)}")
    across = axes.get_yaxis_transform()
    text = {"fontsize": TEXT, "color": INK, "va": "center"}
    axes.text(0, number + 0.3, row.label, transform=across, ha="left", **text)
    axes.text(1, number + 0.3, row.note, transform=across, ha="right", weight="bold", **text)
    if words is None:
        return
    # The first row says what the two ends are; the later rows look alike.
    for value, word in ((row.before, words.before), (row.after, words.after)):
        outwards = value == max(row.before, row.after)
        axes.annotate(
            word, (value, y), xytext=(6 if outwards else -6, 0), textcoords="offset points",
            ha="left" if outwards else "right", **text,
        )  # fmt: skip

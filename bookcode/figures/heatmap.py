"""Draws a grid of values: colour for the value, text for reading it, blank where there is none.

Floats and words in, a matplotlib figure out. A cell keeps its colours in light and dark, so the
text in it takes the one of two inks that stands out; blocked cells have no colour and the page's
own ink. Cells carry ids made of their place ("cell-0-2").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from bookcode.figures.frame import TEXT, WIDTH, framed
from bookcode.figures.svg import INK

Rgb = tuple[float, float, float]
LOW: Rgb = (0.86, 0.92, 0.98)
HIGH: Rgb = (0.07, 0.29, 0.58)
DARK_INK, LIGHT_INK = "#000000", "#ffffff"
GAP = 0.03
"""Between two cells, as a share of one."""


class HeatmapError(ValueError):
    """A grid that cannot be drawn."""


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes:
        row, column: its place, from the top left.
        value: sets the colour. text: what is read; note: a second, smaller line.
        blocked: drawn without a colour.
    """

    row: int
    column: int
    value: float
    text: str
    note: str = ""
    blocked: bool = False


@dataclass(frozen=True)
class Words:
    """The axes' titles, in the reader's language."""

    rows: str
    columns: str


def heatmap(
    rows: Sequence[str], columns: Sequence[str], cells: Sequence[Cell], words: Words
) -> Figure:
    """The figure.

    Args:
        rows, columns: the labels, from top to bottom and from left to right.

    Raises:
        HeatmapError: for a place outside the grid, one filled twice or not at all, or a grid
            without a cell that has a colour.
    """
    span = _check(rows, columns, cells)
    side = WIDTH * 0.84 / len(columns)
    height = side * len(rows) * 0.82 + 0.55
    figure, axes, _ = framed(height, left=0.145, right=0.985, bottom=0.45 / height, top=0.985)
    axes.set_xlim(0, len(columns))
    axes.set_ylim(len(rows), 0)
    for cell in cells:
        _draw(axes, cell, span)
    axes.set_xlabel(words.columns, fontsize=TEXT, color=INK)
    axes.set_ylabel(words.rows, fontsize=TEXT, color=INK, labelpad=2)
    axes.set_xticks([i + 0.5 for i in range(len(columns))], columns)
    axes.set_yticks([i + 0.5 for i in range(len(rows))], rows)
    axes.tick_params(labelsize=TEXT, colors=INK, length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return figure  # type: ignore[no-any-return]


def shade(value: float, low: float, high: float) -> Rgb:
    """The colour of a value between the lowest and the highest."""
    part = 0.5 if high == low else (value - low) / (high - low)
    r, g, b = ((1 - part) * a + part * c for a, c in zip(LOW, HIGH, strict=True))
    return r, g, b


def ink_on(colour: Rgb) -> str:
    """The ink that has the higher contrast on a colour."""
    light = luminance(colour)
    return DARK_INK if (light + 0.05) ** 2 > 1.05 * 0.05 else LIGHT_INK


def luminance(colour: Rgb) -> float:
    """The relative luminance of a colour, as the web's guidelines for contrast define it."""
    parts = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour)
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def _check(
    rows: Sequence[str], columns: Sequence[str], cells: Sequence[Cell]
) -> tuple[float, float]:
    wanted = {(row, column) for row in range(len(rows)) for column in range(len(columns))}
    for cell in cells:
        place = (cell.row, cell.column)
        if place not in wanted:
            raise HeatmapError(f"cell {place} lies outside the grid or is given twice")
        wanted.remove(place)
    if wanted:
        raise HeatmapError(f"cell {min(wanted)} is missing")
    open_values = [cell.value for cell in cells if not cell.blocked]
    if not open_values:
        raise HeatmapError("every cell is blocked: there is nothing to show")
    return min(open_values), max(open_values)


def _draw(axes: Any, cell: Cell, span: tuple[float, float]) -> None:
    colour = shade(cell.value, *span) if not cell.blocked else None
    edge = 1 - 2 * GAP
    box = Rectangle((cell.column + GAP, cell.row + GAP), edge, edge)
    box.set_facecolor(colour if colour else "none")
    box.set_edgecolor("none" if colour else INK)
    box.set_linewidth(0 if colour else 0.4)
    box.set_linestyle((0, (2, 2)))
    box.set_gid(f"cell-{cell.row}-{cell.column}")
    axes.add_patch(box)
    ink = ink_on(colour) if colour else INK
    lines = [(cell.text, TEXT, 0.36 if cell.note else 0.5)]
    if cell.note:
        lines.append((cell.note, TEXT - 0.5, 0.7))
    for text, size, down in lines:
        axes.text(
            cell.column + 0.5,
            cell.row + down,
            text,
            fontsize=size,
            color=ink,
            ha="center",
            va="center",
        )

"""Draws tens of thousands of measurements on a roofline as a density: dark where many lie.

The cells of one shade are a single path, so that the drawing stays small however many points were
counted; it holds real text, and its roofs have ids by which a page can find them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from bookcode.figures.following import slug
from bookcode.figures.frame import TEXT, framed, quiet, roofline_axes
from bookcode.figures.roofline import MEMORY, Roof
from bookcode.figures.svg import INK

HEIGHT: Final = 4.6
SHADES: Final = (0.16, 0.32, 0.5, 0.7, 0.9)
"""Opacity of the shades; each stands for a factor of :data:`TIMES` in the count."""
TIMES: Final = 3
MARGIN: Final = 0.4
"""Room around the cells, in decades."""


class DensityError(ValueError):
    """Cells or labels that cannot be drawn."""


@dataclass(frozen=True)
class Label:
    """Words that stand inside the drawing.

    Attributes:
        intensity: FLOP/B. rate: FLOP/s.
    """

    text: str
    intensity: float
    rate: float


Cell = tuple[int, int, int]
"""Column, row and count; a cell starts at ``step`` times its place, in decades."""


def cells_of(drawing: Mapping[str, Any]) -> tuple[list[Cell], float]:
    """The cells of a recorded density, and their edge in decades.

    Raises:
        DensityError: for a record that is not one, or an empty one.
    """
    try:
        step = float(drawing["step"])
        cells = [
            (int(column), int(row), int(count))
            for row, texts in drawing["cells"].items()
            for text in texts.split()
            for column, count in [text.split(":")]
        ]
    except (KeyError, ValueError, AttributeError) as error:
        raise DensityError(f"not a density: {error}") from None
    if not cells or step <= 0 or any(count < 1 for _, _, count in cells):
        raise DensityError("a density needs cells with counts, and a step above 0")
    return cells, step


def density(
    cells: Sequence[Cell],
    step: float,
    roofs: Sequence[Roof],
    *,
    x: str,
    y: str,
    labels: Sequence[Label] = (),
    room: tuple[float, float] | None = None,
) -> Figure:
    """The figure.

    Args:
        step: edge of a cell in decades.
        x, y: titles of the axes.
        room: an intensity and a rate that must be inside too, for marks that come later.

    Raises:
        DensityError: without cells or roofs.
    """
    if not cells or not roofs:
        raise DensityError("a density needs cells and a roof")
    figure, axes, _ = framed(HEIGHT, left=0.165, right=0.965, bottom=0.105, top=0.985)
    _axes(axes, cells, step, roofs, room)
    quiet(axes, x, y)
    for shade, runs in enumerate(_shades(cells)):
        if runs:
            path = _path(runs, step)
            patch = PathPatch(path, facecolor=MEMORY, alpha=SHADES[shade], linewidth=0, zorder=2)
            patch.set_antialiased(False)
            patch.set_gid(f"density-{shade}")
            axes.add_patch(patch)
    for roof in roofs:
        _roof(axes, roof)
    for label in labels:
        axes.text(
            label.intensity, label.rate, label.text, fontsize=TEXT, color=INK, ha="center", zorder=5
        )
    made: Figure = figure
    return made


def _axes(
    axes: Any,
    cells: Sequence[Cell],
    step: float,
    roofs: Sequence[Roof],
    room: tuple[float, float] | None,
) -> None:
    columns, rows = [c for c, _, _ in cells], [r for _, r, _ in cells]
    xs = [min(columns) * step, (max(columns) + 1) * step]
    ys = [min(rows) * step, *(math.log10(roof.peak) for roof in roofs)]
    if room is not None:
        xs.append(math.log10(room[0]))
        ys.append(math.log10(room[1]))
    roofline_axes(axes)
    axes.set_xlim(10 ** (min(xs) - MARGIN / 2), 10 ** (max(xs) + MARGIN / 2))
    axes.set_ylim(10 ** (min(ys) - MARGIN / 2), 10 ** (max(ys) + MARGIN))


Run = tuple[int, int, int]
"""First column, column after the last, and row of cells with one shade."""


def _shades(cells: Sequence[Cell]) -> list[list[Run]]:
    """The cells by shade, neighbours in a row joined."""
    found: list[list[Run]] = [[] for _ in SHADES]
    for column, row, count in sorted(cells, key=lambda cell: (cell[1], cell[0])):
        shade = min(int(math.log(count, TIMES) + 1e-9), len(SHADES) - 1)
        runs = found[shade]
        if runs and runs[-1][1:] == (column, row):
            runs[-1] = (runs[-1][0], column + 1, row)
        else:
            runs.append((column, column + 1, row))
    return found


def _path(runs: Sequence[Run], step: float) -> Path:
    vertices: list[tuple[float, float]] = []
    codes: list[int] = []
    for run in runs:
        vertices += list(_corners(run, step))
        codes += [int(Path.MOVETO), *[int(Path.LINETO)] * 3, int(Path.CLOSEPOLY)]
    return Path(vertices, codes)


def _corners(run: Run, step: float) -> Iterator[tuple[float, float]]:
    left, right, row = run
    for column, place in ((left, row), (right, row), (right, row + 1), (left, row + 1)):
        yield 10 ** (column * step), 10 ** (place * step)
    yield 10 ** (left * step), 10 ** (row * step)


def _roof(axes: Any, roof: Roof) -> None:
    low, high = axes.get_xlim()
    xs = [low, roof.ridge, high]
    style = (0, (4, 2)) if roof.dashed else "-"
    (line,) = axes.plot(
        xs, [roof.rate(at) for at in xs], color=INK, linewidth=1.1, linestyle=style, zorder=4
    )
    line.set_gid(f"roof-{slug(roof.key)}")
    if roof.label:
        axes.annotate(
            roof.label,
            (roof.ridge, roof.peak),
            xytext=(-10, 4),
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize=TEXT,
            color=INK,
        )

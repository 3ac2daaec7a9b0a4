"""The grid of values: places, colours that can be read, blocked cells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.figures.heatmap import (
    DARK_INK,
    LIGHT_INK,
    Cell,
    HeatmapError,
    Words,
    heatmap,
    ink_on,
    luminance,
    shade,
)
from bookcode.figures.svg import INK, to_svg

WORDS = Words("rows", "columns")
CELLS = [
    Cell(0, 0, 32.0, "32.0", "14 stages"),
    Cell(0, 1, 64.0, "64.0"),
    Cell(1, 0, 64.0, "64.0"),
    Cell(1, 1, 128.0, "128", "registers", blocked=True),
]


def draw(cells: list[Cell] = CELLS) -> Any:
    return heatmap(["a", "b"], ["c", "d"], cells, WORDS)


def test_every_cell_is_drawn_at_its_place() -> None:
    axes = draw().axes[0]
    places = {p.get_gid(): (p.get_x(), p.get_y()) for p in axes.patches}
    assert {gid: (int(x), int(y)) for gid, (x, y) in places.items()} == {
        "cell-0-0": (0, 0),
        "cell-0-1": (1, 0),
        "cell-1-0": (0, 1),
        "cell-1-1": (1, 1),
    }
    assert axes.get_ylim() == (2, 0)  # the first row is on top


def test_texts_are_texts_and_labels_stand_at_the_axes() -> None:
    svg = to_svg(draw(), "grid")
    for text in ("32.0", "14 stages", "registers", "rows", "columns", ">a<", ">d<"):
        assert text in svg


def test_blocked_cells_have_no_colour_and_the_pages_ink() -> None:
    axes = draw().axes[0]
    blocked = next(p for p in axes.patches if p.get_gid() == "cell-1-1")
    assert blocked.get_facecolor()[3] == 0
    inks = {t.get_text(): t.get_color() for t in axes.texts}
    assert inks["128"] == inks["registers"] == INK
    assert inks["32.0"] in (DARK_INK, LIGHT_INK)


@given(st.floats(0, 1))
def test_text_can_be_read_on_every_colour(part: float) -> None:
    colour = shade(part, 0, 1)
    ink = ink_on(colour)
    text = luminance(tuple(int(ink[i : i + 2], 16) / 255 for i in (1, 3, 5)))  # type: ignore[arg-type]
    bright, dark = sorted((luminance(colour), text), reverse=True)
    assert (bright + 0.05) / (dark + 0.05) >= 4.5


def test_one_value_has_a_colour_too() -> None:
    assert shade(3, 3, 3) == shade(0.5, 0, 1)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda cells: cells[:-1], r"\(1, 1\) is missing"),
        (lambda cells: [*cells, cells[0]], r"\(0, 0\) .* given twice"),
        (lambda cells: [*cells, Cell(2, 0, 1.0, "")], r"\(2, 0\) lies outside"),
        (lambda cells: [Cell(c.row, c.column, 1, "", "", True) for c in cells], "every cell"),
    ],
)
def test_a_grid_that_cannot_be_drawn_is_refused(
    change: Callable[[list[Cell]], list[Cell]], words: str
) -> None:
    with pytest.raises(HeatmapError, match=words):
        draw(change(CELLS))

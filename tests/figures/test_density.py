"""The density under a roof: small, in the right places, every cell drawn once."""

from __future__ import annotations

import gzip
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.figures.density import (
    SHADES,
    Cell,
    DensityError,
    Label,
    _path,
    _shades,
    cells_of,
    density,
)
from bookcode.figures.following import log_axes
from bookcode.figures.roofline import Roof
from bookcode.figures.svg import to_svg
from bookcode.reality.record import RECORD, read

ROOT = Path(__file__).parents[2]
ROOFS = [Roof("h", "H", 1e15, 8e14)]
CELLS: list[Cell] = [(0, 220, 1), (1, 220, 2), (1, 221, 90), (5, 230, 100_000)]
PLACES = st.dictionaries(
    st.tuples(st.integers(-40, 80), st.integers(100, 300)), st.integers(1, 5000), min_size=1
)


def test_a_recorded_density_gives_its_cells() -> None:
    cells, step = cells_of({"step": 0.05, "cells": {"220": "0:1 1:2", "-3": "-4:5"}})
    assert (cells, step) == ([(0, 220, 1), (1, 220, 2), (-4, -3, 5)], 0.05)


@pytest.mark.parametrize(
    "drawing",
    [
        {},
        {"step": 0.1},
        {"step": 0.1, "cells": {}},
        {"step": 0.1, "cells": {"1": "2"}},
        {"step": 0.1, "cells": {"1": "2:x"}},
        {"step": 0.1, "cells": {"1": "2:0"}},
        {"step": 0, "cells": {"1": "2:1"}},
    ],
)
def test_what_is_no_density_is_refused(drawing: dict[str, object]) -> None:
    with pytest.raises(DensityError):
        cells_of(drawing)


@given(PLACES)
def test_every_cell_is_in_one_run_of_its_shade(places: dict[tuple[int, int], int]) -> None:
    cells = [(column, row, count) for (column, row), count in places.items()]
    drawn = [
        (column, row)
        for runs in _shades(cells)
        for left, right, row in runs
        for column in range(left, right)
    ]
    assert sorted(drawn) == sorted(places)


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_more_rows_are_never_lighter(one: int, other: int) -> None:
    few, many = sorted((one, other))

    def shade(count: int) -> int:
        return next(i for i, runs in enumerate(_shades([(0, 0, count)])) if runs)

    assert 0 <= shade(few) <= shade(many) < len(SHADES)


def test_a_run_is_a_rectangle_where_its_values_are() -> None:
    [vertices] = [_path([(0, 2, 10)], 0.5).vertices]
    corners = {(round(float(x), 6), round(float(y), 6)) for x, y in np.asarray(vertices)}
    assert corners == {(x, y) for x in (1.0, 10.0) for y in (1e5, round(10**5.5, 6))}


def test_nothing_to_draw_is_refused() -> None:
    with pytest.raises(DensityError, match="a roof"):
        density(CELLS, 0.05, [], x="x", y="y")
    with pytest.raises(DensityError, match="cells"):
        density([], 0.05, ROOFS, x="x", y="y")


def test_the_drawing_has_a_path_a_shade_and_real_text() -> None:
    labels = [Label("here", 2.0, 1e12)]
    svg = to_svg(density(CELLS, 0.05, ROOFS, x="over", y="rate", labels=labels), "d")
    ET.fromstring(svg)
    assert re.findall(r'id="fig-d-(density-\d)"', svg) == ["density-0", "density-4"]
    assert 'id="fig-d-roof-h"' in svg
    for text in ("over", "rate", "here", ">H<"):
        assert text in svg


def test_marks_that_come_later_find_room() -> None:
    figure = density(CELLS, 0.05, ROOFS, x="x", y="y", room=(1e-3, 1e5))
    low, _ = figure.axes[0].get_xlim()
    assert low < 1e-3
    assert figure.axes[0].get_ylim()[0] < 1e5
    assert log_axes(figure)["frame"][0] > 0


def test_tens_of_thousands_of_rows_stay_small() -> None:
    drawing = read(ROOT / RECORD).drawing("density")
    assert drawing["rows"] > 50_000
    cells, step = cells_of(drawing)
    svg = to_svg(density(cells, step, ROOFS, x="x", y="y"), "d")
    assert len(gzip.compress(svg.encode())) < 60_000

"""Spans: ends where the amounts are, words beside them, and what cannot be drawn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from bookcode.figures.spans import Span, SpansError, Words, spans
from bookcode.figures.svg import to_svg

WORDS = Words("traffic, MB", "separate", "fused")
ROWS = [
    Span("chain", "sin(cos(x))", 134.2, 67.1, "2.0×"),
    Span("norm", "LayerNorm in three passes", 268.4, 134.2, "2.0×"),
    Span("attention", "attention, scores in memory", 6577.0, 134.2, "49×"),
]


@pytest.fixture(scope="module")
def figure() -> Any:
    return spans(ROWS, WORDS)


def lines(figure: Any) -> dict[str, Any]:
    return {line.get_gid(): line for line in figure.axes[0].lines if line.get_gid()}


def extents(figure: Any) -> list[tuple[str, Any]]:
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    return [(t.get_text(), t.get_window_extent(renderer)) for t in figure.axes[0].texts]


def test_ends_stand_at_the_amounts(figure: Any) -> None:
    drawn = lines(figure)
    for row in ROWS:
        assert list(drawn[f"span-{row.key}"].get_xdata()) == [row.before, row.after]
        assert list(drawn[f"before-{row.key}"].get_xdata()) == [row.before]
        assert list(drawn[f"after-{row.key}"].get_xdata()) == [row.after]


def test_equal_savings_have_equal_lengths(figure: Any) -> None:
    transform, drawn = figure.axes[0].transData.transform, lines(figure)
    lengths = []
    for key in ("chain", "norm"):
        (x0, y0), (x1, y1) = transform(drawn[f"span-{key}"].get_xydata())
        assert y0 == y1
        lengths.append(x0 - x1)
    assert lengths[0] == pytest.approx(lengths[1])


def test_rows_stand_in_their_order(figure: Any) -> None:
    heights = [lines(figure)[f"span-{row.key}"].get_ydata()[0] for row in ROWS]
    assert heights == sorted(heights)
    low, high = figure.axes[0].get_ylim()
    assert low > high


def test_words_stand_once_beside_the_first_row(figure: Any) -> None:
    texts = [text for text, _ in extents(figure)]
    assert texts.count("separate") == texts.count("fused") == 1
    assert {row.label for row in ROWS} | {row.note for row in ROWS} <= set(texts)
    boxes = dict(extents(figure))
    assert boxes["fused"].x1 < boxes["separate"].x0


def test_words_cover_neither_each_other_nor_the_edge(figure: Any) -> None:
    found = extents(figure)
    for (first, a), (second, b) in combinations(found, 2):
        assert not a.overlaps(b), (first, second)
    for text, box in found:
        assert figure.bbox.x0 <= box.x0, text
        assert box.x1 <= figure.bbox.x1, text
        assert box.y1 <= figure.bbox.y1, text


def test_a_span_that_grows_is_drawn_as_well() -> None:
    figure = spans([Span("a", "recomputation", 1.0, 2.0, "0.5×")], WORDS)
    boxes = dict(extents(figure))
    assert boxes["separate"].x1 < boxes["fused"].x0


def test_the_axis_has_its_words_and_bare_numbers(figure: Any) -> None:
    axes = figure.axes[0]
    assert axes.get_xlabel() == "traffic, MB"
    figure.canvas.draw()
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert {"100", "1000"} <= set(labels)


def test_ids_are_in_the_svg_and_two_drawings_agree(figure: Any) -> None:
    svg = to_svg(figure, "spans.test")
    assert {"span-chain", "before-norm", "after-attention"} <= set(
        re.findall(r'id="fig-spans-test-([^"]+)"', svg)
    )
    assert to_svg(spans(ROWS, WORDS), "spans.test") == to_svg(spans(ROWS, WORDS), "spans.test")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "no rows"),
        ([ROWS[0], ROWS[0]], "row 'chain' is given twice"),
        ([Span("a", "a", 0.0, 1.0, "")], "row 'a': 0.0 cannot stand"),
        ([Span("a", "a", 1.0, -1.0, "")], "row 'a': -1.0 cannot stand"),
        ([Span("a", "a", float("nan"), 1.0, "")], "cannot stand"),
        ([Span("a", "many words " * 9, 2.0, 1.0, "2×")], "do not fit"),
    ],
)
def test_what_cannot_be_drawn_is_an_error(rows: Sequence[Span], message: str) -> None:
    with pytest.raises(SpansError, match=re.escape(message)):
        spans(rows, WORDS)

"""Maps: what stands where, that nothing runs out of its box, and what cannot be drawn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg

from bookcode.figures.maps import (
    COLOURS,
    TEXT,
    WIDTH,
    Edge,
    MapError,
    Node,
    Space,
    draw_map,
)
from bookcode.figures.svg import INK, to_svg

ROWS = [
    [Node("prompt", "prompt", tone="data"), Space()],
    [Node("prefill", "prefill", ("every weight serves all tokens",), "compute", share=0.75)],
    [Node("cache", "KV cache", ("537 MB",), "data"), Node("first", "first token", tone="data")],
    [Node("decode", "decode", ("a token at a time",), "memory", width=2)],
    [Node("next", "next token", tone="data")],
]
EDGES = [
    Edge("prompt", "prefill"),
    Edge("prefill", "cache", "keys and values", at=0.2),
    Edge("prefill", "first"),
    Edge("cache", "decode", "read", at=0.2),
    Edge("decode", "cache", "append", at=0.8),
    Edge("cache", "first", "and"),
    Edge("decode", "next"),
    Edge("next", "decode", "until the answer is complete", side="right"),
    Edge("prefill", "next", "a long way round", side="left", both=True),
]


@pytest.fixture(scope="module")
def figure() -> Any:
    return draw_map(ROWS, EDGES)


def gids(figure: Any) -> dict[str, Any]:
    axes = figure.axes[0]
    arrows = [text.arrow_patch for text in axes.texts if hasattr(text, "arrow_patch")]
    artists = [*axes.patches, *axes.texts, *axes.lines, *arrows]
    return {artist.get_gid(): artist for artist in artists if artist.get_gid()}


def ends_of(figure: Any, gid: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where the last piece of an arrow starts and ends."""
    arrows = [text for text in figure.axes[0].texts if hasattr(text, "arrow_patch")]
    (found,) = (arrow for arrow in arrows if arrow.arrow_patch.get_gid() == gid)
    return found.xyann, found.xy


def box_of(figure: Any, key: str) -> tuple[float, float, float, float]:
    """left, top, right, bottom in points."""
    box = gids(figure)[f"node-{key}"]
    return box.get_x(), box.get_y(), box.get_x() + box.get_width(), box.get_y() + box.get_height()


def texts_of(figure: Any) -> list[tuple[str, float, float, float, float]]:
    """Each text with its extent in points, y downwards."""
    figure.set_dpi(720)  # so fine that hinting does not change the widths
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    scale, height = 72 / figure.dpi, figure.get_size_inches()[1] * 72
    found = []
    for text in figure.axes[0].texts:
        if text.get_text():
            e = text.get_window_extent(renderer)
            found.append(
                (text.get_text(), e.x0 * scale, height - e.y1 * scale, e.x1 * scale,
                 height - e.y0 * scale)
            )  # fmt: skip
    return found


def test_rows_follow_one_another(figure: Any) -> None:
    tops = [box_of(figure, key)[1] for key in ("prompt", "prefill", "cache", "decode", "next")]
    assert tops == sorted(tops)
    assert box_of(figure, "cache")[1] == box_of(figure, "first")[1]


def test_boxes_do_not_overlap(figure: Any) -> None:
    boxes = [box_of(figure, node.key) for row in ROWS for node in row if isinstance(node, Node)]
    for a, b in combinations(boxes, 2):
        apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
        assert apart, (a, b)


def test_widths_are_shares_of_the_row() -> None:
    figure = draw_map([[Node("a", "a", width=3), Space(), Node("b", "b", width=1)]])
    a, b = box_of(figure, "a"), box_of(figure, "b")
    assert (a[2] - a[0]) / (b[2] - b[0]) == pytest.approx(3)
    assert b[0] - a[2] > b[2] - b[0]


def test_words_between_two_boxes_widen_every_gap_alike() -> None:
    rows = [[Node("a", "a"), Node("b", "b")], [Node("c", "c"), Node("d", "d")]]
    figure = draw_map(rows, [Edge("a", "b", "a few more words")])
    (a, b), (c, d) = [(box_of(figure, x), box_of(figure, y)) for x, y in ("ab", "cd")]
    assert b[0] - a[2] == pytest.approx(d[0] - c[2])
    (label,) = (t for t in texts_of(figure) if t[0] == "a few more words")
    assert a[2] < label[1]
    assert label[3] < b[0]


def test_a_space_keeps_its_place(figure: Any) -> None:
    left, _, right, _ = box_of(figure, "prompt")
    assert right < WIDTH / 2
    assert left < WIDTH / 4


def test_the_bar_is_the_share(figure: Any) -> None:
    bar = gids(figure)["share-prefill"]
    left, top, right, bottom = box_of(figure, "prefill")
    assert bar.get_width() / (right - left - 12) == pytest.approx(0.75)
    assert top < bar.get_y() < bar.get_y() + bar.get_height() < bottom


def test_the_tone_is_the_colour_of_the_edge(figure: Any) -> None:
    from matplotlib.colors import to_hex

    for key, tone in (("prefill", "compute"), ("decode", "memory"), ("cache", "data")):
        assert to_hex(gids(figure)[f"node-{key}"].get_edgecolor()) == COLOURS[tone]
    assert COLOURS["plain"] == INK


def test_text_stays_inside_the_figure_and_its_box(figure: Any) -> None:
    height = figure.get_size_inches()[1] * 72
    labels = {edge.label for edge in EDGES}
    boxes = [box_of(figure, node.key) for row in ROWS for node in row if isinstance(node, Node)]
    for words, left, top, right, bottom in texts_of(figure):
        assert left >= -0.5, words
        assert right <= WIDTH + 0.5, words
        assert top >= -0.5, words
        assert bottom <= height + 0.5, words
        if words not in labels:
            assert any(
                b[0] <= left and right <= b[2] and b[1] <= top + 2 and bottom - 2 <= b[3]
                for b in boxes
            ), words


def test_labels_keep_clear_of_the_boxes(figure: Any) -> None:
    boxes = [box_of(figure, node.key) for row in ROWS for node in row if isinstance(node, Node)]
    labels = {edge.label for edge in EDGES if edge.label}
    found = [t for t in texts_of(figure) if t[0] in labels]
    assert {t[0] for t in found} == labels
    for words, left, top, right, bottom in found:
        for b in boxes:
            inside_x = min(right, b[2]) - max(left, b[0])
            inside_y = min(bottom, b[3]) - max(top, b[1])
            assert inside_x <= 1 or inside_y <= 2, words


def test_arrows_end_at_the_boxes_they_name(figure: Any) -> None:
    start, end = box_of(figure, "prompt"), box_of(figure, "prefill")
    (x0, y0), (x1, y1) = ends_of(figure, "edge-prompt-prefill")
    assert (y0, y1) == (start[3], end[1])
    assert x0 == x1
    assert start[0] < x0 < start[2]


def test_an_arrow_upwards_leaves_at_the_top(figure: Any) -> None:
    (_, y0), (_, y1) = ends_of(figure, "edge-decode-cache")
    assert y0 == box_of(figure, "decode")[1]
    assert y1 == box_of(figure, "cache")[3]


def test_an_arrow_to_a_box_that_is_not_below_bends() -> None:
    rows = [[Node("a", "a"), Space(), Space()], [Space(), Space(), Node("b", "b")]]
    drawn = gids(draw_map(rows, [Edge("a", "b")]))
    assert "edge-a-b-way" in drawn
    xs = drawn["edge-a-b-way"].get_xdata()
    assert xs[0] == xs[1] < xs[2]


def test_an_arrow_along_a_side_runs_outside_the_boxes(figure: Any) -> None:
    xs = gids(figure)["edge-next-decode-way"].get_xdata()
    assert max(xs) > max(box_of(figure, key)[2] for key in ("decode", "next"))
    xs = gids(figure)["edge-prefill-next-way"].get_xdata()
    assert min(xs) < min(box_of(figure, key)[0] for key in ("prefill", "next"))


def test_an_arrow_may_have_two_heads(figure: Any) -> None:
    from matplotlib.patches import ArrowStyle

    assert isinstance(gids(figure)["edge-prefill-next"].get_arrowstyle(), ArrowStyle.CurveFilledAB)
    assert isinstance(gids(figure)["edge-next-decode"].get_arrowstyle(), ArrowStyle.CurveFilledB)


def test_ids_and_words_are_in_the_svg(figure: Any) -> None:
    svg = to_svg(figure, "map.test")
    assert {"node-prefill", "edge-prompt-prefill", "share-prefill", "label-cache-decode"} <= set(
        re.findall(r'id="fig-map-test-([^"]+)"', svg)
    )
    assert ">KV cache</text>" in svg.replace("\n", "")
    assert "currentColor" in svg


def test_two_drawings_are_the_same_bytes() -> None:
    first, second = (to_svg(draw_map(ROWS, EDGES), "same") for _ in range(2))
    assert first == second


def test_text_is_large_enough_for_a_phone(figure: Any) -> None:
    assert {text.get_fontsize() for text in figure.axes[0].texts if text.get_text()} == {TEXT}
    assert TEXT * 358 / WIDTH > 9


WORD = st.text(st.sampled_from("abcdefgMW"), min_size=1, max_size=9)


@settings(max_examples=25, deadline=None)
@given(st.lists(WORD, min_size=1, max_size=25), st.floats(0.5, 3.0))
def test_a_box_grows_with_its_words(words: list[str], width: float) -> None:
    node = Node("a", words[0], (" ".join(words),), width=width)
    figure = draw_map([[node, Node("b", "z", width=1.0)]])
    left, top, right, bottom = box_of(figure, "a")
    inside = [t for t in texts_of(figure) if t[0] != "z"]
    assert " ".join(t[0] for t in inside) == " ".join([words[0], *words])
    for _, x0, y0, x1, y1 in inside:
        assert left <= x0
        assert x1 <= right
        assert top <= y0 + 2
        assert y1 - 2 <= bottom


@pytest.mark.parametrize(
    ("rows", "edges", "message"),
    [
        ([], [], "a map needs boxes"),
        ([[Space()]], [], "a map needs boxes"),
        ([[Node("a", "a")], []], [], "in every row"),
        ([[Node("a", "a"), Node("a", "b")]], [], "box 'a' is given twice"),
        ([[Node("a", "a", share=1.1)]], [], "the share 1.1 is not between"),
        ([[Node("a", "a", share=-0.1)]], [], "the share -0.1 is not between"),
        ([[Node("a", "a", width=0)]], [], "widths must be positive"),
        ([[Node("a", "a"), Space(-1)]], [], "widths must be positive"),
        ([[Node("a", "a")]], [Edge("a", "b")], "leads to 'b', which is not among ['a']"),
        ([[Node("a", "a")]], [Edge("a", "a")], "from 'a' to itself"),
    ],
)
def test_what_cannot_be_drawn_is_an_error(
    rows: Sequence[Sequence[Node | Space]], edges: Sequence[Edge], message: str
) -> None:
    with pytest.raises(MapError, match=re.escape(message)):
        draw_map(rows, edges)

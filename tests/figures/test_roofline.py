"""The roofline: what is drawn where, what it is called, and that it can be read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from bookcode.figures.roofline import (
    COMPUTE,
    MEMORY,
    SIZE,
    TEXT,
    Mark,
    Roof,
    RooflineError,
    Words,
    roofline,
)
from bookcode.figures.svg import to_svg

ROOFS = [
    Roof("tensor", "", 989.5e12, 4.8e12),
    Roof("tensor-reachable", "tensor cores\n989.5 bound", 729.3e12, 4.5e12, dashed=True),
    Roof("vector", "CUDA cores\n67 bound", 67e12, 4.8e12, label_at="below"),
]
MARKS = [
    Mark("chain.eager", "sin(cos), two kernels", 0.25, "vector"),
    Mark("chain.fused", "sin(cos), fused", 0.5, "vector"),
    Mark("adamw", "AdamW", 0.577, "vector"),
    Mark("layernorm", "LayerNorm", 2.0, "vector"),
    Mark("attention", "attention,\nscores in HBM", 42.2, "tensor-reachable"),
    Mark("gemm.512", "GEMM 512", 170.7, "tensor-reachable"),
    Mark("gemm.4096", "GEMM 4096", 1365.3, "tensor-reachable"),
    Mark("flash", "flash\nattention", 2068.0, "tensor-reachable"),
]
PX_PER_PT_AT_PHONE = 358 / (SIZE[0] * 72)
"""CSS pixels a point of the drawing gets on a phone of 390 pixels with the page's margins."""


@pytest.fixture(scope="module")
def figure() -> Any:
    return roofline(ROOFS, MARKS, arrows=[("attention", "flash")])


def by_gid(figure: Any) -> dict[str, Any]:
    artists = [*figure.axes[0].lines, *figure.axes[0].texts]
    return {artist.get_gid(): artist for artist in artists if artist.get_gid()}


def extents(figure: Any, prefix: str) -> list[Any]:
    renderer = figure.canvas.get_renderer()
    texts = [a for gid, a in by_gid(figure).items() if gid.startswith(prefix)]
    return [text.get_window_extent(renderer) for text in texts]


def test_a_roof_allows_the_lesser_of_slope_and_peak() -> None:
    roof = Roof("r", "", peak=100.0, bandwidth=10.0)
    assert (roof.ridge, roof.rate(2.0), roof.rate(10.0), roof.rate(50.0)) == (10, 20, 100, 100)


def test_marks_stand_on_their_roof(figure: Any) -> None:
    roofs = {roof.key: roof for roof in ROOFS}
    drawn = by_gid(figure)
    for mark in MARKS:
        point = drawn[f"mark-{mark.key.replace('.', '-')}"]
        assert point.get_xdata()[0] == mark.intensity
        assert point.get_ydata()[0] == roofs[mark.roof].rate(mark.intensity)


def test_the_colour_says_on_which_side_of_the_ridge_a_mark_lies(figure: Any) -> None:
    drawn = by_gid(figure)
    assert drawn["mark-attention"].get_color() == MEMORY
    assert drawn["mark-gemm-512"].get_color() == COMPUTE


def test_a_mark_exactly_on_the_ridge_counts_as_compute() -> None:
    roof = Roof("r", "r", peak=100.0, bandwidth=10.0)
    drawn = by_gid(roofline([roof], [Mark("tie", "tie", 10.0, "r")]))
    assert drawn["mark-tie"].get_color() == COMPUTE


def test_every_roof_and_mark_can_be_found_in_the_svg(figure: Any) -> None:
    svg = to_svg(figure, "roofline.test")
    ids = set(re.findall(r'id="fig-roofline-test-([^"]+)"', svg))
    wanted = {"roof-tensor", "roof-tensor-reachable", "roof-vector", "arrow-attention-flash"}
    wanted |= {f"mark-{m.key.replace('.', '-')}" for m in MARKS}
    assert wanted <= ids
    assert ">GEMM 4096</text>" in svg.replace("\n", "")


def test_labels_cover_neither_each_other_nor_marks(figure: Any) -> None:
    boxes = extents(figure, "label-")
    assert len(boxes) == len(MARKS) + 2
    overlapping = [(a, b) for i, a in enumerate(boxes) for b in boxes[:i] if a.overlaps(b)]
    assert not overlapping
    transform = figure.axes[0].transData.transform
    points = [
        transform((line.get_xdata()[0], line.get_ydata()[0]))
        for gid, line in by_gid(figure).items()
        if gid.startswith("mark-")
    ]
    assert not [(box, p) for box in boxes for p in points if box.contains(*p)]


def test_labels_stay_inside_the_figure(figure: Any) -> None:
    whole = figure.bbox
    for box in extents(figure, "label-"):
        assert whole.x0 <= box.x0
        assert box.x1 <= whole.x1
        assert whole.y0 <= box.y0
        assert box.y1 <= whole.y1


def test_text_is_large_enough_for_a_phone(figure: Any) -> None:
    axes = figure.axes[0]
    sizes = [text.get_fontsize() for text in axes.texts if text.get_text()]
    sizes += [label.get_fontsize() for label in (*axes.get_xticklabels(), *axes.get_yticklabels())]
    assert min(sizes) == TEXT
    assert TEXT * PX_PER_PT_AT_PHONE > 9


def test_the_axes_say_what_the_caller_wants_them_to_say() -> None:
    roof = Roof("r", "r", 1e12, 1e10)
    words = Words(intensity="Intensität", rate="Rate")
    axes = roofline([roof], [Mark("m", "m", 5.0, "r")], words=words).axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("Intensität", "Rate")


def test_two_drawings_are_the_same_bytes() -> None:
    first, second = (to_svg(roofline(ROOFS, MARKS), "same") for _ in range(2))
    assert first == second


ROOF, MARK = Roof("r", "r", 1.0, 1.0), Mark("m", "m", 1.0, "r")


@pytest.mark.parametrize(
    ("roofs", "marks", "arrows", "message"),
    [
        ([], [MARK], [], "at least one roof"),
        ([ROOF], [], [], "at least one roof and one mark"),
        ([ROOF, ROOF], [MARK], [], "roof 'r' is given twice"),
        ([ROOF], [MARK, MARK], [], "mark 'm' is given twice"),
        ([Roof("r", "", 0.0, 1.0)], [MARK], [], "'r': 0.0 must be positive"),
        ([ROOF], [Mark("m", "m", -1.0, "r")], [], "'m': -1.0 must be positive"),
        ([ROOF], [Mark("m", "m", float("nan"), "r")], [], "must be positive"),
        ([ROOF], [Mark("m", "m", 1.0, "s")], [], "'s' is not among"),
        ([ROOF], [MARK], [("m", "n")], "'n' is not among"),
    ],
)
def test_what_cannot_be_drawn_is_an_error(
    roofs: Sequence[Roof], marks: Sequence[Mark], arrows: Sequence[tuple[str, str]], message: str
) -> None:
    with pytest.raises(RooflineError, match=re.escape(message)):
        roofline(roofs, marks, arrows=arrows)

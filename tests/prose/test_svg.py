"""Texts in drawings: published ones and bare ticks pass, everything else is found."""

from __future__ import annotations

import math

import pytest
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from bookcode.figures.svg import to_svg
from bookcode.prose import PublishedIndex, find_drawn
from bookcode.prose._svg import drawn_texts

PUBLISHED = PublishedIndex(
    [
        ("num", "peak", 989.5e12, "FLOP/s", "989.5 TFLOP/s"),
        ("num", "edge", 4096.0, "1", "4096"),
        ("num", "word", math.nan, "word", "memory"),
    ]
)


def drawing(*texts: str, group: str = "figure_1") -> str:
    inside = "".join(f"<text>{text}</text>" for text in texts)
    return f'<svg xmlns="http://www.w3.org/2000/svg"><g id="{group}">{inside}</g></svg>'


def found(svg: str, *words: str, language: str = "en") -> list[str]:
    matches = find_drawn(svg, published=PUBLISHED, words=words, language=language)
    return [match.text for _, match in matches]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tensor cores", []),
        ("989.5 TFLOP/s bound", []),
        ("990 TFLOP/s", []),
        ("GEMM 4096", []),
        ("H200, fp16", []),
        ("731.5 TFLOP/s", ["731.5 TFLOP/s"]),
        ("989.5 GB/s", ["989.5 GB/s"]),
        ("GEMM 2048", ["2048"]),
        ("twice the peak", ["twice"]),
        ("memory-bound", ["memory-bound"]),
    ],
)
def test_a_label(text: str, expected: list[str]) -> None:
    assert found(drawing(text)) == expected


def test_published_words_and_verdicts_may_be_drawn() -> None:
    assert found(drawing("Memory-Bound", "memory-bound"), "memory-bound") == []
    assert found(drawing("it is memory-bound"), "memory-bound") == []
    assert found(drawing("compute-bound"), "memory-bound") == ["compute-bound"]


@pytest.mark.parametrize("text", ["12", "0.5", "−3", "1e3", "10k", "1,000", "50%"])
def test_a_bare_number_at_a_tick_is_free(text: str) -> None:
    for group in ("xtick_1", "fig-roof-ytick_12"):
        assert found(drawing(text, group=group)) == []
    assert found(drawing(text, group="text_1")) != []


@pytest.mark.parametrize("text", ["12 ms", "peak 12", "12 of 13"])
def test_a_statement_at_a_tick_is_not(text: str) -> None:
    assert found(drawing(text, group="xtick_1")) != []


def test_chinese_is_read_in_chinese() -> None:
    assert found(drawing("峰值的一半", "12 微秒"), language="zh") == ["一半", "12 微秒"]


def test_text_in_parts_titles_and_descriptions() -> None:
    svg = (
        "<svg><title>of 5 ms</title><desc>of 6 ms</desc><style>7 ms</style>"
        "<text>of <tspan>8</tspan> <tspan>ms</tspan></text></svg>"
    )
    assert [text for text, _ in drawn_texts(svg)] == ["of 5 ms", "of 6 ms", "of 8 ms"]


def test_what_is_no_drawing_is_an_error() -> None:
    with pytest.raises(ValueError, match="not XML"):
        list(drawn_texts("<svg>"))


def test_ticks_are_recognised_as_matplotlib_writes_them() -> None:
    figure = Figure()
    axes = figure.add_subplot()
    axes.plot([0, 100], [0, 100])
    axes.set_title("at 731 GB/s")
    texts = dict(drawn_texts(to_svg(figure, "test.ticks")))
    assert texts["20"] is True
    assert texts["at 731 GB/s"] is False
    assert found(to_svg(figure, "test.ticks")) == ["731 GB/s"]
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g} GB/s"))
    assert "20 GB/s" in found(to_svg(figure, "test.ticks"))

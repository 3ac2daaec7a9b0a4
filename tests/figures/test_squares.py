"""Chinese in drawings: measured without a Chinese font, kept as text."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bookcode.figures.edition import WORDS, language, word
from bookcode.figures.squares import FAMILY, RANGES, READERS, STYLES, font_bytes
from bookcode.figures.wrapping import width_of, wrapped

ROOT = Path(__file__).parents[2]
DRAWING = """
import logging, warnings
warnings.simplefilter("error")
logging.basicConfig(level=logging.WARNING)
from bookcode.figures.frame import blank
from bookcode.figures.maps import Edge, Node, draw_map
from bookcode.figures.roofline import Mark, Roof, roofline
from bookcode.figures.svg import to_svg
from bookcode.figures.wrapping import width_of
from matplotlib.backends.backend_agg import FigureCanvasAgg

figure = blank(4, 4)
renderer = FigureCanvasAgg(figure).get_renderer()
for text in ("张量核", "算术强度（FLOP/B）", "“下界”"):
    drawn = figure.text(0, 0, text, fontsize=10).get_window_extent(renderer)
    print(text, drawn.width * 72 / figure.dpi / width_of(text, 10))
rows = [[Node("a", "一个盒子", ("很长的一行字" * 9,))], [Node("b", "另一个")]]
print(to_svg(draw_map(rows, [Edge("a", "b", "之后", side="left")]), "map"))
roofs = [Roof("r", "张量核", 1e14, 1e12)]
print(to_svg(roofline(roofs, [Mark("m", "加法", 0.5, "r")]), "roof"))
"""


def drawn(tongue: str) -> tuple[str, str]:
    """What the drawing prints and complains of, in a process of its own for its fonts."""
    done = subprocess.run(
        [sys.executable, "-c", DRAWING],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "BOOKCODE_LANGUAGE": tongue, "PYTHONUTF8": "1"},
    )
    return done.stdout, done.stderr


@pytest.fixture(scope="module")
def chinese() -> tuple[str, str]:
    return drawn("zh_CN")


def test_nothing_is_complained_of(chinese: tuple[str, str]) -> None:
    assert chinese[1] == ""


def test_characters_are_as_wide_as_the_wrapping_takes_them_for(chinese: tuple[str, str]) -> None:
    ratios = [float(line.split()[-1]) for line in chinese[0].splitlines()[:3]]
    assert ratios == pytest.approx([1.0, 1.0, 1.0], abs=0.04)


def test_text_stays_text_in_the_readers_fonts(chinese: tuple[str, str]) -> None:
    svg = chinese[0]
    assert ">一个盒子</text>" in svg
    assert ">算术强度（FLOP/B）</text>" in svg
    assert f"{READERS}, sans-serif" in svg
    assert FAMILY not in svg


def test_two_processes_draw_the_same(chinese: tuple[str, str]) -> None:
    assert drawn("zh_CN") == chinese


def test_the_english_edition_has_no_such_font() -> None:
    with pytest.raises(subprocess.CalledProcessError):
        drawn("en")  # Chinese in English drawings: matplotlib has no glyph and says so


def test_each_style_is_a_small_font_of_one_glyph() -> None:
    from io import BytesIO

    from fontTools.ttLib import TTFont

    for style, weight in STYLES.items():
        data = font_bytes(style, weight)
        font = TTFont(BytesIO(data))
        assert len(data) < 2000
        assert font["OS/2"].usWeightClass == weight
        assert font["name"].getDebugName(1) == FAMILY
        glyphs = font.getBestCmap() or font["cmap"].tables[0].cmap
        for low, high in RANGES:
            assert glyphs[low] == glyphs[high] == "square"
        assert font["hmtx"]["square"] == (1000, 0)


# words -------------------------------------------------------------------------------------------
def test_words_follow_the_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BOOKCODE_LANGUAGE", raising=False)
    assert (language(), word("rate")) == ("en", "attainable rate, TFLOP/s")
    monkeypatch.setenv("BOOKCODE_LANGUAGE", "zh_CN")
    assert (language(), word("rate")) == ("zh_CN", WORDS["rate"]["zh"])
    monkeypatch.setenv("BOOKCODE_LANGUAGE", "fr")
    assert word("rate") == WORDS["rate"]["en"]


# lines -------------------------------------------------------------------------------------------
TEXTS = st.text(st.sampled_from("访存量下界（）“”，。、：；？！《》 abcFLOP/"), max_size=40)


@given(TEXTS, st.floats(30, 200))
@settings(deadline=None)
def test_lines_keep_every_character_and_their_marks(text: str, room: float) -> None:
    lines = wrapped(text, room, 8.5)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    for line in lines[1:]:
        before = text.replace(" ", "")
        assert line[0] not in "，。、；：？！）》" or set(before) <= set("，。、；：？！）》”")
    for line in lines[:-1]:
        assert line[-1] not in "（《" or not line.strip("（《“")


def test_a_mark_that_opens_goes_to_the_next_line() -> None:
    room = width_of("算术强度（", 10) + 1
    assert wrapped("算术强度（每字节）", room, 10) == ["算术强度", "（每字节）"]

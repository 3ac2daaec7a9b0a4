"""A font of blank squares, with which matplotlib measures Chinese characters.

The fonts that matplotlib brings have no Chinese characters, and those of a machine differ from
machine to machine. A drawing keeps its text as text, so no outline is needed: only that every
character takes up a square of the font's size, as it will in whatever font the reader has.
"""

from __future__ import annotations

import atexit
import functools
import io
import shutil
import tempfile
from pathlib import Path
from typing import Any, Final

from bookcode.figures.edition import language
from bookcode.words import short

FAMILY: Final = "Bookcode Squares"
READERS: Final = "'PingFang SC', 'Noto Sans CJK SC', 'Source Han Sans SC', 'Microsoft YaHei'"
"""The fonts that a drawing asks the reader's machine for, in the place of the squares."""
RANGES: Final = ((0x2E80, 0x9FFF), (0xF900, 0xFAFF), (0xFF00, 0xFF60))
"""Ideographs with their marks, and full-width forms; :mod:`bookcode.figures.wrapping` has the same.
Quotation marks and dashes are in matplotlib's own font, which comes first."""
EM, ASCENT, DESCENT = 1000, 760, 120
"""As high as the letters of matplotlib's own font, so that lines and margins stay as they are."""
STYLES: Final = {"Regular": 400, "Bold": 700}
"""Style to weight: matplotlib complains of a family that lacks the weight it looks for."""


def prepare() -> None:
    """Let figures that are made from now on measure Chinese, if the edition is Chinese."""
    if short(language()) == "zh":
        _register()


@functools.cache
def _register() -> None:
    import matplotlib as mpl
    from matplotlib.font_manager import fontManager

    # matplotlib reads the files when it first needs them
    folder = tempfile.mkdtemp(prefix="squares-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for style, weight in STYLES.items():
        path = Path(folder) / f"squares-{style.lower()}.ttf"
        path.write_bytes(font_bytes(style, weight))
        fontManager.addfont(path)
    mpl.rcParams["font.family"] = ["sans-serif", FAMILY]


def font_bytes(style: str, weight: int) -> bytes:
    """The font in one style, as a TrueType file: one glyph for everything, a square."""
    from fontTools.fontBuilder import FontBuilder  # type: ignore[import-untyped]
    from fontTools.pens.ttGlyphPen import TTGlyphPen  # type: ignore[import-untyped]

    pen = TTGlyphPen(None)
    top, bottom = ASCENT, -DESCENT
    pen.moveTo((0, bottom))
    for corner in ((0, top), (EM, top), (EM, bottom)):
        pen.lineTo(corner)
    pen.closePath()
    builder = FontBuilder(EM, isTTF=True)
    builder.setupGlyphOrder([".notdef", "square"])
    builder.setupCharacterMap(dict.fromkeys((ord("一"),), "square"))
    builder.setupGlyf({".notdef": pen.glyph(), "square": pen.glyph()})
    builder.setupHorizontalMetrics(dict.fromkeys((".notdef", "square"), (EM, 0)))
    builder.setupHorizontalHeader(ascent=top, descent=bottom)
    builder.setupNameTable({"familyName": FAMILY, "styleName": style, "psName": f"Squares-{style}"})
    builder.setupOS2(sTypoAscender=top, sTypoDescender=bottom, usWeightClass=weight)
    builder.setupPost()
    builder.font["cmap"].tables = [_everything_one_glyph()]
    stream = io.BytesIO()
    builder.save(stream)
    return stream.getvalue()


def _everything_one_glyph() -> Any:
    """A character map of ranges, each of which has one glyph for all of its characters."""
    from fontTools.ttLib.tables import _c_m_a_p  # type: ignore[import-untyped]

    table: Any = _c_m_a_p.CmapSubtable.newSubtable(13)
    table.platformID, table.platEncID, table.language = 3, 10, 0
    table.cmap = {code: "square" for low, high in RANGES for code in range(low, high + 1)}
    return table

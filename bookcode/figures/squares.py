"""A font of blank squares, with which matplotlib measures Chinese characters.

The fonts that matplotlib brings have no Chinese characters, and those of a machine differ from
machine to machine. A drawing keeps its text as text, so no outline is needed: only that every
character takes up a square of the font's size, as it will in whatever font the reader has.
"""

from __future__ import annotations

import functools
import io
import tempfile
from pathlib import Path
from typing import Any, Final

from bookcode.figures.edition import language, short

FAMILY: Final = "Bookcode Squares"
READERS: Final = "'PingFang SC', 'Noto Sans CJK SC', 'Source Han Sans SC', 'Microsoft YaHei'"
"""The fonts that a drawing asks the reader's machine for, in the place of the squares."""
RANGES: Final = ((0x2E80, 0x9FFF), (0xF900, 0xFAFF), (0xFF00, 0xFF60))
"""Ideographs with their marks, and full-width forms; :mod:`bookcode.figures.wrapping` has the same.
Quotation marks and dashes are in matplotlib's own font, which comes first."""
EM, DESCENT = 1000, 120


def prepare() -> None:
    """Let figures that are made from now on measure Chinese, if the edition is Chinese."""
    if short(language()) == "zh":
        _register()


@functools.cache
def _register() -> tempfile.TemporaryDirectory[str]:
    """The folder of the font's file, which stays as long as the process."""
    import matplotlib as mpl
    from matplotlib.font_manager import fontManager

    folder = tempfile.TemporaryDirectory(prefix="squares-", ignore_cleanup_errors=True)
    path = Path(folder.name) / "squares.ttf"
    path.write_bytes(font_bytes())
    fontManager.addfont(path)
    mpl.rcParams["font.family"] = ["sans-serif", FAMILY]
    return folder


def font_bytes() -> bytes:
    """The font, as a TrueType file: one glyph for everything, a square as wide as the font."""
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    pen = TTGlyphPen(None)
    top, bottom = EM - DESCENT, -DESCENT
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
    builder.setupNameTable({"familyName": FAMILY, "styleName": "Regular", "psName": "Squares"})
    builder.setupOS2(sTypoAscender=top, sTypoDescender=bottom)
    builder.setupPost()
    builder.font["cmap"].tables = [_everything_one_glyph()]
    stream = io.BytesIO()
    builder.save(stream)
    return stream.getvalue()


def _everything_one_glyph() -> Any:
    """A character map of ranges, each of which has one glyph for all of its characters."""
    from fontTools.ttLib.tables._c_m_a_p import CmapSubtable

    table: Any = CmapSubtable.newSubtable(13)
    table.platformID, table.platEncID, table.language = 3, 10, 0
    table.cmap = {code: "square" for low, high in RANGES for code in range(low, high + 1)}
    return table

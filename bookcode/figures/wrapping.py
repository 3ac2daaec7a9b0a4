"""Breaks the text of a drawing into lines of a given width, for letters and for Chinese characters.

The font that the page will use is not known here: letters are measured in the widest of the usual
sans-serif fonts, characters count as squares.
"""

from __future__ import annotations

import re
from functools import cache

from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.ft2font import FT2Font, LoadFlags

_SIZE = 100.0
_UNIT = 65536 * _SIZE
"""FreeType tells advances in parts of 65536 of a pixel, here a point."""

_WIDE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60]")
_PIECE = re.compile(
    r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60]|[^ \u2e80-\u9fff\uf900-\ufaff\uff00-\uff60]+| +"
)
_NEVER_FIRST = "，。、；：？！）》」』”’"
"""Marks that may not begin a line."""
_NEVER_LAST = "（《「『“‘"
"""Marks that may not end one."""


def wrapped(text: str, room: float, size: float, *, bold: bool = False) -> list[str]:
    """The lines of ``text`` that fit into ``room`` points at a font ``size``.

    Breaks at spaces and between Chinese characters; no-break spaces hold, and a word that is wider
    than the room stands on a line of its own.
    """
    lines: list[str] = []
    line = ""
    for piece in _PIECE.findall(text):
        longer = line + piece
        fits = width_of(longer.rstrip(" "), size, bold=bold) <= room
        if fits or not line.strip() or piece in _NEVER_FIRST or piece.isspace():
            line = longer
        else:
            kept = line.rstrip(_NEVER_LAST) or line
            lines.append(kept.strip(" "))
            line = line[len(kept) :] + piece
    if line.strip(" "):
        lines.append(line.strip(" "))
    return lines


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """The width of a text in points."""
    return sum(1.0 if _WIDE.match(c) else _advance(c, bold) for c in text) * size


@cache
def _advance(character: str, bold: bool) -> float:
    """How far a character moves the pen, at a font size of 1."""
    font = _font(bold)
    return float(font.load_char(ord(character), LoadFlags.NO_HINTING).linearHoriAdvance) / _UNIT


@cache
def _font(bold: bool) -> FT2Font:
    weight = "bold" if bold else "normal"
    font = get_font(findfont(FontProperties(family="DejaVu Sans", weight=weight)))
    font.set_size(_SIZE, 72)
    return font

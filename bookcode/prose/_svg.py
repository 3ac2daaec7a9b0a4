"""Finds typed numbers and verdicts in the text of a published drawing.

A text may show published numbers; the caller says which. The labels of an axis' ticks are free if
they are bare numbers: matplotlib puts each tick into a group whose id ends in "xtick_3" or
"ytick_3". Everything else is read like running text.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from typing import Final

from ._judgements import find_judgements
from ._numbers import find_numbers
from ._published import Published
from ._text import Match, plain

_TICK: Final = re.compile(r"(?:.*-)?[xyz]tick_\d+")
_BARE: Final = re.compile(r"[-−]?(?:\d+(?:[.,]\d+)*|\.\d+)(?:[eE][-−+]?\d+)?[kMGT%]?")


def drawn_texts(svg: str) -> Iterator[tuple[str, bool]]:
    """Each text of a drawing, and whether it labels a tick. Raises ValueError for broken XML."""
    try:
        root = ET.fromstring(svg)
    except ET.ParseError as error:
        raise ValueError(f"the drawing is not XML: {error}") from None
    yield from _texts(root, False)


def drawn_numerals(svg: str) -> list[str]:
    """Each text of a drawing that has a digit and is no bare number at a tick, in its order.

    Raises ValueError for a drawing that is not XML.
    """
    return [
        text
        for text, tick in drawn_texts(svg)
        if any(map(str.isdigit, text)) and not (tick and _BARE.fullmatch(plain(text)))
    ]


def _texts(element: ET.Element, tick: bool) -> Iterator[tuple[str, bool]]:
    tick = tick or _TICK.fullmatch(element.get("id", "")) is not None
    name = element.tag.rpartition("}")[2]
    if name in ("text", "title", "desc"):
        text = " ".join("".join(element.itertext()).split())
        if text:
            yield text, tick
    elif name != "style":
        for child in element:
            yield from _texts(child, tick)


def find_drawn(
    svg: str, *, published: Published, words: Iterable[str], language: str
) -> Iterator[tuple[str, Match]]:
    """Each text with something typed in it, and what that is.

    `published` knows the numbers that the drawing may show, `words` the texts of the published
    words and verdicts. Raises ValueError for a drawing that is not XML.
    """
    owned = {_folded(word) for word in words}
    for text, tick in drawn_texts(svg):
        if (tick and _BARE.fullmatch(plain(text))) or _folded(text) in owned:
            continue
        for match in find_numbers(text, context="svg-text", language=language):
            if not published.same_value(match.text, language):
                yield text, match
        for match in find_judgements(text, language):
            if _folded(match.text) not in owned:
                yield text, match


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()

"""Renders a matplotlib figure as SVG that is text: deterministic, readable in light and dark."""

from __future__ import annotations

import io
import re
from typing import Any

from bookcode.figures import squares

INK = "#123456"
"""Drawn as the page's text colour, whatever the theme."""
PAPER = "#fedcba"
"""Drawn as the page's background."""


def to_svg(figure: Any, key: str) -> str:
    """The figure as an ``<svg>`` element.

    Text stays text; ids are made from ``key``, so that figures share a page and two builds agree;
    :data:`INK` and :data:`PAPER` become the page's own colours.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    if not isinstance(figure, Figure):
        raise TypeError(f"figure {key!r} is a {type(figure).__name__}, not a matplotlib figure")
    buffer = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": key}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    prefix = "fig-" + re.sub(r"[^a-z0-9]+", "-", key) + "-"
    svg = re.sub(r'\bid="', f'id="{prefix}', svg)
    svg = re.sub(r"url\(#", f"url(#{prefix}", svg)
    svg = re.sub(r'href="#', f'href="#{prefix}', svg)
    svg = re.sub(r'(<svg[^>]*?) (?:width|height)="[^"]*pt"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) (?:width|height)="[^"]*pt"', r"\1", svg, count=1)
    # A generic family ends the search, so what the reader may have stands before it.
    svg = svg.replace(f"sans-serif, '{squares.FAMILY}'", f"{squares.READERS}, sans-serif")
    svg = svg.replace(INK, "currentColor").replace(PAPER, "var(--color-background-primary)")
    return re.sub(r"[ \t]+$", "", svg, flags=re.MULTILINE).strip()

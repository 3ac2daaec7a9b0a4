"""Files beside the pages: the list of pages for search engines, and pictures for links to pages."""

from __future__ import annotations

import hashlib
import html
import io
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path

from bookcode.numbers.files import write_atomic

CARD_SIZE = (1200, 630)
"""Pixels of a picture, as the services that show them expect."""
INK, PAPER, ACCENT = "#16324f", "#fbfaf7", "#d9641c"
_DPI = 100


def sitemap(pages: Iterable[tuple[str, Mapping[str, str]]]) -> str:
    """The list of pages as XML: the address of each, and those in other languages by their tag."""
    lines = []
    for address, alternates in pages:
        links = "".join(
            f'<xhtml:link rel="alternate" hreflang="{tag}" href="{html.escape(other)}"/>'
            for tag, other in alternates.items()
        )
        lines.append(f"  <url><loc>{html.escape(address)}</loc>{links}</url>")
    return "\n".join(
        [
            '<?xml version="1.0" encoding="utf-8"?>',
            '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
            ' xmlns:xhtml="http://www.w3.org/1999/xhtml">',
            *lines,
            "</urlset>\n",
        ]
    )


def card_name(title: str, book: str) -> str:
    """The file name of a picture; another text gives another name."""
    return hashlib.sha256(f"{title}\0{book}".encode()).hexdigest()[:16] + ".png"


def write_card(folder: Path, title: str, book: str) -> str:
    """Draw the picture for links to a page, unless it is there; returns its file name."""
    name = card_name(title, book)
    if not (folder / name).exists():
        write_atomic(folder / name, card(title, book))
    return name


def card(title: str, book: str) -> bytes:
    """The picture as PNG: the page's title over the book's."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    width, height = (side / _DPI for side in CARD_SIZE)
    figure = Figure(figsize=(width, height), dpi=_DPI, facecolor=PAPER)
    FigureCanvasAgg(figure)
    bar = Rectangle((0, 0), 0.018, 1, color=ACCENT, transform=figure.transFigure)
    figure.add_artist(bar)
    lines = textwrap.wrap(title, 24)[:4] or [book]
    figure.text(0.08, 0.88, "\n".join(lines), size=46, color=INK, weight="bold", va="top")
    figure.text(0.08, 0.12, book, size=24, color=INK, va="bottom")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()

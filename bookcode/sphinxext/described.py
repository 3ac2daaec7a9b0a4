"""Hints that everybody gets: as a tooltip, and as a description that screen readers announce.

The description is an element of its own, hidden from view, to which the shown text refers. Script
may later show it in a better way: ``data-hint`` on the text names it.
"""

from __future__ import annotations

import html

from sphinx.writers.html5 import HTML5Translator


def hint_attributes(translator: HTML5Translator, hint: str) -> dict[str, str]:
    """The attributes of an element with a hint; :func:`description` must follow the element."""
    number = getattr(translator, "bookcode_hints", 0) + 1
    translator.bookcode_hints = number  # type: ignore[attr-defined]
    name = f"bk-hint-{number}"
    return {"title": hint, "aria-describedby": name, "data-hint": name}


def description(attributes: dict[str, str]) -> str:
    """The hidden element that the attributes of :func:`hint_attributes` refer to."""
    text = html.escape(attributes["title"])
    return f'<span class="bk-hint" id="{attributes["data-hint"]}" hidden>{text}</span>'

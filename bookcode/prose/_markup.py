"""What a reader sees of markup that is passed through: the text of HTML, and drawings in it."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Final

_UNSEEN: Final = ("script", "style", "template")
_DRAWINGS: Final = ("img", "svg", "canvas", "iframe", "object", "embed", "video", "picture")
_TOLD: Final = ("alt", "title", "aria-label", "aria-description", "placeholder")
_INLINE: Final = (
    *("a", "abbr", "b", "bdi", "cite", "code", "em", "i", "kbd", "mark", "q", "s", "samp"),
    *("small", "span", "strong", "sub", "sup", "u", "var"),
)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.told: list[str] = []
        self.drawings: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unseen += tag in _UNSEEN
        if tag in _DRAWINGS:
            self.drawings.append(tag)
        if tag not in _INLINE:
            self.parts.append("\n")  # cells and blocks do not run into each other
        self.told += [value for name, value in attrs if name in _TOLD and value]

    def handle_endtag(self, tag: str) -> None:
        self._unseen -= tag in _UNSEEN and self._unseen > 0
        if tag not in _INLINE:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.parts.append(data)


def read_html(markup: str) -> tuple[str, list[str], list[str]]:
    """The visible text, the texts in attributes, and the names of the elements that draw."""
    reader = _Reader()
    # The parser gives up on marked sections it does not know; their text is read as text.
    reader.feed(markup.replace("<![", "&lt;!["))
    reader.close()
    return "".join(reader.parts).strip(), reader.told, reader.drawings

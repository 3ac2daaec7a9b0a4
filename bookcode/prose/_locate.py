"""Finds where a text of a document tree stands in its source: exact line and column.

A tree knows the line a block starts at, not more, and its text has lost the markup. The text is
looked for from that line on; among several places the one with the same neighbours wins.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import Final

# What the source may have between two characters that are neighbours in the tree.
_MARKUP: Final = r"[*_\\`]{0,3}"
_NOISE: Final = re.compile(r"[*_\\`>\s]+")
_NEIGHBOURS: Final = 24
"""Characters compared on either side."""
_SURE: Final = 6
"""So many equal neighbours tell a place beyond the block's own lines."""
_SLACK: Final = 2
"""Lines by which the start of a block may be wrong."""
# What typographic transforms write for something else.
_SPELLINGS: Final = {"–": "(?:–|--)", "—": "(?:—|---)", "’": "[’']", "…": r"(?:…|\.\.\.)"}


def _pattern(text: str, before: str, after: str) -> re.Pattern[str]:
    """`text` as it may be written in the source: markup inside it, breaks for spaces.

    It begins and ends a word there if it does so among its neighbours.
    """
    parts = [
        r"[\s>]+" if part.isspace() else _SPELLINGS.get(part, re.escape(part))
        for part in re.findall(r"\s+|\S", text)
    ]
    begins = r"(?<![A-Za-z0-9])" if text[:1].isalnum() and not before[-1:].isalnum() else ""
    ends = r"(?![A-Za-z0-9])" if text[-1:].isalnum() and not after[:1].isalnum() else ""
    return re.compile(begins + _MARKUP.join(parts) + ends)


def _alike(one: str, other: str) -> int:
    """How many characters two texts share at their beginnings."""
    shared = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        shared += 1
    return shared


class Source:
    """The source of one document; `block_lines` are the lines at which its blocks start."""

    def __init__(self, text: str, block_lines: Iterable[int]) -> None:
        self._text = text
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]
        self._block_lines = sorted(set(block_lines))
        self._taken: set[int] = set()

    def locate(self, text: str, line: int, before: str, after: str) -> tuple[int, int]:
        """Line and column, both from 1, of `text` in the block that starts at `line`.

        `before` and `after` are its neighbours in the block. A text that is not in the source
        (it was generated) is at the start of the block. Two equal texts get two places.
        """
        pattern = _pattern(text, before, after)
        own = range(self._offset(line), self._offset(self._next(line)))
        # Notebooks in Markdown count a cell's lines a little off.
        near = range(self._offset(line - _SLACK), self._offset(self._next(line) + _SLACK))
        for lines, least in ((near, 0), (range(own.start, len(self._text)), _SURE)):
            scored = [
                (self._score(found, before, after), found.start() in own, -found.start())
                for found in pattern.finditer(self._text, lines.start, lines.stop)
            ]
            fitting = [score for score in scored if score[0] >= least]
            free = [score for score in fitting if -score[2] not in self._taken] or fitting
            if free:
                place = -max(free)[2]
                self._taken.add(place)
                return self._position(place)
        return max(line, 1), 1

    def _next(self, line: int) -> int:
        """The line at which the next block starts, or the one after the last."""
        index = bisect_right(self._block_lines, line)
        return self._block_lines[index] if index < len(self._block_lines) else len(self._starts) + 1

    def _offset(self, line: int) -> int:
        if line > len(self._starts):
            return len(self._text)
        return self._starts[max(line, 1) - 1]

    def _score(self, found: re.Match[str], before: str, after: str) -> int:
        """How many neighbours of a place are those of the text, markup and spaces aside.

        At the edge of its block a text has no neighbours, but no word next to it either.
        """
        reach = 2 * _NEIGHBOURS
        left = _NOISE.sub("", self._text[max(found.start() - reach, 0) : found.start()])[::-1]
        right = _NOISE.sub("", self._text[found.end() : found.end() + reach])
        wanted_left = _NOISE.sub("", before[-_NEIGHBOURS:])[::-1]
        wanted_right = _NOISE.sub("", after[:_NEIGHBOURS])
        edge = 0 if wanted_left or left[:1].isalnum() else 1
        return edge + _alike(left, wanted_left) + _alike(right, wanted_right)

    def _position(self, place: int) -> tuple[int, int]:
        line = bisect_right(self._starts, place)
        return line, place - self._starts[line - 1] + 1

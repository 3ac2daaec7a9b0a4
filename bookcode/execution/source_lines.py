"""Where in a chapter file the code of a cell begins."""

from __future__ import annotations

from collections.abc import Sequence

# options of a cell stand before its code; nobody writes more lines of them than this
_FARTHEST = 60


def first_line(lines: Sequence[str], start: int, source: str) -> int:
    """The 1-based line of the file that holds the first line of ``source``.

    :param lines: the file.
    :param start: a 1-based line at or before it: the first one after the opening fence.
    :return: ``start`` when the code does not stand there (it may come from another file).
    """
    code = [line.strip() for line in source.splitlines()]
    for first in range(start - 1, min(start - 1 + _FARTHEST, len(lines) - len(code) + 1)):
        if [line.strip() for line in lines[first : first + len(code)]] == code:
            return first + 1
    return start

"""The first column of a table heads its rows only if it does so in words.

What reads a page aloud announces the head of a row with each of its cells. Mathematics alone gives
it nothing to say, and a checker of accessibility finds an empty head.
"""

from __future__ import annotations

from typing import Any, Final

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

_MATHEMATICS: Final = (nodes.math, nodes.math_block)


def says_something(entry: nodes.Node) -> bool:
    """Whether there is text in a cell apart from mathematics."""
    return any(
        text.astext().strip() and not isinstance(text.parent, _MATHEMATICS)
        for text in entry.findall(nodes.Text)
    )


def speechless(table: nodes.table) -> bool:
    """Whether a cell of the first column, which heads its row, says nothing in words."""
    rows = [row for body in table.findall(nodes.tbody) for row in body.findall(nodes.row)]
    firsts = [entry for row in rows for entry in row.children[:1] if entry.children]
    return any(not says_something(first) for first in firsts)


class HeadsInWords(SphinxPostTransform):
    """Turns heads of rows into cells where one of them is mathematics alone."""

    default_priority = 810

    def run(self, **kwargs: Any) -> None:
        for table in self.document.findall(nodes.table):
            first = next(iter(table.findall(nodes.colspec)), None)
            if first is not None and first.get("stub") and speechless(table):
                first["stub"] = False

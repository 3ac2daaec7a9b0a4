"""Where a page shows published things, read off its document tree."""

from __future__ import annotations

import re
from bisect import bisect_right
from pathlib import Path

from docutils import nodes

from bookcode.sphinxext.nodes import literal_number, pending_block, pending_shown
from bookcode.sphinxext.state import Use
from bookcode.sphinxext.translations import place_of

_CONTEXTS: tuple[tuple[type[nodes.Node], str], ...] = (
    (nodes.caption, "caption"),
    (nodes.title, "heading"),
    (nodes.entry, "table"),
    (nodes.footnote, "footnote"),
    (nodes.list_item, "list"),
)


def collect_uses(doctree: nodes.document) -> list[Use]:
    """Every use of a role or directive of ours, in document order."""
    uses = []
    lines = _Lines(Path(doctree["source"]))
    for node in doctree.findall(nodes.Element):
        if isinstance(node, pending_shown | pending_block | literal_number):
            source, line = place_of(node)
            line = line or lines.of(node)
            shown = node["bookcode"], node["key"], node["spec"]
            uses.append(Use(*shown, line, context_of(node), *section_of(node), source))
    return uses


class _Lines:
    """Exact lines of roles: a tree knows only the line at which a role's paragraph begins."""

    def __init__(self, path: Path) -> None:
        self._text = path.read_text("utf-8") if path.is_file() else ""
        self._starts = [0, *(found.end() for found in re.finditer("\n", self._text))]
        self._done = 0

    def of(self, node: nodes.Element) -> int:
        """The line of a node; each place in the source is given away once."""
        line = node.line or _line_above(node)
        role = re.fullmatch(r":([\w-]+):`(.*)`", node.rawsource, re.DOTALL)
        if role is None or not 0 < line <= len(self._starts):
            return line
        words = r"\s+".join(map(re.escape, role[2].split()))
        pattern = re.compile(rf"\{{{role[1]}\}}`\s*{words}\s*`")
        found = pattern.search(self._text, max(self._starts[line - 1], self._done))
        if found is None:
            return line
        self._done = found.end()
        return bisect_right(self._starts, found.start())


def section_of(node: nodes.Node) -> tuple[str, str]:
    """Id and title of the section a node stands in; empty texts outside of sections."""
    ancestor = node.parent
    while ancestor is not None:
        if isinstance(ancestor, nodes.section) and ancestor["ids"]:
            title = next(iter(ancestor.findall(nodes.title)), None)
            return ancestor["ids"][0], title.astext() if title is not None else ""
        ancestor = ancestor.parent
    return "", ""


def context_of(node: nodes.Node) -> str:
    """What kind of text a node stands in."""
    ancestor = node.parent
    while ancestor is not None:
        if isinstance(ancestor, nodes.title) and isinstance(ancestor.parent, nodes.table):
            return "caption"
        for kind, name in _CONTEXTS:
            if isinstance(ancestor, kind):
                return name
        ancestor = ancestor.parent
    return "body"


def _line_above(node: nodes.Node) -> int:
    ancestor = node.parent
    while ancestor is not None:
        line = getattr(ancestor, "line", None)
        if line:
            return int(line)
        ancestor = ancestor.parent
    return 0

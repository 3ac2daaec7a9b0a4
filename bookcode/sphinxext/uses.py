"""Where a page shows published things, read off its document tree."""

from __future__ import annotations

from docutils import nodes

from bookcode.sphinxext.nodes import literal_number, pending_block, pending_shown
from bookcode.sphinxext.state import Use

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
    for node in doctree.findall(nodes.Element):
        if isinstance(node, pending_shown | pending_block | literal_number):
            line = node.line or _line_above(node)
            shown = node["bookcode"], node["key"], node["spec"]
            uses.append(Use(*shown, line, context_of(node), *section_of(node)))
    return uses


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

"""Rows and cells of generated tables, as document nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docutils import nodes

from bookcode.sphinxext.nodes import whole_literal

Content = str | nodes.Node | Sequence[nodes.Node]
"""What stands in a cell."""


def cell(content: Content, *, classes: Iterable[str] = (), span: int = 0) -> nodes.entry:
    """A cell; ``span`` says over how many further columns it reaches."""
    entry = nodes.entry(classes=list(classes))
    if span:
        entry["morecols"] = span
    if isinstance(content, str):
        children: Sequence[nodes.Node] = [nodes.Text(content)] if content else []
    else:
        children = [content] if isinstance(content, nodes.Node) else list(content)
    if children:
        entry += nodes.paragraph("", "", *children)
    return entry


def row(*contents: Content, name: str = "") -> nodes.row:
    """A row of cells; ``name`` becomes its id."""
    made = nodes.row("", *(c if isinstance(c, nodes.entry) else cell(c) for c in contents))
    if name:
        made["ids"].append(name)
    return made


def group_row(content: Content, columns: int) -> nodes.row:
    """A row with one cell over all columns, which heads the rows below it."""
    return nodes.row(
        "", cell(content, classes=["bk-group"], span=columns - 1), classes=["bk-group"]
    )


def code(text: str) -> nodes.literal:
    """A key, a file name or a hash."""
    return whole_literal("", text)


def link(text: str, address: str, *, internal: bool = False) -> nodes.reference:
    """A link."""
    return nodes.reference("", text, refuri=address, internal=internal)


def listed(parts: Iterable[nodes.Node], separator: str = ", ") -> list[nodes.Node]:
    """The parts with separators between them."""
    joined: list[nodes.Node] = []
    for part in parts:
        if joined:
            joined.append(nodes.Text(separator))
        joined.append(part)
    return joined

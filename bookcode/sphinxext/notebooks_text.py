"""The prose of a resolved page as Markdown, for notebooks: what a reader sees, numbers included.

Headings, paragraphs, lists and formulas; tables, figures and exercises stay on the page.
"""

from __future__ import annotations

from collections.abc import Iterator

from docutils import nodes

_SKIPPED = (nodes.target, nodes.comment, nodes.system_message, nodes.raw, nodes.image)
_MARKS = ((nodes.strong, "**"), (nodes.emphasis, "*"), (nodes.literal, "`"))


def blocks(document: nodes.document) -> Iterator[tuple[int, str]]:
    """Blocks of Markdown, each with its line in the source; 0 for one that does not say."""
    yield from _inside(document, 0)


def _inside(parent: nodes.Element, level: int) -> Iterator[tuple[int, str]]:
    for child in parent.children:
        line = getattr(child, "line", None) or 0
        if isinstance(child, nodes.section):
            yield from _inside(child, level + 1)
        elif isinstance(child, nodes.title) and isinstance(parent, nodes.section):
            yield line, f"{'#' * min(level, 6)} {_inline(child)}"
        elif text := _block(child):
            yield line, text


def _block(node: nodes.Node) -> str:
    if isinstance(node, nodes.paragraph):
        return _inline(node)
    if isinstance(node, nodes.math_block):
        return f"$$\n{node.astext().strip()}\n$$"
    if isinstance(node, nodes.bullet_list | nodes.enumerated_list):
        return "\n".join(_item(node, number, item) for number, item in _numbered(node))
    if isinstance(node, nodes.definition_list):
        return "\n\n".join(_defined(item) for item in node.children)
    if isinstance(node, nodes.literal_block):
        return f"```\n{node.astext().rstrip()}\n```"
    return ""


def _numbered(node: nodes.Element) -> Iterator[tuple[int, nodes.Element]]:
    items = [child for child in node.children if isinstance(child, nodes.Element)]
    yield from enumerate(items, node.get("start", 1))


def _item(list_: nodes.Element, number: int, item: nodes.Element) -> str:
    mark = f"{number}. " if isinstance(list_, nodes.enumerated_list) else "- "
    lines = "\n\n".join(filter(None, map(_block, item.children))).split("\n")
    indented = [f"{' ' * len(mark)}{line}" if line else "" for line in lines[1:]]
    return "\n".join([mark + lines[0], *indented])


def _defined(item: nodes.Node) -> str:
    terms = [f"**{_inline(t)}**" for t in item.children if isinstance(t, nodes.term)]
    rest = [_block(c) for d in item.children if isinstance(d, nodes.definition) for c in d.children]
    return f"{', '.join(terms)}: " + "\n\n".join(filter(None, rest))


def _inline(node: nodes.Node) -> str:
    """Text with its marks; the page's own references and hints become plain text."""
    if isinstance(node, nodes.Text):
        return " ".join(str(node).split("\n")).replace("$", "\\$")
    if isinstance(node, _SKIPPED):
        return ""
    if isinstance(node, nodes.math):
        return f"${node.astext()}$"
    if isinstance(node, nodes.literal):
        return f"`{node.astext()}`"
    text = "".join(map(_inline, node.children))
    if isinstance(node, nodes.reference) and "://" in node.get("refuri", ""):
        return f"[{text}]({node['refuri']})"
    mark = next((mark for kind, mark in _MARKS if isinstance(node, kind)), "")
    return f"{mark}{text}{mark}" if text.strip() else text

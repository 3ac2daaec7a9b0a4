"""What a reader reads in a document tree: its blocks of text, with what each part of them is.

Docutils only. Nodes of other packages are known by their names and attributes, and what this
project's own roles and directives made (`node["bookcode"]`) is left out: it is checked elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from docutils import nodes

from ._markup import read_html

Kind = Literal["text", "term", "code-span", "math", "made", "other"]

_NOT_READ: Final = (
    *(nodes.comment, nodes.substitution_definition, nodes.system_message),
    *(nodes.pending, nodes.label, nodes.meta, nodes.option_string, nodes.problematic),
)
_NOT_READ_NAMES: Final = frozenset({"index", "desc_signature", "desc_signature_line", "production"})
_TOLD: Final = ("alt", "title", "reftitle", "explanation")
_MARKS: Final = (nodes.footnote_reference, nodes.citation_reference)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text in a block."""

    text: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Block:
    """A block of text: where it starts, in which context it is read, and its pieces."""

    line: int
    context: str
    pieces: tuple[Piece, ...]
    heading: bool = False
    judged: bool = True
    """Whether its words are read for verdicts."""
    said_at: str = ""
    """"path:line" of its translation, where it is one."""


@dataclass(frozen=True, slots=True)
class _Place:
    """What a node inherits from its ancestors."""

    line: int = 1
    output: bool = False


def blocks(document: nodes.Node) -> Iterator[Block]:
    """Every block of text of a tree, in reading order."""
    yield from _walk(document, _Place())


def _walk(node: nodes.Node, place: _Place) -> Iterator[Block]:
    """The blocks of a node and of those below; where it was translated they say so."""
    said_at = node.get("said_at", "") if isinstance(node, nodes.Element) else ""
    for block in _read(node, place):
        yield replace(block, said_at=said_at) if said_at and not block.said_at else block


def _read(node: nodes.Node, place: _Place) -> Iterator[Block]:
    if not isinstance(node, nodes.Element) or _unread(node):
        return
    if node.get("bk-untranslated"):
        return  # still in the source's language, in which it was read
    place = replace(place, line=node.line or place.line)
    yield from _attributes(node, place)
    if node.get("bookcode") or node.get("nb_element") == "cell_code_source":
        return
    if node.get("nb_element") == "cell_code_output":
        place = replace(place, output=True)
    if isinstance(node, nodes.raw):
        yield from _passed_through(node, place)
    elif place.output and isinstance(node, nodes.image):
        yield Block(place.line, "drawing", (Piece(str(node.get("uri", "image")), "text"),))
    elif isinstance(node, nodes.math_block):
        kind = Piece(node.astext(), "text" if place.output else "math")
        yield Block(place.line, "output" if place.output else "math", (kind,))
    elif isinstance(node, nodes.literal_block | nodes.doctest_block):
        if place.output:
            yield Block(place.line, "output", (Piece(node.astext(), "text"),), judged=False)
    elif isinstance(node, nodes.TextElement):
        yield _text_block(node, place)
        for inner in _elements_in(node):
            at = replace(place, line=inner.line or place.line)
            if isinstance(inner, nodes.raw):
                yield from _passed_through(inner, at)
            elif place.output and isinstance(inner, nodes.image):
                yield from _walk(inner, at)
            else:
                yield from _attributes(inner, at)
    else:
        for child in _read_children(node):
            yield from _walk(child, place)


def _passed_through(node: nodes.raw, place: _Place) -> Iterator[Block]:
    """Markup that reaches the page as it is; what is not for HTML does not."""
    if "html" not in str(node.get("format", "")).split():
        return
    text, told, drawings = read_html(node.astext())
    if place.output:
        for drawing in drawings:
            yield Block(place.line, "drawing", (Piece(f"<{drawing}>", "text"),))
    for part in filter(None, (text, *told)):
        context = "output" if place.output else "paragraph"
        yield Block(place.line, context, (Piece(part, "text"),), judged=not place.output)


def _unread(node: nodes.Element) -> bool:
    return isinstance(node, _NOT_READ) or node.tagname in _NOT_READ_NAMES


def _read_children(node: nodes.Element) -> list[nodes.Node]:
    """The children, without the plain-text stand-in of an output that has a richer form."""
    if node.get("nb_element") != "mime_bundle" or len(node.children) < 2:
        return node.children
    return [
        child
        for child in node.children
        if not (isinstance(child, nodes.Element) and child.get("mime_type") == "text/plain")
    ]


def _elements_in(node: nodes.Element) -> Iterator[nodes.Element]:
    """The elements below a node that are read, or made by the project's roles."""
    for child in node.children:
        if isinstance(child, nodes.Element) and not _unread(child):
            yield child
            if not child.get("bookcode"):
                yield from _elements_in(child)


def _attributes(node: nodes.Element, place: _Place) -> Iterator[Block]:
    """Texts that a node carries in attributes, and that reach the reader."""
    if node.get("bookcode"):
        told: list[tuple[str, str]] = node.get("lint_text", [])
        for text, context in told:
            yield Block(place.line, context, (Piece(text, _kind(context)),))
        return
    carried: list[str | None] = []
    if not isinstance(node, nodes.document):  # its title is the first heading again
        carried += [node.get(name) for name in _TOLD]
    if node.tagname == "toctree":
        entries: list[tuple[str | None, str]] = node.get("entries", [])
        carried += [node.get("caption"), *(title for title, _ in entries)]
    for text in filter(None, carried):
        if isinstance(text, str):
            yield Block(place.line, "alt", (Piece(text, "text"),))


def _kind(context: str) -> Kind:
    if context == "math":
        return "math"
    return "code-span" if context == "code-span" else "text"


def _text_block(node: nodes.TextElement, place: _Place) -> Block:
    heading = isinstance(node, nodes.title) and isinstance(
        node.parent, nodes.section | nodes.document
    )
    context = "output" if place.output else "title" if heading else "paragraph"
    defines = isinstance(node, nodes.term) and _within_glossary(node)
    return Block(place.line, context, tuple(_pieces(node)), heading, judged=not defines)


def _within_glossary(node: nodes.Element) -> bool:
    above: nodes.Node | None = node
    while above is not None and getattr(above, "tagname", "") != "glossary":
        above = above.parent
    return above is not None


def _pieces(node: nodes.Element, kind: Kind = "text") -> Iterator[Piece]:
    for child in node.children:
        if isinstance(child, nodes.Text):
            yield Piece(child.astext(), kind)
        elif not isinstance(child, nodes.Element) or _unread(child):
            continue
        elif isinstance(child, nodes.raw):
            continue  # a tag; what it tells is a block of its own
        elif child.get("bookcode"):
            yield Piece(child.astext(), "made")
        elif isinstance(child, nodes.literal):
            yield Piece(child.astext(), "code-span")
        elif isinstance(child, nodes.math):
            yield Piece(child.astext(), "math")
        elif isinstance(child, _MARKS) or _is_number_reference(child):
            yield Piece(child.astext(), "other")
        else:
            yield from _pieces(child, "term" if _is_term(child) else kind)


def _is_number_reference(node: nodes.Element) -> bool:
    """A reference whose number Sphinx writes ("figure 3"), before or after it is resolved."""
    return node.tagname == "number_reference" or node.get("reftype") in ("numref", "eq")


def _is_term(node: nodes.Element) -> bool:
    """A reference to the glossary, before or after it is resolved."""
    return node.get("reftype") == "term" or "std-term" in node.get("classes", ())

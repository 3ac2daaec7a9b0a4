"""The nodes of our roles and directives, unresolved and resolved.

While a page is read, a role leaves a :class:`pending_shown` node: other pages may not have been
read yet. When the page is written, :mod:`bookcode.sphinxext.resolve` puts what is shown in its
place. Every node carries ``bookcode`` (the role's name), by which the prose lint knows that it is
not typed.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

from bookcode.sphinxext.described import description, hint_attributes


class pending_shown(nodes.Inline, nodes.TextElement):  # noqa: N801 (docutils' naming)
    """A number, fact, verdict or formula that is not resolved yet."""


class shown(nodes.Inline, nodes.TextElement):  # noqa: N801
    """A resolved number or fact."""


class verdict(nodes.Inline, nodes.TextElement):  # noqa: N801
    """A resolved verdict; may hold numbers."""


class literal_number(nodes.Inline, nodes.TextElement):  # noqa: N801
    """Text that an author marked as typed on purpose."""


class whole_literal(nodes.literal):  # noqa: N801
    """Code in a cell: it breaks anywhere, so that its words need no elements of their own."""


class pending_block(nodes.General, nodes.Element):  # noqa: N801
    """A figure or displayed formula that is not resolved yet."""


class svg_figure(nodes.General, nodes.Element):  # noqa: N801
    """A resolved figure's drawing."""


def visit_shown(self: HTML5Translator, node: shown) -> None:
    attributes = {
        "data-role": node["bookcode"],
        "data-key": node["key"],
        "data-spec": node["spec"],
        "title": node["hint"],
    }
    if node["bookcode"] == "fact":
        node["described"] = hint_attributes(self, node["hint"])
        attributes |= {"tabindex": "0", **node["described"]}
    self.body.append(self.starttag(node, "span", "", CLASS="bk-shown", **attributes))


def depart_shown(self: HTML5Translator, node: shown) -> None:
    if node.get("disputed"):
        self.body.append('<sup class="bk-disputed" aria-hidden="true">≠</sup>')
    self.body.append("</span>")
    if "described" in node:
        self.body.append(description(node["described"]))


def visit_verdict(self: HTML5Translator, node: verdict) -> None:
    attributes = {"data-claim": node["key"], "title": node["hint"]}
    self.body.append(self.starttag(node, "span", "", CLASS="bk-verdict", **attributes))


def visit_literal(self: HTML5Translator, node: literal_number) -> None:
    self.body.append(self.starttag(node, "span", "", CLASS="bk-lit"))


def visit_whole(self: HTML5Translator, node: whole_literal) -> None:
    self.body.append(self.starttag(node, "code", "", CLASS="docutils literal notranslate"))


def depart_whole(self: HTML5Translator, node: whole_literal) -> None:
    self.body.append("</code>")


def depart_span(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append("</span>")


def visit_svg(self: HTML5Translator, node: svg_figure) -> None:
    alt = self.attval(node["alt"])
    self.body.append(f'<div class="bk-figure" role="img" aria-label="{alt}">{node["svg"]}')


def depart_svg(self: HTML5Translator, node: svg_figure) -> None:
    self.body.append("</div>\n")


def text_shown(self: Any, node: nodes.Element) -> None:
    """In builders without markup of ours the content stands for itself."""


def add_nodes(app: Sphinx) -> None:
    """Register the nodes with their writers."""
    other: dict[str, Any] = dict.fromkeys(
        ("latex", "text", "man", "texinfo"), (text_shown, text_shown)
    )
    app.add_node(shown, html=(visit_shown, depart_shown), **other)
    for node, visit in (
        (verdict, visit_verdict),
        (literal_number, visit_literal),
        (pending_shown, visit_literal),
    ):
        app.add_node(node, html=(visit, depart_span), **other)
    app.add_node(whole_literal, html=(visit_whole, depart_whole), **other)
    app.add_node(svg_figure, html=(visit_svg, depart_svg), **other)
    app.add_node(pending_block, html=(text_shown, text_shown), **other)

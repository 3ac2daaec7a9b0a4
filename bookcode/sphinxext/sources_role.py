"""The role ``src``: a citation as a short label with everything behind it in a hint.

``{src}`R2-pypi``` shows artifact, file and lines; ``{src}`words <R2-pypi>``` shows the words. It is
a link where the upstream place at a recorded commit, tag or address is known.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

from bookcode.sphinxext.citing import Cited
from bookcode.sphinxext.described import description, hint_attributes
from bookcode.sphinxext.nodes import pending_shown
from bookcode.sphinxext.roles import HoldsRole, Returned


class source_link(nodes.reference):  # noqa: N801 (docutils' naming)
    """A resolved citation whose upstream place is known; the link checker sees a reference."""


class source_place(nodes.Inline, nodes.TextElement):  # noqa: N801
    """A resolved citation that names its place without a link."""


class SourceRole(HoldsRole):
    """``src``: an id, or words with an id in angle brackets."""

    def run(self) -> Returned:
        made, messages = super().run()
        for node in made:
            # The words are the author's own, so they are read like the text around them.
            if isinstance(node, pending_shown) and node["spec"]:
                node["lint_text"] = [(node["spec"], "paragraph")]
        return made, messages


def source_node(citation: Cited, words: str = "") -> nodes.Element:
    """The node of a resolved citation, with ``words`` in the place of its label."""
    text = words or citation.label
    attributes = {
        "bookcode": "src",
        "key": citation.key,
        "hint": citation.hint,
        "evidence": citation.evidence.value,
    }
    if citation.link is None:
        return source_place("", text, **attributes)
    return source_link("", text, refuri=citation.link, internal=False, **attributes)


def _attributes(self: HTML5Translator, node: nodes.Element) -> dict[str, Any]:
    hinted = hint_attributes(self, node["hint"])
    node["described"] = hinted
    return {
        "data-role": "src",
        "data-key": node["key"],
        "data-evidence": node["evidence"],
        **hinted,
    }


def visit_link(self: HTML5Translator, node: source_link) -> None:
    attributes = {"href": node["refuri"], **_attributes(self, node)}
    self.body.append(self.starttag(node, "a", "", CLASS="bk-source", **attributes))


def depart_link(self: HTML5Translator, node: source_link) -> None:
    self.body.append("</a>" + description(node["described"]))


def visit_place(self: HTML5Translator, node: source_place) -> None:
    attributes = {"tabindex": "0", **_attributes(self, node)}
    self.body.append(self.starttag(node, "span", "", CLASS="bk-source", **attributes))


def depart_place(self: HTML5Translator, node: source_place) -> None:
    self.body.append("</span>" + description(node["described"]))


def _nothing(self: Any, node: nodes.Element) -> None:
    """In builders without markup of ours the text stands for itself."""


def add_source_role(app: Sphinx) -> None:
    """Register the role and its nodes."""
    app.add_role("src", SourceRole())
    other: dict[str, Any] = dict.fromkeys(("latex", "text", "man", "texinfo"), (_nothing, _nothing))
    app.add_node(source_link, html=(visit_link, depart_link), **other)
    app.add_node(source_place, html=(visit_place, depart_place), **other)

"""The role ``param``: a parameter's value in the running text, which a reader may change.

Without JavaScript it is a plain number: the book's value.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.writers.html5 import HTML5Translator

from bookcode.numbers.errors import did_you_mean
from bookcode.numbers.records import ParameterRecord
from bookcode.sphinxext.checks import report, source_of
from bookcode.sphinxext.nodes import pending_shown, text_shown
from bookcode.sphinxext.provenance import parameter_text
from bookcode.sphinxext.roles import ShownRole
from bookcode.sphinxext.state import Page, page, pages


class pending_parameter(pending_shown):  # noqa: N801 (docutils' naming)
    """A parameter's value that is not resolved yet."""


class parameter_value(nodes.Inline, nodes.TextElement):  # noqa: N801
    """A resolved parameter's value."""


class ParameterRole(ShownRole):
    """``{param}`name```: the value of a parameter that a cell of this page declares."""

    def _pending(self, key: str, spec: str) -> nodes.Node:
        node = pending_parameter(self.rawtext, "", bookcode="param", key=key, spec=spec)
        self.set_source_info(node)
        return node


def parameters_of(entry: Page) -> dict[str, ParameterRecord]:
    """A page's parameters by name."""
    found = (placed.record for placed in entry.records)
    return {r.description["name"]: r for r in found if isinstance(r, ParameterRecord)}


class ResolveParameters(SphinxPostTransform):
    """Puts values in the place of pending nodes, before other roles are resolved."""

    default_priority = 2

    def run(self, **kwargs: Any) -> None:
        known = parameters_of(page(self.env, self.env.docname))
        language = self.config.language or "en"
        for node in list(self.document.findall(pending_parameter)):
            name = node["key"]
            if name in known:
                described = known[name].description
                text = parameter_text(described, language)
                made: nodes.Node = parameter_value("", text, bookcode="param", key=name)
            else:
                made = nodes.inline("", f"⟦{name}⟧", classes=["bk-problem"])
            node.replace_self(made)


def check_parameters(app: Sphinx, env: BuildEnvironment) -> None:
    """Report parameters that a page shows but does not declare."""
    for docname, entry in sorted(pages(env).items()):
        known = parameters_of(entry)
        for use in entry.uses:
            if use.role == "param" and use.key not in known:
                near = did_you_mean(use.key, known) if known else "; its cells declare none"
                message = f"param {use.key!r}: no such parameter on this page{near}"
                report(app, f"{source_of(app, docname)}:{use.line}", message, "param")


def visit_parameter(self: HTML5Translator, node: parameter_value) -> None:
    attributes = {"data-param": node["key"]}
    self.body.append(self.starttag(node, "span", "", CLASS="bk-param", **attributes))


def depart_parameter(self: HTML5Translator, node: parameter_value) -> None:
    self.body.append("</span>")


def add_parameter_role(app: Sphinx) -> None:
    """Register the role, its nodes and its check."""
    app.add_role("param", ParameterRole())
    other: dict[str, Any] = dict.fromkeys(
        ("latex", "text", "man", "texinfo"), (text_shown, text_shown)
    )
    app.add_node(parameter_value, html=(visit_parameter, depart_parameter), **other)
    app.add_node(pending_parameter, html=(text_shown, text_shown), **other)
    app.add_post_transform(ResolveParameters)
    app.connect("env-check-consistency", check_parameters)

"""``{own-record} figure-key``: where a reader drops the record of a measurement of his own.

The page's script reads the file in the browser and draws the reader's roof into the figure; nothing
is sent. What the script needs of the drawing, its axes, stands in the page. Without a script the
place says that it needs one.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from bookcode.numbers.errors import NumbersError
from bookcode.sphinxext.checks import report, source_of
from bookcode.sphinxext.reality_words import tell
from bookcode.sphinxext.state import library_of

CLASS = "bk-own-record"


class own_record(nodes.General, nodes.Element):  # noqa: N801 (docutils' naming)
    """The place for a record."""


class OwnRecord(SphinxDirective):
    """Puts the place on the page; its figure is looked up when all pages are known."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        node = own_record(bookcode="words", key=self.arguments[0].strip(), axes="")
        node["told"] = tell("own-record", self.config.language or "en")
        self.set_source_info(node)
        docname = self.env.current_document.docname
        _places(self.env).setdefault(docname, []).append((node["key"], self.lineno))
        return [node]


def _places(env: BuildEnvironment) -> dict[str, list[tuple[str, int]]]:
    """Figure and line of each place, by page."""
    places: dict[str, list[tuple[str, int]]] = vars(env).setdefault("bookcode_own_records", {})
    return places


def purge(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    """Forget a page that is read again."""
    _places(env).pop(docname, None)


def merge(
    app: Sphinx, env: BuildEnvironment, docnames: Iterable[str], other: BuildEnvironment
) -> None:
    """Take over what another reader found."""
    found = _places(other)
    _places(env).update({name: found[name] for name in docnames if name in found})


def axes_of(app: Sphinx, key: str) -> dict[str, Any]:
    """The axes of a figure, as its scripts draw on them.

    Raises:
        NumbersError: for an unknown figure, or one that nothing can be drawn into.
    """
    axes: dict[str, Any] | None = library_of(app).figure(key).follow.get("axes")
    if axes is None:
        raise NumbersError(f"figure {key!r} declares no roof or mark, so its axes are not known")
    return axes


class ResolveOwnRecord(SphinxPostTransform):
    """Gives the places the axes of their figures."""

    default_priority = 5

    def run(self, **kwargs: Any) -> None:
        for node in self.document.findall(own_record):
            try:
                node["axes"] = json.dumps(axes_of(self.app, node["key"]))
            except NumbersError:
                continue  # reported by the check of the whole book


def check_places(app: Sphinx, env: BuildEnvironment) -> None:
    """Report places whose figure cannot be drawn into."""
    for docname, places in sorted(_places(env).items()):
        for key, line in places:
            try:
                axes_of(app, key)
            except NumbersError as error:
                report(app, f"{source_of(app, docname)}:{line}", f"own-record: {error}", "figure")


def visit_own_record(self: HTML5Translator, node: own_record) -> None:
    """A section that the script fills."""
    figure = html.escape(node["key"], quote=True)
    axes = html.escape(node["axes"], quote=True)
    told = html.escape(node["told"])
    self.body.append(
        f'<section class="{CLASS}" data-figure="{figure}" data-axes="{axes}"><p>{told}</p>'
    )


def depart_own_record(self: HTML5Translator, node: own_record) -> None:
    """Its end."""
    self.body.append("</section>\n")


def add_script(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Load the script on pages that have the place, and on no other."""
    if f'class="{CLASS}"' in (context.get("body") or ""):
        app.add_js_file("js/own-record.js", type="module")


def _skip(self: Any, node: nodes.Element) -> None:
    raise nodes.SkipNode


def add_own_record(app: Sphinx) -> None:
    """Register the directive."""
    other: dict[str, Any] = dict.fromkeys(("latex", "text", "man", "texinfo"), (_skip, None))
    app.add_node(own_record, html=(visit_own_record, depart_own_record), **other)
    app.add_directive("own-record", OwnRecord)
    app.add_post_transform(ResolveOwnRecord)
    app.connect("env-purge-doc", purge)
    app.connect("env-merge-info", merge)
    app.connect("env-check-consistency", check_places)
    app.connect("html-page-context", add_script)

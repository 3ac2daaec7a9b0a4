"""Sets formulas as MathML at build time, with KaTeX in the build's own JavaScript engine."""

from __future__ import annotations

import functools
import html
import re
from importlib import resources
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import SphinxError
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

from bookcode.numbers.engine import Engine
from bookcode.numbers.errors import EngineError

logger = logging.getLogger(__name__)

_ANNOTATION = re.compile(r"<annotation .*?</annotation>", re.DOTALL)
_ENTRY = """\
import katex from "./katex.cjs";
export default ({ latex, display }) =>
  katex.renderToString(latex, { output: "mathml", displayMode: display, strict: false });
"""


@functools.cache
def _engine() -> Engine:
    try:
        source = resources.files("sphinxcontrib").joinpath("katex.min.js").read_text("utf-8")
    except (FileNotFoundError, ModuleNotFoundError) as error:
        raise SphinxError(f"formulas need the package sphinxcontrib-katex: {error}") from error
    return Engine({"katex.cjs": source, "set.js": _ENTRY})


def close_engine() -> None:
    """End the engine's process; the next new formula starts it again."""
    if _engine.cache_info().currsize:
        _engine().close()


@functools.lru_cache(maxsize=4096)
def to_mathml(latex: str, display: bool) -> str:
    """A formula as a ``<math>`` element.

    Raises:
        EngineError: for LaTeX that KaTeX cannot set.
    """
    text = str(_engine().call("set.js", {"latex": latex, "display": display}))
    return text.removeprefix('<span class="katex">').removesuffix("</span>")


def without_annotation(math: str) -> str:
    """The element without the LaTeX that KaTeX puts beside it, for where size counts."""
    text = _ANNOTATION.sub("", math).replace("<semantics>", "").replace("</semantics>", "")
    return text.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")


def _set(self: HTML5Translator, node: nodes.Element, display: bool) -> str:
    latex = node.astext()
    try:
        return to_mathml(latex, display)
    except EngineError as error:
        logger.error("formula %r: %s", latex, error, location=node, type="bookcode")
        return f'<code class="bk-problem">{html.escape(latex)}</code>'


def _attributes(node: nodes.Element) -> dict[str, Any]:
    """What a formula of the ledger says of itself: whose it is, and in which view."""
    if "key" not in node:
        return {}
    return {"data-formula": node["key"], "data-view": node["view"]}


def visit_inline(self: HTML5Translator, node: nodes.math) -> None:
    """An inline formula."""
    self.body.append(self.starttag(node, "span", "", CLASS="bk-math", **_attributes(node)))
    self.body.append(_set(self, node, display=False) + "</span>")
    raise nodes.SkipNode


def visit_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """A displayed formula."""
    self.body.append(self.starttag(node, "div", "", CLASS="bk-math-block", **_attributes(node)))
    self.body.append(_set(self, node, display=True) + "</div>\n")
    raise nodes.SkipNode


def add_math(app: Sphinx) -> None:
    """Register the renderer under the name "bookcode"."""
    app.add_html_math_renderer("bookcode", (visit_inline, None), (visit_block, None))

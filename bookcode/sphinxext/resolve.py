"""Puts what is shown in the place of pending nodes, when a page is written.

Errors were reported before (:mod:`bookcode.sphinxext.checks`); here a problem only leaves a visible
mark, so that a page never has a hole.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from bookcode.numbers.errors import NumbersError
from bookcode.numbers.formats import format_value
from bookcode.numbers.records import FormulaText
from bookcode.sphinxext.library import Library, Part, Shown, plain
from bookcode.sphinxext.nodes import pending_block, pending_shown, shown, svg_figure, verdict
from bookcode.sphinxext.sources_role import source_node
from bookcode.sphinxext.state import library_of
from bookcode.sphinxext.wording import say
from bookcode.words import in_language


class ResolveShown(SphinxPostTransform):
    """Resolves numbers, facts, verdicts, formulas and figures."""

    default_priority = 3

    def run(self, **kwargs: Any) -> None:
        library = library_of(self.app)
        language = self.config.language or "en"
        for node in list(self.document.findall(pending_shown)):
            self._replace(node, lambda n: inline(library, n, language), nodes.inline)
        for block in list(self.document.findall(pending_block)):
            self._replace(block, lambda n: displayed(library, n, language), nodes.paragraph)

    def _replace(self, node: nodes.Element, make: Any, mark: type[nodes.TextElement]) -> None:
        try:
            made = make(node)
        except NumbersError as error:
            made = [mark("", f"⟦{node['key']}: {error}⟧", classes=["bk-problem"])]
        for new in made:
            new["ids"] += node["ids"]
            new["names"] += node["names"]
            break
        node.replace_self(made)


def shown_node(part: Shown) -> nodes.Element:
    """The node of a resolved number or fact."""
    node = shown("", part.text, bookcode=part.role, key=part.key, spec=part.spec, hint=part.hint)
    node["disputed"] = part.disputed
    return node


def part_nodes(parts: Iterable[Part]) -> list[nodes.Node]:
    """Text and number nodes of a text with numbers in it."""
    return [nodes.Text(p) if isinstance(p, str) else shown_node(p) for p in parts]


def inline(library: Library, node: nodes.Element, language: str) -> list[nodes.Element]:
    """What an inline role shows.

    Raises:
        NumbersError: for an unknown key, format, wording or view.
    """
    role, key, spec = node["bookcode"], node["key"], node["spec"]
    if role == "num":
        return [shown_node(library.number(key, spec, language))]
    if role == "fact":
        return [shown_node(library.fact(key, spec, language))]
    if role == "src":
        return [source_node(library.citation(key, language), spec)]
    if role == "holds":
        parts = library.claim(key, spec, language)
        hint = library.explanation(key, language)
        return [verdict("", "", *part_nodes(parts), bookcode="holds", key=key, hint=hint)]
    latex = formula_latex(library, key, spec, language)
    return [nodes.math(latex, latex, bookcode="formula", key=key, view=spec)]


def formula_latex(library: Library, key: str, view: str, language: str) -> str:
    """LaTeX of a formula in one of its views.

    Raises:
        NumbersError: for an unknown key or view.
    """
    formula = library.formula(key)
    if view in ("", "symbols"):
        return formula.symbolic
    result = _result(library, key, language)
    if view == "values":
        return f"{formula.substituted} = {result}"
    if view == "full":
        return f"{formula.symbolic} = {formula.substituted} = {result}"
    raise NumbersError(f"formula {key}: no view {view!r}; known: symbols, values, full")


def _result(library: Library, key: str, language: str) -> str:
    record = library.numbers[key]
    value = Fraction(record.value)
    text = format_value(value, record.unit, record.spec, language=language)
    return rf"\text{{{text}}}"


def displayed(library: Library, node: nodes.Element, language: str) -> list[nodes.Element]:
    """What a figure or formula directive shows."""
    if node["bookcode"] == "figure":
        return [figure_node(library, node["key"], language)]
    formula = library.formula(node["key"])
    latex = formula_latex(library, node["key"], node["spec"], language)
    block = nodes.math_block(latex, latex, bookcode="formula", nowrap=False, number=None)
    block["label"] = None
    block["key"], block["view"] = node["key"], node["spec"]
    return [block, *where_list(library, formula, language)]


def where_list(library: Library, formula: FormulaText, language: str) -> list[nodes.Element]:
    """ "where W = ..., the elements of ..." under a displayed formula."""
    if not formula.where:
        return []
    paragraph = nodes.paragraph("", "", classes=["bk-where"], bookcode="formula")
    for latex, definition, meaning in formula.where:
        whole = f"{latex} = {definition}"
        paragraph += nodes.math(whole, whole)
        told = library.meaning(meaning, language)
        paragraph += nodes.Text(say("meaning", language, meaning=told))
    return [paragraph]


def figure_node(library: Library, key: str, language: str) -> nodes.figure:
    """A published figure: drawing, caption and alt text from one record."""
    record = library.figure(key)
    alt = plain(library.text(in_language(record.alts, language), language))
    caption = library.text(in_language(record.captions, language), language)
    figure = nodes.figure("", classes=["bk-published-figure"], bookcode="figure")
    figure["ids"].append(f"figure-{key.replace('.', '-')}")
    figure += svg_figure(svg=record.svg, alt=alt)
    figure += nodes.caption("", "", *part_nodes(caption))
    return figure

"""Recognises a formula of the ledger in math that somebody typed.

Two writings of one formula are the same if they differ in spaces, signs of multiplication, needless
braces, the kind of brackets, or the order of factors and of summands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from docutils import nodes

from ._locate import Source

_SIDES: Final = re.compile(
    r"=|\\approx|\\leq?(?![a-z])|\\geq?(?![a-z])|\\equiv|\\sim|\\propto|:=|<|>|&|\\\\"
)
_NOISE: Final = re.compile(
    r"\\(?:left|right|bigl?|bigr|Bigl?|Bigr|displaystyle|textstyle|quad|qquad|limits)(?![A-Za-z])"
    r"|\\[,;:! ]|\\(?:cdot|times|ast)(?![A-Za-z])|[~\s.,;]+$|[~\s·×*]"
)
_FRACTION: Final = re.compile(r"\\[dt]frac(?![A-Za-z])")
_TOKEN: Final = re.compile(
    r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|[A-Za-zͰ-Ͽ]|[_^{}()\[\]+\-−/|]|.", re.DOTALL
)
_CLOSES: Final = {"{": "}", "(": ")", "[": "]"}
_GREEK: Final = {
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "ε": r"\varepsilon", "η": r"\eta",
    "λ": r"\lambda", "π": r"\pi", "ρ": r"\rho", "σ": r"\sigma", "τ": r"\tau", r"\epsilon":
    r"\varepsilon",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TypedMath:
    """Math that stands in a page's source. Line and column count from 1."""

    line: int
    column: int
    latex: str


def find_math(document: nodes.document, source_text: str) -> list[TypedMath]:
    """The math of a document tree that no role or directive of the project made."""
    found = [
        node
        for node in document.findall(lambda n: isinstance(n, nodes.math | nodes.math_block))
        if isinstance(node, nodes.Element) and not _made(node)
    ]
    lines = [_line_of(node) for node in found]
    source = Source(source_text, lines)
    return [
        TypedMath(*source.locate(node.astext(), line, "", ""), node.astext())
        for node, line in zip(found, lines, strict=True)
    ]


def _made(node: nodes.Node) -> bool:
    above: nodes.Node | None = node
    while above is not None:
        if isinstance(above, nodes.Element) and above.get("bookcode"):
            return True
        above = above.parent
    return False


def _line_of(node: nodes.Node) -> int:
    above: nodes.Node | None = node
    while above is not None:
        if above.line:
            return int(above.line)
        above = above.parent
    return 1


class FormulaIndex:
    """Published formulas, found by any writing. Built from (key, LaTeX)."""

    def __init__(self, formulas: Iterable[tuple[str, str]]) -> None:
        self._keys: dict[str, list[str]] = {}
        for key, latex in formulas:
            if _is_calculation(latex):
                self._keys.setdefault(normal_form(latex), []).append(key)

    def same_formula(self, latex: str) -> list[str]:
        """The keys of the formulas that one side of `latex` repeats, in the order given."""
        keys = [k for side in _sides(latex) for k in self._keys.get(normal_form(side), [])]
        return list(dict.fromkeys(keys))


def _sides(latex: str) -> Iterator[str]:
    """The whole, the sides of its equations, and the summands next to them are not sides."""
    yield from (side for side in _SIDES.split(latex) if side.strip())


def _is_calculation(latex: str) -> bool:
    """Whether a formula combines at least two symbols or numbers: a letter alone is a name."""
    text = re.sub(r"\\text\{[^{}]*\}", "t", latex)
    text = re.sub(r"\\mathrm\{[^{}]*\}", "m", text)
    text = re.sub(r"_\s*(?:\{[^{}]*\}|\\?\w)", "", text)
    return len(re.findall(r"\\[A-Za-z]+|\d+(?:\.\d+)?|[A-Za-z]", text.replace(r"\frac", ""))) > 1


# normal form ------------------------------------------------------------------------------------
def normal_form(latex: str) -> str:
    """A text that two writings of one formula share."""
    cleaned = _FRACTION.sub(r"\\frac", _NOISE.sub(" ", latex))
    tokens = [_GREEK.get(token, token) for token in _TOKEN.findall(cleaned) if token.strip()]
    return _sum(tokens)


def _sum(tokens: list[str]) -> str:
    """Summands in a fixed order, each with its sign."""
    parts: list[tuple[str, list[str]]] = [("+", [])]
    for item in _items(tokens):
        if item in (["+"], ["-"], ["−"]):
            parts.append(("+" if item == ["+"] else "-", []))
        else:
            parts[-1][1].extend(item)
    return "".join(sorted(sign + _product(part) for sign, part in parts if part))


def _product(tokens: list[str]) -> str:
    """Factors in a fixed order, those of the denominator after a stroke."""
    above, below = _factors(tokens)
    product = "·".join(sorted(above)) or "1"
    return f"{product}/{'·'.join(sorted(below))}" if below else product


def _factors(tokens: list[str]) -> tuple[list[str], list[str]]:
    """Numerator and denominator of a product; each factor keeps its index and exponent."""
    above: list[str] = []
    below: list[str] = []
    items = list(_items(tokens))
    index, side = 0, above
    while index < len(items):
        item, rest = items[index], items[index + 1 :]
        if item == ["\\frac"] and len(rest) > 1:
            for part, target in ((rest[0], side), (rest[1], below if side is above else above)):
                _put(part, target, below if target is above else above)
            index += 2
        elif item[0] in ("_", "^") and side and rest:
            side[-1] += item[0] + _sum(_inside(rest[0]))
            index += 1
        elif item == ["/"]:
            side = below
            index += 1
            continue
        else:
            _put(item, side, below if side is above else above)
        index += 1
        side = side if index < len(items) and items[index][0] in ("_", "^") else above
    return above, below


def _put(item: list[str], side: list[str], other: list[str]) -> None:
    """Add an item to one side of a fraction; a product in brackets comes in factor by factor."""
    inner = _inside(item)
    if len(item) > 1 and not {"+", "-", "−"} & {i[0] for i in _items(inner) if len(i) == 1}:
        own, divided = _factors(inner)
        side += own
        other += divided
    else:
        side.append(f"({_sum(inner)})" if len(item) > 1 else item[0])


def _inside(item: list[str]) -> list[str]:
    return item[1:-1] if len(item) > 1 and item[0] in _CLOSES else item


def _items(tokens: list[str]) -> Iterator[list[str]]:
    """Tokens, with what stands in brackets as one item."""
    index = 0
    while index < len(tokens):
        end = index + 1
        if tokens[index] in _CLOSES:
            depth = 1
            while end < len(tokens) and depth:
                depth += (tokens[end] in _CLOSES) - (tokens[end] in _CLOSES.values())
                end += 1
        yield tokens[index:end]
        index = end

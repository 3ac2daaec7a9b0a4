"""Prints a formula as a textbook would: 2MNK, H(4S²d + 5S²), "where W = ...".

The author's order and grouping are kept. Three views of one tree: with symbols, with the values in
their place, and the list of symbols that occur.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from bookcode.numbers.errors import NumbersError
from bookcode.numbers.expr import Expr, walk

_RELATED, _NEGATIVE, _SUM, _PRODUCT, _PREFIX, _POWER, _ATOM = range(7)
_RELATION = {"lt": "<", "le": r"\le", "gt": ">", "ge": r"\ge", "eq": "=", "ne": r"\ne"}
_JOIN = {"and": r"\wedge", "or": r"\vee"}


class FormulaError(NumbersError):
    """A formula in which one letter would stand for two things."""


@dataclass(frozen=True)
class Printed:
    """A formula ready to be set.

    Attributes:
        symbolic: LaTeX with symbols.
        substituted: the same with the values in place of the symbols.
        where: (symbol, LaTeX of its definition, meaning) for each named intermediate.
        symbols: (symbol, meaning, value as text) for each letter, in order of appearance.
    """

    symbolic: str
    substituted: str
    where: tuple[tuple[str, str, str], ...]
    symbols: tuple[tuple[str, str, str], ...]


def print_formula(expr: Expr) -> Printed:
    """The printed views of a formula.

    Raises:
        FormulaError: when one letter stands for two things, or for one thing with two values.
    """
    letters: dict[str, tuple[str, str]] = {}
    where: dict[str, tuple[str, str]] = {}
    for node in walk(expr):
        if node.op == "symbol":
            latex, meaning, value = node.args
            _meet(letters, latex, (meaning, "" if value is None else number_latex(value)))
        elif node.op == "number":
            key, value = node.args
            _meet(letters, key_latex(key), (f"published number {key}", number_latex(value)))
        elif node.op == "named":
            definition, latex, meaning = node.args
            _meet(where, latex, (_render(definition, _symbol), meaning))
    if both := set(letters) & set(where):
        raise FormulaError(f"the letter {min(both)} is both a size and an intermediate result")
    return Printed(
        _render(expr, _symbol),
        _render(expr, _value),
        tuple((latex, *rest) for latex, rest in where.items()),
        tuple((latex, *rest) for latex, rest in letters.items()),
    )


def _meet(seen: dict[str, tuple[str, str]], latex: str, entry: tuple[str, str]) -> None:
    if seen.setdefault(latex, entry) != entry:
        raise FormulaError(
            f"the letter {latex} would stand for {seen[latex]} and for {entry} in one formula; "
            "publish the parts first and compose the published numbers"
        )


def key_latex(key: str) -> str:
    """A published number's key, set as a name."""
    return r"\text{" + key.replace("_", r"\_") + "}"


def number_latex(value: object) -> str:
    """A number as a formula shows it: whole numbers grouped, 989.5 x 10^12, fractions as such."""
    if not isinstance(value, int | Fraction):
        return rf"\text{{{value}}}"
    value = Fraction(value)
    if value.denominator == 1:
        sign, whole = ("-" if value < 0 else ""), abs(value.numerator)
        digits = str(whole)
        if len(digits) > 6 and len(digits.rstrip("0")) <= 6:
            power = (len(digits) - 1) // 3 * 3
            mantissa = f"{digits[:-power]}.{digits[-power:]}".rstrip("0").rstrip(".")
            factor = "" if mantissa == "1" else rf"{mantissa} \cdot "
            return rf"{sign}{factor}10^{{{power}}}"
        return sign + _grouped(whole)
    scaled = value * 10**4
    if scaled.denominator == 1:
        return f"{float(value):.4f}".rstrip("0")
    sign = "-" if value < 0 else ""
    return rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


def _grouped(whole: int) -> str:
    return f"{whole:,}".replace(",", r"\,") if whole >= 10_000 else str(whole)


def _symbol(leaf: Expr) -> str:
    return key_latex(leaf.args[0]) if leaf.op == "number" else str(leaf.args[0])


def _value(leaf: Expr) -> str:
    value = leaf.args[1] if leaf.op == "number" else leaf.args[2]
    return str(leaf.args[0]) if value is None else number_latex(value)


Leaf = Callable[[Expr], str]


def _render(expr: Expr, leaf: Leaf) -> str:
    return _print(expr, leaf)[0]


def _print(node: Expr, leaf: Leaf) -> tuple[str, int]:
    """LaTeX and how tightly its outermost operation binds."""
    if node.op in ("symbol", "number", "const"):
        text = number_latex(node.args[0]) if node.op == "const" else leaf(node)
        return text, _leaf_binding(text)
    if node.op == "named":
        return (str(node.args[1]), _ATOM) if leaf is _symbol else _print(node.args[0], leaf)
    if node.op == "measured":
        return _print(node.args[0], leaf)
    printer = _PRINTERS.get(node.op)
    if printer is None:
        raise FormulaError(f"a formula cannot show the operation {node.op!r}")
    return printer(node, leaf)


def _leaf_binding(text: str) -> int:
    if text.startswith("-"):
        return _NEGATIVE
    if r"\cdot" in text:
        return _PREFIX
    return _POWER if text.startswith((r"\frac", "10^")) else _ATOM


def _inside(node: Expr, leaf: Leaf, at_least: int) -> str:
    text, binding = _print(node, leaf)
    return text if binding >= at_least else rf"\left({text}\right)"


def _sum(node: Expr, leaf: Leaf) -> tuple[str, int]:
    left, right = node.args
    sign = "+" if node.op == "add" else "-"
    tight = _SUM if node.op == "add" else _PRODUCT
    return f"{_inside(left, leaf, _NEGATIVE)} {sign} {_inside(right, leaf, tight)}", _SUM


def _product(node: Expr, leaf: Leaf) -> tuple[str, int]:
    left = _inside(node.args[0], leaf, _PRODUCT)
    right = _inside(node.args[1], leaf, _PREFIX)
    mixed_number = right.startswith(r"\frac") and left[-1].isdigit()
    words = right.startswith(r"\text") or left.rpartition(" ")[2].startswith(r"\text")
    dot = right[0].isdigit() or mixed_number or words
    sign = r" \cdot " if dot else " "
    return f"{left}{sign}{right}", _PRODUCT


def _quotient(node: Expr, leaf: Leaf) -> tuple[str, int]:
    above, below = (_render(operand, leaf) for operand in node.args)
    return rf"\frac{{{above}}}{{{below}}}", _POWER


def _power(node: Expr, leaf: Leaf) -> tuple[str, int]:
    return f"{_inside(node.args[0], leaf, _ATOM)}^{{{node.args[1]}}}", _POWER


def _negation(node: Expr, leaf: Leaf) -> tuple[str, int]:
    return f"-{_inside(node.args[0], leaf, _PRODUCT)}", _NEGATIVE


def _function(name: str, opening: str, closing: str) -> Callable[[Expr, Leaf], tuple[str, int]]:
    def printer(node: Expr, leaf: Leaf) -> tuple[str, int]:
        inner = r",\; ".join(_render(operand, leaf) for operand in node.args)
        return rf"{name}\left{opening}{inner}\right{closing}", _ATOM

    return printer


def _cases(node: Expr, leaf: Leaf) -> tuple[str, int]:
    condition, when_true, when_false = (_render(operand, leaf) for operand in node.args)
    rows = rf"{when_true} & {condition} \\ {when_false} & \text{{otherwise}}"
    return rf"\begin{{cases}}{rows}\end{{cases}}", _POWER


def _relation(node: Expr, leaf: Leaf) -> tuple[str, int]:
    sign = _RELATION.get(node.op) or _JOIN[node.op]
    return f" {sign} ".join(_inside(part, leaf, _NEGATIVE) for part in node.args), _RELATED


def _between(node: Expr, leaf: Leaf) -> tuple[str, int]:
    value, low, high = (_render(operand, leaf) for operand in node.args)
    return rf"{low} \le {value} \le {high}", _RELATED


def _not(node: Expr, leaf: Leaf) -> tuple[str, int]:
    return rf"\neg {_inside(node.args[0], leaf, _ATOM)}", _PREFIX


_PRINTERS: dict[str, Callable[[Expr, Leaf], tuple[str, int]]] = {
    "add": _sum,
    "sub": _sum,
    "mul": _product,
    "div": _quotient,
    "pow": _power,
    "neg": _negation,
    "max": _function(r"\max", "(", ")"),
    "min": _function(r"\min", "(", ")"),
    "log10": _function(r"\log_{10}", "(", ")"),
    "ceil": _function("", r"\lceil", r"\rceil"),
    "select": _cases,
    "between": _between,
    "not": _not,
    **dict.fromkeys(_RELATION, _relation),
    **dict.fromkeys(_JOIN, _relation),
}

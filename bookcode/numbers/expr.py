"""Traced expressions: their value at given parameters, their nodes, their variables.

The nodes are those of :mod:`bookcode.numbers.tracer`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from bookcode.ledger.protocol import log10
from bookcode.numbers.tracer import Expr, TraceError, is_zero, ledger_place, lift

__all__ = [
    "Evaluator",
    "Expr",
    "TraceError",
    "Value",
    "children",
    "evaluate",
    "is_zero",
    "ledger_place",
    "lift",
    "variables_of",
    "walk",
]

Value = Fraction | str | bool

_EVALUATE: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "max": lambda *v: max(v),
    "min": lambda *v: min(v),
    "ceil": lambda a: Fraction(math.ceil(a)),
    "select": lambda c, a, b: a if c else b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": lambda a: not a,
    "between": lambda a, low, high: low <= a <= high,
    "measured": lambda a: a,
    "named": lambda a: a,
    "log10": log10,
}


class Evaluator:
    """Values of traced expressions at one assignment of the chapter's parameters.

    What expressions share is computed once.

    Raises (when called):
        TraceError: for a parameter without a value, or a combination a table does not hold.
    """

    def __init__(self, variables: Mapping[str, Value]) -> None:
        self._variables = variables
        self._done: dict[int, Value] = {}

    def __call__(self, expr: Expr) -> Value:
        done, stack = self._done, [expr]
        while stack:
            node = stack[-1]
            missing = [child for child in children(node) if child.serial not in done]
            if missing:
                stack.extend(reversed(missing))
                continue
            stack.pop()
            if node.serial not in done:
                done[node.serial] = self._compute(node)
        return done[expr.serial]

    def _compute(self, node: Expr) -> Value:
        if node.op == "const":
            return node.args[0]  # type: ignore[no-any-return]
        if node.op == "var":
            return self._variable(node)
        if node.op in ("symbol", "number"):
            return node.args[-1]  # type: ignore[no-any-return]
        if node.op == "lookup":
            key = tuple(str(self._variable(variable)) for variable in node.args[1])
            try:
                return node.args[0][key]  # type: ignore[no-any-return]
            except KeyError:
                raise TraceError(f"no entry for {', '.join(key)}") from None
        operands = [self._done[child.serial] for child in children(node)]
        if node.op == "pow":
            return operands[0] ** node.args[1]  # type: ignore[no-any-return]
        return _EVALUATE[node.op](*operands)  # type: ignore[no-any-return]

    def _variable(self, node: Expr) -> Value:
        try:
            return self._variables[node.args[0]]
        except KeyError:
            raise TraceError(f"parameter {node.args[0]!r} has no value") from None


def evaluate(expr: Expr, variables: Mapping[str, Value]) -> Value:
    """The value of a traced expression, with the chapter's parameters given.

    Raises:
        TraceError: for a parameter without a value, or a combination a table does not hold.
    """
    return Evaluator(variables)(expr)


def walk(expr: Expr, known: Container[int] = ()) -> Iterator[Expr]:
    """Every node once, operands before the node that uses them.

    Nodes whose serial is in ``known``, and what only they use, are left out.
    """
    seen: set[int] = set()
    stack: list[tuple[Expr, bool]] = [(expr, False)]
    while stack:
        node, ready = stack.pop()
        if node.serial in seen or node.serial in known:
            continue
        if ready:
            seen.add(node.serial)
            yield node
            continue
        stack.append((node, True))
        stack.extend((child, False) for child in reversed(children(node)))


def children(node: Expr) -> tuple[Expr, ...]:
    """The operands of a node that are expressions; found once, for nodes do not change."""
    if node.operands is None:
        direct = [a for a in node.args if isinstance(a, Expr)]
        nested = [v for a in node.args if isinstance(a, tuple) for v in a if isinstance(v, Expr)]
        node.operands = (*direct, *nested)
    return node.operands


def variables_of(expr: Expr) -> list[str]:
    """The chapter parameters that the expression depends on, in order of first use."""
    stack = [expr]
    while stack:
        node = stack[-1]
        if node.variables is None:
            unknown = [child for child in children(node) if child.variables is None]
            if unknown:
                stack.extend(reversed(unknown))
                continue
            own = node.args[:1] if node.op == "var" else ()
            below = [name for child in children(node) for name in child.variables or ()]
            node.variables = tuple(dict.fromkeys([*own, *below]))
        stack.pop()
    return list(expr.variables or ())


def words_of(expr: Expr) -> list[str]:
    """The words that an expression may come to, sorted: its constants and those of its tables."""
    found: set[str] = set()
    for node in walk(expr):
        if node.op == "lookup":
            values: Iterable[Any] = node.args[0].values()
        else:
            values = node.args if node.op == "const" else ()
        found.update(value for value in values if isinstance(value, str))
    return sorted(found)

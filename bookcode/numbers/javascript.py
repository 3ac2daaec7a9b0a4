"""Prints traced expressions as one plain ES module per chapter.

The module exports ``compute(parameters)``, which returns every value by key. No runtime, no eval;
shared subexpressions are computed once. Comparisons take values within 1e-12 of each other as
equal, so that an exact tie stays a tie in double arithmetic. Where a table has no entry the value
is NaN, and so is everything that rests on it, verdicts and words included.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from bookcode.numbers.expr import Expr, variables_of, walk
from bookcode.numbers.records import PARAMETERS_LINE

HELPERS = """\
const near = (a, b) => Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));
const no = (...values) => values.some((value) => value !== value);
const eq = (a, b) => (no(a, b) ? NaN : a === b || (typeof a === "number" && near(a, b)));
const lt = (a, b) => (no(a, b) ? NaN : a < b && !near(a, b));
const le = (a, b) => (no(a, b) ? NaN : a < b || near(a, b));
const and = (a, b) => (no(a, b) ? NaN : a && b);
const or = (a, b) => (no(a, b) ? NaN : a || b);
const not = (a) => (no(a) ? NaN : !a);
const pick = (condition, a, b) => (no(condition) ? NaN : condition ? a : b);
const ceil = (a) => (near(a, Math.round(a)) ? Math.round(a) : Math.ceil(a));
const at = (table, ...keys) => keys.reduce((row, key) => (row ?? {})[key], table) ?? NaN;
"""

_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_CALLS = {
    "max": "Math.max",
    "min": "Math.min",
    "ceil": "ceil",
    "log10": "Math.log10",
    "and": "and",
    "or": "or",
    "not": "not",
    "select": "pick",
}
_COMPARE = {
    "lt": "lt({0}, {1})",
    "le": "le({0}, {1})",
    "gt": "lt({1}, {0})",
    "ge": "le({1}, {0})",
    "eq": "eq({0}, {1})",
    "ne": "not(eq({0}, {1}))",
    "between": "and(le({1}, {0}), le({0}, {2}))",
}


class Module:
    """The ES module of a chapter whose numbers come one after another; each is read once.

    Attributes:
        expressions: traced expression by key.
        computes: whether anything in it depends on a parameter.
    """

    def __init__(self) -> None:
        self.expressions: dict[str, Expr] = {}
        self.computes = False
        self._printer = _Printer()

    def add(self, key: str, expr: Expr) -> None:
        """Add a traced expression."""
        self.expressions[key] = expr
        self._printer.visit(expr)
        self.computes = self.computes or bool(variables_of(expr))

    def text(self, parameters: Mapping[str, Any]) -> str:
        """The module's text so far.

        Args:
            parameters: name to a JSON description, exported as ``parameters``.
        """
        printer = self._printer
        entries = [
            f"    {json.dumps(key)}: {printer.text(expr)},"
            for key, expr in self.expressions.items()
        ]
        return "\n".join(
            [
                "// Printed by the build from the ledger. Do not edit.",
                HELPERS,
                f"{PARAMETERS_LINE} = {json.dumps(parameters, ensure_ascii=False)};",
                *printer.tables(),
                "",
                "export function compute(p) {",
                *printer.definitions(),
                "  return {",
                *entries,
                "  };",
                "}",
                "",
            ]
        )


def literal(value: Any) -> str:
    """A constant as JavaScript: the nearest double of an exact number."""
    if isinstance(value, Fraction):
        double = float(value)
        return str(int(double)) if double.is_integer() and abs(double) < 2**53 else repr(double)
    return json.dumps(value, ensure_ascii=False)


class _Printer:
    """Gives equal subexpressions one number and hoists those used more than once."""

    def __init__(self) -> None:
        self._number: dict[tuple[Any, ...], int] = {}
        self._shape: list[tuple[Any, ...]] = []
        self._uses: list[int] = []
        self._of: dict[int, int] = {}
        self._tables: dict[str, str] = {}

    def visit(self, expr: Expr) -> None:
        for node in walk(expr, self._of):
            shape = self._shape_of(node)
            if shape not in self._number:
                self._number[shape] = len(self._shape)
                self._shape.append(shape)
                self._uses.append(0)
                for child in _operands(shape):
                    self._uses[child] += 1
            self._of[node.serial] = self._number[shape]
        self._uses[self._of[expr.serial]] += 1

    def _shape_of(self, node: Expr) -> tuple[Any, ...]:
        if node.op in ("const", "var"):
            return (node.op, type(node.args[0]).__name__, node.args[0])
        if node.op in ("named", "measured"):
            return ("same", self._of[node.args[0].serial])
        if node.op == "lookup":
            table, keys = node.args
            return ("lookup", self._table(table), *(self._of[key.serial] for key in keys))
        if node.op == "pow":
            return ("pow", node.args[1], self._of[node.args[0].serial])
        return (node.op, *(self._of[child.serial] for child in node.args))

    def _table(self, entries: Mapping[tuple[str, ...], Any]) -> str:
        nested: dict[str, Any] = {}
        for keys, value in entries.items():
            row = nested
            for key in keys[:-1]:
                row = row.setdefault(key, {})
            row[keys[-1]] = value
        text = _object(nested)
        return self._tables.setdefault(text, f"table{len(self._tables)}")

    def tables(self) -> list[str]:
        return [f"const {name} = {text};" for text, name in self._tables.items()]

    def definitions(self) -> list[str]:
        return [
            f"  const v{number} = {self._body(number)};"
            for number, shape in enumerate(self._shape)
            if self._hoisted(number, shape)
        ]

    def text(self, expr: Expr) -> str:
        return self._ref(self._of[expr.serial])

    def _hoisted(self, number: int, shape: tuple[Any, ...]) -> bool:
        return self._uses[number] > 1 and shape[0] not in ("const", "var", "same")

    def _ref(self, number: int) -> str:
        shape = self._shape[number]
        return f"v{number}" if self._hoisted(number, shape) else self._body(number)

    def _body(self, number: int) -> str:
        op, *rest = self._shape[number]
        if op == "const":
            return literal(rest[1])
        if op == "var":
            return f"p.{rest[1]}"
        if op == "same":
            return self._ref(rest[0])
        if op == "lookup":
            return f"at({rest[0]}, {', '.join(map(self._ref, rest[1:]))})"
        if op == "pow":
            return f"({self._ref(rest[1])}) ** {rest[0]}" if rest[0] else "1"
        operands = [self._ref(child) for child in rest]
        if op in _INFIX:
            return f"({operands[0]} {_INFIX[op]} {operands[1]})"
        if op in _CALLS:
            return f"{_CALLS[op]}({', '.join(operands)})"
        if op in _COMPARE:
            return _COMPARE[op].format(*operands)
        assert op == "neg", op
        return f"(-{operands[0]})"


def _operands(shape: tuple[Any, ...]) -> tuple[int, ...]:
    if shape[0] in ("const", "var"):
        return ()
    return shape[2:] if shape[0] in ("lookup", "pow") else shape[1:]


def _object(nested: Mapping[str, Any]) -> str:
    items = (
        f"{json.dumps(key)}: {_object(v) if isinstance(v, dict) else literal(v)}"
        for key, v in nested.items()
    )
    return "{" + ", ".join(items) + "}"

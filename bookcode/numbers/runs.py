"""The three runs over the graph of a number: plain numbers, variables, formal symbols.

With plain numbers it gives the value, with the chapter's parameters as variables the JavaScript,
and with formal symbols the printed formula and the unit.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from fractions import Fraction
from types import CodeType
from typing import Any

from bookcode.ledger import protocol
from bookcode.ledger.operator import arguments
from bookcode.ledger.tables import TABLES
from bookcode.numbers.expr import Evaluator, Expr, lift
from bookcode.numbers.graph import (
    NODES,
    CallNode,
    FactNode,
    FieldNode,
    GivenNode,
    MethodNode,
    OperationNode,
    ParameterNode,
    PublishedNode,
)
from bookcode.numbers.parameters import Choice, Parameter, Point, Quantity, python_value
from bookcode.numbers.stand_ins import FormalRow, TracedRow, parameter_leaf, symbol_leaf
from bookcode.numbers.units import parse_unit


class Evaluation:
    """One run over a graph; shared nodes are computed once."""

    def __init__(self) -> None:
        self._done: dict[Any, Any] = {}  # nodes are hashed by identity

    def __call__(self, node: Any) -> Any:
        if not isinstance(node, NODES):
            return node
        if node not in self._done:
            self._done[node] = self._compute(node)
        return self._done[node]

    def _compute(self, node: Any) -> Any:
        match node:
            case ParameterNode(parameter):
                return self.parameter(parameter)
            case FactNode():
                return self.fact(node)
            case CallNode(function, given):
                return function(**{name: self(value) for name, value in given.items()})
            case GivenNode(call, name):
                return self.given(call, name)
            case FieldNode(base, name):
                return getattr(self(base), name)
            case MethodNode(base, given):
                return self(base)(*given)
            case OperationNode(function, operands):
                return function(*map(self, operands))
            case PublishedNode():
                return self.published(node)
        raise AssertionError(node)

    def parameter(self, parameter: Parameter) -> Any:
        raise NotImplementedError

    def fact(self, node: FactNode) -> Any:
        return node.value

    def given(self, call: CallNode, name: str) -> Any:
        return protocol.exact(self(call.arguments[name]))

    def published(self, node: PublishedNode) -> Any:
        return self(node.node)


class Plain(Evaluation):
    """Numbers at one assignment of the parameters."""

    def __init__(self, point: Point | None = None) -> None:
        super().__init__()
        self._point = point or {}

    def parameter(self, parameter: Parameter) -> Any:
        return python_value(parameter, self._point.get(parameter.name, parameter.default))


class Marked(Plain):
    """Numbers at the defaults; for published ones the value that they were published with.

    Attributes:
        met: the published numbers that were met, by key.
    """

    def __init__(self) -> None:
        super().__init__()
        self.met: set[str] = set()

    def published(self, node: PublishedNode) -> Any:
        self.met.add(node.key)
        return node.value


class Traced(Evaluation):
    """Parameters as variables; what does not depend on one stays a number."""

    def parameter(self, parameter: Parameter) -> Any:
        if isinstance(parameter, Quantity):
            return parameter_leaf(parameter.name)
        row_class = type(next(iter(parameter.rows.values())))
        return TracedRow(row_class, parameter.rows, parameter.name)


class Formal(Evaluation):
    """Formal symbols: each ledger call is seen with its own letters.

    A published operand of an operation appears under its key, so that a composed formula reads as
    one step, not as everything below it.
    """

    def __init__(self, plain: Plain) -> None:
        super().__init__()
        self._plain = plain

    def parameter(self, parameter: Parameter) -> Any:
        value = python_value(parameter, parameter.default)
        if isinstance(parameter, Choice):
            return FormalRow(type(value), value)
        return Expr("number", parameter.name, value, unit=parse_unit(parameter.unit))

    def fact(self, node: FactNode) -> Any:
        return Expr("number", node.key, node.value, unit=parse_unit(node.unit))

    def given(self, call: CallNode, name: str) -> Any:
        symbol = arguments(call.function)[name].symbol
        assert symbol is not None
        value = protocol.exact(self._plain(call.arguments[name]))
        return symbol_leaf(symbol.latex, symbol.unit, symbol.meaning, value)

    def published(self, node: PublishedNode) -> Any:
        if isinstance(node.value, Fraction):
            return Expr("number", node.key, node.value, unit=parse_unit(node.unit))
        return self(node.node)

    def _compute(self, node: Any) -> Any:
        return self._call(node) if isinstance(node, CallNode) else super()._compute(node)

    def _call(self, node: CallNode) -> Any:
        given = dict(node.arguments)
        for name, argument in arguments(node.function).items():
            value = self._plain(given.get(name, _default(node.function, name)))
            if value is None:
                continue
            if argument.symbol is not None:
                symbol = argument.symbol
                exact = protocol.exact(value)
                given[name] = symbol_leaf(symbol.latex, symbol.unit, symbol.meaning, exact)
            elif argument.row is not None:
                given[name] = FormalRow(argument.row, _row(argument.row, value), argument.subscript)
            elif name in given:
                given[name] = self(given[name])
        return node.function(**given)


@functools.cache
def _default(function: Callable[..., Any], name: str) -> Any:
    default = inspect.signature(function).parameters[name].default
    return None if default is inspect.Parameter.empty else default


def _row(row_class: type, value: Any) -> Any:
    return TABLES[row_class][value] if isinstance(value, str) else value


class Runs:
    """The runs that all numbers of a chapter share: what two numbers rest on is computed once.

    Attributes:
        reached: the ledger's code that each published number ran through, by key.
    """

    def __init__(self) -> None:
        self.reached: dict[str, set[CodeType]] = {}
        self.plain = Plain()
        self.traced = Traced()
        self._formal = Formal(self.plain)
        self._at: dict[tuple[Any, ...], tuple[Plain, Evaluator]] = {}

    def formal(self, node: Any) -> Any:
        """The node with formal symbols; constants are lifted too, so that they have a unit."""
        with protocol.constants_as(lift):
            return self._formal(node)

    def at(self, point: Point) -> tuple[Plain, Evaluator]:
        """Re-run and traced values at one assignment of the parameters."""
        key = tuple(sorted(point.items()))
        if key not in self._at:
            values = {n: v if isinstance(v, str) else Fraction(v) for n, v in point.items()}
            self._at[key] = Plain(point), Evaluator(values)
        return self._at[key]

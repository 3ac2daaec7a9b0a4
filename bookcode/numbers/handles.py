"""Lazy expressions over ledger calls: one graph, evaluated three ways.

A handle stands for a ledger call, a field of its result, a fact, a chapter parameter, or arithmetic
on other handles. Its graph is evaluated with plain numbers (the value), with the parameters as
variables (the JavaScript), and with formal symbols (the printed formula and the unit).
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn

from bookcode.ledger import protocol
from bookcode.ledger.operator import arguments
from bookcode.numbers.errors import NumbersError, did_you_mean
from bookcode.numbers.expr import Expr
from bookcode.numbers.parameters import Choice, Parameter, Point, Quantity, python_value
from bookcode.numbers.stand_ins import FormalRow, TracedRow, parameter_leaf, symbol_leaf
from bookcode.numbers.units import parse_unit

ALLOWED_CONSTANTS = "1, 2 and powers of ten"


class HandleError(NumbersError):
    """A handle was used in a way that would lose where a number comes from."""


@dataclass(frozen=True, eq=False)
class ParameterNode:
    """A chapter parameter."""

    parameter: Parameter


@dataclass(frozen=True, eq=False)
class FactNode:
    """A fact of the registry, with its value and unit."""

    key: str
    value: Fraction
    unit: str


@dataclass(frozen=True, eq=False)
class CallNode:
    """A ledger function applied to named arguments (nodes or plain values)."""

    function: Callable[..., Any]
    arguments: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class FieldNode:
    """A field of a result."""

    base: Any
    name: str


@dataclass(frozen=True, eq=False)
class MethodNode:
    """A method of a result called with static arguments."""

    base: Any
    arguments: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class OperationNode:
    """Arithmetic, comparison or a protocol function on nodes and constants."""

    function: Callable[..., Any]
    operands: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class PublishedNode:
    """A node under the key it was published with; formulas treat it as a whole."""

    node: Any
    key: str
    unit: str
    value: Any


@dataclass(frozen=True, eq=False)
class GivenNode:
    """A size that a ledger call was given, so that a page can state it without typing it again."""

    call: CallNode
    name: str


NODES = (
    ParameterNode,
    FactNode,
    CallNode,
    GivenNode,
    FieldNode,
    MethodNode,
    OperationNode,
    PublishedNode,
)


class Evaluation:
    """One run over a graph; shared nodes are computed once."""

    def __init__(self) -> None:
        self._done: dict[int, Any] = {}

    def __call__(self, node: Any) -> Any:
        if not isinstance(node, NODES):
            return node
        if id(node) not in self._done:
            self._done[id(node)] = self._compute(node)
        return self._done[id(node)]

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

    def __init__(self) -> None:
        super().__init__()
        self._plain = Plain()

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


def _default(function: Callable[..., Any], name: str) -> Any:
    import inspect

    default = inspect.signature(function).parameters[name].default
    return None if default is inspect.Parameter.empty else default


def _row(row_class: type, value: Any) -> Any:
    from bookcode.ledger.tables import TABLES

    return TABLES[row_class][value] if isinstance(value, str) else value


def _operation(function: Callable[..., Any], swap: bool = False) -> Callable[..., Handle]:
    def method(self: Handle, other: Any) -> Handle:
        operands = (other, self) if swap else (self, other)
        return Handle(OperationNode(function, tuple(map(node_of, operands))))

    return method


class Handle:
    """What ``publish`` and ``row`` return: an expression that a cell can go on calculating with."""

    __slots__ = ("_fields", "_node", "_value")

    def __init__(self, node: Any, fields: Mapping[str, Handle] | None = None) -> None:
        self._node = node
        self._value = Plain()(node)
        self._fields = fields or {}

    def __getattr__(self, name: str) -> Handle:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._fields:
            return self._fields[name]
        if not hasattr(self._value, name):
            valid = field_names(self._value)
            raise AttributeError(
                f"{type(self._value).__name__} has no field {name!r}{did_you_mean(name, valid)}"
            )
        return Handle(FieldNode(self._node, name))

    def __call__(self, *static: Any) -> Handle:
        if not callable(self._value):
            raise HandleError(f"{self!r} is not a method of a result")
        return Handle(MethodNode(self._node, static))

    __add__, __radd__ = _operation(operator.add), _operation(operator.add, swap=True)
    __sub__, __rsub__ = _operation(operator.sub), _operation(operator.sub, swap=True)
    __mul__, __rmul__ = _operation(operator.mul), _operation(operator.mul, swap=True)
    __truediv__ = _operation(operator.truediv)
    __rtruediv__ = _operation(operator.truediv, swap=True)
    __lt__, __le__ = _operation(operator.lt), _operation(operator.le)
    __gt__, __ge__ = _operation(operator.gt), _operation(operator.ge)
    __eq__ = _operation(operator.eq)  # type: ignore[assignment]
    __ne__ = _operation(operator.ne)  # type: ignore[assignment]
    __and__, __or__ = _operation(operator.and_), _operation(operator.or_)

    def __pow__(self, exponent: int) -> Handle:
        return Handle(OperationNode(lambda base: base**exponent, (self._node,)))

    def __ledger__(self, name: str, given: tuple[Any, ...]) -> Handle:
        """A protocol function (maximum, log10, ...) used on handles in a cell."""
        return Handle(OperationNode(getattr(protocol, name), tuple(map(node_of, given))))

    def between(self, low: Any, high: Any) -> Handle:
        """Whether low <= value <= high; the ends are published numbers or allowed constants."""
        return self.__ledger__("between", (self, low, high))

    def orders_above(self, other: Handle) -> Handle:
        """How many orders of magnitude this lies above ``other``."""
        return self.__ledger__("log10", (self / other,))

    def _refused(self, *_: Any) -> NoReturn:
        raise HandleError(
            "a published number has no bare value in a cell: compare through book.claim(), "
            "show it through a role, draw it through book.value()"
        )

    __bool__ = __float__ = __int__ = __str__ = __format__ = __hash__ = _refused

    def __repr__(self) -> str:
        return f"<handle of {type(self._value).__name__}>"


def node_of(value: Any) -> Any:
    """The node behind a handle; other values as they are."""
    return value._node if isinstance(value, Handle) else value


def field_names(value: Any) -> list[str]:
    """The fields of a result that a cell may name."""
    own = [f.name for f in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else []
    properties = [n for n in dir(type(value)) if isinstance(getattr(type(value), n), property)]
    return sorted({n for n in [*own, *properties] if not n.startswith("_")})


def operands(node: Any) -> list[Any]:
    """What a node is made of, one level down."""
    match node:
        case CallNode(_, given):
            return list(given.values())
        case FieldNode(base) | MethodNode(base) | GivenNode(base):
            return [base]
        case OperationNode(_, parts):
            return list(parts)
        case PublishedNode(inner):
            return [inner]
    return []


def below(node: Any) -> Iterator[Any]:
    """The node and everything under it, outermost first."""
    yield node
    for operand in operands(node):
        yield from below(operand)


def constants(node: Any) -> list[Any]:
    """The literals that a cell wrote into an expression (arguments of calls are not)."""
    if isinstance(node, CallNode | PublishedNode):
        return []
    if isinstance(node, NODES):
        return [c for operand in operands(node) for c in constants(operand)]
    return [node]


def is_allowed_constant(value: Any) -> bool:
    """Whether a literal may stand in a published expression: 1, 2, powers of ten, words, bools."""
    if isinstance(value, bool | str):
        return True
    if not isinstance(value, int | Fraction) or value <= 0:
        return False
    reduced = Fraction(value)
    while reduced >= 10 and reduced % 10 == 0:
        reduced /= 10
    return reduced in (1, 2)


def rests_on_something(node: Any) -> bool:
    """Whether the value comes from a ledger call, a fact or a parameter, not from a bare number."""
    return any(isinstance(n, CallNode | FactNode | ParameterNode) for n in below(node))


def calls(node: Any) -> list[CallNode]:
    """The ledger calls below a node, outermost first, each once."""
    return list({id(n): n for n in below(node) if isinstance(n, CallNode)}.values())


def facts(node: Any) -> list[str]:
    """The keys of the facts below a node, each once."""
    return list(dict.fromkeys(n.key for n in below(node) if isinstance(n, FactNode)))

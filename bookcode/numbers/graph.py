"""The graph behind published numbers: what each is made of. Evaluations are elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bookcode.numbers.parameters import Parameter

ALLOWED_CONSTANTS = "1, 2 and powers of ten"


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
    """The node and everything under it, each once, outermost first."""
    yield from _walk(node, set(), ())


def constants(node: Any) -> list[Any]:
    """The literals that a cell wrote into an expression (arguments of calls are not)."""
    closed = (CallNode, PublishedNode)
    return [n for n in _walk(node, set(), closed) if not isinstance(n, NODES)]


def _walk(node: Any, seen: set[Any], closed: tuple[type, ...]) -> Iterator[Any]:
    """Nodes and plain values in depth-first order; those of ``closed`` are not looked into."""
    if isinstance(node, NODES):
        if node in seen:
            return
        seen.add(node)
    yield node
    for operand in () if isinstance(node, closed) else operands(node):
        yield from _walk(operand, seen, closed)


def is_allowed_constant(value: Any) -> bool:
    """Whether a literal may stand in a published expression: 1, 2, powers of ten, words, bools."""
    if isinstance(value, bool | str):
        return True
    if not isinstance(value, int | Fraction):
        return False
    return value == 2 or (value > 0 and value == 10 ** (len(str(int(value))) - 1))


def rests_on_something(node: Any) -> bool:
    """Whether the value comes from a ledger call, a fact or a parameter, not from a bare number."""
    return any(isinstance(n, CallNode | FactNode | ParameterNode) for n in below(node))


def calls(node: Any) -> list[CallNode]:
    """The ledger calls below a node, outermost first, each once."""
    return [n for n in below(node) if isinstance(n, CallNode)]


def facts(node: Any) -> list[str]:
    """The keys of the facts below a node, each once."""
    return list(dict.fromkeys(n.key for n in below(node) if isinstance(n, FactNode)))

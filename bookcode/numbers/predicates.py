"""The predicate of a claim, written out: what the lock keeps, so that a weaker one is drift."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

from bookcode.numbers.graph import (
    CallNode,
    FactNode,
    FieldNode,
    GivenNode,
    MethodNode,
    OperationNode,
    ParameterNode,
    PublishedNode,
)

_SIGNS: Final[dict[Callable[..., Any], str]] = {
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    operator.truediv: "/",
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.eq: "==",
    operator.ne: "!=",
    operator.and_: "&",
    operator.or_: "|",
}


def written(node: Any) -> str:
    """A node as text: published numbers by key, operations with all their brackets."""
    match node:
        case PublishedNode(_, key) | FactNode(key):
            return key
        case ParameterNode(parameter):
            return parameter.name
        case FieldNode(base, name):
            return f"{written(base)}.{name}"
        case GivenNode(call, name):
            return f"{written(call)}[{name}]"
        case MethodNode(base, given):
            return _called(written(base), given)
        case CallNode(function, named):
            parts = ", ".join(f"{name}={written(value)}" for name, value in named.items())
            return f"{function.__name__}({parts})"
        case OperationNode(function, operands):
            return _operation(function, operands)
        case bool() | str():
            return repr(node)
        case int() | Fraction():
            return str(node)
    return str(getattr(node, "name", node))


def _operation(function: Callable[..., Any], operands: tuple[Any, ...]) -> str:
    if function in _SIGNS and len(operands) == 2:
        return f"({written(operands[0])} {_SIGNS[function]} {written(operands[1])})"
    if isinstance(function, functools.partial):  # the constants come after the operands
        name, constants = function.func.__name__, tuple(function.keywords.values())
        return _called(name, (*operands, *constants))
    return _called(function.__name__, operands)


def _called(name: str, given: tuple[Any, ...]) -> str:
    return f"{name}({', '.join(map(written, given))})"

"""Handles: what a cell gets back and goes on calculating with.

A handle stands for a ledger call, a field of its result, a fact, a chapter parameter, or arithmetic
on other handles. Nothing it does is lost: it only grows the graph (:mod:`bookcode.numbers.graph`).
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NoReturn

from bookcode.ledger import protocol
from bookcode.numbers.errors import NumbersError, did_you_mean
from bookcode.numbers.graph import FieldNode, MethodNode, OperationNode
from bookcode.numbers.runs import Plain


class HandleError(NumbersError):
    """A handle was used in a way that would lose where a number comes from."""


def _operation(function: Callable[..., Any], swap: bool = False) -> Callable[..., Handle]:
    def method(self: Handle, other: Any) -> Handle:
        operands = (other, self) if swap else (self, other)
        return self._next(OperationNode(function, tuple(map(node_of, operands))))

    return method


def power(base: Any, *, exponent: int) -> Any:
    """``base`` to a constant exponent."""
    return base**exponent


class Handle:
    """What ``publish`` and ``row`` return: an expression that a cell can go on calculating with."""

    __slots__ = ("_fields", "_node", "_plain", "_value")

    def __init__(self, node: Any, plain: Plain, fields: Mapping[str, Handle] | None = None) -> None:
        self._node = node
        self._plain = plain
        self._value = plain(node)
        self._fields = fields or {}

    def _next(self, node: Any) -> Handle:
        return Handle(node, self._plain)

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
        return self._next(FieldNode(self._node, name))

    def __call__(self, *static: Any) -> Handle:
        if not callable(self._value):
            raise HandleError(f"{self!r} is not a method of a result")
        return self._next(MethodNode(self._node, static))

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
        return self._next(OperationNode(partial(power, exponent=exponent), (self._node,)))

    def __ledger__(self, name: str, given: tuple[Any, ...]) -> Handle:
        """A protocol function (maximum, log10, ...) used on handles in a cell."""
        if name == "named":  # the protocol hands over the value first
            value, symbol, meaning = given
            given = (symbol, value, meaning)
        return self._next(OperationNode(getattr(protocol, name), tuple(map(node_of, given))))

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

    def _ipython_display_(self) -> None:
        """Nothing: what is published shows itself, also at the end of a cell."""

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

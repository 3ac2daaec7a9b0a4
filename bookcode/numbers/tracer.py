"""The tracer: a number that records what is done to it.

An :class:`Expr` stands where a ledger expects a number. It keeps the author's order and grouping,
its unit and named intermediates, and refuses whatever it could not follow (``if``, ``max``,
``int``, f-strings, dict keys, numpy) with the ledger's line. The same tree becomes JavaScript
(leaves are chapter parameters) or a printed formula (leaves are symbols).
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NoReturn

from bookcode.numbers.errors import NumbersError
from bookcode.numbers.units import ONE, UNTRACKED, Unit, UnitError, parse_unit

_OWN = Path(__file__).parent
_SERIALS = itertools.count()
_BELOW = ("protocol.py", "fractions.py", "functools.py")


class TraceError(NumbersError):
    """The ledger did something to a symbol that the tracer cannot follow."""


def is_ledger_frame(frame: FrameType) -> bool:
    """Whether the frame runs neither the tracer's own code nor something below the ledger's."""
    path = Path(frame.f_code.co_filename)
    return path.parent != _OWN and path.name not in _BELOW and not path.name.startswith("<frozen")


def ledger_place() -> str:
    """file:line of the innermost frame of a ledger."""
    frame = sys._getframe(1)
    while frame.f_back is not None and not is_ledger_frame(frame):
        frame = frame.f_back
    return f"{place_of(frame.f_code, frame.f_lineno)} in {frame.f_code.co_name}"


def place_of(code: CodeType, line: int) -> str:
    """folder/file:line, the same on every machine."""
    return f"{'/'.join(Path(code.co_filename).parts[-2:])}:{line}"


def _refuse(what: str, instead: str) -> NoReturn:
    raise TraceError(f"{ledger_place()}: {what} cannot follow a symbol; use {instead}")


class Expr:
    """A node: an operation on other nodes, or a leaf.

    Attributes:
        op: "const", "var" (a chapter parameter), "symbol" (a formula's letter), "number" (a
            published number seen as a whole), an arithmetic or comparison operator, or one of the
            functions of the ledger's protocol.
        args: operands; for leaves their value or names.
        unit: the unit of the value.
        serial: tells nodes apart. (They are no dict keys, and every call of ``id`` is an event that
            the tracer of what cells read is told of.)
        operands: those of ``args`` that are nodes, once somebody has asked for them.
        variables: the parameters that it depends on, once somebody has asked for them.
    """

    __slots__ = ("args", "op", "operands", "serial", "unit", "variables")

    def __init__(self, op: str, *args: Any, unit: Unit = ONE) -> None:
        self.op, self.args, self.unit = op, args, unit
        self.serial = next(_SERIALS)
        self.operands: tuple[Expr, ...] | None = None
        self.variables: tuple[str, ...] | None = None

    # arithmetic -------------------------------------------------------------------------------
    def __add__(self, other: Any) -> Expr:
        return _binary("add", self, other)

    def __radd__(self, other: Any) -> Expr:
        return _binary("add", other, self)

    def __sub__(self, other: Any) -> Expr:
        return _binary("sub", self, other)

    def __rsub__(self, other: Any) -> Expr:
        return _binary("sub", other, self)

    def __mul__(self, other: Any) -> Expr:
        return _binary("mul", self, other)

    def __rmul__(self, other: Any) -> Expr:
        return _binary("mul", other, self)

    def __truediv__(self, other: Any) -> Expr:
        return _binary("div", self, other)

    def __rtruediv__(self, other: Any) -> Expr:
        return _binary("div", other, self)

    def __neg__(self) -> Expr:
        return Expr("neg", self, unit=self.unit)

    def __pow__(self, exponent: Any) -> Expr:
        if isinstance(exponent, bool) or not isinstance(exponent, int):
            _refuse(f"an exponent {exponent!r}", "a whole constant exponent")
        return Expr("pow", self, exponent, unit=self.unit**exponent)

    # comparison -------------------------------------------------------------------------------
    def __lt__(self, other: Any) -> Expr:
        return _compare("lt", self, other)

    def __le__(self, other: Any) -> Expr:
        return _compare("le", self, other)

    def __gt__(self, other: Any) -> Expr:
        return _compare("gt", self, other)

    def __ge__(self, other: Any) -> Expr:
        return _compare("ge", self, other)

    def __eq__(self, other: object) -> Expr:  # type: ignore[override]
        return _compare("eq", self, other)

    def __ne__(self, other: object) -> Expr:  # type: ignore[override]
        return _compare("ne", self, other)

    def __and__(self, other: Any) -> Expr:
        return Expr("and", self, lift(other))

    def __rand__(self, other: Any) -> Expr:
        return Expr("and", lift(other), self)

    def __or__(self, other: Any) -> Expr:
        return Expr("or", self, lift(other))

    def __ror__(self, other: Any) -> Expr:
        return Expr("or", lift(other), self)

    def __invert__(self) -> Expr:
        return Expr("not", self)

    # the ledger's protocol --------------------------------------------------------------------
    def __ledger__(self, name: str, arguments: tuple[Any, ...]) -> Any:
        return FUNCTIONS[name](*arguments)

    # what cannot be followed ------------------------------------------------------------------
    def __bool__(self) -> bool:
        _refuse(
            "`if`, `and`, `max`, `min` or a chained comparison", "select(), maximum(), between()"
        )

    def __hash__(self) -> int:
        _refuse("a dict or set key", "lookup()")

    def __int__(self) -> int:
        _refuse("int() or range()", "ceil()")

    __index__ = __int__
    __trunc__ = __int__

    def __float__(self) -> float:
        _refuse("float() or math functions", "the functions of the ledger's protocol")

    def __floordiv__(self, other: Any) -> Expr:
        _refuse("//", "ceil() or an exact division")

    __rfloordiv__ = __mod__ = __rmod__ = __rpow__ = __divmod__ = __floordiv__

    def __abs__(self) -> Expr:
        _refuse("abs()", "maximum()")

    def __array_ufunc__(self, *arguments: Any, **options: Any) -> Any:
        _refuse("a numpy function", "the functions of the ledger's protocol")

    def __round__(self, digits: int | None = None) -> int:
        _refuse("round()", "an exact value")

    __floor__ = __ceil__ = __round__

    def __iter__(self) -> Iterator[Any]:
        _refuse("iteration", "a fixed number of terms")

    def __len__(self) -> int:
        _refuse("len()", "a size")

    def __str__(self) -> str:
        _refuse("an f-string or str()", "numbers, not texts")

    def __format__(self, spec: str) -> str:
        _refuse("an f-string or format()", "numbers, not texts")

    def __repr__(self) -> str:
        return f"Expr({self.op!r}, {', '.join(map(repr, self.args))})"


def lift(value: Any) -> Expr:
    """An expression for ``value``: a constant unless it already is one."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, bool | str | Fraction):
        return Expr("const", value)
    if isinstance(value, int):
        return Expr("const", Fraction(value))
    raise TraceError(f"{ledger_place()}: {value!r} is not an exact number")


def is_zero(expr: Expr) -> bool:
    """Whether the expression is the constant 0, which is of every unit."""
    return expr.op == "const" and expr.args[0] == 0 and not isinstance(expr.args[0], bool | str)


def _common_unit(what: str, operands: list[Expr]) -> Unit:
    rest = [o for o in operands if not is_zero(o)]
    if any(not o.unit.tracked for o in rest):
        return UNTRACKED
    for operand in rest[1:]:
        if not operand.unit.same_dimension(rest[0].unit):
            raise UnitError(f"{ledger_place()}: {what} of {rest[0].unit} and {operand.unit}")
    if not rest:
        return ONE
    labels = {o.unit.label for o in rest}
    return rest[0].unit if len(labels) == 1 else Unit(rest[0].unit.exponents)


def _binary(op: str, left: Any, right: Any) -> Expr:
    a, b = lift(left), lift(right)
    for side in (a, b):
        if side.op == "const" and isinstance(side.args[0], str | bool):
            raise TraceError(f"{ledger_place()}: arithmetic on {side.args[0]!r}")
    if op == "mul":
        unit = a.unit * b.unit
    elif op == "div":
        unit = a.unit / b.unit
    else:
        unit = _common_unit({"add": "sum", "sub": "difference"}[op], [a, b])
    return Expr(op, a, b, unit=unit)


def _compare(op: str, left: Any, right: Any) -> Expr:
    a, b = lift(left), lift(right)
    _common_unit("comparison", [a, b])
    return Expr(op, a, b)


# the functions of the ledger's protocol --------------------------------------------------------
def _extreme(op: str) -> Callable[..., Expr]:
    def function(*values: Any) -> Expr:
        operands = [lift(value) for value in values]
        if len(operands) == 1:
            return operands[0]
        return Expr(op, *operands, unit=_common_unit(f"{op}imum", operands))

    return function


def _select(condition: Any, when_true: Any, when_false: Any) -> Any:
    if isinstance(condition, bool):
        return when_true if condition else when_false
    a, b = lift(when_true), lift(when_false)
    if a is b or (a.op == b.op == "const" and a.args[0] == b.args[0]):
        return a
    return Expr("select", lift(condition), a, b, unit=_common_unit("choice", [a, b]))


def _log10(value: Any) -> Expr:
    operand = lift(value)
    if not operand.unit.dimensionless:
        raise UnitError(f"{ledger_place()}: log10 of a quantity in {operand.unit}")
    return Expr("log10", operand)


def _named(value: Any, symbol: str, meaning: str) -> Expr:
    operand = lift(value)
    return Expr("named", operand, symbol, meaning, unit=operand.unit)


def _measured(value: Any, unit: str) -> Expr:
    """Give a count its unit; a value that has dimensions already must have this one."""
    operand, target = lift(value), parse_unit(unit)
    if not operand.unit.tracked:
        return operand
    counts = {"FLOP": 1}
    exponents = dict(operand.unit.exponents)
    recorded = operand.op == "const" and not exponents  # a measurement is a constant in any unit
    allowed = (
        operand.unit.same_dimension(target)
        or recorded
        or (not exponents and set(dict(target.exponents)) <= set(counts))
    )
    if not allowed:
        raise UnitError(f"{ledger_place()}: a quantity in {operand.unit} is declared as {unit}")
    return Expr("measured", operand, unit=target)


def _between(value: Any, low: Any, high: Any) -> Expr:
    operands = [lift(value), lift(low), lift(high)]
    _common_unit("comparison", operands)
    return Expr("between", *operands)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "maximum": _extreme("max"),
    "minimum": _extreme("min"),
    "ceil": lambda value: Expr("ceil", lift(value), unit=lift(value).unit),
    "log10": _log10,
    "select": _select,
    "named": _named,
    "measured": _measured,
    "between": _between,
}

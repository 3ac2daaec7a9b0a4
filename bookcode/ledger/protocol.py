"""What ledger arithmetic may do beyond ``+ - * / **``: a few functions that symbols can follow.

Ledger functions are ordinary Python on exact numbers. The book also runs them on symbols, to print
their formulas and to let a reader change a parameter. Python's own ``max``, ``if`` or ``int``
cannot be followed by a symbol, so ledgers use the functions here. An object that wants to be
followed defines ``__ledger__(name, arguments)``; this module knows nothing else about it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from itertools import pairwise
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

from bookcode.ledger.errors import LedgerError, MissingFactError

Number: TypeAlias = Fraction
"""An exact number; the book may put a symbol in its place."""

T = TypeVar("T")


@runtime_checkable
class Followed(Protocol):
    """A value that records what is done to it instead of doing it."""

    def __ledger__(self, name: str, arguments: tuple[Any, ...]) -> Any: ...


def is_symbolic(value: object) -> bool:
    """Whether ``value`` stands for a number instead of being one."""
    # not isinstance: a run-time protocol check takes ten times as long, and this is asked often
    return hasattr(type(value), "__ledger__")


def exact(value: Any) -> Number:
    """Lift ``value`` to a :class:`~fractions.Fraction`; symbols pass.

    Raises:
        LedgerError: for a bool, a string, or a float that is not a whole number (a float such as
            0.1 is not the number that was written; give a string or a Fraction).
    """
    if is_symbolic(value) or isinstance(value, Fraction):
        return value  # type: ignore[no-any-return]
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    if isinstance(value, float) and value.is_integer():
        return Fraction(int(value))
    raise LedgerError(f"{value!r} is not an exact number; use an int, a Fraction or a whole float")


def _follow(name: str, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    for argument in arguments:
        if is_symbolic(argument):
            return True, argument.__ledger__(name, arguments)
    return False, None


def maximum(*values: Number) -> Number:
    """The largest of the values."""
    followed, result = _follow("maximum", values)
    return result if followed else max(values)


def minimum(*values: Number) -> Number:
    """The smallest of the values."""
    followed, result = _follow("minimum", values)
    return result if followed else min(values)


def ceil(value: Number) -> Number:
    """The smallest whole number that is not below ``value``."""
    followed, result = _follow("ceil", (value,))
    return result if followed else Fraction(math.ceil(value))


def log10(value: Number) -> Number:
    """The decimal logarithm; exact for whole powers of ten, else the nearest double."""
    followed, result = _follow("log10", (value,))
    if followed:
        return result  # type: ignore[no-any-return]
    if value <= 0:
        raise LedgerError(f"log10 of {value}, which is not positive")
    exponent = round(math.log10(value))
    if Fraction(10) ** exponent == value:
        return Fraction(exponent)
    return Fraction(math.log10(value))


def select(condition: Any, when_true: T, when_false: T) -> T:
    """``when_true`` if the condition holds, else ``when_false``; both are already computed."""
    followed, result = _follow("select", (condition, when_true, when_false))
    if followed:
        return result  # type: ignore[no-any-return]
    return when_true if condition else when_false


def lookup(table: Mapping[str, Number], key: Any, what: str) -> Number:
    """The entry of ``table`` for ``key`` (a name, or a row that has a ``name``).

    Raises:
        MissingFactError: when the table holds no such entry; ``what`` says of what.
    """
    followed, result = _follow("lookup", (table, key, what))
    if followed:
        return result  # type: ignore[no-any-return]
    name = key if isinstance(key, str) else key.name
    try:
        return table[name]
    except KeyError:
        others = f"there is one for {', '.join(table)}" if table else "there is none at all"
        raise MissingFactError(f"no fact for {what} {name!r}; {others}") from None


def nearest(
    table: Mapping[str, Number], anchors: Mapping[str, Number], value: Number, what: str
) -> Number:
    """The entry of ``table`` whose anchor lies nearest to ``value``; a tie takes the lower entry.

    ``anchors`` must ascend. Raises MissingFactError for an anchor without an entry.
    """
    followed, result = _follow("nearest", (table,))
    if followed and result is not NotImplemented:
        return result  # type: ignore[no-any-return]
    names = list(anchors)
    entries = {name: lookup(table, name, what) for name in names}
    chosen = entries[names[-1]]
    for lower, upper in reversed(list(pairwise(names))):
        middle = (anchors[lower] + anchors[upper]) / 2
        tie = minimum(entries[lower], entries[upper])
        chosen = select(value <= middle, select(value < middle, entries[lower], tie), chosen)
    return chosen


def named(symbol: str, value: Number, meaning: str) -> Number:
    """Give an intermediate result a symbol, so that a printed formula says "where W = ..."."""
    followed, result = _follow("named", (value, symbol, meaning))
    return result if followed else value


_lift: ContextVar[Callable[[Number], Any] | None] = ContextVar("lift", default=None)


@contextmanager
def constants_as(lift: Callable[[Number], Any]) -> Iterator[None]:
    """Inside, :func:`measured` lifts plain numbers, so that a constant count gets its unit too."""
    token = _lift.set(lift)
    try:
        yield
    finally:
        _lift.reset(token)


def measured(value: Number, unit: str) -> Number:
    """Say what a count counts: ``measured(2*m*n*k, "FLOP")``. Bytes come from a dtype instead."""
    lift = _lift.get()
    if lift is not None and not is_symbolic(value):
        value = lift(value)
    followed, result = _follow("measured", (value, unit))
    return result if followed else value


def between(value: Number, low: Number, high: Number) -> Any:
    """Whether ``low <= value <= high``."""
    followed, result = _follow("between", (value, low, high))
    return result if followed else low <= value <= high


def orders_above(value: Number, other: Number) -> Number:
    """How many orders of magnitude ``value`` lies above ``other``: log10(value / other)."""
    return log10(value / other)

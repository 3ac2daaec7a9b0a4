"""Whole columns of sizes through the ledger's own functions.

A ledger function is ordinary arithmetic plus a few functions that any object may follow
(:mod:`bookcode.ledger.protocol`). A :class:`Column` follows them with numpy, so that the code that
is tested against ten thousand rows is the ledger itself and not a second copy of its formulas.

Values are doubles: exact for whole numbers up to 2^53, which no size in the tables exceeds.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
EXACT_BELOW: Final = 2.0**53


class Column:
    """A column of numbers (or of truth values) that ledger functions take for one number."""

    __slots__ = ("values",)
    __array_ufunc__ = None  # numpy leaves mixed arithmetic to this class

    def __init__(self, values: ArrayLike) -> None:
        self.values = np.asarray(values)

    def __ledger__(self, name: str, arguments: tuple[Any, ...]) -> Any:
        if name in ("measured", "named"):
            return arguments[0]
        try:
            function = _FOLLOWED[name]
        except KeyError:
            raise TypeError(f"a column of numbers cannot follow {name}()") from None
        return Column(function(*map(plain, arguments)))

    def __add__(self, other: Any) -> Column:
        return Column(self.values + plain(other))

    def __sub__(self, other: Any) -> Column:
        return Column(self.values - plain(other))

    def __mul__(self, other: Any) -> Column:
        return Column(self.values * plain(other))

    def __truediv__(self, other: Any) -> Column:
        return Column(self.values / plain(other))

    def __pow__(self, other: Any) -> Column:
        return Column(self.values ** plain(other))

    def __radd__(self, other: Any) -> Column:
        return Column(plain(other) + self.values)

    def __rsub__(self, other: Any) -> Column:
        return Column(plain(other) - self.values)

    def __rmul__(self, other: Any) -> Column:
        return Column(plain(other) * self.values)

    def __rtruediv__(self, other: Any) -> Column:
        return Column(plain(other) / self.values)

    def __neg__(self) -> Column:
        return Column(-self.values)

    def __lt__(self, other: Any) -> Column:
        return Column(self.values < plain(other))

    def __le__(self, other: Any) -> Column:
        return Column(self.values <= plain(other))

    def __gt__(self, other: Any) -> Column:
        return Column(self.values > plain(other))

    def __ge__(self, other: Any) -> Column:
        return Column(self.values >= plain(other))

    def __bool__(self) -> bool:
        raise TypeError("a column of numbers is neither true nor false; use select()")


def plain(value: Any) -> Any:
    """What numpy computes with: the array of a column, a double for an exact number."""
    if isinstance(value, Column):
        return value.values
    return float(value) if isinstance(value, (int, Fraction)) else value


def _extreme(function: Any) -> Any:
    return lambda *values: function.reduce(np.broadcast_arrays(*values))


_FOLLOWED: Final = {
    "maximum": _extreme(np.maximum),
    "minimum": _extreme(np.minimum),
    "ceil": np.ceil,
    "log10": np.log10,
    "select": np.where,
    "between": lambda value, low, high: (value >= low) & (value <= high),
}


def column(values: ArrayLike) -> Any:
    """A column that the type checker lets stand for a ledger's number."""
    return Column(values)


def array(value: Any, length: int) -> Array:
    """A ledger result as an array; a plain number is repeated."""
    return np.broadcast_to(np.asarray(plain(value), dtype=np.float64), (length,))

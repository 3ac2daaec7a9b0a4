"""What stands in for a table row: symbols for a formula, table look-ups for a chapter parameter.

A *choice* (a machine, a dtype, a model) is a row of a ledger table. For a formula its fields are
the symbols that the row's class declares; when the choice is a chapter parameter its fields are
look-ups by the parameter's value. Methods and properties of the row's class run on the stand-in
unchanged.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from bookcode.numbers.expr import Expr, TraceError, ledger_place
from bookcode.numbers.units import UNTRACKED, parse_unit


def _symbols(row_class: type) -> dict[str, Any]:
    return {
        f.name: f.metadata["symbol"]
        for f in dataclasses.fields(row_class)
        if "symbol" in f.metadata
    }


class _StandIn:
    """Common to both: a field gives a symbol or look-up, anything else is the class's own."""

    def __init__(self, row_class: type, example: Any) -> None:
        self._row_class = row_class
        self._example = example

    def _quantity(self, field: str, symbol: Any) -> Any:
        raise TypeError(f"{type(self).__name__} has no quantities")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        symbols = _symbols(self._row_class)
        if name in symbols:
            return self._quantity(name, symbols[name])
        attribute = getattr(self._row_class, name, None)
        if attribute is not None and hasattr(attribute, "__get__"):
            return attribute.__get__(self, self._row_class)
        if name in {f.name for f in dataclasses.fields(self._row_class)}:
            return getattr(self._example, name)
        raise AttributeError(f"{self._row_class.__name__} has no field {name!r}")

    def __hash__(self) -> int:
        raise TraceError(f"{ledger_place()}: a choice cannot be a dict key; use lookup()")

    def __eq__(self, other: object) -> bool:
        raise TraceError(f"{ledger_place()}: a choice cannot be compared; use lookup()")


class FormalRow(_StandIn):
    """A row whose fields are symbols; ``subscript`` tells two rows of one function apart."""

    def __init__(self, row_class: type, example: Any, subscript: str = "") -> None:
        super().__init__(row_class, example)
        self._subscript = subscript

    def _quantity(self, field: str, symbol: Any) -> Any:
        latex = f"{symbol.latex}_{{{self._subscript}}}" if self._subscript else symbol.latex
        if isinstance(getattr(self._example, field), Mapping):
            return FormalMap(latex, symbol, field, self._example)
        return symbol_leaf(latex, symbol.unit, symbol.meaning, getattr(self._example, field))

    def __ledger__(self, name: str, arguments: tuple[Any, ...]) -> Any:
        table = arguments[0]
        if isinstance(table, FormalMap):
            return table.__ledger__(name, arguments)
        raise TraceError(f"{ledger_place()}: {name}() on a table that has no symbol")


def symbol_leaf(latex: str, unit: str, meaning: str, value: Any) -> Expr:
    """A letter of a formula, with the value it has here."""
    return Expr("symbol", latex, meaning, value, unit=parse_unit(unit))


class FormalMap:
    """A field that maps names to quantities, as one symbol (a static name is its subscript)."""

    def __init__(self, latex: str, symbol: Any, field: str, example: Any) -> None:
        self.latex, self.symbol, self.field, self.example = latex, symbol, field, example

    def __ledger__(self, name: str, arguments: tuple[Any, ...]) -> Any:
        values: Mapping[str, Any] = getattr(self.example, self.field)
        if name == "nearest":
            return symbol_leaf(self.latex, self.symbol.unit, self.symbol.meaning, None)
        key = arguments[1]
        static = isinstance(key, str)
        entry = key if static else key.name
        latex = f"{self.latex}_{{\\mathrm{{{entry}}}}}" if static else self.latex
        return symbol_leaf(latex, self.symbol.unit, self.symbol.meaning, values.get(entry))


class TracedRow(_StandIn):
    """A row chosen by a chapter parameter: fields are look-ups by the parameter's value."""

    def __init__(self, row_class: type, rows: Mapping[str, Any], parameter: str) -> None:
        super().__init__(row_class, next(iter(rows.values())))
        self._rows = rows
        self._parameter = parameter

    @property
    def name(self) -> str:
        """Stands in messages only."""
        return f"<{self._parameter}>"

    def _variable(self) -> Expr:
        return parameter_leaf(self._parameter)

    def _quantity(self, field: str, symbol: Any) -> Any:
        values = {name: getattr(row, field) for name, row in self._rows.items()}
        if isinstance(next(iter(values.values())), Mapping):
            return TracedMap(self._variable(), values)
        return look_up({(name,): value for name, value in values.items()}, [self._variable()])

    def __ledger__(self, name: str, arguments: tuple[Any, ...]) -> Any:
        table = arguments[0]
        if isinstance(table, TracedMap):
            return table.__ledger__(name, arguments)
        plain = {(key,): value for key, value in table.items()}
        return look_up(plain, [self._variable()])


class TracedMap:
    """A mapping field of a row chosen by a parameter: table[row][entry]."""

    def __init__(self, variable: Expr, values: Mapping[str, Mapping[str, Any]]) -> None:
        self.variable, self.values = variable, values

    def __ledger__(self, name: str, arguments: tuple[Any, ...]) -> Any:
        if name != "lookup":
            return NotImplemented
        key = arguments[1]
        if isinstance(key, TracedRow):
            entries = {
                (row, entry): value
                for row, mapping in self.values.items()
                for entry, value in mapping.items()
            }
            return look_up(entries, [self.variable, key._variable()])
        entry = key if isinstance(key, str) else key.name
        column = {(row,): m[entry] for row, m in self.values.items() if entry in m}
        return look_up(column, [self.variable])


def parameter_leaf(name: str) -> Expr:
    """A chapter parameter as a variable of the page's JavaScript."""
    return Expr("var", name, unit=UNTRACKED)


def look_up(entries: Mapping[Any, Any], keys: list[Expr]) -> Expr:
    """A look-up by chapter parameters; each key of ``entries`` is a tuple with a name for each."""
    return Expr("lookup", dict(entries), tuple(keys), unit=UNTRACKED)

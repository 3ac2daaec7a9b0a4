"""The decorator of ledger functions: exact sizes in, names resolved, wrong use refused."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeVar

from bookcode.ledger.errors import LedgerError
from bookcode.ledger.protocol import exact, is_symbolic
from bookcode.ledger.symbols import Subscript, Symbol
from bookcode.ledger.tables import TABLES

R = TypeVar("R")


@dataclass(frozen=True)
class Argument:
    """What a ledger function takes under one name.

    At most one of ``symbol`` (a quantity) and ``row`` (a choice: the class of a table's rows) is
    set; neither for a static argument, which picks a variant of the algorithm.
    """

    name: str
    symbol: Symbol | None = None
    row: type | None = None
    subscript: str = ""


@functools.cache
def arguments(function: Callable[..., Any]) -> dict[str, Argument]:
    """The arguments of a ledger function by name, read off its annotations."""
    function = inspect.unwrap(function)
    hints = typing.get_type_hints(function, include_extras=True)
    return {
        name: _argument(name, hints.get(name)) for name in inspect.signature(function).parameters
    }


def _argument(name: str, hint: Any) -> Argument:
    candidates = [hint, *typing.get_args(hint)] if hint is not None else []
    notes = [n for c in candidates for n in getattr(c, "__metadata__", ())]
    bare = [typing.get_origin(c) if typing.get_origin(c) else c for c in candidates]
    bare += [c.__origin__ for c in candidates if hasattr(c, "__metadata__")]
    symbol = next((n for n in notes if isinstance(n, Symbol)), None)
    subscript = next((n.latex for n in notes if isinstance(n, Subscript)), "")
    row = next((c for c in bare if isinstance(c, type) and c in TABLES), None)
    return Argument(name, symbol, None if symbol else row, subscript)


def operator(function: Callable[..., R]) -> Callable[..., R]:
    """Make a ledger function of ``function``.

    Quantities (annotated with a symbol) are lifted to exact fractions and must be positive; choices
    may be given by name; everything else is passed as it is.

    Raises (when called):
        LedgerError: a size that is not an exact positive number.
        UnknownNameError: a name that the choice's table does not hold.
    """

    signature = inspect.signature(function)  # looked up once, as it takes longer than most calls

    @functools.wraps(function)
    def ledger_function(*args: Any, **kwargs: Any) -> R:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        for name, argument in arguments(function).items():
            bound.arguments[name] = _resolve(function, argument, bound.arguments[name])
        return function(*bound.args, **bound.kwargs)

    ledger_function.__ledger_function__ = True  # type: ignore[attr-defined]
    return ledger_function


def _resolve(function: Callable[..., Any], argument: Argument, value: Any) -> Any:
    if value is None:
        return None
    if argument.row is not None:
        return TABLES[argument.row][value] if isinstance(value, str) else value
    if argument.symbol is None:
        return value
    size = exact(value)
    if not is_symbolic(size) and size <= 0:
        raise LedgerError(
            f"{function.__name__}: {argument.name} = {value} must be positive "
            f"({argument.symbol.meaning})"
        )
    return size


def check_row(row: Any) -> None:
    """Refuse a table row whose quantities are not exact and positive.

    Raises:
        LedgerError: naming the row and the field.
    """
    assert is_dataclass(row)
    for f in fields(row):
        if "symbol" not in f.metadata:
            continue
        value = getattr(row, f.name)
        for entry in value.values() if isinstance(value, dict) else [value]:
            if exact(entry) <= 0:
                raise LedgerError(
                    f"{getattr(row, 'name', row)}: {f.name} = {entry} must be positive"
                )


def divides(what: str, part: Any, whole: Any) -> None:
    """Refuse sizes where ``part`` does not divide ``whole``; symbols pass.

    Raises:
        LedgerError: naming both sizes.
    """
    if not is_symbolic(part) and not is_symbolic(whole) and whole % part:
        raise LedgerError(f"{what}: {whole} is not divisible by {part}")

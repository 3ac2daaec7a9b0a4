"""The facts that a number rests on through table rows: the peak of its machine, the shape of its
model.

A row names the fact behind each of its values. Which of these values a calculation really used is
read off its formal run: the letters of the formula are the fields of the row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any

from bookcode.ledger.operator import arguments
from bookcode.ledger.tables import TABLES
from bookcode.numbers.expr import Expr, walk
from bookcode.numbers.graph import CallNode, MethodNode, ParameterNode, PublishedNode, below
from bookcode.numbers.runs import Plain

Letter = tuple[str, Any]
"""What a letter means, and its value; None where it stands for several."""


def composed_of(node: Any) -> list[str]:
    """The keys of the published numbers below a node, each once."""
    inner = node.node if isinstance(node, PublishedNode) else node
    return list(dict.fromkeys(n.key for n in below(inner) if isinstance(n, PublishedNode)))


def grounds(node: Any, formal: Expr | None, plain: Plain) -> dict[str, list[str]]:
    """ "kind name" of a row to the keys of the facts whose values the number holds.

    Without a formal expression every fact of the rows counts. What published operands rest on is
    theirs: see :func:`composed_of`.
    """
    rows, names = _rows(node, plain)
    letters = None if formal is None else _letters(formal)
    found: dict[str, list[str]] = {}
    for row in rows:
        keys = [row.facts[field] for field in _used(row, letters, names)]
        if keys:
            found[f"{type(row).__name__.lower()} {row.name}"] = sorted(set(keys))
    return dict(sorted(found.items()))


def _rows(node: Any, plain: Plain) -> tuple[list[Any], set[str]]:
    """The rows with facts that the calculation was given, and the names of rows and variants."""
    rows: dict[str, Any] = {}
    names: set[str] = set()
    for value in _given(node, plain):
        name = value if isinstance(value, str) else getattr(value, "name", None)
        if name is not None:
            names.add(name)
        if getattr(value, "facts", None):
            rows[f"{type(value).__name__} {name}"] = value
    return list(rows.values()), names


def _given(node: Any, plain: Plain) -> Iterator[Any]:
    for inner in below(node):
        if isinstance(inner, ParameterNode):
            yield plain(inner)
        elif isinstance(inner, MethodNode):
            yield from inner.arguments
        elif isinstance(inner, CallNode):
            for name, argument in arguments(inner.function).items():
                value = plain(inner.arguments.get(name))
                named = argument.row is not None and isinstance(value, str)
                yield TABLES[argument.row][value] if named else value  # type: ignore[index]


def _letters(formal: Expr) -> set[Letter]:
    return {(n.args[1], n.args[2]) for n in walk(formal) if n.op == "symbol"}


def _used(row: Any, letters: set[Letter] | None, names: set[str]) -> Iterator[str]:
    """The dotted names of the row's values that stand in the formula."""
    symbols = {f.name: f.metadata["symbol"] for f in fields(row) if "symbol" in f.metadata}
    by_field: dict[str, list[str]] = {}
    for dotted in row.facts:
        field, _, entry = dotted.partition(".")
        if field not in symbols or letters is None or _stands(row, field, entry, symbols, letters):
            by_field.setdefault(field, []).append(dotted)
    for dotted_names in by_field.values():
        # Two dtypes may have one peak: the one that was asked for is meant.
        meant = [d for d in dotted_names if d.partition(".")[2] in names]
        yield from meant or dotted_names


def _stands(
    row: Any, field: str, entry: str, symbols: Mapping[str, Any], letters: Iterable[Letter]
) -> bool:
    value = getattr(row, field)
    number: Fraction = value[entry] if entry else value
    meaning = symbols[field].meaning
    return any(said == meaning and held in (None, number) for said, held in letters)

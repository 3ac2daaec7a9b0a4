"""Check points where a number decides something: the last before a turn and the first after.

Random points hardly ever meet the place where compute and memory time are equal. So for every
comparison and every maximum in a traced expression, and for every quantity that it depends on, the
declared range is searched for the step at which the two sides change places; the values on both
sides of it, and an exact tie if the grid holds one, are check points too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from typing import Any

from bookcode.numbers.expr import Evaluator, Expr, TraceError, variables_of, walk
from bookcode.numbers.parameters import Parameter, Point, Quantity

DECISIONS = ("lt", "le", "gt", "ge", "eq", "ne", "max", "min", "between")


def hard_points(expr: Expr, parameters: Mapping[str, Parameter]) -> list[Point]:
    """The points around every turn of ``expr``, other parameters at their defaults; each once."""
    quantities = [p for p in parameters.values() if isinstance(p, Quantity)]
    if not quantities or not set(variables_of(expr)) & {p.name for p in quantities}:
        return []
    defaults = {name: parameter.default for name, parameter in parameters.items()}
    found: dict[tuple[str, int], Point] = {}
    for left, right in _decisions(expr):
        depends = {*variables_of(left), *variables_of(right)}
        for quantity in quantities:
            if quantity.name not in depends:
                continue
            for value in _turn(left, right, quantity, defaults):
                found[quantity.name, value] = {**defaults, quantity.name: value}
    return list(found.values())


def _decisions(expr: Expr) -> Iterator[tuple[Expr, Expr]]:
    """The pairs of numbers that the expression compares."""
    for node in walk(expr):
        if node.op in DECISIONS:
            numbers = [a for a in node.args if not _is_word(a)]
            yield from combinations(numbers, 2)


def _is_word(expr: Expr) -> bool:
    return any(n.op == "const" and isinstance(n.args[0], str | bool) for n in walk(expr))


def _turn(
    left: Expr, right: Expr, quantity: Quantity, defaults: Mapping[str, Any]
) -> Iterator[int]:
    """The values of the quantity around the step at which left - right changes its sign."""

    def sign(step: int) -> int | None:
        value = quantity.minimum + step * quantity.step
        point = {**defaults, quantity.name: value}
        exact = {n: v if isinstance(v, str) else Fraction(v) for n, v in point.items()}
        try:
            one: Any = Evaluator(exact)(left)
            difference: Any = one - Evaluator(exact)(right)
        except (TraceError, ZeroDivisionError):
            return None
        return int(difference > 0) - int(difference < 0)

    low, high = 0, (quantity.maximum - quantity.minimum) // quantity.step
    before, after = sign(low), sign(high)
    if before is None or after is None or before == after:
        return
    while high - low > 1:
        middle = (low + high) // 2
        here = sign(middle)
        if here is None:
            return
        if here == before:
            low = middle
        else:
            high = middle
    for step in (low, high):
        yield quantity.minimum + step * quantity.step
